//! Multi-scale distance of the magnitude spectra.

use super::spectra::Spectral;
use super::{Direction, Measure, OverTime, Reading};
use crate::compare::pair::Pair;
use base::error::Result;

pub(super) const SPEC: Measure = Measure {
    name: "stft",
    title: "Multi-scale STFT",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above",
    definition: DEFINITION,
    source: "R. Kumar et al., NeurIPS 2023 (multi-scale STFT loss); Codec-SUPERB",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: "of each window of 2048 frames, hop 512" }),
    compute: |pair, curves, _| read(pair, curves),
};

pub(in crate::compare) const DEFINITION: &str = "sum over windows of 2048 and 512 frames of mean |log10 R^2 - log10 O^2| + mean |R - O|; R, O the \
                 magnitudes (Hann, hop a quarter, reflected ends), at least 1e-5 under the logarithm";

pub(in crate::compare) fn read(pair: &Pair, curves: bool) -> Result<Reading> {
    Reading::of_spectra(pair, curves, Spectral::stft_over_time, Spectral::stft)
}
