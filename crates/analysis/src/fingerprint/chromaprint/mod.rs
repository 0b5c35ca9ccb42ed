//! Chromaprint fingerprints, algorithm 1 ("TEST2"), as `fpcalc` 1.5.1 computes them.
//!
//! ```text
//! one channel, 11,025 Hz, 16 bits
//!   -> power spectra, Hamming, 4096 samples every 1365
//!   -> bins of 28..3520 Hz summed by pitch class: 12 numbers per window (`chroma`)
//!   -> smoothed over five windows by 1/4 3/4 1 3/4 1/4, scaled to norm 1, or 0 if the norm was below 0.01
//!   -> 16 differences of areas over 16 windows, each quantised to two bits of Gray code (`classifiers`)
//! ```
//!
//! Item `k`, a `u32`, describes the 2.64 s from `k 1365 / 11025` s on; a recording shorter than that has no items. The
//! classifiers and coefficients are part of the format: fingerprints are only comparable because all implementations
//! use the same ones. Source: the Chromaprint library and its documentation (Lukáš Lalinský,
//! <https://acoustid.org/chromaprint>).
//!
//! [`compress`] returns the text form, [`printed`] the lines that `fpcalc` prints; [`align`] compares two fingerprints.

mod base64;
mod chroma;
mod classifiers;
mod compare;
mod compressed;
mod text;

pub use compare::{Alignment, align, best_alignment};
pub use compressed::{compress, decompress};
pub use text::{Format, printed};

use super::front::{Front, RATE_HZ, SourceFormat};
use base::error::Result;
use chroma::Chroma;
use classifiers::Image;

/// The number of the algorithm in compressed fingerprints, counted from 0. It is `fpcalc -algorithm 2`, the default.
pub const ALGORITHM: u8 = 1;

/// The number of seconds that `fpcalc` processes by default.
pub const DEFAULT_LENGTH_S: f64 = 120.0;

/// Seconds from one item to the next.
pub const ITEM_S: f64 = chroma::HOP as f64 / RATE_HZ as f64;

/// The number of seconds that one item covers.
pub const SPAN_S: f64 = ((chroma::TAPS + classifiers::WIDEST - 2) * chroma::HOP + chroma::SIZE) as f64 / RATE_HZ as f64;

/// The item of digital silence.
pub const SILENCE: u32 = 627_964_279;

/// Computes a fingerprint of one channel at 11,025 Hz, as [`Front`] produces it, block by block.
pub struct Items {
    chroma: Chroma,
    image: Image,
    items: Vec<u32>,
    /// Samples still to be processed; `None` means all.
    wanted: Option<u64>,
}

impl Items {
    /// Creates a computation over the first `length_s` seconds, or over everything if `length_s` is 0, like
    /// `fpcalc -length`.
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
    pub fn push(&mut self, mono: &[f32]) {
        let taken = self.wanted.map_or(mono.len(), |wanted| mono.len().min(wanted as usize));
        if let Some(wanted) = &mut self.wanted {
            *wanted -= taken as u64;
        }
        let Self { chroma, image, items, .. } = self;
        chroma.push(&mono[..taken], |row| items.extend(image.push(row)));
    }

    /// Returns the items computed so far.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// Returns the fingerprint.
    pub fn finish(self) -> Vec<u32> {
        self.items
    }
}

/// Computes the fingerprint of a stream of any rate and number of channels, block by block. While one block is
/// converted, another thread computes the items of the previous one.
pub struct Fingerprinter {
    front: Front,
    items: Items,
    /// Converted samples that are not in the items yet.
    waiting: Vec<f32>,
    mono: Vec<f32>,
}

impl Fingerprinter {
    /// Creates a computation over the first `length_s` seconds of a stream, or over everything if `length_s` is 0, like
    /// `fpcalc -length`.
    pub fn new(source: SourceFormat, length_s: f64) -> Result<Self> {
        Ok(Self { front: Front::new(source)?, items: Items::new(length_s), waiting: Vec::new(), mono: Vec::new() })
    }

    /// Returns whether the fingerprint needs no more frames.
    pub fn is_full(&self) -> bool {
        self.items.wanted.is_some_and(|wanted| wanted <= self.waiting.len() as u64)
    }

    /// Takes the next frames, one slice per channel.
    pub fn push(&mut self, planes: &[&[f32]]) -> Result<()> {
        self.take(|front, mono| front.push(planes, mono))
    }

    /// Same as [`Fingerprinter::push`], for interleaved samples.
    pub fn push_interleaved(&mut self, samples: &[f32]) -> Result<()> {
        self.take(|front, mono| front.push_interleaved(samples, mono))
    }

    fn take(&mut self, convert: impl FnOnce(&mut Front, &mut Vec<f32>) -> Result<()> + Send) -> Result<()> {
        let Self { front, items, waiting, mono } = self;
        mono.clear();
        let (converted, ()) = rayon::join(|| convert(front, mono), || items.push(waiting));
        waiting.clear();
        converted?;
        std::mem::swap(waiting, mono);
        Ok(())
    }

    /// Ends the stream and returns the fingerprint, which is empty if the stream is shorter than [`SPAN_S`].
    pub fn finish(mut self) -> Vec<u32> {
        self.front.finish(&mut self.waiting);
        self.items.push(&self.waiting);
        self.items.finish()
    }
}
