//! The process of the limiter.
//!
//! ```text
//! samples -> peaks -> reduction -> link -> greatest of the look-ahead -> release -> two running means -> gain
//!        \-> (delay by the look-ahead and the peaks' own) ---------------------------------> x -> samples
//! ```
//!
//! Every mean applied to a sample averages maxima whose windows contain that sample, so that no mean is less than the
//! reduction it needs. Means are sums of integers (65536ths of a power of two, rounded up), exact in f64, so that they
//! never drift and do not depend on where a stream is cut.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::approximate::{exp2, log2};
use super::delay::FixedDelay;
use super::detector::too_short;
use super::interpolated::{LATENCY, LimiterPeaks, Phases};
use super::processor::{Outermost, WORTH_SHARING, blend, meter};
use super::sliding::Sliding;
use crate::{METER_FRAMES, Process};
use audio::AudioBuffer;
use base::error::Result;
use base::simd::{Lanes, Simd, Task};

/// The steps of a reduction per power of two, 0.0001 dB each. With 50 ms at 768 kHz both sums stay below 2^53.
const STEPS: f64 = 65_536.0;

/// Keeps a decaying reduction from becoming subnormal; far less than a step.
const NONE: f32 = 1e-20;

/// The settings of a limiter.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub ceiling: f64,
    /// The share of a reduction left after one frame.
    pub release: f64,
    pub lookahead_frames: usize,
    /// The interpolation phases for true peaks; `None` for sample peaks.
    pub phases: Option<Phases>,
    pub link: f32,
}

impl Setup {
    /// Returns the latency in frames.
    pub fn latency(lookahead_frames: usize, true_peak: bool) -> usize {
        lookahead_frames + if true_peak { LATENCY } else { 0 }
    }
}

#[derive(Debug)]
struct Channel {
    peaks: Option<LimiterPeaks>,
    delay: FixedDelay,
    follower: Follower,
    /// Peaks, then reductions as powers of two, then gains.
    values: Vec<f32>,
}

/// The limiter process.
#[derive(Debug)]
pub(super) struct Limiting {
    /// The requested ceiling rounded down to f32.
    ceiling: f32,
    link: f32,
    channels: Vec<Channel>,
    shared: Vec<f32>,
    reductions_db: Vec<f32>,
}

impl Limiting {
    pub fn new(setup: &Setup, channels: usize) -> Self {
        let nearest = setup.ceiling as f32;
        let ceiling = if f64::from(nearest) > setup.ceiling { nearest.next_down() } else { nearest };
        let latency = Setup::latency(setup.lookahead_frames, setup.phases.is_some());
        let one = || Channel {
            peaks: setup.phases.clone().map(LimiterPeaks::new),
            delay: FixedDelay::new(latency),
            follower: Follower::new(setup.lookahead_frames, setup.phases.is_some(), setup.release),
            values: Vec::new(),
        };
        Self {
            ceiling,
            link: if channels > 1 { setup.link } else { 0.0 },
            channels: (0..channels).map(|_| one()).collect(),
            shared: Vec::new(),
            reductions_db: Vec::new(),
        }
    }

    /// Returns the number of channels whose followers run.
    fn followers(&self) -> usize {
        if self.link >= 1.0 { 1 } else { self.channels.len() }
    }

    fn shape(&self) -> [f64; 5] {
        let first = self.channels.first();
        let peaks = first.and_then(|channel| channel.peaks.as_ref()).map_or(0, |peaks| peaks.state().len());
        let delay = first.map_or(0, |channel| channel.delay.state().len());
        let follower = first.map_or(0, |channel| channel.follower.state_length());
        [self.channels.len(), self.followers(), peaks, delay, follower].map(|count| count as f64)
    }
}

impl Process for Limiting {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let frames = block.frames();
        let parallel = self.channels.len() > 1
            && frames * self.channels.len() >= WORTH_SHARING
            && rayon::current_num_threads() > 1;
        let (ceiling, alone, linked) = (self.ceiling, self.link <= 0.0, self.link >= 1.0);
        let find = |(channel, samples): (&mut Channel, &mut Vec<f32>)| {
            channel.values.clear();
            channel.values.extend_from_slice(samples);
            Simd::best().dispatch(Numbers(&mut channel.values));
            if let Some(peaks) = &mut channel.peaks {
                peaks.run(&mut channel.values, ceiling);
            }
            Simd::best().dispatch(Reductions { values: &mut channel.values, ceiling });
            if alone {
                channel.follower.run(&mut channel.values);
            }
        };
        if parallel {
            self.channels.par_iter_mut().zip(block.as_mut_vecs()).for_each(find);
        } else {
            self.channels.iter_mut().zip(block.as_mut_vecs()).for_each(find);
        }
        if !alone && let Some((first, others)) = self.channels.split_first_mut() {
            self.shared.clone_from(&first.values);
            for other in others.iter() {
                let (values, other) = (&mut self.shared, &other.values);
                Simd::best().dispatch(Outermost { values, other, upwards: true });
            }
            if linked {
                first.follower.run(&mut self.shared);
            } else {
                for channel in &mut self.channels {
                    blend(&mut channel.values, &self.shared, self.link);
                    channel.follower.run(&mut channel.values);
                }
            }
        }
        self.reductions_db.clear();
        self.reductions_db.resize(frames.div_ceil(METER_FRAMES), 0.0);
        if linked {
            meter(&self.shared, &mut self.reductions_db);
        } else {
            self.channels.iter().for_each(|channel| meter(&channel.values, &mut self.reductions_db));
        }
        let shared = self.shared.as_slice();
        let apply = |(channel, samples): (&mut Channel, &mut Vec<f32>)| {
            channel.delay.run(samples);
            let gains = if linked { shared } else { &channel.values };
            Simd::best().dispatch(Apply { samples, gains, ceiling });
        };
        if parallel {
            self.channels.par_iter_mut().zip(block.as_mut_vecs()).for_each(apply);
        } else {
            self.channels.iter_mut().zip(block.as_mut_vecs()).for_each(apply);
        }
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        let mut state = self.shape().to_vec();
        let wide = |samples: &[f32]| samples.iter().map(|sample| f64::from(*sample)).collect::<Vec<_>>();
        for (index, channel) in self.channels.iter().enumerate() {
            state.extend(channel.peaks.iter().flat_map(|peaks| wide(peaks.state())));
            state.extend(wide(channel.delay.state()));
            if index < self.followers() {
                state.extend(channel.follower.state());
            }
        }
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let shape = self.shape();
        let body = state.strip_prefix(shape.as_slice()).ok_or_else(too_short)?;
        let [channels, followers, peaks, delay, follower] = shape.map(|count| count as usize);
        if body.len() != channels * (peaks + delay) + followers * follower {
            return Err(too_short());
        }
        let mut values = body.iter().copied();
        for (index, channel) in self.channels.iter_mut().enumerate() {
            let peaks = channel.peaks.iter_mut().flat_map(LimiterPeaks::state_mut);
            for sample in peaks.chain(channel.delay.state_mut()) {
                *sample = values.next().unwrap_or(0.0) as f32;
            }
            if index < followers {
                channel.follower.restore(&mut values);
            }
        }
        Ok(())
    }

    fn reductions_db(&self) -> &[f32] {
        &self.reductions_db
    }
}

/// Turns required reductions into gains.
#[derive(Debug)]
struct Follower {
    greatest: Sliding,
    release: f64,
    held: f64,
    means: [Mean; 2],
}

impl Follower {
    fn new(lookahead: usize, true_peak: bool, release: f64) -> Self {
        // Consecutive means of `a` and `b` values cover `a + b - 1` values: the look-ahead and the present one.
        let second = lookahead / 2;
        Self {
            greatest: Sliding::new(lookahead + usize::from(true_peak)),
            release,
            held: 0.0,
            means: [Mean::new(lookahead - second), Mean::new(second)],
        }
    }

    fn run(&mut self, values: &mut [f32]) {
        self.greatest.run(values);
        // Pieces small enough for the L1 cache.
        for piece in values.chunks_mut(1024) {
            let [first, second] = &mut self.means;
            first.begin(piece.len());
            let steps = &mut first.values;
            let before = steps.len() - piece.len();
            Simd::best().dispatch(Released {
                values: piece,
                steps: &mut steps[before..],
                release: self.release,
                held: &mut self.held,
            });
            second.begin(piece.len());
            let before = second.values.len() - piece.len();
            first.run(&mut second.values[before..]);
            let scale = -1.0 / (STEPS * first.length() * second.length());
            second.run_to_gains(piece, scale);
        }
    }

    fn state(&self) -> Vec<f64> {
        let greatest = self.greatest.state().iter().map(|value| f64::from(*value));
        greatest.chain([self.held]).chain(self.means.iter().flat_map(|mean| mean.values.iter().copied())).collect()
    }

    fn state_length(&self) -> usize {
        self.greatest.state().len() + 1 + self.means.iter().map(|mean| mean.before).sum::<usize>()
    }

    fn restore(&mut self, values: &mut impl Iterator<Item = f64>) {
        let mut next = || values.next().unwrap_or(0.0);
        self.greatest.state_mut().iter_mut().for_each(|value| *value = next() as f32);
        self.held = next();
        for mean in &mut self.means {
            mean.values.iter_mut().for_each(|value| *value = next());
            mean.sum = mean.values.iter().sum();
        }
    }
}

/// A running sum of integers: the present one and `before` earlier ones.
#[derive(Debug)]
struct Mean {
    before: usize,
    /// Between blocks the last `before` numbers; within a block, those followed by the numbers of the block.
    values: Vec<f64>,
    /// The sum of the last `before` numbers.
    sum: f64,
}

impl Mean {
    fn new(before: usize) -> Self {
        Self { before, values: vec![0.0; before], sum: 0.0 }
    }

    fn length(&self) -> f64 {
        (self.before + 1) as f64
    }

    /// Makes room for `count` numbers.
    fn begin(&mut self, count: usize) {
        self.values.resize(self.before + count, 0.0);
    }

    /// Computes the running sums of the new numbers.
    fn run(&mut self, to: &mut [f64]) {
        let mut sum = self.sum;
        let fresh = &self.values[self.before..];
        for ((to, value), old) in to.iter_mut().zip(fresh).zip(&self.values) {
            sum += value;
            *to = sum;
            sum -= old;
        }
        self.sum = sum;
        self.end(to.len());
    }

    /// Like [`Mean::run`], but as gains: two to the power of `scale` times the sum.
    fn run_to_gains(&mut self, to: &mut [f32], scale: f64) {
        let mut sum = self.sum;
        let fresh = &self.values[self.before..];
        for ((to, value), old) in to.iter_mut().zip(fresh).zip(&self.values) {
            sum += value;
            *to = (sum * scale) as f32;
            sum -= old;
        }
        self.sum = sum;
        Simd::best().dispatch(Powers(to));
        self.end(to.len());
    }

    fn end(&mut self, count: usize) {
        self.values.copy_within(count.., 0);
        self.values.truncate(self.before);
    }
}

struct Numbers<'a>(&'a mut [f32]);

impl Task for Numbers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for x in self.0 {
            let magnitude = x.abs();
            *x = if magnitude <= f32::MAX { *x } else { 0.0 };
        }
    }
}

struct Reductions<'a> {
    values: &'a mut [f32],
    ceiling: f32,
}

impl Task for Reductions<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, ceiling } = self;
        let ceiling_octaves = log2(ceiling);
        for value in values {
            let peak = value.abs();
            let reduction = log2(if peak > ceiling { peak } else { ceiling }) - ceiling_octaves;
            *value = if peak > ceiling && reduction > NONE { reduction } else { NONE };
        }
    }
}

/// Releases a reduction exponentially, in whole steps.
struct Released<'a> {
    values: &'a [f32],
    steps: &'a mut [f64],
    release: f64,
    held: &'a mut f64,
}

impl Task for Released<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, steps, release, held } = self;
        let mut now = *held;
        for (step, value) in steps.iter_mut().zip(values) {
            let wanted = f64::from(*value);
            let falling = L::mul_add_one(release, now, (1.0 - release) * wanted);
            now = if falling > wanted { falling } else { wanted };
            // A thousandth of a step counts as 0, so that a faded reduction leaves the signal unchanged.
            *step = (now * STEPS - 1e-3).ceil().max(0.0);
        }
        *held = now;
    }
}

struct Powers<'a>(&'a mut [f32]);

impl Task for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for value in self.0 {
            // No finite f32 needs more reduction than this.
            *value = exp2(if *value > -126.0 { *value } else { -126.0 });
        }
    }
}

struct Apply<'a> {
    samples: &'a mut [f32],
    gains: &'a [f32],
    ceiling: f32,
}

impl Task for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { samples, gains, ceiling } = self;
        for (sample, gain) in samples.iter_mut().zip(gains) {
            let limited = *sample * gain;
            // Removes the last millionth, the error of logarithm and power.
            let limited = if limited > ceiling { ceiling } else { limited };
            *sample = if limited < -ceiling { -ceiling } else { limited };
        }
    }
}
