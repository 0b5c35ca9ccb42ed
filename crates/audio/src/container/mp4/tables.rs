//! The sample tables: sizes, chunks and durations.

use std::sync::Arc;

use super::boxes::{Mp4Box, find};
use super::sample_entry::{Block, Entry};
use crate::durations::Durations;
use crate::packets::{Chunk, MAX_PACKETS, PreRoll, Sizes, Starts, Table, too_many_packets};
use crate::source::FileWindow;
use base::error::Result;

/// Reads a table of `count` entries of `bytes` bytes each at `start`, or as many entries as exist.
fn entries(window: &mut FileWindow, start: u64, end: u64, count: u32, bytes: usize) -> Result<Vec<u8>> {
    let there = end.min(window.source().bytes()).saturating_sub(start) / bytes as u64;
    let count = u64::from(count).min(there);
    if count > MAX_PACKETS as u64 {
        return Err(too_many_packets());
    }
    let mut table = vec![0; count as usize * bytes];
    let got = window.source().read_at(start, &mut table)?;
    table.truncate(got / bytes * bytes);
    Ok(table)
}

fn be32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().copied().map_or(0, u32::from_be_bytes)
}

/// Returns the packet starts that are known before the packets are read.
pub(super) fn starts(durations: &Durations) -> Starts {
    match durations {
        Durations::Constant(frames) => Starts::Constant(*frames),
        _ => Starts::Constant(0),
    }
}

/// Returns the total duration of all packets in ticks.
pub(super) fn total_duration(window: &mut FileWindow, table: Mp4Box) -> Result<u64> {
    let Some(times) = find(window, table, *b"stts")? else { return Ok(0) };
    let count = window.be32(times.start + 4)?.unwrap_or(0);
    let runs = entries(window, times.start + 8, times.end, count, 8)?;
    Ok(runs
        .chunks_exact(8)
        .fold(0u64, |total, run| total.saturating_add(u64::from(be32(run)).saturating_mul(u64::from(be32(&run[4..]))))))
}

/// Reads the offsets and sizes of all packets.
pub(super) fn read(window: &mut FileWindow, stbl: Mp4Box, entry: &Entry) -> Result<Table> {
    let source = Arc::clone(window.source());
    let mut table = Table {
        chunks: Vec::new(),
        sizes: Sizes::Each(Vec::new()),
        starts: starts(&entry.durations),
        packets: 0,
        roll: PreRoll::default(),
    };
    let (sizes_box, compact) = match find(window, stbl, *b"stsz")? {
        Some(found) => (Some(found), false),
        None => (find(window, stbl, *b"stz2")?, true),
    };
    let runs_box = find(window, stbl, *b"stsc")?;
    let (chunks_box, wide) = match find(window, stbl, *b"co64")? {
        Some(found) => (Some(found), true),
        None => (find(window, stbl, *b"stco")?, false),
    };
    let (Some(sizes_box), Some(runs_box), Some(chunks_box)) = (sizes_box, runs_box, chunks_box) else {
        return Err(source.malformed("the MP4's audio track has no complete index (stsz, stsc, stco)"));
    };
    if compact {
        return Err(super::unsupported("a compact sample size table"));
    }
    let constant = window.be32(sizes_box.start + 4)?.unwrap_or(0);
    let count = window.be32(sizes_box.start + 8)?.unwrap_or(0);
    let sizes = if constant == 0 {
        let table = entries(window, sizes_box.start + 12, sizes_box.end, count, 4)?;
        Some(table.chunks_exact(4).map(be32).collect::<Vec<u32>>())
    } else {
        None
    };
    let offsets_count = window.be32(chunks_box.start + 4)?.unwrap_or(0);
    let width = if wide { 8 } else { 4 };
    let offsets = entries(window, chunks_box.start + 8, chunks_box.end, offsets_count, width)?;
    let runs_count = window.be32(runs_box.start + 4)?.unwrap_or(0);
    let runs = entries(window, runs_box.start + 8, runs_box.end, runs_count, 12)?;
    let total = sizes.as_ref().map_or(count, |sizes| sizes.len() as u32);
    let mut run = runs.chunks_exact(12).map(|run| (be32(run), be32(&run[4..]))).peekable();
    let (mut samples, mut per_chunk) = (0u32, 0u32);
    let mut block_sizes = Vec::new();
    for (number, offset) in offsets.chunks_exact(width).enumerate() {
        while let Some((_, count)) = run.peek().copied().filter(|(first, _)| *first as usize <= number + 1) {
            per_chunk = count;
            run.next();
        }
        let offset =
            if wide { u64::from(be32(offset)) << 32 | u64::from(be32(&offset[4..])) } else { be32(offset).into() };
        let here = per_chunk.min(total.saturating_sub(samples));
        if here == 0 {
            continue;
        }
        if let Some(block) = entry.block {
            let each = sizes.as_deref().map(|sizes| &sizes[samples as usize..(samples + here) as usize]);
            let bytes = chunk_bytes(here, constant, each, block);
            split(&mut table.chunks, &mut block_sizes, offset, bytes, block)?;
        } else {
            table.chunks.push(Chunk { offset, first: samples });
        }
        samples += here;
    }
    if entry.block.is_some() {
        table.packets = block_sizes.len() as u32;
        table.sizes = Sizes::Each(block_sizes);
        return Ok(table);
    }
    if samples as usize > MAX_PACKETS {
        return Err(too_many_packets());
    }
    table.packets = samples;
    table.sizes = match sizes {
        Some(mut sizes) => {
            sizes.truncate(samples as usize);
            Sizes::Each(sizes)
        }
        None => Sizes::Constant(constant),
    };
    Ok(table)
}

/// Returns the size of a chunk of `samples` samples whose blocks of sound are not packets. Each sample is a frame, whatever
/// size of it the table states, unless it states that of whole blocks.
fn chunk_bytes(samples: u32, constant: u32, each: Option<&[u32]>, block: Block) -> u64 {
    let frames = u64::from(samples) / u64::from(block.frames) * u64::from(block.bytes);
    match each {
        Some(sizes) => sizes.iter().map(|size| u64::from(*size)).sum::<u64>().max(frames),
        None if constant >= block.bytes && constant.is_multiple_of(block.bytes) => {
            u64::from(samples) * u64::from(constant)
        }
        None => frames,
    }
}

/// Adds a range of blocks of sound, split into packets.
pub(super) fn split(
    chunks: &mut Vec<Chunk>,
    sizes: &mut Vec<u32>,
    offset: u64,
    bytes: u64,
    block: Block,
) -> Result<()> {
    // A part of a block has no sound.
    let bytes = bytes / u64::from(block.bytes) * u64::from(block.bytes);
    if bytes == 0 {
        return Ok(());
    }
    chunks.push(Chunk { offset, first: sizes.len() as u32 });
    let mut left = bytes;
    while left > 0 {
        if sizes.len() >= MAX_PACKETS {
            return Err(too_many_packets());
        }
        let size = left.min(u64::from(block.packet_bytes));
        sizes.push(size as u32);
        left -= size;
    }
    Ok(())
}
