//! Multi-scale distance of the magnitude spectra.

use super::{Direction, Measure, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "stft",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above",
    definition: "sum over windows of 2048 and 512 frames of mean |log10 R^2 - log10 O^2| + mean |R - O|; R, O the \
                 magnitudes (Hann, hop a quarter, reflected ends), at least 1e-5 under the logarithm",
    source: "R. Kumar et al., NeurIPS 2023 (multi-scale STFT loss); Codec-SUPERB",
    decimals: 4,
    needs_alignment: true,
    compute: |pair, _| Reading::of_spectra(pair, super::spectra::Spectral::stft),
};
