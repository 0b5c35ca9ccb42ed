//! Runs a plan's operations on a GPU: uploaded once, resident from one kernel to the next, read back once. What has no
//! kernel runs on the host in between.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::PoisonError;

use super::super::plan::{MixInput, Op, Plan};
use super::carried::Carried;
use super::{RenderSeconds, cpu};
use crate::audio::AudioBuffer;
use crate::device::SharedEngine;
use crate::error::{Error, Result};
use crate::gpu::Signal;
use crate::kernels::iir_cascade::CascadeState;
use crate::kernels::iir_cascade::gpu::{GpuPlan, StateTicket};
use crate::kernels::resident::Chunk;
use crate::progress::Progress;

/// A plan lowered to a GPU.
#[derive(Debug)]
pub(super) struct GpuRun {
    engine: SharedEngine,
    /// The cascade of each operation that is one.
    cascades: Vec<Option<GpuPlan>>,
    steps: Vec<Step>,
}

/// Operations that run in one go.
#[derive(Debug)]
enum Step {
    /// On the device: these operations, what they read that stands on the host, what of theirs is read later.
    Device { ops: Range<usize>, inputs: Vec<usize>, outputs: Vec<usize> },
    /// One on the host.
    Host(usize),
}

impl GpuRun {
    pub(super) fn new(engine: SharedEngine, plan: &Plan, carried: &[Carried]) -> Self {
        let cascades = carried
            .iter()
            .map(|carried| match carried {
                Carried::Cascade { cascade, .. } => Some(GpuPlan::new(cascade)),
                _ => None,
            })
            .collect();
        Self { engine, cascades, steps: steps(&plan.ops, plan.output_register) }
    }

    /// Opens the device anew after it was lost.
    pub(super) fn rebuild(&self) -> Result<()> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner).rebuild()
    }

    /// Renders `input`. The states of cascades move on only when all has succeeded; those of what runs on the host
    /// are the caller's to bring back.
    pub(super) fn run(
        &self,
        ops: &mut [Op],
        carried: &mut [Carried],
        registers: &mut [AudioBuffer],
        seconds: &mut RenderSeconds,
        progress: Option<&Progress>,
    ) -> Result<()> {
        let mut states = Vec::new();
        for step in &self.steps {
            match step {
                Step::Host(index) => {
                    let started = std::time::Instant::now();
                    cpu::run_one(&mut ops[*index], &mut carried[*index], registers)?;
                    seconds.kernels += started.elapsed().as_secs_f64();
                }
                Step::Device { ops: range, inputs, outputs } => {
                    let device = Device { run: self, ops, carried, range: range.clone() };
                    let given = device.run(inputs, outputs, registers, seconds, progress)?;
                    states.extend(given.states);
                    for (register, audio) in given.outputs {
                        registers[register] = audio;
                    }
                }
            }
        }
        if states.iter().any(|(_, state)| !state.is_finite()) {
            return Err(Error::GpuUnavailable("the signal left the range of 32-bit floats".into()));
        }
        for (index, after) in states {
            if let Carried::Cascade { state, .. } = &mut carried[index] {
                *state = after;
            }
        }
        Ok(())
    }
}

/// One run of device operations.
struct Device<'a> {
    run: &'a GpuRun,
    ops: &'a [Op],
    carried: &'a [Carried],
    range: Range<usize>,
}

struct Given {
    states: Vec<(usize, CascadeState)>,
    outputs: Vec<(usize, AudioBuffer)>,
}

impl Device<'_> {
    fn run(
        &self,
        inputs: &[usize],
        outputs: &[usize],
        registers: &[AudioBuffer],
        seconds: &mut RenderSeconds,
        progress: Option<&Progress>,
    ) -> Result<Given> {
        let mut chunk = Chunk::new();
        let mut signals = BTreeMap::new();
        for register in inputs {
            signals.insert(*register, chunk.upload(&registers[*register])?);
        }
        let mut after: Vec<(usize, StateTicket)> = Vec::new();
        for index in self.range.clone() {
            let (register, signal) = self.record(&mut chunk, index, &signals, &mut after)?;
            signals.insert(register, signal);
        }
        let mut tickets = Vec::new();
        for register in outputs {
            tickets.push((*register, chunk.readback(at(&signals, *register)?)));
        }
        let mut engine = self.run.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = chunk.run(&mut engine, progress)?;
        drop(engine);
        seconds.upload += done.finished.seconds.upload;
        seconds.kernels += done.finished.seconds.kernels;
        seconds.readback += done.finished.seconds.readback;
        let mut states = Vec::new();
        for (index, ticket) in after {
            if let Carried::Cascade { state, .. } = &self.carried[index] {
                let mut state = state.clone();
                done.state(&ticket, &mut state);
                states.push((index, state));
            }
        }
        let outputs = tickets.into_iter().map(|(register, ticket)| (register, done.audio(ticket))).collect();
        Ok(Given { states, outputs })
    }

    /// Records one operation: the register that it changes, and what stands there then.
    fn record<'c>(
        &'c self,
        chunk: &mut Chunk<'c>,
        index: usize,
        signals: &BTreeMap<usize, Signal>,
        after: &mut Vec<(usize, StateTicket)>,
    ) -> Result<(usize, Signal)> {
        let single = |gain: &[f64]| gain.iter().map(|gain| *gain as f32).collect::<Vec<_>>();
        match (&self.ops[index], &self.carried[index], &self.run.cascades[index]) {
            (Op::Cascade { register, .. }, Carried::Cascade { state, gain, .. }, Some(plan)) => {
                let (mut signal, ticket) = chunk.cascade(plan, state, at(signals, *register)?)?;
                after.push((index, ticket));
                if let Some(gain) = gain {
                    signal = chunk.gain(signal, &single(gain))?;
                }
                Ok((*register, signal))
            }
            (Op::Gain { register, gain }, ..) => Ok((*register, chunk.gain(at(signals, *register)?, &single(gain))?)),
            // Nothing on the device is changed in place, so that a copy is another name.
            (Op::Copy { from, to }, ..) => Ok((*to, at(signals, *from)?)),
            (Op::Mix { inputs }, ..) => {
                let Some((first, others)) = inputs.split_first() else {
                    return Err(Error::Internal("a sum of nothing".into()));
                };
                let mut sum = at(signals, first.register)?;
                let mut own = single(&first.gain);
                if others.is_empty() {
                    sum = chunk.gain(sum, &own)?;
                }
                for MixInput { register, gain } in others {
                    sum = chunk.mix(sum, &own, at(signals, *register)?, &single(gain))?;
                    own.fill(1.0);
                }
                Ok((first.register, sum))
            }
            _ => Err(Error::Internal("an operation of the host was given to the device".into())),
        }
    }
}

fn at(signals: &BTreeMap<usize, Signal>, register: usize) -> Result<Signal> {
    signals.get(&register).copied().ok_or_else(|| Error::Internal("a register was read before it was written".into()))
}

/// The registers that an operation reads, and the one that it writes.
fn uses(op: &Op) -> (Vec<usize>, usize) {
    match op {
        Op::Cascade { register, .. }
        | Op::Gain { register, .. }
        | Op::Process { register, .. }
        | Op::Delay { register, .. } => (vec![*register], *register),
        Op::Copy { from, to } => (vec![*from], *to),
        Op::Mix { inputs } => (inputs.iter().map(|input| input.register).collect(), inputs[0].register),
    }
}

/// Cuts a plan where something must run on the host.
fn steps(ops: &[Op], output_register: usize) -> Vec<Step> {
    let on_host = |index: usize| matches!(ops[index], Op::Process { .. } | Op::Delay { .. });
    let mut steps = Vec::new();
    let mut index = 0;
    while index < ops.len() {
        if on_host(index) {
            steps.push(Step::Host(index));
            index += 1;
            continue;
        }
        let end = (index..ops.len()).find(|at| on_host(*at)).unwrap_or(ops.len());
        let (mut inputs, mut written) = (Vec::new(), Vec::new());
        for op in &ops[index..end] {
            let (reads, writes) = uses(op);
            for read in reads {
                if !written.contains(&read) && !inputs.contains(&read) {
                    inputs.push(read);
                }
            }
            if !written.contains(&writes) {
                written.push(writes);
            }
        }
        let outputs = written.into_iter().filter(|register| is_read(&ops[end..], *register, output_register)).collect();
        steps.push(Step::Device { ops: index..end, inputs, outputs });
        index = end;
    }
    steps
}

/// Whether what stands in a register is read before it is overwritten.
fn is_read(ops: &[Op], register: usize, output_register: usize) -> bool {
    for op in ops {
        let (reads, writes) = uses(op);
        if reads.contains(&register) {
            return true;
        }
        if writes == register {
            return false;
        }
    }
    register == output_register
}
