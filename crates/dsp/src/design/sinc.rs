//! The ideal low-pass as a continuous impulse response, bare and under a Kaiser window.

use std::f64::consts::PI;

use super::window::bessel_i0;

/// Returns `2 fc sinc(2 fc t)`: the response of the ideal low-pass with its cutoff at `cutoff` cycles per frame, `t` frames
/// from its middle.
pub fn ideal_low_pass(cutoff: f64, t: f64) -> f64 {
    if t == 0.0 { 2.0 * cutoff } else { (2.0 * PI * cutoff * t).sin() / (PI * t) }
}

/// The ideal low-pass under a Kaiser window (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
/// function", 1974): the filter of rate converters and interpolators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KaiserSinc {
    /// The cutoff, -6 dB, in cycles per frame.
    pub cutoff: f64,
    /// The distance in frames from the middle at which the window ends.
    pub half_width: f64,
    /// The shape parameter of the window; [`super::kaiser_beta`] gives it for an attenuation.
    pub beta: f64,
}

impl KaiserSinc {
    /// Returns the response `t` frames from the middle; 0 beyond the window.
    pub fn at(&self, t: f64) -> f64 {
        let x = t / self.half_width;
        let root = 1.0 - x * x;
        if root < 0.0 {
            return 0.0;
        }
        ideal_low_pass(self.cutoff, t) * bessel_i0(self.beta * root.sqrt()) / bessel_i0(self.beta)
    }
}

/// Scales taps to a sum of 1, the gain at 0 Hz.
pub fn normalized(mut taps: Vec<f64>) -> Vec<f64> {
    let sum: f64 = taps.iter().sum();
    taps.iter_mut().for_each(|tap| *tap /= sum);
    taps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::kaiser_beta;

    #[test]
    fn the_response_is_a_sinc_that_ends_with_its_window() {
        let sinc = KaiserSinc { cutoff: 0.25, half_width: 8.0, beta: kaiser_beta(80.0) };
        assert_eq!(sinc.at(0.0), 0.5);
        assert!(sinc.at(2.0).abs() < 1e-16 && sinc.at(-4.0).abs() < 1e-16);
        assert_eq!(sinc.at(1.0), sinc.at(-1.0));
        assert!(sinc.at(8.0).abs() < 1e-4);
        assert_eq!(sinc.at(8.1), 0.0);
    }

    #[test]
    fn taps_pass_and_stop_as_designed() {
        let sinc = KaiserSinc { cutoff: 0.25, half_width: 32.0, beta: kaiser_beta(80.0) };
        let taps = normalized((-31..=31).map(|n| sinc.at(f64::from(n))).collect());
        let gain = |cycles: f64| -> f64 {
            taps.iter().zip(-31..).map(|(tap, n)| tap * (2.0 * PI * cycles * f64::from(n)).cos()).sum()
        };
        assert!((gain(0.0) - 1.0).abs() < 1e-12);
        assert!((gain(0.15) - 1.0).abs() < 1e-3 && gain(0.35).abs() < 1e-3);
    }
}
