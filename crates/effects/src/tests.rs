//! Properties of every effect and of the level effects.

use super::*;
use base::units::{SampleRate, gain_from_db};

fn format(hz: u32, channels: usize) -> AudioFormat {
    AudioFormat::new(SampleRate::new(hz).unwrap(), channels)
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
            // A process restores the state that it gave.
            Stage::Process(mut process) => process.restore(&process.state().clone()).unwrap(),
        }
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().len());
}

/// No control is at an end of its travel while its value is the default: everyday values lie on both sides, or the
/// control rests there and says so, or counts without a travel. Only a share may be all or none.
#[test]
fn no_control_is_at_an_end_of_its_travel_by_default() {
    // A recording of half a minute at 48 kHz.
    let (nyquist_hz, seconds) = (24_000.0, 30.0);
    let mut count = 0;
    for spec in all() {
        for parameter in spec.parameters {
            let (ParameterKind::Number { unit, min, max, initial, scale, .. }
            | ParameterKind::NumberOrNote { unit, min, max, initial, scale, .. }) = parameter.kind
            else {
                continue;
            };
            let what = format!("{} {}", spec.name, parameter.name);
            let (from, to) =
                parameter.travel.map_or((min, max), |travel| (travel.from, travel.end(nyquist_hz, seconds)));
            assert!(from < to && from >= min && to <= max, "{what}: {from} to {to} is not within {min} to {max}");
            assert!(scale != Scale::Log || from > 0.0, "{what}: a logarithmic travel cannot begin at {from}");
            if let Some(rest) = parameter.rest {
                assert!((min..=max).contains(&rest.value), "{what}");
                assert!(rest.value <= from || rest.value >= to, "{what} rests within its travel");
                assert!(rest.word.starts_with(|c: char| c.is_ascii_uppercase()), "{what}: {}", rest.word);
                if rest.value == initial {
                    continue;
                }
            }
            let is_share = unit == Unit::Percent && (initial == 0.0 || initial == 1.0);
            if scale == Scale::Index || is_share {
                continue;
            }
            count += 1;
            let place = if scale == Scale::Log {
                (initial / from).ln() / (to / from).ln()
            } else {
                (initial - from) / (to - from)
            };
            assert!((0.02..=0.98).contains(&place), "{what} starts at {place} of its travel from {from} to {to}");
        }
    }
    assert!(count > 150, "{count}");
}

/// Times and frequencies travel in equal ratios, except places in a recording.
#[test]
fn times_and_frequencies_are_logarithmic() {
    for spec in all() {
        for parameter in spec.parameters {
            let (ParameterKind::Number { unit, scale, .. } | ParameterKind::NumberOrNote { unit, scale, .. }) =
                parameter.kind
            else {
                continue;
            };
            let is_place = parameter.travel.is_some_and(|travel| travel.to == TravelEnd::Length);
            if matches!(unit, Unit::Hz | Unit::Seconds) && !is_place && !scale.is_whole() {
                assert_eq!(scale, Scale::Log, "{} {}", spec.name, parameter.name);
            }
        }
    }
}

#[test]
fn a_new_effect_fits_a_recording_of_any_rate_and_length() {
    for (hz, seconds) in [(8000, 0.3), (16_000, 5.0), (44_100, 200.0), (192_000, 7200.0)] {
        let nyquist_hz = f64::from(hz) / 2.0;
        for spec in all() {
            // A bank, an equaliser of fixed bands and a resampler have no place in a rate below theirs.
            if ["graphic_eq_10", "graphic_eq_31"].contains(&spec.name) {
                continue;
            }
            let arguments = spec.initial_arguments_for(nyquist_hz, seconds);
            let stage = spec.make(&arguments).unwrap().stage(format(hz, 2), None);
            stage.unwrap_or_else(|error| panic!("{} at {hz} Hz: {error}", spec.name));
        }
    }
    let fade = find("fade_in").unwrap();
    assert_eq!(fade.initial_arguments_for(24_000.0, 0.5).number("duration"), Some(0.25));
    assert_eq!(fade.initial_arguments_for(24_000.0, 100.0), fade.initial_arguments());
    let lowpass = find("lowpass").unwrap();
    assert_eq!(lowpass.initial_arguments_for(4000.0, 9.0).number("cutoff"), Some(3600.0));
}

#[test]
fn a_parameter_that_others_make_meaningless_is_not_used() {
    let used = |effect: &str, values: &[(&str, Value)]| {
        let spec = find(effect).unwrap();
        let arguments = given(values);
        let used = spec.parameters.iter().filter(|parameter| spec.uses(parameter, &arguments));
        used.map(|parameter| parameter.name).collect::<Vec<_>>()
    };
    let peak = used("normalize", &[]);
    assert!(!peak.contains(&"ceiling") && !peak.contains(&"percentile"), "{peak:?}");
    assert!(used("normalize", &[("to", "lufs".into())]).contains(&"ceiling"));
    assert!(!used("compressor", &[]).contains(&"rms_time"));
    assert!(used("compressor", &[("detector", "rms".into())]).contains(&"rms_time"));
    assert!(!used("delay", &[("time", 0.5.into())]).contains(&"bpm"));
    assert!(used("delay", &[("time", "1/8".into())]).contains(&"bpm"));
    assert!(!used("tremolo", &[]).contains(&"bpm"));
    assert!(!used("crossover", &[("ways", 2.0.into())]).contains(&"second"));
    assert!(used("crossover", &[("ways", 3.0.into())]).contains(&"second"));
    assert!(!used("convolve", &[]).contains(&"threshold"));
    assert!(!used("fir", &[]).contains(&"transition"));
    assert!(used("fir", &[("taps", 0.0.into())]).contains(&"transition"));
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
fn normalize_can_measure_a_part() {
    let spec = find("normalize").unwrap();
    let part = spec.make(&given(&[("from", 1.0.into()), ("until", 2.0.into())])).unwrap();
    let heard = MeasuredPart { from_s: 1.0, to_s: 2.0 };
    assert_eq!(part.measured_part(), Some(heard));
    let of_all = Measured::peaks(9, vec![0.5]);
    assert_eq!(gains(part.as_ref(), 1, Some(&of_all)), [1.0], "a measurement of all is of another part");
    let of_part = Measured { part: Some(heard), ..of_all };
    assert_eq!(gains(part.as_ref(), 1, Some(&of_part)), [gain_from_db(-1.0) / 0.5]);
    let message = spec.make(&given(&[("from", 2.0.into()), ("until", 1.0.into())])).unwrap_err().to_string();
    assert!(message.contains("Normalise: Measure from must be before Measure until (1 s)"), "{message}");
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
