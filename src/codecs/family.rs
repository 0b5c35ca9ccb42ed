//! The codecs that this program has.

use super::Codec;
use super::depth::Depth;
use super::file_codec::FileCodec;
use super::rate::Rate;
use crate::audio::encode::FileFormat;
use crate::error::Result;

/// A codec and what its settings mean.
#[derive(Debug)]
pub struct Family {
    /// The name, in commands and results.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What a setting means, and what is allowed.
    pub settings: &'static str,
    /// The setting where none is given; `None` if one is needed.
    pub usual: Option<&'static str>,
    /// The sample rates; others are converted.
    pub rates: &'static str,
    /// The numbers of channels.
    pub channels: &'static str,
    /// The algorithmic delay.
    pub latency: &'static str,
    make: fn(&str) -> Result<Box<dyn Codec>>,
    available: fn() -> Result<()>,
}

impl Family {
    /// Makes a codec of a setting.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`], with what is allowed, for a wrong setting.
    pub fn codec(&self, setting: &str) -> Result<Box<dyn Codec>> {
        (self.make)(setting)
    }

    /// Checks that this system can encode.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`], with how to get the encoder.
    pub fn check_available(&self) -> Result<()> {
        (self.available)()
    }
}

fn always() -> Result<()> {
    Ok(())
}

/// All codecs, in the order in which they are shown.
pub static FAMILIES: [Family; 6] = [
    Family {
        name: "opus",
        title: "Opus (libopus)",
        settings: "bit rate of all channels in kbit/s, 6 to 256 for each channel",
        usual: Some("96"),
        rates: "48000 Hz",
        channels: "1 to 8",
        latency: "26.5 ms",
        make: FileCodec::opus,
        available: always,
    },
    Family {
        name: "vorbis",
        title: "Vorbis (aoTuV)",
        settings: "quality, q-1 to q10",
        usual: Some("q4"),
        rates: "8000 to 192000 Hz",
        channels: "1 to 8",
        latency: "a long block, 43 ms at 48 kHz",
        make: FileCodec::vorbis,
        available: always,
    },
    Family {
        name: "mp3",
        title: "MP3 (LAME)",
        settings: "constant bit rate in kbit/s, 8 to 320, or quality, v0 to v9",
        usual: Some("128"),
        rates: "8000 to 48000 Hz, nine of them",
        channels: "1 or 2",
        latency: "2257 frames from 32 kHz on, 1681 below",
        make: FileCodec::mp3,
        available: || FileFormat::Mp3.check_encoder(),
    },
    Family {
        name: "flac",
        title: "FLAC, lossless, as a control",
        settings: "16 or 24 bits; without a setting, what the recording needs",
        usual: Some(""),
        rates: "up to 655350 Hz",
        channels: "1 to 8",
        latency: "4096 frames",
        make: FileCodec::flac,
        available: always,
    },
    Family {
        name: "pcm",
        title: "Fewer bits, rounded without dither",
        settings: "bits, 2 to 24",
        usual: None,
        rates: "any",
        channels: "any",
        latency: "none",
        make: Depth::from_setting,
        available: always,
    },
    Family {
        name: "rate",
        title: "A lower sample rate, at 24 bits",
        settings: "rate in Hz, 1000 to 768000; recordings below it keep their own",
        usual: None,
        rates: "any",
        channels: "any",
        latency: "half of the filter, 1.5 ms from 44.1 to 16 kHz",
        make: Rate::from_setting,
        available: always,
    },
];
