//! Scales a frequency band within a region, or keeps it alone.
//!
//! A linear-phase FIR extracts the band: the ideal response between its edges under a Kaiser window with a stop band of
//! -100 dB (J. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", 1974). Its transitions
//! lie within the band, so that frequencies outside the band do not change.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::{Editor, Reach, Region, fade_share, starts_below_nyquist};
use crate::find;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{Window, ideal_low_pass, kaiser_beta};

/// The stop band attenuation in dB.
const STOP_DB: f64 = 100.0;
/// The transition width as a share of the band.
const TRANSITION: f64 = 0.125;
/// The maximum half length of the filter.
const MAX_HALF: usize = 1 << 15;
/// The minimum transform length.
const MIN_TRANSFORM: usize = 4096;

/// The change made to the band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// Multiplies it by a gain; other frequencies stay.
    Scale(f64),
    /// Keeps it; removes other frequencies.
    KeepAlone,
}

/// Changes a band in the pieces of a region.
pub(super) struct Band {
    change: Change,
    /// The region in frames. The change fades in and out within it.
    region: Range<i64>,
    fade: usize,
    half: usize,
    transform: usize,
    spectrum: Vec<Complex64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl fmt::Debug for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Band").field("change", &self.change).field("half", &self.half).finish_non_exhaustive()
    }
}

impl Band {
    /// Creates an editor for a stream of this rate. `effect` names the effect in errors.
    ///
    /// # Errors
    /// [`Error::Setting`] for a band above half the rate, or too narrow for a filter of 65537 taps.
    pub fn new(effect: &str, region: &Region, fade_s: f64, change: Change, rate: SampleRate) -> Result<Self> {
        starts_below_nyquist(effect, region, rate)?;
        let half = half_length(region, rate).map_err(|min_hz| {
            let title = find(effect).map_or(effect, |spec| spec.title);
            Error::setting(title, format!("The band must be at least {min_hz:.1} Hz wide. Raise High or lower Low"))
        })?;
        let transform = transform_length(half);
        let mut planner = RealFftPlanner::new();
        let forward = planner.plan_fft_forward(transform);
        let inverse = planner.plan_fft_inverse(transform);
        let mut padded = taps(region, half, rate);
        padded.resize(transform, 0.0);
        let mut spectrum = forward.make_output_vec();
        forward.process(&mut padded, &mut spectrum)?;
        // Normalises the forward and inverse transforms.
        spectrum.iter_mut().for_each(|bin| *bin /= transform as f64);
        let fade = rate.frames_from_seconds(fade_s) as usize;
        Ok(Self { change, region: region.frames(rate), fade, half, transform, spectrum, forward, inverse })
    }

    /// Returns the reach of an editor for this region; an empty reach if the editor cannot be created.
    pub fn reach_of(region: &Region, rate: SampleRate) -> Reach {
        half_length(region, rate).map_or(Reach::default(), reach)
    }
}

impl Editor for Band {
    fn reach(&self) -> Reach {
        reach(self.half)
    }

    fn edit(&self, seen: &[f32], piece: Range<usize>, start: i64) -> Result<Vec<f32>> {
        let mut frames: Vec<f64> = seen.iter().map(|sample| f64::from(*sample)).collect();
        frames.resize(self.transform, 0.0);
        let mut bins = self.forward.make_output_vec();
        self.forward.process(&mut frames, &mut bins)?;
        bins.iter_mut().zip(&self.spectrum).for_each(|(bin, filter)| *bin *= filter);
        // Both ends of the spectrum must be exactly real.
        let last = bins.len() - 1;
        (bins[0].im, bins[last].im) = (0.0, 0.0);
        self.inverse.process(&mut bins, &mut frames)?;
        let length = (self.region.end - self.region.start) as usize;
        let within = (start - self.region.start) as usize;
        let changed =
            seen[piece.clone()].iter().zip(&frames[2 * self.half..]).enumerate().map(|(n, (&sample, &band))| {
                // The last piece may reach beyond the region; the result there is not used.
                let share = fade_share((within + n).min(length - 1), length, self.fade);
                let sample = f64::from(sample);
                let whole = match self.change {
                    Change::Scale(gain) => sample + share * (gain - 1.0) * band,
                    Change::KeepAlone => share * band,
                };
                whole as f32
            });
        Ok(changed.collect())
    }
}

/// Returns the edges of the band that lie within 0 Hz and half the rate. An edge at either limit is `None`.
fn edges(region: &Region, rate: SampleRate) -> [Option<f64>; 2] {
    [Some(region.low_hz).filter(|&hz| hz > 0.0), Some(region.high_hz).filter(|&hz| hz < rate.nyquist_hz())]
}

/// Half the number of taps times the transition in cycles per frame, by Kaiser's formula.
const HALF_CYCLES: f64 = (STOP_DB - 7.95) / 14.36 / 2.0;

/// Returns the transition width in Hz: an eighth of the band, or the narrowest that the longest filter allows if that
/// is more. At most half the band is possible, where the two slopes meet.
fn transition_hz(region: &Region, rate: SampleRate) -> f64 {
    let width_hz = region.high_hz.min(rate.nyquist_hz()) - region.low_hz;
    (width_hz * TRANSITION).max(HALF_CYCLES * rate.as_f64() / MAX_HALF as f64)
}

/// Returns half the length of the filter, 0 if the band has no edges. The error is the minimum width in Hz if the band
/// is too narrow.
fn half_length(region: &Region, rate: SampleRate) -> std::result::Result<usize, f64> {
    if edges(region, rate) == [None, None] {
        return Ok(0);
    }
    let transition_hz = transition_hz(region, rate);
    let width_hz = region.high_hz.min(rate.nyquist_hz()) - region.low_hz;
    if 2.0 * transition_hz > width_hz {
        return Err(2.0 * transition_hz);
    }
    Ok((HALF_CYCLES * rate.as_f64() / transition_hz).ceil() as usize)
}

/// Returns a transform length of about four times the filter length or more, so that at least three quarters of its
/// output form a piece.
fn transform_length(half: usize) -> usize {
    (8 * half).next_power_of_two().max(MIN_TRANSFORM)
}

fn reach(half: usize) -> Reach {
    Reach { piece: transform_length(half) - 2 * half, before: half, after: half }
}

/// Returns the taps of the filter, symmetric about the middle one.
fn taps(region: &Region, half: usize, rate: SampleRate) -> Vec<f64> {
    let window = Window::Kaiser { beta: kaiser_beta(STOP_DB) }.symmetric(2 * half + 1);
    // The middle of each transition in cycles per frame.
    let inner = transition_hz(region, rate) / 2.0;
    let [low, high] = edges(region, rate);
    let from = low.map_or(0.0, |hz| (hz + inner) / rate.as_f64());
    let to = high.map_or(0.5, |hz| (hz - inner) / rate.as_f64());
    let tap = |(index, weight): (usize, &f64)| {
        let n = index as f64 - half as f64;
        weight * (ideal_low_pass(to, n) - ideal_low_pass(from, n))
    };
    window.iter().enumerate().map(tap).collect()
}
