//! Runs the operations of a plan on a GPU. Signals are uploaded once, stay on the device from kernel to kernel, and are
//! read back once. Operations without a kernel run on the host in between.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::super::plan::{MixInput, Op, Plan};
use super::carried::OpState;
use super::steps::{Step, steps, uses};
use super::{RenderSeconds, cpu};
use audio::AudioBuffer;
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::device::{PIECE_SAMPLES, PIECES};
use dsp::gpu::{Signal, SubmissionBatcher};
use dsp::kernels::signal::fir::gpu::{FirAfter, FirFlow, FirTicket, GpuFir};
use dsp::kernels::signal::iir_cascade::CascadeState;
use dsp::kernels::signal::iir_cascade::gpu::{CascadeFlow, GpuPlan, StateTicket};
use dsp::kernels::signal::resident::{Chunk, ChunkResults, DelayFlow, DelayTicket};

/// The maximum number of samples of all channels in a piece. Larger pieces gain nothing.
const MAX_PIECE_SAMPLES: usize = 1 << 20;
/// The frames of all pieces but the last are a multiple of this, so that pieces lie on the tiles of the kernels.
const PIECE_STEP: usize = 4096;

/// A plan lowered to a GPU.
#[derive(Debug)]
pub(super) struct GpuRun {
    batcher: Arc<SubmissionBatcher>,
    /// Device data of each operation.
    lowered: Vec<Lowered>,
    /// The steps while all operations run.
    steps: Vec<Step>,
    /// The maximum number of frames of a piece.
    max_frames: usize,
    /// The least number of frames of a piece, so that the history of long filters is the smaller part of its work.
    least_frames: usize,
    /// Memory of registers that were replaced, for the next outputs.
    spare: Vec<AudioBuffer>,
}

/// The device data of an operation beside its description.
#[derive(Debug)]
enum Lowered {
    Nothing,
    Cascade(GpuPlan),
    Fir(Arc<GpuFir>),
}

impl GpuRun {
    pub(super) fn new(batcher: Arc<SubmissionBatcher>, plan: &Plan, carried: &[OpState]) -> Result<Self> {
        let (mut max_frames, mut least_frames) = (usize::MAX, PIECE_STEP);
        let mut lowered = Vec::with_capacity(plan.ops.len());
        for (op, carried) in plan.ops.iter().zip(carried) {
            lowered.push(match (op, carried) {
                (Op::Cascade { .. }, OpState::Cascade { cascade, .. }) => Lowered::Cascade(GpuPlan::new(cascade)),
                (Op::Process { process, place, .. }, _) if op.host_only().is_none() => match process.fir() {
                    Some(stream) => {
                        let fir = stream.plan().on_gpu()?;
                        max_frames = max_frames.min(fir.layout().max_frames());
                        least_frames = least_frames.max(2 * stream.plan().shape().before());
                        Lowered::Fir(fir)
                    }
                    None => Lowered::Nothing,
                },
                _ => Lowered::Nothing,
            });
        }
        let steps = steps(&plan.ops, &|_| true, plan.output_register);
        Ok(Self { batcher, lowered, steps, max_frames, least_frames, spare: Vec::new() })
    }

    /// Reopens the device after it was lost.
    pub(super) fn rebuild(&self) -> Result<()> {
        self.batcher.engine().rebuild()
    }

    /// Returns how fast results are read, in bytes per second, if that is slow.
    pub(super) fn slow_readback_bytes_s(&self) -> Option<f64> {
        self.batcher.slow_readback_bytes_s()
    }

    /// Cuts a chunk into pieces.
    fn pieces(&self, channels: usize, frames: usize) -> Vec<Range<usize>> {
        let samples = (frames * channels / PIECES).clamp(PIECE_SAMPLES, MAX_PIECE_SAMPLES);
        let wanted = (samples / channels.max(1)).max(self.least_frames).next_multiple_of(PIECE_STEP);
        let most = self.max_frames.min(Signal::max_frames(channels));
        let step = if wanted <= most { wanted } else { (most / PIECE_STEP * PIECE_STEP).max(most.min(PIECE_STEP)) };
        (0..frames.max(1)).step_by(step.max(1)).map(|first| first..frames.min(first + step)).collect()
    }

    /// Returns whether some operation runs on the host in between, in place and with its state on the host.
    pub(super) fn uses_host(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Host(_)))
    }

    /// Renders the registers' contents, which begin with the frame `at` of the chain's input. Device states advance
    /// only if everything succeeds. After a failure, the caller restores the states of operations that ran on the host.
    pub(super) fn run(
        &mut self,
        plan: &mut Plan,
        carried: &mut [OpState],
        registers: &mut [AudioBuffer],
        at: u64,
        seconds: &mut RenderSeconds,
        progress: Option<&Progress>,
    ) -> Result<()> {
        let Plan { ops, schedule, output_register, .. } = plan;
        let runs = |index: usize| schedule.runs(index, at);
        let now;
        let planned = if schedule.is_constant() {
            &self.steps
        } else {
            now = steps(ops, &runs, *output_register);
            &now
        };
        let mut spare = std::mem::take(&mut self.spare);
        let mut after = Vec::new();
        for step in planned {
            match step {
                Step::Host(index) => {
                    let started = std::time::Instant::now();
                    cpu::run_one(&mut ops[*index], &mut carried[*index], registers, at)?;
                    seconds.kernels += started.elapsed().as_secs_f64();
                }
                Step::Device { ops: range, inputs, outputs } => {
                    let range: Vec<usize> = range.clone().filter(|index| runs(*index)).collect();
                    let device = Device { run: self, ops, carried, registers, range };
                    let given = device.run(inputs, outputs, &mut spare, seconds, progress)?;
                    after.extend(given.after);
                    for (register, audio) in given.outputs {
                        spare.push(std::mem::replace(&mut registers[register], audio));
                    }
                }
            }
        }
        self.spare = spare;
        for (index, after) in after {
            match (after, &mut carried[index], &mut ops[index]) {
                (After::Cascade(after), OpState::Cascade { state, .. }, _) => *state = after,
                (After::Delay(tail), OpState::Delay(line), _) => line.take_up(&tail),
                (After::Fir(after), _, Op::Process { process, .. }) => {
                    if let Some(stream) = process.fir_mut() {
                        stream.take_up(&after);
                    }
                }
                _ => return Err(Error::Internal("a state came back for an operation that has none".into())),
            }
        }
        Ok(())
    }
}

/// One uninterrupted sequence of device operations.
struct Device<'a> {
    run: &'a GpuRun,
    ops: &'a [Op],
    carried: &'a [OpState],
    registers: &'a [AudioBuffer],
    /// The operations that run.
    range: Vec<usize>,
}

/// The state of an operation after it has run.
enum After {
    Cascade(CascadeState),
    Fir(FirAfter),
    Delay(Vec<Vec<f32>>),
}

/// The state of an operation between pieces.
enum Flow<'a> {
    Cascade(CascadeFlow<'a>),
    Fir(FirFlow<'a>),
    Delay(DelayFlow),
}

/// The ticket under which the state after all pieces will be found.
enum Expected {
    Cascade(StateTicket),
    Fir(FirTicket),
    Delay(DelayTicket),
}

struct Given {
    after: Vec<(usize, After)>,
    outputs: Vec<(usize, AudioBuffer)>,
}

/// The contents of a register on the device.
#[derive(Clone, Copy)]
struct Standing {
    signal: Signal,
    /// The host register with the same contents.
    host: Option<usize>,
}

impl<'d> Device<'d> {
    fn run(
        &self,
        inputs: &[usize],
        outputs: &[usize],
        spare: &mut Vec<AudioBuffer>,
        seconds: &mut RenderSeconds,
        progress: Option<&Progress>,
    ) -> Result<Given> {
        let (channels, frames) = self.shape(inputs);
        let mut chunk = Chunk::new();
        let mut flows = BTreeMap::new();
        // The host registers with the inputs of filters.
        let mut known = BTreeMap::new();
        let mut tickets = BTreeMap::new();
        for piece in self.run.pieces(channels, frames) {
            let mut standing = BTreeMap::new();
            for register in inputs {
                let signal = chunk.upload_frames(&self.registers[*register], piece.clone())?;
                standing.insert(*register, Standing { signal, host: Some(*register) });
            }
            for index in self.range.iter().copied() {
                let (register, stands) = self.record(&mut chunk, index, &standing, &mut flows, &mut known)?;
                standing.insert(register, stands);
            }
            for register in outputs {
                let signal = at(&standing, *register)?.signal;
                let ticket = *tickets
                    .entry(*register)
                    .or_insert_with(|| chunk.output(spare.pop().unwrap_or_default(), signal.channels, frames));
                chunk.readback_piece(ticket, piece.start, signal);
            }
        }
        let end = |(index, flow)| {
            let expected = match flow {
                Flow::Cascade(flow) => Expected::Cascade(chunk.cascade_end(flow)),
                Flow::Fir(flow) => {
                    let host = known.get(&index).map(|host: &usize| &self.registers[*host]);
                    Expected::Fir(chunk.fir_end(flow, host))
                }
                Flow::Delay(flow) => Expected::Delay(chunk.delay_end(flow)),
            };
            (index, expected)
        };
        let expected: Vec<(usize, Expected)> = flows.into_iter().map(end).collect();
        let mut done = chunk.run_together(&self.run.batcher, progress)?;
        seconds.upload += done.finished.seconds.upload;
        seconds.kernels += done.finished.seconds.kernels;
        seconds.readback += done.finished.seconds.readback;
        let after = expected.into_iter().map(|(index, expected)| Ok((index, self.after(index, &expected, &done)?)));
        let after = after.collect::<Result<_>>()?;
        let outputs = tickets.into_iter().map(|(register, ticket)| (register, done.audio(ticket))).collect();
        Ok(Given { after, outputs })
    }

    /// Returns the channels and frames of the largest of the inputs, which all have the same number of frames.
    fn shape(&self, inputs: &[usize]) -> (usize, usize) {
        let shapes = inputs.iter().map(|register| &self.registers[*register]);
        shapes.fold((0, 0), |(channels, frames), audio| (channels.max(audio.channels()), frames.max(audio.frames())))
    }

    fn after(&self, index: usize, expected: &Expected, done: &ChunkResults) -> Result<After> {
        Ok(match (expected, &self.carried[index]) {
            (Expected::Cascade(ticket), OpState::Cascade { state, .. }) => {
                let mut state = state.clone();
                done.state(ticket, &mut state);
                if !state.is_finite() {
                    return Err(Error::GpuUnavailable("the signal left the range of 32-bit floats".into()));
                }
                After::Cascade(state)
            }
            (Expected::Fir(ticket), _) => After::Fir(done.stream(ticket)?),
            (Expected::Delay(ticket), _) => After::Delay(done.delayed(ticket)),
            (Expected::Cascade(_), _) => return Err(Error::Internal("a cascade was planned without its state".into())),
        })
    }

    /// Records one operation on a piece. Returns the register that it changes and its new contents.
    fn record(
        &self,
        chunk: &mut Chunk<'d>,
        index: usize,
        standing: &BTreeMap<usize, Standing>,
        flows: &mut BTreeMap<usize, Flow<'d>>,
        known: &mut BTreeMap<usize, usize>,
    ) -> Result<(usize, Standing)> {
        let single = |gain: &[f64]| gain.iter().map(|gain| *gain as f32).collect::<Vec<_>>();
        let (register, signal) = match (&self.ops[index], &self.carried[index], &self.run.lowered[index]) {
            (Op::Cascade { register, .. }, OpState::Cascade { state, gain, .. }, Lowered::Cascade(plan)) => {
                let flow = flows.entry(index).or_insert_with(|| Flow::Cascade(plan.begin(state)));
                let Flow::Cascade(flow) = flow else { return Err(mixed()) };
                let mut signal = chunk.cascade_piece(flow, at(standing, *register)?.signal)?;
                if let Some(gain) = gain {
                    signal = chunk.gain(signal, &single(gain))?;
                }
                (*register, signal)
            }
            (Op::Process { register, process, .. }, _, Lowered::Fir(plan)) => {
                let Some(stream) = process.fir() else {
                    return Err(Error::Internal("a filter was planned without its stream".into()));
                };
                let Flow::Fir(flow) = flows.entry(index).or_insert_with(|| Flow::Fir(plan.begin(stream))) else {
                    return Err(mixed());
                };
                let Standing { signal, host } = at(standing, *register)?;
                known.extend(host.map(|host| (index, host)));
                (*register, chunk.fir_piece(flow, signal)?)
            }
            (Op::Delay { register, .. }, OpState::Delay(line), _) => {
                let flow = flows.entry(index).or_insert_with(|| Flow::Delay(DelayFlow::new(line.waiting())));
                let Flow::Delay(flow) = flow else { return Err(mixed()) };
                (*register, chunk.delay_piece(flow, at(standing, *register)?.signal)?)
            }
            (Op::Gain { register, gain }, ..) => {
                (*register, chunk.gain(at(standing, *register)?.signal, &single(gain))?)
            }
            // Nothing on the device changes in place, so a copy is just another name.
            (Op::Copy { from, to }, ..) => return Ok((*to, at(standing, *from)?)),
            (Op::Mix { inputs }, ..) => (uses(&self.ops[index]).1, sum(chunk, inputs, standing)?),
            _ => return Err(Error::Internal("an operation of the host was given to the device".into())),
        };
        Ok((register, Standing { signal, host: None }))
    }
}

fn mixed() -> Error {
    Error::Internal("an operation was given the state of another".into())
}

fn sum(chunk: &mut Chunk<'_>, inputs: &[MixInput], standing: &BTreeMap<usize, Standing>) -> Result<Signal> {
    let Some((first, others)) = inputs.split_first() else { return Err(Error::Internal("a sum of nothing".into())) };
    let single = |gain: &[f64]| gain.iter().map(|gain| *gain as f32).collect::<Vec<_>>();
    let mut sum = at(standing, first.register)?.signal;
    let mut gains = single(&first.gain);
    if others.is_empty() {
        sum = chunk.gain(sum, &gains)?;
    }
    for MixInput { register, gain } in others {
        sum = chunk.mix(sum, &gains, at(standing, *register)?.signal, &single(gain))?;
        gains.fill(1.0);
    }
    Ok(sum)
}

fn at(standing: &BTreeMap<usize, Standing>, register: usize) -> Result<Standing> {
    standing.get(&register).copied().ok_or_else(|| Error::Internal("a register was read before it was written".into()))
}
