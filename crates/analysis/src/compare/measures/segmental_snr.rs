//! Segmental signal-to-noise ratio: the mean of the limited ratios of short windows.

use std::f64::consts::TAU;

use super::curve::Curve;
use super::frame_ratios::SILENT_REFERENCE;
use super::{Direction, Measure, Outcome, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "segmental_snr",
    title: "Segmental SNR",
    unit: "dB",
    direction: Direction::Higher,
    range: "-10 to 35",
    definition: "mean over windows of 10 log10(sum (w r)^2 / sum (w (o - r))^2), each limited to -10..35 dB; Hann \
                 windows w of 30 ms, hop 7.5 ms; windows without any reference are left out",
    source: "J. Hansen and B. Pellom, ICSLP 1998; P. Loizou, \"Speech Enhancement\", 2013",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: "of each window" }),
    compute: |pair, curves, _| {
        let rate = pair.rate.as_f64();
        let size = ((WINDOW_S * rate).round() as usize).max(4);
        let hop = (size / 4).max(1);
        let window: Vec<f64> =
            (1..=size).map(|n| (0.5 - 0.5 * (TAU * n as f64 / (size + 1) as f64).cos()).powi(2)).collect();
        Reading::of_channels(pair, |reference, other| {
            if reference.len() < size {
                return Ok((Outcome::Missing(format!("shorter than {size} frames, a window")), None));
            }
            let one = |start: usize| {
                let (mut signal, mut noise) = (0.0, 0.0);
                let both = reference[start..start + size].iter().zip(&other[start..start + size]);
                for ((r, o), weight) in both.zip(&window) {
                    let (r, o) = (f64::from(*r), f64::from(*o));
                    signal += weight * r * r;
                    noise += weight * (o - r) * (o - r);
                }
                (signal > 0.0).then(|| (10.0 * (signal / noise).log10()).clamp(LIMITS_DB[0], LIMITS_DB[1]))
            };
            let values: Vec<Option<f64>> = (0..=reference.len() - size).step_by(hop).map(one).collect();
            let present: Vec<f64> = values.iter().copied().flatten().collect();
            let mean = present.iter().sum::<f64>() / present.len() as f64;
            let points = || values.into_iter().map(|value| value.ok_or(SILENT_REFERENCE));
            let curve = curves.then(|| Curve::new(size as f64 / 2.0 / rate, hop as f64 / rate, points()));
            Ok((Outcome::or_missing(mean, SILENT_REFERENCE), curve))
        })
    },
};

/// The length of a window in seconds.
const WINDOW_S: f64 = 0.03;
/// The limits of a window's ratio.
const LIMITS_DB: [f64; 2] = [-10.0, 35.0];
