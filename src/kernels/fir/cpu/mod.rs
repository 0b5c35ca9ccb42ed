//! A filter at work on a stream that comes in blocks of any size.

mod direct;
mod pairs;
mod partitions;

use std::sync::Arc;

use rayon::prelude::*;

use super::gpu::FirAfter;
use super::plan::{FirPlan, Method};
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};
pub(super) use direct::Direct;
pub(super) use pairs::Pairs;
pub(super) use partitions::Partitions;
use partitions::Spectrum;

/// The least number of samples of a block that is divided among threads.
const WORTH_SHARING: usize = 1 << 14;

/// Frames that a thread takes at once where no transform says how many.
const STRETCH: usize = 4096;

/// What is smaller (-500 dB) is silence: below it f32 loses digits, and processors their speed.
const LEAST: f32 = 1e-25;

/// What a plan carries from block to block.
#[derive(Debug)]
pub struct FirStream {
    plan: Arc<FirPlan>,
    /// Of each channel, what came before the unit that is being gathered, as far as it is needed, and what came of it.
    lines: Vec<Vec<f32>>,
    /// Of each channel, what is to be given while the next unit is gathered.
    ready: Vec<Vec<f32>>,
    /// Of each channel, what was made last; kept for its memory.
    made: Vec<Vec<f32>>,
    /// Memory of spectra that nobody needs any more.
    spare: Vec<Spectrum>,
    /// Of each channel, spectra of the last blocks, the latest last.
    spectra: Vec<Vec<Arc<Spectrum>>>,
    /// The frame that comes in next.
    position: i64,
    /// Whether nothing was heard yet.
    silent: bool,
    /// Whether the spectra are those of an earlier place, as another device has gone on since.
    stale: bool,
}

impl FirStream {
    /// Of silence until the frame `position`.
    pub fn new(plan: Arc<FirPlan>, position: i64) -> Self {
        let channels = plan.channels();
        let ready = vec![vec![0.0; plan.shape.unit()]; channels];
        let mut stream = Self {
            plan,
            lines: vec![Vec::new(); channels],
            ready,
            made: vec![Vec::new(); channels],
            spare: Vec::new(),
            spectra: Vec::new(),
            position,
            silent: true,
            stale: false,
        };
        stream.forget(position);
        stream
    }

    /// The plan.
    pub fn plan(&self) -> &FirPlan {
        &self.plan
    }

    /// The frame that comes in next.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// Whether nothing but silence was heard yet.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Begins anew with silence before the frame `position`.
    pub fn forget(&mut self, position: i64) {
        self.position = position;
        self.silent = true;
        let held = self.held();
        for line in &mut self.lines {
            line.clear();
            line.resize(held, 0.0);
        }
        self.ready.iter_mut().for_each(|ready| ready.fill(0.0));
        self.stale = false;
        self.spectra.clear();
        if let Method::Partitions(partitions) = &self.plan.method {
            let silence = Arc::new(partitions.silence());
            self.spectra = vec![vec![silence; partitions.count()]; self.plan.channels()];
        }
    }

    /// Samples of a line.
    fn held(&self) -> usize {
        self.plan.shape.before() + self.phase()
    }

    /// Samples of a line when so many more frames have come.
    pub(super) fn held_after(&self, frames: usize) -> usize {
        let unit = self.plan.shape.unit();
        self.plan.shape.before() + (self.phase() + frames).checked_rem(unit).unwrap_or(0)
    }

    /// Of each channel, what is carried of the frames that came in.
    pub(super) fn lines(&self) -> &[Vec<f32>] {
        &self.lines
    }

    /// Of each channel, what is to be given while the next unit is gathered.
    pub(super) fn ready(&self) -> &[Vec<f32>] {
        &self.ready
    }

    /// Goes to where a GPU has filtered the next frames.
    pub fn take_up(&mut self, FirAfter { frames, tail, ready }: &FirAfter) {
        let frames = *frames;
        let held = self.held_after(frames);
        for (line, tail) in self.lines.iter_mut().zip(tail) {
            self.silent &= tail.iter().all(|sample| *sample == 0.0);
            line.extend(tail.iter().map(|sample| sound(*sample)));
            line.drain(..line.len() - held);
        }
        if let Some(ready) = ready {
            for (to, from) in self.ready.iter_mut().zip(ready.chunks_exact(self.plan.shape.unit())) {
                to.copy_from_slice(from);
            }
        }
        self.silent &= self.ready.iter().flatten().all(|sample| *sample == 0.0);
        self.position += frames as i64;
        self.stale = true;
    }

    /// Frames of the unit that is being gathered.
    pub(super) fn phase(&self) -> usize {
        let unit = self.plan.shape.unit() as i64;
        if unit == 0 { 0 } else { self.position.rem_euclid(unit) as usize }
    }

    /// Filters a block in place; what comes out lags by [`super::Strategy::unit`] frames. Samples that are no numbers, and
    /// those below -500 dB, are taken as silence.
    ///
    /// # Errors
    /// [`Error::Internal`] for a block of other channels, and when a transform fails.
    pub fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        if block.channels() != self.plan.channels() {
            return Err(Error::Internal("a filter was given other channels than it was planned for".into()));
        }
        if self.stale {
            self.remember()?;
        }
        let frames = block.frames();
        let phase = self.phase();
        for (line, samples) in self.lines.iter_mut().zip(block.iter()) {
            line.extend(samples.iter().map(|&sample| sound(sample)));
        }
        self.silent &= self.lines.iter().all(|line| line[line.len() - frames..].iter().all(|sample| *sample == 0.0));
        let unit = self.plan.shape.unit();
        self.position += frames as i64;
        if unit == 0 {
            self.direct(block);
            self.drop_front(frames);
            return Ok(());
        }
        let units = (phase + frames) / unit;
        self.units(units)?;
        for (channel, (ready, made)) in self.ready.iter_mut().zip(&self.made).enumerate() {
            let to = block.channel_mut(channel);
            let first = (unit - phase).min(frames);
            to[..first].copy_from_slice(&ready[phase..phase + first]);
            to[first..].copy_from_slice(&made[..frames - first]);
            if units > 0 {
                ready.copy_from_slice(&made[(units - 1) * unit..]);
            }
        }
        self.drop_front(units * unit);
        Ok(())
    }

    fn drop_front(&mut self, frames: usize) {
        for line in &mut self.lines {
            line.drain(..frames);
        }
    }

    fn direct(&self, block: &mut AudioBuffer) {
        let (Method::Direct(direct), before) = (&self.plan.method, self.plan.shape.before()) else { return };
        let shared = block.frames() * block.channels() >= WORTH_SHARING;
        for (to, routes) in block.iter_mut().zip(&self.plan.routes) {
            let fill = |(number, to): (usize, &mut [f32])| {
                to.fill(0.0);
                for route in routes {
                    let from = number * STRETCH;
                    direct.add(route.filter, &self.lines[route.input][from..from + before + to.len()], to);
                }
            };
            if shared {
                to.par_chunks_mut(STRETCH).enumerate().for_each(fill);
            } else {
                to.chunks_mut(STRETCH).enumerate().for_each(fill);
            }
        }
    }

    /// Makes what comes of the next units.
    fn units(&mut self, units: usize) -> Result<()> {
        if units == 0 {
            return Ok(());
        }
        let (unit, before) = (self.plan.shape.unit(), self.plan.shape.before());
        if let Method::Partitions(_) = &self.plan.method {
            self.transform(units)?;
        }
        for made in &mut self.made {
            made.resize(units * unit, 0.0);
        }
        let mut work: Vec<(usize, usize, &mut [f32])> = self
            .made
            .iter_mut()
            .enumerate()
            .flat_map(|(channel, made)| {
                made.chunks_mut(unit).enumerate().map(move |(number, to)| (channel, number, to))
            })
            .collect();
        let routes = &self.plan.routes;
        let shared = units * unit * routes.len() >= WORTH_SHARING;
        match &self.plan.method {
            Method::Direct(_) => {}
            Method::Pairs(pairs) => {
                let fill = |buffers: &mut _, (channel, number, to): &mut (usize, usize, &mut [f32])| {
                    let from = *number * unit;
                    let lines: Vec<&[f32]> = self.lines.iter().map(|line| &line[from..from + before + unit]).collect();
                    pairs.fill(buffers, &routes[*channel], &lines, to);
                };
                if shared {
                    work.par_iter_mut().for_each_init(|| pairs.workspace(), fill);
                } else {
                    let mut buffers = pairs.workspace();
                    work.iter_mut().for_each(|work| fill(&mut buffers, work));
                }
            }
            Method::Partitions(partitions) => {
                let count = partitions.count();
                let fill = |buffers: &mut _, (channel, number, to): &mut (usize, usize, &mut [f32])| {
                    let inputs: Vec<&[Arc<Spectrum>]> =
                        self.spectra.iter().map(|spectra| &spectra[*number + 1..*number + 1 + count]).collect();
                    partitions.fill(buffers, &routes[*channel], &inputs, to)
                };
                if shared {
                    work.par_iter_mut().try_for_each_init(|| partitions.workspace(), fill)?;
                } else {
                    let mut buffers = partitions.workspace();
                    work.iter_mut().try_for_each(|work| fill(&mut buffers, work))?;
                }
                for spectra in &mut self.spectra {
                    self.spare.extend(spectra.drain(..units).filter_map(|spectrum| Arc::try_unwrap(spectrum).ok()));
                }
            }
        }
        Ok(())
    }

    /// Appends the spectra of the next units.
    fn transform(&mut self, units: usize) -> Result<()> {
        let Method::Partitions(partitions) = &self.plan.method else { return Ok(()) };
        let (unit, before) = (self.plan.shape.unit(), self.plan.shape.before());
        for (line, spectra) in self.lines.iter().zip(&mut self.spectra) {
            let of = |buffers: &mut _, (number, mut memory): (usize, Spectrum)| {
                let from = before + number * unit - unit;
                partitions.spectrum(buffers, &line[from..from + 2 * unit], &mut memory).map(|()| Arc::new(memory))
            };
            let memory: Vec<Spectrum> = (0..units).map(|_| self.spare.pop().unwrap_or_default()).collect();
            let made: Result<Vec<_>> = memory
                .into_par_iter()
                .enumerate()
                .map_init(|| partitions.workspace(), |buffers, work| of(buffers, work))
                .collect();
            spectra.extend(made?);
        }
        Ok(())
    }

    /// What carries: the shape, the position, then the lines, then what is ready, channel by channel.
    pub fn state(&self) -> Vec<f64> {
        let head = [self.lines.len() as f64, self.plan.shape.before() as f64, self.plan.shape.unit() as f64];
        let samples = self.lines.iter().chain(&self.ready).flatten().map(|sample| f64::from(*sample));
        head.into_iter().chain([self.position as f64]).chain(samples).collect()
    }

    /// Takes up what [`FirStream::state`] gave.
    ///
    /// # Errors
    /// [`Error::Internal`] for the state of a filter of another shape.
    pub fn restore(&mut self, state: &[f64]) -> Result<()> {
        let refused = || Error::Internal("a filter was given the state of another one".into());
        let (unit, before) = (self.plan.shape.unit(), self.plan.shape.before());
        let head = [self.lines.len() as f64, before as f64, unit as f64];
        let (position, samples) =
            state.strip_prefix(head.as_slice()).and_then(<[f64]>::split_first).ok_or_else(refused)?;
        let was = self.position;
        self.position = *position as i64;
        let held = self.held();
        if samples.len() != self.lines.len() * (held + unit) {
            self.position = was;
            return Err(refused());
        }
        let mut samples = samples.iter().map(|sample| *sample as f32);
        for line in &mut self.lines {
            line.clear();
            line.extend(samples.by_ref().take(held));
        }
        for ready in &mut self.ready {
            ready.clear();
            ready.extend(samples.by_ref().take(unit));
        }
        self.silent = self.lines.iter().chain(&self.ready).flatten().all(|sample| *sample == 0.0);
        self.remember()
    }

    /// Makes the spectra of the blocks before the one that is being gathered.
    fn remember(&mut self) -> Result<()> {
        self.stale = false;
        let Method::Partitions(partitions) = &self.plan.method else { return Ok(()) };
        let unit = self.plan.shape.unit();
        let count = partitions.count();
        let silence = Arc::new(partitions.silence());
        let mut buffers = partitions.workspace();
        self.spectra.clear();
        for line in &self.lines {
            // The earliest is that of the block that leaves with the next one: nobody asks for it again.
            let mut spectra = vec![Arc::clone(&silence)];
            for number in 1..count {
                let blocks = &line[(number - 1) * unit..(number + 1) * unit];
                let quiet = blocks.iter().all(|sample| *sample == 0.0);
                spectra.push(if quiet {
                    Arc::clone(&silence)
                } else {
                    let mut spectrum = Spectrum::new();
                    partitions.spectrum(&mut buffers, blocks, &mut spectrum)?;
                    Arc::new(spectrum)
                });
            }
            self.spectra.push(spectra);
        }
        Ok(())
    }
}

/// A sample as it is heard: what is no number, or too soft, as silence.
fn sound(sample: f32) -> f32 {
    // A comparison that a NaN fails.
    if sample.abs() >= LEAST && sample.abs() <= f32::MAX { sample } else { 0.0 }
}
