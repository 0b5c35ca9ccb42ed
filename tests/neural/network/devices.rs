//! A stream of a causal model whose pieces run on both devices in turn, and jobs whose GPU fails.

use super::graphs::{Causal, Random};
use super::legs::batcher;
use super::session::error_db;
use crate::oracle;
use base::progress::Progress;
use dsp::device::{DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};
use neural::network::{Constants, Item, Session, State};

#[test]
fn a_stream_goes_from_device_to_device() {
    let Some(batcher) = batcher() else { return };
    let model = Causal::new();
    let constants = Constants::new(&model.parameters);
    let (mut state, mut exact, mut random) = (State::new(), State::new(), Random::new(9));
    for (n, frames) in [20, 64, 6, 100, 64].into_iter().enumerate() {
        let graph = model.graph(frames);
        let x = random.numbers(3 * frames, 1.0);
        let expected = oracle::run(&graph, &model.parameters, &[&x], &mut exact).unwrap();
        let session = Session::new(&graph, &constants).unwrap();
        let mut items = [Item::new(vec![&x], &mut state)];
        if n % 2 == 0 {
            let finished = session.run_on_gpu(&batcher.0, &mut items, &Progress::new()).unwrap();
            assert!(finished.dispatches > 8, "the GPU did not run");
        } else {
            session.run(&mut items, &Progress::new()).unwrap();
        }
        let db = error_db(&items[0].outputs[0], &expected[0]);
        assert!(db < -105.0, "piece {n}: {db} dB");
    }
}

#[test]
fn a_cancelled_run_on_a_gpu_keeps_the_state() {
    let Some(batcher) = batcher() else { return };
    let model = Causal::new();
    let session = Session::new(&model.graph(64), &Constants::new(&model.parameters)).unwrap();
    let (x, progress, mut state) = (Random::new(1).numbers(3 * 64, 1.0), Progress::new(), State::new());
    progress.cancel();
    let stopped = session.run_on_gpu(&batcher.0, &mut [Item::new(vec![&x], &mut state)], &progress);
    assert!(matches!(stopped, Err(base::Error::Cancelled)), "{stopped:?}");
    assert_eq!(state, State::new());
}

#[test]
fn a_lost_gpu_is_opened_again_and_then_left() {
    crate::support::alone::alone("network::devices::child_with_failing_gpus", &[]);
}

#[test]
#[ignore = "run by a_lost_gpu_is_opened_again_and_then_left"]
fn child_with_failing_gpus() {
    let model = Causal::new();
    let constants = Constants::new(&model.parameters);
    let session = Session::new(&model.graph(64), &constants).unwrap();
    let x = Random::new(1).numbers(3 * 64, 1.0);
    let expected = oracle::run(&model.graph(64), &model.parameters, &[&x], &mut State::new()).unwrap();
    let cases = [
        (Faults { lost_at_submit: Some(1), ..Faults::default() }, "gpu:0"),
        (Faults { lost_from_submit: Some(1), ..Faults::default() }, "cpu"),
        (Faults { out_of_memory_above: Some(1000), ..Faults::default() }, "cpu"),
    ];
    for (fault, used) in cases {
        let devices = Devices::new(None);
        let mut job = session.job(&DeviceRequest::Gpu, &devices, RunPurpose::Export, None).unwrap();
        assert_eq!(job.report().used, "gpu:0");
        faults::arm(fault);
        let mut state = State::new();
        let mut items = [Item::new(vec![&x], &mut state)];
        session.run_on(&mut job, &mut items, &Progress::new()).unwrap();
        let db = error_db(&items[0].outputs[0], &expected[0]);
        println!("{fault:?}: {:?}", job.report());
        assert!(db < -105.0, "{fault:?}: {db} dB");
        assert_eq!(job.report().used, used, "{fault:?}");
        assert!(!job.report().reason.is_empty());
        faults::arm(Faults::default());
    }
}
