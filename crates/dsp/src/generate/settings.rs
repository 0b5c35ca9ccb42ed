//! The settings of a generated stream, and their checks.

use serde::{Deserialize, Serialize};

use super::harmonics::MAX_HARMONICS;
use super::{clicks, dtmf};
use base::declared::TS;
use base::error::{Error, Result};
use base::sound::AudioFormat;

/// The longest stream in seconds: seven days.
pub const MAX_SECONDS: u64 = 7 * 24 * 3600;
/// The largest number of channels.
pub const MAX_CHANNELS: usize = 64;
/// The range of levels in dB.
pub const LEVELS_DB: std::ops::RangeInclusive<f64> = -200.0..=0.0;

/// A stream to generate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct GeneratorSettings {
    /// The signal.
    pub signal: Signal,
    /// The sample rate and the number of channels. Noise differs by channel; other signals are the same in all.
    pub format: AudioFormat,
    /// The length in frames.
    pub frames: u64,
    /// The level in dBFS: of the expected RMS for noise, of the peak for other signals.
    pub level_db: f64,
    /// The seed of noise. The same seed gives the same noise.
    pub seed: u64,
}

/// A kind of signal with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Signal {
    /// A sine that begins at 0 and rises.
    Sine {
        /// The frequency in Hz.
        frequency_hz: f64,
    },
    /// A square of all odd harmonics below half the sample rate. It begins at 0 on its rising edge.
    Square {
        /// The frequency in Hz.
        frequency_hz: f64,
    },
    /// A rising saw of all harmonics below half the sample rate. It begins at 0 in the middle of its slope.
    Saw {
        /// The frequency in Hz.
        frequency_hz: f64,
    },
    /// A triangle of all odd harmonics below half the sample rate. It begins at 0 and rises.
    Triangle {
        /// The frequency in Hz.
        frequency_hz: f64,
    },
    /// A sine whose frequency changes over the whole length, up or down.
    Sweep {
        /// The frequency in Hz at the first frame.
        from_hz: f64,
        /// The frequency in Hz at the end.
        to_hz: f64,
        /// How the frequency changes.
        scale: SweepScale,
    },
    /// White noise.
    White {
        /// The distribution of its samples.
        distribution: Distribution,
    },
    /// Pink noise: -3.01 dB per octave from 20 Hz to half the sample rate.
    Pink,
    /// Brown noise: -6.02 dB per octave from 20 Hz to half the sample rate.
    Brown,
    /// Single positive samples at equal distances, the first at frame 0. Impulse `k` is at the frame nearest to
    /// `k * interval_frames`.
    Impulses {
        /// The distance in frames, at least 1; it need not be whole.
        interval_frames: f64,
    },
    /// Samples of exactly 0.
    Silence,
    /// Signals of a telephone keypad: two sines for each digit, with the frequencies of ITU-T Q.23.
    Dtmf {
        /// The digits: `0` to `9`, `*`, `#`, `A` to `D`.
        digits: String,
        /// The length of a tone in frames.
        tone_frames: u64,
        /// The length of the pause between tones in frames.
        pause_frames: u64,
    },
    /// The clicks of a metronome, the first at frame 0.
    Clicks {
        /// The tempo in beats per minute.
        bpm: f64,
        /// The number of beats of a bar, whose first has an accent; 1 for clicks without accents.
        beats: u32,
    },
}

/// How the frequency of a sweep changes over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, TS)]
#[serde(rename_all = "snake_case")]
pub enum SweepScale {
    /// By the same number of Hz in equal times
    Linear,
    /// By the same ratio in equal times
    Log,
}

/// The distribution of the samples of white noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, TS)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Uniform: the peak is 4.77 dB above the RMS
    Uniform,
    /// Gaussian: rare samples are 15 dB above the RMS
    Gaussian,
}

impl Signal {
    /// Returns whether the signal is noise, whose level is an RMS.
    pub fn is_noise(&self) -> bool {
        matches!(self, Self::White { .. } | Self::Pink | Self::Brown)
    }
}

impl GeneratorSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a value out of its range; frequencies must be above 0 and below half the sample rate.
    pub fn check(&self) -> Result<()> {
        let rate = self.format.rate;
        let most = MAX_SECONDS * u64::from(rate.hz());
        if !(1..=most).contains(&self.frames) {
            let seconds = rate.seconds_from_frames(self.frames);
            let got = if self.frames == 0 { "0 frames".into() } else { format!("{seconds:.0} s") };
            return Err(Error::invalid("length", got, format!("at least one frame and at most {MAX_SECONDS} s")));
        }
        if !(1..=MAX_CHANNELS).contains(&self.format.channels) {
            let channels = self.format.channels.to_string();
            return Err(Error::invalid("number of channels", channels, format!("1 to {MAX_CHANNELS}")));
        }
        if !LEVELS_DB.contains(&self.level_db) {
            let allowed = format!("{} to {} dBFS", LEVELS_DB.start(), LEVELS_DB.end());
            return Err(Error::invalid("level", format!("{} dBFS", self.level_db), allowed));
        }
        match &self.signal {
            Signal::Sine { frequency_hz } => self.check_frequency("frequency", *frequency_hz),
            Signal::Square { frequency_hz } | Signal::Saw { frequency_hz } | Signal::Triangle { frequency_hz } => {
                self.check_frequency("frequency", *frequency_hz)?;
                let lowest = rate.nyquist_hz() / MAX_HARMONICS as f64;
                if *frequency_hz < lowest {
                    let allowed =
                        format!("at least {lowest:.3} Hz at {rate}: a tone has up to {MAX_HARMONICS} harmonics");
                    return Err(Error::invalid("frequency", format!("{frequency_hz} Hz"), allowed));
                }
                Ok(())
            }
            Signal::Sweep { from_hz, to_hz, .. } => {
                self.check_frequency("start frequency of the sweep", *from_hz)?;
                self.check_frequency("end frequency of the sweep", *to_hz)
            }
            Signal::White { .. } | Signal::Pink | Signal::Brown | Signal::Silence => Ok(()),
            Signal::Impulses { interval_frames } => {
                if (1.0..=most as f64).contains(interval_frames) {
                    return Ok(());
                }
                let got = format!("{interval_frames} frames");
                Err(Error::invalid(
                    "interval of impulses",
                    got,
                    format!("at least one frame and at most {MAX_SECONDS} s"),
                ))
            }
            Signal::Dtmf { digits, tone_frames, pause_frames } => {
                dtmf::check(digits, *tone_frames, *pause_frames, self.frames, rate)
            }
            Signal::Clicks { bpm, beats } => clicks::check(*bpm, *beats, rate),
        }
    }

    fn check_frequency(&self, what: &str, hz: f64) -> Result<()> {
        let rate = self.format.rate;
        if hz > 0.0 && hz < rate.nyquist_hz() {
            return Ok(());
        }
        let allowed = format!("above 0 Hz and below {} Hz, half the sample rate of {rate}", rate.nyquist_hz());
        Err(Error::invalid(what, format!("{hz} Hz"), allowed))
    }
}
