//! Harmonic and percussive energies on a GPU: against f64, against the CPU twin, and against themselves.

use crate::support;

use crate::support::features;

use std::ops::Range;

use base::Error;
use base::progress::Progress;
use dsp::device::trials::hpss::{self as trial, energies_on_gpu};
use dsp::gpu::Engine;
use dsp::kernels::signal::hpss::{self, Energies, KERNEL, MARGIN};
use dsp::kernels::signal::median::Median;
use dsp::kernels::signal::stft::Spectra;
use support::gpu::engine;

fn power(windows: usize, bins: usize) -> Spectra<f32> {
    Spectra { bins, values: features::plane(windows, bins) }
}

fn on_gpu(engine: &mut Engine, power: &Spectra<f32>, wanted: Range<usize>) -> Vec<Energies> {
    let (energies, finished) = energies_on_gpu(engine, power, wanted).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    energies
}

fn on_cpu(power: &Spectra<f32>, wanted: Range<usize>) -> Vec<Energies> {
    hpss::energies(power, wanted, &Progress::new()).unwrap()
}

fn exact(power: &Spectra<f32>, wanted: Range<usize>) -> Vec<[f64; 3]> {
    let mut medians = Median::new(power.bins);
    wanted.map(|window| trial::exact(&mut medians, power, window)).collect()
}

/// Every energy is within tolerance of `expected`, re the window's total.
fn check(got: &[Energies], expected: &[[f64; 3]]) -> Result<(), String> {
    assert_eq!(got.len(), expected.len());
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    for (window, (got, expected)) in got.iter().zip(expected).enumerate() {
        for (value, &wanted) in [got.total, got.harmonic, got.percussive].into_iter().zip(expected) {
            let off = (f64::from(value) - wanted).abs();
            if !(off <= most * expected[0]) {
                return Err(format!("window {window}: {got:?}, not {expected:?}"));
            }
        }
    }
    Ok(())
}

fn numbers(energies: &[Energies]) -> Vec<[f64; 3]> {
    energies.iter().map(|e| [e.total, e.harmonic, e.percussive].map(f64::from)).collect()
}

#[test]
fn energies_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    for (windows, bins) in [(1, 1), (1, 33), (40, 1), (5, 300), (40, 33), (70, 257), (33, 1025), (8, 4097)] {
        let power = power(windows, bins);
        for wanted in [0..windows, windows / 2..windows, windows / 3..windows / 2 + 1] {
            let got = on_gpu(&mut engine, &power, wanted.clone());
            let case = format!("{windows} windows of {bins} bins, {wanted:?}");
            check(&got, &exact(&power, wanted.clone())).unwrap_or_else(|why| panic!("{case}: {why}"));
            check(&got, &numbers(&on_cpu(&power, wanted.clone()))).unwrap_or_else(|why| panic!("{case}, twin: {why}"));
            assert_eq!(got, on_gpu(&mut engine, &power, wanted), "{case}: twice the same");
        }
    }
}

#[test]
fn masks_are_within_a_millionth() {
    let Some(mut engine) = engine() else { return };
    // With one bin a window's energies are its masks' squares times its power.
    let power = power(300, 1);
    let masks = hpss::masks(&power, 0..300, &Progress::new()).unwrap();
    for (window, got) in on_gpu(&mut engine, &power, 0..300).iter().enumerate() {
        let share = |energy: f32| (f64::from(energy) / f64::from(got.total)).sqrt();
        if got.total > 0.0 {
            assert!((share(got.harmonic) - f64::from(masks.harmonic.values[window])).abs() <= 1e-6, "window {window}");
            assert!((share(got.percussive) - f64::from(masks.percussive.values[window])).abs() <= 1e-6, "{window}");
        }
    }
}

#[test]
fn blocks_give_the_bits_of_a_whole() {
    let Some(mut engine) = engine() else { return };
    let power = power(200, 65);
    let whole = on_gpu(&mut engine, &power, 0..200);
    let mut joined = Vec::new();
    for cut in [0_usize..1, 1..7, 7..100, 100..101, 101..190, 190..200] {
        let block = cut.start.saturating_sub(MARGIN)..200.min(cut.end + MARGIN);
        let values = power.values[block.start * 65..block.end * 65].to_vec();
        let block = Spectra { bins: 65, values };
        let start = cut.start.saturating_sub(MARGIN);
        joined.extend(on_gpu(&mut engine, &block, cut.start - start..cut.end - start));
    }
    assert_eq!(joined, whole);
}

#[test]
fn swapped_parts_and_a_spoiled_bin_are_refused() {
    let Some(mut engine) = engine() else { return };
    let power = power(40, 129);
    let mut got = on_gpu(&mut engine, &power, 0..40);
    let right = exact(&power, 0..40);
    check(&got, &right).unwrap();
    for energies in &mut got {
        std::mem::swap(&mut energies.harmonic, &mut energies.percussive);
    }
    assert!(check(&got, &right).is_err(), "swapped");
    let mut spoiled = power.clone();
    spoiled.values[20 * 129 + 64] *= 1.01;
    spoiled.values[20 * 129 + 64] += 0.01;
    assert!(check(&on_gpu(&mut engine, &spoiled, 0..40), &right).is_err(), "spoiled");
}

#[test]
fn silence_is_neither_and_a_broken_window_breaks_no_other() {
    let Some(mut engine) = engine() else { return };
    let silent = Spectra { bins: 33, values: vec![0.0; 33 * 5] };
    assert_eq!(on_gpu(&mut engine, &silent, 0..5), vec![Energies::default(); 5]);
    // Energy too small for a mask is shared, however the device treats denormal numbers.
    let small = Spectra { bins: 33, values: vec![f32::from_bits(77); 33 * 5] };
    assert!(on_gpu(&mut engine, &small, 0..5).iter().all(|energies| energies.total < 1e-37));
    for value in [f32::NAN, f32::INFINITY] {
        let mut broken = power(40, 33);
        broken.values[20 * 33..21 * 33].fill(value);
        for (index, found) in on_gpu(&mut engine, &broken, 0..40).iter().enumerate() {
            let finite = [found.total, found.harmonic, found.percussive].map(f32::is_finite);
            assert_eq!(finite, [index != 20; 3], "window {index}: {found:?}");
        }
    }
    assert!(energies_on_gpu(&mut engine, &Spectra { bins: 33, values: Vec::new() }, 0..0).unwrap().0.is_empty());
    let refused = energies_on_gpu(&mut engine, &power(40, 33), 30..41);
    assert!(matches!(refused, Err(Error::Invalid { .. })));
}
