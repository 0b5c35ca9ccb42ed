//! Butterworth filters: maximally flat, `|H|^2 = 1 / (1 + x^(2N))`, -3 dB at the cutoff or at both band edges.
//!
//! The prototype's poles are `-sin t + i cos t` at `t = (2 i + 1) pi / 2N` (Oppenheim and Schafer, *Discrete-Time
//! Signal Processing*, appendix B). The classical analog transformations move them to the requested frequencies, which
//! are prewarped for the bilinear transform.

use std::f64::consts::PI;

use super::prototype::{Pair, Prototype, PrototypeSection};
use super::{Band, Section, Warped};

/// Returns the prototype of `order`, 1..=[`super::MAX_ORDER`].
pub fn butterworth(order: usize) -> Prototype {
    Prototype::new(&poles(order), 1.0)
}

/// Returns the poles of the prototype, the most resonant first.
pub(super) fn poles(order: usize) -> Vec<PrototypeSection> {
    let pole = |index: usize| {
        // The real pole of an odd order must be exactly real.
        if 2 * index + 1 == order {
            return PrototypeSection::Real(1.0);
        }
        let angle = PI * (2 * index + 1) as f64 / (2 * order) as f64;
        PrototypeSection::Pair(Pair { frequency: 1.0, damping: angle.sin(), imaginary: angle.cos(), zero: None })
    };
    (0..order.div_ceil(2)).map(pole).collect()
}

/// Returns a low-pass of `order` 1..=[`super::MAX_ORDER`]: `order / 2` second-order sections, plus a first-order
/// section if `order` is odd. Each section has unity gain at 0 Hz.
pub fn butterworth_lowpass(order: usize, cutoff: Warped) -> Vec<Section> {
    butterworth(order).lowpass(cutoff)
}

/// Returns a high-pass of `order` 1..=[`super::MAX_ORDER`]. It has as many sections as [`butterworth_lowpass`], each of
/// unity gain at the Nyquist frequency.
pub fn butterworth_highpass(order: usize, cutoff: Warped) -> Vec<Section> {
    butterworth(order).highpass(cutoff)
}

/// Returns a band-pass from a prototype of `order` 1..=[`super::MAX_ORDER`]. It has twice as many poles as the
/// prototype, in `order` sections.
pub fn butterworth_bandpass(order: usize, band: Band) -> Vec<Section> {
    butterworth(order).bandpass(band)
}

/// Returns a band-stop from a prototype of `order` 1..=[`super::MAX_ORDER`]. It has twice as many poles as the
/// prototype, in `order` sections.
///
/// All zeros lie at the band's centre.
pub fn butterworth_bandstop(order: usize, band: Band) -> Vec<Section> {
    butterworth(order).bandstop(band)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::MAX_ORDER;

    const RATE: f64 = 48_000.0;

    fn kinds(order: usize) -> [Vec<Section>; 6] {
        let cutoff = |hz| Warped::new(hz, RATE).unwrap();
        let band = |low, high| Band::new(low, high, RATE).unwrap();
        [
            butterworth_lowpass(order, cutoff(1000.0)),
            butterworth_highpass(order, cutoff(20.0)),
            butterworth_bandpass(order, band(900.0, 1100.0)),
            butterworth_bandpass(order, band(20.0, 20_000.0)),
            butterworth_bandstop(order, band(900.0, 1100.0)),
            butterworth_bandstop(order, band(100.0, 10_000.0)),
        ]
    }

    #[test]
    fn sections_are_as_many_as_pairs_of_poles() {
        for order in 1..=MAX_ORDER {
            let counts = kinds(order).map(|sections| sections.len());
            let edge = order.div_ceil(2);
            assert_eq!(counts, [edge, edge, order, order, order, order], "order {order}");
        }
    }

    #[test]
    fn first_order_sections_are_of_first_order() {
        for sections in &kinds(3)[..2] {
            let first: Vec<_> = sections.iter().filter(|section| section.a[2] == 0.0).collect();
            assert_eq!(first.len(), 1);
            assert_eq!(first[0].b[2], 0.0);
        }
    }

    /// No section and no partial cascade amplifies a frequency by more than its resonances require.
    #[test]
    fn no_part_of_a_cascade_lifts_much() {
        for order in 1..=MAX_ORDER {
            for (kind, sections) in kinds(order).into_iter().enumerate() {
                let mut highest: f64 = 0.0;
                for point in 0..=400 {
                    let w = PI * 10f64.powf(-4.0 * f64::from(point) / 400.0);
                    let mut gain = 1.0;
                    for section in &sections {
                        gain *= section.response(w).norm();
                        highest = highest.max(gain);
                    }
                }
                // A wide band-stop has gain between its poles and the zeros at the centre.
                let limit = if kind == 5 { 110.0 } else { 6.0 };
                assert!(highest < limit, "order {order} of kind {kind}: {highest}");
            }
        }
    }

    #[test]
    fn bands_outside_the_rate_are_refused() {
        for (low, high) in [(0.0, 100.0), (100.0, 100.0), (200.0, 100.0), (100.0, 24_000.0), (f64::NAN, 100.0)] {
            assert_eq!(Band::new(low, high, RATE), None, "{low} {high}");
        }
        for hz in [0.0, -1.0, 24_000.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Warped::new(hz, RATE), None, "{hz}");
        }
    }
}
