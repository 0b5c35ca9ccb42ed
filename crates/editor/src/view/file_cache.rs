//! A disk cache for pictures, so that a recording that was opened before is shown immediately.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::error::{Error, Result};

const HASH_BYTES: usize = 32;
/// Unfinished files older than this were left by a killed process, in seconds.
const ABANDONED_S: u64 = 3600;

/// A folder with one file per key. When it is full, the least recently used files are removed. Several processes may
/// share it. Damaged files are ignored.
#[derive(Clone, Debug)]
pub struct FileCache {
    folder: PathBuf,
    ending: &'static str,
    limit_bytes: u64,
}

impl FileCache {
    /// Creates a cache in `folder`, which is created on the first write, of at most `limit_bytes` in files with the
    /// extension `ending`.
    pub fn new(folder: &Path, ending: &'static str, limit_bytes: u64) -> Self {
        Self { folder: folder.to_path_buf(), ending, limit_bytes }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.{}", blake3::hash(key.as_bytes()).to_hex(), self.ending))
    }

    /// Returns the data stored under `key`, if it exists and is intact.
    pub fn load(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut bytes = fs::read(&path).ok()?;
        let content = bytes.len().checked_sub(HASH_BYTES);
        let whole = content.is_some_and(|length| blake3::hash(&bytes[..length]).as_bytes() == &bytes[length..]);
        if !whole {
            let _ = fs::remove_file(&path);
            return None;
        }
        // Marks the file as used. If the system refuses, the file is merely evicted earlier.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        bytes.truncate(content.unwrap_or(0));
        Some(bytes)
    }

    /// Removes the data stored under `key`.
    pub fn remove(&self, key: &str) {
        let _ = fs::remove_file(self.path(key));
    }

    /// Stores bytes under `key` and removes the least recently used files beyond the limit. A value that exceeds the
    /// limit by itself is not stored.
    pub fn store(&self, key: &str, mut bytes: Vec<u8>) -> Result<()> {
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        if bytes.len() as u64 > self.limit_bytes {
            return Ok(());
        }
        let failed = |source| Error::io("write into the folder of cached pictures", &self.folder, source);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        self.evict(self.limit_bytes - bytes.len() as u64);
        let mut file = tempfile::Builder::new().prefix(".unfinished-").tempfile_in(&self.folder).map_err(failed)?;
        // No sync: the hash detects a file that a power failure damaged.
        file.write_all(&bytes).map_err(failed)?;
        file.persist(self.path(key)).map_err(|e| failed(e.error))?;
        Ok(())
    }

    /// Removes the least recently used files until the rest takes at most `bytes`.
    fn evict(&self, bytes: u64) {
        let mut kept = 0;
        let mut files: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let metadata = entry.metadata().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .collect();
        files.sort_by(|a, b| b.0.cmp(&a.0));
        for (used, size, path) in files {
            let ours = path.extension().is_some_and(|found| found == self.ending);
            let abandoned = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".unfinished-"))
                && used.elapsed().is_ok_and(|age| age.as_secs() > ABANDONED_S);
            if abandoned || ours && kept + size > bytes {
                let _ = fs::remove_file(path);
            } else if ours {
                kept += size;
            }
        }
    }
}
