//! The commands of the library.

use std::collections::BTreeMap;

use super::types::{
    AuditionTrack, BinOutcome, ClipSource, DuplicatesView, ExportedTracks, IdentifiedView, LibraryView, LikeWhat,
    PlaylistView, QueryCompletions, SimilarItem, TagRunView, TagWriteView, TrackItem, TrackListQuery, TrackPage,
    TrackPageView, TrackProblem,
};
use super::{LibraryPage, audition, track, watching};
use crate::library::answers::{PlaylistChoice, TagOutcome};
use crate::library::questions::playlists::Format as PlaylistFormat;
use crate::library::tags::TagField;
use crate::library::{Decision, Password};
use crate::playback::Side;
use crate::window::commands::commands;
use crate::window::jobs::JobId;
use crate::window::playback::types::TransportView;
use crate::window::workspace::types::Opened;
use crate::work::cover::CoverView;

commands! {
    library(app);

    LibraryPage(&app.library) {
        /// Returns the state of the library: folders, counts, scan, columns.
        [Long] view() -> LibraryView;
        /// Lets the user choose folders, adds them and starts to scan them.
        [Long] add_folders() -> LibraryView;
        /// Removes a folder and the data of its tracks from the library. No file is changed.
        [Long] remove_folder(folder: i64) -> LibraryView;
        /// Opens the library on a server with a password, which is kept until the program ends, or if `remember` is
        /// set, in the system's keyring.
        [Long] give_password(password: Password, remember: bool) -> LibraryView;
        /// Deletes the password of the server from the system's keyring and from this program. Returns whether there
        /// was one.
        [Long] forget_password() -> bool;
        /// Lets the user choose where a folder of a library on a server is on this machine. Returns the path; null if
        /// cancelled.
        [Long] choose_place(folder: String) -> Option<String>;
        /// Starts to scan the library or some of its folders.
        [Long] scan(folders: Vec<i64>) -> LibraryView;
        /// Pauses the scan when the tracks in progress are finished.
        [Control] pause_scan() -> ();
        /// Resumes the scan.
        [Control] resume_scan() -> ();
        /// Cancels the scan. Results so far are kept.
        [Control] cancel_scan() -> ();
        /// Returns rows of the table.
        [Long] tracks(query: TrackListQuery, offset: usize, limit: usize) -> TrackPage;
        /// Returns the row of a track in the table; null if the track does not match the query.
        [Long] position(query: TrackListQuery, track: i64) -> Option<usize>;
        /// Returns the IDs of all matching tracks in table order, for highlighting on the map or for a command on all
        /// of them.
        [Long] numbers(query: TrackListQuery) -> Vec<i64>;
        /// Returns the rows of some tracks in the order given, without those that no longer exist.
        [Long] rows(tracks: Vec<i64>) -> Vec<TrackItem>;
        /// Returns completions of a query at the cursor, which is counted in UTF-16 code units.
        [Long] complete_query(text: String, cursor: usize) -> QueryCompletions;
        /// Returns everything known about a track.
        [Long] track(track: i64) -> TrackPageView;
        /// Returns a track's cover.
        [Long] cover(track: i64) -> Option<CoverView>;
        /// Returns the tracks that could not be analysed, with the reason.
        [Long] problems() -> Vec<TrackProblem>;
        /// Starts a scan that retries these tracks, or all tracks that could not be analysed.
        [Long] retry(tracks: Option<Vec<i64>>) -> LibraryView;
        /// Returns the tracks most similar to one. Weights are by dimension; an empty map means the default weights.
        [Long] similar(like: LikeWhat, weights: BTreeMap<String, f64>, count: usize) -> Vec<SimilarItem>;
        /// Starts to search for tracks that are the same recording.
        [Long] find_duplicates() -> JobId;
        /// Returns the result of the last search for duplicates; null before the first.
        [Long] duplicates() -> Option<DuplicatesView>;
        /// Stores the user's decision about two tracks, or removes it.
        [Long] decide_duplicates(first: i64, second: i64, decision: Option<Decision>) -> ();
        /// Starts to compute the map.
        [Long] make_map() -> JobId;
        /// Starts to identify a clip; null if the user chose no file.
        [Long] identify(clip: ClipSource) -> Option<JobId>;
        /// Returns the result of the last identification; null before the first.
        [Control] identified() -> Option<IdentifiedView>;
        /// Moves the files of tracks to the system's bin. For each track, `copies` lists tracks of which at least one
        /// must still be on disk; an empty list requires none.
        [Long] bin(tracks: Vec<i64>, copies: Option<Vec<Vec<i64>>>) -> BinOutcome;
        /// Restores files that were moved to the bin, on systems where programs can do so.
        [Long] restore(tracks: Vec<i64>) -> BinOutcome;
        /// Shows a track's file in the system's file manager.
        [Long] show_file(track: i64) -> ();
        /// Lets the user choose a CSV, JSON or Parquet file and writes the matching tracks to it.
        [Long] export(query: TrackListQuery) -> Option<ExportedTracks>;
        /// Starts to choose the tracks of a playlist among those of a query, or some of them, at most `count`. They keep
        /// the order of the table, or with `mixed` are ordered for mixing, by tempo and key; unless all were chosen,
        /// the first one stays first then. A request that is still running is cancelled.
        [Long] make_playlist(query: TrackListQuery, tracks: Option<Vec<i64>>, choice: PlaylistChoice, count: Option<usize>, mixed: bool) -> JobId;
        /// Returns the playlist of the last completed request.
        [Control] playlist() -> Option<PlaylistView>;
        /// Lets the user choose a file, and starts to write these tracks to it as a playlist, with paths relative to
        /// its folder if `relative` is set. Returns null if cancelled.
        [Long] save_playlist(tracks: Vec<i64>, format: PlaylistFormat, relative: bool) -> Option<JobId>;
        /// Starts to find out which tags would be written to the tracks of a query, or some of them; `tag_run` has the
        /// result. With `only_missing`, existing values are kept. No file is changed.
        [Long] preview_tags(query: TrackListQuery, tracks: Option<Vec<i64>>, fields: Vec<TagField>, only_missing: bool) -> JobId;
        /// Starts to write the changes of the preview with this number to the original files; `tag_run` has the result.
        /// A file for which the changes would now be different is left unchanged.
        [Long] write_tags(preview: u32) -> JobId;
        /// Starts to restore the originals of a write, the last file first; `tag_run` has the result.
        [Long] undo_tags(write: i64) -> JobId;
        /// Returns the last preview, write or undo of tags, with a range of its files: those with an outcome, or all.
        [Long] tag_run(outcome: Option<TagOutcome>, offset: usize, limit: usize) -> Option<TagRunView>;
        /// Returns the past writes of tags, latest first.
        [Long] tag_writes() -> Vec<TagWriteView>;
        /// Deletes the data kept for undoing a write. Returns the remaining writes.
        [Long] forget_tags(write: i64) -> Vec<TagWriteView>;
    }

    track(app) {
        /// Opens tracks in the editor.
        [Long] open(tracks: Vec<i64>) -> Opened;
    }

    watching(app) {
        /// Turns watching the folders for changes on or off.
        [Long] watch(on: bool) -> LibraryView;
    }

    audition(app) {
        /// Plays one track of the library, or two aligned tracks of which one is heard, from a point in their common
        /// time. Track A is the original side. If no side is given, the last one heard in an audition is kept.
        [Long] audition(a: AuditionTrack, b: Option<AuditionTrack>, from_s: f64, side: Option<Side>) -> TransportView;
    }
}
