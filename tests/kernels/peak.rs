//! Peaks on a GPU: exact in any order of work.

use crate::support;

use base::sound::AudioBuffer;
use dsp::gpu::Engine;
use dsp::kernels::signal::peak::peak;
use dsp::kernels::signal::resident::Chunk;
use support::gpu::{engine, noise_buffer};

fn gpu_peaks(engine: &mut Engine, audio: &AudioBuffer) -> Vec<f32> {
    let mut chunk = Chunk::new();
    let input = chunk.upload(audio).unwrap();
    let ticket = chunk.peak(input);
    let done = chunk.run(engine, None).unwrap();
    assert!(done.finished.dispatches > 0, "the GPU did not run");
    done.peaks(ticket)
}

#[test]
fn the_largest_magnitude_to_the_bit() {
    let Some(mut engine) = engine() else { return };
    for channels in [1, 2, 8] {
        for frames in [1, 3, 4, 5, 4095, 4096, 4097, 70_001] {
            let audio = noise_buffer(channels, frames);
            let got = gpu_peaks(&mut engine, &audio);
            let twin: Vec<f32> = audio.iter().map(peak).collect();
            // The oracle: in f64, by comparison.
            let oracle = audio.iter().map(|channel| channel.iter().fold(0.0, |m: f64, &x| m.max(f64::from(x).abs())));
            assert_eq!(got, twin, "{channels} channels, {frames} frames");
            assert!(got.iter().zip(oracle).all(|(&got, oracle)| f64::from(got) == oracle));
        }
    }
}

#[test]
fn no_frame_is_overlooked() {
    let Some(mut engine) = engine() else { return };
    for at in [0, 1, 1023, 1024, 4095, 4096, 8191, 9000] {
        let mut audio = AudioBuffer::new(2, 9001);
        audio.channel_mut(1)[at] = -0.75;
        assert_eq!(gpu_peaks(&mut engine, &audio), [0.0, 0.75], "at {at}");
    }
}

#[test]
fn what_lies_behind_the_last_frame_does_not_count() {
    let Some(mut engine) = engine() else { return };
    // A loud chunk fills the buffers that the quiet one is given next.
    let loud = AudioBuffer::from_channels(vec![vec![1.0; 128]]);
    assert_eq!(gpu_peaks(&mut engine, &loud), [1.0]);
    let quiet = AudioBuffer::from_channels(vec![vec![0.25; 101]]);
    assert_eq!(gpu_peaks(&mut engine, &quiet), [0.25]);
    assert!(engine.pool_counts().hits > 0, "the second chunk was to get the first one's buffers");
}

#[test]
fn nan_wins_and_nothing_has_no_peak() {
    let Some(mut engine) = engine() else { return };
    let mut audio = noise_buffer(2, 5000);
    audio.channel_mut(0)[4321] = f32::NAN;
    audio.channel_mut(1)[17] = f32::NEG_INFINITY;
    let got = gpu_peaks(&mut engine, &audio);
    assert!(got[0].is_nan() && got[1] == f32::INFINITY, "{got:?}");
    let denormal = AudioBuffer::from_channels(vec![vec![-1e-40; 10]]);
    assert_eq!(gpu_peaks(&mut engine, &denormal), [1e-40]);
    let nothing = AudioBuffer::new(2, 0);
    let mut chunk = Chunk::new();
    let input = chunk.upload(&nothing).unwrap();
    let ticket = chunk.peak(input);
    assert!(chunk.run(&mut engine, None).unwrap().peaks(ticket).is_empty());
}

#[test]
fn a_spoiled_sample_is_seen() {
    let Some(mut engine) = engine() else { return };
    let mut audio = noise_buffer(2, 5000);
    let before = gpu_peaks(&mut engine, &audio);
    // The smallest change of the largest magnitude of one channel.
    let samples = audio.channel_mut(1);
    let at = (0..samples.len()).max_by(|&a, &b| samples[a].abs().total_cmp(&samples[b].abs())).unwrap();
    samples[at] = samples[at].abs().next_up();
    let after = gpu_peaks(&mut engine, &audio);
    assert_eq!(before[0], after[0]);
    assert_eq!(after[1], before[1].next_up());
}
