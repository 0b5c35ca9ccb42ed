//! The same chain on a GPU, also with faults: the samples are always correct and the report is accurate.

use std::sync::Arc;

use super::effects::{chain, find, gain, high, low, mixed, node, parallel, series};
use super::lone_gpu::{Gpu, gpu};
use super::signal::{self, assert_close, noise, wide};
use super::{render, renderer};
use audio::AudioBuffer;
use base::progress::Progress;
use dsp::device::{DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Renderer};

/// The GPU's tolerance in dB.
const GPU_DB: f64 = -120.0;

impl Gpu {
    fn renderer(&self, chain: &Chain, request: &str) -> Renderer {
        let placement = self.placement(request, RunPurpose::Export);
        Renderer::with_catalogue(chain, signal::format(2), &placement, &MeasuredMap::default(), find).unwrap()
    }
}

/// A chain of effects that all have GPU kernels.
fn resident() -> Chain {
    chain(vec![
        gain(1, 0.7, 0.9),
        low(2, 0.3, 0.5),
        parallel(3, vec![high(4, 0.02, 1.0), mixed(0.3, low(5, 0.01, 1.0)), gain(6, 0.1, 0.2)]),
        series(7, vec![high(8, 0.001, 1.4), gain(9, 0.5, 0.25)]),
    ])
}

/// The same chain with stages in between that run on the host.
fn mingled() -> Chain {
    let mut chain = resident();
    let late = node(11, "lookahead", &[("frames", 300.0)]);
    chain.nodes.insert(1, mixed(0.4, series(10, vec![low(12, 0.2, 1.0), late, high(13, 0.01, 1.0)])));
    chain.nodes.push(node(14, "echo", &[("frames", 50.0)]));
    chain
}

fn assert_right(out: &AudioBuffer, chain: &Chain, input: &AudioBuffer, what: &str) {
    let expected = render(&mut renderer(chain, 2), input, &[], false);
    for channel in 0..2 {
        let expected = wide(expected.channel(channel));
        assert_close(out.channel(channel), &expected, input.channel(channel), GPU_DB, what);
    }
}

#[test]
fn a_chain_on_the_gpu_gives_what_it_gives_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 50_003);
    for (chain, what) in [(resident(), "resident"), (mingled(), "mingled")] {
        let mut renderer = gpu.renderer(&chain, "gpu");
        let out = render(&mut renderer, &input, &[20_000, 1, 4097, 255], false);
        assert_right(&out, &chain, &input, what);
        let report = renderer.report();
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        let seconds = renderer.seconds();
        assert!(seconds.upload > 0.0 && seconds.kernels > 0.0 && seconds.readback > 0.0, "{seconds:?}");
    }
}

#[test]
fn state_moves_between_devices_in_the_midst_of_a_stream() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 30_000);
    for chain in [resident(), mingled()] {
        let mut out = AudioBuffer::new(2, 0);
        let mut state: Option<RenderState> = None;
        for (at, device) in ["cpu", "gpu", "cpu", "gpu", "gpu", "cpu"].into_iter().enumerate() {
            let mut renderer = gpu.renderer(&chain, device);
            if let Some(state) = &state {
                renderer.restore(state).unwrap();
            }
            let mut block = AudioBuffer::new(2, 0);
            block.extend_from(&input, at * 5000..(at + 1) * 5000);
            renderer.process(&mut block).unwrap();
            out.extend_from(&block, 0..block.frames());
            assert!(renderer.report().used.starts_with(device));
            state = Some(renderer.state());
            if at == 5 {
                let rest = renderer.finish(false).unwrap();
                out.extend_from(&rest, 0..rest.frames());
            }
        }
        assert_right(&out, &chain, &input, "handed over");
    }
}

#[test]
fn out_of_memory_halves_the_chunk_and_goes_on() {
    let Some(mut gpu) = gpu() else { return };
    let input = noise(2, 150_000);
    for chain in [resident(), mingled()] {
        // A new engine has no cached buffers and must allocate each one.
        gpu.devices = Arc::new(Devices::new(None));
        let mut renderer = gpu.renderer(&chain, "gpu");
        let frames = renderer.preferred_frames();
        faults::arm(Faults { out_of_memory_at_buffer: Some(4), ..Faults::default() });
        let out = render(&mut renderer, &input, &[], false);
        assert_right(&out, &chain, &input, "halved");
        assert_eq!(renderer.preferred_frames(), frames / 2);
        let report = renderer.report();
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
    }
}

#[test]
fn a_gpu_without_memory_leaves_the_work_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 100_000);
    for chain in [resident(), mingled()] {
        let mut renderer = gpu.renderer(&chain, "gpu");
        let mut head = AudioBuffer::new(2, 0);
        head.extend_from(&input, 0..10_000);
        renderer.process(&mut head).unwrap();
        faults::arm(Faults { out_of_memory_above: Some(100), ..Faults::default() });
        let mut rest = AudioBuffer::new(2, 0);
        rest.extend_from(&input, 10_000..100_000);
        let rest = render(&mut renderer, &rest, &[], false);
        head.extend_from(&rest, 0..rest.frames());
        assert_right(&head, &chain, &input, "without memory");
        let report = renderer.report();
        assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
        assert!(report.reason.contains("memory"), "{report:?}");
        faults::arm(Faults::default());
    }
}

#[test]
fn a_device_lost_once_is_opened_again() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 60_000);
    for chain in [resident(), mingled()] {
        let mut renderer = gpu.renderer(&chain, "gpu");
        faults::arm(Faults { lost_at_submit: Some(3), ..Faults::default() });
        let out = render(&mut renderer, &input, &[10_000], false);
        assert_right(&out, &chain, &input, "opened again");
        let report = renderer.report();
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        assert!(report.reason.contains("restarted once"), "{report:?}");
    }
}

#[test]
fn a_device_lost_for_good_leaves_the_work_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 60_000);
    for chain in [resident(), mingled()] {
        let mut renderer = gpu.renderer(&chain, "gpu:0");
        faults::arm(Faults { lost_from_submit: Some(3), ..Faults::default() });
        let out = render(&mut renderer, &input, &[10_000], false);
        assert_right(&out, &chain, &input, "lost");
        let report = renderer.report();
        assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
        assert!(report.reason.contains("stopped working") && report.requested == "gpu:0", "{report:?}");
        faults::arm(Faults::default());
    }
}

#[test]
fn a_driver_that_disappears_in_the_midst_leaves_the_work_to_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let input = noise(2, 60_000);
    let chain = resident();
    let mut renderer = gpu.renderer(&chain, "gpu");
    // The device is lost, and the adapter is gone when it is opened again.
    faults::arm(Faults { lost_at_submit: Some(2), adapter_vanished: true, ..Faults::default() });
    let out = render(&mut renderer, &input, &[10_000], false);
    assert_right(&out, &chain, &input, "vanished");
    assert_eq!((renderer.report().used.as_str(), renderer.report().fallback), ("cpu", true));
}

#[test]
fn an_adapter_that_cannot_be_opened_is_told_at_the_beginning() {
    let Some(gpu) = gpu() else { return };
    faults::arm(Faults { adapter_vanished: true, ..Faults::default() });
    let mut renderer = gpu.renderer(&resident(), "gpu");
    let report = renderer.report();
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
    let input = noise(2, 5000);
    assert_eq!(
        render(&mut renderer, &input, &[], false),
        render(&mut super::renderer(&resident(), 2), &input, &[], false)
    );
}

#[test]
fn a_name_that_no_adapter_has_is_told_with_those_there_are() {
    let Some(gpu) = gpu() else { return };
    let report = gpu.renderer(&resident(), "Voodoo 9000").report();
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true));
    assert!(report.reason.contains("Voodoo 9000") && report.reason.contains("gpu:0"), "{report:?}");
    assert_eq!(report.requested, "Voodoo 9000");
}

#[test]
fn a_chain_that_does_nothing_needs_no_gpu_and_auto_no_software_adapter() {
    let Some(gpu) = gpu() else { return };
    let report = gpu.renderer(&chain(vec![]), "gpu").report();
    assert_eq!(report.used, "cpu");
    let software = gpu.devices.list().iter().filter(|device| device.kind == "software").count();
    if software + 1 == gpu.devices.list().len() {
        let report = gpu.renderer(&resident(), "auto").report();
        assert_eq!((report.used.as_str(), report.fallback), ("cpu", false), "{report:?}");
    }
}

#[test]
fn a_cancel_stops_a_chunk_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let progress = Progress::new();
    let mut renderer = gpu.renderer(&resident(), "gpu");
    renderer.watch(&progress);
    progress.cancel();
    let before = renderer.state();
    assert!(matches!(renderer.process(&mut noise(2, 100_000)), Err(base::Error::Cancelled)));
    assert_eq!(renderer.state(), before);
}

#[test]
fn what_f32_would_not_keep_runs_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let renderer = |text: &str| {
        let placement = Placement::new(DeviceRequest::Gpu, Arc::clone(&gpu.devices), RunPurpose::Export);
        Renderer::new(&text.parse().unwrap(), signal::format(2), &placement, &MeasuredMap::default()).unwrap()
    };
    // One band is raised by 72 dB, so that everything is rounded at that level before it is lowered again.
    let raised = ["peaking(1 kHz, q=1, gain=24 dB)"; 3].join(" | ");
    let report = renderer(&format!("{raised} | {}", raised.replace("gain=24", "gain=-24"))).report();
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
    assert!(report.reason.starts_with("accuracy"), "{report:?}");
    let report = renderer("lowpass(1 kHz, order=8)").report();
    assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
}
