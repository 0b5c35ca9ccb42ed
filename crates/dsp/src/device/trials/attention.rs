//! Causal attention of four heads of 64 components to the last 250 frames.

use super::blocks::{Blocks, as_it_is, noise};
use super::trial::Trial;
use crate::kernels::network::attention::{KERNEL, Plan, cpu, gpu};
use crate::kernels::network::block::Block;
use base::error::Result;
use base::progress::Progress;

const HEADS: usize = 4;
const WIDTH: usize = 64;

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let frames = frames.div_ceil(HEADS * WIDTH);
    let plan = Plan {
        heads: HEADS,
        key_heads: HEADS,
        width: WIDTH,
        value_width: WIDTH,
        frames,
        keys: frames,
        window: Some(250),
        distances: false,
    };
    let (sight, count) = (plan.sight(None), HEADS * WIDTH * frames);
    // Large enough for weights that differ.
    let loud = |seed| noise(seed, count).iter().map(|x| 2.0 * x).collect::<Vec<f32>>();
    Ok(Box::new(Blocks {
        inputs: vec![loud(1), loud(2), noise(3, count)],
        count,
        operations: 2.0 * plan.products() as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; count];
            let [query, keys, values] = [0, 1, 2].map(|n| inputs[n].as_slice());
            cpu::run(&plan, &mut [cpu::Job { query, keys, values, falls: None, sight, y: &mut y }], &Progress::new())?;
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let [query, keys, values] = [0, 1, 2].map(|n| Block::upload(recording, &inputs[n]));
            gpu::record(recording, &plan, sight, [query?, keys?, values?], None)
        }),
        reference: Box::new(move |inputs, places| {
            let number = |&place: &usize| {
                let (component, frame) = (place / frames, place % frames);
                let head = component / WIDTH * WIDTH;
                let at = |n: usize, component: usize, frame: usize| f64::from(inputs[n][component * frames + frame]);
                let score = |key: usize| {
                    let products = (head..head + WIDTH).map(|n| at(0, n, frame) * at(1, n, key));
                    products.sum::<f64>() / (WIDTH as f64).sqrt()
                };
                let weights: Vec<(usize, f64)> = plan.seen(sight, frame).map(|key| (key, score(key).exp())).collect();
                let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
                weights.iter().map(|(key, weight)| weight * at(2, component, *key)).sum::<f64>() / sum
            };
            places.iter().map(number).collect()
        }),
        compared: as_it_is,
    }))
}
