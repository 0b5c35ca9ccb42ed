//! Gain.

use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Process, Purpose, Scale, Stage, Unit,
};
use audio::{AudioBuffer, AudioFormat};
use base::error::Result;
use base::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "gain",
    title: "Gain",
    purpose: Purpose::Level,
    summary: "Raises or lowers the level.",
    documentation: "\
Multiplies every sample by `10^(gain / 20 dB)`: 6.02 dB doubles the amplitude, -6.02 dB halves it; 3.01 dB doubles \
the power. A percentage is an amplitude: `gain(50 %)` is -6.02 dB. No latency. Samples beyond full scale do no harm \
inside a chain; an export to integers clips and counts those that remain. `clamp=on` clips here, at full scale: hard \
clipping for effects that must not receive more (`saturate(shape=hard)` does the same without aliasing).",
    source: "The definition of the decibel (IEC 60027-3).",
    parameters: &[
        Parameter {
            name: "gain",
            title: "Gain",
            help: "Change of level; a percentage is an amplitude.",
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -120.0,
                max: 60.0,
                default: None,
                initial: 0.0,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(-36.0, 36.0),
        Parameter {
            name: "clamp",
            title: "Clamp",
            help: "Clips samples beyond full scale.",
            kind: ParameterKind::Choice { options: &["off", "on"], default: "off" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "volume vol louder quieter softer boost attenuate loud",
    aliases: &["amplify", "amplification", "level"],
    selection: None,
    example: "gain(-6 dB)",
    largest_output: 1001.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let gain = gain_from_db(arguments.checked_number("gain")?);
    Ok(Box::new(Gain { gain, clamp: arguments.checked_text("clamp")? == "on" }))
}

#[derive(Debug)]
struct Gain {
    gain: f64,
    clamp: bool,
}

impl Effect for Gain {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if self.clamp {
            return Ok(Stage::Process(Box::new(Clamped { gain: self.gain as f32 })));
        }
        Ok(Stage::Gain(vec![self.gain; input.channels]))
    }
}

/// A gain that clips at full scale.
#[derive(Debug)]
struct Clamped {
    gain: f32,
}

impl Process for Clamped {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        for sample in block.iter_mut().flatten() {
            *sample = (*sample * self.gain).clamp(-1.0, 1.0);
        }
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[f64]) -> Result<()> {
        Ok(())
    }
}
