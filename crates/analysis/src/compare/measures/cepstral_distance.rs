//! Distance of the mel cepstra.

use super::spectra::Spectral;
use super::{Direction, Measure, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "cepstral_distance",
    title: "Cepstral distance",
    unit: "dB",
    direction: Direction::Lower,
    range: "0 and above",
    definition: "mean over windows of 20 sqrt(sum over k = 1..24 of D_k^2 / 150), D the orthonormal cosine transform over \
                 the 150 mel bands of mel of log10(R / O): the difference of the spectral envelopes in dB, level aside",
    source: "R. Kubichek, \"Mel-cepstral distance measure for objective speech quality assessment\", IEEE PacRim 1993; \
             N. Kitawaki et al., IEEE JSAC 6, 1988",
    decimals: 3,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: "of each window of 2048 frames, hop 512" }),
    compute: |pair, curves, _| Reading::of_spectra(pair, curves, Spectral::cepstra, Spectral::cepstrum),
};
