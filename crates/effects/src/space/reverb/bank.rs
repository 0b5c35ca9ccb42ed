//! The comb filters and all-passes of one channel, and the room that a pair of them makes.
//!
//! Eight combs and four all-passes access 24 values per frame, which is the lower bound of the cost. The low-pass of a
//! comb recurs from frame to frame, so the eight combs run in parallel lanes (`combs.rs`). The all-passes are
//! vectorised along the frames, because no run is longer than a line. The two sides of a pair run on two threads.

use super::super::clocked::{ChannelProcess, Values, quiet};
use super::super::line::Line;
use super::combs::{Combs, Gains, RUN, Rows};
use base::simd::{Lanes, Simd, Task};

const COMBS: [usize; 8] = [1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617];
const ALL_PASSES: [usize; 4] = [556, 441, 341, 225];

/// The extra length of the right side's lines, in frames.
const SPREAD: usize = 23;

/// The longest comb in frames, at the rate of the original tunings.
pub(super) const LONGEST_COMB: usize = COMBS[7] + SPREAD;

/// The number of frames that a thread renders at a time.
const PIECE: usize = 1 << 13;

/// Below this number of frames a second thread does not pay off.
const PARALLEL_FRAMES: usize = 2048;

/// The input gain per sample of a pair, and the output gain.
const GAIN_IN: f32 = 0.015;
const GAIN_OUT: f32 = 3.0;

/// The lengths and gains of all lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The rate relative to that of the original tunings.
    pub scale: f64,
    pub feedback: f32,
    pub damping: f32,
}

/// The lines of one channel.
#[derive(Debug)]
pub(super) struct Bank {
    combs: [Line; 8],
    /// The state of each comb's low-pass.
    low: [f32; 8],
    all_passes: [Line; 4],
    gains: Gains,
    /// The output of the combs in a run, then their input.
    rows: Box<Rows>,
    /// The length of a run in frames, at most that of the shortest comb.
    run: usize,
}

impl Bank {
    /// Creates the lines of the left (0) or right (1) side.
    pub fn new(side: usize, tuning: Tuning) -> Self {
        let line = |frames: usize| Line::new(((frames + side * SPREAD) as f64 * tuning.scale).round() as usize);
        let combs = COMBS.map(line);
        Self {
            run: combs.iter().map(Line::frames).min().map_or(1, |shortest| shortest.min(RUN)),
            combs,
            low: [0.0; 8],
            all_passes: ALL_PASSES.map(line),
            gains: Gains { damping: tuning.damping, through: 1.0 - tuning.damping, feedback: tuning.feedback },
            rows: Box::new([[0.0; RUN]; 8]),
        }
    }

    fn render(&mut self, input: &[f32], out: &mut [f32]) {
        let simd = Simd::best();
        for (input, out) in input.chunks(self.run).zip(out.chunks_mut(self.run)) {
            for (comb, row) in self.combs.iter().zip(self.rows.iter_mut()) {
                comb.peek(&mut row[..input.len()]);
            }
            simd.dispatch(Combs { gains: self.gains, rows: &mut self.rows, low: &mut self.low, input, out });
            for low in &mut self.low {
                *low = if low.abs() < 1e-30 { 0.0 } else { *low };
            }
            for (comb, row) in self.combs.iter_mut().zip(self.rows.iter()) {
                comb.push(&row[..input.len()]);
            }
            simd.dispatch(AllPasses { lines: &mut self.all_passes, samples: out });
        }
    }

    fn lines(&mut self) -> impl Iterator<Item = &mut Line> {
        self.combs.iter_mut().chain(&mut self.all_passes)
    }
}

/// The all-passes in series.
struct AllPasses<'a> {
    lines: &'a mut [Line; 4],
    samples: &'a mut [f32],
}

impl Task for AllPasses<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for line in self.lines {
            let mut rest = &mut *self.samples;
            while !rest.is_empty() {
                let (run, after) = rest.split_at_mut(rest.len().min(line.run()));
                let slots = line.slots(run.len());
                for (sample, slot) in run.iter_mut().zip(slots) {
                    let late = *slot;
                    *slot = quiet(*sample + 0.5 * late);
                    *sample = late - *sample;
                }
                line.pass(run.len());
                rest = after;
            }
        }
    }
}

/// The banks of one channel or of a pair, and their mix.
#[derive(Debug)]
pub(super) struct Room {
    banks: Vec<Bank>,
    width: f32,
    mix: f32,
    input: Vec<f32>,
    wet: [Vec<f32>; 2],
}

impl Room {
    pub fn new(banks: Vec<Bank>, width: f32, mix: f32) -> Self {
        Self { banks, width, mix, input: Vec::new(), wet: [Vec::new(), Vec::new()] }
    }

    fn piece(&mut self, channels: &mut [Vec<f32>], at: usize, count: usize) {
        let Self { banks, input, wet: [left, right], .. } = self;
        for buffer in [&mut *input, &mut *left, &mut *right] {
            buffer.resize(count, 0.0);
        }
        let dry = 1.0 - self.mix;
        let range = at..at + count;
        let gain = self.mix * GAIN_OUT;
        match (banks.as_mut_slice(), channels) {
            ([bank], [channel]) => {
                for (x, sample) in input.iter_mut().zip(&channel[range.clone()]) {
                    *x = quiet(2.0 * GAIN_IN * sample);
                }
                bank.render(input, left);
                for (sample, wet) in channel[range].iter_mut().zip(left) {
                    *sample = dry * *sample + gain * *wet;
                }
            }
            ([first, second], [a, b]) => {
                let (a, b) = (&mut a[range.clone()], &mut b[range]);
                for ((x, a), b) in input.iter_mut().zip(&*a).zip(&*b) {
                    *x = quiet(GAIN_IN * (a + b));
                }
                let input: &[f32] = input;
                if count >= PARALLEL_FRAMES {
                    rayon::join(|| first.render(input, left), || second.render(input, right));
                } else {
                    first.render(input, left);
                    second.render(input, right);
                }
                let (same, other) = (gain * (0.5 + 0.5 * self.width), gain * (0.5 - 0.5 * self.width));
                for ((a, b), (left, right)) in a.iter_mut().zip(b).zip(left.iter().zip(&*right)) {
                    *a = dry * *a + (same * left + other * right);
                    *b = dry * *b + (same * right + other * left);
                }
            }
            _ => debug_assert!(false, "a room has as many banks as channels"),
        }
    }
}

impl ChannelProcess for Room {
    fn run(&mut self, channels: &mut [Vec<f32>], _frame: i64) {
        let frames = channels.first().map_or(0, Vec::len);
        for at in (0..frames).step_by(PIECE) {
            self.piece(channels, at, PIECE.min(frames - at));
        }
    }

    fn clear(&mut self) {
        for bank in &mut self.banks {
            bank.lines().for_each(Line::clear);
            bank.low = [0.0; 8];
        }
    }

    fn give(&self, to: &mut Vec<f64>) {
        for bank in &self.banks {
            bank.combs.iter().chain(&bank.all_passes).for_each(|line| line.give(to));
            to.extend(bank.low.map(f64::from));
        }
    }

    fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.banks.iter_mut().try_for_each(|bank| {
            bank.lines().try_for_each(|line| line.take(from))?;
            let low = from.some(8)?;
            bank.low.iter_mut().zip(low).for_each(|(to, state)| *to = *state as f32);
            Some(())
        })
    }
}
