//! Voting: triples found again indicate where a query is in a track.
//!
//! A posting is a triple of a track, packed into one `u64`: pitch (11 bits), span (9), track (22) and time (22). The
//! postings of a cell are therefore sorted by pitch, and a query reads only those within its range. Each match gives
//! the change in pitch and tempo, and thereby the time in the track that corresponds to the middle of a stretch of the
//! query. Votes for one track at a similar time and pitch form a seed.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::MAX_CHANGE;
use super::STEPS_PER_OCTAVE;
use super::peaks::Peak;
use super::triples::{self, CELLS, Question, Triple};

pub(super) const TIME_BITS: u32 = 22;
pub(super) const TRACK_BITS: u32 = 22;
pub(super) const SPAN_BITS: u32 = 9;
/// Maximum number of tracks in postings.
pub(super) const MAX_TRACKS: u32 = 1 << TRACK_BITS;
/// Length of the stretches of a query within which votes add up, in time units: 8 s.
const STRETCH: u32 = 1376;
/// Maximum distance between votes of one seed, in time units (0.15 s) and pitch steps (1/48 octave).
const APART: f32 = 26.0;
const APART_STEPS: i32 = 6;
/// Maximum measurement error of a span, as a ratio.
const SPAN_SLACK: f32 = 1.03;

/// Triples of tracks, by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    /// The start of each cell, and the end of the last; empty if there are no postings.
    starts: Vec<u32>,
    values: Vec<u64>,
}

impl Postings {
    /// Builds postings from triples in any order.
    pub fn new(mut triples: Vec<(u32, u64)>) -> Self {
        triples.sort_unstable();
        let mut starts = vec![0_u32; CELLS as usize + 1];
        for &(cell, _) in &triples {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..CELLS as usize {
            starts[cell + 1] += starts[cell];
        }
        Self { starts, values: triples.into_iter().map(|(_, value)| value).collect() }
    }

    /// Merges two sets of postings and drops the tracks for which `kept` is false.
    pub fn merged(a: &Self, b: &Self, kept: impl Fn(u32) -> bool) -> Self {
        let mut starts = Vec::with_capacity(CELLS as usize + 1);
        let mut values = Vec::with_capacity(a.len() + b.len());
        for cell in 0..CELLS {
            starts.push(values.len() as u32);
            let (mut x, mut y) = (a.cell(cell), b.cell(cell));
            while let Some(next) = match (x.first(), y.first()) {
                (Some(p), Some(q)) => Some(*p.min(q)),
                (p, q) => p.or(q).copied(),
            } {
                let from = if x.first() == Some(&next) { &mut x } else { &mut y };
                *from = &from[1..];
                if kept(track(next)) {
                    values.push(next);
                }
            }
        }
        starts.push(values.len() as u32);
        Self { starts, values }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn bytes(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.values.len() * size_of::<u64>()
    }

    fn cell(&self, cell: u32) -> &[u64] {
        match self.starts.get(cell as usize..cell as usize + 2) {
            Some(&[from, to]) => &self.values[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// Packs a triple of a track; `None` if its time is beyond the limit of 6.7 h.
pub(super) fn posting(triple: &Triple, track: u32) -> Option<(u32, u64)> {
    (triple.time < 1 << TIME_BITS).then(|| {
        let head = u64::from(triple.place) << SPAN_BITS | u64::from(triple.span);
        (triple.cell, (head << TRACK_BITS | u64::from(track)) << TIME_BITS | u64::from(triple.time))
    })
}

fn track(posting: u64) -> u32 {
    (posting >> TIME_BITS) as u32 & (MAX_TRACKS - 1)
}

/// A match between a triple of the query and a posting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vote {
    track: u32,
    /// The index of the stretch of the query.
    stretch: u32,
    /// The time in the track that corresponds to the middle of the stretch.
    middle: f32,
    /// How much higher the track is, in pitch steps.
    pitch: i16,
    /// Track time per unit of query time.
    slope: f32,
    /// The time in the query.
    time: u32,
}

/// A place where many votes agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seed {
    pub track: u32,
    /// Number of distinct first peaks of the query that voted.
    pub votes: u32,
    /// A time in the query, and the corresponding time in the track.
    pub query_time: f64,
    pub track_time: f64,
    pub slope: f64,
    pub pitch: f64,
}

/// A triple of a query, and the pitches at which it is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// The lowest and the highest pitch.
    pub lowest: u16,
    pub highest: u16,
    place: u16,
    span: u16,
    time: u32,
}

impl Asked {
    pub fn new(question: &Question) -> Self {
        static MAX_STEPS: LazyLock<u16> =
            LazyLock::new(|| (MAX_CHANGE.log2() * f64::from(STEPS_PER_OCTAVE)).ceil() as u16);
        let &Question { place, span, time, .. } = question;
        Self { lowest: place.saturating_sub(*MAX_STEPS), highest: place + *MAX_STEPS, place, span, time }
    }

    /// Returns the vote of a triple in a cell of the question, with a pitch within the limits; `None` if its span
    /// differs by too much.
    pub fn vote(&self, track: u32, place: u16, span: u16, time: u32) -> Option<Vote> {
        const MAX_SLOPE: f32 = MAX_CHANGE as f32 * SPAN_SLACK;
        let slope = f32::from(span) / f32::from(self.span);
        if slope > MAX_SLOPE || slope * MAX_SLOPE < 1.0 {
            return None;
        }
        let stretch = self.time / STRETCH;
        let to_middle = (stretch * STRETCH + STRETCH / 2) as f32 - self.time as f32;
        Some(Vote {
            track,
            stretch,
            middle: time as f32 + slope * to_middle,
            pitch: place as i16 - self.place as i16,
            slope,
            time: self.time,
        })
    }
}

/// Looks up all triples of `peaks`. Tracks for which `wanted` is false do not vote.
pub(super) fn votes(postings: &[&Postings], peaks: &[Peak], wanted: impl Fn(u32) -> bool) -> Vec<Vote> {
    let shift = SPAN_BITS + TRACK_BITS + TIME_BITS;
    let mut votes = Vec::new();
    triples::asked(peaks, |question| {
        let asked = Asked::new(question);
        let lowest = u64::from(asked.lowest) << shift;
        let behind = u64::from(asked.highest + 1) << shift;
        for cell in question.cells() {
            for postings in postings {
                let all = postings.cell(cell);
                let from = all.partition_point(|&posting| posting < lowest);
                for &posting in all[from..].iter().take_while(|&&posting| posting < behind) {
                    let span = (posting >> (TRACK_BITS + TIME_BITS)) as u16 & ((1 << SPAN_BITS) - 1);
                    let time = posting as u32 & ((1 << TIME_BITS) - 1);
                    let vote = asked.vote(track(posting), (posting >> shift) as u16, span, time);
                    votes.extend(vote.filter(|vote| wanted(vote.track)));
                }
            }
        }
    });
    votes
}

/// Returns the best seed of each track and stretch that has at least `least` votes, those with the most votes first.
pub(super) fn seeds(mut votes: Vec<Vote>, least: u32) -> Vec<Seed> {
    // All fields, so that the order depends neither on the order of the votes nor on the number of threads.
    votes.par_sort_unstable_by(|a, b| {
        let places = |vote: &Vote| (vote.track, vote.stretch);
        let rest = |vote: &Vote| (vote.time, vote.pitch);
        let slopes = || a.slope.total_cmp(&b.slope);
        places(a).cmp(&places(b)).then(a.middle.total_cmp(&b.middle)).then(rest(a).cmp(&rest(b))).then_with(slopes)
    });
    let mut seeds: Vec<Seed> = votes
        .chunk_by(|a, b| (a.track, a.stretch) == (b.track, b.stretch))
        .filter(|group| group.len() >= least as usize)
        .filter_map(|group| best(group, least))
        .collect();
    seeds.sort_by(|a, b| b.votes.cmp(&a.votes).then(a.track.cmp(&b.track)).then(a.query_time.total_cmp(&b.query_time)));
    seeds
}

/// Returns the best seed among votes of one track and stretch, which are ordered by track time.
fn best(votes: &[Vote], least: u32) -> Option<Seed> {
    let mut best: Option<(u32, usize, usize, i16)> = None;
    let mut times = Vec::new();
    let mut behind = 0;
    for (index, first) in votes.iter().enumerate() {
        while behind < votes.len() && votes[behind].middle <= first.middle + APART {
            behind += 1;
        }
        if behind - index < best.map_or(least, |(count, ..)| count) as usize {
            continue;
        }
        times.clear();
        times.extend(near_in_pitch(&votes[index..behind], first.pitch).map(|vote| vote.time));
        times.sort_unstable();
        times.dedup();
        let count = times.len() as u32;
        if count >= least && best.is_none_or(|(most, ..)| count > most) {
            best = Some((count, index, behind, first.pitch));
        }
    }
    best.map(|(count, from, to, pitch)| {
        let all: Vec<&Vote> = near_in_pitch(&votes[from..to], pitch).collect();
        let mut slopes: Vec<f32> = all.iter().map(|vote| vote.slope).collect();
        slopes.sort_unstable_by(f32::total_cmp);
        let mean = |of: &dyn Fn(&Vote) -> f64| all.iter().map(|vote| of(vote)).sum::<f64>() / all.len() as f64;
        Seed {
            track: votes[from].track,
            votes: count,
            query_time: f64::from(votes[from].stretch * STRETCH + STRETCH / 2),
            track_time: mean(&|vote| f64::from(vote.middle)),
            slope: f64::from(slopes[slopes.len() / 2]),
            pitch: mean(&|vote| f64::from(vote.pitch)),
        }
    })
}

fn near_in_pitch(votes: &[Vote], pitch: i16) -> impl Iterator<Item = &Vote> {
    votes.iter().filter(move |vote| i32::from(vote.pitch - pitch).abs() <= APART_STEPS)
}
