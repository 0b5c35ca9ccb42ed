//! The journal of written tags: a database beside the library's, so that a library that is damaged or created anew can
//! still undo. Every change is on disk when its call returns.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::{Connection, Row, TransactionBehavior, params};
use serde::Serialize;

use super::plan::Plan;
use super::values::{TagChange, TagField};
use crate::stored_path::StoredPath;
use base::database::{self, Foreign, Guard, Kind};
use base::date::now_ms;
use base::error::{Error, Result};
use base::lock::lock;

/// The journal as a kind of database.
const KIND: Kind = Kind {
    name: "journal of tags",
    former: "The journal of the tags that were written",
    // "Uttg".
    application_id: 0x5574_7467,
    migrations: &["
        CREATE TABLE tag_write (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            begun_at INTEGER NOT NULL,
            fields TEXT NOT NULL
        ) STRICT;
        CREATE TABLE tag_file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            write_id INTEGER NOT NULL REFERENCES tag_write (id) ON DELETE CASCADE,
            track_id INTEGER NOT NULL,
            path TEXT NOT NULL,
            path_exact BLOB NOT NULL,
            temporary TEXT NOT NULL,
            temporary_exact BLOB NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('begun', 'ready', 'written', 'undoing', 'undone')),
            changes TEXT NOT NULL,
            old_bytes INTEGER NOT NULL,
            old_modified_ns INTEGER NOT NULL,
            old_hash BLOB,
            new_bytes INTEGER,
            new_modified_ns INTEGER,
            new_hash BLOB,
            delta BLOB
        ) STRICT;
        CREATE INDEX tag_file_write ON tag_file (write_id);
        CREATE INDEX tag_file_open ON tag_file (state) WHERE state IN ('begun', 'ready', 'undoing');
    "],
    checked: &["tag_write"],
    cache_kib: 2 << 10,
    foreign: Foreign::Refuse,
};

/// How far a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// The copy with the new tags is being made.
    Begun,
    /// The copy is complete, and about to replace the file.
    Ready,
    /// The file has the new tags.
    Written,
    /// The original is being restored.
    Undoing,
    /// The file is the original again.
    Undone,
}

impl FileState {
    fn from_name(name: &str) -> Self {
        match name {
            "begun" => Self::Begun,
            "ready" => Self::Ready,
            "undoing" => Self::Undoing,
            "undone" => Self::Undone,
            _ => Self::Written,
        }
    }
}

/// A write of tags to some files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Write {
    /// Its number.
    pub id: i64,
    /// When it began, in milliseconds since 1970.
    pub begun_at: i64,
    /// The names of the fields that were written, with commas.
    pub fields: String,
    /// The size of what is kept for undo, in bytes.
    pub kept_bytes: u64,
    /// Its files.
    pub files: Vec<WrittenFile>,
}

/// A file of a write.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrittenFile {
    /// The file.
    #[serde(flatten, serialize_with = "base::files::json::as_path")]
    pub path: PathBuf,
    /// How far it is.
    pub state: FileState,
    /// The changes.
    pub changes: Vec<TagChange>,
    /// Whether the original can be restored.
    pub undoable: bool,
    #[serde(skip)]
    pub(super) id: i64,
    #[serde(skip)]
    pub(super) track: i64,
    #[serde(skip)]
    pub(super) temporary: PathBuf,
    #[serde(skip)]
    pub(super) old: Version,
    #[serde(skip)]
    pub(super) new: Version,
}

/// One of the two states of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its modification time in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The hash of all its bytes.
    pub hash: [u8; 32],
}

#[derive(Debug)]
pub(super) struct Journal {
    database: Mutex<Connection>,
    _guard: Guard,
}

impl Journal {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let opened = database::open(path, &KIND)?;
        for notice in &opened.notices {
            tracing::warn!("{notice}");
        }
        // Replacing a file relies on its delta being on disk, even after a power cut.
        opened.connection.pragma_update(None, "synchronous", "FULL").map_err(|error| stored(&error))?;
        Ok(Self { database: Mutex::new(opened.connection), _guard: opened.guard })
    }

    fn change<T>(&self, change: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let mut database = lock(&self.database);
        let run = || -> rusqlite::Result<T> {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|error| stored(&error))
    }

    pub(super) fn begin_write(&self, fields: &[TagField]) -> Result<i64> {
        let names = fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(",");
        self.change(|database| {
            database.execute("INSERT INTO tag_write (begun_at, fields) VALUES (?1, ?2)", params![now_ms(), names])?;
            Ok(database.last_insert_rowid())
        })
    }

    /// Deletes a write that has no files.
    pub(super) fn end_write(&self, id: i64) -> Result<()> {
        let unused = "DELETE FROM tag_write WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM tag_file WHERE write_id = ?1)";
        self.change(|database| database.execute(unused, [id]).map(drop))
    }

    /// Records that a file is about to be copied to `temporary`. Returns the entry's number.
    pub(super) fn begin_file(&self, write: i64, plan: &Plan, temporary: &Path) -> Result<i64> {
        let (path, temporary) = (StoredPath::from(plan.target.as_path()), StoredPath::from(temporary));
        let changes = serde_json::to_string(&plan.changes).map_err(|error| Error::Internal(error.to_string()))?;
        self.change(|database| {
            database.execute(
                "INSERT INTO tag_file (write_id, track_id, path, path_exact, temporary, temporary_exact, state, changes,
                     old_bytes, old_modified_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'begun', ?7, ?8, ?9)",
                params![
                    write,
                    plan.id,
                    path.text,
                    path.exact,
                    temporary.text,
                    temporary.exact,
                    changes,
                    plan.bytes as i64,
                    plan.modified_ns
                ],
            )?;
            Ok(database.last_insert_rowid())
        })
    }

    /// Records that the copy is complete, and what turns it back into the original.
    pub(super) fn ready(&self, id: i64, old: [u8; 32], new: &Version, delta: &[u8]) -> Result<()> {
        self.change(|database| {
            let ready = "UPDATE tag_file SET state = 'ready', old_hash = ?2, new_bytes = ?3, new_modified_ns = ?4,
                             new_hash = ?5, delta = ?6 WHERE id = ?1";
            database.execute(ready, params![id, old, new.bytes as i64, new.modified_ns, new.hash, delta]).map(drop)
        })
    }

    /// Records that the file has the new tags.
    pub(super) fn written(&self, id: i64) -> Result<()> {
        self.change(|database| database.execute("UPDATE tag_file SET state = 'written' WHERE id = ?1", [id]).map(drop))
    }

    /// Records that the original is about to be rebuilt at `temporary`.
    pub(super) fn undoing(&self, id: i64, temporary: &Path) -> Result<()> {
        let temporary = StoredPath::from(temporary);
        self.change(|database| {
            let undoing = "UPDATE tag_file SET state = 'undoing', temporary = ?2, temporary_exact = ?3 WHERE id = ?1";
            database.execute(undoing, params![id, temporary.text, temporary.exact]).map(drop)
        })
    }

    /// Records that the file is the original again.
    pub(super) fn undone(&self, id: i64) -> Result<()> {
        self.change(|database| {
            database.execute("UPDATE tag_file SET state = 'undone', delta = NULL WHERE id = ?1", [id]).map(drop)
        })
    }

    /// Deletes the writes that have no files. None may be under way.
    pub(super) fn remove_empty_writes(&self) -> Result<()> {
        let unused = "DELETE FROM tag_write WHERE id NOT IN (SELECT write_id FROM tag_file)";
        self.change(|database| database.execute(unused, []).map(drop))
    }

    /// Deletes the entry of a file that was not replaced.
    pub(super) fn remove(&self, id: i64) -> Result<()> {
        self.change(|database| database.execute("DELETE FROM tag_file WHERE id = ?1", [id]).map(drop))
    }

    /// Deletes a write and what is kept for it. Returns the number of files that could still have been undone.
    pub(super) fn forget(&self, write: i64) -> Result<u64> {
        let known = self.change(|database| {
            let count = "SELECT count(*) FROM tag_file WHERE write_id = ?1 AND delta IS NOT NULL";
            let files: i64 = database.query_row(count, [write], |row| row.get(0))?;
            Ok((database.execute("DELETE FROM tag_write WHERE id = ?1", [write])? > 0).then_some(files as u64))
        })?;
        known.ok_or_else(|| Error::NotFound { what: "write of tags", name: write.to_string() })
    }

    pub(super) fn delta(&self, id: i64) -> Result<Option<Vec<u8>>> {
        let delta = "SELECT delta FROM tag_file WHERE id = ?1";
        lock(&self.database).query_row(delta, [id], |row| row.get(0)).map_err(|error| stored(&error))
    }

    /// Returns the files that a killed process left in the middle.
    pub(super) fn open_files(&self) -> Result<Vec<WrittenFile>> {
        self.files("state IN ('begun', 'ready', 'undoing')", [])
    }

    /// Returns all writes, the latest first.
    pub(super) fn writes(&self) -> Result<Vec<Write>> {
        let writes = |database: &Connection| -> rusqlite::Result<Vec<Write>> {
            database
                .prepare(
                    "SELECT id, begun_at, fields, (SELECT coalesce(sum(length(delta)), 0) FROM tag_file
                         WHERE write_id = tag_write.id) FROM tag_write ORDER BY id DESC",
                )?
                .query_map([], |row| {
                    let kept_bytes = row.get::<_, i64>(3)? as u64;
                    Ok(Write {
                        id: row.get(0)?,
                        begun_at: row.get(1)?,
                        fields: row.get(2)?,
                        kept_bytes,
                        files: Vec::new(),
                    })
                })?
                .collect()
        };
        let mut writes = writes(&lock(&self.database)).map_err(|error| stored(&error))?;
        for write in &mut writes {
            write.files = self.files("write_id = ?1", [write.id])?;
        }
        Ok(writes)
    }

    fn files(&self, condition: &str, values: impl rusqlite::Params) -> Result<Vec<WrittenFile>> {
        let sql = format!(
            "SELECT id, track_id, path, path_exact, temporary, temporary_exact, state, changes, old_bytes,
                 old_modified_ns, old_hash, new_bytes, new_modified_ns, new_hash, delta IS NOT NULL
             FROM tag_file WHERE {condition} ORDER BY id"
        );
        let read = || -> rusqlite::Result<Vec<WrittenFile>> {
            lock(&self.database).prepare(&sql)?.query_map(values, file)?.collect()
        };
        read().map_err(|error| stored(&error))
    }
}

fn file(row: &Row<'_>) -> rusqlite::Result<WrittenFile> {
    let path = |at| -> rusqlite::Result<PathBuf> {
        Ok(StoredPath { text: row.get(at)?, exact: row.get(at + 1)? }.into_path())
    };
    let version = |at| -> rusqlite::Result<Version> {
        Ok(Version {
            bytes: row.get::<_, Option<i64>>(at)?.unwrap_or(0) as u64,
            modified_ns: row.get::<_, Option<i64>>(at + 1)?.unwrap_or(0),
            hash: row.get::<_, Option<[u8; 32]>>(at + 2)?.unwrap_or_default(),
        })
    };
    let state = FileState::from_name(&row.get::<_, String>(6)?);
    let has_delta: bool = row.get(14)?;
    Ok(WrittenFile {
        path: path(2)?,
        state,
        changes: serde_json::from_str(&row.get::<_, String>(7)?).unwrap_or_default(),
        undoable: state == FileState::Written && has_delta,
        id: row.get(0)?,
        track: row.get(1)?,
        temporary: path(4)?,
        old: version(8)?,
        new: version(11)?,
    })
}

fn stored(error: &rusqlite::Error) -> Error {
    Error::Stored(format!("The journal of tags could not be read or written: {error}"))
}
