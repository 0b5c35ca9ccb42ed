//! Chorus, flanger, phaser, swept comb, tremolo and vibrato: compared with `SoX` and independent models, and common
//! properties.

use crate::support::{effects_table as table, streamed};

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use audio::AudioBuffer;
use streamed::signal::noise;
use streamed::*;

const EFFECTS: [&str; 7] = [
    "chorus(3 Hz, depth=5 ms, delay=9 ms, voices=4, feedback=50 %)",
    "flanger(2 Hz, depth=4 ms, delay=1 ms, feedback=-60 %)",
    "flanger(2 Hz, depth=4 ms, delay=1 ms, feedback=60 %, interpolation=quadratic, shape=triangle)",
    "phaser(4 Hz, stages=6, feedback=70 %, phase=25 %)",
    "swept_comb(2 Hz, delay=5 ms, feedback=80 %, phase=30 %)",
    "tremolo(7 Hz, depth=80 %, shape=square, phase=50 %)",
    "vibrato(4 Hz, 120)",
];

#[test]
fn outputs_are_those_of_sox_and_of_independent_models() {
    let reference: Reference = serde_json::from_str(include_str!("../../reference/modulation.json")).unwrap();
    assert_eq!(reference.cases.len(), 14);
    let mut found: BTreeMap<(&str, &str), (usize, f64)> = BTreeMap::new();
    for case in &reference.cases {
        let (residual, difference) = case.residual();
        println!("{:.1} dB, {difference:.1e}: {}", residual, case.chain);
        let by_sox = ["flanger", "swept_comb", "tremolo"].iter().any(|name| case.chain.starts_with(name));
        let limit_db = if by_sox { -85.0 } else { -110.0 };
        assert!(difference < 1e-4 && residual < limit_db, "{}: {residual} dB, {difference}", case.chain);
        let name = case.chain.split('(').next().unwrap();
        let entry = found
            .entry((name, if by_sox { "SoX, sample by sample" } else { "model in NumPy, f64" }))
            .or_insert((0, f64::NEG_INFINITY));
        *entry = (entry.0 + 1, entry.1.max(residual));
    }
    for ((effect, against), (cases, worst)) in found {
        table::measured(effect, against, cases, worst, "dB");
    }
}

#[test]
fn another_setting_is_told_from_the_reference() {
    let mut reference: Reference = serde_json::from_str(include_str!("../../reference/modulation.json")).unwrap();
    for case in &mut reference.cases {
        case.gain *= 1.001;
        assert!(case.residual().1 > 1e-4, "{}", case.chain);
    }
}

#[test]
fn what_holds_of_every_effect_holds() {
    for text in EFFECTS {
        assert_blocks_do_not_matter(text);
        assert_state_is_carried(text);
        assert_time_is_known(text);
        assert_survives(text);
        assert_dies_away(text, 5.0);
    }
}

#[test]
fn jumps_do_not_matter() {
    for text in EFFECTS {
        assert_jumps_do_not_matter(text);
    }
}

#[test]
fn every_parameter_matters() {
    for text in [
        "chorus(1/16, feedback=20 %, shape=triangle)",
        "flanger(1/16, delay=1 ms, feedback=20 %)",
        "phaser(1/16, feedback=40 %, phase=20 %)",
        "swept_comb(1/16, phase=20 %)",
        "tremolo(1/16, phase=20 %)",
        "vibrato(1/16, 50)",
    ] {
        assert_parameters_matter(text, &[]);
    }
}

#[test]
fn sweeps_of_parameters_stay_within_their_bounds() {
    for (effect, limit) in
        [("flanger", 2.0), ("swept_comb", 1.001), ("tremolo", 1.0), ("vibrato", 1.6), ("phaser", 8.0), ("chorus", 40.0)]
    {
        assert_sweeps_are_bounded(effect, limit, 60);
    }
}

#[test]
fn a_note_is_the_rate_that_its_tempo_makes_of_it() {
    let audio = noise(2, 20_000);
    for (note, hertz) in
        [("1/4, bpm=90", "1.5 Hz"), ("1/8d, bpm=120", "2.6666666666666665 Hz"), ("1/8t, bpm=80", "4 Hz")]
    {
        let (by_note, by_rate) =
            (run(&format!("tremolo({note})"), 48_000, &audio), run(&format!("tremolo({hertz})"), 48_000, &audio));
        let difference =
            by_note.channel(0).iter().zip(by_rate.channel(0)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(difference < 1e-6, "{note}: {difference}");
    }
    assert!("tremolo(1/128, bpm=999)".parse::<effects::chain::Chain>().is_err());
}

fn level(samples: &[f32], hz: f64, rate: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in samples.iter().enumerate() {
        let weight = 1.0 - (TAU * (n as f64 + 0.5) / samples.len() as f64).cos();
        let angle = TAU * hz * n as f64 / rate;
        re += weight * f64::from(*sample) * angle.cos();
        im += weight * f64::from(*sample) * angle.sin();
    }
    2.0 * (re * re + im * im).sqrt() / samples.len() as f64
}

#[test]
fn a_standing_phaser_has_the_response_of_its_formula() {
    // A sweep of a thousandth of an octave is practically static.
    for (stages, feedback) in [(4usize, 0.0f64), (4, 0.6), (6, -0.5), (12, 0.8)] {
        let text = format!(
            "phaser(0.01 Hz, stages={stages}, low=1 kHz, high=1.001 kHz, feedback={} %, mix=50 %)",
            100.0 * feedback
        );
        for hz in [60.0, 414.0, 700.0, 1000.0, 1500.0, 2414.0, 9000.0] {
            let tone = signal(1, 48_000, |_, n| (0.5 * (TAU * hz * n as f64 / 48_000.0).sin()) as f32);
            let got = level(&run(&text, 48_000, &tone).channel(0)[24_000..], hz, 48_000.0) / 0.5;
            let (g, w) = ((std::f64::consts::PI * 1000.0 / 48_000.0).tan(), (0.5 * TAU * hz / 48_000.0).tan());
            // A = (g - i w)/(g + i w) has magnitude 1.
            let angle = -2.0 * w.atan2(g) * stages as f64;
            let (re, im) = (angle.cos(), angle.sin());
            let (dre, dim) = (1.0 - feedback * re, -feedback * im);
            let size = dre * dre + dim * dim;
            let (lre, lim) = ((re * dre + im * dim) / size, (im * dre - re * dim) / size);
            let scale = 0.5 * (1.0 - feedback.abs());
            let want = ((0.5 + scale * lre).powi(2) + (scale * lim).powi(2)).sqrt();
            assert!((got - want).abs() < 0.01, "{text} at {hz} Hz: {got}, formula {want}");
        }
    }
}

#[test]
fn a_vibrato_bends_the_pitch_by_its_depth_and_stays_in_time() {
    let audio = noise(2, 20_000);
    assert!(equal(&run("vibrato(5 Hz, 0)", 48_000, &audio), &audio), "without depth nothing happens");
    let tone = signal(1, 96_000, |_, n| (TAU * 1000.0 * n as f64 / 48_000.0).sin() as f32);
    for (depth, shape) in [(50.0f64, "sine"), (100.0, "triangle")] {
        let bent = run(&format!("vibrato(2 Hz, {depth}, shape={shape})"), 48_000, &tone);
        // The period from two rising zero crossings, over as many periods as make up a 40th of a cycle.
        let samples = bent.channel(0);
        let zeros: Vec<f64> = (1..samples.len())
            .filter(|n| samples[n - 1] < 0.0 && samples[*n] >= 0.0)
            .map(|n| n as f64 - f64::from(samples[n]) / f64::from(samples[n] - samples[n - 1]))
            .collect();
        let pitches = zeros.windows(13).map(|span| 12.0 * 48_000.0 / (span[12] - span[0]) / 1000.0);
        let (low, high) = pitches.fold((f64::MAX, 0.0f64), |(low, high), pitch| (low.min(pitch), high.max(pitch)));
        let up = 2f64.powf(depth / 1200.0) - 1.0;
        assert!((high - 1.0 - up).abs() < 0.02 * up && (1.0 - low - up).abs() < 0.02 * up, "{shape}: {low} to {high}");
    }
}

#[test]
fn channels_are_set_apart_by_the_phase() {
    let constant = signal(2, 48_000, |_, _| 0.5);
    let side = run("tremolo(1 Hz, depth=100 %, phase=50 %)", 48_000, &constant);
    for n in (0..48_000).step_by(1000) {
        assert!((side.channel(0)[n] + side.channel(1)[n] - 0.5).abs() < 1e-6, "from side to side at {n}");
    }
    let together = run("tremolo(1 Hz, depth=100 %)", 48_000, &constant);
    assert_eq!(together.channel(0), together.channel(1));
    assert!(together.channel(0)[0] == 0.5 && together.channel(0)[24_000].abs() < 1e-6);
    // One voice per channel, half a cycle apart.
    let click = signal(2, 9_600, |_, n| f32::from(u8::from(n == 4_800)));
    let voices = run("chorus(5 Hz, depth=5 ms, delay=10 ms, voices=1, mix=100 %)", 48_000, &click);
    let late: Vec<usize> = (0..2)
        .map(|c| (0..9_600).max_by(|a, b| voices.channel(c)[*a].total_cmp(&voices.channel(c)[*b])).unwrap() - 4_800)
        .collect();
    assert!(late[0].abs_diff(late[1]) > 100 && (late[0] + late[1]).abs_diff(960) < 40, "{late:?}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |text: &str| text.parse::<effects::chain::Chain>().unwrap_err().to_string();
    assert!(
        refused("chorus(depth=20 ms, delay=10 ms)").contains("Chorus: Depth must be at most Delay (10 ms)"),
        "{}",
        refused("chorus(depth=20 ms, delay=10 ms)")
    );
    assert!(refused("phaser(low=2 kHz, high=1 kHz)").contains("Phaser: Low must be below High (1 kHz)"));
    assert!(refused("tremolo(1/8 Hz)").contains("This is not a note"));
    let made = effects::chain::Renderer::new(
        &chain("phaser"),
        format_at(4_000, 1),
        &effects::chain::Placement::cpu(),
        &effects::chain::MeasuredMap::default(),
    );
    assert!(made.unwrap_err().to_string().contains("Phaser: High must be below 2 kHz for this 4 kHz recording."));
    // At very low sample rates the other effects still run.
    for text in ["chorus", "flanger", "swept_comb", "tremolo", "vibrato"] {
        assert!(peak(&run(text, 1, &AudioBuffer::from_channels(vec![vec![1.0; 50]]))).is_finite(), "{text}");
    }
}
