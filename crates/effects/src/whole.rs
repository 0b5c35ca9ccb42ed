//! The measurements of their whole input that effects need before its first frame.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A measurement of the whole input that an effect needs before its first frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WholeSignal {
    /// The largest sample magnitude.
    SamplePeak,
    /// The largest magnitude including between samples (ITU-R BS.1770-4, annex 2).
    TruePeak,
    /// The root of the mean square.
    Rms,
    /// The magnitude that the given share of all samples does not exceed.
    Percentile(f64),
    /// The gated, integrated loudness (EBU R 128).
    Loudness,
    /// The same, and the true peaks in [`Measured::true_peaks`].
    LoudnessAndPeak,
    /// Where sound begins and ends: the first and the last frame with a sample above the given gain.
    Sound(f64),
    /// The noise profile of the part from `from_s` to `to_s`, or of the quietest parts if that is empty.
    /// [`Measured::channels`] then holds the root of the mean power, channel by channel and bin by bin.
    Noise {
        /// The start of a part with noise only, in seconds.
        from_s: f64,
        /// The end of that part, in seconds.
        to_s: f64,
    },
    /// The number of frames. It is known without reading the signal.
    Frames,
}

impl WholeSignal {
    /// Returns whether the measurement needs a pass over the whole signal.
    pub fn needs_pass(self) -> bool {
        self != Self::Frames
    }
}

/// A part of a signal that a measurement is about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPart {
    /// Its start in seconds.
    pub from_s: f64,
    /// Its end in seconds.
    pub to_s: f64,
}

/// The measurement of an effect's whole input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The kind of measurement.
    pub what: WholeSignal,
    /// The part that was measured; `None` for all of it.
    #[serde(default)]
    pub part: Option<MeasuredPart>,
    /// The length of the input in frames.
    pub frames: u64,
    /// The level of each channel as a gain; for loudness, the gain whose value in dB is the LUFS value. 0 for silence.
    /// Empty if no level was requested.
    pub channels: Vec<f64>,
    /// The level of all channels together.
    pub together: f64,
    /// The true peak of each channel as a gain, if requested together with another level.
    #[serde(default)]
    pub true_peaks: Vec<f64>,
    /// From the first frame with sound to the end of the last. `None` if there is none, or if it was not requested.
    pub sound: Option<Range<u64>>,
}

impl Measured {
    /// A measurement of the length only.
    pub fn length(frames: u64) -> Self {
        Self {
            what: WholeSignal::Frames,
            part: None,
            frames,
            channels: Vec::new(),
            together: 0.0,
            true_peaks: Vec::new(),
            sound: None,
        }
    }

    /// A measurement of levels of a signal of `frames` frames.
    pub fn levels(what: WholeSignal, frames: u64, channels: Vec<f64>, together: f64) -> Self {
        Self { what, part: None, frames, channels, together, true_peaks: Vec::new(), sound: None }
    }

    /// A measurement of sample peaks, as gains. `NaN` ranks above every number.
    pub fn peaks(frames: u64, channels: Vec<f64>) -> Self {
        let most = |most: f64, peak: &f64| if peak.is_nan() || most.is_nan() { f64::NAN } else { most.max(*peak) };
        let together = channels.iter().fold(0.0, most);
        Self::levels(WholeSignal::SamplePeak, frames, channels, together)
    }
}
