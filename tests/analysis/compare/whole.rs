//! Comparison of whole streams: conversions, notes, curves, hostile input.

use undertone::audio::{AudioBuffer, MemoryReader};
use undertone::compare::{Comparison, MEASURES, Outcome, Request, compare, measure_named};
use undertone::error::Error;
use undertone::progress::Progress;
use undertone::units::SampleRate;

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
        let plan = undertone::measure::resample::ResamplePlan::new(
            SampleRate::new(44_100).unwrap(),
            SampleRate::new(22_050).unwrap(),
        );
        let mut out = AudioBuffer::default();
        undertone::audio::AudioReader::read(
            &mut undertone::measure::resample::ResampledReader::new(reader, &plan),
            &mut out,
            usize::MAX >> 8,
        )
        .unwrap();
        out.channel(0).to_vec()
    };
    let request =
        Request { measures: ["si_sdr", "bandwidth"].map(|name| measure_named(name).unwrap()).to_vec(), align: true };
    let found = compared((44_100, vec![song.clone(), song]), (22_050, vec![half]), &request);
    assert!(found.notes.iter().any(|note| note.contains("22050 Hz to 44100 Hz")), "{:?}", found.notes);
    assert!(found.notes.iter().any(|note| note.contains("2 channels")), "{:?}", found.notes);
    let bandwidth = value(&found, "bandwidth").value().unwrap();
    assert!((9800.0..11_200.0).contains(&bandwidth), "{bandwidth}");
    assert!(found.alignment.unwrap().offset_s.abs() < 1e-6);
}

#[test]
fn strangers_have_a_reason_for_each_measure_that_needs_alignment() {
    let (a, b) = (soft_noise(&mut Random::new(1), 100_000), soft_noise(&mut Random::new(2), 100_000));
    let found = compared((44_100, vec![a]), (44_100, vec![b]), &Request::default());
    assert!(found.alignment.is_none() && found.frames == 0);
    for (measure, reading) in &found.readings {
        assert_eq!(reading.whole.value().is_some(), !measure.needs_alignment, "{}", measure.name);
    }
}

#[test]
fn any_input_is_answered() {
    let long = || soft_noise(&mut Random::new(3), 12_000);
    let odd: Vec<Vec<f32>> =
        vec![Vec::new(), vec![0.5], vec![0.0; 12_000], vec![f32::NAN; 500], vec![f32::MAX; 3000], long()];
    for (rate, align) in [(1, true), (44_100, true), (44_100, false), (768_000, false)] {
        let request = Request { measures: MEASURES.iter().collect(), align };
        for (reference, other) in odd.iter().flat_map(|a| odd.iter().map(move |b| (a, b))) {
            let found = compared((rate, vec![reference.clone()]), (rate, vec![other.clone()]), &request);
            for (measure, reading) in &found.readings {
                let is_nan = reading.whole.value().is_some_and(f64::is_nan);
                assert!(!is_nan, "{} at {rate} Hz of {} and {}", measure.name, reference.len(), other.len());
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
    let found = compared((44_100, vec![song]), (44_100, vec![other]), &Request::default());
    for name in ["snr", "segmental_snr", "si_sdr", "l1", "log_spectral_distance", "stft", "mel", "stoi", "estoi"] {
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
fn a_cancel_is_heeded() {
    let reader =
        || MemoryReader::new(SampleRate::new(44_100).unwrap(), AudioBuffer::from_channels(vec![vec![0.1; 100_000]]));
    let progress = Progress::new();
    progress.cancel();
    let found = compare(&mut reader(), &mut reader(), &Request::default(), &progress);
    assert!(matches!(found, Err(Error::Cancelled)));
}
