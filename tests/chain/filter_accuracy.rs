//! The designs as they run: against double-double arithmetic on the CPU, and on a GPU, or refused for its f32.

use crate::support;

use audio::{AudioBuffer, AudioFormat};
use base::simd::Simd;
use base::units::SampleRate;
use dsp::kernels::signal::iir_cascade::gpu::GpuPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu, predicted_f32_error_db};
use dsp::kernels::signal::resident::Chunk;
use effects::{self, Arguments, Stage, Value};
use support::cascade::{Filter, oracle, residual_db, signals};
use support::gpu::engine;

/// Above this a cascade is to run on the CPU.
const LIMIT_DB: f64 = -120.0;

const FRAMES: usize = 8193;

/// An effect's sections, from the notation of its arguments.
fn filter(effect: &str, given: &[(&str, Value)], rate_hz: u32, near_hz: f64) -> Filter {
    let mut arguments = Arguments::default();
    given.iter().for_each(|(name, value)| arguments.set(name, value.clone()));
    let format = AudioFormat::new(SampleRate::new(rate_hz).unwrap(), 1);
    let effect_made = effects::find(effect).unwrap().make(&arguments).unwrap();
    let Stage::Sections(sections) = effect_made.stage(format, None).unwrap() else { panic!("{effect} is no cascade") };
    let words: Vec<String> = given.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    let words = words.join(" ").replace("Number(", "").replace("Text(", "").replace([')', '"'], "");
    Filter { name: format!("{effect} {words} at {rate_hz}"), rate_hz: rate_hz.into(), near_hz, sections }
}

const DESIGNS: [&str; 5] = ["chebyshev1", "chebyshev2", "elliptic", "bessel", "linkwitz_riley"];

pub fn designs() -> Vec<Filter> {
    let mut filters = Vec::new();
    for design in DESIGNS {
        let orders = if design == "linkwitz_riley" { [2.0, 6.0, 12.0, 24.0] } else { [1.0, 5.0, 12.0, 24.0] };
        for (index, order) in orders.into_iter().enumerate() {
            for (kind, rate_hz, cutoff) in [
                ("lowpass", 48_000, [1000.0, 300.0, 20_000.0, 1000.0][index]),
                ("lowpass", 192_000, 0.5),
                ("highpass", 48_000, [0.5, 20.0, 300.0, 80.0][index]),
            ] {
                let given = [("cutoff", cutoff.into()), ("order", order.into()), ("design", design.into())];
                filters.push(filter(kind, &given, rate_hz, cutoff));
            }
            let (low, high) = [(900.0, 1100.0), (50.0, 60.0), (500.0, 2000.0), (200.0, 5000.0)][index];
            for kind in ["bandpass", "bandstop"] {
                let given =
                    [("low", low.into()), ("high", high.into()), ("order", order.into()), ("design", design.into())];
                filters.push(filter(kind, &given, 48_000, high));
            }
        }
    }
    filters.push(filter("dc_block", &[("cutoff", 0.5.into())], 192_000, 0.5));
    filters.push(filter(
        "tilt",
        &[("gain", 12.0.into()), ("center", 1000.0.into()), ("shape", "line".into())],
        48_000,
        1e3,
    ));
    for band in [1.0, 2.0, 4.0] {
        let given = [("band", band.into()), ("first", 80.0.into()), ("ways", 4.0.into()), ("order", 8.0.into())];
        filters.push(filter("crossover", &given, 48_000, 80.0));
    }
    filters.push(filter("filter_bank", &[("band", 3.0.into())], 48_000, 120.0));
    let up_and_down: Vec<(&str, Value)> = effects::find("graphic_eq_31")
        .unwrap()
        .parameters
        .iter()
        .enumerate()
        .map(|(i, band)| (band.name, if i % 2 == 0 { 9.0.into() } else { (-9.0).into() }))
        .collect();
    filters.push(filter("graphic_eq_31", &up_and_down, 48_000, 100.0));
    filters.push(filter("parametric_eq", &[("low_gain", 6.0.into()), ("gain3", (-12.0).into())], 48_000, 800.0));
    filters
}

#[test]
fn every_design_keeps_its_tolerance_on_the_cpu() {
    let mut worst = (f64::NEG_INFINITY, f64::NEG_INFINITY, String::new());
    for filter in designs() {
        let cascade = Cascade::new(&filter.sections);
        for (signal, input) in signals(&filter, FRAMES) {
            let expected = oracle(&filter.sections, &input);
            let mut wide: Vec<f64> = input.iter().map(|&x| x.into()).collect();
            let mut states = vec![[0.0; 2]; cascade.len()];
            cpu::run_f64(Simd::best(), &cascade, &mut states, &mut wide).unwrap();
            let (before, _) = residual_db(&input, &expected, wide);
            let mut buffer = AudioBuffer::from_channels(vec![input.clone()]);
            cpu::run(&cascade, &mut CascadeState::new(1, cascade.len()), &mut buffer).unwrap();
            let (after, at) = residual_db(&input, &expected, buffer.channel(0).iter().map(|&x| x.into()));
            if before > worst.0 {
                worst = (before, after, format!("{}, {signal}", filter.name));
            }
            assert!(after <= -145.0, "{}, {signal}: {after:.1} dB in f32, {before:.1} in f64, at {at}", filter.name);
        }
    }
    println!("worst: {:.1} dB in f64, {:.1} in f32: {}", worst.0, worst.1, worst.2);
}

#[test]
fn every_design_is_right_on_a_gpu_or_kept_from_it() {
    let Some(mut engine) = engine() else { return };
    let (mut held, mut worst, mut kept_away) = (0, (f64::NEG_INFINITY, String::new()), Vec::new());
    for filter in designs() {
        let cascade = Cascade::new(&filter.sections);
        let predicted = predicted_f32_error_db(&cascade);
        if !(predicted <= LIMIT_DB) {
            kept_away.push(format!("{} ({predicted:.0} dB)", filter.name));
            continue;
        }
        let signals = signals(&filter, FRAMES);
        let audio = AudioBuffer::from_channels(signals.iter().map(|(_, samples)| samples.clone()).collect());
        let plan = GpuPlan::new(&cascade);
        let mut chunk = Chunk::new();
        let input = chunk.upload(&audio).unwrap();
        let (filtered, _) = chunk.cascade(&plan, &CascadeState::new(3, cascade.len()), input).unwrap();
        let ticket = chunk.readback(filtered);
        let mut done = chunk.run(&mut engine, None).unwrap();
        assert!(done.finished.dispatches > 0, "the GPU did not run");
        let got = done.audio(ticket);
        for (channel, (signal, input)) in signals.iter().enumerate() {
            let expected = oracle(&filter.sections, input);
            let (db, at) = residual_db(input, &expected, got.channel(channel).iter().map(|&x| x.into()));
            assert!(db <= LIMIT_DB, "{}, {signal}: {db:.1} dB at {at}, predicted {predicted:.1}", filter.name);
            if db > worst.0 {
                worst = (db, format!("{}, {signal}", filter.name));
            }
        }
        held += 1;
    }
    println!("{held} on the GPU, worst {worst:?}; kept from it: {kept_away:#?}");
    assert!(held >= 60, "only {held} run on the GPU; kept from it: {kept_away:#?}");
}
