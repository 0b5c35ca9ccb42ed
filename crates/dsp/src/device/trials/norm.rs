//! A GroupNorm of one group over 16 channels.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::kernels::network::block::Block;
use crate::kernels::network::convolution::Size;
use crate::kernels::network::norm::{KERNEL, Norm, Over, cpu, gpu};
use base::error::Result;

const CHANNELS: usize = 16;

fn norm(inputs: &[Vec<f32>]) -> Norm<'_> {
    Norm { over: Over::Groups(1), gain: Some(&inputs[1]), bias: Some(&inputs[2]), epsilon: 1e-5 }
}

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let size = Size { channels: CHANNELS, rows: 1, frames: frames.div_ceil(CHANNELS) };
    let count = size.len();
    let inputs = vec![noise(1, count), noise(2, CHANNELS), noise(3, CHANNELS)];
    let constant = gpu::constant(&norm(&inputs));
    Ok(Box::new(Blocks {
        inputs,
        count,
        operations: 6.0 * count as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            cpu::run(norm(inputs), size, &inputs[0], &mut y);
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let x = Block::upload(recording, &inputs[0])?;
            gpu::record(recording, &norm(inputs), constant.as_ref(), size, x)
        }),
        reference: Box::new(move |inputs, places| {
            let x = || inputs[0].iter().map(|&x| f64::from(x));
            let mean = x().sum::<f64>() / count as f64;
            let variance = x().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
            let number = |&place: &usize| {
                let channel = place / size.frames;
                let normal = (f64::from(inputs[0][place]) - mean) / (variance + 1e-5).sqrt();
                normal * f64::from(inputs[1][channel]) + f64::from(inputs[2][channel])
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
