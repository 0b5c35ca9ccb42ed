//! What a file's decoder gives: the hash of all samples, and their peak.

use crate::audio::{AudioFile, read_ahead};
use crate::error::Result;
use crate::progress::Progress;

/// The number of frames read at once.
const FRAMES_AT_ONCE: usize = 1 << 16;

/// The decoded sound of a file. Equal hashes mean equal sound, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// The hash of the frames and of all samples as they are decoded.
    pub hash: [u8; 32],
    /// The largest magnitude of a finite sample; full scale is 1.
    pub peak: f32,
}

impl Heard {
    /// Decodes the whole file.
    ///
    /// # Errors
    /// Any error of reading; [`crate::Error::Cancelled`].
    pub fn of(file: &AudioFile, progress: &Progress) -> Result<Self> {
        let mut reader = file.reader()?;
        let mut hasher = blake3::Hasher::new();
        let (mut peak, mut bytes) = (0f32, Vec::new());
        read_ahead(reader.as_mut(), FRAMES_AT_ONCE, |audio| {
            progress.check()?;
            for plane in audio.iter() {
                bytes.clear();
                bytes.extend(plane.iter().flat_map(|sample| sample.to_le_bytes()));
                hasher.update(&bytes);
                peak = plane.iter().map(|sample| sample.abs()).filter(|sample| sample.is_finite()).fold(peak, f32::max);
            }
            hasher.update(&(audio.frames() as u64).to_le_bytes());
            Ok(true)
        })?;
        Ok(Self { hash: *hasher.finalize().as_bytes(), peak })
    }
}
