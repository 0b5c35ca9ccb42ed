//! Times the cascade's CPU twin: an order-8 Butterworth low-pass and others, on each vector unit, in Msamples/s, and
//! against `scipy.signal.sosfilt` in f64 if `SciPy` is installed.
//!
//! `cargo bench --bench iir_cascade`; `PYTHON` names the Python that has `SciPy` (default `python3`).
//! `benches/NOTES.md` discusses the results and the limits.

use std::hint::black_box;
use std::time::Instant;

use undertone::audio::AudioBuffer;
use undertone::design::{Section, Warped, butterworth_lowpass, cookbook_highpass, cookbook_lowpass, cookbook_peaking};
use undertone::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu};
use undertone::simd::Simd;

const RATE_HZ: f64 = 48_000.0;

/// Samples per timed run in all channels. A run takes under a millisecond, which a busy machine seldom interrupts.
const SAMPLES: usize = 1 << 18;

const RUNS: usize = 60;

const SCIPY: &str = "
import time, numpy, scipy
from scipy import signal
sos = signal.butter(8, 1000, fs=48000, output='sos')
x = numpy.random.default_rng(1).uniform(-1, 1, 1 << 18)
best = 1e9
for _ in range(60):
    start = time.perf_counter()
    signal.sosfilt(sos, x)
    best = min(best, time.perf_counter() - start)
print(scipy.__version__, len(x) / best)
";

fn low_pass(order: usize) -> Vec<Section> {
    butterworth_lowpass(order, warped(1000.0))
}

fn warped(hz: f64) -> Warped {
    Warped::new(hz, RATE_HZ).expect("below half the rate")
}

fn noise(channels: usize, frames: usize) -> AudioBuffer {
    let mut seed = 1_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    AudioBuffer::from_channels((0..channels).map(|_| (0..frames).map(|_| next()).collect()).collect())
}

/// The best of several runs over blocks of `block` frames, in samples per second.
fn measure(simd: Simd, sections: &[Section], channels: usize, block: usize, threads: usize) -> f64 {
    let cascade = Cascade::new(sections);
    let mut state = CascadeState::new(channels, cascade.len());
    let mut buffer = noise(channels, block);
    let blocks = (SAMPLES / channels / block).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let seconds = pool.install(|| {
        let run = |_| {
            let start = Instant::now();
            for _ in 0..blocks {
                cpu::run_with(simd, &cascade, &mut state, &mut buffer).expect("the shapes agree");
                black_box(&mut buffer);
            }
            start.elapsed().as_secs_f64()
        };
        (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
    });
    (channels * block * blocks) as f64 / seconds
}

/// Times a plain loop: frame by frame, section by section.
fn measure_plain(sections: &[Section]) -> f64 {
    let sections = Cascade::new(sections).sections().to_vec();
    let mut states = vec![[0.0_f64; 2]; sections.len()];
    let mut samples = noise(1, SAMPLES / 4).channel(0).to_vec();
    let run = |_| {
        let start = Instant::now();
        for sample in &mut samples {
            let mut x = f64::from(*sample);
            for (section, [s1, s2]) in sections.iter().zip(&mut states) {
                let w = (x - *s2) - section.h * *s1;
                let v = *s1 + section.q * w;
                x = section.m0 * x + section.c1 * v + section.m2 * *s2;
                *s1 = v + section.q * w;
                *s2 += section.g2 * v;
            }
            *sample = x as f32;
        }
        black_box(&mut samples);
        start.elapsed().as_secs_f64()
    };
    let seconds = (0..RUNS).map(run).fold(f64::INFINITY, f64::min);
    samples.len() as f64 / seconds
}

fn scipy() -> Option<(String, f64)> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = std::process::Command::new(python).args(["-c", SCIPY]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (version, rate) = text.trim().split_once(' ')?;
    Some((version.to_owned(), rate.parse().ok()?))
}

fn hardware() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|pair| pair.1));
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{}, {cores} cores, {}", name.unwrap_or("processor without a name"), std::env::consts::ARCH)
}

fn main() {
    println!("{}", hardware());
    let order_8 = low_pass(8);
    let best = Simd::best();
    let one = measure(best, &order_8, 1, SAMPLES, 1);
    println!("order 8, mono, 1 thread, {}: {:.0} Msamples/s", best.title(), one / 1e6);
    println!("the same as a plain loop: {:.0} Msamples/s", measure_plain(&order_8) / 1e6);
    match scipy() {
        Some((version, rate)) => {
            println!("the same by SciPy {version} sosfilt: {:.0} Msamples/s; ratio {:.2}", rate / 1e6, one / rate);
        }
        None => println!("SciPy was not found: set PYTHON to a Python that has it"),
    }
    let three = [
        cookbook_highpass(warped(80.0), 0.7071),
        cookbook_lowpass(warped(12_000.0), 0.7071),
        cookbook_peaking(warped(1000.0), 2.0, 3.0),
    ];
    let stereo = measure(best, &three, 2, SAMPLES / 2, 1);
    println!("3 sections on 7 minutes of 44.1 kHz stereo, 1 thread: {:.3} s", 2.0 * 420.0 * 44_100.0 / stereo);
    println!("\nMsamples/s: 1 channel, 2, 8 on one thread | 1 channel, 2 on two threads | blocks of 2048 frames, mono");
    for simd in Simd::available() {
        for order in [2, 4, 6, 8, 24] {
            let sections = low_pass(order);
            let rate = |channels: usize, threads| measure(simd, &sections, channels, SAMPLES / channels, threads) / 1e6;
            let small = measure(simd, &sections, 1, 2048, 1) / 1e6;
            println!(
                "{:12} order {order:2}: {:6.0} {:6.0} {:6.0} | {:6.0} {:6.0} | {small:6.0}",
                simd.title(),
                rate(1, 1),
                rate(2, 1),
                rate(8, 1),
                rate(1, 2),
                rate(2, 2),
            );
        }
    }
}
