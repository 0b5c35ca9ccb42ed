//! Constant-Q spectrograms: the sum that defines them in f64, librosa's values, and signals whose levels are known.

use crate::support;

use std::f64::consts::TAU;

use base::Error;
use base::progress::Progress;
use dsp::design::{Bank, FrequencyScale, Window};
use dsp::device::trials::constant_q::{exact, halved, levels};
use dsp::device::trials::exact::db;
use dsp::kernels::signal::constant_q::gpu::GpuConstantQ;
use dsp::kernels::signal::constant_q::{ConstantQPlan, ConstantQSpec, cpu};
use dsp::kernels::signal::stft::gpu::GpuColumns;
use dsp::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, LevelCode, Samples, Spacing, Tile};
use serde::Deserialize;
use support::dft::{music, worst_level};
use support::gpu::{engine, noise};

const RATE: f64 = 16_000.0;

fn plan(window: Window, bins_per_octave: u32, low_hz: f64, rows: usize) -> ConstantQPlan {
    let spec = ConstantQSpec { window, bins_per_octave, low_hz };
    ConstantQPlan::new(spec, RATE, FrequencyScale::Log, [low_hz, RATE / 2.0], rows).unwrap()
}

fn grid(count: usize, first_centre: f64, frames_each: f64) -> ColumnGrid {
    ColumnGrid { count, first_centre, frames_each, spacing: Spacing::Within(0.5) }
}

/// The amplitudes of all bins by the definition with octaves; `plain` by that without.
fn defined(plan: &ConstantQPlan, window: Window, x: &[f32], centre: usize, plain: bool) -> Vec<f64> {
    exact(plan, window, RATE, &halved(x, if plain { 0 } else { 12 }), centre)
}

fn amplitudes(plan: &ConstantQPlan, x: &[f32], centre: usize) -> Vec<f64> {
    let powers = cpu::powers(plan, Samples::whole(x), centre as i64).unwrap();
    powers.into_iter().map(|power| f64::from(power).sqrt()).collect()
}

/// The residual in dB re the expected, both as sums of squares.
fn residual_db(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let error: f64 = got.iter().zip(expected).map(|(got, expected)| (got - expected).powi(2)).sum();
    10.0 * (error / expected.iter().map(|x| x * x).sum::<f64>()).log10()
}

#[test]
fn the_cpu_is_within_tolerance_of_the_sum_that_defines_it() {
    for (per_octave, low_hz, plain_db) in [(12, 60.0, -60.0), (36, 55.0, -80.0), (96, 220.0, -90.0)] {
        for window in [Window::Hann, Window::BlackmanHarris] {
            let plan = plan(window, per_octave, low_hz, 8);
            for x in [noise(per_octave, 40_000), music(40_000)] {
                let got = amplitudes(&plan, &x, 20_011);
                let expected = defined(&plan, window, &x, 20_011, false);
                let octaves = residual_db(&got, &expected);
                let plain = residual_db(&got, &defined(&plan, window, &x, 20_011, true));
                println!("{per_octave} bins, {window}: {octaves:.1} dB from octaves, {plain:.1} dB without filters");
                assert!(octaves <= -120.0, "{per_octave} bins, {window}: {octaves:.1} dB");
                assert!(plain <= plain_db, "{per_octave} bins, {window}: {plain:.1} dB");
                // Spoiled values are refused.
                let louder: Vec<f32> = x.iter().map(|x| 1.001 * x).collect();
                assert!(residual_db(&amplitudes(&plan, &louder, 20_011), &expected) > -61.0);
                let mut one = got;
                one[5] *= 1.0 + 1e-3;
                one[3] += 1e-5;
                assert!(residual_db(&one, &expected) > -120.0);
            }
        }
    }
}

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    bins_per_octave: u32,
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    centre: usize,
    amplitudes: Vec<f64>,
}

/// The signal of `tests/reference/constant_q.py`.
fn tones() -> Vec<f32> {
    let between = 110.0 * (37.5_f64 / 12.0).exp2();
    let at = |n: usize| {
        let tone = |(hz, level): (f64, f64)| level * (TAU * hz / RATE * n as f64).sin();
        let sum: f64 = [(220.0, 0.3), (between, 0.2), (1760.0, 0.1), (3100.0, 0.05)].map(tone).iter().sum();
        let x = sum + if n == 24_700 { 0.9 } else { 0.0 };
        ((x * 65_536.0).round() / 65_536.0) as f32
    };
    (0..49_152).map(at).collect()
}

#[test]
fn amplitudes_are_librosas() {
    let reference: Reference = serde_json::from_str(include_str!("../reference/constant_q.json")).unwrap();
    assert!(reference.made_with.contains("librosa 0."));
    let x = tones();
    for case in &reference.cases {
        let plan = plan(Window::Hann, case.bins_per_octave, 110.0, 8);
        for frame in &case.frames {
            let got = &amplitudes(&plan, &x, frame.centre)[..frame.amplitudes.len()];
            let loudest = frame.amplitudes.iter().fold(0.0, |most: f64, &a| most.max(a));
            let errors = got.iter().zip(&frame.amplitudes).map(|(got, expected)| (got - expected).abs() / loudest);
            let worst = errors.fold(0.0, f64::max);
            println!("{} bins, frame {}: {worst:.1e}", case.bins_per_octave, frame.centre);
            // Its windows have whole lengths, and stand half a frame aside.
            assert!(worst < 1e-2, "{} bins, frame {}: {worst}", case.bins_per_octave, frame.centre);
            let late = &amplitudes(&plan, &x, frame.centre + 2000)[..frame.amplitudes.len()];
            let moved = late.iter().zip(&frame.amplitudes).map(|(got, expected)| (got - expected).abs() / loudest);
            assert!(frame.centre < 20_000 || moved.fold(0.0, f64::max) > 1e-2);
        }
    }
}

#[test]
fn a_full_scale_sine_reads_0_db_in_every_octave() {
    let plan = plan(Window::Hann, 24, 40.0, 8);
    let bins = plan.bins();
    for bin in (0..bins.count - 4).step_by(17) {
        let hz = bins.hz_from_bin(bin as f64);
        let x: Vec<f32> = (0..60_000).map(|n| (TAU * hz / RATE * f64::from(n)).sin() as f32).collect();
        let got = amplitudes(&plan, &x, 30_000);
        let db = 20.0 * got[bin].log10();
        assert!(db.abs() < 0.02, "bin {bin}, {hz} Hz: {db} dB");
        let loudest = (0..bins.count).max_by(|&a, &b| got[a].total_cmp(&got[b])).unwrap();
        assert_eq!(loudest, bin);
    }
}

#[test]
fn rows_show_their_bins() {
    let x = tones();
    let plan = plan(Window::Hann, 36, 110.0, 400);
    let tile = cpu::levels(&plan, &grid(3, 24_000.0, 100.0), Samples::whole(&x), None).unwrap();
    let top = (RATE / 2.0 / 110.0).log2();
    for (hz, level) in [(220.0, 0.3_f64), (1760.0, 0.1), (3100.0, 0.05)] {
        let row = ((hz / 110.0_f64).log2() / top * 400.0) as usize;
        let near = (row - 2..=row + 2).max_by(|&a, &b| tile.row(a)[1].total_cmp(&tile.row(b)[1])).unwrap();
        let db = f64::from(tile.row(near)[1]);
        // A row between bins, which are 6 dB apart around a tone, is on the straight line between them.
        assert!((db - 20.0 * level.log10()).abs() < 1.7, "{hz} Hz: {db} dB");
    }
}

#[test]
fn every_frame_of_wide_columns_counts() {
    let plan = plan(Window::Hann, 12, 200.0, 30);
    let tone = |n: usize| (TAU * 1000.0 / RATE * n as f64).sin() as f32;
    let level = |from: usize, to: usize| {
        let x: Vec<f32> = (0..60_000).map(|n| if (from..to).contains(&n) { tone(n) } else { 0.0 }).collect();
        let tile = cpu::levels(&plan, &grid(1, 30_000.0, 20_000.0), Samples::whole(&x), None).unwrap();
        tile.values.iter().fold(-200.0, |most: f32, &db| most.max(db))
    };
    let whole = level(0, 60_000);
    for (from, to, share) in [(20_000, 30_000, 0.5_f32), (22_000, 24_000, 0.1), (39_000, 50_000, 0.05)] {
        let difference = level(from, to) - whole - 10.0 * share.log10();
        assert!(difference.abs() < 0.35, "{from} to {to}: {difference} dB");
    }
}

/// The levels of rows in f64, from amplitudes by the definition, and the level of the loudest bin.
fn rows_of(plan: &ConstantQPlan, rows: usize, amplitudes: &[f64]) -> (Vec<f64>, f64) {
    let span = [plan.bins().low_hz, RATE / 2.0];
    let bank = Bank::display_octaves(plan.bins(), FrequencyScale::Log, span, rows).unwrap();
    (levels(&bank, amplitudes), db(amplitudes.iter().fold(0.0, |most: f64, &a| most.max(a * a))))
}

fn column_of(tile: &Tile<f32>, column: usize) -> impl Iterator<Item = f64> + '_ {
    (0..tile.rows).map(move |row| f64::from(tile.row(row)[column]))
}

#[test]
fn the_gpu_is_within_a_thousandth_of_a_db_of_f64_and_of_its_twin() {
    let Some(mut engine) = engine() else { return };
    for (per_octave, low_hz, rows) in [(12, 60.0, 40), (36, 110.0, 300), (96, 220.0, 100)] {
        let plan = plan(Window::Hann, per_octave, low_hz, rows);
        let gpu = GpuConstantQ::new(&plan);
        for x in [noise(per_octave, 40_000), music(40_000)] {
            let one = ColumnGrid { spacing: Spacing::One, ..grid(3, 19_000.0, 1000.0) };
            for grid in [one, grid(5, 9000.5, 5000.3), grid(50, 20_000.0, 1.0)] {
                let (tile, finished) = gpu.levels(&mut engine, &grid, Samples::whole(&x), None).unwrap();
                assert!(finished.dispatches > 0, "the GPU did not run");
                let twin = cpu::levels(&plan, &grid, Samples::whole(&x), None).unwrap();
                for column in 0..grid.count {
                    let loudest = column_of(&twin, column).fold(-200.0, f64::max);
                    let (worst, heard) =
                        worst_level(column_of(&tile, column), &(column_of(&twin, column).collect(), loudest));
                    assert!(heard > 3 && worst <= 1e-3, "{per_octave} bins, column {column}: {worst} dB from the twin");
                }
                let (fine, _) = gpu.fine(&mut engine, &grid, Samples::whole(&x), None).unwrap();
                let codes = tile.values.iter().map(|&db| LevelCode::FINE.code(db));
                assert!(codes.zip(&fine.values).all(|(code, &own)| code.abs_diff(u32::from(own)) <= 1));
                if grid.spacing == Spacing::One {
                    let expected = rows_of(&plan, rows, &defined(&plan, Window::Hann, &x, 20_000, false));
                    let (worst, heard) = worst_level(column_of(&tile, 1), &expected);
                    println!("{per_octave} bins: {worst:.1e} dB of f64 in {heard} rows");
                    assert!(heard > 3 && worst <= 1e-3, "{per_octave} bins: {worst} dB of f64");
                    let spoiled = column_of(&tile, 1).map(|db| db + 0.002);
                    assert!(worst_level(spoiled, &expected).0 > 1e-3);
                }
            }
        }
    }
}

#[test]
fn the_gpu_gives_the_same_bits_in_parts() {
    let Some(mut engine) = engine() else { return };
    let x = noise(7, 50_000);
    let plan = plan(Window::Hann, 24, 100.0, 64);
    let gpu = GpuConstantQ::new(&plan);
    let whole = gpu.fine(&mut engine, &grid(31, 512.0, 1024.0), Samples::whole(&x), None).unwrap().0;
    let part = ColumnGrid { count: 7, first_centre: 512.0 + 20.0 * 1024.0, ..grid(0, 0.0, 1024.0) };
    let part = gpu.fine(&mut engine, &part, Samples::whole(&x), None).unwrap().0;
    assert!((0..64).all(|row| part.row(row) == &whole.row(row)[20..27]));
}

fn same(a: &Tile<f32>, b: &Tile<f32>) -> bool {
    a.values.iter().map(|x| x.to_bits()).eq(b.values.iter().map(|x| x.to_bits()))
}

#[test]
fn threads_change_no_bit() {
    let x = noise(1, 30_000);
    let plan = plan(Window::Hann, 24, 50.0, 90);
    let whole = cpu::levels(&plan, &grid(40, 100.0, 700.0), Samples::whole(&x), None).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = pool.install(|| cpu::levels(&plan, &grid(40, 100.0, 700.0), Samples::whole(&x), None)).unwrap();
    assert!(same(&whole, &alone));
}

#[test]
fn silent_broken_and_missing_signals() {
    let plan = plan(Window::Hann, 12, 500.0, 50);
    let grid = grid(5, 1000.0, 2000.0);
    let grid = ColumnGrid { spacing: Spacing::One, ..grid };
    let mut gpu = engine().map(|engine| (engine, GpuConstantQ::new(&plan)));
    let mut codes = |x: &[f32]| {
        let codes = plan.fine(&grid, Samples::whole(x), None).unwrap();
        if let Some((engine, gpu)) = &mut gpu {
            assert_eq!(gpu.fine(engine, &grid, Samples::whole(x), None).unwrap().0, codes);
        }
        codes
    };
    let mut x = vec![0.0; 10_000];
    assert!(codes(&[]).values.iter().all(|&code| code == 0) && codes(&x).values.iter().all(|&code| code == 0));
    for broken in [f32::NAN, f32::INFINITY] {
        x[5000] = broken;
        let got = codes(&x);
        // The topmost rows lie above the last bin.
        assert!((0..48).all(|row| got.row(row) == [0, 0, 65_535, 0, 0]), "{broken}: {:?}", got.values);
    }
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(matches!(plan.fine(&grid, Samples::whole(&x), Some(&cancelled)), Err(Error::Cancelled)));
    for wrong in [
        ColumnGrid { frames_each: 0.0, ..grid },
        ColumnGrid { first_centre: f64::NAN, ..grid },
        ColumnGrid { count: usize::MAX, ..grid },
    ] {
        assert!(plan.fine(&wrong, Samples::whole(&x), None).is_err(), "{wrong:?}");
    }
    assert!(plan.fine(&ColumnGrid { count: 0, ..grid }, Samples::whole(&x), None).unwrap().values.is_empty());
}
