//! Pitch by YIN on a GPU: against its sums in f64, against the CPU twin, and against itself.

use crate::support;

use std::f64::consts::TAU;
use std::ops::Range;

use dsp::device::trials::yin::{exact, pitches_on_gpu};
use dsp::gpu::Engine;
use dsp::kernels::signal::stft::Samples;
use dsp::kernels::signal::yin::{KERNEL, Pitch, YinPlan, YinSpec};
use support::gpu::{engine, noise};

const SPEC: YinSpec = YinSpec { low_hz: 65.0, high_hz: 2093.0, threshold: 0.15 };

/// Notes from 70 to 1900 Hz with two harmonics and some hiss, a silence, and hiss alone.
fn melody(rate: f64, seconds: f64) -> Vec<f32> {
    let hiss = noise(7, (rate * seconds) as usize);
    let mut phase = 0.0;
    let mut at = |n: usize| {
        let t = n as f64 / (rate * seconds);
        let hz = 70.0 * 27f64.powf((t * 12.0).floor() / 12.0) * (1.0 + 0.01 * (TAU * 5.0 * t * seconds).sin());
        phase += TAU * hz / rate;
        let tone = 0.3 * phase.sin() + 0.15 * (2.0 * phase + 1.0).sin() + 0.1 * (3.0 * phase + 2.0).sin();
        match t {
            t if t > 0.95 => 0.1 * hiss[n],
            t if t > 0.9 => 0.0,
            _ => (tone + 0.005 * f64::from(hiss[n])) as f32,
        }
    };
    (0..hiss.len()).map(&mut at).collect()
}

fn on_gpu(engine: &mut Engine, plan: &YinPlan, x: &[f32], windows: Range<u64>) -> Vec<Pitch> {
    let (pitches, finished) = pitches_on_gpu(engine, plan, Samples::whole(x), windows).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    pitches
}

/// Whether a pitch is `expected`, re the period, and its aperiodicity.
fn check(got: Pitch, expected: Option<(f64, f64)>, [most, most_aperiodic]: [f64; 2]) -> Result<(), String> {
    match expected {
        None if !got.is_voiced() => Ok(()),
        Some((hz, aperiodicity))
            if (f64::from(got.hz) / hz - 1.0).abs() <= most
                && (f64::from(got.aperiodicity) - aperiodicity).abs() <= most_aperiodic =>
        {
            Ok(())
        }
        _ => Err(format!("{got:?}, not {expected:?}")),
    }
}

#[test]
fn pitches_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    for (rate, hop, seconds) in
        [(44_100.0, 512, 1.2), (8000.0, 128, 3.0), (96_000.0, 1024, 0.5), (16_000.0, 1024, 1.0), (4000.0, 64, 3.0)]
    {
        let x = melody(rate, seconds);
        let plan = YinPlan::new(hop, rate, SPEC).unwrap();
        let windows = 0..1 + (x.len() / hop) as u64;
        let got = on_gpu(&mut engine, &plan, &x, windows.clone());
        let twin = plan.pitches(Samples::whole(&x), windows);
        let mut voiced = 0;
        for (window, (got, twin)) in got.iter().zip(&twin).enumerate() {
            let (wanted, doubt) = exact(&x, hop, rate, &SPEC, window as u64);
            voiced += usize::from(wanted.is_some());
            if doubt < 1e-5 {
                continue;
            }
            check(*got, wanted, [most, 1e-5]).unwrap_or_else(|why| panic!("{rate} Hz, window {window}: {why}"));
            // The twin's transforms are f32: a cent, as for it against f64.
            let twin = twin.is_voiced().then_some((f64::from(twin.hz), f64::from(twin.aperiodicity)));
            check(*got, twin, [5.8e-4, 1e-4])
                .unwrap_or_else(|why| panic!("{rate} Hz, window {window}, the twin: {why}"));
        }
        assert!(voiced * 4 > got.len(), "{voiced} of {} windows at {rate} Hz have a pitch", got.len());
        assert!(got.iter().any(|pitch| !pitch.is_voiced()));
    }
}

#[test]
fn windows_do_not_depend_on_those_beside_them_and_a_spoiled_sample_is_seen() {
    let Some(mut engine) = engine() else { return };
    let (rate, hop) = (22_050.0, 256);
    let mut x = melody(rate, 1.0);
    let plan = YinPlan::new(hop, rate, SPEC).unwrap();
    let windows = 1 + (x.len() / hop) as u64;
    let bits = |pitches: &[Pitch]| -> Vec<[u32; 2]> {
        pitches.iter().map(|pitch| [pitch.hz.to_bits(), pitch.aperiodicity.to_bits()]).collect()
    };
    let whole = on_gpu(&mut engine, &plan, &x, 0..windows);
    for cut in [1, 37] {
        let mut parts = on_gpu(&mut engine, &plan, &x, 0..cut);
        parts.extend(on_gpu(&mut engine, &plan, &x, cut..windows));
        assert_eq!(bits(&parts), bits(&whole), "cut at {cut}");
    }
    let voiced = (10..whole.len()).find(|&window| whole[window].is_voiced()).expect("a window with a pitch");
    x[voiced * hop] += 0.3;
    let (wanted, _) = exact(&x, hop, rate, &SPEC, voiced as u64);
    assert!(check(whole[voiced], wanted, [1e-3, 1e-3]).is_err(), "{:?} is {wanted:?}", whole[voiced]);
}

#[test]
fn silence_noise_and_nothing_have_no_pitch() {
    let Some(mut engine) = engine() else { return };
    let plan = YinPlan::new(512, 44_100.0, SPEC).unwrap();
    for x in [vec![0.0; 9000], noise(3, 9000), vec![0.25; 1], Vec::new()] {
        let pitches = on_gpu(&mut engine, &plan, &x, 0..4);
        let twin = plan.pitches(Samples::whole(&x), 0..4);
        for (got, twin) in pitches.iter().zip(&twin) {
            assert_eq!(got.is_voiced(), twin.is_voiced(), "{got:?}, {twin:?}");
        }
    }
    assert!(pitches_on_gpu(&mut engine, &plan, Samples::whole(&[]), 3..3).unwrap().0.is_empty());
    assert!(YinPlan::new(6, 44_100.0, SPEC).is_err());
}
