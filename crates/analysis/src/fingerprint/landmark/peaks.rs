//! Local maxima of the power map.
//!
//! A peak is greater than everything within 8 windows (0.19 s) and 5 bands (1/7 octave) of it. Its strength is how far
//! it exceeds the mean power within 8 windows and half an octave. Its time and pitch are interpolated by parabolas
//! through the neighbouring levels in dB.

use super::map::{BANDS, BandSpectrogram, PER_OCTAVE, Row};
use super::{Landmarks, STEPS_PER_OCTAVE};

/// Number of windows before and after that a peak must exceed.
const REACH: usize = 8;
/// Number of bands above and below that a peak must exceed.
const SPREAD: usize = 5;
/// Number of bands above and below for the mean power that the strength refers to.
const SURROUNDINGS: usize = PER_OCTAVE / 2;
/// Number of rows held.
const HELD: usize = 2 * REACH + 1;
/// Powers below this are silence: about -84 dB re a full-scale sine at 1 kHz.
const FLOOR: f32 = 1e-9;
/// Powers below the strongest nearby power times this factor are masked.
const DEPTH: f32 = 1e-5;
/// The minimum strength in dB.
const MIN_DB: f32 = 0.0;
/// Step of the stored strength in dB; there are 32 steps.
const STRENGTH_STEP_DB: f32 = 0.5;
const MAX_STRENGTH: f32 = 31.0;
const STEPS: f32 = (STEPS_PER_OCTAVE as usize / PER_OCTAVE) as f32;
/// Time units per hop.
const UNITS: f32 = 4.0;
/// Time units from the first sample to the centre of the first window.
const FIRST_CENTRE: u32 = (super::map::SIZE / 2 * 4 / super::map::HOP) as u32;

/// A local maximum of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peak {
    /// Time in units of [`super::TIME_UNIT_S`].
    pub time: u32,
    /// Pitch in steps of 1/288 octave above 250 Hz: 0..1152.
    pub place: u16,
    /// Level above the surrounding mean, in steps of 0.5 dB: 0..=31.
    pub strength: u8,
}

/// Extracts the landmarks of one channel at 11,025 Hz, block by block.
pub struct LandmarkExtractor {
    map: BandSpectrogram,
    maxima: Maxima,
    samples: u64,
}

impl Default for LandmarkExtractor {
    fn default() -> Self {
        Self { map: BandSpectrogram::new(), maxima: Maxima::default(), samples: 0 }
    }
}

impl LandmarkExtractor {
    /// Takes the next samples.
    pub fn push(&mut self, mono: &[f32]) {
        self.samples += mono.len() as u64;
        let Self { map, maxima, .. } = self;
        map.push(mono, |row| maxima.push(row));
    }

    /// Ends the stream and returns the landmarks.
    pub fn finish(mut self) -> Landmarks {
        self.maxima.finish();
        let length = self.samples * UNITS as u64 / super::map::HOP as u64;
        Landmarks { peaks: self.maxima.peaks, length: u32::try_from(length).unwrap_or(u32::MAX) }
    }
}

/// The most recent rows, and the peaks found so far.
#[derive(Default)]
struct Maxima {
    /// Row `r` is at `r % HELD`.
    rows: Vec<HeldRow>,
    count: usize,
    peaks: Vec<Peak>,
}

struct HeldRow {
    row: Row,
    /// The maximum within [`SPREAD`] bands.
    around: Row,
    /// Cumulative sums of power over all lower bands.
    sums: [f32; BANDS + 1],
    greatest: f32,
}

impl Default for HeldRow {
    fn default() -> Self {
        Self { row: [0.0; BANDS], around: [0.0; BANDS], sums: [0.0; BANDS + 1], greatest: 0.0 }
    }
}

impl HeldRow {
    fn set(&mut self, row: &Row) {
        self.row = *row;
        self.around = maxima_around(row);
        let mut sum = 0.0;
        for (to, power) in self.sums[1..].iter_mut().zip(row) {
            sum += power;
            *to = sum;
        }
        self.greatest = row.iter().copied().fold(0.0, greater);
    }
}

/// Returns the maximum within [`SPREAD`] bands of each band: of runs of 2, 4 and 8 bands, and of two runs of 8.
fn maxima_around(row: &Row) -> Row {
    const REST: usize = 2 * SPREAD + 1 - 8;
    let mut runs = [0.0; BANDS + 2 * SPREAD];
    runs[SPREAD..SPREAD + BANDS].copy_from_slice(row);
    for step in [1, 2, 4] {
        // The runs near the end are cut off, and not used.
        for at in 0..runs.len() - step {
            runs[at] = greater(runs[at], runs[at + step]);
        }
    }
    std::array::from_fn(|band| greater(runs[band], runs[band + REST]))
}

/// The greater of two powers. `f32::max` also handles `NaN`, which powers never are, and takes several instructions.
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Maxima {
    fn push(&mut self, row: &Row) {
        if self.rows.len() < HELD {
            self.rows.push(HeldRow::default());
        }
        self.rows[self.count % HELD].set(row);
        self.count += 1;
        if let Some(middle) = self.count.checked_sub(REACH + 1) {
            self.find(middle);
        }
    }

    fn finish(&mut self) {
        for middle in self.count.saturating_sub(REACH)..self.count {
            self.find(middle);
        }
    }

    /// Finds the peaks of row `middle`, compared with up to [`REACH`] rows before it and as many after it as exist.
    fn find(&mut self, middle: usize) {
        let rows = &self.rows;
        let of = |row: usize| &rows[row % HELD];
        let (first, last) = (middle.saturating_sub(REACH), (middle + REACH).min(self.count - 1));
        let least = (first..=last).map(|row| of(row).greatest).fold(0.0, f32::max) * DEPTH;
        let here = of(middle);
        for band in 1..BANDS - 1 {
            let power = here.row[band];
            if power < here.around[band] || power < FLOOR.max(least) {
                continue;
            }
            // Among equal values, the first in time and the lowest in pitch is the peak.
            let lower = band.saturating_sub(SPREAD)..band;
            let outdone = here.row[lower].iter().any(|&other| other >= power)
                || (first..middle).any(|row| of(row).around[band] >= power)
                || (middle + 1..=last).any(|row| of(row).around[band] > power);
            if outdone {
                continue;
            }
            let (low, high) = (band.saturating_sub(SURROUNDINGS), (band + SURROUNDINGS + 1).min(BANDS));
            let sum: f32 = (first..=last).map(|row| of(row).sums[high] - of(row).sums[low]).sum();
            let mean = sum / ((high - low) * (last - first + 1)) as f32;
            let strength_db = decibels(power / mean);
            if strength_db < MIN_DB {
                continue;
            }
            let across = vertex(here.row[band - 1], power, here.row[band + 1]);
            let before = if middle > first { of(middle - 1).row[band] } else { power };
            let after = if middle < last { of(middle + 1).row[band] } else { power };
            let along = vertex(before, power, after);
            let time = FIRST_CENTRE + middle as u32 * UNITS as u32;
            self.peaks.push(Peak {
                time: time.saturating_add_signed((along * UNITS).round() as i32),
                place: ((band as f32 + across) * STEPS).round() as u16,
                strength: (strength_db / STRENGTH_STEP_DB).clamp(0.0, MAX_STRENGTH) as u8,
            });
        }
        // Interpolated times may precede those of the previous row, so the last peaks are sorted again.
        let mut at = self.peaks.len();
        while at > 0 && self.peaks[at - 1].time + 2 * UNITS as u32 >= FIRST_CENTRE + middle as u32 * UNITS as u32 {
            at -= 1;
        }
        self.peaks[at..].sort_unstable();
    }
}

fn decibels(power: f32) -> f32 {
    3.010_3 * power.max(1e-20).log2()
}

/// Returns the position of the maximum of the parabola through three levels, the middle one being the greatest:
/// -1/2..=1/2.
fn vertex(before: f32, here: f32, after: f32) -> f32 {
    let (a, b, c) = (decibels(before), decibels(here), decibels(after));
    let bend = a - 2.0 * b + c;
    if bend < -1e-6 { (0.5 * (a - c) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}
