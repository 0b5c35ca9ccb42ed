//! Normalise to a peak.

use super::{
    Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit, WholeSignal,
};
use crate::audio::AudioFormat;
use crate::error::{Error, Result};
use crate::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "normalize",
    title: "Normalise",
    purpose: Purpose::Level,
    summary: "Brings the loudest sample of the whole signal to a level.",
    documentation: "\
Measures the largest sample magnitude of the whole signal as it comes to this place of the chain, and multiplies all by \
one gain that brings it to `target`: `gain = 10^(target / 20 dB) / peak`. With `mode=linked` one gain serves all \
channels, so that their balance stays; with `mode=per_channel` each channel gets its own.\n\
\n\
The peak is that of the samples; the curve between them may go higher by some tenths of a dB, which is why the default \
is -1 dB. Silence, and what is below the smallest normal 32-bit float (-758 dB), stays as it is.\n\
\n\
No latency, but the whole signal must be known first: an export makes a pass of its own, a preview runs with no gain, or \
the last known one, until that pass is done.",
    source: "The definition of the sample peak (AES17).",
    parameters: &[
        Parameter {
            name: "target",
            title: "Target",
            help: "The level of the loudest sample, re full scale.",
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -120.0,
                max: 0.0,
                default: Some(-1.0),
                initial: -1.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "mode",
            title: "Mode",
            help: "linked: one gain for all channels; per_channel: each its own.",
            kind: ParameterKind::Choice { options: &["linked", "per_channel"], default: "linked" },
        },
    ],
    positional: 1,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let target = gain_from_db(arguments.checked_number("target")?);
    let linked = arguments.checked_text("mode")? == "linked";
    Ok(Box::new(Normalize { target, linked }))
}

#[derive(Debug)]
struct Normalize {
    target: f64,
    linked: bool,
}

impl Normalize {
    fn gain(&self, peak: f64) -> f64 {
        // Below this the gain itself would leave the range of f32.
        if peak < f64::from(f32::MIN_POSITIVE) { 1.0 } else { self.target / peak }
    }
}

impl Effect for Normalize {
    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(WholeSignal::SamplePeak)
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        let Some(measured) = measured else { return Ok(Stage::Gain(vec![1.0; input.channels])) };
        if measured.peak.len() != input.channels {
            let (peaks, channels) = (measured.peak.len(), input.channels);
            return Err(Error::Internal(format!("normalize was given {peaks} peaks for {channels} channels")));
        }
        if let Some(peak) = measured.peak.iter().find(|peak| !peak.is_finite()) {
            return Err(Error::invalid("normalize input", format!("samples of {peak}"), "finite samples"));
        }
        let loudest = measured.peak.iter().copied().fold(0.0, f64::max);
        let gains = measured.peak.iter().map(|&peak| self.gain(if self.linked { loudest } else { peak })).collect();
        Ok(Stage::Gain(gains))
    }
}
