//! The half-band filter that precedes decimation by two.

use crate::design::{KaiserSinc, kaiser_beta};

/// The number of taps on either side of the middle.
pub(crate) const REACH: usize = 31;

/// Returns the taps of a half-band low-pass at the odd distances 1, 3, 5.. from the middle, which are the same on both
/// sides. The middle tap is 1/2, and those at even distances are 0. The filter is a sinc with a Kaiser window of
/// 120 dB.
pub fn half_band() -> Vec<f64> {
    let sinc = KaiserSinc { cutoff: 0.25, half_width: (REACH + 1) as f64, beta: kaiser_beta(120.0) };
    let taps: Vec<f64> = (1..=REACH).step_by(2).map(|n| sinc.at(n as f64)).collect();
    // The gain at 0 Hz is exactly 1.
    let sum: f64 = taps.iter().sum();
    taps.iter().map(|tap| tap * 0.25 / sum).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn it_passes_and_stops_what_it_says() {
        let taps = half_band();
        let gain = |cycles: f64| -> f64 {
            let each = taps.iter().enumerate();
            0.5 + each.map(|(n, tap)| 2.0 * tap * (2.0 * PI * cycles * (2 * n + 1) as f64).cos()).sum::<f64>()
        };
        for step in 0..=187 {
            let cycles = f64::from(step) / 1000.0;
            assert!((gain(cycles) - 1.0).abs() < 1.2e-6, "{cycles}: {}", gain(cycles));
            assert!(gain(0.5 - cycles).abs() < 1.2e-6, "{}: {}", 0.5 - cycles, gain(0.5 - cycles));
        }
        assert!(gain(0.25) > 0.4 && gain(0.25) < 0.6);
    }
}
