//! The summary of a recording's series: the 25 dimensions, other figures, and small series for pictures.

use serde::{Deserialize, Serialize};

use super::analyse::Options;
use super::chroma::{CLASSES, normalized};
use super::contrast::Contrast;
use super::dimensions::{Features, Missing};
use super::frames::Layout;
use super::hpss::Energies;
use super::key;
use super::levels::{RecordingLevels, loudness_variation_db, silence_gain};
use super::mfcc::LogMel;
use super::onset::{self, Onsets, PeakSpec};
use super::spectral::{BANDS, SpectralShape};
use super::stereo::Stereo;
use super::waveform::{Hop, rms, zero_crossing_rate};
use super::yin::Pitch;
use super::{beats, tempo};
use audio::AudioFormat;
use base::error::Result;
use base::progress::Progress;
use base::units::db_from_gain;
use dsp::measure::loudness::{LoudnessCurve, LoudnessSummary};

/// The change of pitch between windows that counts as half stable, in cents.
const HALF_CENTS: f64 = 50.0;
/// The maximum number of values in a series: 64 KiB of f32.
pub const MAX_SERIES_VALUES: usize = 1 << 14;

/// The series of a whole recording, as the pass collects them.
pub(super) struct CollectedSeries {
    pub layout: Layout,
    pub format: AudioFormat,
    pub frames: u64,
    pub not_finite: u64,
    pub hops: Vec<Hop>,
    pub shapes: Vec<SpectralShape>,
    pub pitches: Vec<Pitch>,
    pub components: Vec<Energies>,
    pub true_peak: f32,
    pub contrast: Contrast,
    pub mel: LogMel,
    pub onsets: Onsets,
    /// Empty if the rate is too low for an octave.
    pub chroma: Vec<[f32; CLASSES]>,
    /// `None` if loudness is undefined for the stream.
    pub loudness: Option<LoudnessCurve>,
}

impl CollectedSeries {
    pub fn new(layout: Layout, format: AudioFormat) -> Self {
        Self {
            layout,
            format,
            frames: 0,
            not_finite: 0,
            hops: Vec::new(),
            shapes: Vec::new(),
            pitches: Vec::new(),
            components: Vec::new(),
            true_peak: 0.0,
            contrast: Contrast::default(),
            mel: LogMel::default(),
            onsets: Onsets::default(),
            chroma: Vec::new(),
            loudness: None,
        }
    }
}

/// The result of analysing a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The 25 dimensions.
    pub features: Features,
    /// Figures besides the dimensions.
    pub figures: Figures,
    /// Series for pictures; empty if they were not requested.
    pub series: Vec<Series>,
    /// The number of frames analysed.
    pub frames: u64,
    /// The number of non-finite samples, which are treated as silence.
    pub not_finite: u64,
}

/// Figures besides the 25 dimensions. A figure is `None` if there is nothing to measure; means are over sounding
/// windows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The RMS over all channels; full scale is 1.
    pub rms: f64,
    /// The largest magnitude of a sample; full scale is 1.
    pub peak: f64,
    /// The true peak in dBTP (dB relative to full scale).
    pub true_peak_db: Option<f64>,
    /// The loudness range in LU.
    pub loudness_range_lu: Option<f64>,
    /// The highest momentary loudness (400 ms) in LUFS.
    pub max_momentary_lufs: Option<f64>,
    /// The highest short-term loudness (3 s) in LUFS.
    pub max_short_term_lufs: Option<f64>,
    /// The mean spectral bandwidth in Hz.
    pub bandwidth_hz: Option<f64>,
    /// The mean spectral flux.
    pub flux: Option<f64>,
    /// The mean spectral contrast of each band in dB.
    pub contrast_db: Option<Vec<f64>>,
    /// The mean mel-frequency cepstral coefficients.
    pub mfcc: Option<Vec<f64>>,
    /// The mean share of samples at which the sign changes, 0..=1.
    pub zero_crossing_rate: Option<f64>,
    /// The share of windows that have a pitch, 0..=1.
    pub voiced_ratio: Option<f64>,
    /// The median pitch in Hz.
    pub pitch_hz: Option<f64>,
    /// The times of the beats in seconds.
    pub beats_s: Vec<f64>,
    /// The times of the onsets in seconds.
    pub onsets_s: Vec<f64>,
    /// How clearly the onset strength repeats at the tempo, 0..=1.
    pub tempo_clarity: Option<f64>,
    /// The mean chroma from C up, with each window scaled so that its largest class is 1.
    pub chroma: Option<Vec<f64>>,
    /// The key, such as "C" or "F#m".
    pub key: Option<String>,
    /// The lead of the key's correlation over the second-best key's.
    pub key_confidence: Option<f64>,
}

/// Rows of values at evenly spaced times, small enough to be drawn on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The quantity: `chroma`, `tempogram` or `loudness`.
    pub name: String,
    /// The values' unit.
    pub unit: String,
    /// The number of values at each time.
    pub rows: usize,
    /// Seconds from one time to the next.
    pub step_s: f64,
    /// The values, time by time and row by row within each; at most [`MAX_SERIES_VALUES`]. Silence in a series of
    /// levels is `NaN`, which JSON writes as `null`.
    pub values: Vec<f32>,
}

pub(super) fn summarise(heard: CollectedSeries, options: Options, progress: &Progress) -> Result<Analysis> {
    let CollectedSeries { layout, format, frames, not_finite, .. } = heard;
    let rate_hz = format.rate.as_f64();
    let mut features = Features::default();
    let mut figures = Figures::default();

    let sounding: Vec<bool> = rms(&heard.hops, layout).iter().map(|&rms| rms >= silence_gain()).collect();
    let over_sounding = |of: &dyn Fn(usize) -> f32| {
        let chosen = (0..sounding.len()).filter(|&k| sounding[k]);
        let (sum, count) = chosen.fold((0.0, 0u64), |(sum, count), k| (sum + f64::from(of(k)), count + 1));
        (count > 0).then(|| sum / count as f64)
    };
    spectra(&heard.shapes, &over_sounding, &mut features, &mut figures);
    let rates = zero_crossing_rate(&heard.hops, layout);
    figures.zero_crossing_rate = over_sounding(&|k| rates[k]);
    if options.timbre {
        figures.contrast_db = heard.contrast.mean_db();
        figures.mfcc = heard.mel.mean_mfcc();
    }
    components(&heard.components, &mut features);
    pitch(&heard.pitches, &mut features, &mut figures);
    levels(&heard, &mut features, &mut figures);
    harmony(&heard.chroma, &sounding, &mut features, &mut figures);
    rhythm(&heard.onsets, layout, rate_hz, frames, &mut features, &mut figures, progress)?;

    let mut series = Vec::new();
    if options.series {
        let step_s = layout.hop as f64 / rate_hz;
        series.extend(super::pictures::chroma(&heard.chroma, step_s));
        series.extend(super::pictures::tempogram(&heard.onsets.strength, step_s, progress)?);
        series.extend(heard.loudness.as_ref().and_then(super::pictures::loudness));
    }
    features.missing.sort_by_key(|missing| super::dimensions::index_of(&missing.name).unwrap_or(usize::MAX));
    Ok(Analysis { features, figures, series, frames, not_finite })
}

fn spectra(
    shapes: &[SpectralShape],
    over_sounding: &dyn Fn(&dyn Fn(usize) -> f32) -> Option<f64>,
    features: &mut Features,
    figures: &mut Figures,
) {
    const SILENT: &str = "no window of the channels' mean reaches -60 dB";
    let mut bands = [0f64; BANDS];
    for shape in shapes {
        for (sum, &power) in bands.iter_mut().zip(&shape.bands) {
            *sum += f64::from(power);
        }
    }
    let total: f64 = bands.iter().sum();
    let names =
        ["band_sub_bass", "band_bass", "band_low_mid", "band_mid", "band_upper_mid", "band_presence", "band_air"];
    for (name, band) in names.into_iter().zip(bands) {
        let share = (total > 0.0).then(|| band / total);
        features.set(name, share, "the channels' mean has no power between 20 Hz and 20 kHz");
    }
    let (bass, mid) = (bands[0] + bands[1], bands[2] + bands[3]);
    let ratio = (bass > 0.0 && mid > 0.0).then(|| 10.0 * (bass / mid).log10());
    features.set("bass_mid_ratio_db", ratio, "the channels' mean has no power in one of the two ranges");
    features.set("centroid_hz", over_sounding(&|k| shapes[k].centroid_hz), SILENT);
    features.set("rolloff_hz", over_sounding(&|k| shapes[k].rolloff_hz), SILENT);
    features.set("flatness", over_sounding(&|k| shapes[k].flatness), SILENT);
    figures.bandwidth_hz = over_sounding(&|k| shapes[k].bandwidth_hz);
    figures.flux = over_sounding(&|k| shapes[k].flux);
}

fn components(energies: &[Energies], features: &mut Features) {
    let sum = |of: &dyn Fn(&Energies) -> f32| energies.iter().map(|window| f64::from(of(window))).sum::<f64>();
    let (harmonic, percussive) = (sum(&|window| window.harmonic), sum(&|window| window.percussive));
    let total = harmonic + percussive;
    features.set("harmonic_ratio", (total > 0.0).then(|| harmonic / total), "the channels' mean is silent");
}

fn pitch(pitches: &[Pitch], features: &mut Features, figures: &mut Figures) {
    let (mut sum, mut count) = (0.0, 0u64);
    for pair in pitches.windows(2).filter(|pair| pair[0].is_voiced() && pair[1].is_voiced()) {
        let cents = 1200.0 * (f64::from(pair[1].hz) / f64::from(pair[0].hz)).log2();
        sum += 1.0 / (1.0 + cents.abs() / HALF_CENTS);
        count += 1;
    }
    let reason = "no two neighbouring windows have a pitch between 65 and 2093 Hz";
    features.set("pitch_stability", (count > 0).then(|| sum / count as f64), reason);
    let mut voiced: Vec<f32> = pitches.iter().filter(|pitch| pitch.is_voiced()).map(|pitch| pitch.hz).collect();
    figures.voiced_ratio = (!pitches.is_empty()).then(|| voiced.len() as f64 / pitches.len() as f64);
    voiced.sort_unstable_by(f32::total_cmp);
    figures.pitch_hz = voiced.get(voiced.len() / 2).map(|&hz| f64::from(hz));
}

fn levels(heard: &CollectedSeries, features: &mut Features, figures: &mut Figures) {
    const SHORT: &str = "fewer than two stretches of 0.4 s reach -60 dB";
    let CollectedSeries { layout, format, frames, hops, .. } = heard;
    let levels = RecordingLevels::new(hops, *layout, format.rate.as_f64(), *frames, format.channels);
    features.set("crest_db", levels.crest_db, "it is silent");
    features.set("silence_ratio", levels.silence_ratio, "it has no samples");
    features.set("dynamic_range_variation", levels.dynamic_range_variation, SHORT);
    features.set("peak_consistency", levels.peak_consistency, SHORT);
    let stereo = Stereo::new(hops, *frames, format.channels);
    features.set("stereo_width", stereo.width, "the first two channels are silent");
    features.set("phase_correlation", stereo.correlation, "one of the first two channels is silent");
    figures.rms = levels.rms;
    figures.peak = levels.peak;
    figures.true_peak_db = Some(db_from_gain(f64::from(heard.true_peak))).filter(|db| db.is_finite());

    let summary = heard.loudness.as_ref().map_or_else(LoudnessSummary::default, LoudnessCurve::summary);
    let undefined = "loudness is not defined for streams below 2 kHz";
    let reason = |reason| if heard.loudness.is_some() { reason } else { undefined };
    features.set("loudness_lufs", summary.integrated, reason("nothing passes the gates: it is silent or below 400 ms"));
    let variation = heard.loudness.as_ref().and_then(loudness_variation_db);
    features.set("loudness_variation_db", variation, reason("it is silent or shorter than 3.1 s"));
    figures.loudness_range_lu = summary.range;
    figures.max_momentary_lufs = summary.max_momentary;
    figures.max_short_term_lufs = summary.max_short_term;
}

fn harmony(chroma: &[[f32; CLASSES]], sounding: &[bool], features: &mut Features, figures: &mut Figures) {
    let chosen = chroma.iter().zip(sounding).filter(|(_, sounding)| **sounding);
    let (mut sum, mut count) = (0.0, 0u64);
    for (classes, _) in chosen {
        sum += normalized(classes).iter().map(|&class| f64::from(class)).sum::<f64>() / CLASSES as f64;
        count += 1;
    }
    let energy = (count > 0).then(|| sum / count as f64);
    let reason = if chroma.is_empty() { "its rate has no room for an octave" } else { "no window reaches -60 dB" };
    features.set("chroma_energy", energy, reason);
    let mean = key::mean_chroma(chroma);
    figures.chroma = mean.map(|mean| mean.to_vec());
    match mean.map(|mean| key::key(&mean)) {
        Some(Ok(key)) => {
            figures.key = Some(key.to_string());
            figures.key_confidence = Some(key.confidence);
        }
        Some(Err(reason)) => features.missing.push(Missing { name: "key".to_owned(), reason: reason.to_owned() }),
        None => features.missing.push(Missing { name: "key".to_owned(), reason: "it has no pitch classes".to_owned() }),
    }
}

fn rhythm(
    found: &Onsets,
    layout: Layout,
    rate_hz: f64,
    frames: u64,
    features: &mut Features,
    figures: &mut Figures,
    progress: &Progress,
) -> Result<()> {
    let strength = &found.strength;
    let per_s = rate_hz / layout.hop as f64;
    let seconds = |window: f64| window / per_s;
    let onsets = onset::onsets(strength, per_s, PeakSpec::ONSETS);
    figures.onsets_s = onsets.iter().map(|&window| seconds(window as f64)).collect();
    let density = (frames > 0).then(|| onsets.len() as f64 / (frames as f64 / rate_hz));
    features.set("transient_density", density, "it has no samples");
    match tempo::tempo(found, per_s, progress)? {
        Ok(tempo) => {
            features.set("tempo_bpm", Some(tempo.bpm), "");
            figures.tempo_clarity = Some(tempo.clarity);
            let beats = beats::beats(strength, &beats::periods(strength, per_s, &tempo, progress)?);
            figures.beats_s = beats.iter().map(|&window| seconds(window)).collect();
            match beats::rhythm_stability(&beats) {
                Ok(stability) => features.set("rhythm_stability", Some(stability), ""),
                Err(reason) => features.set("rhythm_stability", None, reason),
            }
        }
        Err(reason) => {
            features.set("tempo_bpm", None, reason);
            features.set("rhythm_stability", None, &format!("it has no tempo: {reason}"));
        }
    }
    Ok(())
}
