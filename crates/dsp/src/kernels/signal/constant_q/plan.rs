//! The plan: bins, octaves, and the atoms of an octave.

use std::f64::consts::TAU;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::half_band::{REACH, half_band};
use crate::design::{Bank, FrequencyScale, OctaveBins, Window};
use crate::kernels::signal::stft::{ColumnGrid, Columns, Rows};
use base::error::{Error, Result};

/// The allowed numbers of bins per octave.
pub const BINS_PER_OCTAVE: RangeInclusive<u32> = 12..=96;

/// The parameters of a constant-Q spectrogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantQSpec {
    /// The window function.
    pub window: Window,
    /// Bins per octave, in [`BINS_PER_OCTAVE`].
    pub bins_per_octave: u32,
    /// The frequency of the lowest bin in hertz, above 0 and below the Nyquist frequency.
    pub low_hz: f64,
}

/// A planned constant-Q spectrogram. Cheap to clone, except for the rows.
#[derive(Clone, Debug)]
pub struct ConstantQPlan {
    bins: OctaveBins,
    rate_hz: f64,
    quality: f64,
    rows: Rows,
    half_band: Arc<[f32]>,
    /// The atoms of the highest octave, and those of all others.
    atoms: [Arc<[Atom]>; 2],
}

/// The factors for the frames around a window's middle, scaled so that the squared magnitude of the sum is the power.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Atom {
    /// The number of frames on either side of the middle.
    pub half: usize,
    pub re: Vec<f32>,
    pub im: Vec<f32>,
}

/// Bins that are computed from the signal at one rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Octave<'a> {
    /// The indices of its bins.
    pub bins: Range<usize>,
    /// One atom per bin.
    pub atoms: &'a [Atom],
    /// How often the sample rate is halved.
    pub halvings: u32,
    /// The length of its shortest window, in frames of the signal.
    pub shortest: f64,
}

impl ConstantQPlan {
    /// Plans `count` rows that divide the range from `low_hz` to `high_hz` evenly on `scale` and are computed from bins
    /// like [`Bank::display_octaves`].
    pub fn new(
        spec: ConstantQSpec,
        rate_hz: f64,
        scale: FrequencyScale,
        span_hz: [f64; 2],
        count: usize,
    ) -> Result<Self> {
        let ConstantQSpec { window, bins_per_octave, low_hz } = spec;
        if !BINS_PER_OCTAVE.contains(&bins_per_octave) {
            let allowed = format!("{} to {}", BINS_PER_OCTAVE.start(), BINS_PER_OCTAVE.end());
            return Err(Error::invalid("bins per octave", bins_per_octave.to_string(), allowed));
        }
        if !(low_hz > 0.0 && low_hz < rate_hz / 2.0) {
            let allowed = format!("above 0 Hz and below {} Hz", rate_hz / 2.0);
            return Err(Error::invalid("lowest frequency", format!("{low_hz} Hz"), allowed));
        }
        let per_octave = f64::from(bins_per_octave);
        let bin_count = ((rate_hz / 2.0 / low_hz).log2() * per_octave).ceil().max(1.0) as usize;
        let bins = OctaveBins { low_hz, per_octave: bins_per_octave, count: bin_count };
        let ratio = (1.0 / per_octave).exp2();
        let quality = (ratio + 1.0 / ratio) / (ratio - 1.0 / ratio);
        let atoms = [1.0, 2.0].map(|below| {
            let first = bin_count as f64 - below * per_octave;
            let cycles = |bin: u32| bins.hz_from_bin(first + f64::from(bin)) / rate_hz;
            (0..bins_per_octave).map(|bin| Atom::new(window, quality, cycles(bin))).collect()
        });
        Ok(Self {
            rows: Rows::new(&Bank::display_octaves(bins, scale, span_hz, count)?),
            half_band: half_band().iter().map(|&tap| tap as f32).collect(),
            bins,
            rate_hz,
            quality,
            atoms,
        })
    }

    /// Returns the positions of the bins.
    pub fn bins(&self) -> OctaveBins {
        self.bins
    }

    /// Returns Q, the centre frequency divided by the bandwidth, which is also the number of periods in a window.
    pub fn quality(&self) -> f64 {
        self.quality
    }

    pub(super) fn bank(&self) -> &Rows {
        &self.rows
    }

    /// Returns the atoms of the highest octave, and those of all others.
    pub(super) fn atoms(&self) -> &[Arc<[Atom]>; 2] {
        &self.atoms
    }

    pub(super) fn half_band(&self) -> &[f32] {
        &self.half_band
    }

    /// Returns the octaves from the highest down. The lowest may have fewer bins, the highest of an octave.
    pub(super) fn octaves(&self) -> impl Iterator<Item = Octave<'_>> {
        let each = self.bins.per_octave as usize;
        (0..self.bins.count.div_ceil(each)).map(move |octave| {
            let end = self.bins.count - octave * each;
            let bins = end.saturating_sub(each)..end;
            let highest_hz = self.bins.hz_from_bin((end - 1) as f64);
            Octave {
                atoms: &self.atoms[octave.min(1)][each - bins.len()..],
                bins,
                halvings: octave.saturating_sub(1) as u32,
                shortest: self.quality * self.rate_hz / highest_hz,
            }
        })
    }

    /// Returns the frames that some columns need, at each rate, from the signal's rate down.
    pub(super) fn needs(&self, grid: &ColumnGrid, part: Range<usize>) -> Vec<Range<i64>> {
        if part.is_empty() {
            return Vec::new();
        }
        let mut needs: Vec<Range<i64>> = Vec::new();
        for octave in self.octaves() {
            let frames = octave.reach(&octave.columns(grid), part.clone());
            match needs.get_mut(octave.halvings as usize) {
                Some(need) => *need = need.start.min(frames.start)..need.end.max(frames.end),
                None => needs.push(frames),
            }
        }
        // Each rate is computed from the one before it.
        let reach = REACH as i64;
        for level in (1..needs.len()).rev() {
            let above = 2 * needs[level].start - reach..2 * (needs[level].end - 1) + reach + 1;
            let need = &mut needs[level - 1];
            *need = need.start.min(above.start)..need.end.max(above.end);
        }
        needs
    }
}

impl Octave<'_> {
    /// Returns the columns for windows of this octave.
    pub fn columns(&self, grid: &ColumnGrid) -> Columns {
        grid.columns(self.shortest)
    }

    /// Returns the frame, at the octave's rate, that is nearest to the middle of a window.
    pub fn middle(&self, columns: &Columns, column: usize, window: usize) -> i64 {
        let half = (1_i64 << self.halvings) >> 1;
        (columns.centre(column, window) + half) >> self.halvings
    }

    /// Returns the frames, at the octave's rate, that its windows in some columns cover.
    fn reach(&self, columns: &Columns, part: Range<usize>) -> Range<i64> {
        let half = self.atoms.iter().map(|atom| atom.half).max().unwrap_or(0) as i64;
        let last = self.middle(columns, part.end - 1, columns.windows - 1);
        self.middle(columns, part.start, 0) - half..last + half + 1
    }
}

impl Atom {
    fn new(window: Window, quality: f64, cycles: f64) -> Self {
        let length = quality / cycles;
        let half = (length / 2.0).floor();
        let values: Vec<f64> = (0..=2 * half as usize).map(|n| n as f64 - half).collect();
        let weights: Vec<f64> = values.iter().map(|n| window.at_distance(2.0 * n / length)).collect();
        let scale = 2.0 / weights.iter().sum::<f64>();
        let turned = |part: fn(f64) -> f64| {
            let tap = |(n, weight): (&f64, &f64)| (scale * weight * part(-TAU * cycles * n)) as f32;
            values.iter().zip(&weights).map(tap).collect()
        };
        Self { half: half as usize, re: turned(f64::cos), im: turned(f64::sin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::signal::stft::ColumnAnalysis as _;
    use crate::kernels::signal::stft::Spacing;

    fn plan(bins_per_octave: u32, low_hz: f64) -> Result<ConstantQPlan> {
        let spec = ConstantQSpec { window: Window::Hann, bins_per_octave, low_hz };
        ConstantQPlan::new(spec, 48_000.0, FrequencyScale::Log, [20.0, 24_000.0], 64)
    }

    #[test]
    fn octaves_hold_every_bin_once() {
        for (per_octave, low_hz) in [(12, 20.0), (36, 27.5), (96, 440.0), (36, 15_000.0), (24, 23_000.0)] {
            let plan = plan(per_octave, low_hz).unwrap();
            assert!(plan.bins().hz_from_bin((plan.bins().count - 1) as f64) < 24_000.0);
            assert!(plan.bins().hz_from_bin(plan.bins().count as f64) >= 24_000.0 * (1.0 - 1e-12));
            let mut held = vec![0; plan.bins().count];
            for octave in plan.octaves() {
                assert_eq!(octave.atoms.len(), octave.bins.len());
                octave.bins.clone().for_each(|bin| held[bin] += 1);
                // The length of a window at its octave's rate is the same in every octave.
                for (bin, atom) in octave.bins.clone().zip(octave.atoms) {
                    let frames = plan.quality() * 48_000.0 / plan.bins().hz_from_bin(bin as f64);
                    let length = frames / f64::from(1_u32 << octave.halvings);
                    assert_eq!(atom.half, (length / 2.0).floor() as usize, "bin {bin} of {per_octave}");
                    assert_eq!(atom.re.len(), 2 * atom.half + 1);
                }
            }
            assert!(held.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn needs_reach_over_windows_and_filters() {
        let plan = plan(12, 100.0).unwrap();
        let grid = ColumnGrid { count: 1, first_centre: 50_000.0, frames_each: 64.0, spacing: Spacing::One };
        let reach = plan.reach(&grid);
        let half = (plan.quality() * 480.0 / 2.0) as i64;
        assert!(reach.start < 50_000 - half && reach.end > 50_000 + half, "{reach:?}");
        assert!(reach.end - reach.start < 2 * half + 2 * 31 * 256, "{reach:?}");
        assert_eq!(plan.reach(&ColumnGrid { count: 0, ..grid }), 0..0);
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (bins, low_hz, said) in
            [(11, 20.0, "12 to 96"), (97, 20.0, "97"), (36, 0.0, "Lowest frequency"), (36, 24_000.0, "24000")]
        {
            let message = plan(bins, low_hz).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
        assert!(plan(36, f64::NAN).is_err());
    }
}
