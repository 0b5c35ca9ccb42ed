//! The parts that two recordings have in common, in any order.
//!
//! Seeds are fitted as in [`super::verify()`], but each line only as far as it holds. Then the cheapest path through all
//! peaks of `a` is found: at each peak it follows one of the lines or none. A peak found where a line expects it is
//! evidence for the line, one that is not found is evidence against it, and each change costs. Voting and path are
//! repeated for what no part covers, until nothing is added.

use super::peaks::Peak;
use super::verify::{FIRST_REACH, FIRST_TOLERANCE, Line, TOLERANCE, densest, line_through};
use super::votes::{self, Postings, Seed};
use super::{Landmarks, TIME_UNIT_S, triples};

/// Rounds of voting, seeds of a round, and lines in all.
const ROUNDS: usize = 6;
const SEEDS: usize = 64;
const LINES: usize = 32;
/// Minimum votes of a seed.
const MIN_VOTES: u32 = 3;
/// The share of peaks found again where both have the same sound, and the range of the share that chance finds.
const FOUND: f64 = 0.5;
const CHANCE: [f64; 2] = [0.03, 0.35];
/// The cost of a change of the line, in nats.
const CHANGE: f64 = 8.0;
/// Minimum evidence of a part in nats, peaks found, and length in time units (1 s).
const MIN_EVIDENCE: f64 = 16.0;
const MIN_FOUND: usize = 10;
const MIN_LENGTH: u32 = 172;
/// Lines that are nearer than this, in time units, are one (0.1 s).
const APART: f64 = 17.0;

/// A stretch of `a` that `b` has as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPart {
    /// Where the stretch begins and ends in `a`, in seconds.
    pub start_s: f64,
    /// Its end.
    pub end_s: f64,
    /// Where its beginning is in `b`, in seconds.
    pub at_s: f64,
    /// Speed of `b` relative to `a`.
    pub speed: f64,
    /// How much higher `b` sounds, in semitones.
    pub pitch_semitones: f64,
    /// The number of peaks found again.
    pub found: usize,
    /// From 0, another place of `b` has as much evidence, to 1, none has any.
    pub confidence: f64,
}

/// Returns the parts of `a` that are found in `b`, in order of their times in `a`, at changes of speed and pitch up to
/// [`super::MAX_CHANGE`]. Parts do not overlap in `a`. Their ends are exact to about a quarter of a second.
pub fn parts(a: &Landmarks, b: &Landmarks) -> Vec<CommonPart> {
    let postings =
        Postings::new(triples::indexed(&b.peaks).iter().filter_map(|triple| votes::posting(triple, 0)).collect());
    let mut lines: Vec<LineEvidence> = Vec::new();
    let mut found: Vec<Stretch> = Vec::new();
    let mut left = a.peaks.clone();
    for _ in 0..ROUNDS {
        let known = lines.len();
        for seed in votes::seeds(votes::votes(&[&postings], &left, |_| true), MIN_VOTES).iter().take(SEEDS) {
            if lines.len() == LINES || lines.iter().any(|known| known.line.has(seed)) {
                continue;
            }
            let Some(line) = local(&a.peaks, b, seed) else { continue };
            if !lines.iter().any(|known| near(&known.line, &line, seed.query_time)) {
                lines.push(LineEvidence::new(line, a, b));
            }
        }
        if lines.len() == known {
            break;
        }
        found = stretches(&lines, &a.peaks);
        let is_left = |index: &usize| !found.iter().any(|stretch| (stretch.from..stretch.to).contains(index));
        left = (0..a.peaks.len()).filter(is_left).map(|index| a.peaks[index]).collect();
    }
    found.iter().map(|stretch| part(stretch, &lines, &a.peaks)).collect()
}

fn near(a: &Line, b: &Line, time: f64) -> bool {
    (a.time(time) - b.time(time)).abs() < APART && (a.semitones() - b.semitones()).abs() < 0.3
}

/// Fits a line to the peaks around a seed, then to the stretch over which it holds.
fn local(a: &[Peak], b: &Landmarks, seed: &Seed) -> Option<Line> {
    let mut line = Line::of_seed(seed);
    let fitted = |line: &Line, peaks: &[Peak], tolerance| {
        let pairs: Vec<(Peak, Peak)> =
            peaks.iter().filter_map(|&peak| Some((peak, line.found(peak, &b.peaks, tolerance)?))).collect();
        line_through(&pairs, line)
    };
    let from = a.partition_point(|peak| f64::from(peak.time) < seed.query_time - FIRST_REACH);
    let to = a.partition_point(|peak| f64::from(peak.time) <= seed.query_time + FIRST_REACH);
    for tolerance in [FIRST_TOLERANCE, FIRST_TOLERANCE, TOLERANCE, TOLERANCE] {
        line = fitted(&line, &a[from..to], tolerance)?;
    }
    for _ in 0..2 {
        let found: Vec<bool> = a.iter().map(|&peak| line.found(peak, &b.peaks, TOLERANCE).is_some()).collect();
        let (from, to) = densest(&found, 0.5 * (FOUND + line.chance(a, b).clamp(CHANCE[0], CHANCE[1])));
        line = fitted(&line, &a[from..to], TOLERANCE)?;
    }
    Some(line)
}

/// A line, and the evidence of each peak of `a` for it.
struct LineEvidence {
    line: Line,
    evidence: Vec<f64>,
    hits: Vec<bool>,
}

impl LineEvidence {
    fn new(line: Line, a: &Landmarks, b: &Landmarks) -> Self {
        let chance = line.chance(&a.peaks, b).clamp(CHANCE[0], CHANCE[1]);
        let [hit, miss] = [(FOUND / chance).ln(), ((1.0 - FOUND) / (1.0 - chance)).ln()];
        let hits: Vec<bool> = a.peaks.iter().map(|&peak| line.found(peak, &b.peaks, TOLERANCE).is_some()).collect();
        Self { line, evidence: hits.iter().map(|&found| if found { hit } else { miss }).collect(), hits }
    }
}

/// Peaks of `a` along one line.
struct Stretch {
    line: usize,
    from: usize,
    to: usize,
}

/// Returns the stretches of the best path that have enough evidence, each from its first peak found to its last.
fn stretches(lines: &[LineEvidence], peaks: &[Peak]) -> Vec<Stretch> {
    let states = lines.len() + 1;
    let none = lines.len();
    let mut sums = vec![0.0f64; states];
    let mut came = Vec::with_capacity(peaks.len() * states);
    for index in 0..peaks.len() {
        let best = (0..states).max_by(|&x, &y| sums[x].total_cmp(&sums[y])).unwrap_or(none);
        let changed = sums[best] - CHANGE;
        let mut next = vec![0.0; states];
        for state in 0..states {
            let (sum, from) = if sums[state] >= changed { (sums[state], state) } else { (changed, best) };
            next[state] = sum + if state == none { 0.0 } else { lines[state].evidence[index] };
            came.push(from as u8);
        }
        sums = next;
    }
    let mut state = (0..states).max_by(|&x, &y| sums[x].total_cmp(&sums[y])).unwrap_or(none);
    let mut path = vec![none; peaks.len()];
    for index in (0..peaks.len()).rev() {
        path[index] = state;
        state = usize::from(came[index * states + state]);
    }
    let mut found = Vec::new();
    let mut start = 0;
    for run in path.chunk_by(|a, b| a == b) {
        let (line, range) = (run[0], start..start + run.len());
        start += run.len();
        if line == none {
            continue;
        }
        let hits: Vec<usize> = range.filter(|&index| lines[line].hits[index]).collect();
        let (Some(&first), Some(&last)) = (hits.first(), hits.last()) else { continue };
        let evidence: f64 = lines[line].evidence[first..=last].iter().sum();
        if evidence >= MIN_EVIDENCE && hits.len() >= MIN_FOUND && peaks[last].time - peaks[first].time >= MIN_LENGTH {
            found.push(Stretch { line, from: first, to: last + 1 });
        }
    }
    found
}

fn part(stretch: &Stretch, lines: &[LineEvidence], peaks: &[Peak]) -> CommonPart {
    let range = stretch.from..stretch.to;
    let chosen = &lines[stretch.line];
    let [first, last] = [stretch.from, stretch.to - 1].map(|index| f64::from(peaks[index].time));
    let evidence = |known: &LineEvidence| known.evidence[range.clone()].iter().sum::<f64>();
    let is_rival = |(index, known): &(usize, &LineEvidence)| {
        *index != stretch.line && !near(&known.line, &chosen.line, f64::midpoint(first, last))
    };
    let rival = lines.iter().enumerate().filter(is_rival).map(|(_, known)| evidence(known)).fold(0.0, f64::max);
    CommonPart {
        start_s: first * TIME_UNIT_S,
        end_s: last * TIME_UNIT_S,
        at_s: chosen.line.time(first) * TIME_UNIT_S,
        speed: 1.0 / chosen.line.slope(),
        pitch_semitones: chosen.line.semitones(),
        found: chosen.hits[range.clone()].iter().filter(|&&hit| hit).count(),
        confidence: (1.0 - rival / evidence(chosen)).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random peaks, about 20 a second.
    fn landmarks(seed: u64, seconds: f64) -> Landmarks {
        let length = (seconds / TIME_UNIT_S) as u32;
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |below: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 33) % u64::from(below)) as u32
        };
        let mut peaks: Vec<Peak> = (0..(20.0 * seconds) as usize)
            .map(|_| Peak { time: next(length), place: 50 + next(1000) as u16, strength: next(32) as u8 })
            .collect();
        peaks.sort_unstable();
        Landmarks { peaks, length }
    }

    fn joined(parts: &[(&Landmarks, f64, f64)]) -> Landmarks {
        let mut out = Landmarks::default();
        for (source, from, to) in parts {
            let [from, to] = [from, to].map(|s| (s / TIME_UNIT_S) as u32);
            let within = source.peaks.iter().filter(|peak| (from..to).contains(&peak.time));
            out.peaks.extend(within.map(|peak| Peak { time: peak.time - from + out.length, ..*peak }));
            out.length += to - from;
        }
        out
    }

    #[test]
    fn pieces_in_another_order_are_found() {
        let (a, stranger) = (landmarks(1, 60.0), landmarks(2, 60.0));
        let b = joined(&[(&a, 0.0, 15.0), (&stranger, 0.0, 6.0), (&a, 40.0, 60.0), (&a, 20.0, 30.0)]);
        let found = parts(&a, &b);
        let expected = [(0.0, 15.0, 0.0), (20.0, 30.0, 41.0), (40.0, 60.0, 21.0)];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (part, (start, end, at)) in found.iter().zip(expected) {
            assert!((part.start_s - start).abs() < 0.5 && (part.end_s - end).abs() < 0.5, "{part:?}");
            assert!((part.at_s - part.start_s - (at - start)).abs() < 0.05 && part.confidence > 0.8, "{part:?}");
        }
    }

    #[test]
    fn strangers_and_scraps_have_no_part() {
        let (a, b) = (landmarks(3, 60.0), landmarks(4, 60.0));
        assert!(parts(&a, &b).is_empty());
        assert!(parts(&Landmarks::default(), &a).is_empty() && parts(&a, &Landmarks::default()).is_empty());
    }
}
