//! The arguments of `library`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `library`.
#[derive(Debug, Args)]
pub struct Library {
    /// The library's database; library.sqlite in the data folder when not given
    #[arg(long, global = true, value_name = "PATH")]
    pub library: Option<PathBuf>,

    /// What to do with it.
    #[command(subcommand)]
    pub command: LibraryCommand,
}

/// What to do with a library.
#[derive(Debug, Subcommand)]
pub enum LibraryCommand {
    /// Adds folders and listens to what is new or changed in them, and in all others when none is named
    Scan(Scan),
    /// Lists tracks, all or those that a query asks for
    List(List),
    /// Says how the library stands
    Status,
    /// Lists what could not be analysed, and why
    Errors,
    /// Finds tracks that sound like one of the library, or like a file, and says why
    Similar(Similar),
    /// Finds tracks that are the same recording
    Duplicates,
    /// Says which track a clip is of
    Identify(Identify),
    /// Writes tracks and their features as .csv, .json or .parquet
    Export(Export),
}

/// Arguments of `library scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Folders or files to add, if they are not in the library yet, and to look at
    #[arg(value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,

    /// Tracks in hand at once; one a core when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,

    /// Memory that the tracks in hand may take together, in MiB
    #[arg(long, default_value_t = 1024, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: u64,

    /// How long one track may take, in seconds; 0 for ever
    #[arg(long, default_value_t = 900, value_name = "S")]
    pub timeout: u64,

    /// Try again what could not be analysed before
    #[arg(long)]
    pub retry: bool,
}

/// A query's text.
#[derive(Debug, Args)]
pub struct QueryWords {
    /// Words and conditions, such as "miles bpm:118..122 key:Am loudness:<-14 -genre:live"
    #[arg(value_name = "QUERY")]
    pub words: Vec<String>,
}

/// Arguments of `library list`.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    pub query: QueryWords,

    /// A field of a query or a column, such as bpm, artist or duration; by path when not given
    #[arg(long, value_name = "FIELD")]
    pub sort: Option<String>,

    /// From the largest to the smallest
    #[arg(long, requires = "sort")]
    pub descending: bool,

    /// The most tracks to list; all when not given
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Arguments of `library similar`.
#[derive(Debug, Args)]
pub struct Similar {
    /// A track's number or file, or any other recording
    #[arg(value_name = "TRACK|FILE")]
    pub track: String,

    /// How many to find
    #[arg(long, default_value_t = crate::library::questions::similar::DEFAULT_COUNT, value_name = "N")]
    pub count: usize,

    /// How much a dimension counts: its name, "=" and a number; 0 leaves it out
    #[arg(long, value_name = "NAME=VALUE")]
    pub weight: Vec<String>,
}

/// Arguments of `library identify`.
#[derive(Debug, Args)]
pub struct Identify {
    /// A clip of some seconds
    pub file: PathBuf,

    /// How many tracks to name at the most
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub count: usize,
}

/// Arguments of `library export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The file to write: .csv, .json or .parquet
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    #[command(flatten)]
    pub query: QueryWords,

    /// Replace a file that exists already
    #[arg(long)]
    pub overwrite: bool,
}
