//! Squares, saws and triangles without aliases: the sum of all harmonics below half the sample rate.
//!
//! The Fourier series of one period is summed exactly, by an inverse transform, into a table that has at least 32 points
//! for the period of its highest harmonic. Between the points a polynomial of degree 7 through the nearest eight is
//! evaluated (Lagrange). Its error is at most `max |(x-x0)...(x-x7)| / 8! * w^8` for a harmonic of `w` radians a point:
//! 1.07e-3 * (pi / 16)^8 = 2.4e-9 of the highest harmonic, which is at most 1/1024 of the fundamental. Together the
//! errors remain below 1e-11, far below the rounding to f32.

use std::f64::consts::PI;

use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use super::Waveform;
use super::oscillator::Oscillator;
use base::units::SampleRate;

/// The largest number of harmonics, counting those that a shape leaves out.
pub const MAX_HARMONICS: usize = 1 << 17;
/// The smallest number of points of the table. It holds 1024 harmonics with 64 points for the period of the highest.
const MIN_POINTS: usize = 1 << 16;
/// The points of the table for a period of the highest harmonic, at least.
const OVERSAMPLING: usize = 32;
/// The points that one value is interpolated from.
const TAPS: usize = 8;
/// The index of the point at or before the interpolated place among them.
const BEFORE: usize = TAPS / 2 - 1;

/// The shape of a band-limited tone. Each has a peak of 1 before band-limiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `4/pi * sum sin(k x) / k` over odd `k`.
    Square,
    /// `2/pi * sum (-1)^(k+1) sin(k x) / k` over all `k`.
    Saw,
    /// `8/pi^2 * sum (-1)^((k-1)/2) sin(k x) / k^2` over odd `k`.
    Triangle,
}

impl Shape {
    /// Returns the amplitude of the sine that is harmonic `k` of the ideal shape.
    pub fn harmonic(self, k: usize) -> f64 {
        let order = k as f64;
        match self {
            Self::Square if k % 2 == 1 => 4.0 / (PI * order),
            Self::Saw => (if k % 2 == 1 { 2.0 } else { -2.0 }) / (PI * order),
            Self::Triangle if k % 2 == 1 => (if k % 4 == 1 { 8.0 } else { -8.0 }) / (PI * PI * order * order),
            Self::Square | Self::Triangle => 0.0,
        }
    }
}

/// A band-limited tone. The peak of its continuous waveform is 1.
pub struct BandLimited {
    oscillator: Oscillator,
    table: Table,
    scale: f64,
}

impl BandLimited {
    /// Sums a tone of a frequency below half the sample rate, and above that divided by [`MAX_HARMONICS`].
    pub fn new(shape: Shape, frequency_hz: f64, rate: SampleRate) -> Self {
        let harmonics = harmonics_below(rate.nyquist_hz(), frequency_hz);
        let table = Table::new(shape, harmonics);
        let scale = 1.0 / table.peak();
        Self { oscillator: Oscillator::new(frequency_hz, rate), table, scale }
    }
}

impl Waveform for BandLimited {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        let (table, gain) = (&self.table, gain * self.scale);
        self.oscillator.fill(start, out, |cycles| gain * table.at(cycles));
    }
}

/// Returns the number of multiples of `frequency_hz` that are below `limit_hz`.
fn harmonics_below(limit_hz: f64, frequency_hz: f64) -> usize {
    let count = (limit_hz / frequency_hz).floor();
    // At half the sample rate, the samples of a sine are ambiguous in level and phase.
    let count = if count * frequency_hz >= limit_hz { count - 1.0 } else { count };
    (count.max(1.0) as usize).min(MAX_HARMONICS)
}

/// One period, followed and preceded by the points that interpolation needs.
struct Table {
    points: usize,
    values: Vec<f64>,
}

impl Table {
    fn new(shape: Shape, harmonics: usize) -> Self {
        let points = (harmonics * OVERSAMPLING).next_power_of_two().max(MIN_POINTS);
        let inverse = RealFftPlanner::<f64>::new().plan_fft_inverse(points);
        let mut spectrum = inverse.make_input_vec();
        for (k, bin) in spectrum.iter_mut().enumerate().take(harmonics + 1).skip(1) {
            // a sin(x) is a/2i (exp(ix) - exp(-ix)); the transform adds the second term itself.
            *bin = Complex64::new(0.0, -0.5 * shape.harmonic(k));
        }
        let mut period = inverse.make_output_vec();
        if inverse.process(&mut spectrum, &mut period).is_err() {
            // The lengths come from the plan itself.
            period.fill(0.0);
        }
        let mut values = Vec::with_capacity(points + TAPS);
        values.extend_from_slice(&period[points - BEFORE..]);
        values.extend_from_slice(&period);
        values.extend_from_slice(&period[..TAPS - BEFORE]);
        Self { points, values }
    }

    /// Returns the value at a phase of at least 0, in cycles.
    fn at(&self, cycles: f64) -> f64 {
        let place = (cycles - cycles.floor()) * self.points as f64;
        let index = (place as usize).min(self.points - 1);
        let around = &self.values[index..index + TAPS];
        let weights = lagrange(place - index as f64);
        around.iter().zip(weights).map(|(value, weight)| value * weight).sum()
    }

    /// Returns the peak of the interpolated period.
    fn peak(&self) -> f64 {
        let period = &self.values[BEFORE..BEFORE + self.points];
        let (at, _) = period.iter().enumerate().fold((0, 0.0), |(at, peak), (index, value)| {
            if value.abs() > peak { (index, value.abs()) } else { (at, peak) }
        });
        // Between the neighbours of the largest point, the waveform has a single extremum.
        let value = |place: f64| self.at((place + self.points as f64) / self.points as f64).abs();
        let (mut low, mut high) = (at as f64 - 1.0, at as f64 + 1.0);
        for _ in 0..60 {
            let third = (high - low) / 3.0;
            if value(low + third) < value(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        value(f64::midpoint(low, high))
    }
}

/// Returns the weights of eight points at -3..=4 for the value at `x` in 0..=1.
fn lagrange(x: f64) -> [f64; TAPS] {
    /// `1 / product of (j - m)` over the other points `m`: `(-1)^(7-i) / (i! (7-i)!)`.
    const SCALES: [f64; TAPS] =
        [-1.0 / 5040.0, 1.0 / 720.0, -1.0 / 240.0, 1.0 / 144.0, -1.0 / 144.0, 1.0 / 240.0, -1.0 / 720.0, 1.0 / 5040.0];
    let distance: [f64; TAPS] = std::array::from_fn(|index| x - (index as f64 - BEFORE as f64));
    let mut weights = SCALES;
    let mut product = 1.0;
    for index in 0..TAPS {
        weights[index] *= product;
        product *= distance[index];
    }
    product = 1.0;
    for index in (0..TAPS).rev() {
        weights[index] *= product;
        product *= distance[index];
    }
    weights
}

/// Returns the sum of the series at a phase in cycles, term by term.
#[cfg(test)]
fn direct(shape: Shape, harmonics: usize, cycles: f64) -> f64 {
    (1..=harmonics).map(|k| shape.harmonic(k) * (2.0 * PI * (k as f64 * cycles).fract()).sin()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_sum_of_the_harmonics() {
        for shape in [Shape::Square, Shape::Saw, Shape::Triangle] {
            for harmonics in [1, 2, 3, 54, 1023, 1024, 2049, 5000] {
                let table = Table::new(shape, harmonics);
                let mut worst = 0.0f64;
                for step in 0..400 {
                    // Places between points, dense around the edges.
                    let cycles = (step as f64 * 0.618_033_988_749).fract();
                    let cycles = if step % 2 == 0 { cycles } else { (0.5 + (cycles - 0.5) * 0.01).abs() };
                    worst = worst.max((table.at(cycles) - direct(shape, harmonics, cycles)).abs());
                }
                assert!(worst < 1e-11, "{shape:?} of {harmonics} harmonics: {worst:e}");
            }
        }
    }

    #[test]
    fn the_peak_is_that_of_the_continuous_waveform() {
        for (shape, harmonics) in [(Shape::Square, 53), (Shape::Saw, 54), (Shape::Triangle, 53), (Shape::Saw, 1)] {
            let table = Table::new(shape, harmonics);
            let dense = (0..500_000).map(|step| table.at(step as f64 / 500_000.0).abs()).fold(0.0, f64::max);
            let peak = table.peak();
            assert!((0.0..1e-7).contains(&(peak - dense)), "{shape:?}: {peak}, {dense}");
        }
        // The overshoot of a square tends to 2/pi Si(pi).
        assert!((Table::new(Shape::Square, 9999).peak() - 1.178_979_744_472).abs() < 1e-6);
    }

    #[test]
    fn only_harmonics_below_half_the_rate_count() {
        assert_eq!(harmonics_below(24_000.0, 440.0), 54);
        assert_eq!(harmonics_below(24_000.0, 1000.0), 23);
        assert_eq!(harmonics_below(24_000.0, 12_000.0), 1);
        assert_eq!(harmonics_below(24_000.0, 23_999.0), 1);
    }
}
