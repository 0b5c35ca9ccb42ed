//! Mean absolute difference of the samples.

use super::frame_ratios::{IN_TENTHS, over_time};
use super::{Direction, Measure, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "l1",
    title: "L1 distance",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above; full scale is 1",
    definition: "mean |o - r|",
    source: "Codec-SUPERB; `torch.nn.functional.l1_loss`",
    decimals: 6,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: IN_TENTHS }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| {
            Ok(over_time(pair.rate, [reference, other], curves, |sums| Ok(sums.magnitude / sums.frames)))
        })
    },
};
