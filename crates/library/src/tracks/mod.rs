//! Tracks: rows of the table, and all data about one track.

pub mod columns;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use base::declared::TS;

use self::columns::{BANDWIDTH, PLAIN};
use crate::analysis::{Series, Versions};
use crate::encodings::{Bandwidth, Cliff};
use crate::schema::FEATURES;
use crate::sql::{self, Bind, FromColumn, Row, Session, Value, values};

/// The state of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "LibraryTrackState")]
pub enum TrackState {
    /// It is waiting for analysis.
    #[default]
    Waiting,
    /// It is being analysed.
    Analysing,
    /// It has been analysed.
    Done,
    /// It could not be analysed, for the recorded reason.
    Failed,
    /// Its file is gone; the data about it is kept.
    Vanished,
}

impl TrackState {
    /// Returns the state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "waiting" => Self::Waiting,
            "analysing" => Self::Analysing,
            "done" => Self::Done,
            "failed" => Self::Failed,
            "vanished" => Self::Vanished,
            _ => return None,
        })
    }

    /// Returns the name of the state.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Analysing => "analysing",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Vanished => "vanished",
        }
    }
}

impl Bind for TrackState {
    fn value(&self) -> Value<'_> {
        Value::Text(self.name())
    }
}

impl FromColumn for TrackState {
    const WANTED: &'static str = "text";

    fn from_value(value: Value<'_>) -> Option<Self> {
        let Value::Text(name) = value else { return None };
        Some(Self::from_name(name).unwrap_or(Self::Failed))
    }
}

/// A row of the library's table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "each is named after its column")]
pub struct TrackRow {
    pub id: i64,
    /// The path as text, for display; [`Track::path`] is exact. The window has the name and the folder instead.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[ts(skip)]
    pub path: String,
    pub state: TrackState,
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
    /// Bit rate of the audio itself in bits per second, without tags and pictures.
    pub bit_rate: Option<i64>,
    pub bits: Option<u32>,
    pub bandwidth_hz: Option<f64>,
    /// The same, with the end of the spectrum; `None` if an earlier version of this program analysed it.
    #[serde(skip)]
    pub bandwidth: Option<Bandwidth>,
    pub key: Option<String>,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub added_at: i64,
    /// Whether it has a cover.
    pub cover: bool,
    /// The dimensions in order; `None` for a missing value.
    pub features: Vec<Option<f64>>,
}

/// Returns the columns that [`row`] reads.
fn row_columns() -> String {
    let plain = PLAIN.iter().map(|column| column.name);
    plain.chain(BANDWIDTH).chain(FEATURES).chain(["cover IS NOT NULL"]).collect::<Vec<_>>().join(", ")
}

fn row(row: &Row<'_>) -> sql::Result<TrackRow> {
    let plain = columns::read(row)?;
    let features = PLAIN.len() + BANDWIDTH.len();
    let cover = features + FEATURES.len();
    Ok(TrackRow {
        path: row.local_text(plain.path),
        bandwidth: bandwidth(row, PLAIN.len())?,
        cover: row.get(cover)?,
        features: (features..cover).map(|column| row.get(column)).collect::<sql::Result<_>>()?,
        ..plain
    })
}

/// Reads the columns of [`BANDWIDTH`].
fn bandwidth(row: &Row<'_>, at: usize) -> sql::Result<Option<Bandwidth>> {
    let (Some(hz), Some(nyquist_hz)) = (row.get(at)?, row.get(at + 1)?) else { return Ok(None) };
    let cliff = match (row.get(at + 3)?, row.get(at + 4)?) {
        (Some(drop_db), Some(width_hz)) => Some(Cliff { hz, drop_db, width_hz }),
        _ => None,
    };
    Ok(Some(Bandwidth { hz, nyquist_hz, floor_db: row.get(at + 2)?, cliff }))
}

/// Returns the rows with these ids, in that order. Tracks that no longer exist are left out.
pub(super) fn rows(session: &Session<'_>, ids: &[i64]) -> sql::Result<Vec<TrackRow>> {
    let columns = row_columns();
    let one =
        format!("SELECT {columns} FROM track LEFT JOIN feature ON feature.track_id = track.id WHERE track.id = ?1");
    let found = ids.iter().map(|id| session.first(&one, values![id], row));
    found.filter_map(Result::transpose).collect()
}

/// Returns the tags of the track with this id; empty if it has none.
pub(super) fn tags(session: &Session<'_>, id: i64) -> sql::Result<BTreeMap<String, String>> {
    let tags: Option<String> =
        session.first("SELECT tags FROM description WHERE track_id = ?1", values![id], |row| row.get(0))?;
    Ok(tags.and_then(|tags| serde_json::from_str(&tags).ok()).unwrap_or_default())
}

/// All data about a track.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its row.
    pub row: TrackRow,
    /// The exact path of its file.
    pub path: PathBuf,
    /// The id of its root.
    pub root: i64,
    /// The modification time of the file when it was found, in nanoseconds since 1970; its size is [`TrackRow::bytes`].
    pub modified_ns: i64,
    /// All its tags.
    pub tags: BTreeMap<String, String>,
    /// Problems of its file.
    pub warnings: Vec<String>,
    /// The reasons for missing dimensions, by name.
    pub missing: BTreeMap<String, String>,
    /// The raw Chromaprint-compatible fingerprint.
    pub chromaprint: Option<Vec<u32>>,
    /// Curves and pictures for the track's page.
    pub series: Vec<Series>,
    /// The versions of its analysis.
    pub versions: Option<Versions>,
    /// When it was analysed, in milliseconds since 1970.
    pub analysed_at: Option<i64>,
    /// When its file was found to be gone, in milliseconds since 1970.
    pub vanished_at: Option<i64>,
    /// When this program moved its file to the system's bin, in milliseconds since 1970.
    pub binned_at: Option<i64>,
    /// The key of its audio; `None` before it is first examined.
    pub audio_key: Option<[u8; 32]>,
}

/// Reads all data about a track.
pub(super) fn track(session: &Session<'_>, id: i64) -> sql::Result<Option<Track>> {
    let Some(row) = rows(session, &[id])?.pop() else { return Ok(None) };
    let json = |text: Option<String>| text.unwrap_or_default();
    let read = |row_of: &Row<'_>| {
        let versions: (Option<u32>, Option<u32>) = (row_of.get(3)?, row_of.get(4)?);
        let (tags, warnings) = (json(row_of.get(9)?), json(row_of.get(10)?));
        let chromaprint: Option<Vec<u8>> = row_of.get(11)?;
        Ok(Track {
            row: row.clone(),
            path: row_of.path(0)?,
            root: row_of.get(2)?,
            modified_ns: row_of.get(12)?,
            versions: match versions {
                (Some(features), Some(fingerprint)) => Some(Versions { features, fingerprint }),
                _ => None,
            },
            analysed_at: row_of.get(5)?,
            vanished_at: row_of.get(6)?,
            binned_at: row_of.get(7)?,
            audio_key: row_of.get(8)?,
            tags: serde_json::from_str(&tags).unwrap_or_default(),
            warnings: serde_json::from_str(&warnings).unwrap_or_default(),
            chromaprint: chromaprint.map(|bytes| u32s(&bytes)),
            missing: BTreeMap::new(),
            series: Vec::new(),
        })
    };
    let track = session.first(
        "SELECT path, path_exact, root, features_version, fingerprint_version, analysed_at, vanished_at, binned_at,
                 audio_key, tags, warnings, chromaprint, modified_ns
             FROM track LEFT JOIN description ON description.track_id = track.id
                 LEFT JOIN fingerprint ON fingerprint.track_id = track.id
             WHERE track.id = ?1",
        values![id],
        read,
    )?;
    let Some(mut track) = track else { return Ok(None) };
    track.missing = session
        .all("SELECT name, missing_reason FROM feature_missing WHERE track_id = ?1", values![id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .into_iter()
        .collect();
    let series = |row: &Row<'_>| {
        let data: Vec<u8> = row.get(5)?;
        Ok(Series {
            name: row.get(0)?,
            unit: row.get(1)?,
            start_s: row.get(2)?,
            step_s: row.get(3)?,
            width: row.get(4)?,
            values: data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        })
    };
    track.series = session.all(
        "SELECT name, unit, start_s, step_s, width, data FROM series WHERE track_id = ?1 ORDER BY name",
        values![id],
        series,
    )?;
    Ok(Some(track))
}

/// Decodes little-endian numbers.
pub(super) fn u32s(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// A track that could not be analysed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackError {
    /// Its id.
    pub id: i64,
    /// The path of its file, as text.
    pub path: String,
    /// The error code, in the notation of [`base::error::ErrorCode`].
    pub code: String,
    /// The reason.
    pub reason: String,
    /// The number of attempts.
    pub attempts: u32,
}

/// Returns all tracks that could not be analysed, sorted by path.
pub(super) fn errors(session: &Session<'_>) -> sql::Result<Vec<TrackError>> {
    session.all(
        "SELECT id, path, coalesce(code, 'internal'), coalesce(reason, ''), attempts FROM track
             WHERE state = 'failed' ORDER BY path",
        &[],
        |row| {
            Ok(TrackError {
                id: row.get(0)?,
                path: row.local_text(row.get(1)?),
                code: row.get(2)?,
                reason: row.get(3)?,
                attempts: row.get(4)?,
            })
        },
    )
}
