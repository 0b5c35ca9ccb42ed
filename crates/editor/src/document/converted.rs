//! Recordings of another rate or channel count, as a document reads them.

use std::sync::Arc;

use audio::{AudioBuffer, AudioFormat, AudioReader, ChannelMix, Damage, Layout};
use base::error::Result;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

use super::source::ClockSpeed;

/// Converts a recording to the format of a document: the rate by [`dsp::measure::resample`], with errors below -120 dB,
/// then the channels by [`ChannelMix::into_recording`].
pub fn converted(reader: Box<dyn AudioReader>, to: AudioFormat) -> Box<dyn AudioReader> {
    let (rate, layout) = (reader.format().rate, reader.format().layout());
    let conversion = (rate != to.rate).then(|| ResamplePlan::new(rate, to.rate));
    with_conversion(reader, layout, conversion.as_ref(), to)
}

/// Converts a source of a document. Its channels may have a layout other than the file's, or an unknown one.
///
/// # Errors
/// None for the clocks that a source can have.
pub(super) fn converted_source(
    reader: Box<dyn AudioReader>,
    layout: Option<Layout>,
    clock: ClockSpeed,
    to: AudioFormat,
) -> Result<Box<dyn AudioReader>> {
    let conversion = clock.conversion(reader.format().rate, to.rate)?;
    Ok(with_conversion(reader, layout, conversion.as_ref(), to))
}

fn with_conversion(
    reader: Box<dyn AudioReader>,
    layout: Option<Layout>,
    conversion: Option<&Arc<ResamplePlan>>,
    to: AudioFormat,
) -> Box<dyn AudioReader> {
    let from = reader.format().with_layout(layout);
    let reader: Box<dyn AudioReader> = match conversion {
        None => reader,
        Some(plan) => Box::new(ResampledReader::new(reader, plan)),
    };
    match ChannelMix::into_recording(from, to) {
        None => reader,
        Some(mix) => Box::new(Rechannelled { inner: reader, format: to, mix, block: AudioBuffer::default() }),
    }
}

/// A reader with other channels.
struct Rechannelled {
    inner: Box<dyn AudioReader>,
    format: AudioFormat,
    mix: ChannelMix,
    block: AudioBuffer,
}

impl AudioReader for Rechannelled {
    fn format(&self) -> AudioFormat {
        self.format
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
        self.inner.read(&mut self.block, frames)?;
        self.mix.apply(&self.block, 1.0, out);
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}
