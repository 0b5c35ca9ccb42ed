//! The full-text index of titles, artists, albums and paths.

use rusqlite::{Connection, Transaction};

/// Returns whether the index is out of date.
pub fn are_stale(database: &Connection) -> rusqlite::Result<bool> {
    database.prepare_cached("SELECT EXISTS (SELECT 1 FROM text_stale)")?.query_row([], |row| row.get(0))
}

/// Brings the index up to date.
pub fn refresh(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM track_text WHERE rowid IN (SELECT track_id FROM text_stale)", [])?;
    transaction.execute(
        "INSERT INTO track_text (rowid, title, artist, album, path)
         SELECT id, title, artist, album, path FROM text_stale JOIN track ON track.id = text_stale.track_id",
        [],
    )?;
    transaction.execute("DELETE FROM text_stale", []).map(drop)
}
