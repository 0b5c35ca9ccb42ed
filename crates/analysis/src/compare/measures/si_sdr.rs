//! Scale-invariant signal-to-distortion ratio.

use super::curve::Point;
use super::frame_ratios::{IN_TENTHS, SILENT_OTHER, SILENT_REFERENCE, Sums, over_time};
use super::{Direction, Measure, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "si_sdr",
    title: "SI-SDR",
    unit: "dB",
    direction: Direction::Higher,
    range: "any; infinite for equal recordings",
    definition: "10 log10(sum (a r)^2 / sum (o - a r)^2), a = sum r o / sum r^2; means are not removed",
    source: "J. Le Roux et al., \"SDR - half-baked or well done?\", ICASSP 2019; torchmetrics, `fast_bss_eval`",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: IN_TENTHS }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| Ok(over_time(pair.rate, [reference, other], curves, ratio_db)))
    },
};

/// The ratio from sums.
fn ratio_db(sums: Sums) -> Point {
    if !(sums.reference > 0.0) {
        return Err(SILENT_REFERENCE);
    }
    if !(sums.other > 0.0) {
        return Err(SILENT_OTHER);
    }
    let scale = sums.product / sums.reference;
    let target = scale * sums.product;
    // Of nearly equal signals the difference is small against its terms: written by `o - r`, little is cancelled.
    // sum (o - a r)^2 = sum (o - r)^2 - (1 - a)^2 sum r^2, because `o - a r` is orthogonal to `r`.
    let rest = sums.difference - (1.0 - scale).powi(2) * sums.reference;
    Ok(10.0 * (target / rest.max(0.0)).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_does_not_matter_and_noise_does() {
        let reference: Vec<f32> = (0..1000).map(|n| (n as f32 * 0.1).sin()).collect();
        let noisy = |scale: f32| -> Vec<f32> {
            reference.iter().enumerate().map(|(n, x)| scale * (x + 0.01 * (n as f32 * 2.9).cos())).collect()
        };
        let ratio = |scale| ratio_db(Sums::of(&reference, &noisy(scale))).unwrap();
        assert!((ratio(1.0) - 40.0).abs() < 0.1, "{}", ratio(1.0));
        assert!((ratio(1.0) - ratio(0.1)).abs() < 1e-4 && (ratio(1.0) - ratio(-3.0)).abs() < 1e-4);
        assert_eq!(ratio_db(Sums::of(&reference, &reference)), Ok(f64::INFINITY));
        assert_eq!(ratio_db(Sums::of(&reference, &[0.0; 1000])), Err(SILENT_OTHER));
    }
}
