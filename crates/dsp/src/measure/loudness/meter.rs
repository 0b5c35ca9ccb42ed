//! A loudness meter for live sound.

use super::blocks::Blocks;
use super::curve::LoudnessCurve;
use super::finite::Finite;
use crate::measure::true_peak::TruePeaks;
use base::error::Result;
use base::sound::AudioFormat;
use base::units::db_from_gain;

/// Loudness in LUFS and true peak in dB. A field is `None` before the first value and for silence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoudnessReading {
    /// Momentary: over the last 400 ms.
    pub momentary: Option<f64>,
    /// Short-term: over the last 3 s.
    pub short_term: Option<f64>,
    /// Integrated: gated, since the meter began.
    pub integrated: Option<f64>,
    /// The loudness range in LU since the meter began.
    pub range: Option<f64>,
    /// The highest true peak of any channel since the meter began, in dB re full scale.
    pub true_peak_db: Option<f64>,
}

/// Measures a stream as it arrives.
pub struct LoudnessMeter {
    finite: Finite,
    blocks: Blocks,
    peaks: TruePeaks,
    curve: LoudnessCurve,
    read_at: usize,
    reading: LoudnessReading,
}

impl LoudnessMeter {
    /// Creates a meter that has measured nothing yet.
    pub fn new(format: AudioFormat) -> Result<Self> {
        Ok(Self {
            finite: Finite::default(),
            blocks: Blocks::new(format)?,
            peaks: TruePeaks::new(format),
            curve: LoudnessCurve::default(),
            read_at: 0,
            reading: LoudnessReading::default(),
        })
    }

    /// Adds samples.
    pub fn add(&mut self, planes: &[&[f32]]) -> Result<()> {
        let planes = self.finite.of(planes);
        self.peaks.add(&planes);
        self.blocks.add(&planes, |energy| self.curve.push(energy))
    }

    /// Returns the current reading, which changes ten times per second.
    pub fn reading(&mut self) -> LoudnessReading {
        if self.curve.len() != self.read_at {
            self.read_at = self.curve.len();
            let last = |values: &[f32]| values.last().map(|&lufs| f64::from(lufs)).filter(|lufs| lufs.is_finite());
            let summary = self.curve.summary();
            self.reading = LoudnessReading {
                momentary: last(self.curve.momentary()),
                short_term: last(self.curve.short_term()),
                integrated: summary.integrated,
                range: summary.range,
                true_peak_db: Some(db_from_gain(self.peaks.highest())).filter(|db| db.is_finite()),
            };
        }
        self.reading
    }
}
