//! Arguments of `codec`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::audio::encode::SampleFormat;

/// Arguments of `codec`.
#[derive(Debug, Args)]
pub struct Codec {
    /// What to do.
    #[command(subcommand)]
    pub command: CodecCommand,
}

/// What to do with a codec model.
#[derive(Debug, Subcommand)]
pub enum CodecCommand {
    /// Encodes a recording to units: a NumPy array of integers, books x time. A mono model gets the mean of the channels
    Encode(Encode),
    /// Decodes units to a recording at the model's sample rate
    Decode(Decode),
    /// Encodes and decodes: what the model makes of a recording, at its own sample rate and length. A mono model codes
    /// each channel by itself
    #[command(alias = "resynthesize")]
    Resynthesise(Resynthesise),
}

/// The model that is used.
#[derive(Debug, Args)]
pub struct Model {
    /// The model of EnCodec, DAC or Mimi: a weight file, or a folder with its `config.json`
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
}

/// How much of a model is used.
#[derive(Debug, Args)]
pub struct Bandwidth {
    /// The bit rate in kbit/s, of a channel for mono models [default: all books]
    #[arg(long, value_name = "KBPS")]
    pub bandwidth: Option<f64>,
}

/// Arguments of `codec encode`.
#[derive(Debug, Args)]
pub struct Encode {
    /// The recording
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The units: a .npy, with a second file UNITS.scales.npy for a model that scales segments (EnCodec of 48 kHz); or
    /// an .ecdc, EnCodec's own container; or a .dac, DAC's own
    #[arg(short, long, value_name = "UNITS")]
    pub output: PathBuf,

    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub bandwidth: Bandwidth,

    /// Replace existing files
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of `codec decode`.
#[derive(Debug, Args)]
pub struct Decode {
    /// The units: a .npy of integers, books x time, an .ecdc of EnCodec, or a .dac of DAC
    #[arg(value_name = "UNITS")]
    pub input: PathBuf,

    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub written: SoundFile,
}

/// Arguments of `codec resynthesise`.
#[derive(Debug, Args)]
pub struct Resynthesise {
    /// The recording
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub bandwidth: Bandwidth,

    #[command(flatten)]
    pub written: SoundFile,
}

/// The recording that is written.
#[derive(Debug, Args)]
pub struct SoundFile {
    /// The recording, in the format of its extension
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// The sample format
    #[arg(long, default_value = "24")]
    pub bits: SampleFormat,

    /// Replace an existing file
    #[arg(long)]
    pub overwrite: bool,
}
