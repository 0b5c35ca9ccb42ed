//! The plan of pitch detection: lags, threshold and transforms.

use super::correlate::Hops;
use base::error::{Error, Result};

/// The range and the threshold of pitch detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YinSpec {
    /// The lowest pitch in hertz.
    pub low_hz: f64,
    /// The highest pitch in hertz.
    pub high_hz: f64,
    /// The normalised difference below which a minimum is a period, 0 to 1.
    pub threshold: f64,
}

impl Default for YinSpec {
    /// Returns the range from C2 to C7 (65 to 2093 Hz) with a threshold of 0.15.
    fn default() -> Self {
        Self { low_hz: 65.0, high_hz: 2093.0, threshold: 0.15 }
    }
}

/// Planned pitch detection in windows of four hops.
#[derive(Clone)]
pub struct YinPlan {
    pub(super) hop: usize,
    pub(super) rate_hz: f64,
    pub(super) shortest: usize,
    pub(super) longest: usize,
    pub(super) threshold: f32,
    pub(super) hops: Hops,
}

impl std::fmt::Debug for YinPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("YinPlan").field("hop", &self.hop).field("longest", &self.longest).finish_non_exhaustive()
    }
}

impl YinPlan {
    /// Plans pitch detection at a sample rate. Pitches above a quarter of the rate are not detected.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a pitch range that is empty or too low, a threshold outside 0..1, or a hop that is not a
    /// multiple of four frames.
    pub fn new(hop: usize, rate_hz: f64, spec: YinSpec) -> Result<Self> {
        let YinSpec { low_hz, high_hz, threshold } = spec;
        if hop == 0 || !hop.is_multiple_of(4) {
            return Err(Error::invalid("hop for pitch", format!("{hop} frames"), "a multiple of four"));
        }
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::invalid("pitch threshold", threshold.to_string(), "0 to 1"));
        }
        let high_hz = high_hz.min(rate_hz / 4.0);
        let least = rate_hz / (2 * hop) as f64;
        if !(low_hz >= least && low_hz < high_hz) {
            let allowed = format!("{least:.1} Hz or more, and below {high_hz:.1} Hz");
            return Err(Error::invalid("lowest pitch", format!("{low_hz} Hz"), allowed));
        }
        let longest = ((rate_hz / low_hz).ceil() as usize).min(2 * hop);
        Ok(Self {
            hop,
            rate_hz,
            shortest: (rate_hz / high_hz).floor() as usize,
            longest,
            threshold: threshold as f32,
            hops: Hops::new(hop, longest),
        })
    }

    /// Returns the number of frames that a window needs on either side of its centre.
    pub fn reach(&self) -> usize {
        2 * self.hop
    }
}
