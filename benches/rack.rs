//! Times chains of the rack in samples per second: 60 s at 48 kHz in memory, rendered in blocks of 65536 frames.
//!
//! `cargo bench --bench rack` prints all cases on one thread and on all. `benches/rack_peers.py` runs the same program
//! as `rack CASE THREADS`, which prints the seconds of the best pass, in turn with torchfx and `SciPy`.

use std::time::Instant;

use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::chain::{Chain, MeasuredMap, Placement, Renderer};
use undertone::units::SampleRate;

const RATE: u32 = 48_000;
const FRAMES: usize = 60 * RATE as usize;
const BLOCK: usize = 65_536;
const PASSES: usize = 3;

const FOUR_SECTIONS: &str = "highpass(1 kHz, order=2) | lowpass(5 kHz, order=2) | \
    highpass(1.5 kHz, order=2, design=chebyshev1, ripple=0.1 dB) | lowpass(1.8 kHz, order=2)";

/// Name, number of channels and chain of each case.
const CASES: [(&str, usize, &str); 8] = [
    ("order_8_stereo", 2, "lowpass(1 kHz, order=8)"),
    ("order_8_of_8", 8, "lowpass(1 kHz, order=8)"),
    ("four_sections_of_8", 8, FOUR_SECTIONS),
    ("fir_1025_stereo", 2, "fir(lowpass, 1 kHz, 1025, hann)"),
    ("fir_1025_of_8", 8, "fir(lowpass, 1 kHz, 1025, hann)"),
    ("reverb_stereo", 2, "reverb(50 %, 50 %, 30 %)"),
    ("compressor_stereo", 2, "compressor(-20 dB, 4)"),
    ("limiter_stereo", 2, "limiter(-1 dB)"),
];

/// White noise that alternates between loud and soft.
fn blocks(channels: usize) -> Vec<AudioBuffer> {
    let mut state = 1u32;
    let mut sample = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let level = if (n / 24_000).is_multiple_of(2) { 1.0 } else { 0.03 };
        level * ((state >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    let block = |start: usize, sample: &mut dyn FnMut(usize) -> f32| {
        let range = start..FRAMES.min(start + BLOCK);
        AudioBuffer::from_channels((0..channels).map(|_| range.clone().map(&mut *sample).collect()).collect())
    };
    (0..FRAMES).step_by(BLOCK).map(|start| block(start, &mut sample)).collect()
}

/// The best of several passes over the whole input, in seconds.
fn seconds(text: &str, input: &[AudioBuffer], channels: usize, threads: usize) -> f64 {
    let chain: Chain = text.parse().expect("a chain");
    let format = AudioFormat::new(SampleRate::new(RATE).expect("a rate"), channels);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let pass = || {
        let mut renderer =
            Renderer::new(&chain, format, &Placement::cpu(), &MeasuredMap::default()).expect("a chain that runs");
        let mut blocks = input.to_vec();
        let start = Instant::now();
        for block in &mut blocks {
            renderer.process(block).expect("a block");
        }
        start.elapsed().as_secs_f64()
    };
    pool.install(|| (0..PASSES).map(|_| pass()).fold(f64::INFINITY, f64::min))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if let [name, threads] = words.as_slice() {
        let (_, channels, text) = CASES.iter().find(|case| case.0 == name).expect("a case");
        println!("{}", seconds(text, &blocks(*channels), *channels, threads.parse().expect("a number of threads")));
        return;
    }
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    println!("Msamples/s (times real time): 1 thread, {all} threads");
    for (name, channels, text) in CASES {
        let input = blocks(channels);
        let [one, many] = [1, all].map(|threads| {
            let seconds = seconds(text, &input, channels, threads);
            format!("{:7.1} ({:5.0} x)", (FRAMES * channels) as f64 / seconds / 1e6, 60.0 / seconds)
        });
        println!("{name:20} {one} {many}");
    }
}
