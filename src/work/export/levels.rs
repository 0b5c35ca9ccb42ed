//! Measures what an export would write, in place of the encoder.

use std::collections::BTreeMap;

use super::pipeline::Sink;
use super::settings::{ExportForecast, ExportSettings};
use crate::audio::encode::{QuantizeLevels, SampleFormat, Stretches};
use crate::audio::{AudioBuffer, AudioFormat};
use crate::error::Result;
use crate::measure::true_peak::TruePeaks;
use crate::units::db_from_gain;

/// The true peak in dBTP to which the remedy gain lowers a file of a lossy format (EBU R 128 s1).
const LOSSY_CEILING_DB: f64 = -1.0;

/// Counts frames and the samples that are clipped or rounded, as the encoder does, and measures the true peak.
pub(super) struct LevelMeter {
    frames: u64,
    levels: QuantizeLevels,
    /// For each channel, at 16 and 24 bits.
    stretches: Vec<[Stretches; 2]>,
    true_peaks: TruePeaks,
}

impl LevelMeter {
    /// Creates a meter for a stream.
    pub(super) fn new(format: AudioFormat) -> Self {
        let stretches = vec![[16, 24].map(Stretches::new); format.channels];
        Self { frames: 0, levels: QuantizeLevels::default(), stretches, true_peaks: TruePeaks::new(format) }
    }
}

impl Sink for LevelMeter {
    type Output = ExportLevels;

    fn write(&mut self, block: &AudioBuffer) -> Result<()> {
        let planes: Vec<&[f32]> = block.iter().collect();
        for plane in &planes {
            self.levels.count(plane);
        }
        for (stretches, plane) in self.stretches.iter_mut().zip(&planes) {
            for stretches in stretches {
                stretches.look_at(plane);
                stretches.forget(stretches.decided());
            }
        }
        self.true_peaks.add(&planes);
        self.frames += block.frames() as u64;
        Ok(())
    }

    fn finish(mut self) -> Result<ExportLevels> {
        self.stretches.iter_mut().flatten().for_each(Stretches::end);
        let rounded = |size: usize| self.stretches.iter().map(|stretches| stretches[size].rounded()).sum();
        let rounded = [rounded(0), rounded(1)];
        let true_peak = self.true_peaks.finish().into_iter().fold(self.levels.peak, f64::max);
        let QuantizeLevels { clipped, not_numbers, peak } = self.levels;
        Ok(ExportLevels { frames: self.frames, clipped: clipped - not_numbers, peak, true_peak, rounded })
    }
}

/// The levels of an export.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExportLevels {
    frames: u64,
    clipped: u64,
    peak: f64,
    /// At least the sample peak.
    true_peak: f64,
    /// By integers of 16 and of 24 bits.
    rounded: [u64; 2],
}

impl ExportLevels {
    /// Returns the levels in the window's form, for an export with `settings`.
    pub(super) fn forecast(self, settings: &ExportSettings, loudness_gain_db: Option<f64>) -> ExportForecast {
        let db = |level: f64| (level > 0.0 && level.is_finite()).then(|| db_from_gain(level));
        let over = db(self.true_peak).filter(|over| *over > 0.0);
        // Lossy encoders change peaks a little, so they need some headroom.
        let ceiling_db = if settings.format.is_lossy() { LOSSY_CEILING_DB } else { 0.0 };
        let rounded = BTreeMap::from([(SampleFormat::Int16, self.rounded[0]), (SampleFormat::Int24, self.rounded[1])]);
        ExportForecast {
            frames: self.frames,
            clipped: if settings.format.clips(settings.bits) { self.clipped } else { 0 },
            rounded: if settings.format.is_lossy() { BTreeMap::new() } else { rounded },
            peak_db: db(self.peak),
            true_peak_db: db(self.true_peak),
            loudness_gain_db,
            // The need is rounded up to a tenth of a decibel.
            remedy_gain_db: over.map(|over| ((settings.gain_db - over + ceiling_db) * 10.0 - 1e-6).floor() / 10.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::encode::FileFormat;
    use crate::units::gain_from_db;
    use crate::work::settings::Settings;

    #[test]
    fn the_remedy_is_the_next_tenth_of_a_decibel() {
        let remedy = |gain_db: f64, true_peak: f64| {
            let settings = ExportSettings { gain_db, ..Settings::default().export };
            let rounded = [0; 2];
            let levels = ExportLevels { frames: 1, clipped: 1, peak: true_peak, true_peak, rounded };
            levels.forecast(&settings, None).remedy_gain_db
        };
        assert_eq!(remedy(0.0, gain_from_db(2.34)), Some(-2.4));
        assert_eq!(remedy(0.0, gain_from_db(2.4)), Some(-2.5));
        assert_eq!(remedy(6.0, gain_from_db(0.05)), Some(5.9));
        let lossy = ExportSettings { format: FileFormat::Opus, ..Settings::default().export };
        let rounded = [0; 2];
        let levels = ExportLevels { frames: 1, clipped: 0, peak: 1.0, true_peak: gain_from_db(0.5), rounded };
        assert_eq!(levels.forecast(&lossy, None).remedy_gain_db, Some(-1.6));
        assert_eq!(remedy(0.0, 1.0), None);
        assert_eq!(remedy(0.0, 0.0), None);
    }
}
