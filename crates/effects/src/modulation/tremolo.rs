//! Tremolo: modulates the level.

use super::RUN;
use crate::lfo::{Lfo, SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values};
use crate::space::share;
use crate::{Arguments, Effect, EffectSpec, Measured, Parameter, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "tremolo",
    title: "Tremolo",
    purpose: Purpose::Modulation,
    summary: "Modulates the level periodically, in all channels or from side to side.",
    documentation: "\
Multiplies by `1 - depth (1 - lfo(rate t)) / 2`: the level moves between that of the input and `1 - depth` of it. A \
cycle starts at its loudest; with a sine it equals SoX's `tremolo` within 1e-4. `square` has edges of 2 % of the \
cycle, shaped as a raised cosine, and `saw` falls and returns as quickly, so that neither clicks at usual rates.\n\
\n\
`phase` advances each further channel by this share of a cycle: 50 % moves the sound from side to side. `rate` may \
be a note of `bpm`: one cycle per note.\n\
\n\
No latency, no tail. The phase is a function of the stream's time: it is the same after a jump and in every export.",
    source: "The SoX manual, tremolo; U. Zölzer (ed.), DAFX: Digital Audio Effects, chapter 3.",
    parameters: &[
        RATE,
        share("depth", "Depth", "Depth of the modulation.", 0.0, 1.0, 0.5),
        SHAPE,
        share("phase", "Phase", "Phase advance of each further channel.", 0.0, 1.0, 0.0),
        BPM_OF_RATE,
    ],
    positional: 2,
    search: "volume wobble pulse chop",
    aliases: &["auto_pan", "autopan"],
    selection: None,
    example: "tremolo(7 Hz)",
    largest_output: 1.0,
    build,
};

const RATE: Parameter = rate(0.01, 100.0, 5.0);

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Tremolo {
        rate_hz: timed("tremolo", &RATE, arguments)?,
        depth: arguments.checked_number("depth")?,
        shape: Shape::of(arguments)?,
        phase: arguments.checked_number("phase")?,
    }))
}

#[derive(Debug)]
struct Tremolo {
    rate_hz: f64,
    depth: f64,
    shape: Shape,
    phase: f64,
}

impl Effect for Tremolo {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |channel, _| Swing {
            lfo: Lfo::new(self.shape, self.rate_hz, input.rate.as_f64()),
            phase: self.shape.top() + self.phase * channel as f64,
            half: 0.5 * self.depth,
            values: vec![0.0; RUN],
        }))))
    }
}

/// The tremolo of one channel.
#[derive(Debug)]
struct Swing {
    lfo: Lfo,
    phase: f64,
    /// Half the depth.
    half: f64,
    values: Vec<f64>,
}

impl ChannelProcess for Swing {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        for (index, run) in channels.iter_mut().flat_map(|channel| channel.chunks_mut(RUN)).enumerate() {
            self.lfo.fill(frame + (index * RUN) as i64, self.phase, &mut self.values[..run.len()]);
            for (sample, value) in run.iter_mut().zip(&self.values) {
                *sample *= (1.0 - self.half * (1.0 - value)) as f32;
            }
        }
    }

    fn clear(&mut self) {}

    fn give(&self, _to: &mut Vec<f64>) {}

    fn take(&mut self, _from: &mut Values<'_>) -> Option<()> {
        Some(())
    }
}
