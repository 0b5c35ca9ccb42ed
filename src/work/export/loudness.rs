//! Measures the loudness of the rendered audio and computes the gain that reaches a target. This is a separate pass
//! before writing, because a single gain depends on the whole signal.

use super::pipeline::Sink;
use super::settings::LoudnessTarget;
use crate::audio::{AudioBuffer, AudioFormat};
use crate::error::{Error, Result};
use crate::measure::loudness::{Blocks, LoudnessCurve};
use crate::measure::true_peak::TruePeaks;
use crate::units::{db_from_gain, gain_from_db};

/// The result of the measuring pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Loudness {
    /// The integrated loudness in LUFS; `None` if nothing passes the gates.
    lufs: Option<f64>,
    /// The true peak as a magnitude; 1 is full scale.
    true_peak: f64,
}

/// Checks the target and the stream format.
///
/// # Errors
/// [`Error::Invalid`] for a loudness outside -70 to 0 LUFS or a true peak outside -20 to 0 dBTP; [`Error::Unsupported`]
/// for a channel count or sample rate that the measurement does not support.
pub(super) fn check(target: &LoudnessTarget, format: AudioFormat) -> Result<()> {
    if !(-70.0..=0.0).contains(&target.lufs) {
        return Err(Error::invalid("loudness", format!("{} LUFS", target.lufs), "-70 to 0 LUFS"));
    }
    if !(-20.0..=0.0).contains(&target.true_peak_db) {
        return Err(Error::invalid("true peak", format!("{} dBTP", target.true_peak_db), "-20 to 0 dBTP"));
    }
    Blocks::new(format).map(drop)
}

/// Measures the rendered sound, in place of the encoder.
pub(super) struct LoudnessMeter {
    blocks: Blocks,
    curve: LoudnessCurve,
    true_peaks: TruePeaks,
}

impl LoudnessMeter {
    /// Creates a meter for a rendered stream.
    pub(super) fn new(format: AudioFormat) -> Result<Self> {
        let curve = LoudnessCurve::default();
        Ok(Self { blocks: Blocks::new(format)?, curve, true_peaks: TruePeaks::new(format) })
    }
}

impl Sink for LoudnessMeter {
    type Output = Loudness;

    fn write(&mut self, block: &AudioBuffer) -> Result<()> {
        let planes: Vec<&[f32]> = block.iter().collect();
        self.true_peaks.add(&planes);
        self.blocks.add(&planes, |energy| self.curve.push(energy))
    }

    fn finish(self) -> Result<Loudness> {
        let true_peak = self.true_peaks.finish().into_iter().fold(0.0, f64::max);
        if true_peak.is_infinite() {
            return Err(Error::unsupported(
                "Loudness of this sound",
                "The chain makes it infinitely loud. Lower its gains",
            ));
        }
        Ok(Loudness { lufs: self.curve.summary().integrated, true_peak })
    }
}

impl Loudness {
    /// Returns the gain, as an amplitude ratio, that reaches `target`. If the true peak limit does not allow it,
    /// returns the largest gain that it allows and adds a warning.
    pub(super) fn gain(self, target: LoudnessTarget, warnings: &mut Vec<String>) -> f64 {
        let Some(lufs) = self.lufs else {
            warnings.push("Too short or too quiet to measure the loudness. The level is unchanged.".to_owned());
            return 1.0;
        };
        let wanted = target.lufs - lufs;
        let room = target.true_peak_db - db_from_gain(self.true_peak.max(f64::MIN_POSITIVE));
        if wanted <= room {
            return gain_from_db(wanted);
        }
        warnings.push(format!(
            "Loudness is {:.1} LUFS instead of {:.1}, to keep true peaks below {:.1} dBTP. Add a limiter for more.",
            lufs + room,
            target.lufs,
            target.true_peak_db
        ));
        gain_from_db(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_true_peak_holds_the_gain_back() {
        let target = LoudnessTarget { lufs: -16.0, true_peak_db: -1.0 };
        let mut warnings = Vec::new();
        let quiet = Loudness { lufs: Some(-26.0), true_peak: gain_from_db(-20.0) };
        assert!((db_from_gain(quiet.gain(target, &mut warnings)) - 10.0).abs() < 1e-9);
        assert!(warnings.is_empty());
        let peaky = Loudness { lufs: Some(-26.0), true_peak: gain_from_db(-6.0) };
        assert!((db_from_gain(peaky.gain(target, &mut warnings)) - 5.0).abs() < 1e-9);
        assert!(warnings[0].contains("-21.0 LUFS"), "{warnings:?}");
        assert_eq!(Loudness { lufs: None, true_peak: 0.0 }.gain(target, &mut warnings), 1.0);
        assert_eq!(warnings.len(), 2);
    }
}
