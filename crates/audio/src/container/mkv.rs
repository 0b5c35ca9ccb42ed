//! Matroska and `WebM` (RFC 9559). Reads the blocks of the first audio track.

mod ebml;
mod track;

use std::sync::Arc;

use self::ebml::{Element, for_each};
use self::track::Track;
use super::mp4::refuse_hidden_sbr;
use super::{format_warning, timed};
use crate::decode::Trim;
use crate::packets::{Chunk, MAX_PACKETS, Sizes, Starts, Table, too_many_packets};
use crate::parts::Stream;
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

const EBML: u32 = 0x1a45_dfa3;
const VOID: u32 = 0xec;
const SEGMENT: u32 = 0x1853_8067;
const TRACKS: u32 = 0x1654_ae6b;
const TRACK_ENTRY: u32 = 0xae;
const CLUSTER: u32 = 0x1f43_b675;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const DISCARD_PADDING: u32 = 0x75a2;

/// Returns whether the first bytes are those of a Matroska file.
pub(crate) fn is_mkv(head: &[u8]) -> bool {
    head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3])
}

/// Opens a Matroska file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let all = Element { id: ebml::TOP, start: 0, end: source.bytes(), unknown: false };
    let mut segment = None;
    for_each(&mut window, all, |_, element| {
        segment = (element.id == SEGMENT).then_some(element);
        Ok(segment.is_none())
    })?;
    let Some(segment) = segment else {
        return Err(source.malformed("the Matroska file has no segment: it was cut off or is damaged"));
    };
    let mut warnings = Vec::new();
    let track = choose(&mut window, segment, &mut warnings)?;
    let mut blocks = TrackBlocks { track: track.number, chunks: Vec::new(), sizes: Vec::new(), discard_ns: 0 };
    let read_to = for_each(&mut window, segment, |window, cluster| {
        if cluster.id == CLUSTER {
            blocks.read_cluster(window, cluster)?;
        }
        Ok(true)
    })?;
    if blocks.sizes.is_empty() {
        return Err(source.malformed("the Matroska file's audio track is empty"));
    }
    if segment.end > source.bytes() && !segment.unknown {
        warnings.push("The file is cut off. What is left can be used.".to_owned());
    }
    // An element that says its size ends there, whatever is in it.
    let start = if segment.unknown { read_to } else { segment.end }.min(source.bytes());
    let behind = Element { start, ..all };
    let read_to = for_each(&mut window, behind, |_, element| Ok(element.id == VOID))?;
    Ok(stream(source, track, blocks, warnings)?.read_to(read_to.min(source.bytes())))
}

fn stream(
    source: &Arc<SourceFile>,
    track: Track,
    blocks: TrackBlocks,
    mut warnings: Vec<String>,
) -> Result<ProbedFile> {
    let mut table = Table {
        packets: blocks.sizes.len() as u32,
        chunks: blocks.chunks,
        sizes: Sizes::Each(blocks.sizes),
        starts: Starts::Constant(0),
        roll: track.codec.kind.roll(),
    };
    table.drop_beyond(source.bytes());
    if table.packets == 0 {
        return Err(source.malformed("the Matroska file ends before any of its audio"));
    }
    let mut codec = track.codec;
    let stated = codec.audio;
    let (table, raw_frames) = timed(source, table, track.durations, &mut codec)?;
    warnings.extend(format_warning(stated, &codec));
    let rate = codec.audio.rate.as_f64();
    let in_frames = |ns: u64| (ns as f64 * rate / 1e9).round() as u64;
    let delay = track.delay_frames.unwrap_or_else(|| in_frames(track.delay_ns));
    let frames = raw_frames.saturating_sub(delay).saturating_sub(in_frames(blocks.discard_ns));
    let stream = Stream::table(codec, table, Trim { delay, frames });
    refuse_hidden_sbr(&stream.codec, stream.packets(source))?;
    Ok(ProbedFile::packets("Matroska", track.bits, stream, warnings))
}

/// Returns the first audio track that can be read.
fn choose(window: &mut FileWindow, segment: Element, warnings: &mut Vec<String>) -> Result<Track> {
    let source = Arc::clone(window.source());
    let (mut chosen, mut refusal, mut audio) = (None, None, 0);
    for_each(window, segment, |window, tracks| {
        if tracks.id != TRACKS {
            return Ok(tracks.id != CLUSTER);
        }
        for_each(window, tracks, |window, entry| {
            if entry.id == TRACK_ENTRY {
                match track::read(window, entry) {
                    Ok(Some(track)) => {
                        audio += 1;
                        chosen = chosen.take().or(Some(track));
                    }
                    Ok(None) => {}
                    Err(error) => {
                        audio += 1;
                        refusal = refusal.take().or(Some(error));
                    }
                }
            }
            Ok(true)
        })?;
        Ok(false)
    })?;
    if audio > 1 {
        warnings.push(format!("The file has {audio} audio tracks. The first readable one is opened."));
    }
    chosen.ok_or_else(|| refusal.unwrap_or_else(|| source.malformed("the Matroska file holds no audio track")))
}

/// The blocks of one track.
struct TrackBlocks {
    track: u64,
    chunks: Vec<Chunk>,
    sizes: Vec<u32>,
    /// The duration that the last block discards at its end, in nanoseconds.
    discard_ns: u64,
}

impl TrackBlocks {
    fn read_cluster(&mut self, window: &mut FileWindow, cluster: Element) -> Result<()> {
        for_each(window, cluster, |window, element| {
            match element.id {
                SIMPLE_BLOCK => self.read_block(window, element)?,
                BLOCK_GROUP => {
                    let mut discard_ns = 0;
                    for_each(window, element, |window, element| {
                        match element.id {
                            BLOCK => self.read_block(window, element)?,
                            DISCARD_PADDING => discard_ns = ebml::signed(window, element)?.max(0).cast_unsigned(),
                            _ => {}
                        }
                        Ok(true)
                    })?;
                    if discard_ns > 0 {
                        self.discard_ns = discard_ns.min(1_000_000_000);
                    }
                }
                _ => {}
            }
            Ok(true)
        })
        .map(drop)
    }

    fn read_block(&mut self, window: &mut FileWindow, block: Element) -> Result<()> {
        let Some((track, width)) = ebml::number(window, block.start)? else { return Ok(()) };
        let head = block.start + u64::from(width);
        let Some([_, _, flags]) = window.array::<3>(head)? else { return Ok(()) };
        if track != self.track {
            return Ok(());
        }
        self.discard_ns = 0;
        let start = head + 3;
        let frames = lace(window, start, block.end, flags >> 1 & 3)?;
        if self.sizes.len() + frames.1.len() > MAX_PACKETS {
            return Err(too_many_packets());
        }
        self.chunks.push(Chunk { offset: frames.0, first: self.sizes.len() as u32 });
        self.sizes.extend(frames.1);
        Ok(())
    }
}

/// Returns the offset of the first frame in a block, and the sizes of its frames.
fn lace(window: &mut FileWindow, start: u64, end: u64, lacing: u8) -> Result<(u64, Vec<u32>)> {
    let whole = end.saturating_sub(start);
    let plain = Ok((start, vec![whole.min(u64::from(u32::MAX)) as u32]));
    if lacing == 0 {
        return plain;
    }
    let Some([count]) = window.array::<1>(start)? else { return plain };
    let count = u64::from(count) + 1;
    let mut at = start + 1;
    let mut sizes = Vec::new();
    match lacing {
        1 => {
            for _ in 1..count {
                let mut size = 0;
                loop {
                    let Some([byte]) = window.array::<1>(at)?.filter(|_| at < end) else { return plain };
                    at += 1;
                    size = u32::saturating_add(size, byte.into());
                    if byte < 255 {
                        break;
                    }
                }
                sizes.push(size);
            }
        }
        3 => {
            let mut size = 0i64;
            for number in 1..count {
                let Some((value, width)) = ebml::number(window, at)?.filter(|_| at < end) else { return plain };
                at += u64::from(width);
                // The first value is a size. Later values are differences, stored with a bias of half the range of
                // their width.
                let middle = (1i64 << (7 * width - 1)) - 1;
                size = if number == 1 { value as i64 } else { size + value as i64 - middle };
                sizes.push(u32::try_from(size).unwrap_or(0));
            }
        }
        _ => {
            let each = end.saturating_sub(at) / count;
            // Frames of zero bytes would only extend the duration, so the block is read as one frame.
            if each == 0 {
                return plain;
            }
            return Ok((at, vec![each.min(u64::from(u32::MAX)) as u32; count as usize]));
        }
    }
    let laced: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
    let last = end.saturating_sub(at).checked_sub(laced);
    let Some(last) = last else { return plain };
    sizes.push(last.min(u64::from(u32::MAX)) as u32);
    Ok((at, sizes))
}
