//! The likeliest way through voiced and unvoiced pitches.
//!
//! States `0..n` are voiced pitches, `n..2 n` the same unvoiced. Backward steps are kept for one stretch of windows at a
//! time: forwards only the scores at the beginning of each stretch are, and stretches are run again on the way back.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::{Candidate, voiced};
use crate::error::Result;
use crate::kernels::simd::{Lanes, Simd, Task};
use crate::progress::Progress;

/// Octaves a second that pitch can move.
const OCTAVES_PER_S: f64 = 35.92;
const SWITCH: f64 = 0.01;
/// Added before logarithms, as librosa does: the probability of what is impossible.
const TINY: f64 = f64::MIN_POSITIVE;
/// Windows whose backward steps are kept at once.
const STRETCH: usize = 1024;

/// How many pitch bins a step can move to either side.
pub(super) fn reach_of(seconds: f64, bins_per_semitone: usize) -> usize {
    (OCTAVES_PER_S * 12.0 * seconds).round_ties_even() as usize * bins_per_semitone / 2
}

/// The pitch bin of every window; none where it is unvoiced.
pub(super) fn path(
    observed: &[Vec<Candidate>],
    bins: usize,
    reach: usize,
    progress: &Progress,
) -> Result<Vec<Option<usize>>> {
    let model = Model::new(bins, reach);
    let mut path = vec![None; observed.len()];
    if observed.is_empty() {
        return Ok(path);
    }
    let mut step = Step::new(&model);
    let mut scores = vec![0.0; 2 * bins];
    model.begin(&observed[0], &mut scores);
    let mut begins = vec![scores.clone()];
    for (index, candidates) in observed.iter().enumerate().skip(1) {
        step.run(&model, candidates, &mut scores, None);
        if index % STRETCH == 0 {
            begins.push(scores.clone());
            progress.check()?;
        }
    }
    let mut state = first_highest(&scores);
    let mut back = vec![0u16; STRETCH * 2 * bins];
    for (stretch, mut scores) in begins.into_iter().enumerate().rev() {
        progress.check()?;
        let from = stretch * STRETCH;
        // One window further than the stretch: its backward step leads into it.
        let end = observed.len().min(from + STRETCH + 1);
        for index in from + 1..end {
            let back = &mut back[(index - from - 1) * 2 * bins..][..2 * bins];
            step.run(&model, &observed[index], &mut scores, Some(back));
        }
        for index in (from + 1..end).rev() {
            path[index] = (state < bins).then_some(state);
            state = usize::from(back[(index - from - 1) * 2 * bins + state]);
        }
    }
    path[0] = (state < bins).then_some(state);
    Ok(path)
}

/// The first of the highest.
fn first_highest(scores: &[f64]) -> usize {
    let mut best = 0;
    for (state, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = state;
        }
    }
    best
}

struct Model {
    bins: usize,
    reach: usize,
    /// The logarithm of the triangle, from `-reach` to `reach`.
    triangle: Vec<f64>,
    /// The logarithm of what each row of the triangle is divided by to sum to 1.
    norm: Vec<f64>,
}

impl Model {
    fn new(bins: usize, reach: usize) -> Self {
        let triangle: Vec<f64> =
            (0..=2 * reach).map(|i| 1.0 - (i as f64 - reach as f64).abs() / (reach + 1) as f64).collect();
        let norm = |bin: usize| {
            let (from, to) = (reach.saturating_sub(bin), (reach + bins - bin).min(2 * reach + 1));
            triangle[from..to].iter().sum::<f64>().ln()
        };
        Self {
            bins,
            reach,
            norm: (0..bins).map(norm).collect(),
            triangle: triangle.iter().map(|weight| weight.ln()).collect(),
        }
    }

    fn begin(&self, candidates: &[Candidate], scores: &mut [f64]) {
        scores.fill((1.0 / (2 * self.bins) as f64 + TINY).ln());
        self.observe(candidates, scores);
    }

    /// Adds the logarithms of what is observed. librosa keeps the pitch one beyond the highest in the first unvoiced
    /// state, where the unvoiced probability then replaces it.
    fn observe(&self, candidates: &[Candidate], scores: &mut [f64]) {
        let (sung, unsung) = scores.split_at_mut(self.bins);
        let each = (1.0 - voiced(candidates, self.bins)) / self.bins as f64;
        let none = TINY.ln();
        let of_unvoiced = (each + TINY).ln();
        unsung.iter_mut().for_each(|score| *score += of_unvoiced);
        // Candidates are few: what they have is put back after all were lowered.
        let kept: Vec<(usize, f64)> = candidates
            .iter()
            .filter(|candidate| (candidate.bin as usize) < self.bins)
            .map(|candidate| {
                (candidate.bin as usize, sung[candidate.bin as usize] + (candidate.probability + TINY).ln())
            })
            .collect();
        sung.iter_mut().for_each(|score| *score += none);
        for (bin, score) in kept {
            sung[bin] = score;
        }
    }
}

/// Memory for one step.
struct Step {
    /// Scores of both voicings with the norm of their rows taken off, with room for the band at both ends.
    padded: [Vec<f64>; 2],
    best: [Vec<f64>; 2],
    from: [Vec<u32>; 2],
}

impl Step {
    fn new(model: &Model) -> Self {
        let padded = || vec![f64::NEG_INFINITY; model.bins + 2 * model.reach];
        Self {
            padded: [padded(), padded()],
            best: [vec![0.0; model.bins], vec![0.0; model.bins]],
            from: [vec![0; model.bins], vec![0; model.bins]],
        }
    }

    /// Takes the scores one window further; `back` gets the state that each came from.
    fn run(&mut self, model: &Model, candidates: &[Candidate], scores: &mut [f64], back: Option<&mut [u16]>) {
        let bins = model.bins;
        for voicing in 0..2 {
            let padded = &mut self.padded[voicing][model.reach..][..bins];
            for ((to, score), norm) in padded.iter_mut().zip(&scores[voicing * bins..]).zip(&model.norm) {
                *to = score - norm;
            }
            Simd::best().dispatch(Band {
                padded: &self.padded[voicing],
                triangle: &model.triangle,
                best: &mut self.best[voicing],
                from: &mut self.from[voicing],
            });
        }
        // Any state can come from any other with the least probability there is.
        let anywhere = first_highest(scores);
        let least = scores[anywhere] + TINY.ln();
        let (stay, change) = ((1.0 - SWITCH).ln(), SWITCH.ln());
        let mut none = Vec::new();
        let back = back.unwrap_or_else(|| {
            none.resize(2 * bins, 0);
            &mut none
        });
        for voicing in 0..2 {
            let (of_voiced, of_unvoiced) = if voicing == 0 { (stay, change) } else { (change, stay) };
            for bin in 0..bins {
                let (a, b) = (self.best[0][bin] + of_voiced, self.best[1][bin] + of_unvoiced);
                // The band began `reach` bins below; of equals the first state is taken.
                let place = |voicing: usize| self.from[voicing][bin] as usize + bin - model.reach + voicing * bins;
                let (mut score, mut state) = if b > a { (b, place(1)) } else { (a, place(0)) };
                if least > score {
                    (score, state) = (least, anywhere);
                }
                scores[voicing * bins + bin] = score;
                back[voicing * bins + bin] = state as u16;
            }
        }
        model.observe(candidates, scores);
    }
}

/// For each bin the best of the band around it, and its place in the band.
struct Band<'a> {
    padded: &'a [f64],
    triangle: &'a [f64],
    best: &'a mut [f64],
    from: &'a mut [u32],
}

impl Task for Band<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        const TILE: usize = 16;
        let Self { padded, triangle, best, from } = self;
        let whole = best.len() / TILE * TILE;
        for start in (0..whole).step_by(TILE) {
            let mut highest = [f64::NEG_INFINITY; TILE];
            let mut places = [0f64; TILE];
            for (place, weight) in triangle.iter().enumerate() {
                let scores: &[f64] = &padded[start + place..][..TILE];
                for lane in 0..TILE {
                    let score = scores[lane] + weight;
                    let better = score > highest[lane];
                    highest[lane] = if better { score } else { highest[lane] };
                    places[lane] = if better { place as f64 } else { places[lane] };
                }
            }
            best[start..start + TILE].copy_from_slice(&highest);
            for (to, place) in from[start..].iter_mut().zip(places) {
                *to = place as u32;
            }
        }
        for bin in whole..best.len() {
            best[bin] = f64::NEG_INFINITY;
            for (place, weight) in triangle.iter().enumerate() {
                let score = padded[bin + place] + weight;
                if score > best[bin] {
                    (best[bin], from[bin]) = (score, place as u32);
                }
            }
        }
    }
}
