//! Levels of what is recorded.

use serde::Serialize;

use audio::AudioBuffer;
use base::declared::TS;

/// The interval over which levels are taken, as a part of a second.
const PER_SECOND: u32 = 20;
/// Samples of at least this magnitude count as clipped: the largest that 16 bits can hold.
const FULL_SCALE: f32 = 32_767.0 / 32_768.0;

/// The level of a channel. Levels are linear gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct ChannelLevel {
    /// The largest magnitude of the last interval.
    pub peak: f32,
    /// The root of the mean square over the last interval.
    pub rms: f32,
    /// The largest magnitude since the recording began, or since the input was opened.
    pub held: f32,
    /// The number of samples at full scale since then.
    pub clipped: u64,
}

/// Measures the levels of a stream.
#[derive(Debug)]
pub(super) struct Levels {
    interval: usize,
    summed: usize,
    sums: Vec<(f32, f64)>,
    pub channels: Vec<ChannelLevel>,
}

impl Levels {
    pub fn new(rate: u32, channels: usize) -> Self {
        Self {
            interval: (rate / PER_SECOND).max(1) as usize,
            summed: 0,
            sums: vec![(0.0, 0.0); channels],
            channels: vec![ChannelLevel::default(); channels],
        }
    }

    pub fn add(&mut self, block: &AudioBuffer) {
        let mut start = 0;
        while start < block.frames() {
            let end = block.frames().min(start + self.interval - self.summed);
            for ((samples, sum), level) in block.iter().zip(&mut self.sums).zip(&mut self.channels) {
                for &sample in &samples[start..end] {
                    let magnitude = sample.abs();
                    sum.0 = sum.0.max(magnitude);
                    sum.1 += f64::from(sample) * f64::from(sample);
                    level.clipped += u64::from(magnitude >= FULL_SCALE);
                }
                level.held = level.held.max(sum.0);
            }
            self.summed += end - start;
            start = end;
            if self.summed == self.interval {
                self.summed = 0;
                for (sum, level) in self.sums.iter_mut().zip(&mut self.channels) {
                    level.peak = sum.0;
                    level.rms = (sum.1 / self.interval as f64).sqrt() as f32;
                    *sum = (0.0, 0.0);
                }
            }
        }
    }

    /// Begins to hold and to count anew.
    pub fn restart(&mut self) {
        for level in &mut self.channels {
            (level.held, level.clipped) = (0.0, 0);
        }
        for sum in &mut self.sums {
            *sum = (0.0, 0.0);
        }
        self.summed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_last_interval_and_clipping_is_counted() {
        let mut levels = Levels::new(2_000, 2);
        let square = |level: f32, frames: usize| (0..frames).map(|n| if n % 2 == 0 { level } else { -level }).collect();
        levels.add(&AudioBuffer::from_channels(vec![square(1.0, 130), square(0.25, 130)]));
        let [loud, soft] = levels.channels[..] else { panic!("two channels") };
        assert_eq!((loud.peak, loud.rms, loud.held, loud.clipped), (1.0, 1.0, 1.0, 130));
        assert_eq!((soft.peak, soft.rms, soft.held, soft.clipped), (0.25, 0.25, 0.25, 0));
        levels.add(&AudioBuffer::from_channels(vec![square(0.5, 170), square(0.125, 170)]));
        let [loud, soft] = levels.channels[..] else { panic!("two channels") };
        assert_eq!((loud.peak, loud.held, loud.clipped, soft.peak), (0.5, 1.0, 130, 0.125));
        levels.restart();
        assert_eq!((levels.channels[0].held, levels.channels[0].clipped), (0.0, 0));
    }
}
