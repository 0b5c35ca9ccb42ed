//! The levels of tracks as they enter the sum.
//!
//! They are measured where the tracks are rendered, ahead of playback, and looked up by the frame that is heard. The
//! callback is not involved.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::lock::Mutex;
use super::source::Side;
use crate::document::TrackId;
use audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;

/// The frames of one peak.
const BLOCK_FRAMES: u64 = 512;
/// The most peaks that are remembered of a track: more than is ever rendered ahead.
const MOST_BLOCKS: usize = 2048;

/// The peak of frames `start..end`.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    end: u64,
    peak: f32,
}

/// The latest peaks of the tracks of both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct TrackLevels(Arc<Mutex<HashMap<(Side, TrackId), VecDeque<Block>>>>);

impl TrackLevels {
    /// Clears a side whose tracks change from now on.
    pub fn clear(&self, side: Side) {
        self.0.lock().retain(|(of, _), _| *of != side);
    }

    /// Returns a reader that measures the levels of a track, whose first two channels have these factors in the sum.
    pub fn metered(
        &self,
        reader: Box<dyn AudioReader>,
        side: Side,
        track: TrackId,
        gains: [f32; 2],
    ) -> Box<dyn AudioReader> {
        self.0.lock().insert((side, track), VecDeque::new());
        Box::new(Metered { inner: reader, levels: self.clone(), side, track, gains })
    }

    /// Returns the peaks of a side over the `window` frames before `frame`, by track.
    pub fn before(&self, side: Side, frame: u64, window: u64) -> Vec<(TrackId, f32)> {
        let range = frame.saturating_sub(window)..frame.max(1);
        let levels = self.0.lock();
        let mut found: Vec<(TrackId, f32)> = levels
            .iter()
            .filter(|((of, _), _)| *of == side)
            .map(|((_, track), blocks)| (*track, peak(blocks, &range)))
            .collect();
        found.sort_by_key(|(track, _)| *track);
        found
    }

    fn push(&self, side: Side, track: TrackId, block: Block) {
        let mut levels = self.0.lock();
        let Some(blocks) = levels.get_mut(&(side, track)) else { return };
        if blocks.len() >= MOST_BLOCKS {
            blocks.pop_front();
        }
        blocks.push_back(block);
    }
}

/// Returns the peak within a range, from the latest blocks: newly rendered sound counts, not the sound it replaces.
fn peak(blocks: &VecDeque<Block>, range: &std::ops::Range<u64>) -> f32 {
    let (mut peak, mut missing) = (0f32, range.end - range.start);
    for block in blocks.iter().rev() {
        let (start, end) = (block.start.max(range.start), block.end.min(range.end));
        if start < end {
            peak = peak.max(block.peak);
            missing = missing.saturating_sub(end - start);
            if missing == 0 {
                break;
            }
        }
    }
    peak
}

/// A track that is read for the sum.
struct Metered {
    inner: Box<dyn AudioReader>,
    levels: TrackLevels,
    side: Side,
    track: TrackId,
    gains: [f32; 2],
}

impl AudioReader for Metered {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.inner.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let first = self.inner.position();
        self.inner.read(out, frames)?;
        let widest = self.gains[0].max(self.gains[1]);
        // One channel goes to both sides.
        let factor = |channel: usize| {
            if out.channels() == 1 { widest } else { self.gains.get(channel).copied().unwrap_or(widest) }
        };
        let mut at = 0;
        while at < out.frames() {
            let to = (at + BLOCK_FRAMES as usize).min(out.frames());
            let peak = out.iter().enumerate().fold(0f32, |peak, (channel, samples)| {
                let channel_peak = samples[at..to].iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
                peak.max(channel_peak * factor(channel))
            });
            self.levels.push(self.side, self.track, Block { start: first + at as u64, end: first + to as u64, peak });
            at = to;
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use audio::MemoryReader;
    use base::units::SampleRate;

    #[test]
    fn the_peak_is_that_of_what_is_heard_with_the_gain_of_its_channel() {
        let levels = TrackLevels::default();
        let mut samples = vec![vec![0.0; 4096], vec![0.0; 4096]];
        (samples[0][1000], samples[1][3000]) = (0.5, -0.8);
        let memory = MemoryReader::new(SampleRate::new(48_000).unwrap(), AudioBuffer::from_channels(samples));
        let mut reader = levels.metered(Box::new(memory), Side::Processed, TrackId(7), [1.0, 0.5]);
        let mut block = AudioBuffer::default();
        let at = |frame| levels.before(Side::Processed, frame, 512);
        assert_eq!(at(1024), [(TrackId(7), 0.0)], "nothing is rendered yet");
        for _ in 0..6 {
            reader.read(&mut block, 700).unwrap();
        }
        assert_eq!(at(1100), [(TrackId(7), 0.5)]);
        assert_eq!(at(2400), [(TrackId(7), 0.0)]);
        assert_eq!(at(3200), [(TrackId(7), 0.4)]);
        assert_eq!(levels.before(Side::Original, 1100, 512), []);
        // The newest rendering of a frame counts.
        let silent = MemoryReader::new(SampleRate::new(48_000).unwrap(), AudioBuffer::new(2, 4096));
        let mut reader = levels.metered(Box::new(silent), Side::Processed, TrackId(7), [1.0, 1.0]);
        reader.read(&mut block, 4096).unwrap();
        assert_eq!(at(1100), [(TrackId(7), 0.0)]);
        levels.clear(Side::Processed);
        assert_eq!(at(1100), []);
    }
}
