//! Writes the outcome of a track, in one transaction each.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::super::analysis::{Series, TrackAnalysis, Versions};
use super::super::files::{AudioKey, QuickKey};
use super::super::schema::FEATURES;
use super::super::sql::{self, Bind, Session, Value, values};
use super::queue::Claim;
use crate::tracks::columns::BANDWIDTH;
use analysis::features::dimensions::Features;
use audio::tags::TagText;
use audio::{FileInfo, Picture, READING_VERSION, Tags};
use base::date::now_ms;

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
    session: &Session<'_>,
    scan: i64,
    claim: &Claim,
    keys: Keys,
    analysis: &TrackAnalysis,
    versions: Versions,
) -> sql::Result<bool> {
    if !done(session, scan, claim, keys, versions)? {
        return Ok(false);
    }
    describe(session, claim.id, keys, &analysis.info, &analysis.warnings)?;
    let measured = analysis.bandwidth.filter(|bandwidth| bandwidth.hz.is_finite());
    let cliff = measured.and_then(|bandwidth| bandwidth.cliff);
    let bandwidth = [
        measured.map(|bandwidth| bandwidth.hz),
        measured.map(|bandwidth| bandwidth.nyquist_hz),
        measured.and_then(|bandwidth| bandwidth.floor_db),
        cliff.map(|cliff| cliff.drop_db),
        cliff.map(|cliff| cliff.width_hz),
    ];
    let bandwidth = BANDWIDTH.into_iter().zip(bandwidth.iter().map(Bind::value));
    let reading = ("reading_version", READING_VERSION.value());
    put(session, claim.id, bandwidth.chain([("key", analysis.key.value()), reading]))?;
    put_features(session, claim.id, &analysis.features)?;
    let chromaprint: Vec<u8> = analysis.chromaprint.iter().flat_map(|item| item.to_le_bytes()).collect();
    session.execute(
        "INSERT INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, ?2, ?3)
         ON CONFLICT (track_id) DO UPDATE SET chromaprint = excluded.chromaprint, landmarks = excluded.landmarks",
        values![claim.id, chromaprint, analysis.landmarks],
    )?;
    session.execute(
        "INSERT INTO sketch (track_id, data) VALUES (?1, ?2)
         ON CONFLICT (track_id) DO UPDATE SET data = excluded.data",
        values![claim.id, analysis.sketch],
    )?;
    session.execute("DELETE FROM series WHERE track_id = ?1", values![claim.id])?;
    for series in &analysis.series {
        put_series(session, claim.id, series)?;
    }
    Ok(true)
}

/// Records that only the tags changed.
pub fn retagged(
    session: &Session<'_>,
    scan: i64,
    claim: &Claim,
    keys: Keys,
    info: &FileInfo,
    versions: Versions,
) -> sql::Result<bool> {
    Ok(done(session, scan, claim, keys, versions)? && {
        describe(session, claim.id, keys, info, &[])?;
        true
    })
}

/// How a file is read now, compared with how an earlier version read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As before.
    Same,
    /// With other tags or another cover.
    OtherTags,
    /// With another length or format, or something is or was said about it, so that its sound may differ.
    OtherSound,
}

/// Compares what is read of a track's file with what is known of it.
pub fn compare(session: &Session<'_>, id: i64, info: &FileInfo) -> sql::Result<Reading> {
    // What seemed silent may have been what an earlier version could not decode.
    let known = "SELECT frames = ?2 AND rate_hz = ?3 AND channels = ?4 AND codec = ?5 AND warnings = '[]'
             AND loudness_lufs IS NOT NULL, tags, hash
         FROM track LEFT JOIN description ON description.track_id = track.id
             LEFT JOIN feature ON feature.track_id = track.id LEFT JOIN cover ON cover.id = track.cover
         WHERE track.id = ?1";
    let (rate_hz, channels) = (info.audio.rate.hz(), info.audio.channels as u64);
    let codec = cut(&info.codec, MAX_ROW_BYTES);
    let (is_same, tags, cover): (Option<bool>, Option<String>, Option<[u8; 32]>) =
        session.one(known, values![id, info.frames, rate_hz, channels, codec], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let now = cover_of(&info.tags).map(|picture| *blake3::hash(&picture.data).as_bytes());
    Ok(match (is_same == Some(true) && info.warnings.is_empty(), tags) {
        (true, Some(tags)) if cover == now && tags == to_json(&described(&info.tags.items).0)? => Reading::Same,
        (true, Some(_)) => Reading::OtherTags,
        _ => Reading::OtherSound,
    })
}

/// Records that a track was read again and that its analysis is still valid.
pub fn reread(session: &Session<'_>, scan: i64, claim: &Claim, keys: Keys, info: &FileInfo) -> sql::Result<bool> {
    let done = format!(
        "UPDATE track SET state = 'done', claimed_by = NULL, attempts = 0, alone = 0, reading_version = {READING_VERSION}
         WHERE id = ?1 AND claimed_by = ?2"
    );
    Ok(session.execute(&done, values![claim.id, scan])? == 1 && {
        describe(session, claim.id, keys, info, &[])?;
        true
    })
}

/// Writes columns of the track's row.
fn put<'a>(session: &Session<'_>, id: i64, columns: impl IntoIterator<Item = (&'a str, Value<'a>)>) -> sql::Result<()> {
    let (mut set, mut values) = (Vec::new(), vec![Value::Integer(id)]);
    for (name, value) in columns {
        values.push(value);
        set.push(format!("{name} = ?{}", values.len()));
    }
    session.execute(&format!("UPDATE track SET {} WHERE id = ?1", set.join(", ")), &values).map(drop)
}

/// Copies the analysis from a track with the same audio.
pub fn copied(
    session: &Session<'_>,
    scan: i64,
    claim: &Claim,
    from: i64,
    keys: Keys,
    info: &FileInfo,
    versions: Versions,
) -> sql::Result<bool> {
    let still = format!(
        "SELECT id FROM track WHERE id = ?1 AND audio_key = ?2 AND stale = 0 AND analysed_at IS NOT NULL {}",
        session.dialect().unchanged()
    );
    let still: Option<i64> = session.first(&still, values![from, keys.audio.0], |row| row.get(0))?;
    if still.is_none() || !done(session, scan, claim, keys, versions)? {
        return Ok(false);
    }
    // In this order: missing values belong to the features.
    for table in ["feature_missing", "feature", "fingerprint", "sketch", "series"] {
        session.execute(&format!("DELETE FROM {table} WHERE track_id = ?1"), values![claim.id])?;
    }
    let copied = [
        ("feature", FEATURES.join(", ")),
        ("feature_missing", "name, missing_reason".to_owned()),
        ("fingerprint", "chromaprint, landmarks".to_owned()),
        ("sketch", "data".to_owned()),
        ("series", "name, unit, start_s, step_s, width, data".to_owned()),
    ];
    for (table, columns) in copied {
        let copy = format!(
            "INSERT INTO {table} (track_id, {columns})
             SELECT CAST(?1 AS BIGINT), {columns} FROM {table} WHERE track_id = ?2"
        );
        session.execute(&copy, values![claim.id, from])?;
    }
    let heard = format!("{}, key, reading_version", BANDWIDTH.join(", "));
    let heard = format!("UPDATE track SET ({heard}) = (SELECT {heard} FROM track WHERE id = ?2) WHERE id = ?1");
    session.execute(&heard, values![claim.id, from])?;
    describe(session, claim.id, keys, info, &[])?;
    Ok(true)
}

/// Records that a known track is at a new path, and deletes the row created for that path. `info` is given if its tags
/// may have changed, too.
pub fn moved(
    session: &Session<'_>,
    scan: i64,
    claim: &Claim,
    (known, from): (i64, &Path),
    keys: Keys,
    info: Option<&FileInfo>,
) -> sql::Result<bool> {
    // Another copy of it may have taken its place meanwhile.
    let from = session.stored(from);
    let still = format!(
        "SELECT id FROM track WHERE id = ?1 AND audio_key = ?2 AND path = ?3 AND path_exact = ?4
             AND stale = 0 AND state IN ('done', 'vanished') {}",
        session.dialect().unchanged()
    );
    let still: Option<i64> =
        session.first(&still, values![known, keys.audio.0, from.text, from.exact], |row| row.get(0))?;
    let gone = "DELETE FROM track WHERE id = ?1 AND claimed_by = ?2";
    if still.is_none() || session.execute(gone, values![claim.id, scan])? == 0 {
        return Ok(false);
    }
    let path = session.stored(&claim.path);
    session.execute(
        "UPDATE track SET root = ?2, path = ?3, path_exact = ?4, bytes = ?5, modified_ns = ?6, state = 'done',
                 vanished_at = NULL, binned_at = NULL WHERE id = ?1",
        values![known, claim.root, path.text, path.exact, claim.bytes, claim.modified_ns],
    )?;
    if let Some(info) = info {
        describe(session, known, keys, info, &[])?;
    }
    Ok(true)
}

/// Marks a claimed track as done. Returns false if it is no longer claimed by the scan.
fn done(session: &Session<'_>, scan: i64, claim: &Claim, keys: Keys, versions: Versions) -> sql::Result<bool> {
    let done = "UPDATE track SET state = 'done', claimed_by = NULL, attempts = 0, alone = 0, stale = 0, code = NULL,
                    reason = NULL, quick_key = ?3, audio_key = ?4, features_version = ?5, fingerprint_version = ?6,
                    analysed_at = ?7
                WHERE id = ?1 AND claimed_by = ?2";
    let (features, fingerprint, now) = (versions.features, versions.fingerprint, now_ms());
    let values = values![claim.id, scan, keys.quick.0, keys.audio.0, features, fingerprint, now];
    session.execute(done, values).map(|rows| rows == 1)
}

/// Writes the data of the file itself: format, tags and cover.
pub fn describe(session: &Session<'_>, id: i64, keys: Keys, info: &FileInfo, warnings: &[String]) -> sql::Result<()> {
    let items = &info.tags.items;
    let text = |names: &[&str]| names.iter().find_map(|name| items.get(*name)).map(|text| cut(text, MAX_ROW_BYTES));
    let number = |names: &[&str]| names.iter().find_map(|name| leading_number(items.get(*name)?));
    let duration_s = info.audio.rate.seconds_from_frames(info.frames);
    let bit_rate = (duration_s > 0.0).then(|| (keys.audio_bytes as f64 * 8.0 / duration_s).round() as i64);
    let cover = cover_of(&info.tags).map(|picture| put_cover(session, picture)).transpose()?;
    put(
        session,
        id,
        [
            ("title", text(&["TITLE"]).value()),
            ("artist", text(&["ARTIST"]).value()),
            ("album", text(&["ALBUM"]).value()),
            ("album_artist", text(&["ALBUMARTIST", "ALBUM ARTIST"]).value()),
            ("genre", text(&["GENRE"]).value()),
            ("year", number(&["DATE", "YEAR", "ORIGINALDATE"]).value()),
            ("track_no", number(&["TRACKNUMBER", "TRACK"]).value()),
            ("disc_no", number(&["DISCNUMBER", "DISC"]).value()),
            ("duration_s", duration_s.value()),
            ("frames", info.frames.value()),
            ("rate_hz", info.audio.rate.hz().value()),
            ("channels", (info.audio.channels as u64).value()),
            ("format", cut(&info.format, MAX_ROW_BYTES).value()),
            ("codec", cut(&info.codec, MAX_ROW_BYTES).value()),
            ("bit_rate", bit_rate.value()),
            ("bits", info.bits.value()),
            ("cover", cover.value()),
        ],
    )?;
    let (items, left_out) = described(items);
    let warnings = bounded(info.warnings.iter().chain(warnings).chain(&left_out));
    session
        .execute(
            "INSERT INTO description (track_id, tags, warnings) VALUES (?1, ?2, ?3)
         ON CONFLICT (track_id) DO UPDATE SET tags = excluded.tags, warnings = excluded.warnings",
            values![id, to_json(&items)?, to_json(&warnings)?],
        )
        .map(drop)
}

fn to_json(value: &impl Serialize) -> sql::Result<String> {
    serde_json::to_string(value).map_err(|error| sql::Error::Unwritable(error.to_string()))
}

/// Limits tags to the size of a description. Also returns messages about what was cut.
fn described(items: &BTreeMap<String, TagText>) -> (BTreeMap<String, String>, Vec<String>) {
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
fn put_cover(session: &Session<'_>, picture: &Picture) -> sql::Result<i64> {
    let hash = blake3::hash(&picture.data);
    let data = (picture.data.len() <= MAX_COVER_BYTES).then_some(picture.data.as_slice());
    session.execute(
        "INSERT INTO cover (hash, mime, bytes, data) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (hash) DO NOTHING",
        values![hash.as_bytes(), cut(&picture.mime, 64), picture.data.len() as i64, data],
    )?;
    let id = "SELECT id FROM cover WHERE hash = ?1";
    session.one(id, values![hash.as_bytes()], |row| row.get(0))
}

fn put_features(session: &Session<'_>, id: i64, features: &Features) -> sql::Result<()> {
    session.execute("DELETE FROM feature_missing WHERE track_id = ?1", values![id])?;
    session.execute("DELETE FROM feature WHERE track_id = ?1", values![id])?;
    let names = FEATURES.join(", ");
    let places = (2..FEATURES.len() + 2).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
    // Values that are not finite cannot be compared.
    let finite = features.values.map(|value| value.filter(|value| value.is_finite()));
    let row: Vec<Value<'_>> = std::iter::once(id.value()).chain(finite.iter().map(Bind::value)).collect();
    session.execute(&format!("INSERT INTO feature (track_id, {names}) VALUES (?1, {places})"), &row)?;
    let missing = "INSERT INTO feature_missing (track_id, name, missing_reason) VALUES (?1, ?2, ?3)
                   ON CONFLICT (track_id, name) DO UPDATE SET missing_reason = excluded.missing_reason";
    for (name, value) in FEATURES.iter().zip(features.values) {
        if value.is_some_and(|value| !value.is_finite()) {
            session.execute(missing, values![id, *name, "the analysis gave no finite number"])?;
        }
    }
    for entry in &features.missing {
        session.execute(missing, values![id, entry.name, entry.reason])?;
    }
    Ok(())
}

fn put_series(session: &Session<'_>, id: i64, series: &Series) -> sql::Result<()> {
    let data: Vec<u8> = series.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    session
        .execute(
            "INSERT INTO series (track_id, name, unit, start_s, step_s, width, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            values![id, series.name, series.unit, series.start_s, series.step_s, series.width, data],
        )
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_bounded() {
        let long = "ü".repeat(40 << 10);
        let mut items: BTreeMap<String, TagText> =
            (0..20).map(|at| (format!("FIELD{at:02}"), long.clone().into())).collect();
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
