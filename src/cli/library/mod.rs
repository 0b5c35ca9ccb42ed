//! `undertone library`: manages a library of recordings and answers questions about it.

pub mod arguments;
mod duplicates;
mod export;
mod identify;
mod list;
mod password;
mod playlist;
mod scan;
mod similar;
mod status;
mod tags;
mod transfer;

use self::arguments::{Library as Words, LibraryCommand, QueryWords};
use super::Outcome;
use super::output::Output;
use crate::device::DeviceRequest;
use crate::error::{Error, Result};
use crate::library::answers::track_query;
use crate::library::{FILE_NAME, Library, Place, TrackQuery};
use crate::work::Directories;

pub fn run(words: &Words, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let directories = Directories::of_this_user()?;
    let place = match &words.library {
        Some(place) => Place::parse(place, directories.data(), words.roots.clone())?,
        None => Place::parse(&directories.data().join(FILE_NAME), directories.data(), words.roots.clone())?,
    };
    let place = if words.read_only { place.read_only()? } else { place };
    if let LibraryCommand::Password(words) = &words.command {
        return password::run(words.command, &place, output);
    }
    // Only `scan` creates a library, so for other commands a missing one is probably a wrong path.
    let open = match &words.command {
        LibraryCommand::Scan(_) => Library::open_at,
        _ => Library::open_existing,
    };
    let (library, notices) = password::asked_for(place, open)?;
    for notice in notices {
        output.note(&format!("undertone: {notice}"));
    }
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
        LibraryCommand::Password(words) => password::run(words.command, library.place(), output),
        LibraryCommand::Move(words) => transfer::run(words, &library, output),
    }
}

/// Parses a query. If it has an error, marks the position below the text.
fn question(words: &QueryWords, output: &Output) -> Result<TrackQuery> {
    let text = words.words.join(" ");
    track_query(&text).map_err(|error| {
        output.point_at(&text, &error);
        Error::Notation(error)
    })
}
