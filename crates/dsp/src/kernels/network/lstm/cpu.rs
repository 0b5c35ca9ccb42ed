//! The recurrent part on the CPU: threads share the blocks of the weights, and meet after every frame.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::barrier::Barrier;
use super::{BLOCK, Layer, UNITS};
use crate::kernels::network::convolution::cpu as product;
use crate::kernels::network::convolution::{Epilogue, Kind, Plan, Size};
use crate::kernels::network::pointwise::functions::{logistic, tanh};
use base::error::{Error, Result};
use base::progress::Progress;
use base::simd::{Lanes, Simd, Task, Wide};

/// The number of multiplications per frame worth a thread.
const OF_A_THREAD: usize = 1 << 17;

/// The sequences of an item of a batch: one in each row.
#[derive(Debug)]
pub struct Job<'a> {
    /// `inputs x rows x frames`
    pub x: &'a [f32],
    /// The hidden values before the first frame, `size x rows`, then the cells; at the end, those after the last frame.
    pub state: &'a mut [f32],
    /// The hidden values, `size x rows x frames`.
    pub y: &'a mut [f32],
}

/// Runs a layer over the sequences of a batch, each of `[rows, frames]`, from the last frame to the first if
/// `backward`.
pub fn run(
    layer: &Layer,
    [rows, frames]: [usize; 2],
    backward: bool,
    jobs: &mut [Job<'_>],
    progress: &Progress,
) -> Result<()> {
    if rows * frames == 0 || layer.size == 0 {
        return Ok(());
    }
    let kind = Kind::Forward { taps: [1, 1], stride: [1, 1], dilation: [1, 1], padding: [0, 0] };
    let plan = Plan::new(kind, 1, layer.bias.len(), Size { channels: layer.inputs, rows, frames });
    let epilogue = Epilogue { bias: Some(&layer.bias), ..Epilogue::default() };
    let mut gates: Vec<Vec<f32>> = jobs.iter().map(|_| vec![0.0; plan.output().len()]).collect();
    let mut products: Vec<product::Job<'_>> =
        jobs.iter().zip(&mut gates).map(|(job, y)| product::Job { x: job.x, residual: None, y }).collect();
    product::run(&plan, &layer.of_input, epilogue, &mut products, progress)?;
    let hidden: Vec<[Vec<AtomicU32>; 2]> = jobs
        .iter()
        .map(|job| {
            let bits = |_| job.state[..rows * layer.size].iter().map(|x| AtomicU32::new(x.to_bits())).collect();
            [0, 1].map(bits)
        })
        .collect();
    let blocks = layer.size.div_ceil(UNITS);
    let threads = (4 * layer.size * layer.size * rows / OF_A_THREAD).clamp(1, rayon::current_num_threads().min(blocks));
    let of_thread = blocks.div_ceil(threads);
    let threads = blocks.div_ceil(of_thread);
    let (barrier, stop) = (Barrier::new(threads), AtomicUsize::new(usize::MAX));
    let simd = Simd::best();
    let shared = Steps { layer, rows, frames, backward, hidden: &hidden, barrier: &barrier, stop: &stop, progress };
    std::thread::scope(|scope| {
        let mut rest: Vec<(&[f32], &mut [f32], &mut [f32])> = jobs
            .iter_mut()
            .zip(&gates)
            .map(|(job, gates)| (gates.as_slice(), &mut job.state[rows * layer.size..], &mut *job.y))
            .collect();
        for thread in 0..threads {
            let first = thread * of_thread;
            let units = (of_thread * UNITS).min(layer.size - first * UNITS);
            let mut parts = Vec::with_capacity(rest.len());
            for (gates, cells, y) in &mut rest {
                let (part_gates, left) = gates.split_at((of_thread * BLOCK * rows * frames).min(gates.len()));
                *gates = left;
                let (part_cells, left) = std::mem::take(cells).split_at_mut(units * rows);
                *cells = left;
                let (part_y, left) = std::mem::take(y).split_at_mut(units * rows * frames);
                *y = left;
                parts.push(JobPart { gates: part_gates, cells: part_cells, y: part_y });
            }
            let task = ThreadTask { shared, first, parts };
            if thread + 1 == threads {
                simd.dispatch(task);
            } else {
                scope.spawn(move || simd.dispatch(task));
            }
        }
    });
    if stop.load(Ordering::Relaxed) != usize::MAX {
        return Err(Error::Cancelled);
    }
    for (job, hidden) in jobs.iter_mut().zip(&hidden) {
        let last = &hidden[frames % 2];
        job.state[..rows * layer.size]
            .iter_mut()
            .zip(last)
            .for_each(|(to, x)| *to = f32::from_bits(x.load(Ordering::Relaxed)));
    }
    Ok(())
}

/// The data that all threads share.
#[derive(Clone, Copy)]
struct Steps<'a> {
    layer: &'a Layer,
    rows: usize,
    frames: usize,
    backward: bool,
    /// The hidden values of each job before even and before odd steps: for each value, of each row.
    hidden: &'a [[Vec<AtomicU32>; 2]],
    barrier: &'a Barrier,
    /// The step after which all stop, set by the first thread when it is cancelled.
    stop: &'a AtomicUsize,
    progress: &'a Progress,
}

/// A thread's part of a job: some blocks.
struct JobPart<'a> {
    gates: &'a [f32],
    cells: &'a mut [f32],
    y: &'a mut [f32],
}

struct ThreadTask<'a> {
    shared: Steps<'a>,
    /// The first block.
    first: usize,
    parts: Vec<JobPart<'a>>,
}

impl Task for ThreadTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let Steps { layer, rows, frames, backward, hidden, barrier, stop, progress } = self.shared;
        let mut before = vec![vec![0.0; rows * layer.size]; self.parts.len()];
        for step in 0..frames {
            let frame = if backward { frames - 1 - step } else { step };
            for (before, hidden) in before.iter_mut().zip(hidden) {
                let hidden = &hidden[step % 2];
                for (row, before) in before.chunks_exact_mut(layer.size).enumerate() {
                    let of_row = hidden[row..].iter().step_by(rows);
                    before.iter_mut().zip(of_row).for_each(|(to, x)| *to = f32::from_bits(x.load(Ordering::Relaxed)));
                }
            }
            let units = self.parts.first().map_or(0, |part| part.cells.len() / rows);
            for block in 0..units.div_ceil(UNITS) {
                let weights = &layer.of_hidden[(self.first + block) * layer.size..][..layer.size];
                for (n, part) in self.parts.iter_mut().enumerate() {
                    let count = UNITS.min(units - block * UNITS);
                    for row in 0..rows {
                        let sums = product_with::<L>(weights, &before[n][row * layer.size..][..layer.size]);
                        let mut gates = [0.0; BLOCK];
                        for (of_block, (gate, sum)) in gates.iter_mut().zip(sums).enumerate() {
                            *gate = part.gates[((block * BLOCK + of_block) * rows + row) * frames + frame] + sum;
                        }
                        let (mut new_cells, mut values) = ([0.0; UNITS], [0.0; UNITS]);
                        let places = (0..count).map(|unit| (block * UNITS + unit) * rows + row);
                        new_cells.iter_mut().zip(places.clone()).for_each(|(cell, at)| *cell = part.cells[at]);
                        for unit in 0..UNITS {
                            let gate = |which: usize| gates[which * UNITS + unit];
                            let cell = logistic(gate(1)) * new_cells[unit] + logistic(gate(0)) * tanh(gate(2));
                            new_cells[unit] = cell;
                            values[unit] = logistic(gate(3)) * tanh(cell);
                        }
                        let next = &hidden[n][(step + 1) % 2][self.first * UNITS * rows..];
                        for (at, (cell, value)) in places.zip(new_cells.into_iter().zip(values)) {
                            part.cells[at] = cell;
                            part.y[at * frames + frame] = value;
                            next[at].store(value.to_bits(), Ordering::Relaxed);
                        }
                    }
                }
            }
            if self.first == 0 && progress.is_cancelled() && stop.load(Ordering::Relaxed) == usize::MAX {
                stop.store(step, Ordering::Relaxed);
            }
            barrier.wait();
            if step >= stop.load(Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// The weights of a block times the hidden values.
#[inline(always)]
fn product_with<L: Lanes>(weights: &[[f32; BLOCK]], hidden: &[f32]) -> [f32; BLOCK] {
    const VECTORS: usize = 8;
    let mut result = [0.0; BLOCK];
    let width = VECTORS * L::Wide::WIDTH;
    let mut first = 0;
    while first < BLOCK {
        let mut sums = [L::Wide::splat(0.0); VECTORS];
        for (weights, &hidden) in weights.iter().zip(hidden) {
            let hidden = L::Wide::splat(hidden);
            for v in 0..VECTORS {
                sums[v] = L::Wide::load(&weights[first + v * L::Wide::WIDTH..]).mul_add(hidden, sums[v]);
            }
        }
        for v in 0..VECTORS {
            sums[v].store(&mut result[first + v * L::Wide::WIDTH..]);
        }
        first += width;
    }
    result
}
