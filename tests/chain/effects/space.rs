//! Delay, Freeverb and the feedback delay network: compared with independent models, and common properties.

use crate::support::{effects_table as table, streamed};

use std::collections::BTreeMap;
use std::f64::consts::PI;

use audio::AudioBuffer;
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};
use proptest::prelude::*;
use streamed::signal::noise;
use streamed::*;

const EFFECTS: [&str; 7] = [
    "delay(30 ms, feedback=60 %, lowpass=4 kHz, highpass=100 Hz)",
    "delay(1/32, feedback=50 %, mode=ping_pong, lowpass=3 kHz)",
    "delay(0.7 ms, feedback=40 %)",
    "delay(20 ms, taps=4, feedback=80 %, mode=ping_pong, highpass=300 Hz)",
    "reverb(0 %, damping=60 %, width=30 %)",
    "fdn_reverb(0.4 s, size=50 %, modulation=100 %)",
    "fdn_reverb(0.3 s, modulation=0 %, early=60 %, predelay=37 ms)",
];

#[test]
fn outputs_are_those_of_independent_models() {
    let reference: Reference = serde_json::from_str(include_str!("../../reference/space.json")).unwrap();
    assert_eq!(reference.cases.len(), 10);
    let mut found: BTreeMap<(&str, &str), (usize, f64)> = BTreeMap::new();
    for case in &reference.cases {
        let (residual, difference) = case.residual();
        println!("{residual:.1} dB, {difference:.1e}: {}", case.chain);
        assert!(residual < -115.0, "{}: {residual} dB", case.chain);
        let name = case.chain.split('(').next().unwrap();
        let entry = found.entry((name, "model in NumPy, f64")).or_insert((0, f64::NEG_INFINITY));
        *entry = (entry.0 + 1, entry.1.max(residual));
    }
    for ((effect, against), (cases, worst)) in found {
        table::measured(effect, against, cases, worst, "dB");
    }
}

#[test]
fn another_setting_is_told_from_the_reference() {
    let mut reference: Reference = serde_json::from_str(include_str!("../../reference/space.json")).unwrap();
    for (was, other) in [("feedback=60 %", "feedback=60.01 %"), ("damping=20 %", "damping=20.1 %"), ("5 s", "5.01 s")] {
        let case = reference.cases.iter_mut().find(|case| case.chain.contains(was)).unwrap();
        case.chain = case.chain.replace(was, other);
        assert!(case.residual().0 > -110.0, "{}", case.chain);
    }
}

#[test]
fn what_holds_of_every_effect_holds() {
    for text in EFFECTS {
        assert_blocks_do_not_matter(text);
        assert_state_is_carried(text);
        assert_time_is_known(text);
        assert_survives(text);
    }
}

#[test]
fn loops_die_away_to_nothing() {
    for text in EFFECTS {
        assert_dies_away(text, 12.0);
    }
}

#[test]
fn jumps_do_not_matter() {
    for text in ["delay(30 ms, feedback=60 %, lowpass=4 kHz)", "reverb(0 %)", "fdn_reverb(0.3 s, size=50 %)"] {
        assert_jumps_do_not_matter(text);
    }
}

#[test]
fn every_parameter_matters() {
    assert_parameters_matter("delay(1/16, lowpass=3 kHz, highpass=100 Hz, taps=2)", &[]);
    assert_parameters_matter("reverb(50 %, width=50 %)", &[]);
    assert_parameters_matter("fdn_reverb(1 s, width=50 %)", &[]);
}

#[test]
fn sweeps_of_parameters_stay_within_their_bounds() {
    assert_sweeps_are_bounded("delay", 110.0, 12);
    assert_sweeps_are_bounded("reverb", 60.0, 15);
    assert_sweeps_are_bounded("fdn_reverb", 60.0, 15);
}

fn click(channels: usize, frames: usize) -> AudioBuffer {
    signal(channels, frames, |_, n| f32::from(u8::from(n == 0)))
}

/// Returns the non-silent samples with their positions.
fn echoes(samples: &[f32]) -> Vec<(usize, f32)> {
    samples.iter().copied().enumerate().filter(|(_, sample)| sample.abs() > 1e-6).collect()
}

#[test]
fn echoes_come_when_and_where_they_should() {
    let near = |got: Vec<(usize, f32)>, want: &[(usize, f32)], text: &str| {
        let same =
            |((at, value), (place, size)): (&(usize, f32), &(usize, f32))| at == place && (value - size).abs() < 1e-6;
        assert!(got.len() == want.len() && got.iter().zip(want).all(same), "{text}: {got:?}");
    };
    // A dotted eighth at 120 bpm is 375 ms.
    let got = run("delay(1/8d, feedback=50 %, mix=100 %)", 48_000, &click(1, 60_000));
    near(echoes(got.channel(0)), &[(18_000, 1.0), (36_000, 0.5), (54_000, 0.25)], "1/8d");
    let mut left_only = click(2, 40_000);
    left_only.channel_mut(1)[0] = 0.0;
    let got = run("delay(200 ms, feedback=50 %, mix=100 %, mode=ping_pong)", 48_000, &left_only);
    near(echoes(got.channel(0)), &[(9_600, 0.5), (28_800, 0.125)], "left");
    near(echoes(got.channel(1)), &[(19_200, 0.25), (38_400, 0.0625)], "right");
    let got = run("delay(200 ms, feedback=50 %, mix=100 %, mode=ping_pong, taps=3)", 48_000, &left_only);
    near(echoes(got.channel(0)), &[(9_600, 0.5), (28_800, 0.125)], "three taps, left");
    near(echoes(got.channel(1)), &[(19_200, 0.25)], "three taps, right");
    // The third of three channels has no partner and no crossfeed.
    let mut third = AudioBuffer::new(3, 30_000);
    third.channel_mut(2)[0] = 1.0;
    let got = run("delay(200 ms, feedback=50 %, mix=100 %, mode=ping_pong)", 48_000, &third);
    assert!(echoes(got.channel(0)).is_empty() && echoes(got.channel(1)).is_empty());
    near(echoes(got.channel(2)), &[(9_600, 1.0), (19_200, 0.5), (28_800, 0.25)], "alone");
}

#[test]
fn a_time_that_is_turned_while_it_plays_keeps_the_echoes_on_their_way() {
    let mut long = process("delay(50 ms, feedback=50 %, mix=100 %)", 48_000, 1);
    long.process(&mut noise(1, 5_000)).unwrap();
    for text in ["delay(40 ms, feedback=50 %, mix=100 %)", "delay(60 ms, feedback=50 %, mix=100 %)"] {
        let mut other = process(text, 48_000, 1);
        other.restore(&long.state()).unwrap();
        assert!(other.seek(5_000));
        let mut block = AudioBuffer::new(1, 3_000);
        other.process(&mut block).unwrap();
        assert!(block.channel(0)[600..].iter().filter(|sample| sample.abs() > 1e-3).count() > 1_000, "{text}");
    }
}

#[test]
fn tails_are_as_long_as_they_are_said_to_be() {
    for text in [
        "delay(100 ms, feedback=50 %)",
        "delay(100 ms, feedback=90 %, taps=5)",
        "reverb(50 %, damping=0 %, mix=100 %)",
        "fdn_reverb(1 s, bass=150 %, early=0 %, predelay=0 s, mix=100 %)",
    ] {
        let plan_tail = {
            let renderer = renderer(text, 48_000, 1);
            renderer.plan().tail_frames as usize
        };
        let got = run(text, 48_000, &click(1, plan_tail + 48_001));
        let energy = |range: std::ops::Range<usize>| {
            got.channel(0)[range].iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>()
        };
        let (all, after) = (energy(1..plan_tail + 48_001), energy(plan_tail + 1..plan_tail + 48_001));
        let left_db = 10.0 * (after / all).max(1e-30).log10();
        assert!(left_db < -55.0, "{text}: {left_db} dB after {plan_tail} frames");
        // The tail is not longer than needed: half-way through, something is still audible.
        let half_db = 10.0 * (energy(plan_tail / 2..plan_tail + 1) / all).max(1e-30).log10();
        assert!(half_db > -50.0, "{text}: {half_db} dB in the second half");
    }
    let mut renderer = renderer("delay(100 ms, feedback=50 %)", 48_000, 1);
    renderer.process(&mut click(1, 1_000)).unwrap();
    assert_eq!(renderer.finish(true).unwrap().frames(), 4_800 * 11);
}

/// Returns the time to -60 dB of a band of a response, from the slope between -5 and -35 dB of the remaining energy of
/// both channels.
fn decay_s(response: &AudioBuffer, low_hz: f64, high_hz: f64) -> f64 {
    let band = run(&format!("bandpass({low_hz} Hz, {high_hz} Hz, order=4)"), 48_000, response);
    let mut left = 0.0;
    let mut curve: Vec<f64> = Vec::with_capacity(band.frames());
    for (a, b) in band.channel(0).iter().zip(band.channel(1)).rev() {
        left += f64::from(*a).powi(2) + f64::from(*b).powi(2);
        curve.push(left);
    }
    curve.reverse();
    let at = |db: f64| curve.iter().position(|energy| *energy < curve[0] * 10f64.powf(db / 10.0)).unwrap() as f64;
    (at(-35.0) - at(-5.0)) / 48_000.0 * 2.0
}

#[test]
fn every_band_decays_in_its_time() {
    let mut worst = 0.0f64;
    for (decay, bass, treble) in [(1.0, 1.0, 1.0), (1.0, 2.0, 0.5), (2.0, 0.5, 0.3), (0.6, 1.5, 1.5)] {
        for modulation in ["0 %", "30 %"] {
            let text = format!(
                "fdn_reverb({decay} s, bass={} %, treble={} %, early=0 %, modulation={modulation}, mix=100 %)",
                100.0 * bass,
                100.0 * treble
            );
            let frames = (48_000.0 * decay * f64::max(bass, 1.0) * 1.2) as usize;
            let response = run(&text, 48_000, &click(2, frames));
            for (low, high, factor) in [(45.0, 125.0, bass), (707.0, 1414.0, 1.0), (8_000.0, 12_000.0, treble)] {
                let (got, want) = (decay_s(&response, low, high), decay * factor);
                assert!((got / want - 1.0).abs() < 0.1, "{text}: {got} s from {low} Hz, {want} s asked for");
                worst = worst.max((got / want - 1.0).abs());
            }
        }
    }
    println!("decay times within {:.1} %", 100.0 * worst);
    // The measurement detects a different decay time.
    let response = run("fdn_reverb(1.2 s, early=0 %, mix=100 %)", 48_000, &click(2, 60_000));
    assert!((decay_s(&response, 707.0, 1414.0) - 1.0).abs() > 0.1);
}

#[test]
fn the_level_of_a_room_does_not_depend_on_its_size_and_decay() {
    let energy_db = |text: &str| {
        let got = run(text, 48_000, &click(1, 144_000));
        10.0 * got.channel(0).iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>().log10()
    };
    for settings in ["0.5 s", "2 s", "6 s", "1 s, size=20 %", "1 s, size=200 %"] {
        let text = format!(
            "fdn_reverb({settings}, bass=100 %, treble=100 %, early=0 %, predelay=0 s, modulation=0 %, mix=100 %)"
        );
        let db = energy_db(&text);
        assert!(db.abs() < 2.0, "{text}: {db} dB");
    }
}

#[test]
fn the_sides_of_a_hall_have_nothing_in_common_unless_it_is_narrow() {
    let likeness = |width: &str| {
        let got = run(&format!("fdn_reverb(2 s, early=0 %, width={width}, mix=100 %)"), 48_000, &click(2, 48_000));
        let (a, b) = (&got.channel(0)[9_600..], &got.channel(1)[9_600..]);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    };
    assert!(likeness("100 %").abs() < 0.1, "{}", likeness("100 %"));
    assert!(likeness("0 %") > 0.999_999);
}

#[test]
fn a_hall_is_dense_and_does_not_ring() {
    // After 400 ms the response resembles noise, with neither gaps nor prominent peaks.
    let got = run("fdn_reverb(3 s, early=0 %, mix=100 %, treble=100 %, bass=100 %)", 48_000, &click(1, 30_000));
    let part = &got.channel(0)[19_200..28_800];
    let power = part.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / part.len() as f64;
    let kurtosis = part.iter().map(|v| f64::from(*v).powi(4)).sum::<f64>() / part.len() as f64 / (power * power);
    assert!((2.5..4.0).contains(&kurtosis), "{kurtosis}; noise has 3");
}

#[test]
fn the_loop_of_a_delay_is_filtered_as_often_as_it_went_round() {
    let got = run(
        "delay(100 ms, feedback=100 %, mix=100 %, lowpass=1 kHz)".replace("100 %, mix", "99 %, mix").as_str(),
        48_000,
        &click(1, 48_000),
    );
    // At the cutoff, every round loses 3 dB; the first echo loses nothing.
    let w = 2.0 * PI * 1000.0 / 48_000.0;
    for echo in 1..=5usize {
        let part = &got.channel(0)[echo * 4_800..(echo + 1) * 4_800];
        let (re, im) = part.iter().enumerate().fold((0.0, 0.0), |(re, im), (n, v)| {
            (re + f64::from(*v) * (w * n as f64).cos(), im - f64::from(*v) * (w * n as f64).sin())
        });
        let got_db = 10.0 * (re * re + im * im).log10();
        let want_db = (echo - 1) as f64 * (20.0 * 0.99f64.log10() - 10.0 * 2f64.log10());
        assert!((got_db - want_db).abs() < 0.01, "echo {echo}: {got_db} dB, {want_db} dB");
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |text: &str, hz: u32| match text.parse::<Chain>() {
        Err(error) => error.to_string(),
        Ok(chain) => Renderer::new(&chain, format_at(hz, 1), &Placement::cpu(), &MeasuredMap::default())
            .err()
            .map_or_else(|| panic!("{text} was taken"), |error| error.to_string()),
    };
    for (text, hz, said) in [
        ("delay(1/1, bpm=20)", 48_000, "but 1/1 at 20 beats per minute is 12 s"),
        ("delay(0.2 ms)", 1_000, "Delay: Time must be one sample (1 ms) or more"),
        ("delay(11 s)", 48_000, "`time` is out of range"),
        ("reverb", 900, "It needs a sample rate of 1 kHz or more"),
        ("fdn_reverb", 2_000, "It needs a sample rate of 4 kHz or more"),
        ("fdn_reverb(low=5 kHz, high=4 kHz)", 48_000, "Low crossover must be below High crossover (4 kHz)"),
    ] {
        let message = refused(text, hz);
        assert!(message.contains(said), "{message}");
    }
    // The lowest and highest allowed sample rates.
    for (text, hz) in [
        ("delay(1 s)", 1),
        ("reverb", 1_000),
        ("fdn_reverb", 4_000),
        ("fdn_reverb(size=20 %)", 4_000),
        ("fdn_reverb", 768_000),
    ] {
        assert!(peak(&run(text, hz, &noise(2, 3_000))).is_finite(), "{text} at {hz} Hz");
    }
}

#[test]
fn notes_are_kept_in_text_and_json() {
    let text = "delay(1/8d, bpm=96, mix=20 %) | tremolo(1/4t)";
    let chain: Chain = text.parse().unwrap();
    assert_eq!(chain.to_string(), text);
    let json = effects::chain::json::to_json(&chain).unwrap();
    assert!(json.contains(r#""time":"1/8d""#), "{json}");
    assert_eq!(effects::chain::json::from_json(&json).unwrap(), chain);
    let delay = effects::find("delay").unwrap();
    let mut arguments = delay.initial_arguments();
    arguments.set("time", "1/8x");
    assert!(delay.make(&arguments).unwrap_err().to_string().contains("or a note such as 1/8"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn blocks_of_any_size_give_what_one_gives(
        blocks in prop::collection::vec(1usize..5_000, 1..6),
        effect in 0usize..EFFECTS.len(),
    ) {
        let audio = noise(2, 12_000);
        let (pieces, whole) = (in_blocks(EFFECTS[effect], 48_000, &audio, &blocks), run(EFFECTS[effect], 48_000, &audio));
        prop_assert!(equal(&pieces, &whole));
    }
}

#[test]
fn a_delay_takes_no_more_memory_than_its_limit() {
    let chain: Chain = "delay(10 s, taps=16)".parse().unwrap();
    assert!(chain.check(format_at(192_000, 2)).is_ok());
    let refused = chain.check(format_at(192_000, 3)).unwrap_err();
    assert!(matches!(refused, base::Error::Limit { .. }), "{refused}");
}
