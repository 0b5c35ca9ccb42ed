//! Frequency responses: the complex gain at a frequency and its derivative, which gives the exact group delay.

use transforms::num_complex::Complex64;

use super::{Section, Svf};

/// A response at one frequency: `H(w)` and `dH/dw`, both divided by `2^exponent`. The exponent prevents the product of
/// a long cascade from underflowing or overflowing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    value: Complex64,
    slope: Complex64,
    exponent: i32,
}

impl Response {
    /// Creates the response of a filter with the complex gain `H(w)` and derivative `dH/dw` at `w` radians per frame.
    pub fn new(value: Complex64, slope: Complex64) -> Self {
        Self { value, slope, exponent: 0 }.scaled()
    }

    /// Creates the response of a gain that is constant over frequency.
    pub fn gain(gain: f64) -> Self {
        Self { value: Complex64::new(gain, 0.0), slope: Complex64::ZERO, exponent: 0 }.scaled()
    }

    /// Returns the response of two filters in series.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            value: self.value * next.value,
            slope: self.slope * next.value + self.value * next.slope,
            exponent: self.exponent + next.exponent,
        }
        .scaled()
    }

    /// Returns the response of two filters in parallel, with their outputs summed.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let (left, right) = (power_of_two(self.exponent - exponent), power_of_two(other.exponent - exponent));
        Self {
            value: self.value * left + other.value * right,
            slope: self.slope * left + other.slope * right,
            exponent,
        }
        .scaled()
    }

    /// Returns the complex gain; 0 or infinite if it is outside the range of f64.
    pub fn value(&self) -> Complex64 {
        self.value * power_of_two(self.exponent)
    }

    /// Returns the gain in decibels, or `None` if the response is zero.
    pub fn magnitude_db(&self) -> Option<f64> {
        let magnitude = self.value.norm();
        (magnitude > 0.0).then(|| 20.0 * (magnitude.log10() + f64::from(self.exponent) * std::f64::consts::LOG10_2))
    }

    /// Returns the phase in radians, -pi to pi, or `None` if the response is zero.
    pub fn phase_rad(&self) -> Option<f64> {
        (self.value != Complex64::ZERO).then(|| self.value.arg())
    }

    /// Returns the group delay in frames, `-d(phase)/dw`, or `None` if the response is zero.
    pub fn group_delay_frames(&self) -> Option<f64> {
        (self.value != Complex64::ZERO).then(|| -(self.slope / self.value).im)
    }

    /// Returns the phase difference from this response to `other` in radians, -pi to pi.
    pub fn turn_to(&self, other: &Self) -> f64 {
        (other.value * self.value.conj()).arg()
    }

    fn scaled(self) -> Self {
        let largest = self.value.norm().max(self.slope.norm());
        if !largest.is_normal() || (1e-30..=1e30).contains(&largest) {
            return self;
        }
        let exponent = largest.log2().round() as i32;
        let scale = power_of_two(-exponent);
        Self { value: self.value * scale, slope: self.slope * scale, exponent: self.exponent + exponent }
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

impl Section {
    /// Returns the complex gain at `w` radians per frame, 0 to pi.
    pub fn response(&self, w: f64) -> Complex64 {
        self.response_with_slope(w).value()
    }

    /// Returns the response and its derivative at `w` radians per frame, 0 to pi.
    ///
    /// Computed from the SVF parameters at `S = i tan(w/2)`, which keeps full precision even at 0.5 Hz and a rate of
    /// 768 kHz.
    pub fn response_with_slope(&self, w: f64) -> Response {
        let [n2, n1, n0] = self.svf.numerator();
        let tan_half = (w / 2.0).tan();
        let s = Complex64::new(0.0, tan_half / self.svf.g);
        // Above 1, numerator and denominator are divided by s^2, so that the Nyquist frequency (tan_half huge) neither
        // overflows nor divides infinities. The derivative is dH/ds ds/dw with d(tan(w/2))/dw = (1 + tan^2)/2.
        let (value, slope) = if s.im.abs() <= 1.0 {
            let ds_dw = Complex64::new(0.0, (1.0 + tan_half * tan_half) / (2.0 * self.svf.g));
            ratio([n2, n1, n0], [1.0, self.svf.k, 1.0], s, ds_dw)
        } else {
            let cotangent = 1.0 / tan_half;
            let dt_dw = Complex64::new(0.0, self.svf.g * (1.0 + cotangent * cotangent) / 2.0);
            ratio([n0, n1, n2], [1.0, self.svf.k, 1.0], s.inv(), dt_dw)
        };
        Response { value, slope, exponent: 0 }.scaled()
    }

    /// Returns the phase in radians at `w` radians per frame. It is continuous from 0 to pi except for jumps at zeros
    /// on the unit circle.
    pub fn phase_rad(&self, w: f64) -> f64 {
        let [n2, n1, n0] = self.svf.numerator();
        let x = (w / 2.0).tan() / self.svf.g;
        // Along s = i x, each quadratic crosses the imaginary axis at most once, so its angle stays within -pi..pi.
        let angle = |[c2, c1, c0]: [f64; 3]| {
            if x.abs() <= 1.0 { (c1 * x).atan2(c0 - c2 * x * x) } else { (c1 / x).atan2(c0 / (x * x) - c2) }
        };
        angle([n2, n1, n0]) - angle([1.0, self.svf.k, 1.0])
    }
}

impl Svf {
    /// Returns the numerator over `s^2 + k s + 1` as `[n2, n1, n0]`.
    fn numerator(&self) -> [f64; 3] {
        let [m0, m1, m2] = self.m;
        [m0, m0 * self.k + m1, m0 + m2]
    }
}

/// Returns a ratio of quadratics in `s` and its derivative, given the derivative of `s`.
fn ratio(numerator: [f64; 3], denominator: [f64; 3], s: Complex64, slope: Complex64) -> (Complex64, Complex64) {
    let at = |[c2, c1, c0]: [f64; 3]| ((s * c2 + c1) * s + c0, s * (2.0 * c2) + c1);
    let ((n, dn), (d, dd)) = (at(numerator), at(denominator));
    (n / d, (dn * d - n * dd) / (d * d) * slope)
}
