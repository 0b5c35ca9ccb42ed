//! Samples of 24 bits in four bytes, of which a header does not say where the bits are. Standards put them into
//! the upper bytes, some programs into the lower ones, and old versions of Cool Edit wrote floating point numbers with a
//! full scale of 2^23 under the same header. The bytes themselves tell.

use std::sync::Arc;

use crate::pcm::SampleKind;
use crate::source::SourceFile;
use base::error::Result;

/// How samples of 24 bits stand in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WideSamples {
    /// In the upper bytes.
    Upper,
    /// In the lower bytes, with the sign in the highest.
    Lower,
    /// As floating point numbers with a full scale of 2^23.
    Float,
}

/// The places of a file that are looked at, and the bytes at each.
const PLACES: u64 = 64;
const PLACE_BYTES: usize = 4 << 10;
/// The exponents of floating point numbers that are samples: from 2^-40 to 2^24.
const EXPONENTS: std::ops::RangeInclusive<u32> = 87..=151;

impl WideSamples {
    /// Looks at the samples in `bytes` bytes from `start` on.
    pub(super) fn find(source: &Arc<SourceFile>, start: u64, bytes: u64, big_endian: bool) -> Result<Self> {
        let step = (bytes / PLACES / 4 * 4).max(PLACE_BYTES as u64);
        let mut evidence = Evidence::default();
        let mut place = vec![0; PLACE_BYTES];
        let mut at = 0;
        while at < bytes {
            let count = (bytes - at).min(PLACE_BYTES as u64) as usize;
            let got = source.read_at(start + at, &mut place[..count])?;
            for word in place[..got].as_chunks::<4>().0 {
                evidence.add(if big_endian { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) });
            }
            at += step;
        }
        Ok(evidence.decide())
    }

    /// Returns the storage format.
    pub(super) fn kind(self, big_endian: bool) -> SampleKind {
        match (self, big_endian) {
            (Self::Upper, false) => SampleKind::S32Le,
            (Self::Upper, true) => SampleKind::S32Be,
            (Self::Lower, false) => SampleKind::S24In32Le,
            (Self::Lower, true) => SampleKind::S24In32Be,
            (Self::Float, false) => SampleKind::F24Le,
            (Self::Float, true) => SampleKind::F24Be,
        }
    }

    /// Says how the samples are read.
    pub(super) fn told(self) -> String {
        let read = match self {
            Self::Upper => "the upper three",
            Self::Lower => "the lower three",
            Self::Float => "floating point numbers with a full scale of 2^23",
        };
        format!("The header says 24 bits in 4 bytes, but not in which. They are read as {read}, which the samples fit.")
    }
}

/// What the samples that were looked at can be.
struct Evidence {
    has_sound: bool,
    may_be_lower: bool,
    has_float: bool,
    may_be_float: bool,
}

impl Default for Evidence {
    fn default() -> Self {
        Self { has_sound: false, may_be_lower: true, has_float: false, may_be_float: true }
    }
}

impl Evidence {
    fn add(&mut self, word: u32) {
        if word == 0 {
            return;
        }
        self.has_sound = true;
        // All bits above the sample are those of its sign.
        let above = word.cast_signed() >> 23;
        self.may_be_lower &= above == 0 || above == -1;
        // The least integer is also the negative zero of floating point, so it is evidence for neither.
        if word << 1 != 0 {
            let is_float = EXPONENTS.contains(&(word >> 23 & 0xff));
            self.has_float |= is_float;
            self.may_be_float &= is_float;
        }
    }

    /// Samples in the upper bytes that would also fit the lower ones are below -48 dB everywhere, which no recording is.
    fn decide(&self) -> WideSamples {
        match (self.has_sound && self.may_be_lower, self.has_float && self.may_be_float) {
            (true, _) => WideSamples::Lower,
            (_, true) => WideSamples::Float,
            _ => WideSamples::Upper,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(words: impl IntoIterator<Item = u32>) -> WideSamples {
        let mut evidence = Evidence::default();
        words.into_iter().for_each(|word| evidence.add(word));
        evidence.decide()
    }

    #[test]
    fn the_samples_tell_where_they_stand() {
        let samples: Vec<i32> = (0..500).map(|at| (f64::from(at).sin() * 8_388_607.0) as i32).collect();
        assert_eq!(decided(samples.iter().map(|sample| sample.cast_unsigned())), WideSamples::Lower);
        assert_eq!(decided(samples.iter().map(|sample| (sample << 8).cast_unsigned())), WideSamples::Upper);
        assert_eq!(decided(samples.iter().map(|sample| (*sample as f32).to_bits())), WideSamples::Float);
        // 16-bit samples that were made 24 bits wide, silence, all 32 bits.
        assert_eq!(decided(samples.iter().map(|sample| (sample & !0xff).cast_unsigned())), WideSamples::Lower);
        assert_eq!(decided([0; 9]), WideSamples::Upper);
        assert_eq!(decided([0, 1 << 31]), WideSamples::Upper);
        assert_eq!(decided([1 << 31, 1f32.to_bits()]), WideSamples::Float);
        assert_eq!(decided(samples.iter().map(|sample| (sample << 8 | 0x5a).cast_unsigned())), WideSamples::Upper);
    }
}
