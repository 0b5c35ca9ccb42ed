//! FIR designs against `SciPy`'s (`tests/reference/fir_design.py`), and the properties of every design.

use std::f64::consts::PI;

use dsp::design::fir::{
    DesiredBand, Pass, Taps, firls, kaiser_taps, kaiser_transition, minimum_phase, remez, windowed,
};
use dsp::design::{Window, kaiser_beta};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    windowed: Vec<Windowed>,
    least_squares: Vec<Banded>,
    equiripple: Vec<Banded>,
    minimum: Vec<Minimum>,
    kaiser: Vec<(f64, f64, usize, f64)>,
}

#[derive(Deserialize)]
struct Windowed {
    window: String,
    kind: String,
    edges: Vec<f64>,
    taps: usize,
    half: Vec<f64>,
}

#[derive(Deserialize)]
struct Banded {
    bands: Vec<[f64; 5]>,
    taps: usize,
    half: Vec<f64>,
}

#[derive(Deserialize)]
struct Minimum {
    kind: String,
    edges: Vec<f64>,
    window: String,
    error: f64,
    taps: Vec<f64>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/fir_design.json")).unwrap()
}

fn pass(kind: &str, edges: &[f64]) -> Pass {
    match kind {
        "low" => Pass::Low(edges[0]),
        "high" => Pass::High(edges[0]),
        "band" => Pass::Band(edges[0], edges[1]),
        "stop" => Pass::Stop(edges[0], edges[1]),
        other => panic!("{other}"),
    }
}

fn bands(given: &[[f64; 5]]) -> Vec<DesiredBand> {
    given
        .iter()
        .map(|[from, to, first, last, weight]| DesiredBand {
            from: *from,
            to: *to,
            gain: (*first, *last),
            weight: *weight,
        })
        .collect()
}

/// The largest difference between taps and the first half of a reference's, and whether they are symmetric.
fn difference(taps: &[f64], half: &[f64]) -> f64 {
    assert_eq!(taps.len().div_ceil(2), half.len());
    assert!(Taps::new(taps.to_vec()).are_symmetric());
    taps.iter().zip(half).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn magnitude(taps: &[f64], frequency: f64) -> f64 {
    Taps::new(taps.to_vec()).response(2.0 * PI * frequency, 0.0).value().norm()
}

/// The largest weighted error over the bands.
fn ripple(taps: &[f64], bands: &[DesiredBand]) -> f64 {
    let taps = Taps::new(taps.to_vec());
    let lead = (taps.values().len() as f64 - 1.0) / 2.0;
    let mut worst = 0.0f64;
    for band in bands {
        for n in 0..=2000 {
            let share = f64::from(n) / 2000.0;
            let wanted = band.gain.0 + share * (band.gain.1 - band.gain.0);
            let frequency = band.from + share * (band.to - band.from);
            let amplitude = taps.response(2.0 * PI * frequency, lead).value().re;
            worst = worst.max(band.weight * (amplitude - wanted).abs());
        }
    }
    worst
}

#[test]
fn windowed_taps_are_scipys() {
    let reference = reference();
    assert!(reference.made_with.contains("SciPy 1.") && reference.windowed.len() > 150);
    for case in &reference.windowed {
        let window: Window = case.window.parse().unwrap();
        let taps = windowed(pass(&case.kind, &case.edges), case.taps, window).unwrap();
        let error = difference(&taps, &case.half);
        assert!(error < 1e-12, "{} {} {:?} of {}: {error}", case.window, case.kind, case.edges, case.taps);
    }
}

#[test]
fn min_squares_taps_are_scipys() {
    for case in &reference().least_squares {
        let taps = firls(&bands(&case.bands), case.taps).unwrap();
        let error = difference(&taps, &case.half);
        // Both solve equations that are singular to f64 where much of the axis is free; the response decides.
        assert!(error < 1e-7, "{:?} of {}: {error:e}", case.bands, case.taps);
    }
}

#[test]
fn equiripple_taps_are_scipys_or_better() {
    for case in &reference().equiripple {
        let wanted = bands(&case.bands);
        let taps = remez(&wanted, case.taps).unwrap();
        let mut theirs = case.half.clone();
        let mirrored = case.half.iter().rev().skip(case.taps % 2);
        theirs.extend(mirrored);
        let (ours, scipys) = (ripple(&taps, &wanted), ripple(&theirs, &wanted));
        assert!(ours <= scipys * 1.001 + 1e-12, "{:?} of {}: {ours:e} {scipys:e}", case.bands, case.taps);
        let error = difference(&taps, &case.half);
        assert!(error < 2e-2 * scipys + 1e-9, "{:?} of {}: {error:e}, ripple {scipys:e}", case.bands, case.taps);
    }
}

#[test]
fn long_equiripple_filters_settle() {
    for taps in [257, 512, 1025, 2049] {
        for (attenuation, pass) in [(60.0, Pass::Low(0.1)), (80.0, Pass::Band(0.08, 0.31)), (90.0, Pass::Low(0.004))] {
            let width = kaiser_transition(attenuation, taps);
            if taps == 2049 && pass != Pass::Low(0.004) {
                continue;
            }
            let Ok(bands) = pass.bands(width) else { continue };
            let designed = remez(&bands, taps).unwrap_or_else(|error| panic!("{taps} {pass:?}: {error}"));
            let reached = -20.0 * ripple(&designed, &bands).log10();
            // Some decibels better than the attenuation for which the window method needs this transition.
            assert!(reached > attenuation && reached < attenuation + 12.0, "{taps} {pass:?}: {reached} dB");
        }
    }
}

#[test]
fn min_squares_has_no_more_energy_in_its_error_than_other_designs() {
    let energy = |taps: &[f64], bands: &[DesiredBand]| -> f64 {
        let taps = Taps::new(taps.to_vec());
        let lead = (taps.values().len() as f64 - 1.0) / 2.0;
        bands
            .iter()
            .map(|band| {
                let sum: f64 = (0..2000)
                    .map(|n| {
                        let frequency = band.from + (band.to - band.from) * (f64::from(n) + 0.5) / 2000.0;
                        (taps.response(2.0 * PI * frequency, lead).value().re - band.gain.0).powi(2)
                    })
                    .sum();
                sum * (band.to - band.from) / 2000.0
            })
            .sum()
    };
    for (taps, pass) in
        [(64, Pass::Low(0.1)), (65, Pass::High(0.2)), (128, Pass::Band(0.1, 0.3)), (401, Pass::Stop(0.1, 0.3))]
    {
        let bands = pass.bands(kaiser_transition(50.0, taps)).unwrap();
        let least = energy(&firls(&bands, taps).unwrap(), &bands);
        for other in
            [remez(&bands, taps).unwrap(), windowed(pass, taps, Window::Kaiser { beta: kaiser_beta(50.0) }).unwrap()]
        {
            assert!(least < energy(&other, &bands), "{taps} {pass:?}");
        }
    }
}

#[test]
fn minimum_phase_keeps_the_magnitude_and_comes_early() {
    let reference = reference();
    let mut worst = 0.0f64;
    for case in &reference.minimum {
        let linear = windowed(pass(&case.kind, &case.edges), 63, case.window.parse().unwrap()).unwrap();
        let early = minimum_phase(&linear).unwrap();
        assert_eq!(early.len(), linear.len());
        let error = (0..=1000)
            .map(|n| f64::from(n) / 2000.0)
            .map(|frequency| (magnitude(&early, frequency) - magnitude(&linear, frequency)).abs())
            .fold(0.0, f64::max);
        worst = worst.max(error);
        assert!(error < 1e-5, "{} {:?}: {error:e}, SciPy {:e}", case.kind, case.edges, case.error);
        let apart = early.iter().zip(&case.taps).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-4, "{} {:?}: {apart:e}", case.kind, case.edges);
        // Of all filters with this magnitude it has, up to every tap, the most energy.
        let (mut ours, mut theirs) = (0.0, 0.0);
        for (a, b) in early.iter().zip(&linear) {
            ours += a * a;
            theirs += b * b;
            assert!(ours >= theirs - 1e-6, "{ours} {theirs}");
        }
    }
    println!("worst magnitude error of minimum phase: {worst:e}");
}

#[test]
fn minimum_phase_of_long_designs() {
    for (taps, pass) in [(1025, Pass::Low(0.05)), (513, Pass::Band(0.01, 0.2))] {
        let bands = pass.bands(kaiser_transition(80.0, taps)).unwrap();
        let designs = [
            windowed(pass, taps, Window::Kaiser { beta: kaiser_beta(80.0) }).unwrap(),
            remez(&bands, taps).unwrap(),
            firls(&bands, taps).unwrap(),
        ];
        for linear in designs {
            let early = minimum_phase(&linear).unwrap();
            let error = (0..=3000)
                .map(|n| f64::from(n) / 6000.0)
                .map(|frequency| (magnitude(&early, frequency) - magnitude(&linear, frequency)).abs())
                .fold(0.0, f64::max);
            assert!(error < 1e-5, "{taps} {pass:?}: {error:e}");
        }
    }
    assert_eq!(minimum_phase(&[0.0; 5]).unwrap(), [0.0; 5]);
    assert_eq!(minimum_phase(&[-0.5]).unwrap(), [0.5]);
}

#[test]
fn kaisers_length_is_scipys_and_keeps_its_word() {
    for (attenuation, transition, taps, beta) in reference().kaiser {
        assert_eq!(kaiser_taps(attenuation, transition), taps as f64, "{attenuation} dB, {transition}");
        assert!((kaiser_beta(attenuation) - beta).abs() < 1e-9);
        assert!(kaiser_transition(attenuation, taps) <= transition * (1.0 + 1e-9));
    }
    let taps =
        windowed(Pass::Low(0.1), kaiser_taps(80.0, 0.01) as usize, Window::Kaiser { beta: kaiser_beta(80.0) }).unwrap();
    for n in 0..=1000 {
        let stop = 0.105 + 0.395 * f64::from(n) / 1000.0;
        assert!(magnitude(&taps, stop) < 1.1e-4, "{stop}");
    }
}

#[test]
fn the_response_is_the_transform_and_its_slope_the_delay() {
    let taps = Taps::new((0..130).map(|n| (f64::from(n) * 0.7).sin() / f64::from(n + 1)).collect());
    for frequency in [0.0, 0.01, 0.2, 0.4999] {
        let w = 2.0 * PI * frequency;
        let [re, im] = [f64::cos, f64::sin].map(|turn| {
            taps.values().iter().enumerate().map(|(n, tap)| tap * turn(-w * (n as f64 - 3.0))).sum::<f64>()
        });
        let response = taps.response(w, 3.0);
        assert!((response.value().re - re).abs() < 1e-12 && (response.value().im - im).abs() < 1e-12);
        let step = 1e-5;
        let [before, after] = [w - step, w + step].map(|w| taps.response(w, 3.0).value());
        let slope = (after / before).arg() / (2.0 * step);
        assert!((response.group_delay_frames().unwrap() + slope).abs() < 1e-4, "{frequency}");
    }
    let symmetric = Taps::new(windowed(Pass::Low(0.1), 63, Window::Hann).unwrap());
    assert_eq!(symmetric.response(0.3, 31.0).value().im, 0.0);
    assert!((symmetric.response(0.3, 0.0).group_delay_frames().unwrap() - 31.0).abs() < 1e-9);
    assert!(!taps.are_symmetric());
}

#[test]
fn what_cannot_be_designed_is_refused() {
    let refused = |result: base::Result<Vec<f64>>, said: &str| {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    };
    refused(windowed(Pass::High(0.2), 32, Window::Hann), "an odd number");
    refused(windowed(Pass::Low(0.5), 31, Window::Hann), "ascending ones within 0 to 0.5");
    refused(windowed(Pass::Band(0.2, 0.1), 31, Window::Hann), "ascending ones within 0 to 0.5");
    refused(windowed(Pass::Low(0.1), 0, Window::Hann), "1 or more");
    refused(windowed(Pass::Low(0.1), 2, Window::Bartlett), "let nothing through");
    let bands = Pass::Low(0.1).bands(0.02).unwrap();
    refused(firls(&bands, 100_001), "3 to 2049");
    refused(remez(&bands, 2), "3 to 2049");
    refused(firls(&Pass::High(0.1).bands(0.02).unwrap(), 64), "an odd number");
    refused(remez(&Pass::High(0.1).bands(0.02).unwrap(), 64), "an odd number");
    refused(firls(&[], 31), "one band or more");
    refused(firls(&[DesiredBand { from: 0.2, to: 0.1, gain: (1.0, 1.0), weight: 1.0 }], 31), "ascending edges");
    // 1025 taps over a transition of a fifth of the axis: thousands of decibels that no f64 can hold.
    refused(remez(&Pass::Low(0.2).bands(0.1).unwrap(), 1025), "Equiripple design");
    assert!(Pass::Band(0.1, 0.12).bands(0.05).is_err() && Pass::Low(0.01).bands(0.05).is_err());
}
