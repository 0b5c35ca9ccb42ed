//! Playlists of the library's tracks.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use super::similar::{check_analysed, like_track};
use super::{ROWS_AT_ONCE, TrackScope};
use crate::questions::export::WrittenTracks;
use crate::questions::playlists::mix::{self, Mixable};
use crate::questions::playlists::{Entry, Format, Places, path, write};
use crate::questions::query::Key;
use crate::questions::similar::{Question, Similar, Weights};
use crate::questions::table::Table;
use crate::{Library, SortKey, Track, TrackRow, TrackState};
use analysis::features::dimensions::index_of;
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;

/// How the tracks of a playlist are chosen from its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum PlaylistChoice {
    /// All, in the given order.
    All,
    /// A track, and those most similar to it.
    Like { track: i64 },
    /// From one track to another, by similar steps. These two need not be in the scope.
    Between { from: i64, to: i64 },
}

/// A request for a playlist.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaylistWish {
    /// The candidate tracks.
    pub scope: TrackScope,
    /// The order of all tracks.
    pub sort: Vec<SortKey>,
    /// How tracks are chosen from the candidates.
    pub choice: PlaylistChoice,
    /// The greatest number of tracks.
    pub count: usize,
    /// Whether the tracks are ordered for mixing, by tempo and key. Unless all were chosen, the first one stays first.
    pub mixed: bool,
}

/// The tracks of a playlist.
#[derive(Clone, Debug, PartialEq)]
pub struct Playlist {
    /// Its tracks in their order.
    pub rows: Vec<TrackRow>,
    /// The number of chosen tracks that are left out, because they could not be analysed.
    pub left_out: usize,
}

impl Playlist {
    /// Returns the length of all tracks whose length is known, in seconds.
    pub fn duration_s(&self) -> f64 {
        self.rows.iter().filter_map(|row| row.duration_s).sum()
    }

    /// Returns the cost of the change from each track to the next in a mix; see [`mix`].
    pub fn changes(&self) -> Vec<f64> {
        self.rows.windows(2).map(|pair| mix::cost(mixable(&pair[0]), mixable(&pair[1]))).collect()
    }
}

/// The file of a playlist.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaylistTarget<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its format.
    pub format: Format,
    /// Whether paths are relative to its folder.
    pub relative: bool,
    /// Whether an existing file is replaced.
    pub overwrite: bool,
}

/// Returns the tracks of a playlist in their order, without those that could not be analysed.
///
/// # Errors
/// [`Error::Limit`] for more than [`mix::MAX_TRACKS`] tracks to be mixed.
pub fn playlist(library: &Library, wish: &PlaylistWish, progress: &Progress) -> Result<Playlist> {
    let ids = match wish.choice {
        PlaylistChoice::All => wish.scope.ids(library, &wish.sort)?,
        PlaylistChoice::Like { track } => {
            let found = with_similar(library, wish, wish.count.saturating_sub(1), |similar, question| {
                like_track(library, similar, track, question)
            })?;
            std::iter::once(track).chain(found.into_iter().map(|neighbour| neighbour.id)).collect()
        }
        PlaylistChoice::Between { from, to } => with_similar(library, wish, wish.count, |similar, question| {
            [from, to].iter().try_for_each(|&end| check_analysed(library, similar, end))?;
            path(similar, [from, to], question, progress)
        })?,
    };
    let (mut rows, mut left_out) = (Vec::new(), 0);
    for part in ids.chunks(ROWS_AT_ONCE) {
        progress.check()?;
        for row in library.rows(part)? {
            // A file that could not be read will hardly play; another track takes its place.
            if row.state == TrackState::Failed {
                left_out += 1;
            } else if rows.len() < wish.count {
                rows.push(row);
            }
        }
        if rows.len() >= wish.count {
            break;
        }
    }
    if !wish.mixed {
        return Ok(Playlist { rows, left_out });
    }
    let tracks: Vec<Mixable> = rows.iter().map(mixable).collect();
    let first = (!matches!(wish.choice, PlaylistChoice::All) && !rows.is_empty()).then_some(0);
    let order = mix::order(&tracks, first, progress)?;
    let mut rows: Vec<Option<TrackRow>> = rows.into_iter().map(Some).collect();
    Ok(Playlist { rows: order.into_iter().filter_map(|place| rows[place].take()).collect(), left_out })
}

/// Asks a similarity question about the tracks of the scope.
fn with_similar<T>(
    library: &Library,
    wish: &PlaylistWish,
    count: usize,
    ask: impl FnOnce(&Similar, &Question) -> Result<T>,
) -> Result<T> {
    let features = library.features_table()?;
    let similar = Similar::new(Table::new(features.ids, features.rows)?);
    let matching: HashSet<i64> = wish.scope.ids(library, &[])?.into_iter().collect();
    let accept = |place: usize| similar.table().ids().get(place).is_some_and(|id| matching.contains(id));
    ask(&similar, &Question { weights: &Weights::default(), count, accept: Some(&accept) })
}

/// Returns the tempo and the key of a track for mixing.
fn mixable(row: &TrackRow) -> Mixable {
    let tempo = index_of("tempo_bpm").and_then(|at| row.features.get(at).copied().flatten());
    Mixable::new(tempo, row.key.as_deref().and_then(Key::read))
}

/// Writes the tracks with these IDs as a playlist, in this order. Tracks that no longer exist are left out. Returns
/// what was written. Progress counts tracks.
pub fn write_playlist(
    library: &Library,
    tracks: &[i64],
    target: &PlaylistTarget<'_>,
    progress: &Progress,
) -> Result<WrittenTracks> {
    let places = if target.relative {
        let absolute = std::path::absolute(target.path).map_err(|error| Error::io("find", target.path, error))?;
        Places::From(absolute.parent().unwrap_or(&absolute).to_path_buf())
    } else {
        Places::Absolute
    };
    progress.set_total(tracks.len() as u64);
    let mut entries = Vec::with_capacity(tracks.len());
    for &id in tracks {
        progress.advance(1)?;
        match library.track(id) {
            Ok(track) => entries.push(entry(track)),
            // The track was removed in the meantime.
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let inputs = [library.path().to_path_buf()];
    let bytes = write(target.path, target.format, &entries, &places, target.overwrite, &inputs)?;
    Ok(WrittenTracks { tracks: entries.len() as u64, bytes })
}

fn entry(track: Track) -> Entry {
    // Rows have only the displayed path.
    let Track { path, row, .. } = track;
    Entry {
        path,
        title: row.title,
        artist: row.artist,
        album: row.album,
        track_no: row.track_no,
        duration_s: row.duration_s,
    }
}
