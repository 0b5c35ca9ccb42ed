//! The library: folders, scan, table, track page, searches, clean-up.

mod audition;
mod clean_up;
mod duplicates;
mod identity;
mod likeness;
mod overview;
mod page;
mod playlists;
mod scan;
mod tags;
mod tracks;

pub use audition::{AuditionTrack, AuditionView};
pub use clean_up::BinOutcome;
pub use duplicates::{DuplicateItem, DuplicatesView};
pub use identity::{ClipSource, IdentifiedView, IdentityView};
pub use likeness::{LikeWhat, SimilarItem};
pub use overview::{LibraryCounts, LibraryView};
pub use page::TrackPageView;
pub use playlists::PlaylistView;
pub use scan::{InHandView, ScanPhase, ScanTime, ScanView, TrackProblem};
pub use tags::{TagAction, TagFileView, TagRunView, TagWriteView};
pub use tracks::{ExportedTracks, QueryCompletions, TrackItem, TrackListQuery, TrackPage};
