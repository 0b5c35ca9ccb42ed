//! Music-like test audio generated from a seed: chords, a melody, a bass and drums.
//!
//! Every seed gives a different song: key, mode, tempo, chords, melody, timbres and rhythm differ. [`Song::in_key`] and
//! [`Song::at_tempo`] fix key and tempo, so that only the notes differ.

/// The parameters of a song.
#[derive(Clone, Copy, Debug)]
pub struct Song {
    seed: u64,
    key: Option<u32>,
    tempo: Option<f64>,
}

impl Song {
    /// Creates the song of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, key: None, tempo: None }
    }

    /// Sets the key, in semitones above A. The notes stay the same relative to it.
    #[allow(dead_code, reason = "not every test asks for it")]
    pub fn in_key(self, semitones: u32) -> Self {
        Self { key: Some(semitones), ..self }
    }

    /// Sets the tempo in beats per minute.
    #[allow(dead_code, reason = "not every test asks for it")]
    pub fn at_tempo(self, bpm: f64) -> Self {
        Self { tempo: Some(bpm), ..self }
    }

    /// Returns `seconds` of two channels in integers of 16 bits.
    pub fn stereo(seed: u64, rate: u32, seconds: f64) -> Vec<Vec<f32>> {
        let whole = |sample: &f32| (sample * 32_768.0).round() / 32_768.0;
        let left: Vec<f32> = Self::new(seed).samples(rate, seconds).iter().map(whole).collect();
        let other = Self::new(seed + 500).samples(rate, seconds);
        let right = left.iter().zip(&other).map(|(left, other)| whole(&(0.7 * left + 0.2 * other))).collect();
        vec![left, right]
    }

    /// Returns `seconds` of the song in one channel. Peaks stay below 1.
    pub fn samples(self, rate: u32, seconds: f64) -> Vec<f32> {
        let mut random = Random(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        let key = random.below(12) as u32;
        let tempo = 84.0 + random.below(72) as f64;
        let key = self.key.unwrap_or(key);
        let beat = 60.0 / self.tempo.unwrap_or(tempo);
        let minor = random.below(2) == 0;
        let scale: [u32; 7] = if minor { [0, 2, 3, 5, 7, 8, 10] } else { [0, 2, 4, 5, 7, 9, 11] };
        let chords: Vec<usize> = (0..8).map(|_| random.below(6) as usize).collect();
        let instruments: [Instrument; 3] = std::array::from_fn(|_| Instrument::random(&mut random));
        let drums = random.below(4) != 0;
        let busy = 0.35 + 0.5 * random.unit();

        let mut out = vec![0.0_f32; (seconds * f64::from(rate)) as usize];
        let hz = |degree: i32, octave: i32| {
            let (up, step) = (degree.div_euclid(7), degree.rem_euclid(7) as usize);
            let semitones = key as i32 + scale[step] as i32 + 12 * (octave + up);
            110.0 * 2.0_f64.powf(f64::from(semitones) / 12.0)
        };
        let mut degree = 7;
        let beats = (seconds / beat) as usize + 1;
        for at in 0..beats {
            let start = at as f64 * beat;
            let chord = chords[at / 4 % chords.len()] as i32;
            if at % 4 == 0 {
                for (voice, third) in [0, 2, 4].into_iter().enumerate() {
                    let late = 0.01 * voice as f64;
                    instruments[0].play(&mut out, rate, start + late, 3.9 * beat, hz(chord + third, 1), 0.10);
                }
            }
            if at % 2 == 0 || random.unit() < 0.3 {
                instruments[1].play(&mut out, rate, start, 0.9 * beat, hz(chord, -1), 0.16);
            }
            for half in 0..4 {
                if random.unit() < busy {
                    degree = (degree + random.below(7) as i32 - 3).clamp(3, 16);
                    let length = beat * (0.25 + 0.25 * random.below(4) as f64);
                    let loud = 0.10 + 0.08 * random.unit() as f32;
                    instruments[2].play(
                        &mut out,
                        rate,
                        start + 0.25 * beat * f64::from(half),
                        length,
                        hz(degree, 1),
                        loud,
                    );
                }
            }
            if drums {
                drum(
                    &mut out,
                    rate,
                    start,
                    if at % 2 == 0 { 60.0 } else { 190.0 },
                    if at % 2 == 0 { 0.0 } else { 0.7 },
                    &mut random,
                );
                drum(&mut out, rate, start + 0.5 * beat, 6000.0, 1.0, &mut random);
            }
        }
        let peak = out.iter().fold(1e-9_f32, |peak, x| peak.max(x.abs()));
        out.iter_mut().for_each(|x| *x *= 0.8 / peak);
        out
    }
}

struct Instrument {
    harmonics: Vec<f64>,
    attack_s: f64,
    decay_s: f64,
    stretch: f64,
}

impl Instrument {
    fn random(random: &mut Random) -> Self {
        let slope = 0.6 + 1.4 * random.unit();
        let harmonics = (1..=7).map(|n| f64::from(n).powf(-slope) * (0.4 + 0.6 * random.unit())).collect();
        Self {
            harmonics,
            attack_s: 0.004 + 0.05 * random.unit() * random.unit(),
            decay_s: 0.15 + 1.5 * random.unit(),
            stretch: 0.0006 * random.unit(),
        }
    }

    fn play(&self, out: &mut [f32], rate: u32, start_s: f64, length_s: f64, hz: f64, loud: f32) {
        let rate = f64::from(rate);
        let start = (start_s * rate) as usize;
        let release_s = 0.08;
        let frames = ((length_s + release_s) * rate) as usize;
        for (index, level) in self.harmonics.iter().enumerate() {
            let n = (index + 1) as f64;
            let hz = hz * n * (1.0 + self.stretch * n * n);
            if hz > 0.45 * rate {
                break;
            }
            let decay = (-(0.6 + 0.4 * n) / (self.decay_s * rate)).exp();
            let turn = std::f64::consts::TAU * hz / rate;
            // A resonator: y(n) = 2 cos(w) y(n-1) - y(n-2).
            let (twice, mut before, mut last) = (2.0 * turn.cos(), -turn.sin(), 0.0);
            let mut envelope = level * f64::from(loud);
            for at in 0..frames {
                let Some(to) = out.get_mut(start + at) else { break };
                let y = twice * last - before;
                (before, last) = (last, y);
                let time = at as f64 / rate;
                let rise = (time / self.attack_s).min(1.0);
                let fall = ((length_s + release_s - time) / release_s).clamp(0.0, 1.0);
                *to += (last * envelope * rise * fall) as f32;
                envelope *= decay;
            }
        }
    }
}

fn drum(out: &mut [f32], rate: u32, start_s: f64, hz: f64, noisy: f32, random: &mut Random) {
    let start = (start_s * f64::from(rate)) as usize;
    let mut low = 0.0_f32;
    for at in 0..(0.15 * f64::from(rate)) as usize {
        let Some(to) = out.get_mut(start + at) else { break };
        let time = at as f64 / f64::from(rate);
        let noise = 2.0 * random.unit() as f32 - 1.0;
        let bright = noise - low;
        low += 0.3 * bright;
        let tone = (std::f64::consts::TAU * hz * time).sin() as f32;
        let shape = (-time / if noisy >= 1.0 { 0.02 } else { 0.05 }).exp() as f32;
        *to += 0.25 * shape * (noisy * bright + (1.0 - noisy) * tone);
    }
}

/// A small random generator (splitmix64), with the same numbers on all platforms.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Returns a number in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns an integer below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }
}
