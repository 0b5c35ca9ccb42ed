//! A recording in memory.

use std::sync::Arc;

use audio::{AudioBuffer, AudioFormat, AudioReader, Layout, MemoryReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// Frames read at once; a cancel is noticed between two reads.
pub(super) const BLOCK_FRAMES: usize = 1 << 14;

/// A recording in memory. Clones share the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    /// The sample rate.
    pub rate: SampleRate,
    /// The samples.
    pub samples: Arc<AudioBuffer>,
    layout: Option<Layout>,
}

impl Sound {
    /// Takes samples.
    pub fn new(rate: SampleRate, samples: impl Into<Arc<AudioBuffer>>) -> Self {
        let samples = samples.into();
        Self { rate, layout: AudioFormat::new(rate, samples.channels()).layout(), samples }
    }

    /// Sets the loudspeakers of the channels.
    #[must_use]
    pub fn with_layout(self, layout: Option<Layout>) -> Self {
        Self { layout: self.format().with_layout(layout).layout(), ..self }
    }

    /// Reads a whole stream of at most `max_samples` samples (frames times channels).
    ///
    /// # Errors
    /// [`Error::Limit`] for a longer stream, also one that is longer than it says.
    pub fn read(reader: &mut dyn AudioReader, max_samples: u64, progress: &Progress) -> Result<Self> {
        let format = reader.format();
        let too_long = |samples: u64| Error::Limit {
            what: "length of a recording that is coded".to_owned(),
            got: format!("{samples} samples in all channels"),
            limit: format!("{max_samples} samples"),
        };
        let samples = |frames: u64| frames.saturating_mul(format.channels as u64);
        if samples(reader.frames()) > max_samples {
            return Err(too_long(samples(reader.frames())));
        }
        reader.seek(0)?;
        let (mut held, mut block) = (AudioBuffer::new(format.channels, 0), AudioBuffer::default());
        loop {
            progress.check()?;
            reader.read(&mut block, BLOCK_FRAMES)?;
            if block.is_empty() {
                return Ok(Self::new(format.rate, held).with_layout(format.layout()));
            }
            held.extend_from(&block, 0..block.frames());
            if samples(held.frames() as u64) > max_samples {
                return Err(too_long(samples(held.frames() as u64)));
            }
        }
    }

    /// Returns rate and channels.
    pub fn format(&self) -> AudioFormat {
        AudioFormat::new(self.rate, self.samples.channels()).with_layout(self.layout)
    }

    /// Returns the length in frames.
    pub fn frames(&self) -> u64 {
        self.samples.frames() as u64
    }

    /// Returns the length in seconds.
    pub fn seconds(&self) -> f64 {
        self.rate.seconds_from_frames(self.frames())
    }

    /// Returns a reader at frame 0.
    pub fn reader(&self) -> MemoryReader {
        MemoryReader::new(self.rate, Arc::clone(&self.samples)).with_layout(self.layout)
    }

    /// Returns the recording at another rate, of at most `max_samples` samples. A short file at 1 Hz is hours of sound.
    pub fn converted(&self, to: SampleRate, max_samples: u64, progress: &Progress) -> Result<Self> {
        if to == self.rate {
            return Ok(self.clone());
        }
        let plan = ResamplePlan::new(self.rate, to);
        Self::read(&mut ResampledReader::new(self.reader(), &plan), max_samples, progress)
    }
}
