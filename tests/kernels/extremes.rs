//! Means of extremes on a GPU: against f64, against the CPU twin, and against themselves.

use crate::support;

use base::Error;
use dsp::device::trials::extremes::{self, means_on_gpu};
use dsp::gpu::Engine;
use dsp::kernels::signal::extremes::{Extremes, KERNEL, Means, Run};
use support::gpu::{bits, engine, noise};

/// Runs of all widths, with one, some, half, or all of the values counted.
fn plan(values: usize) -> Extremes {
    let mut runs = Vec::new();
    for width in [1, 2, 9, 255, 256, 257, values] {
        for from in [0, 1, values.saturating_sub(width)] {
            for count in [1, width.div_ceil(50), width / 2, width] {
                if (1..=width).contains(&count) && from + width <= values {
                    runs.push(Run { from, to: from + width, count });
                }
            }
        }
    }
    Extremes::new(values, runs).unwrap()
}

/// Powers over twelve orders of magnitude, each value there twice, zeros among them.
fn powers(seed: u32, count: usize) -> Vec<f32> {
    let x = noise(seed, count);
    (0..count).map(|n| if n % 17 == 3 { 0.0 } else { 10f32.powf(6.0 * x[n / 2 * 2]) }).collect()
}

fn on_gpu(engine: &mut Engine, plan: &Extremes, plane: &[f32]) -> Vec<Means> {
    let (means, finished) = means_on_gpu(engine, plan, plane).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    means
}

fn exact(plan: &Extremes, row: &[f32]) -> Vec<[f64; 2]> {
    plan.runs().iter().map(|run| extremes::exact(run, row)).collect()
}

fn check(got: &[Means], expected: &[[f64; 2]]) -> Result<(), String> {
    let most = 10f64.powf(KERNEL.tolerance_db / 20.0);
    assert_eq!(got.len(), expected.len());
    for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
        for (got, expected) in [got.low, got.high].into_iter().zip(expected) {
            if !((f64::from(got) - expected).abs() <= most * expected) {
                return Err(format!("run {index}: {got:e}, not {expected:e}"));
            }
        }
    }
    Ok(())
}

#[test]
fn means_are_within_tolerance_of_f64_and_of_the_twin() {
    let Some(mut engine) = engine() else { return };
    for (rows, values) in [(1, 1), (3, 7), (5, 33), (4, 300), (9, 1025), (2, 4097), (1, 32_769)] {
        let plan = plan(values);
        for plane in [powers(values as u32, rows * values), vec![0.25; rows * values], vec![0.0; rows * values]] {
            let got = on_gpu(&mut engine, &plan, &plane);
            let expected: Vec<[f64; 2]> = plane.chunks_exact(values).flat_map(|row| exact(&plan, row)).collect();
            check(&got, &expected).unwrap_or_else(|why| panic!("{rows} x {values}: {why}"));
            let twin = plan.means(&plane).unwrap();
            check(&twin, &expected).unwrap_or_else(|why| panic!("{rows} x {values}, the twin: {why}"));
            let flat = |means: &[Means]| bits(&means.iter().flat_map(|m| [m.low, m.high]).collect::<Vec<f32>>());
            assert_eq!(flat(&got), flat(&on_gpu(&mut engine, &plan, &plane)), "twice the same");
        }
    }
}

#[test]
fn rows_stand_by_themselves_and_a_spoiled_value_is_seen() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(300);
    let mut x = powers(5, 6 * 300);
    let whole = on_gpu(&mut engine, &plan, &x);
    let rows: Vec<Means> = x.chunks_exact(300).flat_map(|row| on_gpu(&mut engine, &plan, row)).collect();
    assert_eq!(whole, rows);
    // The largest value of a row, a ten thousandth larger.
    let most = (600..900).max_by(|&a, &b| x[a].total_cmp(&x[b])).unwrap();
    x[most] *= 1.0001;
    let expected: Vec<[f64; 2]> = x.chunks_exact(300).flat_map(|row| exact(&plan, row)).collect();
    assert!(check(&whole, &expected).is_err());
}

#[test]
fn nothing_gives_nothing_and_what_is_no_run_is_refused() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(33);
    assert!(means_on_gpu(&mut engine, &plan, &[]).unwrap().0.is_empty());
    assert!(matches!(means_on_gpu(&mut engine, &plan, &[1.0; 34]), Err(Error::Invalid { .. })));
    assert!(matches!(plan.means(&[1.0; 34]), Err(Error::Invalid { .. })));
    for run in [
        Run { from: 3, to: 3, count: 1 },
        Run { from: 0, to: 34, count: 1 },
        Run { from: 0, to: 3, count: 4 },
        Run { from: 0, to: 3, count: 0 },
    ] {
        assert!(matches!(Extremes::new(33, vec![run]), Err(Error::Invalid { .. })), "{run:?}");
    }
    // An infinite value is the largest: it spoils neither other runs nor the smallest values of its run.
    let plan = Extremes::new(9, vec![Run { from: 0, to: 5, count: 2 }, Run { from: 5, to: 9, count: 1 }]).unwrap();
    let row = [4.0, f32::INFINITY, 1.0, 9.0, 16.0, 4.0, 4.0, 1.0, 9.0];
    for means in [on_gpu(&mut engine, &plan, &row), plan.means(&row).unwrap()] {
        assert!((means[0].low - 1.5).abs() < 1e-6 && !means[0].high.is_finite(), "{means:?}");
        assert!((means[1].low - 1.0).abs() < 1e-6 && (means[1].high - 3.0).abs() < 1e-6, "{means:?}");
    }
}
