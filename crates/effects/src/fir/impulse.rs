//! Reads an impulse response from a file and prepares it for the rate of a stream.

use std::path::Path;

use audio::{AudioBuffer, AudioFile, AudioReader};
use base::error::{Error, Result};
use base::units::{SampleRate, gain_from_db};
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// The maximum length of an impulse response in seconds.
pub(super) const MAX_SECONDS: f64 = 60.0;
/// The maximum number of channels.
const MAX_CHANNELS: usize = 64;
/// The maximum number of samples in all channels at the stream's rate: 512 MiB while it is prepared.
const MAX_SAMPLES: u64 = 1 << 26;
/// The number of frames read at a time.
const PIECE: usize = 1 << 16;

/// The processing of a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Preparation {
    /// Whether to trim samples softer than `threshold_db` re the peak at the start and at the end.
    pub trim: (bool, bool),
    pub threshold_db: f64,
    pub normalize: Normalize,
    /// Frames of silence inserted before it.
    pub predelay: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normalize {
    Off,
    /// White noise keeps its level in the loudest channel of the response.
    Energy,
    /// The largest sample becomes 1.
    Peak,
}

/// Reads the channels of the response at a stream's rate.
///
/// # Errors
/// [`Error::Malformed`] for a response that is silent or has `NaN` or infinite samples.
pub(super) fn read(path: &Path, rate: SampleRate, preparation: Preparation) -> Result<Vec<Vec<f64>>> {
    let file = AudioFile::open(path)?;
    let (format, frames) = (file.info().audio, file.info().frames);
    let seconds = format.rate.seconds_from_frames(frames);
    if seconds > MAX_SECONDS {
        let (got, limit) = (format!("{seconds:.1} s"), format!("{MAX_SECONDS} s"));
        return Err(Error::Limit { what: "the length of an impulse response".into(), got, limit });
    }
    if format.channels > MAX_CHANNELS {
        let (got, limit) = (format.channels.to_string(), MAX_CHANNELS.to_string());
        return Err(Error::Limit { what: "the number of channels of an impulse response".into(), got, limit });
    }
    let count = rate.frames_from_seconds(seconds).max(frames).saturating_mul(format.channels as u64);
    if count > MAX_SAMPLES {
        let (got, limit) = (format!("{count} in {} channels", format.channels), MAX_SAMPLES.to_string());
        return Err(Error::Limit { what: "the number of samples of an impulse response".into(), got, limit });
    }
    let plain = file.reader()?;
    let mut channels = if format.rate == rate {
        samples(plain)?
    } else {
        let plan = ResamplePlan::new(format.rate, rate);
        let mut channels = samples(ResampledReader::new(plain, &plan))?;
        // A response is a density over time: with more frames per second, each is smaller.
        let share = format.rate.as_f64() / rate.as_f64();
        channels.iter_mut().flatten().for_each(|sample| *sample *= share);
        channels
    };
    let peak = channels.iter().flatten().fold(0.0f64, |peak, sample| peak.max(sample.abs()));
    // `f64::max` ignores `NaN`, so check all samples.
    if !channels.iter().flatten().all(|sample| sample.is_finite()) {
        return Err(Error::malformed("The impulse response has samples that are not numbers", path));
    }
    if peak == 0.0 {
        return Err(Error::malformed("The impulse response is silent. Choose another file", path));
    }
    trimmed(&mut channels, preparation, peak);
    let gain = match preparation.normalize {
        Normalize::Off => 1.0,
        Normalize::Peak => 1.0 / peak,
        Normalize::Energy => {
            let energy = |channel: &Vec<f64>| channel.iter().map(|sample| sample * sample).sum::<f64>();
            1.0 / channels.iter().map(energy).fold(0.0, f64::max).sqrt()
        }
    };
    for channel in &mut channels {
        channel.iter_mut().for_each(|sample| *sample *= gain);
        channel.splice(..0, std::iter::repeat_n(0.0, preparation.predelay));
    }
    Ok(channels)
}

fn samples(mut reader: impl AudioReader) -> Result<Vec<Vec<f64>>> {
    let mut channels = vec![Vec::new(); reader.format().channels];
    let mut block = AudioBuffer::default();
    loop {
        reader.read(&mut block, PIECE)?;
        if block.is_empty() {
            return Ok(channels);
        }
        for (channel, samples) in channels.iter_mut().zip(block.iter()) {
            channel.extend(samples.iter().map(|sample| f64::from(*sample)));
        }
    }
}

/// Trims samples softer than the threshold, at the same frames in all channels.
fn trimmed(channels: &mut [Vec<f64>], preparation: Preparation, peak: f64) {
    let threshold = peak * gain_from_db(preparation.threshold_db);
    let sounds = |sample: &f64| sample.abs() >= threshold;
    let first = channels.iter().filter_map(|channel| channel.iter().position(sounds)).min().unwrap_or(0);
    let last = channels.iter().filter_map(|channel| channel.iter().rposition(sounds)).max().unwrap_or(0);
    let (start, end) = preparation.trim;
    for channel in channels {
        if end {
            channel.truncate(last + 1);
        }
        if start {
            channel.drain(..first);
        }
    }
}
