//! Sample peak, RMS and clipped samples.

use base::error::Result;
use base::progress::Progress;
use base::sound::{AudioBuffer, AudioReader};

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 15;

/// Levels of a number of frames, channel by channel. Levels are additive: those of a whole are those of its parts
/// [`merged`](Levels::merge).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// The number of frames measured.
    pub frames: u64,
    /// The levels of each channel.
    pub channels: Vec<ChannelLevels>,
}

/// Levels of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelLevels {
    /// The largest magnitude; full scale is 1. `NaN` samples are ignored.
    pub peak: f64,
    /// The sum of the squared samples.
    pub sum_of_squares: f64,
    /// The number of samples beyond full scale, `|x| > 1`.
    pub clipped: u64,
}

impl Levels {
    /// Creates the empty measurement of `channels` channels.
    pub fn new(channels: usize) -> Self {
        Self { frames: 0, channels: vec![ChannelLevels::default(); channels] }
    }

    /// Adds a block. A block with more channels than before adds channels to the measurement.
    pub fn add(&mut self, block: &AudioBuffer) {
        if self.channels.len() < block.channels() {
            self.channels.resize(block.channels(), ChannelLevels::default());
        }
        self.frames += block.frames() as u64;
        for (levels, samples) in self.channels.iter_mut().zip(block.iter()) {
            levels.add(samples);
        }
    }

    /// Adds the levels of other frames.
    pub fn merge(&mut self, other: &Self) {
        if self.channels.len() < other.channels.len() {
            self.channels.resize(other.channels.len(), ChannelLevels::default());
        }
        self.frames += other.frames;
        for (levels, other) in self.channels.iter_mut().zip(&other.channels) {
            levels.peak = levels.peak.max(other.peak);
            levels.sum_of_squares += other.sum_of_squares;
            levels.clipped += other.clipped;
        }
    }

    /// The largest magnitude over all channels.
    pub fn peak(&self) -> f64 {
        self.channels.iter().fold(0.0, |peak, channel| peak.max(channel.peak))
    }

    /// The RMS over all channels; 0 if nothing was measured.
    pub fn rms(&self) -> f64 {
        let samples = self.frames as f64 * self.channels.len() as f64;
        let sum: f64 = self.channels.iter().map(|channel| channel.sum_of_squares).sum();
        if samples > 0.0 { (sum / samples).sqrt() } else { 0.0 }
    }

    /// The RMS of one channel; 0 if nothing was measured.
    pub fn channel_rms(&self, channel: usize) -> f64 {
        if self.frames == 0 { 0.0 } else { (self.channels[channel].sum_of_squares / self.frames as f64).sqrt() }
    }

    /// The number of samples beyond full scale over all channels.
    pub fn clipped(&self) -> u64 {
        self.channels.iter().map(|channel| channel.clipped).sum()
    }
}

impl ChannelLevels {
    /// Adds samples. Squares are summed in f64.
    pub fn add(&mut self, samples: &[f32]) {
        let mut peak = 0f32;
        let mut clipped = 0u64;
        let mut sum = 0f64;
        for &sample in samples {
            let magnitude = sample.abs();
            peak = if magnitude > peak { magnitude } else { peak };
            clipped += u64::from(magnitude > 1.0);
            sum += f64::from(sample) * f64::from(sample);
        }
        self.peak = self.peak.max(f64::from(peak));
        self.sum_of_squares += sum;
        self.clipped += clipped;
    }
}

/// Measures the frames `start..end` of a reader, or fewer if it ends before. Progress counts frames.
pub fn measure(reader: &mut dyn AudioReader, start: u64, end: u64, progress: &Progress) -> Result<Levels> {
    let mut levels = Levels::new(reader.format().channels);
    let mut block = AudioBuffer::default();
    reader.seek(start)?;
    let mut left = end.min(reader.frames()).saturating_sub(start);
    while left > 0 {
        reader.read(&mut block, left.min(BLOCK_FRAMES as u64) as usize)?;
        if block.is_empty() {
            break;
        }
        levels.add(&block);
        left -= (block.frames() as u64).min(left);
        progress.advance(block.frames() as u64)?;
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::memory::memory;
    use base::error::Error;

    #[test]
    fn levels_of_a_whole_are_those_of_its_parts() {
        let samples: Vec<f32> = (0..1000u32).map(|n| (n * n % 701) as f32 / 300.0 - 1.0).collect();
        let whole = AudioBuffer::from_channels(vec![samples.clone(), samples.iter().map(|x| -0.5 * x).collect()]);
        let mut once = Levels::new(2);
        once.add(&whole);
        let mut parts = Levels::default();
        for range in [0..1, 1..500, 500..500, 500..1000] {
            let mut part = AudioBuffer::new(2, 0);
            part.extend_from(&whole, range);
            let mut levels = Levels::new(2);
            levels.add(&part);
            parts.merge(&levels);
        }
        assert_eq!((parts.frames, parts.peak(), parts.clipped()), (1000, once.peak(), once.clipped()));
        assert!((parts.rms() - once.rms()).abs() < 1e-12);
        assert!((once.channel_rms(0) - 2.0 * once.channel_rms(1)).abs() < 1e-12);
        assert!(once.clipped() > 0 && once.channels[1].clipped == 0);
    }

    #[test]
    fn known_levels() {
        let mut square = Levels::new(1);
        square.add(&AudioBuffer::from_channels(vec![[1.0, -1.0].repeat(50)]));
        assert_eq!((square.peak(), square.rms(), square.clipped()), (1.0, 1.0, 0));
        let nothing = Levels::new(2);
        assert_eq!((nothing.peak(), nothing.rms(), nothing.channel_rms(1)), (0.0, 0.0, 0.0));
        let mut odd = Levels::new(1);
        odd.add(&AudioBuffer::from_channels(vec![vec![f32::NAN, -0.25, f32::MIN_POSITIVE / 2.0]]));
        assert_eq!(odd.peak(), 0.25);
    }

    #[test]
    fn a_range_of_a_reader_is_measured_and_can_be_cancelled() {
        let mut reader = memory(48_000, vec![(0..100_000).map(|n| if n == 70_000 { 2.0 } else { 0.5 }).collect()]);
        let progress = Progress::new();
        let levels = measure(&mut reader, 60_000, 80_000, &progress).unwrap();
        assert_eq!((levels.frames, levels.peak(), levels.clipped()), (20_000, 2.0, 1));
        assert_eq!(progress.snapshot().done, 20_000);
        assert_eq!(measure(&mut reader, 70_001, u64::MAX, &progress).unwrap().peak(), 0.5);
        assert_eq!(measure(&mut reader, 5, 3, &progress).unwrap().frames, 0);
        progress.cancel();
        assert!(matches!(measure(&mut reader, 0, 100, &progress), Err(Error::Cancelled)));
    }
}
