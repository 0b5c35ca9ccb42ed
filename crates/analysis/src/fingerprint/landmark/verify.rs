//! Matches the peaks of two recordings.
//!
//! A seed is a pair of positions where both recordings seem to match. Starting there, each peak of one recording is
//! looked up in the other at its expected position. The line `time in b = offset + slope time in a` and the difference
//! in pitch are fitted to the peaks found, and the stretch grows until it covers everything that both have in common.
//! The share of peaks found is compared with what chance finds, which is measured with `b` moved by 0.6 to 3.5 seconds.

use super::peaks::Peak;
use super::votes::{self, Postings, Seed};
use super::{Landmarks, MAX_CHANGE, STEPS_PER_OCTAVE, TIME_UNIT_S, triples};

/// Half the length of the first stretch to be fitted, in time units: 4 s.
pub(super) const FIRST_REACH: f64 = 690.0;
/// Factor by which the stretch grows from fit to fit.
const GROWTH: f64 = 1.6;
/// Maximum deviation of a peak from its expected time and pitch: 0.06 s and 1/36 octave at first, then 0.04 s and 1/58
/// octave.
pub(super) const FIRST_TOLERANCE: Tolerance = Tolerance { time: 10.0, steps: 8.0 };
pub(super) const TOLERANCE: Tolerance = Tolerance { time: 7.0, steps: 5.0 };
/// Shifts of `b` for measuring chance, in time units.
const MOVED: [f64; 8] = [-601.0, -389.0, -211.0, -97.0, 103.0, 223.0, 397.0, 607.0];
/// Minimum number of peaks found.
const MIN_FOUND: usize = 20;
/// Minimum excess over chance, in standard deviations.
const MIN_DEVIATIONS: f64 = 7.0;
/// Minimum score.
const MIN_SCORE: f64 = 0.25;
/// Minimum length in common, in time units: 4 s.
const MIN_SPAN: u32 = 690;
/// Minimum votes of a seed, and maximum number of seeds that are tried.
const MIN_VOTES: u32 = 3;
const MAX_SEEDS: usize = 16;

#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    pub time: f64,
    pub steps: f64,
}

/// How two recordings match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// `(f - c) / (1 - c)`, where `f` is the share of peaks found again within the common stretch (of the recording
    /// that has fewer there), and `c` is the share that chance finds. 1 for a copy, about 0.3 or more with noise or
    /// changed speed.
    pub score: f64,
    /// Number of peaks found again.
    pub found: usize,
    /// Where the beginning of `a` is in `b`, in seconds: time `t` in `a` is at `offset_s + t / speed` in `b`.
    pub offset_s: f64,
    /// Speed of `b` relative to `a`; above 1 if `b` is faster.
    pub speed: f64,
    /// How much higher `b` sounds, in semitones; `12 log2 speed` if it was played faster without pitch correction.
    pub pitch_semitones: f64,
    /// Where in `a` the common stretch begins, in seconds.
    pub start_s: f64,
    /// Length of the common stretch in `a`, in seconds.
    pub overlap_s: f64,
}

/// Returns the longest stretch that two recordings have in common, at changes of speed and pitch up to [`MAX_CHANGE`];
/// `None` if they are different recordings.
pub fn compare(a: &Landmarks, b: &Landmarks) -> Option<Match> {
    // The recording with fewer peaks is the query, because querying costs more than indexing.
    if a.peaks.len() > b.peaks.len() {
        return compare(b, a).map(Match::inverted);
    }
    let postings =
        Postings::new(triples::indexed(&b.peaks).iter().filter_map(|triple| votes::posting(triple, 0)).collect());
    let seeds = votes::seeds(votes::votes(&[&postings], &a.peaks, |_| true), MIN_VOTES);
    best(a, b, &seeds)
}

/// Same as [`compare`], for a query and a candidate whose seeds come from an index.
pub fn verify(query: &Landmarks, track: &Landmarks, candidate: &super::Candidate) -> Option<Match> {
    best(query, track, &candidate.seeds)
}

fn best(a: &Landmarks, b: &Landmarks, seeds: &[Seed]) -> Option<Match> {
    let mut best: Option<Match> = None;
    let mut lines: Vec<Line> = Vec::new();
    for seed in seeds.iter().take(MAX_SEEDS) {
        if lines.iter().any(|line| line.has(seed)) {
            continue;
        }
        let Some(line) = fitted(&a.peaks, &b.peaks, seed) else { continue };
        lines.push(line);
        if let Some(found) = line.judged(a, b)
            && best.is_none_or(|best| found.found > best.found)
        {
            best = Some(found);
        }
    }
    best
}

impl Match {
    fn inverted(self) -> Self {
        Self {
            offset_s: -self.offset_s * self.speed,
            speed: 1.0 / self.speed,
            pitch_semitones: -self.pitch_semitones,
            start_s: self.offset_s + self.start_s / self.speed,
            overlap_s: self.overlap_s / self.speed,
            ..self
        }
    }
}

/// Maps peaks of `a` to their expected position in `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    offset: f64,
    slope: f64,
    pitch: f64,
}

impl Line {
    /// Returns the line that a seed suggests.
    pub fn of_seed(seed: &Seed) -> Self {
        Self { offset: seed.track_time - seed.slope * seed.query_time, slope: seed.slope, pitch: seed.pitch }
    }

    pub fn time(&self, time: f64) -> f64 {
        self.offset + self.slope * time
    }

    /// Returns the time in `a` that corresponds to a time in `b`.
    pub fn time_in_a(&self, time: f64) -> f64 {
        (time - self.offset) / self.slope
    }

    /// Returns the duration of `b` relative to `a`.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    pub fn semitones(&self) -> f64 {
        self.pitch * 12.0 / f64::from(STEPS_PER_OCTAVE)
    }

    /// Returns whether a seed suggests the same line.
    pub fn has(&self, seed: &Seed) -> bool {
        (self.time(seed.query_time) - seed.track_time).abs() < 2.0 * FIRST_TOLERANCE.time
            && (self.pitch - seed.pitch).abs() < FIRST_TOLERANCE.steps
    }

    /// Returns the peak of `b` nearest to the expected position of a peak of `a`, within the tolerance.
    pub fn found(&self, peak: Peak, b: &[Peak], tolerance: Tolerance) -> Option<Peak> {
        let (time, place) = (self.time(f64::from(peak.time)), f64::from(peak.place) + self.pitch);
        let from = b.partition_point(|other| f64::from(other.time) < time - tolerance.time);
        let mut nearest = None;
        for &other in b[from..].iter().take_while(|other| f64::from(other.time) <= time + tolerance.time) {
            let across = (f64::from(other.place) - place) / tolerance.steps;
            let along = (f64::from(other.time) - time) / tolerance.time;
            let distance = across * across + along * along;
            if across.abs() <= 1.0 && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, other));
            }
        }
        nearest.map(|(_, other)| other)
    }

    fn judged(&self, a: &Landmarks, b: &Landmarks) -> Option<Match> {
        let within = |peak: &&Peak| {
            let time = self.time(f64::from(peak.time));
            time >= 0.0 && time <= f64::from(b.length)
        };
        let common: Vec<Peak> = a.peaks.iter().filter(within).copied().collect();
        let found: Vec<bool> = common.iter().map(|&peak| self.found(peak, &b.peaks, TOLERANCE).is_some()).collect();
        let chance = self.chance(&common, b);
        let (from, to) = densest(&found, 0.1 + chance);
        let (first, last) = (common.get(from)?, common.get(to.checked_sub(1)?)?);
        let hits = found[from..to].iter().filter(|&&found| found).count();
        let peaks_of_b = {
            let at = |time: u32| self.time(f64::from(time));
            let before = |time: f64| b.peaks.partition_point(|peak| f64::from(peak.time) < time);
            before(at(last.time) + 1.0) - before(at(first.time) - 1.0)
        };
        let share = (hits as f64 / (to - from).min(peaks_of_b).max(1) as f64).min(1.0);
        let score = (share - chance) / (1.0 - chance);
        let expected = chance * (to - from) as f64;
        let deviations = (hits as f64 - expected) / (expected + 1.0).sqrt();
        let lasts = last.time - first.time >= MIN_SPAN;
        (lasts && hits >= MIN_FOUND && deviations >= MIN_DEVIATIONS && score >= MIN_SCORE).then(|| Match {
            score,
            found: hits,
            offset_s: self.offset * TIME_UNIT_S,
            speed: 1.0 / self.slope,
            pitch_semitones: self.semitones(),
            start_s: f64::from(first.time) * TIME_UNIT_S,
            overlap_s: f64::from(last.time - first.time) * TIME_UNIT_S,
        })
    }

    /// Returns the share of peaks that are found when `b` is moved.
    pub fn chance(&self, peaks: &[Peak], b: &Landmarks) -> f64 {
        let (mut tried, mut found) = (0_usize, 0_usize);
        for moved in MOVED {
            let line = Self { offset: self.offset + moved, ..*self };
            for &peak in peaks {
                let time = line.time(f64::from(peak.time));
                if time >= 0.0 && time <= f64::from(b.length) {
                    tried += 1;
                    found += usize::from(line.found(peak, &b.peaks, TOLERANCE).is_some());
                }
            }
        }
        if tried == 0 { 0.0 } else { (found as f64 / tried as f64).min(0.9) }
    }
}

/// Fits a line, starting at a seed and growing outwards.
pub(super) fn fitted(a: &[Peak], b: &[Peak], seed: &Seed) -> Option<Line> {
    let mut line = Line::of_seed(seed);
    let (first, last) = (f64::from(a.first()?.time), f64::from(a.last()?.time));
    let farthest = (seed.query_time - first).max(last - seed.query_time);
    let mut reach = FIRST_REACH;
    let mut tolerance = FIRST_TOLERANCE;
    loop {
        for _ in 0..2 {
            let from = a.partition_point(|peak| f64::from(peak.time) < seed.query_time - reach);
            let to = a.partition_point(|peak| f64::from(peak.time) <= seed.query_time + reach);
            let pairs: Vec<(Peak, Peak)> = a[from..to]
                .iter()
                .filter_map(|&peak| line.found(peak, b, tolerance).map(|other| (peak, other)))
                .collect();
            line = line_through(&pairs, &line)?;
        }
        if reach >= farthest {
            return Some(line);
        }
        reach *= GROWTH;
        tolerance = TOLERANCE;
    }
}

/// Returns the least-squares line through pairs of peaks; `None` for fewer than four pairs, or for a larger change than
/// is looked for.
pub(super) fn line_through(pairs: &[(Peak, Peak)], before: &Line) -> Option<Line> {
    if pairs.len() < 4 {
        return None;
    }
    let count = pairs.len() as f64;
    let mean = |of: fn(&(Peak, Peak)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|pair| f64::from(pair.0.time)), mean(|pair| f64::from(pair.1.time)));
    let pitch = mean(|pair| f64::from(pair.1.place) - f64::from(pair.0.place));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (a, b) in pairs {
        let dx = f64::from(a.time) - x;
        xx += dx * dx;
        xy += dx * (f64::from(b.time) - y);
    }
    // If all peaks are close in time, they do not determine the tempo.
    let slope = if xx > 1e4 { xy / xx } else { before.slope };
    let most = MAX_CHANGE * 1.01;
    let steps = most.log2() * f64::from(STEPS_PER_OCTAVE);
    (slope <= most && slope * most >= 1.0 && pitch.abs() <= steps).then_some(Line {
        offset: y - slope * x,
        slope,
        pitch,
    })
}

/// Returns the start and end of the stretch that maximises the number found less `share` times its length.
pub(super) fn densest(found: &[bool], share: f64) -> (usize, usize) {
    let (mut best, mut from, mut to) = (0.0, 0, 0);
    let (mut sum, mut start) = (0.0, 0);
    for (index, &found) in found.iter().enumerate() {
        sum += f64::from(u8::from(found)) - share;
        if sum <= 0.0 {
            (sum, start) = (0.0, index + 1);
        } else if sum > best {
            (best, from, to) = (sum, start, index + 1);
        }
    }
    (from, to)
}
