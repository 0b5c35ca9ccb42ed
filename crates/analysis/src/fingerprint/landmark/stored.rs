//! Encodes landmarks as bytes.
//!
//! One byte holds the version; the length in time units and the number of peaks follow as LEB128. Each peak is stored
//! as the time since the previous one in LEB128, then pitch and strength in two bytes, little-endian:
//! `place + 2048 strength`.

use super::peaks::Peak;
use super::{Landmarks, STEPS_PER_OCTAVE};
use base::error::{Error, Result};

/// The version of the encoding and of peak detection. Landmarks of different versions are not comparable.
pub const VERSION: u8 = 1;
const PLACE_BITS: u32 = 11;
const PLACES: u16 = 4 * STEPS_PER_OCTAVE;

impl Landmarks {
    /// The version of the encoding and of peak detection.
    pub const VERSION: u8 = VERSION;

    /// Encodes the landmarks: three bytes per peak, about 14 kB for four minutes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(12 + 4 * self.peaks.len());
        bytes.push(VERSION);
        write(self.length, &mut bytes);
        write(self.peaks.len() as u32, &mut bytes);
        let mut before = 0;
        for peak in &self.peaks {
            write(peak.time - before, &mut bytes);
            before = peak.time;
            bytes.extend((peak.place | u16::from(peak.strength) << PLACE_BITS).to_le_bytes());
        }
        bytes
    }

    /// Decodes the output of [`Landmarks::to_bytes`].
    ///
    /// # Errors
    /// [`Error::Stored`] also for bytes of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let refuse = |why: &str| Error::Stored(format!("Stored fingerprints: {why}. Analyse the recording again"));
        let (&version, mut rest) = bytes.split_first().ok_or_else(|| refuse("no bytes"))?;
        if version != VERSION {
            return Err(refuse(&format!("version {version} where {VERSION} was expected")));
        }
        let cut = || refuse("cut short");
        let length = read(&mut rest).ok_or_else(cut)?;
        let count = read(&mut rest).ok_or_else(cut)? as usize;
        if rest.len() / 3 < count {
            return Err(cut());
        }
        let mut peaks: Vec<Peak> = Vec::with_capacity(count);
        let mut time = 0_u32;
        for _ in 0..count {
            let since = read(&mut rest).ok_or_else(cut)?;
            time = time.checked_add(since).ok_or_else(|| refuse("a time out of range"))?;
            let (pair, behind) = rest.split_first_chunk().ok_or_else(cut)?;
            rest = behind;
            let both = u16::from_le_bytes(*pair);
            let peak = Peak { time, place: both & ((1 << PLACE_BITS) - 1), strength: (both >> PLACE_BITS) as u8 };
            if peak.place >= PLACES || peaks.last().is_some_and(|last| *last >= peak) {
                return Err(refuse("peaks out of range or order"));
            }
            peaks.push(peak);
        }
        if rest.is_empty() { Ok(Self { peaks, length }) } else { Err(refuse("more bytes than peaks")) }
    }
}

fn write(mut value: u32, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u32::from(byte & 0x7f);
        if part.leading_zeros() < shift {
            return None;
        }
        value |= part << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
