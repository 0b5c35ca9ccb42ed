//! Separated recordings on disk, so that the stems of a recording are available at once when it is separated again.
//!
//! Each entry is a folder, named after the recording's content and the request. It is filled under another name and
//! renamed once it is complete, so that several processes can share the cache and a killed one leaves no partial entry.
//! Beyond the limit, the least recently used entries are removed. Documents made from an entry are unaffected: they
//! have separate files, which share its bytes on disk if the file system supports that.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::audio::AudioFormat;
use crate::document::ContentKey;
use crate::error::{Error, Result};
use crate::files;
use base::stem::StemKind;

const FILE: &str = "entry.json";
/// The version of entries. Entries of other versions are not read.
const VERSION: u32 = 1;
/// The largest accepted description of an entry, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The prefix of folders that are being filled or removed.
const UNFINISHED: &str = ".unfinished-";
/// The extension of the file that is locked while a folder is being filled.
const LOCK: &str = "lock";
/// The minimum age of unfinished folders that are removed; a new one may not be locked yet.
const AGE: Duration = Duration::from_mins(1);
/// The number of digits of an entry's name.
const NAME_DIGITS: usize = 64;

/// A folder of separated recordings.
pub(super) struct StemCache {
    folder: PathBuf,
    limit_bytes: u64,
}

/// A separated recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    version: u32,
    /// The sample rate and channels of the stems.
    pub format: AudioFormat,
    /// The length of the stems in frames.
    pub frames: u64,
    /// The stems.
    pub stems: Vec<EntryStem>,
    /// Problems that did not stop the separation.
    pub warnings: Vec<String>,
}

/// A stem of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct EntryStem {
    /// The kind of stem.
    pub content: StemKind,
    /// The size of its file in bytes.
    bytes: u64,
    /// The key of the content of its file.
    key: ContentKey,
}

impl EntryStem {
    /// Describes the file of a stem in a folder.
    pub(super) fn of(content: StemKind, folder: &Path) -> Result<Self> {
        let path = stem_path(folder, content);
        let bytes = fs::metadata(&path).map_err(|source| Error::io("read", &path, source))?.len();
        Ok(Self { content, bytes, key: ContentKey::of_file(&path)? })
    }

    /// Whether the file is unchanged.
    fn is_intact(&self, folder: &Path) -> bool {
        Self::of(self.content, folder).is_ok_and(|found| found == *self)
    }
}

impl Entry {
    /// Describes stems that were written.
    pub(super) fn new(format: AudioFormat, frames: u64, stems: Vec<EntryStem>, warnings: Vec<String>) -> Self {
        Self { version: VERSION, format, frames, stems, warnings }
    }
}

/// Returns the path of a stem in the folder of an entry.
pub(super) fn stem_path(folder: &Path, content: StemKind) -> PathBuf {
    folder.join(format!("{}.wav", content.name()))
}

/// A folder that is being filled. It is removed when dropped.
pub(super) struct Unfinished {
    folder: PathBuf,
    lock: PathBuf,
    /// Locked while the folder is being filled.
    _file: File,
}

impl Unfinished {
    /// Returns the folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_file(&self.lock);
    }
}

impl StemCache {
    /// Creates a cache in `folder`, which is created on the first write, of at most `limit_bytes`.
    pub(super) fn new(folder: &Path, limit_bytes: u64) -> Self {
        Self { folder: folder.to_path_buf(), limit_bytes }
    }

    /// Returns the folder of the entry under `key`.
    pub(super) fn path(&self, key: &ContentKey) -> PathBuf {
        self.folder.join(key.as_str())
    }

    /// Whether there is an entry under `key`. Its files are not checked.
    pub(super) fn has(&self, key: &ContentKey) -> bool {
        read(&self.path(key)).is_some()
    }

    /// Returns the entry under `key` with its folder, if it is intact, and marks it as used.
    pub(super) fn find(&self, key: &ContentKey) -> Option<(PathBuf, Entry)> {
        let path = self.path(key);
        let entry = read(&path)?;
        if !entry.stems.iter().all(|stem| stem.is_intact(&path)) {
            self.remove(&path);
            return None;
        }
        // If the system refuses this, the entry is merely removed earlier.
        let file = File::options().append(true).open(path.join(FILE));
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        Some((path, entry))
    }

    /// Creates a folder to be filled. Removes the remains of killed processes.
    pub(super) fn begin(&self) -> Result<Unfinished> {
        let failed = |source| Error::io("write into the folder of stems", &self.folder, source);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        self.sweep();
        let made = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.folder).map_err(failed)?;
        let folder = made.keep();
        let lock = folder.with_extension(LOCK);
        let file = File::create(&lock).map_err(failed);
        let file = file.inspect_err(|_| drop(fs::remove_dir(&folder)))?;
        // Without support for locks, the remains of killed processes stay.
        let _ = file.try_lock();
        Ok(Unfinished { folder, lock, _file: file })
    }

    /// Stores a filled folder under `key`, and removes the least recently used entries beyond the limit. A folder is
    /// not stored if it exceeds the limit alone, or if another process was faster.
    pub(super) fn store(&self, key: &ContentKey, filled: &Unfinished, entry: &Entry) -> Result<bool> {
        let bytes: u64 = entry.stems.iter().map(|stem| stem.bytes).sum();
        if bytes > self.limit_bytes {
            self.evict(self.limit_bytes);
            return Ok(false);
        }
        self.evict(self.limit_bytes - bytes);
        let text = serde_json::to_string_pretty(entry).map_err(|error| Error::Internal(error.to_string()))?;
        files::write(&filled.folder.join(FILE), true, text.as_bytes())?;
        // A folder is never renamed onto another one that has files.
        Ok(fs::rename(&filled.folder, self.path(key)).is_ok())
    }

    /// Removes the least recently used entries until the rest takes at most `bytes`.
    fn evict(&self, bytes: u64) {
        let folders = self.inner().filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.len() == NAME_DIGITS && name.bytes().all(|digit| digit.is_ascii_hexdigit()))
        });
        let used = |path: &Path| fs::metadata(path.join(FILE)).and_then(|found| found.modified()).ok();
        let mut entries: Vec<(Option<SystemTime>, PathBuf)> = folders.map(|path| (used(&path), path)).collect();
        entries.sort_by(|a, b| b.0.cmp(&a.0));
        let mut kept = 0_u64;
        for (used, path) in entries {
            let size = size_of_folder(&path);
            if used.is_some() && kept.saturating_add(size) <= bytes {
                kept += size;
            } else {
                self.remove(&path);
            }
        }
    }

    /// Removes an entry. It is renamed first, so that no process finds it half removed.
    fn remove(&self, path: &Path) {
        let Ok(made) = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.folder) else { return };
        // An entry that is in use cannot be renamed and stays.
        let _ = fs::rename(path, made.path().join("entry"));
    }

    /// Removes the remains of killed processes: folders whose lock is free.
    fn sweep(&self) {
        let is_old = |path: &Path| {
            let changed = fs::metadata(path).and_then(|found| found.modified());
            changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= AGE))
        };
        let left = self.inner().filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(UNFINISHED)) && is_old(path)
        });
        for path in left.collect::<Vec<_>>() {
            let lock = path.with_extension(LOCK);
            let file = File::open(&lock);
            if file.as_ref().is_ok_and(|file| file.try_lock().is_err()) {
                continue;
            }
            let _ = if path == lock { Ok(()) } else { fs::remove_dir_all(&path) };
            let _ = fs::remove_file(&lock);
        }
    }

    fn inner(&self) -> impl Iterator<Item = PathBuf> + use<> {
        fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path())
    }
}

/// Reads the description of an entry.
fn read(folder: &Path) -> Option<Entry> {
    let bytes = files::read(&folder.join(FILE), "separated recording", MAX_BYTES).ok()?;
    serde_json::from_slice::<Entry>(&bytes).ok().filter(|entry| entry.version == VERSION)
}

fn size_of_folder(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SampleRate;

    const CONTENTS: [StemKind; 2] = [StemKind::Voice, StemKind::Accompaniment];

    fn key(name: &str) -> ContentKey {
        ContentKey::of_parts([name])
    }

    fn filled(cache: &StemCache, bytes: usize) -> (Unfinished, Entry) {
        let unfinished = cache.begin().unwrap();
        let stem = |content| {
            fs::write(stem_path(unfinished.folder(), content), vec![7; bytes]).unwrap();
            EntryStem::of(content, unfinished.folder()).unwrap()
        };
        let stems = CONTENTS.map(stem).to_vec();
        let format = AudioFormat::new(SampleRate::new(8000).unwrap(), 1);
        let entry = Entry::new(format, 10, stems, vec!["told".into()]);
        (unfinished, entry)
    }

    fn put(cache: &StemCache, name: &str, bytes: usize) -> bool {
        let (unfinished, entry) = filled(cache, bytes);
        cache.store(&key(name), &unfinished, &entry).unwrap()
    }

    fn aged(path: &Path, minutes: u64) {
        let at = SystemTime::now() - Duration::from_mins(minutes);
        // A folder opens for reading only, but its time can still be set.
        File::open(path).unwrap().set_modified(at).unwrap();
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        // Three entries of 2000 bytes and their descriptions.
        let cache = StemCache::new(folder.path(), 8500);
        for (name, minutes) in [("a", 30), ("b", 20), ("c", 10)] {
            assert!(put(&cache, name, 1000));
            aged(&cache.path(&key(name)).join(FILE), minutes);
        }
        assert_eq!(cache.find(&key("a")).unwrap().1.warnings, ["told"]);
        // The oldest is now `b`, because `a` was used.
        assert!(put(&cache, "d", 1000));
        let there = ["a", "b", "c", "d"].map(|name| cache.has(&key(name)));
        assert_eq!(there, [true, false, true, true]);
        assert!(!put(&cache, "huge", 5000), "more than the whole limit");
        assert!(StemCache::new(folder.path(), 0).store(&key("e"), &filled(&cache, 1).0, &filled(&cache, 1).1).is_ok());
        assert_eq!(names(folder.path()), 0, "without a cache nothing stays");
    }

    #[test]
    fn what_was_changed_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = StemCache::new(folder.path(), 1 << 20);
        assert!(put(&cache, "a", 1000) && cache.find(&key("b")).is_none());
        let (path, entry) = cache.find(&key("a")).unwrap();
        assert_eq!(entry.stems.iter().map(|stem| stem.content).collect::<Vec<_>>(), CONTENTS);
        let stem = stem_path(&path, StemKind::Voice);
        fs::write(&stem, vec![8; 1000]).unwrap();
        assert!(cache.find(&key("a")).is_none());
        assert!(!path.exists() && names(folder.path()) == 0);
        // An entry of a later version is left alone.
        assert!(put(&cache, "a", 10));
        fs::write(path.join(FILE), r#"{"version": 9}"#).unwrap();
        assert!(cache.find(&key("a")).is_none() && path.exists());
    }

    #[test]
    fn of_two_processes_the_first_stores_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = StemCache::new(folder.path(), 1 << 20);
        let (first, entry) = filled(&cache, 1000);
        let (second, _) = filled(&cache, 1000);
        assert!(cache.store(&key("a"), &first, &entry).unwrap());
        assert!(!cache.store(&key("a"), &second, &entry).unwrap());
        assert!(second.folder().exists(), "its stems can still be used");
        drop((first, second));
        assert!(cache.find(&key("a")).is_some());
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_filled_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = StemCache::new(folder.path(), 1 << 20);
        let living = cache.begin().unwrap();
        let [left, unlocked] = ["left", "unlocked"].map(|name| folder.path().join(format!("{UNFINISHED}{name}")));
        for path in [&left, &unlocked] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("voice.wav"), "half").unwrap();
        }
        File::create(left.with_extension(LOCK)).unwrap();
        for path in [&left, &unlocked, &living.folder().to_path_buf()] {
            aged(path, 2);
        }
        drop(cache.begin().unwrap());
        assert!(!left.exists() && !unlocked.exists() && living.folder().exists());
        drop(living);
        assert_eq!(names(folder.path()), 0);
    }
}
