//! Converts the sample rate within a chain.

use crate::rate_conversion::{MAX_RATIO, RateConversion};
use crate::spec::refuse;
use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, TimeMap, Unit,
};
use audio::AudioFormat;
use base::error::Result;
use base::units::SampleRate;
use dsp::measure::resample::ResamplePlan;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "resample",
    title: "Resample",
    purpose: Purpose::Tone,
    summary: "Converts to another sample rate.",
    documentation: "\
Converts the stream to `rate`: all following effects and the output run at that rate. Duration and pitch are \
unchanged. The filter is a Kaiser-windowed sinc with linear phase, designed and applied in f64: flat within -120 dB \
up to 5/11 of the lower of the two rates (20.04 kHz at 44.1 kHz), aliases and images at most -120 dB from half of it \
on, and -6 dB midway between. Ratios with many phases (44,099 to 48,000 Hz) interpolate their coefficients, with an \
error below -160 dB. Output frame `n` is the band-limited input at the time `n / rate`, however the stream is cut \
into blocks.\n\
\n\
The output has `frames rate / input rate` frames, rounded. The stream's own rate changes nothing. Because a sum adds \
frame by frame, a branch or a wet side cannot have its own rate. One step changes the rate by a factor of at most \
256.\n\
\n\
Latency: none in the output, which stays in step with the input; a frame is output when the input that it needs is \
available, about 5 ms at 48 kHz.",
    source: "J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).",
    parameters: &[Parameter {
        name: "rate",
        title: "Rate",
        help: "Sample rate of the output.",
        kind: ParameterKind::Number {
            unit: Unit::Hz,
            min: SampleRate::MIN as f64,
            max: SampleRate::MAX as f64,
            default: None,
            initial: 48_000.0,
            scale: Scale::Integer,
        },
        ..PLAIN
    }
    .travels(8000.0, 192_000.0)],
    positional: 1,
    search: "rate conversion 44100 48000 src",
    aliases: &["sample_rate", "convert_rate"],
    selection: None,
    example: "resample(32 kHz)",
    largest_output: 2.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Resample { rate: SampleRate::new(arguments.checked_number("rate")? as u32)? }))
}

#[derive(Debug)]
struct Resample {
    rate: SampleRate,
}

impl Effect for Resample {
    fn keeps_level(&self) -> bool {
        true
    }

    fn time_map(&self, input: AudioFormat) -> TimeMap {
        TimeMap { rate_ratio: self.rate.as_f64() / input.rate.as_f64(), duration_ratio: 1.0 }
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if self.rate == input.rate {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        }
        let ratio = self.rate.as_f64() / input.rate.as_f64();
        if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            let allowed = format!("from 1/{MAX_RATIO} to {MAX_RATIO} times the rate before it, {}", input.rate);
            return Err(refuse("resample", "rate", &allowed));
        }
        let plan = ResamplePlan::new(input.rate, self.rate);
        Ok(Stage::Process(Box::new(RateConversion::new(plan, input.channels))))
    }
}
