//! The four legs of the tests of a network's kernels, on graphs of one operation.

use super::graphs::one;
use super::session::{error_db, inputs, run};
use crate::oracle;
use crate::support::gpu::engine;
use base::progress::Progress;
use dsp::gpu::SubmissionBatcher;
use neural::network::{Constants, Graph, Item, Parameters, Session, State};
use std::sync::{Arc, Mutex};

/// Runs a graph on a GPU.
pub fn on_gpu(graph: &Graph, parameters: &Parameters, inputs: &[Vec<f32>], state: &mut State) -> Option<Vec<Vec<f32>>> {
    let batcher = batcher()?;
    let session = Session::new(graph, &Constants::new(parameters)).unwrap();
    let mut items = [Item::new(inputs.iter().map(Vec::as_slice).collect(), state)];
    let finished = session.run_on_gpu(&batcher.0, &mut items, &Progress::new()).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    let [item] = items;
    Some(item.outputs)
}

/// A batcher with the test adapter; no other test has it at the same time.
pub struct Batcher(pub SubmissionBatcher, #[allow(dead_code, reason = "held")] crate::support::gpu::Turn);

pub fn batcher() -> Option<Batcher> {
    let turn = crate::support::gpu::Turn::take();
    let engine = engine()?.into_engine();
    Some(Batcher(SubmissionBatcher::new(Arc::new(Mutex::new(engine))), turn))
}

/// CPU and GPU against f64, the GPU against the CPU, and spoiled values refused by both limits.
pub fn legs(kinds: &[&str], limit_db: f64) {
    for kind in kinds {
        for seed in 0..4 {
            let (graph, parameters) = one(kind, seed);
            let inputs = inputs(&graph, seed);
            let views: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
            let expected = oracle::run(&graph, &parameters, &views, &mut State::new()).unwrap();
            let cpu = run(&graph, &parameters, &inputs, &mut State::new());
            let Some(gpu) = on_gpu(&graph, &parameters, &inputs, &mut State::new()) else { return };
            for (n, expected) in expected.iter().enumerate() {
                let db = [error_db(&cpu[n], expected), error_db(&gpu[n], expected)];
                println!("{kind}, seed {seed}, output {n}: CPU {:.1} dB, GPU {:.1} dB", db[0], db[1]);
                assert!(db.into_iter().all(|db| db < limit_db), "{kind}, seed {seed}, output {n}: {db:?} dB");
                let twin: Vec<f64> = cpu[n].iter().map(|&x| f64::from(x)).collect();
                assert!(error_db(&gpu[n], &twin) < limit_db + 6.1);
                let by = 1.0 + 2.0 * 10_f32.powf(limit_db as f32 / 20.0);
                let spoiled: Vec<f32> = gpu[n].iter().map(|x| x * by).collect();
                assert!(error_db(&spoiled, expected) > limit_db, "{kind}: spoiled values pass");
            }
        }
    }
}
