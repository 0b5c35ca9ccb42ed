//! Loudness after ITU-R BS.1770-4 and EBU R 128. The weighting and the true peak come from the `ebur128` crate.
//!
//! [`Blocks`] measures a stream in blocks of 20 ms. [`LoudnessCurve`] computes momentary and short-term loudness over
//! time from them, and the integrated loudness and loudness range. [`LoudnessMeter`] does the same for live sound.

mod blocks;
mod curve;
mod gate;
mod meter;

pub use blocks::Blocks;
pub use curve::{LoudnessCurve, LoudnessSummary, POINTS_PER_S};
pub use meter::{LoudnessMeter, LoudnessReading};

use ebur128::{EbuR128, Mode};

use crate::audio::{AudioBuffer, AudioReader};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 15;

/// Returns the integrated loudness in LUFS of a whole reader; `None` if nothing passes the gates (silence, or less than
/// 400 ms). Progress counts frames.
///
/// # Errors
/// Any error of the reader; [`Error::Unsupported`] for a rate or a number of channels that BS.1770 measurement does not
/// support; [`Error::Cancelled`].
pub fn integrated_lufs(reader: &mut dyn AudioReader, progress: &Progress) -> Result<Option<f64>> {
    let format = reader.format();
    if format.channels == 0 || reader.frames() == 0 {
        return Ok(None);
    }
    let mut meter = EbuR128::new(format.channels as u32, format.rate.hz(), Mode::I | Mode::HISTOGRAM)
        .map_err(|error| failed(error, format.channels))?;
    let mut block = AudioBuffer::default();
    reader.seek(0)?;
    loop {
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            break;
        }
        let planes: Vec<&[f32]> = block.iter().collect();
        meter.add_frames_planar_f32(&planes).map_err(|error| failed(error, format.channels))?;
        progress.advance(block.frames() as u64)?;
    }
    let lufs = meter.loudness_global().map_err(|error| failed(error, format.channels))?;
    Ok(lufs.is_finite().then_some(lufs))
}

fn failed(error: ebur128::Error, channels: usize) -> Error {
    Error::unsupported("measuring the loudness of this stream", format!("{error} ({channels} channels)"))
}

#[cfg(test)]
mod tests;
