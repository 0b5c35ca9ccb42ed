//! Runs the steps of a plan on a GPU, as one recording an item; and on the CPU where that fails.

use std::collections::HashMap;

use super::places::{Home, Place};
use super::plan::{Plan, Prepared, Step, activation_of, norm_of, size};
use super::steps::edge;
use super::{Item, Session};
use crate::network::{Activation, Left, Lstm, Operation, Parameter, Right, Shape};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::device::{DeviceJob, DeviceRequest, Devices, NetworkWork, RunPurpose, Workload};
use dsp::gpu::{Finished, ReadbackId, Recording, SubmissionBatcher};
use dsp::kernels::network::block::Block;
use dsp::kernels::network::pointwise::{self, Pointwise};
use dsp::kernels::network::{attention, convolution, extend, lookup, lstm, nearest, norm};

impl Session {
    /// Chooses a device for runs of this session, following the request. If a GPU cannot run it, the job's report says
    /// why the CPU does. `auto` predicts from the measured rates of products; `runs` is the number of runs to come, if
    /// known: a few are not worth opening a GPU.
    pub fn job(
        &self,
        request: &DeviceRequest,
        devices: &Devices,
        purpose: RunPurpose,
        runs: Option<u64>,
    ) -> Result<DeviceJob<()>> {
        let input: usize = self.plan.inputs.iter().map(|(_, shape)| shape.len()).sum();
        let output: usize = self.plan.outputs.iter().map(|place| place.count).sum();
        let network = NetworkWork {
            operations: 2.0 * self.products() as f64,
            dispatches: self.plan.dispatches() as f64,
            upload_bytes: 4.0 * input as f64,
            readback_bytes: 4.0 * output as f64,
        };
        let work = Workload { channels: 1, frames: runs, network: Some(network), ..Workload::default() };
        DeviceJob::new(work, |work| devices.choose_for(request, work, purpose, false), devices, || self.check_gpu())
    }

    /// Runs the network on items on the device of a job: see [`Session::run`]. After a lack of memory or the second loss
    /// of a GPU, these items and all later ones of the job run on the CPU, and its report says so.
    pub fn run_on(&self, job: &mut DeviceJob<()>, items: &mut [Item<'_>], progress: &Progress) -> Result<()> {
        let given: &[Item<'_>] = items;
        // The CPU works directly on the items.
        let done = job.run(|(), batcher| self.on_gpu(batcher, given, progress).map(Some), || Ok(None))?;
        let Some(done) = done else { return self.run(items, progress) };
        for (item, mut done) in items.iter_mut().zip(done) {
            item.outputs = std::mem::take(&mut done.outputs);
            done.commit(item);
        }
        Ok(())
    }

    /// Runs the network on items on a GPU, without another device to fall back to, and returns what the GPU did.
    ///
    /// # Errors
    /// [`Error::Unsupported`] or [`Error::Limit`] if a GPU cannot run the graph.
    pub fn run_on_gpu(
        &self,
        batcher: &SubmissionBatcher,
        items: &mut [Item<'_>],
        progress: &Progress,
    ) -> Result<Finished> {
        let done = self.on_gpu(batcher, items, progress)?;
        let mut finished = Finished::default();
        for (item, mut done) in items.iter_mut().zip(done) {
            item.outputs = std::mem::take(&mut done.outputs);
            finished += std::mem::take(&mut done.finished);
            done.commit(item);
        }
        Ok(finished)
    }

    /// Says whether a GPU can run the graph, by recording it.
    ///
    /// # Errors
    /// [`Error::Unsupported`] or [`Error::Limit`] with the reason.
    pub fn check_gpu(&self) -> Result<()> {
        let inputs: Vec<Vec<f32>> = self.plan.inputs.iter().map(|(_, shape)| vec![0.0; shape.len()]).collect();
        let mut state = crate::network::State::new();
        let item = Item::new(inputs.iter().map(Vec::as_slice).collect(), &mut state);
        record(&self.plan, &item).map(|_| ())
    }

    fn on_gpu(&self, batcher: &SubmissionBatcher, items: &[Item<'_>], progress: &Progress) -> Result<Vec<RunResults>> {
        items
            .iter()
            .map(|item| {
                self.check(item)?;
                let mut recorded = record(&self.plan, item)?;
                let mut bytes: HashMap<ReadbackId, Vec<f32>> = HashMap::new();
                // Each result arrives in one piece.
                let mut sink = |ticket: ReadbackId, part: &[u8]| {
                    let copy = match bytemuck::try_cast_slice(part) {
                        Ok(part) => self.copied(part),
                        Err(_) => bytemuck::pod_collect_to_vec(part),
                    };
                    bytes.insert(ticket, copy);
                };
                let finished = batcher.execute(&recorded.recording, Some(progress), &mut sink)?;
                let mut read =
                    |ticket: &Option<ReadbackId>| ticket.and_then(|ticket| bytes.remove(&ticket)).unwrap_or_default();
                Ok(RunResults {
                    finished,
                    outputs: recorded.outputs.iter().map(&mut read).collect(),
                    values: recorded
                        .kept
                        .iter()
                        .map(|(name, shape, ticket)| (name.clone(), *shape, read(ticket)))
                        .collect(),
                    taken: std::mem::take(&mut recorded.taken),
                })
            })
            .collect()
    }
}

/// The results of a run.
struct RunResults {
    finished: Finished,
    outputs: Vec<Vec<f32>>,
    values: Vec<(String, Shape, Vec<f32>)>,
    taken: Vec<(String, usize)>,
}

impl RunResults {
    fn commit(self, item: &mut Item<'_>) {
        for (name, shape, values) in self.values {
            item.state.set(&name, shape, values);
        }
        for (name, frames) in self.taken {
            item.state.advance(&name, frames as u64);
        }
    }
}

/// A run as GPU work.
struct Recorded<'a> {
    recording: Recording<'a>,
    outputs: Vec<Option<ReadbackId>>,
    kept: Vec<(String, Shape, Option<ReadbackId>)>,
    taken: Vec<(String, usize)>,
}

/// The recording of a run in the making.
struct Recorder<'a> {
    plan: &'a Plan,
    item: &'a Item<'a>,
    recording: Recording<'a>,
    inputs: Vec<Block>,
    slots: Vec<Option<Block>>,
    /// Whether each slot has row numbers of a book, as returned by the search.
    codes: Vec<bool>,
    kept: Vec<(String, Shape, Block)>,
    taken: Vec<(String, usize)>,
}

fn record<'a>(plan: &'a Plan, item: &'a Item<'a>) -> Result<Recorded<'a>> {
    let mut recording = Recording::new();
    let inputs = item.inputs.iter().map(|input| Block::upload(&mut recording, input)).collect::<Result<_>>()?;
    let slots = vec![None; plan.sizes.len()];
    let codes = vec![false; plan.sizes.len()];
    let mut recorder = Recorder { plan, item, recording, inputs, slots, codes, kept: Vec::new(), taken: Vec::new() };
    for step in &plan.steps {
        let block = recorder.step(step)?;
        if let Home::Slot(slot) = step.output.home {
            recorder.slots[slot] = Some(block);
            recorder.codes[slot] = matches!(step.fused.operation, Operation::Nearest { .. });
        }
    }
    recorder.finish()
}

impl<'a> Recorder<'a> {
    fn block(&self, place: Place) -> Result<Block> {
        let block = match place.home {
            Home::Input(n) => self.inputs.get(n).copied(),
            Home::Slot(slot) => self.slots[slot],
        };
        block.map(|block| block.from(place.first)).ok_or_else(|| Error::Internal("a value without a block".into()))
    }

    fn number(&self, parameter: Parameter) -> &'a [f32] {
        self.plan.constants.parameters().values(parameter)
    }

    /// Returns the state's values under a name, on the device.
    fn remembered(&mut self, name: &str, shape: Shape) -> Result<Block> {
        if let Some((_, kept, block)) = self.kept.iter().rev().find(|(key, ..)| key == name)
            && *kept == shape
        {
            return Ok(*block);
        }
        let block = Block::new(&mut self.recording, shape.len())?;
        let values = self.item.state.get(name, shape);
        self.recording.upload(block.view, bytemuck::cast_slice(&values).to_vec());
        Ok(block)
    }

    fn take(&mut self, sequence: Option<&String>, frames: usize) {
        if let Some(name) = sequence.filter(|name| self.taken.iter().all(|(known, _)| known != *name)) {
            self.taken.push((name.clone(), frames));
        }
    }

    fn step(&mut self, step: &'a Step) -> Result<Block> {
        let x = step.inputs.first().map_or_else(|| Err(Error::Internal("no input".into())), |&x| self.block(x))?;
        let device = &self.plan.constants.device;
        let activation = step.fused.activation.map(|of| activation_of(of, |parameter| self.number(parameter)));
        let alpha = |of: Option<Activation>| match of {
            Some(Activation::Snake(alpha)) => Some(alpha),
            _ => None,
        };
        let (plane, count) = (step.from.rows * step.from.frames, step.output.count);
        match (&step.fused.operation, &step.prepared) {
            (operation, Prepared::Product { plan, bias, .. }) => {
                let (weights, kind) = match operation {
                    Operation::Convolution(of) => (of.weights, plan.kind()),
                    Operation::TransposedConvolution(of) => (of.weights, plan.kind()),
                    _ => return Err(Error::Internal("a product without weights".into())),
                };
                let constants = &self.plan.constants;
                let weights = device.weights(constants.parameters(), weights, kind, plan.groups());
                let of = [*bias, alpha(step.fused.activation), step.fused.gains];
                let numbers = device.numbers(constants.parameters(), of);
                let residual = if step.fused.residual { Some(self.block(step.inputs[1])?) } else { None };
                convolution::gpu::record(&mut self.recording, plan, &weights, &numbers, activation, x, residual)
            }
            (Operation::Attention(of), Prepared::Attention(plan)) => {
                let first = of.sequence.as_ref().map(|name| self.item.state.position(name));
                self.take(of.sequence.as_ref(), step.shape.frames);
                let blocks = [x, self.block(step.inputs[1])?, self.block(step.inputs[2])?];
                let falls = of.distances.then(|| self.block(step.inputs[3])).transpose()?;
                attention::gpu::record(&mut self.recording, plan, plan.sight(first), blocks, falls)
            }
            (Operation::Lstm(of), Prepared::Layer(layer)) => self.lstm(step, of, layer, x),
            (Operation::Rotary(of), _) => {
                let first = of.sequence.as_ref().map_or(0, |name| self.item.state.position(name));
                self.take(of.sequence.as_ref(), step.shape.frames);
                let (channels, frames) = (step.shape.channels, step.shape.frames);
                let [mut all, sines] = attention::rotary::angles(channels / of.heads, frames, of.base, first);
                all.extend(sines);
                let angles = Block::new(&mut self.recording, all.len())?;
                self.recording.upload(angles.view, bytemuck::cast_slice(&all).to_vec());
                attention::gpu::rotate(&mut self.recording, [channels, of.heads, frames], x, angles)
            }
            (Operation::Extend(_), _) => self.extend(step, activation, x),
            (Operation::Crop { start, frames }, _) => {
                extend::gpu::crop(&mut self.recording, size(step.from), x, *start, *frames)
            }
            (Operation::Transpose, _) => extend::gpu::transpose(&mut self.recording, size(step.from), x),
            (Operation::Join, _) => {
                let y = Block::new(&mut self.recording, count)?;
                let mut at = 0;
                for &place in &step.inputs {
                    let block = self.block(place)?;
                    if place.count > 0 {
                        self.recording.copy(block.part(0, place.count), y.part(at, place.count));
                    }
                    at += place.count;
                }
                Ok(y)
            }
            (Operation::Activate(of), _) => {
                let operation = Pointwise::Activate(activation_of(*of, |parameter| self.number(parameter)));
                let numbers = alpha(Some(*of)).map(|alpha| device.plain(self.plan.constants.parameters(), alpha));
                pointwise::gpu::record(&mut self.recording, operation, numbers.as_ref(), x, x, count, plane)
            }
            (Operation::Scale(gains), _) => {
                let numbers = device.plain(self.plan.constants.parameters(), *gains);
                let operation = Pointwise::Scale(self.number(*gains));
                pointwise::gpu::record(&mut self.recording, operation, Some(&numbers), x, x, count, plane)
            }
            (Operation::Offset(of), _) => {
                let numbers = device.plain(self.plan.constants.parameters(), *of);
                let (operation, run) = (Pointwise::Offset(self.number(*of)), count / self.number(*of).len().max(1));
                pointwise::gpu::record(&mut self.recording, operation, Some(&numbers), x, x, count, run)
            }
            (Operation::Glu, _) => {
                pointwise::gpu::record(&mut self.recording, Pointwise::Glu, None, x, x, count, plane)
            }
            (Operation::Add | Operation::Subtract, _) => {
                let b = self.block(step.inputs[1])?;
                let is_sum = step.fused.operation == Operation::Add;
                let operation = if is_sum { Pointwise::Add } else { Pointwise::Subtract };
                pointwise::gpu::record(&mut self.recording, operation, None, x, b, count, plane)
            }
            (Operation::Normalize(of), _) => {
                let norm = norm_of(of, |parameter| self.number(parameter));
                let numbers = device.norm([of.gain, of.bias], &norm);
                let y = norm::gpu::record(&mut self.recording, &norm, numbers.as_ref(), size(step.from), x)?;
                if step.fused.gated { self.gate(step, y) } else { Ok(y) }
            }
            (Operation::UnitLength, _) => {
                let norm = norm::Norm { over: norm::Over::Length, gain: None, bias: None, epsilon: 0.0 };
                norm::gpu::record(&mut self.recording, &norm, None, size(step.from), x)
            }
            (Operation::Nearest { book: of }, Prepared::Book(book)) => {
                let constant = device.book(*of, book, self.number(*of))?;
                nearest::gpu::record(&mut self.recording, book, &constant, x, count)
            }
            (Operation::Lookup { book }, _) => {
                let shape = self.plan.constants.parameters().shape(*book);
                self.check_codes(step, shape[0])?;
                let numbers = device.plain(self.plan.constants.parameters(), *book);
                let codes = step.inputs[0].count;
                lookup::gpu::record(&mut self.recording, x, codes, &numbers, [shape[0], shape[1]])
            }
            _ => Err(Error::Internal(format!("no step for {}", step.fused.operation.name()))),
        }
    }

    /// Records the gate, the gains and the sum that follow a normalisation.
    fn gate(&mut self, step: &Step, x: Block) -> Result<Block> {
        let (plane, count) = (step.from.rows * step.from.frames, step.output.count);
        let mut y = pointwise::gpu::record(&mut self.recording, Pointwise::Glu, None, x, x, count, plane)?;
        if let Some(gains) = step.fused.gains {
            let numbers = self.plan.constants.device.plain(self.plan.constants.parameters(), gains);
            let operation = Pointwise::Scale(self.number(gains));
            y = pointwise::gpu::record(&mut self.recording, operation, Some(&numbers), y, y, count, plane)?;
        }
        if step.fused.residual {
            let other = self.block(step.inputs[1])?;
            y = pointwise::gpu::record(&mut self.recording, Pointwise::Add, None, y, other, count, plane)?;
        }
        Ok(y)
    }

    /// Codes from outside are checked here; codes that were found are right; others are left to the CPU.
    fn check_codes(&self, step: &Step, rows: usize) -> Result<()> {
        let place = step.inputs[0];
        match place.home {
            Home::Slot(slot) if self.codes[slot] => Ok(()),
            Home::Slot(_) => {
                Err(Error::unsupported("codes that are computed", "a GPU takes codes as they are given or found"))
            }
            Home::Input(n) => {
                let codes = &self.item.inputs[n][place.first..][..place.count];
                lookup::first_wrong(codes, rows).map_or(Ok(()), |code| {
                    let allowed = format!("a whole number, 0 to {}", rows - 1);
                    Err(Error::invalid(format!("code for {}", step.name), code.to_string(), allowed))
                })
            }
        }
    }

    fn lstm(&mut self, step: &Step, of: &Lstm, layer: &lstm::Layer, x: Block) -> Result<Block> {
        let rows = step.shape.rows;
        let kept = Shape::sequence(2 * layer.size() * rows, 1);
        let state = if let Some(name) = &of.keep {
            self.remembered(name, kept)?
        } else {
            let block = Block::new(&mut self.recording, kept.len())?;
            self.recording.upload(block.view, vec![0; 4 * kept.len()]);
            block
        };
        let weights = self.plan.constants.device.layer(self.plan.constants.parameters(), of)?;
        let size = [rows, step.shape.frames];
        let (y, [hidden, cells]) =
            lstm::gpu::record(&mut self.recording, layer, &weights, size, of.backward, x, state)?;
        if let Some(name) = &of.keep {
            let after = Block::new(&mut self.recording, kept.len())?;
            self.recording.copy(hidden.part(0, layer.size()), after.part(0, layer.size()));
            self.recording.copy(cells.part(0, layer.size()), after.part(layer.size(), layer.size()));
            self.kept.push((name.clone(), kept, after));
        }
        Ok(y)
    }

    fn extend(&mut self, step: &'a Step, activation: Option<pointwise::Activation<'_>>, x: Block) -> Result<Block> {
        let Operation::Extend(of) = &step.fused.operation else {
            return Err(Error::Internal("no extension".into()));
        };
        let (kept, kept_frames, left) = match &of.left {
            Left::Kept(name, frames) => {
                let block = self.remembered(name, step.from.with_frames(*frames))?;
                (Some(block), *frames, (extend::Edge::Zero, 0))
            }
            Left::Edge(left, frames) => (None, 0, (edge(*left), *frames)),
        };
        let Right(right, after) = of.right;
        let right = (edge(right), after);
        let extend = extend::Extend { size: size(step.from), kept: &[], kept_frames, left, right, activation };
        let alpha = match step.fused.activation {
            Some(Activation::Snake(alpha)) => {
                Some(self.plan.constants.device.plain(self.plan.constants.parameters(), alpha))
            }
            _ => None,
        };
        let y = extend::gpu::extend(&mut self.recording, &extend, alpha.as_ref(), x, kept)?;
        if let Some((name, keep)) = &of.keep {
            let (size, first) = (size(step.shape), step.shape.frames - keep);
            let last = extend::gpu::crop(&mut self.recording, size, y, first, *keep)?;
            self.kept.push((name.clone(), step.from.with_frames(*keep), last));
        }
        Ok(y)
    }

    fn finish(mut self) -> Result<Recorded<'a>> {
        let mut outputs = Vec::new();
        for &place in &self.plan.outputs {
            let block = self.block(place)?;
            outputs.push((place.count > 0).then(|| self.recording.readback(block.part(0, place.count))));
        }
        let mut kept = Vec::new();
        for (name, shape, block) in std::mem::take(&mut self.kept) {
            let ticket = (!shape.is_empty()).then(|| self.recording.readback(block.part(0, shape.len())));
            kept.push((name, shape, ticket));
        }
        Ok(Recorded { recording: self.recording, outputs, kept, taken: self.taken })
    }
}
