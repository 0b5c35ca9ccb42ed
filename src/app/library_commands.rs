//! The library's commands.

use std::collections::BTreeMap;

use super::App;
#[allow(clippy::wildcard_imports, reason = "commands of the whole table")]
use super::api::*;
use crate::error::{Error, Result};

impl App {
    pub(super) fn library(&self) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn add_library_folders(&self) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn remove_library_folder(&self, _folder: i64) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn scan_library(&self, _folders: Vec<i64>) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn pause_scan(&self) -> Result<()> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn resume_scan(&self) -> Result<()> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn cancel_scan(&self) -> Result<()> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn watch_library(&self, _on: bool) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_tracks(&self, _query: TrackListQuery, _offset: usize, _limit: usize) -> Result<TrackPage> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_position(&self, _query: TrackListQuery, _track: i64) -> Result<Option<usize>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn complete_query(&self, _text: String, _cursor: usize) -> Result<QueryCompletions> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_track(&self, _track: i64) -> Result<TrackPageView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_cover(&self, _track: i64) -> Result<Option<CoverView>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn open_tracks(&self, _tracks: Vec<i64>) -> Result<Opened> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_problems(&self) -> Result<Vec<TrackProblem>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn retry_tracks(&self, _tracks: Option<Vec<i64>>) -> Result<LibraryView> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn similar_tracks(
        &self,
        _like: LikeWhat,
        _weights: BTreeMap<String, f64>,
        _count: usize,
    ) -> Result<Vec<SimilarItem>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn find_duplicates(&self) -> Result<JobId> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn duplicates(&self) -> Result<Option<DuplicatesView>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn decide_duplicates(&self, _first: i64, _second: i64, _decision: Option<Decision>) -> Result<()> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn make_map(&self) -> Result<JobId> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn library_map(&self) -> Result<Option<MapView>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn identify_clip(&self, _clip: ClipSource) -> Result<Option<JobId>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn identified(&self) -> Result<Option<IdentifiedView>> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn bin_tracks(&self, _tracks: Vec<i64>) -> Result<BinOutcome> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn restore_tracks(&self, _tracks: Vec<i64>) -> Result<BinOutcome> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn show_track_file(&self, _track: i64) -> Result<()> {
        Err(Error::Internal("later".into()))
    }
    pub(super) fn export_tracks(&self, _query: TrackListQuery) -> Result<Option<ExportedTracks>> {
        Err(Error::Internal("later".into()))
    }
}
