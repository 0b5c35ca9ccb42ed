//! Rows mirrored at both edges.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::kernels::network::block::Block;
use crate::kernels::network::convolution::Size;
use crate::kernels::network::extend::{Edge, Extend, KERNEL, cpu, gpu};
use base::error::Result;

const CHANNELS: usize = 16;
const BEFORE: usize = 6;
const AFTER: usize = 3;

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let size = Size { channels: CHANNELS, rows: 1, frames: frames.div_ceil(CHANNELS).max(BEFORE + 1) };
    let extend = Extend {
        size,
        kept: &[],
        kept_frames: 0,
        left: (Edge::Reflect, BEFORE),
        right: (Edge::Reflect, AFTER),
        activation: None,
    };
    let wide = extend.frames();
    let count = CHANNELS * wide;
    Ok(Box::new(Blocks {
        inputs: vec![noise(1, size.len())],
        count,
        operations: count as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            cpu::extend(&extend, &inputs[0], &mut y);
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let x = Block::upload(recording, &inputs[0])?;
            gpu::extend(recording, &extend, None, x, None)
        }),
        reference: Box::new(move |inputs, places| {
            let number = |&place: &usize| {
                let (row, last) = (place / wide, size.frames as isize - 1);
                let frame = (place % wide) as isize - BEFORE as isize;
                let frame = if frame < 0 { -frame } else { last - (frame - last).abs() };
                f64::from(inputs[0][row * size.frames + frame as usize])
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
