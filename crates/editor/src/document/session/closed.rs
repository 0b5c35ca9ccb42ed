//! Closed documents, which are kept complete, and the project files of documents.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::{
    Attempt, DocumentKey, Session, StoredDocument, StoredPath, attempts, documents, missing, path_text, serials, stored,
};
use crate::document::ProjectFile;
use crate::document::source::ContentKey;
use base::error::Result;

/// The maximum number of closed documents. The oldest are removed first.
pub const MAX_CLOSED: usize = 100;

impl Session {
    /// Closes a document. It is kept under `path`, the file that opens it.
    pub fn close(&mut self, key: DocumentKey, path: &Path) -> Result<()> {
        let text = path_text(path)?;
        self.change(|transaction| {
            transaction.execute("INSERT OR REPLACE INTO closed (document, path) SELECT id, ?2 FROM document WHERE id = ?1", params![key.0, text])?;
            transaction.execute("UPDATE front SET document = NULL WHERE document = ?1", [key.0])?;
            transaction.execute("DELETE FROM attempt WHERE document = ?1", [key.0])?;
            let oldest = "DELETE FROM document WHERE id IN (SELECT document FROM closed ORDER BY number DESC LIMIT -1 OFFSET ?1)";
            transaction.execute(oldest, [MAX_CLOSED as i64]).map(drop)
        })?;
        self.saved.remove(&key);
        Ok(())
    }

    /// Returns the path of the document that was closed last.
    pub fn last_closed_path(&self) -> Result<Option<PathBuf>> {
        let latest = "SELECT path FROM closed ORDER BY number DESC LIMIT 1";
        let text: Option<String> =
            self.database.query_row(latest, [], |row| row.get(0)).optional().map_err(|error| stored(&error))?;
        Ok(text.and_then(|text| serde_json::from_str::<StoredPath>(&text).ok()).map(|path| path.0))
    }

    /// Returns the document that was closed last, of those that `path` opens if one is given; it stays closed. Documents
    /// that cannot be read are passed over.
    pub fn last_closed(&self, path: Option<&Path>) -> Result<Option<StoredDocument>> {
        let text = path.map(path_text).transpose()?;
        let read = || {
            let mut rows = self
                .database
                .prepare_cached("SELECT document FROM closed WHERE ?1 IS NULL OR path = ?1 ORDER BY number DESC")?;
            let keys = rows.query_map([&text], |row| row.get::<_, i64>(0))?;
            for key in keys {
                if let Some(document) = documents::one(&self.database, DocumentKey(key?))? {
                    return Ok(Some(document));
                }
            }
            Ok(None)
        };
        read().map_err(|error| stored(&error))
    }

    /// Takes a closed document up as an open one of this session, after the others. It is recorded as being opened, as
    /// by [`Session::add`].
    ///
    /// # Errors
    /// [`base::error::Error::NotFound`] if another process has taken it up.
    pub fn reopen(&mut self, document: &StoredDocument) -> Result<()> {
        let (session, key) = (self.owned.number(), document.key);
        let taken = self.change(|transaction| {
            if transaction.execute("DELETE FROM closed WHERE document = ?1", [key.0])? == 0 {
                return Ok(false);
            }
            let place = "UPDATE document SET session = ?2,
                         position = (SELECT coalesce(max(position), 0) + 1 FROM document) WHERE id = ?1";
            transaction.execute(place, [key.0, session])?;
            attempts::set(transaction, key, Attempt::WithOthers)?;
            Ok(true)
        })?;
        if !taken {
            return Err(missing(key));
        }
        self.saved.insert(key, serials(&document.history));
        Ok(())
    }

    /// Records the project file that a document belongs to.
    pub fn set_project(&mut self, key: DocumentKey, project: &ProjectFile) -> Result<()> {
        let text = path_text(&project.path)?;
        self.change(|transaction| {
            let put =
                "INSERT OR REPLACE INTO project (document, path, saved) SELECT id, ?2, ?3 FROM document WHERE id = ?1";
            transaction.execute(put, params![key.0, text, project.saved.as_str()]).map(drop)
        })
    }
}

/// Reads the project file that a document belongs to. A path from another operating system is ignored.
pub(super) fn project(database: &Connection, key: DocumentKey) -> rusqlite::Result<Option<ProjectFile>> {
    let found: Option<(String, String)> = database
        .prepare_cached("SELECT path, saved FROM project WHERE document = ?1")?
        .query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(path, saved)| {
        let path = serde_json::from_str::<StoredPath>(&path).ok()?.0;
        Some(ProjectFile { path, saved: ContentKey::of_text(saved) })
    }))
}
