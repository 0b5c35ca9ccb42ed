//! A copy of the output's samples for the monitor: a ring buffer that the callback fills while the monitor wants it. If
//! the ring buffer is full, samples are dropped; the frame numbers reveal the gap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};

/// The number of callback calls that fit into the ring buffer.
const BLOCKS: usize = 2048;

/// One call of the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TapBlock {
    /// Frames output before this call since the output was opened, silence included.
    pub at: u64,
    /// Frames in this call.
    pub frames: u32,
    /// The number of leading frames with content; the others are silence.
    pub content: u32,
    /// The clock of the first frame with content.
    pub clock: u64,
    /// The time at which the first frame is heard, in nanoseconds of [`super::now_ns`].
    pub heard_ns: u64,
}

/// The callback's end of the tap.
#[derive(Debug)]
pub(super) struct TapIn {
    wanted: Arc<AtomicBool>,
    samples: Producer<f32>,
    blocks: Producer<TapBlock>,
    put_out: u64,
}

/// The monitor's end of the tap.
#[derive(Debug)]
pub(super) struct Tap {
    pub rate: u32,
    pub channels: usize,
    wanted: Arc<AtomicBool>,
    samples: Consumer<f32>,
    blocks: Consumer<TapBlock>,
}

/// Creates both ends, with a capacity of one second.
pub(super) fn tap(rate: u32, channels: usize) -> (TapIn, Tap) {
    let (samples_in, samples) = RingBuffer::new(rate as usize * channels);
    let (blocks_in, blocks) = RingBuffer::new(BLOCKS);
    let wanted = Arc::new(AtomicBool::new(false));
    let end = TapIn { wanted: Arc::clone(&wanted), samples: samples_in, blocks: blocks_in, put_out: 0 };
    (end, Tap { rate, channels, wanted, samples, blocks })
}

impl TapIn {
    /// Copies the output of a call if it is wanted and there is room. Takes no lock and allocates nothing.
    pub fn put(&mut self, out: &[f32], block: TapBlock) {
        let at = self.put_out;
        self.put_out += u64::from(block.frames);
        // The samples are pushed before the block that announces them.
        if self.wanted.load(Ordering::Relaxed) && !self.blocks.is_full() && self.samples.push_entire_slice(out).is_ok()
        {
            let _ = self.blocks.push(TapBlock { at, ..block });
        }
    }
}

impl Tap {
    /// Sets whether samples are wanted from now on.
    pub fn set_wanted(&mut self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Returns the next block and reads its interleaved samples.
    pub fn next(&mut self, samples: &mut Vec<f32>) -> Option<TapBlock> {
        let block = self.blocks.pop().ok()?;
        samples.resize(block.frames as usize * self.channels, 0.0);
        self.samples.pop_entire_slice(samples).ok()?;
        Some(block)
    }

    /// Discards everything in the ring buffer.
    pub fn discard(&mut self) {
        let mut samples = Vec::new();
        while self.next(&mut samples).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(frames: u32) -> TapBlock {
        TapBlock { at: 0, frames, content: frames, clock: 7, heard_ns: 9 }
    }

    #[test]
    fn what_nobody_wants_is_not_copied_and_what_does_not_fit_is_dropped() {
        let (mut end, mut tap) = tap(100, 2);
        let mut samples = Vec::new();
        end.put(&[0.5; 20], block(10));
        assert_eq!(tap.next(&mut samples), None);
        tap.set_wanted(true);
        for _ in 0..15 {
            end.put(&[0.25; 20], block(10));
        }
        // Ten blocks of ten frames fit into one second; the later ones are dropped.
        let read: Vec<TapBlock> = std::iter::from_fn(|| tap.next(&mut samples)).collect();
        assert_eq!(read.iter().map(|block| block.at).collect::<Vec<_>>(), (1..11).map(|n| 10 * n).collect::<Vec<_>>());
        assert_eq!(samples, [0.25; 20]);
        end.put(&[0.75; 20], block(10));
        assert_eq!(tap.next(&mut samples).map(|block| (block.at, block.clock)), Some((160, 7)), "the gap can be told");
        assert_eq!(samples, [0.75; 20]);
    }
}
