//! A comb filter with swept teeth, which `SoX` calls a phaser.

use super::{RUN, milliseconds};
use crate::lfo::{Lfo, SMOOTH_SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values, quiet};
use crate::space::decay::tail_frames;
use crate::space::tape::DelayLine;
use crate::space::{mix, share};
use crate::{Arguments, Effect, EffectSpec, Measured, Parameter, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "swept_comb",
    title: "Swept comb",
    purpose: Purpose::Modulation,
    summary: "A resonant sweep from a modulated feedback loop; the phaser of SoX.",
    documentation: "\
`line[n] = (1 - feedback) x[n] + feedback line[n - d(n)]`, output `(1 - mix) x + mix line`: no sample exceeds the \
largest input sample. `d` moves in whole frames between one frame and `delay`, `1 + (D - 1)(1 - cos(2 pi rate t)) / \
2` rounded, with `D = delay rate` frames. Its teeth, `rate / d` apart, sweep through the spectrum; the steps of \
whole frames are part of the sound.\n\
\n\
It follows SoX's `phaser` in-gain delay decay speed: with `feedback` as its decay and a mix of 100 %, SoX gives \
`in-gain out-gain / (1 - decay)` times this, within 1e-4 if its cycle is a whole number of frames. The usual phaser, \
a chain of all-passes, is `phaser`.\n\
\n\
No latency. The phase is a function of the stream's time: it is the same after a jump and in every export. `rate` \
may be a note of `bpm`. `phase` advances each further channel by this share of a cycle. Declared tail: until the \
loop is 60 dB down.",
    source: "The SoX manual, phaser; its law found from what it gives.",
    parameters: &[
        RATE,
        milliseconds("delay", "Delay", "Longest delay.", 0.0002, 0.02, 0.003),
        share("feedback", "Feedback", "Feedback.", 0.0, 0.95, 0.4),
        mix(1.0),
        SMOOTH_SHAPE,
        share("phase", "Phase", "Phase advance of each further channel.", 0.0, 1.0, 0.0),
        BPM_OF_RATE,
    ],
    positional: 1,
    search: "phaser sweep resonance",
    aliases: &["sox_phaser"],
    selection: None,
    example: "swept_comb(2 Hz)",
    largest_output: 1.001,
    build,
};

const RATE: Parameter = rate(0.01, 20.0, 0.5);

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    Ok(Box::new(SweptComb {
        rate_hz: timed("swept_comb", &RATE, arguments)?,
        delay_s: number("delay")?,
        feedback: number("feedback")?,
        mix: number("mix")?,
        shape: Shape::of(arguments)?,
        phase: number("phase")?,
    }))
}

#[derive(Debug)]
struct SweptComb {
    rate_hz: f64,
    delay_s: f64,
    feedback: f64,
    mix: f64,
    shape: Shape,
    phase: f64,
}

impl Effect for SweptComb {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        tail_frames(self.delay_s * input.rate.as_f64() + 1.0, self.feedback, input)
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        let longest = (self.delay_s * rate).round().max(1.0);
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |channel, _| Comb {
            tape: DelayLine::new(longest as usize),
            lfo: Lfo::new(self.shape, self.rate_hz, rate),
            phase: 0.75 + self.phase * channel as f64,
            swing: 0.5 * (longest - 1.0),
            feedback: self.feedback as f32,
            mix: self.mix as f32,
            values: vec![0.0; RUN],
        }))))
    }
}

/// The comb of one channel.
#[derive(Debug)]
struct Comb {
    tape: DelayLine,
    lfo: Lfo,
    phase: f64,
    /// Half the difference between the longest and the shortest delay, in frames.
    swing: f64,
    feedback: f32,
    mix: f32,
    values: Vec<f64>,
}

impl ChannelProcess for Comb {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        let enters = 1.0 - self.feedback;
        for (index, run) in channels.iter_mut().flat_map(|channel| channel.chunks_mut(RUN)).enumerate() {
            self.lfo.fill(frame + (index * RUN) as i64, self.phase, &mut self.values[..run.len()]);
            for (sample, value) in run.iter_mut().zip(&self.values) {
                // The offset decides values exactly between two frames, which the rounding of the sine would otherwise
                // decide.
                let back = (1.0 + self.swing * (1.0 + value) - 1e-9).round().max(1.0) as usize;
                let line = quiet(enters * *sample + self.feedback * self.tape.frame(back));
                self.tape.write(line);
                *sample = (1.0 - self.mix) * *sample + self.mix * line;
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
