//! Static curves, times, channel link, side-chain filters, and the effect of every parameter.

use audio::AudioBuffer;
use effects::{self, ParameterKind, Unit, Value};

use super::{EFFECTS, bursts, db, effect, gain, mono, of_text, run, run_text, sine};

/// Returns the output level at the end of a steady signal in dB.
fn settled(text: &str, input: &AudioBuffer) -> f64 {
    let out = run_text(text, input);
    let peak = out.channel(0)[input.frames() * 3 / 4..].iter().fold(0f32, |most, sample| most.max(sample.abs()));
    db(f64::from(peak))
}

#[test]
fn steady_levels_come_out_as_the_static_curve_says() {
    // Drawn by hand: input and output level.
    let by_hand: [(&str, &[(f64, f64)]); 5] = [
        (
            "compressor(-20 dB, 4, knee=0 dB, attack=1 ms",
            &[(-40.0, -40.0), (-20.0, -20.0), (-12.0, -18.0), (0.0, -15.0)],
        ),
        (
            "compressor(-20 dB, 4, knee=12 dB, makeup=3 dB, attack=1 ms",
            &[(-26.0, -23.0), (-20.0, -18.125), (-14.0, -15.5)],
        ),
        (
            "expander(-40 dB, 3, knee=0 dB, range=30 dB",
            &[(-20.0, -20.0), (-45.0, -55.0), (-52.0, -76.0), (-70.0, -100.0)],
        ),
        ("gate(-50 dB, -40 dB, hysteresis=0 dB", &[(-49.0, -49.0), (-51.0, -91.0)]),
        ("limiter(-6 dB, peak=sample", &[(-20.0, -20.0), (-6.0, -6.0), (0.0, -6.0)]),
    ];
    for (text, points) in by_hand {
        for (input_db, output_db) in points {
            let at_rest = format!("{text}, release=100 ms)");
            let tone = format!("{text}, release=1 s)");
            assert!((of_text(&tone).transfer_db(*input_db).unwrap() - output_db).abs() < 1e-9, "{text} at {input_db}");
            let steady = settled(&at_rest, &mono((0..72_000).map(|_| gain(*input_db))));
            assert!((steady - output_db).abs() < 0.002, "{text}: a constant {input_db} dB gives {steady} dB");
            let steady = settled(&tone, &sine(1000.0, *input_db, 480_000));
            assert!((steady - output_db).abs() < 0.03, "{text}: a sine of {input_db} dB gives {steady} dB");
        }
    }
}

#[test]
fn rms_reads_a_sine_three_decibels_lower() {
    let input = sine(1000.0, 0.0, 96_000);
    for (detector, level) in [("peak", 0.0), ("rms", -3.0103)] {
        let out = settled(&format!("compressor(-20 dB, 4, knee=0 dB, release=500 ms, detector={detector})"), &input);
        let expected = -0.75 * (level + 20.0);
        assert!((out - expected).abs() < 0.05, "{detector}: {out} for {expected}");
    }
}

#[test]
fn automatic_make_up_keeps_full_scale() {
    for text in ["compressor(-20 dB, 4, auto_makeup=on)", "compressor(-3 dB, 2, knee=20 dB, auto_makeup=on)"] {
        assert!(of_text(text).transfer_db(0.0).unwrap().abs() < 1e-12);
        assert!(settled(text, &mono((0..48_000).map(|_| 1.0))).abs() < 1e-4);
    }
}

/// Returns the gain in dB per frame for a constant whose level steps after three seconds.
fn after_step(text: &str, from_db: f64, to_db: f64) -> Vec<f64> {
    let level = |n: usize| gain(if n < 144_000 { from_db } else { to_db });
    let out = run_text(text, &mono((0..240_000).map(level)));
    (144_000..240_000).map(|n| db(f64::from(out.channel(0)[n]) / level(n))).collect()
}

#[test]
fn attack_and_release_are_the_times_of_63_per_cent() {
    let share = 1.0 - (-1f64).exp();
    let check =
        |what: &str, got: f64, expected: f64| assert!((got - expected).abs() < 0.02, "{what}: {got} for {expected}");
    // A compressor reacts with the attack ...
    let gains = after_step("compressor(-20 dB, 4, attack=20 ms, release=200 ms)", -60.0, 0.0);
    check("compressor's attack", gains[959], -15.0 * share);
    // ... and recovers with the release exponential, after that of the attack.
    let gains = after_step("compressor(-20 dB, 4, attack=20 ms, release=200 ms)", 0.0, -60.0);
    let expected = |t: f64| -15.0 * (0.2 * (-t / 0.2).exp() - 0.02 * (-t / 0.02).exp()) / 0.18;
    for frame in [959, 9599, 19_199, 47_999] {
        check("compressor's release", gains[frame], expected((frame + 1) as f64 / 48_000.0));
    }
    // An expander opens with the attack and closes with the release.
    let text = "expander(-30 dB, 2, knee=0 dB, range=20 dB, attack=20 ms, release=200 ms, hold=0 ms)";
    check("expander's attack", after_step(text, -60.0, -10.0)[959], -20.0 * (1.0 - share));
    check("expander's release", after_step(text, -10.0, -60.0)[9599], -20.0 * share);
    // A gate smooths the gain itself.
    let text = "gate(-30 dB, -40 dB, attack=20 ms, release=200 ms, hold=50 ms)";
    check("gate's attack", after_step(text, -60.0, -10.0)[959], db(share + 0.01 * (1.0 - share)));
    let gains = after_step(text, -10.0, -60.0);
    check("gate's hold", gains[2399], 0.0);
    check("gate's release", gains[2399 + 9600], db(1.0 - 0.99 * share));
    // A limiter's gain recovers with the release.
    let gains = after_step("limiter(-20 dB, release=200 ms, lookahead=0 ms, peak=sample)", 0.0, -60.0);
    check("limiter's release", gains[9599], -20.0 * (1.0 - share));
}

#[test]
fn what_is_below_a_threshold_passes_bit_for_bit() {
    let input = sine(440.0, -30.0, 20_000);
    for text in
        ["compressor(-20 dB, 4)", "expander(-60 dB, 2, knee=0 dB, hold=20 ms)", "limiter(-1 dB)", "de_esser(6 kHz)"]
    {
        let out = run_text(text, &input);
        // An expander must open first.
        let from = if text.starts_with("expander") { 10_000 } else { 0 };
        assert!(out.channel(0)[from..] == input.channel(0)[from..], "{text}");
    }
}

#[test]
fn linked_channels_share_one_gain() {
    let loud = sine(500.0, 0.0, 48_000);
    let soft = sine(500.0, -40.0, 48_000);
    let input = AudioBuffer::from_channels(vec![loud.channel(0).to_vec(), soft.channel(0).to_vec()]);
    for (name, own_db) in
        [("compressor(-20 dB, 4, knee=0 dB, release=1 s", 15.0), ("limiter(-15 dB, peak=sample", 15.0)]
    {
        let reduced = |link: &str| {
            let out = run_text(&format!("{name}, link={link})"), &input);
            [0, 1].map(|channel| {
                let peak = |audio: &AudioBuffer| {
                    f64::from(audio.channel(channel)[40_000..].iter().fold(0f32, |most, x| most.max(x.abs())))
                };
                db(peak(&input) / peak(&out))
            })
        };
        for (link, soft_db) in [("100 %", own_db), ("50 %", own_db / 2.0), ("0 %", 0.0)] {
            let [left, right] = reduced(link);
            assert!((left - own_db).abs() < 0.05 && (right - soft_db).abs() < 0.05, "{name} {link}: {left}, {right}");
        }
    }
    // A loud signal in one channel opens all channels.
    for name in ["expander(-30 dB, 4", "gate(-30 dB, -60 dB"] {
        let linked = run_text(&format!("{name})"), &input);
        assert!(linked.channel(1)[40_000..] == input.channel(1)[40_000..], "{name}");
        let alone = run_text(&format!("{name}, link=0 %)"), &input);
        assert!(alone.channel(1)[40_000..].iter().all(|sample| sample.abs() < 0.005), "{name}");
        assert_eq!(alone.channel(0)[40_000..], input.channel(0)[40_000..], "{name}");
    }
}

#[test]
fn a_detector_hears_what_its_filter_lets_through() {
    let bass = sine(60.0, 0.0, 48_000);
    let free = "compressor(-20 dB, 4, release=1 s";
    assert!(settled(&format!("{free})"), &bass) < -13.0);
    // Two orders at 1 kHz leave a sixtieth of it, at -49 dB.
    assert!(run_text(&format!("{free}, highpass=1 kHz)"), &bass) == bass);
    let highs = sine(10_000.0, 0.0, 48_000);
    assert!(run_text(&format!("{free}, lowpass=500 Hz)"), &highs).channel(0)[4800..] == highs.channel(0)[4800..]);
}

#[test]
fn a_look_ahead_turns_down_before_the_sound_begins() {
    let level = |n: usize| if n < 24_000 { 0.001 } else { 1.0 };
    let input = mono((0..48_000).map(level));
    for (lookahead, max_db) in [("0 ms", -0.06), ("5 ms", -9.5)] {
        let effect = of_text(&format!("compressor(-20 dB, 4, attack=5 ms, lookahead={lookahead})"));
        let out = run(effect.as_ref(), &input, 48_000, &[]);
        let first = db(f64::from(out.channel(0)[24_000]));
        assert!((first - max_db).abs() < 0.2, "{lookahead}: {first}");
    }
    let late = of_text("gate(lookahead=10 ms)");
    assert_eq!(late.latency_frames(super::format(48_000, 2)), 480);
    assert_eq!(late.latency_frames(super::format(8_000, 2)), 80);
}

#[test]
fn a_gate_does_not_flutter_within_its_hysteresis() {
    // A tone that alternates between 2 dB above and 2 dB below the threshold, ten times per second.
    let level = |n: usize| gain(-50.0 + 2.0 * (std::f64::consts::TAU * n as f64 / 4800.0).sin());
    let input = mono((0..48_000).map(|n| level(n) * (std::f64::consts::TAU * n as f64 / 48.0).sin()));
    let switches = |hysteresis: &str| {
        let out =
            run_text(&format!("gate(-50 dB, -80 dB, attack=0 ms, release=0 ms, hysteresis={hysteresis})"), &input);
        let open: Vec<bool> =
            input.channel(0).iter().zip(out.channel(0)).filter(|(x, _)| x.abs() > 1e-4).map(|(x, y)| x == y).collect();
        open.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    assert_eq!(switches("6 dB"), 1);
    assert!(switches("0 dB") > 10);
}

#[test]
fn a_split_de_esser_leaves_the_lows_and_its_bands_sum_flat() {
    let lows = sine(300.0, -10.0, 48_000);
    let highs = sine(18_000.0, -10.0, 48_000);
    let both = mono(lows.channel(0).iter().zip(highs.channel(0)).map(|(low, high)| f64::from(low + high)));
    // The level of a tone by correlation, independent of its phase.
    let level = |audio: &AudioBuffer, hz: f64| {
        let turn = std::f64::consts::TAU * hz / 48_000.0;
        let samples = audio.channel(0)[24_000..].iter().enumerate();
        let (re, im) = samples.fold((0.0, 0.0), |(re, im), (n, sample)| {
            let angle = turn * (n + 24_000) as f64;
            (re + f64::from(*sample) * angle.cos(), im + f64::from(*sample) * angle.sin())
        });
        db(2.0 * f64::hypot(re, im) / 24_000.0)
    };
    let wide = run_text("de_esser(5 kHz, -30 dB, ratio=4, release=1 s)", &both);
    let split = run_text("de_esser(5 kHz, -30 dB, ratio=4, mode=split, release=1 s)", &both);
    for (out, lows_db, highs_db) in [(&wide, -22.0, -22.0), (&split, -10.0, -22.0)] {
        let (low, high) = (level(out, 300.0), level(out, 18_000.0));
        assert!((low - lows_db).abs() < 0.1 && (high - highs_db).abs() < 0.2, "{low}, {high}");
    }
    for hz in [50.0, 1000.0, 4000.0, 5000.0, 6000.0, 15_000.0] {
        let input = sine(hz, -40.0, 48_000);
        let got = level(&run_text("de_esser(5 kHz, -30 dB, mode=split)", &input), hz);
        assert!((got + 40.0).abs() < 0.001, "{hz} Hz: {got}");
    }
}

#[test]
fn every_parameter_does_something() {
    let input = bursts(2, 48_000);
    // The values that other parameters need for a parameter to matter.
    let mut base: Vec<(&str, Value)> = vec![
        ("detector", "rms".into()),
        ("threshold", (-25.0).into()),
        ("range", 10.0.into()),
        ("release", 0.01.into()),
        ("rms_time", 0.001.into()),
        ("hold", 0.001.into()),
    ];
    base.extend([("ceiling", Value::from(-12.0)), ("frequency", 3000.0.into())]);
    for name in EFFECTS {
        let spec = effects::find(name).unwrap();
        let base: Vec<_> = base.iter().filter(|(name, _)| spec.parameter(name).is_some()).cloned().collect();
        let before = run(effect(name, &base).as_ref(), &input, 48_000, &[]);
        for parameter in spec.parameters {
            let changed = match parameter.kind {
                ParameterKind::Choice { options, default } => {
                    let now = if parameter.name == "detector" { "rms" } else { default };
                    Value::from(*options.iter().find(|option| **option != now).unwrap())
                }
                ParameterKind::Number { unit: Unit::Hz, .. } => Value::from(2000.0),
                ParameterKind::Number { unit: Unit::Percent, .. } => Value::from(0.5),
                ParameterKind::Number { unit: Unit::Seconds, .. } => Value::from(0.02),
                ParameterKind::Number { unit: Unit::Db, initial, .. } => {
                    Value::from(if initial < 0.0 { initial * 0.7 } else { initial * 0.7 + 2.0 })
                }
                ParameterKind::Number { .. } => Value::from(7.0),
                ParameterKind::File { .. } | ParameterKind::NumberOrNote { .. } => panic!("no dynamics effect has one"),
            };
            let mut given = base.clone();
            given.retain(|(name, _)| *name != parameter.name);
            given.push((parameter.name, changed.clone()));
            let after = run(effect(name, &given).as_ref(), &input, 48_000, &[]);
            assert!(after != before, "{name} {}={changed:?}", parameter.name);
        }
    }
}
