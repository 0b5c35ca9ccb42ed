//! Arguments of `live`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments::ChainChoice;
use crate::cli::record::arguments::{InputWords, RecordBits};
use crate::playback::live::USUAL_CALL_FRAMES;

/// Arguments of `live`.
#[derive(Debug, Args)]
#[command(
    after_help = "Use headphones: loudspeakers that the microphone hears can feed back. Ctrl+C ends it. The latency of \
    the devices and that of the chain are told apart. With --json, a line of JSON goes to standard error twice a second."
)]
pub struct Live {
    #[command(flatten)]
    pub chain: ChainChoice,

    #[command(flatten)]
    pub input: InputWords,

    /// The sound output, by its name or part of it [default: the system's]
    #[arg(long, value_name = "NAME")]
    pub output: Option<String>,

    /// Frames per call of the devices, 64 to 2048: fewer for less latency, more against drop-outs
    #[arg(long, value_name = "N", default_value_t = USUAL_CALL_FRAMES)]
    pub frames: u32,

    /// The length: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f [default: until Ctrl+C]
    #[arg(long, value_name = "TIME")]
    pub length: Option<String>,

    /// Measure the round trip, with a cable from the output to the input, and end
    #[arg(long, conflicts_with_all = ["length", "record_dry", "record_wet"])]
    pub measure_latency: bool,

    /// Neither limit the output to -1 dB nor mute it when it is far too loud
    #[arg(long)]
    pub no_limiter: bool,

    /// Record the sound before the chain to a WAV file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub record_dry: Option<PathBuf>,

    /// Record the sound after the chain to a WAV file, which must not exist
    #[arg(long, value_name = "FILE")]
    pub record_wet: Option<PathBuf>,

    /// The sample format of these files
    #[arg(long, default_value = "24")]
    pub bits: RecordBits,
}
