//! Arguments of `record`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::audio::encode::SampleFormat;
use crate::cli::arguments::ChainChoice;
use crate::playback::capture::ChannelChoice;
use crate::recording::Take;

/// Arguments of `record`.
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl+C ends the recording properly. While it runs, it is a WAV file that can be read at any time, \
    OUT itself or \"OUT (recording).wav\" beside it. That file stays if the chain or the conversion fails. After a crash, \
    --recover makes everything readable that was recorded. With --json, a line of JSON goes to standard error twice a \
    second."
)]
pub struct Record {
    /// The output file: .wav, .flac, .ogg, .opus or .mp3
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["list_inputs", "recover"])]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub input: InputWords,

    /// The sample rate in hertz [default: the input's own]
    #[arg(long, value_name = "HZ")]
    pub rate: Option<u32>,

    /// The length: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f [default: until Ctrl+C]
    #[arg(long, value_name = "TIME")]
    pub length: Option<String>,

    /// The sample format
    #[arg(long, default_value = "24")]
    pub bits: RecordBits,

    /// Begin when the input reaches this level in dBFS, such as -40dB
    #[arg(long, value_name = "LEVEL", allow_hyphen_values = true)]
    pub start_at: Option<String>,

    /// Keep this much of what came before that level, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Take::LEVEL_PREROLL_S, requires = "start_at")]
    pub preroll: f64,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// Replace an existing output, once the recording is complete
    #[arg(long)]
    pub overwrite: bool,

    /// List the inputs with their channels and sample rates
    #[arg(long, conflicts_with_all = ["output", "recover"])]
    pub list_inputs: bool,

    /// Make everything readable that a crash left of recordings, and list the files
    #[arg(long, conflicts_with = "output")]
    pub recover: bool,
}

/// The input and its channels.
#[derive(Debug, Args)]
pub struct InputWords {
    /// The sound input, by its name or part of it [default: the system's]
    #[arg(long, value_name = "NAME")]
    pub input: Option<String>,

    /// The number of channels to record [default: all]
    #[arg(long, value_name = "N")]
    pub channels: Option<usize>,

    /// The first of these channels
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub first_channel: u16,
}

impl InputWords {
    pub fn channels(&self) -> ChannelChoice {
        ChannelChoice { first: usize::from(self.first_channel) - 1, count: self.channels }
    }
}

/// A sample format of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordBits {
    /// 24-bit integers.
    #[value(name = "24")]
    Int24,
    /// 32-bit floating point.
    #[value(name = "32f", alias = "f32")]
    Float32,
}

impl RecordBits {
    pub fn sample(self) -> SampleFormat {
        match self {
            Self::Int24 => SampleFormat::Int24,
            Self::Float32 => SampleFormat::Float32,
        }
    }
}
