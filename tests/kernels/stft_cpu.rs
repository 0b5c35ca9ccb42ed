//! Short-time Fourier transforms on the CPU: against `SciPy`, against the sum that defines them, and against themselves.

use crate::support;

use dsp::design::{Bank, FrequencyScale, Window};
use dsp::kernels::signal::stft::{
    Columns, Complex32, FLOOR_DB, LevelCode, Rows, Samples, StftPlan, StftSpec, TileRequest, cpu,
};
use serde::Deserialize;
use support::dft::{direct, levels, music, radix_2, residual_db, worst_level};
use support::gpu::noise;

/// The largest residual of the transform in f32, in dB re the spectrum.
const TOLERANCE_DB: f64 = -130.0;

fn plan(window: Window, size: usize, padding: usize, hop: usize) -> StftPlan {
    StftPlan::new(StftSpec { window, size, padding, hop }).unwrap()
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
    padding: usize,
    hop: usize,
    frames: usize,
    spectra: Vec<Spectrum>,
}

#[derive(Deserialize)]
struct Spectrum {
    window: u64,
    values: Vec<[f64; 2]>,
}

/// The signal of `tests/reference/stft.py`.
fn sequence(frames: usize) -> Vec<f32> {
    (0..frames as u64).map(|n| ((7919 * n * n + 104_729 * n) % 65_536) as f32 / 32_768.0 - 1.0).collect()
}

#[test]
fn spectra_are_scipys() {
    let reference: Reference = serde_json::from_str(include_str!("../reference/stft.json")).unwrap();
    assert!(reference.made_with.contains("SciPy 1."));
    for case in &reference.cases {
        let plan = plan(case.window.parse().unwrap(), case.size, case.padding, case.hop);
        let x = sequence(case.frames);
        for spectrum in &case.spectra {
            let got = cpu::spectra(&plan, Samples::whole(&x), spectrum.window..spectrum.window + 1).unwrap();
            let db = residual_db(&got.values, &spectrum.values);
            assert!(db <= TOLERANCE_DB, "{plan:?}, window {}: {db:.1} dB", spectrum.window);
        }
    }
}

#[test]
fn every_size_is_within_tolerance_of_the_definition() {
    // Small primes, large primes, powers and products; every bin of the short ones, some of the long.
    for size in [64, 65, 67, 96, 100, 127, 1000, 1021, 1536, 2048, 4097, 10_007, 32_768, 48_000, 65_521, 65_536] {
        for padding in [1, 8] {
            let plan = plan(Window::Hann, size, padding, size / 2);
            let x = noise(size as u32, 2 * size);
            let got = cpu::spectra(&plan, Samples::whole(&x), 1..2).unwrap();
            let step = (plan.bins() / 257).max(1);
            let some: Vec<Complex32> = got.values.iter().step_by(step).copied().collect();
            let expected = direct(&plan, &x, plan.start_frame(1), (0..plan.bins()).step_by(step));
            let db = residual_db(&some, &expected);
            println!("{size} frames, padding {padding}: {db:.1} dB");
            assert!(db <= TOLERANCE_DB, "{size} frames, padding {padding}: {db:.1} dB");
        }
    }
}

#[test]
fn both_oracles_agree() {
    let plan = plan(Window::Kaiser { beta: 6.0 }, 512, 2, 100);
    let x = noise(3, 700);
    let (a, b) = (radix_2(&plan, &x, -31), direct(&plan, &x, -31, 0..plan.bins()));
    let worst = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-11, "{worst:e}");
}

#[test]
fn a_full_scale_sine_on_a_bin_reads_0_db() {
    for window in [Window::Hann, Window::Rectangular, Window::FlatTop, Window::Kaiser { beta: 12.0 }] {
        for (size, padding, bin) in [(2048, 1, 100), (1000, 2, 333), (64, 8, 128)] {
            let plan = plan(window, size, padding, size);
            let step = std::f64::consts::TAU * f64::from(bin) / plan.fft_length() as f64;
            let x: Vec<f32> = (0..3 * size).map(|n| (step * n as f64 + 0.3).sin() as f32).collect();
            let power = cpu::power(&plan, Samples::whole(&x), 1..2).unwrap();
            let db = 10.0 * f64::from(power.values[bin as usize]).log10();
            assert!(db.abs() < 2e-4, "{plan:?}: {db} dB");
        }
    }
}

#[test]
fn pieces_and_threads_give_the_same_bits() {
    let x = noise(9, 50_000);
    let plan = plan(Window::Hann, 1024, 2, 300);
    let windows = plan.windows(x.len() as u64);
    let whole = cpu::spectra(&plan, Samples::whole(&x), 0..windows).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| cpu::spectra(&plan, Samples::whole(&x), 0..windows)).unwrap();
        assert_eq!(again, whole, "{threads} threads");
    }
    for windows in [0..1, 7..8, 50..90] {
        // Only what those windows take in, as from a file that is streamed.
        let reach = plan.reach(windows.clone());
        let (first, end) = (reach.start.max(0), reach.end.min(x.len() as i64));
        let part = Samples { samples: &x[first as usize..end as usize], first_frame: first };
        let got = cpu::spectra(&plan, part, windows.clone()).unwrap();
        for (index, window) in windows.enumerate() {
            assert_eq!(got.window(index), whole.window(window as usize), "window {window}");
        }
    }
}

#[test]
fn lengths_nothing_and_a_frame_and_less_than_a_window() {
    let plan = plan(Window::Hann, 2048, 1, 512);
    assert_eq!(cpu::spectra(&plan, Samples::whole(&[]), 0..plan.windows(0)).unwrap().windows(), 0);
    let silent = cpu::power(&plan, Samples::whole(&[]), 0..3).unwrap();
    assert!(silent.values.iter().all(|&power| power == 0.0) && silent.windows() == 3);
    for frames in [1, 2, 511, 513, 1025] {
        let x = noise(frames, frames as usize);
        let windows = plan.windows(u64::from(frames));
        let got = cpu::spectra(&plan, Samples::whole(&x), 0..windows).unwrap();
        for window in 0..windows {
            let expected = radix_2(&plan, &x, plan.start_frame(window));
            let db = residual_db(got.window(window as usize), &expected);
            assert!(db <= TOLERANCE_DB, "{frames} frames, window {window}: {db:.1} dB");
        }
    }
}

#[test]
fn a_hop_beyond_the_window_leaves_frames_out() {
    let plan = plan(Window::Hann, 64, 1, 1000);
    let mut x = noise(1, 5000);
    let before = cpu::spectra(&plan, Samples::whole(&x), 0..6).unwrap();
    x[500] = 100.0;
    assert_eq!(cpu::spectra(&plan, Samples::whole(&x), 0..6).unwrap(), before);
}

#[test]
fn a_broken_sample_spoils_its_windows_alone() {
    let plan = plan(Window::Hann, 64, 1, 64);
    for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = noise(1, 640);
        x[200] = broken;
        let got = cpu::power(&plan, Samples::whole(&x), 0..11).unwrap();
        for window in 0..11 {
            let spoiled = got.window(window).iter().all(|power| !power.is_finite());
            let sound = got.window(window).iter().all(|power| power.is_finite());
            assert!(if window == 3 { spoiled } else { sound }, "window {window}: {:?}", got.window(window));
        }
    }
}

#[test]
fn too_much_at_once_is_refused() {
    let plan = plan(Window::Hann, 65_536, 8, 1);
    let message = cpu::spectra(&plan, Samples::whole(&[]), 0..u64::MAX).unwrap_err().to_string();
    assert!(message.contains("values"), "{message}");
    // A range that runs backwards has no windows.
    #[allow(clippy::reversed_empty_ranges, reason = "that is what is tried")]
    let nothing = cpu::spectra(&plan, Samples::whole(&[]), 5..3).unwrap();
    assert_eq!(nothing.windows(), 0);
}

#[test]
fn tiles_show_levels_within_a_thousandth_of_a_db() {
    let x = music(60_000);
    for (window, size, padding) in
        [(Window::Hann, 2048, 1), (Window::BlackmanHarris, 512, 4), (Window::Hann, 16_384, 1)]
    {
        let plan = plan(window, size, padding, 512);
        for scale in [FrequencyScale::Linear, FrequencyScale::Log] {
            let bank = Bank::display(plan.bins_at(48_000.0), scale, [30.0, 24_000.0], 200).unwrap();
            let rows = Rows::new(&bank);
            let columns = Columns { count: 4, first_centre: -300.5, frames_each: 17_000.3, windows: 3 };
            let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
            let tile = cpu::levels(&request).unwrap();
            assert_eq!((tile.rows, tile.columns, tile.values.len()), (200, 4, 800));
            for column in 0..4 {
                let expected = levels(&plan, &bank, &x, &columns, column);
                let got = (0..200).map(|row| f64::from(tile.row(row)[column]));
                let (worst, heard) = worst_level(got, &expected);
                assert!(heard > 0 && worst <= 1e-3, "{plan:?}, {scale}, column {column}: {worst} dB in {heard} rows");
            }
        }
    }
}

#[test]
fn codes_are_the_levels_codes_and_columns_may_be_made_one_by_one() {
    let x = music(30_000);
    let plan = plan(Window::Hann, 1024, 2, 300);
    let bank = Bank::display(plan.bins_at(44_100.0), FrequencyScale::Bark, [0.0, 22_050.0], 99).unwrap();
    let rows = Rows::new(&bank);
    let columns = Columns::of_windows(&plan, 0, 101);
    let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&x) };
    let (levels, fine) = (cpu::levels(&request).unwrap(), cpu::fine(&request).unwrap());
    let coarse = cpu::coarse(&request, -100.0, 100.0).unwrap();
    let narrow = LevelCode::coarse(-100.0, 100.0);
    for (index, &db) in levels.values.iter().enumerate() {
        assert_eq!(u32::from(fine.values[index]), LevelCode::FINE.code(db));
        assert_eq!(u32::from(coarse.values[index]), narrow.code(db));
    }
    for column in [0, 1, 57, 100] {
        let alone = Columns::of_windows(&plan, column as u64, 1);
        let one = cpu::fine(&TileRequest { columns: alone, ..request }).unwrap();
        let same: Vec<u16> = (0..99).map(|row| fine.row(row)[column]).collect();
        assert_eq!(one.values, same, "column {column}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| cpu::fine(&request)).unwrap(), fine);
}

#[test]
fn silent_broken_and_missing_signals_in_a_tile() {
    let plan = plan(Window::Hann, 64, 1, 64);
    let bank = Bank::display(plan.bins_at(48_000.0), FrequencyScale::Linear, [0.0, 24_000.0], 50).unwrap();
    let rows = Rows::new(&bank);
    let columns = Columns::of_windows(&plan, 0, 5);
    let mut x = vec![0.0; 256];
    let tile = |x: &[f32]| cpu::fine(&TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(x) });
    assert!(tile(&x).unwrap().values.iter().all(|&code| code == 0));
    assert!(tile(&[]).unwrap().values.iter().all(|&code| code == 0));
    x[64] = f32::NAN;
    let broken = tile(&x).unwrap();
    for row in 0..50 {
        assert_eq!(broken.row(row), [0, 65_535, 0, 0, 0], "row {row}");
    }
    let none = Columns { count: 0, ..columns };
    let request = TileRequest { plan: &plan, rows: &rows, columns: none, samples: Samples::whole(&x) };
    assert!(cpu::levels(&request).unwrap().values.is_empty());
    assert_eq!(FLOOR_DB, -200.0);
}

#[test]
fn tiles_that_make_no_sense_are_refused() {
    let plan = plan(Window::Hann, 64, 1, 64);
    let rows = Rows::new(&Bank::bins(plan.bins_at(48_000.0)));
    let others = Rows::new(&Bank::bins(StftPlan::bins_at(&self::plan(Window::Hann, 128, 1, 64), 48_000.0)));
    let columns = Columns::of_windows(&plan, 0, 5);
    let request = TileRequest { plan: &plan, rows: &rows, columns, samples: Samples::whole(&[]) };
    assert!(cpu::fine(&request).is_ok());
    assert!(cpu::fine(&TileRequest { rows: &others, ..request }).unwrap_err().to_string().contains("65 bins"));
    for columns in [
        Columns { windows: 0, ..columns },
        Columns { frames_each: 0.0, ..columns },
        Columns { frames_each: f64::NAN, ..columns },
        Columns { first_centre: f64::INFINITY, ..columns },
        Columns { count: usize::MAX, ..columns },
    ] {
        assert!(cpu::fine(&TileRequest { columns, ..request }).is_err(), "{columns:?}");
    }
}

#[test]
fn a_spoiled_result_is_refused() {
    let plan = plan(Window::Hann, 1024, 1, 512);
    let x = noise(5, 3000);
    let expected = radix_2(&plan, &x, plan.start_frame(2));
    let good = cpu::spectra(&plan, Samples::whole(&x), 2..3).unwrap().values;
    assert!(residual_db(&good, &expected) <= TOLERANCE_DB);
    let late = cpu::spectra(&plan, Samples::whole(&x[1..]), 2..3).unwrap().values;
    assert!(residual_db(&late, &expected) > -20.0);
    let mut one = good.clone();
    one[77].im += 1e-4;
    assert!(residual_db(&one, &expected) > TOLERANCE_DB);
    let mut turned = good;
    turned.iter_mut().for_each(|x| *x = x.conj());
    assert!(residual_db(&turned, &expected) > -10.0);
}
