//! Designed filters.

use std::f64::consts::PI;

use audio::AudioBuffer;
use effects::{self, Value};
use serde_json::Value as Json;

use super::support::{exact, format, given, make, noise, process, residual_db, run, taps};
use super::table;

fn reference() -> Json {
    serde_json::from_str(include_str!("../../../reference/fir_design.json")).unwrap()
}

#[test]
fn taps_are_scipys_in_the_words_of_the_effect() {
    let rate = 48_000;
    let (mut checked, mut worst) = (0, 0.0f64);
    for case in reference()["windowed"].as_array().unwrap() {
        let window = case["window"].as_str().unwrap();
        if window.starts_with("kaiser") {
            continue;
        }
        let edges: Vec<f64> =
            case["edges"].as_array().unwrap().iter().map(|edge| edge.as_f64().unwrap() * 48_000.0).collect();
        let kind = format!("{}pass", case["kind"].as_str().unwrap()).replace("stoppass", "bandstop");
        let mut arguments: Vec<(&str, Value)> = vec![
            ("kind", kind.as_str().into()),
            ("taps", case["taps"].as_f64().unwrap().into()),
            ("window", window.into()),
        ];
        match edges.as_slice() {
            [cutoff] => arguments.push(("cutoff", (*cutoff).into())),
            [low, high] => arguments.extend([("low", (*low).into()), ("high", (*high).into())]),
            other => panic!("{other:?}"),
        }
        let (taps, lag) = taps(make("fir", &arguments).as_ref(), rate);
        assert_eq!(lag as usize, (taps.len() - 1) / 2);
        for (tap, wanted) in taps.iter().zip(case["half"].as_array().unwrap()) {
            let error = (tap - wanted.as_f64().unwrap()).abs();
            worst = worst.max(error);
            assert!(error < 1e-12, "{window} {kind}");
        }
        checked += 1;
    }
    assert!(checked > 100);
    table::measured("fir", "taps of SciPy", checked, worst, "of a tap");
}

#[test]
fn every_parameter_does_something() {
    let base: &[(&str, Value)] = &[("cutoff", 2000.0.into()), ("taps", 65.0.into())];
    let kaiser: &[(&str, Value)] = &[("cutoff", 2000.0.into()), ("taps", 65.0.into()), ("window", "kaiser".into())];
    let band: &[(&str, Value)] = &[("kind", "bandpass".into()), ("taps", 65.0.into())];
    let least: &[(&str, Value)] = &[
        ("cutoff", 2000.0.into()),
        ("taps", 65.0.into()),
        ("method", "least_squares".into()),
        ("attenuation", 30.0.into()),
    ];
    for (before, name, value) in [
        (base, "kind", Value::from("highpass")),
        (base, "cutoff", 2100.0.into()),
        (base, "taps", 67.0.into()),
        (base, "window", "blackman".into()),
        (band, "low", 500.0.into()),
        (band, "high", 5000.0.into()),
        (kaiser, "attenuation", 60.0.into()),
        (least, "transition", 1500.0.into()),
        (least, "attenuation", 40.0.into()),
        (base, "method", "least_squares".into()),
        (least, "method", "equiripple".into()),
        (base, "phase", "minimum".into()),
    ] {
        let mut changed: Vec<(&str, Value)> = before.iter().filter(|(other, _)| *other != name).cloned().collect();
        changed.push((name, value));
        let [was, is] = [before, &changed].map(|arguments| taps(make("fir", arguments).as_ref(), 48_000).0);
        assert_ne!(was, is, "{name}");
    }
}

#[test]
fn taps_follow_from_attenuation_and_transition() {
    for method in ["window", "equiripple", "least_squares"] {
        let effect = make(
            "fir",
            &[
                ("cutoff", 5000.0.into()),
                ("taps", 0.0.into()),
                ("window", "kaiser".into()),
                ("method", method.into()),
                ("attenuation", 70.0.into()),
                ("transition", 1000.0.into()),
            ],
        );
        let (values, lag) = taps(effect.as_ref(), 48_000);
        assert_eq!((values.len() % 2, values.len() / 2), (1, lag as usize));
        let filter = process(effect.as_ref(), format(48_000, 1));
        for hz in (5500..24_000).step_by(37) {
            let gain = filter.response(2.0 * PI * f64::from(hz) / 48_000.0).unwrap().magnitude_db().unwrap_or(-300.0);
            let allowed = if method == "least_squares" { -60.0 } else { -69.5 };
            assert!(gain < allowed, "{method}: {gain} dB at {hz} Hz");
        }
        // Twice the sample rate needs twice the taps.
        let double = taps(effect.as_ref(), 96_000).0.len();
        assert!((double as f64 / values.len() as f64 - 2.0).abs() < 0.05, "{double}");
    }
}

#[test]
fn what_is_heard_is_the_sum_at_the_right_time() {
    let mut worst = f64::NEG_INFINITY;
    for (count, phase) in
        [(31.0, "linear"), (101.0, "linear"), (1025.0, "linear"), (1025.0, "minimum"), (20_001.0, "linear")]
    {
        let effect = make("fir", &[("cutoff", 3000.0.into()), ("taps", count.into()), ("phase", phase.into())]);
        let input = AudioBuffer::from_channels(vec![noise(1, 60_000), noise(2, 60_000)]);
        let output = run(effect.as_ref(), 44_100, &input, &[8192]);
        let (values, lag) = taps(effect.as_ref(), 44_100);
        assert_eq!(lag > 0, phase == "linear");
        for channel in 0..2 {
            let db = residual_db(output.channel(channel), &values, lag, input.channel(channel));
            worst = worst.max(db);
            assert!(db < -120.0, "{count} {phase}: {db} dB");
        }
        // An offset of a frame would be detected.
        assert!(residual_db(output.channel(0), &values, lag + 1, input.channel(0)) > -60.0);
        assert_eq!(run(effect.as_ref(), 44_100, &input, &[1, 333, 5000, 47]), output);
    }
    table::measured("fir", "the sum in f64", 5, worst, "dB");
}

#[test]
fn a_linear_phase_changes_no_times_and_no_phases() {
    let effect = make("fir", &[("cutoff", 8000.0.into()), ("taps", 255.0.into())]);
    let mut pulse = vec![0.0; 4000];
    pulse[2000] = 1.0;
    let output = run(effect.as_ref(), 48_000, &AudioBuffer::from_channels(vec![pulse]), &[512]);
    let loudest = (0..4000).max_by(|a, b| output.channel(0)[*a].abs().total_cmp(&output.channel(0)[*b].abs())).unwrap();
    assert_eq!(loudest, 2000);
    for n in 1..100 {
        assert!((output.channel(0)[2000 - n] - output.channel(0)[2000 + n]).abs() < 1e-6);
    }
    let response = process(effect.as_ref(), format(48_000, 1)).response(0.5).unwrap();
    assert_eq!(response.group_delay_frames(), Some(0.0));
    assert!(response.phase_rad().unwrap().abs() < 1e-12);
    let format = format(48_000, 1);
    assert_eq!(effect.tail_frames(format), 127);
    assert!(effect.memory_frames(format) >= 254 && effect.latency_frames(format) > 127);
}

#[test]
fn a_jump_forgets_and_a_state_remembers() {
    for count in [33.0, 257.0] {
        let effect = make("fir", &[("taps", count.into())]);
        let format = format(48_000, 1);
        let mut one = process(effect.as_ref(), format);
        assert!(one.seek(-77), "nothing was heard yet");
        let mut block = AudioBuffer::from_channels(vec![noise(3, 6000)]);
        one.process(&mut block).unwrap();
        assert!(one.seek(5923));
        let state = one.state();
        assert!(!one.seek(100) && one.state() != state);
        let mut after = AudioBuffer::from_channels(vec![vec![0.0; 6000]]);
        one.process(&mut after).unwrap();
        assert!(after.channel(0).iter().all(|sample| *sample == 0.0), "a jump left something behind");
        let mut two = process(effect.as_ref(), format);
        two.restore(&state).unwrap();
        assert!(two.seek(5923));
        assert!(two.restore(&state[1..]).is_err());
    }
}

#[test]
fn silence_constants_squares_and_what_is_no_number() {
    let effect = make("fir", &[("cutoff", 4000.0.into()), ("taps", 129.0.into())]);
    let (values, lag) = taps(effect.as_ref(), 48_000);
    let square: Vec<f32> = (0..9000).map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }).collect();
    for channels in [1, 2, 6] {
        for signal in [vec![0.0; 9000], vec![1.0; 9000], square.clone(), vec![1e-40; 9000], vec![0.7]] {
            let input = AudioBuffer::from_channels(vec![signal.clone(); channels]);
            let output = run(effect.as_ref(), 48_000, &input, &[1000]);
            assert_eq!(output.frames(), signal.len());
            for n in (0..signal.len()).step_by(97) {
                let wanted = exact(&values, lag, &signal, n);
                assert!((f64::from(output.channel(channels - 1)[n]) - wanted).abs() < 1e-6, "{n}");
            }
        }
    }
    let mut spoiled = noise(4, 9000);
    spoiled[4000] = f32::NAN;
    let clean = noise(5, 9000);
    let output = run(effect.as_ref(), 48_000, &AudioBuffer::from_channels(vec![spoiled, clean.clone()]), &[700]);
    assert!(output.iter().flatten().all(|sample| sample.is_finite()));
    let alone = run(effect.as_ref(), 48_000, &AudioBuffer::from_channels(vec![clean]), &[700]);
    assert_eq!(output.channel(1), alone.channel(0));
}

#[test]
fn what_does_not_go_is_said() {
    let fir = effects::find("fir").unwrap();
    let refused = |values: &[(&str, Value)], rate: u32, said: &str| {
        let message = match fir.make(&given(values)) {
            Err(error) => error.to_string(),
            Ok(effect) => effect.stage(format(rate, 1), None).unwrap_err().to_string(),
        };
        assert!(message.contains(said), "{message}");
    };
    refused(&[("cutoff", 5000.0.into())], 8000, "FIR filter: Cutoff must be below 4 kHz for this 8 kHz recording.");
    refused(&[("kind", "bandpass".into()), ("low", 4000.0.into())], 48_000, "Low must be below High");
    refused(&[("kind", "highpass".into()), ("taps", 100.0.into())], 48_000, "FIR filter: Taps must be an odd number");
    refused(&[("taps", 0.0.into())], 48_000, "FIR filter: Taps must be 1 or more");
    refused(
        &[("taps", 0.0.into()), ("window", "kaiser".into()), ("transition", 0.001.into())],
        48_000,
        "FIR filter: Transition must be wider",
    );
    refused(&[("taps", 3001.0.into()), ("method", "equiripple".into())], 48_000, "3 to 2049");
    refused(
        &[("taps", 5.0.into()), ("cutoff", 100.0.into()), ("method", "least_squares".into())],
        48_000,
        "transition",
    );
    refused(
        &[("method", "equiripple".into()), ("taps", 1025.0.into()), ("transition", 1900.0.into())],
        8000,
        "Equiripple design",
    );
}
