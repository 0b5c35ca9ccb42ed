//! The spectrum at one position of a picture, as accurate as one window allows.

use serde::Serialize;

use super::{Analysis, SpectrogramSource};
use audio::{AudioBuffer, Lanes};
use base::declared::TS;
use base::error::{Error, Result};
use dsp::kernels::signal::stft::{Complex32, FLOOR_DB, Samples, StftPlan, StftSpec, cpu};

/// The range around a frequency, in bins of the unpadded transform, in which its peak is searched.
const REACH_BINS: f64 = 4.0;

/// The spectrum at a position. For silence, levels are minus infinity and the phase is `NaN`; in JSON these are null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "SpectrumAt")]
pub struct SpectrumReading {
    /// The level at the requested frequency in dB re a full-scale sine, linearly interpolated between bins.
    #[ts(as = "Option<f64>")]
    pub db: f64,
    /// The frequency in Hz of the nearest spectral peak: the vertex of the parabola through the three highest levels in
    /// dB (J. O. Smith, Spectral Audio Signal Processing, "Quadratic Interpolation of Spectral Peaks").
    pub peak_hz: f64,
    /// The level at that vertex, in dB.
    #[ts(as = "Option<f64>")]
    pub peak_db: f64,
    /// The phase of the peak at the requested frame, in radians; 0 is a cosine's maximum.
    #[ts(as = "Option<f64>")]
    pub phase_rad: f64,
}

/// Reads the spectrum of one lane in the window centred on `frame`, at and around `hz`. The transform is padded at
/// least four times, so that the frequency of a steady tone is accurate to a hundredth of a bin.
pub fn spectrum_at(
    source: &SpectrogramSource,
    analysis: &Analysis,
    lanes: Lanes,
    lane: usize,
    frame: u64,
    hz: f64,
) -> Result<SpectrumReading> {
    let rate = source.format().rate.as_f64();
    if !(0.0..=rate / 2.0).contains(&hz) {
        return Err(Error::invalid("frequency", format!("{hz} Hz"), format!("0 to {} Hz", rate / 2.0)));
    }
    if lane >= lanes.count(source.format().channels) {
        return Err(Error::invalid("lane of a spectrogram", lane.to_string(), "one of the picture's"));
    }
    let spec = StftSpec { hop: 1, padding: analysis.padding.max(4), ..analysis.plan()?.spec() };
    let plan = StftPlan::new(spec)?;
    let frame = frame.min(source.frames());
    let spectrum = one_window(source, &plan, lanes, lane, frame)?;
    let scale = plan.power_scale();
    let levels: Vec<f64> = spectrum.iter().map(|x| 10.0 * (scale * f64::from(x.norm_sqr())).log10()).collect();
    let bins = plan.bins_at(rate);
    let place = bins.bin_from_hz(hz);
    let peak = nearest_peak(&levels, place, REACH_BINS * spec.padding as f64);
    let (offset, peak_db) = crest(&levels, peak);
    // The transform gives the phase at the window's first frame; this advances it to the window's middle.
    let cycles = (peak as f64 + offset) / plan.fft_length() as f64 * (spec.size / 2) as f64;
    let phase = f64::from(spectrum[peak].arg()) + std::f64::consts::TAU * cycles
        - std::f64::consts::PI * offset * (spec.size as f64 - 1.0) / plan.fft_length() as f64;
    let heard = levels[peak] > f64::from(FLOOR_DB);
    Ok(SpectrumReading {
        db: silent_below_floor(between(&levels, place)),
        peak_hz: (peak as f64 + offset) * rate / plan.fft_length() as f64,
        peak_db: silent_below_floor(peak_db),
        phase_rad: if heard { wrapped(phase) } else { f64::NAN },
    })
}

fn one_window(
    source: &SpectrogramSource,
    plan: &StftPlan,
    lanes: Lanes,
    lane: usize,
    frame: u64,
) -> Result<Vec<Complex32>> {
    let reach = plan.reach(frame..frame + 1);
    let first = reach.start.max(0);
    let mut audio = AudioBuffer::new(source.format().channels, 0);
    source.read(|reader| {
        reader.seek(first as u64)?;
        reader.read(&mut audio, (reach.end - first).max(0) as usize)
    })?;
    let samples = lanes.samples(&audio, lane);
    let samples = Samples { samples: &samples, first_frame: first };
    Ok(cpu::spectra(plan, samples, frame..frame + 1)?.values)
}

/// Returns the local maximum nearest to a position within reach, or the highest bin within reach.
fn nearest_peak(levels: &[f64], place: f64, reach: f64) -> usize {
    let last = levels.len() - 1;
    let from = (place - reach).ceil().max(0.0) as usize;
    let to = ((place + reach).floor() as usize).min(last).max(from);
    let is_peak =
        |&bin: &usize| (bin == 0 || levels[bin] >= levels[bin - 1]) && (bin == last || levels[bin] > levels[bin + 1]);
    // Side lobes of a tone are local maxima too. A maximum that is 20 dB below the highest in reach is ignored.
    let highest = (from..=to).max_by(|&a, &b| levels[a].total_cmp(&levels[b])).unwrap_or(from);
    let near = |bin: &usize| (*bin as f64 - place).abs();
    let nearest = (from..=to).filter(is_peak).min_by(|a, b| near(a).total_cmp(&near(b)));
    nearest.filter(|&bin| levels[bin] > levels[highest] - 20.0).unwrap_or(highest)
}

/// Returns the vertex of the parabola through a bin and its neighbours: its offset in bins and its level.
fn crest(levels: &[f64], peak: usize) -> (f64, f64) {
    let at = |bin: usize| levels.get(bin).copied().filter(|level| level.is_finite());
    let neighbours = peak.checked_sub(1).and_then(at).zip(at(peak)).zip(at(peak + 1));
    let Some(((left, middle), right)) = neighbours else { return (0.0, levels[peak]) };
    let curve = left - 2.0 * middle + right;
    if curve >= 0.0 {
        return (0.0, middle);
    }
    let offset = (0.5 * (left - right) / curve).clamp(-0.5, 0.5);
    (offset, middle - 0.25 * (left - right) * offset)
}

fn between(levels: &[f64], place: f64) -> f64 {
    let (below, part) = (place.floor() as usize, place.fract());
    match (levels.get(below), levels.get(below + 1)) {
        (Some(&low), Some(&high)) if part > 0.0 => low + part * (high - low),
        (Some(&low), _) => low,
        _ => f64::NEG_INFINITY,
    }
}

fn silent_below_floor(db: f64) -> f64 {
    if db > f64::from(FLOOR_DB) { db } else { f64::NEG_INFINITY }
}

fn wrapped(radians: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    (radians + std::f64::consts::PI).rem_euclid(turn) - std::f64::consts::PI
}
