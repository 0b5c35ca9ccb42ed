//! Several streams whose chunks are sent to the GPU in one submission, with bit-identical results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lone_gpu::{Gpu, gpu};
use super::render;
use super::signal::{self, assert_close, noise, wide};
use audio::AudioBuffer;
use dsp::device::{DeviceReport, DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};

/// Streams with different chains, channel counts and lengths, which end in different chunks.
fn streams() -> Vec<(Chain, AudioBuffer)> {
    let same = "highpass(80 Hz, order=4) | fir(lowpass, 8 kHz, 1025) | peaking(1 kHz, q=1, gain=3 dB)";
    [(same, 2, 50_000), (same, 2, 8_193), (same, 1, 31_007), ("lowpass(500 Hz) | gain(-6 dB)", 2, 20_000)]
        .into_iter()
        .map(|(chain, channels, frames)| (chain.parse().unwrap(), noise(channels, frames)))
        .collect()
}

fn rendered(gpu: &Gpu, chain: &Chain, input: &AudioBuffer) -> (AudioBuffer, DeviceReport) {
    let placement = Placement::new(DeviceRequest::Gpu, Arc::clone(&gpu.devices), RunPurpose::Export);
    let format = signal::format(input.channels());
    let mut renderer = Renderer::new(chain, format, &placement, &MeasuredMap::default()).unwrap();
    let out = render(&mut renderer, input, &[10_000], false);
    (out, renderer.report())
}

/// Renders all streams at the same time. The engine is held until each has its first chunk ready.
fn together(gpu: &Gpu, streams: &[(Chain, AudioBuffer)]) -> Vec<(AudioBuffer, DeviceReport)> {
    let batcher = gpu.devices.batcher(0).unwrap();
    let held = batcher.engine();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            streams.iter().map(|(chain, input)| scope.spawn(|| rendered(gpu, chain, input))).collect();
        let started = Instant::now();
        while batcher.waiting() < streams.len() && started.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(batcher.waiting(), streams.len());
        drop(held);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn what_goes_together_gives_the_bits_that_it_gives_alone() {
    let Some(gpu) = gpu() else { return };
    let streams = streams();
    let alone: Vec<_> = streams.iter().map(|(chain, input)| rendered(&gpu, chain, input).0).collect();
    let batcher = gpu.devices.batcher(0).unwrap();
    let before = batcher.counts();
    assert_eq!((before.max_together, before.recordings), (1, before.runs));
    let all = together(&gpu, &streams);
    for ((out, report), alone) in all.iter().zip(&alone) {
        assert!(out == alone, "other bits in company");
        assert_eq!(report.used, "gpu:0", "{report:?}");
    }
    let after = batcher.counts();
    assert_eq!(after.max_together, streams.len(), "{after:?}");
    assert_eq!(after.recordings, 2 * before.recordings);
    assert!(after.runs - before.runs < before.runs, "{before:?} {after:?}");
}

#[test]
fn a_fault_that_strikes_all_leaves_right_samples() {
    let Some(mut gpu) = gpu() else { return };
    let streams = streams();
    let expected: Vec<AudioBuffer> = streams
        .iter()
        .map(|(chain, input)| {
            let format = signal::format(input.channels());
            let renderer = Renderer::new(chain, format, &Placement::cpu(), &MeasuredMap::default());
            render(&mut renderer.unwrap(), input, &[], false)
        })
        .collect();
    let memory = Faults { out_of_memory_at_buffer: Some(9), ..Faults::default() };
    let gone = Faults { lost_from_submit: Some(2), ..Faults::default() };
    for (armed, used) in [(memory, "gpu:0"), (gone, "cpu")] {
        faults::arm(Faults::default());
        gpu.devices = Arc::new(Devices::new(None));
        drop(gpu.devices.batcher(0).unwrap());
        faults::arm(armed);
        for (((out, report), expected), (_, input)) in together(&gpu, &streams).iter().zip(&expected).zip(&streams) {
            for channel in 0..input.channels() {
                let expected = wide(expected.channel(channel));
                assert_close(out.channel(channel), &expected, input.channel(channel), -120.0, &format!("{armed:?}"));
            }
            assert_eq!(report.used, used, "{armed:?}: {report:?}");
        }
    }
}
