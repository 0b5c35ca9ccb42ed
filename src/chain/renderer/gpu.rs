//! Runs the operations of a plan on a GPU. Signals are uploaded once, stay on the device from kernel to kernel, and are
//! read back once. Operations without a kernel run on the host in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::plan::{MixInput, Op, Plan};
use super::carried::OpState;
use super::steps::{Step, steps, uses};
use super::{RenderSeconds, cpu};
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};
use crate::gpu::{Signal, SubmissionBatcher};
use crate::kernels::fir::gpu::{FirAfter, FirTicket, GpuFir};
use crate::kernels::iir_cascade::CascadeState;
use crate::kernels::iir_cascade::gpu::{GpuPlan, StateTicket};
use crate::kernels::resident::{Chunk, DelayTicket, Done};
use crate::progress::Progress;

/// A plan lowered to a GPU.
#[derive(Debug)]
pub(super) struct GpuRun {
    batcher: Arc<SubmissionBatcher>,
    /// Device data of each operation.
    lowered: Vec<Lowered>,
    /// The steps while all operations run.
    steps: Vec<Step>,
    max_frames: usize,
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
        let mut max_frames = usize::MAX;
        let mut lowered = Vec::with_capacity(plan.ops.len());
        for (op, carried) in plan.ops.iter().zip(carried) {
            lowered.push(match (op, carried) {
                (Op::Cascade { .. }, OpState::Cascade { cascade, .. }) => Lowered::Cascade(GpuPlan::new(cascade)),
                (Op::Process { process, place, .. }, _) if op.host_only().is_none() => match process.fir() {
                    Some(stream) => {
                        let fir = stream.plan().on_gpu()?;
                        // In frames of the chain's input, where this stage has more frames than the input.
                        let most = fir.layout().max_frames() as f64 / place.ratio.max(1.0);
                        max_frames = max_frames.min(most as usize);
                        Lowered::Fir(fir)
                    }
                    None => Lowered::Nothing,
                },
                _ => Lowered::Nothing,
            });
        }
        Ok(Self { batcher, lowered, steps: steps(&plan.ops, &|_| true, plan.output_register), max_frames })
    }

    /// Reopens the device after it was lost.
    pub(super) fn rebuild(&self) -> Result<()> {
        self.batcher.engine().rebuild()
    }

    /// Returns the maximum number of frames in a chunk that fits the device's buffers.
    pub(super) fn max_frames(&self) -> usize {
        self.max_frames
    }

    /// Returns whether some operation runs on the host in between, in place and with its own state.
    pub(super) fn uses_host(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Host(_)))
    }

    /// Renders the registers' contents, which begin with the frame `at` of the chain's input. Device states advance only if everything succeeds. After a failure, the caller restores the
    /// states of operations that ran on the host.
    pub(super) fn run(
        &self,
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
                    let given = device.run(inputs, outputs, seconds, progress)?;
                    after.extend(given.after);
                    for (register, audio) in given.outputs {
                        registers[register] = audio;
                    }
                }
            }
        }
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

/// The ticket under which that state will be found.
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

impl Device<'_> {
    fn run(
        &self,
        inputs: &[usize],
        outputs: &[usize],
        seconds: &mut RenderSeconds,
        progress: Option<&Progress>,
    ) -> Result<Given> {
        let mut chunk = Chunk::new();
        let mut standing = BTreeMap::new();
        for register in inputs {
            let signal = chunk.upload(&self.registers[*register])?;
            standing.insert(*register, Standing { signal, host: Some(*register) });
        }
        let mut expected = Vec::new();
        for index in self.range.iter().copied() {
            let (register, stands) = self.record(&mut chunk, index, &standing, &mut expected)?;
            standing.insert(register, stands);
        }
        let mut tickets = Vec::new();
        for register in outputs {
            tickets.push((*register, chunk.readback(at(&standing, *register)?.signal)));
        }
        let mut done = chunk.run_together(&self.run.batcher, progress)?;
        seconds.upload += done.finished.seconds.upload;
        seconds.kernels += done.finished.seconds.kernels;
        seconds.readback += done.finished.seconds.readback;
        let after = expected.into_iter().map(|(index, expected)| Ok((index, self.after(index, &expected, &done)?)));
        let after = after.collect::<Result<_>>()?;
        let outputs = tickets.into_iter().map(|(register, ticket)| (register, done.audio(ticket))).collect();
        Ok(Given { after, outputs })
    }

    fn after(&self, index: usize, expected: &Expected, done: &Done) -> Result<After> {
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

    /// Records one operation. Returns the register that it changes and its new contents.
    fn record<'c>(
        &'c self,
        chunk: &mut Chunk<'c>,
        index: usize,
        standing: &BTreeMap<usize, Standing>,
        expected: &mut Vec<(usize, Expected)>,
    ) -> Result<(usize, Standing)> {
        let single = |gain: &[f64]| gain.iter().map(|gain| *gain as f32).collect::<Vec<_>>();
        let (register, signal) = match (&self.ops[index], &self.carried[index], &self.run.lowered[index]) {
            (Op::Cascade { register, .. }, OpState::Cascade { state, gain, .. }, Lowered::Cascade(plan)) => {
                let (mut signal, ticket) = chunk.cascade(plan, state, at(standing, *register)?.signal)?;
                expected.push((index, Expected::Cascade(ticket)));
                if let Some(gain) = gain {
                    signal = chunk.gain(signal, &single(gain))?;
                }
                (*register, signal)
            }
            (Op::Process { register, process, .. }, _, Lowered::Fir(plan)) => {
                let Some(stream) = process.fir() else {
                    return Err(Error::Internal("a filter was planned without its stream".into()));
                };
                let Standing { signal, host } = at(standing, *register)?;
                let known = host.map(|host| &self.registers[host]);
                let (signal, ticket) = chunk.fir(plan, stream, signal, known)?;
                expected.push((index, Expected::Fir(ticket)));
                (*register, signal)
            }
            (Op::Delay { register, .. }, OpState::Delay(line), _) => {
                let (signal, ticket) = chunk.delay(at(standing, *register)?.signal, &line.waiting())?;
                expected.push((index, Expected::Delay(ticket)));
                (*register, signal)
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

fn sum(chunk: &mut Chunk<'_>, inputs: &[MixInput], standing: &BTreeMap<usize, Standing>) -> Result<Signal> {
    let Some((first, others)) = inputs.split_first() else { return Err(Error::Internal("a sum of nothing".into())) };
    let single = |gain: &[f64]| gain.iter().map(|gain| *gain as f32).collect::<Vec<_>>();
    let mut sum = at(standing, first.register)?.signal;
    let mut own = single(&first.gain);
    if others.is_empty() {
        sum = chunk.gain(sum, &own)?;
    }
    for MixInput { register, gain } in others {
        sum = chunk.mix(sum, &own, at(standing, *register)?.signal, &single(gain))?;
        own.fill(1.0);
    }
    Ok(sum)
}

fn at(standing: &BTreeMap<usize, Standing>, register: usize) -> Result<Standing> {
    standing.get(&register).copied().ok_or_else(|| Error::Internal("a register was read before it was written".into()))
}
