//! Runs the steps of a plan on the CPU. `RUST_LOG=neural::network=trace` shows the time of each.

use std::time::Instant;

use super::Item;
use super::memory::Memory;
use super::plan::{Plan, Prepared, Step, activation_of, norm_of, size};
use crate::network::{Edge, Extend, Left, Operation, Parameter, Right, Shape};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::kernels::network::pointwise::{self, Pointwise};
use dsp::kernels::network::{attention, convolution, extend, lookup, lstm, nearest, norm};

pub(super) fn run(plan: &Plan, items: &[Item<'_>], memories: &mut [Memory], progress: &Progress) -> Result<()> {
    for step in &plan.steps {
        progress.check()?;
        let mut results: Vec<Vec<f32>> = memories.iter_mut().map(|memory| memory.take(step.output)).collect();
        let begun = Instant::now();
        let done = one(plan, step, items, memories, &mut results, progress);
        let (name, from, to) = (step.fused.operation.name(), step.from, step.shape);
        tracing::trace!("{}: {name} of {from} to {to}, {:.0} us", step.name, 1e6 * begun.elapsed().as_secs_f64());
        for (memory, result) in memories.iter_mut().zip(results) {
            memory.put(step.output, result);
        }
        done?;
    }
    Ok(())
}

fn one(
    plan: &Plan,
    step: &Step,
    items: &[Item<'_>],
    memories: &mut [Memory],
    results: &mut [Vec<f32>],
    progress: &Progress,
) -> Result<()> {
    let constants = &plan.constants;
    let number = |parameter: Parameter| -> &[f32] { constants.parameters().values(parameter) };
    let activation = step.fused.activation.map(|of| activation_of(of, number));
    let count = step.output.count;
    match (&step.fused.operation, &step.prepared) {
        (_, Prepared::Product { plan, weights, bias }) => {
            let gains = step.fused.gains.map(number);
            let epilogue = convolution::Epilogue { bias: bias.map(number), activation, gains };
            let mut jobs: Vec<convolution::cpu::Job<'_>> = items
                .iter()
                .zip(&*memories)
                .zip(results)
                .map(|((item, memory), y)| convolution::cpu::Job {
                    x: memory.read(&item.inputs, step.inputs[0]),
                    residual: step.fused.residual.then(|| memory.read(&item.inputs, step.inputs[1])),
                    y: &mut y[..count],
                })
                .collect();
            // Created by the first run, because a GPU makes separate ones.
            let weights = constants.weights(*weights, plan.kind(), plan.groups());
            return convolution::cpu::run(plan, &weights, epilogue, &mut jobs, progress);
        }
        (Operation::Attention(of), Prepared::Attention(plan)) => {
            let mut jobs = Vec::with_capacity(items.len());
            for ((item, memory), y) in items.iter().zip(&mut *memories).zip(results) {
                let first = of.sequence.as_ref().map(|name| item.state.position(name));
                of.sequence.iter().for_each(|name| memory.remembered.take(name, step.shape.frames));
                let memory: &Memory = memory;
                let [query, keys, values] = [0, 1, 2].map(|n| memory.read(&item.inputs, step.inputs[n]));
                let falls = of.distances.then(|| memory.read(&item.inputs, step.inputs[3]));
                let (sight, y) = (plan.sight(first), &mut y[..count]);
                jobs.push(attention::cpu::Job { query, keys, values, falls, sight, y });
            }
            return attention::cpu::run(plan, &mut jobs, progress);
        }
        (Operation::Lstm(of), Prepared::Layer(layer)) => {
            let rows = step.shape.rows;
            let kept = Shape::sequence(2 * layer.size() * rows, 1);
            let before = |(item, memory): (&Item<'_>, &Memory)| {
                let name = of.keep.as_ref();
                name.map_or_else(|| vec![0.0; kept.len()], |name| memory.remembered.get(item.state, name, kept))
            };
            let mut states: Vec<Vec<f32>> = items.iter().zip(&*memories).map(before).collect();
            let mut jobs: Vec<lstm::cpu::Job<'_>> = items
                .iter()
                .zip(&*memories)
                .zip(results.iter_mut().zip(&mut states))
                .map(|((item, memory), (y, state))| lstm::cpu::Job {
                    x: memory.read(&item.inputs, step.inputs[0]),
                    state,
                    y: &mut y[..count],
                })
                .collect();
            lstm::cpu::run(layer, [rows, step.shape.frames], of.backward, &mut jobs, progress)?;
            if let Some(name) = &of.keep {
                for (memory, state) in memories.iter_mut().zip(states) {
                    memory.remembered.set(name, kept, state);
                }
            }
            return Ok(());
        }
        _ => {}
    }
    for ((item, memory), y) in items.iter().zip(memories).zip(results) {
        let y = &mut y[..count];
        if let Operation::Extend(of) = &step.fused.operation {
            extended(of, step, item, memory, activation, y);
            continue;
        }
        if let Operation::Rotary(of) = &step.fused.operation {
            let first = of.sequence.as_ref().map_or(0, |name| item.state.position(name));
            of.sequence.iter().for_each(|name| memory.remembered.take(name, step.shape.frames));
            let (width, frames) = (step.shape.channels / of.heads, step.shape.frames);
            let angles = attention::rotary::angles(width, frames, of.base, first);
            let x = memory.read(&item.inputs, step.inputs[0]);
            attention::rotary::rotate(x, of.heads, frames, &angles, y);
            continue;
        }
        let input = |n: usize| memory.read(&item.inputs, step.inputs[n]);
        let plane = step.from.rows * step.from.frames;
        match (&step.fused.operation, &step.prepared) {
            (Operation::Crop { start, frames }, _) => extend::cpu::crop(size(step.from), input(0), *start, *frames, y),
            (Operation::Transpose, _) => extend::cpu::transpose(size(step.from), input(0), y),
            (Operation::Join, _) => {
                let mut at = 0;
                for n in 0..step.inputs.len() {
                    let x = input(n);
                    y[at..][..x.len()].copy_from_slice(x);
                    at += x.len();
                }
            }
            (Operation::Activate(of), _) => {
                let of = Pointwise::Activate(activation_of(*of, number));
                pointwise::cpu::run(of, input(0), &[], plane, y);
            }
            (Operation::Scale(gains), _) => {
                pointwise::cpu::run(Pointwise::Scale(number(*gains)), input(0), &[], plane, y);
            }
            (Operation::Offset(numbers), _) => {
                let numbers = number(*numbers);
                // A number each is a sum.
                match step.shape.len() / numbers.len().max(1) {
                    1 => pointwise::cpu::run(Pointwise::Add, input(0), numbers, plane, y),
                    run => pointwise::cpu::run(Pointwise::Offset(numbers), input(0), &[], run, y),
                }
            }
            (Operation::Glu, _) => pointwise::cpu::run(Pointwise::Glu, input(0), &[], plane, y),
            (Operation::Add, _) => pointwise::cpu::run(Pointwise::Add, input(0), input(1), plane, y),
            (Operation::Subtract, _) => pointwise::cpu::run(Pointwise::Subtract, input(0), input(1), plane, y),
            (Operation::Normalize(of), _) if step.fused.gated => {
                let residual = step.fused.residual.then(|| input(1));
                let gate = norm::Gate { gains: step.fused.gains.map(number), residual };
                norm::cpu::gated(norm_of(of, number), gate, size(step.from), input(0), y);
            }
            (Operation::Normalize(of), _) => norm::cpu::run(norm_of(of, number), size(step.from), input(0), y),
            (Operation::UnitLength, _) => {
                let of = norm::Norm { over: norm::Over::Length, gain: None, bias: None, epsilon: 0.0 };
                norm::cpu::run(of, size(step.from), input(0), y);
            }
            (Operation::Nearest { .. }, Prepared::Book(book)) => nearest::cpu::run(book, input(0), y, progress)?,
            (Operation::Lookup { book }, _) => {
                let shape = plan.constants.parameters().shape(*book);
                lookup::cpu::lookup(input(0), number(*book), shape[1], y).map_err(|code| {
                    let allowed = format!("a whole number, 0 to {}", shape[0] - 1);
                    Error::invalid(format!("code for {}", step.name), code.to_string(), allowed)
                })?;
            }
            _ => return Err(Error::Internal(format!("no step for {}", step.fused.operation.name()))),
        }
    }
    Ok(())
}

fn extended(
    of: &Extend,
    step: &Step,
    item: &Item<'_>,
    memory: &mut Memory,
    activation: Option<pointwise::Activation<'_>>,
    y: &mut [f32],
) {
    let (kept, kept_frames, left) = match &of.left {
        Left::Kept(name, frames) => {
            let kept = memory.remembered.get(item.state, name, step.from.with_frames(*frames));
            (kept, *frames, (extend::Edge::Zero, 0))
        }
        Left::Edge(left, frames) => (Vec::new(), 0, (edge(*left), *frames)),
    };
    let Right(right, after) = of.right;
    let right = (edge(right), after);
    let extend = extend::Extend { size: size(step.from), kept: &kept, kept_frames, left, right, activation };
    extend::cpu::extend(&extend, memory.read(&item.inputs, step.inputs[0]), y);
    if let Some((name, keep)) = &of.keep {
        let frames = step.shape.frames;
        let last = y.chunks(frames.max(1)).flat_map(|row| &row[frames - keep..]).copied().collect();
        memory.remembered.set(name, step.from.with_frames(*keep), last);
    }
}

/// An edge, as kernels call it.
pub(super) fn edge(edge: Edge) -> extend::Edge {
    match edge {
        Edge::Zero => extend::Edge::Zero,
        Edge::Reflect => extend::Edge::Reflect,
        Edge::Replicate => extend::Edge::Replicate,
    }
}
