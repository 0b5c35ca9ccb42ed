//! `undertone library`: manages a library of recordings and answers questions about it.

pub mod arguments;
mod duplicates;
mod export;
mod identify;
mod list;
mod playlist;
mod scan;
mod similar;
mod status;
mod tags;

use std::path::Path;

use self::arguments::{Library as Words, LibraryCommand, QueryWords};
use super::Outcome;
use super::output::Output;
use crate::app::Directories;
use crate::app::library::track_query;
use crate::device::DeviceRequest;
use crate::error::{Error, Result};
use crate::library::{FILE_NAME, Library, TrackQuery};

pub fn run(words: &Words, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let path = match &words.library {
        Some(path) => path.clone(),
        None => Directories::of_this_user()?.data().join(FILE_NAME),
    };
    if let LibraryCommand::Scan(words) = &words.command {
        return scan::run(words, &open(&path, output)?, device, output);
    }
    let library = open_existing(&path, output)?;
    match &words.command {
        LibraryCommand::Scan(words) => scan::run(words, &library, device, output),
        LibraryCommand::List(words) => list::run(words, &library, output),
        LibraryCommand::Status => status::run(&library, output),
        LibraryCommand::Errors => status::errors(&library, output),
        LibraryCommand::Similar(words) => similar::run(words, &library, device, output),
        LibraryCommand::Duplicates => duplicates::run(&library, output),
        LibraryCommand::Identify(words) => identify::run(words, &library, output),
        LibraryCommand::Export(words) => export::run(words, &library, output),
        LibraryCommand::Playlist(words) => playlist::run(words, &library, output),
        LibraryCommand::Tags(words) => tags::run(words, &library, output),
    }
}

fn open(path: &Path, output: &Output) -> Result<Library> {
    let (library, notices) = Library::open(path)?;
    for notice in notices {
        output.note(&format!("undertone: {notice}"));
    }
    Ok(library)
}

/// Opens a library that exists. Only `scan` creates one, so for other commands a missing file is probably a wrong path.
fn open_existing(path: &Path, output: &Output) -> Result<Library> {
    if path.exists() {
        return open(path, output);
    }
    let name = format!("{} (`undertone library scan FOLDER` makes one)", path.display());
    Err(Error::NotFound { what: "library", name })
}

/// Parses a query. If it has an error, marks the position below the text.
fn question(words: &QueryWords, output: &Output) -> Result<TrackQuery> {
    let text = words.words.join(" ");
    track_query(&text).map_err(|error| {
        output.point_at(&text, &error);
        Error::Notation(error)
    })
}
