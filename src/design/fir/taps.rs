//! What taps do to a frequency.

use realfft::num_complex::Complex64;

use super::super::response::Response;

/// Taps whose rotations are taken from one table, before the table is turned on.
const RUN: usize = 64;

/// The taps of a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Taps(Vec<f64>);

impl Taps {
    /// Of these values, the first tap first.
    pub fn new(values: Vec<f64>) -> Self {
        Self(values)
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Whether they are the same from both ends, so that every frequency is delayed alike, by half their length.
    pub fn are_symmetric(&self) -> bool {
        let values = &self.0;
        values.iter().zip(values.iter().rev()).take(values.len() / 2).all(|(first, last)| first == last)
    }

    /// Whether they are the same from both ends, or opposite, to -120 dB of the largest: then every frequency is delayed
    /// alike, by half their length.
    pub fn have_linear_phase(&self) -> bool {
        let values = &self.0;
        let near = values.iter().fold(0.0f64, |peak, value| peak.max(value.abs())) * 1e-6;
        let pairs = || values.iter().zip(values.iter().rev());
        pairs().all(|(first, last)| (first - last).abs() <= near)
            || pairs().all(|(first, last)| (first + last).abs() <= near)
    }

    /// The response at `w` radians per frame, of taps that sound `lead` frames earlier: `sum h_n e^(-i w (n - lead))`.
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
            // Real by symmetry; what rounding left would turn the phase this way and that.
            (value.im, slope.im) = (0.0, 0.0);
        }
        Response::new(value, slope)
    }
}
