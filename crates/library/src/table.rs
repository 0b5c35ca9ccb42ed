//! Reads the whole library for questions that compare everything with everything.

use super::schema::FEATURES;
use super::sql::{self, Session, Value, values};
use super::store::Store;
use super::tracks::u32s;
use base::error::Result;

/// The dimensions of all analysed tracks, in ascending order of track ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureTable {
    /// The ids of the tracks.
    pub ids: Vec<i64>,
    /// One row per track, in the order of [`FEATURES`]; `NaN` if a dimension has no value.
    pub rows: Vec<[f32; 25]>,
}

/// Loads the table.
pub(super) fn features(session: &Session<'_>) -> sql::Result<FeatureTable> {
    // Merges two scans in the same order instead of a look-up per track: ids from an index, rows from their table.
    let mut done: Vec<i64> = session.all("SELECT id FROM track WHERE state = 'done'", &[], |row| row.get(0))?;
    done.sort_unstable();
    let mut table = FeatureTable { ids: Vec::with_capacity(done.len()), rows: Vec::with_capacity(done.len()) };
    let sql = format!("SELECT track_id, {} FROM feature ORDER BY track_id", FEATURES.join(", "));
    let mut wanted = done.into_iter().peekable();
    session.each(&sql, &[], |row| {
        let id: i64 = row.get(0)?;
        while wanted.next_if(|next| *next < id).is_some() {}
        if wanted.peek() != Some(&id) {
            return Ok(());
        }
        let mut values = [f32::NAN; 25];
        for (column, value) in values.iter_mut().enumerate() {
            if let Value::Real(real) = row.value(column + 1)? {
                // A value that is not finite as `f32` cannot be compared.
                *value = if (real as f32).is_finite() { real as f32 } else { f32::NAN };
            }
        }
        table.ids.push(id);
        table.rows.push(values);
        Ok(())
    })?;
    Ok(table)
}

/// Returns the audio keys of all analysed tracks.
pub(super) fn audio_keys(session: &Session<'_>) -> sql::Result<Vec<(i64, [u8; 32])>> {
    session.all("SELECT id, audio_key FROM track WHERE state = 'done' AND audio_key IS NOT NULL", &[], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Number of tracks read at a time, so that a slow consumer does not block others from the database.
const PART: i64 = 256;

// `CROSS JOIN` fixes the order of the tables. Otherwise SQLite begins with the tracks that are done and sorts them all,
// including fingerprints, for every part.
const FINGERPRINTS: &str = "SELECT id, coalesce(duration_s, 0.0), chromaprint, landmarks
    FROM fingerprint CROSS JOIN track
    WHERE track.id = track_id AND track_id > ?1 AND state = 'done' ORDER BY track_id LIMIT ?2";
const IDENTITIES: &str = "SELECT track.id, coalesce(duration_s, 0.0), chromaprint, data
    FROM fingerprint CROSS JOIN track LEFT JOIN sketch ON sketch.track_id = track.id
    WHERE track.id = fingerprint.track_id AND fingerprint.track_id > ?1 AND state = 'done' ORDER BY fingerprint.track_id LIMIT ?2";

/// Calls `take` with the fingerprints of all analysed tracks.
pub(super) fn fingerprints(store: &Store, mut take: impl FnMut(i64, f64, &[u32], &[u8]) -> Result<()>) -> Result<()> {
    let mut after = i64::MIN;
    loop {
        let part: Vec<(i64, f64, Vec<u8>, Vec<u8>)> = store.read(|session| {
            session
                .all(FINGERPRINTS, values![after, PART], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        })?;
        let Some((last, ..)) = part.last() else { return Ok(()) };
        after = *last;
        for (id, duration_s, chromaprint, landmarks) in &part {
            take(*id, *duration_s, &u32s(chromaprint), landmarks)?;
        }
    }
}

/// Returns the id and the time of analysis of all analysed tracks, in ascending order of ids.
pub(super) fn versions(session: &Session<'_>) -> sql::Result<Vec<(i64, i64)>> {
    session.all("SELECT id, coalesce(analysed_at, 0) FROM track WHERE state = 'done' ORDER BY id", &[], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// The fingerprints of a track.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrackFingerprints {
    /// Its id.
    pub id: i64,
    /// Raw Chromaprint items.
    pub chromaprint: Vec<u32>,
    /// Encoded landmarks.
    pub landmarks: Vec<u8>,
}

/// Returns the fingerprints of tracks, in that order. Tracks without any are left out.
pub(super) fn fingerprints_of(session: &Session<'_>, ids: &[i64]) -> sql::Result<Vec<TrackFingerprints>> {
    let one = "SELECT chromaprint, landmarks FROM fingerprint WHERE track_id = ?1";
    let read = |&id: &i64| {
        session.first(one, values![id], |row| {
            let chromaprint: Vec<u8> = row.get(0)?;
            Ok(TrackFingerprints { id, chromaprint: u32s(&chromaprint), landmarks: row.get(1)? })
        })
    };
    ids.iter().filter_map(|id| read(id).transpose()).collect()
}

/// The data that identify an analysed track in a first comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Its id.
    pub id: i64,
    /// Its duration in seconds.
    pub duration_s: f64,
    /// Raw Chromaprint items.
    pub chromaprint: Vec<u32>,
    /// The encoded sketch of its landmarks; `None` if it was analysed before sketches existed.
    pub sketch: Option<Vec<u8>>,
}

/// Calls `take` with batches of the identities of all analysed tracks.
pub(super) fn identities(store: &Store, mut take: impl FnMut(Vec<Identity>) -> Result<()>) -> Result<()> {
    let mut after = i64::MIN;
    loop {
        let part: Vec<Identity> = store.read(|session| {
            session.all(IDENTITIES, values![after, PART], |row| {
                let chromaprint: Vec<u8> = row.get(2)?;
                let chromaprint = u32s(&chromaprint);
                Ok(Identity { id: row.get(0)?, duration_s: row.get(1)?, chromaprint, sketch: row.get(3)? })
            })
        })?;
        let Some(last) = part.last() else { return Ok(()) };
        after = last.id;
        take(part)?;
    }
}

/// Stores sketches of tracks whose landmarks are still the same.
pub(super) fn put_sketches(store: &Store, sketches: &[NewSketch]) -> Result<()> {
    if sketches.is_empty() {
        return Ok(());
    }
    // In one order, so that two processes do not wait for each other.
    let mut sketches: Vec<&NewSketch> = sketches.iter().collect();
    sketches.sort_unstable_by_key(|sketch| sketch.id);
    store.write(|session| {
        let put = format!(
            "INSERT INTO sketch (track_id, data)
             SELECT track.id, ?3 FROM track JOIN fingerprint ON fingerprint.track_id = track.id
             WHERE track.id = ?1 AND landmarks = ?2 {}
             ON CONFLICT (track_id) DO UPDATE SET data = excluded.data",
            session.dialect().kept()
        );
        sketches.iter().try_for_each(|&NewSketch { id, landmarks, sketch }| {
            session.execute(&put, values![id, landmarks, sketch]).map(|_| ())
        })
    })
}

/// A sketch made from a track's landmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSketch {
    /// The id of the track.
    pub id: i64,
    /// The encoded landmarks that it was made from.
    pub landmarks: Vec<u8>,
    /// The encoded sketch.
    pub sketch: Vec<u8>,
}

/// Returns the raw Chromaprint items of a track.
pub(super) fn chromaprint(session: &Session<'_>, id: i64) -> sql::Result<Option<Vec<u32>>> {
    session.first("SELECT chromaprint FROM fingerprint WHERE track_id = ?1", values![id], |row| {
        row.get(0).map(|bytes: Vec<u8>| u32s(&bytes))
    })
}

/// Returns the encoded landmarks of a track.
pub(super) fn landmarks(session: &Session<'_>, id: i64) -> sql::Result<Option<Vec<u8>>> {
    session.first("SELECT landmarks FROM fingerprint WHERE track_id = ?1", values![id], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::super::place::Place;
    use super::*;

    #[test]
    fn parts_of_all_fingerprints_are_read_in_order_and_sorted_by_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(Place::File(folder.path().join("library.sqlite")), true).unwrap();
        for sql in [FINGERPRINTS, IDENTITIES] {
            let steps: Vec<String> = store
                .read(|session| {
                    session.all(&format!("EXPLAIN QUERY PLAN {sql}"), values![0_i64, PART], |row| row.get(3))
                })
                .unwrap();
            assert!(steps[0].starts_with("SEARCH fingerprint USING INTEGER PRIMARY KEY"), "{steps:?}");
            assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}");
        }
    }
}
