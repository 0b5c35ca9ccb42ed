//! Finished pyramids on disk, so that a recording that was open before shows its waveform at once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::pyramid::{Bucket, Pyramid};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"UTPEAKS1";
const HEADER_BYTES: usize = 8 + 4 + 8 + 8;
const HASH_BYTES: usize = 32;
/// Unfinished files older than this were left by a killed process.
const ABANDONED_S: u64 = 3600;

/// A folder of pyramids, the finest level of each; the ones that were not used for longest go when it is full. Several
/// processes may share it. What is damaged is not used.
#[derive(Clone, Debug)]
pub struct PeakCache {
    folder: PathBuf,
    limit_bytes: u64,
}

impl PeakCache {
    /// A cache in `folder`, which is made when first written to, of at most `limit_bytes`.
    pub fn new(folder: &Path, limit_bytes: u64) -> Self {
        Self { folder: folder.to_path_buf(), limit_bytes }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.peaks", blake3::hash(key.as_bytes()).to_hex()))
    }

    /// The pyramid that was stored under `key`, if it is there, whole, and of this shape.
    pub fn load(&self, key: &str, channels: usize, frames: u64) -> Option<Pyramid> {
        let path = self.path(key);
        let bytes = fs::read(&path).ok()?;
        let pyramid = decode(&bytes, channels, frames);
        match &pyramid {
            // Marks it as used; where the system refuses, it merely goes earlier.
            Some(_) => drop(File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()))),
            None => drop(fs::remove_file(&path)),
        }
        pyramid
    }

    /// Stores a finished pyramid under `key`, and removes the ones that were not used for longest beyond the limit. One
    /// that alone is beyond it is not stored.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn store(&self, key: &str, pyramid: &Pyramid) -> Result<()> {
        let bytes = encode(pyramid);
        if bytes.len() as u64 > self.limit_bytes {
            return Ok(());
        }
        let failed = |source| Error::io("write into the waveform cache", &self.folder, source);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        self.evict(self.limit_bytes - bytes.len() as u64);
        let mut file = tempfile::Builder::new().prefix(".unfinished-").tempfile_in(&self.folder).map_err(failed)?;
        // No sync: a file that a power cut damaged is found out by its hash.
        file.write_all(&bytes).map_err(failed)?;
        file.persist(self.path(key)).map_err(|e| failed(e.error))?;
        Ok(())
    }

    /// Removes the files that were not used for longest until the rest takes at most `bytes`.
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
            let is = |ending: &str| path.extension().is_some_and(|found| found == ending);
            let abandoned = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".unfinished-"))
                && used.elapsed().is_ok_and(|age| age.as_secs() > ABANDONED_S);
            if abandoned || is("peaks") && kept + size > bytes {
                let _ = fs::remove_file(path);
            } else if is("peaks") {
                kept += size;
            }
        }
    }
}

fn encode(pyramid: &Pyramid) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(pyramid.channels() as u32).to_le_bytes());
    bytes.extend_from_slice(&pyramid.frames().to_le_bytes());
    bytes.extend_from_slice(&pyramid.base().to_le_bytes());
    for channel in 0..pyramid.channels() {
        for bucket in pyramid.level(0, channel) {
            for value in [bucket.min, bucket.max, bucket.energy] {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

fn decode(bytes: &[u8], channels: usize, frames: u64) -> Option<Pyramid> {
    let (content, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
    let mut pyramid = Pyramid::new(channels, frames);
    let buckets = usize::try_from(frames.div_ceil(pyramid.base())).ok()?;
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&(channels as u32).to_le_bytes());
    header.extend_from_slice(&frames.to_le_bytes());
    header.extend_from_slice(&pyramid.base().to_le_bytes());
    let wanted = HEADER_BYTES + buckets.checked_mul(channels)?.checked_mul(size_of::<Bucket>())?;
    if content.len() != wanted || !content.starts_with(&header) || blake3::hash(content).as_bytes() != hash {
        return None;
    }
    let number = |at: usize| f32::from_le_bytes([content[at], content[at + 1], content[at + 2], content[at + 3]]);
    let bucket = |index: usize| {
        let at = HEADER_BYTES + index * size_of::<Bucket>();
        Bucket { min: number(at), max: number(at + 4), energy: number(at + 8) }
    };
    let levels: Vec<Vec<Bucket>> =
        (0..channels).map(|channel| (0..buckets).map(|index| bucket(channel * buckets + index)).collect()).collect();
    pyramid.push(&levels, frames);
    Some(pyramid)
}
