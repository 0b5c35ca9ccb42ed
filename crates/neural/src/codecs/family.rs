//! The codecs that this program has.

use std::sync::Arc;

use super::Codec;
use super::depth::Depth;
use super::file_codec::FileCodec;
use super::neural::NeuralCodec;
use super::rate::Rate;
use crate::models::CodecKind;
use audio::encode::FileFormat;
use base::error::{Error, Result};

/// A codec and the meaning of its settings.
#[derive(Debug)]
pub struct Family {
    /// The name, in commands and results.
    pub name: &'static str,
    /// A short description.
    pub title: &'static str,
    /// The meaning of a setting, and the allowed values.
    pub settings: &'static str,
    /// The default setting; `None` if one is required.
    pub usual: Option<&'static str>,
    /// The sample rates; others are converted.
    pub rates: &'static str,
    /// The numbers of channels.
    pub channels: &'static str,
    /// The algorithmic delay.
    pub latency: &'static str,
    make: Make,
    available: fn() -> Result<()>,
}

/// How codecs are made of text.
#[derive(Debug)]
enum Make {
    /// Of each setting, between commas.
    Setting(fn(&str) -> Result<Box<dyn Codec>>),
    /// Of the path of a model and bandwidths: `PATH@KBPS,KBPS...`.
    Model(CodecKind),
}

impl Family {
    /// Creates a codec with a setting.
    pub fn codec(&self, setting: &str) -> Result<Box<dyn Codec>> {
        match self.make {
            Make::Setting(make) => make(setting),
            Make::Model(kind) => match NeuralCodec::from_settings(kind, setting)?.pop() {
                Some(codec) => Ok(Box::new(codec)),
                None => Err(Error::invalid(format!("setting of `{}`", self.name), setting, self.settings)),
            },
        }
    }

    /// Makes codecs of settings between commas.
    pub fn codecs(&self, settings: &str) -> Result<Vec<Arc<dyn Codec>>> {
        match self.make {
            Make::Setting(_) => settings.split(',').map(|setting| Ok(Arc::from(self.codec(setting.trim())?))).collect(),
            // A path may have commas.
            Make::Model(kind) => {
                let codecs = NeuralCodec::from_settings(kind, settings)?;
                Ok(codecs.into_iter().map(|codec| Arc::new(codec) as Arc<dyn Codec>).collect())
            }
        }
    }

    /// Returns whether it needs the weights of a model, which are not part of this program.
    pub fn is_model(&self) -> bool {
        matches!(self.make, Make::Model(_))
    }

    /// Checks that this system can encode.
    ///
    /// # Errors
    /// [`base::error::Error::Unsupported`], with how to get the encoder.
    pub fn check_available(&self) -> Result<()> {
        (self.available)()
    }
}

fn always() -> Result<()> {
    Ok(())
}

/// All codecs, in display order.
pub static FAMILIES: [Family; 9] = [
    Family {
        name: "opus",
        title: "Opus (libopus)",
        settings: "bit rate of all channels in kbit/s, 6 to 256 for each channel",
        usual: Some("96"),
        rates: "48000 Hz",
        channels: "1 to 8",
        latency: "26.5 ms",
        make: Make::Setting(FileCodec::opus),
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
        make: Make::Setting(FileCodec::vorbis),
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
        make: Make::Setting(FileCodec::mp3),
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
        make: Make::Setting(FileCodec::flac),
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
        make: Make::Setting(Depth::from_setting),
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
        make: Make::Setting(Rate::from_setting),
        available: always,
    },
    Family {
        name: "encodec",
        title: "EnCodec, a neural network",
        settings: "path of the model's file or folder, then bandwidths in kbit/s, such as PATH@6,12",
        usual: None,
        rates: "that of the model, 24000 or 48000 Hz",
        channels: "1 or 2; the model of 24 kHz codes each channel by itself, up to 8",
        latency: "13.3 ms at 24 kHz, 1 s at 48 kHz",
        make: Make::Model(CodecKind::Encodec),
        available: always,
    },
    Family {
        name: "dac",
        title: "DAC, a neural network",
        settings: "path of the model's file or folder, then bandwidths in kbit/s, such as PATH@8",
        usual: None,
        rates: "that of the model, 16000, 24000 or 44100 Hz",
        channels: "1 to 8, each by itself",
        latency: "what its layers look ahead, 0.2 to 0.4 s",
        make: Make::Model(CodecKind::Dac),
        available: always,
    },
    Family {
        name: "mimi",
        title: "Mimi, a neural network for speech",
        settings: "path of the model's file or folder, then bandwidths in kbit/s, such as PATH@1.1",
        usual: None,
        rates: "24000 Hz",
        channels: "1 to 8, each by itself",
        latency: "80 ms",
        make: Make::Model(CodecKind::Mimi),
        available: always,
    },
];
