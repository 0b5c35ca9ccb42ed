//! Reassigned spectrograms: librosa's values, signals with known places of energy, conservation of energy, and pictures
//! in f64.

use crate::support;

use std::f64::consts::TAU;

use base::Error;
use base::progress::Progress;
use dsp::design::{FrequencyScale, Window};
use dsp::device::trials::reassigned::{agreement, exact};
use dsp::gpu::Engine;
use dsp::kernels::signal::reassigned::gpu::GpuReassigned;
use dsp::kernels::signal::reassigned::{Moved, ReassignedPlan, ReassignedSpec, cpu};
use dsp::kernels::signal::stft::gpu::GpuColumns;
use dsp::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, LevelCode, Samples, Spacing, Tile};
use serde::Deserialize;
use support::gpu::{engine, noise};

fn plan(window: Window, size: usize, padding: usize, rows: usize) -> ReassignedPlan {
    let spec = ReassignedSpec { window, size, padding };
    ReassignedPlan::new(spec, 2.0, FrequencyScale::Linear, [0.0, 1.0], rows).unwrap()
}

/// Columns that share the frames from the first on evenly.
fn grid(count: usize, frames_each: f64) -> ColumnGrid {
    ColumnGrid { count, first_centre: frames_each / 2.0, frames_each, spacing: Spacing::Within(0.5) }
}

fn picture(plan: &ReassignedPlan, grid: &ColumnGrid, x: &[f32]) -> Tile<f32> {
    cpu::levels(plan, grid, Samples::whole(x), None).unwrap()
}

fn power(db: f32) -> f64 {
    if db <= -200.0 { 0.0 } else { 10_f64.powf(f64::from(db) / 10.0) }
}

/// All power of a picture, times the frames of a column: twice the energy of the signal.
fn energy(tile: &Tile<f32>, grid: &ColumnGrid) -> f64 {
    tile.values.iter().map(|&db| power(db)).sum::<f64>() * grid.frames_each
}

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    window: String,
    size: usize,
    spectra: Vec<Spectrum>,
}

#[derive(Deserialize)]
struct Spectrum {
    centre: i64,
    cells: Vec<(usize, f64, f64, f64)>,
}

/// The signal of `tests/reference/reassigned.py`.
fn chirp_and_tones() -> Vec<f32> {
    let at = |n: usize| {
        let t = n as f64;
        let x = 0.4 * (TAU * (0.05 * t + 0.00002 * t * t)).sin()
            + 0.3 * (TAU * 0.3141 * t).sin()
            + 0.01 * (TAU * 0.4321 * t + 1.0).sin()
            + if n == 2500 { 0.9 } else { 0.0 };
        ((x * 65_536.0).round() / 65_536.0) as f32
    };
    (0..4096).map(at).collect()
}

/// The worst difference from librosa's times in frames and frequencies in bins, weighed by the cell's amplitude re the
/// loudest, and of powers re the loudest.
fn worst_of(moved: &[Moved], spectrum: &Spectrum, scale: f64, half: f64, bins: usize) -> [f64; 3] {
    let loudest = spectrum.cells.iter().fold(0.0, |most: f64, cell| most.max(cell.1));
    let mut worst = [0.0_f64; 3];
    for &(bin, squared, time, frequency) in &spectrum.cells {
        let got = moved[bin];
        let frames = time - 0.5 - spectrum.centre as f64;
        let inside = frames.abs() <= half && (0.0..=(bins - 1) as f64).contains(&frequency);
        let (frames, frequency) = if inside { (frames, frequency) } else { (0.0, bin as f64) };
        let share = if bin == 0 || bin == bins - 1 { 0.5 } else { 1.0 };
        let amplitude = (squared / loudest).sqrt();
        let errors = [
            (f64::from(got.frames) - frames).abs() * amplitude,
            (f64::from(got.bin) - frequency).abs() * amplitude,
            (f64::from(got.power) - share * scale * squared).abs() / (scale * loudest),
        ];
        errors.iter().zip(&mut worst).for_each(|(&error, worst)| *worst = if error <= *worst { *worst } else { error });
    }
    worst
}

#[test]
fn centres_of_gravity_are_librosas() {
    let reference: Reference = serde_json::from_str(include_str!("../reference/reassigned.json")).unwrap();
    assert!(reference.made_with.contains("librosa 0."));
    let x = chirp_and_tones();
    let mut count = 0;
    for case in &reference.cases {
        let plan = plan(case.window.parse().unwrap(), case.size, 1, 16);
        for spectrum in &case.spectra {
            let moved = cpu::moved(&plan, Samples::whole(&x), spectrum.centre).unwrap();
            let worst =
                |moved: &[Moved]| worst_of(moved, spectrum, plan.power_scale(), case.size as f64 / 2.0, moved.len());
            let [frames, bins, power] = worst(&moved);
            println!(
                "{} of {}, frame {}: {frames:.1e} frames, {bins:.1e} bins, power {power:.1e}",
                case.window, case.size, spectrum.centre
            );
            assert!(frames < 1e-3 && bins < 1e-4 && power < 1e-6, "{}: {frames}, {bins}, {power}", spectrum.centre);
            count += spectrum.cells.len();
            // A spoiled input, off by a frame, is refused.
            let late = cpu::moved(&plan, Samples::whole(&x[1..]), spectrum.centre).unwrap();
            let [frames, bins, _] = worst(&late);
            assert!(frames > 1e-3 || bins > 1e-4);
        }
    }
    assert!(count > 100, "{count} cells");
}

#[test]
fn a_steady_sine_is_a_line_of_its_level_in_its_row() {
    for window in [Window::Hann, Window::BlackmanHarris, Window::Kaiser { beta: 12.0 }] {
        for padding in [1, 4] {
            for cycles in [0.0613, 0.1234, 0.2513, 0.4017] {
                let plan = plan(window, 512, padding, 300);
                let x: Vec<f32> = (0..20_000).map(|n| (TAU * cycles * f64::from(n)).sin() as f32).collect();
                let row = (cycles * 2.0 * 300.0) as usize;
                for each in [1.0, 4.0, 100.3, 700.0] {
                    let grid = ColumnGrid { first_centre: 9000.0, ..grid(8, each) };
                    let tile = picture(&plan, &grid, &x);
                    for column in 0..8 {
                        let total: f64 = (0..300).map(|row| power(tile.row(row)[column])).sum();
                        let own = tile.row(row)[column];
                        assert!(own.abs() < 0.01, "{window}, {cycles}, {each} frames: {own} dB");
                        assert!((total - power(own)).abs() < 1e-4 * total, "{window}, {cycles}: spread");
                    }
                }
            }
        }
    }
}

#[test]
fn an_impulse_is_a_line_of_its_energy_in_its_column() {
    let plan = plan(Window::Hann, 512, 1, 100);
    let mut x = vec![0.0_f32; 8000];
    x[4321] = 1.0;
    for each in [2.0, 16.0, 64.0, 128.0, 321.0] {
        let grid = grid((8000.0 / each) as usize, each);
        let tile = picture(&plan, &grid, &x);
        let column = (4321.5 / each) as usize;
        let own: f64 = (0..100).map(|row| power(tile.row(row)[column])).sum();
        // Twice the energy of the impulse, which is 1, over the frames of the column.
        let all = energy(&tile, &grid);
        assert!((own * each - all).abs() < 1e-3 * all, "{each}: {} of {all} in its column", own * each);
        assert!((all - 2.0).abs() < 0.02, "{each}: {all}");
        // As loud in every row: its spectrum is flat.
        let levels: Vec<f32> = (1..99).map(|row| tile.row(row)[column]).collect();
        let spread = levels.iter().fold(0.0_f32, |most, &db| most.max((db - levels[0]).abs()));
        assert!(spread < 2.0, "{each}: rows differ by {spread} dB");
    }
}

#[test]
fn a_chirp_is_a_line_along_its_frequency() {
    let plan = plan(Window::Hann, 512, 2, 256);
    let rise = 0.3 / 30_000.0;
    let x: Vec<f32> =
        (0..30_000).map(f64::from).map(|t| (TAU * (0.05 * t + 0.5 * rise * t * t)).sin() as f32).collect();
    let grid = grid(300, 100.0);
    let tile = picture(&plan, &grid, &x);
    let (mut near, mut all) = (0.0, 0.0);
    for column in 10..290 {
        let cycles = 0.05 + rise * (column as f64 + 0.5) * 100.0;
        let place = cycles * 2.0 * 256.0;
        for row in 0..256 {
            let own = power(tile.row(row)[column]);
            all += own;
            // The rows that the line crosses within the column: half a row of rise to either side, and rounding.
            if (row as f64 + 0.5 - place).abs() <= 1.0 {
                near += own;
            }
        }
    }
    assert!(near > 0.98 * all, "{near} of {all} on the line");
    assert!((all / 280.0 - 1.0).abs() < 0.02, "{}", all / 280.0);
}

#[test]
fn energy_is_conserved() {
    for (size, padding, rows, each) in [(64, 1, 10, 3.0), (256, 4, 333, 50.5), (1024, 1, 100, 2000.0)] {
        let plan = plan(Window::Hann, size, padding, rows);
        let mut x = vec![0.0; 2000];
        x.extend(noise(size as u32, 20_000));
        x.resize(24_000, 0.0);
        let grid = grid((24_000.0 / each) as usize, each);
        let tile = picture(&plan, &grid, &x);
        let own: f64 = 2.0 * x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let got = energy(&tile, &grid);
        println!("{size}: {:.4} dB", 10.0 * (got / own).log10());
        assert!((got / own - 1.0).abs() < 5e-3, "{size}: {got} of {own}");
        // Moving alone loses no energy.
        let moved = cpu::moved(&plan, Samples::whole(&x), 9000).unwrap();
        let window = Window::Hann.periodic(size);
        let weighed = |n: usize| (window[n] * f64::from(x[9000 - size / 2 + n])).powi(2);
        let expected = 2.0 * (0..size).map(weighed).sum::<f64>() / window.iter().map(|w| w * w).sum::<f64>();
        let sum: f64 = moved.iter().map(|moved| f64::from(moved.power)).sum();
        assert!((sum / expected - 1.0).abs() < 1e-5, "{sum} of {expected}");
    }
}

#[test]
fn pictures_are_those_of_the_definition() {
    let x = chirp_and_tones();
    let (size, rows, columns, each) = (256, 90, 60, 32);
    let expected = exact(size, rows, columns, each, &x);
    let plan = plan(Window::Hann, size, 1, rows);
    let tile = picture(&plan, &grid(columns, each as f64), &x);
    // Where a centre of gravity is on an edge, rounding decides: some places differ, but the total power does not.
    let (near, sum) = agreement(tile.values.iter().map(|&db| power(db)), &expected);
    println!("{:.2} % of places, power within {sum:.1e}", 100.0 * near);
    assert!(near > 0.98 && sum.abs() < 1e-5, "{near}, {sum}");
    // A spoiled input, off by a frame, is refused.
    let late = picture(&plan, &grid(columns, each as f64), &x[1..]);
    assert!(agreement(late.values.iter().map(|&db| power(db)), &expected).0 < 0.5);
}

fn gpu_picture(engine: &mut Engine, plan: &ReassignedPlan, grid: &ColumnGrid, x: &[f32]) -> Tile<f32> {
    let gpu = GpuReassigned::new(plan).unwrap();
    let (tile, finished) = gpu.levels(engine, grid, Samples::whole(x), None).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    tile
}

#[test]
fn the_gpus_pictures_are_those_of_the_definition_and_of_its_twin() {
    let Some(mut engine) = engine() else { return };
    let x = chirp_and_tones();
    let (size, rows, columns, each) = (256, 90, 60, 32);
    let expected = exact(size, rows, columns, each, &x);
    let own = plan(Window::Hann, size, 1, rows);
    let tile = gpu_picture(&mut engine, &own, &grid(columns, each as f64), &x);
    let (near, sum) = agreement(tile.values.iter().map(|&db| power(db)), &expected);
    println!("{:.2} % of places, power within {sum:.1e}", 100.0 * near);
    assert!(near > 0.98 && sum.abs() < 1e-5, "{near}, {sum}");
    let late = gpu_picture(&mut engine, &own, &grid(columns, each as f64), &x[1..]);
    assert!(agreement(late.values.iter().map(|&db| power(db)), &expected).0 < 0.5);
    let mut busy = noise(3, 20_000);
    busy.iter_mut().zip(&x).for_each(|(noise, x)| *noise = 0.1 * *noise + x);
    // Short transforms and long ones, narrow columns and wide, and more windows than there is memory for at once.
    for (size, padding, grid) in [
        (64, 1, grid(200, 1.0)),
        (512, 4, grid(100, 150.7)),
        (2048, 4, grid(20, 1000.0)),
        (65_536, 8, ColumnGrid { spacing: Spacing::One, ..self::grid(4, 8192.0) }),
    ] {
        let plan = plan(Window::Hann, size, padding, 100);
        let tile = gpu_picture(&mut engine, &plan, &grid, &busy);
        let twin: Vec<f64> = picture(&plan, &grid, &busy).values.iter().map(|&db| power(db)).collect();
        let (near, sum) = agreement(tile.values.iter().map(|&db| power(db)), &twin);
        println!("{size}, padding {padding}: {:.2} % of places, power within {sum:.1e}", 100.0 * near);
        assert!(near > 0.98 && sum.abs() < 1e-5, "{size}, padding {padding}: {near}, {sum}");
    }
}

#[test]
fn the_gpu_gives_the_same_bits_again_and_in_parts() {
    let Some(mut engine) = engine() else { return };
    let x = noise(12, 30_000);
    let plan = plan(Window::Hann, 512, 1, 40);
    let gpu = GpuReassigned::new(&plan).unwrap();
    let mut fine = |grid: &ColumnGrid| gpu.fine(&mut engine, grid, Samples::whole(&x), None).unwrap().0;
    let whole = fine(&grid(101, 256.0));
    assert_eq!(fine(&grid(101, 256.0)), whole);
    let levels = gpu_picture(&mut self::engine().unwrap(), &plan, &grid(101, 256.0), &x);
    for (code, &db) in whole.values.iter().zip(&levels.values) {
        assert!(LevelCode::FINE.code(db).abs_diff(u32::from(*code)) <= 1);
    }
    let part = fine(&ColumnGrid { count: 30, first_centre: 50.5 * 256.0, ..grid(0, 256.0) });
    assert!((0..40).all(|row| part.row(row) == &whole.row(row)[50..80]));
}

#[test]
fn threads_and_parts_change_no_bit() {
    let x = chirp_and_tones();
    let plan = plan(Window::Hann, 256, 2, 64);
    let whole = picture(&plan, &grid(90, 41.7), &x);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| picture(&plan, &grid(90, 41.7), &x)), whole);
}

#[test]
fn silent_broken_and_missing_signals() {
    let plan = plan(Window::Hann, 64, 1, 50);
    let grid = grid(5, 64.0);
    let mut gpu = engine().map(|engine| (engine, GpuReassigned::new(&plan).unwrap()));
    let mut codes = |x: &[f32]| {
        let codes = plan.fine(&grid, Samples::whole(x), None).unwrap();
        if let Some((engine, gpu)) = &mut gpu {
            let own = gpu.fine(engine, &grid, Samples::whole(x), None).unwrap().0;
            let silent_or_broken = |code: u16| code == 0 || code == 65_535;
            for (own, code) in own.values.iter().zip(&codes.values).filter(|(_, code)| silent_or_broken(**code)) {
                assert_eq!(own, code);
            }
        }
        codes
    };
    let mut x = vec![0.0; 320];
    assert!(codes(&[]).values.iter().all(|&code| code == 0) && codes(&x).values.iter().all(|&code| code == 0));
    for broken in [f32::NAN, f32::INFINITY] {
        x[160] = broken;
        let got = codes(&x);
        assert!((0..50).all(|row| got.row(row)[2] == 65_535), "{broken}");
        assert!((0..50).all(|row| got.row(row)[0] == 0 && got.row(row)[4] == 0), "{broken}");
    }
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(matches!(plan.fine(&grid, Samples::whole(&x), Some(&cancelled)), Err(Error::Cancelled)));
    for wrong in [
        ColumnGrid { frames_each: -1.0, ..grid },
        ColumnGrid { first_centre: f64::INFINITY, ..grid },
        ColumnGrid { count: usize::MAX, ..grid },
    ] {
        assert!(plan.fine(&wrong, Samples::whole(&x), None).is_err(), "{wrong:?}");
    }
    assert!(codes(&x).rows == 50 && picture(&plan, &ColumnGrid { count: 0, ..grid }, &x).values.is_empty());
    let spec = ReassignedSpec { window: Window::Hann, size: 32, padding: 1 };
    let refused = ReassignedPlan::new(spec, 2.0, FrequencyScale::Linear, [0.0, 1.0], 8).unwrap_err().to_string();
    assert!(refused.contains("64 to 65536"), "{refused}");
}
