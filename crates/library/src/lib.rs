//! The library: the recordings in some folders, the results of their analysis, and the scan that keeps it up to date.
//!
//! The library is one `SQLite` database that several processes may share. Audio files are only read, except by
//! [`tags`]. A track is a file; its id stays the same when the file is moved, renamed, retagged or unreachable.
//! [`files`] defines what counts as a recording and when two are the same, [`scan`] adds the content of folders, and
//! [`list`] shows tables of a hundred thousand rows.

mod access;
mod analysis;
pub mod answers;
mod changes;
mod check;
mod copies;
pub mod encodings;
pub mod files;
pub mod list;
mod password;
mod place;
mod places;
pub mod questions;
mod retag;
pub mod scan;
mod schema;
mod sql;
mod store;
mod stored_path;
mod table;
pub mod tags;
mod tracks;
mod transfer;
mod values;
pub mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

pub use access::{Access, ReadOnly};
pub use analysis::{Analyse, Analyser, AnalysisSeconds, Series, TrackAnalysis, Versions};
pub use changes::Content;
pub use list::{Page, SortKey, TrackQuery};
pub use password::Password;
pub use place::Place;
pub use places::Places;
pub use scan::{
    Counts, InHand, Phase, ScanEvent, ScanHandle, ScanOptions, ScanOutcome, ScanStatus, ScanSummary, TimeSplit,
};
pub use schema::{FEATURES, FILE_NAME};
pub use sql::RootPlace;
pub use sql::server::{Address, keyring};
pub use store::outcome::MAX_COVER_BYTES;
pub use store::roots::Root;
pub use store::scans::ScanRecord;
pub use table::{FeatureTable, Identity, NewSketch, TrackFingerprints};
pub use tracks::columns;
pub use tracks::{Track, TrackError, TrackRow, TrackState};
pub use transfer::Transfer;

use self::list::Listings;
use self::questions::query::FreeText;
use self::sql::values;
use self::store::{Store, queue, roots, scans, words};
use audio::{AudioFile, Picture};
use base::date::now_ms;
use base::declared::TS;
use base::error::{Error, Result};
use base::lock::lock;

/// A library. Every change is one transaction: once a call has returned, its change survives a kill.
#[derive(Debug)]
pub struct Library {
    store: Arc<Store>,
    listings: Mutex<Listings>,
}

/// The state of a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LibraryStatus {
    /// Number of tracks waiting for analysis.
    pub waiting: u64,
    /// Number of tracks being analysed by a running scan.
    pub analysing: u64,
    /// Number of analysed tracks.
    pub done: u64,
    /// Number of tracks that could not be analysed.
    pub failed: u64,
    /// Number of tracks whose files are gone.
    pub vanished: u64,
    /// Total size in bytes of all files that are not gone.
    pub bytes: u64,
    /// Total duration of the analysed tracks in seconds.
    pub duration_s: f64,
    /// The process that is scanning the library, if any.
    pub scanned_by: Option<String>,
    /// Roots that were unreachable when last checked.
    #[serde(serialize_with = "base::files::json::lossy_all")]
    pub unreachable: Vec<PathBuf>,
    /// Size of the database in bytes.
    pub database_bytes: u64,
}

/// The user's decision about two similar tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// They are the same recording.
    Same,
    /// They are different recordings and are not grouped again.
    Different,
    /// They are the same, but both are kept.
    KeepBoth,
}

impl Decision {
    fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::KeepBoth => "keep_both",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "same" => Self::Same,
            "different" => Self::Different,
            _ => Self::KeepBoth,
        }
    }
}

impl Library {
    /// Opens the library in the file at `path` and creates it if it does not exist. Also returns notices for the user.
    /// A damaged library is put aside whole, and a new one is created with the same folders. A file that is not a
    /// library, or one of a later version, is left untouched.
    ///
    /// # Errors
    /// [`Error::Refused`] if the file is not a library.
    pub fn open(path: &Path) -> Result<(Self, Vec<String>)> {
        Self::open_at(Place::File(path.to_path_buf()))
    }

    /// Opens a library in a file, as [`Library::open`] does, or one on a server, where missing tables are created. The
    /// password comes from the place, from `PGPASSWORD`, from the password file, or from the system's keyring, in this
    /// order.
    ///
    /// # Errors
    /// [`Error::Password`] if the password is missing or wrong.
    pub fn open_at(place: Place) -> Result<(Self, Vec<String>)> {
        let (store, notices) = Store::open(place, true)?;
        Ok((Self { store: Arc::new(store), listings: Mutex::default() }, notices))
    }

    /// Opens a library that exists, as [`Library::open_at`] does.
    pub fn open_existing(place: Place) -> Result<(Self, Vec<String>)> {
        if let Place::File(path) = &place
            && !path.exists()
        {
            let name = format!("{} (`undertone library scan FOLDER` makes one)", path.display());
            return Err(Error::NotFound { what: "library", name });
        }
        let (store, notices) = Store::open(place, false)?;
        Ok((Self { store: Arc::new(store), listings: Mutex::default() }, notices))
    }

    /// Returns where the library is.
    pub fn place(&self) -> &Place {
        self.store.place()
    }

    /// Returns the path of the database file; for a library on a server, the path beside which this machine keeps its
    /// files for it.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Returns the folders (or single files) of the library, sorted by path.
    pub fn roots(&self) -> Result<Vec<Root>> {
        self.store.read(roots::all)
    }

    /// Adds a folder or a single file, which the next scan reads. Existing folders of the library inside it become part
    /// of it. Adding a folder again has no effect.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is inside a folder of the library.
    pub fn add_root(&self, path: &Path) -> Result<Root> {
        let path = std::path::absolute(path).map_err(|source| Error::io("find the folder", path, source))?;
        let canonical = path.canonicalize().map_err(|source| Error::io("find the folder", &path, source))?;
        // Another process may add a folder between the look and the writing.
        loop {
            let roots = self.roots()?;
            let mut inside = Vec::new();
            for root in &roots {
                // An unreachable root is compared by its name.
                let other = root.path.canonicalize().unwrap_or_else(|_| root.path.clone());
                if other == canonical || root.path == path {
                    return Ok(root.clone());
                }
                if canonical.starts_with(&other) {
                    let allowed = format!("a folder outside of {}, which is part of the library", root.path.display());
                    return Err(Error::invalid("folder to add", path.display().to_string(), allowed));
                }
                if other.starts_with(&canonical) {
                    inside.push(root.id);
                }
            }
            let known = roots.iter().map(|root| root.id).collect();
            if let Some(id) = self.store.write(|session| roots::add(session, &path, &inside, &known))? {
                // One that another process adds around it takes its place at once.
                let Some(added) = self.roots()?.into_iter().find(|root| root.id == id) else { continue };
                if added.path != path {
                    let here = added.path.display();
                    let allowed = format!("another one: the library has a folder of that path, which is {here} here");
                    return Err(Error::invalid("folder to add", path.display().to_string(), allowed));
                }
                return Ok(added);
            }
        }
    }

    /// Removes a folder from the library, with all data about its tracks. No file is touched.
    pub fn remove_root(&self, id: i64) -> Result<()> {
        if self.store.write(|session| roots::remove(session, id))? {
            Ok(())
        } else {
            Err(Error::NotFound { what: "folder", name: id.to_string() })
        }
    }

    /// Starts a scan: walks the folders and analyses tracks that are new, changed, or were analysed by another version.
    ///
    /// # Errors
    /// [`Error::Refused`] while another scan runs, in any process.
    pub fn scan(&self, options: ScanOptions) -> Result<ScanHandle> {
        scan::start(&self.store, options)
    }

    /// Returns the state of the library.
    pub fn status(&self) -> Result<LibraryStatus> {
        let mut status = LibraryStatus { scanned_by: scan::holder(&self.store)?, ..LibraryStatus::default() };
        for (state, tracks, bytes) in self.store.read(queue::counts)? {
            match TrackState::from_name(&state) {
                Some(TrackState::Waiting) => status.waiting = tracks,
                Some(TrackState::Analysing) => status.analysing = tracks,
                Some(TrackState::Done) => status.done = tracks,
                Some(TrackState::Failed) => status.failed = tracks,
                Some(TrackState::Vanished) | None => {
                    status.vanished = tracks;
                    continue;
                }
            }
            status.bytes = status.bytes.saturating_add(bytes);
        }
        status.duration_s = self.store.read(|session| {
            let sum = "SELECT coalesce(sum(duration_s), 0.0) FROM track WHERE state = 'done'";
            session.one(sum, &[], |row| row.get(0))
        })?;
        let out_of_reach = self.roots()?.into_iter().filter(|root| root.unreachable.is_some());
        status.unreachable = out_of_reach.map(|root| root.path).collect();
        status.database_bytes = match self.place() {
            Place::File(path) => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Place::Server { .. } => {
                let size = "SELECT pg_database_size(current_database())";
                self.store.read(|session| session.number(size, &[]))?.max(0) as u64
            }
        };
        Ok(status)
    }

    /// Returns at most `limit` rows from `offset` on, and the total number of rows. The order is cached until the
    /// library changes, so that any part can be read quickly.
    pub fn tracks(&self, query: &TrackQuery, sort: &[SortKey], offset: usize, limit: usize) -> Result<Page> {
        let ids = self.track_ids(query, sort)?;
        let part = ids.get(offset..offset.saturating_add(limit).min(ids.len())).unwrap_or_default();
        Ok(Page { total: ids.len(), rows: self.rows(part)? })
    }

    /// Returns the ids of all matching tracks, in order.
    pub fn track_ids(&self, query: &TrackQuery, sort: &[SortKey]) -> Result<Arc<Vec<i64>>> {
        let asks_for_words = !query.text.trim().is_empty()
            || query.filter.as_ref().is_some_and(|filter| match self.place() {
                Place::File(_) => filter.condition(FreeText::Index).sql.contains("track_text"),
                Place::Server { .. } => true,
            });
        if asks_for_words {
            self.refresh_words();
        }
        let mut listings = lock(&self.listings);
        let version = self.store.version()?;
        self.store.read(|session| Ok(listings.ids(session, query, sort, version)))?
    }

    /// Brings the index of words up to date. If the disk is full, or another process writes for long, or the user may
    /// only read, the outdated index is used.
    fn refresh_words(&self) {
        if self.read_only().is_some() {
            return;
        }
        let refreshed = match self.store.read(words::are_stale) {
            Ok(true) => self.store.write(words::refresh),
            other => other.map(drop),
        };
        if let Err(error) = refreshed {
            tracing::warn!("the index of words is not up to date: {error}");
        }
    }

    /// Returns the rows of the given tracks, in that order. Tracks that no longer exist are left out.
    pub fn rows(&self, ids: &[i64]) -> Result<Vec<TrackRow>> {
        self.store.read(|session| tracks::rows(session, ids))
    }

    /// Returns all tags of the given tracks, in that order; empty for tracks that no longer exist. Fields are named as
    /// in Vorbis comments.
    pub fn tags(&self, ids: &[i64]) -> Result<Vec<BTreeMap<String, String>>> {
        self.store.read(|session| ids.iter().map(|id| tracks::tags(session, *id)).collect())
    }

    /// Returns all data about a track.
    pub fn track(&self, id: i64) -> Result<Track> {
        self.store.read(|session| tracks::track(session, id))?.ok_or_else(|| missing(id))
    }

    /// Returns the id of the track whose file is at `path`.
    pub fn find(&self, path: &Path) -> Result<Option<i64>> {
        self.store.read(|session| {
            let stored = session.stored(path);
            session.first(
                "SELECT id FROM track WHERE path = ?1 AND path_exact = ?2",
                values![stored.text, stored.exact],
                |row| row.get(0),
            )
        })
    }

    /// Returns the ids of the tracks whose album has this name, sorted by path.
    pub fn tracks_of_album(&self, name: &str) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM track WHERE album = ?1 ORDER BY path";
        self.store.read(|session| session.all(sql, values![name], |row| row.get(0)))
    }

    /// Returns the cover of a track: from the database, or from the file if it is larger than [`MAX_COVER_BYTES`].
    pub fn cover(&self, id: i64) -> Result<Option<Picture>> {
        let found = self.store.read(|session| {
            session.first(
                "SELECT mime, data, hash FROM cover JOIN track ON track.cover = cover.id WHERE track.id = ?1",
                values![id],
                |row| Ok((row.get(0)?, row.get::<Option<Vec<u8>>>(1)?, row.get::<[u8; 32]>(2)?)),
            )
        })?;
        match found {
            None => Ok(None),
            Some((mime, Some(data), _)) => Ok(Some(Picture { mime, kind: 3, data, ..Picture::default() })),
            Some((_, None, hash)) => {
                let info = AudioFile::open(&self.track(id)?.path)?.info().clone();
                let same = |picture: &&Picture| *blake3::hash(&picture.data).as_bytes() == hash;
                Ok(info.tags.pictures.iter().find(same).cloned())
            }
        }
    }

    /// Returns the dimensions of all analysed tracks.
    pub fn features_table(&self) -> Result<FeatureTable> {
        self.store.read(table::features)
    }

    /// Calls `take` with the fingerprints of each analysed track: id, duration in seconds, raw Chromaprint items,
    /// landmarks.
    pub fn for_each_fingerprint(&self, take: impl FnMut(i64, f64, &[u32], &[u8]) -> Result<()>) -> Result<()> {
        table::fingerprints(&self.store, take)
    }

    /// Returns the id and the time of analysis, in milliseconds since 1970, of all analysed tracks, in ascending order
    /// of ids. A new analysis of a track has another time.
    pub fn versions(&self) -> Result<Vec<(i64, i64)>> {
        self.store.read(table::versions)
    }

    /// Returns the fingerprints of tracks, in that order. Tracks without any are left out.
    pub fn fingerprints_of(&self, ids: &[i64]) -> Result<Vec<TrackFingerprints>> {
        self.store.read(|session| table::fingerprints_of(session, ids))
    }

    /// Calls `take` with batches of the identities of all analysed tracks, in order of their ids.
    pub fn for_each_identity(&self, take: impl FnMut(Vec<Identity>) -> Result<()>) -> Result<()> {
        table::identities(&self.store, take)
    }

    /// Stores sketches, except those of tracks whose landmarks have changed since.
    pub fn keep_sketches(&self, sketches: &[NewSketch]) -> Result<()> {
        table::put_sketches(&self.store, sketches)
    }

    /// Returns the raw Chromaprint items of a track; `None` if it has none.
    pub fn chromaprint(&self, id: i64) -> Result<Option<Vec<u32>>> {
        self.store.read(|session| table::chromaprint(session, id))
    }

    /// Returns the encoded landmarks of a track; `None` if it has none.
    pub fn landmarks(&self, id: i64) -> Result<Option<Vec<u8>>> {
        self.store.read(|session| table::landmarks(session, id))
    }

    /// Returns the audio key of each analysed track. Keys are equal for exact copies, whatever their tags.
    pub fn audio_keys(&self) -> Result<Vec<(i64, [u8; 32])>> {
        self.store.read(table::audio_keys)
    }

    /// Returns the tracks that could not be analysed, with the reason, sorted by path.
    pub fn errors(&self) -> Result<Vec<TrackError>> {
        self.store.read(tracks::errors)
    }

    /// Puts failed tracks back into the queue: those in `ids`, or all. They are analysed by the current scan or the
    /// next one. Returns the paths of their files.
    pub fn retry(&self, ids: Option<&[i64]>) -> Result<Vec<PathBuf>> {
        self.store.write(|session| queue::retry(session, ids))
    }

    /// Deletes all data about the given tracks. No file is touched; a file that is still in a folder of the library is
    /// found again by the next scan. Returns the number of deleted tracks.
    pub fn forget(&self, ids: &[i64]) -> Result<usize> {
        self.store.write(|session| {
            let forget = "DELETE FROM track WHERE id = ?1";
            let forgotten = ids.iter().map(|id| session.execute(forget, values![id])).sum::<sql::Result<usize>>()?;
            roots::remove_unused_covers(session)?;
            Ok(forgotten)
        })
    }

    /// Records that the file of a track was moved to the system's bin. All data about the track is kept. If the file is
    /// put back, the next scan finds it.
    pub fn mark_binned(&self, id: i64) -> Result<()> {
        let mark = "UPDATE track SET state = 'vanished', vanished_at = ?2, binned_at = ?2, claimed_by = NULL
                    WHERE id = ?1";
        match self.store.write(|session| session.execute(mark, values![id, now_ms()]))? {
            0 => Err(missing(id)),
            _ => Ok(()),
        }
    }

    /// Records that the file of a track was put back from the system's bin. The track returns to its previous state.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the track is not in the bin.
    pub fn mark_restored(&self, id: i64) -> Result<()> {
        let mark = "UPDATE track SET vanished_at = NULL, binned_at = NULL, state = CASE
                        WHEN code IS NOT NULL THEN 'failed'
                        WHEN analysed_at IS NOT NULL AND stale = 0 THEN 'done'
                        ELSE 'waiting' END
                    WHERE id = ?1 AND state = 'vanished' AND binned_at IS NOT NULL";
        match self.store.write(|session| session.execute(mark, values![id]))? {
            0 => Err(Error::NotFound { what: "track", name: id.to_string() }),
            _ => Ok(()),
        }
    }

    /// Stores the user's decision about two tracks, in either order. `None` deletes the decision.
    pub fn decide(&self, first: i64, second: i64, verdict: Option<Decision>) -> Result<()> {
        if first == second {
            return Err(Error::impossible("A track cannot be compared with itself. Choose two tracks."));
        }
        let (first, second) = (first.min(second), first.max(second));
        let absent = self.store.write(|session| {
            let kept = format!("SELECT id FROM track WHERE id = ?1 {}", session.dialect().kept());
            for id in [first, second] {
                if session.first(&kept, values![id], |row| row.get::<i64>(0))?.is_none() {
                    return Ok(Some(id));
                }
            }
            match verdict {
                None => {
                    session.execute("DELETE FROM decision WHERE first = ?1 AND second = ?2", values![first, second])
                }
                Some(verdict) => session.execute(
                    "INSERT INTO decision (first, second, verdict, decided_at) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (first, second)
                     DO UPDATE SET verdict = excluded.verdict, decided_at = excluded.decided_at",
                    values![first, second, verdict.name(), now_ms()],
                ),
            }
            .map(|_| None)
        })?;
        absent.map_or(Ok(()), |id| Err(missing(id)))
    }

    /// Returns all decisions: two track ids, the smaller first, and the verdict.
    pub fn decisions(&self) -> Result<Vec<(i64, i64, Decision)>> {
        self.store.read(|session| {
            session.all("SELECT first, second, verdict FROM decision", &[], |row| {
                Ok((row.get(0)?, row.get(1)?, Decision::from_name(&row.get::<String>(2)?)))
            })
        })
    }

    /// Returns past scans, the latest first.
    pub fn history(&self, limit: usize) -> Result<Vec<ScanRecord>> {
        self.store.read(|session| scans::history(session, limit))
    }

    /// Watches the folders of the library; see [`watch::watch`]. Folders added later are not watched.
    pub fn watch(
        &self,
        options: watch::WatchOptions,
        on_change: impl FnMut(watch::Change) + Send + 'static,
    ) -> Result<watch::Watch> {
        let roots = self.roots()?.into_iter().map(|root| root.path).collect();
        watch::watch(roots, options, on_change)
    }
}

fn missing(id: i64) -> Error {
    Error::NotFound { what: "track", name: id.to_string() }
}
