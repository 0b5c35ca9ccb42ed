//! Shows what overlaps when a chain runs on a GPU: the host's copies to and from mapped memory, and the device's copies
//! and kernels.
//!
//! `cargo bench --bench gpu_overlap` slows the first adapter down to rates in the proportions of a card on a bus, so
//! that the adapter's real speed does not count, and renders 87 s of stereo. It prints the time of each stage according
//! to the rates, the total time, and how much longer the total is than the longest stage.

use std::sync::Arc;
use std::time::Instant;

use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::chain::{Chain, MeasuredMap, Placement, Renderer};
use undertone::device::{DeviceRequest, Devices, RunPurpose};
use undertone::gpu::faults::{Faults, SlowDevice, arm};
use undertone::units::SampleRate;

const CHAIN: &str = "rbj_highpass(80 Hz) | rbj_lowpass(12 kHz) | peaking(1 kHz, q=2, gain=3 dB)";
const SECTIONS: f64 = 3.0;
const FRAMES: usize = 1 << 22;
const CHANNELS: usize = 2;

fn main() {
    let devices = Arc::new(Devices::new(None));
    let cases = [
        ("copies of the host are slowest", 50e6, 150e6, 2e-9),
        ("the bus is slowest", 100e6, 40e6, 2e-9),
        ("kernels are slowest", 100e6, 200e6, 60e-9),
    ];
    let samples = (FRAMES * CHANNELS) as f64;
    for (what, host_bytes_s, bus_bytes_s, seconds_per_work) in cases {
        arm(Faults { slow: Some(SlowDevice { host_bytes_s, bus_bytes_s, seconds_per_work }), ..Faults::default() });
        let wall = render(&devices);
        let host = 8.0 * samples / host_bytes_s;
        // One queue works through copies and kernels in turn.
        let bus = 8.0 * samples / bus_bytes_s;
        let kernels = 2.0 * samples * SECTIONS * seconds_per_work;
        let longest = host.max(bus + kernels);
        println!("{what}: host copies {host:.2} s, device copies {bus:.2} s, kernels {kernels:.2} s");
        println!(
            "  one after the other {:.2} s, rendered in {wall:.2} s, {:.2} of the longest stage",
            host + bus + kernels,
            wall / longest
        );
    }
}

fn render(devices: &Arc<Devices>) -> f64 {
    let chain: Chain = CHAIN.parse().expect("a chain");
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), CHANNELS);
    let placement = Placement::new(DeviceRequest::Gpu, Arc::clone(devices), RunPurpose::Export);
    let mut renderer = Renderer::new(&chain, format, &placement, &MeasuredMap::default()).expect("a renderer");
    assert!(!renderer.report().fallback, "{:?}", renderer.report());
    let mut wall = 0.0;
    let mut done = 0;
    while done < FRAMES {
        let frames = renderer.preferred_frames().min(FRAMES - done);
        let mut block = AudioBuffer::new(CHANNELS, frames);
        for (channel, samples) in block.iter_mut().enumerate() {
            for (at, sample) in samples.iter_mut().enumerate() {
                *sample = ((done + at) as f32 * 0.01 * (channel + 1) as f32).sin();
            }
        }
        let started = Instant::now();
        renderer.process(&mut block).expect("a rendered block");
        wall += started.elapsed().as_secs_f64();
        done += frames;
    }
    wall
}
