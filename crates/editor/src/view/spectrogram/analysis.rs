//! The analysis settings of a spectrogram, and the axes of its tiles.

use serde::{Deserialize, Serialize};

use super::{Method, RowSpan};
use base::declared::TS;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{self, FrequencyScale, Window};
use dsp::kernels::signal::stft::{Spacing, StftPlan, StftSpec};

/// Columns of a tile.
pub const TILE_COLUMNS: u64 = 256;
/// Rows of a tile.
pub const TILE_ROWS: u32 = 256;
/// The highest row level: a window of 65,536 frames padded eight times has no more bins than [`TILE_ROWS`] times two to
/// this power.
const MAX_ROW_LEVEL: u32 = 10;
/// The lowest frequency on a logarithmic axis, in Hz.
pub const LOG_LOW_HZ: f64 = 20.0;

/// The windows of an exact spectrogram are at most this share of their length apart.
pub const EXACT: Spacing = Spacing::Within(0.5);

/// A constant-Q transform costs as much as plain transforms with windows of this many frames.
const CONSTANT_Q_FRAMES: usize = 512;

/// The analysis settings of a spectrogram. A change to any of them requires new tiles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(rename = "SpectrogramAnalysis")]
pub struct Analysis {
    /// The analysis method.
    pub method: Method,
    /// The bins per octave of the constant-Q transform, 12..=96; ignored by the other methods.
    pub bins_per_octave: u32,
    /// The window function.
    #[serde(with = "design::window_name")]
    #[ts(as = "dsp::design::WindowName")]
    pub window: Window,
    /// The window length in frames, a power of two from 64 to 65536.
    #[serde(rename = "window_frames")]
    pub size: usize,
    /// The zero-padding factor of the transform: 1, 2, 4 or 8.
    pub padding: usize,
    /// The frequency axis.
    pub scale: FrequencyScale,
}

impl Default for Analysis {
    fn default() -> Self {
        Self {
            method: Method::Fourier,
            bins_per_octave: 36,
            window: Window::Hann,
            size: 2048,
            padding: 1,
            scale: FrequencyScale::MelHtk,
        }
    }
}

impl Analysis {
    /// Plans the transform that shows the spectrum at one position, and on which the other methods are based.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a size that is not a power of two from 64 to 65536, and for a padding other than 1, 2, 4
    /// or 8.
    pub fn plan(&self) -> Result<StftPlan> {
        if !self.size.is_power_of_two() {
            let got = format!("{} frames", self.size);
            return Err(Error::invalid("window size", got, "a power of two from 64 to 65536 frames"));
        }
        StftPlan::new(StftSpec {
            window: self.window,
            size: self.size,
            padding: self.padding,
            hop: self.size.max(2) / 2,
        })
    }

    /// Returns a description of the method and its parameters, for the title of a picture.
    pub fn in_words(&self) -> String {
        match self.method {
            Method::Fourier => format!("{} frames", self.size),
            Method::ConstantQ => format!("constant Q, {} bins per octave", self.bins_per_octave),
            Method::Reassigned => format!("reassigned, {} frames", self.size),
            Method::MultiResolution => format!("multi-resolution, {} frames at 1 kHz", self.size),
        }
    }

    /// Returns the frequency axis for a recording.
    pub fn axis(&self, rate: SampleRate) -> FrequencyAxis {
        let high_hz = rate.as_f64() / 2.0;
        let low_hz = if self.scale == FrequencyScale::Log { lowest_hz(rate) } else { 0.0 };
        FrequencyAxis { scale: self.scale, low_hz, high_hz }
    }

    /// Returns the approximate number of windows of the shortest length in an exact column of `column_frames` frames,
    /// which determines its cost.
    pub fn windows_per_column(&self, column_frames: u64) -> usize {
        let size = match self.method {
            Method::Fourier => self.size,
            Method::Reassigned => self.size / 2,
            Method::MultiResolution => self.size / 4,
            // The cost of several of the highest bins' transforms together, which are shorter.
            Method::ConstantQ => CONSTANT_Q_FRAMES,
        };
        EXACT.windows(column_frames as f64, size as f64)
    }

    /// Returns a key that distinguishes the tiles of different analyses.
    pub fn key(&self) -> String {
        let Self { method, bins_per_octave, window, size, padding, scale } = self;
        let bins = if *method == Method::ConstantQ { *bins_per_octave } else { 0 };
        format!("{method}/{bins}/{window}/{size}/{padding}/{scale}")
    }
}

/// Returns the lower end of a logarithmic axis, which is the lowest bin of a constant-Q transform.
pub(super) fn lowest_hz(rate: SampleRate) -> f64 {
    LOG_LOW_HZ.min(rate.as_f64() / 4.0)
}

/// The frequency axis of a spectrogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrequencyAxis {
    /// The frequency scale.
    pub scale: FrequencyScale,
    /// The lower end in Hz.
    pub low_hz: f64,
    /// The upper end in Hz: half the sample rate.
    pub high_hz: f64,
}

impl FrequencyAxis {
    /// Returns the frequency at a share of the axis, from 0 (bottom) to 1 (top).
    pub fn hz_at(&self, share: f64) -> f64 {
        let [low, high] = [self.low_hz, self.high_hz].map(|hz| self.scale.position_from_hz(hz));
        // The ends are returned exactly, without rounding errors.
        match share {
            share if share <= 0.0 => self.low_hz,
            share if share >= 1.0 => self.high_hz,
            share => self.scale.hz_from_position(low + share * (high - low)),
        }
    }

    /// Returns `count` rows over the whole axis.
    pub fn span(&self, count: usize) -> RowSpan {
        RowSpan { scale: self.scale, span_hz: [self.low_hz, self.high_hz], count }
    }

    /// Returns the rows of consecutive row tiles.
    pub fn tiles(&self, level: u32, tile: u32, tiles: u32) -> Result<RowSpan> {
        let all = 1u32.checked_shl(level).filter(|_| level <= MAX_ROW_LEVEL).unwrap_or(0);
        if tiles == 0 || tile.checked_add(tiles).is_none_or(|end| end > all) {
            let got = format!("{tiles} from {tile} on at level {level}");
            return Err(Error::invalid(
                "rows of a spectrogram",
                got,
                format!("tiles within 2^level, level 0 to {MAX_ROW_LEVEL}"),
            ));
        }
        let at = |tile: u32| self.hz_at(f64::from(tile) / f64::from(all));
        let count = (tiles * TILE_ROWS) as usize;
        Ok(RowSpan { scale: self.scale, span_hz: [at(tile), at(tile + tiles)], count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(scale: FrequencyScale) -> Analysis {
        Analysis { scale, ..Analysis::default() }
    }

    #[test]
    fn the_axis_reaches_from_its_bottom_to_half_the_rate() {
        let rate = SampleRate::new(48_000).expect("a rate");
        for (scale, low) in [(FrequencyScale::Linear, 0.0), (FrequencyScale::Log, 20.0), (FrequencyScale::MelHtk, 0.0)]
        {
            let axis = analysis(scale).axis(rate);
            assert_eq!((axis.hz_at(0.0), axis.hz_at(1.0)), (low, 24_000.0));
            assert!(axis.hz_at(0.3) < axis.hz_at(0.31));
        }
        // At a rate too low for 20 Hz there is still an axis.
        let axis = analysis(FrequencyScale::Log).axis(SampleRate::new(10).expect("a rate"));
        assert_eq!((axis.hz_at(0.0), axis.hz_at(1.0)), (2.5, 5.0));
    }

    #[test]
    fn wide_columns_have_many_windows_and_narrow_ones_one() {
        let analysis = analysis(FrequencyScale::Linear);
        assert_eq!([1, 1024, 1025, 4096, 1 << 17].map(|frames| analysis.windows_per_column(frames)), [1, 1, 2, 4, 128]);
    }

    #[test]
    fn rows_beyond_the_axis_are_refused() {
        let rate = SampleRate::new(48_000).expect("a rate");
        let analysis = analysis(FrequencyScale::Erb);
        let axis = analysis.axis(rate);
        let rows = |level, tile, tiles| axis.tiles(level, tile, tiles).map(|span| span.count);
        assert_eq!(rows(0, 0, 1).expect("rows"), 256);
        assert_eq!(rows(3, 6, 2).expect("rows"), 512);
        for (level, tile, tiles) in [(0, 0, 0), (0, 1, 1), (2, 3, 2), (2, u32::MAX, 1), (11, 0, 1), (40, 0, 1)] {
            assert!(rows(level, tile, tiles).is_err(), "{level}, {tile}, {tiles}");
        }
        assert!(Analysis { size: 1000, ..analysis }.plan().is_err());
    }

    #[test]
    fn settings_that_know_of_no_method_are_read_as_the_plain_one() {
        let stored = r#"{ "window": "nuttall", "window_frames": 1024, "padding": 2, "scale": "log" }"#;
        let read: Analysis = serde_json::from_str(stored).unwrap();
        assert_eq!((read.method, read.bins_per_octave), (Method::Fourier, 36));
        assert_eq!((read.window, read.size), (Window::Nuttall, 1024));
        let stored = r#"{ "method": "constant_q", "bins_per_octave": 24 }"#;
        let read: Analysis = serde_json::from_str(stored).unwrap();
        assert_eq!((read.method, read.bins_per_octave), (Method::ConstantQ, 24));
        assert!(serde_json::from_str::<Analysis>(r#"{ "method": "wavelet" }"#).is_err());
    }
}
