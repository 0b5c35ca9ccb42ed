//! The CPU's FIR against the sum in f64, and what must not change it.

use std::sync::Arc;

use base::sound::AudioBuffer;
use dsp::kernels::signal::fir::{FirPlan, FirStream, Route, Strategy, TOLERANCE_DB};

fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn decaying(seed: u64, count: usize) -> Vec<f64> {
    let fall = -6.9 / count as f64;
    noise(seed, count).iter().enumerate().map(|(n, x)| f64::from(*x) * (fall * n as f64).exp()).collect()
}

/// The sum in f64 at the frame `n`.
fn exact(taps: &[f64], input: &[f32], n: usize) -> f64 {
    let reach = taps.len().min(n + 1);
    taps[..reach].iter().zip(input[..=n].iter().rev()).map(|(tap, sample)| tap * f64::from(*sample)).sum()
}

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value * value, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

/// The output of a stream in chunks of these sizes, in turn, without the unit by which it lags.
fn filtered(stream: &mut FirStream, input: &AudioBuffer, sizes: &[usize]) -> AudioBuffer {
    let lag = stream.plan().shape().unit();
    let mut padded = input.clone();
    padded.resize(input.channels(), input.frames() + lag);
    let mut out = AudioBuffer::new(input.channels(), 0);
    let (mut at, mut turn) = (0, 0);
    while at < padded.frames() {
        let end = (at + sizes[turn % sizes.len()]).min(padded.frames());
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(&padded, at..end);
        stream.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        (at, turn) = (end, turn + 1);
    }
    out.drop_front(lag);
    out
}

fn stream(taps: &[f64], channels: usize) -> FirStream {
    FirStream::new(Arc::new(FirPlan::of_taps(taps, channels).unwrap()), 0)
}

const LENGTHS: [usize; 9] = [1, 2, 17, 64, 65, 255, 1025, 9000, 70_001];

#[test]
fn every_length_gives_the_sum() {
    for length in LENGTHS {
        let taps = decaying(1, length);
        let frames = 40_000;
        let input = AudioBuffer::from_channels(vec![noise(2, frames), noise(3, frames)]);
        let mut stream = stream(&taps, 2);
        let output = filtered(&mut stream, &input, &[frames + 100_000]);
        assert_eq!(output.frames(), frames);
        for channel in 0..2 {
            let places: Vec<usize> = (0..400).map(|n| n * 97).chain(0..40).chain(frames - 40..frames).collect();
            let wanted: Vec<f64> = places.iter().map(|n| exact(&taps, input.channel(channel), *n)).collect();
            let difference =
                places.iter().zip(&wanted).map(|(n, wanted)| f64::from(output.channel(channel)[*n]) - wanted);
            let scale = rms(wanted.iter().copied()).max(rms(input.channel(channel).iter().map(|x| f64::from(*x))));
            let db = 20.0 * (rms(difference) / scale).log10();
            println!("{length} taps, {:?}: {db:.1} dB", stream.plan().shape());
            assert!(db < TOLERANCE_DB - 5.0, "{length} taps, channel {channel}: {db} dB");
        }
    }
}

#[test]
fn tones_in_a_stop_band_stay_below_the_tolerance() {
    use dsp::design::fir::{Pass, windowed};
    use dsp::design::{Window, kaiser_beta};
    let taps = windowed(Pass::Low(0.1), 1025, Window::Kaiser { beta: kaiser_beta(140.0) }).unwrap();
    let tone: Vec<f32> = (0..30_000).map(|n| (f64::from(n) * 1.9).sin() as f32).collect();
    let output = filtered(&mut stream(&taps, 1), &AudioBuffer::from_channels(vec![tone]), &[4096]);
    let left = rms(output.channel(0)[2000..].iter().map(|x| f64::from(*x)));
    assert!(20.0 * left.log10() < TOLERANCE_DB, "{} dB", 20.0 * left.log10());
}

#[test]
fn chunks_of_any_size_give_the_same_bits() {
    for length in LENGTHS {
        let taps = decaying(4, length);
        let frames = if length > 5000 { 150_000 } else { 30_000 };
        let input = AudioBuffer::from_channels(vec![noise(5, frames), vec![0.0; frames], noise(6, frames)]);
        let whole = filtered(&mut stream(&taps, 3), &input, &[frames * 2 + 100_000]);
        let pieces = filtered(&mut stream(&taps, 3), &input, &[1, 777, 4096, 13, 30_000, 2]);
        assert_eq!(whole, pieces, "{length} taps");
        assert!(whole.channel(1).iter().all(|sample| *sample == 0.0), "a silent channel heard another one");
        // A channel's bits do not depend on its neighbours.
        let alone = AudioBuffer::from_channels(vec![input.channel(2).to_vec()]);
        let alone = filtered(&mut stream(&taps, 1), &alone, &[frames * 2 + 100_000]);
        assert_eq!(alone.channel(0), whole.channel(2), "{length} taps");
    }
}

#[test]
fn a_state_is_taken_up_anywhere() {
    for length in [33, 1025, 70_001] {
        let taps = decaying(7, length);
        let input = AudioBuffer::from_channels(vec![noise(8, 160_000)]);
        let whole = filtered(&mut stream(&taps, 1), &input, &[5000]);
        for cut in [1, 4999, 77_777] {
            let mut first = stream(&taps, 1);
            let mut head = AudioBuffer::new(1, 0);
            head.extend_from(&input, 0..cut);
            first.process(&mut head).unwrap();
            let mut second = stream(&taps, 1);
            second.restore(&first.state()).unwrap();
            assert_eq!(second.position(), cut as i64);
            let mut rest = AudioBuffer::new(1, 0);
            rest.extend_from(&input, cut..input.frames());
            second.process(&mut rest).unwrap();
            head.extend_from(&rest, 0..rest.frames());
            head.drop_front(first.plan().shape().unit());
            assert_eq!(head.channel(0), &whole.channel(0)[..head.frames()], "{length} taps, cut at {cut}");
        }
        let mut other = stream(&decaying(7, length + 40_000), 1);
        assert!(other.restore(&stream(&taps, 1).state()).is_err() && other.restore(&[]).is_err());
    }
}

#[test]
fn routes_are_summed() {
    for length in [20, 300, 40_000] {
        let (a, b) = (decaying(9, length), decaying(10, length / 2));
        let route = |input, filter| Route { input, filter };
        let routes = vec![vec![route(0, 0), route(1, 1)], vec![route(1, 0)], Vec::new()];
        let plan = Arc::new(FirPlan::new(&[a.clone(), b.clone()], routes).unwrap());
        let input = AudioBuffer::from_channels(vec![noise(11, 20_000), noise(12, 20_000), noise(13, 20_000)]);
        let output = filtered(&mut FirStream::new(plan, 0), &input, &[3000]);
        for n in (0..20_000).step_by(371) {
            let first = exact(&a, input.channel(0), n) + exact(&b, input.channel(1), n);
            assert!((f64::from(output.channel(0)[n]) - first).abs() < 2e-5, "{length} at {n}");
            assert!((f64::from(output.channel(1)[n]) - exact(&a, input.channel(1), n)).abs() < 2e-5);
            assert_eq!(output.channel(2)[n], 0.0);
        }
        assert!(FirPlan::new(&[a], vec![vec![route(0, 1)]]).is_err() && FirPlan::new(&[], vec![Vec::new()]).is_err());
    }
}

#[test]
fn what_is_no_number_is_silence_and_stays_in_its_place() {
    for length in [20, 300, 40_000] {
        let taps = decaying(14, length);
        let clean = AudioBuffer::from_channels(vec![noise(15, 90_000), noise(16, 90_000)]);
        let mut spoiled = clean.clone();
        let mut silenced = clean.clone();
        for (n, value) in [(100, f32::NAN), (101, f32::INFINITY), (5000, f32::NEG_INFINITY), (6000, 1e-40)] {
            spoiled.channel_mut(0)[n] = value;
            silenced.channel_mut(0)[n] = 0.0;
        }
        let wanted = filtered(&mut stream(&taps, 2), &silenced, &[2048]);
        assert_eq!(filtered(&mut stream(&taps, 2), &spoiled, &[2048]), wanted, "{length} taps");
    }
}

#[test]
fn the_ways_differ_by_length() {
    assert!(matches!(Strategy::new(LENGTHS[3]), Strategy::Direct { .. }));
    assert!(matches!(Strategy::new(LENGTHS[6]), Strategy::Pairs { .. }));
    assert!(matches!(Strategy::new(LENGTHS[8]), Strategy::Partitions { .. }));
}
