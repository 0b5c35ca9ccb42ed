//! An order for mixing: neighbours fit in tempo and key.
//!
//! The cost of a change from one track to the next is the sum of both:
//! - tempo: the ratio of the tempi in octaves, folded to at most half an octave (a track at half or twice the tempo can
//!   be mixed too), divided by that of 6 %, the usual range of a pitch control;
//! - key: steps on the Camelot wheel of fifths, plus one between major and minor (a key and its relative share a place
//!   on the wheel); each counts a half. So a fifth up or down and the relative key cost a half, as do 3 % of tempo.
//!
//! An unknown tempo or key costs 1. The order begins with a given track or the best of several, takes the nearest track
//! each time, and is then improved by reversing stretches while that lowers the sum (2-opt; G. Croes, "A method for
//! solving traveling-salesman problems", Operations Research 6, 1958).

use crate::questions::query::Key;
use base::error::{Error, Result};
use base::progress::Progress;

/// The maximum number of tracks to order.
pub const MAX_TRACKS: usize = 5000;
/// The tempo range that costs 1: 6 %, in octaves.
const RANGE_OCTAVES: f64 = 0.084_064_264_788_474_54;
/// The cost of an unknown tempo or key.
const UNKNOWN: f64 = 1.0;
/// Beginnings to try if none is given, and the maximum number of tracks for which more than one is tried.
const BEGINNINGS: usize = 8;
const MANY: usize = 1000;
/// Rounds of improvement.
const ROUNDS: usize = 20;

/// The properties of a track that decide its place in a mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixable {
    /// Its tempo in octaves above one beat a minute.
    octaves: Option<f64>,
    key: Option<Key>,
}

impl Mixable {
    /// Takes the tempo in beats per minute, and the key.
    pub fn new(tempo_bpm: Option<f64>, key: Option<Key>) -> Self {
        let octaves = tempo_bpm.filter(|bpm| bpm.is_finite() && *bpm > 0.0).map(f64::log2);
        Self { octaves, key }
    }
}

/// Returns the cost of a change from one track to another.
pub fn cost(from: Mixable, to: Mixable) -> f64 {
    let tempo = match (from.octaves, to.octaves) {
        (Some(a), Some(b)) => {
            let octaves = b - a;
            (octaves - octaves.round()).abs() / RANGE_OCTAVES
        }
        _ => UNKNOWN,
    };
    let key = match (from.key, to.key) {
        (Some(a), Some(b)) => 0.5 * f64::from(a.steps_to(b)),
        _ => UNKNOWN,
    };
    tempo + key
}

/// Returns an order of the tracks, as places in `tracks`, that begins with `first` if it is given. Progress counts tracks.
///
/// # Errors
/// [`Error::Limit`] for more than [`MAX_TRACKS`].
pub fn order(tracks: &[Mixable], first: Option<usize>, progress: &Progress) -> Result<Vec<usize>> {
    if tracks.len() > MAX_TRACKS {
        return Err(Error::Limit {
            what: "the number of tracks to mix".into(),
            got: tracks.len().to_string(),
            limit: MAX_TRACKS.to_string(),
        });
    }
    if tracks.is_empty() {
        return Ok(Vec::new());
    }
    let tries = if tracks.len() > MANY { 1 } else { BEGINNINGS };
    let step = tracks.len().div_ceil(tries);
    let beginnings: Vec<usize> = first.map_or_else(|| (0..tracks.len()).step_by(step).collect(), |first| vec![first]);
    progress.set_total((beginnings.len() * tracks.len()) as u64);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for first in beginnings {
        let mut order = nearest_first(tracks, first, progress)?;
        improve(tracks, &mut order, progress)?;
        let sum = sum_of(tracks, &order);
        if best.as_ref().is_none_or(|(least, _)| sum < *least) {
            best = Some((sum, order));
        }
    }
    Ok(best.map(|(_, order)| order).unwrap_or_default())
}

/// Returns the total cost of an order.
pub fn sum_of(tracks: &[Mixable], order: &[usize]) -> f64 {
    order.windows(2).map(|pair| cost(tracks[pair[0]], tracks[pair[1]])).sum()
}

fn nearest_first(tracks: &[Mixable], first: usize, progress: &Progress) -> Result<Vec<usize>> {
    let mut left: Vec<usize> = (0..tracks.len()).filter(|&track| track != first).collect();
    let mut order = vec![first];
    let mut last = first;
    while !left.is_empty() {
        progress.advance(1)?;
        let costs = left.iter().map(|&track| cost(tracks[last], tracks[track]));
        // Ties go to the first, so that the order of the tracks decides.
        let nearest = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
        last = left.remove(nearest);
        order.push(last);
    }
    Ok(order)
}

/// Reverses stretches while that lowers the cost. The first track stays.
fn improve(tracks: &[Mixable], order: &mut [usize], progress: &Progress) -> Result<()> {
    let between = |order: &[usize], a: usize, b: usize| cost(tracks[order[a]], tracks[order[b]]);
    for _ in 0..ROUNDS {
        let mut is_better = false;
        for start in 1..order.len() {
            progress.check()?;
            for end in start + 1..order.len() {
                // Costs are the same both ways, so only the ends of a stretch change.
                let after = end + 1 < order.len();
                let now = between(order, start - 1, start) + if after { between(order, end, end + 1) } else { 0.0 };
                let turned = between(order, start - 1, end) + if after { between(order, start, end + 1) } else { 0.0 };
                if turned < now - 1e-9 {
                    order[start..=end].reverse();
                    is_better = true;
                }
            }
        }
        if !is_better {
            break;
        }
    }
    Ok(())
}
