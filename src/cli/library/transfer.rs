//! `undertone library move`: copies the library to another place.

use std::path::PathBuf;

use serde::Serialize;

use super::arguments::Move;
use super::password::asked_for;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::library::{Library, Place, Transfer};
use crate::progress::Progress;
use crate::work::Directories;

#[derive(Serialize)]
struct Report<'a> {
    from: PathBuf,
    to: PathBuf,
    #[serde(flatten)]
    done: &'a Transfer,
}

pub fn run(words: &Move, library: &Library, output: &Output) -> Result<Outcome> {
    let place = Place::parse(&words.target, Directories::of_this_user()?.data(), Vec::new())?;
    if let (Place::File(from), Place::File(to)) = (library.place(), &place)
        && to.exists()
        && same_file::is_same_file(from, to).unwrap_or(false)
    {
        return Err(Error::impossible("A library cannot be copied onto itself. Name another file, or a server."));
    }
    let (target, notices) = asked_for(place, Library::open_at)?;
    for notice in notices {
        output.note(&format!("undertone: {notice}"));
    }
    let progress = Progress::new();
    let done = {
        let _bar = output.follow(&target.place().to_string(), &progress);
        library.copy_to(&target, words.replace, &progress)?
    };
    if output.is_json() {
        let (from, to) = (library.place().shown(), target.place().shown());
        output.json(&Report { from, to, done: &done })?;
    } else {
        let Transfer { tracks, rows, written, deleted } = done;
        let removed = if deleted > 0 { format!(", {deleted} deleted") } else { String::new() };
        output.line(&format!("{}  {tracks} tracks, {rows} rows compared, {written} written{removed}", target.place()));
    }
    Ok(Outcome::Done)
}
