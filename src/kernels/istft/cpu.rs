//! The CPU twin: blocks of frames side by side on all threads.
//!
//! A block is made of all windows that reach into it, in their order, so that the bits do not depend on the number of
//! threads.

use rayon::prelude::*;

use super::IstftPlan;
use crate::error::Result;
use crate::kernels::stft::{Complex32, Spectra};

/// Frames of a block at the least, in windows: those at its ends are transformed for both neighbours.
const WINDOWS_OF_BLOCK: usize = 8;

/// The first `frames` frames of the signal whose windows 0, 1, 2.. have these spectra.
///
/// # Errors
/// [`crate::Error::Invalid`] for spectra of another transform, and for fewer of them than
/// [`windows_to_invert`](crate::kernels::stft::StftPlan::windows_to_invert) says.
pub fn samples(plan: &IstftPlan, spectra: &Spectra<Complex32>, frames: usize) -> Result<Vec<f32>> {
    plan.check(spectra, frames)?;
    let spec = plan.forward().spec();
    let block = WINDOWS_OF_BLOCK * spec.size.max(spec.hop);
    let mut samples = vec![0.0; frames];
    samples
        .par_chunks_mut(block)
        .enumerate()
        .try_for_each(|(index, to)| self::block(plan, spectra, index * block, to))?;
    Ok(samples)
}

/// The frames from `first` on.
fn block(plan: &IstftPlan, spectra: &Spectra<Complex32>, first: usize, to: &mut [f32]) -> Result<()> {
    let forward = plan.forward();
    let window = forward.window();
    let scale = 1.0 / forward.fft_length() as f64;
    let mut transform = forward.transform();
    // The sum, and what windows have weighed.
    let mut sums = vec![[0.0_f64; 2]; to.len()];
    for k in plan.windows_of(first, first + to.len(), spectra.windows()) {
        let frames = transform.frames(spectra.window(k))?;
        let start = forward.start_frame(k as u64) - first as i64;
        let skipped = start.min(0).unsigned_abs() as usize;
        let sums = &mut sums[start.max(0) as usize..];
        for ((sum, &x), &w) in sums.iter_mut().zip(&frames[skipped..]).zip(&window[skipped..]) {
            sum[0] += w * f64::from(x);
            sum[1] += w * w;
        }
    }
    for (to, [sum, weight]) in to.iter_mut().zip(sums) {
        *to = (scale * sum / weight) as f32;
    }
    Ok(())
}
