//! Dual-tone multi-frequency signals: the sum of one of four low and one of four high frequencies for each key, as in
//! ITU-T Recommendation Q.23 (1988).
//!
//! Both sines have the same amplitude, half of the peak each, and begin at phase 0. A tone fades in and out over 2 ms,
//! within its length, by a raised cosine.

use std::f64::consts::{PI, TAU};

use super::Waveform;
use super::oscillator::Oscillator;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The frequencies of the rows of the keypad in Hz.
const ROWS_HZ: [f64; 4] = [697.0, 770.0, 852.0, 941.0];
/// The frequencies of its columns in Hz.
const COLUMNS_HZ: [f64; 4] = [1209.0, 1336.0, 1477.0, 1633.0];
/// The keys, row by row.
const KEYS: &[u8; 16] = b"123A456B789C*0#D";
/// The length of a fade in seconds.
const FADE_S: f64 = 0.002;
/// The largest number of digits.
pub const MAX_DIGITS: usize = 4096;

/// Returns the length of a signal in frames: the tones with the pauses between them.
pub fn frames(digits: usize, tone_frames: u64, pause_frames: u64) -> u64 {
    let digits = digits as u64;
    digits.saturating_mul(tone_frames).saturating_add(digits.saturating_sub(1).saturating_mul(pause_frames))
}

/// Checks the parameters.
pub fn check(digits: &str, tone_frames: u64, pause_frames: u64, length: u64, rate: SampleRate) -> Result<()> {
    let lowest = 2.0 * COLUMNS_HZ[3];
    if rate.as_f64() <= lowest {
        return Err(Error::invalid("sample rate of DTMF", rate.to_string(), format!("above {lowest} Hz")));
    }
    if !(1..=MAX_DIGITS).contains(&digits.len()) {
        let got = format!("{} characters", digits.len());
        return Err(Error::invalid("DTMF digits", got, format!("1 to {MAX_DIGITS} characters")));
    }
    if let Some(other) = digits.chars().find(|digit| key(*digit).is_none()) {
        return Err(Error::invalid("DTMF digit", other.to_string(), "0 to 9, *, #, or A to D"));
    }
    let shortest = fade_frames(rate) * 2;
    if tone_frames < shortest {
        let got = format!("{tone_frames} frames");
        let allowed = format!("at least {shortest} frames, the length of its two fades");
        return Err(Error::invalid("length of a DTMF tone", got, allowed));
    }
    let needed = frames(digits.len(), tone_frames, pause_frames);
    if length < needed {
        let got = format!("{:.3} s", rate.seconds_from_frames(length));
        let allowed = format!("at least {:.3} s, which the digits take", rate.seconds_from_frames(needed));
        return Err(Error::invalid("length", got, allowed));
    }
    Ok(())
}

/// Returns the index of a key.
fn key(digit: char) -> Option<usize> {
    let digit = digit.to_ascii_uppercase();
    KEYS.iter().position(|key| char::from(*key) == digit)
}

fn fade_frames(rate: SampleRate) -> u64 {
    rate.frames_from_seconds(FADE_S)
}

/// The tones of some digits. The sum of the amplitudes is 1.
pub struct Dtmf {
    tones: Vec<[Oscillator; 2]>,
    tone_frames: u64,
    spacing: u64,
    fade: u64,
}

impl Dtmf {
    /// Creates the tones of checked digits.
    pub fn new(digits: &str, tone_frames: u64, pause_frames: u64, rate: SampleRate) -> Self {
        let tones = digits.chars().filter_map(key);
        let tones = tones.map(|key| [ROWS_HZ[key / 4], COLUMNS_HZ[key % 4]].map(|hz| Oscillator::new(hz, rate)));
        Self {
            tones: tones.collect(),
            tone_frames,
            spacing: tone_frames.saturating_add(pause_frames),
            fade: fade_frames(rate),
        }
    }

    fn sample(&self, frame: u64) -> f64 {
        let (index, offset) = (frame / self.spacing, frame % self.spacing);
        let Some(tone) = usize::try_from(index).ok().and_then(|index| self.tones.get(index)) else { return 0.0 };
        if offset >= self.tone_frames {
            return 0.0;
        }
        let sum: f64 = tone.iter().map(|oscillator| (TAU * oscillator.cycles(offset)).sin()).sum();
        let edge = offset.min(self.tone_frames - 1 - offset);
        let envelope = if edge < self.fade { 0.5 - 0.5 * (PI * edge as f64 / self.fade as f64).cos() } else { 1.0 };
        0.5 * envelope * sum
    }
}

impl Waveform for Dtmf {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        for (frame, sample) in (start..).zip(out) {
            *sample = (gain * self.sample(frame)) as f32;
        }
    }
}
