//! Onsets, tempo and beats: against librosa, and against rhythms whose beats are known.

use crate::support::features;

use std::f64::consts::TAU;

use analysis::features::beats::{beat_windows, beats, periods, rhythm_stability};
use analysis::features::onset::{OnsetStrength, Onsets, PeakSpec, onsets};
use analysis::features::tempo::{Reasoned, Tempo, librosa_lag, tempo};
use analysis::features::tempogram::{Tempogram, window_length};
use base::progress::Progress;
use dsp::design::Window;
use dsp::kernels::signal::stft::{Samples, Spectra, StftPlan, StftSpec, cpu};
use features::{drums, noise, numbers, reference, worst};

fn power_of(x: &[f32], size: usize, hop: usize) -> Spectra<f32> {
    let plan = StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop }).unwrap();
    cpu::power(&plan, Samples::whole(x), 0..plan.windows(x.len() as u64)).unwrap()
}

fn onsets_of(x: &[f32], rate: f64, size: usize, hop: usize) -> Onsets {
    let mut strength = OnsetStrength::new(size, hop, rate).unwrap();
    strength.push(&power_of(x, size, hop)).unwrap();
    strength.finish()
}

fn strength_of(x: &[f32], rate: f64, size: usize, hop: usize) -> Vec<f32> {
    onsets_of(x, rate, size, hop).strength
}

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn every_stage_is_librosa_s() {
    let progress = Progress::new();
    for case in reference()["rhythm"].as_array().unwrap() {
        let number = |name: &str| case[name].as_f64().unwrap();
        let (rate, size, hop) = (number("rate"), number("size") as usize, number("hop") as usize);
        let per_s = rate / hop as f64;
        let x = drums(rate as usize, 12.0, number("bpm"));
        let strength = strength_of(&x, rate, size, hop);
        let (difference, at) = worst(&wide(&strength), &numbers(&case["strength"]));
        assert!(difference <= 1e-4, "strength: {difference} at {at}");
        let found: Vec<f64> = onsets(&strength, per_s, PeakSpec::LIBROSA).iter().map(|&k| k as f64).collect();
        assert_eq!(found, numbers(&case["onsets"]));
        let length = window_length(hop, rate);
        assert_eq!(length as f64, number("tempogram_window"));
        let tempogram = Tempogram::new(length).unwrap();
        let rows = tempogram.rows(&strength, 1, &progress).unwrap();
        for (row, expected) in case["tempogram_rows"].as_object().unwrap() {
            let got = wide(rows.window(row.parse().unwrap()));
            let (difference, at) = worst(&got, &numbers(expected));
            assert!(difference <= 1e-4, "tempogram, row {row}: {difference} at {at}");
        }
        let mean = tempogram.periodicity(&strength, 1, &progress).unwrap().mean;
        let (difference, at) = worst(&mean, &numbers(&case["tempogram_mean"]));
        assert!(difference <= 1e-4, "mean: {difference} at {at}");
        let lag = librosa_lag(&mean, per_s).unwrap();
        assert!((60.0 * per_s / lag as f64 - number("tempo")).abs() < 1e-6, "{lag}");
        let found: Vec<f64> = beat_windows(&strength, &[lag]).iter().map(|&k| k as f64).collect();
        assert_eq!(found, numbers(&case["beats"]));
        // Another bank, or no delay, is not librosa's.
        let other = strength_of(&x, rate / 2.0, size, hop);
        assert!(worst(&wide(&other), &numbers(&case["strength"])).0 > 0.1);
        assert!(worst(&wide(&strength[1..]), &numbers(&case["strength"])[..strength.len() - 1]).0 > 0.1);
    }
}

#[test]
fn strengths_do_not_depend_on_how_the_stream_is_cut() {
    let x = drums(8000, 4.0, 120.0);
    let power = power_of(&x, 512, 128);
    let whole = onsets_of(&x, 8000.0, 512, 128);
    assert_eq!((whole.strength.len(), whole.accent.len()), (power.windows(), power.windows()));
    for cut in [1, 7, 64, 1000] {
        let mut strength = OnsetStrength::new(512, 128, 8000.0).unwrap();
        for values in power.values.chunks(cut * power.bins) {
            strength.push(&Spectra { bins: power.bins, values: values.to_vec() }).unwrap();
        }
        assert_eq!(strength.finish(), whole, "cut every {cut}");
    }
    let mut strength = OnsetStrength::new(512, 128, 8000.0).unwrap();
    assert!(strength.push(&Spectra { bins: 5, values: vec![0.0; 10] }).is_err());
}

/// The share of beats found and of beats that are right, each other's within 70 ms: `mir_eval.beat.f_measure` without
/// its trimming of the first five seconds.
fn f_measure(found: &[f64], expected: &[f64]) -> f64 {
    let (mut hits, mut next) = (0, 0);
    for &beat in expected {
        while next < found.len() && found[next] < beat - 0.07 {
            next += 1;
        }
        if next < found.len() && found[next] <= beat + 0.07 {
            hits += 1;
            next += 1;
        }
    }
    if found.is_empty() || expected.is_empty() {
        0.0
    } else {
        2.0 * f64::from(hits) / (found.len() + expected.len()) as f64
    }
}

const RATE: usize = 22_050;

/// The sounds on a beat and between two.
#[derive(Clone, Copy, Debug)]
enum Style {
    Clicks,
    /// Kick and snare in turn, hats on eighths, with the second eighth at this fraction of the beat.
    Band {
        off_beat: f64,
    },
}

/// A signal with these beats, and noise 50 dB below full scale.
fn played(beats: &[f64], style: Style, seconds: f64) -> Vec<f32> {
    let count = (seconds * RATE as f64) as usize;
    let hiss = noise(7, count);
    let mut x: Vec<f64> = noise(8, count).iter().map(|x| 3e-3 * x).collect();
    let mut strike = |at: f64, sound: &dyn Fn(f64, f64) -> f64| {
        let start = (at * RATE as f64).round() as usize;
        for n in start..count.min(start + RATE / 4) {
            x[n] += sound((n - start) as f64 / RATE as f64, hiss[n]);
        }
    };
    let hat = |t: f64, hiss: f64| 0.08 * hiss * (-t / 0.02).exp();
    for (index, &beat) in beats.iter().enumerate() {
        let Style::Band { off_beat } = style else {
            strike(beat, &|t, _| 0.5 * (TAU * 1000.0 * t).sin() * (-t / 0.01).exp());
            continue;
        };
        strike(beat, &hat);
        match index % 2 {
            0 => strike(beat, &|t, _| 0.8 * (TAU * 60.0 * t).sin() * (-t / 0.08).exp()),
            _ => strike(beat, &|t, hiss| 0.4 * hiss * (-t / 0.05).exp()),
        }
        if let Some(next) = beats.get(index + 1) {
            strike(beat + off_beat * (next - beat), &hat);
        }
    }
    x.into_iter().map(|x| x as f32).collect()
}

/// Beats from half a second on, the tempo of each moment being given.
fn at_tempo(bpm: impl Fn(f64) -> f64, seconds: f64) -> Vec<f64> {
    let mut beats = vec![0.5];
    while let Some(&last) = beats.last() {
        let next = last + 60.0 / bpm(last);
        if next > seconds - 0.3 {
            break;
        }
        beats.push(next);
    }
    beats
}

fn analysed(x: &[f32]) -> (Vec<f32>, f64, Reasoned<Tempo>) {
    let (size, hop) = (1024, 256);
    let (onsets, per_s) = (onsets_of(x, RATE as f64, size, hop), RATE as f64 / hop as f64);
    let found = tempo(&onsets, per_s, &Progress::new()).unwrap();
    (onsets.strength, per_s, found)
}

fn beats_of(x: &[f32]) -> (Tempo, Vec<f64>) {
    let (strength, per_s, found) = analysed(x);
    let tempo = found.unwrap();
    let periods = periods(&strength, per_s, &tempo, &Progress::new()).unwrap();
    (tempo, beats(&strength, &periods).iter().map(|k| k / per_s).collect())
}

#[test]
fn beats_are_found_where_they_were_played() {
    let seconds = 24.0;
    let mut scores = Vec::new();
    let mut score = |name: String, beats: &[f64], style: Style| {
        let (tempo, found) = beats_of(&played(beats, style, seconds));
        scores.push((f_measure(&found, beats), format!("{name}, {style:?}: found {:.2} BPM", tempo.bpm)));
        tempo.bpm
    };
    for style in [Style::Clicks, Style::Band { off_beat: 0.5 }, Style::Band { off_beat: 2.0 / 3.0 }] {
        for bpm in [60.0, 72.0, 85.5, 100.0, 117.3, 128.0, 140.0, 163.0, 180.0] {
            let found = score(format!("{bpm} BPM"), &at_tempo(|_| bpm, seconds), style);
            assert!((found - bpm).abs() <= 0.1, "{bpm} BPM, {style:?}: {found}");
        }
        score("100 to 130 BPM at once".to_owned(), &at_tempo(|t| if t < 12.0 { 100.0 } else { 130.0 }, seconds), style);
        score("90 to 120 BPM".to_owned(), &at_tempo(|t| 90.0 + 30.0 * t / seconds, seconds), style);
        score("150 to 125 BPM".to_owned(), &at_tempo(|t| 150.0 - 25.0 * t / seconds, seconds), style);
    }
    let mean = scores.iter().map(|(score, _)| score).sum::<f64>() / scores.len() as f64;
    let bad: Vec<_> = scores.iter().filter(|(score, _)| *score < 0.85).collect();
    assert!(mean >= 0.95 && bad.len() <= 1, "mean {mean}, below 0.85: {bad:#?}");
    // Beats half a period late are not found.
    let late: Vec<f64> = at_tempo(|_| 120.0, seconds).iter().map(|beat| beat + 0.25).collect();
    let (_, found) = beats_of(&played(&at_tempo(|_| 120.0, seconds), Style::Clicks, seconds));
    assert!(f_measure(&found, &late) < 0.1);
}

#[test]
fn a_machine_is_steadier_than_a_hand() {
    let beats = at_tempo(|_| 110.0, 20.0);
    let stability = |beats: &[f64]| rhythm_stability(&beats_of(&played(beats, Style::Clicks, 20.0)).1).unwrap();
    let machine = stability(&beats);
    let loose: Vec<f64> = beats.iter().zip(noise(4, beats.len())).map(|(beat, off)| beat + 0.04 * off).collect();
    let hand = stability(&loose);
    assert!(machine > 0.985 && hand < 0.97 && hand > 0.85, "{machine}, {hand}");
    assert_eq!(rhythm_stability(&[0.0, 1.0, 2.0, 3.0]), Ok(1.0));
    // Intervals 1, 2, 1, 2: mean 1.5, deviation 0.5.
    assert!((rhythm_stability(&[0.0, 1.0, 3.0, 4.0, 6.0]).unwrap() - 0.75).abs() < 1e-12);
    assert!(rhythm_stability(&[0.0, 1.0, 2.0]).is_err() && rhythm_stability(&[]).is_err());
}

#[test]
fn what_has_no_rhythm_has_no_tempo() {
    let count = 15 * RATE;
    let hiss = |seed: u64| noise(seed, count).iter().map(|x| 0.3 * *x as f32).collect::<Vec<_>>();
    let tone = |hz: f64| (0..count).map(|n| 0.5 * (TAU * hz * n as f64 / RATE as f64).sin() as f32).collect::<Vec<_>>();
    let mut signals = vec![
        ("silence".to_owned(), vec![0.0; count]),
        ("a constant".to_owned(), vec![0.5; count]),
        ("one sample".to_owned(), vec![1.0]),
        ("nothing".to_owned(), Vec::new()),
        ("a second".to_owned(), drums(RATE, 1.0, 120.0)),
        ("NaN".to_owned(), vec![f32::NAN; count]),
    ];
    signals.extend([440.0, 1000.0, 43.7].map(|hz| (format!("a tone of {hz} Hz"), tone(hz))));
    signals.extend((10..22).map(|seed| (format!("noise {seed}"), hiss(seed))));
    // Clicks at random moments.
    signals.extend((30..36).map(|seed| {
        let mut beats: Vec<f64> = noise(seed, 30).iter().map(|x| 7.0 + 6.5 * x).collect();
        beats.sort_by(f64::total_cmp);
        (format!("random clicks {seed}"), played(&beats, Style::Clicks, 15.0))
    }));
    for (name, x) in signals {
        let (strength, _, found) = analysed(&x);
        assert!(found.is_err(), "{name}: {found:?}");
        assert!(beats(&strength, &[]).is_empty());
        if strength.iter().all(|&s| s == 0.0) {
            assert!(beats(&strength, &[40]).is_empty(), "{name}");
        }
    }
}

#[test]
fn onsets_are_counted_and_noise_has_none() {
    let beats = at_tempo(|_| 100.0, 10.0);
    let (strength, per_s, _) = analysed(&played(&beats, Style::Clicks, 10.0));
    let mut found: Vec<f64> = onsets(&strength, per_s, PeakSpec::ONSETS).iter().map(|&k| k as f64 / per_s).collect();
    // The noise between clicks begins as well.
    assert!(found.remove(0) < 0.1);
    assert!(f_measure(&found, &beats) > 0.99, "{found:?}");
    let hiss: Vec<f32> = noise(5, 10 * RATE).iter().map(|x| 0.3 * *x as f32).collect();
    let (strength, per_s, _) = analysed(&hiss);
    let found = onsets(&strength, per_s, PeakSpec::ONSETS);
    assert!(found.len() <= 3, "{found:?}");
    assert!(onsets(&strength, per_s, PeakSpec::LIBROSA).len() > 20, "librosa's has no such floor");
    assert!(onsets(&[], per_s, PeakSpec::ONSETS).is_empty() && onsets(&[0.0; 50], per_s, PeakSpec::LIBROSA).is_empty());
}
