//! What effects must know of their whole input before its first frame comes out, and what was found.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What an effect must know of its whole input before its first frame comes out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WholeSignal {
    /// The largest sample magnitude.
    SamplePeak,
    /// The largest magnitude between samples too (ITU-R BS.1770-4, annex 2).
    TruePeak,
    /// The root of the mean square.
    Rms,
    /// The magnitude that this share of all samples does not exceed.
    Percentile(f64),
    /// The gated, integrated loudness (EBU R 128).
    Loudness,
    /// The same, and the true peaks ([`Measured::true_peaks`]).
    LoudnessAndPeak,
    /// Where sound begins and ends: the first and the last frame with a sample above this gain.
    Sound(f64),
    /// The noise's profile (`from_s` to `to_s` of it, or what is quietest where that is no time), for [`Measured::channels`]:
    /// the root of its mean power, channel by channel, bin by bin.
    Noise {
        /// Where noise alone begins, in seconds.
        from_s: f64,
        /// Where it ends.
        to_s: f64,
    },
    /// How many frames there are. That is known without listening.
    Frames,
}

impl WholeSignal {
    /// Whether the whole signal must be gone through to find out.
    pub fn needs_pass(self) -> bool {
        self != Self::Frames
    }
}

/// What was measured of an effect's whole input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What the levels are of.
    pub what: WholeSignal,
    /// Frames of the input.
    pub frames: u64,
    /// The level of each channel by itself, as a gain; loudness as the gain whose decibels are LUFS. 0 for silence,
    /// and where it was not asked for a level.
    pub channels: Vec<f64>,
    /// The level of all channels together.
    pub together: f64,
    /// The true peak of each channel, as a gain, where that was asked beside another level.
    #[serde(default)]
    pub true_peaks: Vec<f64>,
    /// From the first frame that sounds to behind the last; none where nothing does, and where that was not asked.
    pub sound: Option<Range<u64>>,
}

impl Measured {
    /// The length alone.
    pub fn length(frames: u64) -> Self {
        Self {
            what: WholeSignal::Frames,
            frames,
            channels: Vec::new(),
            together: 0.0,
            true_peaks: Vec::new(),
            sound: None,
        }
    }

    /// Levels of a signal of so many frames.
    pub fn levels(what: WholeSignal, frames: u64, channels: Vec<f64>, together: f64) -> Self {
        Self { what, frames, channels, together, true_peaks: Vec::new(), sound: None }
    }

    /// The sample peaks of channels, as gains.
    pub fn peaks(frames: u64, channels: Vec<f64>) -> Self {
        let together = channels.iter().copied().fold(0.0, f64::max);
        Self::levels(WholeSignal::SamplePeak, frames, channels, together)
    }
}
