//! EnCodec's container, as `encodec.compress` and `encodec.binary` document it.
//!
//! ```text
//! "ECDC", version u8 = 0, length of the JSON u32 (big-endian), JSON {m, al, nc, lm}
//! for each segment: at 48 kHz the scale, f32 (big-endian); codes of 10 bits, lowest bit first, code by code, all books
//! of a code side by side; filled up to a byte
//! ```
//!
//! With `lm` the codes are compressed further by an arithmetic coder that needs a language model. Such files are
//! refused.

use std::path::Path;

use serde::Deserialize;

use crate::codecs::Units;
use base::error::{Error, Result};

/// How a file begins.
pub const MAGIC: &[u8] = b"ECDC";
const HEADER_BYTES: usize = 9;
const MAX_JSON_BYTES: usize = 1 << 16;
/// The frames of a code.
const HOP: u64 = 320;
/// The bits of a code.
const BITS: u32 = 10;

/// The models whose codes the container can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcdcModel {
    /// `encodec_24khz`
    Khz24,
    /// `encodec_48khz`
    Khz48,
}

impl EcdcModel {
    /// The name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Khz24 => "encodec_24khz",
            Self::Khz48 => "encodec_48khz",
        }
    }

    /// The sample rate in hertz.
    pub fn hz(self) -> u32 {
        match self {
            Self::Khz24 => 24_000,
            Self::Khz48 => 48_000,
        }
    }

    /// The most books.
    pub fn max_books(self) -> usize {
        match self {
            Self::Khz24 => 32,
            Self::Khz48 => 16,
        }
    }

    /// The frames of a segment, and from one to the next; `None` if a sound is one segment.
    pub fn segment(self) -> Option<[u64; 2]> {
        match self {
            Self::Khz24 => None,
            Self::Khz48 => Some([48_000, 47_520]),
        }
    }

    /// The codes of each segment of a sound, as the package writes them. Its reader computes them with rounded numbers
    /// and expects one too many at some lengths (6,720 frames at 24 kHz), where it cannot read the files it wrote.
    fn segments(self, frames: u64) -> impl Iterator<Item = u64> {
        let [length, stride] = self.segment().unwrap_or([frames, frames.max(1)]);
        let count = frames.div_ceil(stride);
        (0..count).map(move |segment| {
            let frames = length.min(frames - segment * stride);
            frames.div_ceil(HOP)
        })
    }
}

/// A file of EnCodec's codes.
#[derive(Clone, Debug, PartialEq)]
pub struct EcdcFile {
    /// The model.
    pub model: EcdcModel,
    /// The frames of the sound, at the model's rate.
    pub frames: u64,
    /// The number of books.
    pub books: usize,
    /// The segments: one at 24 kHz, one for each second at 48 kHz.
    pub segments: Vec<EcdcSegment>,
}

/// A segment.
#[derive(Clone, Debug, PartialEq)]
pub struct EcdcSegment {
    /// The RMS by which the sound was divided; `None` at 24 kHz.
    pub scale: Option<f32>,
    /// The codes of each book.
    pub codes: Vec<Vec<i32>>,
}

#[derive(Deserialize)]
struct Metadata {
    m: String,
    al: u64,
    nc: usize,
    lm: bool,
}

impl EcdcFile {
    /// Returns the file for the codes of a sound of `frames` frames, with its segments in order.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another number of codes or scales than the model has for so many frames.
    pub fn of(model: EcdcModel, frames: u64, units: &Units) -> Result<Self> {
        let lengths: Vec<usize> = model.segments(frames).map(|codes| codes as usize).collect();
        let codes = units.books().first().map_or(0, Vec::len);
        let scales = if model.segment().is_some() { lengths.len() } else { 0 };
        if lengths.iter().sum::<usize>() != codes || units.scales().len() != scales {
            let got = format!("{codes} codes and {} scales", units.scales().len());
            let allowed = format!("{} codes and {scales} scales", lengths.iter().sum::<usize>());
            return Err(Error::invalid(format!("units of {frames} frames"), got, allowed));
        }
        let mut start = 0;
        let segments = lengths.iter().enumerate().map(|(number, length)| {
            let codes = units.books().iter().map(|book| book[start..start + length].to_vec()).collect();
            start += length;
            EcdcSegment { scale: units.scales().get(number).copied(), codes }
        });
        Ok(Self { model, frames, books: units.books().len(), segments: segments.collect() })
    }

    /// Returns the codes of all segments one behind the other, with their scales.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a scale of 0 or below.
    pub fn units(&self) -> Result<Units> {
        let book = |book: usize| self.segments.iter().flat_map(|segment| segment.codes[book].clone()).collect();
        let scales = self.segments.iter().filter_map(|segment| segment.scale).collect();
        Units::new(BITS, (0..self.books).map(book).collect())?.with_scales(scales)
    }

    /// Reads the content of a file.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let malformed = |reason: String| Error::malformed(reason, path);
        let cut = || malformed("The .ecdc file ends within its header".into());
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES).ok_or_else(cut)?;
        if header[4] != 0 {
            return Err(malformed(format!("The .ecdc file has version {}; version 0 is read", header[4])));
        }
        let length = header[5..].iter().fold(0, |length, &byte| length << 8 | usize::from(byte));
        let (json, mut rest) = rest.split_at_checked(length).filter(|_| length <= MAX_JSON_BYTES).ok_or_else(cut)?;
        let Metadata { m, al, nc, lm } = serde_json::from_slice(json)
            .map_err(|error| malformed(format!("The header of the .ecdc file is damaged: {error}")))?;
        let known = [EcdcModel::Khz24, EcdcModel::Khz48].into_iter().find(|model| model.name() == m);
        let model =
            known.ok_or_else(|| malformed(format!("The .ecdc file is of the model {m:?}, which is not known")))?;
        if lm {
            return Err(Error::unsupported(
                "An .ecdc file that was compressed with EnCodec's language model",
                "Only that model can unpack it. Write the file without it (`encodec` without `--lm`)",
            ));
        }
        if !(1..=model.max_books()).contains(&nc) {
            return Err(malformed(format!("The .ecdc file has {nc} books; this model has 1 to {}", model.max_books())));
        }
        let mut segments = Vec::new();
        for codes in model.segments(al) {
            let at = bytes.len() - rest.len();
            let ends = || malformed(format!("The .ecdc file ends before its segment at byte {at} does"));
            let scale = if model.segment().is_some() {
                let (scale, after) = rest.split_first_chunk().ok_or_else(ends)?;
                rest = after;
                Some(f32::from_be_bytes(*scale)).filter(|scale| scale.is_finite())
            } else {
                None
            };
            if model.segment().is_some() && scale.is_none() {
                return Err(malformed(format!("The scale at byte {at} is not a number")));
            }
            let bits = u128::from(codes) * nc as u128 * u128::from(BITS);
            let packed = usize::try_from(bits.div_ceil(8)).ok().and_then(|count| rest.split_at_checked(count));
            let (packed, after) = packed.ok_or_else(ends)?;
            rest = after;
            segments.push(EcdcSegment { scale, codes: unpacked(packed, nc, codes as usize) });
        }
        if !rest.is_empty() {
            return Err(malformed(format!("The .ecdc file has {} bytes more than its header says", rest.len())));
        }
        Ok(Self { model, frames: al, books: nc, segments })
    }

    /// Returns the content of a file, the same as the package writes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let wrong = |what: &str, got: String, allowed: String| Err(Error::invalid(what, got, allowed));
        let expected: Vec<u64> = self.model.segments(self.frames).collect();
        if expected.len() != self.segments.len() {
            return wrong("number of segments", self.segments.len().to_string(), expected.len().to_string());
        }
        if !(1..=self.model.max_books()).contains(&self.books) {
            return wrong("number of books", self.books.to_string(), format!("1 to {}", self.model.max_books()));
        }
        let json =
            format!(r#"{{"m": "{}", "al": {}, "nc": {}, "lm": false}}"#, self.model.name(), self.frames, self.books);
        let mut file = [MAGIC, &[0], &(json.len() as u32).to_be_bytes(), json.as_bytes()].concat();
        for (segment, codes) in self.segments.iter().zip(expected) {
            if segment.codes.len() != self.books || segment.codes.iter().any(|book| book.len() as u64 != codes) {
                let got = format!("{} books", segment.codes.len());
                return wrong("codes of a segment", got, format!("{} books of {codes} codes", self.books));
            }
            if let Some(code) = segment.codes.iter().flatten().find(|code| !(0..1 << BITS).contains(*code)) {
                return wrong("code", code.to_string(), format!("0 to {}", (1 << BITS) - 1));
            }
            match segment.scale {
                Some(scale) if self.model.segment().is_some() && scale.is_finite() => {
                    file.extend(scale.to_be_bytes());
                }
                None if self.model.segment().is_none() => {}
                other => return wrong("scale of a segment", format!("{other:?}"), "a number at 48 kHz only".into()),
            }
            file.extend(packed(&segment.codes, codes as usize));
        }
        Ok(file)
    }
}

fn packed(books: &[Vec<i32>], codes: usize) -> Vec<u8> {
    let (mut bytes, mut waiting, mut bits) = (Vec::new(), 0u32, 0);
    for code in 0..codes {
        for book in books {
            waiting |= (book[code] as u32) << bits;
            bits += BITS;
            while bits >= 8 {
                bytes.push(waiting as u8);
                waiting >>= 8;
                bits -= 8;
            }
        }
    }
    if bits > 0 {
        bytes.push(waiting as u8);
    }
    bytes
}

fn unpacked(bytes: &[u8], books: usize, codes: usize) -> Vec<Vec<i32>> {
    let mut units = vec![Vec::with_capacity(codes); books];
    let (mut bytes, mut waiting, mut bits) = (bytes.iter(), 0u32, 0);
    for _ in 0..codes {
        for book in &mut units {
            while bits < BITS {
                waiting |= u32::from(bytes.next().copied().unwrap_or(0)) << bits;
                bits += 8;
            }
            book.push((waiting & ((1 << BITS) - 1)) as i32);
            waiting >>= BITS;
            bits -= BITS;
        }
    }
    units
}
