//! Codes back to vectors of 8 components.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::gpu::{Constant, MAX_BINDING_BYTES};
use crate::kernels::network::block::Block;
use crate::kernels::network::lookup::{KERNEL, cpu, gpu};
use base::error::{Error, Result};

const ROWS: usize = 1024;
const COMPONENTS: usize = 8;

/// The maximum number of codes of a trial: their vectors fill the largest binding.
const MOST: usize = MAX_BINDING_BYTES as usize / (4 * COMPONENTS);

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let frames = frames.min(MOST);
    let codes: Vec<f32> = noise(1, frames).iter().map(|x| ((x + 1.0) * 511.9).floor()).collect();
    let book = noise(2, ROWS * COMPONENTS);
    let constant = Constant::of(&book);
    let count = frames * COMPONENTS;
    Ok(Box::new(Blocks {
        inputs: vec![codes, book],
        count,
        operations: count as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            let wrong = |code: f32| Error::Internal(format!("code {code}"));
            cpu::lookup(&inputs[0], &inputs[1], COMPONENTS, &mut y).map_err(wrong)?;
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let codes = Block::upload(recording, &inputs[0])?;
            gpu::record(recording, codes, frames, &constant, [ROWS, COMPONENTS])
        }),
        reference: Box::new(move |inputs, places| {
            let number = |&place: &usize| {
                let code = inputs[0][place % frames] as usize;
                f64::from(inputs[1][code * COMPONENTS + place / frames])
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
