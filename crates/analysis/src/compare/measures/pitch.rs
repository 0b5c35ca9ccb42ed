//! The pitch of both recordings over time.

use super::curve::{Curve, Point};
use super::{Outcome, Reading};
use crate::compare::pair::Pair;
use crate::features::frames::Layout;
use crate::features::pyin::{ProbablePitch, PyinPlan};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::kernels::signal::stft::Samples;

/// The range of pitches, in Hz.
const RANGE_HZ: [f64; 2] = [50.0, 1100.0];

/// The pitches of the windows of both.
pub(in crate::compare) struct Pitches {
    pub reference: Vec<ProbablePitch>,
    pub other: Vec<ProbablePitch>,
    /// The time from one window to the next, in seconds.
    pub step_s: f64,
}

/// Estimates the pitches of the mean of the channels. The inner error says why there are none.
pub(in crate::compare) fn pitches(
    rate: SampleRate,
    reference: &[f32],
    other: &[f32],
    progress: &Progress,
) -> Result<std::result::Result<Pitches, String>> {
    let layout = Layout::of_rate(rate.as_f64());
    let Ok(plan) = PyinPlan::new(layout, rate.as_f64(), RANGE_HZ) else {
        return Ok(Err(format!("pitches up to {} Hz need a rate of twice that", RANGE_HZ[1])));
    };
    let windows = layout.windows(reference.len() as u64);
    let uncounted = progress.uncounted();
    let one = |samples: &[f32]| plan.pitches(Samples::whole(samples), 0..windows, &uncounted);
    let (reference, other) = rayon::join(|| one(reference), || one(other));
    Ok(Ok(Pitches { reference: reference?, other: other?, step_s: layout.hop as f64 / rate.as_f64() }))
}

impl Pitches {
    /// Iterates over the pitches of both in Hz; `NaN` where there is no voice.
    pub fn pairs(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.reference.iter().zip(&self.other).map(|(r, o)| [f64::from(r.hz), f64::from(o.hz)])
    }

    /// Returns a curve with a point for each window.
    pub fn curve(&self, point: impl Fn([f64; 2]) -> Point) -> Curve {
        Curve::new(0.0, self.step_s, self.pairs().map(point))
    }
}

/// Takes a measure from the pitches of the mean of the channels.
pub(super) fn of_pitches(
    pair: &Pair,
    progress: &Progress,
    whole: impl Fn(&Pitches) -> Outcome,
    curve: impl FnOnce(&Pitches) -> Option<Curve>,
) -> Result<Reading> {
    Ok(match pair.pitches(progress)? {
        Ok(pitches) => Reading::of_whole(whole(pitches), curve(pitches)),
        Err(reason) => Reading::missing(reason),
    })
}
