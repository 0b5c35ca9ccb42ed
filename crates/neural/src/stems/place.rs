//! Centre and sides of stereo.
//!
//! With the spectra `L` and `R` of a bin, its centredness is
//!
//! ```text
//! C = max(0, 2 Re(L R*) / (|L|^2 + |R|^2))^4
//! ```
//!
//! The ratio is the similarity of both channels (C. Avendano and J.-M. Jot, "A frequency-domain approach to multichannel
//! upmix", JAES 52, 2004), with the phase taken into account: 1 if both are the same, 0 if one is silent or they are a
//! quarter of a period apart. The fourth power is ours; it leaves 0.4 of a sound that is 6 dB louder on one side. The centre is
//! `C (L + R) / 2` in both channels, and the sides are the input minus that.

use std::ops::Range;

use super::split::Masker;
use super::window_frames;
use audio::AudioReader;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::design::Window;
use dsp::kernels::signal::istft::IstftPlan;
use dsp::kernels::signal::stft::{Complex32, Spectra, StftPlan, StftSpec};

/// Returns the centredness of every bin, 0 to 1. Bins that are silent or not finite get 0.
pub fn centredness(left: &Spectra<Complex32>, right: &Spectra<Complex32>) -> Spectra<f32> {
    let of = |(left, right): (&Complex32, &Complex32)| {
        let similarity = 2.0 * (left.re * right.re + left.im * right.im) / (left.norm_sqr() + right.norm_sqr());
        // False for `NaN` too.
        if similarity > 0.0 { similarity.powi(4).min(1.0) } else { 0.0 }
    };
    Spectra { bins: left.bins, values: left.values.iter().zip(&right.values).map(of).collect() }
}

/// Returns the transform at a sample rate: windows of 40 ms rounded up to a power of two, Hann, a quarter of a window from one
/// to the next.
///
/// # Errors
/// None for a valid rate.
pub fn transform(rate: SampleRate) -> Result<IstftPlan> {
    let size = window_frames(rate);
    IstftPlan::new(&StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: size / 4 })?)
}

/// The masks of the centre.
pub(super) struct Centre;

impl Masker for Centre {
    fn margin(&self) -> u64 {
        0
    }

    fn masked(
        &mut self,
        _: &mut dyn AudioReader,
        spectra: &[Spectra<Complex32>],
        _: u64,
        _: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<Spectra<Complex32>>> {
        progress.check()?;
        let [left, right] = spectra else {
            return Err(Error::Internal("the centre of a recording that is not stereo".into()));
        };
        let centredness = centredness(left, right);
        let middle = left.values.iter().zip(&right.values).zip(&centredness.values);
        let values = middle.map(|((left, right), share)| (left + right) * (0.5 * share)).collect();
        let centre = Spectra { bins: left.bins, values };
        Ok(vec![centre.clone(), centre])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_central_and_what_is_alone_is_not() {
        let one = Complex32::new(0.6, -0.8);
        for (left, right, expected) in [
            (one, one, 1.0),
            (one, one * 0.5, 0.8_f32.powi(4)),
            (one * 0.5, one, 0.8_f32.powi(4)),
            (one, Complex32::default(), 0.0),
            (one, -one, 0.0),
            (one, one * Complex32::i(), 0.0),
            (Complex32::default(), Complex32::default(), 0.0),
            (Complex32::new(f32::NAN, 0.0), one, 0.0),
            (one * f32::MAX, one * f32::MAX, 0.0),
        ] {
            let of = |value| Spectra { bins: 1, values: vec![value] };
            let got = centredness(&of(left), &of(right)).values[0];
            assert!((got - expected).abs() < 1e-6, "{left} {right}: {got}");
        }
    }
}
