//! The plan of an inverse transform.

use crate::kernels::signal::stft::{Complex32, Spectra, StftPlan};
use base::error::{Error, Result};

/// The maximum amplification of a window's rounding errors, as a power ratio. The f32 error of about -136 dB then stays
/// below -125 dB.
const MAX_GAIN: f64 = 10.0;

/// A transform that can be inverted.
#[derive(Clone, Debug)]
pub struct IstftPlan {
    forward: StftPlan,
}

impl IstftPlan {
    /// Creates the inverse of a plan.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the windows do not cover every frame, or cover frames with so little weight that dividing
    /// by it would raise the rounding errors above -125 dB.
    pub fn new(forward: &StftPlan) -> Result<Self> {
        let gain = noise_gain(forward.window(), forward.spec().hop);
        if gain <= MAX_GAIN {
            return Ok(Self { forward: forward.clone() });
        }
        let spec = forward.spec();
        let got = format!("{} frames, with {} windows of {}", spec.hop, spec.window, spec.size);
        let allowed = format!(
            "hops at which the windows weigh every frame (nonzero overlap-add, NOLA), as up to {} frames",
            spec.size / 4
        );
        Err(Error::invalid("hop of an inversion", got, allowed))
    }

    /// Returns the transform that this inverts.
    pub fn forward(&self) -> &StftPlan {
        &self.forward
    }

    /// Checks that the spectra belong to this transform and that their windows cover the frames.
    pub(super) fn check(&self, spectra: &Spectra<Complex32>, frames: usize) -> Result<()> {
        if spectra.bins != self.forward.bins() {
            let allowed = format!("{}, as the transform", self.forward.bins());
            return Err(Error::invalid("spectra to invert", format!("{} bins", spectra.bins), allowed));
        }
        let needed = self.forward.windows_to_invert(frames as u64);
        if (spectra.windows() as u64) < needed {
            let got = format!("{} windows for {frames} frames", spectra.windows());
            return Err(Error::invalid("spectra to invert", got, format!("{needed} windows or more")));
        }
        Ok(())
    }

    /// Returns the windows that cover a frame in `first..end`, out of `count` windows.
    pub(super) fn windows_of(&self, first: usize, end: usize, count: usize) -> std::ops::Range<usize> {
        let spec = self.forward.spec();
        let half = spec.size / 2;
        // Window k covers the frames starting at k hop - half.
        let from = (first + half + 1).saturating_sub(spec.size).div_ceil(spec.hop);
        let to = (end - 1 + half) / spec.hop + 1;
        from.min(count)..to.min(count)
    }
}

/// Returns the amplification of the windows' rounding errors in the sum, as a power ratio: the window function's mean
/// power divided by the total weight of a frame, averaged over all frames. Infinite if a frame has no weight. At the
/// beginning of a signal no windows precede its first frame, so only the two windows next to a frame are counted.
fn noise_gain(window: &[f64], hop: usize) -> f64 {
    let mean: f64 = window.iter().map(|w| w * w).sum::<f64>() / window.len() as f64;
    let half = window.len() / 2;
    let weight = |n: usize| window.get(n).map_or(0.0, |w| w * w);
    // The windows centred before and after a frame.
    let both = |n: usize| weight(half + n) + (half + n).checked_sub(hop).map_or(0.0, weight);
    if hop > window.len() {
        return f64::INFINITY;
    }
    (0..hop).map(|n| mean / both(n)).sum::<f64>() / hop as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Window;
    use crate::kernels::signal::stft::StftSpec;

    fn plan(window: Window, size: usize, hop: usize) -> Result<IstftPlan> {
        IstftPlan::new(&StftPlan::new(StftSpec { window, size, padding: 1, hop }).unwrap())
    }

    #[test]
    fn windows_that_leave_frames_out_are_refused() {
        assert!(plan(Window::Hann, 1024, 512).is_ok());
        assert!(plan(Window::Rectangular, 1024, 1024).is_ok());
        assert!(plan(Window::Rectangular, 1001, 1001).is_ok());
        assert!(plan(Window::Hann, 1024, 1).is_ok());
        for (window, size, hop) in
            [(Window::Hann, 1024, 1024), (Window::Rectangular, 1024, 1025), (Window::Hann, 64, usize::MAX)]
        {
            let message = plan(window, size, hop).unwrap_err().to_string();
            assert!(message.contains("NOLA"), "{message}");
        }
    }

    #[test]
    fn a_frame_belongs_to_the_windows_around_it() {
        for (size, hop) in [(64, 16), (65, 16), (64, 64), (100, 37)] {
            let plan = plan(Window::Rectangular, size, hop).unwrap();
            for (first, end) in [(0, 1), (5, 6), (100, 101), (99, 250)] {
                let takes_in = |k: &usize| {
                    let start = plan.forward().start_frame(*k as u64);
                    start < end as i64 && start + size as i64 > first as i64
                };
                let expected: Vec<usize> = (0..1000).filter(takes_in).collect();
                assert_eq!(plan.windows_of(first, end, 1000).collect::<Vec<_>>(), expected, "{size} {hop} {first}");
            }
        }
    }
}
