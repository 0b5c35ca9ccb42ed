//! Arguments of `compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The recording that the others are compared with, or a folder of such recordings
    #[arg(value_name = "REFERENCE")]
    pub reference: PathBuf,

    /// Other versions of it; folders, if the reference is a folder
    #[arg(required = true, value_name = "OTHER")]
    pub others: Vec<PathBuf>,

    /// Measures, separated by commas [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub measures: Vec<String>,

    /// Compute the figures of another program as it does, its quirks included, in place of the measures
    #[arg(long = "as", value_enum, value_name = "PROGRAM", conflicts_with_all = ["no_align", "curves", "match_level"])]
    pub manner: Option<Manner>,

    /// Compare the frames as they stand in the files, without alignment
    #[arg(long)]
    pub no_align: bool,

    /// Bring the other to the level of the reference before it is measured
    #[arg(long)]
    pub match_level: bool,

    /// Add the values of each channel
    #[arg(long)]
    pub channels: bool,

    /// With --json, add the measures over time
    #[arg(long)]
    pub curves: bool,

    /// Print a CSV table
    #[arg(long, conflicts_with = "markdown")]
    pub csv: bool,

    /// Print a Markdown table
    #[arg(long)]
    pub markdown: bool,

    /// Fail (exit status 1) if this holds, such as `si_sdr<20`, or if the measure cannot be had; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,

    /// How files of folders are paired
    #[arg(long, value_enum, default_value_t = PairBy::Name)]
    pub pair_by: PairBy,
}

/// A program whose figures can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Manner {
    /// Codec-SUPERB: mel, stft, waveform, pesq, pesq-wb, stoi, f0corr
    CodecSuperb,
}

/// How files of folders are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PairBy {
    /// By path and name without extension
    Name,
    /// By what is heard, with fingerprints
    Content,
}
