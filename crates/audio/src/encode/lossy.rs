//! The settings and limits of the lossy formats.

use serde::{Deserialize, Serialize};

use super::{FileFormat, SampleFormat};
use crate::{AudioFormat, Layout, Speaker};
use base::declared::TS;
use base::error::{Error, Result};
use base::units::SampleRate;

/// How lossy formats are written. Each format reads its own fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LossySettings {
    /// Vorbis: quality from -1 (about 45 kbit/s for stereo at 44.1 kHz) to 10 (about 500 kbit/s).
    pub vorbis_quality: f64,
    /// Opus: bit rate of all channels in kbit/s, 6 to 256 per channel; `None` means 64 per channel.
    pub opus_kbps: Option<u32>,
    /// Opus: whether the bit rate is kept nearly constant for streaming. Otherwise, the quality is kept constant.
    pub opus_constrained: bool,
    /// Opus: encoder complexity, 0 to 10.
    pub opus_complexity: u8,
    /// Opus: the kind of signal.
    pub opus_application: OpusApplication,
    /// MP3: quality of a variable bit rate, from 0 (V0, the best) to 9 (V9).
    pub mp3_quality: u8,
    /// MP3: a constant bit rate in kbit/s, instead of a variable one.
    pub mp3_kbps: Option<u32>,
}

/// The goal that Opus optimises for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OpusApplication {
    /// Fidelity, for music and mixed content.
    #[default]
    Audio,
    /// Intelligibility of speech at low bit rates.
    Speech,
}

impl Default for LossySettings {
    fn default() -> Self {
        Self {
            vorbis_quality: 5.0,
            opus_kbps: None,
            opus_constrained: false,
            opus_complexity: 10,
            opus_application: OpusApplication::Audio,
            mp3_quality: 2,
            mp3_kbps: None,
        }
    }
}

/// The constant bit rates of MP3 in kbit/s.
pub const MP3_KBPS: [u32; 16] = [8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
/// The sample rates of MPEG-1, 2 and 2.5 in Hz.
const MP3_RATES: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/// The lowest and highest sample rate that Vorbis is tuned for, in Hz.
const VORBIS_HZ: (u32, u32) = (8_000, 192_000);
/// The only sample rate of Opus in Ogg, in Hz.
const OPUS_HZ: u32 = 48_000;

impl LossySettings {
    /// Checks the settings for `format` with `channels` channels.
    pub fn check(&self, format: FileFormat, channels: usize) -> Result<()> {
        match format {
            FileFormat::Vorbis if !(-1.0..=10.0).contains(&self.vorbis_quality) => {
                Err(Error::invalid("quality of Vorbis", self.vorbis_quality.to_string(), "-1 to 10"))
            }
            FileFormat::Opus => {
                if self.opus_complexity > 10 {
                    return Err(Error::invalid("complexity of Opus", self.opus_complexity.to_string(), "0 to 10"));
                }
                let kbps = self.opus_kbps(channels);
                let range = 6 * channels as u32..=256 * channels as u32;
                if range.contains(&kbps) {
                    return Ok(());
                }
                let allowed = format!("{} to {} kbit/s for {channels} channels", range.start(), range.end());
                Err(Error::invalid("bit rate of Opus", format!("{kbps} kbit/s"), allowed))
            }
            FileFormat::Mp3 => {
                if self.mp3_quality > 9 {
                    return Err(Error::invalid("quality of MP3", self.mp3_quality.to_string(), "0 to 9"));
                }
                match self.mp3_kbps {
                    Some(kbps) if !MP3_KBPS.contains(&kbps) => {
                        let allowed = MP3_KBPS.map(|kbps| kbps.to_string()).join(", ");
                        Err(Error::invalid("bit rate of MP3", format!("{kbps} kbit/s"), allowed))
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns the bit rate of an Opus stream in kbit/s.
    pub fn opus_kbps(&self, channels: usize) -> u32 {
        self.opus_kbps.unwrap_or(64 * channels as u32)
    }
}

impl FileFormat {
    /// Returns whether the format is lossy. Lossy formats have no sample format and no dither.
    pub const fn is_lossy(self) -> bool {
        matches!(self, Self::Vorbis | Self::Opus | Self::Mp3)
    }

    /// Returns whether samples beyond full scale are clipped when they are written: integers are; floats and lossy
    /// formats are not.
    pub fn clips(self, sample: SampleFormat) -> bool {
        !self.is_lossy() && sample != SampleFormat::Float32
    }

    /// Returns the best rate for a stream of rate `rate`: the same rate if the format supports it, otherwise the next
    /// higher one, otherwise the highest.
    pub fn rate_for(self, rate: SampleRate) -> SampleRate {
        let hz = match self {
            Self::Opus => OPUS_HZ,
            Self::Vorbis => rate.hz().clamp(VORBIS_HZ.0, VORBIS_HZ.1),
            Self::Mp3 => *MP3_RATES.iter().find(|hz| **hz >= rate.hz()).unwrap_or(&MP3_RATES[8]),
            Self::Wav | Self::Flac => return rate,
        };
        SampleRate::new(hz).unwrap_or(rate)
    }

    /// Checks that the format supports a sample rate.
    pub fn check_rate(self, rate: SampleRate) -> Result<()> {
        let fits = self.rate_for(rate);
        if fits == rate {
            return Ok(());
        }
        let allowed = match self {
            Self::Opus => "48000 Hz, the only one".to_owned(),
            Self::Vorbis => format!("{} to {} Hz", VORBIS_HZ.0, VORBIS_HZ.1),
            _ => MP3_RATES.map(|hz| hz.to_string()).join(", ") + " Hz",
        };
        Err(Error::invalid(format!("sample rate of {} file", self.name()), rate.to_string(), allowed))
    }

    /// Returns the name with its article for messages: "an Opus".
    const fn name(self) -> &'static str {
        match self {
            Self::Wav => "a WAV",
            Self::Flac => "a FLAC",
            Self::Vorbis => "a Vorbis",
            Self::Opus => "an Opus",
            Self::Mp3 => "an MP3",
        }
    }

    /// Checks that the format supports a number of channels and their layout.
    pub fn check_layout(self, format: AudioFormat) -> Result<()> {
        self.check_channels(format.channels)?;
        if matches!(self, Self::Wav | Self::Flac) {
            return Ok(());
        }
        let usual = Layout::usual(format.channels);
        let Some(layout) = format.layout().filter(|layout| usual.is_some_and(|usual| !is_laid_out(*layout, usual)))
        else {
            return Ok(());
        };
        let held = usual.map(|usual| usual.to_string()).unwrap_or_default();
        Err(Error::unsupported(
            format!("The layout {layout} in {} file", self.name()),
            format!(
                "With {} channels it is always {held}. Choose WAV or FLAC, or mix the channels with the effect downmix",
                format.channels
            ),
        ))
    }

    /// Returns, in words, how the layout of a file of this format will differ; `None` if it will not.
    pub fn layout_limit(self, format: AudioFormat) -> Option<String> {
        let (layout, usual) = (format.layout()?, Layout::usual(format.channels)?);
        let differs = self.is_lossy() && layout != usual && is_laid_out(layout, usual);
        differs.then(|| {
            format!(
                "The layout {layout} becomes {usual}: in {} file, the side channels are the rear ones.",
                self.name()
            )
        })
    }

    /// Checks that the format supports a number of channels.
    pub fn check_channels(self, channels: usize) -> Result<()> {
        let most = match self {
            Self::Vorbis | Self::Opus => 8,
            Self::Mp3 => 2,
            Self::Wav | Self::Flac => return Ok(()),
        };
        if (1..=most).contains(&channels) {
            return Ok(());
        }
        Err(Error::Limit {
            what: format!("the number of channels of {} file", self.name()),
            got: channels.to_string(),
            limit: format!("{most}, but not in WAV"),
        })
    }
}

/// Returns whether the channels of one layout, in order, are those of the other, if the same pair of surround channels
/// may be called the sides or the rear.
fn is_laid_out(layout: Layout, as_other: Layout) -> bool {
    let place = |speaker| match speaker {
        Speaker::SideLeft => Speaker::BackLeft,
        Speaker::SideRight => Speaker::BackRight,
        other => other,
    };
    layout == as_other || layout.speakers().map(place).eq(as_other.speakers().map(place))
}
