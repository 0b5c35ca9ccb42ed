//! The recording at the model's rate, segment by segment.

use std::sync::Arc;

use super::segments::Segment;
use audio::{AudioBuffer, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::measure::resample::{ResamplePlan, Resampler};

/// The most frames that are read at once, so that a cancel is heard soon.
const READ_FRAMES: usize = 1 << 15;
/// The number that is added to the standard deviation of the recording.
const LEAST_DEVIATION: f64 = 1e-8;

/// Mean and standard deviation of the mean of both channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    mean: f64,
    deviation: f64,
    is_silent: bool,
}

impl Measured {
    /// Whether all samples are zero.
    pub fn is_silent(self) -> bool {
        self.is_silent
    }

    /// The sample of a stem.
    pub fn back(self, x: f64) -> f32 {
        let x = x * (self.deviation + LEAST_DEVIATION) + if self.is_silent { 0.0 } else { self.mean };
        if x.is_finite() { x as f32 } else { 0.0 }
    }
}

/// A stream in two forms: unchanged, from the next frame to output; and at the model's rate, from the first frame that
/// a segment still needs. Samples that are not finite count as silence, as do frames within the length of a source that
/// it does not deliver.
pub struct Input<'s> {
    source: &'s mut dyn AudioReader,
    converter: Option<Resampler>,
    /// The unchanged samples, if they are wanted.
    unchanged: AudioBuffer,
    read: u64,
    /// The samples at the model's rate from frame `first` on.
    converted: AudioBuffer,
    first: u64,
    model_frames: u64,
    block: AudioBuffer,
    /// The number of samples that were not finite.
    pub non_numbers: u64,
    /// The number of frames that the source did not deliver.
    pub missing: u64,
}

impl<'s> Input<'s> {
    /// Begins with the first frame of a source. `plan` is the conversion to the model's rate.
    pub fn new(source: &'s mut dyn AudioReader, plan: Option<&Arc<ResamplePlan>>) -> Result<Self> {
        source.seek(0)?;
        let (channels, frames) = (source.format().channels, source.frames());
        Ok(Self {
            converter: plan.map(|plan| Resampler::new(plan, channels)),
            unchanged: AudioBuffer::new(channels, 0),
            read: 0,
            converted: AudioBuffer::new(channels, 0),
            first: 0,
            model_frames: plan.map_or(frames, |plan| plan.frames_out(frames)),
            block: AudioBuffer::new(channels, 0),
            non_numbers: 0,
            missing: 0,
            source,
        })
    }

    /// The length of the source.
    pub fn frames(&self) -> u64 {
        self.source.frames()
    }

    /// The length at the model's rate.
    pub fn model_frames(&self) -> u64 {
        self.model_frames
    }

    /// Measures the whole recording.
    pub fn measure(mut self, progress: &Progress) -> Result<Measured> {
        let (mut sum, mut squares, mut is_silent) = (0.0_f64, 0.0_f64, true);
        let scale = 1.0 / self.converted.channels().max(1) as f64;
        let mut counted = 0_u64;
        while counted < self.model_frames {
            let left = self.model_frames - counted;
            self.read(progress)?;
            self.unchanged.clear();
            let frames = (self.converted.frames() as u64).min(left) as usize;
            for frame in 0..frames {
                let mono = self.converted.iter().map(|channel| f64::from(channel[frame])).sum::<f64>() * scale;
                is_silent &= self.converted.iter().all(|channel| channel[frame] == 0.0);
                sum += mono;
                squares += mono * mono;
            }
            self.converted.clear();
            counted += frames as u64;
        }
        let count = counted as f64;
        let mean = sum / count.max(1.0);
        let variance = (squares - sum * mean).max(0.0) / (count - 1.0).max(1.0);
        Ok(Measured { mean, deviation: variance.sqrt(), is_silent })
    }

    /// Reads on to a frame of the model's rate.
    pub fn reach(&mut self, end: i64, progress: &Progress) -> Result<()> {
        while ((self.first + self.converted.frames() as u64) as i64) < end.min(self.model_frames as i64) {
            self.read(progress)?;
        }
        Ok(())
    }

    /// Returns the two channels that the network is given for a segment.
    pub fn segment(&mut self, of: &Segment, measured: Measured, progress: &Progress) -> Result<Vec<Vec<f32>>> {
        let end = (of.from + of.given as i64).clamp(0, self.model_frames as i64) as u64;
        self.reach(end as i64, progress)?;
        let start = of.from.max(0) as u64;
        let silent = (start as i64 - of.from) as usize;
        let there = (start - self.first) as usize..(end - self.first) as usize;
        let scale = 1.0 / (measured.deviation + LEAST_DEVIATION);
        let channel = |n: usize| {
            let mut samples = vec![0.0; of.given];
            let from = &self.converted.channel(n.min(self.converted.channels() - 1))[there.clone()];
            for (to, &x) in samples[silent..].iter_mut().zip(from) {
                *to = ((f64::from(x) - measured.mean) * scale) as f32;
            }
            samples
        };
        Ok((0..2).map(channel).collect())
    }

    /// Forgets the frames before the one that is needed next; all, if none is needed.
    pub fn forget(&mut self, needed: Option<i64>) {
        let there = self.converted.frames() as u64;
        let before = needed.map_or(there, |needed| (needed.max(0) as u64).saturating_sub(self.first).min(there));
        self.converted.drop_front(before as usize);
        self.first += before;
    }

    /// The frames that were read and not taken.
    pub fn unchanged_frames(&self) -> usize {
        self.unchanged.frames()
    }

    /// Reads on to the end.
    pub fn read_all(&mut self, progress: &Progress) -> Result<()> {
        while self.read < self.source.frames() {
            self.read(progress)?;
        }
        Ok(())
    }

    /// Takes the next frames, unchanged.
    pub fn take(&mut self, frames: usize) -> AudioBuffer {
        let mut taken = AudioBuffer::new(self.unchanged.channels(), 0);
        taken.extend_from(&self.unchanged, 0..frames);
        self.unchanged.drop_front(frames);
        taken
    }

    /// Reads the next frames.
    fn read(&mut self, progress: &Progress) -> Result<()> {
        progress.check()?;
        let left = self.source.frames() - self.read;
        let wanted = READ_FRAMES.min(left as usize);
        if wanted > 0 {
            self.source.read(&mut self.block, wanted)?;
            if self.block.frames() == 0 {
                self.block = AudioBuffer::new(self.unchanged.channels(), wanted);
                self.missing += wanted as u64;
            }
            for channel in self.block.iter_mut() {
                for sample in channel.iter_mut().filter(|sample| !sample.is_finite()) {
                    *sample = 0.0;
                    self.non_numbers += 1;
                }
            }
            self.read += self.block.frames() as u64;
            let all = 0..self.block.frames();
            self.unchanged.extend_from(&self.block, all.clone());
            match &mut self.converter {
                Some(converter) => converter.push(&self.block, &mut self.converted)?,
                None => self.converted.extend_from(&self.block, all),
            }
        } else if let Some(mut converter) = self.converter.take() {
            converter.finish(&mut self.converted)?;
        } else {
            // A conversion that returns fewer frames than announced ends in silence.
            let (channels, silence) =
                (self.unchanged.channels(), AudioBuffer::new(self.unchanged.channels(), READ_FRAMES));
            debug_assert_eq!(channels, self.converted.channels());
            self.converted.extend_from(&silence, 0..READ_FRAMES);
        }
        Ok(())
    }
}
