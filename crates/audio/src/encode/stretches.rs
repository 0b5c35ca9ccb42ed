//! Finds the samples of a channel that already fit the integers of a file, so that they are written as they are.
//!
//! Dither is for samples that have to be rounded. A file of 16 bits that goes unchanged into a file of 16 bits keeps
//! its bits, and so does what an effect on a part leaves alone. The decision is made by stretches, not sample by
//! sample: at half its level, every second sample of a sound fits by chance, and noise that comes and goes with the
//! sound could be heard. A stretch is at least [`SHORTEST`] samples, or reaches an end of the file.

use std::collections::VecDeque;
use std::ops::Range;

/// The shortest stretch within a file that is written without dither, in samples: 21 ms at 48 kHz.
pub const SHORTEST: u64 = 1024;

/// The number of samples that are compared at a time.
const RUN: usize = 64;

/// Adjacent samples of a channel that all fit, or that are dithered together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    /// The frame after its last.
    end: u64,
    fits: bool,
}

/// The stretches of a channel that is looked at once, from its beginning.
#[derive(Clone, Debug)]
pub struct Stretches {
    /// Full scale as an integer.
    scale: f32,
    /// The number of samples looked at.
    seen: u64,
    /// Where the samples that fit begin, if the last sample is one.
    fitting_from: Option<u64>,
    /// Those that are decided, in order. Of neighbours, one fits and one does not.
    decided: VecDeque<Stretch>,
    rounded: u64,
}

impl Stretches {
    /// Creates the stretches of a channel for integers of `bits` bits, at most 24.
    pub fn new(bits: u32) -> Self {
        Self { scale: (1u32 << (bits - 1)) as f32, seen: 0, fitting_from: None, decided: VecDeque::new(), rounded: 0 }
    }

    /// Looks at the next samples.
    pub fn look_at(&mut self, samples: &[f32]) {
        for run in samples.chunks(RUN) {
            let mut fit = self.fitting(run);
            let mut left = run.len() as u32;
            while left > 0 {
                let fits = fit & 1 == 1;
                let count = if fits { fit.trailing_ones() } else { fit.trailing_zeros() }.min(left);
                self.take(fits, u64::from(count));
                fit = fit.checked_shr(count).unwrap_or(0);
                left -= count;
            }
        }
    }

    /// Returns which of up to [`RUN`] samples fit, the first in the lowest bit.
    fn fitting(&self, samples: &[f32]) -> u64 {
        let scale = self.scale;
        let fits = |sample: f32| {
            let scaled = sample * scale;
            // The conversion rounds towards zero and saturates; `NaN` is unequal to its result.
            let is_whole = scaled as i32 as f32 == scaled;
            let is_within = scaled >= -scale && scaled < scale;
            is_whole && is_within
        };
        if samples.iter().fold(true, |all, &sample| all & fits(sample)) {
            return u64::MAX;
        }
        samples.iter().enumerate().fold(0, |bits, (at, &sample)| bits | u64::from(fits(sample)) << at)
    }

    fn take(&mut self, fits: bool, count: u64) {
        let start = self.seen;
        self.seen += count;
        if !fits {
            self.fitting_from = None;
            self.decide(self.seen, false);
            return;
        }
        let from = *self.fitting_from.get_or_insert(start);
        if from == 0 || self.seen - from >= SHORTEST {
            self.decide(self.seen, true);
        }
    }

    /// Decides all samples up to `end`.
    fn decide(&mut self, end: u64, fits: bool) {
        if !fits {
            self.rounded += end - self.decided();
        }
        match self.decided.back_mut() {
            Some(last) if last.fits == fits => last.end = end,
            _ => self.decided.push_back(Stretch { end, fits }),
        }
    }

    /// Learns that no sample follows.
    pub fn end(&mut self) {
        if self.fitting_from.is_some() {
            self.decide(self.seen, true);
        }
    }

    /// Returns the number of samples from the beginning that are decided.
    pub fn decided(&self) -> u64 {
        self.decided.back().map_or(0, |last| last.end)
    }

    /// Returns the number of decided samples that do not fit, which are dithered and rounded.
    pub fn rounded(&self) -> u64 {
        self.rounded
    }

    /// Forgets the stretches before `frame`.
    pub fn forget(&mut self, frame: u64) {
        while self.decided.len() > 1 && self.decided.front().is_some_and(|first| first.end <= frame) {
            self.decided.pop_front();
        }
    }

    /// Returns the parts of `count` decided samples from `frame` on, counted from there, and whether they fit.
    pub fn within(&self, frame: u64, count: usize) -> impl Iterator<Item = (Range<usize>, bool)> {
        let to = move |end: u64| (end.saturating_sub(frame) as usize).min(count);
        let mut start = 0;
        self.decided.iter().filter_map(move |stretch| {
            let part = start..to(stretch.end);
            start = part.end;
            (!part.is_empty()).then_some((part, stretch.fits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The samples that are written as they are: in runs of at least [`SHORTEST`], or at an end.
    fn kept_by_definition(fits: &[bool]) -> Vec<bool> {
        let mut kept = vec![false; fits.len()];
        let mut start = 0;
        while start < fits.len() {
            let end = (start..fits.len()).find(|&at| fits[at] != fits[start]).unwrap_or(fits.len());
            let reaches = start == 0 || end == fits.len() || (end - start) as u64 >= SHORTEST;
            kept[start..end].fill(fits[start] && reaches);
            start = end;
        }
        kept
    }

    fn kept(samples: &[f32], bits: u32, blocks: &[usize]) -> Vec<bool> {
        let mut stretches = Stretches::new(bits);
        let mut kept = Vec::new();
        let (mut at, mut lengths) = (0, blocks.iter().cycle());
        loop {
            let next = (at + lengths.next().unwrap()).min(samples.len());
            stretches.look_at(&samples[at..next]);
            at = next;
            if at == samples.len() {
                stretches.end();
            }
            let count = stretches.decided() as usize - kept.len();
            let from = kept.len();
            for (part, fits) in stretches.within(from as u64, count) {
                assert_eq!(part.start, kept.len() - from);
                kept.extend(std::iter::repeat_n(fits, part.len()));
            }
            assert_eq!(kept.len(), from + count);
            stretches.forget(kept.len() as u64);
            if at == samples.len() {
                return kept;
            }
        }
    }

    #[test]
    fn what_fits_is_what_rounding_leaves() {
        let step = 1.0 / 32_768.0;
        for (sample, fits) in [
            (0.0, true),
            (-0.0, true),
            (step, true),
            (-1.0, true),
            (32_767.0 * step, true),
            (1.0, false),
            (-1.0 - step, false),
            (0.5 * step, false),
            (1.5 * step, false),
            (1e-30, false),
            (f32::NAN, false),
            (f32::INFINITY, false),
            (f32::NEG_INFINITY, false),
        ] {
            assert_eq!(Stretches::new(16).fitting(&[sample, 0.3]) & 1 == 1, fits, "{sample}");
        }
        assert_eq!(Stretches::new(24).fitting(&[0.5 * step, 0.3]) & 1, 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn stretches_do_not_depend_on_blocks(
            runs in prop::collection::vec((any::<bool>(), 1usize..2600), 1..8),
            blocks in prop::collection::vec(1usize..1500, 1..6),
        ) {
            let fits: Vec<bool> = runs.iter().flat_map(|&(fits, count)| std::iter::repeat_n(fits, count)).collect();
            let samples: Vec<f32> = fits.iter().map(|&fits| if fits { 0.25 } else { 0.3 }).collect();
            prop_assert_eq!(kept(&samples, 16, &blocks), kept_by_definition(&fits));
        }
    }
}
