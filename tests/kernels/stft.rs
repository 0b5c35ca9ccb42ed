//! Short-time Fourier transforms on a GPU: against f64, against their CPU twin, and against themselves.

use crate::support;

use base::Error;
use dsp::design::{Bank, FrequencyScale, Window};
use dsp::gpu::Engine;
use dsp::kernels::signal::stft::gpu::GpuStft;
use dsp::kernels::signal::stft::{
    Columns, Complex32, KERNEL, LevelCode, Rows, Samples, Spectra, StftPlan, StftSpec, Tile, TileRequest, cpu,
};
use support::dft::{levels, music, radix_2, residual_db, worst_level};
use support::gpu::{engine, noise};

fn plan(window: Window, size: usize, padding: usize, hop: usize) -> StftPlan {
    StftPlan::new(StftSpec { window, size, padding, hop }).unwrap()
}

fn gpu_spectra(engine: &mut Engine, plan: &StftPlan, x: &[f32], windows: std::ops::Range<u64>) -> Spectra<Complex32> {
    let gpu = GpuStft::new(plan).unwrap();
    let (spectra, finished) = gpu.spectra(engine, Samples::whole(x), windows, None).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    spectra
}

fn gpu_levels(engine: &mut Engine, request: &TileRequest<'_>) -> Tile<f32> {
    let (tile, finished) = GpuStft::new(request.plan).unwrap().levels(engine, request, None).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    tile
}

fn gpu_fine(engine: &mut Engine, request: &TileRequest<'_>) -> Tile<u16> {
    GpuStft::new(request.plan).unwrap().fine(engine, request, None).unwrap().0
}

#[test]
fn every_size_is_within_tolerance_of_f64() {
    let Some(mut engine) = engine() else { return };
    let tolerance = KERNEL.tolerance_db;
    let mut worst: f64 = f64::NEG_INFINITY;
    for log_size in 6..=16 {
        for padding in [1, 2, 4, 8] {
            let size = 1 << log_size;
            let plan = plan(Window::Hann, size, padding, size / 2 + 1);
            let x = noise(log_size, 2 * size + 3);
            let got = gpu_spectra(&mut engine, &plan, &x, 0..plan.windows(x.len() as u64));
            let twin = cpu::spectra(&plan, Samples::whole(&x), 0..got.windows() as u64).unwrap();
            for window in 0..got.windows() {
                let expected = radix_2(&plan, &x, plan.start_frame(window as u64));
                let db = residual_db(got.window(window), &expected);
                worst = worst.max(db);
                assert!(db <= tolerance, "{plan:?}, window {window}: {db:.1} dB");
                let twins: Vec<[f64; 2]> =
                    twin.window(window).iter().map(|x| [f64::from(x.re), f64::from(x.im)]).collect();
                let db = residual_db(got.window(window), &twins);
                assert!(db <= tolerance + 3.0, "{plan:?}, window {window}: {db:.1} dB from the twin");
            }
        }
    }
    println!("worst: {worst:.1} dB");
}

#[test]
fn tones_are_within_tolerance_of_f64() {
    let Some(mut engine) = engine() else { return };
    let tolerance = KERNEL.tolerance_db;
    for size in [64, 1024, 2048, 4096, 8192, 16_384] {
        for window in [Window::Rectangular, Window::BlackmanHarris] {
            let plan = plan(window, size, 1, size);
            let x = music(3 * size);
            let got = gpu_spectra(&mut engine, &plan, &x, 1..2);
            let db = residual_db(got.window(0), &radix_2(&plan, &x, plan.start_frame(1)));
            assert!(db <= tolerance, "{plan:?}: {db:.1} dB");
        }
    }
}

#[test]
fn tiles_show_levels_within_a_thousandth_of_a_db() {
    let Some(mut engine) = engine() else { return };
    let x = music(50_000);
    for (size, padding) in [(64, 1), (512, 8), (2048, 1), (4096, 2), (32_768, 1)] {
        let plan = plan(Window::Hann, size, padding, 512);
        for scale in [FrequencyScale::Linear, FrequencyScale::Log] {
            let bank = Bank::display(plan.bins_at(48_000.0), scale, [30.0, 24_000.0], 150).unwrap();
            let rows = Rows::new(&bank);
            let columns = Columns { count: 5, first_centre: -300.5, frames_each: 11_000.3, windows: 3 };
            let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
            let tile = gpu_levels(&mut engine, &request);
            let twin = cpu::levels(&request).unwrap();
            for column in 0..columns.count {
                let expected = levels(&plan, &bank, &x, &columns, column);
                let got = (0..tile.rows).map(|row| f64::from(tile.row(row)[column]));
                let (worst, heard) = worst_level(got, &expected);
                assert!(heard > 0 && worst <= 1e-3, "{plan:?}, {scale}, column {column}: {worst} dB in {heard} rows");
                let twins = (0..tile.rows).map(|row| f64::from(twin.row(row)[column])).collect();
                let got = (0..tile.rows).map(|row| f64::from(tile.row(row)[column]));
                let (worst, _) = worst_level(got, &(twins, expected.1));
                assert!(worst <= 1e-3, "{plan:?}, {scale}, column {column}: {worst} dB from the twin");
            }
        }
    }
}

#[test]
fn codes_are_the_levels_codes_whatever_the_number_of_columns() {
    let Some(mut engine) = engine() else { return };
    let x = music(30_000);
    let plan = plan(Window::Hann, 256, 1, 100);
    let bank = Bank::display(plan.bins_at(44_100.0), FrequencyScale::Erb, [0.0, 22_050.0], 33).unwrap();
    let rows = Rows::new(&bank);
    let gpu = GpuStft::new(&plan).unwrap();
    for count in [1, 2, 3, 4, 5, 15, 16, 17, 301] {
        let columns = Columns::of_windows(&plan, 0, count);
        let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
        let levels = gpu_levels(&mut engine, &request);
        let fine = gpu_fine(&mut engine, &request);
        let (coarse, _) = gpu.coarse(&mut engine, &request, [-90.0, 90.0], None).unwrap();
        assert_eq!((fine.rows, fine.columns, coarse.values.len()), (33, count, 33 * count));
        let narrow = LevelCode::coarse(-90.0, 90.0);
        for (index, &db) in levels.values.iter().enumerate() {
            assert!(LevelCode::FINE.code(db).abs_diff(u32::from(fine.values[index])) <= 1, "{index} of {count}");
            assert!(narrow.code(db).abs_diff(u32::from(coarse.values[index])) <= 1, "{index} of {count}");
        }
        let twin = cpu::fine(&request).unwrap();
        let near = fine.values.iter().zip(&twin.values).filter(|(a, b)| a.abs_diff(**b) <= 1).count();
        assert!(near as f64 >= 0.99 * twin.values.len() as f64, "{near} of {} codes are the twin's", twin.values.len());
    }
}

#[test]
fn columns_and_windows_may_be_made_one_by_one() {
    let Some(mut engine) = engine() else { return };
    let x = music(20_000);
    for size in [512, 8192] {
        let plan = plan(Window::Hann, size, 1, 700);
        let whole = gpu_spectra(&mut engine, &plan, &x, 0..20);
        for window in [0, 1, 7, 19] {
            let one = gpu_spectra(&mut engine, &plan, &x, window..window + 1);
            assert_eq!(one.values, whole.window(window as usize), "window {window} of {size}");
        }
        let rows = Rows::new(&Bank::bins(plan.bins_at(48_000.0)));
        let columns = Columns::of_windows(&plan, 0, 20);
        let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
        let tile = gpu_fine(&mut engine, &request);
        let alone = TileRequest { columns: Columns::of_windows(&plan, 13, 1), ..request };
        let one = gpu_fine(&mut engine, &alone);
        assert!((0..tile.rows).all(|row| tile.row(row)[13] == one.row(row)[0]), "column 13 of {size}");
    }
}

#[test]
fn silent_broken_and_missing_signals() {
    let Some(mut engine) = engine() else { return };
    for size in [64, 8192] {
        let plan = plan(Window::Hann, size, 1, size);
        let bank = Bank::display(plan.bins_at(48_000.0), FrequencyScale::Mel, [0.0, 24_000.0], 50).unwrap();
        let rows = Rows::new(&bank);
        let columns = Columns::of_windows(&plan, 0, 4);
        let mut x = vec![0.0; 3 * size];
        let mut codes = |x: &[f32]| {
            gpu_fine(&mut engine, &TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(x) })
        };
        assert!(codes(&x).values.iter().all(|&code| code == 0), "silence of {size}");
        assert!(codes(&[]).values.iter().all(|&code| code == 0), "nothing of {size}");
        assert!(codes(&[0.5]).row(20)[0] > 0, "a frame of {size}");
        for broken in [f32::NAN, f32::INFINITY] {
            x[size + 3] = broken;
            let got = codes(&x);
            assert!((0..50).all(|row| got.row(row) == [0, 65_535, 0, 0]), "{broken} in {size}: {:?}", got.values);
        }
    }
}

#[test]
fn what_a_gpu_does_not_take_is_refused_with_a_reason() {
    let refused = GpuStft::new(&plan(Window::Hann, 1000, 1, 100)).unwrap_err();
    assert!(matches!(&refused, Error::Unsupported { reason, .. } if reason.contains("CPU")), "{refused}");
    assert!(GpuStft::new(&plan(Window::Hann, 65_536, 8, 100)).is_ok());
}

#[test]
fn nothing_is_nothing() {
    let Some(mut engine) = engine() else { return };
    let plan = plan(Window::Hann, 64, 1, 64);
    let gpu = GpuStft::new(&plan).unwrap();
    let (spectra, _) = gpu.spectra(&mut engine, Samples::whole(&[]), 0..0, None).unwrap();
    assert!(spectra.values.is_empty());
    let rows = Rows::new(&Bank::bins(plan.bins_at(8000.0)));
    let columns = Columns::of_windows(&plan, 0, 0);
    let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&[]) };
    assert!(gpu.fine(&mut engine, &request, None).unwrap().0.values.is_empty());
}

#[test]
fn a_spoiled_result_is_refused() {
    let Some(mut engine) = engine() else { return };
    let tolerance = KERNEL.tolerance_db;
    let plan = plan(Window::Hann, 2048, 1, 512);
    let x = noise(8, 4000);
    let expected = radix_2(&plan, &x, plan.start_frame(3));
    let good = gpu_spectra(&mut engine, &plan, &x, 3..4).values;
    assert!(residual_db(&good, &expected) <= tolerance);
    let late = gpu_spectra(&mut engine, &plan, &x[1..], 3..4).values;
    assert!(residual_db(&late, &expected) > tolerance);
    let mut one = good;
    one[500].re += 1e-3;
    assert!(residual_db(&one, &expected) > tolerance);
    let bank = Bank::bins(plan.bins_at(48_000.0));
    let columns = Columns::of_windows(&plan, 3, 1);
    let rows = Rows::new(&bank);
    let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
    let tile = gpu_levels(&mut engine, &request);
    let expected = levels(&plan, &bank, &x, &columns, 0);
    let spoiled = tile.values.iter().enumerate().map(|(row, &db)| f64::from(db) + if row == 300 { 0.002 } else { 0.0 });
    assert!(worst_level(spoiled, &expected).0 > 1e-3);
}
