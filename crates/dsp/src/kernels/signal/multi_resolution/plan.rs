//! The plan: which window lengths serve which rows, and with which share.

use std::ops::Range;

use crate::design::{Bank, FrequencyScale, Window};
use crate::kernels::signal::stft::{Rows, StftPlan, StftSpec};
use base::error::Result;

/// The centre of the range that the configured length serves, in hertz.
pub const CENTRE_HZ: f64 = 1000.0;
/// The distance between the centres of the ranges of two lengths, in octaves.
pub const OCTAVES_EACH: f64 = 2.0;
/// The width of the cross-fade between two lengths, in octaves.
const FADE_OCTAVES: f64 = 1.0;
/// The binary logarithms of the shortest and the longest length relative to the configured one.
pub const DOUBLINGS: std::ops::RangeInclusive<i32> = -2..=2;

/// The parameters of a multi-resolution spectrogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiResolutionSpec {
    /// The window function.
    pub window: Window,
    /// Frames per window at 1 kHz: a power of two in [`StftSpec::SIZES`].
    pub size: usize,
    /// The zero-padding factor: the length of each transform divided by that of its window. One of
    /// [`StftSpec::PADDINGS`].
    pub padding: usize,
}

/// A planned multi-resolution spectrogram: its transforms, and the rows that each serves.
#[derive(Clone, Debug)]
pub struct MultiResolutionPlan {
    rows: usize,
    parts: Vec<Resolution>,
}

/// A window length, with the rows that it serves.
#[derive(Clone, Debug)]
pub(super) struct Resolution {
    pub plan: StftPlan,
    /// The rows that it serves.
    pub rows: Rows,
    /// The index of its first row in the picture.
    pub first_row: usize,
    /// For each of its rows, its share in the level, 0 to 1.
    pub shares: Vec<f32>,
    /// For each of its rows, whether no earlier part has a share.
    pub first: Vec<bool>,
}

impl MultiResolutionPlan {
    /// Plans `count` rows that divide the range from `low_hz` to `high_hz` evenly on `scale`, like [`Bank::display`].
    pub fn new(
        spec: MultiResolutionSpec,
        rate_hz: f64,
        scale: FrequencyScale,
        [low_hz, high_hz]: [f64; 2],
        count: usize,
    ) -> Result<Self> {
        let MultiResolutionSpec { window, size, padding } = spec;
        // Checks the configured size first, so that an error names it and not a length derived from it.
        StftPlan::new(StftSpec { window, size, padding, hop: size.max(1) })?;
        let mut parts: Vec<Resolution> = Vec::new();
        for length in lengths(size) {
            let plan = StftPlan::new(StftSpec { window, size: length, padding, hop: length })?;
            let bank = Bank::display(plan.bins_at(rate_hz), scale, [low_hz, high_hz], count)?;
            let edges = scale.spaced(low_hz, high_hz, count + 1);
            let share = |row: usize| share_of(length, size, f64::midpoint(edges[row], edges[row + 1]));
            // The share falls on both sides of a length's centre, so its rows are contiguous.
            let Some(first_row) = (0..count).find(|&row| share(row) > 0.0) else { continue };
            let end = (first_row..count).find(|&row| share(row) <= 0.0).unwrap_or(count);
            let served = |row: usize| parts.iter().any(|part| part.range().contains(&row));
            parts.push(Resolution {
                plan,
                rows: Rows::new(&bank.part(first_row..end)),
                first_row,
                shares: (first_row..end).map(|row| share(row) as f32).collect(),
                first: (first_row..end).map(|row| !served(row)).collect(),
            });
        }
        Ok(Self { rows: count, parts })
    }
    /// Returns the window lengths that serve at least one row, with the rows that each serves. The longest comes first.
    pub fn lengths(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.parts.iter().map(|part| (part.plan.spec().size, part.range()))
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows
    }

    pub(super) fn parts(&self) -> &[Resolution] {
        &self.parts
    }
}

impl Resolution {
    /// Returns the number of frames per window.
    pub fn size(&self) -> f64 {
        self.plan.spec().size as f64
    }

    fn range(&self) -> Range<usize> {
        self.first_row..self.first_row + self.shares.len()
    }
}

fn limited(length: f64) -> usize {
    // Both limits are powers of two, so a power of two stays one.
    (length as usize).clamp(*StftSpec::SIZES.start(), *StftSpec::SIZES.end())
}

/// Returns the window lengths without duplicates, the longest first.
fn lengths(size: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> =
        DOUBLINGS.rev().map(|doublings| limited(size as f64 * f64::from(doublings).exp2())).collect();
    lengths.dedup();
    lengths
}

/// Returns the share of a length in the level at a frequency, 0 to 1.
fn share_of(length: usize, size: usize, hz: f64) -> f64 {
    // The ideal length at this frequency, as a number of doublings of the size.
    let wanted = -(hz / CENTRE_HZ).log2() / OCTAVES_EACH;
    let wanted = wanted.clamp(f64::from(*DOUBLINGS.start()), f64::from(*DOUBLINGS.end()));
    let shorter = wanted.floor();
    // The fade is centred between two lengths.
    let longer_share = ((wanted - shorter - 0.5) * OCTAVES_EACH / FADE_OCTAVES + 0.5).clamp(0.0, 1.0);
    let at = |doublings: f64| if limited(size as f64 * doublings.exp2()) == length { 1.0 } else { 0.0 };
    at(shorter) * (1.0 - longer_share) + at(shorter + 1.0) * longer_share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(size: usize, count: usize) -> MultiResolutionPlan {
        let spec = MultiResolutionSpec { window: Window::Hann, size, padding: 1 };
        MultiResolutionPlan::new(spec, 48_000.0, FrequencyScale::Log, [20.0, 24_000.0], count).unwrap()
    }

    #[test]
    fn lengths_are_what_the_formula_says() {
        for (hz, length) in
            [(20.0, 8192), (88.0, 8192), (250.0, 4096), (1000.0, 2048), (1400.0, 2048), (4000.0, 1024), (20_000.0, 512)]
        {
            assert!((share_of(length, 2048, hz) - 1.0).abs() < 1e-12, "{hz} Hz, {length} frames");
        }
        // Both have half on the border, and the shares sum to 1 everywhere.
        assert!((share_of(2048, 2048, 500.0) - 0.5).abs() < 1e-12 && (share_of(4096, 2048, 500.0) - 0.5).abs() < 1e-12);
        for hz in (1..24_000).map(f64::from) {
            let sum: f64 = lengths(2048).into_iter().map(|length| share_of(length, 2048, hz)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{hz} Hz: {sum}");
        }
        assert_eq!(share_of(8192, 2048, 0.0), 1.0);
    }

    #[test]
    fn lengths_that_there_are_not_are_the_nearest_that_there_is() {
        assert_eq!(lengths(64), [256, 128, 64]);
        assert_eq!(lengths(65_536), [65_536, 32_768, 16_384]);
        let longest = plan(65_536, 300);
        assert_eq!(longest.lengths().map(|(length, _)| length).collect::<Vec<_>>(), [65_536, 32_768, 16_384]);
        assert!(longest.parts()[0].shares[..150].iter().all(|&share| share == 1.0));
    }

    #[test]
    fn every_row_is_served_and_only_transforms_that_serve_are_made() {
        let whole = plan(2048, 512);
        let mut sum = vec![0.0; 512];
        let mut first = vec![0; 512];
        for part in whole.parts() {
            assert_eq!(part.rows.len(), part.shares.len());
            for (at, row) in part.range().enumerate() {
                sum[row] += part.shares[at];
                first[row] += usize::from(part.first[at]);
            }
        }
        assert!(sum.iter().all(|sum| (sum - 1.0).abs() < 1e-6));
        assert_eq!(first, [1; 512]);
        let spec = MultiResolutionSpec { window: Window::Hann, size: 2048, padding: 1 };
        let high = MultiResolutionPlan::new(spec, 48_000.0, FrequencyScale::Linear, [16_000.0, 24_000.0], 256).unwrap();
        assert_eq!(high.lengths().collect::<Vec<_>>(), [(512, 0..256)]);
    }

    #[test]
    fn what_is_not_allowed_is_refused_by_the_size_that_is_set() {
        for (size, padding, said) in [(32, 1, "32 frames"), (131_072, 1, "131072"), (2048, 3, "1, 2, 4 or 8")] {
            let spec = MultiResolutionSpec { window: Window::Hann, size, padding };
            let made = MultiResolutionPlan::new(spec, 48_000.0, FrequencyScale::Linear, [0.0, 24_000.0], 8);
            let message = made.unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }
}
