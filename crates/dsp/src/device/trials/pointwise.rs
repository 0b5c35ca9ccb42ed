//! Snake on eight channels.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::gpu::Constant;
use crate::kernels::network::block::Block;
use crate::kernels::network::pointwise::{Activation, KERNEL, Pointwise, cpu, gpu};
use base::error::Result;

const CHANNELS: usize = 8;

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let plane = frames.div_ceil(CHANNELS);
    let count = CHANNELS * plane;
    let alpha: Vec<f32> = (1..=CHANNELS).map(|n| n as f32).collect();
    let constant = Constant::of(&alpha);
    Ok(Box::new(Blocks {
        inputs: vec![noise(1, count), alpha],
        count,
        // Two roundings, two polynomials and a division.
        operations: 24.0 * count as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            cpu::run(Pointwise::Activate(Activation::Snake(&inputs[1])), &inputs[0], &[], plane, &mut y);
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let x = Block::upload(recording, &inputs[0])?;
            let operation = Pointwise::Activate(Activation::Snake(&inputs[1]));
            gpu::record(recording, operation, Some(&constant), x, x, count, plane)
        }),
        reference: Box::new(move |inputs, places| {
            let number = |&place: &usize| {
                let (x, a) = (f64::from(inputs[0][place]), f64::from(inputs[1][place / plane]));
                x + (a * x).sin().powi(2) / (a + 1e-9)
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
