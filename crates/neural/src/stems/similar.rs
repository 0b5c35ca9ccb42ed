//! Finds the windows of a recording that sound alike, for REPET-SIM.
//!
//! The similarity of windows `j` and `k` is the cosine between their magnitude spectra, averaged over all channels,
//! `V`:
//!
//! ```text
//! S(j, k) = sum over b of V(j, b) V(k, b) / (|V(j)| |V(k)|)
//! ```
//!
//! The similar windows of `j` are the peaks of row `j`: those above 0 and above all others closer than or at the least
//! distance. The most similar of them are taken; of equal ones the earlier. The first peak of a window is the window
//! itself. A silent window has none.
//!
//! The rows are products of a matrix by [`dsp::kernels::network::convolution`], some at a time, so that the matrix of all
//! similarities is never in memory.

use std::ops::Range;

use rayon::prelude::*;

use base::error::{Error, Result};
use base::progress::Progress;
use dsp::kernels::network::convolution::{Epilogue, Kind, Plan, Size, Weights, cpu};
use dsp::kernels::signal::stft::Spectra;

/// The rows of the matrix that are computed at once.
const ROWS: usize = 128;
/// The windows that are transposed together.
const TURNED: usize = 64;

/// How many similar windows are looked for, and how far from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The most windows that are taken.
    pub most: usize,
    /// The smallest distance between two of them, in windows.
    pub distance: usize,
}

/// Returns the similar windows of each window in `wanted`, the most similar first. `magnitudes` are those of each
/// channel. `done` is called with the windows that were searched, some at a time.
pub fn similar_windows(
    magnitudes: &[Spectra<f32>],
    wanted: Range<usize>,
    search: Search,
    progress: &Progress,
    done: &mut dyn FnMut(Range<usize>) -> Result<()>,
) -> Result<Vec<Vec<u32>>> {
    let Some(first) = magnitudes.first() else { return Ok(vec![Vec::new(); wanted.len()]) };
    let (bins, windows) = (first.bins, first.windows());
    if wanted.end > windows || magnitudes.iter().any(|other| (other.bins, other.windows()) != (bins, windows)) {
        let got = format!("{wanted:?} of {} channels", magnitudes.len());
        return Err(Error::invalid("windows", got, format!("0..{windows}, and as many in each channel")));
    }
    let directions = Directions::new(magnitudes, progress)?;
    let turned = directions.turned(progress)?;
    let kind = Kind::Forward { taps: [1, 1], stride: [1, 1], dilation: [1, 1], padding: [0, 0] };
    let mut similar = Vec::with_capacity(wanted.len());
    let mut products = Vec::new();
    let mut rows = Vec::new();
    for start in wanted.clone().step_by(ROWS) {
        let end = (start + ROWS).min(wanted.end);
        rows.clear();
        (start..end).for_each(|window| directions.append(window, &mut rows));
        let plan = Plan::new(kind, 1, end - start, Size { channels: bins, rows: 1, frames: windows });
        let weights = Weights::new(kind, 1, end - start, bins, &rows);
        products.resize((end - start) * windows, 0.0);
        let mut jobs = [cpu::Job { x: &turned, residual: None, y: &mut products }];
        cpu::run(&plan, &weights, Epilogue::default(), &mut jobs, progress)?;
        similar.par_extend(products.par_chunks(windows).map(|row| best_peaks(row, search)));
        done(start..end)?;
    }
    Ok(similar)
}

/// Mean magnitudes of the channels, scaled to length 1. Silent and broken windows are 0.
struct Directions<'a> {
    magnitudes: &'a [Spectra<f32>],
    bins: usize,
    /// The factor for the sum of the channels of each window.
    scales: Vec<f32>,
}

impl<'a> Directions<'a> {
    fn new(magnitudes: &'a [Spectra<f32>], progress: &Progress) -> Result<Self> {
        let (bins, windows) = (magnitudes[0].bins, magnitudes[0].windows());
        let mut directions = Self { magnitudes, bins, scales: vec![1.0; windows] };
        let scale = |window| -> Result<f32> {
            progress.check()?;
            let mut row = Vec::with_capacity(bins);
            directions.append(window, &mut row);
            let power: f64 = row.iter().map(|&x| f64::from(x).powi(2)).sum();
            let scale = power.sqrt().recip() as f32;
            Ok(if scale.is_finite() { scale } else { 0.0 })
        };
        let scales = (0..windows).into_par_iter().map(scale).collect::<Result<Vec<f32>>>()?;
        directions.scales = scales;
        Ok(directions)
    }

    /// Appends the direction of a window.
    fn append(&self, window: usize, to: &mut Vec<f32>) {
        let scale = self.scales[window];
        if scale == 0.0 {
            to.resize(to.len() + self.bins, 0.0);
            return;
        }
        let start = to.len();
        to.extend_from_slice(self.magnitudes[0].window(window));
        for other in &self.magnitudes[1..] {
            to[start..].iter_mut().zip(other.window(window)).for_each(|(to, x)| *to += x);
        }
        to[start..].iter_mut().for_each(|to| *to *= scale);
    }

    /// Returns the directions of all windows as `bins x windows`.
    fn turned(&self, progress: &Progress) -> Result<Vec<f32>> {
        let windows = self.scales.len();
        let mut turned = vec![0.0; self.bins * windows];
        let mut rows = Vec::new();
        for start in (0..windows).step_by(TURNED) {
            progress.check()?;
            let count = TURNED.min(windows - start);
            rows.clear();
            (start..start + count).for_each(|window| self.append(window, &mut rows));
            for (bin, to) in turned.chunks_exact_mut(windows).enumerate() {
                let to = &mut to[start..start + count];
                to.iter_mut().zip(rows[bin..].iter().step_by(self.bins)).for_each(|(to, &x)| *to = x);
            }
        }
        Ok(turned)
    }
}

/// Returns the highest peaks of a row of similarities, the highest first.
fn best_peaks(row: &[f32], search: Search) -> Vec<u32> {
    let mut peaks: Vec<u32> = (0..row.len()).filter(|&n| is_peak(row, n, search.distance)).map(|n| n as u32).collect();
    // A stable sort keeps the order of equal ones.
    peaks.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]));
    peaks.truncate(search.most);
    peaks
}

/// Returns whether a value is above 0 and above all others up to `distance` from it.
fn is_peak(row: &[f32], at: usize, distance: usize) -> bool {
    let here = row[at];
    let (before, after) = (&row[at.saturating_sub(distance)..at], &row[at + 1..row.len().min(at + 1 + distance)]);
    here > 0.0 && before.iter().rev().all(|&other| other < here) && after.iter().all(|&other| other < here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_above_all_others_near_them() {
        let row = [0.1, 0.9, 0.2, 0.8, 0.3, 0.3, 0.0, 0.7, 0.6, 0.9];
        let peaks = |most, distance| best_peaks(&row, Search { most, distance });
        assert_eq!(peaks(9, 1), [1, 9, 3, 7]);
        assert_eq!(peaks(9, 2), [1, 9]);
        assert_eq!(peaks(1, 1), [1]);
        assert_eq!(peaks(9, 9), [] as [u32; 0], "two equal peaks within the distance");
        assert_eq!(best_peaks(&[0.0; 4], Search { most: 9, distance: 1 }), [] as [u32; 0]);
        assert_eq!(best_peaks(&[f32::NAN, 1.0, 0.5], Search { most: 9, distance: 1 }), [] as [u32; 0]);
    }

    #[test]
    fn rows_do_not_depend_on_where_the_wanted_windows_begin() {
        // Noise: no two windows are alike.
        let value = |seed: u32, n: u32| {
            let mut x = n.wrapping_mul(0x9e37_79b9).wrapping_add(seed);
            for factor in [0x7feb_352d, 0x846c_a68b] {
                x = (x ^ (x >> 16)).wrapping_mul(factor);
            }
            ((x ^ (x >> 16)) >> 12) as f32
        };
        let values = |seed, count: usize| (0..count as u32).map(|n| value(seed, n)).collect();
        let (bins, windows) = (37, 300);
        let of = |seed| Spectra { bins, values: values(seed, bins * windows) };
        let magnitudes = [of(3), of(5)];
        let search = Search { most: 10, distance: 4 };
        let progress = Progress::default();
        let mut at = 0;
        let mut follow = |searched: Range<usize>| {
            assert_eq!(searched.start, at);
            at = searched.end;
            Ok(())
        };
        let all = similar_windows(&magnitudes, 0..windows, search, &progress, &mut follow).unwrap();
        assert_eq!(at, windows);
        let some = similar_windows(&magnitudes, 111..290, search, &progress, &mut |_| Ok(())).unwrap();
        assert_eq!(some, all[111..290]);
        assert!(all.iter().enumerate().all(|(window, similar)| similar[0] == window as u32 && similar.len() == 10));
        let message = similar_windows(&magnitudes, 0..301, search, &progress, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("0..301") && message.contains("0..300"), "{message}");
    }
}
