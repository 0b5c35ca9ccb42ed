//! The CPU twin: computes blocks of frames in parallel on all threads.
//!
//! Each block adds all windows that overlap it in order, so the bits do not depend on the number of threads.

use rayon::prelude::*;

use super::IstftPlan;
use crate::kernels::signal::stft::{Complex32, Spectra};
use base::error::Result;

/// The minimum block length in windows. Windows at its ends are transformed for both neighbours.
const WINDOWS_OF_BLOCK: usize = 8;

/// Returns the first `frames` frames of the signal whose windows 0, 1, 2.. have the given spectra.
///
/// # Errors
/// [`base::Error::Invalid`] for fewer spectra than
/// [`windows_to_invert`](crate::kernels::signal::stft::StftPlan::windows_to_invert) requires.
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

/// Computes the frames from `first` on.
fn block(plan: &IstftPlan, spectra: &Spectra<Complex32>, first: usize, to: &mut [f32]) -> Result<()> {
    let forward = plan.forward();
    let window = forward.window();
    let scale = 1.0 / forward.fft_length() as f64;
    let mut transform = forward.transform();
    // The weighted sum and the sum of squared weights.
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
