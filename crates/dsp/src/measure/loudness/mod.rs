//! Loudness after ITU-R BS.1770-4 and EBU R 128. The true peak is in [`super::true_peak`].
//!
//! [`Blocks`] measures a stream in blocks of 20 ms. [`LoudnessCurve`] computes momentary and short-term loudness over
//! time from them, and the integrated loudness and loudness range. [`LoudnessMeter`] does the same for live sound.

mod blocks;
mod curve;
mod finite;
mod gate;
mod meter;

pub use blocks::Blocks;
pub use curve::{LoudnessCurve, LoudnessSummary, POINTS_PER_S};
pub use gate::integrated_lufs as gated_lufs;
pub use meter::{LoudnessMeter, LoudnessReading};

use base::error::Result;
use base::progress::Progress;
use base::sound::{AudioBuffer, AudioReader};

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 15;

/// Returns the integrated loudness in LUFS of a whole reader; `None` if nothing passes the gates (silence, or less than
/// 400 ms). Progress counts frames.
pub fn integrated_lufs(reader: &mut dyn AudioReader, progress: &Progress) -> Result<Option<f64>> {
    let format = reader.format();
    if format.channels == 0 || reader.frames() == 0 {
        return Ok(None);
    }
    let (mut blocks, mut curve) = (Blocks::new(format)?, LoudnessCurve::default());
    let mut block = AudioBuffer::default();
    reader.seek(0)?;
    loop {
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            break;
        }
        let planes: Vec<&[f32]> = block.iter().collect();
        blocks.add(&planes, |energy| curve.push(energy))?;
        progress.advance(block.frames() as u64)?;
    }
    Ok(curve.summary().integrated)
}

#[cfg(test)]
mod tests;
