//! The library: folders, scan, table, a track's page, questions, clean-up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::{DocumentId, Selection};
use crate::error::Failure;

/// The library's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySettings {
    /// Whether the folders are watched, and changes in them scanned, while the window is open.
    pub watch: bool,
    /// Columns of the table, by name, in their order; empty for the standard ones.
    pub columns: Vec<String>,
    /// What the table is sorted by.
    pub sort: Vec<SortBy>,
    /// Weights of the dimensions in likeness that differ from the standard ones.
    pub weights: BTreeMap<String, f64>,
    /// Answers to a question of likeness.
    pub similar_count: u32,
    /// Whether auditions are brought to the same loudness.
    pub matched: bool,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            watch: false,
            columns: Vec::new(),
            sort: Vec::new(),
            weights: BTreeMap::new(),
            similar_count: 25,
            matched: true,
        }
    }
}

/// A column to sort by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SortBy {
    /// The column's name.
    pub column: String,
    /// From the largest to the smallest. What has no value comes last either way.
    pub descending: bool,
}

/// The library as its page shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryView {
    /// The folders (or single files) that belong to it, by path.
    pub folders: Vec<FolderView>,
    /// How its tracks stand.
    pub counts: LibraryCounts,
    /// The scan that runs in this process, or the last one that did.
    pub scan: Option<ScanView>,
    /// The process, another one, that scans it now.
    pub scanned_elsewhere: Option<String>,
    /// Whether the folders are watched now; why not, where they should be.
    pub watch: WatchView,
    /// Columns that the table can show and be sorted by.
    pub columns: Vec<LibraryColumn>,
    /// The 25 dimensions.
    pub dimensions: Vec<DimensionView>,
    /// The library's file.
    pub path: String,
}

/// A folder of the library.
#[derive(Clone, Debug, Serialize, TS)]
pub struct FolderView {
    /// Its number.
    pub id: i64,
    /// Where it is.
    pub path: String,
    /// Tracks in it.
    pub tracks: u64,
    /// When it was last looked through, in milliseconds since 1970.
    pub scanned_at: Option<i64>,
    /// Why it could not be reached then.
    pub unreachable: Option<String>,
}

/// How the tracks of the library stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct LibraryCounts {
    /// Tracks that wait to be analysed, those in hand included.
    pub waiting: u64,
    /// Tracks that are analysed.
    pub done: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Bytes of the files of all but the vanished.
    pub bytes: u64,
    /// Seconds of audio in the analysed.
    pub duration_s: f64,
}

/// Watching the folders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct WatchView {
    /// Whether it is on.
    pub on: bool,
    /// Why some folder is not watched.
    pub problem: Option<String>,
}

/// A column of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryColumn {
    /// Its name in queries and for sorting; a field of [`TrackItem`], or a dimension.
    pub name: String,
    /// The unit of its values; empty for none.
    pub unit: String,
    /// What it is.
    pub meaning: String,
    /// Whether larger values are what people look for first.
    pub numeric: bool,
}

/// One of the 25 dimensions.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DimensionView {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a share or a ratio.
    pub unit: String,
    /// The least value of a chart's axis.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Digits behind the point worth showing.
    pub decimals: u8,
    /// Its weight in likeness unless changed.
    pub weight: f64,
    /// How it is computed.
    pub formula: String,
    /// What it says.
    pub meaning: String,
}

/// What a scan is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum ScanPhase {
    Walking,
    Analysing,
    Pausing,
    Paused,
    Held,
    Stopping,
    Done,
    Cancelled,
    Failed,
}

/// A scan.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ScanView {
    /// What it is doing, or how it ended.
    pub phase: ScanPhase,
    /// Tracks that are through.
    pub tracks_done: u64,
    /// Tracks that were found to do so far; all of them once the folders are walked.
    pub tracks_total: u64,
    /// Bytes of the files that are through; of those in hand the share that is done.
    pub bytes_done: f64,
    /// Bytes of all.
    pub bytes_total: f64,
    /// Recordings that the walk found.
    pub found: u64,
    /// Tracks that were analysed.
    pub analysed: u64,
    /// Tracks whose audio was known already: copies, moved or tagged anew.
    pub recognised: u64,
    /// Tracks that could not be analysed.
    pub failed: u64,
    /// Tracks whose files are gone.
    pub vanished: u64,
    /// Seconds since it began, without pauses.
    pub elapsed_s: f64,
    /// Tracks a second, lately.
    pub tracks_per_s: f64,
    /// Seconds of audio a second of time.
    pub realtime_factor: f64,
    /// Seconds left; none while that is not known.
    pub remaining_s: Option<f64>,
    /// Where the time of all workers went, in seconds.
    pub time: ScanTime,
    /// Tracks in hand.
    pub in_hand: Vec<InHandView>,
    /// Memory that tracks in hand are reckoned to take.
    pub memory_bytes: u64,
    /// What keeps it from going on.
    pub fault: Option<String>,
    /// Folders that could not be reached, places that could not be looked at; why it failed.
    pub notices: Vec<String>,
}

/// Where the time of a scan's workers went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct ScanTime {
    /// Reading and decoding.
    pub decode: f64,
    /// Analysing on the processor.
    pub analysis: f64,
    /// Analysing on a GPU.
    pub gpu: f64,
    /// Finding out whether the audio is known.
    pub recognising: f64,
    /// Waiting for the database.
    pub database: f64,
    /// Waiting for memory.
    pub memory: f64,
}

/// A track in hand of a scan.
#[derive(Clone, Debug, Serialize, TS)]
pub struct InHandView {
    /// Its number.
    pub id: i64,
    /// Its file's name.
    pub name: String,
    /// The share that is done; none while its length is not known.
    pub done: Option<f64>,
    /// Seconds since it was begun.
    pub elapsed_s: f64,
}

/// Which tracks the table shows, and how.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, TS)]
pub struct TrackListQuery {
    /// A query's text; empty for all.
    pub text: String,
    /// What they are sorted by; empty for artist, album, number.
    pub sort: Vec<SortBy>,
}

/// Rows of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPage {
    /// Tracks that answer in all.
    pub total: usize,
    /// The number of the first row that is here.
    pub offset: usize,
    /// The rows.
    pub rows: Vec<TrackItem>,
}

/// Where a track stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum LibraryTrackState {
    Waiting,
    Analysing,
    Done,
    Failed,
    Vanished,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize, TS)]
#[allow(missing_docs, reason = "each is named after its column")]
pub struct TrackItem {
    pub id: i64,
    /// The file's name.
    pub name: String,
    /// The folder it lies in.
    pub folder: String,
    pub state: LibraryTrackState,
    /// Why it could not be analysed.
    pub reason: Option<String>,
    pub title: Option<String>,
    pub artist: Option<String>,
    pub album: Option<String>,
    pub album_artist: Option<String>,
    pub genre: Option<String>,
    pub year: Option<i64>,
    pub track_no: Option<i64>,
    pub disc_no: Option<i64>,
    pub duration_s: Option<f64>,
    pub rate_hz: Option<u32>,
    pub channels: Option<u32>,
    pub format: Option<String>,
    pub codec: Option<String>,
    /// Bits a second.
    pub bit_rate: Option<i64>,
    pub bits: Option<u32>,
    pub bandwidth_hz: Option<f64>,
    pub key: Option<String>,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// Whether there is a cover.
    pub cover: bool,
    /// The dimensions in their order; none where one has no value.
    pub features: Vec<Option<f64>>,
}

/// What could be typed next in a query.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletions {
    /// What is wrong with the whole text, and where.
    pub failure: Option<Failure>,
    /// Where the part to replace begins, in UTF-16 units.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What fits, the best first.
    pub items: Vec<QueryCompletion>,
}

/// One of them.
#[derive(Clone, Debug, Serialize, TS)]
pub struct QueryCompletion {
    /// What to put there.
    pub text: String,
    /// An example, with the unit.
    pub example: String,
    /// What it is.
    pub help: String,
}

/// All that is known of a track.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackPageView {
    /// Its row.
    pub item: TrackItem,
    /// Its file, as text.
    pub path: String,
    /// Whether the file is there now.
    pub reachable: bool,
    /// All its tags.
    pub tags: BTreeMap<String, String>,
    /// What was not as it should be in its file.
    pub warnings: Vec<String>,
    /// Why dimensions have no value, by name.
    pub missing: BTreeMap<String, String>,
    /// For each dimension the share of the library's tracks with a lower value, 0 to 1.
    pub percentiles: Vec<Option<f64>>,
    /// Curves and pictures.
    pub series: Vec<SeriesView>,
    /// What its bandwidth says of where it comes from; none while it is not known.
    pub origin: Option<OriginView>,
    /// When it was analysed, in milliseconds since 1970.
    pub analysed_at: Option<i64>,
    /// Whether an earlier version of this program analysed it.
    pub outdated: bool,
    /// When its file was found gone.
    pub vanished_at: Option<i64>,
    /// When its file was moved to the system's bin by this program.
    pub binned_at: Option<i64>,
}

/// A curve (width 1) or a picture (rows of `width`) over a track's time.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SeriesView {
    /// `chroma`, `tempogram`, `loudness`, ...
    pub name: String,
    /// The unit of the values; empty for none.
    pub unit: String,
    /// The time of the first row, in seconds.
    pub start_s: f64,
    /// From one row to the next.
    pub step_s: f64,
    /// Values in a row.
    pub width: u32,
    /// The values, row after row; none where there is none.
    pub values: Vec<Option<f32>>,
}

/// Whether a recording went through a lossy codec, told from its bandwidth.
#[derive(Clone, Debug, Serialize, TS)]
pub struct OriginView {
    /// What it seems to be.
    pub origin: OriginKind,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasons: Vec<String>,
}

/// What a recording seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// No trace of lossy coding where it would be seen.
    Genuine,
    /// It ends as the output of a lossy encoder ends.
    LikelyTranscoded,
    /// It ends where a lower sample rate ends.
    LikelyUpsampled,
    /// There is nothing by which it could be told.
    CannotTell,
}

/// A cover.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CoverView {
    /// `image/jpeg`.
    pub mime: String,
    /// The picture's bytes in Base64.
    pub data: String,
}

/// What others are to be like.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum LikeWhat {
    /// A track of the library.
    Track { track: i64 },
    /// A recording that is open in the editor; it is listened to first.
    Document { document: DocumentId },
}

/// A track that is like the one asked for.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SimilarItem {
    /// The track.
    pub track: TrackItem,
    /// 1 for equal, 0 for as far as the library is wide or farther.
    pub score: f64,
    /// Every dimension that counted, the largest share of the distance first.
    pub contributions: Vec<ContributionView>,
}

/// What a dimension adds to a distance.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ContributionView {
    /// The dimension's name.
    pub dimension: String,
    /// The value of the track asked for.
    pub asked: Option<f64>,
    /// The value of the track found.
    pub found: Option<f64>,
    /// Its share of the squared distance; all shares sum to 1, or are 0 where the distance is.
    pub share: f64,
}

/// Tracks that are the same recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicatesView {
    /// Groups of two tracks and more.
    pub groups: Vec<DuplicateGroup>,
    /// Tracks that were looked at.
    pub tracks: usize,
    /// Pairs that were compared.
    pub compared: usize,
    /// Whether the library has changed since.
    pub outdated: bool,
}

/// Tracks that are one recording.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicateGroup {
    /// The tracks, the best copy first.
    pub members: Vec<DuplicateItem>,
    /// Bytes of all but the best copy.
    pub spare_bytes: u64,
}

/// A track of a group.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DuplicateItem {
    /// The track.
    pub track: TrackItem,
    /// How alike it is to the group's reference, 0 to 1.
    pub score: f64,
    /// Seconds of both that lie over each other.
    pub overlap_s: f64,
    /// Where in this track the best copy's beginning lies, in seconds; negative where this track begins later.
    pub offset_s: f64,
    /// How much faster this track plays than the best copy.
    pub speed: f64,
    /// Whether its audio is that of another of the group to the last bit.
    pub exact: bool,
    /// Whether it is the copy to keep.
    pub best: bool,
    /// Why it stands where it stands among the copies.
    pub reasons: Vec<String>,
    /// What its bandwidth says of where it comes from.
    pub origin: Option<OriginView>,
    /// What the user decided about it and the best copy.
    pub decision: Option<Decision>,
}

/// What the user decided about two tracks that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// They are the same recording.
    Same,
    /// They are not, and are not shown together again.
    Different,
    /// They are the same, and both are to stay.
    KeepBoth,
}

/// Where a clip comes from that is to be identified.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each carries what it is named after")]
pub enum ClipSource {
    /// A file that the user is asked for.
    File,
    /// A recording that is open in the editor, or a part of it.
    Document { document: DocumentId, range: Option<Selection> },
    /// The system's sound input, for some seconds.
    Microphone { seconds: f64 },
}

/// What a clip is of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentifiedView {
    /// What the clip was.
    pub clip: String,
    /// Its length in seconds.
    pub duration_s: f64,
    /// Its level: a microphone that hears nothing says so.
    pub peak_db: Option<f64>,
    /// Tracks that it is of, the best first.
    pub tracks: Vec<IdentityView>,
    /// Tracks that were asked.
    pub asked: usize,
    /// Tracks that an earlier version of this program analysed and that were not asked.
    pub outdated: usize,
}

/// A track that a clip is of.
#[derive(Clone, Debug, Serialize, TS)]
pub struct IdentityView {
    /// The track.
    pub track: TrackItem,
    /// 1 for the same, 0 for no more alike than any two.
    pub score: f64,
    /// Where in the track the clip begins, in seconds.
    pub offset_s: f64,
    /// How much of the clip is in the track, in seconds.
    pub overlap_s: f64,
    /// How much faster the clip plays than the track.
    pub speed: f64,
    /// How much higher it sounds, in semitones.
    pub pitch_semitones: f64,
}

/// What came of moving files to the system's bin.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinOutcome {
    /// Tracks whose files were moved.
    pub moved: Vec<i64>,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files that could not be moved, and why.
    pub failures: Vec<BinFailure>,
    /// Whether `restore_tracks` can bring them back; otherwise the system's bin can.
    pub restorable: bool,
}

/// A file that could not be moved.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BinFailure {
    /// The track.
    pub track: i64,
    /// Its file's name.
    pub name: String,
    /// Why.
    pub failure: Failure,
}

/// A track that could not be analysed.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TrackProblem {
    /// Its number.
    pub id: i64,
    /// Its file's name.
    pub name: String,
    /// The folder it lies in.
    pub folder: String,
    /// Why.
    pub reason: String,
    /// How often it was tried.
    pub attempts: u32,
}

/// Tracks that were written to a file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportedTracks {
    /// The file's name.
    pub name: String,
    /// Tracks in it.
    pub tracks: u64,
    /// Its size.
    pub bytes: u64,
}

/// One of the two that an audition lets hear.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct AuditionTrack {
    /// A track of the library.
    pub track: i64,
    /// Where in it the common time begins, in the track's own seconds; negative where it comes in later.
    pub offset_s: f64,
    /// How fast it is played, pitch and all: 1 as it is. A copy that plays 2 % faster than the other track lies over it
    /// from beginning to end at `1 / 1.02`.
    #[serde(default = "as_it_is")]
    #[ts(as = "Option<f64>", optional)]
    pub speed: f64,
}

fn as_it_is() -> f64 {
    1.0
}

/// What is auditioned: one track, or two that are laid over each other.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct AuditionView {
    /// The track on side A.
    pub a: i64,
    /// The track on side B.
    pub b: Option<i64>,
    /// Frames of their common time a second, in which the transport's frame and `seek` count.
    pub rate: u32,
    /// Their common time's length in seconds.
    pub duration_s: f64,
    /// The common time that is heard now.
    pub at_s: f64,
}
