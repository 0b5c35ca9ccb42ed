//! Sums over bands on a GPU: against f64, against the CPU twin, and against themselves.

use crate::support;

use base::Error;
use dsp::device::trials::band_sums::sums_on_gpu;
use dsp::gpu::Engine;
use dsp::kernels::signal::band_sums::{BandSums, KERNEL};
use support::gpu::{bits, engine, noise};

/// Runs of weights from 0 to 1: empty, single values, the whole row, triangles. None is wider than those of filter
/// banks: sums of eight runs in f32 lose a bit with every fourfold width.
fn bands(values: usize) -> Vec<(usize, Vec<f32>)> {
    let widths = [0, 1, 2, 7, 8, 9, 31, 33, 300, values.min(4097)];
    let mut bands = Vec::new();
    for width in widths.into_iter().filter(|&width| width <= values) {
        for first in [0, 1, (values - width) / 2, values - width] {
            if first + width <= values {
                let triangle = |n: usize| 1.0 - (2.0 * n as f32 / width as f32 - 1.0).abs();
                bands.push((first, (0..width).map(triangle).collect()));
            }
        }
    }
    bands
}

fn plan(values: usize) -> BandSums {
    let bands = bands(values);
    BandSums::new(values, bands.iter().map(|(first, weights)| (*first, weights.as_slice())))
}

fn on_gpu(engine: &mut Engine, plan: &BandSums, plane: &[f32]) -> Vec<f32> {
    let (sums, finished) = sums_on_gpu(engine, plan, plane).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    sums
}

/// Every sum is within tolerance of `expected`, relative to its terms.
fn check(got: &[f32], expected: &[f64], magnitudes: &[f64]) -> Result<(), String> {
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    for (index, ((&got, &expected), &magnitude)) in got.iter().zip(expected).zip(magnitudes).enumerate() {
        let off = (f64::from(got) - expected).abs();
        if !(off <= most * magnitude) {
            return Err(format!("sum {index}: {got}, not {expected}, off by {off:e} of {magnitude:e}"));
        }
    }
    Ok(())
}

fn exact(plane: &[f32], values: usize) -> (Vec<f64>, Vec<f64>) {
    let bands = bands(values);
    let each = |row: &[f32], of: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let sum = |(first, weights): &(usize, Vec<f32>)| {
            weights.iter().zip(&row[*first..]).map(|(w, x)| of(f64::from(*w) * f64::from(*x))).sum()
        };
        bands.iter().map(sum).collect()
    };
    let rows = || plane.chunks_exact(values);
    (rows().flat_map(|row| each(row, &|x| x)).collect(), rows().flat_map(|row| each(row, &f64::abs)).collect())
}

#[test]
fn sums_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    for (rows, values) in [(1, 1), (3, 7), (2, 8), (5, 33), (40, 129), (17, 1025), (3, 4097), (1, 32_769)] {
        let plan = plan(values);
        for plane in [noise(values as u32, rows * values), vec![0.25; rows * values]] {
            let got = on_gpu(&mut engine, &plan, &plane);
            let (sums, magnitudes) = exact(&plane, values);
            check(&got, &sums, &magnitudes).unwrap_or_else(|why| panic!("{rows} x {values}: {why}"));
            let twin: Vec<f64> = plan.sums(&plane).unwrap().into_iter().map(f64::from).collect();
            check(&got, &twin, &magnitudes).unwrap_or_else(|why| panic!("{rows} x {values}, twin: {why}"));
            assert_eq!(bits(&got), bits(&on_gpu(&mut engine, &plan, &plane)), "twice the same");
        }
    }
}

#[test]
fn rows_do_not_depend_on_those_beside_them_and_a_spoiled_value_is_seen() {
    let Some(mut engine) = engine() else { return };
    let (values, plan) = (129, plan(129));
    let x = noise(3, 9 * values);
    let whole = on_gpu(&mut engine, &plan, &x);
    let rows: Vec<f32> = x.chunks_exact(values).flat_map(|row| on_gpu(&mut engine, &plan, row)).collect();
    assert_eq!(bits(&whole), bits(&rows));
    let mut spoiled = x.clone();
    spoiled[4 * values + 60] += 1e-3;
    let (sums, magnitudes) = exact(&spoiled, values);
    assert!(check(&whole, &sums, &magnitudes).is_err(), "a value that is off by a thousandth is found");
}

#[test]
fn nothing_gives_nothing_and_odd_rows_are_refused() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(33);
    assert!(sums_on_gpu(&mut engine, &plan, &[]).unwrap().0.is_empty());
    assert!(plan.sums(&[]).unwrap().is_empty());
    assert!(matches!(sums_on_gpu(&mut engine, &plan, &[1.0; 34]), Err(Error::Invalid { .. })));
    assert!(matches!(plan.sums(&[1.0; 34]), Err(Error::Invalid { .. })));
    let silent = on_gpu(&mut engine, &plan, &[0.0; 66]);
    assert_eq!(bits(&silent), vec![0; 2 * plan.count()]);
}
