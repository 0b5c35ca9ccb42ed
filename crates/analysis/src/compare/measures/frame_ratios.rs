//! Sums over samples that several measures share, for the whole and over time.

use super::curve::{Curve, Point};
use super::reading::Outcome;
use base::units::SampleRate;

/// The time from one value of a curve to the next, and the time that each covers, in seconds.
const STEP_S: f64 = 0.1;

/// Sums over the samples of both: `r r`, `o o`, `r o`, `(o - r)^2`, `|o - r|`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub reference: f64,
    pub other: f64,
    pub product: f64,
    pub difference: f64,
    pub magnitude: f64,
    pub frames: f64,
}

impl Sums {
    /// Sums over two stretches.
    pub fn of(reference: &[f32], other: &[f32]) -> Self {
        // Four sums side by side hide the latency of an addition.
        let mut lanes = [[0.0f64; 5]; 4];
        for (index, (r, o)) in reference.iter().zip(other).enumerate() {
            let (r, o) = (f64::from(*r), f64::from(*o));
            let d = o - r;
            let lane = &mut lanes[index % 4];
            lane[0] += r * r;
            lane[1] += o * o;
            lane[2] += r * o;
            lane[3] += d * d;
            lane[4] += d.abs();
        }
        let sum = |of: usize| lanes.iter().map(|lane| lane[of]).sum::<f64>();
        Self {
            reference: sum(0),
            other: sum(1),
            product: sum(2),
            difference: sum(3),
            magnitude: sum(4),
            frames: reference.len().min(other.len()) as f64,
        }
    }

    fn added(self, other: Self) -> Self {
        Self {
            reference: self.reference + other.reference,
            other: self.other + other.other,
            product: self.product + other.product,
            difference: self.difference + other.difference,
            magnitude: self.magnitude + other.magnitude,
            frames: self.frames + other.frames,
        }
    }
}

/// Computes `value` from the sums over the whole and, if `curves`, over each tenth of a second.
pub(super) fn over_time(
    rate: SampleRate,
    [reference, other]: [&[f32]; 2],
    curves: bool,
    value: impl Fn(Sums) -> Point,
) -> (Outcome, Option<Curve>) {
    let step = step(rate);
    let parts: Vec<Sums> = reference.chunks(step).zip(other.chunks(step)).map(|(r, o)| Sums::of(r, o)).collect();
    let whole = parts.iter().copied().fold(Sums::default(), Sums::added);
    let curve = curves.then(|| of_tenths(rate, parts.into_iter().map(&value)));
    (Outcome::of(value(whole)), curve)
}

/// The frames that one value of a curve covers: a tenth of a second.
pub(super) fn step(rate: SampleRate) -> usize {
    ((STEP_S * rate.as_f64()).round() as usize).max(1)
}

/// Returns a curve with a value for each [`step`], at its middle.
pub(super) fn of_tenths(rate: SampleRate, points: impl IntoIterator<Item = Point>) -> Curve {
    let step_s = step(rate) as f64 / rate.as_f64();
    Curve::new(step_s / 2.0, step_s, points)
}

/// The definition of curves of tenths of a second.
pub(super) const IN_TENTHS: &str = "of each tenth of a second";

/// The reason for measures that divide by the reference's energy.
pub(super) const SILENT_REFERENCE: &str = "the reference is silent";
/// The reason for measures that divide by the other's energy.
pub(super) const SILENT_OTHER: &str = "the other is silent";
