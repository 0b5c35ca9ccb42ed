//! The library's tables.
//!
//! `track` has one narrow row per file, so that sorting a hundred thousand rows reads little; large or rarely needed
//! data is in other tables. Triggers record in `text_stale` the tracks whose words changed, and [`super::store::words`]
//! updates the full-text index before it is searched: many tracks at a time, since updating one costs as much as
//! hundreds. Times are milliseconds since 1970, except those of files, which are nanoseconds.

use rusqlite::Connection;

use analysis::features::dimensions::{COUNT, DIMENSIONS};
use base::database::{Foreign, Kind};

/// The file name of the library in the data folder.
pub const FILE_NAME: &str = "library.sqlite";

/// The names of the feature columns: those of [`DIMENSIONS`], in their order. A database keeps the names it was created
/// with, so that another name needs a migration.
pub const FEATURES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut at = 0;
    while at < COUNT {
        names[at] = DIMENSIONS[at].name;
        at += 1;
    }
    names
};

/// Migrations from one version of the database to the next. Never change a released one; add another.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE root (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL,
        path_exact BLOB NOT NULL,
        added_at INTEGER NOT NULL,
        scanned_at INTEGER,
        unreachable TEXT,
        UNIQUE (path, path_exact)
    ) STRICT;
    CREATE TABLE scan (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        holder TEXT NOT NULL,
        outcome TEXT CHECK (outcome IN ('done', 'cancelled', 'failed', 'killed')),
        summary TEXT
    ) STRICT;
    CREATE TABLE cover (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        mime TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        data BLOB
    ) STRICT;
    CREATE TABLE track (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        root INTEGER NOT NULL REFERENCES root (id) ON DELETE CASCADE,
        path TEXT NOT NULL,
        path_exact BLOB NOT NULL,
        bytes INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'analysing', 'done', 'failed', 'vanished')),
        code TEXT,
        reason TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        claimed_by INTEGER REFERENCES scan (id) ON DELETE SET NULL,
        added_at INTEGER NOT NULL,
        analysed_at INTEGER,
        stale INTEGER NOT NULL DEFAULT 0,
        vanished_at INTEGER,
        binned_at INTEGER,
        quick_key BLOB,
        audio_key BLOB,
        title TEXT,
        artist TEXT,
        album TEXT,
        album_artist TEXT,
        genre TEXT,
        year INTEGER,
        track_no INTEGER,
        disc_no INTEGER,
        duration_s REAL,
        frames INTEGER,
        rate_hz INTEGER,
        channels INTEGER,
        format TEXT,
        codec TEXT,
        bit_rate INTEGER,
        bits INTEGER,
        bandwidth_hz REAL,
        key TEXT,
        cover INTEGER REFERENCES cover (id),
        features_version INTEGER,
        fingerprint_version INTEGER,
        UNIQUE (path, path_exact)
    ) STRICT;
    CREATE INDEX track_root ON track (root);
    CREATE INDEX track_state ON track (state, bytes);
    CREATE INDEX track_queue ON track (attempts, id) WHERE state = 'waiting';
    CREATE INDEX track_quick_key ON track (quick_key) WHERE quick_key IS NOT NULL;
    CREATE INDEX track_audio_key ON track (audio_key) WHERE audio_key IS NOT NULL;
    CREATE INDEX track_cover ON track (cover) WHERE cover IS NOT NULL;
    CREATE INDEX track_claimed_by ON track (claimed_by) WHERE claimed_by IS NOT NULL;
    CREATE INDEX track_title ON track (title);
    CREATE INDEX track_artist ON track (artist);
    CREATE INDEX track_album ON track (album);
    CREATE INDEX track_genre ON track (genre);
    CREATE INDEX track_year ON track (year);
    CREATE INDEX track_duration ON track (duration_s);
    CREATE INDEX track_added ON track (added_at);
    CREATE TABLE description (
        track_id INTEGER PRIMARY KEY REFERENCES track (id) ON DELETE CASCADE,
        tags TEXT NOT NULL,
        warnings TEXT NOT NULL
    ) STRICT;
    CREATE TABLE feature (
        track_id INTEGER PRIMARY KEY REFERENCES track (id) ON DELETE CASCADE,
        band_sub_bass REAL, band_bass REAL, band_low_mid REAL, band_mid REAL, band_upper_mid REAL, band_presence REAL,
        band_air REAL, loudness_lufs REAL, crest_db REAL, bass_mid_ratio_db REAL, tempo_bpm REAL,
        rhythm_stability REAL, transient_density REAL, silence_ratio REAL, centroid_hz REAL, rolloff_hz REAL,
        flatness REAL, harmonic_ratio REAL, pitch_stability REAL, chroma_energy REAL, dynamic_range_variation REAL,
        loudness_variation_db REAL, peak_consistency REAL, stereo_width REAL, phase_correlation REAL
    ) STRICT;
    CREATE TABLE feature_missing (
        track_id INTEGER NOT NULL REFERENCES feature (track_id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        missing_reason TEXT NOT NULL,
        PRIMARY KEY (track_id, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE fingerprint (
        track_id INTEGER PRIMARY KEY REFERENCES track (id) ON DELETE CASCADE,
        chromaprint BLOB NOT NULL,
        landmarks BLOB NOT NULL
    ) STRICT;
    CREATE TABLE series (
        track_id INTEGER NOT NULL REFERENCES track (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        unit TEXT NOT NULL,
        start_s REAL NOT NULL,
        step_s REAL NOT NULL,
        width INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (track_id, name)
    ) STRICT;
    CREATE TABLE decision (
        first INTEGER NOT NULL REFERENCES track (id) ON DELETE CASCADE,
        second INTEGER NOT NULL REFERENCES track (id) ON DELETE CASCADE,
        verdict TEXT NOT NULL CHECK (verdict IN ('same', 'different', 'keep_both')),
        decided_at INTEGER NOT NULL,
        PRIMARY KEY (first, second),
        CHECK (first < second)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX decision_second ON decision (second);
    CREATE VIRTUAL TABLE track_text USING fts5 (
        title, artist, album, path,
        content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
    );
    CREATE TABLE text_stale (track_id INTEGER PRIMARY KEY) STRICT;
    CREATE TRIGGER track_text_insert AFTER INSERT ON track BEGIN
        INSERT OR IGNORE INTO text_stale (track_id) VALUES (new.id);
    END;
    CREATE TRIGGER track_text_delete AFTER DELETE ON track BEGIN
        INSERT OR IGNORE INTO text_stale (track_id) VALUES (old.id);
    END;
    CREATE TRIGGER track_text_update AFTER UPDATE OF title, artist, album, path ON track
    WHEN old.title IS NOT new.title OR old.artist IS NOT new.artist OR old.album IS NOT new.album
        OR old.path IS NOT new.path
    BEGIN
        INSERT OR IGNORE INTO text_stale (track_id) VALUES (new.id);
    END;
",
    "
    -- How the sound ends at bandwidth_hz. Without the first of them that was never measured.
    ALTER TABLE track ADD COLUMN bandwidth_of_hz REAL;
    ALTER TABLE track ADD COLUMN floor_db REAL;
    ALTER TABLE track ADD COLUMN cliff_drop_db REAL;
    ALTER TABLE track ADD COLUMN cliff_width_hz REAL;
    -- Where tracks stood on the map when it was last laid out.
    CREATE TABLE place (
        track_id INTEGER PRIMARY KEY REFERENCES track (id) ON DELETE CASCADE,
        x REAL NOT NULL,
        y REAL NOT NULL
    ) STRICT;
    CREATE TABLE map (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        made_at INTEGER NOT NULL,
        tracks INTEGER NOT NULL,
        numbers INTEGER NOT NULL,
        analysed_at INTEGER NOT NULL,
        trustworthiness REAL
    ) STRICT;
",
    "
    -- What tells a track among very many, made of its landmarks; beside them, so that reading all of it reads no more.
    CREATE TABLE sketch (
        track_id INTEGER PRIMARY KEY REFERENCES track (id) ON DELETE CASCADE,
        data BLOB NOT NULL
    ) STRICT;
",
    "
    -- How often a scan ended with the program while it had this track in hand and no other.
    ALTER TABLE track ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
",
    "
    -- How well the map keeps neighbours. Without the first of them that was never measured.
    ALTER TABLE map ADD COLUMN neighbours INTEGER;
    ALTER TABLE map ADD COLUMN kept REAL;
    ALTER TABLE map ADD COLUMN continuity REAL;
    ALTER TABLE map ADD COLUMN alike_pairs INTEGER;
    ALTER TABLE map ADD COLUMN alike_farthest REAL;
",
    "
    -- Which tracks are analysed, and when, without reading their rows.
    CREATE INDEX track_analysed ON track (id, analysed_at) WHERE state = 'done';
",
    "
    -- The version of how its file was read. Without it an earlier one.
    ALTER TABLE track ADD COLUMN reading_version INTEGER;
",
];

/// The library as a kind of database. At every start, only the tables on which everything else depends are checked.
/// Reading the blobs of a large library would take minutes; [`crate::Library::check`] reads them, too.
pub(super) const KIND: Kind = Kind {
    name: "library",
    former: "The library",
    // "Utlb".
    application_id: 0x5574_6c62,
    migrations: MIGRATIONS,
    checked: &["root", "track", "feature", "scan", "decision", "track_text_data", "track_text_idx"],
    // Holds the indexes of a hundred thousand tracks, so that a walk that finds them all writes each page once.
    cache_kib: 32 << 10,
    foreign: Foreign::Refuse,
};

/// Returns a new library in memory, which tells what tables and columns a library has.
pub(super) fn fresh() -> rusqlite::Result<Connection> {
    let database = Connection::open_in_memory()?;
    MIGRATIONS.iter().try_for_each(|migration| database.execute_batch(migration))?;
    Ok(database)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_columns_are_the_dimensions() {
        assert!(DIMENSIONS.iter().map(|dimension| dimension.name).eq(FEATURES));
        let database = fresh().unwrap();
        let table = database.prepare("SELECT * FROM feature").unwrap();
        assert!(table.column_names().skip(1).eq(FEATURES));
    }
}
