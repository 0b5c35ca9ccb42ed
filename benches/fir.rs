//! Times filters with a finite impulse response on a minute of stereo, against a straightforward implementation with
//! the same numbers and threads: overlap-add, each channel separately, one real transform per block, of the size that
//! `SciPy`'s `oaconvolve` would choose. `benches/rack_peers.py` times `oaconvolve` itself, and torchfx.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use transforms::RealFftPlanner;
use transforms::num_complex::Complex32;
use undertone::audio::AudioBuffer;
use undertone::kernels::signal::fir::{FirPlan, FirStream};

const RATE: usize = 48_000;
const SECONDS: usize = 60;
const CHANNELS: usize = 2;
const CHUNK: usize = 1 << 16;
const LENGTHS: [usize; 7] = [31, 64, 128, 255, 1025, 4097, 10 * RATE];

fn main() {
    let frames = RATE * SECONDS;
    let channel = |c: usize| (0..frames).map(|n| ((n * 7919 + c * 31) % 65_536) as f32 / 65_536.0 - 0.5).collect();
    let input = AudioBuffer::from_channels((0..CHANNELS).map(channel).collect());
    println!("{SECONDS} s of {CHANNELS} channels at {RATE} Hz on {} threads", rayon::current_num_threads());
    for length in LENGTHS {
        let taps: Vec<f64> = (0..length).map(|n| (n as f64 * 0.7).sin() / (n as f64 + 9.0) / 10.0).collect();
        let plan = Arc::new(FirPlan::of_taps(&taps, CHANNELS).unwrap());
        let mut block = AudioBuffer::new(CHANNELS, 0);
        let ours = best_of(5, || {
            let mut stream = FirStream::new(Arc::clone(&plan), 0);
            for start in (0..frames).step_by(CHUNK) {
                block.clear();
                block.extend_from(&input, start..(start + CHUNK).min(frames));
                stream.process(&mut block).unwrap();
                black_box(&block);
            }
        });
        let plain = best_of(3, || {
            black_box(input.iter().collect::<Vec<_>>().par_iter().map(|x| overlap_add(&taps, x)).collect::<Vec<_>>());
        });
        let rate = |seconds: f64| (frames * CHANNELS) as f64 / seconds / 1e6;
        println!(
            "{length:6} taps: {:7.1} Msamples/s, {:6.0} times real time; plain {:7.1}; {:?}",
            rate(ours),
            SECONDS as f64 / ours,
            rate(plain),
            plan.shape()
        );
    }
}

fn overlap_add(taps: &[f64], input: &[f32]) -> Vec<f32> {
    // oaconvolve uses the same cost formula, which results in about four times the number of taps.
    let transform = (4 * taps.len()).next_power_of_two().max(512);
    let block = transform - taps.len() + 1;
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, inverse) = (planner.plan_fft_forward(transform), planner.plan_fft_inverse(transform));
    let mut values: Vec<f32> = taps.iter().map(|tap| (tap / transform as f64) as f32).collect();
    values.resize(transform, 0.0);
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut values, &mut spectrum).unwrap();
    let mut bins = vec![Complex32::ZERO; spectrum.len()];
    let mut output = vec![0.0; input.len() + transform];
    for (number, samples) in input.chunks(block).enumerate() {
        values[..samples.len()].copy_from_slice(samples);
        values[samples.len()..].fill(0.0);
        forward.process(&mut values, &mut bins).unwrap();
        bins.iter_mut().zip(&spectrum).for_each(|(bin, tap)| *bin *= tap);
        (bins[0].im, bins[transform / 2].im) = (0.0, 0.0);
        inverse.process(&mut bins, &mut values).unwrap();
        output[number * block..].iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
    }
    output.truncate(input.len());
    output
}

fn best_of(times: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..times).map(time).fold(f64::INFINITY, f64::min)
}
