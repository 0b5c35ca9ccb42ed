//! Signal-to-noise ratio: the reference's energy over the difference's.

use super::frame_ratios::{SILENT_REFERENCE, over_time};
use super::{Direction, Measure, Outcome, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "snr",
    unit: "dB",
    direction: Direction::Higher,
    range: "any; infinite for equal recordings",
    definition: "10 log10(sum r^2 / sum (o - r)^2)",
    source: "torchmetrics `signal_noise_ratio`",
    decimals: 2,
    needs_alignment: true,
    compute: |pair, _| {
        Reading::of_channels(pair, |reference, other| {
            let (whole, curve) = over_time(pair.rate, reference, other, |sums| {
                if sums.reference > 0.0 { 10.0 * (sums.reference / sums.difference).log10() } else { f64::NAN }
            });
            Ok((Outcome::or_missing(whole, SILENT_REFERENCE), Some(curve)))
        })
    },
};
