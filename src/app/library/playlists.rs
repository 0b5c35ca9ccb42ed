//! Playlists of the library's tracks.

use std::collections::HashSet;
use std::path::Path;

use super::ROWS_AT_ONCE;
use super::similar::{check_analysed, like_track};
use crate::error::{Error, Result};
use crate::features::dimensions::index_of;
use crate::library::questions::playlists::mix::{self, Mixable};
use crate::library::questions::playlists::{Entry, Format, Places, path, write};
use crate::library::questions::query::Key;
use crate::library::questions::similar::{Question, Similar, Weights};
use crate::library::questions::table::Table;
use crate::library::{Library, SortKey, TrackQuery, TrackRow, TrackState};
use crate::progress::Progress;

/// How the tracks of a playlist are chosen among those that match its query.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// All, in this order.
    All(Vec<SortKey>),
    /// A track, and those most similar to it.
    Like(i64),
    /// A path from one track to another. These two need not match.
    Between([i64; 2]),
}

/// What is wanted of a playlist.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaylistWish {
    /// The query.
    pub query: TrackQuery,
    /// How tracks are chosen among those that match.
    pub choice: Choice,
    /// The greatest number of tracks.
    pub count: usize,
    /// Whether they are put in an order for mixing, by tempo and key. Unless all were chosen, the first one stays the first.
    pub mixed: bool,
}

/// Where a playlist is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaylistTarget<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its format.
    pub format: Format,
    /// Whether files are named from its folder on.
    pub relative: bool,
    /// Whether an existing file is replaced.
    pub overwrite: bool,
}

/// Returns the tracks of a playlist in their order, without those that could not be analysed.
///
/// # Errors
/// Those of [`path`], [`mix::order`] and [`like_track`]; [`Error::Stored`]; [`Error::Cancelled`].
pub fn playlist(library: &Library, wish: &PlaylistWish, progress: &Progress) -> Result<Vec<TrackRow>> {
    let ids = match &wish.choice {
        Choice::All(sort) => library.track_ids(&wish.query, sort)?.iter().copied().take(wish.count).collect(),
        Choice::Like(track) => {
            let found = with_similar(library, wish, wish.count.saturating_sub(1), |similar, question| {
                like_track(library, similar, *track, question)
            })?;
            std::iter::once(*track).chain(found.into_iter().map(|neighbour| neighbour.id)).collect()
        }
        Choice::Between(ends) => with_similar(library, wish, wish.count, |similar, question| {
            ends.iter().try_for_each(|&end| check_analysed(library, similar, end))?;
            path(similar, *ends, question, progress)
        })?,
    };
    let mut rows = Vec::with_capacity(ids.len());
    for part in ids.chunks(ROWS_AT_ONCE) {
        progress.check()?;
        rows.extend(library.rows(part)?);
    }
    // What could not be read once will hardly be played.
    rows.retain(|row| row.state != TrackState::Failed);
    if !wish.mixed {
        return Ok(rows);
    }
    let tracks: Vec<Mixable> = rows.iter().map(mixable).collect();
    let first = (!matches!(wish.choice, Choice::All(_)) && !rows.is_empty()).then_some(0);
    let order = mix::order(&tracks, first, progress)?;
    let mut rows: Vec<Option<TrackRow>> = rows.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|place| rows[place].take()).collect())
}

/// Asks about similar tracks among those that match the query.
fn with_similar<T>(
    library: &Library,
    wish: &PlaylistWish,
    count: usize,
    ask: impl FnOnce(&Similar, &Question) -> Result<T>,
) -> Result<T> {
    let features = library.features_table()?;
    let similar = Similar::new(Table::new(features.ids, features.rows)?);
    let matching: HashSet<i64> = library.track_ids(&wish.query, &[])?.iter().copied().collect();
    let accept = |place: usize| similar.table().ids().get(place).is_some_and(|id| matching.contains(id));
    ask(&similar, &Question { weights: &Weights::default(), count, accept: Some(&accept) })
}

/// What a mix asks of a track.
pub fn mixable(row: &TrackRow) -> Mixable {
    let tempo = index_of("tempo_bpm").and_then(|at| row.features.get(at).copied().flatten());
    Mixable::new(tempo, row.key.as_deref().and_then(Key::read))
}

/// Writes tracks as a playlist. Returns its size in bytes.
///
/// # Errors
/// [`Error::Stored`], and those of [`write`].
pub fn write_playlist(library: &Library, rows: &[TrackRow], target: &PlaylistTarget<'_>) -> Result<u64> {
    let places = if target.relative {
        let absolute = std::path::absolute(target.path).map_err(|error| Error::io("find", target.path, error))?;
        Places::From(absolute.parent().unwrap_or(&absolute).to_path_buf())
    } else {
        Places::Absolute
    };
    let entry = |row: &TrackRow| {
        Ok(Entry {
            // Rows have the path as it is shown only.
            path: library.track(row.id)?.path,
            title: row.title.clone(),
            artist: row.artist.clone(),
            album: row.album.clone(),
            track_no: row.track_no,
            duration_s: row.duration_s,
        })
    };
    let entries = rows.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
    write(target.path, target.format, &entries, &places, target.overwrite, &[library.path().to_path_buf()])
}
