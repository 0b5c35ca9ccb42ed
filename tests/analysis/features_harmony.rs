//! Chroma, tuning and key: against librosa, in all 24 keys, and of what has no key.

use crate::support::features;

use std::f64::consts::TAU;

use analysis::features::chroma::{BINS_PER_OCTAVE, Basis, ConstantQ, ConstantQSpec, chroma, normalized};
use analysis::features::key::{Key, Mode, key, mean_chroma};
use analysis::features::tempo::Reasoned;
use analysis::features::tuning::Tuning;
use base::progress::Progress;
use dsp::design::Window;
use dsp::kernels::signal::stft::{Samples, Spectra, StftPlan, StftSpec, cpu};
use features::{chords, noise, numbers, reference, worst};

fn plan(hop: usize, tuning: f64, basis: Basis, rate: f64) -> ConstantQ {
    ConstantQ::new(ConstantQSpec { hop, tuning, basis }, rate).unwrap()
}

fn spectra(plan: &ConstantQ, x: &[f32]) -> Spectra<f32> {
    plan.spectra(Samples::whole(x), 0..plan.windows(x.len() as u64), &Progress::new()).unwrap()
}

fn power_of(x: &[f32]) -> Spectra<f32> {
    let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 }).unwrap();
    cpu::power(&plan, Samples::whole(x), 0..plan.windows(x.len() as u64)).unwrap()
}

#[test]
fn tuning_and_chroma_are_librosa_s() {
    for case in reference()["chroma"].as_array().unwrap() {
        let number = |name: &str| case[name].as_f64().unwrap();
        let (rate, hop) = (number("rate"), number("hop") as usize);
        let x = chords(rate as usize, number("seconds"), number("cents"));
        let mut tuning = Tuning::new(2048, rate);
        tuning.push(&power_of(&x));
        let found = tuning.finish().unwrap();
        assert!((found - number("tuning")).abs() <= 0.011, "{found}, {}", number("tuning"));
        let plan = plan(hop, number("tuning"), Basis::Librosa, rate);
        let got = spectra(&plan, &x);
        assert_eq!(got.windows() as f64, number("windows"));
        let expected = numbers(&case["cqt"]);
        let loudest = expected.iter().copied().fold(0.0, f64::max);
        let middle: Vec<f64> = got.window(got.windows() / 2).iter().map(|&c| f64::from(c)).collect();
        let factor = middle.iter().copied().fold(0.0, f64::max) / loudest;
        let scaled: Vec<f64> = middle.iter().map(|c| c / factor / loudest).collect();
        let (difference, at) = worst(&scaled, &expected.iter().map(|c| c / loudest).collect::<Vec<_>>());
        assert!(difference <= 3e-4 && (factor - 1.0).abs() <= 1e-3, "cqt: {difference} at {at}");
        let classes = chroma(&got);
        let got: Vec<f64> = classes.iter().step_by(4).flat_map(normalized).map(f64::from).collect();
        let expected = numbers(&case["chroma"]);
        // Within three quarters of a second of the ends librosa cuts off what its filters leave before the first and
        // behind the last frame of each halved signal; here it is kept, so that blocks may end anywhere.
        let near = 12 * (0.75 * rate / (4 * hop) as f64).ceil() as usize;
        let (difference, at) = worst(&got[near..got.len() - near], &expected[near..got.len() - near]);
        assert!(difference <= 1e-3, "chroma: {difference} at window {}, class {}", (near + at) / 12 * 4, at % 12);
        let (difference, at) = worst(&got, &expected);
        assert!(difference <= 2e-2, "chroma: {difference} at window {}, class {}", at / 12 * 4, at % 12);
        // Classes that are one off are not librosa's.
        let turned: Vec<f64> = got[1..].iter().chain(&got[..1]).copied().collect();
        assert!(worst(&turned, &numbers(&case["chroma"])).0 > 0.5);
    }
}

#[test]
fn a_tone_is_as_strong_as_it_is_and_in_its_class_at_any_rate() {
    for rate in [8000.0, 11_025.0, 16_000.0, 22_050.0, 32_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
        let plan = plan((rate / 43.0) as usize, 0.0, Basis::Exact, rate);
        for note in [33, 57, 76, 90] {
            let hz = 440.0 * (f64::from(note - 69) / 12.0).exp2();
            let x: Vec<f32> = (0..(rate * 2.2) as usize).map(|n| (TAU * hz * n as f64 / rate).sin() as f32).collect();
            let found = spectra(&plan, &x);
            let middle = found.window(found.windows() / 2);
            let bin = (note as usize - 24) * BINS_PER_OCTAVE / 12;
            let top = (0..middle.len()).max_by(|&a, &b| middle[a].total_cmp(&middle[b])).unwrap();
            assert_eq!(top, bin, "{rate} Hz, note {note}");
            // Half of the amplitude of a sine, times the root of the window's frames.
            let q = 1.0 / ((2.0_f64 / 36.0).exp2() - 1.0) * ((2.0_f64 / 36.0).exp2() + 1.0);
            let expected = 0.5 * (q * rate / hz).sqrt();
            let got = f64::from(middle[bin]);
            assert!((got / expected - 1.0).abs() < 2e-3, "{rate} Hz, note {note}: {got}, {expected}");
            let classes = normalized(&chroma(&found)[found.windows() / 2]);
            assert_eq!(classes[note as usize % 12], 1.0);
        }
    }
}

#[test]
fn blocks_give_the_bits_of_a_whole_with_any_number_of_threads() {
    let x = chords(22_050, 3.0, 0.0);
    let plan = plan(512, 0.0, Basis::Librosa, 22_050.0);
    let whole = spectra(&plan, &x);
    let windows = whole.windows() as u64;
    let mut joined = Vec::new();
    for cut in [0..1, 1..50, 50..51, 51..windows] {
        let reach = plan.reach(cut.clone());
        let (from, to) = (reach.start.max(0), reach.end.min(x.len() as i64));
        let block = Samples { samples: &x[from as usize..to as usize], first_frame: from };
        joined.extend(plan.spectra(block, cut, &Progress::new()).unwrap().values);
    }
    assert_eq!(joined, whole.values);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| spectra(&plan, &x)), whole);
}

#[test]
fn what_cannot_be_is_refused() {
    let spec = ConstantQSpec { hop: 512, tuning: 0.0, basis: Basis::Librosa };
    assert!(ConstantQ::new(ConstantQSpec { hop: 0, ..spec }, 44_100.0).is_err());
    for tuning in [0.6, -0.6, f64::NAN] {
        assert!(ConstantQ::new(ConstantQSpec { tuning, ..spec }, 44_100.0).is_err(), "{tuning}");
    }
    for rate in [0.0, 1.0, 100.0, f64::NAN, f64::INFINITY] {
        assert!(ConstantQ::new(spec, rate).is_err(), "{rate} Hz");
    }
    assert_eq!(ConstantQ::new(spec, 140.0).unwrap().bins(), 36);
    let plan = plan(512, 0.0, Basis::Librosa, 8000.0);
    assert_eq!(plan.bins(), 216);
    assert_eq!(spectra(&plan, &[]).values.len(), 0);
    assert_eq!(spectra(&plan, &[0.5]).windows(), 1);
    let progress = Progress::new();
    progress.cancel();
    assert!(plan.spectra(Samples::whole(&[0.5; 100]), 0..1, &progress).is_err());
    assert_eq!(Tuning::new(2048, 44_100.0).finish(), None);
}

/// Notes with five overtones, one second each chord.
fn music(chords: &[&[i32]]) -> Vec<f32> {
    const RATE: usize = 11_025;
    let sample = |n: usize| {
        let t = n as f64 / RATE as f64;
        let notes = chords[n / RATE].iter();
        let tone = |&note: &i32| {
            let hz = 440.0 * (f64::from(note - 69) / 12.0).exp2();
            (1..6).map(|partial| (TAU * hz * f64::from(partial) * t).sin() / f64::from(partial * partial)).sum::<f64>()
        };
        0.1 * notes.map(tone).sum::<f64>() as f32
    };
    (0..chords.len() * RATE).map(sample).collect()
}

fn key_of(x: &[f32]) -> Reasoned<Key> {
    let plan = plan(512, 0.0, Basis::Librosa, 11_025.0);
    mean_chroma(&chroma(&spectra(&plan, x))).map_or(Err("no window counts"), |mean| key(&mean))
}

#[test]
fn all_24_keys_are_told() {
    const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
    for tonic in 0..12 {
        let chord = |root: i32, third: i32| {
            vec![36 + tonic + root, 48 + tonic + root, 48 + tonic + root + third, 55 + tonic + root]
        };
        for (mode, chords) in [
            (Mode::Major, [chord(0, 4), chord(5, 4), chord(7, 4), chord(0, 4)]),
            (Mode::Minor, [chord(0, 3), chord(5, 3), chord(7, 4), chord(0, 3)]),
        ] {
            let chords: Vec<&[i32]> = chords.iter().map(Vec::as_slice).collect();
            let found = key_of(&music(&chords)).unwrap();
            let name = format!("{}{}", NAMES[tonic as usize], if mode == Mode::Minor { "m" } else { "" });
            assert_eq!((found.tonic, found.mode, found.to_string()), (tonic as usize, mode, name));
            assert!(found.correlation > 0.7 && found.confidence > 0.02, "{found:?}");
        }
    }
}

#[test]
fn what_has_no_key_has_none() {
    assert!(mean_chroma(&[]).is_none() && mean_chroma(&[[0.0; 12]; 5]).is_none());
    assert!(mean_chroma(&[[f32::NAN; 12]]).is_none());
    assert!(key(&[0.0; 12]).is_err() && key(&[1.0; 12]).is_err() && key(&[f64::NAN; 12]).is_err());
    let hiss: Vec<f32> = noise(9, 6 * 11_025).iter().map(|x| 0.3 * *x as f32).collect();
    assert!(key_of(&hiss).is_err(), "noise: {:?}", key_of(&hiss));
    assert!(key_of(&vec![0.0; 11_025]).is_err());
    // Every semitone in turn.
    let all: Vec<[i32; 1]> = (48..60).map(|note| [note]).collect();
    let all: Vec<&[i32]> = all.iter().map(<[i32; 1]>::as_slice).collect();
    assert!(key_of(&music(&all)).is_err(), "a chromatic scale: {:?}", key_of(&music(&all)));
    // A broken window does not count.
    let mut mean = vec![[0.5, 0.0, 0.2, 0.0, 0.4, 0.1, 0.0, 0.45, 0.0, 0.2, 0.0, 0.1]; 3];
    let whole = mean_chroma(&mean);
    mean.push([f32::NAN; 12]);
    assert_eq!(mean_chroma(&mean), whole);
    assert_eq!(key(&whole.unwrap()).unwrap().to_string(), "C");
}
