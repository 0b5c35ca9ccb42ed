//! Viterbi decoding: the most likely path through voiced and unvoiced pitch states.
//!
//! States `0..n` are voiced pitches, `n..2 n` the same pitches unvoiced. Back pointers are kept for one stretch of
//! windows at a time. The forward pass keeps only the scores at the start of each stretch; the backward pass recomputes
//! each stretch from them.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::{Candidate, voiced};
use base::error::Result;
use base::progress::Progress;
use base::simd::{Lanes, Simd, Task};

/// The fastest change of pitch, in octaves a second.
const OCTAVES_PER_S: f64 = 35.92;
const SWITCH: f64 = 0.01;
/// Added before each logarithm, as in librosa: the probability of an impossible event.
const TINY: f64 = f64::MIN_POSITIVE;
/// The number of windows whose back pointers are kept at once.
const STRETCH: usize = 1024;

/// Returns how many pitch bins one step can move in either direction.
pub(super) fn reach_of(seconds: f64, bins_per_semitone: usize) -> usize {
    (OCTAVES_PER_S * 12.0 * seconds).round_ties_even() as usize * bins_per_semitone / 2
}

/// Returns the pitch bin of every window; `None` if the window is unvoiced.
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
        // One window beyond the stretch: its back pointer leads into the stretch.
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

/// Returns the index of the highest score, the first of equals.
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
    /// The logarithm of the triangle's weights, from `-reach` to `reach`.
    triangle: Vec<f64>,
    /// The logarithm of the sum of each row of the triangle, which normalises the row to 1.
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

    /// Adds the log probabilities of the observation. librosa stores a pitch one bin beyond the highest in the first
    /// unvoiced state, where the unvoiced probability then overwrites it.
    fn observe(&self, candidates: &[Candidate], scores: &mut [f64]) {
        let (sung, unsung) = scores.split_at_mut(self.bins);
        let each = (1.0 - voiced(candidates, self.bins)) / self.bins as f64;
        let none = TINY.ln();
        let of_unvoiced = (each + TINY).ln();
        unsung.iter_mut().for_each(|score| *score += of_unvoiced);
        // Candidates are few: all scores are lowered first, then those of the candidates are restored.
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

/// Working memory of one step.
struct Step {
    /// Scores of both voicings minus the norm of their rows, padded by `reach` at both ends.
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

    /// Advances the scores by one window; `back` receives the previous state of each state.
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
        // Every state is reachable from every other with the smallest probability.
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
                // The band begins `reach` bins below; the first of equal states is taken.
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

/// Finds, for each bin, the best score of the band around it and its index in the band.
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
