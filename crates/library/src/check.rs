//! The size and the health of a library's database.

use super::Library;
use super::sql::{self, Session};
use super::store::stored;
use base::error::{Error, Result};

impl Library {
    /// Sets the maximum size of the database in bytes; `None` removes the limit. A scan that reaches it is held, as
    /// with a full disk. The limit applies only to this `Library`.
    pub fn set_limit_bytes(&self, limit: Option<u64>) -> Result<()> {
        let Some(file) = self.store.file() else {
            return Err(Error::impossible("A library on a server has no limit of its own. Limit its disk there."));
        };
        let limited = file.with_writer(|database| {
            let page_bytes: i64 = database.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            let pages = limit.map_or(i64::from(u32::MAX - 1), |bytes| (bytes as i64 / page_bytes).max(1));
            database.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
        });
        limited.map_err(|error| stored(&error))
    }

    /// Checks the whole database, which takes minutes for a large one. Returns the problems found. On a server, every
    /// row is read; the server's check of its data is left to its administrator.
    ///
    /// # Errors
    /// [`Error::Stored`] if the database cannot be read at all.
    pub fn check(&self) -> Result<Vec<String>> {
        let Some(file) = self.store.file() else { return self.store.read(server_faults) };
        let checked = file.with_reader(|database| {
            let mut faults: Vec<String> = database
                .prepare("PRAGMA integrity_check")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            faults.retain(|line| line != "ok");
            let dangling: i64 =
                database.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
            if dangling > 0 {
                faults.push(format!("{dangling} rows belong to tracks that are not there"));
            }
            Ok(faults)
        });
        checked.map_err(|error| stored(&error))
    }
}

/// The tables of a library on a server that belong to tracks.
const OF_TRACKS: [&str; 9] =
    ["description", "feature", "fingerprint", "sketch", "series", "place", "word_index", "folded", "feature_missing"];

/// Reads every row of a library on a server. Returns what is wrong.
fn server_faults(session: &Session<'_>) -> sql::Result<Vec<String>> {
    let mut faults = Vec::new();
    for table in OF_TRACKS {
        // The text of a row is made of all its columns.
        let read = format!("SELECT coalesce(sum(length(CAST({table} AS TEXT))), 0.0) > -1 FROM {table}");
        session.one(&read, &[], |row| row.get::<bool>(0))?;
        let dangling = format!("SELECT count(*) FROM {table} WHERE track_id NOT IN (SELECT id FROM track)");
        let dangling = session.number(&dangling, &[])?;
        if dangling > 0 {
            faults.push(format!("{dangling} rows of `{table}` belong to tracks that are not there"));
        }
    }
    let claims = "SELECT count(*) FROM track WHERE (state = 'analysing') <> (claimed_by IS NOT NULL)";
    let claims = session.number(claims, &[])?;
    if claims > 0 {
        faults.push(format!("{claims} tracks are claimed by nobody, or claimed and not analysed"));
    }
    Ok(faults)
}
