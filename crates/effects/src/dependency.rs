//! Files that the sound of an effect depends on, identified by content.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use base::error::{Error, Result};
use base::files;
use base::lock::lock;

/// The maximum size in bytes of a file that a chain reads. A minute of eight channels at 192 kHz in 32 bits fits.
const MAX_BYTES: u64 = 512 << 20;

fn check_size(bytes: u64) -> Result<()> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let (got, limit) = (format!("more than {MAX_BYTES} bytes"), format!("{MAX_BYTES} bytes"));
    Err(Error::Limit { what: "the size of a file that a chain reads".into(), got, limit })
}

/// A file that an effect needs, by path and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDependency {
    /// The path.
    pub path: PathBuf,
    /// The BLAKE3 hash of its content; `None` if it cannot be read.
    pub content: Option<[u8; 32]>,
}

impl FileDependency {
    /// Hashes the file in its present state.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is not a regular file; [`Error::Limit`] for more than 512 MiB; [`Error::Unsupported`]
    /// for names that a chain must not use.
    pub fn of(path: &Path) -> Result<Self> {
        files::check_foreign(path)?;
        let failed = |source| Error::io("read", path, source);
        let file = files::open(path)?;
        let stamp = Stamp::of(&file.metadata().map_err(failed)?);
        check_size(stamp.bytes)?;
        let content = if let Some(content) = known(path, stamp) {
            content
        } else {
            let mut hasher = blake3::Hasher::new();
            let mut bounded = file.take(MAX_BYTES + 1);
            hasher.update_reader(&mut bounded).map_err(failed)?;
            // Virtual files, such as those in `/proc`, report a size of 0.
            check_size(MAX_BYTES + 1 - bounded.limit())?;
            let content = *hasher.finalize().as_bytes();
            keep(path, stamp, content);
            content
        };
        Ok(Self { path: path.to_path_buf(), content: Some(content) })
    }

    /// Like [`Self::of`], but a file that cannot be read has no content hash.
    pub fn found(path: &Path) -> Self {
        Self::of(path).unwrap_or_else(|_| Self { path: path.to_path_buf(), content: None })
    }
}

/// File metadata that reveals a change without reading the file.
#[derive(Clone, Copy, PartialEq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Returns whether a later change is certain to have a different time. File system clocks can be as coarse as two
    /// seconds.
    fn is_settled(self) -> bool {
        self.modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > Duration::from_secs(3))
    }
}

/// Cached content hashes by path, because every tile of a spectrogram asks for them. Few files are in use at once.
static KNOWN: Mutex<BTreeMap<PathBuf, (Stamp, [u8; 32])>> = Mutex::new(BTreeMap::new());
const MAX_KNOWN: usize = 64;

fn known(path: &Path, stamp: Stamp) -> Option<[u8; 32]> {
    let known = lock(&KNOWN);
    known.get(path).filter(|(then, _)| *then == stamp).map(|(_, content)| *content)
}

fn keep(path: &Path, stamp: Stamp, content: [u8; 32]) {
    if !stamp.is_settled() {
        return;
    }
    let mut known = lock(&KNOWN);
    if known.len() >= MAX_KNOWN {
        known.clear();
    }
    known.insert(path.to_path_buf(), (stamp, content));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn write(path: &Path, text: &str, age_s: u64) {
        std::fs::write(path, text).unwrap();
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(SystemTime::now() - Duration::from_secs(age_s))
            .unwrap();
    }

    #[test]
    fn a_file_is_read_once_and_again_when_it_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taps.txt");
        write(&path, "1 0.5", 60);
        let before = FileDependency::of(&path).unwrap();
        assert!(known(&path, Stamp::of(&path.metadata().unwrap())).is_some(), "kept");
        assert_eq!(FileDependency::of(&path).unwrap(), before);
        write(&path, "1 0.6", 50);
        assert_ne!(FileDependency::of(&path).unwrap(), before);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(FileDependency::found(&path), FileDependency { path, content: None });
    }

    #[test]
    fn what_was_written_just_now_may_be_written_again_within_the_same_tick() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taps.txt");
        let now = SystemTime::now();
        for text in ["1 0.5", "1 0.6"] {
            std::fs::write(&path, text).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(now).unwrap();
            let content = FileDependency::of(&path).unwrap().content;
            assert_eq!(content, Some(*blake3::hash(text.as_bytes()).as_bytes()), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_files_beyond_the_bound_are_refused_at_once() {
        let error = FileDependency::of(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("device"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.wav");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = FileDependency::of(&path).unwrap_err();
        assert!(matches!(error, Error::Limit { .. }), "{error}");
    }
}
