//! Chorus: several voices with slightly swinging delays.

use super::{RUN, milliseconds};
use crate::lfo::{Lfo, SMOOTH_SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values, quiet};
use crate::space::decay::tail_frames;
use crate::space::tape::DelayLine;
use crate::space::{mix, share};
use crate::spec::refuse;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "chorus",
    title: "Chorus",
    purpose: Purpose::Modulation,
    summary: "Mixes in several slightly delayed and detuned voices.",
    documentation: "\
`voices` delays are modulated around `delay` by `depth`, their phases evenly spread over the cycle: `delay_v(t) = \
delay + depth lfo(rate t + v / voices)`, at least one frame. Fractional delays use the cubic through the four \
surrounding frames (Lagrange; at most -0.7 dB at a quarter of the rate). `wet = sum of voices / sqrt(voices)`, which \
keeps the loudness as voices are added; the output is `(1 - mix) x + mix wet`. `feedback` returns the mean of the \
voices to the delay line.\n\
\n\
`spread` offsets the phases of neighbouring channels: with 100 % the voices of one lie midway between those of the \
other. `rate` may be a note of `bpm`: one cycle per note. The maximum pitch deviation of a sine is `2 pi rate \
depth`, 1.3 % (23 cents) by default. `depth` must not exceed `delay`.\n\
\n\
No latency: the dry sound is not delayed. The phase is a function of the stream's time: it is the same after a jump \
and in every export. Declared tail: until the loop is 60 dB down.",
    source: "J. Dattorro, Effect design part 2: delay-line modulation and chorus (JAES 45, 1997).",
    parameters: &[
        RATE,
        milliseconds("depth", "Depth", "Modulation of the delay to either side.", 0.0, 0.03, 0.0026)
            .travels(0.0002, 0.02),
        milliseconds("delay", "Delay", "Mean delay of the voices.", 0.001, 0.1, 0.02).travels(0.002, 0.1),
        VOICES,
        share("feedback", "Feedback", "Share of the voices that is fed back.", 0.0, 0.9, 0.0),
        share("spread", "Spread", "Phase offset between the voices of the channels.", 0.0, 1.0, 1.0),
        mix(0.5),
        SMOOTH_SHAPE,
        BPM_OF_RATE,
    ],
    positional: 1,
    search: "thicken detune double doubling voices",
    aliases: &["ensemble"],
    selection: None,
    example: "chorus(3 Hz)",
    largest_output: 40.0,
    build,
};

const RATE: Parameter = rate(0.01, 20.0, 0.8);

const VOICES: Parameter = Parameter {
    name: "voices",
    title: "Voices",
    help: "Number of voices besides the input.",
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: 8.0,
        default: Some(3.0),
        initial: 3.0,
        scale: Scale::Integer,
    },
    ..PLAIN
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let (depth_s, delay_s) = (number("depth")?, number("delay")?);
    if depth_s > delay_s {
        let allowed = format!("at most Delay ({})", Unit::Seconds.written(delay_s));
        return Err(refuse("chorus", "depth", &allowed));
    }
    Ok(Box::new(Chorus {
        rate_hz: timed("chorus", &RATE, arguments)?,
        depth_s,
        delay_s,
        voices: number("voices")? as usize,
        feedback: number("feedback")?,
        spread: number("spread")?,
        mix: number("mix")?,
        shape: Shape::of(arguments)?,
    }))
}

#[derive(Debug)]
struct Chorus {
    rate_hz: f64,
    depth_s: f64,
    delay_s: f64,
    voices: usize,
    feedback: f64,
    spread: f64,
    mix: f64,
    shape: Shape,
}

impl Effect for Chorus {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        tail_frames((self.delay_s + self.depth_s) * input.rate.as_f64() + 3.0, self.feedback, input)
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        let reach = ((self.delay_s + self.depth_s) * rate).ceil() as usize + 5;
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |channel, _| Voices {
            tape: DelayLine::new(reach),
            last: 0.0,
            lfo: Lfo::new(self.shape, self.rate_hz, rate),
            phases: (0..self.voices)
                .map(|voice| (voice as f64 + self.spread * channel as f64 / input.channels as f64) / self.voices as f64)
                .collect(),
            delay: self.delay_s * rate,
            depth: self.depth_s * rate,
            feedback: self.feedback as f32,
            mix: self.mix as f32,
            swings: vec![0.0; RUN * self.voices],
        }))))
    }
}

/// The voices of one channel.
#[derive(Debug)]
struct Voices {
    tape: DelayLine,
    /// The mean of the voices one frame ago.
    last: f32,
    lfo: Lfo,
    /// The phase of each voice in cycles.
    phases: Vec<f64>,
    delay: f64,
    depth: f64,
    feedback: f32,
    mix: f32,
    swings: Vec<f64>,
}

impl ChannelProcess for Voices {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        let count = self.phases.len() as f32;
        let (mean, level) = (1.0 / count, 1.0 / count.sqrt());
        for (index, run) in channels.iter_mut().flat_map(|channel| channel.chunks_mut(RUN)).enumerate() {
            let start = frame + (index * RUN) as i64;
            for (phase, swing) in self.phases.iter().zip(self.swings.chunks_mut(RUN)) {
                self.lfo.fill(start, *phase, &mut swing[..run.len()]);
            }
            for (at, sample) in run.iter_mut().enumerate() {
                self.tape.write(quiet(*sample + self.feedback * self.last));
                let mut sum = 0.0;
                for swing in self.swings.chunks(RUN) {
                    let delay = (self.delay + self.depth * swing[at]).max(1.0);
                    let whole = delay as usize;
                    sum += self.tape.cubic(whole + 1, (delay - whole as f64) as f32);
                }
                self.last = mean * sum;
                *sample = (1.0 - self.mix) * *sample + self.mix * (level * sum);
            }
        }
    }

    fn clear(&mut self) {
        self.tape.clear();
        self.last = 0.0;
    }

    fn give(&self, to: &mut Vec<f64>) {
        to.push(f64::from(self.last));
        self.tape.give(to);
    }

    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.last = from.one()? as f32;
        self.tape.take(from)
    }
}
