//! Finished pyramids on disk.

use std::path::Path;

use super::pyramid::{Bucket, Pyramid};
use crate::view::FileCache;
use base::error::Result;

const MAGIC: &[u8; 8] = b"UTPEAKS1";
const HEADER_BYTES: usize = 8 + 4 + 8 + 8;

/// A folder of pyramids, stored as the finest level of each.
#[derive(Clone, Debug)]
pub struct PeakCache(FileCache);

impl PeakCache {
    /// Creates a cache in `folder`, which is created on the first write, of at most `limit_bytes`.
    pub fn new(folder: &Path, limit_bytes: u64) -> Self {
        Self(FileCache::new(folder, "peaks", limit_bytes))
    }

    /// Returns the pyramid stored under `key`, if it exists, is intact and has the shape of `empty`.
    pub fn load(&self, key: &str, empty: Pyramid) -> Option<Pyramid> {
        let pyramid = decode(&self.0.load(key)?, empty);
        if pyramid.is_none() {
            self.0.remove(key);
        }
        pyramid
    }

    /// Stores a finished pyramid under `key`.
    pub fn store(&self, key: &str, pyramid: &Pyramid) -> Result<()> {
        self.0.store(key, encode(pyramid))
    }
}

fn encode(pyramid: &Pyramid) -> Vec<u8> {
    let mut bytes = header(pyramid);
    for channel in 0..pyramid.channels() {
        for bucket in pyramid.level(0, channel) {
            for value in [bucket.min, bucket.max, bucket.energy] {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    bytes
}

fn header(pyramid: &Pyramid) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(pyramid.channels() as u32).to_le_bytes());
    bytes.extend_from_slice(&pyramid.frames().to_le_bytes());
    bytes.extend_from_slice(&pyramid.base().to_le_bytes());
    bytes
}

fn decode(bytes: &[u8], mut pyramid: Pyramid) -> Option<Pyramid> {
    let (channels, frames) = (pyramid.channels(), pyramid.frames());
    let buckets = usize::try_from(frames.div_ceil(pyramid.base())).ok()?;
    let wanted = HEADER_BYTES + buckets.checked_mul(channels)?.checked_mul(size_of::<Bucket>())?;
    if bytes.len() != wanted || !bytes.starts_with(&header(&pyramid)) {
        return None;
    }
    let number = |at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let bucket = |index: usize| {
        let at = HEADER_BYTES + index * size_of::<Bucket>();
        Bucket { min: number(at), max: number(at + 4), energy: number(at + 8) }
    };
    let levels: Vec<Vec<Bucket>> =
        (0..channels).map(|channel| (0..buckets).map(|index| bucket(channel * buckets + index)).collect()).collect();
    pyramid.push(&levels, frames);
    Some(pyramid)
}
