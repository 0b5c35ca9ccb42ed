//! Matroska and `WebM` (RFC 9559). Reads the blocks of the first audio track.

mod track;

use std::sync::Arc;

use self::track::Track;
use super::mp4::refuse_hidden_sbr;
use super::{format_warning, timed};
use crate::decode::Trim;
use crate::ebml::{self, CLUSTER, Element, SEGMENT, for_each};
use crate::packets::{Chunk, MAX_PACKETS, Sizes, Starts, Table, too_many_packets};
use crate::parts::Stream;
use crate::probed::{MatroskaDescription, ProbedFile};
use crate::source::{FileWindow, SourceFile};
use base::error::Result;

const VOID: u32 = 0xec;
const CRC: u32 = 0xbf;
/// The title and the time scale of a segment.
pub(crate) const INFO: u32 = 0x1549_a966;
const TIME_SCALE: u32 = 0x2a_d7b1;
/// The tags of a segment.
pub(crate) const TAGS: u32 = 0x1254_c367;
/// The chapters of a segment.
pub(crate) const CHAPTERS: u32 = 0x1043_a770;
/// The files that are attached to a segment, such as covers.
pub(crate) const ATTACHMENTS: u32 = 0x1941_a469;
const TRACKS: u32 = 0x1654_ae6b;
const TRACK_ENTRY: u32 = 0xae;
const CLUSTER_TIME: u32 = 0xe7;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const DISCARD_PADDING: u32 = 0x75a2;
/// The elements of a segment, and of a cluster. In the place of others, there may be damaged bytes.
const SEGMENT_PARTS: [u32; 10] =
    [VOID, CRC, CLUSTER, INFO, TAGS, CHAPTERS, ATTACHMENTS, TRACKS, 0x114d_9b74, 0x1c53_bb6b];
const CLUSTER_PARTS: [u32; 10] =
    [VOID, CRC, CLUSTER_TIME, SIMPLE_BLOCK, BLOCK_GROUP, 0xa7, 0xab, 0xaf, 0x5854, CLUSTER];
/// The unit of time stamps in nanoseconds, if the file states none.
const USUAL_SCALE_NS: u64 = 1_000_000;
/// The maximum number of elements that describe a segment.
const MAX_DESCRIPTIONS: usize = 256;
/// Time stamps that leave longer gaps between the blocks are reported: so many seconds, and so much of the length, by which
/// clocks differ.
const GAP_S: f64 = 0.25;
const GAP_OF_LENGTH: f64 = 0.001;

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
    let mut blocks = TrackBlocks::new(track.number);
    let mut elements = Vec::new();
    let mut part = segment;
    let read_to = loop {
        let read_to = for_each(&mut window, part, |window, element| {
            match element.id {
                CLUSTER => blocks.read_cluster(window, element)?,
                INFO | TAGS | CHAPTERS | ATTACHMENTS if elements.len() < MAX_DESCRIPTIONS => {
                    if element.id == INFO {
                        blocks.scale_ns = time_scale(window, element)?;
                    }
                    elements.push(element);
                }
                id if !SEGMENT_PARTS.contains(&id) => blocks.add_damaged(window, element.start, element.end),
                _ => {}
            }
            Ok(true)
        })?;
        let end = segment.end.min(source.bytes());
        if segment.unknown || read_to >= end {
            break read_to;
        }
        // Damaged bytes: the sound goes on with the next cluster.
        let next = next_cluster(&mut window, read_to, end)?;
        if next.is_some() || !is_cut(segment, source) {
            blocks.add_damaged(&window, read_to, next.unwrap_or(end));
        }
        let Some(next) = next else { break end };
        part = Element { start: next, ..segment };
    };
    if let Some((at, bytes)) = blocks.damaged {
        let at = at + source.origin();
        warnings.push(format!("{bytes} bytes of the file, the first at byte {at}, are damaged and not read."));
    }
    let is_cut = is_cut(segment, source);
    if blocks.sizes.is_empty() {
        return Err(source.malformed(if is_cut {
            "the Matroska file ends before any of its audio"
        } else {
            "the Matroska file's audio track is empty"
        }));
    }
    if is_cut {
        warnings.push("The file is cut off. What is left can be used.".to_owned());
    }
    // An element that says its size ends there, whatever is in it.
    let start = if segment.unknown { read_to } else { segment.end }.min(source.bytes());
    let behind = Element { start, ..all };
    let read_to = for_each(&mut window, behind, |_, element| Ok(element.id == VOID))?;
    let description = MatroskaDescription { elements, track_uid: track.uid, begins_ns: blocks.begins_ns() };
    Ok(stream(source, track, blocks, warnings)?.described(description).read_to(read_to.min(source.bytes())))
}

/// Returns whether the file ends before its segment does.
fn is_cut(segment: Element, source: &SourceFile) -> bool {
    segment.end > source.bytes() && !segment.unknown
}

/// Returns the unit of the segment's time stamps in nanoseconds.
fn time_scale(window: &mut FileWindow, info: Element) -> Result<u64> {
    let mut scale = USUAL_SCALE_NS;
    for_each(window, info, |window, element| {
        if element.id == TIME_SCALE {
            scale = ebml::unsigned(window, element)?.clamp(1, 1_000_000_000);
        }
        Ok(true)
    })?;
    Ok(scale)
}

/// Returns the byte at which the next cluster begins after damaged bytes.
fn next_cluster(window: &mut FileWindow, from: u64, end: u64) -> Result<Option<u64>> {
    const STEP: usize = 64 << 10;
    let mark = CLUSTER.to_be_bytes();
    let mut at = from + 1;
    while at < end {
        let bytes = window.bytes(at, STEP)?;
        if let Some(found) = bytes.windows(mark.len()).position(|four| four == mark) {
            return Ok(Some(at + found as u64).filter(|at| *at < end));
        }
        at += (STEP - mark.len() + 1) as u64;
    }
    Ok(None)
}

fn stream(
    source: &Arc<SourceFile>,
    track: Track,
    mut blocks: TrackBlocks,
    mut warnings: Vec<String>,
) -> Result<ProbedFile> {
    let mut table = Table {
        packets: blocks.sizes.len() as u32,
        chunks: std::mem::take(&mut blocks.chunks),
        sizes: Sizes::Each(std::mem::take(&mut blocks.sizes)),
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
    warnings.extend(blocks.gaps(&table, rate));
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
    let nothing = || {
        source.malformed(if is_cut(segment, &source) {
            "the Matroska file is cut off before it says what is in it"
        } else {
            "the Matroska file holds no sound: it has no audio track"
        })
    };
    chosen.ok_or_else(|| refusal.unwrap_or_else(nothing))
}

/// The blocks of one track.
struct TrackBlocks {
    track: u64,
    chunks: Vec<Chunk>,
    sizes: Vec<u32>,
    /// The duration that the last block discards at its end, in nanoseconds.
    discard_ns: u64,
    /// The unit of time stamps in nanoseconds.
    scale_ns: u64,
    /// The time stamp of the cluster that is being read.
    cluster_time: u64,
    /// The time of the first block, in nanoseconds.
    first_ns: Option<i128>,
    /// The time of the last block, in nanoseconds, and its first packet.
    last: (i128, usize),
    /// The first byte of those that are damaged, and their number.
    damaged: Option<(u64, u64)>,
}

impl TrackBlocks {
    fn new(track: u64) -> Self {
        Self {
            track,
            chunks: Vec::new(),
            sizes: Vec::new(),
            discard_ns: 0,
            scale_ns: USUAL_SCALE_NS,
            cluster_time: 0,
            first_ns: None,
            last: (0, 0),
            damaged: None,
        }
    }

    /// Counts damaged bytes, which are not read.
    fn add_damaged(&mut self, window: &FileWindow, start: u64, end: u64) {
        let end = end.min(window.source().bytes());
        if start < end {
            let (_, bytes) = self.damaged.get_or_insert((start, 0));
            *bytes += end - start;
        }
    }

    /// Returns the time of the first block in nanoseconds.
    fn begins_ns(&self) -> u64 {
        u64::try_from(self.first_ns.unwrap_or(0)).unwrap_or(0)
    }

    /// Returns the warning about gaps that the time stamps leave between the blocks, whose packets begin at the frames of
    /// `table`.
    fn gaps(&self, table: &Table, rate_hz: f64) -> Option<String> {
        let packet = u32::try_from(self.last.1).ok().filter(|packet| *packet < table.packets)?;
        let stated_s = (self.last.0 - self.first_ns?) as f64 / 1e9;
        let missing_s = stated_s - table.start(packet) as f64 / rate_hz;
        (missing_s > GAP_S + GAP_OF_LENGTH * stated_s).then(|| {
            format!(
                "The time stamps of the sound leave gaps of {missing_s:.1} s. They are left out: what follows them is \
                 played earlier."
            )
        })
    }

    fn read_cluster(&mut self, window: &mut FileWindow, cluster: Element) -> Result<()> {
        self.cluster_time = 0;
        let read_to = for_each(window, cluster, |window, element| {
            match element.id {
                CLUSTER_TIME => self.cluster_time = ebml::unsigned(window, element)?,
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
                id if !CLUSTER_PARTS.contains(&id) => self.add_damaged(window, element.start, element.end),
                _ => {}
            }
            Ok(true)
        })?;
        if !cluster.unknown && cluster.end <= window.source().bytes() {
            self.add_damaged(window, read_to, cluster.end);
        }
        Ok(())
    }

    fn read_block(&mut self, window: &mut FileWindow, block: Element) -> Result<()> {
        let Some((track, width)) = ebml::number(window, block.start)? else { return Ok(()) };
        let head = block.start + u64::from(width);
        let Some([high, low, flags]) = window.array::<3>(head)? else { return Ok(()) };
        if track != self.track {
            return Ok(());
        }
        self.discard_ns = 0;
        let time = i128::from(self.cluster_time) + i128::from(i16::from_be_bytes([high, low]));
        self.last = (time * i128::from(self.scale_ns), self.sizes.len());
        self.first_ns = self.first_ns.or(Some(self.last.0));
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
