//! Keeps compiled pipelines between runs of the program, where the back end has a cache for them (Vulkan).
//!
//! A driver trusts the contents of its cache, so only what this program has written is given back to it: a file begins
//! with a checksum over the program's version, the adapter, its driver and the data. Damaged, foreign and outdated
//! files are ignored and written again. The checksum is not a signature: anyone who can write the user's files can also
//! run programs.

use std::path::{Path, PathBuf};

/// The size up to which a cache is read and kept, in bytes.
const MAX_BYTES: u64 = 64 << 20;
const CHECKSUM: usize = blake3::OUT_LEN;

/// The file of one adapter.
#[derive(Clone, Debug)]
pub(super) struct PipelineStore {
    path: PathBuf,
    /// Identifies the adapter and its driver.
    key: String,
}

impl PipelineStore {
    /// Returns the store of an adapter in `folder`; `name` is wgpu's name of the file.
    pub fn new(folder: &Path, name: &str, key: String) -> Self {
        Self { path: folder.join("pipelines").join(name), key }
    }

    /// Returns the data that [`PipelineStore::write`] kept; `None` without data that can be trusted.
    pub fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = base::files::read(&self.path, "cache of the graphics driver", MAX_BYTES).ok()?;
        let data = (bytes.len() > CHECKSUM).then(|| bytes.split_off(CHECKSUM))?;
        let known: [u8; CHECKSUM] = bytes.try_into().ok()?;
        let fits = self.checksum(&data) == blake3::Hash::from_bytes(known);
        if !fits {
            tracing::info!("{} is not of this adapter, driver and version; it is made again", self.path.display());
        }
        fits.then_some(data)
    }

    /// Keeps the data in place of earlier data. A failure is only logged.
    pub fn write(&self, data: &[u8]) {
        if data.is_empty() || data.len() as u64 > MAX_BYTES - CHECKSUM as u64 {
            return;
        }
        if let Err(error) = self.try_write(data) {
            tracing::warn!("compiled shaders could not be kept: {error}: {}", self.path.display());
        }
    }

    fn try_write(&self, data: &[u8]) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        std::io::Write::write_all(&mut file, self.checksum(data).as_bytes())?;
        std::io::Write::write_all(&mut file, data)?;
        file.persist(&self.path)?;
        Ok(())
    }

    fn checksum(&self, data: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_derive_key("undertone, compiled shaders of a graphics driver");
        for part in [env!("CARGO_PKG_VERSION"), &self.key] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.update(data).finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_for_this_adapter_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = PipelineStore::new(folder.path(), "card", "card | driver 1".to_owned());
        assert_eq!(store.read(), None, "nothing yet");
        store.write(b"compiled");
        assert_eq!(store.read().as_deref(), Some(b"compiled".as_slice()));
        let other = PipelineStore { key: "card | driver 2".to_owned(), ..store.clone() };
        assert_eq!(other.read(), None, "another driver");
        let good = std::fs::read(&store.path).unwrap();
        for at in [0, CHECKSUM - 1, CHECKSUM, good.len() - 1] {
            let mut spoiled = good.clone();
            spoiled[at] ^= 1;
            std::fs::write(&store.path, spoiled).unwrap();
            assert_eq!(store.read(), None, "byte {at}");
        }
        for length in [0, 1, CHECKSUM, good.len() - 1] {
            std::fs::write(&store.path, &good[..length]).unwrap();
            assert_eq!(store.read(), None, "{length} bytes");
        }
        std::fs::write(&store.path, [&good, b"more".as_slice()].concat()).unwrap();
        assert_eq!(store.read(), None, "too long");
        store.write(b"");
        assert!(std::fs::metadata(&store.path).unwrap().len() > good.len() as u64, "nothing is not kept");
        store.write(b"again");
        assert_eq!(store.read().as_deref(), Some(b"again".as_slice()));
        std::fs::remove_file(&store.path).unwrap();
        std::fs::create_dir(&store.path).unwrap();
        store.write(b"a folder stands there");
        assert_eq!(store.read(), None, "a folder");
    }
}
