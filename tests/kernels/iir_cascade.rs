//! The cascade on a GPU: against double-double arithmetic, against its CPU twin, and against itself however it is cut.

use crate::support;

use base::error::Error;
use base::progress::Progress;
use base::sound::AudioBuffer;
use dsp::design::{Warped, butterworth_highpass, butterworth_lowpass};
use dsp::gpu::{Engine, Signal};
use dsp::kernels::signal::iir_cascade::gpu::GpuPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu, predicted_f32_error, predicted_f32_error_db};
use dsp::kernels::signal::resident::Chunk;
use support::cascade::{Filter, noise, oracle, orders, promised, refused, residual_db, signals};
use support::gpu::{bits, engine, noise_buffer};

const TOLERANCE_DB: f64 = -120.0;

/// One chunk on the GPU, from `state` on.
fn run(engine: &mut Engine, plan: &GpuPlan, state: &mut CascadeState, audio: &AudioBuffer) -> AudioBuffer {
    let mut chunk = Chunk::new();
    let input = chunk.upload(audio).unwrap();
    let (filtered, after) = chunk.cascade(plan, state, input).unwrap();
    let ticket = chunk.readback(filtered);
    let mut done = chunk.run(engine, None).unwrap();
    assert!(audio.is_empty() || done.finished.dispatches > 0, "the GPU did not run");
    done.state(&after, state);
    done.audio(ticket)
}

fn run_from_rest(engine: &mut Engine, cascade: &Cascade, audio: &AudioBuffer) -> AudioBuffer {
    run(engine, &GpuPlan::new(cascade), &mut CascadeState::new(audio.channels(), cascade.len()), audio)
}

fn residual(filter: &Filter, input: &[f32], got: &[f32]) -> (f64, usize) {
    residual_db(input, &oracle(&filter.sections, input), got.iter().map(|&x| x.into()))
}

/// The filter on its three signals, as three channels; the worst of them in dB.
fn hold(engine: &mut Engine, filter: &Filter, frames: usize) -> f64 {
    let signals = signals(filter, frames);
    let audio = AudioBuffer::from_channels(signals.iter().map(|(_, samples)| samples.clone()).collect());
    let cascade = Cascade::new(&filter.sections);
    let got = run_from_rest(engine, &cascade, &audio);
    let mut twin = audio;
    cpu::run(&cascade, &mut CascadeState::new(3, cascade.len()), &mut twin).unwrap();
    let mut worst = f64::NEG_INFINITY;
    for (channel, (signal, input)) in signals.iter().enumerate() {
        let (db, at) = residual(filter, input, got.channel(channel));
        println!("{:40} {signal:6} {db:7.1} dB", filter.name);
        assert!(db <= TOLERANCE_DB, "{}, {signal}: {db:.1} dB, worst at {at}", filter.name);
        let wide: Vec<_> = twin.channel(channel).iter().map(|&x| f64::from(x).into()).collect();
        let (db_twin, at) = residual_db(input, &wide, got.channel(channel).iter().map(|&x| x.into()));
        assert!(db_twin <= TOLERANCE_DB, "{}, {signal}, against the twin: {db_twin:.1} dB at {at}", filter.name);
        worst = worst.max(db);
    }
    worst
}

#[test]
fn every_promised_filter_keeps_its_tolerance() {
    let Some(mut engine) = engine() else { return };
    for filter in promised() {
        let predicted = predicted_f32_error_db(&Cascade::new(&filter.sections));
        assert!(predicted <= TOLERANCE_DB, "{} is kept from the GPU: {predicted:.1} dB", filter.name);
        hold(&mut engine, &filter, 50_021);
    }
}

#[test]
fn every_order_keeps_its_tolerance_or_is_kept_from_the_gpu() {
    let Some(mut engine) = engine() else { return };
    let mut kept_away = Vec::new();
    for filter in orders() {
        if predicted_f32_error_db(&Cascade::new(&filter.sections)) > TOLERANCE_DB {
            kept_away.push(filter.name);
        } else {
            hold(&mut engine, &filter, 12_289);
        }
    }
    let hard = ["Butterworth 12 band-stop 200-5000 Hz", "Butterworth 24 band-stop 200-5000 Hz"];
    assert!(kept_away.iter().all(|name| hard.contains(&name.as_str())), "kept from the GPU: {kept_away:?}");
}

#[test]
fn what_f32_cannot_keep_is_predicted() {
    let Some(mut engine) = engine() else { return };
    for filter in refused() {
        let cascade = Cascade::new(&filter.sections);
        let predicted = predicted_f32_error(&cascade);
        assert!(predicted.sine_db.max(predicted.noise_db) > TOLERANCE_DB, "{}: {predicted:?}", filter.name);
        // And it is so: the sine that is predicted to be the worst is about as bad as predicted.
        let sine = (0..24_576).map(|n| (0.5 * (predicted.worst_w * f64::from(n)).sin()) as f32).collect();
        let audio = AudioBuffer::from_channels(vec![sine]);
        let got = run_from_rest(&mut engine, &cascade, &audio);
        let (measured, _) = residual(&filter, audio.channel(0), got.channel(0));
        println!("{:40} predicted {:.1}, is {measured:.1} dB", filter.name, predicted.sine_db);
        assert!((-12.0..=6.0).contains(&(measured - predicted.sine_db)), "{}: {measured:.1}", filter.name);
    }
}

#[test]
fn a_spoiled_result_is_refused() {
    let Some(mut engine) = engine() else { return };
    let filter = &promised()[0];
    let audio = AudioBuffer::from_channels(vec![noise(5, 9001)]);
    let input = audio.channel(0);
    let good = run_from_rest(&mut engine, &Cascade::new(&filter.sections), &audio).channel(0).to_vec();
    assert!(residual(filter, input, &good).0 <= TOLERANCE_DB);
    let mut late = good.clone();
    late.rotate_right(1);
    assert!(residual(filter, input, &late).0 > -60.0, "a frame late");
    let mut seam = good.clone();
    seam[4096..].iter_mut().for_each(|x| *x += 1e-6);
    assert!(residual(filter, input, &seam).0 > TOLERANCE_DB, "a seam between tiles");
    let mut broken = good;
    broken[17] = f32::NAN;
    assert_eq!(residual(filter, input, &broken).0, f64::INFINITY);
    let mut other = filter.sections.clone();
    other[3].svf.g *= 1.0 + 1e-5;
    let got = run_from_rest(&mut engine, &Cascade::new(&other), &audio);
    assert!(residual(filter, input, got.channel(0)).0 > TOLERANCE_DB, "a cutoff off by 1e-5");
}

/// Three sections, one of them above a quarter of the rate, whose state depends on the parity of the chunk's length.
fn mixed() -> Filter {
    let mut sections = butterworth_highpass(2, Warped::new(5.0, 48e3).unwrap());
    sections.extend(butterworth_lowpass(4, Warped::new(19e3, 48e3).unwrap()));
    Filter { name: "5 Hz to 19 kHz".to_owned(), rate_hz: 48e3, near_hz: 19e3, sections }
}

#[test]
fn chunks_of_any_length_join_to_the_whole() {
    let Some(mut engine) = engine() else { return };
    let lengths = [0, 1, 1, 2, 15, 16, 17, 255, 4095, 4096, 4097, 3, 8191, 8192, 8193, 12_289];
    let frames: usize = lengths.iter().sum();
    for filter in [mixed(), promised().remove(1)] {
        let cascade = Cascade::new(&filter.sections);
        let plan = GpuPlan::new(&cascade);
        let audio = AudioBuffer::from_channels(vec![noise(3, frames), vec![0.5; frames]]);
        // The CPU takes every third chunk: the state that carries is the same on both.
        for cpu_every in [usize::MAX, 3] {
            let mut state = CascadeState::new(2, cascade.len());
            let mut joined = AudioBuffer::new(2, 0);
            let mut at = 0;
            for (index, length) in lengths.into_iter().enumerate() {
                let mut block = AudioBuffer::new(2, 0);
                block.extend_from(&audio, at..at + length);
                if index % cpu_every == cpu_every - 1 {
                    cpu::run(&cascade, &mut state, &mut block).unwrap();
                } else {
                    block = run(&mut engine, &plan, &mut state, &block);
                }
                joined.extend_from(&block, 0..length);
                at += length;
            }
            for channel in 0..2 {
                let (db, worst) = residual(&filter, audio.channel(channel), joined.channel(channel));
                assert!(db <= TOLERANCE_DB, "{}, channel {channel}: {db:.1} dB, worst at {worst}", filter.name);
            }
        }
    }
}

#[test]
fn lengths_around_runs_tiles_and_blocks_of_tiles() {
    let Some(mut engine) = engine() else { return };
    let filter = mixed();
    let cascade = Cascade::new(&filter.sections);
    for frames in [0, 1, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 8192] {
        let audio = AudioBuffer::from_channels(vec![noise(9, frames)]);
        let got = run_from_rest(&mut engine, &cascade, &audio);
        assert_eq!(got.frames(), frames);
        if frames > 0 {
            let (db, at) = residual(&filter, audio.channel(0), got.channel(0));
            assert!(db <= TOLERANCE_DB, "{frames} frames: {db:.1} dB, worst at {at}");
        }
    }
    // More than one block of 256 tiles, on a filter that remembers them.
    let slow = Filter {
        name: "0.5 Hz".to_owned(),
        rate_hz: 48e3,
        near_hz: 0.5,
        sections: butterworth_lowpass(2, Warped::new(0.5, 48e3).unwrap()),
    };
    let audio = AudioBuffer::from_channels(vec![noise(4, 257 * 4096 + 5)]);
    let got = run_from_rest(&mut engine, &Cascade::new(&slow.sections), &audio);
    let (db, at) = residual(&slow, audio.channel(0), got.channel(0));
    assert!(db <= TOLERANCE_DB, "257 tiles: {db:.1} dB, worst at {at}");
}

#[test]
fn channels_do_not_hear_each_other() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&mixed().sections);
    for channels in [1, 2, 8] {
        let audio = noise_buffer(channels, 9001);
        let together = run_from_rest(&mut engine, &cascade, &audio);
        for channel in 0..channels {
            let alone = AudioBuffer::from_channels(vec![audio.channel(channel).to_vec()]);
            let alone = run_from_rest(&mut engine, &cascade, &alone);
            assert_eq!(bits(together.channel(channel)), bits(alone.channel(0)), "channel {channel} of {channels}");
        }
    }
}

#[test]
fn silence_stays_silent_and_a_reset_forgets() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&promised()[0].sections);
    let plan = GpuPlan::new(&cascade);
    let silence = AudioBuffer::new(2, 5000);
    let got = run_from_rest(&mut engine, &cascade, &silence);
    assert!(got.iter().flatten().all(|&x| x == 0.0));
    let mut state = CascadeState::new(2, cascade.len());
    run(&mut engine, &plan, &mut state, &noise_buffer(2, 5000));
    assert_ne!(state, CascadeState::new(2, cascade.len()));
    state.reset();
    let got = run(&mut engine, &plan, &mut state, &silence);
    assert!(got.iter().flatten().all(|&x| x == 0.0));
}

#[test]
fn a_nan_spoils_its_channel_from_there_on_and_nothing_else() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&promised()[0].sections);
    let plan = GpuPlan::new(&cascade);
    let clean = noise_buffer(2, 9001);
    let expected = run_from_rest(&mut engine, &cascade, &clean);
    for at in [0, 5000] {
        let mut audio = clean.clone();
        audio.channel_mut(0)[at] = f32::NAN;
        let mut state = CascadeState::new(2, cascade.len());
        let got = run(&mut engine, &plan, &mut state, &audio);
        assert_eq!(bits(got.channel(1)), bits(expected.channel(1)));
        assert_eq!(bits(&got.channel(0)[..at]), bits(&expected.channel(0)[..at]));
        assert!(got.channel(0)[at..].iter().all(|x| !x.is_finite()), "a NaN at {at} was lost");
        assert!(!state.is_finite());
    }
}

#[test]
fn denormals_do_no_harm() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&promised()[0].sections);
    let mut audio = noise_buffer(1, 5000);
    audio.channel_mut(0).iter_mut().for_each(|x| *x *= 1e-40);
    let got = run_from_rest(&mut engine, &cascade, &audio);
    // A device may take them for zero.
    assert!(got.channel(0).iter().all(|x| x.abs() < 1e-38), "denormals grew");
}

#[test]
fn how_work_is_cut_does_not_change_a_bit() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&promised()[0].sections);
    let audio = noise_buffer(2, 300_001);
    // The first run cuts by guess, the others by what they learned.
    let first = run_from_rest(&mut engine, &cascade, &audio);
    for _ in 0..3 {
        let again = run_from_rest(&mut engine, &cascade, &audio);
        for channel in 0..2 {
            assert_eq!(bits(again.channel(channel)), bits(first.channel(channel)));
        }
    }
    let counts = engine.pool_counts();
    assert!(counts.hits >= 2 * counts.misses, "buffers are made anew: {counts:?}");
}

#[test]
fn a_cancel_stops_and_a_chunk_too_long_is_refused() {
    let Some(mut engine) = engine() else { return };
    let cascade = Cascade::new(&promised()[0].sections);
    let plan = GpuPlan::new(&cascade);
    let audio = noise_buffer(1, 100_000);
    let state = CascadeState::new(1, cascade.len());
    let mut chunk = Chunk::new();
    let input = chunk.upload(&audio).unwrap();
    let (filtered, _) = chunk.cascade(&plan, &state, input).unwrap();
    chunk.readback(filtered);
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(chunk.run(&mut engine, Some(&progress)), Err(Error::Cancelled)));
    hold(&mut engine, &promised()[0], 5000);
    let too_long = AudioBuffer::new(3, Signal::max_frames(3) + 1);
    assert!(matches!(Chunk::new().upload(&too_long), Err(Error::Limit { .. })));
}
