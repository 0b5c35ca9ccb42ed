//! Comb filter: adds the signal delayed by one period.

use super::super::bounds::below_nyquist;
use super::super::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use super::comb_line::{CombLine, FractionalDelay};
use crate::audio::AudioFormat;
use crate::effects::spec::refuse;
use crate::error::Result;
use crate::units::SampleRate;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "comb",
    title: "Comb",
    purpose: Purpose::Filter,
    summary: "Raises a frequency and all its multiples, or takes them away, by the signal delayed by a period.",
    documentation: "\
Adds the signal as it was one period of `frequency` ago, times `gain`:\n\
\n\
- `kind=feedforward`: `y(t) = x(t) + gain x(t - 1/frequency)`: peaks of `1 + gain` at all multiples of the frequency and \
notches of `1 - gain` half way between, down to silence at 100 %.\n\
- `kind=feedback`: `y(t) = x(t) + gain y(t - 1/frequency)`: the same turned about, narrow peaks of `1/(1 - gain)` that \
ring, 20 dB at 90 %; `gain` must be less than 100 %.\n\
\n\
A negative gain exchanges peaks and notches: with `gain=-100 %` the feed-forward comb takes 0 Hz, a hum and all its \
harmonics away. The teeth stand where they are asked for, not at whole numbers of frames: \
what is left of the delay is made by an all-pass filter of up to eighth order, by which all teeth are as high, and which \
is exact for low ones: in combs of ten frames and more it is out by 0.0002 frames at a fifth of the sample rate, by 0.05 at \
a third.\n\
\n\
Samples that are not numbers are heard where they are and never come back. No latency. `frequency` must be below half the \
sample rate.",
    source: "J. O. Smith, Physical Audio Signal Processing (comb filters); T. I. Laakso, V. Valimaki, M. Karjalainen, \
             U. K. Laine, Splitting the Unit FractionalDelay (1996; Thiran's all-pass).",
    parameters: &[FREQUENCY, GAIN, KIND],
    positional: 2,
    search: "resonance echo metallic",
    example: "comb(100 Hz, kind=feedback)",
    largest_output: 1e3,
    build,
};

const FREQUENCY: Parameter = Parameter {
    name: "frequency",
    title: "Frequency",
    help: "The distance of the teeth; one period of it is the delay.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: 1.0,
        max: 384_000.0,
        default: None,
        initial: 100.0,
        scale: Scale::Log,
    },
};

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "How much of the delayed signal is added; negative takes it away.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Percent,
        min: -1.0,
        max: 1.0,
        default: Some(0.7),
        initial: 0.7,
        scale: Scale::Linear,
    },
};

const KIND: Parameter = Parameter {
    name: "kind",
    title: "Kind",
    help: "feedforward: even notches; feedback: peaks that ring.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["feedforward", "feedback"], default: "feedforward" },
};

/// The level at which a ringing comb counts as ended.
const ENDED: f64 = 1e-4;

/// The maximum ring time in seconds.
const LONGEST_S: f64 = 10.0;

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let gain = arguments.checked_number("gain")?;
    let feedback = arguments.checked_text("kind")? == "feedback";
    if feedback && gain.abs() > 0.999 {
        return Err(refuse("comb", "gain", "-99.9 % to 99.9 % with feedback, as more would ring for ever"));
    }
    Ok(Box::new(Comb { frequency_hz: arguments.checked_number("frequency")?, gain, feedback }))
}

#[derive(Debug)]
struct Comb {
    frequency_hz: f64,
    gain: f64,
    feedback: bool,
}

impl Comb {
    fn period_frames(&self, rate: SampleRate) -> f64 {
        rate.as_f64() / self.frequency_hz
    }

    /// Returns the number of frames for which an input frame affects the output.
    fn ringing(&self, rate: SampleRate) -> u64 {
        let period = self.period_frames(rate);
        let rounds = if self.feedback && self.gain != 0.0 { (ENDED.ln() / self.gain.abs().ln()).max(1.0) } else { 1.0 };
        // The all-pass rings for some frames too.
        (period * rounds).min((LONGEST_S * rate.as_f64()).max(period)).ceil() as u64 + 64
    }
}

impl Effect for Comb {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        self.ringing(input.rate)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.ringing(input.rate)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        below_nyquist("comb", "frequency", self.frequency_hz, input.rate)?;
        let delay = FractionalDelay::new(self.period_frames(input.rate));
        Ok(Stage::Process(Box::new(CombLine::new(delay, self.gain, self.feedback, input.channels))))
    }
}
