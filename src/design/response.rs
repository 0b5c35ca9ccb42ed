//! Responses: the complex gain at a frequency together with its slope, from which group delay follows exactly.

use realfft::num_complex::Complex64;

use super::{Section, Svf};

/// A response at one frequency: `H(w)` and `dH/dw`, both over `2^exponent`, so that the product of a long cascade
/// neither vanishes nor overflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    value: Complex64,
    slope: Complex64,
    exponent: i32,
}

impl Response {
    /// Of a complex gain and its slope over the frequency in radians per frame.
    pub fn new(value: Complex64, slope: Complex64) -> Self {
        Self { value, slope, exponent: 0 }.scaled()
    }

    /// Of a gain that is the same at all frequencies.
    pub fn gain(gain: f64) -> Self {
        Self { value: Complex64::new(gain, 0.0), slope: Complex64::ZERO, exponent: 0 }.scaled()
    }

    /// Of two filters, one after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            value: self.value * next.value,
            slope: self.slope * next.value + self.value * next.slope,
            exponent: self.exponent + next.exponent,
        }
        .scaled()
    }

    /// Of two filters that hear the same and are summed.
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

    /// The complex gain; 0 or infinite where it is beyond f64.
    pub fn value(&self) -> Complex64 {
        self.value * power_of_two(self.exponent)
    }

    /// The gain in decibels; none where nothing comes out.
    pub fn magnitude_db(&self) -> Option<f64> {
        let magnitude = self.value.norm();
        (magnitude > 0.0).then(|| 20.0 * (magnitude.log10() + f64::from(self.exponent) * std::f64::consts::LOG10_2))
    }

    /// The phase in radians, -pi to pi; none where nothing comes out.
    pub fn phase_rad(&self) -> Option<f64> {
        (self.value != Complex64::ZERO).then(|| self.value.arg())
    }

    /// The group delay in frames, `-d(phase)/dw`; none where nothing comes out.
    pub fn group_delay_frames(&self) -> Option<f64> {
        (self.value != Complex64::ZERO).then(|| -(self.slope / self.value).im)
    }

    /// The turn of the phase from this response to another, -pi to pi.
    pub(crate) fn turn_to(&self, other: &Self) -> f64 {
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
    /// The complex gain at `w` radians per frame, 0 to pi.
    pub fn response(&self, w: f64) -> Complex64 {
        self.response_with_slope(w).value()
    }

    /// The response at `w` radians per frame, 0 to pi, with its slope.
    ///
    /// It is taken from the SVF parameters at `S = i tan(w/2)`, where half a hertz at 768 kHz keeps its digits.
    pub fn response_with_slope(&self, w: f64) -> Response {
        let [n2, n1, n0] = self.svf.numerator();
        let tan_half = (w / 2.0).tan();
        let s = Complex64::new(0.0, tan_half / self.svf.g);
        // Beyond 1 both sides are divided by s^2, so that half the rate (tan_half huge) neither overflows nor divides
        // infinities. The slope is dH/ds ds/dw with d(tan(w/2))/dw = (1 + tan^2)/2.
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

    /// The phase in radians at `w` radians per frame, continuous from 0 to pi but for the turns at zeros on the unit
    /// circle.
    pub fn phase_rad(&self, w: f64) -> f64 {
        let [n2, n1, n0] = self.svf.numerator();
        let x = (w / 2.0).tan() / self.svf.g;
        // Along s = i x each of both quadratics passes the imaginary axis once at most, so that its angle stays within
        // -pi..pi.
        let angle = |[c2, c1, c0]: [f64; 3]| {
            if x.abs() <= 1.0 { (c1 * x).atan2(c0 - c2 * x * x) } else { (c1 / x).atan2(c0 / (x * x) - c2) }
        };
        angle([n2, n1, n0]) - angle([1.0, self.svf.k, 1.0])
    }
}

impl Svf {
    /// The numerator over `s^2 + k s + 1`: `[n2, n1, n0]`.
    fn numerator(&self) -> [f64; 3] {
        let [m0, m1, m2] = self.m;
        [m0, m0 * self.k + m1, m0 + m2]
    }
}

/// A ratio of quadratics in `s`, and its slope given that of `s`.
fn ratio(numerator: [f64; 3], denominator: [f64; 3], s: Complex64, slope: Complex64) -> (Complex64, Complex64) {
    let at = |[c2, c1, c0]: [f64; 3]| ((s * c2 + c1) * s + c0, s * (2.0 * c2) + c1);
    let ((n, dn), (d, dd)) = (at(numerator), at(denominator));
    (n / d, (dn * d - n * dd) / (d * d) * slope)
}
