//! Compares with independent models in `NumPy` (`tests/reference/dynamics.py`).

use audio::AudioBuffer;
use effects::{self, Effect};
use serde::Deserialize;

use super::{EFFECTS, arguments, run, table};

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    rate: u32,
    frames: usize,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    effect: String,
    parameters: serde_json::Map<String, serde_json::Value>,
    points: Vec<Vec<f64>>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../../reference/dynamics.json")).unwrap()
}

/// The same signal as `signal` in the script.
fn input(frames: usize) -> AudioBuffer {
    let mut state = 12_345u32;
    let channels = (0..2).map(|channel| {
        let sample = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(state >> 8) / 8_388_608.0 - 1.0;
            let step = ((n / 500) * if channel == 0 { 3 } else { 5 }) % 8;
            (noise * 0.4f64.powi(step as i32)) as f32
        };
        (0..frames).map(sample).collect()
    });
    AudioBuffer::from_channels(channels.collect())
}

fn make(case: &Case) -> Box<dyn Effect> {
    effects::find(&case.effect).unwrap().make(&arguments(&case.parameters)).unwrap()
}

/// Returns the largest difference from the model.
fn error(case: &Case, effect: &dyn Effect, reference: &Reference, blocks: &[usize]) -> f64 {
    let out = run(effect, &input(reference.frames), reference.rate, blocks);
    let pairs = out.iter().zip(&case.points).flat_map(|(got, points)| got.iter().step_by(11).zip(points));
    pairs
        .map(|(got, point)| (f64::from(*got) - point).abs())
        .fold(0.0, |most, now| if now <= most { most } else { now })
}

#[test]
fn every_effect_is_what_its_model_is() {
    let reference = reference();
    assert!(reference.made_with.contains("NumPy") && reference.made_with.contains("SciPy"));
    for name in EFFECTS {
        assert!(reference.cases.iter().filter(|case| case.effect == name).count() >= 2, "{name}");
    }
    let mut worst = EFFECTS.map(|_| 0.0f64);
    for case in &reference.cases {
        for blocks in [&[][..], &[37]] {
            let error = error(case, make(case).as_ref(), &reference, blocks);
            // The limiter computes in multiples of 1/65536 of a power of two, always rounded up.
            let allowed = if case.effect == "limiter" { 2e-5 } else { 1e-6 };
            assert!(error <= allowed, "{error:e} for {} {:?}", case.effect, case.parameters);
            let index = EFFECTS.iter().position(|name| *name == case.effect).unwrap();
            worst[index] = worst[index].max(error);
        }
    }
    for (name, worst) in EFFECTS.iter().zip(worst) {
        let cases = reference.cases.iter().filter(|case| case.effect == *name).count();
        table::measured(name, "model in NumPy, f64", cases, worst, "FS");
    }
}

#[test]
fn a_time_that_is_off_by_a_hundredth_is_told() {
    let reference = reference();
    for case in reference.cases.iter().filter(|case| case.effect == "compressor") {
        let mut arguments = arguments(&case.parameters);
        let release = arguments.number("release").unwrap_or(0.05);
        if release == 0.0 {
            continue;
        }
        arguments.set("release", release * 1.01);
        let spoiled = effects::find("compressor").unwrap().make(&arguments).unwrap();
        assert!(error(case, spoiled.as_ref(), &reference, &[]) > 1e-5, "{:?}", case.parameters);
    }
}
