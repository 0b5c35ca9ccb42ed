//! Phaser: a chain of all-passes with a swept corner frequency.

use crate::bounds::{below_nyquist, ordered};
use crate::lfo::{Lfo, SMOOTH_SHAPE, Shape, rate};
use crate::note::{BPM_OF_RATE, timed};
use crate::space::clocked::{ChannelProcess, PerChannel, Values, decayed};
use crate::space::{mix, share};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;

/// Frames between computed corners. In between, the coefficient is interpolated linearly.
const GRID: usize = 16;

/// The maximum number of all-passes.
const MAX_STAGES: usize = 24;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "phaser",
    title: "Phaser",
    purpose: Purpose::Modulation,
    summary: "Sweeping notches from a chain of all-pass filters.",
    documentation: "\
`stages` first-order all-passes in series, all with the same corner, which sweeps exponentially from `low` to `high` \
and back, starting at `low`. Mixed with the dry sound, every two stages make a notch: two stages where each shifts \
the phase by 90 degrees, at the corner itself; four at 0.41 and 2.4 times the corner.\n\
\n\
With `A = (g (1 + z^-1) - (1 - z^-1)) / (g (1 + z^-1) + (1 - z^-1))`, `g = tan(pi f / rate)`, the wet sound is `(1 - \
|feedback|) A^stages / (1 - feedback A^stages)` and the output `(1 - mix) x + mix wet`. The loop is solved without a \
delay, so that notches and peaks are at their exact frequencies at any rate. At most 0 dB at every frequency. `g` is \
computed every 16 frames of the stream and interpolated linearly. `phase` advances each further channel by this \
share of a cycle; `rate` may be a note of `bpm`.\n\
\n\
No latency. The phase of the sweep is a function of the stream's time: it is the same after a jump and in every \
export. Like that of filters, its ringing is not a tail; after a jump it renders enough of the past for the chain to \
settle. `high` must be below half the sample rate. SoX's `phaser` is a different effect: see `swept_comb`.",
    source: "J. O. Smith, Physical Audio Signal Processing (phasing with all-passes); V. Zavalishin, The Art of VA Filter \
             Design (loops without delay).",
    parameters: &[
        RATE,
        STAGES,
        corner("low", "Low", "Lower end of the sweep.", 300.0),
        corner("high", "High", "Upper end of the sweep.", 3000.0),
        share("feedback", "Feedback", "Feedback; negative values invert it.", -0.95, 0.95, 0.3),
        mix(0.5),
        SMOOTH_SHAPE,
        share("phase", "Phase", "Phase advance of each further channel.", 0.0, 1.0, 0.0),
        BPM_OF_RATE,
    ],
    positional: 1,
    search: "sweep notches swirl",
    aliases: &["phase_shifter"],
    selection: None,
    example: "phaser(4 Hz, high=3.5 kHz)",
    largest_output: 8.0,
    build,
};

const RATE: Parameter = rate(0.01, 20.0, 0.5);

const STAGES: Parameter = Parameter {
    name: "stages",
    title: "Stages",
    help: "Number of all-pass filters; two make a notch.",
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: MAX_STAGES as f64,
        default: Some(4.0),
        initial: 4.0,
        scale: Scale::Integer,
    },
    ..PLAIN
};

const fn corner(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Hz,
        min: 10.0,
        max: 384_000.0,
        default: Some(default),
        initial: default,
        scale: Scale::Log,
    };
    Parameter { name, title, help, kind, ..PLAIN }.to_nyquist(20.0)
}

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let (low_hz, high_hz) = (number("low")?, number("high")?);
    ordered("phaser", low_hz, high_hz)?;
    Ok(Box::new(Phaser {
        rate_hz: timed("phaser", &RATE, arguments)?,
        stages: number("stages")? as usize,
        low_hz,
        high_hz,
        feedback: number("feedback")?,
        mix: number("mix")?,
        shape: Shape::of(arguments)?,
        phase: number("phase")?,
    }))
}

#[derive(Debug)]
struct Phaser {
    rate_hz: f64,
    stages: usize,
    low_hz: f64,
    high_hz: f64,
    feedback: f64,
    mix: f64,
    shape: Shape,
    phase: f64,
}

impl Effect for Phaser {
    /// All stages at their slowest, times the rounds through the loop, down to -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        let time_constant = input.rate.as_f64() / (std::f64::consts::TAU * self.low_hz);
        let rounds = 1.0 / (1.0 - self.feedback.abs());
        (14.0 * time_constant * (1.0 + self.stages as f64 * rounds)).ceil() as u64
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        below_nyquist("phaser", "high", self.high_hz, input.rate)?;
        let rate = input.rate.as_f64();
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 1, |channel, _| Chain {
            states: vec![0.0; self.stages],
            lfo: Lfo::new(self.shape, self.rate_hz, rate),
            phase: 0.75 + self.phase * channel as f64,
            low: std::f64::consts::PI * self.low_hz / rate,
            octaves: (self.high_hz / self.low_hz).log2(),
            feedback: self.feedback,
            mix: self.mix,
        }))))
    }
}

/// The phaser of one channel.
#[derive(Debug)]
struct Chain {
    states: Vec<f64>,
    lfo: Lfo,
    phase: f64,
    /// The lowest corner as half its angle per frame, and the range of the sweep in octaves.
    low: f64,
    octaves: f64,
    feedback: f64,
    mix: f64,
}

impl Chain {
    /// Returns the coefficient `g` at a frame of the grid.
    fn g(&self, frame: i64) -> f64 {
        let mut value = [0.0];
        self.lfo.fill(frame, self.phase, &mut value);
        let octaves = self.octaves * (0.5 + 0.5 * value[0]).clamp(0.0, 1.0);
        // The limit is just below half the rate, where the tangent diverges.
        (self.low * octaves.exp2()).min(1.5707).tan()
    }

    fn render(&mut self, samples: &mut [f32], g: f64, slope: f64) {
        let enters = 1.0 - self.feedback.abs();
        for (index, sample) in samples.iter_mut().enumerate() {
            let g = g + slope * index as f64;
            let through = g / (1.0 + g);
            let (a, held) = (2.0 * through - 1.0, 2.0 * (1.0 - through));
            // The chain's direct gain, and the contribution of its states.
            let (mut gain, mut rest) = (1.0, 0.0);
            for state in &self.states {
                gain *= a;
                rest = rest * a + held * state;
            }
            let x = f64::from(*sample);
            let scaled = enters * x;
            let y = (gain * scaled + rest) / (1.0 - self.feedback * gain);
            let mut into = scaled + self.feedback * y;
            for state in &mut self.states {
                let v = (into - *state) * through;
                let low = v + *state;
                *state = low + v;
                into = 2.0 * low - into;
            }
            *sample = ((1.0 - self.mix) * x + self.mix * y) as f32;
        }
    }
}

impl ChannelProcess for Chain {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        let grid = GRID as i64;
        for channel in channels {
            let mut at = 0;
            while at < channel.len() {
                let here = frame + at as i64;
                let into = here.rem_euclid(grid);
                let (from, to) = (self.g(here - into), self.g(here - into + grid));
                let end = channel.len().min(at + (grid - into) as usize);
                let slope = (to - from) / GRID as f64;
                self.render(&mut channel[at..end], from + slope * into as f64, slope);
                at = end;
            }
            self.states.iter_mut().for_each(|state| *state = decayed(*state));
        }
    }

    fn clear(&mut self) {
        self.states.fill(0.0);
    }

    fn give(&self, to: &mut Vec<f64>) {
        to.push(self.states.len() as f64);
        to.extend(&self.states);
    }

    /// If the number of stages differs, takes as many states as both have.
    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        let count = from.one()?;
        let states = from.some(count as usize)?;
        self.clear();
        self.states.iter_mut().zip(states).for_each(|(to, state)| *to = *state);
        Some(())
    }
}
