//! Small series for the pictures of a recording: chroma, tempogram, loudness.

use super::chroma::{CLASSES, normalized};
use super::summary::{MAX_SERIES_VALUES, Series};
use super::tempogram::{self, Tempogram};
use base::error::Result;
use base::progress::Progress;
use dsp::measure::loudness::{LoudnessCurve, POINTS_PER_S};

/// Rows of a tempogram: tempi evenly spaced on a logarithmic scale, both ends included.
const TEMPI: usize = 64;
/// The tempi of the first and the last row of a tempogram, in BPM.
pub const TEMPO_RANGE_BPM: [f64; 2] = [30.0, 300.0];

/// Returns the chroma over time: means over groups of windows, after each window is scaled so that its largest class is
/// 1.
pub(super) fn chroma(classes: &[[f32; CLASSES]], step_s: f64) -> Option<Series> {
    let together = classes.len().div_ceil(MAX_SERIES_VALUES / CLASSES).max(1);
    let mean = |windows: &[[f32; CLASSES]]| {
        let mut sums = [0f32; CLASSES];
        for window in windows {
            sums.iter_mut().zip(normalized(window)).for_each(|(sum, class)| *sum += class);
        }
        sums.map(|sum| sum / windows.len() as f32)
    };
    (!classes.is_empty()).then(|| Series {
        name: "chroma".to_owned(),
        unit: "1".to_owned(),
        rows: CLASSES,
        step_s: step_s * together as f64,
        values: classes.chunks(together).flat_map(mean).collect(),
    })
}

/// Returns the autocorrelation of the onset strength at the lag of a beat, for 64 tempi from 30 to 300 BPM, over time;
/// `None` for a recording shorter than a window of [`tempogram::WINDOW_S`].
pub(super) fn tempogram(strength: &[f32], step_s: f64, progress: &Progress) -> Result<Option<Series>> {
    let length = (tempogram::WINDOW_S / step_s) as usize;
    if length < 2 || strength.len() < length {
        return Ok(None);
    }
    let stride = strength.len().div_ceil(MAX_SERIES_VALUES / TEMPI).max(1);
    let rows = Tempogram::new(length)?.rows(strength, stride, progress)?;
    let [slowest, fastest] = TEMPO_RANGE_BPM;
    let lag = |row: usize| {
        let bpm = slowest * (fastest / slowest).powf(row as f64 / (TEMPI - 1) as f64);
        (60.0 / bpm / step_s).min((length - 1) as f64)
    };
    let mut values = Vec::with_capacity(rows.windows() * TEMPI);
    for window in 0..rows.windows() {
        let lags = rows.window(window);
        values.extend((0..TEMPI).map(|row| {
            let (whole, part) = (lag(row).floor(), lag(row).fract() as f32);
            let next = lags[(whole as usize + 1).min(length - 1)];
            lags[whole as usize] * (1.0 - part) + next * part
        }));
    }
    let (name, unit) = ("tempogram".to_owned(), "1".to_owned());
    Ok(Some(Series { name, unit, rows: TEMPI, step_s: step_s * stride as f64, values }))
}

/// Returns the short-term loudness over time: the maximum over groups of points.
pub(super) fn loudness(curve: &LoudnessCurve) -> Option<Series> {
    let values = curve.short_term();
    let together = values.len().div_ceil(MAX_SERIES_VALUES).max(1);
    let highest = |part: &[f32]| part.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let level = |part: &[f32]| Some(highest(part)).filter(|level| level.is_finite()).unwrap_or(f32::NAN);
    (!values.is_empty()).then(|| Series {
        name: "loudness".to_owned(),
        unit: "LUFS".to_owned(),
        rows: 1,
        step_s: together as f64 / POINTS_PER_S as f64,
        values: values.chunks(together).map(level).collect(),
    })
}
