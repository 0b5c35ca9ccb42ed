//! Flanger: mixes the signal with a copy at a swinging short delay.

use super::{RUN, milliseconds};
use crate::lfo::{Lfo, SMOOTH_SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values, quiet};
use crate::space::decay::tail_frames;
use crate::space::tape::DelayLine;
use crate::space::{mix, share};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "flanger",
    title: "Flanger",
    purpose: Purpose::Modulation,
    summary: "Sweeping notches from a short, modulated delay.",
    documentation: "\
`line[n] = (1 - |feedback|) x[n] + feedback w[n-1]`, `w[n] = line[n - d(n)]`, and the output is `(1 - mix) x + mix \
w`: at most 0 dB at every frequency, and with linear interpolation no sample exceeds the largest input sample, \
whatever the feedback. The delay starts at its shortest and moves between `delay` and `delay + depth`: `d = delay + \
depth (1 - cos(2 pi rate t)) / 2` for a sine. `phase` advances each further channel by this share of a cycle.\n\
\n\
It follows SoX's `flanger` within 1e-4 if its cycle is a whole number of frames: SoX's width `w` (0 to 1) is a mix \
of `w / (1 + w)`, its regen the feedback. `interpolation` reads between frames on the line through two of them, \
which attenuates treble (-3 dB at a quarter of the rate midway), or on the parabola through three.\n\
\n\
No latency. The phase is a function of the stream's time: it is the same after a jump and in every export. `rate` \
may be a note of `bpm`. Declared tail: until the loop is 60 dB down.",
    source: "U. Zölzer (ed.), DAFX: Digital Audio Effects, chapter 2; the SoX manual, flanger.",
    parameters: &[
        RATE,
        milliseconds("depth", "Depth", "Modulation depth of the delay.", 0.0, 0.02, 0.002).travels(0.0002, 0.02),
        milliseconds("delay", "Delay", "Shortest delay.", 0.0, 0.03, 0.0).travels(0.0001, 0.03).rests(0.0, "None"),
        share("feedback", "Feedback", "Feedback; negative values invert it.", -0.95, 0.95, 0.0),
        mix(0.5),
        SMOOTH_SHAPE,
        share("phase", "Phase", "Phase advance of each further channel.", 0.0, 1.0, 0.25),
        INTERPOLATION,
        BPM_OF_RATE,
    ],
    positional: 1,
    search: "jet sweep comb",
    aliases: &["flange"],
    selection: None,
    example: "flanger(2 Hz, depth=4 ms, feedback=-60 %)",
    largest_output: 2.0,
    build,
};

const RATE: Parameter = rate(0.01, 20.0, 0.5);

const INTERPOLATION: Parameter = Parameter {
    name: "interpolation",
    title: "Interpolation",
    help: "Interpolation between frames.",
    kind: ParameterKind::Choice { options: &["linear", "quadratic"], default: "linear" },
    ..PLAIN
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    Ok(Box::new(Flanger {
        rate_hz: timed("flanger", &RATE, arguments)?,
        depth_s: number("depth")?,
        delay_s: number("delay")?,
        feedback: number("feedback")?,
        mix: number("mix")?,
        shape: Shape::of(arguments)?,
        phase: number("phase")?,
        quadratic: arguments.checked_text("interpolation")? == "quadratic",
    }))
}

#[derive(Debug)]
struct Flanger {
    rate_hz: f64,
    depth_s: f64,
    delay_s: f64,
    feedback: f64,
    mix: f64,
    shape: Shape,
    phase: f64,
    quadratic: bool,
}

impl Effect for Flanger {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        tail_frames((self.delay_s + self.depth_s) * input.rate.as_f64() + 3.0, self.feedback.abs(), input)
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        let reach = ((self.delay_s + self.depth_s) * rate).ceil() as usize + 4;
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |channel, _| Sweep {
            tape: DelayLine::new(reach),
            last: 0.0,
            lfo: Lfo::new(self.shape, self.rate_hz, rate),
            // A cycle starts at its minimum.
            phase: 0.75 + self.phase * channel as f64,
            delay: self.delay_s * rate,
            depth: self.depth_s * rate,
            feedback: self.feedback as f32,
            mix: self.mix as f32,
            quadratic: self.quadratic,
            swing: vec![0.0; RUN],
        }))))
    }
}

/// The flanger of one channel.
#[derive(Debug)]
struct Sweep {
    tape: DelayLine,
    /// The output of the delay line one frame ago.
    last: f32,
    lfo: Lfo,
    phase: f64,
    delay: f64,
    depth: f64,
    feedback: f32,
    mix: f32,
    quadratic: bool,
    swing: Vec<f64>,
}

impl ChannelProcess for Sweep {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        let enters = 1.0 - self.feedback.abs();
        for (index, run) in channels.iter_mut().flat_map(|channel| channel.chunks_mut(RUN)).enumerate() {
            self.lfo.fill(frame + (index * RUN) as i64, self.phase, &mut self.swing[..run.len()]);
            for (sample, swing) in run.iter_mut().zip(&self.swing) {
                self.tape.write(quiet(enters * *sample + self.feedback * self.last));
                let delay = self.delay + self.depth * (0.5 + 0.5 * swing).max(0.0);
                let whole = delay as usize;
                let way = (delay - whole as f64) as f32;
                self.last =
                    if self.quadratic { self.tape.quadratic(whole + 1, way) } else { self.tape.linear(whole + 1, way) };
                *sample = (1.0 - self.mix) * *sample + self.mix * self.last;
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
