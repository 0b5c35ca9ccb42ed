//! Butterworth filters: maximally flat, `|H|^2 = 1 / (1 + x^(2N))`, -3 dB at the cutoff or at both edges.
//!
//! The prototype's poles are `-sin t + i cos t` at `t = (2 i + 1) pi / 2N` (Oppenheim and Schafer, *Discrete-Time Signal
//! Processing*, appendix B), moved to the wanted frequencies by the classical analog transformations and mapped by the
//! bilinear transform with its frequencies warped beforehand.

use std::f64::consts::PI;

use super::{Band, Section, Warped};

/// The highest order of a Butterworth prototype.
pub const MAX_ORDER: usize = 24;

/// The prototype's poles of one half plane, as `-real part` and `imaginary part`, in the order in which their sections
/// run.
///
/// From the middle outwards, the more resonant one of two first and the most resonant one last but one: the peak of each
/// is met by the droop of its neighbour. Against the most resonant last this keeps up to 10 dB more of f32's range in
/// cascades of high order, against the most resonant first it keeps a sine at the cutoff from growing thirtyfold on its
/// way.
fn prototype(order: usize) -> Vec<(f64, f64)> {
    let pole = |index: usize| {
        let angle = PI * (2 * index + 1) as f64 / (2 * order) as f64;
        // The real pole of an odd order is real to the last digit.
        if 2 * index + 1 == order { (1.0, 0.0) } else { (angle.sin(), angle.cos()) }
    };
    // Pole 0 is the most resonant.
    let count = order.div_ceil(2);
    let (mut most, mut least) = (0, count);
    let mut outside_in = Vec::with_capacity(count);
    while most < least {
        least -= 1;
        outside_in.push(pole(least));
        if most < least {
            outside_in.push(pole(most));
            most += 1;
        }
    }
    outside_in.reverse();
    outside_in
}

/// A low-pass of `order` 1..=[`MAX_ORDER`]: `order / 2` sections and one of first order if it is odd, each of unity gain
/// at 0 Hz.
pub fn butterworth_lowpass(order: usize, cutoff: Warped) -> Vec<Section> {
    edge(order, cutoff, [0.0, 0.0, 1.0], [0.0, 1.0])
}

/// A high-pass of `order` 1..=[`MAX_ORDER`]: sections as of [`butterworth_lowpass`], each of unity gain at half the rate.
pub fn butterworth_highpass(order: usize, cutoff: Warped) -> Vec<Section> {
    edge(order, cutoff, [1.0, 0.0, 0.0], [1.0, 0.0])
}

fn edge(order: usize, cutoff: Warped, second: [f64; 3], first: [f64; 2]) -> Vec<Section> {
    let g = cutoff.get();
    prototype(order)
        .into_iter()
        .map(|(damping, imaginary)| {
            if imaginary == 0.0 {
                Section::first_order(g, first)
            } else {
                Section::from_prototype(g, 2.0 * damping, second)
            }
        })
        .collect()
}

/// Where the transformation to a band puts a pair of the prototype's poles: two sections of equal damping `k` at
/// `center * ratio` and `center / ratio`.
struct BandPair {
    k: f64,
    /// `ln(ratio)`, not less than 0.
    log_ratio: f64,
}

/// The poles `r` of `r^2 - p w r + c^2 = 0` are `c u +- i c sqrt(1 - u^2)` with `u = p w / 2c`, that is
/// `i c exp(-i asin u)` and its counterpart: of modulus `c exp(+-Im asin u)` and equal damping `-2 sin(Re asin u)`.
/// Taken so, neither a narrow band nor a wide one loses digits. `asin` as by Hull, Fairgrieve and Tang (1997).
fn band_pair(damping: f64, imaginary: f64, band: Band) -> BandPair {
    let half = band.width / (2.0 * band.center);
    let (x, y) = (damping * half, imaginary * half);
    let (r, s) = ((1.0 + x).hypot(y), (1.0 - x).hypot(y));
    let a = f64::midpoint(r, s);
    let beyond = if x < 1.0 { y * y / (s + (1.0 - x)) } else { s + (x - 1.0) };
    let a_minus_1 = 0.5 * (y * y / (r + (1.0 + x)) + beyond);
    BandPair { k: 2.0 * x / a, log_ratio: (a_minus_1 + (a_minus_1 * (a + 1.0)).sqrt()).ln_1p() }
}

/// A band-pass from a prototype of `order` 1..=[`MAX_ORDER`], that is of twice as many poles: `order` sections.
///
/// Of each pair of prototype poles comes a high-pass at the lower pole and a low-pass at the upper one, and both carry
/// the same share of the gain, so that no section lifts or drops the signal more than its resonance does. Against a pair
/// of band-passes this keeps up to 30 dB more of f32's range where the band is wide.
pub fn butterworth_bandpass(order: usize, band: Band) -> Vec<Section> {
    let mut sections = Vec::with_capacity(order);
    for (damping, imaginary) in prototype(order) {
        if imaginary == 0.0 {
            let k = band.width / band.center;
            sections.push(Section::from_prototype(band.center, k, [0.0, k, 0.0]));
            continue;
        }
        let BandPair { k, log_ratio } = band_pair(damping, imaginary, band);
        let upper = band.center * log_ratio.exp();
        let lower = band.center * (-log_ratio).exp();
        let gain = band.width / upper;
        sections.push(Section::from_prototype(lower, k, [gain, 0.0, 0.0]));
        sections.push(Section::from_prototype(upper, k, [0.0, 0.0, gain]));
    }
    sections
}

/// A band-stop from a prototype of `order` 1..=[`MAX_ORDER`], that is of twice as many poles: `order` sections.
///
/// All zeros are at the band's centre. Of each pair of prototype poles comes a section above and one below the centre,
/// with gains scaled so that what one lifts at 0 Hz and drops at half the rate, the next undoes.
pub fn butterworth_bandstop(order: usize, band: Band) -> Vec<Section> {
    let mut sections = Vec::with_capacity(order);
    // A prototype pole p goes where the band-pass puts 1/p, which on the unit circle is its conjugate.
    for (damping, imaginary) in prototype(order) {
        if imaginary == 0.0 {
            sections.push(Section::from_prototype(band.center, band.width / band.center, [1.0, 0.0, 1.0]));
            continue;
        }
        let BandPair { k, log_ratio } = band_pair(damping, imaginary, band);
        for log_ratio in [log_ratio, -log_ratio] {
            let (ratio, lift) = (log_ratio.exp(), 2.0 * log_ratio.sinh());
            // ((S^2 + c^2) ratio / (c ratio)^2 = ratio s^2 + 1/ratio; n0 - n2 = -2 sinh, kept exact for narrow bands.
            let mut section = Section::from_prototype(band.center * ratio, k, [ratio, 0.0, 1.0 / ratio]);
            section.svf.m[2] = -lift;
            sections.push(section);
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Neither any section nor any part of a cascade lifts a frequency by more than its resonances have to.
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
                // A wide band-stop is lifted by the distance of its poles from the zeros in the middle.
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
