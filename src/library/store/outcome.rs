//! Writes the outcome of a track, in one transaction each.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Transaction, params};

use super::super::analysis::{Series, TrackAnalysis, Versions};
use super::super::files::{AudioKey, QuickKey};
use super::super::schema::FEATURES;
use super::super::stored_path::StoredPath;
use super::queue::Claim;
use crate::audio::{FileInfo, Picture, Tags};
use crate::date::now_ms;
use crate::features::dimensions::Features;

/// Maximum size in bytes of a cover in the database. Of a larger one, only the hash is stored; the picture stays in its
/// file.
pub const MAX_COVER_BYTES: usize = 512 << 10;
/// Maximum size of a text in a row, such as a title. The track's description keeps more of it.
const MAX_ROW_BYTES: usize = 2 << 10;
/// Maximum size of a field in a description.
const MAX_FIELD_BYTES: usize = 64 << 10;
/// Maximum size of all fields of a description together, and of all warnings.
const MAX_DESCRIPTION_BYTES: usize = 256 << 10;

/// The keys of a track's audio.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The quick key.
    pub quick: QuickKey,
    /// The audio key.
    pub audio: AudioKey,
    /// Number of audio bytes in the file.
    pub audio_bytes: u64,
}

/// Writes a complete analysis. Returns false if the track is no longer claimed by the scan.
pub fn analysed(
    transaction: &Transaction<'_>,
    scan: i64,
    claim: &Claim,
    keys: Keys,
    analysis: &TrackAnalysis,
    versions: Versions,
) -> rusqlite::Result<bool> {
    if !done(transaction, scan, claim, keys, versions)? {
        return Ok(false);
    }
    describe(transaction, claim.id, keys, &analysis.info, &analysis.warnings)?;
    let measured = analysis.bandwidth.filter(|bandwidth| bandwidth.hz.is_finite());
    let cliff = measured.and_then(|bandwidth| bandwidth.cliff);
    transaction
        .prepare_cached(
            "UPDATE track SET bandwidth_hz = ?2, key = ?3, bandwidth_of_hz = ?4, floor_db = ?5, cliff_drop_db = ?6,
                 cliff_width_hz = ?7 WHERE id = ?1",
        )?
        .execute(params![
            claim.id,
            measured.map(|bandwidth| bandwidth.hz),
            analysis.key,
            measured.map(|bandwidth| bandwidth.nyquist_hz),
            measured.and_then(|bandwidth| bandwidth.floor_db),
            cliff.map(|cliff| cliff.drop_db),
            cliff.map(|cliff| cliff.width_hz),
        ])?;
    put_features(transaction, claim.id, &analysis.features)?;
    let chromaprint: Vec<u8> = analysis.chromaprint.iter().flat_map(|item| item.to_le_bytes()).collect();
    transaction
        .prepare_cached("INSERT OR REPLACE INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, ?2, ?3)")?
        .execute(params![claim.id, chromaprint, analysis.landmarks])?;
    transaction
        .prepare_cached("INSERT OR REPLACE INTO sketch (track_id, data) VALUES (?1, ?2)")?
        .execute(params![claim.id, analysis.sketch])?;
    transaction.prepare_cached("DELETE FROM series WHERE track_id = ?1")?.execute([claim.id])?;
    for series in &analysis.series {
        put_series(transaction, claim.id, series)?;
    }
    Ok(true)
}

/// Records that only the tags changed.
pub fn retagged(
    transaction: &Transaction<'_>,
    scan: i64,
    claim: &Claim,
    keys: Keys,
    info: &FileInfo,
    versions: Versions,
) -> rusqlite::Result<bool> {
    Ok(done(transaction, scan, claim, keys, versions)? && {
        describe(transaction, claim.id, keys, info, &[])?;
        true
    })
}

/// Columns of the track's own row that come from the analysis of the audio.
const HEARD: &str = "bandwidth_hz, key, bandwidth_of_hz, floor_db, cliff_drop_db, cliff_width_hz";

/// Copies the analysis from a track with the same audio.
pub fn copied(
    transaction: &Transaction<'_>,
    scan: i64,
    claim: &Claim,
    from: i64,
    keys: Keys,
    info: &FileInfo,
    versions: Versions,
) -> rusqlite::Result<bool> {
    let still = "SELECT count(*) FROM track WHERE id = ?1 AND audio_key = ?2 AND stale = 0 AND analysed_at IS NOT NULL";
    let still: i64 = transaction.prepare_cached(still)?.query_row(params![from, keys.audio.0], |row| row.get(0))?;
    if still == 0 || !done(transaction, scan, claim, keys, versions)? {
        return Ok(false);
    }
    let features = FEATURES.join(", ");
    let copies = [
        "DELETE FROM feature WHERE track_id = ?1 AND ?2".to_owned(),
        "DELETE FROM series WHERE track_id = ?1 AND ?2".to_owned(),
        "DELETE FROM sketch WHERE track_id = ?1 AND ?2".to_owned(),
        format!("INSERT INTO feature (track_id, {features}) SELECT ?1, {features} FROM feature WHERE track_id = ?2"),
        "INSERT INTO feature_missing SELECT ?1, name, missing_reason FROM feature_missing WHERE track_id = ?2"
            .to_owned(),
        "INSERT OR REPLACE INTO fingerprint SELECT ?1, chromaprint, landmarks FROM fingerprint WHERE track_id = ?2"
            .to_owned(),
        "INSERT OR REPLACE INTO sketch SELECT ?1, data FROM sketch WHERE track_id = ?2".to_owned(),
        "INSERT INTO series SELECT ?1, name, unit, start_s, step_s, width, data FROM series WHERE track_id = ?2"
            .to_owned(),
        format!("UPDATE track SET ({HEARD}) = (SELECT {HEARD} FROM track WHERE id = ?2) WHERE id = ?1"),
    ];
    for copy in &copies {
        transaction.prepare_cached(copy)?.execute([claim.id, from])?;
    }
    describe(transaction, claim.id, keys, info, &[])?;
    Ok(true)
}

/// Records that a known track is at a new path, and deletes the row created for that path. `info` is given if its tags
/// may have changed, too.
pub fn moved(
    transaction: &Transaction<'_>,
    scan: i64,
    claim: &Claim,
    (known, from): (i64, &Path),
    keys: Keys,
    info: Option<&FileInfo>,
) -> rusqlite::Result<bool> {
    // Another copy of it may have taken its place meanwhile.
    let from = StoredPath::from(from);
    let still = "SELECT count(*) FROM track WHERE id = ?1 AND audio_key = ?2 AND path = ?3 AND path_exact = ?4
                 AND stale = 0 AND state IN ('done', 'vanished')";
    let still: i64 = transaction
        .prepare_cached(still)?
        .query_row(params![known, keys.audio.0, from.text, from.exact], |row| row.get(0))?;
    let gone = "DELETE FROM track WHERE id = ?1 AND claimed_by = ?2";
    if still == 0 || transaction.prepare_cached(gone)?.execute([claim.id, scan])? == 0 {
        return Ok(false);
    }
    let path = StoredPath::from(claim.path.as_path());
    transaction
        .prepare_cached(
            "UPDATE track SET root = ?2, path = ?3, path_exact = ?4, bytes = ?5, modified_ns = ?6, state = 'done',
                 vanished_at = NULL, binned_at = NULL WHERE id = ?1",
        )?
        .execute(params![known, claim.root, path.text, path.exact, claim.bytes as i64, claim.modified_ns])?;
    if let Some(info) = info {
        describe(transaction, known, keys, info, &[])?;
    }
    Ok(true)
}

/// Marks a claimed track as done. Returns false if it is no longer claimed by the scan.
fn done(
    transaction: &Transaction<'_>,
    scan: i64,
    claim: &Claim,
    keys: Keys,
    versions: Versions,
) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "UPDATE track SET state = 'done', claimed_by = NULL, attempts = 0, alone = 0, stale = 0, code = NULL, reason = NULL,
                 quick_key = ?3, audio_key = ?4, features_version = ?5, fingerprint_version = ?6, analysed_at = ?7
             WHERE id = ?1 AND claimed_by = ?2",
        )?
        .execute(params![claim.id, scan, keys.quick.0, keys.audio.0, versions.features, versions.fingerprint, now_ms()])
        .map(|rows| rows == 1)
}

/// Writes the file's own information: format, tags and cover.
pub fn describe(
    transaction: &Transaction<'_>,
    id: i64,
    keys: Keys,
    info: &FileInfo,
    warnings: &[String],
) -> rusqlite::Result<()> {
    let items = &info.tags.items;
    let text = |names: &[&str]| names.iter().find_map(|name| items.get(*name)).map(|text| cut(text, MAX_ROW_BYTES));
    let number = |names: &[&str]| names.iter().find_map(|name| leading_number(items.get(*name)?));
    let duration_s = info.audio.rate.seconds_from_frames(info.frames);
    let bit_rate = (duration_s > 0.0).then(|| (keys.audio_bytes as f64 * 8.0 / duration_s).round() as i64);
    let cover = cover_of(&info.tags).map(|picture| put_cover(transaction, picture)).transpose()?;
    transaction
        .prepare_cached(
            "UPDATE track SET title = ?2, artist = ?3, album = ?4, album_artist = ?5, genre = ?6, year = ?7,
                 track_no = ?8, disc_no = ?9, duration_s = ?10, frames = ?11, rate_hz = ?12, channels = ?13,
                 format = ?14, codec = ?15, bit_rate = ?16, bits = ?17, cover = ?18 WHERE id = ?1",
        )?
        .execute(params![
            id,
            text(&["TITLE"]),
            text(&["ARTIST"]),
            text(&["ALBUM"]),
            text(&["ALBUMARTIST", "ALBUM ARTIST"]),
            text(&["GENRE"]),
            number(&["DATE", "YEAR", "ORIGINALDATE"]),
            number(&["TRACKNUMBER", "TRACK"]),
            number(&["DISCNUMBER", "DISC"]),
            duration_s,
            info.frames as i64,
            info.audio.rate.hz(),
            info.audio.channels as i64,
            cut(&info.format, MAX_ROW_BYTES),
            cut(&info.codec, MAX_ROW_BYTES),
            bit_rate,
            info.bits,
            cover
        ])?;
    let json = |value: Result<String, serde_json::Error>| {
        value.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    };
    let (items, left_out) = described(items);
    let warnings = bounded(info.warnings.iter().chain(warnings).chain(&left_out));
    transaction
        .prepare_cached("INSERT OR REPLACE INTO description (track_id, tags, warnings) VALUES (?1, ?2, ?3)")?
        .execute(params![id, json(serde_json::to_string(&items))?, json(serde_json::to_string(&warnings))?])
        .map(drop)
}

/// Limits tags to the size of a description. Also returns messages about what was cut.
fn described(items: &BTreeMap<String, String>) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut kept, mut left_out, mut bytes) = (BTreeMap::new(), Vec::new(), 0);
    for (name, value) in items {
        let room = MAX_FIELD_BYTES.min(MAX_DESCRIPTION_BYTES.saturating_sub(bytes + name.len()));
        if value.len() > room {
            left_out.push(format!("Only {room} of {} bytes of the tag `{name}` are kept.", value.len()));
        }
        if room > 0 {
            bytes += name.len() + value.len().min(room);
            kept.insert(name.clone(), cut(value, room));
        }
    }
    (kept, left_out)
}

/// Limits warnings to the size of a description.
fn bounded<'a>(warnings: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut bytes = 0;
    let fits = |warning: &String| {
        bytes += warning.len();
        bytes <= MAX_DESCRIPTION_BYTES
    };
    warnings.map(|warning| cut(warning, MAX_FIELD_BYTES)).take_while(fits).collect()
}

/// Returns `text`, cut to `bytes` bytes with an ellipsis if it is longer.
fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(bytes.saturating_sub('…'.len_utf8()))])
}

/// Returns the number at the beginning of a field such as `3/12` or `1997-04-01`.
fn leading_number(text: &str) -> Option<i64> {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).take(9).collect();
    digits.parse().ok()
}

/// Returns the front cover, or otherwise the first picture.
pub fn cover_of(tags: &Tags) -> Option<&Picture> {
    let some = || tags.pictures.iter().filter(|picture| !picture.data.is_empty());
    some().find(|picture| picture.kind == 3).or_else(|| some().next())
}

/// Stores a picture once, however many tracks have it.
fn put_cover(transaction: &Transaction<'_>, picture: &Picture) -> rusqlite::Result<i64> {
    let hash = blake3::hash(&picture.data);
    let data = (picture.data.len() <= MAX_COVER_BYTES).then_some(picture.data.as_slice());
    transaction
        .prepare_cached("INSERT OR IGNORE INTO cover (hash, mime, bytes, data) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![hash.as_bytes(), cut(&picture.mime, 64), picture.data.len() as i64, data])?;
    let id = "SELECT id FROM cover WHERE hash = ?1";
    transaction.prepare_cached(id)?.query_row([hash.as_bytes()], |row| row.get(0))
}

fn put_features(transaction: &Transaction<'_>, id: i64, features: &Features) -> rusqlite::Result<()> {
    let names = FEATURES.join(", ");
    let places = (2..FEATURES.len() + 2).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
    let mut put = transaction
        .prepare_cached(&format!("INSERT OR REPLACE INTO feature (track_id, {names}) VALUES (?1, {places})"))?;
    // Values that are not finite cannot be compared.
    let values = features.values.map(|value| value.filter(|value| value.is_finite()));
    let id_value: &dyn rusqlite::ToSql = &id;
    let row: Vec<&dyn rusqlite::ToSql> =
        std::iter::once(id_value).chain(values.iter().map(|value| value as &dyn rusqlite::ToSql)).collect();
    put.execute(row.as_slice())?;
    transaction.prepare_cached("DELETE FROM feature_missing WHERE track_id = ?1")?.execute([id])?;
    let mut missing = transaction.prepare_cached(
        "INSERT OR REPLACE INTO feature_missing (track_id, name, missing_reason) VALUES (?1, ?2, ?3)",
    )?;
    for (name, value) in FEATURES.iter().zip(features.values) {
        if value.is_some_and(|value| !value.is_finite()) {
            missing.execute(params![id, name, "the analysis gave no finite number"])?;
        }
    }
    for entry in &features.missing {
        missing.execute(params![id, entry.name, entry.reason])?;
    }
    Ok(())
}

fn put_series(transaction: &Transaction<'_>, id: i64, series: &Series) -> rusqlite::Result<()> {
    let data: Vec<u8> = series.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO series (track_id, name, unit, start_s, step_s, width, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![id, series.name, series.unit, series.start_s, series.step_s, series.width, data])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_bounded() {
        let long = "ü".repeat(40 << 10);
        let mut items: BTreeMap<String, String> = (0..20).map(|at| (format!("FIELD{at:02}"), long.clone())).collect();
        items.insert("A".into(), "short".into());
        let (kept, left_out) = described(&items);
        assert!(kept.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() <= MAX_DESCRIPTION_BYTES);
        assert_eq!(kept["A"], "short");
        assert!(kept["FIELD00"].ends_with('…') && kept["FIELD00"].len() <= MAX_FIELD_BYTES);
        assert_eq!(left_out.len(), 20);
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("üüü", 5), "ü…");
        assert_eq!(bounded([&long; 20].into_iter()).len(), 4);
    }

    #[test]
    fn numbers_are_taken_from_what_people_write() {
        assert_eq!(leading_number("3/12"), Some(3));
        assert_eq!(leading_number("1997-04-01"), Some(1997));
        assert_eq!(leading_number(" 07"), Some(7));
        assert_eq!(leading_number("A1"), None);
        assert_eq!(leading_number(""), None);
    }
}
