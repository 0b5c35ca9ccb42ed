//! The cascade's CPU twin: against double-double arithmetic, and against itself however it is cut up.

use crate::support;

use base::simd::Simd;
use base::sound::AudioBuffer;
use dsp::design::Svf;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu};
use support::cascade::{Filter, noise, of_svf, oracle, orders, promised, refused, residual_db, signals};

fn run(simd: Simd, cascade: &Cascade, state: &mut CascadeState, input: &[f32]) -> Vec<f32> {
    let mut buffer = AudioBuffer::from_channels(vec![input.to_vec()]);
    cpu::run_with(simd, cascade, state, &mut buffer).unwrap();
    buffer.channel(0).to_vec()
}

fn run_from_rest(simd: Simd, cascade: &Cascade, input: &[f32]) -> Vec<f32> {
    run(simd, cascade, &mut CascadeState::new(1, cascade.len()), input)
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|x| x.to_bits()).collect()
}

fn residual_between(expected: &[f32], got: &[f32], input: &[f32]) -> f64 {
    let square = |x: f64| x * x;
    let energy = |x: &[f32]| x.iter().map(|&x| square(f64::from(x))).sum::<f64>();
    let error: f64 = expected.iter().zip(got).map(|(&a, &b)| square(f64::from(a) - f64::from(b))).sum();
    if error == 0.0 { f64::NEG_INFINITY } else { 10.0 * (error / energy(expected).max(energy(input))).log10() }
}

/// Holds a filter to -160 dB before and -145 dB after rounding to f32.
fn hold(simd: Simd, filter: &Filter, frames: usize) {
    let cascade = Cascade::new(&filter.sections);
    for (signal, input) in signals(filter, frames) {
        let expected = oracle(&filter.sections, &input);
        let mut wide: Vec<f64> = input.iter().map(|&x| x.into()).collect();
        let mut states = vec![[0.0; 2]; cascade.len()];
        cpu::run_f64(simd, &cascade, &mut states, &mut wide).unwrap();
        let (before, at) = residual_db(&input, &expected, wide);
        assert!(before <= -160.0, "{simd:?}, {}, {signal}: {before:.1} dB in f64, worst at {at}", filter.name);
        let narrow = run_from_rest(simd, &cascade, &input);
        let (after, at) = residual_db(&input, &expected, narrow.iter().map(|&x| x.into()));
        assert!(after <= -145.0, "{simd:?}, {}, {signal}: {after:.1} dB in f32, worst at {at}", filter.name);
        println!("{:40} {signal:6} {before:7.1} dB in f64, {after:7.1} dB in f32", filter.name);
    }
}

#[test]
fn every_promised_filter_keeps_its_tolerance_on_every_vector_unit() {
    for simd in Simd::available() {
        for filter in promised() {
            hold(simd, &filter, 20_011);
        }
    }
}

#[test]
fn every_order_keeps_its_tolerance() {
    for filter in orders() {
        hold(Simd::best(), &filter, 9001);
    }
}

#[test]
fn filters_beyond_f32_are_right_on_the_cpu() {
    for filter in refused() {
        hold(Simd::best(), &filter, 20_011);
    }
}

#[test]
fn a_spoiled_result_is_refused() {
    let filter = &promised()[0];
    let (_, input) = &signals(filter, 5000)[0];
    let expected = oracle(&filter.sections, input);
    let good = run_from_rest(Simd::best(), &Cascade::new(&filter.sections), input);
    let residual = |got: &[f32]| residual_db(input, &expected, got.iter().map(|&x| x.into())).0;
    assert!(residual(&good) <= -145.0);
    let mut late = good.clone();
    late.rotate_right(1);
    assert!(residual(&late) > -60.0, "a frame late: {:.1} dB", residual(&late));
    let mut click = good.clone();
    click[4321] += 1e-4;
    assert!(residual(&click) > -120.0, "one wrong sample: {:.1} dB", residual(&click));
    let mut broken = good;
    broken[17] = f32::NAN;
    assert_eq!(residual(&broken), f64::INFINITY);
    let mut other = filter.sections.clone();
    other[3].svf.g *= 1.0 + 1e-5;
    let got = run_from_rest(Simd::best(), &Cascade::new(&other), input);
    assert!(residual(&got) > -120.0, "a cutoff off by 1e-5: {:.1} dB", residual(&got));
}

#[test]
fn vector_units_with_fused_multiply_add_give_the_same_bits() {
    let input = noise(3, 5003);
    for filter in promised() {
        let cascade = Cascade::new(&filter.sections);
        let best = run_from_rest(Simd::best(), &cascade, &input);
        for simd in Simd::available() {
            let got = run_from_rest(simd, &cascade, &input);
            if simd == Simd::Portable {
                let residual = residual_between(&best, &got, &input);
                assert!(residual <= -150.0, "{}: portable differs by {residual:.1} dB", filter.name);
            } else {
                assert_eq!(bits(&got), bits(&best), "{simd:?}, {}", filter.name);
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let filter = &promised()[1];
    let cascade = Cascade::new(&filter.sections);
    // Long enough to be shared among threads, and not a whole number of anything.
    let frames = 100_003;
    for channels in [1, 2, 3] {
        let given = AudioBuffer::from_channels((0..channels).map(|i| noise(i as u32, frames)).collect());
        let mut results = Vec::new();
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut buffer = given.clone();
            let mut state = CascadeState::new(channels, cascade.len());
            pool.install(|| cpu::run(&cascade, &mut state, &mut buffer)).unwrap();
            results.push((threads, buffer, state));
        }
        for (threads, buffer, state) in &results[1..] {
            for channel in 0..channels {
                let (got, expected) = (buffer.channel(channel), results[0].1.channel(channel));
                assert_eq!(bits(got), bits(expected), "{channels} channels on {threads} threads");
            }
            assert_eq!(state, &results[0].2, "{channels} channels on {threads} threads");
        }
    }
}

#[test]
fn blocks_of_any_length_join_to_the_whole() {
    let lengths = [0, 1, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097];
    let frames: usize = lengths.iter().sum();
    let input = noise(11, frames);
    for filter in promised() {
        let cascade = Cascade::new(&filter.sections);
        let whole = run_from_rest(Simd::best(), &cascade, &input);
        let mut state = CascadeState::new(1, cascade.len());
        let mut joined = Vec::new();
        for length in lengths {
            let block = &input[joined.len()..joined.len() + length];
            joined.extend(run(Simd::best(), &cascade, &mut state, block));
        }
        let residual = residual_between(&whole, &joined, &input);
        assert!(residual <= -150.0, "{}: joined blocks differ by {residual:.1} dB", filter.name);
    }
}

#[test]
fn a_length_alone_is_right() {
    let filter = &promised()[7];
    let cascade = Cascade::new(&filter.sections);
    for length in [0, 1, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097] {
        let input = noise(5, length);
        let got = run_from_rest(Simd::best(), &cascade, &input);
        assert_eq!(got.len(), length);
        if length > 0 {
            let expected = oracle(&filter.sections, &input);
            let (residual, at) = residual_db(&input, &expected, got.iter().map(|&x| x.into()));
            assert!(residual <= -145.0, "{length} frames: {residual:.1} dB, worst at {at}");
        }
    }
}

#[test]
fn every_channel_is_filtered_as_if_alone() {
    let filter = &promised()[5];
    let cascade = Cascade::new(&filter.sections);
    for channels in [1, 2, 3, 4, 8] {
        let inputs: Vec<Vec<f32>> = (0..channels).map(|i| noise(20 + i as u32, 3001)).collect();
        let mut buffer = AudioBuffer::from_channels(inputs.clone());
        cpu::run(&cascade, &mut CascadeState::new(channels, cascade.len()), &mut buffer).unwrap();
        for (channel, input) in inputs.iter().enumerate() {
            let alone = run_from_rest(Simd::best(), &cascade, input);
            assert_eq!(bits(buffer.channel(channel)), bits(&alone), "channel {channel} of {channels}");
        }
    }
}

#[test]
fn silence_stays_silence_and_ringing_ends_in_it() {
    for simd in Simd::available() {
        for filter in promised() {
            let cascade = Cascade::new(&filter.sections);
            let mut state = CascadeState::new(1, cascade.len());
            assert!(run(simd, &cascade, &mut state, &[0.0; 2100]).iter().all(|x| x.to_bits() == 0), "{}", filter.name);
            assert_eq!(state, CascadeState::new(1, cascade.len()));
        }
        let fast = Cascade::new(&promised()[0].sections);
        let mut state = CascadeState::new(1, fast.len());
        run(simd, &fast, &mut state, &noise(1, 1000));
        let tail = run(simd, &fast, &mut state, &vec![0.0; 48_000]);
        assert_eq!(tail.last().unwrap().to_bits() & 0x7fff_ffff, 0);
        assert_eq!(state, CascadeState::new(1, fast.len()), "no state is left to be subnormal");
    }
}

#[test]
fn a_nan_is_heard_in_its_own_channel_from_there_on_until_a_reset() {
    for simd in Simd::available() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            // In a whole segment, and in the remainder after the segments.
            for at in [1500, 2990] {
                let cascade = Cascade::new(&promised()[0].sections);
                let clean = noise(9, 3000);
                let mut broken = clean.clone();
                broken[at] = bad;
                let mut state = CascadeState::new(2, cascade.len());
                let mut buffer = AudioBuffer::from_channels(vec![broken, clean.clone()]);
                cpu::run_with(simd, &cascade, &mut state, &mut buffer).unwrap();
                let alone = run_from_rest(simd, &cascade, &clean);
                assert_eq!(bits(buffer.channel(1)), bits(&alone), "the other channel");
                assert_eq!(bits(&buffer.channel(0)[..at]), bits(&alone[..at]), "what came before");
                assert!(buffer.channel(0)[at..].iter().all(|x| !x.is_finite()), "from {at} on");
                assert!(!state.is_finite());
                state.reset();
                assert!(state.is_finite());
                let mut buffer = AudioBuffer::from_channels(vec![clean.clone(), clean]);
                cpu::run_with(simd, &cascade, &mut state, &mut buffer).unwrap();
                assert_eq!(bits(buffer.channel(0)), bits(&alone), "after a reset");
            }
        }
    }
}

#[test]
fn subnormal_samples_are_filtered_like_others() {
    // A pass-through of two sections and a low-pass: values that are subnormal in f32 are not in f64.
    let input: Vec<f32> = noise(2, 3000).iter().map(|x| x * 1e-39).collect();
    assert!(input.iter().any(|x| x.is_subnormal()));
    let through = of_svf(Svf { g: 0.1, k: 1.0, m: [1.0, 0.0, 0.0] });
    let cascade = Cascade::new(&[through, through]);
    for simd in Simd::available() {
        assert_eq!(bits(&run_from_rest(simd, &cascade, &input)), bits(&input), "{simd:?}");
    }
}

#[test]
fn no_sections_pass_the_signal_as_it_is() {
    let cascade = Cascade::new(&[]);
    assert!(cascade.is_empty());
    let input = noise(4, 1000);
    assert_eq!(bits(&run_from_rest(Simd::best(), &cascade, &input)), bits(&input));
}

#[test]
fn a_state_made_on_one_vector_unit_goes_on_on_another() {
    let filter = &promised()[2];
    let cascade = Cascade::new(&filter.sections);
    let input = noise(6, 9000);
    let whole = run_from_rest(Simd::best(), &cascade, &input);
    let mut state = CascadeState::new(1, cascade.len());
    let mut joined = Vec::new();
    let units: Vec<Simd> = Simd::available().collect();
    for (i, block) in input.chunks(1111).enumerate() {
        joined.extend(run(units[i % units.len()], &cascade, &mut state, block));
    }
    let residual = residual_between(&whole, &joined, &input);
    assert!(residual <= -150.0, "{residual:.1} dB");
}
