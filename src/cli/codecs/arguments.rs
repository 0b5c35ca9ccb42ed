//! Arguments of `codecs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `codecs`.
#[derive(Debug, Args)]
pub struct Codecs {
    /// What to do.
    #[command(subcommand)]
    pub command: CodecsCommand,
}

/// What to do with codecs.
#[derive(Debug, Subcommand)]
pub enum CodecsCommand {
    /// Lists the codecs with their settings
    List,
    /// Sends recordings through codecs, measures what comes back, and writes tables, plots and a report. A run that was
    /// stopped goes on where it was
    Run(Run),
}

/// Arguments of `codecs run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Recordings, or folders of recordings; the folder of a recording is its category
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Codecs with settings, such as opus:32,64,96 vorbis:q4 flac pcm:8 rate:16000; see `codecs list`
    #[arg(long, required = true, value_name = "CODEC", num_args = 1..)]
    pub codecs: Vec<String>,

    /// The folder of the results: a new one, or that of an earlier run
    #[arg(long, required = true, value_name = "DIR")]
    pub out: PathBuf,

    /// Measures, separated by commas, or `all` [default: one or two of each kind]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub measures: Vec<String>,

    /// Compare the frames as the codecs return them, without alignment
    #[arg(long)]
    pub no_align: bool,

    /// Keep the decoded sound as WAV files
    #[arg(long)]
    pub keep_decoded: bool,

    /// Recordings that are worked on at a time [default: one for each core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}
