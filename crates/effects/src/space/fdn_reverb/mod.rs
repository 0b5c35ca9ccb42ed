//! A reverb based on a feedback delay network.

mod absorption;
mod early;
mod tank;

use super::clocked::PerChannel;
use super::decay::limited;
use super::{mix, share};
use crate::bounds::not_below;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use absorption::Decay;
use audio::AudioFormat;
use base::error::{Error, Result};
use tank::Hall;

const NAME: &str = "fdn_reverb";

/// Below this rate the shortest lines are too short.
const MIN_HZ: f64 = 4000.0;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Hall",
    purpose: Purpose::Space,
    summary: "A room or hall with separate decay times for lows, mids and highs.",
    documentation: "\
A feedback delay network: sixteen delay lines feed back into all of them through an orthogonal Hadamard matrix (over \
4), which preserves energy; only filters, placed after the point where the lines are heard, set the decay. A line of \
`m` frames loses `60 m / (rate T)` dB per round, where `T` is `decay`, times `bass` below `low` and times `treble` \
above `high`: two second-order shelves whose gain in dB is half at these crossovers. Every line therefore decays at \
the same pace, and the time to -60 dB is `T` within 10 %, measured in bands an octave away from the crossovers. \
`low` must be below `high`; a `high` of half the rate or above disables that shelf.\n\
\n\
At a `size` of 100 % the lines last 25 to 95 ms, evenly in ratio, each a prime number of frames. The ends of four of \
them are modulated by up to 0.8 ms `modulation` at `rate`, a quarter of a cycle apart, and read by cubic \
interpolation, which keeps long tails from sounding metallic (and shortens them slightly above a quarter of the \
rate). `early` adds eight reflections per side within 60 ms (at 100 %); `predelay` delays all of the reverb. The \
level of the wet sound is independent of size and decay: an impulse returns with its own energy. `width` sets the \
correlation of the sides of a pair: `wet left = (1 + width)/2 left + (1 - width)/2 right`. The output is `(1 - mix) \
x + mix wet`. Each pair of channels has its own room.\n\
\n\
No latency. Declared tail: `predelay` plus the longest of the three decays, at most 60 s. Lines are in single \
precision, filters in double; `NaN` and infinite samples do not stay in them. Rates from 4 kHz up.",
    source: "J.-M. Jot, A. Chaigne, Digital delay networks for designing artificial reverberators (AES 90, 1991); \
             J. O. Smith, Physical Audio Signal Processing (feedback delay networks).",
    parameters: &[
        seconds("decay", "Decay", "Time in which mid frequencies decay by 60 dB.", 0.1, 60.0, 2.0, Scale::Log)
            .travels(0.2, 20.0),
        share("size", "Size", "Size of the room.", 0.2, 2.0, 1.0).on(Scale::Log),
        seconds("predelay", "Pre-delay", "Delay before the reverb.", 0.0, 0.5, 0.01, Scale::Log).travels(0.001, 0.3),
        share("bass", "Bass decay", "Decay time below the low crossover relative to the mids.", 0.1, 4.0, 1.2)
            .on(Scale::Log),
        share("treble", "Treble decay", "Decay time above the high crossover relative to the mids.", 0.05, 2.0, 0.5)
            .on(Scale::Log),
        crossover("low", "Low crossover", "Frequency below which the bass decay applies.", 250.0),
        crossover("high", "High crossover", "Frequency above which the treble decay applies.", 4000.0),
        share("modulation", "Modulation", "Depth of the modulation of the delay lines.", 0.0, 1.0, 0.3),
        RATE,
        share("early", "Early", "Level of the early reflections.", 0.0, 1.0, 0.3),
        share("width", "Width", "Stereo width; 0 % is mono.", 0.0, 1.0, 1.0),
        mix(0.3),
    ],
    positional: 1,
    search: "room plate echo space decay church",
    aliases: &["hall", "hall_reverb", "plate", "algorithmic_reverb"],
    selection: None,
    example: "fdn_reverb(0.5 s)",
    largest_output: 1e3,
    build,
};

const fn seconds(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    min: f64,
    max: f64,
    default: f64,
    scale: Scale,
) -> Parameter {
    let kind = ParameterKind::Number { unit: Unit::Seconds, min, max, default: Some(default), initial: default, scale };
    Parameter { name, title, help, kind, ..PLAIN }
}

const fn crossover(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Hz,
        min: 20.0,
        max: 384_000.0,
        default: Some(default),
        initial: default,
        scale: Scale::Log,
    };
    Parameter { name, title, help, kind, ..PLAIN }.to_nyquist(20.0)
}

const RATE: Parameter = Parameter {
    name: "rate",
    title: "Rate",
    help: "Frequency of the modulation.",
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: 0.05,
        max: 5.0,
        default: Some(0.7),
        initial: 0.7,
        scale: Scale::Log,
    },
    ..PLAIN
};

/// The settings of a room, independent of the rate.
#[derive(Clone, Copy, Debug)]
struct RoomSettings {
    decay: Decay,
    size: f64,
    predelay_s: f64,
    modulation: f64,
    rate_hz: f64,
    early: f64,
    width: f64,
    mix: f64,
}

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let (low_hz, high_hz) = (number("low")?, number("high")?);
    if low_hz >= high_hz {
        return Err(not_below(NAME, "low", "high", Unit::Hz, high_hz));
    }
    let middle_s = number("decay")?;
    let decay =
        Decay { low_s: middle_s * number("bass")?, middle_s, high_s: middle_s * number("treble")?, low_hz, high_hz };
    Ok(Box::new(FdnReverb(RoomSettings {
        decay,
        size: number("size")?,
        predelay_s: number("predelay")?,
        modulation: number("modulation")?,
        rate_hz: number("rate")?,
        early: number("early")?,
        width: number("width")?,
        mix: number("mix")?,
    })))
}

#[derive(Debug)]
struct FdnReverb(RoomSettings);

impl Effect for FdnReverb {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        let RoomSettings { decay: Decay { low_s, middle_s, high_s, .. }, predelay_s, .. } = self.0;
        limited((predelay_s + low_s.max(middle_s).max(high_s)) * input.rate.as_f64(), input)
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        if rate < MIN_HZ {
            return Err(Error::setting(SPEC.title, "It needs a sample rate of 4 kHz or more"));
        }
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 2, |_, channels| {
            Hall::new(&self.0, rate, channels)
        }))))
    }
}
