//! Recordings that the program created, such as generated and mixed sound, and finding those that are no longer used.
//!
//! A file is registered before it is written, so that its name is not used twice. A file that a saved project refers to
//! is kept forever, because the project may be moved anywhere. Any other file is unused once no stored state of a
//! document, open or closed, and no recent file refers to it. Only a process that runs alone removes files, and only
//! those of earlier processes: other processes may have copied sound that is in no stored state yet.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};

use super::{Session, StoredPath, path_text, schema, stored};
use crate::document::state::Stored;
use base::error::Result;

/// The states that were looked at, by document and step.
type Seen = HashSet<(i64, i64)>;

impl Session {
    /// Records that a file is about to be made. Returns `false` if another one of that name is or was.
    pub fn make_file(&mut self, path: &Path) -> Result<bool> {
        let text = path_text(path)?;
        let put = "INSERT OR IGNORE INTO made (path, kept) VALUES (?1, 0)";
        self.change(|transaction| Ok(transaction.execute(put, [&text])? == 1))
    }

    /// Forgets a file that was not made after all.
    pub fn forget_file(&mut self, path: &Path) -> Result<()> {
        let text = path_text(path)?;
        self.change(|transaction| transaction.execute("DELETE FROM made WHERE path = ?1", [&text]).map(drop))
    }

    /// Marks created files to be kept forever.
    pub fn keep_files<'a>(&mut self, paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
        let texts = paths.into_iter().map(path_text).collect::<Result<Vec<_>>>()?;
        self.change(|transaction| {
            let mut keep = transaction.prepare_cached("UPDATE made SET kept = 1 WHERE path = ?1")?;
            texts.iter().try_for_each(|text| keep.execute([text]).map(drop))
        })
    }

    /// Returns the files of `folder` that earlier processes made and no project refers to; none while other processes
    /// run.
    pub fn earlier_files(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        if self.owned.is_alone() != Some(true) {
            return Ok(Vec::new());
        }
        let read = || {
            let mut rows = self.database.prepare_cached("SELECT path FROM made WHERE kept = 0")?;
            let rows = rows.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        let texts = read().map_err(|error| stored(&error))?;
        let paths = texts.iter().filter_map(|text| serde_json::from_str::<StoredPath>(text).ok()).map(|path| path.0);
        Ok(paths.filter(|path| path.parent() == Some(folder)).collect())
    }
}

/// Removes the files in `files` that nothing refers to. Removes nothing if a state cannot be read, because it may refer
/// to them. Returns the removed files.
pub fn remove_unused(folder: &Path, files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let (mut database, _guard, _) = schema::open(folder)?;
    remove(&mut database, files).map_err(|error| stored(&error))
}

fn remove(database: &mut Connection, files: &[PathBuf]) -> rusqlite::Result<Vec<PathBuf>> {
    // A path that is not text is not found in a state, whose bytes are then numbers.
    let named = files.iter().filter_map(|path| Some((path.clone(), needle(path)?)));
    let mut unused: Vec<(PathBuf, String)> = named.collect();
    let mut seen = Seen::new();
    // The most is read without holding up those who write.
    if unused.is_empty() || !strike(database, &mut unused, &mut seen)? {
        return Ok(Vec::new());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !strike(&transaction, &mut unused, &mut seen)? {
        return Ok(Vec::new());
    }
    let mut removed = Vec::new();
    for (path, _) in unused {
        match fs::remove_file(&path) {
            Ok(()) => removed.push(path.clone()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::info!("{} is not needed, but stays: {error}", path.display());
                continue;
            }
        }
        if let Ok(text) = path_text(&path) {
            transaction.execute("DELETE FROM made WHERE path = ?1 AND kept = 0", params![text])?;
        }
    }
    transaction.commit()?;
    Ok(removed)
}

/// Returns the end of a stored path with this file name.
fn needle(path: &Path) -> Option<String> {
    path.to_str()?;
    let name = serde_json::to_string(path.file_name()?.to_str()?).ok()?;
    Some(name.trim_start_matches('"').to_owned())
}

/// Strikes out the files that an unseen state or another table refers to. Returns `false` if a state cannot be read.
fn strike(database: &Connection, unused: &mut Vec<(PathBuf, String)>, seen: &mut Seen) -> rusqlite::Result<bool> {
    let mut rows = database.prepare("SELECT document, serial FROM step")?;
    let keys = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<Seen>>()?;
    let mut one = database.prepare("SELECT state, packed FROM step WHERE document = ?1 AND serial = ?2")?;
    for key in keys.difference(seen) {
        let stored = one.query_row(params![key.0, key.1], |row| {
            Ok(match row.get::<_, Option<Vec<u8>>>(1)? {
                Some(packed) => Stored::Packed(packed),
                None => Stored::Text(row.get(0)?),
            })
        });
        let stored = match stored {
            // A step that another process has taken away in the meantime.
            Err(rusqlite::Error::QueryReturnedNoRows) => continue,
            stored => stored?,
        };
        let Ok(text) = stored.text() else { return Ok(false) };
        unused.retain(|(_, needle)| !text.contains(needle.as_str()));
    }
    *seen = keys;
    let others = "SELECT path FROM recent UNION ALL SELECT path FROM closed UNION ALL SELECT path FROM project";
    let mut rows = database.prepare(others)?;
    for path in rows.query_map([], |row| row.get::<_, String>(0))? {
        let path = path?;
        unused.retain(|(_, needle)| !path.ends_with(needle.as_str()));
    }
    let mut kept = database.prepare("SELECT kept FROM made WHERE path = ?1")?;
    let mut left = Vec::new();
    for (path, needle) in unused.drain(..) {
        let Ok(text) = path_text(&path) else { continue };
        // One that a project was saved with in the meantime is not for us.
        if kept.query_row([&text], |row| row.get::<_, i64>(0)).is_ok_and(|kept| kept == 0) {
            left.push((path, needle));
        }
    }
    *unused = left;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::session::ViewState;
    use crate::document::{ClockSpeed, ContentKey, Document, FileStamp, History, Source, SourceSummary};
    use audio::AudioFormat;
    use base::units::SampleRate;

    fn document_of(path: &Path) -> Document {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 1);
        let summary = SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: 10 };
        let content_key = ContentKey::of_parts(["a"]);
        Document::of_source(Source {
            path: path.to_path_buf(),
            content_key,
            stamp: FileStamp::default(),
            clock: ClockSpeed::NOMINAL,
            summary,
        })
    }

    #[test]
    fn a_process_that_runs_alone_removes_what_nothing_names() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let file = |name: &str| {
            let path = data.join(name);
            fs::write(&path, name).unwrap();
            path
        };
        let [unused, used, kept, recent, foreign] =
            ["unused.wav", "used.wav", "kept.wav", "recent.wav", "foreign.wav"].map(file);
        let (mut session, _) = Session::open(data).unwrap();
        for path in [&unused, &used, &kept, &recent] {
            assert!(session.make_file(path).unwrap());
            assert!(!session.make_file(path).unwrap(), "a name is given once");
        }
        session.add(&History::new(document_of(&used)), ViewState::default()).unwrap();
        session.keep_files([kept.as_path()]).unwrap();
        session.add_recent(&recent).unwrap();
        // While another process runs, neither touches a file.
        let (other, _) = Session::open(data).unwrap();
        assert_eq!((session.earlier_files(data).unwrap(), other.earlier_files(data).unwrap()), (vec![], vec![]));
        drop(other);
        drop(session);

        let (session, _) = Session::open(data).unwrap();
        assert_eq!(session.earlier_files(&data.join("elsewhere")).unwrap(), Vec::<PathBuf>::new());
        let earlier = session.earlier_files(data).unwrap();
        assert_eq!(earlier.len(), 3, "{earlier:?}");
        assert_eq!(remove_unused(data, &earlier).unwrap(), std::slice::from_ref(&unused));
        assert!(!unused.exists());
        assert!([&used, &kept, &recent, &foreign].iter().all(|path| path.exists()));
        assert_eq!(remove_unused(data, &session.earlier_files(data).unwrap()).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn nothing_is_removed_while_a_state_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let (unused, other) = (data.join("unused.wav"), data.join("other.wav"));
        fs::write(&unused, "").unwrap();
        let (mut session, _) = Session::open(data).unwrap();
        session.make_file(&unused).unwrap();
        session.add(&History::new(document_of(&other)), ViewState::default()).unwrap();
        session.database.execute("UPDATE step SET packed = x'0011'", []).unwrap();
        assert_eq!(remove_unused(data, std::slice::from_ref(&unused)).unwrap(), Vec::<PathBuf>::new());
        assert!(unused.exists());
        session.database.execute("DELETE FROM document", []).unwrap();
        assert_eq!(remove_unused(data, std::slice::from_ref(&unused)).unwrap(), [unused]);
    }
}
