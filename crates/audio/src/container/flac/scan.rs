//! Reads a FLAC file whose frame numbers do not tell where its frames belong: numbers of old encoders, parts that were
//! cut out or joined, a wrong length. All frames are found, and follow each other as they do in the file.

use super::read_blocks;
use super::walk::Walk;
use crate::flac::{FrameHeader, StreamInfo};
use crate::packets::{Chunk, MAX_PACKETS, PreRoll, Sizes, Starts, Table, too_many_packets};
use crate::unread::skip_tags;
use base::error::Result;

/// Packets between two offsets that the table states.
const CHECKPOINT_PACKETS: usize = 1024;

/// The frames of a file.
pub(super) struct Scan {
    pub table: Table,
    /// The number of streams that follow each other.
    pub streams: u32,
    /// The sum of the lengths that they state; `None` if one states none.
    pub declared: Option<u64>,
    /// The first audio frame that has other channels than the first stream, and their number.
    pub channels: Option<(u64, u32)>,
    /// The first audio frame that has other bits than the first stream, and these.
    pub bits: Option<(u64, u32)>,
    /// The frames that are left out.
    pub foreign: Option<Foreign>,
    /// The number of places that are damaged, and silent for the frames that are missing.
    pub silent: u32,
    /// Bytes between frames that are neither frames nor metadata, and the place of the first.
    pub unread: (u64, u64),
    /// The byte after the last frame.
    pub end: u64,
}

/// Frames that are left out because they have another rate, or bits that only the header of their stream states.
pub(super) struct Foreign {
    /// The header of the first.
    pub first: FrameHeader,
    /// The byte at which the first begins.
    pub offset: u64,
    /// The audio frames before it.
    pub before: u64,
    pub bytes: u64,
    pub seconds: f64,
    /// The number of audio frames.
    pub frames: u64,
}

/// Finds all frames from byte `at` on, at which the first stream's metadata ends.
pub(super) fn scan(walk: &mut Walk, mut at: u64) -> Result<Scan> {
    let first = walk.info.clone();
    let (mut sizes, mut starts, mut chunks) = (Vec::new(), vec![0u64], Vec::new());
    let mut scan = Scan {
        table: Table {
            chunks: Vec::new(),
            sizes: Sizes::Constant(0),
            starts: Starts::Constant(0),
            packets: 0,
            roll: PreRoll::default(),
        },
        streams: 1,
        declared: Some(first.frames).filter(|frames| *frames > 0),
        channels: None,
        bits: None,
        foreign: None,
        silent: 0,
        unread: (0, 0),
        end: at,
    };
    let mut numbers = Numbers::default();
    // The byte after the last frame that is in the table.
    let mut listed = None;
    loop {
        if at == scan.end
            && let Some((info, after)) = stream_at(walk, at)?
        {
            scan.streams += 1;
            scan.declared = scan.declared.filter(|_| info.frames > 0).map(|frames| frames + info.frames);
            walk.begin_stream(info);
            numbers = Numbers::default();
            (at, scan.end) = (after, after);
        }
        let Some(found) = walk.next(at)? else { break };
        at = found.after;
        if !found.is_whole {
            continue;
        }
        let (header, gap) = (found.header, found.start - scan.end);
        let lost = numbers.lost(&header, gap, &walk.info);
        if gap > 0 && lost == 0 {
            if scan.unread.0 == 0 {
                scan.unread.1 = scan.end;
            }
            scan.unread.0 += gap;
        }
        scan.end = found.after;
        // The decoder has the header of the first stream, so it cannot know bits that only another stream's header
        // states.
        if !header.fits(&first) || !header.states_bits && walk.info.bits != first.bits {
            let foreign = scan.foreign.get_or_insert(Foreign {
                first: header,
                offset: found.start,
                before: starts.last().copied().unwrap_or(0),
                bytes: 0,
                seconds: 0.0,
                frames: 0,
            });
            foreign.bytes += found.after - found.start;
            foreign.seconds += f64::from(header.frames) / f64::from(header.rate_hz);
            foreign.frames += u64::from(header.frames);
            continue;
        }
        if sizes.len() + 2 > MAX_PACKETS {
            return Err(too_many_packets());
        }
        let mut position = starts.last().copied().unwrap_or(0);
        if lost > 0 {
            // A packet without bytes reads as silence.
            scan.silent += 1;
            position += lost;
            sizes.push(0);
            starts.push(position);
        }
        if header.channels != first.channels && scan.channels.is_none() {
            scan.channels = Some((position, header.channels));
        }
        if header.bits != first.bits && scan.bits.is_none() {
            scan.bits = Some((position, header.bits));
        }
        if listed != Some(found.start) || sizes.len() % CHECKPOINT_PACKETS == 0 {
            chunks.push(Chunk { offset: found.start, first: sizes.len() as u32 });
        }
        sizes.push((found.after - found.start) as u32);
        starts.push(position + u64::from(header.frames));
        listed = Some(found.after);
    }
    scan.table.packets = sizes.len() as u32;
    scan.table.chunks = chunks;
    scan.table.sizes = Sizes::Each(sizes);
    scan.table.starts = Starts::Each(starts);
    Ok(scan)
}

/// Returns the STREAMINFO of a further stream that begins at `at`, after any `ID3v2` tags, and the byte after its metadata.
fn stream_at(walk: &mut Walk, at: u64) -> Result<Option<(StreamInfo, u64)>> {
    let start = skip_tags(&mut walk.window, at, walk.end)?;
    if start >= walk.end || walk.window.bytes(start, 4)? != b"fLaC" {
        return Ok(None);
    }
    let (info, after) = read_blocks(&mut walk.window, start)?;
    Ok(info.map(|info| (info, after)))
}

/// Evidence of whether a stream's frames are numbered by sample or by frame.
#[derive(Default)]
struct Numbers {
    last: Option<FrameHeader>,
    /// How often a number was that of the frame before and its length more.
    samples: u32,
    /// How often it was one more.
    frames: u32,
}

impl Numbers {
    /// Returns how many audio frames are missing before this frame, which lies `gap` bytes behind the last one.
    fn lost(&mut self, header: &FrameHeader, gap: u64, info: &StreamInfo) -> u64 {
        let Some(last) = self.last.replace(*header) else {
            // The number itself tells how much is missing at the beginning.
            return Some(info.position(header)).filter(|lost| gap > 0 && *lost <= info.room(gap)).unwrap_or(0);
        };
        if gap == 0 {
            self.samples += u32::from(header.number == last.number + u64::from(last.frames));
            self.frames += u32::from(header.number == last.number + 1);
            return 0;
        }
        let is_sample = if self.samples == self.frames { header.variable } else { self.samples > self.frames };
        let lost = if is_sample {
            header.number.saturating_sub(last.number + u64::from(last.frames))
        } else {
            header.number.saturating_sub(last.number + 1).saturating_mul(u64::from(info.max_block))
        };
        if lost <= info.room(gap) { lost } else { 0 }
    }
}
