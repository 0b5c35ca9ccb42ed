//! A journal of running recordings on disk, used to find the files that a killed program left.
//!
//! An entry is a small file in the folder `recordings` of the data folder. Its program holds a lock on it, which the
//! system releases however the program ends, and removes it when the recording has ended.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use audio::encode::repair;
use base::declared::TS;
use base::error::{Error, Result};
use base::files;
use base::files::stored_path;

const FOLDER: &str = "recordings";
const EXTENSION: &str = "json";
/// The largest accepted entry in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// The content of an entry.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(with = "stored_path")]
    path: PathBuf,
    /// The start in seconds since 1970.
    began_s: u64,
    input: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    belongs: Option<Belonging>,
}

/// The document onto which a recording was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Belonging {
    /// The name of the document.
    pub document: String,
    /// The time in it from which on it was recorded, in seconds.
    pub at_s: f64,
}

/// The entry of a running recording. Dropping it without [`Journal::end`] leaves the entry.
#[derive(Debug)]
pub struct Journal {
    entry: PathBuf,
    _lock: File,
}

/// A recording that a killed program left.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftRecording {
    /// The name of the entry, by which [`recover`] and [`forget`] find it.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// The start in seconds since 1970.
    pub began_s: u64,
    /// The input.
    pub input: String,
    /// The document it belongs to; `None` for an independent recording.
    pub belongs: Option<Belonging>,
}

impl Journal {
    /// Remembers that `path` is being recorded from an input, and where it belongs.
    pub fn begin(data: &Path, path: &Path, input: &str, belongs: Option<&Belonging>) -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = data.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|source| Error::io("make the folder", &folder, source))?;
        let began_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let entry = folder.join(format!("{began_s}-{}-{number}.{EXTENSION}", std::process::id()));
        let failed = |source| Error::io("write", &entry, source);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&entry).map_err(failed)?;
        // Locked before it says anything. Without support for locks, nothing is found.
        let _ = file.try_lock();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let said = Entry { path, began_s, input: input.to_owned(), belongs: belongs.cloned() };
        let text = serde_json::to_string(&said).map_err(|error| Error::Internal(error.to_string()))?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(Self { entry, _lock: file })
    }

    /// Forgets the recording, which has ended.
    pub fn end(self) {
        let Self { entry, _lock } = self;
        if let Err(error) = fs::remove_file(&entry) {
            tracing::warn!("{}: {error}", entry.display());
        }
    }
}

/// Returns the recordings that killed programs left, the latest first. Entries whose file is gone are removed.
pub fn left(data: &Path) -> Vec<LeftRecording> {
    let mut found = Vec::new();
    for item in fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten() {
        let path = item.path();
        let Some(id) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else { continue };
        if let Some(left) = read_left(&path, id) {
            found.push(left);
        }
    }
    found.sort_by(|a, b| (b.began_s, &b.id).cmp(&(a.began_s, &a.id)));
    found
}

/// Reads an entry that no program locks.
fn read_left(entry: &Path, id: String) -> Option<LeftRecording> {
    if entry.extension().is_none_or(|extension| extension != EXTENSION) {
        return None;
    }
    let file = files::open(entry).ok()?;
    file.try_lock().ok()?;
    // Through the same handle: on Windows a lock keeps others from reading, also of this program.
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let Entry { path, began_s, input, belongs } = serde_json::from_slice(&bytes).ok()?;
    if !path.is_file() {
        let _ = fs::remove_file(entry);
        return None;
    }
    Some(LeftRecording { id, path, began_s, input, belongs })
}

fn find(data: &Path, id: &str) -> Result<LeftRecording> {
    let gone = || Error::NotFound { what: "left recording", name: id.to_owned() };
    left(data).into_iter().find(|left| left.id == id).ok_or_else(gone)
}

fn remove(data: &Path, id: &str) -> Result<()> {
    let entry = data.join(FOLDER).join(format!("{id}.{EXTENSION}"));
    fs::remove_file(&entry).map_err(|source| Error::io("remove", &entry, source))
}

/// Makes everything readable that is in the file of a left recording, and forgets that it was left. Returns the file and
/// the number of its frames.
pub fn recover(data: &Path, id: &str) -> Result<(PathBuf, u64)> {
    let left = find(data, id)?;
    let frames = repair(&left.path)?;
    remove(data, id)?;
    Ok((left.path, frames))
}

/// Forgets a left recording. Its file is unchanged.
pub fn forget(data: &Path, id: &str) -> Result<()> {
    let left = find(data, id)?;
    remove(data, &left.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use audio::encode::{GrowingWav, SampleFormat};
    use audio::{AudioBuffer, AudioFormat};
    use base::units::SampleRate;

    #[test]
    fn only_what_nobody_holds_was_left_and_it_is_recovered_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("left.wav");
        let format = AudioFormat::new(SampleRate::new(8_000).unwrap(), 1);
        let belongs = Belonging { document: "song.wav".into(), at_s: 12.5 };
        let mut wav = GrowingWav::create(&path, SampleFormat::Int24, format).unwrap();
        let journal = Journal::begin(folder.path(), &path, "MIC", Some(&belongs)).unwrap();
        assert_eq!(left(folder.path()), []);
        wav.write(&AudioBuffer::from_channels(vec![vec![0.5; 800]])).unwrap();
        drop((wav, journal));
        let found = left(folder.path());
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&one.path, &one.input[..], &one.belongs), (&path, "MIC", &Some(belongs)));
        assert_eq!(recover(folder.path(), &one.id).unwrap(), (path, 800));
        assert_eq!(left(folder.path()), []);
        assert!(matches!(recover(folder.path(), &one.id), Err(Error::NotFound { .. })));
        assert!(matches!(recover(folder.path(), "../../etc/passwd"), Err(Error::NotFound { .. })));
    }

    #[test]
    fn what_has_ended_or_is_gone_was_not_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there.wav");
        fs::write(&path, "x").unwrap();
        Journal::begin(folder.path(), &path, "MIC", None).unwrap().end();
        assert_eq!(left(folder.path()), []);
        drop(Journal::begin(folder.path(), &path, "MIC", None).unwrap());
        assert_eq!(left(folder.path()).len(), 1);
        forget(folder.path(), &left(folder.path())[0].id).unwrap();
        assert!(path.exists() && left(folder.path()).is_empty());
        drop(Journal::begin(folder.path(), &path, "MIC", None).unwrap());
        fs::remove_file(&path).unwrap();
        assert_eq!(left(folder.path()), []);
        assert_eq!(fs::read_dir(folder.path().join(FOLDER)).unwrap().count(), 0);
        fs::write(folder.path().join(FOLDER).join("strange.json"), "{").unwrap();
        assert_eq!(left(folder.path()), []);
    }
}
