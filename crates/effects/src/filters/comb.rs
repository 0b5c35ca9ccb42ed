//! Comb filter: adds the signal delayed by one period.

use super::super::bounds::below_nyquist;
use super::super::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use super::comb_line::{CombLine, FractionalDelay};
use crate::spec::refuse;
use audio::AudioFormat;
use base::error::Result;
use base::units::SampleRate;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "comb",
    title: "Comb",
    purpose: Purpose::Filter,
    summary: "Boosts or removes a frequency and its harmonics.",
    documentation: "\
Adds the signal delayed by one period of `frequency`, times `gain`:\n\
\n\
- `kind=feedforward`: `y(t) = x(t) + gain x(t - 1/frequency)`: peaks of `1 + gain` at all multiples of the frequency \
and notches of `1 - gain` halfway between, which are complete at 100 %.\n\
- `kind=feedback`: `y(t) = x(t) + gain y(t - 1/frequency)`: narrow, ringing peaks of `1/(1 - gain)`, 20 dB at 90 %; \
`gain` must be less than 100 %.\n\
\n\
A negative gain swaps peaks and notches: with `gain=-100 %` the feed-forward comb removes 0 Hz, a hum and all its \
harmonics. The frequency is exact, not rounded to whole frames: an all-pass filter of up to eighth order makes the \
fractional delay. All teeth are equally high. In combs of ten frames and more the delay is off by 0.0002 frames at a \
fifth of the sample rate and by 0.05 at a third.\n\
\n\
Samples that are `NaN` or infinite pass but never enter the loop. No latency. `frequency` must be below half the \
sample rate.",
    source: "J. O. Smith, Physical Audio Signal Processing (comb filters); T. I. Laakso, V. Valimaki, M. Karjalainen, \
             U. K. Laine, Splitting the Unit Delay (1996; Thiran's all-pass).",
    parameters: &[FREQUENCY, GAIN, KIND],
    positional: 2,
    search: "resonance metallic harmonics hum",
    aliases: &["comb_filter"],
    selection: None,
    example: "comb(100 Hz, kind=feedback)",
    largest_output: 1e3,
    build,
};

const FREQUENCY: Parameter = Parameter {
    name: "frequency",
    title: "Frequency",
    help: "Distance of the teeth; the delay is one period of it.",
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: 1.0,
        max: 384_000.0,
        default: None,
        initial: 100.0,
        scale: Scale::Log,
    },
    ..PLAIN
}
.to_nyquist(20.0);

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "Share of the delayed signal that is added; negative swaps peaks and notches.",
    kind: ParameterKind::Number {
        unit: Unit::Percent,
        min: -1.0,
        max: 1.0,
        default: Some(0.7),
        initial: 0.7,
        scale: Scale::Linear,
    },
    ..PLAIN
};

const KIND: Parameter = Parameter {
    name: "kind",
    title: "Kind",
    help: "feedforward has deep notches; feedback has narrow, ringing peaks.",
    kind: ParameterKind::Choice { options: &["feedforward", "feedback"], default: "feedforward" },
    ..PLAIN
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
