//! The tempogram: autocorrelations of onset strength in windows of several seconds.
//!
//! With onset strengths `s`, `W` strengths per window of 8 s and the periodic Hann window `w`,
//!
//! ```text
//! T(k, l) = sum over n of w(n) s(k + n - W/2) w(n + l) s(k + n + l - W/2) / T(k, 0),   l = 0..W
//! ```
//!
//! is the tempogram of `librosa.feature.tempogram`. The series is padded as there: by linear ramps down to 0 over half
//! a window at both ends. Lag `l` is the period of `60 windows_per_s / l` BPM.
//!
//! A constant strength correlates with itself at every lag, and the window attenuates long lags; neither is rhythm. The
//! [`Periodicity`] of a series removes both effects. The weighted mean of each window is subtracted, and the result is
//! divided by the autocorrelation of the window function:
//!
//! ```text
//! r(l) = mean over k of [ac of w (s - mean)](l) / [ac of w (s - mean)](0)  /  ([ac of w](l) / [ac of w](0))
//! ```
//!
//! is 1 if strengths repeat exactly after `l` windows, and near 0 if they are unrelated. It is taken over the windows
//! that lie within the series, so the ramps do not affect it.

mod window;

use std::f64::consts::TAU;
use std::sync::Arc;

use rayon::prelude::*;
use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use self::window::{MIN_ENERGY, Sums, Worker};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::kernels::signal::stft::Spectra;

/// The length of a window in seconds.
pub const WINDOW_S: f64 = 8.0;

/// Windows per batch. Each batch is summed separately, and the sums are added in order.
const BATCH: usize = 256;
/// The minimum number of windows that a thread takes at a time.
const MIN_WINDOWS: usize = 32;

/// Returns the number of strengths in a window of 8 s: `floor(floor(8 rate) / hop)`.
pub fn window_length(hop: usize, rate_hz: f64) -> usize {
    ((WINDOW_S * rate_hz) as usize).checked_div(hop).unwrap_or(0)
}

/// A planned tempogram.
pub struct Tempogram {
    length: usize,
    window: Vec<f64>,
    /// The transform of the window function, used to subtract the mean.
    window_spectrum: Vec<Complex64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

/// The mean autocorrelation of all windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodicity {
    /// The mean of the tempogram over time, by lag.
    pub mean: Vec<f64>,
    /// The corrected autocorrelation `r`, by lag; 0 for a constant series.
    pub change: Vec<f64>,
}

impl Tempogram {
    /// Plans a tempogram with windows of `length` strengths.
    pub fn new(length: usize) -> Result<Self> {
        if length == 0 {
            return Err(Error::invalid("tempogram window", "0 strengths", "1 or more"));
        }
        let mut planner = RealFftPlanner::new();
        let points = fast_length(2 * length - 1);
        let (forward, inverse) = (planner.plan_fft_forward(points), planner.plan_fft_inverse(points));
        let window: Vec<f64> = (0..length).map(|n| 0.5 - 0.5 * (TAU * n as f64 / length as f64).cos()).collect();
        let mut frames = forward.make_input_vec();
        frames[..length].copy_from_slice(&window);
        let mut window_spectrum = forward.make_output_vec();
        forward.process(&mut frames, &mut window_spectrum)?;
        Ok(Self { length, window, window_spectrum, forward, inverse })
    }

    /// Returns the number of lags, which is the number of strengths in a window.
    pub fn lags(&self) -> usize {
        self.length
    }

    /// Returns the autocorrelations of the windows around every `stride`-th strength, lag by lag.
    pub fn rows(&self, strength: &[f32], stride: usize, progress: &Progress) -> Result<Spectra<f32>> {
        let (stride, padded) = (stride.max(1), self.padded(strength));
        let mut values = vec![0.0; strength.len().div_ceil(stride) * self.length];
        values.par_chunks_mut(self.length).enumerate().with_min_len(MIN_WINDOWS).try_for_each_init(
            || self.worker(),
            |worker, (index, row)| -> Result<()> {
                progress.check()?;
                worker.take(&padded[index * stride..])?;
                worker
                    .power
                    .iter_mut()
                    .zip(&worker.spectrum)
                    .for_each(|(to, x)| *to = Complex64::new(x.norm_sqr(), 0.0));
                let scale = 1.0 / if worker.energy < MIN_ENERGY { 1.0 } else { worker.energy };
                let lags = worker.autocorrelation()?;
                row.iter_mut().zip(lags).for_each(|(to, x)| *to = (x * scale) as f32);
                Ok(())
            },
        )?;
        Ok(Spectra { bins: self.length, values })
    }

    /// Returns the mean over the windows around every `stride`-th strength. With a stride of 1, `mean` is that of
    /// `librosa.feature.tempo`. Windows closer than a hundredth of their length hardly differ.
    pub fn periodicity(&self, strength: &[f32], stride: usize, progress: &Progress) -> Result<Periodicity> {
        let (stride, padded) = (stride.max(1), self.padded(strength));
        let count = strength.len().div_ceil(stride);
        let bins = self.window_spectrum.len();
        let one = |batch: usize| -> Result<Sums> {
            let mut worker = self.worker();
            let mut sums = Sums::new(bins);
            for index in batch * BATCH..count.min((batch + 1) * BATCH) {
                progress.check()?;
                worker.take(&padded[index * stride..])?;
                sums.add_all(&worker);
                if self.is_within(index * stride, strength.len()) {
                    sums.add_change(self, &worker);
                }
            }
            Ok(sums)
        };
        let batches = (0..count.div_ceil(BATCH)).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
        let mut sums = Sums::new(bins);
        batches.iter().for_each(|batch| sums.join(batch));
        let mut worker = self.worker();
        if strength.len() >= self.length && !(0..count).any(|index| self.is_within(index * stride, strength.len())) {
            worker.take(&padded[self.length / 2 + (strength.len() - self.length) / 2..])?;
            sums.add_change(self, &worker);
        }
        let (all, changing) = (count.max(1) as f64, sums.changing.max(1.0));
        let mean = worker.of_powers(sums.all.into_iter())?.iter().map(|x| x / all).collect();
        let mut change = worker.of_powers(sums.change.into_iter())?.to_vec();
        let of_window = worker.of_powers(self.window_spectrum.iter().map(Complex64::norm_sqr))?;
        change.iter_mut().zip(of_window).for_each(|(r, &w)| *r = corrected(*r / changing, w, of_window));
        Ok(Periodicity { mean, change })
    }

    /// Returns `r` of the windows that begin at `starts`, without the padding.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a window that does not lie within the series.
    pub fn changes(&self, strength: &[f32], starts: &[usize], progress: &Progress) -> Result<Spectra<f32>> {
        if let Some(start) = starts.iter().find(|&&start| start + self.length > strength.len()) {
            let allowed = format!("within {} strengths", strength.len());
            return Err(Error::invalid("tempogram window", format!("{} from {start} on", self.length), allowed));
        }
        let padded = self.padded(strength);
        let of_window = self.worker().of_powers(self.window_spectrum.iter().map(Complex64::norm_sqr))?.to_vec();
        let mut values = vec![0.0; starts.len() * self.length];
        values.par_chunks_mut(self.length).zip(starts).with_min_len(MIN_WINDOWS).try_for_each_init(
            || self.worker(),
            |worker, (row, &start)| -> Result<()> {
                progress.check()?;
                worker.take(&padded[self.length / 2 + start..])?;
                let mut sums = Sums::new(self.window_spectrum.len());
                sums.add_change(self, worker);
                let lags = worker.of_powers(sums.change.into_iter())?;
                row.iter_mut()
                    .zip(lags)
                    .zip(&of_window)
                    .for_each(|((to, x), w)| *to = corrected(*x, *w, &of_window) as f32);
                Ok(())
            },
        )?;
        Ok(Spectra { bins: self.length, values })
    }

    /// Returns whether the window around `centre` lies entirely within the series.
    fn is_within(&self, centre: usize, count: usize) -> bool {
        let half = self.length / 2;
        centre >= half && centre - half + self.length <= count
    }

    /// Returns the strengths with ramps before and after them.
    fn padded(&self, strength: &[f32]) -> Vec<f64> {
        let half = self.length / 2;
        let (first, last) = (strength.first().copied().unwrap_or(0.0), strength.last().copied().unwrap_or(0.0));
        let ramp = |n: usize, from: f32| f64::from(from) * n as f64 / half as f64;
        let before = (0..half).map(|n| ramp(n, first));
        let behind = (0..half).rev().map(|n| ramp(n, last));
        // One extra value, which windows of an odd length need.
        before.chain(strength.iter().map(|&s| f64::from(s))).chain(behind).chain([0.0]).collect()
    }

    fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }
}

/// The autocorrelation of the window function, as a share of that at lag 0, below which no correction is possible.
const MIN_SHARE: f64 = 0.05;

/// Returns an autocorrelation without the effect of the window; 0 at lags near the window's length, where too little
/// overlaps.
fn corrected(r: f64, of_window: f64, all: &[f64]) -> f64 {
    let share = of_window / all[0];
    if share > MIN_SHARE { r / share } else { 0.0 }
}

/// Returns the smallest even product of 2, 3 and 5 that is at least `least`. One always exists below twice `least`.
fn fast_length(least: usize) -> usize {
    let is_fast = |&length: &usize| {
        let mut rest = length;
        for prime in [2, 3, 5] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        rest == 1 && length.is_multiple_of(2)
    };
    (least.max(2)..=2 * least.max(2)).find(is_fast).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_transforms() {
        assert_eq!([1, 3, 7, 11, 1377, 2049].map(fast_length), [2, 4, 8, 12, 1440, 2160]);
    }

    #[test]
    fn a_window_is_as_long_as_librosa_s() {
        assert_eq!(window_length(512, 22_050.0), 344);
        assert_eq!(window_length(512, 44_100.0), 689);
        assert_eq!(window_length(0, 44_100.0), 0);
    }

    #[test]
    fn what_repeats_correlates_and_what_is_constant_does_not() {
        let plan = Tempogram::new(100).unwrap();
        let progress = Progress::new();
        let pulses: Vec<f32> = (0..1000).map(|k| if k % 10 == 0 { 1.0 } else { 0.0 }).collect();
        let found = plan.periodicity(&pulses, 1, &progress).unwrap();
        for lag in 1..60 {
            let r = found.change[lag];
            assert!(if lag % 10 == 0 { r > 0.95 } else { r < 0.05 }, "lag {lag}: {r}");
        }
        let rows = plan.rows(&pulses, 3, &progress).unwrap();
        assert_eq!(rows.windows(), 334);
        assert!((rows.window(100)[0] - 1.0).abs() < 1e-6 && rows.window(100)[10] > 0.9);
        for constant in [0.0, 3.0] {
            let found = plan.periodicity(&[constant; 1000], 1, &progress).unwrap();
            assert_eq!(found.change, vec![0.0; 100], "{constant}");
        }
        assert!(Tempogram::new(0).is_err());
        assert_eq!(plan.periodicity(&[], 1, &progress).unwrap().mean, vec![0.0; 100]);
    }
}
