//! Pitch by YIN (A. de Cheveigné and H. Kawahara, JASA 111, 2002), window by window.
//!
//! For a window of four hops that begins at frame `s`, two hops before the frame `k hop` that window `k` is centred on, and `W`
//! of two hops:
//!
//! ```text
//! d(t)  = sum over j = 0..W of (x(s + j) - x(s + j + t))^2,   t = 0..=ceil(rate / fmin)
//! d'(t) = t d(t) / sum over i = 1..=t of d(i)
//! ```
//!
//! The period is the first local minimum of `d'` below the threshold, at `floor(rate / fmax)` or longer, moved by the
//! parabola through it and its neighbours; without one the window is unvoiced. `d` is the sum of both energies less twice
//! the correlation. The integration window has a fixed length, as in the paper: `d` of a steady tone is then 0 at its
//! period whatever that is. (`librosa.yin` 0.11 takes the correlation of the whole window with itself, silence behind it,
//! which adds the energy of the last `t` frames to `d(t)`, draws periods short and makes low notes unvoiced;
//! [`crate::features::pyin`] does as it does.)
//!
//! Speed: hops are correlated once and shared by the two windows that hold them. With `G_b` the transform over `3 hop`
//! points of hop `b`, put at its place modulo 3 and zeros elsewhere, the correlation of hop `b` with what begins there is
//! the inverse transform of `conj(G_b) (G_b + G_(b+1) + G_(b+2))` at lags up to `2 hop`: two transforms a window. Energies
//! are differences of sums of squares that begin anew at every hop. All stands on the absolute grid of hops, so that
//! blocks cut anywhere give the same bits. On a GPU ([`gpu`]) the sums are taken as they stand above.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

mod correlate;
pub mod gpu;
mod trial;

use std::ops::Range;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::kernels::stft::Samples;
use crate::simd::{Lanes, Simd, Task};
use correlate::Hops;
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "yin",
    title: "Pitch by YIN",
    shaders: &["yin.wgsl"],
    // Relative to the period: a twentieth of a cent.
    tolerance_db: -90.0,
    // Reads one sample; writes and reads 680 differences per hop of 512 frames. The sums of squares are
    // compute-bound.
    bytes_per_sample: 20.0,
    trial: trial::trial,
};

/// What pitch is looked for with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YinSpec {
    /// The lowest pitch in hertz.
    pub low_hz: f64,
    /// The highest.
    pub high_hz: f64,
    /// Below which a minimum of the normalised difference is a period: 0 to 1.
    pub threshold: f64,
}

impl Default for YinSpec {
    /// C2 to C7 (65 to 2093 Hz) below 0.15.
    fn default() -> Self {
        Self { low_hz: 65.0, high_hz: 2093.0, threshold: 0.15 }
    }
}

/// The pitch of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pitch {
    /// Hertz; NaN where the window is unvoiced.
    pub hz: f32,
    /// The normalised difference at the period, 0 for a perfectly periodic window: its share of aperiodic energy. NaN
    /// where the window is unvoiced.
    pub aperiodicity: f32,
}

impl Pitch {
    /// No pitch.
    pub const UNVOICED: Self = Self { hz: f32::NAN, aperiodicity: f32::NAN };

    /// Whether there is one.
    pub fn is_voiced(self) -> bool {
        !self.hz.is_nan()
    }
}

/// Pitch of windows of four hops, planned.
#[derive(Clone)]
pub struct YinPlan {
    hop: usize,
    rate_hz: f64,
    shortest: usize,
    longest: usize,
    threshold: f32,
    hops: Hops,
}

impl std::fmt::Debug for YinPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("YinPlan").field("hop", &self.hop).field("longest", &self.longest).finish_non_exhaustive()
    }
}

impl YinPlan {
    /// Plans it for a rate. Pitches above a quarter of the rate are not looked for.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or too low range of pitch, a threshold outside 0..1, and a hop that is no multiple
    /// of four frames.
    pub fn new(hop: usize, rate_hz: f64, spec: YinSpec) -> Result<Self> {
        let YinSpec { low_hz, high_hz, threshold } = spec;
        if hop == 0 || !hop.is_multiple_of(4) {
            return Err(Error::invalid("hop for pitch", format!("{hop} frames"), "a multiple of four"));
        }
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::invalid("pitch threshold", threshold.to_string(), "0 to 1"));
        }
        let high_hz = high_hz.min(rate_hz / 4.0);
        let least = rate_hz / (2 * hop) as f64;
        if !(low_hz >= least && low_hz < high_hz) {
            let allowed = format!("{least:.1} Hz or more, and below {high_hz:.1} Hz");
            return Err(Error::invalid("lowest pitch", format!("{low_hz} Hz"), allowed));
        }
        let longest = ((rate_hz / low_hz).ceil() as usize).min(2 * hop);
        Ok(Self {
            hop,
            rate_hz,
            shortest: (rate_hz / high_hz).floor() as usize,
            longest,
            threshold: threshold as f32,
            hops: Hops::new(hop, longest),
        })
    }

    /// Frames that are needed on both sides of the centres of the windows.
    pub fn reach(&self) -> usize {
        2 * self.hop
    }

    /// The pitch of every window of that range.
    ///
    /// # Errors
    /// [`Error::Internal`] where a transform is refused.
    pub fn pitches(&self, samples: Samples<'_>, windows: Range<u64>) -> Result<Vec<Pitch>> {
        let mut pitches = Vec::with_capacity(windows.end.saturating_sub(windows.start) as usize);
        let mut state = self.hops.start(windows.start as i64 - 2);
        let mut difference = vec![0f32; self.longest + 1];
        let simd = Simd::best();
        for _ in windows {
            let heard = state.next_difference(samples, &mut difference)?;
            pitches.push(if heard {
                simd.dispatch(Dip { plan: self, difference: &difference })
            } else {
                Pitch::UNVOICED
            });
        }
        Ok(pitches)
    }

    /// The period by the parabola through three values around the lowest.
    fn refined(&self, lag: usize, before: f32, at: f32, after: f32) -> Pitch {
        let mut shift = 0.0;
        // Nothing stands before the shortest lag.
        if before.is_finite() {
            let (a, b, c) = (f64::from(before), f64::from(at), f64::from(after));
            let (curve, slope) = (c + a - 2.0 * b, (c - a) / 2.0);
            if slope.abs() < curve.abs() {
                shift = -slope / curve;
            }
        }
        Pitch { hz: (self.rate_hz / (lag as f64 + shift)) as f32, aperiodicity: at }
    }
}

/// Lags that are looked at together.
const CHUNK: usize = 16;
/// How much above the threshold a chunk's values must lie at the least to be passed over; rounding is far below it.
const SURELY: f64 = 1.001;

/// The first dip of the normalised difference below the threshold.
struct Dip<'a> {
    plan: &'a YinPlan,
    difference: &'a [f32],
}

impl Task for Dip<'_> {
    type Output = Pitch;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Pitch {
        let Self { plan, difference } = self;
        let (longest, threshold) = (plan.longest, plan.threshold);
        let mut sum = 0f64;
        for &d in &difference[1..plan.shortest] {
            sum += f64::from(d);
        }
        // The values at a lag, and at the two before it.
        let (mut last, mut before) = (f32::INFINITY, f32::INFINITY);
        let mut lag = plan.shortest;
        while lag <= longest {
            // Where nothing is below the threshold, nothing is divided.
            if !(last < threshold)
                && let Some(chunk) = difference[lag..=longest].first_chunk::<CHUNK>()
            {
                let (least, total) = least_and_total(chunk, lag);
                if f64::from(least) > SURELY * f64::from(threshold) * (sum + total) {
                    lag += CHUNK;
                    sum += total;
                    (before, last) = (f32::INFINITY, value(lag - 1, difference[lag - 1], sum));
                    continue;
                }
            }
            let end = lag + CHUNK.min(longest + 1 - lag);
            while lag < end {
                sum += f64::from(difference[lag]);
                let now = value(lag, difference[lag], sum);
                if last < threshold && last < before && last <= now {
                    return plan.refined(lag - 1, before, last, now);
                }
                (before, last) = (last, now);
                lag += 1;
            }
        }
        if last < threshold && last < before {
            return Pitch { hz: (plan.rate_hz / longest as f64) as f32, aperiodicity: last };
        }
        Pitch::UNVOICED
    }
}

/// The normalised difference.
#[inline(always)]
fn value(lag: usize, difference: f32, sum: f64) -> f32 {
    if sum > 0.0 { (lag as f64 * f64::from(difference) / sum) as f32 } else { 1.0 }
}

/// The least product of a difference and its lag, and the sum of all.
#[inline(always)]
fn least_and_total(chunk: &[f32; CHUNK], lag: usize) -> (f32, f64) {
    let (mut products, mut sums) = ([0f32; CHUNK], [0f64; CHUNK / 2]);
    for (n, (to, d)) in products.iter_mut().zip(chunk).enumerate() {
        *to = (lag + n) as f32 * d;
    }
    for (n, sum) in sums.iter_mut().enumerate() {
        *sum = f64::from(chunk[n]) + f64::from(chunk[n + CHUNK / 2]);
    }
    let mut least = f32::INFINITY;
    for product in products {
        least = if product < least { product } else { least };
    }
    (least, ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])))
}
