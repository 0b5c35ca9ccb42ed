//! How recordings reach the device: in submissions of bounded size and time.

use std::sync::Arc;

use crate::support::alone::alone;
use crate::support::gpu::{engine, noise_buffer};
use audio::AudioBuffer;
use dsp::design::{Warped, butterworth_lowpass};
use dsp::device::{DeviceId, DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults, SlowDevice};
use dsp::gpu::{Engine, Finished};
use dsp::kernels::signal::iir_cascade::gpu::GpuPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState};
use dsp::kernels::signal::resident::Chunk;
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};

/// Runs `passes` gains over an input of these frames, each on the output of the one before: alternately 2 and 0.5.
fn gains(engine: &mut Engine, input: &AudioBuffer, passes: usize) -> (AudioBuffer, Finished) {
    let mut chunk = Chunk::new();
    let mut signal = chunk.upload(input).unwrap();
    for pass in 0..passes {
        let gain = if pass % 2 == 0 { 2.0 } else { 0.5 };
        signal = chunk.gain(signal, &vec![gain; input.channels()]).unwrap();
    }
    let ticket = chunk.readback(signal);
    let mut done = chunk.run(engine, None).unwrap();
    (done.audio(ticket), done.finished)
}

#[test]
fn many_passes_are_split_into_submissions_of_256() {
    let Some(mut engine) = engine() else { return };
    let input = noise_buffer(1, 100);
    // Metal loses a device with some 4,096 passes outstanding.
    let (output, finished) = gains(&mut engine, &input, 5000);
    assert_eq!(output, input, "2 and 0.5 are exact");
    assert_eq!(finished.dispatches, 5000);
    assert!(finished.submissions >= 5000 / 256, "{} submissions", finished.submissions);
    let (output, finished) = gains(&mut engine, &input, 4);
    assert_eq!((output, finished.submissions), (input, 1), "few passes are one submission");
}

/// Filters a second and a half of stereo.
fn filtered(engine: &mut Engine, input: &AudioBuffer) -> (AudioBuffer, Finished) {
    let cascade = Cascade::new(&butterworth_lowpass(8, Warped::new(1000.0, 48e3).unwrap()));
    let plan = GpuPlan::new(&cascade);
    let mut chunk = Chunk::new();
    let signal = chunk.upload(input).unwrap();
    let (signal, _) = chunk.cascade(&plan, &CascadeState::new(input.channels(), cascade.len()), signal).unwrap();
    let ticket = chunk.readback(signal);
    let mut done = chunk.run(engine, None).unwrap();
    (done.audio(ticket), done.finished)
}

/// Runs until the engine knows the pace of the kernels.
fn learned(engine: &mut Engine, input: &AudioBuffer) -> (AudioBuffer, Finished) {
    (0..8).for_each(|_| drop(filtered(engine, input)));
    filtered(engine, input)
}

#[test]
fn a_slow_card_gets_short_dispatches_and_submissions() {
    let Some(_) = engine() else { return };
    alone("submissions::child_with_a_slow_clock", &[]);
}

#[test]
#[ignore = "run by a_slow_card_gets_short_dispatches_and_submissions"]
fn child_with_a_slow_clock() {
    let Some(mut engine) = engine() else { return };
    let input = noise_buffer(2, 72_000);
    let (expected, quick) = learned(&mut engine, &input);
    faults::arm(Faults { slow_clock: Some(20), ..Faults::default() });
    let (output, slow) = learned(&mut engine, &input);
    println!("as it is: {quick:?}\nslow: {slow:?}");
    assert_eq!(output, expected, "however it is cut");
    // A submission takes 10 ms at the most; one workgroup of a kernel that cannot be cut may take longer.
    let workgroups = 2.0 * (72_000_f64 / 4096.0).ceil();
    // On a busy machine each workgroup is already a separate dispatch.
    let is_cut = slow.dispatches > quick.dispatches || quick.dispatches as f64 >= workgroups;
    assert!(is_cut && slow.submissions > quick.submissions, "{quick:?}\n{slow:?}");
    let one = slow.longest_submission * slow.submissions as f64 / workgroups;
    assert!(slow.longest_submission <= 0.010_f64.max(2.0 * one), "{slow:?}");
}

#[test]
fn results_that_are_read_slowly_are_said_of_a_gpu_that_was_selected() {
    let Some(_) = engine() else { return };
    alone("submissions::child_with_slow_readback", &[]);
}

#[test]
#[ignore = "run by results_that_are_read_slowly_are_said_of_a_gpu_that_was_selected"]
fn child_with_slow_readback() {
    let devices = Arc::new(Devices::new(None));
    let reason = |devices: &Arc<Devices>| {
        let placement = Placement::new(DeviceRequest::Gpu, Arc::clone(devices), RunPurpose::Export);
        let chain: Chain = "lowpass(1 kHz)".parse().unwrap();
        let mut block = noise_buffer(2, 1 << 20);
        let mut renderer = Renderer::new(
            &chain,
            audio::AudioFormat::new(base::units::SampleRate::new(48_000).unwrap(), 2),
            &placement,
            &MeasuredMap::default(),
        )
        .unwrap();
        renderer.process(&mut block).unwrap();
        renderer.report()
    };
    let report = reason(&devices);
    assert!(report.used == "gpu:0" && !report.reason.contains("slowly"), "{report:?}");
    let slow = SlowDevice { host_bytes_s: 6e7, bus_bytes_s: 1e12, seconds_per_work: 0.0 };
    faults::arm(Faults { slow: Some(slow), ..Faults::default() });
    let slow = Arc::new(Devices::new(None));
    let report = reason(&slow);
    assert!(report.reason.starts_with("selected") && report.reason.contains("results are read slowly, "), "{report:?}");
    // `auto` decides by these rates.
    let rates = slow.measure(DeviceId::Gpu(0)).unwrap();
    assert!(rates.readback_bytes_s.unwrap() < 7e7, "{rates:?}");
}

#[test]
fn what_is_compiled_before_is_not_compiled_again() {
    let Some(mut engine) = engine() else { return };
    let input = noise_buffer(1, 10_000);
    assert_eq!(engine.compiled(), 0);
    filtered(&mut engine, &input);
    let count = engine.compiled();
    assert!(count >= 3, "reduce, scan and apply: {count}");
    filtered(&mut engine, &input);
    assert_eq!(engine.compiled(), count);
}

#[test]
fn compiled_pipelines_are_kept_and_hostile_files_are_harmless() {
    let Some(_) = engine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = noise_buffer(2, 10_000);
    let run = || {
        let devices = Devices::new(Some(folder.path().to_owned()));
        let engine = devices.engine(0).unwrap();
        filtered(&mut engine.lock().unwrap(), &input).0
    };
    let _turn = engine();
    let expected = run();
    let kept = folder.path().join("pipelines");
    let files = || std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(files().len(), 1, "{:?}", files());
    let file = files().remove(0);
    let good = std::fs::read(&file).unwrap();
    assert!(good.len() > 32, "{} bytes", good.len());
    assert_eq!(run(), expected, "with what was kept");
    for hostile in [Vec::new(), vec![0xff; 100_000], good[..good.len() / 2].to_vec(), b"{}".to_vec()] {
        std::fs::write(&file, hostile).unwrap();
        assert_eq!(run(), expected);
        assert_eq!(std::fs::read(&file).unwrap()[32..48], good[32..48], "it is written again");
    }
}
