//! Comparison of whole streams: conversions, notes, curves, hostile input.

use analysis::compare::{Comparison, Outcome, Request, compare, measure_named};
use audio::{AudioBuffer, MemoryReader};
use base::error::Error;
use base::progress::Progress;
use base::units::SampleRate;

use super::versions::{Random, soft_noise};
use crate::support::songs::Song;

fn compared(reference: (u32, Vec<Vec<f32>>), other: (u32, Vec<Vec<f32>>), request: &Request) -> Comparison {
    let reader =
        |(rate, channels)| MemoryReader::new(SampleRate::new(rate).unwrap(), AudioBuffer::from_channels(channels));
    compare(&mut reader(reference), &mut reader(other), request, &Progress::new()).unwrap()
}

fn value(comparison: &Comparison, name: &str) -> Outcome {
    let found = comparison.readings.iter().find(|(measure, _)| measure.name == name);
    found.unwrap_or_else(|| panic!("{name}")).1.whole.clone()
}

#[test]
fn equal_recordings_do_not_differ() {
    let song = vec![Song::new(4).samples(44_100, 4.0); 2];
    let found = compared((44_100, song.clone()), (44_100, song), &Request::default());
    for (name, expected) in [("l1", 0.0), ("stft", 0.0), ("mel", 0.0), ("log_spectral_distance", 0.0), ("stoi", 1.0)] {
        assert!((value(&found, name).value().unwrap() - expected).abs() < 1e-9, "{name}");
    }
    for name in ["snr", "si_sdr", "sdr"] {
        assert_eq!(value(&found, name), Outcome::Value(f64::INFINITY), "{name}");
    }
    assert!(value(&found, "pesq_nb").number().unwrap_err().contains("PESQ"));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn a_shifted_inverted_copy_is_the_same_recording() {
    let song = Song::new(5).samples(48_000, 5.0);
    let other: Vec<f32> = song[4801..].iter().map(|x| -x).collect();
    let found = compared((48_000, vec![song]), (48_000, vec![other]), &Request::default());
    let alignment = found.alignment.as_ref().unwrap();
    assert!((alignment.offset_s + 4801.0 / 48_000.0).abs() < 1e-9 && alignment.polarity == -1, "{alignment:?}");
    assert_eq!(value(&found, "snr"), Outcome::Value(f64::INFINITY));
    assert!(found.notes.iter().any(|note| note.contains("0.100 s of the reference")), "{:?}", found.notes);
}

#[test]
fn other_rates_and_channels_are_converted_and_said() {
    let song = Song::new(6).samples(44_100, 5.0);
    let half: Vec<f32> = {
        let reader =
            MemoryReader::new(SampleRate::new(44_100).unwrap(), AudioBuffer::from_channels(vec![song.clone()]));
        let plan = dsp::measure::resample::ResamplePlan::new(
            SampleRate::new(44_100).unwrap(),
            SampleRate::new(22_050).unwrap(),
        );
        let mut out = AudioBuffer::default();
        audio::AudioReader::read(
            &mut dsp::measure::resample::ResampledReader::new(reader, &plan),
            &mut out,
            usize::MAX >> 8,
        )
        .unwrap();
        out.channel(0).to_vec()
    };
    let request = Request {
        measures: ["si_sdr", "bandwidth"].map(|name| measure_named(name).unwrap()).to_vec(),
        ..Request::default()
    };
    let found = compared((44_100, vec![song.clone(), song]), (22_050, vec![half]), &request);
    assert!(found.notes.iter().any(|note| note.contains("22050 Hz to 44100 Hz")), "{:?}", found.notes);
    assert!(found.notes.iter().any(|note| note.contains("2 channels")), "{:?}", found.notes);
    let bandwidth = value(&found, "bandwidth").value().unwrap();
    assert!((9800.0..11_200.0).contains(&bandwidth), "{bandwidth}");
    assert!(found.alignment.unwrap().offset_s.abs() < 1e-6);
}

#[test]
fn levels_are_matched_if_asked_for() {
    let song = Song::new(5).samples(44_100, 4.0);
    let mut random = Random::new(6);
    let noisy: Vec<f32> = song.iter().map(|x| -0.25 * (x + 0.002 * random.normal() as f32)).collect();
    for align in [true, false] {
        let measures = ["snr", "si_sdr", "loudness_difference"].map(|name| measure_named(name).unwrap()).to_vec();
        let plain = Request { measures, align, ..Request::default() };
        let matched = Request { match_level: true, ..plain.clone() };
        let of =
            |other: &[f32], request| compared((44_100, vec![song.clone()]), (44_100, vec![other.to_vec()]), request);
        let [without, with] = [&plain, &matched].map(|request| of(&noisy, request));
        let number = |found: &Comparison, name| value(found, name).value().unwrap();
        assert!(without.matched_gain_db.is_none() && number(&without, "loudness_difference") < -12.0);
        assert!((with.matched_gain_db.unwrap() - 12.04).abs() < 0.02, "{:?}", with.matched_gain_db);
        assert!(with.notes.iter().any(|note| note.contains("level of the reference")), "{:?}", with.notes);
        assert!(number(&with, "loudness_difference").abs() < 0.05);
        assert!((number(&with, "si_sdr") - number(&without, "si_sdr")).abs() < 1e-3);
        if align {
            assert!((number(&with, "snr") - number(&with, "si_sdr")).abs() < 0.01, "the difference of gain is gone");
        }
        // Silence has no level.
        let silent = of(&vec![0.0; song.len()], &matched);
        assert!(silent.matched_gain_db.is_none());
    }
}

#[test]
fn strangers_have_a_reason_for_each_measure_that_needs_alignment() {
    let (a, b) = (soft_noise(&mut Random::new(1), 100_000), soft_noise(&mut Random::new(2), 100_000));
    let found = compared((44_100, vec![a]), (44_100, vec![b]), &Request::default());
    assert!(found.alignment.is_none() && found.frames == 0);
    for name in ["loudness_difference", "true_peak_difference", "crest_difference", "bandwidth", "bandwidth_lost"] {
        assert!(value(&found, name).value().is_some(), "{name}");
    }
    for (measure, reading) in &found.readings {
        assert!(!measure.needs_alignment || reading.whole.value().is_none(), "{}", measure.name);
    }
}

#[test]
fn any_input_is_answered() {
    let long = || soft_noise(&mut Random::new(3), 12_000);
    let odd: Vec<Vec<f32>> =
        vec![Vec::new(), vec![0.5], vec![0.0; 12_000], vec![f32::NAN; 500], vec![f32::MAX; 3000], long()];
    for (rate, align) in [(1, true), (44_100, true), (44_100, false), (768_000, false)] {
        let request = Request { align, curves: true, ..Request::default() };
        for (reference, other) in odd.iter().flat_map(|a| odd.iter().map(move |b| (a, b))) {
            let found = compared((rate, vec![reference.clone()]), (rate, vec![other.clone()]), &request);
            for (measure, reading) in &found.readings {
                let is_nan = reading.whole.value().is_some_and(f64::is_nan);
                assert!(!is_nan, "{} at {rate} Hz of {} and {}", measure.name, reference.len(), other.len());
                for curve in reading.curve.iter().chain(&reading.channel_curves) {
                    assert!(curve.step_s > 0.0 && curve.values.iter().flatten().all(|value| value.is_finite()));
                    let explained =
                        (0..curve.values.len()).all(|at| curve.values[at].is_none() == curve.reason(at).is_some());
                    assert!(explained, "{} of {} and {}", measure.name, reference.len(), other.len());
                }
            }
        }
    }
}

#[test]
fn curves_cover_the_recording() {
    let song = Song::new(7).samples(44_100, 4.0);
    let mut random = Random::new(9);
    // The second half is noisy.
    let other: Vec<f32> = song
        .iter()
        .enumerate()
        .map(|(n, x)| x + if n < song.len() / 2 { 0.0001 } else { 0.02 } * random.normal() as f32)
        .collect();
    let request = Request { curves: true, ..Request::default() };
    let found = compared((44_100, vec![song]), (44_100, vec![other]), &request);
    for name in ["snr", "segmental_snr", "si_sdr", "sdr", "l1", "log_spectral_distance", "stft", "mel", "stoi", "estoi"]
    {
        let measure = measure_named(name).unwrap();
        let (_, reading) = found.readings.iter().find(|(own, _)| *own == measure).unwrap();
        let curve = reading.curve.as_ref().unwrap();
        let mean = |from: f64, to: f64| {
            let within: Vec<f64> = curve
                .values
                .iter()
                .enumerate()
                .filter(|(k, _)| (from..to).contains(&(curve.start_s + *k as f64 * curve.step_s)))
                .filter_map(|(_, value)| *value)
                .collect();
            assert!(!within.is_empty(), "{name} from {from} s");
            within.iter().sum::<f64>() / within.len() as f64
        };
        let [early, late] = [mean(0.3, 1.6), mean(2.4, 3.7)];
        let is_better = if name == "l1" || name.contains("distance") || name == "stft" || name == "mel" {
            early < late
        } else {
            early > late
        };
        assert!(is_better, "{name}: {early} {late}");
    }
}

#[test]
fn curves_are_there_if_asked_for_and_for_each_channel() {
    let channels: Vec<Vec<f32>> = (8..10).map(|seed| Song::new(seed).samples(44_100, 4.0)).collect();
    let mut random = Random::new(4);
    let other: Vec<Vec<f32>> =
        channels.iter().map(|channel| channel.iter().map(|x| x + 0.001 * random.normal() as f32).collect()).collect();
    let without = compared((44_100, channels.clone()), (44_100, other.clone()), &Request::default());
    let with = compared((44_100, channels), (44_100, other), &Request { curves: true, ..Request::default() });
    for ((measure, plain), (_, reading)) in without.readings.iter().zip(&with.readings) {
        assert!(plain.curve.is_none() && plain.channel_curves.is_empty(), "{}", measure.name);
        assert_eq!(plain.whole, reading.whole, "{}", measure.name);
        if reading.whole.value().is_none() {
            continue;
        }
        assert_eq!(reading.curve.is_some(), measure.over_time.is_some(), "{}", measure.name);
        assert!([0, 2].contains(&reading.channel_curves.len()), "{}", measure.name);
        let values = reading.curve.iter().flat_map(|curve| &curve.values);
        assert!(reading.curve.is_none() || values.flatten().count() > 0, "{}", measure.name);
    }
    let curves = |name: &str| {
        let (_, reading) = with.readings.iter().find(|(measure, _)| measure.name == name).unwrap();
        (reading.curve.clone().unwrap(), reading.channel_curves.clone())
    };
    let (mean, channels) = curves("snr");
    let middle = mean.values.len() / 2;
    let both = [0, 1].map(|channel: usize| channels[channel].values[middle].unwrap());
    assert!((mean.values[middle].unwrap() - f64::midpoint(both[0], both[1])).abs() < 1e-9 && both[0] != both[1]);
}

#[test]
fn curves_have_the_times_of_the_reference() {
    // The other begins one second later; a burst of noise lies at 2.5 s of the reference, and 1 s of silence at 3 s.
    let mut song = Song::new(12).samples(44_100, 6.0);
    song[132_300..176_400].fill(0.0);
    let mut other = song.clone();
    let mut random = Random::new(2);
    other[110_250..112_455].iter_mut().for_each(|x| *x += 0.3 * random.normal() as f32);
    let other = other[44_100..].to_vec();
    let request = Request { curves: true, ..Request::default() };
    let found = compared((44_100, vec![song]), (44_100, vec![other]), &request);
    assert_eq!(found.start_frame, 44_100);
    for (name, within) in [("l1", 0.06), ("stft", 0.06), ("segmental_snr", 0.06), ("true_peak_difference", 0.06)] {
        let (_, reading) = found.readings.iter().find(|(measure, _)| measure.name == name).unwrap();
        let curve = reading.curve.as_ref().unwrap();
        let sign = if name == "segmental_snr" { -1.0 } else { 1.0 };
        let value = |at: &usize| curve.values[*at].map_or(f64::NEG_INFINITY, |value| sign * value);
        let worst = (0..curve.values.len()).max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
        assert!((curve.time_s(worst) - 2.525).abs() <= within, "{name}: {}", curve.time_s(worst));
        assert!(curve.time_s(0) >= 1.0 && curve.time_s(0) < 1.3, "{name}");
    }
    let (_, reading) = found.readings.iter().find(|(measure, _)| measure.name == "snr").unwrap();
    let curve = reading.curve.as_ref().unwrap();
    let silent = (0..curve.values.len()).find(|&at| curve.time_s(at) > 3.5).unwrap();
    assert_eq!((curve.values[silent], curve.reason(silent)), (None, Some("the reference is silent")));
}

#[test]
fn a_cancel_is_heeded() {
    let reader =
        || MemoryReader::new(SampleRate::new(44_100).unwrap(), AudioBuffer::from_channels(vec![vec![0.1; 100_000]]));
    let progress = Progress::new();
    progress.cancel();
    let found = compare(&mut reader(), &mut reader(), &Request::default(), &progress);
    assert!(matches!(found, Err(Error::Cancelled)));
}
