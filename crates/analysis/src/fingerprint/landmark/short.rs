//! Compares recordings of a few seconds.
//!
//! One second has about twenty peaks. That is too few for the votes of triples, and too few to measure chance by moving
//! one recording against the other. Instead, every peak of one recording is paired with every peak of the other. Pairs
//! vote for an offset in time and pitch, at each tempo within [`MAX_CHANGE`], and the best offsets are fitted as in
//! [`super::verify()`].
//!
//! The result is judged by the evidence against chance, in nats. If `h` of `n` peaks are found, and each would be found
//! by chance with probability `p` (the share of the common stretch that the tolerances around the peaks cover), the
//! evidence is `n KL(h / n, p)`, with the Kullback-Leibler divergence. Unrelated recordings reach 25 once in tens of
//! thousands of pairs, and not with half of their peaks.

use super::peaks::Peak;
use super::verify::{Line, Match, TOLERANCE, fitted};
use super::votes::Seed;
use super::{Landmarks, MAX_CHANGE, STEPS_PER_OCTAVE, TIME_UNIT_S};

/// A recording of up to this many seconds counts as short.
pub const SHORT_S: f64 = 20.0;
/// Size of a voting bin in time units (0.05 s) and pitch steps (1/48 octave).
const TIME_BIN: f64 = 8.0;
const PITCH_BIN: f64 = 6.0;
/// From one tempo to the next, a peak at either end moves by this many time units.
const DRIFT: f64 = 12.0;
/// Number of bins that are fitted.
const SEEDS: usize = 8;
/// Minimum votes of a bin, absolute and as a share of the peaks of the recording that has fewer.
const MIN_VOTES: u32 = 6;
const MIN_VOTING: f64 = 0.2;
/// Minimum number of peaks found, and minimum share of those that could be found.
const MIN_FOUND: usize = 7;
const MIN_SHARE: f64 = 0.5;
/// Minimum evidence in nats.
const MIN_EVIDENCE: f64 = 25.0;
/// Minimum length in common, as a share of the shorter recording and in time units (1.3 s).
const MIN_COMMON: f64 = 0.5;
const MIN_LENGTH: f64 = 224.0;
/// Minimum chance: peaks gather at notes and beats, which all music has, however sparse they are.
const MIN_CHANCE: f64 = 0.01;

/// Returns how two short recordings match, in whole or except for their ends; `None` if they are different recordings,
/// or if one is longer than twice [`SHORT_S`]. Time and memory are proportional to the product of the lengths: a tenth
/// of a millisecond for a few seconds.
pub fn compare_short(a: &Landmarks, b: &Landmarks) -> Option<Match> {
    if a.seconds().max(b.seconds()) > 2.0 * SHORT_S {
        return None;
    }
    let lines = seeds(a, b).into_iter().filter_map(|seed| fitted(&a.peaks, &b.peaks, &seed));
    let found = lines.filter_map(|line| judged(&line, a, b));
    found.reduce(|best, other| if other.found > best.found { other } else { best })
}

/// Returns the best bin of each tempo, those with the most votes first.
fn seeds(a: &Landmarks, b: &Landmarks) -> Vec<Seed> {
    let middle = f64::from(a.length) / 2.0;
    let tempos = ((MAX_CHANGE - 1.0) * middle / DRIFT).ceil() as i32;
    let pairs = pairs(a, b, middle);
    let fewer = a.peaks.len().min(b.peaks.len());
    let least = MIN_VOTES.max((MIN_VOTING * fewer as f64) as u32);
    let mut places: Vec<Seed> = (-tempos..=tempos)
        .map(|tempo| MAX_CHANGE.powf(f64::from(tempo) / f64::from(tempos.max(1))))
        .filter_map(|slope| best_place(&pairs, a, b, slope))
        .filter(|seed| seed.votes >= least)
        .collect();
    places.sort_by(|x, y| y.votes.cmp(&x.votes).then(x.slope.total_cmp(&y.slope)));
    places.truncate(SEEDS);
    places
}

/// A peak of `a` and a peak of `b` of similar pitch.
struct Pair {
    /// Times relative to the middle of `a`, and to the beginning of `b`.
    times: [f64; 2],
    /// The row of the pitch difference.
    row: usize,
}

/// Returns the largest pitch difference in steps, and the number of rows for pitch differences.
fn max_steps() -> (f64, usize) {
    let most = (MAX_CHANGE.log2() * f64::from(STEPS_PER_OCTAVE)).ceil();
    (most, (2.0 * most / PITCH_BIN).ceil() as usize + 1)
}

fn pairs(a: &Landmarks, b: &Landmarks, middle: f64) -> Vec<Pair> {
    let (most, _) = max_steps();
    let near = |of_a: u16, of_b: u16| {
        let steps = f64::from(of_b) - f64::from(of_a);
        (steps.abs() <= most).then(|| ((steps + most) / PITCH_BIN) as usize)
    };
    let times = |of_a: u32, of_b: u32| [f64::from(of_a) - middle, f64::from(of_b)];
    let with = |of_a: Peak| {
        let rows = b.peaks.iter().filter_map(move |of_b| Some((of_b.time, near(of_a.place, of_b.place)?)));
        rows.map(move |(time, row)| Pair { times: times(of_a.time, time), row })
    };
    a.peaks.iter().flat_map(|&peak| with(peak)).collect()
}

/// Returns the bin with the most votes at one tempo.
fn best_place(pairs: &[Pair], a: &Landmarks, b: &Landmarks, slope: f64) -> Option<Seed> {
    let (most, rows) = max_steps();
    let middle = f64::from(a.length) / 2.0;
    let least = -slope * middle;
    let columns = ((f64::from(b.length) + 2.0 * slope * middle) / TIME_BIN).ceil() as usize + 1;
    // A margin of one bin all around, so that every bin has neighbours.
    let width = columns + 2;
    let mut counts = vec![0_u32; width * (rows + 2)];
    let place = |pair: &Pair| {
        let column = (pair.times[1] - slope * pair.times[0] - least) / TIME_BIN;
        (pair.row.min(rows - 1) + 1) * width + (column.max(0.0) as usize).min(columns - 1) + 1
    };
    for pair in pairs {
        counts[place(pair)] += 1;
    }
    let around = |place: usize| -> u32 {
        [place - width, place, place + width].iter().map(|&at| counts[at - 1..=at + 1].iter().sum::<u32>()).sum()
    };
    // The first bin wins a tie.
    let votes = pairs.iter().map(|pair| (around(place(pair)), std::cmp::Reverse(place(pair))));
    let (votes, std::cmp::Reverse(place)) = votes.max()?;
    let (row, column) = (place / width - 1, place % width - 1);
    Some(Seed {
        track: 0,
        votes,
        query_time: middle,
        track_time: least + (column as f64 + 0.5) * TIME_BIN,
        slope,
        pitch: (row as f64 + 0.5) * PITCH_BIN - most,
    })
}

fn judged(line: &Line, a: &Landmarks, b: &Landmarks) -> Option<Match> {
    let (length_a, length_b) = (f64::from(a.length), f64::from(b.length));
    let (first, last) = (line.time_in_a(0.0).max(0.0), line.time_in_a(length_b).min(length_a));
    let common = last - first;
    let is_long_enough = common >= MIN_LENGTH && common >= MIN_COMMON * length_a.min(length_b / line.slope());
    let of_a = a.peaks.iter().filter(|peak| (first..=last).contains(&f64::from(peak.time)));
    let within_b = line.time(first)..=line.time(last);
    let of_b = b.peaks.iter().filter(|peak| within_b.contains(&f64::from(peak.time))).count();
    let (mut asked, mut taken) = (0, Vec::new());
    for &peak in of_a {
        asked += 1;
        taken.extend(line.found(peak, &b.peaks, TOLERANCE));
    }
    // Each peak of `b` counts once.
    taken.sort_unstable();
    taken.dedup();
    let (found, could_be) = (taken.len(), asked.min(of_b).max(1));
    let share = (found as f64 / could_be as f64).min(1.0);
    let octaves = 4.0 * f64::from(STEPS_PER_OCTAVE);
    let covered =
        (2.0 * TOLERANCE.time + 1.0) * (2.0 * TOLERANCE.steps + 1.0) / (common.max(1.0) * line.slope() * octaves);
    let chance = (asked.max(of_b) as f64 * covered).clamp(MIN_CHANCE, 0.5);
    let is_same = is_long_enough
        && found >= MIN_FOUND
        && share >= MIN_SHARE
        && could_be as f64 * divergence(share, chance) >= MIN_EVIDENCE;
    is_same.then(|| Match {
        score: (share - chance) / (1.0 - chance),
        found,
        offset_s: line.time(0.0) * TIME_UNIT_S,
        speed: 1.0 / line.slope(),
        pitch_semitones: line.semitones(),
        start_s: first * TIME_UNIT_S,
        overlap_s: common * TIME_UNIT_S,
    })
}

/// Returns the Kullback-Leibler divergence of a share from a chance, in nats; 0 if the share is not above the chance.
fn divergence(share: f64, chance: f64) -> f64 {
    let part = |x: f64, y: f64| if x > 0.0 { x * (x / y).ln() } else { 0.0 };
    if share <= chance { 0.0 } else { part(share, chance) + part(1.0 - share, 1.0 - chance) }
}
