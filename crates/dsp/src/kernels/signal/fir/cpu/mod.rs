//! Filters a stream that arrives in blocks of any size.

mod direct;
mod pairs;
mod partitions;

use std::sync::Arc;

use rayon::prelude::*;

use super::gpu::FirAfter;
use super::plan::{FirPlan, Method};
use base::error::{Error, Result};
use base::sound::AudioBuffer;
pub(super) use direct::Direct;
pub(super) use pairs::Pairs;
pub(super) use partitions::Partitions;
use partitions::Spectrum;

/// The minimum number of samples in a block that is divided among threads.
const WORTH_SHARING: usize = 1 << 14;

/// The number of frames that a thread sums at a time with the direct method.
const STRETCH: usize = 4096;

/// The lowest magnitude (-500 dB) that is not silence. Products of smaller values become denormal, which costs digits
/// and speed.
const LEAST: f32 = 1e-25;

/// The state of a filter from block to block.
#[derive(Debug)]
pub struct FirStream {
    plan: Arc<FirPlan>,
    /// For each channel, [`Strategy::before`](super::Strategy::before) input frames before the unfinished unit, then
    /// the frames of that unit so far.
    lines: Vec<Vec<f32>>,
    /// For each channel, the output of the last finished unit, which is due while the next unit fills.
    ready: Vec<Vec<f32>>,
    /// For each channel, the output of the last call, kept to reuse its memory.
    made: Vec<Vec<f32>>,
    /// Memory of unused spectra.
    spare: Vec<Spectrum>,
    /// For each channel, the spectra of the last blocks, the latest last.
    spectra: Vec<Vec<Arc<Spectrum>>>,
    /// The position of the next input frame.
    position: i64,
    /// Whether all frames so far were silent.
    silent: bool,
    /// Whether the spectra are out of date because another device has filtered frames since.
    stale: bool,
}

impl FirStream {
    /// Creates a stream that begins at frame `position`, with silence before it.
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

    /// Returns the plan.
    pub fn plan(&self) -> &FirPlan {
        &self.plan
    }

    /// Returns the position of the next input frame.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// Returns whether all frames so far were silent.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Restarts at frame `position`, with silence before it.
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

    /// Returns the number of samples of a line.
    fn held(&self) -> usize {
        self.plan.shape.before() + self.phase()
    }

    /// Returns the number of samples of a line after `frames` more frames.
    pub(super) fn held_after(&self, frames: usize) -> usize {
        self.plan.shape.before() + self.phase_after(frames)
    }

    /// Returns the number of frames of the unfinished unit after `frames` more frames.
    pub(super) fn phase_after(&self, frames: usize) -> usize {
        (self.phase() + frames).checked_rem(self.plan.shape.unit()).unwrap_or(0)
    }

    /// Returns the input frames that each channel carries on.
    pub(super) fn lines(&self) -> &[Vec<f32>] {
        &self.lines
    }

    /// Returns the output of each channel that is due while the unfinished unit fills.
    pub(super) fn ready(&self) -> &[Vec<f32>] {
        &self.ready
    }

    /// Moves past frames that a GPU has filtered.
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

    /// Returns the number of frames of the unfinished unit.
    pub(super) fn phase(&self) -> usize {
        let unit = self.plan.shape.unit() as i64;
        if unit == 0 { 0 } else { self.position.rem_euclid(unit) as usize }
    }

    /// Filters a block in place. The output lags the input by [`super::Strategy::unit`] frames. Samples that are not
    /// finite or below -500 dB count as silence.
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

    /// Computes the output of the next `units` units.
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

    /// Appends the spectra of the next `units` units.
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

    /// Returns the state: the shape, the position, then the lines and the ready output, channel by channel.
    pub fn state(&self) -> Vec<f64> {
        let head = [self.lines.len() as f64, self.plan.shape.before() as f64, self.plan.shape.unit() as f64];
        let samples = self.lines.iter().chain(&self.ready).flatten().map(|sample| f64::from(*sample));
        head.into_iter().chain([self.position as f64]).chain(samples).collect()
    }

    /// Restores a state that [`FirStream::state`] returned.
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

    /// Computes the spectra of the blocks before the unfinished one.
    fn remember(&mut self) -> Result<()> {
        self.stale = false;
        let Method::Partitions(partitions) = &self.plan.method else { return Ok(()) };
        let unit = self.plan.shape.unit();
        let count = partitions.count();
        let silence = Arc::new(partitions.silence());
        let mut buffers = partitions.workspace();
        self.spectra.clear();
        for line in &self.lines {
            // The first spectrum is never read: it leaves when the next block is added.
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

/// Returns the sample, or 0 if it is not finite or below [`LEAST`].
fn sound(sample: f32) -> f32 {
    // `NaN` fails the comparison.
    if sample.abs() >= LEAST && sample.abs() <= f32::MAX { sample } else { 0.0 }
}
