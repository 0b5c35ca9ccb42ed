//! Frequencies where filters are designed: warped so that the bilinear transform puts them where they were asked for.

use std::f64::consts::PI;

/// A frequency between 0 and half the rate, as its place on the imaginary axis of the bilinear transform's plane:
/// `tan(pi f / rate)`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Warped(f64);

impl Warped {
    /// The place of `hz` at `rate_hz`; none unless `0 < hz < rate_hz / 2`.
    pub fn new(hz: f64, rate_hz: f64) -> Option<Self> {
        let inside = hz > 0.0 && hz < rate_hz / 2.0;
        let place = (PI * (hz / rate_hz)).tan();
        (inside && place.is_normal()).then_some(Self(place))
    }

    /// `tan(pi f / rate)`.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A band between two frequencies, as a band-pass or band-stop design needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Geometric centre of the two warped edges.
    pub center: f64,
    /// Distance of the two warped edges.
    pub width: f64,
}

impl Band {
    /// The band from `low_hz` to `high_hz` at `rate_hz`; none unless `0 < low_hz < high_hz < rate_hz / 2`.
    pub fn new(low_hz: f64, high_hz: f64, rate_hz: f64) -> Option<Self> {
        let low = Warped::new(low_hz, rate_hz)?.get();
        let high = Warped::new(high_hz, rate_hz)?.get();
        // tan a - tan b = sin(a - b) (1 + tan a tan b) / cos(a - b): a narrow band keeps its digits.
        let width = (PI * ((high_hz - low_hz) / rate_hz)).tan() * (1.0 + low * high);
        (high_hz > low_hz && width.is_normal()).then_some(Self { center: low.sqrt() * high.sqrt(), width })
    }
}
