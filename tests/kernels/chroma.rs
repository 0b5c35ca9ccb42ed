//! Pitch classes on a GPU: against their definition in f64, against the CPU twin, and against themselves.

use crate::support;

use std::f64::consts::TAU;
use std::ops::Range;

use base::progress::Progress;
use dsp::device::trials::chroma::{classes_on_gpu, exact};
use dsp::gpu::Engine;
use dsp::kernels::signal::chroma::gpu::GpuChroma;
use dsp::kernels::signal::chroma::{Basis, CLASSES, ConstantQ, ConstantQSpec, KERNEL, chroma};
use dsp::kernels::signal::stft::Samples;
use support::gpu::{bits, engine, noise};

/// A chord whose notes come in one after the other, over some hiss.
fn chord(rate: f64, seconds: f64) -> Vec<f32> {
    let hiss = noise(11, (rate * seconds) as usize);
    let at = |(n, hiss): (usize, &f32)| {
        let t = n as f64 / rate;
        let notes = [65.4, 130.8, 196.0, 261.6, 329.6].into_iter().enumerate();
        let heard = notes.filter(|(index, _)| *index as f64 <= 5.0 * t / seconds);
        let sum: f64 = heard.map(|(_, hz)| (TAU * hz * t).sin() * 0.15).sum();
        (sum + 0.01 * f64::from(*hiss)) as f32
    };
    hiss.iter().enumerate().map(at).collect()
}

fn plan(rate: f64, hop: usize, tuning: f64, basis: Basis) -> ConstantQ {
    ConstantQ::new(ConstantQSpec { hop, tuning, basis }, rate).unwrap()
}

fn on_gpu(engine: &mut Engine, plan: &ConstantQ, x: &[f32], windows: Range<u64>) -> Vec<[f32; CLASSES]> {
    let gpu = GpuChroma::new(plan).unwrap();
    let (classes, finished) = classes_on_gpu(engine, &gpu, Samples::whole(x), windows).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    classes
}

/// Every class within `most` of the window's largest.
fn check(got: &[f32; CLASSES], expected: &[f64; CLASSES], most: f64) -> Result<(), String> {
    let largest = expected.iter().copied().fold(0.0, f64::max);
    let off = got.iter().zip(expected).map(|(got, expected)| (f64::from(*got) - expected).abs()).fold(0.0, f64::max);
    if off <= most * largest { Ok(()) } else { Err(format!("{got:?}, not {expected:?}: off by {:e}", off / largest)) }
}

#[test]
fn classes_are_within_tolerance_of_the_twin_and_near_their_definition() {
    let Some(mut engine) = engine() else { return };
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    for (rate, hop, tuning) in
        [(44_100.0, 512, 0.0), (48_000.0, 512, 0.31), (8000.0, 128, -0.5), (96_000.0, 1024, 0.0), (500.0, 16, 0.2)]
    {
        for basis in [Basis::Librosa, Basis::Exact] {
            let seconds = if rate > 50e3 { 0.6 } else { 1.5 };
            let x = chord(rate, seconds);
            let plan = plan(rate, hop, tuning, basis);
            let windows = 0..plan.windows(x.len() as u64);
            let got = on_gpu(&mut engine, &plan, &x, windows.clone());
            let spectra = plan.spectra(Samples::whole(&x), windows, &Progress::new()).unwrap();
            for (window, (got, twin)) in got.iter().zip(chroma(&spectra)).enumerate() {
                check(got, &twin.map(f64::from), most).unwrap_or_else(|why| panic!("{rate} Hz, {window}: {why}"));
            }
            // Without the part that the basis leaves out; the filters' ripple and the rounding of centres remain.
            let middle = got.len() / 2;
            let wanted = exact(&x, rate, (middle * hop) as i64, plan.bins(), tuning);
            let most = if basis == Basis::Exact { 5e-3 } else { 5e-2 };
            check(&got[middle], &wanted, most).unwrap_or_else(|why| panic!("{rate} Hz, {basis:?}: {why}"));
        }
    }
}

#[test]
fn windows_do_not_depend_on_those_beside_them_and_a_spoiled_signal_is_seen() {
    let Some(mut engine) = engine() else { return };
    let mut x = chord(22_050.0, 1.0);
    let plan = plan(22_050.0, 256, 0.0, Basis::Librosa);
    let windows = plan.windows(x.len() as u64);
    let whole = on_gpu(&mut engine, &plan, &x, 0..windows);
    for cut in [1, 50] {
        let mut parts = on_gpu(&mut engine, &plan, &x, 0..cut);
        parts.extend(on_gpu(&mut engine, &plan, &x, cut..windows));
        assert_eq!(bits(parts.as_flattened()), bits(whole.as_flattened()), "cut at {cut}");
    }
    x[40 * 256] += 0.2;
    let spectra = plan.spectra(Samples::whole(&x), 40..41, &Progress::new()).unwrap();
    let wanted = chroma(&spectra)[0].map(f64::from);
    assert!(check(&whole[40], &wanted, 1e-4).is_err());
}

#[test]
fn silence_and_nothing() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(44_100.0, 512, 0.0, Basis::Librosa);
    assert_eq!(on_gpu(&mut engine, &plan, &[0.0; 5000], 0..3), [[0.0; CLASSES]; 3]);
    assert_eq!(on_gpu(&mut engine, &plan, &[], 0..2), [[0.0; CLASSES]; 2]);
    let gpu = GpuChroma::new(&plan).unwrap();
    assert!(classes_on_gpu(&mut engine, &gpu, Samples::whole(&[]), 5..5).unwrap().0.is_empty());
}
