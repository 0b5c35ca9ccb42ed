//! The process of dynamics effects: detector, static curve, link, smoothing, gain.
//!
//! ```text
//! samples -> (filter) -> level -> (hold) -> static curve -> link -> smoothing -> gain
//!        \-> (delay by the look-ahead) ---------------------------------------> x -> samples
//! ```
//!
//! Each step is a loop over the block. Channels run in parallel if there is enough work. Only the smoothing is not
//! vectorised: it is a recursion of about eight cycles per frame, which linked channels share. The bits of every step
//! are independent of where a block is cut, except with a filter in front of the detector, whose rounding differs by
//! 1e-15.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::approximate::{DB_PER_OCTAVE, exp2};
use super::delay::FixedDelay;
use super::detector::{Detector, Filter, Sense, too_short};
use super::knee::Knee;
use super::smoothing::{Branching, Decoupled, Gating, Memory, smooth};
use crate::{METER_FRAMES, Process};
use audio::AudioBuffer;
use base::error::Result;
use base::simd::{Lanes, Simd, Task};
use dsp::design::Section;

/// The number of samples in a block below which more threads cost more than they gain.
pub(super) const WORTH_SHARING: usize = 1 << 14;

/// Maps levels to gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Reduces loud levels. `attack` and `release` are smoothing coefficients.
    Compress { knee: Knee, attack: f64, release: f64 },
    /// Reduces soft levels.
    Expand { knee: Knee, attack: f64, release: f64 },
    /// Passes or blocks. `opens` and `closes` are levels in the detector's measure.
    Gate { opens: f32, closes: f32, floor: f64, attack: f64, release: f64 },
}

impl Law {
    /// Returns whether linking takes the larger of the channels' values.
    fn links_upwards(self) -> bool {
        !matches!(self, Self::Expand { .. })
    }

    fn prepare(self, levels: &mut [f32], squared: bool) {
        match self {
            Self::Compress { knee, .. } | Self::Expand { knee, .. } => knee.reduce(levels, squared),
            Self::Gate { .. } => {}
        }
    }

    /// Turns prepared values into gains.
    fn follow(self, values: &mut [f32], memory: &mut Memory) {
        match self {
            Self::Compress { attack, release, .. } => {
                smooth(Decoupled { values, memory, attack, release });
                Simd::best().dispatch(GainsOfReductions(values));
            }
            Self::Expand { attack, release, .. } => {
                smooth(Branching { values, memory, rising: release, falling: attack });
                Simd::best().dispatch(GainsOfReductions(values));
            }
            Self::Gate { opens, closes, floor, attack, release } => {
                smooth(Gating { values, memory, opens, closes, floor, attack, release });
            }
        }
    }
}

/// The settings of a dynamics effect.
#[derive(Debug)]
pub(super) struct Setup {
    pub law: Law,
    pub sense: Sense,
    pub hold_frames: usize,
    pub lookahead_frames: usize,
    /// The filter in front of the detector.
    pub filter: Vec<Section>,
    /// The filter of the remaining band, if only the band that the detector hears is processed. Its output is added
    /// unchanged.
    pub rest: Option<Vec<Section>>,
    /// 0 for independent channels, 1 for one common gain.
    pub link: f32,
    pub makeup: f32,
}

/// The state of one channel.
#[derive(Debug)]
struct Channel {
    detector: Detector,
    memory: Memory,
    delay: FixedDelay,
    /// Levels, then reductions, then gains.
    values: Vec<f32>,
}

/// The dynamics process.
#[derive(Debug)]
pub(super) struct Dynamics {
    law: Law,
    link: f32,
    makeup: f32,
    filter: Filter,
    rest: Option<Filter>,
    channels: Vec<Channel>,
    heard: AudioBuffer,
    below: AudioBuffer,
    shared: Vec<f32>,
    reductions_db: Vec<f32>,
}

impl Dynamics {
    pub fn new(setup: Setup, channels: usize) -> Self {
        let Setup { law, sense, hold_frames, lookahead_frames, filter, rest, link, makeup } = setup;
        let one = || Channel {
            detector: Detector::new(sense, hold_frames),
            memory: [0.0; 2],
            delay: FixedDelay::new(lookahead_frames),
            values: Vec::new(),
        };
        Self {
            law,
            link: if channels > 1 { link } else { 0.0 },
            makeup,
            filter: Filter::new(&filter, channels),
            rest: rest.map(|sections| Filter::new(&sections, channels)),
            channels: (0..channels).map(|_| one()).collect(),
            heard: AudioBuffer::default(),
            below: AudioBuffer::default(),
            shared: Vec::new(),
            reductions_db: Vec::new(),
        }
    }

    /// Combines the values of the channels as far as they are linked.
    fn share(&mut self) {
        let Some((first, others)) = self.channels.split_first() else { return };
        self.shared.clone_from(&first.values);
        for other in others {
            let upwards = self.law.links_upwards();
            Simd::best().dispatch(Outermost { values: &mut self.shared, other: &other.values, upwards });
        }
        if self.link < 1.0 {
            for channel in &mut self.channels {
                blend(&mut channel.values, &self.shared, self.link);
            }
        }
    }

    fn shape(&self) -> [f64; 4] {
        let (detector, delay) = self
            .channels
            .first()
            .map_or((0, 0), |channel| (channel.detector.state_length(), channel.delay.state().len()));
        let filters = self.filter.state().count() + self.rest.iter().map(|rest| rest.state().count()).sum::<usize>();
        [self.channels.len() as f64, detector as f64, delay as f64, filters as f64]
    }
}

/// Calls `each` with every channel and its samples, in parallel if `parallel` is set.
fn for_each<S: Sync + Send>(
    parallel: bool,
    channels: &mut [Channel],
    samples: impl IntoParallelIterator<Item = S, Iter: IndexedParallelIterator> + IntoIterator<Item = S>,
    each: impl Fn(&mut Channel, S) + Sync + Send,
) {
    if parallel {
        channels.par_iter_mut().zip(samples).for_each(|(channel, samples)| each(channel, samples));
    } else {
        channels.iter_mut().zip(samples).for_each(|(channel, samples)| each(channel, samples));
    }
}

impl Process for Dynamics {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let frames = block.frames();
        let parallel = self.channels.len() > 1
            && frames * self.channels.len() >= WORTH_SHARING
            && rayon::current_num_threads() > 1;
        let filtered = !self.filter.is_empty();
        if filtered {
            self.filter.run(block, &mut self.heard)?;
        }
        let law = self.law;
        let linked = self.link >= 1.0;
        let alone = self.link <= 0.0;
        let heard = if filtered { self.heard.as_mut_vecs() } else { block.as_mut_vecs() };
        for_each(parallel, &mut self.channels, &mut heard[..], |channel: &mut Channel, samples: &mut Vec<f32>| {
            channel.detector.run(samples, &mut channel.values);
            law.prepare(&mut channel.values, channel.detector.squared());
            if alone {
                law.follow(&mut channel.values, &mut channel.memory);
            }
        });
        if !alone {
            self.share();
        }
        if linked && let Some(first) = self.channels.first_mut() {
            law.follow(&mut self.shared, &mut first.memory);
            let memory = first.memory;
            self.channels.iter_mut().for_each(|channel| channel.memory = memory);
        } else if !alone {
            for_each(parallel, &mut self.channels, vec![(); block.channels()], |channel: &mut Channel, ()| {
                law.follow(&mut channel.values, &mut channel.memory);
            });
        }
        self.reductions_db.clear();
        self.reductions_db.resize(frames.div_ceil(METER_FRAMES), 0.0);
        let gains = if linked { std::slice::from_ref(&self.shared) } else { &[] };
        for gains in gains.iter().chain(self.channels.iter().map(|channel| &channel.values).filter(|_| !linked)) {
            meter(gains, &mut self.reductions_db);
        }
        let (makeup, shared) = (self.makeup, self.shared.as_slice());
        if let Some(rest) = &mut self.rest {
            rest.run(block, &mut self.below)?;
            std::mem::swap(block, &mut self.heard);
        }
        for_each(parallel, &mut self.channels, block.as_mut_vecs(), |channel: &mut Channel, samples: &mut Vec<f32>| {
            channel.delay.run(samples);
            let gains = if linked { shared } else { &channel.values };
            Simd::best().dispatch(Apply { samples, gains, makeup });
        });
        if self.rest.is_some() {
            for (samples, below) in block.iter_mut().zip(self.below.iter()) {
                dsp::kernels::signal::mix::mix(below, 1.0, samples, 1.0);
            }
        }
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        let filters = self.filter.state().chain(self.rest.iter().flat_map(Filter::state));
        let channels = self.channels.iter().flat_map(|channel| {
            let waiting = channel.delay.state().iter().map(|sample| f64::from(*sample));
            channel.detector.state().chain(channel.memory).chain(waiting)
        });
        self.shape().into_iter().chain(filters).chain(channels).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let shape = self.shape();
        let body = state.strip_prefix(shape.as_slice()).ok_or_else(too_short)?;
        let [channels, detector, delay, filters] = shape.map(|count| count as usize);
        if body.len() != filters + channels * (detector + 2 + delay) {
            return Err(too_short());
        }
        let mut values = body.iter().copied();
        let mut next = || values.next().unwrap_or(0.0);
        self.filter.state_mut().for_each(|value| *value = next());
        self.rest.iter_mut().flat_map(Filter::state_mut).for_each(|value| *value = next());
        for channel in &mut self.channels {
            channel.detector.restore(&mut values)?;
            for value in &mut channel.memory {
                *value = values.next().unwrap_or(0.0);
            }
            for sample in channel.delay.state_mut() {
                *sample = values.next().unwrap_or(0.0) as f32;
            }
        }
        Ok(())
    }

    fn reductions_db(&self) -> &[f32] {
        &self.reductions_db
    }
}

/// Raises `reductions_db` to the reductions of these gains, piece by piece.
pub(super) fn meter(gains: &[f32], reductions_db: &mut [f32]) {
    for (reduction, piece) in reductions_db.iter_mut().zip(gains.chunks(METER_FRAMES)) {
        let least = Simd::best().dispatch(Least(piece));
        // 1e-30 is -600 dB, practically silence.
        let here = -20.0 * least.clamp(1e-30, 1.0).log10();
        *reduction = reduction.max(here + 0.0);
    }
}

struct Least<'a>(&'a [f32]);

impl Task for Least<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        // Positive floats have the same order as their bits.
        f32::from_bits(self.0.iter().fold(1f32.to_bits(), |least, gain| least.min(gain.to_bits())))
    }
}

struct GainsOfReductions<'a>(&'a mut [f32]);

impl Task for GainsOfReductions<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        const OCTAVES_PER_DB: f32 = (-1.0 / DB_PER_OCTAVE) as f32;
        for value in self.0 {
            *value = exp2(OCTAVES_PER_DB * *value);
        }
    }
}

/// Replaces values by the larger, or the smaller, of two.
pub(super) struct Outermost<'a> {
    pub values: &'a mut [f32],
    pub other: &'a [f32],
    pub upwards: bool,
}

impl Task for Outermost<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, other, upwards } = self;
        for (value, other) in values.iter_mut().zip(other) {
            let (low, high) = if *other > *value { (*value, *other) } else { (*other, *value) };
            *value = if upwards { high } else { low };
        }
    }
}

/// Moves values by `share` of the way towards the values shared by all channels.
pub(super) fn blend(values: &mut [f32], shared: &[f32], share: f32) {
    Simd::best().dispatch(Blend { values, shared, share });
}

struct Blend<'a> {
    values: &'a mut [f32],
    shared: &'a [f32],
    share: f32,
}

impl Task for Blend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, shared, share } = self;
        for (value, shared) in values.iter_mut().zip(shared) {
            *value += share * (*shared - *value);
        }
    }
}

struct Apply<'a> {
    samples: &'a mut [f32],
    gains: &'a [f32],
    makeup: f32,
}

impl Task for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { samples, gains, makeup } = self;
        for (sample, gain) in samples.iter_mut().zip(gains) {
            *sample *= gain * makeup;
        }
    }
}
