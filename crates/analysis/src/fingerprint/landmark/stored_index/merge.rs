//! Merges segments.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::entry::{self, Entry};
use super::segment::{Segment, SegmentWriter};
use base::error::Result;
use base::progress::Progress;

/// The entries of a segment in order, a block at a time.
struct Stream<'a> {
    segment: &'a Segment,
    block: usize,
    entries: Vec<Entry>,
    at: usize,
    bytes: Vec<u8>,
}

impl Stream<'_> {
    fn next(&mut self) -> Result<Option<Entry>> {
        while self.at == self.entries.len() {
            if self.block == self.segment.blocks() {
                return Ok(None);
            }
            self.segment.read(self.block, &mut self.bytes, &mut self.entries)?;
            self.block += 1;
            self.at = 0;
        }
        self.at += 1;
        Ok(Some(self.entries[self.at - 1]))
    }
}

/// Writes the entries of all segments whose tracks are `kept`, in order.
pub(super) fn merge(
    segments: &[Segment],
    kept: impl Fn(u32) -> bool,
    writer: &mut SegmentWriter,
    progress: &Progress,
) -> Result<()> {
    let stream = |segment| Stream { segment, block: 0, entries: Vec::new(), at: 0, bytes: Vec::new() };
    let mut streams: Vec<Stream> = segments.iter().map(stream).collect();
    let mut heads = BinaryHeap::with_capacity(streams.len());
    for (number, stream) in streams.iter_mut().enumerate() {
        heads.extend(stream.next()?.map(|entry| Reverse((entry, number))));
    }
    let mut count = 0_u64;
    while let Some(Reverse((mut entry, number))) = heads.pop() {
        // Takes from this stream until another one has a lower entry.
        let limit = heads.peek().map_or(Entry::MAX, |Reverse((entry, _))| *entry);
        loop {
            if kept(entry::track(entry)) {
                writer.push(entry)?;
            }
            count += 1;
            if count.is_multiple_of(1 << 18) {
                progress.check()?;
            }
            match streams[number].next()? {
                Some(next) if next <= limit => entry = next,
                Some(next) => {
                    heads.push(Reverse((next, number)));
                    break;
                }
                None => break,
            }
        }
    }
    Ok(())
}
