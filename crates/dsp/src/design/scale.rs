//! Frequency scales: linear, logarithmic and perceptual frequency axes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use base::declared::TS;
use base::error::{Error, Result};

/// A frequency axis. Positions increase with frequency; their unit depends on the scale.
///
/// The window offers one mel scale, that of the HTK book, as `mel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FrequencyScale {
    /// Hertz.
    Linear,
    /// Octaves above 1 Hz: `log2 f`. 0 Hz is not on this scale.
    Log,
    /// Mels of M. Slaney's Auditory Toolbox (1998): linear up to 1 kHz at 15 mels, logarithmic above.
    #[serde(skip)]
    Mel,
    /// Mels of the HTK book (2006): `2595 log10(1 + f/700)`.
    #[serde(rename = "mel")]
    MelHtk,
    /// Bark, the critical-band rate: `26.81 f / (1960 + f) - 0.53` (H. Traunmüller, JASA 88, 1990).
    Bark,
    /// ERB-rate, the number of equivalent rectangular bandwidths below a frequency: `21.4 log10(1 + 0.00437 f)` (B.
    /// Glasberg and B. Moore, Hearing Research 47, 1990).
    Erb,
}

/// Slaney's scale: the width of a mel in hertz below the break, and the frequency at which the scale becomes
/// logarithmic.
const SLANEY_STEP_HZ: f64 = 200.0 / 3.0;
const SLANEY_BREAK_HZ: f64 = 1000.0;
const SLANEY_BREAK_MEL: f64 = SLANEY_BREAK_HZ / SLANEY_STEP_HZ;
/// On Slaney's scale, 27 mels span the frequency ratio 6.4, from 1 kHz to 6.4 kHz.
const SLANEY_TOP: (f64, f64) = (6.4, 27.0);

const NAMED: &[(&str, FrequencyScale)] = &[
    ("linear", FrequencyScale::Linear),
    ("log", FrequencyScale::Log),
    ("mel", FrequencyScale::Mel),
    ("mel_htk", FrequencyScale::MelHtk),
    ("bark", FrequencyScale::Bark),
    ("erb", FrequencyScale::Erb),
];

impl FrequencyScale {
    /// Returns the position of a frequency of 0 Hz or more.
    pub fn position_from_hz(self, hz: f64) -> f64 {
        match self {
            Self::Linear => hz,
            Self::Log => hz.log2(),
            Self::Mel if hz < SLANEY_BREAK_HZ => hz / SLANEY_STEP_HZ,
            Self::Mel => SLANEY_BREAK_MEL + (hz / SLANEY_BREAK_HZ).ln() * SLANEY_TOP.1 / SLANEY_TOP.0.ln(),
            Self::MelHtk => 2595.0 * (hz / 700.0).ln_1p() / std::f64::consts::LN_10,
            Self::Bark => 26.81 * hz / (1960.0 + hz) - 0.53,
            Self::Erb => 21.4 * (0.00437 * hz).ln_1p() / std::f64::consts::LN_10,
        }
    }

    /// Returns the frequency at a position, the inverse of [`FrequencyScale::position_from_hz`].
    pub fn hz_from_position(self, position: f64) -> f64 {
        match self {
            Self::Linear => position,
            Self::Log => position.exp2(),
            Self::Mel if position < SLANEY_BREAK_MEL => position * SLANEY_STEP_HZ,
            Self::Mel => SLANEY_BREAK_HZ * ((position - SLANEY_BREAK_MEL) * SLANEY_TOP.0.ln() / SLANEY_TOP.1).exp(),
            Self::MelHtk => 700.0 * (position * std::f64::consts::LN_10 / 2595.0).exp_m1(),
            Self::Bark => 1960.0 * (position + 0.53) / (26.28 - position),
            Self::Erb => (position * std::f64::consts::LN_10 / 21.4).exp_m1() / 0.00437,
        }
    }

    /// Returns `count` frequencies in hertz, evenly spaced on the scale from `low_hz` to `high_hz` inclusive.
    pub fn spaced(self, low_hz: f64, high_hz: f64, count: usize) -> Vec<f64> {
        let (low, high) = (self.position_from_hz(low_hz), self.position_from_hz(high_hz));
        let step = (high - low) / (count.max(2) - 1) as f64;
        (0..count).map(|i| self.hz_from_position(low + i as f64 * step)).collect()
    }
}

impl fmt::Display for FrequencyScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = NAMED.iter().find(|(_, scale)| scale == self).ok_or(fmt::Error)?;
        f.write_str(name)
    }
}

impl FromStr for FrequencyScale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = NAMED.iter().find(|(name, _)| *name == text);
        found.map(|(_, scale)| *scale).ok_or_else(|| {
            let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
            Error::invalid("frequency scale", text, names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_frequencies_invert_and_grow() {
        for (name, scale) in NAMED {
            assert_eq!(name.parse::<FrequencyScale>().unwrap(), *scale);
            assert_eq!(scale.to_string(), *name);
            let mut before = f64::NEG_INFINITY;
            for step in 0..=2000 {
                let hz = 0.5 * 1.006_f64.powi(step);
                let place = scale.position_from_hz(hz);
                assert!(place > before, "{name} at {hz} Hz");
                before = place;
                let back = scale.hz_from_position(place);
                assert!((back / hz - 1.0).abs() < 1e-10, "{name}: {hz} Hz came back as {back}");
            }
        }
        assert!("Mel".parse::<FrequencyScale>().unwrap_err().to_string().contains("mel_htk"));
    }

    #[test]
    fn known_places() {
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-3, "{got}, expected {expected}");
        near(FrequencyScale::Mel.position_from_hz(60.0), 0.9);
        near(FrequencyScale::Mel.position_from_hz(6400.0), 42.0);
        near(FrequencyScale::MelHtk.position_from_hz(1000.0), 999.9855);
        near(FrequencyScale::Bark.position_from_hz(1000.0), 8.5274);
        near(FrequencyScale::Erb.position_from_hz(1000.0), 15.6214);
        near(FrequencyScale::Log.position_from_hz(1024.0), 10.0);
    }

    #[test]
    fn spaced_frequencies_keep_their_ends() {
        let spaced = FrequencyScale::Log.spaced(20.0, 20_480.0, 11);
        for (octave, hz) in spaced.iter().enumerate() {
            assert!((hz / (20.0 * f64::from(1 << octave)) - 1.0).abs() < 1e-12);
        }
        assert_eq!(FrequencyScale::Linear.spaced(10.0, 20.0, 1), [10.0]);
    }
}
