//! Multi-resolution spectrograms: the CPU against f64, the GPU against both, no seam, and spoiled results refused.

use crate::support;

use dsp::design::{FrequencyScale, Window};
use dsp::device::trials::multi_resolution::exact;
use dsp::kernels::signal::multi_resolution::gpu::GpuMultiResolution;
use dsp::kernels::signal::multi_resolution::{MultiResolutionPlan, MultiResolutionSpec, cpu};
use dsp::kernels::signal::stft::gpu::GpuColumns;
use dsp::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, LevelCode, Samples, Spacing, Tile};
use support::dft::{music, worst_level};
use support::gpu::{engine, noise};

const RATE: f64 = 48_000.0;
const SPAN: [f64; 2] = [30.0, 24_000.0];

fn plan(size: usize, padding: usize, scale: FrequencyScale, rows: usize) -> MultiResolutionPlan {
    let spec = MultiResolutionSpec { window: Window::Hann, size, padding };
    MultiResolutionPlan::new(spec, RATE, scale, SPAN, rows).unwrap()
}

fn defined(
    size: usize,
    padding: usize,
    scale: FrequencyScale,
    rows: usize,
    x: &[f32],
    grid: &ColumnGrid,
    column: usize,
) -> (Vec<f64>, f64) {
    let spec = MultiResolutionSpec { window: Window::Hann, size, padding };
    exact(spec, RATE, (scale, SPAN, rows), x, grid, column).unwrap()
}

fn column_of(tile: &Tile<f32>, column: usize) -> impl Iterator<Item = f64> + '_ {
    (0..tile.rows).map(move |row| f64::from(tile.row(row)[column]))
}

const CASES: [(usize, usize, FrequencyScale); 3] =
    [(512, 1, FrequencyScale::Log), (1024, 2, FrequencyScale::Linear), (2048, 1, FrequencyScale::MelHtk)];

#[test]
fn the_cpu_is_within_a_thousandth_of_a_db_of_f64() {
    let x = music(60_000);
    for (size, padding, scale) in CASES {
        for spacing in [Spacing::One, Spacing::Within(0.5)] {
            let grid = ColumnGrid { count: 3, first_centre: 2000.5, frames_each: 3000.3, spacing };
            let tile = cpu::levels(&plan(size, padding, scale, 150), &grid, Samples::whole(&x)).unwrap();
            for column in 0..grid.count {
                let expected = defined(size, padding, scale, 150, &x, &grid, column);
                let (worst, heard) = worst_level(column_of(&tile, column), &expected);
                assert!(heard > 8 && worst <= 1e-3, "{size}, {scale}, column {column}: {worst} dB in {heard} rows");
                // Spoiled values are refused.
                let spoiled = column_of(&tile, column).map(|db| db + 0.002);
                assert!(worst_level(spoiled, &expected).0 > 1e-3);
                let late = cpu::levels(&plan(size, padding, scale, 150), &grid, Samples::whole(&x[300..])).unwrap();
                assert!(worst_level(column_of(&late, column), &expected).0 > 1e-3);
            }
        }
    }
}

#[test]
fn the_gpu_is_within_a_thousandth_of_a_db_of_f64_and_of_its_twin() {
    let Some(mut engine) = engine() else { return };
    let x = music(60_000);
    for (size, padding, scale) in CASES {
        let plan = plan(size, padding, scale, 150);
        let gpu = GpuMultiResolution::new(&plan).unwrap();
        let grid = ColumnGrid { count: 3, first_centre: 2000.5, frames_each: 3000.3, spacing: Spacing::Within(0.5) };
        let (tile, finished) = gpu.levels(&mut engine, &grid, Samples::whole(&x), None).unwrap();
        assert!(finished.dispatches > 0, "the GPU did not run");
        let twin = cpu::levels(&plan, &grid, Samples::whole(&x)).unwrap();
        let (fine, _) = gpu.fine(&mut engine, &grid, Samples::whole(&x), None).unwrap();
        for column in 0..grid.count {
            let expected = defined(size, padding, scale, 150, &x, &grid, column);
            let (worst, heard) = worst_level(column_of(&tile, column), &expected);
            assert!(heard > 8 && worst <= 1e-3, "{size}, {scale}, column {column}: {worst} dB in {heard} rows");
            let (worst, _) = worst_level(column_of(&tile, column), &(column_of(&twin, column).collect(), expected.1));
            assert!(worst <= 1e-3, "{size}, {scale}, column {column}: {worst} dB from the twin");
            for row in 0..fine.rows {
                let code = LevelCode::FINE.code(tile.row(row)[column]);
                assert!(code.abs_diff(u32::from(fine.row(row)[column])) <= 1);
            }
        }
    }
}

#[test]
fn no_seam_shows_where_lengths_meet() {
    let grid = ColumnGrid { count: 1, first_centre: 24_000.0, frames_each: 64.0, spacing: Spacing::One };
    // A tone reads the same through every fade.
    let plan = plan(2048, 4, FrequencyScale::Log, 1000);
    for hz in [90.0, 125.0, 170.0, 354.0, 500.0, 700.0, 1420.0, 2000.0, 2800.0, 5660.0, 8000.0, 11_300.0] {
        let x: Vec<f32> =
            (0..48_000).map(|n| (std::f64::consts::TAU * hz * f64::from(n) / RATE).sin() as f32).collect();
        let tile = cpu::levels(&plan, &grid, Samples::whole(&x)).unwrap();
        let loudest = tile.values.iter().fold(f32::NEG_INFINITY, |most, &db| most.max(db));
        assert!(loudest.abs() < 0.2, "{hz} Hz reads {loudest} dB");
    }
    // Noise has no step: of the mean level over many columns, neighbouring rows differ by little.
    let x = noise(5, 400_000);
    let grid = ColumnGrid { count: 1, first_centre: 200_000.0, frames_each: 300_000.0, spacing: Spacing::Within(0.5) };
    let tile = cpu::levels(&self::plan(2048, 1, FrequencyScale::Log, 256), &grid, Samples::whole(&x)).unwrap();
    let steps = tile.values[100..].windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let largest = steps.fold(0.0_f32, f32::max);
    assert!(largest < 1.5, "a step of {largest} dB");
}

#[test]
fn low_tones_are_told_apart_and_clicks_are_narrow_above() {
    // 60 and 80 Hz are less than a bin of 2048 frames apart, and more than three of 8192.
    let tone = |hz: f64, n: usize| (std::f64::consts::TAU * hz * n as f64 / RATE).sin();
    let mut x: Vec<f32> = (0..48_000).map(|n| (0.4 * (tone(60.0, n) + tone(80.0, n))) as f32).collect();
    let plan = plan(2048, 4, FrequencyScale::Log, 600);
    let row = |hz: f64| ((hz / SPAN[0]).log2() / (SPAN[1] / SPAN[0]).log2() * 600.0) as usize;
    let grid = ColumnGrid { count: 1, first_centre: 24_000.0, frames_each: 64.0, spacing: Spacing::One };
    let tile = cpu::levels(&plan, &grid, Samples::whole(&x)).unwrap();
    let [low, between, high] = [60.0, 70.0, 80.0].map(|hz| tile.values[row(hz)]);
    assert!(between < low - 6.0 && between < high - 6.0, "{low}, {between}, {high} dB");
    x.fill(0.0);
    x[24_000] = 1.0;
    let near = ColumnGrid { first_centre: 24_000.0 + 300.0, ..grid };
    let tile = cpu::levels(&plan, &near, Samples::whole(&x)).unwrap();
    assert!(tile.values[row(15_000.0)] < -190.0, "512 frames end before {} dB", tile.values[row(15_000.0)]);
    assert!(tile.values[row(1000.0)] > -90.0);
}

#[test]
fn silent_broken_and_missing_signals() {
    let plan = plan(256, 1, FrequencyScale::Linear, 40);
    let grid = ColumnGrid { count: 3, first_centre: 0.0, frames_each: 2048.0, spacing: Spacing::One };
    let mut x = vec![0.0; 5000];
    let mut gpu = engine().map(|engine| (engine, GpuMultiResolution::new(&plan).unwrap()));
    let mut codes = |x: &[f32]| {
        let codes = plan.fine(&grid, Samples::whole(x), None).unwrap();
        if let Some((engine, gpu)) = &mut gpu {
            assert_eq!(gpu.fine(engine, &grid, Samples::whole(x), None).unwrap().0, codes);
        }
        codes
    };
    assert!(codes(&[]).values.iter().all(|&code| code == 0) && codes(&x).values.iter().all(|&code| code == 0));
    for broken in [f32::NAN, f32::INFINITY] {
        x[2048] = broken;
        let got = codes(&x);
        assert!((0..40).all(|row| got.row(row) == [0, 65_535, 0]), "{broken}: {:?}", got.values);
    }
    for wrong in [
        ColumnGrid { frames_each: 0.0, ..grid },
        ColumnGrid { first_centre: f64::NAN, ..grid },
        ColumnGrid { count: usize::MAX, ..grid },
        ColumnGrid { spacing: Spacing::Within(0.0), ..grid },
    ] {
        assert!(plan.fine(&wrong, Samples::whole(&x), None).is_err(), "{wrong:?}");
    }
    assert!(plan.fine(&ColumnGrid { count: 0, ..grid }, Samples::whole(&x), None).unwrap().values.is_empty());
}
