//! Times the dynamics effects in samples per second, on one thread and on all: 60 s of stereo at 48 kHz, in blocks of
//! 65536 frames.
//!
//! `cargo bench --bench dynamics`

use std::time::Instant;

use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::chain::{Chain, MeasuredMap, Placement, Renderer};
use undertone::units::SampleRate;

const FRAMES: usize = 60 * 48_000;
const BLOCK: usize = 65_536;

const CHAINS: [&str; 11] = [
    "compressor(-20 dB, 4)",
    "compressor(-20 dB, 4, link=0 %)",
    "compressor(-20 dB, 4, detector=rms)",
    "compressor(-20 dB, 4, highpass=100 Hz, lookahead=5 ms)",
    "expander(-40 dB, 2)",
    "gate(-50 dB)",
    "limiter(-1 dB)",
    "limiter(-1 dB, peak=sample)",
    "de_esser(6 kHz)",
    "de_esser(6 kHz, mode=split)",
    "compressor(-20 dB, 4) | limiter(-1 dB)",
];

/// White noise that alternates between loud and soft.
fn blocks() -> Vec<AudioBuffer> {
    let mut state = 1u32;
    let mut sample = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let level = if (n / 24_000).is_multiple_of(2) { 1.0 } else { 0.03 };
        level * ((state >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    let block = |start: usize, sample: &mut dyn FnMut(usize) -> f32| {
        let range = start..FRAMES.min(start + BLOCK);
        AudioBuffer::from_channels((0..2).map(|_| range.clone().map(&mut *sample).collect()).collect())
    };
    (0..FRAMES).step_by(BLOCK).map(|start| block(start, &mut sample)).collect()
}

/// The best of several passes over the whole input, in samples per second.
fn measure(chain: &Chain, input: &[AudioBuffer]) -> f64 {
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 2);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let mut renderer =
            Renderer::new(chain, format, &Placement::cpu(), &MeasuredMap::default()).expect("a chain that runs");
        let mut blocks = input.to_vec();
        let start = Instant::now();
        for block in &mut blocks {
            renderer.process(block).expect("a block");
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * FRAMES as f64 / best
}

fn main() {
    let input = blocks();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    println!("Msamples/s (times real time in stereo): 1 thread, {all} threads");
    for text in CHAINS {
        let chain: Chain = text.parse().expect("a chain");
        let rates = [1, all].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| measure(&chain, &input))
        });
        let [one, many] = rates.map(|rate| format!("{:7.1} ({:5.0} x)", rate / 1e6, rate / 96_000.0));
        println!("{text:56} {one} {many}");
    }
}
