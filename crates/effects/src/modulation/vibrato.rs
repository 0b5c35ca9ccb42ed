//! Vibrato: modulates the pitch.

use super::RUN;
use crate::lfo::{Lfo, SMOOTH_SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values};
use crate::space::tape::DelayLine;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "vibrato",
    title: "Vibrato",
    purpose: Purpose::Modulation,
    summary: "Modulates the pitch periodically.",
    documentation: "\
Reads the sound from a position that moves around the present: `y(t) = x(t - a lfo(rate t))`. The pitch changes with \
the slope, by at most `depth` cents to either side: `a = (2^(depth / 1200) - 1) / (2 pi rate)` for a sine, over `4 \
rate` for a triangle, whose pitch alternates between two values. Fractional positions use the cubic through the four \
surrounding frames (Lagrange; at most -0.7 dB at a quarter of the rate).\n\
\n\
Latency: `a` and two frames, compensated, because it must look as far ahead as back: 0.6 ms at 5 Hz and 30 cents, \
195 ms at 0.1 Hz and 200 cents. The phase is a function of the stream's time: it is the same after a jump and in \
every export. `rate` may be a note of `bpm`.",
    source: "U. Zölzer (ed.), DAFX: Digital Audio Effects, chapter 2 (vibrato).",
    parameters: &[RATE, DEPTH, SMOOTH_SHAPE, BPM_OF_RATE],
    positional: 2,
    search: "pitch wobble warble",
    aliases: &["pitch_modulation"],
    selection: None,
    example: "vibrato(4 Hz, 120)",
    largest_output: 1.6,
    build,
};

const RATE: Parameter = rate(0.1, 20.0, 5.0);

const DEPTH: Parameter = Parameter {
    name: "depth",
    title: "Depth",
    help: "Pitch deviation to either side, in cents.",
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 200.0,
        default: Some(30.0),
        initial: 30.0,
        scale: Scale::Linear,
    },
    ..PLAIN
}
.travels(0.0, 100.0);

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let rate_hz = timed("vibrato", &RATE, arguments)?;
    let shape = Shape::of(arguments)?;
    let change = 2f64.powf(arguments.checked_number("depth")? / 1200.0) - 1.0;
    Ok(Box::new(Vibrato { rate_hz, shape, swing_s: change / (shape.steepest() * rate_hz) }))
}

#[derive(Debug)]
struct Vibrato {
    rate_hz: f64,
    shape: Shape,
    /// The maximum deviation of the delay from its middle, in seconds.
    swing_s: f64,
}

impl Vibrato {
    /// Returns the middle delay in frames.
    fn middle(&self, input: AudioFormat) -> usize {
        (self.swing_s * input.rate.as_f64()).ceil() as usize + 2
    }
}

impl Effect for Vibrato {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.middle(input) as u64
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        2 * self.middle(input) as u64 + 2
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        let middle = self.middle(input);
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |_, _| Pitch {
            tape: DelayLine::new(2 * middle + 4),
            lfo: Lfo::new(self.shape, self.rate_hz, rate),
            middle,
            swing: self.swing_s * rate,
            values: vec![0.0; RUN],
        }))))
    }
}

/// The vibrato of one channel.
#[derive(Debug)]
struct Pitch {
    tape: DelayLine,
    lfo: Lfo,
    middle: usize,
    swing: f64,
    values: Vec<f64>,
}

impl ChannelProcess for Pitch {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        // The frame that the output belongs to.
        let frame = frame - self.middle as i64;
        for (index, run) in channels.iter_mut().flat_map(|channel| channel.chunks_mut(RUN)).enumerate() {
            self.lfo.fill(frame + (index * RUN) as i64, 0.0, &mut self.values[..run.len()]);
            for (sample, value) in run.iter_mut().zip(&self.values) {
                self.tape.write(*sample);
                let delay = self.middle as f64 + self.swing * value;
                let whole = delay as usize;
                *sample = self.tape.cubic(whole + 1, (delay - whole as f64) as f32);
            }
        }
    }

    fn clear(&mut self) {
        self.tape.clear();
    }

    fn give(&self, to: &mut Vec<f64>) {
        self.tape.give(to);
    }

    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.tape.take(from)
    }
}
