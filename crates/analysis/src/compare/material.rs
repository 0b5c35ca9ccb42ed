//! Two recordings in memory, at one rate and with one number of channels.

use rayon::prelude::*;

use audio::{AudioBuffer, AudioFormat, AudioReader, Layout};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// The maximum number of samples (frames times channels) of one recording: 46 minutes of stereo at 48 kHz, 1 GiB.
pub const MAX_SAMPLES: u64 = 1 << 28;
/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 16;

/// Two recordings in memory. Both have the reference's rate and the same number of channels. Non-finite samples are
/// replaced by silence.
#[derive(Clone, Debug)]
pub struct Material {
    /// The rate of both.
    pub rate: SampleRate,
    /// The channels of the reference.
    pub reference: Vec<Vec<f32>>,
    /// The channels of the other.
    pub other: Vec<Vec<f32>>,
    /// The loudspeakers of the reference's channels, to which those of the other correspond; `None` if they are not
    /// known.
    pub layout: Option<Layout>,
    /// Sentences about what was converted or replaced.
    pub notes: Vec<String>,
}

impl Material {
    /// Reads both recordings. The other is converted to the reference's rate. If the numbers of channels differ, both
    /// are mixed to their means.
    ///
    /// # Errors
    /// [`Error::Limit`] for a recording of more than [`MAX_SAMPLES`] samples.
    pub fn read(reference: &mut dyn AudioReader, other: &mut dyn AudioReader, progress: &Progress) -> Result<Self> {
        let AudioFormat { rate, channels, .. } = reference.format();
        let layout = reference.format().layout().filter(|_| other.format().channels == channels);
        let mut notes = Vec::new();
        let mut first = whole(reference, "reference", rate, progress)?;
        let from = other.format().rate;
        if from != rate {
            notes.push(format!("The other was converted from {from} to {rate}."));
        }
        let mut second = whole(other, "other", rate, progress)?;
        for (channels, which) in [(&mut first, "reference"), (&mut second, "other")] {
            let replaced = silence_non_finite(channels);
            if replaced > 0 {
                notes.push(format!("{replaced} samples of the {which} were not finite and count as silence."));
            }
        }
        let (of_reference, of_other) = (first.len(), second.len());
        if of_reference != of_other {
            notes.push(format!(
                "The reference has {of_reference} channels, the other {of_other}: their means were compared."
            ));
            (first, second) = (vec![mean(&first)], vec![mean(&second)]);
        }
        Ok(Self { rate, reference: first, other: second, layout, notes })
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> usize {
        self.reference.len()
    }

    /// Returns the numbers of frames of the reference and of the other.
    pub fn frames(&self) -> [usize; 2] {
        [&self.reference, &self.other].map(|channels| channels.first().map_or(0, Vec::len))
    }
}

/// Returns the mean of channels of equal lengths.
pub(super) fn mean(channels: &[Vec<f32>]) -> Vec<f32> {
    let scale = 1.0 / channels.len().max(1) as f64;
    let frames = channels.first().map_or(0, Vec::len);
    let value = |n: usize| (channels.iter().map(|channel| f64::from(channel[n])).sum::<f64>() * scale) as f32;
    (0..frames).into_par_iter().with_min_len(1 << 14).map(value).collect()
}

fn whole(reader: &mut dyn AudioReader, which: &str, rate: SampleRate, progress: &Progress) -> Result<Vec<Vec<f32>>> {
    let format = reader.format();
    let longer = rate.as_f64().max(format.rate.as_f64()) / format.rate.as_f64();
    let samples = reader.frames() as f64 * longer * format.channels as f64;
    if samples > MAX_SAMPLES as f64 {
        return Err(Error::Limit {
            what: format!("length of the {which}"),
            got: format!("{samples:.0} samples in all channels"),
            limit: format!("{MAX_SAMPLES} samples, 46 minutes of stereo at 48 kHz"),
        });
    }
    if format.channels == 0 {
        return Err(Error::invalid(format!("channels of the {which}"), "0", "1 or more"));
    }
    reader.seek(0)?;
    let mut held = AudioBuffer::new(format.channels, 0);
    let mut block = AudioBuffer::default();
    let mut read_all = |reader: &mut dyn AudioReader, held: &mut AudioBuffer| -> Result<()> {
        loop {
            reader.read(&mut block, BLOCK_FRAMES)?;
            if block.is_empty() {
                return progress.check();
            }
            held.extend_from(&block, 0..block.frames());
            // A stream may turn out longer than it says.
            if held.frames() as u64 * format.channels as u64 > MAX_SAMPLES {
                return Err(Error::Limit {
                    what: format!("length of the {which}"),
                    got: "a stream longer than it says".to_owned(),
                    limit: format!("{MAX_SAMPLES} samples"),
                });
            }
            progress.check()?;
        }
    };
    if format.rate == rate {
        read_all(reader, &mut held)?;
    } else {
        let plan = ResamplePlan::new(format.rate, rate);
        read_all(&mut ResampledReader::new(Borrowed(reader), &plan), &mut held)?;
    }
    Ok(held.as_mut_vecs().iter_mut().map(std::mem::take).collect())
}

fn silence_non_finite(channels: &mut [Vec<f32>]) -> u64 {
    let silence = |sample: &mut f32| {
        let is_bad = !sample.is_finite();
        if is_bad {
            *sample = 0.0;
        }
        u64::from(is_bad)
    };
    channels.par_iter_mut().map(|channel| channel.iter_mut().map(silence).sum::<u64>()).sum()
}

/// A borrowed reader, for functions that take a reader by value.
struct Borrowed<'a>(&'a mut dyn AudioReader);

impl AudioReader for Borrowed<'_> {
    fn format(&self) -> audio::AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames)
    }
}
