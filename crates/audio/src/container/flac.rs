//! FLAC (RFC 9639). Every frame states its position, so that damage and truncation are detected and any frame is found
//! by bisection of the file. Where the positions contradict each other, all frames are read when the file is opened.

mod scan;
mod walk;

use std::sync::Arc;

use self::walk::{FlacIndex, FoundFrame, Walk};
use crate::Layout;
use crate::codec::{Codec, CodecKind};
use crate::decode::Trim;
use crate::flac::{FrameHeader, StreamInfo, next_sync};
use crate::packets::{PacketIndex, PreRoll, Sizes, Starts, Table};
use crate::parts::{Stream, channels_change, counted};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::{skip_tags, without_end_tags};
use base::error::Result;
use base::sound::silent_parts;

/// The maximum number of metadata blocks before the audio.
const MAX_BLOCKS: usize = 1024;
/// The maximum number of bytes that the backward search for the last whole frame reads at once.
const MAX_SEARCHED_BYTES: u64 = 16 << 20;
/// The maximum number of bytes that it tries in vain to decode.
const MAX_TRIED_BYTES: u64 = 256 << 20;
/// Bytes at the end of a file that are compared with zero. More zeros are reported like any other bytes that are not
/// audio.
const MAX_PADDING_BYTES: u64 = 64 << 20;
/// The number of frames at which the order of a file's frames is tried.
const PROBES: u64 = 8;

/// Returns the byte at which a FLAC stream begins, after any misplaced `ID3v2` tags; `None` for other files.
pub(crate) fn find(window: &mut FileWindow) -> Result<Option<u64>> {
    let end = window.source().bytes();
    let start = skip_tags(window, 0, end)?;
    Ok((window.bytes(start, 4)? == b"fLaC").then_some(start))
}

/// Opens the FLAC stream that begins at `start`.
pub(crate) fn open(source: &Arc<SourceFile>, start: u64) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let (info, audio) = read_blocks(&mut window, start)?;
    let Some(info) = info else {
        return Err(source.malformed("the FLAC has no usable STREAMINFO block: it cannot be told what is in it"));
    };
    let end = without_end_tags(&mut window, audio, source.bytes())?.max(audio);
    let mut walk = Walk::new(source, &info, end);
    let mut warnings = Vec::new();
    let first = walk.next_undamaged(audio, end)?;
    let info = match &first {
        Some(first) => format_of_frame(&mut walk, &first.header, &mut warnings).unwrap_or(info),
        None => info,
    };
    // The audio is found even if a metadata block states a wrong length.
    let (index, frames): (Arc<dyn PacketIndex>, u64) = match first {
        None if info.frames == 0 && is_zero(&mut window, audio, end)? => (Arc::new(empty()), 0),
        None => return Err(source.malformed("the FLAC has headers, but no whole frame of audio")),
        Some(first) => {
            if let Some((index, frames)) = by_number(source, &mut walk, audio, &first, &mut warnings)? {
                (Arc::new(index), frames)
            } else {
                let (table, frames) = by_order(&mut walk, audio, &mut warnings)?;
                (Arc::new(table), frames)
            }
        }
    };
    let codec = Arc::new(self::codec(&info, source)?);
    let stream = Stream { codec, trim: Trim { delay: 0, frames }, index, ogg_serial: None };
    Ok(ProbedFile::packets("FLAC", Some(info.bits), stream, warnings))
}

/// Returns STREAMINFO with the rate and the channels of the first frame, which the walk then expects, if it has others.
fn format_of_frame(walk: &mut Walk, header: &FrameHeader, warnings: &mut Vec<String>) -> Option<StreamInfo> {
    let stated = &walk.info;
    if header.fits(stated) && header.channels == stated.channels {
        return None;
    }
    let info = stated.with_format_of(header)?;
    let format = |rate_hz: u32, channels: u32| format!("{rate_hz} Hz and {}", counted(channels as usize));
    warnings.push(format!(
        "The header says {}. The sound has {}.",
        format(stated.rate_hz, stated.channels),
        format(header.rate_hz, header.channels)
    ));
    walk.begin_stream(info.clone());
    Some(info)
}

/// Returns the codec parameters of a stream.
pub(crate) fn codec(info: &StreamInfo, source: &SourceFile) -> Result<Codec> {
    let channels = info.channels as usize;
    let audio = audio_format(source, info.rate_hz, channels)?.with_layout(Layout::of_flac(channels));
    Ok(Codec { kind: CodecKind::Flac, audio, extra: info.bytes.to_vec(), packet_frames: 0, gain: 1.0 })
}

/// Reads the metadata blocks of the stream that begins at `start`. Returns the first STREAMINFO block, and the byte after
/// all blocks.
fn read_blocks(window: &mut FileWindow, start: u64) -> Result<(Option<StreamInfo>, u64)> {
    let (mut at, mut info) = (start + 4, None);
    for _ in 0..MAX_BLOCKS {
        let Some(head) = window.be32(at)? else { break };
        let (kind, bytes) = (head >> 24 & 0x7f, u64::from(head & 0xff_ffff));
        if kind == 0 && info.is_none() {
            info = StreamInfo::read(window.bytes(at + 4, 34)?);
        }
        at += 4 + bytes;
        if head >> 31 == 1 {
            break;
        }
    }
    Ok((info, at.min(window.source().bytes())))
}

/// Returns whether all bytes of a range are zero, which is how tools fill files up.
fn is_zero(window: &mut FileWindow, from: u64, to: u64) -> Result<bool> {
    const STEP: u64 = 64 << 10;
    if to.saturating_sub(from) > MAX_PADDING_BYTES {
        return Ok(false);
    }
    let mut at = from;
    while at < to {
        let bytes = window.bytes(at, (to - at).min(STEP) as usize)?;
        if bytes.is_empty() || bytes.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at += bytes.len() as u64;
    }
    Ok(true)
}

/// The table of a file without frames.
fn empty() -> Table {
    Table {
        chunks: Vec::new(),
        sizes: Sizes::Each(Vec::new()),
        starts: Starts::Each(vec![0]),
        packets: 0,
        roll: PreRoll::default(),
    }
}

/// Places the frames of a file by their numbers, if these agree with its header and with each other. Returns the index and
/// the number of audio frames.
fn by_number(
    source: &Arc<SourceFile>,
    walk: &mut Walk,
    audio: u64,
    first: &FoundFrame,
    warnings: &mut Vec<String>,
) -> Result<Option<(FlacIndex, u64)>> {
    let info = walk.info.clone();
    let declared = info.frames;
    // Encoders before the format was settled wrote blocks of varying sizes without saying so.
    if declared == 0 || !first.header.variable && info.fixed_block.is_none() {
        return Ok(None);
    }
    // Numbers that begin later belong to a part of a longer recording, unless its beginning is damaged.
    let (begins, gap) = (info.position(&first.header), first.start - audio);
    let origin = if gap > 0 && begins <= info.room(gap) { 0 } else { begins };
    let Some(last) = last_frame(source, walk, first, origin)? else { return Ok(None) };
    let (rest, most) = (walk.end - last.end, info.max_frame_bytes() as u64);
    let is_cut = last.after < declared && origin == 0 && rest <= most;
    if !(last.after == declared || is_cut) || last.channels != first.header.channels || !is_ordered(walk, first, &last)?
    {
        return Ok(None);
    }
    // Frames whose numbers were impossible.
    if is_cut && walk.next_whole(last.end, walk.end)?.is_some() {
        return Ok(None);
    }
    if gap > 0 && begins == 0 && !is_zero(&mut walk.window, audio, first.start)? {
        warnings.push(unread(gap, audio));
    }
    let index = FlacIndex { first: first.start, end: last.end, origin, info };
    if last.after < declared && !last.reaches {
        let there = last.after;
        warnings.push(format!("The file is cut off or its end is damaged. {there} of {declared} samples can be used."));
    }
    if last.after < declared {
        return Ok(Some((index, if last.reaches { declared } else { last.after })));
    }
    if !is_zero(&mut walk.window, last.end, walk.end)? {
        if rest > most || walk.window.bytes(last.end, 4)? == b"fLaC" {
            return Ok(None);
        }
        warnings.push(unread(rest, last.end));
    }
    Ok(Some((index, declared)))
}

/// Says that bytes of a file were left out.
fn unread(bytes: u64, from: u64) -> String {
    format!("{bytes} bytes of the file belong to no frame of audio and are ignored, the first at byte {from}.")
}

/// Returns whether the frames at some places of a file are in order, and of one length if the stream says so.
fn is_ordered(walk: &mut Walk, first: &FoundFrame, last: &Last) -> Result<bool> {
    let block = walk.info.fixed_block;
    let is_last = |found: &FoundFrame| found.after >= last.end;
    let is_sound = |found: &FoundFrame| {
        found.header.variable == first.header.variable
            && found.header.channels == first.header.channels
            && (found.header.variable || block == Some(found.header.frames) || is_last(found))
    };
    let mut before = *first;
    for probe in 0..PROBES {
        let at = first.start + (last.end - first.start) / PROBES * probe;
        let Some(found) = walk.next_whole(at, last.end)? else { continue };
        let comes_later =
            walk.info.position(&before.header) + u64::from(before.header.frames) <= walk.info.position(&found.header);
        if !is_sound(&found) || !(found.start == before.start || comes_later) {
            return Ok(false);
        }
        before = found;
    }
    Ok(before.start >= last.start || walk.info.position(&before.header) < last.position)
}

/// The end of a file's audio.
struct Last {
    /// The byte at which the last whole FLAC frame begins.
    start: u64,
    /// The byte after it.
    end: u64,
    /// Its position by its number.
    position: u64,
    /// The audio frame after it, counted from the first one.
    after: u64,
    /// Its number of channels.
    channels: u32,
    /// Whether a damaged frame behind it ends where the stream should.
    reaches: bool,
}

/// Searches the file backwards for its last whole FLAC frame whose number is possible.
fn last_frame(source: &Arc<SourceFile>, walk: &mut Walk, first: &FoundFrame, origin: u64) -> Result<Option<Last>> {
    let info = walk.info.clone();
    let most = info.max_frame_bytes() as u64;
    let mut searched = (2 * most).clamp(64 << 10, MAX_SEARCHED_BYTES);
    let (mut until, mut tried, mut reaches) = (walk.end, 0, false);
    loop {
        let start = until.saturating_sub(searched).max(first.start);
        // A frame that begins before `until` may end after it.
        let mut bytes = vec![0; (until.saturating_add(most).min(walk.end) - start) as usize];
        let got = source.read_at(start, &mut bytes)?;
        bytes.truncate(got);
        let syncs = std::iter::successors(next_sync(&bytes, 0), |at| next_sync(&bytes, at + 1));
        let headers: Vec<(usize, FrameHeader)> =
            syncs.filter_map(|at| Some((at, FrameHeader::parse(&bytes[at..], &info)?))).collect();
        for (at, header) in headers.into_iter().rev() {
            let (begin, position) = (start + at as u64, info.position(&header));
            let after = position.saturating_sub(origin) + u64::from(header.frames);
            // If the preceding bytes have no room for that many frames, the frame's number is damaged.
            if begin >= until || !header.fits(&info) || after > info.room(begin - first.start) {
                continue;
            }
            let frame = &bytes[at..bytes.len().min(at + most as usize)];
            if let Some(size) = walk.decoder.frame_bytes(frame) {
                let (end, channels) = (begin + size as u64, header.channels);
                return Ok(Some(Last { start: begin, end, position, after, channels, reaches }));
            }
            reaches |= until == walk.end && after == info.frames;
            tried += frame.len() as u64;
            if tried > MAX_TRIED_BYTES {
                return Ok(None);
            }
        }
        if start == first.start {
            return Ok(None);
        }
        until = start;
        searched = (searched * 8).min(MAX_SEARCHED_BYTES);
    }
}

/// Places all frames of a file in the order that they have. Returns their table and the number of audio frames.
fn by_order(walk: &mut Walk, audio: u64, warnings: &mut Vec<String>) -> Result<(Table, u64)> {
    let first = walk.info.clone();
    let scan = scan::scan(walk, audio)?;
    let frames = scan.table.raw_frames();
    if scan.streams > 1 {
        warnings.push(format!(
            "The file has {} FLAC recordings one after the other. They are opened as one.",
            scan.streams
        ));
    }
    let at = |frame: u64| frame as f64 / f64::from(first.rate_hz);
    if let Some((frame, channels)) = scan.channels {
        warnings.push(channels_change(at(frame), [channels, first.channels].map(|count| counted(count as usize))));
    }
    if let Some((frame, bits)) = scan.bits {
        warnings.push(format!("The samples have {bits} bits from {:.3} s on, and {} before.", at(frame), first.bits));
    }
    if let Some(foreign) = &scan.foreign {
        let (rate_hz, bits) = (foreign.first.rate_hz, foreign.first.bits);
        warnings.push(format!(
            "The format changes to {rate_hz} Hz, {bits} bits at {:.3} s (byte {}). {:.3} s of sound ({} bytes) of another \
             format than the first are left out.",
            at(foreign.before),
            foreign.offset,
            foreign.seconds,
            foreign.bytes
        ));
    }
    if scan.silent > 0 {
        warnings.push(silent_parts(scan.silent));
    }
    if scan.unread.0 > 0 {
        warnings.push(unread(scan.unread.0, scan.unread.1));
    }
    let rest = walk.end.saturating_sub(scan.end);
    let is_padding = rest == 0 || is_zero(&mut walk.window, scan.end, walk.end)?;
    let there = frames + scan.foreign.map_or(0, |foreign| foreign.frames);
    match scan.declared {
        Some(declared) if there < declared && !is_padding => warnings
            .push(format!("The file is cut off or its end is damaged. {there} of {declared} samples can be used.")),
        Some(declared) if there != declared && frames != declared => {
            warnings.push(format!("The header says {declared} samples. The file has {frames}, which are opened."));
        }
        _ => {}
    }
    if !is_padding && scan.declared.is_none_or(|declared| there >= declared) {
        warnings.push(unread(rest, scan.end));
    }
    walk.begin_stream(first);
    Ok((scan.table, frames))
}
