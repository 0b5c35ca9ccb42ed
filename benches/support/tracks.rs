//! Synthetic tracks: fingerprints drawn without any sound, so that a library of a million is filled in minutes.

use undertone::fingerprint::landmark::{Landmarks, Peak, STEPS_PER_OCTAVE, TIME_UNIT_S};

/// The number of Chromaprint items in two minutes, the length that a scan stores.
pub const ITEMS: usize = 948;
pub const SECONDS: f64 = 240.0;
/// One track in this many is a copy; the kinds take turns.
pub const COPIES: usize = 100;
pub const FASTER: f64 = 1.03;

/// A deterministic pseudorandom generator.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, many: u64) -> u64 {
        self.next() % many
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Returns the items of a track. Neighbours differ in a few bits; one in eight is shared by many tracks.
pub fn items(random: &mut Random, common: &[u32]) -> Vec<u32> {
    let mut item = random.next() as u32;
    let next = |_| {
        item ^= (random.next() & random.next() & random.next()) as u32;
        if random.below(8) == 0 { common[random.below(common.len() as u64) as usize] } else { item }
    };
    (0..ITEMS).map(next).collect()
}

/// Returns the peaks of synthetic music: notes of a key on the beats of a tempo, with harmonics, in four repeating
/// sections, plus drums and noise; about 23 per second.
pub fn landmarks(random: &mut Random) -> Landmarks {
    let length = (SECONDS / TIME_UNIT_S) as u32;
    let sixteenth_s = 60.0 / (80.0 + 80.0 * random.unit()) / 4.0;
    let sixteenth = sixteenth_s / TIME_UNIT_S;
    let key = random.unit() * 12.0;
    let semitone = f64::from(STEPS_PER_OCTAVE) / 12.0;
    let scale = [0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0];
    let per_section = 16 * 8;
    let section = |random: &mut Random| -> Vec<(u32, f64)> {
        // Some notes for each sixteenth, as frequency places that may exceed the range.
        let mut notes = Vec::new();
        for at in 0..per_section {
            let count = random.below(3) + u64::from(at % 4 == 0);
            for _ in 0..count {
                let degree = scale[random.below(7) as usize] + 12.0 * random.below(3) as f64;
                notes.push((at, (key + degree) * semitone));
            }
        }
        notes
    };
    let sections: Vec<Vec<(u32, f64)>> = (0..4).map(|_| section(random)).collect();
    let mut peaks: Vec<Peak> = Vec::new();
    let mut push = |random: &mut Random, time: f64, place: f64, strength: u64| {
        let (time, place) = (time + 2.0 * random.unit(), place + 3.0 * random.unit());
        if time >= 0.0 && (time as u32) < length && (0.0..f64::from(4 * STEPS_PER_OCTAVE)).contains(&place) {
            peaks.push(Peak { time: time as u32, place: place as u16, strength: strength as u8 });
        }
    };
    let mut begins = 0.0;
    while begins < f64::from(length) {
        for &(at, place) in &sections[random.below(4) as usize] {
            for harmonic in [1.0_f64, 2.0, 3.0] {
                if random.below(3) > 0 {
                    let above = harmonic.log2() * f64::from(STEPS_PER_OCTAVE);
                    let strength = 10 + random.below(20);
                    push(random, begins + f64::from(at) * sixteenth, place + above, strength);
                }
            }
        }
        for _ in 0..per_section {
            let (time, place) = (random.unit() * f64::from(per_section) * sixteenth, random.unit() * 1152.0);
            let strength = random.below(16);
            push(random, begins + time, place, strength);
        }
        begins += f64::from(per_section) * sixteenth;
    }
    in_order(peaks, length)
}

pub fn in_order(mut peaks: Vec<Peak>, length: u32) -> Landmarks {
    peaks.sort_unstable();
    peaks.dedup_by_key(|peak| (peak.time, peak.place));
    Landmarks { peaks, length }
}

/// Returns the peaks of a faster copy: earlier and higher. One peak in five is lost.
pub fn faster(random: &mut Random, of: &Landmarks) -> Landmarks {
    let higher = (f64::from(STEPS_PER_OCTAVE) * FASTER.log2()).round() as u16;
    let moved = |peak: &Peak| Peak {
        time: (f64::from(peak.time) / FASTER) as u32,
        place: peak.place + higher,
        strength: peak.strength,
    };
    let kept = |peak: &&Peak| random.below(5) > 0 && peak.place + higher < 4 * STEPS_PER_OCTAVE;
    in_order(of.peaks.iter().filter(kept).map(moved).collect(), (f64::from(of.length) / FASTER) as u32)
}

pub fn flipped(random: &mut Random, item: u32, rate: f64) -> u32 {
    (0..32).fold(item, |item, bit| item ^ (u32::from(random.unit() < rate) << bit))
}
