//! The demo recording: 20 s of a small band, synthesised, so that a first start has something to open.
//!
//! Kick, snare, hats, bass, chords and a melody over a turnaround in A minor at 96 beats a minute; eight bars.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use crate::encode::{Dither, EncodeSettings, Encoder, SampleFormat};
use crate::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::units::{SampleRate, gain_from_db};

/// The file name of the demo.
pub const FILE_NAME: &str = "Undertone demo.wav";
/// The sample rate of the demo in Hz.
pub const RATE_HZ: u32 = 44_100;
/// The length of the demo in frames: 20 s.
pub const FRAMES: usize = 20 * RATE_HZ as usize;
/// The peak level in dBFS.
const PEAK_DB: f64 = -1.0;

const RATE: f64 = RATE_HZ as f64;
const BEAT_S: f64 = 60.0 / 96.0;
const BAR_S: f64 = 4.0 * BEAT_S;

/// The chords of the eight bars, as MIDI notes from the bass up.
const CHORDS: [[u8; 5]; 8] = [
    [45, 60, 64, 67, 71], // A minor 9
    [41, 60, 64, 65, 69], // F major 7
    [48, 59, 62, 64, 67], // C major 9
    [43, 59, 62, 64, 69], // G 6/9
    [45, 60, 64, 67, 71],
    [41, 60, 64, 65, 69],
    [38, 57, 60, 65, 69], // D minor 7
    [45, 60, 64, 67, 71],
];

/// The melody: beat from the start, length in beats, MIDI note.
const MELODY: [(f64, f64, u8); 29] = [
    (8.0, 1.5, 76),
    (9.5, 0.5, 79),
    (10.0, 1.0, 83),
    (11.0, 1.0, 79),
    (12.0, 1.5, 81),
    (13.5, 0.5, 79),
    (14.0, 2.0, 74),
    (16.0, 0.5, 72),
    (16.5, 0.5, 74),
    (17.0, 1.0, 76),
    (18.0, 0.75, 79),
    (18.75, 0.75, 76),
    (19.5, 0.5, 74),
    (20.0, 1.5, 72),
    (21.5, 0.5, 76),
    (22.0, 1.0, 81),
    (23.0, 1.0, 84),
    (24.0, 0.75, 81),
    (24.75, 0.75, 77),
    (25.5, 0.5, 76),
    (26.0, 0.5, 77),
    (26.5, 0.5, 76),
    (27.0, 0.5, 74),
    (27.5, 0.5, 72),
    (28.0, 0.5, 71),
    (28.5, 0.5, 72),
    (29.0, 0.5, 76),
    (29.5, 0.5, 79),
    (30.0, 2.0, 81),
];

/// The left and right channel during mixing.
struct Mix {
    left: Vec<f64>,
    right: Vec<f64>,
}

impl Mix {
    fn new() -> Self {
        Self { left: vec![0.0; FRAMES], right: vec![0.0; FRAMES] }
    }

    /// Adds a sound that begins at `start_s` and lasts `length_s`. `pan` is -1 (left) to 1 (right), with constant
    /// power.
    fn add(&mut self, start_s: f64, length_s: f64, pan: f64, mut sample: impl FnMut(f64) -> f64) {
        let start = (start_s * RATE).round() as usize;
        let end = (start + (length_s * RATE) as usize).min(FRAMES);
        let angle = (pan + 1.0) * TAU / 8.0;
        let (right, left) = angle.sin_cos();
        for frame in start..end {
            let value = sample((frame - start) as f64 / RATE);
            self.left[frame] += value * left;
            self.right[frame] += value * right;
        }
    }
}

/// A sine oscillator that rotates a phasor once per sample, without calls to `sin`.
struct Oscillator {
    sin: f64,
    cos: f64,
    step_sin: f64,
    step_cos: f64,
}

impl Oscillator {
    fn new(frequency_hz: f64, phase: f64) -> Self {
        let (step_sin, step_cos) = (TAU * frequency_hz / RATE).sin_cos();
        let (sin, cos) = phase.sin_cos();
        Self { sin, cos, step_sin, step_cos }
    }

    /// Returns the current sine and cosine and advances by one sample.
    fn next(&mut self) -> (f64, f64) {
        let now = (self.sin, self.cos);
        self.sin = now.0 * self.step_cos + now.1 * self.step_sin;
        self.cos = now.1 * self.step_cos - now.0 * self.step_sin;
        now
    }
}

/// White noise in -1..1 (xorshift64*, Vigna 2016).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn hz_from_midi(note: u8) -> f64 {
    440.0 * ((f64::from(note) - 69.0) / 12.0).exp2()
}

fn kick(mix: &mut Mix, at_s: f64, level: f64) {
    let mut phase = 0.0;
    mix.add(at_s, 0.35, 0.0, |t| {
        phase += TAU * (46.0 + 130.0 * (-t * 32.0).exp()) / RATE;
        let click = (-t * 900.0).exp() * 0.4;
        level * (phase.sin() * (-t * 9.0).exp() + click) * (1.0 - (-t * 2000.0).exp())
    });
}

fn snare(mix: &mut Mix, noise: &mut Noise, at_s: f64, level: f64) {
    let (mut body, mut low) = (Oscillator::new(186.0, 0.0), 0.0);
    mix.add(at_s, 0.25, 0.08, |t| {
        let white = noise.next();
        low += 0.25 * (white - low);
        level * (0.5 * body.next().0 * (-t * 28.0).exp() + 0.7 * (white - low) * (-t * 20.0).exp())
    });
}

fn hat(mix: &mut Mix, noise: &mut Noise, at_s: f64, level: f64, decay: f64) {
    let (mut before, mut smooth) = (0.0, 0.0);
    mix.add(at_s, 5.0 / decay, 0.35, |t| {
        let white = noise.next();
        smooth += 0.6 * (white - before - smooth);
        before = white;
        level * smooth * (-t * decay).exp()
    });
}

fn drums(mix: &mut Mix) {
    let mut noise = Noise(0x5eed_5eed_5eed_5eed);
    for bar in 0..8 {
        let at = |beat: f64| bar as f64 * BAR_S + beat * BEAT_S;
        for eighth in 0..8 {
            // Off-beats are slightly late and softer, which gives a light swing.
            let (late, level) = if eighth % 2 == 1 { (0.035, 0.10) } else { (0.0, 0.16) };
            if bar < 7 || eighth == 0 {
                hat(mix, &mut noise, at(eighth as f64 * 0.5 + late), level, if eighth == 7 { 22.0 } else { 70.0 });
            }
        }
        if bar == 7 {
            kick(mix, at(0.0), 0.9);
        } else if bar >= 1 {
            for (beat, level) in [(0.0, 0.9), (1.5, 0.55), (2.5, 0.75)] {
                kick(mix, at(beat), level);
            }
        }
        if (2..7).contains(&bar) {
            snare(mix, &mut noise, at(1.0), 0.42);
            snare(mix, &mut noise, at(3.0), 0.46);
            if bar % 4 == 3 || bar == 6 {
                snare(mix, &mut noise, at(3.5), 0.24);
                snare(mix, &mut noise, at(3.75), 0.32);
            }
        }
    }
}

fn bass(mix: &mut Mix) {
    for (bar, chord) in CHORDS.iter().enumerate().skip(1) {
        let notes: &[(f64, f64, i8)] = if bar == 7 {
            &[(0.0, 4.0, -12)]
        } else {
            &[(0.0, 1.4, -12), (1.5, 0.9, -12), (2.5, 0.45, 0), (3.0, 0.45, -5), (3.5, 0.45, -12)]
        };
        for &(beat, length, shift) in notes {
            let note = chord[0].saturating_add_signed(shift);
            let mut wave = Oscillator::new(hz_from_midi(note), 0.0);
            let length_s = length * BEAT_S;
            mix.add(bar as f64 * BAR_S + beat * BEAT_S, length_s, 0.0, |t| {
                let (sin, cos) = wave.next();
                let bright = (-t * 6.0).exp();
                let tone = sin + 0.5 * bright * 2.0 * sin * cos + 0.25 * bright * sin * (3.0 - 4.0 * sin * sin);
                0.34 * tone * (1.0 - (-t * 300.0).exp()) * (-t * 1.1).exp() * ((length_s - t) * 60.0).min(1.0)
            });
        }
    }
}

fn chords(mix: &mut Mix) {
    for (bar, chord) in CHORDS.iter().enumerate() {
        for (index, &note) in chord[1..].iter().enumerate() {
            for (side, detune) in [(-0.75, 0.9985), (0.75, 1.0015)] {
                let phase = (bar * 7 + index * 3) as f64 + side;
                let mut wave = Oscillator::new(hz_from_midi(note) * detune, phase);
                let length_s = BAR_S + 0.25;
                mix.add(bar as f64 * BAR_S, length_s, side, |t| {
                    // Harmonics by sin(nx) = 2 cos x sin((n-1)x) - sin((n-2)x); their levels fall over time as under a
                    // slowly closing filter.
                    let (sin, cos) = wave.next();
                    let bright = 0.35 + 0.3 * (-t * 1.4).exp();
                    let (mut before, mut harmonic, mut level, mut tone) = (0.0, sin, 1.0, sin);
                    for _ in 2..=7 {
                        (before, harmonic) = (harmonic, 2.0 * cos * harmonic - before);
                        level *= bright;
                        tone += level * harmonic;
                    }
                    let swell = (t * 12.0).min(1.0) * ((length_s - t) * 4.0).min(1.0);
                    // The chords duck on every beat.
                    let pump = 1.0 - 0.35 * (-(t % BEAT_S) * 7.0).exp();
                    0.05 * tone * swell * pump
                });
            }
        }
    }
}

fn melody(mix: &mut Mix) {
    for &(beat, length, note) in &MELODY {
        let frequency = hz_from_midi(note);
        let length_s = length * BEAT_S + 0.35;
        // The note, and its echoes to the right and the left.
        for (echo, level, pan) in [(0.0, 0.17, -0.12), (0.75, 0.055, 0.8), (1.5, 0.025, -0.8)] {
            let mut carrier_phase = 0.0f64;
            let mut modulator = Oscillator::new(2.0 * frequency, 0.0);
            mix.add((beat + echo) * BEAT_S, length_s, pan, |t| {
                let vibrato = 1.0 + 0.004 * (TAU * 5.2 * t).sin() * (t * 2.0 - 0.5).clamp(0.0, 1.0);
                carrier_phase += TAU * frequency * vibrato / RATE;
                let tone = (carrier_phase + 1.6 * (-t * 5.0).exp() * modulator.next().0).sin();
                level * tone * (1.0 - (-t * 400.0).exp()) * (-t * 1.6).exp() * ((length_s - t) * 8.0).min(1.0)
            });
        }
    }
}

/// Renders the demo: stereo, [`FRAMES`] frames at [`RATE_HZ`], peak at -1 dBFS. Every call gives the same samples.
pub fn render() -> AudioBuffer {
    let mut mix = Mix::new();
    drums(&mut mix);
    bass(&mut mix);
    chords(&mut mix);
    melody(&mut mix);
    let peak = mix.left.iter().chain(&mix.right).fold(0.0f64, |peak, sample| peak.max(sample.abs()));
    let gain = gain_from_db(PEAK_DB) / peak;
    // The last chord fades out, and the file ends in silence.
    let fade = |frame: usize| ((FRAMES - 1 - frame) as f64 / (1.2 * RATE)).min(1.0).powi(2);
    let finish = |channel: Vec<f64>| {
        channel.into_iter().enumerate().map(|(frame, sample)| (sample * gain * fade(frame)) as f32).collect()
    };
    AudioBuffer::from_channels(vec![finish(mix.left), finish(mix.right)])
}

/// Returns the path of the demo in `folder`. Writes the file (24-bit WAV) if it does not exist yet.
pub fn file(folder: &Path) -> Result<PathBuf> {
    let target = folder.join(FILE_NAME);
    if target.is_file() {
        return Ok(target);
    }
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    let settings =
        EncodeSettings { sample: SampleFormat::Int24, dither: Dither::Tpdf, seed: 1, ..EncodeSettings::default() };
    let format = AudioFormat::new(SampleRate::new(RATE_HZ)?, 2);
    let mut encoder = Encoder::create(&target, &settings, format, false, &[])?;
    encoder.write(&render())?;
    match encoder.finish() {
        Ok(_) => Ok(target),
        // Another process has written the same file in the meantime.
        Err(Error::Refused { .. }) if target.is_file() => Ok(target),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_is_stereo_audible_unclipped_and_always_the_same() {
        let demo = render();
        assert_eq!((demo.channels(), demo.frames()), (2, FRAMES));
        let peak = demo.iter().flatten().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        assert!((peak as f64 - gain_from_db(PEAK_DB)).abs() < 1e-6, "peak {peak}");
        for second in 0..19 {
            for channel in demo.iter() {
                let part = &channel[second * RATE_HZ as usize..(second + 1) * RATE_HZ as usize];
                let energy: f64 = part.iter().map(|&sample| (sample as f64).powi(2)).sum();
                let level_db = 10.0 * (energy / RATE).log10();
                assert!((-40.0..-8.0).contains(&level_db), "second {second}: {level_db} dB");
            }
        }
        let apart: f64 = demo.channel(0).iter().zip(demo.channel(1)).map(|(l, r)| ((l - r) as f64).powi(2)).sum();
        assert!(apart > 1.0, "the channels are alike");
        let offset: f64 = demo.channel(0).iter().map(|&sample| sample as f64).sum::<f64>() / FRAMES as f64;
        assert!(offset.abs() < 1e-3, "offset {offset}");
        assert_eq!(demo.channel(0).last(), Some(&0.0));
        assert_eq!(demo, render());
    }

    #[test]
    fn the_file_is_written_once() -> Result<()> {
        let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
        let inner = folder.path().join("data");
        let path = file(&inner)?;
        let written = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        assert_eq!(file(&inner)?, path);
        assert_eq!(std::fs::metadata(&path).and_then(|m| m.modified()).ok(), written);
        assert_eq!(std::fs::read_dir(&inner).map(Iterator::count).ok(), Some(1));
        Ok(())
    }
}
