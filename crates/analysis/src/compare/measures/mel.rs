//! Multi-scale distance of the mel spectra.

use super::spectra::Spectral;
use super::{Direction, Measure, OverTime, Reading};
use crate::compare::pair::Pair;
use base::error::Result;

pub(super) const SPEC: Measure = Measure {
    name: "mel",
    title: "Mel distance",
    unit: "1",
    direction: Direction::Lower,
    range: "0 and above",
    definition: DEFINITION,
    source: "R. Kumar et al., NeurIPS 2023 (mel loss); Codec-SUPERB; `librosa.filters.mel`",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: "of each window of 2048 frames, hop 512" }),
    compute: |pair, curves, _| read(pair, curves),
};

pub(in crate::compare) const DEFINITION: &str =
    "as stft, of 150 and 80 mel bands (Slaney's scale and area, 0 Hz to half the rate) of the magnitudes";

pub(in crate::compare) fn read(pair: &Pair, curves: bool) -> Result<Reading> {
    Reading::of_spectra(pair, curves, Spectral::mel_over_time, Spectral::mel)
}
