//! A convolution of a codec: 32 to 64 channels, 7 taps, dilation 3, ELU, and a sum.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::kernels::network::block::Block;
use crate::kernels::network::convolution::{Epilogue, KERNEL, Kind, Plan, Size, Weights, cpu, gpu};
use crate::kernels::network::pointwise::Activation;
use base::error::Result;
use base::progress::Progress;

const INPUTS: usize = 32;
const OUTPUTS: usize = 64;
const TAPS: usize = 7;
const DILATION: usize = 3;

pub(in crate::device) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let kind = Kind::Forward { taps: [1, TAPS], stride: [1, 1], dilation: [1, DILATION], padding: [0, 9] };
    let size = Size { channels: INPUTS, rows: 1, frames: frames.div_ceil(INPUTS) };
    let plan = Plan::new(kind, 1, OUTPUTS, size);
    let (on_cpu, on_gpu) = (plan.clone(), plan.clone());
    let values = noise(3, OUTPUTS * INPUTS * TAPS);
    let weights = Weights::new(kind, 1, OUTPUTS, INPUTS, &values);
    let of_device = gpu::Weights::new(kind, 1, OUTPUTS, INPUTS, &values);
    let count = plan.output().len();
    Ok(Box::new(Blocks {
        inputs: vec![noise(1, size.len()), noise(2, count), noise(4, OUTPUTS), values],
        count,
        operations: 2.0 * plan.products() as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            let epilogue =
                Epilogue { bias: Some(&inputs[2]), activation: Some(Activation::Elu), ..Epilogue::default() };
            let mut jobs = [cpu::Job { x: &inputs[0], residual: Some(&inputs[1]), y: &mut y }];
            cpu::run(&on_cpu, &weights, epilogue, &mut jobs, &Progress::new())?;
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let (x, residual) = (Block::upload(recording, &inputs[0])?, Block::upload(recording, &inputs[1])?);
            let numbers = gpu::Numbers::new(Some(&inputs[2]), None, None);
            gpu::record(recording, &on_gpu, &of_device, &numbers, Some(Activation::Elu), x, Some(residual))
        }),
        reference: Box::new(move |inputs, places| {
            let frames = size.frames;
            let number = |&place: &usize| {
                let (output, frame) = (place / frames, place % frames);
                let mut sum = f64::from(inputs[2][output]);
                for input in 0..INPUTS {
                    for tap in 0..TAPS {
                        let at = (frame + tap * DILATION).checked_sub(9).filter(|&at| at < frames);
                        let x = at.map_or(0.0, |at| f64::from(inputs[0][input * frames + at]));
                        sum += x * f64::from(inputs[3][(output * INPUTS + input) * TAPS + tap]);
                    }
                }
                let active = if sum > 0.0 { sum } else { sum.exp_m1() };
                active + f64::from(inputs[1][place])
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
