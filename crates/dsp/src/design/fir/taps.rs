//! The frequency response of taps.

use transforms::num_complex::Complex64;

use super::super::response::Response;

/// The number of taps that share one table of rotations.
const RUN: usize = 64;

/// The taps of an FIR filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Taps(Vec<f64>);

impl Taps {
    /// Creates taps from their values, in order of time.
    pub fn new(values: Vec<f64>) -> Self {
        Self(values)
    }

    /// Returns the values.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Returns whether the taps are exactly symmetric, so that the group delay is half their length at every frequency.
    pub fn are_symmetric(&self) -> bool {
        let values = &self.0;
        values.iter().zip(values.iter().rev()).take(values.len() / 2).all(|(first, last)| first == last)
    }

    /// Returns whether the taps are symmetric or antisymmetric to within -120 dB of the largest tap, so that the group
    /// delay is half their length at every frequency.
    pub fn have_linear_phase(&self) -> bool {
        let values = &self.0;
        let near = values.iter().fold(0.0f64, |peak, value| peak.max(value.abs())) * 1e-6;
        let pairs = || values.iter().zip(values.iter().rev());
        pairs().all(|(first, last)| (first - last).abs() <= near)
            || pairs().all(|(first, last)| (first + last).abs() <= near)
    }

    /// Returns the response at `w` radians per frame of the taps advanced by `lead` frames:
    /// `sum h_n e^(-i w (n - lead))`.
    pub fn response(&self, w: f64, lead: f64) -> Response {
        let mut table = [Complex64::ONE; RUN];
        for (k, rotation) in table.iter_mut().enumerate() {
            *rotation = Complex64::cis(-w * k as f64);
        }
        let (mut value, mut slope) = (Complex64::ZERO, Complex64::ZERO);
        for (run, taps) in self.0.chunks(RUN).enumerate() {
            let start = (run * RUN) as f64 - lead;
            let (mut plain, mut ramped) = (Complex64::ZERO, Complex64::ZERO);
            for (k, (tap, rotation)) in taps.iter().zip(&table).enumerate() {
                plain += rotation * tap;
                ramped += rotation * (tap * k as f64);
            }
            let turn = Complex64::cis(-w * start);
            value += turn * plain;
            slope += turn * (ramped + plain * start);
        }
        // d/dw of e^(-i w m) is -i m e^(-i w m).
        let mut slope = Complex64::new(slope.im, -slope.re);
        if 2.0 * lead == (self.0.len() as f64 - 1.0) && self.are_symmetric() {
            // Real by symmetry. A rounding residue in the imaginary part would make the phase arbitrary near zeros.
            (value.im, slope.im) = (0.0, 0.0);
        }
        Response::new(value, slope)
    }
}
