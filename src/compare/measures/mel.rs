//! Multi-scale distance of the mel spectra.

use super::{Direction, Measure, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "mel",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above",
    definition: "as stft, of 150 and 80 mel bands (Slaney's scale and area, 0 Hz to half the rate) of the magnitudes",
    source: "R. Kumar et al., NeurIPS 2023 (mel loss); Codec-SUPERB; `librosa.filters.mel`",
    decimals: 4,
    needs_alignment: true,
    compute: |pair, _| Reading::of_spectra(pair, super::spectra::Spectral::mel),
};
