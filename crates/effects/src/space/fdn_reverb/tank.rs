//! The delay network of one channel or of a pair.
//!
//! A run is shorter than the shortest line, so that the output of all lines is known before any input enters. The
//! matrix is four rounds of vectorised sums and differences of whole rows. Most of the time goes to the filters, which
//! run in groups of four lines, then to the four modulated lines (four frames read per output).

use super::super::clocked::{ChannelProcess, Values, quiet};
use super::super::tape::DelayLine;
use super::RoomSettings;
use super::absorption::{Absorption, round_gain};
use super::early::Early;
use crate::lfo::{Lfo, Shape};

/// The number of delay lines.
pub(super) const LINES: usize = 16;

/// The maximum length of a run in frames.
const RUN: usize = 128;

/// The shortest and the longest line in seconds, at a size of 100 %.
const SHORTEST_S: f64 = 0.025;
const LONGEST_S: f64 = 0.095;

/// The maximum modulation of a line's delay in seconds.
const SWING_S: f64 = 0.0008;

/// Only every fourth line is modulated. Reading between frames attenuates treble, and with all lines that would be
/// audible.
const STILL: usize = 4;

/// The input and output signs of the left side. Those of the right side differ in every second line (input) and in
/// every second pair of lines (output), so that the sides are uncorrelated.
const ENTERS: [f32; LINES] = [1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, -1.0];
const HEARD: [f32; LINES] = [1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0];

/// Returns the input and output signs of a side.
fn signs(side: usize) -> ([f32; LINES], [f32; LINES]) {
    let odd = |bit: bool| if side == 1 && bit { -1.0 } else { 1.0 };
    (
        std::array::from_fn(|line| ENTERS[line] * odd(line % 2 == 1)),
        std::array::from_fn(|line| HEARD[line] * odd(line / 2 % 2 == 1)),
    )
}

/// Returns the smallest prime of at least `least`. There is always one below twice that number.
fn prime(least: usize) -> usize {
    let is_prime = |n: usize| n > 1 && (2..=n.isqrt()).all(|d| !n.is_multiple_of(d));
    (least..=2 * least + 2).find(|n| is_prime(*n)).unwrap_or(least)
}

/// Returns the lengths of the lines in frames.
fn lengths(size: f64, rate: f64) -> [usize; LINES] {
    std::array::from_fn(|line| {
        let seconds = SHORTEST_S * (LONGEST_S / SHORTEST_S).powf(line as f64 / (LINES - 1) as f64);
        prime((seconds * size * rate).round() as usize)
    })
}

#[derive(Debug)]
pub(super) struct Hall {
    sides: Vec<TankChannel>,
    lines: [DelayLine; LINES],
    frames: [usize; LINES],
    absorption: Absorption,
    lfo: Lfo,
    /// The maximum modulation in frames.
    swing: f64,
    early: f32,
    /// The shares of a side's own sound and of the other's.
    same: f32,
    other: f32,
    mix: f32,
    run: usize,
    rows: Box<[[f32; RUN]; LINES]>,
    /// The sine and cosine of the modulation.
    swings: Box<[[f64; RUN]; 2]>,
}

/// The input and output of one channel.
#[derive(Debug)]
struct TankChannel {
    early: Early,
    enters: [f32; LINES],
    heard: [f32; LINES],
    entering: Vec<f32>,
    reflections: Vec<f32>,
    wet: Vec<f32>,
}

impl Hall {
    pub fn new(settings: &RoomSettings, rate: f64, channels: usize) -> Self {
        let frames = lengths(settings.size, rate);
        let swing = settings.modulation * SWING_S * rate;
        let reach = swing.ceil() as usize + 3;
        let run = RUN.min(frames[0].saturating_sub(reach)).max(1);
        let mean_s = frames.iter().sum::<usize>() as f64 / LINES as f64 / rate;
        // Scale the energy that an impulse returns over all rounds to that of the impulse.
        let gain = round_gain(mean_s, settings.decay.middle_s);
        let level = (1.0 - gain * gain).sqrt() as f32;
        let sides = (0..channels).map(|side| {
            let (enters, heard) = signs(side);
            let entering = 0.25 / (channels as f32).sqrt();
            TankChannel {
                early: Early::new(side, settings.size, settings.predelay_s, rate, run),
                enters: enters.map(|sign| sign * entering),
                heard: heard.map(|sign| sign * level),
                entering: vec![0.0; run],
                reflections: vec![0.0; run],
                wet: vec![0.0; run],
            }
        });
        Self {
            sides: sides.collect(),
            lines: frames.map(|frames| DelayLine::new(frames + reach)),
            frames,
            absorption: Absorption::new(&settings.decay, &frames, rate),
            lfo: Lfo::new(Shape::Sine, settings.rate_hz, rate),
            swing,
            early: settings.early as f32,
            same: (0.5 + 0.5 * settings.width) as f32,
            other: (0.5 - 0.5 * settings.width) as f32,
            mix: settings.mix as f32,
            run,
            rows: Box::new([[0.0; RUN]; LINES]),
            swings: Box::new([[0.0; RUN]; 2]),
        }
    }

    /// Reads the output of the lines.
    fn read(&mut self, frame: i64, count: usize) {
        let [sines, cosines] = &mut *self.swings;
        if self.swing > 0.0 {
            self.lfo.fill(frame, 0.0, &mut sines[..count]);
            self.lfo.fill(frame, 0.25, &mut cosines[..count]);
        }
        for (line, (tape, row)) in self.lines.iter().zip(self.rows.iter_mut()).enumerate() {
            if self.swing == 0.0 || line % STILL != 0 {
                tape.read(self.frames[line], &mut row[..count]);
                continue;
            }
            let (sin, cos) = (std::f64::consts::TAU * line as f64 / LINES as f64).sin_cos();
            let (sin, cos) = (self.swing * sin, self.swing * cos);
            for (at, sample) in row[..count].iter_mut().enumerate() {
                // Nothing of this run is written yet, so the read position advances by itself.
                let delay = self.frames[line] as f64 + (cos * sines[at] + sin * cosines[at]);
                let whole = delay as usize;
                *sample = tape.cubic(whole - at, (delay - whole as f64) as f32);
            }
        }
    }

    /// Multiplies all rows by the Hadamard matrix, without its factor of 1/4.
    fn turn(rows: &mut [[f32; RUN]; LINES], count: usize) {
        for width in [1, 2, 4, 8] {
            for first in (0..LINES).filter(|line| line & width == 0) {
                let (before, after) = rows.split_at_mut(first + width);
                let (a, b) = (&mut before[first][..count], &mut after[0][..count]);
                for (a, b) in a.iter_mut().zip(b) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
        }
    }

    fn advance(&mut self, channels: &mut [Vec<f32>], at: usize, count: usize, frame: i64) {
        self.read(frame, count);
        for (side, channel) in self.sides.iter_mut().zip(&*channels) {
            let TankChannel { early, heard, entering, reflections, wet, .. } = side;
            early.run(&channel[at..at + count], &mut entering[..count], &mut reflections[..count]);
            for (wet, reflection) in wet.iter_mut().zip(&reflections[..count]) {
                *wet = self.early * reflection;
            }
            for (row, gain) in self.rows.iter().zip(&*heard) {
                for (wet, sample) in wet[..count].iter_mut().zip(row) {
                    *wet += gain * sample;
                }
            }
        }
        self.absorption.run(&mut self.rows, count);
        Self::turn(&mut self.rows, count);
        for (line, (row, tape)) in self.rows.iter_mut().zip(&mut self.lines).enumerate() {
            let row = &mut row[..count];
            for sample in &mut *row {
                *sample *= 0.25;
            }
            for side in &self.sides {
                for (sample, entering) in row.iter_mut().zip(&side.entering) {
                    *sample += side.enters[line] * entering;
                }
            }
            for sample in &mut *row {
                *sample = quiet(*sample);
            }
            tape.push(row);
        }
        self.hear(channels, at, count);
    }

    /// Mixes wet and dry.
    fn hear(&self, channels: &mut [Vec<f32>], at: usize, count: usize) {
        let dry = 1.0 - self.mix;
        let range = at..at + count;
        match (self.sides.as_slice(), channels) {
            ([left, right], [a, b]) => {
                let (same, other) = (self.mix * self.same, self.mix * self.other);
                let wets = left.wet.iter().zip(&right.wet);
                for ((a, b), (left, right)) in a[range.clone()].iter_mut().zip(&mut b[range]).zip(wets) {
                    *a = dry * *a + (same * left + other * right);
                    *b = dry * *b + (same * right + other * left);
                }
            }
            (sides, channels) => {
                for (side, channel) in sides.iter().zip(channels) {
                    for (sample, wet) in channel[range.clone()].iter_mut().zip(&side.wet) {
                        *sample = dry * *sample + self.mix * wet;
                    }
                }
            }
        }
    }
}

impl ChannelProcess for Hall {
    fn run(&mut self, channels: &mut [Vec<f32>], frame: i64) {
        let frames = channels.first().map_or(0, Vec::len);
        for at in (0..frames).step_by(self.run) {
            self.advance(channels, at, self.run.min(frames - at), frame + at as i64);
        }
    }

    fn clear(&mut self) {
        self.lines.iter_mut().for_each(DelayLine::clear);
        self.sides.iter_mut().for_each(|side| side.early.clear());
        self.absorption.clear();
    }

    fn give(&self, to: &mut Vec<f64>) {
        self.lines.iter().for_each(|line| line.give(to));
        self.sides.iter().for_each(|side| side.early.give(to));
        self.absorption.give(to);
    }

    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.lines.iter_mut().try_for_each(|line| line.take(from))?;
        self.sides.iter_mut().try_for_each(|side| side.early.take(from))?;
        self.absorption.take(from)
    }
}
