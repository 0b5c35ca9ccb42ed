//! Elementary streams: consecutive frames with a header each, without an index.

use crate::packets::{Chunk, MAX_PACKETS, Sizes, too_many_packets};
use crate::parts::{channels_change, counted};
use crate::source::FileWindow;
use crate::unread::{begins_tag, id3v2_bytes, is_ape_footer, skip_tags};
use base::error::Result;
use base::sound::silent_parts;

/// The number of bytes that the parsers need: a frame's header, and the mark of a stream header after it.
pub(super) const HEADER_BYTES: usize = 48;
/// The index records an offset every this many packets, so that a seek sums few sizes.
const CHECKPOINT_PACKETS: usize = 64;
/// The maximum number of streams that are told apart in a file. Stream headers beyond it are read as sound.
const MAX_RUNS: usize = 4096;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The size of the whole frame in bytes.
    pub bytes: u32,
    /// The header fields that are equal in all frames that one stream can have.
    pub key: u32,
    /// The audio frames in the frame.
    pub frames: u32,
    /// The sample rate in Hz.
    pub rate_hz: u32,
    /// The number of channels, in which the frames of a stream may differ.
    pub channels: usize,
    /// Whether the frame holds a header of a stream instead of audio.
    pub opens: bool,
}

/// The frames of one stream: consecutive in time, though tags may lie between them.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The offset of the frame with the stream's header, if it has one.
    pub header: Option<u64>,
    pub chunks: Vec<Chunk>,
    pub sizes: Vec<u32>,
}

impl Run {
    pub(super) fn into_sizes(self) -> (Vec<Chunk>, Sizes, u32) {
        let packets = self.sizes.len() as u32;
        (self.chunks, Sizes::Each(self.sizes), packets)
    }
}

/// Frames of another kind, which the stream's decoder cannot take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    /// The offset of the first such frame.
    pub offset: u64,
    /// The number of frames of the scanned kind before the first such frame.
    pub packets_before: usize,
    /// The header of the first such frame.
    pub first: Header,
    /// The total size of such frames in bytes.
    pub bytes: u64,
    /// The total duration of such frames in seconds.
    pub seconds: f64,
}

/// The frames found by a scan.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub runs: Vec<Run>,
    /// The number of byte ranges that are not frames.
    pub gaps: u32,
    /// The frames of another kind.
    pub other: Option<Other>,
    /// The number of frames before the first that has other channels than the first frame, and its channels.
    pub changed: Option<(usize, usize)>,
    /// Whether the last frame is cut off.
    pub cut: bool,
    /// The byte after the last frame.
    pub end: u64,
}

impl Scan {
    /// Returns warnings about damaged parts and frames of another kind. `name` names the kind of a header.
    pub(super) fn warnings(&self, first: Header, name: impl Fn(Header) -> String) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.gaps > 0 {
            warnings.push(silent_parts(self.gaps));
        }
        let seconds = |packets: usize| packets as f64 * f64::from(first.frames) / f64::from(first.rate_hz.max(1));
        if let Some((packets, channels)) = self.changed {
            warnings.push(channels_change(seconds(packets), [channels, first.channels].map(counted)));
        }
        if let Some(other) = &self.other {
            let at = seconds(other.packets_before);
            warnings.push(format!(
                "The format changes to {} at {at:.3} s (byte {}). {:.3} s of sound ({} bytes) of another format than the \
                 first are left out.",
                name(other.first),
                other.offset,
                other.seconds,
                other.bytes
            ));
        }
        if self.cut {
            warnings.push("The file is cut off within its last frame.".to_owned());
        }
        warnings
    }
}

/// Finds the first frame from `start` on, within `limit` bytes, that is followed by more frames of its kind. `parse` reads
/// a frame header. After bytes that are no frame, at least one more frame must follow, and `is_likely` must hold for the
/// bytes of each, because any bytes have frame headers somewhere.
pub(super) fn first_frame(
    window: &mut FileWindow,
    start: u64,
    limit: u64,
    parse: impl Fn(&[u8]) -> Option<Header> + Copy,
    is_likely: impl Fn(&[u8]) -> bool + Copy,
) -> Result<Option<(u64, Header)>> {
    let end = window.source().bytes();
    for offset in start..start.saturating_add(limit) {
        let bytes = window.bytes(offset, HEADER_BYTES)?;
        if bytes.len() < 4 {
            break;
        }
        let Some(header) = parse(bytes) else { continue };
        let is_first = if offset == start {
            is_followed(window, offset, header, 3, parse)?
        } else {
            let likely = |bytes: &[u8]| parse(bytes).filter(|_| is_likely(bytes));
            let goes_on = is_likely(bytes) && offset + u64::from(header.bytes) < end;
            goes_on && is_followed(window, offset, header, 3, likely)?
        };
        if is_first {
            return Ok(Some((offset, header)));
        }
    }
    Ok(None)
}

/// Returns whether `count` more frames of the same kind follow the one at `offset`, or a tag or the end of the file
/// comes first.
fn is_followed(
    window: &mut FileWindow,
    offset: u64,
    header: Header,
    count: u32,
    parse: impl Fn(&[u8]) -> Option<Header> + Copy,
) -> Result<bool> {
    let end = window.source().bytes();
    let mut at = offset + u64::from(header.bytes);
    for _ in 0..count {
        if at == end {
            return Ok(true);
        }
        let bytes = window.bytes(at, HEADER_BYTES)?;
        match parse(bytes) {
            Some(next) if next.key == header.key => at += u64::from(next.bytes),
            _ => return Ok(begins_tag(bytes)),
        }
    }
    Ok(true)
}

/// Scans all frames from `start` to `end`. Known tags between frames are skipped. Other bytes that are not frames are
/// counted as the number of damaged frames that would fit, so that later frames keep their time. A frame with a header
/// of a stream begins another run.
pub(super) fn scan(
    window: &mut FileWindow,
    start: u64,
    end: u64,
    first: Header,
    parse: impl Fn(&[u8]) -> Option<Header> + Copy,
) -> Result<Scan> {
    let key = first.key;
    let mut found = Scan { runs: vec![Run::default()], end: start, ..Scan::default() };
    let mut at = start;
    let (mut packets, mut checkpoint, mut last_bytes) = (0usize, true, 0);
    while at < end {
        if packets >= MAX_PACKETS {
            return Err(too_many_packets());
        }
        let parsed = parse(window.bytes(at, HEADER_BYTES)?);
        let header = parsed.filter(|header| at + u64::from(header.bytes) <= end);
        if let Some(header) = header.filter(|header| header.key == key) {
            let after = at + u64::from(header.bytes);
            if header.opens && found.runs.len() < MAX_RUNS {
                found.runs.push(Run { header: Some(at), ..Run::default() });
                checkpoint = true;
            } else if let Some(run) = found.runs.last_mut() {
                if checkpoint || run.sizes.len() % CHECKPOINT_PACKETS == 0 {
                    run.chunks.push(Chunk { offset: at, first: run.sizes.len() as u32 });
                    checkpoint = false;
                }
                run.sizes.push(header.bytes);
                if header.channels > 0 && header.channels != first.channels && found.changed.is_none() {
                    found.changed = Some((packets, header.channels));
                }
                packets += 1;
            }
            last_bytes = header.bytes;
            (at, found.end) = (after, after);
            continue;
        }
        checkpoint = true;
        let after = skip_tags(window, at, end)?;
        if after > at {
            (at, found.end) = (after, after);
            continue;
        }
        if let Some(header) = header
            && is_other(window, at, header, found.other.as_ref(), key, parse)?
        {
            let bytes = u64::from(header.bytes);
            let other = found.other.get_or_insert(Other {
                offset: at,
                packets_before: packets,
                first: header,
                bytes: 0,
                seconds: 0.0,
            });
            if !header.opens {
                other.bytes += bytes;
                other.seconds += f64::from(header.frames) / f64::from(header.rate_hz.max(1));
            }
            at += bytes;
            found.end = at;
            continue;
        }
        let Some((next, is_tag)) = resync(window, at, end, key, parse)? else {
            found.cut = parsed.is_some_and(|header| header.key == key);
            found.end = if found.cut { end } else { found.end };
            break;
        };
        if !is_tag {
            found.gaps += 1;
            let last = u64::from(last_bytes);
            let lost =
                (next - at).checked_div(last).map_or(0, |whole| whole + u64::from((next - at) % last > last / 2));
            let lost = lost.min((MAX_PACKETS - packets) as u64) as usize;
            if let Some(run) = found.runs.last_mut() {
                // Nothing is read of a packet without bytes, so its offset does not matter.
                if run.sizes.is_empty() && lost > 0 {
                    run.chunks.push(Chunk { offset: at, first: 0 });
                }
                run.sizes.extend(std::iter::repeat_n(0, lost));
            }
            packets += lost;
        }
        (at, found.end) = (next, next);
    }
    found.runs.retain(|run| !run.sizes.is_empty());
    Ok(found)
}

/// Returns whether the frame at `at` belongs to a stream of another kind. A damaged header would look like one, but no
/// frame of its kind follows it.
fn is_other(
    window: &mut FileWindow,
    at: u64,
    header: Header,
    other: Option<&Other>,
    key: u32,
    parse: impl Fn(&[u8]) -> Option<Header> + Copy,
) -> Result<bool> {
    if other.is_none_or(|other| other.first.key != header.key) {
        return is_followed(window, at, header, 3, parse);
    }
    let next = parse(window.bytes(at + u64::from(header.bytes), HEADER_BYTES)?);
    Ok(next.is_some_and(|next| next.key == key) || is_followed(window, at, header, 1, parse)?)
}

/// Finds the next frame or tag after the bytes from `at` on, which are neither. Also returns whether those bytes are
/// the items of an APE tag, which is known only by its end.
fn resync(
    window: &mut FileWindow,
    at: u64,
    end: u64,
    key: u32,
    parse: impl Fn(&[u8]) -> Option<Header> + Copy,
) -> Result<Option<(u64, bool)>> {
    for offset in at + 1..end {
        let bytes = window.bytes(offset, HEADER_BYTES)?;
        if bytes.len() < 4 {
            break;
        }
        match bytes[0] {
            0xff => {
                let Some(header) = parse(bytes) else { continue };
                let count = if header.key == key { 1 } else { 3 };
                if is_followed(window, offset, header, count, parse)? {
                    return Ok(Some((offset, false)));
                }
            }
            b'A' if bytes.starts_with(b"APETAGEX") && is_ape_footer(bytes, offset, at) => {
                return Ok(Some((offset + 32, true)));
            }
            b'I' if matches!(bytes.get(3), Some(2..=4))
                && id3v2_bytes(bytes).is_some_and(|bytes| bytes <= end - offset) =>
            {
                return Ok(Some((offset, false)));
            }
            _ => {}
        }
    }
    Ok(None)
}
