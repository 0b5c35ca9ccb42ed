//! The command line's arguments: one definition for parsing, help and errors.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Open, see, filter, hear and export recordings, on the GPU or the CPU.
#[derive(Debug, Parser)]
#[command(name = "undertone", version, max_term_width = 110, propagate_version = true)]
#[command(after_help = "Results go to standard output, everything else to standard error.\n\
    Exit status: 0 done, 1 failed (what could be done was done), 2 wrong usage.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// One JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,

    /// Where work runs: auto, cpu, gpu, gpu:N, or part of an adapter's name
    #[arg(long, global = true, value_name = "DEVICE")]
    pub device: Option<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the CPU and every GPU adapter, with tier, limits and measured speeds
    Devices(Devices),
    /// Shows format, codec, rate, channels, exact length and tags of files
    Info(Info),
    /// Lists the effects, or documents one: parameters, units, ranges, defaults
    Effects(Effects),
    /// Computes the frequency response of a chain
    Response(Response),
    /// Renders files through a chain and writes the result
    Process(Process),
    /// Plays a file, through a chain if one is given
    Play(Play),
    /// Measures every kernel on every device
    Bench(Bench),
}

/// Arguments of `devices`.
#[derive(Debug, Args)]
pub struct Devices {
    /// Measure every device anew; it takes some seconds
    #[arg(long)]
    pub measure: bool,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct Info {
    /// Recordings
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Arguments of `effects`.
#[derive(Debug, Args)]
pub struct Effects {
    /// The effect to document
    pub name: Option<String>,
}

/// Arguments of `response`.
#[derive(Debug, Args)]
pub struct Response {
    /// The chain, such as "highpass(80 Hz) | peaking(1 kHz, q=1, gain=3 dB)"
    pub chain: String,

    /// The sample rate in hertz
    #[arg(long, value_name = "HZ")]
    pub rate: u32,

    /// How many frequencies, evenly spaced in ratio
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub points: u32,

    /// The lowest frequency in hertz
    #[arg(long, default_value_t = 10.0, value_name = "HZ")]
    pub from: f64,

    /// The highest frequency in hertz; half the rate when not given
    #[arg(long, value_name = "HZ")]
    pub to: Option<f64>,
}

/// Arguments of `process`.
#[derive(Debug, Args)]
pub struct Process {
    /// Recordings
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,

    /// The file to write, or the folder when there are several inputs
    #[arg(short, long, value_name = "OUT|DIR")]
    pub output: PathBuf,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// Where to begin: seconds, MIN:SEC, HH:MM:SEC or frames as 44100f
    #[arg(long, value_name = "TIME")]
    pub start: Option<String>,

    /// Where to end, likewise
    #[arg(long, value_name = "TIME")]
    pub end: Option<String>,

    /// The file format; by the output's extension when not given
    #[arg(long)]
    pub format: Option<Format>,

    /// The sample format; the input's own where the format has it, else 24
    #[arg(long)]
    pub bits: Option<Bits>,

    /// Against the distortion of rounding; tpdf for 16 bit when not given, else none
    #[arg(long)]
    pub dither: Option<DitherChoice>,

    /// The rate to convert to, in hertz
    #[arg(long, value_name = "HZ")]
    pub rate: Option<u32>,

    /// Append what effects go on sounding after the end
    #[arg(long)]
    pub tail: bool,

    /// Replace outputs that exist already; an input is never replaced
    #[arg(long)]
    pub overwrite: bool,
}

/// A chain given as text or as a preset.
#[derive(Debug, Args)]
pub struct ChainChoice {
    /// The chain, such as "highpass(80 Hz) | peaking(1 kHz, q=1, gain=3 dB)"
    #[arg(short, long, value_name = "CHAIN")]
    pub chain: Option<String>,

    /// A preset file with the chain
    #[arg(long, value_name = "FILE", conflicts_with = "chain")]
    pub preset: Option<PathBuf>,
}

/// Arguments of `play`.
#[derive(Debug, Args)]
pub struct Play {
    /// A recording
    pub file: PathBuf,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// Where to begin: seconds, MIN:SEC, HH:MM:SEC or frames as 44100f
    #[arg(long, value_name = "TIME")]
    pub start: Option<String>,

    /// Where to end, likewise
    #[arg(long, value_name = "TIME")]
    pub end: Option<String>,

    /// The sound output's name or part of it; the system's default when not given
    #[arg(long)]
    pub output: Option<String>,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Only kernels whose name contains this
    pub kernel: Option<String>,
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their own names")]
pub enum Format {
    Wav,
    Flac,
}

/// A sample format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their own names")]
pub enum Bits {
    #[value(name = "16")]
    Int16,
    #[value(name = "24")]
    Int24,
    #[value(name = "32")]
    Int32,
    #[value(name = "f32")]
    Float32,
}

/// A kind of dither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their own names")]
pub enum DitherChoice {
    None,
    Tpdf,
    Shaped,
}
