//! Properties of every effect and of the level effects.

use super::*;
use crate::units::{SampleRate, gain_from_db};

fn format(hz: u32, channels: usize) -> AudioFormat {
    AudioFormat { rate: SampleRate::new(hz).unwrap(), channels }
}

fn given(values: &[(&str, Value)]) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in values {
        arguments.set(name, value.clone());
    }
    arguments
}

fn gains(effect: &dyn Effect, channels: usize, measured: Option<&Measured>) -> Vec<f64> {
    match effect.stage(format(48_000, channels), measured).unwrap() {
        Stage::Gain(gains) => gains,
        other => panic!("{other:?} is no gain"),
    }
}

#[test]
fn every_effect_is_described_and_runs_with_its_initial_values() {
    let mut names: Vec<_> = all().iter().map(|spec| spec.name).collect();
    for spec in all() {
        let well_named = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(|first| first.is_ascii_lowercase())
                && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        assert!(well_named(spec.name) && !["off", "mix", "label"].contains(&spec.name), "{}", spec.name);
        assert!(spec.summary.ends_with('.') && spec.documentation.len() > 200 && spec.source.ends_with('.'));
        assert!(spec.documentation.contains("atency"), "{} says nothing of its latency", spec.name);
        assert!(spec.positional <= spec.parameters.len());
        for parameter in spec.parameters {
            assert!(well_named(parameter.name) && parameter.help.ends_with('.'), "{}", parameter.name);
            for value in [parameter.initial_value(), parameter.default_value()].into_iter().flatten() {
                parameter.check(&value).unwrap();
            }
        }
        let effect = spec.make(&spec.initial_arguments()).unwrap();
        if spec.purpose == Purpose::Repair {
            assert!(effect.latency_frames(format(48_000, 2)) > 0, "{} does not look ahead", spec.name);
        }
        if spec.purpose != Purpose::Image {
            assert_eq!(effect.channels_out(5).unwrap(), 5);
        }
        match effect.stage(format(48_000, 2), None).unwrap() {
            Stage::Sections(sections) => assert!(!sections.is_empty()),
            Stage::Gain(gains) => assert_eq!(gains.len(), 2),
            // A process restores its own state.
            Stage::Process(mut process) => process.restore(&process.state().clone()).unwrap(),
        }
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().len());
}

#[test]
fn frequencies_stay_below_half_the_rate() {
    // The band of a repair may reach to the end of the axis, the filter of a loop may be off, and a rate is not a
    // frequency.
    let others = [Purpose::Repair, Purpose::Space, Purpose::Modulation];
    let bounded = |spec: &EffectSpec| !others.contains(&spec.purpose) && spec.parameter("rate").is_none();
    for spec in all().iter().filter(|spec| bounded(spec)) {
        let mut arguments = spec.initial_arguments();
        let frequencies: Vec<_> = spec
            .parameters
            .iter()
            .filter(|parameter| matches!(parameter.kind, ParameterKind::Number { unit: Unit::Hz, .. }))
            .collect();
        let Some(highest) = frequencies.last() else { continue };
        arguments.set(highest.name, 24_000.0);
        let effect = spec.make(&arguments).unwrap();
        let message = effect.stage(format(48_000, 2), None).unwrap_err().to_string();
        let expected = format!("{}: {} must be below 24 kHz for this 48 kHz recording.", spec.title, highest.title);
        assert_eq!(message, expected);
        effect.stage(format(48_001, 2), None).unwrap();
    }
}

#[test]
fn whatever_is_in_range_gives_finite_stable_sections() {
    let cascades = all().iter().filter(|spec| {
        let initial = spec.make(&spec.initial_arguments()).unwrap();
        matches!(initial.stage(format(768_000, 1), None), Ok(Stage::Sections(_)))
    });
    for spec in cascades {
        // All corners of few parameters, some 300 scattered ones of many.
        let count = spec.parameters.len() as u32;
        let corners: Vec<u64> = match count {
            0..=9 => (0..1 << count).collect(),
            _ => (0..300u64).map(|corner| corner.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - count)).collect(),
        };
        for corner in corners {
            let mut arguments = Arguments::default();
            for (index, parameter) in spec.parameters.iter().enumerate() {
                let high = corner >> index & 1 == 1;
                match parameter.kind {
                    ParameterKind::Number { unit: Unit::Hz, .. } => {
                        let lift = if parameter.name == "high" { 1.01 } else { 1.0 };
                        arguments.set(parameter.name, lift * if high { 380_000.0 } else { 0.1 });
                    }
                    ParameterKind::Number { min, max, .. } | ParameterKind::NumberOrNote { min, max, .. } => {
                        arguments.set(parameter.name, if high { max } else { min });
                    }
                    ParameterKind::Choice { options, .. } => {
                        arguments.set(parameter.name, options[usize::from(high) * (options.len() - 1)]);
                    }
                    ParameterKind::File { .. } => {}
                }
            }
            // Skip corners with low above high.
            let Ok(effect) = spec.make(&arguments) else { continue };
            let stage = effect.stage(format(768_000, 1), None);
            // Image effects may need more than one channel.
            let Some(stage) = (if spec.purpose == Purpose::Image { stage.ok() } else { Some(stage.unwrap()) }) else {
                continue;
            };
            let Stage::Sections(sections) = stage else { continue };
            for section in sections {
                let numbers = section.b.iter().chain(&section.a).chain(&section.svf.m);
                assert!(
                    numbers.chain([&section.svf.g, &section.svf.k]).all(|value| value.is_finite()),
                    "{arguments:?}"
                );
                assert!(section.svf.g > 0.0 && section.svf.k > 0.0 && section.a[2].abs() <= 1.0, "{arguments:?}");
            }
        }
    }
}

#[test]
fn arguments_are_completed_and_checked() {
    let highpass = find("highpass").unwrap();
    let complete = highpass.arguments(&given(&[("cutoff", 80.0.into())])).unwrap();
    assert_eq!(complete.number("order"), Some(2.0));
    assert_eq!(complete.text("design"), Some("butterworth"));
    for (arguments, said) in [
        (given(&[]), "High-pass: Cutoff is missing."),
        (given(&[("cutoff", 0.05.into())]), "High-pass: Cutoff must be 0.1 Hz to 384 kHz, not 0.05 Hz."),
        (given(&[("cutoff", f64::NAN.into())]), "Cutoff must be 0.1 Hz to 384 kHz, not NaN Hz."),
        (given(&[("cutoff", "80".into())]), "not \"80\"."),
        (
            given(&[("cutoff", 80.0.into()), ("order", 1.5.into())]),
            "High-pass: Order must be a whole number from 1 to 24, not 1.5.",
        ),
        (given(&[("cutoff", 80.0.into()), ("design", 1.0.into())]), "High-pass: Design must be "),
        (given(&[("cutof", 80.0.into())]), "did you mean `cutoff`"),
    ] {
        let message = highpass.arguments(&arguments).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
    let bandpass = find("bandpass").unwrap();
    let reversed = given(&[("low", 2000.0.into()), ("high", 1000.0.into())]);
    assert!(bandpass.arguments(&reversed).unwrap_err().to_string().contains("Low must be below High (1 kHz)"));
}

#[test]
fn unknown_effects_are_refused_with_the_nearest() {
    let message = known("hi_pass").unwrap_err().to_string();
    assert!(message.contains("did you mean `highpass`") && message.contains("peaking"), "{message}");
    assert!(!known("zzz").unwrap_err().to_string().contains("did you mean"));
}

#[test]
fn gain_is_the_same_for_all_channels() {
    let gain = find("gain").unwrap().make(&given(&[("gain", (-6.0).into())])).unwrap();
    assert_eq!(gains(gain.as_ref(), 3, None), vec![gain_from_db(-6.0); 3]);
    assert_eq!(gain.whole_signal(), None);
}

#[test]
fn normalize_brings_the_peak_to_its_target() {
    let make = |values: &[(&str, Value)]| find("normalize").unwrap().make(&given(values)).unwrap();
    let peaks = |peak: &[f64]| Measured::peaks(9, peak.to_vec());
    let linked = make(&[]);
    assert_eq!(linked.whole_signal(), Some(WholeSignal::SamplePeak));
    assert_eq!(gains(linked.as_ref(), 2, None), [1.0, 1.0]);
    let target = gain_from_db(-1.0);
    assert_eq!(gains(linked.as_ref(), 2, Some(&peaks(&[0.25, 0.5]))), [target / 0.5; 2]);
    let each = make(&[("target", 0.0.into()), ("mode", "per_channel".into())]);
    assert_eq!(gains(each.as_ref(), 3, Some(&peaks(&[0.25, 0.5, 0.0]))), [4.0, 2.0, 1.0]);
    // Silence, and levels that f32 only holds as denormals, stay unchanged.
    assert_eq!(gains(linked.as_ref(), 2, Some(&peaks(&[0.0, 1e-44]))), [1.0, 1.0]);
    let wrong_count = linked.stage(format(48_000, 2), Some(&peaks(&[0.5])));
    assert!(matches!(wrong_count, Err(Error::Internal(_))));
    for broken in [f64::NAN, f64::INFINITY] {
        assert!(linked.stage(format(48_000, 1), Some(&peaks(&[broken]))).is_err());
    }
}
