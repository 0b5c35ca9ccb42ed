//! Chromaprint fingerprints, algorithm 1 ("TEST2"), as `fpcalc` 1.5.1 computes them.
//!
//! ```text
//! one channel, 11,025 Hz, 16 bits
//!   -> power spectra, Hamming, 4096 samples every 1365
//!   -> bins of 28..3520 Hz added up by pitch class: 12 numbers a window (`chroma`)
//!   -> smoothed over five windows by 1/4 3/4 1 3/4 1/4, scaled to length 1, or 0 where that was below 0.01
//!   -> 16 differences of areas over 16 windows, each quantised to two bits of Gray code (`classifiers`)
//! ```
//!
//! so that item `k`, a u32, tells of the 2.64 s from `k 1365 / 11025` on; a recording shorter than that has none. The
//! classifiers and coefficients are the format: a fingerprint is comparable with others because all use the same.
//! Source: the Chromaprint library and its documentation (Lukáš Lalinský, <https://acoustid.org/chromaprint>).
//!
//! [`compress`] makes the text form, [`printed`] the lines that `fpcalc` prints; [`align`] lays two fingerprints over each
//! other.

mod base64;
mod chroma;
mod classifiers;
mod compare;
mod compressed;
mod text;

pub use compare::{Alignment, align, best_alignment};
pub use compressed::{compress, decompress};
pub use text::{Format, printed};

use super::front::{Front, RATE_HZ, Source};
use crate::error::Result;
use chroma::Chroma;
use classifiers::Image;

/// The algorithm's number in compressed fingerprints, where counting begins at 0: `fpcalc -algorithm 2`, its default.
pub const ALGORITHM: u8 = 1;

/// Seconds that `fpcalc` listens to when not told otherwise.
pub const DEFAULT_LENGTH_S: f64 = 120.0;

/// Seconds from one item to the next.
pub const ITEM_S: f64 = chroma::HOP as f64 / RATE_HZ as f64;

/// Seconds that one item tells of.
pub const SPAN_S: f64 = ((chroma::TAPS + classifiers::WIDEST - 2) * chroma::HOP + chroma::SIZE) as f64 / RATE_HZ as f64;

/// The item of digital silence.
pub const SILENCE: u32 = 627_964_279;

/// Computes a fingerprint of one channel at 11,025 Hz, which [`Front`] makes, block after block.
pub struct Items {
    chroma: Chroma,
    image: Image,
    items: Vec<u32>,
    /// Samples still wanted, if not all.
    wanted: Option<u64>,
}

impl Items {
    /// Of the first `length_s` seconds, or of all for 0, as `fpcalc -length`.
    pub fn new(length_s: f64) -> Self {
        let wanted = (length_s * f64::from(RATE_HZ)) as u64;
        Self {
            chroma: Chroma::new(),
            image: Image::default(),
            items: Vec::new(),
            wanted: (wanted > 0).then_some(wanted),
        }
    }

    /// Takes the next samples.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when the transform refuses, which it never does.
    pub fn push(&mut self, mono: &[f32]) -> Result<()> {
        let taken = self.wanted.map_or(mono.len(), |wanted| mono.len().min(wanted as usize));
        if let Some(wanted) = &mut self.wanted {
            *wanted -= taken as u64;
        }
        let Self { chroma, image, items, .. } = self;
        chroma.push(&mono[..taken], |row| items.extend(image.push(row)))
    }

    /// The items so far.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// The fingerprint.
    pub fn finish(self) -> Vec<u32> {
        self.items
    }
}

/// Computes the fingerprint of a stream of any rate and channels, block after block. While a block is converted, another
/// thread takes the items of the one before.
pub struct Fingerprinter {
    front: Front,
    items: Items,
    /// What was converted, and is not in the items yet.
    waiting: Vec<f32>,
    mono: Vec<f32>,
}

impl Fingerprinter {
    /// Of the first `length_s` seconds of a stream, or of all for 0, as `fpcalc -length`.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for no channel.
    pub fn new(source: Source, length_s: f64) -> Result<Self> {
        Ok(Self { front: Front::new(source)?, items: Items::new(length_s), waiting: Vec::new(), mono: Vec::new() })
    }

    /// Whether no further frame is wanted.
    pub fn is_full(&self) -> bool {
        self.items.wanted.is_some_and(|wanted| wanted <= self.waiting.len() as u64)
    }

    /// Takes the next frames, one slice a channel.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for another number of channels, or channels of different lengths.
    pub fn push(&mut self, planes: &[&[f32]]) -> Result<()> {
        self.take(|front, mono| front.push(planes, mono))
    }

    /// As [`Fingerprinter::push`], of frames whose samples stand side by side.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for a length that is no multiple of the channels.
    pub fn push_interleaved(&mut self, samples: &[f32]) -> Result<()> {
        self.take(|front, mono| front.push_interleaved(samples, mono))
    }

    fn take(&mut self, convert: impl FnOnce(&mut Front, &mut Vec<f32>) -> Result<()> + Send) -> Result<()> {
        let Self { front, items, waiting, mono } = self;
        mono.clear();
        let (converted, counted) = rayon::join(|| convert(front, mono), || items.push(waiting));
        waiting.clear();
        counted?;
        converted?;
        std::mem::swap(waiting, mono);
        Ok(())
    }

    /// The fingerprint; empty for less than [`SPAN_S`].
    ///
    /// # Errors
    /// As [`Items::push`].
    pub fn finish(mut self) -> Result<Vec<u32>> {
        self.front.finish(&mut self.waiting);
        self.items.push(&self.waiting)?;
        Ok(self.items.finish())
    }
}
