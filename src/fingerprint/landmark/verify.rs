//! Peaks of two recordings laid over each other.
//!
//! From a seed - a place where both seem to be the same - peaks of one are looked for in the other where they are
//! expected; the line `time in b = offset + slope time in a` and the difference in pitch are fitted to those found, and
//! the stretch that is looked at grows until it is all that both have. The share of peaks found counts against what
//! would be found by chance, which is what is found with `b` moved by 0.6 to 3.5 seconds.

use super::peaks::Peak;
use super::votes::{self, Postings, Seed};
use super::{Landmarks, MOST_CHANGE, STEPS_PER_OCTAVE, TIME_UNIT_S, triples};

/// Half the stretch that fitting begins with, in units of time: 4 s.
const FIRST_REACH: f64 = 690.0;
/// By how much it grows from fit to fit.
const GROWTH: f64 = 1.6;
/// How far from its expected time and place a peak may stand: 0.06 s and 1/36 octave at first, 0.04 s and 1/58 at last.
const FIRST_TOLERANCE: Tolerance = Tolerance { time: 10.0, steps: 8.0 };
pub(super) const TOLERANCE: Tolerance = Tolerance { time: 7.0, steps: 5.0 };
/// Movements of `b` that show what chance finds, in units of time.
const MOVED: [f64; 8] = [-601.0, -389.0, -211.0, -97.0, 103.0, 223.0, 397.0, 607.0];
/// Peaks that are found at the least.
const LEAST_FOUND: usize = 20;
/// By how many standard deviations they exceed chance at the least.
const LEAST_DEVIATIONS: f64 = 7.0;
/// The least score.
const LEAST_SCORE: f64 = 0.25;
/// How long what is common lasts at the least, in units of time: 4 s.
const LEAST_SPAN: u32 = 690;
/// Votes of a seed at the least, and seeds that are tried.
const LEAST_VOTES: u32 = 3;
const MOST_SEEDS: usize = 16;

#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    pub time: f64,
    pub steps: f64,
}

/// How one recording is the same as another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// `(f - c) / (1 - c)`: the share `f` of peaks found again within the common stretch (of the recording that has
    /// fewer there), less the share `c` that chance finds. 1 for a copy, about 0.3 and more under noise or changed speed.
    pub score: f64,
    /// Peaks found again.
    pub found: usize,
    /// Where the beginning of `a` is in `b`, in seconds: what is at `t` in `a` is at `offset_s + t / speed` in `b`.
    pub offset_s: f64,
    /// How much faster `b` runs.
    pub speed: f64,
    /// How much higher `b` sounds, in semitones; `12 log2 speed` when it was played faster.
    pub pitch_semitones: f64,
    /// Where in `a` the common stretch begins, in seconds.
    pub start_s: f64,
    /// How long it is in `a`, in seconds.
    pub overlap_s: f64,
}

/// The longest stretch that two recordings have in common, at changes of speed and pitch up to [`MOST_CHANGE`]; none
/// when they are different recordings.
pub fn compare(a: &Landmarks, b: &Landmarks) -> Option<Match> {
    // The shorter asks: it takes longer than answering.
    if a.peaks.len() > b.peaks.len() {
        return compare(b, a).map(Match::inverted);
    }
    let postings =
        Postings::new(triples::indexed(&b.peaks).iter().filter_map(|triple| votes::posting(triple, 0)).collect());
    let seeds = votes::seeds(votes::votes(&[&postings], &a.peaks, |_| true), LEAST_VOTES);
    best(a, b, &seeds)
}

/// As [`compare`], of two recordings of which a query of an index says where they are the same.
pub fn verify(query: &Landmarks, track: &Landmarks, candidate: &super::Candidate) -> Option<Match> {
    best(query, track, &candidate.seeds)
}

fn best(a: &Landmarks, b: &Landmarks, seeds: &[Seed]) -> Option<Match> {
    let mut best: Option<Match> = None;
    let mut lines: Vec<Line> = Vec::new();
    for seed in seeds.iter().take(MOST_SEEDS) {
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

/// Where peaks of `a` are expected in `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    offset: f64,
    slope: f64,
    pitch: f64,
}

impl Line {
    pub fn time(&self, time: f64) -> f64 {
        self.offset + self.slope * time
    }

    /// The time of `a` that a time of `b` is expected at.
    pub fn time_in_a(&self, time: f64) -> f64 {
        (time - self.offset) / self.slope
    }

    /// How much longer `b` takes.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    pub fn semitones(&self) -> f64 {
        self.pitch * 12.0 / f64::from(STEPS_PER_OCTAVE)
    }

    /// Whether a seed suggests the same.
    fn has(&self, seed: &Seed) -> bool {
        (self.time(seed.query_time) - seed.track_time).abs() < 2.0 * FIRST_TOLERANCE.time
            && (self.pitch - seed.pitch).abs() < FIRST_TOLERANCE.steps
    }

    /// The peak of `b` that is nearest to where a peak of `a` is expected.
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
        let lasts = last.time - first.time >= LEAST_SPAN;
        (lasts && hits >= LEAST_FOUND && deviations >= LEAST_DEVIATIONS && score >= LEAST_SCORE).then(|| Match {
            score,
            found: hits,
            offset_s: self.offset * TIME_UNIT_S,
            speed: 1.0 / self.slope,
            pitch_semitones: self.semitones(),
            start_s: f64::from(first.time) * TIME_UNIT_S,
            overlap_s: f64::from(last.time - first.time) * TIME_UNIT_S,
        })
    }

    /// The share of peaks that are found with `b` moved.
    fn chance(&self, peaks: &[Peak], b: &Landmarks) -> f64 {
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

/// Fits a line from a seed outwards.
pub(super) fn fitted(a: &[Peak], b: &[Peak], seed: &Seed) -> Option<Line> {
    let mut line =
        Line { offset: seed.track_time - seed.slope * seed.query_time, slope: seed.slope, pitch: seed.pitch };
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

/// The line with the least squares through pairs of peaks; none for too few, or for more change than is looked for.
fn line_through(pairs: &[(Peak, Peak)], before: &Line) -> Option<Line> {
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
    // Peaks at one time say nothing about tempo.
    let slope = if xx > 1e4 { xy / xx } else { before.slope };
    let most = MOST_CHANGE * 1.01;
    let steps = most.log2() * f64::from(STEPS_PER_OCTAVE);
    (slope <= most && slope * most >= 1.0 && pitch.abs() <= steps).then_some(Line {
        offset: y - slope * x,
        slope,
        pitch,
    })
}

/// The stretch, from and behind, that maximises the number found less `share` of all in it.
fn densest(found: &[bool], share: f64) -> (usize, usize) {
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
