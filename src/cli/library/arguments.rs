//! The arguments of `library`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::library::RootPlace;

const LIBRARY: &str =
    "The library: a file, or postgres://USER@HOST/DATABASE [default: library.sqlite in the data folder]";

/// Arguments of `library`.
#[derive(Debug, Args)]
pub struct Library {
    /// The library: a file, or the address of one on a server.
    #[arg(long, global = true, value_name = "LIBRARY", help = LIBRARY)]
    pub library: Option<PathBuf>,

    /// Where a folder of a library on a server is on this machine: the folder's name or path there, and its path here
    #[arg(long = "root", global = true, value_name = "NAME=PATH", value_parser = RootPlace::parse)]
    pub roots: Vec<RootPlace>,

    /// Never change a library on a server: the server itself rejects it
    #[arg(long, global = true)]
    pub read_only: bool,

    /// What to do with it.
    #[command(subcommand)]
    pub command: LibraryCommand,
}

/// What to do with a library.
#[derive(Debug, Subcommand)]
pub enum LibraryCommand {
    /// Adds folders and analyses what is new or changed in them, or in all folders if none is given
    Scan(Scan),
    /// Lists tracks, all or those that match a query
    List(List),
    /// Shows the state of the library
    Status,
    /// Lists the files that could not be analysed, with reasons
    Errors,
    /// Finds tracks that sound like a track of the library or a file, with reasons
    Similar(Similar),
    /// Finds duplicate recordings
    Duplicates,
    /// Finds the track that a clip is from
    Identify(Identify),
    /// Exports tracks and their features as .csv, .json or .parquet
    Export(Export),
    /// Writes tracks as a playlist, .m3u8 or .xspf: those of a query, those like a track, or a path from one to another
    Playlist(Playlist),
    /// Writes what the analysis found into the tags of the files, and undoes it
    Tags(Tags),
    /// Keeps the password of a library's server in the system's keyring
    Password(PasswordWords),
    /// Copies the library to another file or server, and compares every row; asked again, it goes on where it was
    Move(Move),
}

/// Arguments of `library password`.
#[derive(Debug, Args)]
pub struct PasswordWords {
    /// What to do with the password.
    #[command(subcommand)]
    pub command: PasswordCommand,
}

/// What to do with a password.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum PasswordCommand {
    /// Asks for the password of the address's user, or reads a line of the standard input, and stores it in the keyring
    Set,
    /// Deletes it from the keyring
    Forget,
}

/// Arguments of `library move`.
#[derive(Debug, Args)]
pub struct Move {
    /// A file, or the address of a database on a server.
    #[arg(value_name = "TARGET", help = "A file, or postgres://USER@HOST/DATABASE")]
    pub target: PathBuf,

    /// Delete tracks of the target that this library has not
    #[arg(long)]
    pub replace: bool,
}

/// Arguments of `library scan`.
#[derive(Debug, Args)]
pub struct Scan {
    /// Folders or files to scan; new ones are added to the library
    #[arg(value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,

    /// Tracks to analyse at once [default: one per CPU core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,

    /// Memory limit for all tracks being analysed, in MiB
    #[arg(long, default_value_t = 1024, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: u64,

    /// Time limit for one track, in seconds; 0 for no limit
    #[arg(long, default_value_t = 900, value_name = "S")]
    pub timeout: u64,

    /// Retry files that could not be analysed before
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

    /// The field to sort by, such as bpm, artist or duration [default: path]
    #[arg(long, value_name = "FIELD")]
    pub sort: Option<String>,

    /// Sort from the largest to the smallest
    #[arg(long, requires = "sort")]
    pub descending: bool,

    /// The maximum number of tracks [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Arguments of `library similar`.
#[derive(Debug, Args)]
pub struct Similar {
    /// A track's number or file, or any recording
    #[arg(value_name = "TRACK|FILE")]
    pub track: String,

    /// The number of tracks to find
    #[arg(long, default_value_t = crate::library::questions::similar::DEFAULT_COUNT, value_name = "N")]
    pub count: usize,

    /// The weight of a dimension: its name, "=" and a number; 0 ignores it
    #[arg(long, value_name = "NAME=VALUE")]
    pub weight: Vec<String>,
}

/// Arguments of `library identify`.
#[derive(Debug, Args)]
pub struct Identify {
    /// A clip of a few seconds
    pub file: PathBuf,

    /// The maximum number of tracks to show
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub count: usize,
}

/// Arguments of `library export`.
#[derive(Debug, Args)]
pub struct Export {
    /// The output file: .csv, .json or .parquet
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    #[command(flatten)]
    pub query: QueryWords,

    /// Use the names and units of another program: beets or picard (.csv, .json), or acousticbrainz (.json)
    #[arg(long = "for", value_name = "PROGRAM")]
    pub program: Option<String>,

    /// Replace an existing file
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of `library playlist`.
#[derive(Debug, Args)]
pub struct Playlist {
    /// The output file: .m3u8 or .xspf
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    #[command(flatten)]
    pub query: QueryWords,

    /// Begin with a track, by its number or file, and go in small steps to that of --to; of those that match the query
    #[arg(long, value_name = "TRACK", requires = "to")]
    pub from: Option<String>,

    /// The track to end with
    #[arg(long, value_name = "TRACK", requires = "from")]
    pub to: Option<String>,

    /// A track, by its number or file, and those that sound most like it
    #[arg(long, value_name = "TRACK", conflicts_with = "from")]
    pub like: Option<String>,

    /// The most tracks [default: all; with --from or --like 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,

    /// Put them in an order for mixing, in which neighbours fit in tempo and key; with --like that track stays the first
    #[arg(long, conflicts_with_all = ["to", "sort"])]
    pub mix: bool,

    /// The field to sort by, such as bpm, artist or duration [default: path]
    #[arg(long, value_name = "FIELD", conflicts_with_all = ["from", "like"])]
    pub sort: Option<String>,

    /// Sort from the largest to the smallest
    #[arg(long, requires = "sort")]
    pub descending: bool,

    /// Name the files from the playlist's folder on, so that they can move together
    #[arg(long)]
    pub relative: bool,

    /// Replace an existing file
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of `library tags`.
#[derive(Debug, Args)]
pub struct Tags {
    /// What to do with tags.
    #[command(subcommand)]
    pub command: TagsCommand,
}

/// What to do with tags.
#[derive(Debug, Subcommand)]
pub enum TagsCommand {
    /// Shows what would be written to the files of a query, each with its old and new value; writes with --write
    Write(WriteTags),
    /// Restores the originals of a write, byte for byte, unless they have been changed since
    Undo(UndoTags),
    /// Lists what was written, and what is kept to undo it
    List,
    /// Deletes what is kept to undo a write
    Forget(ForgetTags),
}

/// Arguments of `library tags write`.
#[derive(Debug, Args)]
pub struct WriteTags {
    #[command(flatten)]
    pub query: QueryWords,

    /// What to write: key, tempo, loudness, album (the loudness of the whole album) [default: key, tempo, loudness]
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub fields: Vec<String>,

    /// Keep tags that have a value, whatever it is
    #[arg(long)]
    pub only_missing: bool,

    /// Write to the files. Without it, nothing is changed
    #[arg(long)]
    pub write: bool,
}

/// Arguments of `library tags undo`.
#[derive(Debug, Args)]
pub struct UndoTags {
    /// The number of the write [default: the latest that can be undone]
    #[arg(value_name = "WRITE")]
    pub write: Option<i64>,
}

/// Arguments of `library tags forget`.
#[derive(Debug, Args)]
pub struct ForgetTags {
    /// The number of the write
    #[arg(value_name = "WRITE")]
    pub write: i64,
}
