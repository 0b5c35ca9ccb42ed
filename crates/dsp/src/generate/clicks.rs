//! The clicks of a metronome: sines that decay exponentially, an octave higher on the first beat of a bar.
//!
//! Beat `k` begins at the frame nearest to `k * 60 / bpm` seconds. A click is `exp(-t / 5 ms) sin(2 pi f t)` for 40 ms,
//! the last 10 ms of which fade out. Its peak `exp(-t0 / 5 ms) sin(2 pi f t0)` is at
//! `t0 = atan(2 pi f 5 ms) / (2 pi f)`. The first beat of a bar (2 kHz) has the wanted peak, the others (1 kHz) are 6 dB
//! below it.

use std::f64::consts::{PI, TAU};

use super::Waveform;
use super::beats::Beats;
use base::error::{Error, Result};
use base::units::{SampleRate, gain_from_db};

/// The time constant of the decay in seconds.
const DECAY_S: f64 = 0.005;
/// The length of a click in seconds.
const LENGTH_S: f64 = 0.04;
/// The length of the fade at its end in seconds.
const FADE_S: f64 = 0.01;
/// The frequency of an accent in Hz.
const ACCENT_HZ: f64 = 2000.0;
/// The frequency of the other clicks in Hz.
const OTHER_HZ: f64 = 1000.0;
/// The level of the other clicks below that of an accent, in dB.
const OTHER_DB: f64 = -6.0;
/// The lowest sample rate, at which the spectrum of an accent fits below half the rate, in Hz.
const LOWEST_RATE_HZ: u32 = 8000;
/// The range of tempi in beats per minute.
pub const TEMPI: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// The maximum number of beats of a bar.
pub const MAX_BEATS: u32 = 64;

/// Checks the parameters.
pub fn check(bpm: f64, beats: u32, rate: SampleRate) -> Result<()> {
    if rate.hz() < LOWEST_RATE_HZ {
        let allowed = format!("at least {LOWEST_RATE_HZ} Hz");
        return Err(Error::invalid("sample rate of clicks", rate.to_string(), allowed));
    }
    if !TEMPI.contains(&bpm) {
        let allowed = format!("{} to {} beats per minute", TEMPI.start(), TEMPI.end());
        return Err(Error::invalid("tempo", format!("{bpm}"), allowed));
    }
    if !(1..=MAX_BEATS).contains(&beats) {
        return Err(Error::invalid("beats of a bar", beats.to_string(), format!("1 to {MAX_BEATS}")));
    }
    Ok(())
}

/// A metronome whose accents have a peak of 1; without accents, all clicks have it.
pub struct Clicks {
    beats: Beats,
    bar: u64,
    accent: Vec<f64>,
    other: Vec<f64>,
}

impl Clicks {
    /// Creates a metronome with checked parameters.
    pub fn new(bpm: f64, beats: u32, rate: SampleRate) -> Self {
        let (accent, other) = if beats == 1 {
            (click(OTHER_HZ, 1.0, rate), Vec::new())
        } else {
            (click(ACCENT_HZ, 1.0, rate), click(OTHER_HZ, gain_from_db(OTHER_DB), rate))
        };
        Self { beats: Beats::new(60.0 * rate.as_f64() / bpm), bar: u64::from(beats), accent, other }
    }
}

/// Returns a click with a peak of `peak`.
fn click(hz: f64, peak: f64, rate: SampleRate) -> Vec<f64> {
    let wave = |time: f64| (-time / DECAY_S).exp() * (TAU * hz * time).sin();
    let peak_s = (TAU * hz * DECAY_S).atan() / (TAU * hz);
    let scale = peak / wave(peak_s);
    let frames = rate.frames_from_seconds(LENGTH_S);
    let sample = |frame: u64| {
        let time = rate.seconds_from_frames(frame);
        let left = ((LENGTH_S - time) / FADE_S).clamp(0.0, 1.0);
        scale * wave(time) * (0.5 - 0.5 * (PI * left).cos())
    };
    (0..frames).map(sample).collect()
}

impl Waveform for Clicks {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        out.fill(0.0);
        let end = start + out.len() as u64;
        // Clicks that began before `start` may still sound. At the highest tempo one ends before the next begins.
        let longest = self.accent.len().max(self.other.len()) as u64;
        let mut beat = self.beats.from(start.saturating_sub(longest));
        loop {
            let begin = self.beats.frame(beat);
            if begin >= end {
                return;
            }
            let click = if beat.is_multiple_of(self.bar) { &self.accent } else { &self.other };
            let from = begin.max(start);
            let to = (begin + click.len() as u64).min(end);
            for frame in from..to {
                out[(frame - start) as usize] = (gain * click[(frame - begin) as usize]) as f32;
            }
            beat += 1;
        }
    }
}
