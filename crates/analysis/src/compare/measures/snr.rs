//! Signal-to-noise ratio: the reference's energy over the difference's.

use super::frame_ratios::{IN_TENTHS, SILENT_REFERENCE, over_time};
use super::{Direction, Measure, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "snr",
    title: "SNR",
    unit: "dB",
    direction: Direction::Higher,
    range: "any; infinite for equal recordings",
    definition: "10 log10(sum r^2 / sum (o - r)^2)",
    source: "torchmetrics `signal_noise_ratio`",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: IN_TENTHS }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| {
            Ok(over_time(pair.rate, [reference, other], curves, |sums| {
                if sums.reference > 0.0 {
                    Ok(10.0 * (sums.reference / sums.difference).log10())
                } else {
                    Err(SILENT_REFERENCE)
                }
            }))
        })
    },
};
