//! Prewarped frequencies: the bilinear transform maps them to the requested frequencies.

use std::f64::consts::PI;

/// A frequency between 0 and the Nyquist frequency, as its position `tan(pi f / rate)` on the imaginary axis of the
/// bilinear transform's plane.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Warped(f64);

impl Warped {
    /// Warps `hz` at a sample rate of `rate_hz`. Returns `None` unless `0 < hz < rate_hz / 2`.
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

/// A frequency band in the form that band-pass and band-stop designs use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The geometric mean of the two warped edges.
    pub center: f64,
    /// The difference between the two warped edges.
    pub width: f64,
}

impl Band {
    /// The band from `low_hz` to `high_hz` at a sample rate of `rate_hz`. Returns `None` unless
    /// `0 < low_hz < high_hz < rate_hz / 2`.
    pub fn new(low_hz: f64, high_hz: f64, rate_hz: f64) -> Option<Self> {
        let low = Warped::new(low_hz, rate_hz)?.get();
        let high = Warped::new(high_hz, rate_hz)?.get();
        // tan a - tan b = sin(a - b) (1 + tan a tan b) / cos(a - b) keeps the precision of a narrow band.
        let width = (PI * ((high_hz - low_hz) / rate_hz)).tan() * (1.0 + low * high);
        (high_hz > low_hz && width.is_normal()).then_some(Self { center: low.sqrt() * high.sqrt(), width })
    }
}
