//! The session: the data that survives a restart, a crash and a kill. One database in the data folder holds the open
//! documents and the closed ones with their histories, the recent files and the user's presets.
//!
//! Several processes may share the database. They share presets and recent files, but each document belongs to one
//! process: every process has a numbered session and holds a lock on the file of that number while it runs ([`owner`]).
//! A process takes the lowest free number at its start. It also adopts the documents of all sessions without a running
//! process, so that the documents of a second window reappear the next time either is opened.

mod attempts;
mod closed;
mod documents;
mod made;
mod owner;
mod schema;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::{History, ProjectFile, Step};
use base::blocking::may_block;
use base::database::Guard;
use base::error::{Error, Result};
use base::files::stored_path;
use effects::chain::Chain;

pub use attempts::Attempt;
pub use closed::MAX_CLOSED;
pub use made::remove_unused;
pub use schema::FILE_NAME;

use owner::Owned;

/// The maximum number of recent files.
pub const MAX_RECENT: usize = 50;

/// The key of a document in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey(i64);

/// Data of a document besides its history. Undo does not affect it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewState {
    /// The frame at which playback begins.
    pub cursor_frame: u64,
    /// The start and end of the visible range, in frames.
    pub view: Option<(f64, f64)>,
    /// How much taller than full scale levels are drawn.
    pub level_zoom: Option<f64>,
}

/// A document as it was stored.
#[derive(Debug)]
pub struct StoredDocument {
    /// The document's key in the database.
    pub key: DocumentKey,
    /// The history.
    pub history: History,
    /// The cursor and the view.
    pub place: ViewState,
    /// The project file that it belongs to.
    pub project: Option<ProjectFile>,
    /// The recorded attempt, if the program ended while the recording was being opened.
    pub attempt: Option<Attempt>,
}

/// A stored preset.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPreset {
    /// The name.
    pub name: String,
    /// The chain, or the reason why it cannot be used.
    pub chain: std::result::Result<Chain, String>,
}

/// The version of the JSON format of presets.
const PRESET_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct PresetText {
    version: u32,
    #[serde(default)]
    chain: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct StoredPath(#[serde(with = "stored_path")] PathBuf);

/// The session's database. Every change is one transaction: once a call has returned, a kill does not undo it.
#[derive(Debug)]
pub struct Session {
    database: Connection,
    /// The serials of the stored steps of each document.
    saved: HashMap<DocumentKey, HashSet<u64>>,
    /// The number of this session, reserved while this value lives.
    owned: Owned,
    /// Prevents others from moving the database aside; dropped after the connection.
    _guard: Guard,
}

/// The changes of a document's history for [`Session::write`].
#[derive(Debug)]
pub struct Changes {
    key: DocumentKey,
    present: u64,
    gone: HashSet<u64>,
    new: Vec<Step>,
}

fn stored(error: &rusqlite::Error) -> Error {
    Error::Stored(format!("The session could not be read or written: {error}"))
}

fn serials(history: &History) -> HashSet<u64> {
    history.steps().0.iter().map(|step| step.serial).collect()
}

impl Session {
    /// Opens the session in `folder`, the data folder. Also returns notices for the user: a database that is damaged or
    /// of a later version was moved aside, under a name that the notice states, and replaced by a new one.
    ///
    /// # Errors
    /// [`Error::Stored`] if the database cannot be opened, for example because another process locks it for too long.
    pub fn open(folder: &Path) -> Result<(Self, Vec<String>)> {
        let (database, guard, notices) = schema::open(folder)?;
        let owned = Owned::take(folder)?;
        let mut session = Self { database, saved: HashMap::new(), owned, _guard: guard };
        session.take_up_abandoned()?;
        Ok((session, notices))
    }

    /// Returns whether other processes with sessions are running. The session number does not tell: a process that
    /// starts while another ends takes 2, and the next one takes 1.
    pub fn is_further(&self) -> bool {
        self.owned.is_alone() == Some(false)
    }

    /// Adopts the documents of processes that have ended, whose session files are not locked.
    fn take_up_abandoned(&mut self) -> Result<()> {
        let session = self.owned.number();
        for other in documents::sessions(&self.database).map_err(|error| stored(&error))? {
            if other == session {
                continue;
            }
            // The lock is held until they are written, so that a process that takes this number does not find half of
            // them.
            if let Some(_held) = self.owned.try_other(other)? {
                self.change(|transaction| documents::take_up(transaction, session, other))?;
            }
        }
        Ok(())
    }

    // All changes use this function. It waits for other processes and for the disk.
    fn change<T>(&mut self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        may_block("the session");
        let run = |database: &mut Connection| {
            let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run(&mut self.database).map_err(|error| stored(&error))
    }

    /// Returns the open documents in tab order, and notices about those that could not be restored.
    pub fn documents(&mut self) -> Result<(Vec<StoredDocument>, Vec<String>)> {
        let session = self.owned.number();
        let (documents, notices) = documents::load(&self.database, session).map_err(|error| stored(&error))?;
        self.saved = documents.iter().map(|document| (document.key, serials(&document.history))).collect();
        Ok((documents, notices))
    }

    /// Adds a document after the others. It is recorded as being opened until [`Session::end_attempt`].
    pub fn add(&mut self, history: &History, place: ViewState) -> Result<DocumentKey> {
        let session = self.owned.number();
        let key = self.change(|transaction| {
            let key = documents::add(transaction, session, history, place)?;
            attempts::set(transaction, key, Attempt::WithOthers)?;
            Ok(key)
        })?;
        self.saved.insert(key, serials(history));
        Ok(key)
    }

    /// Writes the changes in a document's history since the last write, usually one step.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the document was closed, here or by another process.
    pub fn save_history(&mut self, key: DocumentKey, history: &History) -> Result<()> {
        let changes = self.changes(key, history);
        self.write(changes)
    }

    /// Returns the changes in a document's history since the last write. Does not block.
    pub fn changes(&self, key: DocumentKey, history: &History) -> Changes {
        let nothing = HashSet::new();
        let saved = self.saved.get(&key).unwrap_or(&nothing);
        let (steps, present) = history.steps();
        let now = serials(history);
        Changes {
            key,
            present: steps[present].serial,
            // Unreadable steps are kept, because a later version of the program may be able to read them.
            gone: saved.difference(&now).filter(|serial| !history.unreadable().contains(serial)).copied().collect(),
            new: steps.iter().filter(|step| !saved.contains(&step.serial)).cloned().collect(),
        }
    }

    /// Writes the changes that [`Session::changes`] returned.
    pub fn write(&mut self, changes: Changes) -> Result<()> {
        let is_there = self.change(|transaction| documents::save(transaction, &changes))?;
        if !is_there {
            return Err(missing(changes.key));
        }
        // Steps of earlier changes that failed to be written are not marked as stored.
        let saved = self.saved.entry(changes.key).or_default();
        saved.retain(|serial| !changes.gone.contains(serial));
        saved.extend(changes.new.iter().map(|step| step.serial));
        Ok(())
    }

    /// Writes a document's cursor and view.
    pub fn save_place(&mut self, key: DocumentKey, place: ViewState) -> Result<()> {
        let changed = self.change(|transaction| {
            transaction
                .prepare_cached(
                    "UPDATE document SET cursor_frame = ?2, view_start = ?3, view_end = ?4, level_zoom = ?5
                     WHERE id = ?1 AND id NOT IN (SELECT document FROM closed)",
                )?
                .execute(params![
                    key.0,
                    place.cursor_frame as i64,
                    place.view.map(|view| view.0),
                    place.view.map(|view| view.1),
                    place.level_zoom
                ])
        })?;
        if changed == 0 { Err(missing(key)) } else { Ok(()) }
    }

    /// Puts the documents in the order of `keys`.
    pub fn reorder(&mut self, keys: &[DocumentKey]) -> Result<()> {
        self.change(|transaction| {
            for (position, key) in keys.iter().enumerate() {
                let put = "UPDATE document SET position = ?2 WHERE id = ?1";
                transaction.execute(put, params![key.0, position as i64])?;
            }
            Ok(())
        })
    }

    /// Returns the active document.
    pub fn active(&self) -> Result<Option<DocumentKey>> {
        documents::active(&self.database, self.owned.number()).map_err(|error| stored(&error))
    }

    /// Sets the active document.
    pub fn set_active(&mut self, key: Option<DocumentKey>) -> Result<()> {
        let session = self.owned.number();
        self.change(|transaction| {
            let put = "INSERT OR REPLACE INTO front (session, document)
                       VALUES (?1, (SELECT id FROM document WHERE id = ?2))";
            transaction.execute(put, params![session, key.map(|key| key.0)]).map(drop)
        })
    }

    /// Returns the recent files, latest first.
    pub fn recent(&self) -> Result<Vec<PathBuf>> {
        let read = || {
            let mut rows = self.database.prepare_cached("SELECT path FROM recent ORDER BY opened DESC")?;
            let rows = rows.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        let paths = read().map_err(|error| stored(&error))?;
        // Paths of another operating system, in a copied data folder, are skipped.
        Ok(paths.iter().filter_map(|text| serde_json::from_str::<StoredPath>(text).ok()).map(|path| path.0).collect())
    }

    /// Moves a file to the front of the recent files.
    pub fn add_recent(&mut self, path: &Path) -> Result<()> {
        let text = path_text(path)?;
        self.change(|transaction| {
            transaction.execute("DELETE FROM recent WHERE path = ?1", [&text])?;
            transaction.execute("INSERT INTO recent (path) VALUES (?1)", [&text])?;
            let oldest =
                "DELETE FROM recent WHERE opened NOT IN (SELECT opened FROM recent ORDER BY opened DESC LIMIT ?1)";
            transaction.execute(oldest, [MAX_RECENT as i64]).map(drop)
        })
    }

    /// Removes a file from the recent files.
    pub fn remove_recent(&mut self, path: &Path) -> Result<()> {
        let text = path_text(path)?;
        self.change(|transaction| transaction.execute("DELETE FROM recent WHERE path = ?1", [&text]).map(drop))
    }

    /// Removes all recent files.
    pub fn clear_recent(&mut self) -> Result<()> {
        self.change(|transaction| transaction.execute("DELETE FROM recent", []).map(drop))
    }

    /// Returns the user's presets, sorted by name.
    pub fn presets(&self) -> Result<Vec<StoredPreset>> {
        let read = || {
            let mut rows = self.database.prepare_cached("SELECT name, chain FROM preset ORDER BY name")?;
            let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|error| stored(&error))?;
        Ok(rows.into_iter().map(|(name, text)| StoredPreset { name, chain: chain_from_text(&text) }).collect())
    }

    /// Returns one of the user's presets.
    ///
    /// # Errors
    /// [`Error::Stored`] also if the preset's chain cannot be used.
    pub fn preset(&self, name: &str) -> Result<Chain> {
        let read =
            self.database.query_row("SELECT chain FROM preset WHERE name = ?1", [name], |row| row.get::<_, String>(0));
        let text = read.optional().map_err(|error| stored(&error))?;
        let text = text.ok_or_else(|| Error::NotFound { what: "preset", name: name.to_owned() })?;
        chain_from_text(&text).map_err(|reason| Error::Stored(format!("The preset {name} cannot be used. {reason}")))
    }

    /// Stores a preset. Returns `false` without any effect if a preset of that name exists and `replace` is not set.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is empty, longer than 200 characters or not printable.
    pub fn save_preset(&mut self, name: &str, chain: &Chain, replace: bool) -> Result<bool> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 200 || name.chars().any(char::is_control) {
            return Err(Error::impossible(
                "The name of a preset has 1 to 200 printable characters. Choose another name.",
            ));
        }
        let internal = |error: serde_json::Error| Error::Internal(format!("a chain is no JSON: {error}"));
        let chain = serde_json::to_value(chain).map_err(internal)?;
        let text = serde_json::to_string(&PresetText { version: PRESET_VERSION, chain }).map_err(internal)?;
        self.change(|transaction| {
            let put = if replace { "INSERT OR REPLACE" } else { "INSERT OR IGNORE" };
            let put = format!("{put} INTO preset (name, chain) VALUES (?1, ?2)");
            Ok(transaction.execute(&put, params![name, text])? == 1)
        })
    }

    /// Deletes a preset.
    pub fn delete_preset(&mut self, name: &str) -> Result<()> {
        match self.change(|transaction| transaction.execute("DELETE FROM preset WHERE name = ?1", [name]))? {
            0 => Err(Error::NotFound { what: "preset", name: name.to_owned() }),
            _ => Ok(()),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // On a regular exit, no recording ended the program.
        if let Err(error) = self.end_attempts() {
            tracing::warn!("{error}");
        }
    }
}

fn missing(key: DocumentKey) -> Error {
    Error::NotFound { what: "stored document", name: key.0.to_string() }
}

fn path_text(path: &Path) -> Result<String> {
    let text = serde_json::to_string(&StoredPath(path.to_path_buf()));
    text.map_err(|error| Error::Internal(format!("a path is no JSON: {error}")))
}

fn chain_from_text(text: &str) -> std::result::Result<Chain, String> {
    let preset: PresetText = serde_json::from_str(text).map_err(|error| format!("it is damaged: {error}"))?;
    if preset.version != PRESET_VERSION {
        return Err(format!("its format {} is not known to this version of the program", preset.version));
    }
    serde_json::from_value(preset.chain).map_err(|error| format!("its chain cannot be read: {error}"))
}
