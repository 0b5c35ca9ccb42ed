//! The samples of a stream around the windows in hand.

use std::ops::Range;

use audio::{AudioBuffer, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::kernels::signal::stft::Samples;

/// The most frames that are read at once, so that a cancel is heard soon.
const READ_FRAMES: usize = 1 << 16;

/// Consecutive frames of a stream. Samples that are not finite count as silence, as do frames within the length of a
/// source that it does not deliver.
#[derive(Debug, Default)]
pub(super) struct Held {
    channels: Vec<Vec<f32>>,
    /// The frame of the first sample.
    first: u64,
    /// The number of samples that were not finite.
    pub non_numbers: u64,
    /// The number of frames that the source did not deliver.
    pub missing: u64,
    block: AudioBuffer,
}

impl Held {
    /// Holds nothing of a stream with `channels` channels.
    pub fn new(channels: usize) -> Self {
        Self { channels: vec![Vec::new(); channels], ..Self::default() }
    }

    /// Reads the frames of `range` that are within the stream. Ranges must not go backwards.
    pub fn cover(&mut self, source: &mut dyn AudioReader, range: Range<i64>, progress: &Progress) -> Result<()> {
        let within = |frame: i64| (frame.max(0) as u64).min(source.frames());
        let (start, end) = (within(range.start), within(range.end));
        let dropped = start.saturating_sub(self.first).min(self.len() as u64) as usize;
        self.channels.iter_mut().for_each(|channel| drop(channel.drain(..dropped)));
        if self.len() == 0 {
            self.first = start;
        } else {
            self.first += dropped as u64;
        }
        let mut at = self.first + self.len() as u64;
        while at < end {
            progress.check()?;
            if source.position() != at {
                source.seek(at)?;
            }
            source.read(&mut self.block, READ_FRAMES.min((end - at) as usize))?;
            let count = self.block.frames();
            if count == 0 {
                let missing = end - at;
                self.missing += missing;
                let length = self.len() + missing as usize;
                self.channels.iter_mut().for_each(|channel| channel.resize(length, 0.0));
                break;
            }
            for (channel, block) in self.channels.iter_mut().zip(self.block.iter()) {
                let numbers = block.iter().map(|&sample| if sample.is_finite() { sample } else { 0.0 });
                channel.extend(numbers);
                self.non_numbers += block.iter().filter(|sample| !sample.is_finite()).count() as u64;
            }
            at += count as u64;
        }
        Ok(())
    }

    /// Returns the held samples of a channel.
    pub fn samples(&self, channel: usize) -> Samples<'_> {
        Samples { samples: &self.channels[channel], first_frame: self.first as i64 }
    }

    /// Returns the frames `range`, which must be held.
    pub fn copied(&self, range: Range<u64>) -> AudioBuffer {
        let range = (range.start - self.first) as usize..(range.end - self.first) as usize;
        AudioBuffer::from_channels(self.channels.iter().map(|channel| channel[range.clone()].to_vec()).collect())
    }

    fn len(&self) -> usize {
        self.channels.first().map_or(0, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use audio::MemoryReader;
    use base::units::SampleRate;

    fn reader(samples: Vec<f32>) -> MemoryReader {
        MemoryReader::new(SampleRate::new(8000).unwrap(), AudioBuffer::from_channels(vec![samples]))
    }

    #[test]
    fn it_holds_what_was_asked_for_last() {
        let mut source = reader((0..100).map(|n| n as f32).collect());
        let mut held = Held::new(1);
        for (range, first, length) in [(-5..10, 0, 10), (4..20, 4, 16), (30..40, 30, 10), (35..200, 35, 65)] {
            held.cover(&mut source, range, &Progress::default()).unwrap();
            let samples = held.samples(0);
            assert_eq!((samples.first_frame, samples.samples.len()), (first, length));
            assert_eq!(samples.samples[0], first as f32);
        }
        assert_eq!(held.copied(40..42).channel(0), [40.0, 41.0]);
        assert_eq!((held.non_numbers, held.missing), (0, 0));
    }

    #[test]
    fn broken_samples_are_silent_and_counted_once() {
        let mut source = reader(vec![1.0, f32::NAN, f32::INFINITY, 2.0]);
        let mut held = Held::new(1);
        held.cover(&mut source, 0..3, &Progress::default()).unwrap();
        held.cover(&mut source, 1..4, &Progress::default()).unwrap();
        assert_eq!(held.samples(0).samples, [0.0, 0.0, 2.0]);
        assert_eq!(held.non_numbers, 2);
    }
}
