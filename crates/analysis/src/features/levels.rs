//! Levels of a whole recording, from its hops and its loudness curve.
//!
//! | | unit | range | formula |
//! |---|---|---|---|
//! | RMS | full scale | 0.. | `sqrt(mean x^2)` over all channels |
//! | peak | full scale | 0.. | `max |x|` over all channels |
//! | crest | dB | 0.. | `20 log10(peak / RMS)` |
//! | silence ratio | share | 0..1 | windows whose RMS over all channels is below -60 dB, over all windows |
//! | dynamic range variation | 1 | 0..1 | `v / (v + 6)`, `v` the standard deviation of the stretches' crest in dB |
//! | peak consistency | 1 | 0..1 | `1 / (1 + s / m)`, `m` and `s` mean and standard deviation of the stretches' peaks |
//! | loudness variation | dB | 0.. | standard deviation of the short-term loudness above -70 LUFS |
//!
//! A stretch is the number of whole hops nearest to 0.4 s. Stretches follow each other without a gap; the rest at the
//! end is left out. Stretches with an RMS below -60 dB do not count. Deviations are population standard deviations.
//! Values are not clamped: the formulas themselves stay within the ranges given.

use super::frames::Layout;
use super::waveform::{Hop, rms_of_channels};
use base::units::{db_from_gain, gain_from_db};
use dsp::measure::loudness::{LoudnessCurve, POINTS_PER_S};

/// Windows and stretches below this level are silent, in dB.
pub const SILENCE_DB: f64 = -60.0;
/// The length of a stretch in seconds.
const STRETCH_S: f64 = 0.4;
/// The standard deviation, in dB, at which dynamic range variation is 1/2.
const HALF_DB: f64 = 6.0;
/// The window of short-term loudness, in seconds.
const SHORT_TERM_S: usize = 3;
/// Short-term loudness at or below this gate does not count, in LUFS.
const GATE_LUFS: f32 = -70.0;

/// Levels of a recording. A field is `None` where it is undefined, as documented for each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RecordingLevels {
    /// The RMS over all channels; full scale is 1.
    pub rms: f64,
    /// The largest magnitude over all channels; full scale is 1.
    pub peak: f64,
    /// Peak over RMS in dB; `None` for silence.
    pub crest_db: Option<f64>,
    /// The share of silent windows, 0..=1; `None` if there is no window.
    pub silence_ratio: Option<f64>,
    /// 0 for a constant crest; `None` with fewer than two stretches that are not silent.
    pub dynamic_range_variation: Option<f64>,
    /// 1 if all peaks are equally high; `None` with fewer than two stretches that are not silent.
    pub peak_consistency: Option<f64>,
}

/// Returns the level below which a window is silent, as a linear gain.
pub fn silence_gain() -> f32 {
    gain_from_db(SILENCE_DB) as f32
}

impl RecordingLevels {
    /// Computes the levels from all hops of a recording of `frames` frames and `channels` channels.
    pub fn new(hops: &[Hop], layout: Layout, rate_hz: f64, frames: u64, channels: usize) -> Self {
        let samples = frames as f64 * channels as f64;
        let energy: f64 = hops.iter().map(|hop| hop.energy).sum();
        let rms = if samples > 0.0 { (energy / samples).sqrt() } else { 0.0 };
        let peak = hops.iter().fold(0.0, |peak: f64, hop| peak.max(f64::from(hop.peak)));
        let crest_db = (rms > 0.0).then(|| db_from_gain(peak / rms));
        let silent = rms_of_channels(hops, layout, channels).iter().filter(|&&rms| rms < silence_gain()).count();
        let silence_ratio = (!hops.is_empty()).then(|| silent as f64 / hops.len() as f64);

        let length = ((STRETCH_S * rate_hz / layout.hop as f64).round() as usize).max(1);
        let whole = (frames / layout.hop as u64) as usize;
        let (mut crests, mut peaks) = (Vec::new(), Vec::new());
        for stretch in hops[..whole.min(hops.len())].chunks_exact(length) {
            let energy: f64 = stretch.iter().map(|hop| hop.energy).sum();
            let rms = (energy / (length * layout.hop * channels) as f64).sqrt();
            let peak = stretch.iter().fold(0.0, |peak: f64, hop| peak.max(f64::from(hop.peak)));
            if rms >= gain_from_db(SILENCE_DB) {
                crests.push(db_from_gain(peak / rms));
                peaks.push(peak);
            }
        }
        let enough = peaks.len() >= 2;
        let deviation = deviation(&crests);
        let spread = self::deviation(&peaks) / mean(&peaks);
        Self {
            rms,
            peak,
            crest_db,
            silence_ratio,
            dynamic_range_variation: enough.then(|| deviation / (deviation + HALF_DB)),
            peak_consistency: enough.then(|| 1.0 / (1.0 + spread)),
        }
    }
}

/// Returns the standard deviation of the short-term loudness in dB, over the 3 s windows that lie within the recording
/// and are above -70 LUFS; `None` with fewer than two such windows.
pub fn loudness_variation_db(curve: &LoudnessCurve) -> Option<f64> {
    let from = (SHORT_TERM_S * POINTS_PER_S - 1).min(curve.len());
    let counted = curve.short_term()[from..].iter().filter(|&&lufs| lufs > GATE_LUFS);
    let counted: Vec<f64> = counted.map(|&lufs| f64::from(lufs)).collect();
    (counted.len() >= 2).then(|| deviation(&counted))
}

/// Returns the mean; `NaN` for an empty slice.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the population standard deviation; `NaN` for an empty slice.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}
