//! FIR filters on a GPU within a chain: between recursions, combined with all other kinds of stages, and with faults.

use std::sync::Arc;

use super::lone_gpu::{Gpu, gpu};
use super::render;
use super::signal::{self, assert_close, noise, wide};
use audio::AudioBuffer;
use audio::encode::{EncodeSettings, Encoder, SampleFormat};
use dsp::device::{DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Renderer};

const GPU_DB: f64 = -120.0;

impl Gpu {
    fn real(&self, chain: &Chain, request: &str) -> Renderer {
        let request = DeviceRequest::from(request.to_owned());
        let placement = Placement::new(request, Arc::clone(&self.devices), RunPurpose::Export);
        Renderer::new(chain, signal::format(2), &placement, &MeasuredMap::default()).unwrap()
    }
}

/// Recursions, a filter within a workgroup, a partitioned filter, a dry/wet mix, and branches with different latencies.
struct Room {
    _folder: tempfile::TempDir,
    resident: Chain,
    mingled: Chain,
}

fn room() -> Room {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(&path, &settings, signal::format(2), false, &[]).unwrap();
    let mut response = noise(2, 20_000);
    for channel in response.iter_mut() {
        channel.iter_mut().enumerate().for_each(|(n, sample)| *sample *= 0.05 * (-(n as f32) / 3000.0).exp());
    }
    encoder.write(&response).unwrap();
    encoder.finish().unwrap();
    let path = path.display().to_string().replace('\\', "/");
    let resident = format!(
        "highpass(80 Hz) | fir(lowpass, 8 kHz, 257) | peaking(1 kHz, q=1, gain=3 dB) | \
         mix(30 %, convolve(\"{path}\")) | (lowpass(2 kHz) + fir(highpass, 2 kHz, 31)) | gain(-3 dB)"
    );
    let mingled = format!("{resident} | compressor() | fir(lowpass, 12 kHz, 1025)");
    let parsed = |text: &str| text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
    Room { resident: parsed(&resident), mingled: parsed(&mingled), _folder: folder }
}

fn on_cpu(chain: &Chain, input: &AudioBuffer) -> AudioBuffer {
    let renderer = Renderer::new(chain, signal::format(2), &Placement::cpu(), &MeasuredMap::default());
    render(&mut renderer.unwrap(), input, &[], false)
}

fn assert_right(out: &AudioBuffer, chain: &Chain, input: &AudioBuffer, what: &str) {
    let expected = on_cpu(chain, input);
    for channel in 0..2 {
        assert_close(out.channel(channel), &wide(expected.channel(channel)), input.channel(channel), GPU_DB, what);
    }
}

#[test]
fn a_chain_with_filters_stays_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let room = room();
    let input = noise(2, 90_003);
    let mut renderer = gpu.real(&room.resident, "gpu");
    let out = render(&mut renderer, &input, &[40_000, 1, 4097, 20_255], false);
    assert_right(&out, &room.resident, &input, "resident");
    let report = renderer.report();
    assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
    assert!(!report.reason.contains("on the CPU"), "{report:?}");
    // One recording per chunk, for any chain: nothing is read back in between.
    let counts = gpu.devices.batcher(0).unwrap().counts();
    let latency = renderer.latency_frames() as usize;
    assert!(counts.recordings <= 5 + (latency as u64).div_ceil(20_255) + 1, "{counts:?} for a latency of {latency}");
}

#[test]
fn what_runs_on_the_cpu_in_between_is_told_with_the_reason() {
    let Some(gpu) = gpu() else { return };
    let room = room();
    let input = noise(2, 60_000);
    let mut renderer = gpu.real(&room.mingled, "gpu");
    let out = render(&mut renderer, &input, &[25_000], false);
    assert_right(&out, &room.mingled, &input, "mingled");
    let report = renderer.report();
    assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
    assert!(report.reason.contains("on the CPU in between: compressor (it has no GPU kernel)"), "{report:?}");
    let alone = gpu.real(&"compressor()".parse().unwrap(), "gpu").report();
    assert_eq!((alone.used.as_str(), alone.fallback), ("cpu", true), "{alone:?}");
    let filter = gpu.real(&"fir(lowpass, 1 kHz, 1025)".parse().unwrap(), "gpu").report();
    assert_eq!((filter.used.as_str(), filter.fallback), ("gpu:0", false), "{filter:?}");
}

#[test]
fn the_state_of_a_filter_moves_between_devices() {
    let Some(gpu) = gpu() else { return };
    let room = room();
    let input = noise(2, 60_000);
    let mut out = AudioBuffer::new(2, 0);
    let mut state: Option<RenderState> = None;
    for (at, device) in ["cpu", "gpu", "cpu", "gpu", "gpu", "cpu"].into_iter().enumerate() {
        let mut renderer = gpu.real(&room.mingled, device);
        if let Some(state) = &state {
            renderer.restore(state).unwrap();
        }
        let mut block = AudioBuffer::new(2, 0);
        block.extend_from(&input, at * 10_000..(at + 1) * 10_000);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        state = Some(renderer.state());
        if at == 5 {
            let rest = renderer.finish(false).unwrap();
            out.extend_from(&rest, 0..rest.frames());
        }
    }
    assert_right(&out, &room.mingled, &input, "handed over");
}

#[test]
fn faults_leave_right_samples_and_an_honest_report() {
    let Some(mut gpu) = gpu() else { return };
    let room = room();
    let input = noise(2, 60_000);
    let once = Faults { out_of_memory_at_buffer: Some(9), ..Faults::default() };
    let never = Faults { out_of_memory_above: Some(100), ..Faults::default() };
    let lost = Faults { lost_at_submit: Some(3), ..Faults::default() };
    let gone = Faults { lost_from_submit: Some(3), ..Faults::default() };
    for (armed, used, reason) in [
        (once, "gpu:0", ""),
        (never, "cpu", "memory"),
        (lost, "gpu:0", "restarted once"),
        (gone, "cpu", "stopped working"),
    ] {
        for chain in [&room.resident, &room.mingled] {
            faults::arm(Faults::default());
            // A new engine has no cached buffers and must allocate each one.
            gpu.devices = Arc::new(Devices::new(None));
            let mut renderer = gpu.real(chain, "gpu");
            let mut head = AudioBuffer::new(2, 0);
            head.extend_from(&input, 0..15_000);
            if armed == once {
                head = AudioBuffer::new(2, 0);
            } else {
                renderer.process(&mut head).unwrap();
            }
            faults::arm(armed);
            let mut rest = AudioBuffer::new(2, 0);
            rest.extend_from(&input, if armed == once { 0 } else { 15_000 }..60_000);
            let rest = render(&mut renderer, &rest, &[20_000], false);
            head.extend_from(&rest, 0..rest.frames());
            assert_right(&head, chain, &input, &format!("{armed:?}"));
            let report = renderer.report();
            assert_eq!((report.used.as_str(), report.fallback), (used, used == "cpu"), "{armed:?}: {report:?}");
            assert!(report.reason.contains(reason), "{report:?}");
        }
    }
}

#[test]
fn the_pieces_of_a_chunk_give_what_chunks_of_their_size_give() {
    let Some(gpu) = gpu() else { return };
    let room = room();
    // A chunk of 200,001 frames of stereo is rendered in four pieces, which pass states of all kinds from one to the next
    // on the device.
    let input = noise(2, 200_001);
    for (chain, what) in [(&room.resident, "resident"), (&room.mingled, "mingled")] {
        let outcome = |chunks: &[usize]| {
            let mut renderer = gpu.real(chain, "gpu");
            let out = render(&mut renderer, &input, chunks, false);
            assert!(!renderer.report().fallback, "{:?}", renderer.report());
            (out, renderer.state())
        };
        let (whole, whole_state) = outcome(&[200_001]);
        let (cut, cut_state) = outcome(&[65_536]);
        assert_right(&whole, chain, &input, what);
        for channel in 0..2 {
            let difference = whole.channel(channel).iter().zip(cut.channel(channel)).position(|(a, b)| a != b);
            assert_eq!(difference, None, "{what}, channel {channel}");
        }
        assert_eq!(whole_state.nodes, cut_state.nodes, "{what}");
    }
}
