//! The plan of a short-time Fourier transform.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use transforms::FftNum;

use super::transform::{Transform, Transforms};
use crate::design::{Bins, Window};
use base::error::{Error, Result};
use base::simd::{Lanes, Simd, Task};

/// The parameters of a short-time Fourier transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StftSpec {
    /// The window function, used in its periodic form.
    pub window: Window,
    /// Frames per window, in [`StftSpec::SIZES`].
    pub size: usize,
    /// The zero-padding factor: the transform length divided by the window length. One of [`StftSpec::PADDINGS`].
    pub padding: usize,
    /// The hop: frames from one window to the next, 1 or more.
    pub hop: usize,
}

impl StftSpec {
    /// The allowed window sizes, in frames.
    pub const SIZES: std::ops::RangeInclusive<usize> = 64..=65_536;
    /// The allowed padding factors.
    pub const PADDINGS: [usize; 4] = [1, 2, 4, 8];

    fn check(self) -> Result<()> {
        if !Self::SIZES.contains(&self.size) {
            return Err(Error::invalid("window size", format!("{} frames", self.size), "64 to 65536 frames"));
        }
        if !Self::PADDINGS.contains(&self.padding) {
            return Err(Error::invalid("padding", self.padding.to_string(), "1, 2, 4 or 8"));
        }
        if self.hop == 0 {
            return Err(Error::invalid("hop", "0 frames", "1 frame or more"));
        }
        Ok(())
    }
}

/// A planned transform. Cheap to clone.
#[derive(Clone)]
pub struct StftPlan {
    spec: StftSpec,
    window: Arc<[f64]>,
    taps: Arc<[f32]>,
    power_scale: f64,
    transforms: Transforms,
}

impl StftPlan {
    /// Returns the cost of `windows` windows, in points of a transform of 2048 points. A transform of `N` points counts
    /// as `N log2 N`.
    pub fn work(&self, windows: usize) -> f64 {
        let points = self.fft_length() as f64;
        windows as f64 * points * points.log2() / 11.0
    }

    /// Plans a transform.
    pub fn new(spec: StftSpec) -> Result<Self> {
        spec.check()?;
        let window = spec.window.periodic(spec.size);
        let taps = window.iter().map(|&w| w as f32).collect();
        let transforms = Transforms::new(spec.size * spec.padding);
        let power_scale = power_scale(&window);
        Ok(Self { spec, window: window.into(), taps, power_scale, transforms })
    }

    /// Returns the same transform with another window function of the same length.
    pub(crate) fn weighted_by(&self, window: Vec<f64>) -> Self {
        let taps = window.iter().map(|&w| w as f32).collect();
        let power_scale = power_scale(&window);
        Self { window: window.into(), taps, power_scale, ..self.clone() }
    }

    /// Returns the parameters.
    pub fn spec(&self) -> StftSpec {
        self.spec
    }

    /// Returns the transform length in points.
    pub fn fft_length(&self) -> usize {
        self.spec.size * self.spec.padding
    }

    /// Returns the number of bins per spectrum, from 0 Hz to the Nyquist frequency.
    pub fn bins(&self) -> usize {
        self.fft_length() / 2 + 1
    }

    /// Returns the positions of the bins at a sample rate.
    pub fn bins_at(&self, rate_hz: f64) -> Bins {
        Bins { fft_length: self.fft_length(), rate_hz }
    }

    /// Returns the number of windows centred within a signal or on its end: `1 + frames / hop`, or 0 for an empty
    /// signal.
    pub fn windows(&self, frames: u64) -> u64 {
        if frames == 0 { 0 } else { 1 + frames / self.spec.hop as u64 }
    }

    /// Returns the number of windows that an inversion needs. The last one is centred on or after the signal's end, so
    /// that frames at the end are covered by as many windows as frames in the middle.
    pub fn windows_to_invert(&self, frames: u64) -> u64 {
        if frames == 0 { 0 } else { 1 + frames.div_ceil(self.spec.hop as u64) }
    }

    /// Returns the first frame of window `k`; negative if it is before the signal.
    pub fn start_frame(&self, k: u64) -> i64 {
        self.start_of_centre((k * self.spec.hop as u64) as i64)
    }

    /// Returns the first frame of the window centred on `frame`.
    pub fn start_of_centre(&self, frame: i64) -> i64 {
        frame - (self.spec.size / 2) as i64
    }

    /// Returns the frames that the given windows cover.
    pub fn reach(&self, windows: Range<u64>) -> Range<i64> {
        if windows.is_empty() {
            return 0..0;
        }
        self.start_frame(windows.start)..self.start_frame(windows.end - 1) + self.spec.size as i64
    }

    /// Returns the values of the window function.
    pub fn window(&self) -> &[f64] {
        &self.window
    }

    /// Returns the factor that scales `|X|^2` to 1 for a full-scale sine centred on a bin: `(2 / sum w)^2`.
    pub fn power_scale(&self) -> f64 {
        self.power_scale
    }

    /// Returns a transform with scratch memory, for one thread.
    pub fn transform(&self) -> Transform<'_> {
        Transform::new(&self.transforms, &self.window, &self.taps)
    }
}

fn power_scale(window: &[f64]) -> f64 {
    (2.0 / window.iter().sum::<f64>()).powi(2)
}

impl fmt::Debug for StftPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StftPlan").field(&self.spec).finish()
    }
}

/// A part of one channel, with silence before and after it.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// The samples.
    pub samples: &'a [f32],
    /// The frame number of the first sample.
    pub first_frame: i64,
}

impl<'a> Samples<'a> {
    /// Wraps a whole channel.
    pub fn whole(samples: &'a [f32]) -> Self {
        Self { samples, first_frame: 0 }
    }

    /// Writes `taps[n] * x[start + n]` to `to`, followed by zeros.
    pub(super) fn weigh<T: FftNum + From<f32>>(&self, start: i64, taps: &[T], to: &mut [T]) {
        let (before, known) = self.known(start, taps.len());
        to[..before].fill(T::zero());
        to[before + known.len()..].fill(T::zero());
        Simd::best().dispatch(Weigh { samples: known, taps: &taps[before..], to: &mut to[before..] });
    }

    /// Appends the frames in `range` to `to`.
    pub fn extract(&self, range: Range<i64>, to: &mut Vec<f32>) {
        let end = to.len() + (range.end - range.start) as usize;
        let (before, known) = self.known(range.start, end - to.len());
        to.resize(to.len() + before, 0.0);
        to.extend_from_slice(known);
        to.resize(end, 0.0);
    }

    /// Returns the frames in `range`: a part of the samples if they have all of them, else a copy in `memory`.
    pub(crate) fn frames<'m>(&self, range: Range<i64>, memory: &'m mut Vec<f32>) -> &'m [f32]
    where
        'a: 'm,
    {
        let length = (range.end - range.start) as usize;
        let (_, known) = self.known(range.start, length);
        if known.len() == length {
            return known;
        }
        memory.clear();
        self.extract(range, memory);
        memory
    }

    /// For `length` frames from `start`: returns the number of frames before the first sample, and the samples that
    /// follow.
    fn known(&self, start: i64, length: usize) -> (usize, &'a [f32]) {
        let place = start.saturating_sub(self.first_frame);
        let before = place.saturating_neg().clamp(0, length as i64);
        let from = place.clamp(0, self.samples.len() as i64) as usize;
        let end = place.saturating_add(length as i64).clamp(from as i64, self.samples.len() as i64) as usize;
        (before as usize, &self.samples[from..end])
    }
}

/// Multiplies samples by taps, as many as there are samples.
struct Weigh<'a, T> {
    samples: &'a [f32],
    taps: &'a [T],
    to: &'a mut [T],
}

impl<T: FftNum + From<f32>> Task for Weigh<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for ((to, &x), &tap) in self.to.iter_mut().zip(self.samples).zip(self.taps) {
            *to = T::from(x) * tap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: StftSpec = StftSpec { window: Window::Hann, size: 100, padding: 2, hop: 30 };

    #[test]
    fn shapes() {
        let plan = StftPlan::new(SPEC).unwrap();
        assert_eq!((plan.fft_length(), plan.bins()), (200, 101));
        assert_eq!([0, 1, 29, 30, 31, 90].map(|frames| plan.windows(frames)), [0, 1, 1, 2, 2, 4]);
        assert_eq!([0, 1, 29, 30, 31, 90].map(|frames| plan.windows_to_invert(frames)), [0, 2, 2, 2, 3, 4]);
        assert_eq!(plan.reach(1..3), -20..110);
        assert_eq!(plan.reach(3..3), 0..0);
    }

    #[test]
    fn what_is_not_allowed_is_refused_by_name() {
        for (spec, said) in [
            (StftSpec { size: 63, ..SPEC }, "64 to 65536"),
            (StftSpec { size: 65_537, ..SPEC }, "65537"),
            (StftSpec { padding: 3, ..SPEC }, "1, 2, 4 or 8"),
            (StftSpec { hop: 0, ..SPEC }, "Hop"),
        ] {
            let message = StftPlan::new(spec).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn frames_are_those_of_the_range_within_and_beyond_the_samples() {
        let samples = Samples { samples: &[1.0, 2.0, 3.0], first_frame: 10 };
        let mut memory = vec![7.0];
        assert_eq!(samples.frames(10..13, &mut memory), [1.0, 2.0, 3.0]);
        assert_eq!(samples.frames(11..12, &mut memory), [2.0]);
        assert_eq!(samples.frames(8..12, &mut memory), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(samples.frames(12..15, &mut memory), [3.0, 0.0, 0.0]);
        assert_eq!(samples.frames(20..20, &mut memory), [0.0; 0]);
    }

    #[test]
    fn beyond_the_samples_there_is_silence() {
        let samples = Samples { samples: &[1.0, 2.0, 3.0], first_frame: 10 };
        let weighed = |start| {
            let mut to = [9.0; 5];
            samples.weigh(start, &[1.0, 1.0, 2.0, 1.0], &mut to);
            to
        };
        assert_eq!(weighed(10), [1.0, 2.0, 6.0, 0.0, 0.0]);
        assert_eq!(weighed(8), [0.0, 0.0, 2.0, 2.0, 0.0]);
        assert_eq!(weighed(12), [3.0, 0.0, 0.0, 0.0, 0.0]);
        for far in [i64::MIN, -100, 6, 13, i64::MAX] {
            assert_eq!(weighed(far), [0.0; 5], "{far}");
        }
    }
}
