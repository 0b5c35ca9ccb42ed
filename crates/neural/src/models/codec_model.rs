//! The interface of all codec models to the code that runs them.

use std::fmt::Debug;

use super::Piece;
use crate::network::{Graph, Parameters};
use base::error::{Error, Result};
use base::units::SampleRate;

/// A kind of codec model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is named after its model")]
pub enum CodecKind {
    Encodec,
    Dac,
    Mimi,
}

impl CodecKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Encodec, Self::Dac, Self::Mimi];

    /// The name, in commands and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encodec => "encodec",
            Self::Dac => "dac",
            Self::Mimi => "mimi",
        }
    }

    /// The name as its authors write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Encodec => "EnCodec",
            Self::Dac => "DAC",
            Self::Mimi => "Mimi",
        }
    }
}

/// The properties of a model's sound and codes.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The kind.
    pub kind: CodecKind,
    /// The sample rate of its sound.
    pub rate: SampleRate,
    /// The channels of its sound.
    pub channels: usize,
    /// The frames of a code.
    pub hop: usize,
    /// The most books.
    pub books: usize,
    /// The fewest books that can be decoded.
    pub fewest_books: usize,
    /// The codes of a book.
    pub book_size: usize,
    /// The bits of a code.
    pub bits: u32,
    /// The bit rates in kbit/s that its authors trained it for; every other number of books works too.
    pub trained_kbps: Vec<f64>,
}

impl Facts {
    /// Returns the bit rate of a number of books, in kbit/s, without the scales of pieces.
    pub fn kbps(&self, books: usize) -> f64 {
        books as f64 * f64::from(self.bits) * self.rate.as_f64() / self.hop as f64 / 1000.0
    }

    /// Returns the number of books for a bit rate in kbit/s: as many as fit it, as the packages count them; all of them
    /// for `None`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a bit rate below the fewest books or beyond all of them.
    pub fn books_for(&self, kbps: Option<f64>) -> Result<usize> {
        let Some(kbps) = kbps else { return Ok(self.books) };
        // A rate that is rounded in print, such as 0.86 of 0.8613, still counts as that many books.
        let books = (kbps / self.kbps(1) * 1.002).floor();
        if books >= self.fewest_books as f64 && books <= self.books as f64 {
            return Ok(books as usize);
        }
        let trained: Vec<String> = self.trained_kbps.iter().map(|kbps| format!("{}", rounded_kbps(*kbps))).collect();
        Err(Error::invalid(
            format!("bandwidth of this {} model", self.kind.title()),
            format!("{kbps} kbit/s"),
            format!(
                "{} to {} kbit/s in steps of a book ({} kbit/s); it was trained for {}",
                rounded_kbps(self.kbps(self.fewest_books)),
                rounded_kbps(self.kbps(self.books)),
                rounded_kbps(self.kbps(1)),
                trained.join(", "),
            ),
        ))
    }

    /// Returns the number of books whose bit rate is nearest below one in kbit/s: the fewest if it is below all of
    /// them, and all if it is above. For a control that works with any model.
    pub fn books_near(&self, kbps: f64) -> usize {
        // As in `books_for`.
        let books = (kbps / self.kbps(1) * 1.002).floor();
        books.clamp(self.fewest_books as f64, self.books as f64) as usize
    }
}

/// Rounds a bit rate for reading, to 0.01 kbit/s.
pub fn rounded_kbps(kbps: f64) -> f64 {
    (kbps * 100.0).round() / 100.0
}

/// How a sound of any length is given to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cutting {
    /// In consecutive pieces of any number of codes; the state carries over from each to the next. The last piece has
    /// at least one code's frames.
    Stream {
        /// The fewest codes of the first piece, if it is not the whole sound.
        first_codes: usize,
    },
    /// In pieces that are coded by themselves and laid over each other by triangles.
    Segments {
        /// The frames of a piece.
        frames: usize,
        /// The frames from one piece to the next.
        stride: usize,
        /// Whether each piece is divided by its RMS (of the mean of its channels) before, and multiplied after.
        is_scaled: bool,
    },
    /// In pieces extended on both sides by the codes that influence them; the extension is dropped from the result.
    Context {
        /// Codes before and after an encoded piece.
        encoder: usize,
        /// Codes before and after a piece that is decoded.
        decoder: usize,
    },
}

/// How DAC's container cuts a sound: into windows of a second that are coded by themselves, without zeros beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// The frames of a window.
    pub frames: usize,
    /// The codes of a window.
    pub codes: usize,
    /// The frames that these decode to, which is also the step from one window to the next.
    pub stride: usize,
    /// The frames that a window reaches back before those that it decodes to.
    pub delay: usize,
}

/// A model of a codec.
pub trait CodecModel: Debug + Send + Sync {
    /// The properties of its sound and codes.
    fn facts(&self) -> &Facts;

    /// How long sounds are cut.
    fn cutting(&self) -> Cutting;

    /// Its numbers.
    fn parameters(&self) -> &Parameters;

    /// Returns the graph from `sound`, channels x frames, to `codes`, books x codes. The length of the piece is in
    /// frames; one that is not the last has a multiple of the hop.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the graph would be too large.
    fn encoder(&self, books: usize, piece: Piece) -> Result<Graph>;

    /// Returns the graph from `codes`, books x codes, to `sound`, channels x frames. The length of the piece is in codes.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the graph would be too large.
    fn decoder(&self, books: usize, piece: Piece) -> Result<Graph>;

    /// Returns the frames that follow a frame which the codes of that frame and its sound depend on.
    fn latency_frames(&self) -> usize;

    /// Returns the chunks of the model's container; `None` if it has no container that works in chunks.
    fn chunks(&self) -> Option<Chunks> {
        None
    }

    /// Returns the number of frames that a number of codes decode to without zeros beyond them ([`Piece::is_bare`]);
    /// `None` if they are too few, or if the model has no such pieces.
    fn bare_frames(&self, _codes: usize) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(hz: u32, hop: usize, books: usize, bits: u32) -> Facts {
        Facts {
            kind: CodecKind::Dac,
            rate: SampleRate::new(hz).unwrap(),
            channels: 1,
            hop,
            books,
            fewest_books: 1,
            book_size: 1 << bits,
            bits,
            trained_kbps: vec![6.0],
        }
    }

    #[test]
    fn a_bandwidth_takes_the_books_that_fit() {
        let encodec = facts(24_000, 320, 32, 10);
        for (kbps, books) in [(0.75, 1), (1.5, 2), (3.0, 4), (6.0, 8), (7.4, 9), (12.0, 16), (24.0, 32)] {
            assert_eq!(encodec.books_for(Some(kbps)).unwrap(), books, "{kbps}");
        }
        assert_eq!(encodec.books_for(None).unwrap(), 32);
        let near = [-1.0, 0.0, 0.7, 0.75, 5.9, 6.0, 24.0, 96.0, f64::INFINITY].map(|kbps| encodec.books_near(kbps));
        assert_eq!(near, [1, 1, 1, 1, 7, 8, 32, 32, 32]);
        for kbps in [0.0, 0.7, 24.8, -6.0, f64::NAN, f64::INFINITY] {
            let error = encodec.books_for(Some(kbps)).unwrap_err().to_string();
            assert!(error.contains("0.75 to 24 kbit/s"), "{error}");
        }
        let dac = facts(44_100, 512, 9, 10);
        assert_eq!([0.86, 7.75, 2.6].map(|kbps| dac.books_for(Some(kbps)).unwrap()), [1, 9, 3]);
        let mimi = facts(24_000, 1920, 32, 11);
        assert_eq!([0.1375, 0.4125, 1.1, 4.4].map(|kbps| mimi.books_for(Some(kbps)).unwrap()), [1, 3, 8, 32]);
    }
}
