//! Log-spectral distance.

use super::spectra::Spectral;
use super::{Direction, Measure, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "log_spectral_distance",
    title: "Log-spectral distance",
    unit: "dB",
    direction: Direction::Lower,
    range: "0 and above",
    definition: "mean over windows of sqrt(mean over bins of (10 log10(R^2 / O^2))^2); Hann windows of 2048 frames, hop \
                 512, powers at least -100 dB re a full-scale sine",
    source: "L. Rabiner and B.-H. Juang, \"Fundamentals of Speech Recognition\", 1993, 4.5",
    decimals: 3,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: "of each window of 2048 frames, hop 512" }),
    compute: |pair, curves, _| Reading::of_spectra(pair, curves, Spectral::levels, Spectral::level),
};
