//! Codecs behind one interface: sound goes in, a file's bytes or a model's units come out, and sound again.
//!
//! ```text
//! Sound -> Codec::encode -> Coded (bytes of a file, or units) -> Codec::decode -> Sound
//! ```
//!
//! [`FAMILIES`] lists the built-in codecs; [`from_words`] creates codecs from text such as `opus:32,64`. Any other
//! implementation of [`Codec`] can be used in the same places.

mod coded;
mod depth;
mod family;
mod file_codec;
mod latency;
pub mod neural;
mod rate;
mod sound;
pub mod unit_files;
mod words;

use std::fmt::Debug;

use rayon::prelude::*;

pub use coded::{Coded, Payload, Units};
pub use family::{FAMILIES, Family};
pub use sound::Sound;
pub use words::{MAX_CODECS, from_words, split_words};

use crate::models::ModelKind;
use audio::AudioFormat;
use base::error::{Error, Result};
use base::progress::Progress;

/// A codec with its setting.
///
/// Encoding is a pure function: the same sound gives the same [`Coded`], regardless of earlier runs and the number of
/// threads.
pub trait Codec: Send + Sync + Debug {
    /// The codec's name, the same for all its settings: `opus`.
    fn family(&self) -> &str;

    /// The setting as text, empty if there is only one: `64`.
    fn setting(&self) -> &str;

    /// The name with its setting: `opus:64`.
    fn name(&self) -> String {
        if self.setting().is_empty() {
            self.family().to_owned()
        } else {
            format!("{}:{}", self.family(), self.setting())
        }
    }

    /// Returns the kind of the model that it runs, whose licence the user should know; `None` without one.
    fn model(&self) -> Option<ModelKind> {
        None
    }

    /// Everything that determines the result besides the sound, for recognising results of earlier runs: the name and
    /// the version of the program, for a model also its weights.
    fn recipe(&self) -> String {
        format!("{} undertone {}", self.name(), env!("CARGO_PKG_VERSION"))
    }

    /// Returns the format in which sound of `format` is encoded: the same, or at a rate that the codec supports.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the encoder is missing on this system; [`Error::Limit`] for a number of channels that
    /// the codec does not take.
    fn format_for(&self, format: AudioFormat) -> Result<AudioFormat>;

    /// Returns the algorithmic delay in frames of `format`, which is one that [`Codec::format_for`] returned: the
    /// number of later frames that encoder and decoder together need before they can return a frame.
    fn latency_frames(&self, format: AudioFormat) -> Result<u64>;

    /// Returns the bit rate that the setting asks for in kbit/s; `None` if it asks for a quality.
    fn nominal_kbps(&self, format: AudioFormat) -> Option<f64>;

    /// Encodes a sound of a format that [`Codec::format_for`] returned. Samples that are not numbers count as silence.
    fn encode(&self, sound: &Sound, progress: &Progress) -> Result<Coded>;

    /// Decodes what [`Codec::encode`] made. The delay of the codec is compensated, so that frame 0 is frame 0.
    ///
    /// # Errors
    /// [`Error::Invalid`] for the payload of another codec; [`Error::Malformed`] for a damaged one.
    fn decode(&self, coded: &Coded, progress: &Progress) -> Result<Sound>;

    /// Encodes and decodes a sound.
    fn resynthesise(&self, sound: &Sound, progress: &Progress) -> Result<Sound> {
        self.decode(&self.encode(sound, progress)?, progress)
    }

    /// Encodes sounds of any lengths. Returns the result of [`Codec::encode`] for each sound.
    fn encode_batch(&self, sounds: &[Sound], progress: &Progress) -> Vec<Result<Coded>> {
        sounds.par_iter().map(|sound| self.encode(sound, progress)).collect()
    }

    /// Decodes several sounds. Returns the result of [`Codec::decode`] for each.
    fn decode_batch(&self, coded: &[Coded], progress: &Progress) -> Vec<Result<Sound>> {
        coded.par_iter().map(|coded| self.decode(coded, progress)).collect()
    }
}

/// Checks that `codec` encodes the format of a sound.
fn check_format(codec: &dyn Codec, sound: &Sound) -> Result<()> {
    let (got, fits) = (sound.format(), codec.format_for(sound.format())?);
    if got == fits {
        return Ok(());
    }
    Err(Error::invalid(format!("sample rate for {}", codec.name()), got.rate.to_string(), fits.rate.to_string()))
}
