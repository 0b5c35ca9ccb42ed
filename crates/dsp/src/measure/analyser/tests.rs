use std::f64::consts::TAU;

use super::ballistics::{FALL_DB_S, HOLD_S};
use super::*;

const RATE: f64 = 48_000.0;

fn spec(window: Window, size: usize) -> AnalyserSpec {
    AnalyserSpec { window, size, averaging: Averaging::Off, hold: Hold::Off }
}

fn sine(hz: f64, db: f64, frames: usize) -> Vec<f32> {
    let gain = 10f64.powf(db / 20.0);
    (0..frames).map(|n| (gain * (TAU * hz * n as f64 / RATE + 0.4).sin()) as f32).collect()
}

fn levels(spec: &AnalyserSpec, samples: &[f32], axis: &LogAxis) -> Vec<f32> {
    let mut transform = WindowTransform::new(spec).unwrap();
    let mut spectrum = LiveSpectrum::new(spec);
    spectrum.add(transform.power(samples).unwrap(), 0.1);
    spectrum.levels(transform.bins(RATE), axis)
}

fn strongest(levels: &[f32], axis: &LogAxis) -> (f64, f64) {
    let (point, db) =
        levels.iter().enumerate().filter(|(_, db)| db.is_finite()).max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    (axis.hz(point as f64), f64::from(*db))
}

#[test]
fn a_sine_reads_its_level_at_its_frequency_wherever_it_lies_between_bins() {
    let axis = LogAxis::new(20.0, 24_000.0, 800, 0.0).unwrap();
    for window in [Window::Hann, Window::BlackmanHarris, Window::FlatTop, Window::Hamming] {
        for size in [2048, 4096, 8192, 16_384] {
            for hz in [100.0, 441.3, 997.0, 1000.0, 5011.7, 12_345.6, 19_000.0] {
                let (found_hz, db) = strongest(&levels(&spec(window, size), &sine(hz, -20.0, size), &axis), &axis);
                assert!((db + 20.0).abs() < 0.1, "{window:?} {size} at {hz} Hz: {db} dB");
                // A flat-top window locates a tone only to within a few bins.
                let apart = (found_hz - hz).abs();
                assert!(
                    apart < (hz / 30.0).max(RATE / size as f64 / 2.0),
                    "{window:?} {size}: {found_hz} is not {hz} Hz"
                );
            }
        }
    }
}

#[test]
fn what_is_not_there_reads_far_below_and_beyond_half_the_rate_nothing_is_told() {
    let axis = LogAxis::new(20.0, 48_000.0, 500, 0.0).unwrap();
    let found = levels(&spec(Window::BlackmanHarris, 4096), &sine(1000.0, 0.0, 4096), &axis);
    let at = |hz: f64| (0..500).min_by_key(|&point| (axis.hz(point as f64) - hz).abs() as u64).unwrap();
    assert!(found[at(5000.0)] < -90.0, "{}", found[at(5000.0)]);
    assert!(found[at(30_000.0)].is_nan());
    assert!(levels(&spec(Window::Hann, 2048), &[0.0; 2048], &axis)[100] <= FLOOR_DB);
    let damaged = [vec![f32::NAN, f32::INFINITY], sine(1000.0, -20.0, 2046)].concat();
    assert!(levels(&spec(Window::Hann, 2048), &damaged, &axis)[100].is_finite());
}

/// Pink noise: white noise through Paul Kellet's sum of one-pole filters.
fn pink(frames: usize) -> Vec<f32> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut b = [0.0f64; 7];
    (0..frames)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let white = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            b[0] = 0.998_86 * b[0] + white * 0.055_517_9;
            b[1] = 0.993_32 * b[1] + white * 0.075_075_9;
            b[2] = 0.969_00 * b[2] + white * 0.153_852_0;
            b[3] = 0.866_50 * b[3] + white * 0.310_485_6;
            b[4] = 0.550_00 * b[4] + white * 0.532_952_2;
            b[5] = -0.7616 * b[5] - white * 0.016_898_0;
            let sum: f64 = b.iter().sum::<f64>() + white * 0.5362;
            b[6] = white * 0.115_926;
            (0.05 * sum) as f32
        })
        .collect()
}

/// Returns the slope of a trace between 100 Hz and 10 kHz in dB per octave, by least squares.
fn slope(levels: &[f32], axis: &LogAxis) -> f64 {
    let points: Vec<(f64, f64)> = levels
        .iter()
        .enumerate()
        .map(|(point, &db)| (axis.hz(point as f64).log2(), f64::from(db)))
        .filter(|(octave, _)| (100f64.log2()..10_000f64.log2()).contains(octave))
        .collect();
    let n = points.len() as f64;
    let [x, y] = [points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n];
    points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[test]
fn pink_noise_is_level_with_a_slope_of_three_decibels_only() {
    let spec = AnalyserSpec { averaging: Averaging::Slow, ..spec(Window::Hann, 4096) };
    let noise = pink(20 * 48_000);
    let mut transform = WindowTransform::new(&spec).unwrap();
    let mut spectrum = LiveSpectrum::new(&spec);
    for start in (0..noise.len() - 4096).step_by(1600) {
        spectrum.add(transform.power(&noise[start..start + 4096]).unwrap(), 1600.0 / RATE);
    }
    for (slope_db, wanted) in [(3.0, 0.0), (0.0, -3.0), (4.5, 1.5)] {
        let axis = LogAxis::new(20.0, 20_000.0, 600, slope_db).unwrap();
        let found = slope(&spectrum.levels(transform.bins(RATE), &axis), &axis);
        assert!((found - wanted).abs() < 0.35, "slope {slope_db}: {found} dB an octave");
    }
}

#[test]
fn averages_follow_with_their_time_constants_in_power() {
    for (averaging, constant_s) in [(Averaging::Fast, 0.125), (Averaging::Slow, 1.0)] {
        // Whatever the number of updates, the old value's share is 1/e after one time constant.
        for steps in [1, 10, 97] {
            let mut average = Average::new(averaging);
            average.add(&[1.0], 0.0);
            for _ in 0..steps {
                average.add(&[0.0], constant_s / f64::from(steps));
            }
            assert!((f64::from(average.power()[0]) - (-1f64).exp()).abs() < 1e-5, "{averaging:?} in {steps}");
        }
    }
    let mut off = Average::new(Averaging::Off);
    off.add(&[1.0], 0.0);
    assert_eq!(off.add(&[0.25], 0.001), [0.25]);
}

#[test]
fn peaks_stand_fall_or_stay_as_asked() {
    let after = |hold: Hold, seconds: f64| {
        let mut held = HeldPeaks::new(hold);
        held.add(&[1.0], 0.0);
        for _ in 0..(seconds / 0.01).round() as usize {
            held.add(&[1e-9], 0.01);
        }
        held.power().map(|power| 10.0 * f64::from(power[0]).log10())
    };
    assert_eq!(after(Hold::Off, 1.0), None);
    assert!(after(Hold::UntilReset, 60.0).unwrap().abs() < 1e-6);
    assert!(after(Hold::Decay, HOLD_S * 0.98).unwrap().abs() < 1e-6);
    let fallen = after(Hold::Decay, HOLD_S + 0.5).unwrap();
    assert!((fallen + FALL_DB_S * 0.5).abs() < 0.25, "{fallen} dB");
    assert!((after(Hold::Decay, 20.0).unwrap() + 90.0).abs() < 0.1, "down to what is there");
    let mut held = HeldPeaks::new(Hold::Decay);
    held.add(&[0.5], 0.0);
    held.add(&[0.7], 5.0);
    assert_eq!(held.power(), Some(&[0.7f32][..]), "a new peak is taken at once");
}

#[test]
fn what_cannot_be_analysed_is_refused_in_words() {
    assert!(WindowTransform::new(&spec(Window::Hann, 3000)).is_err());
    assert!(WindowTransform::new(&spec(Window::Hann, 1 << 20)).is_err());
    for (from, to, points, slope) in [
        (0.0, 100.0, 10, 0.0),
        (200.0, 100.0, 10, 0.0),
        (f64::NAN, 100.0, 10, 0.0),
        (20.0, 100.0, 1, 0.0),
        (20.0, 100.0, 10, f64::NAN),
    ] {
        assert!(LogAxis::new(from, to, points, slope).is_err(), "{from} to {to}, {points} points, {slope} dB");
    }
}
