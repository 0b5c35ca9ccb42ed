//! The ballistics of a spectrum: averages over time and held peaks, bin by bin, in power.

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// How spectra are averaged, with the time constants of sound level meters (IEC 61672-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "AnalyserAveraging")]
pub enum Averaging {
    /// No averaging.
    #[default]
    Off,
    /// Exponential, with a time constant of 125 ms.
    Fast,
    /// Exponential, with a time constant of 1 s.
    Slow,
}

impl Averaging {
    /// Returns the time constant in seconds; `None` without averaging.
    pub fn time_constant_s(self) -> Option<f64> {
        match self {
            Self::Off => None,
            Self::Fast => Some(0.125),
            Self::Slow => Some(1.0),
        }
    }
}

/// How peaks are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "AnalyserHold")]
pub enum Hold {
    /// Peaks are not held.
    #[default]
    Off,
    /// Peaks are held for [`HOLD_S`], then fall at [`FALL_DB_S`].
    Decay,
    /// Peaks are held until a reset.
    UntilReset,
}

/// The time in seconds for which a peak is held before it falls.
pub const HOLD_S: f64 = 1.0;
/// The rate at which it falls afterwards, in dB per second.
pub const FALL_DB_S: f64 = 20.0;

/// An exponential moving average of power spectra.
#[derive(Debug)]
pub(super) struct Average {
    averaging: Averaging,
    power: Vec<f32>,
}

impl Average {
    pub fn new(averaging: Averaging) -> Self {
        Self { averaging, power: Vec::new() }
    }

    /// Adds a spectrum `seconds` after the previous one and returns the average. The first spectrum is taken unchanged.
    pub fn add(&mut self, power: &[f32], seconds: f64) -> &[f32] {
        match self.averaging.time_constant_s().filter(|_| self.power.len() == power.len()) {
            None => {
                self.power.clear();
                self.power.extend_from_slice(power);
            }
            Some(constant_s) => {
                let share = (1.0 - (-seconds.max(0.0) / constant_s).exp()) as f32;
                for (average, &now) in self.power.iter_mut().zip(power) {
                    *average += share * (now - *average);
                }
            }
        }
        &self.power
    }

    pub fn power(&self) -> &[f32] {
        &self.power
    }
}

/// The held peaks of each bin.
#[derive(Debug)]
pub(super) struct HeldPeaks {
    hold: Hold,
    power: Vec<f32>,
    stood_s: Vec<f32>,
}

impl HeldPeaks {
    pub fn new(hold: Hold) -> Self {
        Self { hold, power: Vec::new(), stood_s: Vec::new() }
    }

    /// Adds a spectrum `seconds` after the previous one.
    pub fn add(&mut self, power: &[f32], seconds: f64) {
        if self.hold == Hold::Off {
            return;
        }
        self.power.resize(power.len(), 0.0);
        self.stood_s.resize(power.len(), 0.0);
        for ((held, stood_s), &now) in self.power.iter_mut().zip(&mut self.stood_s).zip(power) {
            *stood_s += seconds as f32;
            if self.hold == Hold::Decay {
                // Only the time beyond the hold time counts as falling.
                let falling_s = (f64::from(*stood_s) - HOLD_S).clamp(0.0, seconds.max(0.0));
                *held *= 10f64.powf(-FALL_DB_S * falling_s / 10.0) as f32;
            }
            if now >= *held {
                *held = now;
                *stood_s = 0.0;
            }
        }
    }

    /// Returns the held powers; `None` if peaks are not held.
    pub fn power(&self) -> Option<&[f32]> {
        (self.hold != Hold::Off).then_some(self.power.as_slice())
    }
}
