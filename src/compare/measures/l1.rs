//! Mean absolute difference of the samples.

use super::frame_ratios::over_time;
use super::{Direction, Measure, Outcome, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "l1",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above; full scale is 1",
    definition: "mean |o - r|",
    source: "Codec-SUPERB; `torch.nn.functional.l1_loss`",
    decimals: 6,
    needs_alignment: true,
    compute: |pair, _| {
        Reading::of_channels(pair, |reference, other| {
            let (whole, curve) = over_time(pair.rate, reference, other, |sums| sums.magnitude / sums.frames);
            Ok((Outcome::Value(whole), Some(curve)))
        })
    },
};
