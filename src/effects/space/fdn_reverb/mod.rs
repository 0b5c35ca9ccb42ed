//! A reverb based on a feedback delay network.

mod absorption;
mod early;
mod tank;

use super::clocked::PerChannel;
use super::decay::limited;
use super::{mix, share};
use crate::audio::AudioFormat;
use crate::effects::bounds::not_below;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::{Error, Result};
use absorption::Decay;
use tank::Hall;

const NAME: &str = "fdn_reverb";

/// Below this rate the shortest lines are too short.
const MIN_HZ: f64 = 4000.0;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Hall",
    purpose: Purpose::Space,
    summary: "A room or hall with a decay for each of three bands, from a feedback delay network.",
    documentation: "\
Sixteen delay lines whose outputs go back into all of them through an orthogonal matrix (Hadamard's, over 4), which \
keeps the energy: what fades is set by filters alone, which stand behind the place where the lines are heard. Line `i` \
of `m` frames loses `60 m / (rate T)` dB a round, where `T` is `decay`, times `bass` below `low` and times `treble` \
above `high`: two second-order shelves that are half way (in dB) at these crossovers. So every line, however long, \
decays at the same pace, and the time to -60 dB is `T` within 10 % an octave off the crossovers (measured in bands). \
`low` must lie below `high`; a `high` of half the rate or above leaves that shelf out.\n\
\n\
At a `size` of 100 % the lines last 25 to 95 ms, evenly in ratio, each a prime number of frames. The ends of four of \
them swing by up to 0.8 ms `modulation` at `rate`, a quarter of a cycle apart, read by cubic interpolation, which \
keeps long tails from ringing like metal (and shortens them a little above a quarter of the rate). `early` adds eight \
reflections of each side that come within 60 ms (at 100 %), `predelay` holds all of it back. The level of the wet \
sound does not depend on size and decay: an impulse comes back with the energy that it had. `width` turns the sides of \
a pair from one into two that have nothing in common: `wet left = (1 + width)/2 left + (1 - width)/2 right`. The \
output is `(1 - mix) x + mix wet`. Channels are taken in pairs, each of which has a room of its own.\n\
\n\
No latency. Declared tail: `predelay` and the longest of the three decays, 60 s at the most. Lines are in single \
precision, filters in double; nothing that is no number stays in them. Rates from 4 kHz up.",
    source: "J.-M. Jot, A. Chaigne, Digital delay networks for designing artificial reverberators (AES 90, 1991); \
             J. O. Smith, Physical Audio Signal Processing (feedback delay networks).",
    parameters: &[
        seconds(
            "decay",
            "Decay",
            "The time in which the middle of the spectrum fades by 60 dB.",
            0.1,
            60.0,
            2.0,
            Scale::Log,
        ),
        share("size", "Size", "How far apart the walls are.", 0.2, 2.0, 1.0),
        seconds("predelay", "Pre-delay", "How long the room keeps silent first.", 0.0, 0.5, 0.01, Scale::Linear),
        share("bass", "Bass decay", "The decay below the low crossover re that of the middle.", 0.1, 4.0, 1.2),
        share("treble", "Treble decay", "The decay above the high crossover re that of the middle.", 0.05, 2.0, 0.5),
        crossover("low", "Low crossover", "Below it the bass decay holds.", 250.0),
        crossover("high", "High crossover", "Above it the treble decay holds.", 4000.0),
        share("modulation", "Modulation", "How far the lines' ends swing.", 0.0, 1.0, 0.3),
        RATE,
        share("early", "Early", "The level of the first reflections.", 0.0, 1.0, 0.3),
        share("width", "Width", "How far apart the sides of a pair are.", 0.0, 1.0, 1.0),
        mix(0.3),
    ],
    positional: 1,
    search: "room hall plate echo space decay",
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
    Parameter { name, title, help, kind, used_when: ALWAYS }
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
    Parameter { name, title, help, kind, used_when: ALWAYS }
}

const RATE: Parameter = Parameter {
    name: "rate",
    title: "Rate",
    help: "How often the lines' ends swing in a second.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: 0.05,
        max: 5.0,
        default: Some(0.7),
        initial: 0.7,
        scale: Scale::Log,
    },
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
