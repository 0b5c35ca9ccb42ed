//! The frequency up to which the other keeps the reference's sound, and how much bandwidth it lost.

use super::bands::of_edges;
use super::{Direction, Measure, OverTime};

pub(super) const KEPT: Measure = Measure {
    name: "bandwidth",
    title: "Bandwidth",
    unit: "Hz",
    direction: Direction::Higher,
    range: "0 to half the reference's rate",
    definition: "upper edge of the highest band of 100 Hz in which the reference sounds (within 100 dB of its loudest \
                 band, above -120 dB) and the other is at most 10 dB weaker, as in most of the 5 bands below it; mean \
                 spectra, gain aside",
    source: "this program",
    decimals: 0,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "Hz", definition: "of each second, at least 8192 frames" }),
    compute: |pair, curves, progress| of_edges(pair, curves, progress, |edges| edges.kept_hz),
};

pub(super) const LOST: Measure = Measure {
    name: "bandwidth_lost",
    title: "Bandwidth lost",
    unit: "Hz",
    direction: Direction::Lower,
    range: "0 to half the reference's rate",
    definition: "upper edge of the highest band of 100 Hz in which the reference sounds, less bandwidth",
    source: "this program",
    decimals: 0,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "Hz", definition: "of each second, at least 8192 frames" }),
    compute: |pair, curves, progress| {
        of_edges(pair, curves, progress, |edges| (edges.reference_hz - edges.kept_hz).max(0.0))
    },
};
