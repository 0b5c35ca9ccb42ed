//! Samples at the rate that a measure is defined for.

use audio::{AudioBuffer, AudioReader, MemoryReader};
use base::error::Result;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// Converts the samples of one channel to `to_hz`.
pub(super) fn at_rate(rate: SampleRate, to_hz: u32, samples: &[f32]) -> Result<Vec<f64>> {
    let to = SampleRate::new(to_hz)?;
    if rate == to {
        return Ok(samples.iter().map(|&x| f64::from(x)).collect());
    }
    let source = MemoryReader::new(rate, AudioBuffer::from_channels(vec![samples.to_vec()]));
    let mut reader = ResampledReader::new(source, &ResamplePlan::new(rate, to));
    let frames = reader.frames() as usize;
    let mut out = AudioBuffer::default();
    reader.read(&mut out, frames)?;
    Ok(out.channel(0).iter().map(|&x| f64::from(x)).collect())
}
