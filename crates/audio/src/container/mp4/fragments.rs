//! Movie fragments: files that are written in pieces, as for streaming.

use super::boxes::{Mp4Box, children, find, for_each};
use super::sample_entry::{Block, Entry};
use super::tables::{split, starts};
use crate::packets::{Chunk, MAX_PACKETS, PreRoll, Sizes, Table, too_many_packets};
use crate::source::FileWindow;
use base::error::Result;

/// The values for fields that a fragment omits.
#[derive(Clone, Copy, Default)]
struct Defaults {
    duration: u32,
    size: u32,
}

/// Reads the fragments of a track. Returns the table and the total duration in ticks.
pub(super) fn read(window: &mut FileWindow, movie: Mp4Box, track: u32, entry: &Entry) -> Result<(Table, u64)> {
    let mut general = Defaults::default();
    if let Some(extends) = find(window, movie, *b"mvex")? {
        for child in children(window, extends)?.into_iter().filter(|child| child.kind == *b"trex") {
            if window.be32(child.start + 4)? == Some(track) {
                general.duration = window.be32(child.start + 12)?.unwrap_or(0);
                general.size = window.be32(child.start + 16)?.unwrap_or(0);
            }
        }
    }
    let all = Mp4Box { kind: *b"file", start: 0, end: window.source().bytes() };
    let mut found = FoundSamples { chunks: Vec::new(), sizes: Vec::new(), ticks: 0, block: entry.block };
    for_each(window, all, |window, fragment, offset| {
        if fragment.kind == *b"moof" {
            for traf in children(window, fragment)?.into_iter().filter(|child| child.kind == *b"traf") {
                found.read_traf(window, traf, offset, track, general)?;
            }
        }
        Ok(true)
    })?;
    let table = Table {
        packets: found.sizes.len() as u32,
        chunks: found.chunks,
        sizes: Sizes::Each(found.sizes),
        starts: starts(&entry.durations),
        roll: PreRoll::default(),
    };
    Ok((table, found.ticks))
}

struct FoundSamples {
    chunks: Vec<Chunk>,
    sizes: Vec<u32>,
    ticks: u64,
    block: Option<Block>,
}

impl FoundSamples {
    fn read_traf(
        &mut self,
        window: &mut FileWindow,
        traf: Mp4Box,
        moof: u64,
        track: u32,
        general: Defaults,
    ) -> Result<()> {
        let Some(header) = find(window, traf, *b"tfhd")? else { return Ok(()) };
        if window.be32(header.start + 4)? != Some(track) {
            return Ok(());
        }
        let flags = window.be32(header.start)?.unwrap_or(0) & 0xff_ffff;
        let mut at = header.start + 8;
        let mut base = moof;
        let mut defaults = general;
        if flags & 1 != 0 {
            base = window.be64(at)?.unwrap_or(moof);
            at += 8;
        }
        at += if flags & 2 != 0 { 4 } else { 0 };
        if flags & 8 != 0 {
            defaults.duration = window.be32(at)?.unwrap_or(0);
            at += 4;
        }
        if flags & 0x10 != 0 {
            defaults.size = window.be32(at)?.unwrap_or(0);
        }
        let mut next = base;
        for run in children(window, traf)?.into_iter().filter(|child| child.kind == *b"trun") {
            next = self.read_run(window, run, base, next, defaults)?;
        }
        Ok(())
    }

    fn read_run(
        &mut self,
        window: &mut FileWindow,
        run: Mp4Box,
        base: u64,
        next: u64,
        defaults: Defaults,
    ) -> Result<u64> {
        let flags = window.be32(run.start)?.unwrap_or(0) & 0xff_ffff;
        let count = window.be32(run.start + 4)?.unwrap_or(0);
        let mut at = run.start + 8;
        let mut offset = next;
        if flags & 1 != 0 {
            let relative = window.be32(at)?.unwrap_or(0).cast_signed();
            offset = base.saturating_add_signed(i64::from(relative));
            at += 4;
        }
        at += if flags & 4 != 0 { 4 } else { 0 };
        let (has_duration, has_size) = (flags & 0x100 != 0, flags & 0x200 != 0);
        let fields = (flags & 0xf00).count_ones();
        // Packets of zero bytes would only extend the duration.
        let claimed = u64::from(count) * u64::from(defaults.size);
        if fields == 0 && (claimed == 0 || claimed > window.source().bytes()) {
            return Ok(offset);
        }
        let mut end = offset;
        let first = self.sizes.len();
        if self.block.is_some() && fields == 0 {
            // All packets are alike, so they are not listed.
            self.ticks = self.ticks.saturating_add(u64::from(defaults.duration) * u64::from(count));
            end = end.saturating_add(u64::from(defaults.size) * u64::from(count));
        } else {
            for _ in 0..count {
                if at + u64::from(fields) * 4 > run.end || self.sizes.len() >= MAX_PACKETS {
                    break;
                }
                let duration = if has_duration { window.be32(at)?.unwrap_or(0) } else { defaults.duration };
                let size_at = at + if has_duration { 4 } else { 0 };
                let size = if has_size { window.be32(size_at)?.unwrap_or(0) } else { defaults.size };
                at += u64::from(fields) * 4;
                self.ticks = self.ticks.saturating_add(u64::from(duration));
                end = end.saturating_add(u64::from(size));
                if self.block.is_none() {
                    self.sizes.push(size);
                }
            }
        }
        // An empty chunk would have the same first packet as the next one.
        if self.block.is_none() && self.sizes.len() > first {
            self.chunks.push(Chunk { offset, first: first as u32 });
        }
        if let Some(block) = self.block {
            let there = end.min(window.source().bytes()).saturating_sub(offset);
            if there > 0 {
                split(&mut self.chunks, &mut self.sizes, offset, there, block)?;
            }
        }
        if self.sizes.len() >= MAX_PACKETS {
            return Err(too_many_packets());
        }
        Ok(end)
    }
}
