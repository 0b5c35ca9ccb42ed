//! `undertone library playlist`: writes tracks of the library as a playlist.

use std::path::Path;

use serde::Serialize;

use super::arguments::Playlist;
use super::question;
use crate::cli::Outcome;
use crate::cli::output::{Output, name};
use crate::cli::time::text_from_seconds;
use crate::error::{Error, Result};
use crate::library::answers::{
    Playlist as Tracks, PlaylistChoice, PlaylistTarget, PlaylistWish, SimilarityReference, playlist, write_playlist,
};
use crate::library::list::columns::sort_key;
use crate::library::questions::playlists::Format;
use crate::library::{Library, SortKey, TrackRow};
use crate::progress::Progress;

/// The default number of tracks of a path, or of tracks like another.
const USUAL: usize = 20;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: &'a Path,
    bytes: u64,
    seconds: f64,
    tracks: &'a [TrackRow],
    /// The cost of the change from each track to the next; see [`crate::library::questions::playlists::mix`].
    changes: Vec<f64>,
}

pub fn run(words: &Playlist, library: &Library, output: &Output) -> Result<Outcome> {
    let format = Format::of_path(&words.output).ok_or_else(|| {
        let extension = words.output.extension().map_or("nothing".into(), |extension| extension.to_string_lossy());
        Error::invalid("the output's extension", extension, Format::ALL.map(Format::name).join(", "))
    })?;
    let query = question(&words.query, output)?;
    let choice = match (&words.from, &words.to, &words.like) {
        (Some(from), Some(to), _) => PlaylistChoice::Between { from: track(library, from)?, to: track(library, to)? },
        (_, _, Some(like)) => PlaylistChoice::Like { track: track(library, like)? },
        _ => PlaylistChoice::All,
    };
    let sort = vec![match &words.sort {
        Some(field) => sort_key(field, words.descending)?,
        None => SortKey::up("path"),
    }];
    let usual = if choice == PlaylistChoice::All { usize::MAX } else { USUAL };
    let count = words.count.map_or(usual, |count| count as usize);
    let wish = PlaylistWish { scope: query.into(), sort, choice, count, mixed: words.mix };
    let progress = Progress::new();
    let found = {
        let _bar = output.follow(&name(&words.output), &progress);
        playlist(library, &wish, &progress)?
    };
    let target = PlaylistTarget { path: &words.output, format, relative: words.relative, overwrite: words.overwrite };
    let ids: Vec<i64> = found.rows.iter().map(|row| row.id).collect();
    let written = write_playlist(library, &ids, &target, &Progress::new())?;
    tell(&words.output, &found, written.bytes, output)
}

/// Returns the track of a number or file.
fn track(library: &Library, text: &str) -> Result<i64> {
    match SimilarityReference::from_text(library, text)? {
        SimilarityReference::Track(id) => Ok(id),
        SimilarityReference::File(path) => {
            Err(Error::NotFound { what: "track of the library", name: path.display().to_string() })
        }
    }
}

fn tell(path: &Path, found: &Tracks, bytes: u64, output: &Output) -> Result<Outcome> {
    let (rows, seconds) = (&found.rows, found.duration_s());
    if output.is_json() {
        output.json(&Report { output: path, bytes, seconds, tracks: rows, changes: found.changes() })?;
        return Ok(Outcome::Done);
    }
    for row in rows {
        output.line(&super::list::line(row));
    }
    let length = text_from_seconds(seconds);
    output.note(&format!("{}  {} tracks, {length}, {bytes} bytes", path.display(), rows.len()));
    Ok(Outcome::Done)
}
