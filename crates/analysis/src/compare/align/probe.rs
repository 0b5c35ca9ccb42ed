//! Finds blocks of one flattened signal in another by normalised cross-correlation, and the line on which most of them
//! lie.

use rayon::prelude::*;
use transforms::RealFftPlanner;
use transforms::num_complex::Complex32;

use super::line::{Line, Point, fitted, robust};

/// The number of blocks that are searched for.
const BLOCKS: usize = 16;
/// Places that are kept for each block.
const PLACES: usize = 4;
/// Places closer than this, in frames, are one.
const APART: usize = 12;
/// A place deviates from the line by at most this, in frames.
const TOLERANCE: f64 = 4.0;
/// The largest drift that is searched for.
const MAX_DRIFT: f64 = 450e-6;
/// The maximum number of lines, and the minimum correlation of a block that counts for one.
const LINES: usize = 8;
const LEAST_CORRELATION: f64 = 0.2;
/// Stretches of the other with less than this share of its mean energy are skipped: their correlation is chance.
const LEAST_ENERGY: f64 = 1e-4;

/// A block of the shorter signal and a place in the longer one that resembles it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub block: usize,
    /// The middle of the block, and of the place.
    pub x: f64,
    pub y: f64,
    /// The normalised correlation, -1..=1.
    pub correlation: f64,
}

/// The line on which most blocks lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vote {
    pub line: Line,
    /// 1, or -1 if the other is inverted.
    pub sign: f64,
    /// Blocks that both have, by this line.
    pub blocks: usize,
    /// Blocks that lie on the line.
    pub on_line: usize,
    /// Where the first of these begins and the last one ends, in the shorter signal.
    pub span: [usize; 2],
}

/// Returns the length of a block, in frames, for the shorter signal's length and the low rate.
pub(super) fn block_length(shorter: usize, rate_hz: f64) -> usize {
    ((shorter / 4) as f64).clamp(0.25 * rate_hz, 2.0 * rate_hz).min(shorter as f64) as usize
}

/// Searches `long` for blocks of `short` and returns the line from the frames of `short` to those of `long`.
pub(super) fn vote(short: &[f32], long: &[f32], length: usize) -> Option<Vote> {
    let starts = starts(short, length);
    let places = places(short, long, length, &starts);
    let (mut vote, _) = best_line(&places, &starts, length, short.len())?;
    // A block that lies beyond the longer signal cannot be found.
    let is_within = |&&start: &&usize| {
        let [first, end] = [start, start + length].map(|at| vote.line.at(at as f64));
        first > -TOLERANCE && end < long.len() as f64 + TOLERANCE
    };
    vote.blocks = starts.iter().filter(is_within).count().max(vote.on_line);
    Some(vote)
}

/// Searches `long` for blocks of `short` and returns lines on which they lie, the one of most blocks first. Each is
/// found among the blocks that the lines before it leave.
pub(super) fn votes(short: &[f32], long: &[f32], length: usize) -> Vec<Vote> {
    let starts = starts(short, length);
    let mut places = places(short, long, length, &starts);
    places.retain(|place| place.correlation.abs() >= LEAST_CORRELATION);
    let mut votes = Vec::new();
    while votes.len() < LINES
        && let Some((vote, hit)) = best_line(&places, &starts, length, short.len())
        && vote.on_line > 0
    {
        votes.push(vote);
        places.retain(|place| !hit.contains(&place.block));
    }
    votes
}

/// Returns where blocks begin: spread over the signal, each the loudest of some neighbours.
fn starts(short: &[f32], length: usize) -> Vec<usize> {
    if length == 0 || short.len() < length {
        return Vec::new();
    }
    let room = short.len() - length;
    let count = (2 * room / length + 1).min(BLOCKS);
    let energy = |start: usize| short[start..start + length].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let mut starts: Vec<usize> = (0..count)
        .map(|cell| {
            let tries = (0..4).map(|part| if count == 1 { 0 } else { room * (4 * cell + part) / (4 * count - 1) });
            tries.max_by(|&a, &b| energy(a).total_cmp(&energy(b))).unwrap_or(0)
        })
        .filter(|&start| energy(start) > 0.0)
        .collect();
    starts.dedup();
    starts
}

fn places(short: &[f32], long: &[f32], length: usize, starts: &[usize]) -> Vec<Place> {
    if long.len() < length || starts.is_empty() {
        return Vec::new();
    }
    let size = (4 * length).next_power_of_two().min((long.len() + length).next_power_of_two()).max(64);
    let step = size - length + 1;
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let spectrum = |samples: &[f32]| {
        let mut frames = forward.make_input_vec();
        frames[..samples.len()].copy_from_slice(samples);
        let mut bins = forward.make_output_vec();
        // The lengths match the plan, so this does not fail.
        let _ = forward.process(&mut frames, &mut bins);
        bins
    };
    let blocks: Vec<(Vec<Complex32>, f64)> = starts
        .iter()
        .map(|&start| {
            let block = &short[start..start + length];
            let energy: f64 = block.iter().map(|x| f64::from(*x).powi(2)).sum();
            (spectrum(block), energy)
        })
        .collect();
    let mean: f64 = long.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / long.len() as f64;
    let least = mean * length as f64 * LEAST_ENERGY;
    let lags = long.len() - length + 1;
    let segment = |first: usize| -> Vec<Place> {
        let part = &long[first..(first + size).min(long.len())];
        let energies = running_energies(part, length);
        let whole = spectrum(part);
        let mut bins = whole.clone();
        let mut correlation = inverse.make_output_vec();
        let count = step.min(lags - first);
        let mut found = Vec::new();
        for (block, (block_bins, energy)) in blocks.iter().enumerate() {
            bins.iter_mut().zip(&whole).zip(block_bins).for_each(|((to, a), b)| *to = a * b.conj());
            bins[0].im = 0.0;
            bins[size / 2].im = 0.0;
            let _ = inverse.process(&mut bins, &mut correlation);
            let value = |lag: usize| {
                let norm = (energies[lag] * energy).sqrt() * size as f64;
                if energies[lag] < least { 0.0 } else { f64::from(correlation[lag]) / norm }
            };
            let values: Vec<f64> = (0..count).map(value).collect();
            for (lag, correlation) in peaks(&values) {
                let middle = (length as f64 - 1.0) / 2.0;
                let (x, y) = (starts[block] as f64 + middle, (first as f64 + lag) + middle);
                found.push(Place { block, x, y, correlation });
            }
        }
        found
    };
    let firsts: Vec<usize> = (0..lags).step_by(step).collect();
    let found: Vec<Place> = firsts.into_par_iter().flat_map_iter(segment).collect();
    (0..starts.len())
        .flat_map(|block| {
            let mut places: Vec<Place> = found.iter().copied().filter(|place| place.block == block).collect();
            places.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
            places.truncate(PLACES);
            places
        })
        .collect()
}

/// Returns the energies of the stretches of `length` frames that begin at each frame.
fn running_energies(samples: &[f32], length: usize) -> Vec<f64> {
    let mut sums = Vec::with_capacity(samples.len() + 1);
    let mut sum = 0.0;
    sums.push(0.0);
    for &sample in samples {
        sum += f64::from(sample).powi(2);
        sums.push(sum);
    }
    (0..=samples.len().saturating_sub(length)).map(|start| (sums[start + length] - sums[start]).max(0.0)).collect()
}

/// Returns the highest peaks of the magnitudes, at least [`APART`] apart, with their positions between frames.
fn peaks(values: &[f64]) -> Vec<(f64, f64)> {
    let mut found: Vec<usize> = Vec::new();
    let size = |at: usize| values[at].abs();
    let is_peak = |at: usize| {
        size(at) > 0.0 && (at == 0 || size(at - 1) <= size(at)) && (at + 1 == values.len() || size(at + 1) < size(at))
    };
    for at in (0..values.len()).filter(|&at| is_peak(at)) {
        if let Some(near) = found.iter_mut().find(|near| near.abs_diff(at) < APART) {
            if size(at) > size(*near) {
                *near = at;
            }
        } else if found.len() < PLACES {
            found.push(at);
        } else if let Some(least) = found.iter_mut().min_by(|a, b| size(**a).total_cmp(&size(**b)))
            && size(at) > size(*least)
        {
            *least = at;
        }
    }
    let vertex = |at: usize| {
        if at == 0 || at + 1 == values.len() {
            return at as f64;
        }
        let [a, b, c] = [at - 1, at, at + 1].map(|at| values[at] * values[at].signum());
        let curve = a - 2.0 * b + c;
        at as f64 + if curve < 0.0 { (0.5 * (a - c) / curve).clamp(-0.5, 0.5) } else { 0.0 }
    };
    found.into_iter().map(|at| (vertex(at), values[at])).collect()
}

/// Returns the line on which most blocks lie, and these blocks.
fn best_line(places: &[Place], starts: &[usize], length: usize, frames: usize) -> Option<(Vote, Vec<usize>)> {
    let blocks = starts.len();
    let mut lines: Vec<(Line, f64)> = Vec::new();
    for (index, a) in places.iter().enumerate() {
        lines.push((Line { offset: a.y - a.x, slope: 1.0 }, a.correlation.signum()));
        for b in &places[index + 1..] {
            let slope = (b.y - a.y) / (b.x - a.x);
            if a.block != b.block && a.correlation * b.correlation > 0.0 && (slope - 1.0).abs() <= MAX_DRIFT {
                lines.push((Line { offset: a.y - slope * a.x, slope }, a.correlation.signum()));
            }
        }
    }
    let score = |&(line, sign): &(Line, f64)| {
        let mut of_block = vec![0.0f64; blocks];
        for place in places.iter().filter(|place| place.correlation * sign > 0.0) {
            let off = (place.y - line.at(place.x)) / TOLERANCE;
            let share = weight(place) * (1.0 - off * off).max(0.0);
            of_block[place.block] = of_block[place.block].max(share);
        }
        // Among equals, as in a periodic signal, the smallest offset.
        of_block.iter().sum::<f64>() * (1.0 - 1e-6 * line.offset.abs() / frames.max(1) as f64)
    };
    let (start, sign) = lines.into_iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    let near = |place: &&Place| place.correlation * sign > 0.0 && (place.y - start.at(place.x)).abs() < TOLERANCE;
    let points: Vec<Point> =
        places.iter().filter(near).map(|place| Point { x: place.x, y: place.y, weight: weight(place) }).collect();
    let first = fitted(points.iter().copied(), start.slope).filter(|line| (line.slope - 1.0).abs() <= MAX_DRIFT);
    let line = robust(&points, first.unwrap_or(start), 0.5).map_or(start, |(line, _)| line);
    let line = if (line.slope - 1.0).abs() <= MAX_DRIFT { line } else { start };
    let mut hit: Vec<usize> = places.iter().filter(near).map(|place| place.block).collect();
    hit.sort_unstable();
    hit.dedup();
    let span = hit.first().zip(hit.last()).map_or([0; 2], |(first, last)| [starts[*first], starts[*last] + length]);
    Some((Vote { line, sign, blocks, on_line: hit.len(), span }, hit))
}

/// The evidence of a place: the logarithm of how much of the block's energy it leaves unexplained.
fn weight(place: &Place) -> f64 {
    -(1.0 - place.correlation.powi(2)).max(1e-6).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;

    #[test]
    fn a_part_is_found_where_it_is() {
        let long = noise(1, 40_000);
        let short: Vec<f32> = long[13_333..25_000].iter().map(|x| -x).collect();
        let vote = vote(&short, &long, 2000).unwrap();
        assert!((vote.line.offset - 13_333.0).abs() < 0.1, "{vote:?}");
        assert!((vote.line.slope - 1.0).abs() < 1e-5 && vote.sign < 0.0);
        assert_eq!(vote.on_line, vote.blocks);
    }

    #[test]
    fn too_little_is_no_vote() {
        assert!(vote(&[], &[], 0).is_none());
        assert!(vote(&[0.0; 100], &[0.0; 100], 50).is_none());
        assert!(vote(&noise(2, 10), &[], 5).is_none());
    }
}
