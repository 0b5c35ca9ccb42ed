//! Delay: echoes timed in seconds or notes.

mod echoes;

use super::clocked::PerChannel;
use super::decay::{limited, tail_frames};
use super::one_pole::LoopFilter;
use super::{mix, share};
use crate::note::{BPM_OF_TIME, timed};
use crate::spec::refuse;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::{Error, Result};
use echoes::Echoes;

/// The maximum size of the lines of one delay in bytes: ten seconds of 16 taps in stereo at 192 kHz.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "delay",
    title: "Delay",
    purpose: Purpose::Space,
    summary: "Echoes after a time or a note length, optionally alternating between sides.",
    documentation: "\
Repeats the sound after `time`; each echo is attenuated by `feedback`. `time` is in seconds, or a note whose length \
follows from `bpm`: `1/4` is one beat, `1/8d` a dotted eighth, `1/8t` a triplet eighth; `60 / bpm * 4 * note` \
seconds, rounded to whole frames.\n\
\n\
`wet[n] = line[n - T]` with `line[n] = x[n] + feedback F(wet[n])`; the output is `(1 - mix) x + mix wet`. `F` is the \
loop's filter, a first-order low-pass and high-pass as in tape or bucket-brigade delays: the first echo is \
unfiltered, the k-th is filtered k - 1 times. `lowpass` at half the rate or above, and `highpass` at 0.1 Hz, are \
off; `highpass` at half the rate or above lets nothing through, so that there is one echo.\n\
\n\
`mode=mono` delays every channel separately. `mode=ping_pong` processes pairs of channels: the mean of both returns \
first on the left, then on the right, and so on; a last channel without a partner is delayed separately. With `taps` \
there are that many echoes and no loop; 0 is the loop, which never ends.\n\
\n\
No latency: the dry sound is not delayed. Declared tail: until the echoes are 60 dB down, at most 60 s. `NaN` and \
infinite samples do not stay in the loop.",
    source: "U. Zölzer (ed.), DAFX: Digital Audio Effects, chapter 2 (delay structures).",
    parameters: &[
        TIME,
        BPM_OF_TIME,
        share("feedback", "Feedback", "Level of each echo relative to the previous one.", 0.0, 0.99, 0.3),
        mix(0.3),
        MODE,
        TAPS,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 1,
    search: "repeat ping-pong tempo dub",
    aliases: &["echo", "echoes", "slapback", "ping_pong_delay"],
    selection: None,
    example: "delay(20 ms, feedback=60 %)",
    largest_output: 2e2,
    build,
};

const TIME: Parameter = Parameter {
    name: "time",
    title: "Time",
    help: "Time between echoes: seconds, or a note such as 1/8, dotted 1/8d, triplet 1/8t.",
    kind: ParameterKind::NumberOrNote {
        unit: Unit::Seconds,
        min: 0.0001,
        max: 10.0,
        default: None,
        initial: 0.25,
        scale: Scale::Log,
    },
    ..PLAIN
}
.travels(0.005, 3.0);

const MODE: Parameter = Parameter {
    name: "mode",
    title: "Mode",
    help: "mono delays each channel separately; ping_pong alternates between left and right.",
    kind: ParameterKind::Choice { options: &["mono", "ping_pong"], default: "mono" },
    ..PLAIN
};

const TAPS: Parameter = Parameter {
    name: "taps",
    title: "Taps",
    help: "Number of echoes; 0 is endless.",
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 16.0,
        default: Some(0.0),
        initial: 0.0,
        scale: Scale::Integer,
    },
    ..PLAIN
}
.travels(1.0, 16.0)
.rests(0.0, "Endless");

const LOWPASS: Parameter = Parameter {
    name: "lowpass",
    title: "Low-pass",
    help: "Low-pass in the feedback loop; half the sample rate or more is off.",
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: 20.0,
        max: 384_000.0,
        default: Some(384_000.0),
        initial: 384_000.0,
        scale: Scale::Log,
    },
    ..PLAIN
}
.to_nyquist(200.0)
.rests(384_000.0, "Off");

/// The cutoff at which the high-pass is off.
const NO_HIGHPASS_HZ: f64 = 0.1;

const HIGHPASS: Parameter = Parameter {
    name: "highpass",
    title: "High-pass",
    help: "High-pass in the feedback loop; 0.1 Hz is off.",
    kind: ParameterKind::Number {
        unit: Unit::Hz,
        min: NO_HIGHPASS_HZ,
        max: 384_000.0,
        default: Some(NO_HIGHPASS_HZ),
        initial: NO_HIGHPASS_HZ,
        scale: Scale::Log,
    },
    ..PLAIN
}
.to_nyquist(20.0)
.rests(NO_HIGHPASS_HZ, "Off");

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Delay {
        time_s: timed("delay", &TIME, arguments)?,
        feedback: arguments.checked_number("feedback")?,
        mix: arguments.checked_number("mix")?,
        ping_pong: arguments.checked_text("mode")? == "ping_pong",
        taps: arguments.checked_number("taps")? as usize,
        lowpass_hz: arguments.checked_number("lowpass")?,
        highpass_hz: arguments.checked_number("highpass")?,
    }))
}

#[derive(Debug)]
struct Delay {
    time_s: f64,
    feedback: f64,
    mix: f64,
    ping_pong: bool,
    taps: usize,
    lowpass_hz: f64,
    highpass_hz: f64,
}

impl Delay {
    fn frames(&self, input: AudioFormat) -> f64 {
        (self.time_s * input.rate.as_f64()).round()
    }
}

impl Effect for Delay {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        let frames = self.frames(input);
        match self.taps {
            0 => tail_frames(frames, self.feedback, input),
            taps => limited(frames * taps as f64, input),
        }
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        let frames = self.frames(input) as usize;
        if frames == 0 {
            let allowed = format!("one sample ({}) or more", Unit::Seconds.written(1.0 / rate));
            return Err(refuse("delay", "time", &allowed));
        }
        // Every echo of every channel has a separate line.
        let bytes = (frames as u64).saturating_mul(self.taps.max(1) as u64 * input.channels as u64 * 4);
        if bytes > MAX_BYTES {
            return Err(Error::Limit {
                what: format!("memory of a delay of {} channels at {}", input.channels, input.rate),
                got: format!("{} MiB", bytes >> 20),
                limit: format!("{} MiB. Choose a shorter time or fewer taps", MAX_BYTES >> 20),
            });
        }
        let filter = LoopFilter::new(self.lowpass_hz, self.highpass_hz, NO_HIGHPASS_HZ, rate);
        let width = if self.ping_pong { 2 } else { 1 };
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, width, |_, channels| {
            Echoes::new(channels, frames, self.taps, self.feedback, self.mix, filter)
        }))))
    }
}
