//! The GPU's FIR against the CPU's and against the sum in f64, however the stream is cut and wherever it continues.

use crate::support::gpu;

use std::sync::Arc;

use base::sound::AudioBuffer;
use dsp::gpu::Engine;
use dsp::kernels::signal::fir::gpu::GpuFir;
use dsp::kernels::signal::fir::{FirPlan, FirStream, KERNEL, Route, Strategy, TOLERANCE_DB};
use dsp::kernels::signal::resident::Chunk;

/// The sum itself; a workgroup's transform, also with two stretches that do not fill the unit; transforms through memory
/// of one part and of several.
const LENGTHS: [usize; 10] = [1, 2, 64, 65, 255, 1025, 2561, 2700, 9000, 40_001];

fn decaying(seed: u32, count: usize) -> Vec<f64> {
    let fall = -6.9 / count as f64;
    gpu::noise(seed, count).iter().enumerate().map(|(n, x)| f64::from(*x) * (fall * n as f64).exp()).collect()
}

fn stream(taps: &[f64], channels: usize) -> FirStream {
    FirStream::new(Arc::new(FirPlan::of_taps(taps, channels).unwrap()), 0)
}

/// Filters the next frames of a stream on the GPU.
fn on_gpu(engine: &mut Engine, fir: &GpuFir, stream: &mut FirStream, block: &mut AudioBuffer, known: bool) {
    let (mut done, ticket, audio) = {
        let mut chunk = Chunk::new();
        let input = chunk.upload(block).unwrap();
        let (output, ticket) = chunk.fir(fir, stream, input, known.then_some(&*block)).unwrap();
        let audio = chunk.readback(output);
        (chunk.run(engine, None).unwrap(), ticket, audio)
    };
    stream.take_up(&done.stream(&ticket).unwrap());
    *block = done.audio(audio);
}

/// The output of a stream in chunks of these sizes, in turn, without the unit by which it lags; `on` says for each
/// chunk whether it is the GPU's.
fn filtered(
    engine: &mut Engine,
    plan: &Arc<FirPlan>,
    input: &AudioBuffer,
    sizes: &[usize],
    on: impl Fn(usize) -> bool,
) -> AudioBuffer {
    let (mut stream, fir) = (FirStream::new(Arc::clone(plan), 0), plan.on_gpu().unwrap());
    let lag = plan.shape().unit();
    let mut padded = input.clone();
    padded.resize(input.channels(), input.frames() + lag);
    let mut out = AudioBuffer::new(input.channels(), 0);
    let (mut at, mut turn) = (0, 0);
    while at < padded.frames() {
        let end = (at + sizes[turn % sizes.len()]).min(padded.frames());
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(&padded, at..end);
        if on(turn) {
            on_gpu(engine, &fir, &mut stream, &mut block, turn % 2 == 0);
        } else {
            stream.process(&mut block).unwrap();
        }
        out.extend_from(&block, 0..block.frames());
        (at, turn) = (end, turn + 1);
    }
    assert_eq!(stream.position(), padded.frames() as i64);
    out.drop_front(lag);
    out
}

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value * value, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

/// The sum in f64 at the frame `n`.
fn exact(taps: &[f64], input: &[f32], n: usize) -> f64 {
    let reach = taps.len().min(n + 1);
    taps[..reach].iter().zip(input[..=n].iter().rev()).map(|(tap, sample)| tap * f64::from(*sample)).sum()
}

/// The residual against the sum in f64 at some places, in dB re max(rms in, rms out).
fn residual_db(taps: &[f64], input: &[f32], output: &[f32]) -> f64 {
    let frames = output.len();
    let places: Vec<usize> = (0..300).map(|n| n * frames / 300).chain(0..20).chain(frames - 20..frames).collect();
    let wanted: Vec<f64> = places.iter().map(|n| exact(taps, input, *n)).collect();
    let difference = places.iter().zip(&wanted).map(|(n, wanted)| f64::from(output[*n]) - wanted);
    let scale = rms(wanted.iter().copied()).max(rms(input.iter().map(|x| f64::from(*x))));
    20.0 * (rms(difference) / scale).log10()
}

/// The same against another result.
fn difference_db(one: &[f32], other: &[f32]) -> f64 {
    assert_eq!(one.len(), other.len());
    let difference = one.iter().zip(other).map(|(a, b)| f64::from(*a) - f64::from(*b));
    20.0 * (rms(difference) / rms(other.iter().map(|x| f64::from(*x))).max(1e-30)).max(1e-30).log10()
}

fn frames_for(length: usize) -> usize {
    if length > 2700 { 40_003 } else { 12_011 }
}

#[test]
fn every_length_gives_the_sum_and_what_the_cpu_gives() {
    let Some(mut engine) = gpu::engine() else { return };
    assert_eq!(KERNEL.tolerance_db, TOLERANCE_DB);
    for length in LENGTHS {
        let taps = decaying(1, length);
        let plan = Arc::new(FirPlan::of_taps(&taps, 2).unwrap());
        let input = gpu::noise_buffer(2, frames_for(length));
        let output = filtered(&mut engine, &plan, &input, &[input.frames() + 200_000], |_| true);
        let twin = filtered(&mut engine, &plan, &input, &[input.frames() + 200_000], |_| false);
        for channel in 0..2 {
            let exact = residual_db(&taps, input.channel(channel), output.channel(channel));
            let apart = difference_db(output.channel(channel), twin.channel(channel));
            println!("{length} taps, {:?}: {exact:.1} dB re f64, {apart:.1} dB re the CPU", plan.shape());
            assert!(exact < TOLERANCE_DB && apart < TOLERANCE_DB, "{length} taps: {exact} dB, {apart} dB");
        }
        // A result that is off by one tap in a thousandth would not pass.
        let mut spoiled = taps.clone();
        spoiled[length / 2] += 1e-3;
        assert!(residual_db(&spoiled, input.channel(0), output.channel(0)) > TOLERANCE_DB);
    }
}

#[test]
fn chunks_of_any_size_give_the_same_bits() {
    let Some(mut engine) = gpu::engine() else { return };
    for length in [2, 255, 2700, 40_001] {
        let plan = Arc::new(FirPlan::of_taps(&decaying(2, length), 3).unwrap());
        let frames = frames_for(length);
        let (first, third) = (gpu::noise(3, frames), gpu::noise(4, frames));
        let input = AudioBuffer::from_channels(vec![first, vec![0.0; frames], third.clone()]);
        let whole = filtered(&mut engine, &plan, &input, &[frames + 200_000], |_| true);
        let pieces = filtered(&mut engine, &plan, &input, &[1, 777, 4096, 13, 20_000, 2, 9001], |_| true);
        for channel in 0..3 {
            assert!(gpu::bits(whole.channel(channel)) == gpu::bits(pieces.channel(channel)), "{length} taps");
        }
        assert!(whole.channel(1).iter().all(|sample| *sample == 0.0), "a silent channel heard another one");
        let alone = Arc::new(FirPlan::of_taps(&decaying(2, length), 1).unwrap());
        let alone = filtered(&mut engine, &alone, &AudioBuffer::from_channels(vec![third]), &[frames], |_| true);
        assert!(gpu::bits(alone.channel(0)) == gpu::bits(whole.channel(2)), "{length} taps: channels touch");
    }
}

#[test]
fn a_stream_goes_from_device_to_device() {
    let Some(mut engine) = gpu::engine() else { return };
    for length in [33, 1025, 9000, 40_001] {
        let taps = decaying(5, length);
        let plan = Arc::new(FirPlan::of_taps(&taps, 2).unwrap());
        let input = gpu::noise_buffer(2, 60_000);
        let sizes = [4999, 12_000, 1, 20_333, 257];
        let mixed = filtered(&mut engine, &plan, &input, &sizes, |turn| turn % 3 != 1);
        let cpu = filtered(&mut engine, &plan, &input, &sizes, |_| false);
        for channel in 0..2 {
            let exact = residual_db(&taps, input.channel(channel), mixed.channel(channel));
            let apart = difference_db(mixed.channel(channel), cpu.channel(channel));
            assert!(exact < TOLERANCE_DB && apart < TOLERANCE_DB, "{length} taps: {exact} dB, {apart} dB");
        }
    }
}

#[test]
fn a_state_from_the_gpu_is_taken_up_anywhere() {
    let Some(mut engine) = gpu::engine() else { return };
    for length in [40, 300, 30_000] {
        let taps = decaying(6, length);
        let mut first = stream(&taps, 1);
        let mut head = AudioBuffer::from_channels(vec![gpu::noise(7, 40_001)]);
        let fir = first.plan().on_gpu().unwrap();
        on_gpu(&mut engine, &fir, &mut first, &mut head, false);
        let mut second = stream(&taps, 1);
        second.restore(&first.state()).unwrap();
        assert_eq!((second.position(), second.is_silent()), (40_001, false));
        let rest = AudioBuffer::from_channels(vec![gpu::noise(8, 40_000)]);
        let (mut one, mut other) = (rest.clone(), rest);
        first.process(&mut one).unwrap();
        second.process(&mut other).unwrap();
        assert_eq!(one, other, "{length} taps");
    }
}

#[test]
fn routes_are_summed() {
    let Some(mut engine) = gpu::engine() else { return };
    for length in [20, 300, 40_000] {
        let (a, b) = (decaying(9, length), decaying(10, length / 2));
        let route = |input, filter| Route { input, filter };
        let routes = vec![vec![route(0, 0), route(1, 1)], vec![route(1, 0)], Vec::new()];
        let plan = Arc::new(FirPlan::new(&[a, b], routes).unwrap());
        let input = gpu::noise_buffer(3, 30_000);
        let output = filtered(&mut engine, &plan, &input, &[13_000], |_| true);
        let twin = filtered(&mut engine, &plan, &input, &[13_000], |_| false);
        for channel in 0..2 {
            let apart = difference_db(output.channel(channel), twin.channel(channel));
            assert!(apart < TOLERANCE_DB, "{length} taps, channel {channel}: {apart} dB");
        }
        assert!(output.channel(2).iter().all(|sample| *sample == 0.0));
    }
}

#[test]
fn what_is_no_number_is_silence_and_stays_in_its_place() {
    let Some(mut engine) = gpu::engine() else { return };
    for length in [20, 300, 3000] {
        let plan = Arc::new(FirPlan::of_taps(&decaying(11, length), 2).unwrap());
        let clean = gpu::noise_buffer(2, 12_000);
        let (mut spoiled, mut silenced) = (clean.clone(), clean);
        for (n, value) in [(100, f32::NAN), (101, f32::INFINITY), (5000, f32::NEG_INFINITY), (6000, 1e-40)] {
            spoiled.channel_mut(0)[n] = value;
            silenced.channel_mut(0)[n] = 0.0;
        }
        let wanted = filtered(&mut engine, &plan, &silenced, &[5500], |_| true);
        let got = filtered(&mut engine, &plan, &spoiled, &[5500], |_| true);
        for channel in 0..2 {
            assert!(gpu::bits(got.channel(channel)) == gpu::bits(wanted.channel(channel)), "{length} taps");
        }
    }
}

#[test]
fn tones_in_a_stop_band_stay_below_the_tolerance() {
    use dsp::design::fir::{Pass, windowed};
    use dsp::design::{Window, kaiser_beta};
    let Some(mut engine) = gpu::engine() else { return };
    let taps = windowed(Pass::Low(0.1), 1025, Window::Kaiser { beta: kaiser_beta(140.0) }).unwrap();
    let tone: Vec<f32> = (0..30_000).map(|n| (f64::from(n) * 1.9).sin() as f32).collect();
    let plan = Arc::new(FirPlan::of_taps(&taps, 1).unwrap());
    let output = filtered(&mut engine, &plan, &AudioBuffer::from_channels(vec![tone]), &[4096], |_| true);
    let left = rms(output.channel(0)[2000..].iter().map(|x| f64::from(*x)));
    assert!(20.0 * left.log10() < TOLERANCE_DB, "{} dB", 20.0 * left.log10());
}

#[test]
fn the_shapes_that_the_lengths_stand_for() {
    assert!(matches!(Strategy::new(LENGTHS[2]), Strategy::Direct { .. }));
    assert!(matches!(Strategy::new(LENGTHS[8]), Strategy::Pairs { .. }));
    let Strategy::Partitions { count, .. } = Strategy::new(LENGTHS[9]) else {
        panic!("{:?}", Strategy::new(LENGTHS[9]))
    };
    assert!(count > 1);
}

#[test]
fn responses_beyond_a_buffer_are_refused_with_the_reason() {
    // The spectra that one block of 64 channels meets are more than 100 MB.
    let plan = FirPlan::of_taps(&vec![1e-5; 200_000], 64).unwrap();
    let refused = plan.on_gpu().unwrap_err().to_string();
    assert!(refused.contains("buffers"), "{refused}");
}
