//! Gain.

use super::{Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use crate::audio::AudioFormat;
use crate::error::Result;
use crate::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "gain",
    title: "Gain",
    purpose: Purpose::Level,
    summary: "Makes everything louder or softer.",
    documentation: "\
Multiplies every sample by `10^(gain / 20 dB)`: 6.02 dB doubles, -6.02 dB halves. No latency. Samples may go beyond full \
scale inside a chain without harm; an export to integers cuts what is still beyond it at the end, and counts it.",
    source: "The definition of the decibel (IEC 60027-3).",
    parameters: &[Parameter {
        name: "gain",
        title: "Gain",
        help: "By how much.",
        kind: ParameterKind::Number {
            unit: Unit::Db,
            min: -120.0,
            max: 60.0,
            default: None,
            initial: 0.0,
            scale: Scale::Linear,
        },
    }],
    positional: 1,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Gain { gain: gain_from_db(arguments.checked_number("gain")?) }))
}

#[derive(Debug)]
struct Gain {
    gain: f64,
}

impl Effect for Gain {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Gain(vec![self.gain; input.channels]))
    }
}
