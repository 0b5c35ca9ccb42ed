//! A layer of 128 hidden values.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::kernels::network::block::Block;
use crate::kernels::network::lstm::{KERNEL, Layer, cpu, gpu};
use base::error::Result;
use base::progress::Progress;

const SIZE: usize = 128;

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let steps = frames.div_ceil(SIZE);
    let count = SIZE * steps;
    let weights = |seed| noise(seed, 4 * SIZE * SIZE).iter().map(|x| x * 0.1).collect::<Vec<f32>>();
    let inputs = vec![noise(1, count), weights(2), weights(3), noise(4, 4 * SIZE), vec![0.0; 2 * SIZE]];
    let layer = Layer::new(SIZE, SIZE, &inputs[1], &inputs[2], &inputs[3]);
    let constants = gpu::weights(SIZE, SIZE, &inputs[1], &inputs[2], &inputs[3])?;
    let of_device = layer.clone();
    Ok(Box::new(Blocks {
        inputs,
        count,
        operations: 2.0 * (layer.products() * steps as u64) as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let (mut y, mut state) = (vec![0.0; count], inputs[4].clone());
            let mut jobs = [cpu::Job { x: &inputs[0], state: &mut state, y: &mut y }];
            cpu::run(&layer, [1, steps], false, &mut jobs, &Progress::new())?;
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let (x, state) = (Block::upload(recording, &inputs[0])?, Block::upload(recording, &inputs[4])?);
            Ok(gpu::record(recording, &of_device, &constants, [1, steps], false, x, state)?.0)
        }),
        reference: Box::new(move |inputs, places| {
            let all = reference(inputs, steps);
            places.iter().map(|&place| all[place]).collect()
        }),
        compared: as_it_is,
    }))
}

/// The layer by its definition.
fn reference(inputs: &[Vec<f32>], steps: usize) -> Vec<f64> {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (mut hidden, mut cells) = (vec![0.0; SIZE], vec![0.0; SIZE]);
    let mut all = vec![0.0; SIZE * steps];
    for step in 0..steps {
        let gate = |row: usize| {
            let of = |n: usize| {
                f64::from(inputs[1][row * SIZE + n]) * f64::from(inputs[0][n * steps + step])
                    + f64::from(inputs[2][row * SIZE + n]) * hidden[n]
            };
            f64::from(inputs[3][row]) + (0..SIZE).map(of).sum::<f64>()
        };
        let gates: Vec<f64> = (0..4 * SIZE).map(gate).collect();
        for n in 0..SIZE {
            let [input, forget, new, output] = [0, 1, 2, 3].map(|which| gates[which * SIZE + n]);
            cells[n] = logistic(forget) * cells[n] + logistic(input) * new.tanh();
            hidden[n] = logistic(output) * cells[n].tanh();
            all[n * steps + step] = hidden[n];
        }
    }
    all
}
