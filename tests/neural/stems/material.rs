//! Voices and music for the tests of stems, and streams of them.

use std::f64::consts::TAU;

use audio::{AudioBuffer, MemoryReader};
use base::units::SampleRate;

const HZ: usize = 8000;

/// The rate of the signals.
pub fn rate() -> SampleRate {
    SampleRate::new(HZ as u32).unwrap()
}

/// Noise between -1 and 1, as `tests/reference/stems.py` makes it.
pub struct Generator(u64);

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 23) - 1.0
    }
}

pub fn source(audio: AudioBuffer) -> MemoryReader {
    MemoryReader::new(rate(), audio)
}

/// A voice of several harmonics with vibrato, in phrases of changing pitch. It does not repeat.
pub fn voice(frames: usize) -> Vec<f64> {
    let mut random = Generator::new(11);
    let mut voice = vec![0.0; frames];
    let (mut at, mut phase) = (HZ, 0.0);
    while at < frames {
        let length = ((0.55 + 0.3 * random.next()) * HZ as f64) as usize;
        let (hz, slope) = (290.0 + 110.0 * random.next(), 0.1 * random.next());
        for n in 0..length.min(frames - at) {
            let t = n as f64 / HZ as f64;
            let now = hz * (1.0 + 0.02 * (TAU * 5.5 * t).sin() + slope * t);
            phase += now / HZ as f64;
            let envelope = (std::f64::consts::PI * n as f64 / length as f64).sin().sqrt();
            let tone = |k: u32| {
                let formant = (-((f64::from(k) * now - 700.0) / 250.0).powi(2)).exp();
                (TAU * phase * f64::from(k)).sin() * (1.0 + 1.5 * formant) / f64::from(k).powf(0.8)
            };
            voice[at + n] = 0.12 * envelope * (1..8).map(tone).sum::<f64>();
        }
        let pause = if random.next() > 0.6 { 1.2 } else { 0.06 };
        at += length + (pause * HZ as f64) as usize;
    }
    voice
}

/// Four chords that return every two seconds, their notes spread from left to right, and a bass in the middle.
pub fn chords(frames: usize) -> [Vec<f64>; 2] {
    const CHORDS: [[f64; 3]; 4] =
        [[220.0, 277.2, 329.6], [174.6, 220.0, 261.6], [196.0, 246.9, 293.7], [164.8, 207.7, 246.9]];
    let mut sides = [vec![0.0; frames], vec![0.0; frames]];
    for beat in 0..frames.div_ceil(HZ / 2) {
        let chord = CHORDS[beat % 4];
        let notes = chord.iter().zip([0.1, 0.5, 0.9]).map(|(hz, place)| (*hz, place, 5, 0.22));
        for (hz, place, harmonics, level) in notes.chain([(chord[0] / 2.0, 0.5, 1, 0.37)]) {
            let gains = [(place * TAU / 4.0).cos(), (place * TAU / 4.0).sin()];
            for n in 0..HZ.min(frames - (beat * HZ / 2).min(frames)) {
                let t = n as f64 / HZ as f64;
                let tone = |k: i32| (TAU * hz * f64::from(k) * t).sin() / f64::from(k);
                let sound = level * (-4.0 * t).exp() * (1..=harmonics).map(tone).sum::<f64>();
                sides.iter_mut().zip(gains).for_each(|(side, gain)| side[beat * HZ / 2 + n] += gain * sound);
            }
        }
    }
    sides
}

/// A drum every half second, in the middle.
pub fn drums(frames: usize) -> Vec<f64> {
    let mut random = Generator::new(12);
    let hit: Vec<f64> = (0..2000).map(|n| random.next() * (-f64::from(n) / 250.0).exp()).collect();
    (0..frames).map(|n| 0.2 * hit.get(n % (HZ / 2)).copied().unwrap_or(0.0)).collect()
}

pub fn stereo(left: &[f64], right: &[f64]) -> AudioBuffer {
    let single = |side: &[f64]| side.iter().map(|&x| x as f32).collect();
    AudioBuffer::from_channels(vec![single(left), single(right)])
}

pub fn sum(parts: &[&AudioBuffer]) -> AudioBuffer {
    let mut sum = parts[0].clone();
    for part in &parts[1..] {
        for (to, from) in sum.iter_mut().zip(part.iter()) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }
    sum
}
