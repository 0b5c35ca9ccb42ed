//! Weighted sums and gains on a GPU: against f64, against their CPU twin, and against themselves.

use crate::support;

use base::sound::AudioBuffer;
use dsp::gpu::Engine;
use dsp::kernels::signal::mix;
use dsp::kernels::signal::resident::Chunk;
use support::gpu::{bits, engine, noise, noise_buffer};

fn gpu_mix(engine: &mut Engine, a: &AudioBuffer, gains_a: &[f32], b: &AudioBuffer, gains_b: &[f32]) -> AudioBuffer {
    let mut chunk = Chunk::new();
    let (x, y) = (chunk.upload(a).unwrap(), chunk.upload(b).unwrap());
    let mixed = chunk.mix(x, gains_a, y, gains_b).unwrap();
    let ticket = chunk.readback(mixed);
    let mut done = chunk.run(engine, None).unwrap();
    assert!(a.is_empty() || done.finished.dispatches > 0, "the GPU did not run");
    done.audio(ticket)
}

fn gpu_gain(engine: &mut Engine, a: &AudioBuffer, gains: &[f32]) -> AudioBuffer {
    let mut chunk = Chunk::new();
    let x = chunk.upload(a).unwrap();
    let louder = chunk.gain(x, gains).unwrap();
    let ticket = chunk.readback(louder);
    let mut done = chunk.run(engine, None).unwrap();
    assert!(a.is_empty() || done.finished.dispatches > 0, "the GPU did not run");
    done.audio(ticket)
}

/// The residual's RMS in dB re max(rms in, rms out).
fn residual_db(a: &[f32], gain_a: f32, b: &[f32], gain_b: f32, got: &[f32]) -> f64 {
    let (mut error, mut level) = (0.0, [0.0_f64; 3]);
    for ((&a, &b), &got) in a.iter().zip(b).zip(got) {
        let (a, b) = (f64::from(a), f64::from(b));
        let exact = f64::from(gain_a) * a + f64::from(gain_b) * b;
        error += (f64::from(got) - exact).powi(2);
        for (level, value) in level.iter_mut().zip([a, b, exact]) {
            *level += value * value;
        }
    }
    10.0 * (error / level.into_iter().fold(0.0, f64::max)).log10()
}

#[test]
fn sums_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    let tolerance = mix::KERNEL.tolerance_db;
    for channels in [1, 2, 8] {
        for frames in [0, 1, 3, 4, 5, 1023, 1024, 1025, 4097, 100_003] {
            let (a, b) = (noise_buffer(channels, frames), noise_buffer(channels + 9, frames));
            let b = AudioBuffer::from_channels((0..channels).map(|c| b.channel(c + 9).to_vec()).collect());
            let gains: Vec<f32> = (0..2 * channels).map(|i| 1.5 - 0.37 * i as f32).collect();
            let (gains_a, gains_b) = gains.split_at(channels);
            let got = gpu_mix(&mut engine, &a, gains_a, &b, gains_b);
            assert_eq!((got.channels(), got.frames()), (channels, frames));
            for channel in 0..channels {
                let (ga, gb) = (gains_a[channel], gains_b[channel]);
                let mut twin = b.channel(channel).to_vec();
                mix::mix(a.channel(channel), ga, &mut twin, gb);
                for (n, (&got, &twin)) in got.channel(channel).iter().zip(&twin).enumerate() {
                    // One of them may round the product before the sum.
                    let step = f32::EPSILON * (ga.abs() + gb.abs());
                    assert!((got - twin).abs() <= step, "channel {channel} at {n}: {got}, the twin has {twin}");
                }
                // A tolerance on an RMS means something where there is something to average.
                if frames > 1000 {
                    let db = residual_db(a.channel(channel), ga, b.channel(channel), gb, got.channel(channel));
                    assert!(db <= tolerance, "{channels} channels, {frames} frames: {db:.1} dB");
                }
            }
        }
    }
}

#[test]
fn a_gain_is_one_multiplication_to_the_bit() {
    let Some(mut engine) = engine() else { return };
    let audio = noise_buffer(2, 70_001);
    let got = gpu_gain(&mut engine, &audio, &[1.0, -0.3]);
    assert_eq!(bits(got.channel(0)), bits(audio.channel(0)), "a gain of 1 changed the signal");
    let mut twin = audio.channel(1).to_vec();
    mix::gain(&mut twin, -0.3);
    assert_eq!(bits(got.channel(1)), bits(&twin));
}

#[test]
fn nan_silence_and_denormals() {
    let Some(mut engine) = engine() else { return };
    let mut a = noise_buffer(1, 1030);
    a.channel_mut(0)[517] = f32::NAN;
    let b = AudioBuffer::from_channels(vec![noise(8, 1030)]);
    let got = gpu_mix(&mut engine, &a, &[0.5], &b, &[0.25]);
    assert!(got.channel(0).iter().enumerate().all(|(n, x)| x.is_nan() == (n == 517)));
    let silence = AudioBuffer::new(3, 777);
    let got = gpu_mix(&mut engine, &silence, &[2.0; 3], &silence, &[-1.0; 3]);
    assert!(got.iter().flatten().all(|&x| x == 0.0));
    let tiny = AudioBuffer::from_channels(vec![vec![1e-40; 100]]);
    let got = gpu_gain(&mut engine, &tiny, &[1.0]);
    assert!(got.channel(0).iter().all(|&x| (0.0..=2e-40).contains(&x)));
}

#[test]
fn a_spoiled_result_is_refused() {
    let Some(mut engine) = engine() else { return };
    let tolerance = mix::KERNEL.tolerance_db;
    let (a, b) = (noise_buffer(1, 5000), AudioBuffer::from_channels(vec![noise(77, 5000)]));
    let good = gpu_mix(&mut engine, &a, &[0.7], &b, &[0.3]).channel(0).to_vec();
    let residual = |got: &[f32]| residual_db(a.channel(0), 0.7, b.channel(0), 0.3, got);
    assert!(residual(&good) <= tolerance);
    let mut late = good.clone();
    late.rotate_left(1);
    assert!(residual(&late) > tolerance);
    let mut one = good;
    one[4999] += 1e-4;
    assert!(residual(&one) > tolerance);
}
