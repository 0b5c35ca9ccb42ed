//! Fewer bits: samples rounded to integers, without dither.
//!
//! A sample `x` becomes `round(x 2^(b-1))`, ties to even, within -2^(b-1)..2^(b-1) - 1. For a signal that uses all of the
//! range evenly the ratio to the error is 6.02 `b` dB.

use super::coded::{Coded, Payload, Units};
use super::{Codec, Sound, check_format};
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::progress::Progress;

/// The supported widths. An `f32` has no more bits than the largest.
const BITS: std::ops::RangeInclusive<u32> = 2..=24;

/// PCM of a number of bits.
#[derive(Debug)]
pub struct Depth {
    bits: u32,
    setting: String,
}

impl Depth {
    /// Reads the setting: a number of bits.
    pub fn from_setting(setting: &str) -> Result<Box<dyn Codec>> {
        match setting.parse() {
            Ok(bits) if BITS.contains(&bits) => Ok(Box::new(Self { bits, setting: bits.to_string() })),
            _ => Err(Error::invalid("bits of `pcm`", setting, format!("{} to {}", BITS.start(), BITS.end()))),
        }
    }
}

impl Codec for Depth {
    fn family(&self) -> &'static str {
        "pcm"
    }

    fn setting(&self) -> &str {
        &self.setting
    }

    fn format_for(&self, format: AudioFormat) -> Result<AudioFormat> {
        Ok(format)
    }

    fn latency_frames(&self, _format: AudioFormat) -> Result<u64> {
        Ok(0)
    }

    fn nominal_kbps(&self, format: AudioFormat) -> Option<f64> {
        Some(pcm_kbps(self.bits, format))
    }

    fn encode(&self, sound: &Sound, progress: &Progress) -> Result<Coded> {
        check_format(self, sound)?;
        rounded(sound, self.bits, progress)
    }

    fn decode(&self, coded: &Coded, progress: &Progress) -> Result<Sound> {
        scaled(coded, self.bits, progress)
    }
}

/// Returns the bit rate of PCM in kbit/s.
pub fn pcm_kbps(bits: u32, format: AudioFormat) -> f64 {
    f64::from(bits) * format.rate.as_f64() * format.channels as f64 / 1000.0
}

/// Rounds the samples of a sound to integers of `bits` bits.
pub fn rounded(sound: &Sound, bits: u32, progress: &Progress) -> Result<Coded> {
    let full = f64::from(1u32 << (bits - 1));
    let unit = |&sample: &f32| {
        let sample = if sample.is_nan() { 0.0 } else { f64::from(sample) };
        (sample * full).round_ties_even().clamp(-full, full - 1.0) as i32
    };
    let mut books = Vec::new();
    for channel in sound.samples.iter() {
        progress.check()?;
        books.push(channel.iter().map(unit).collect());
    }
    Ok(Coded { format: sound.format(), frames: sound.frames(), payload: Payload::Units(Units::new(bits, books)?) })
}

/// Returns the sound of integers of `bits` bits.
pub fn scaled(coded: &Coded, bits: u32, progress: &Progress) -> Result<Sound> {
    let step = 1.0 / f64::from(1u32 << (bits - 1));
    let mut channels = Vec::new();
    for book in coded.units(bits)?.books() {
        progress.check()?;
        channels.push(book.iter().map(|&unit| (f64::from(unit) * step) as f32).collect());
    }
    Ok(Sound::new(coded.format.rate, AudioBuffer::from_channels(channels)).with_layout(coded.format.layout()))
}
