//! Tests that generated sources are current: reference values of the interface's tests.

use std::fmt::Write;

use serde_json::{Value, json};
use undertone::design::{FrequencyScale, Window};
use undertone::kernels::signal::constant_q::{ConstantQPlan, ConstantQSpec};

/// Compares a file with the core's generated text. With `UPDATE_BINDINGS`, writes the file first.
fn is_current(path: &str, generated: &str) {
    let path = crate::support::repository().join(path);
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder made");
        std::fs::write(&path, generated).expect("bindings written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == generated, "{} is out of date: run `npm run bindings`", path.display());
}

/// Values of formulas that the interface computes itself, for speed. Its tests compare its results with these.
#[test]
fn reference_values_of_bindings_are_current() {
    let scales = [
        ("linear", FrequencyScale::Linear),
        ("log", FrequencyScale::Log),
        ("mel", FrequencyScale::MelHtk),
        ("bark", FrequencyScale::Bark),
        ("erb", FrequencyScale::Erb),
    ];
    let mut positions = Vec::new();
    for (name, scale) in scales {
        for rate in [8000.0, 44_100.0, 48_000.0, 192_000.0] {
            let foot = if name == "log" { undertone::view::spectrogram::LOG_LOW_HZ } else { 0.0 };
            let (low, high) = (scale.position_from_hz(foot), scale.position_from_hz(rate / 2.0));
            for hz in [20.0, 55.0, 440.0, 1000.0, 3999.0] {
                let position = (scale.position_from_hz(hz) - low) / (high - low);
                positions.push(json!({ "scale": name, "rate": rate, "hz": hz, "position": steady(position) }));
            }
        }
    }
    let periods: Vec<Value> = [12, 24, 36, 48, 60, 72, 84, 96]
        .map(|bins_per_octave| {
            let spec = ConstantQSpec { window: Window::Hann, bins_per_octave, low_hz: 20.0 };
            let plan = ConstantQPlan::new(spec, 48_000.0, FrequencyScale::Log, [20.0, 24_000.0], 64).expect("a plan");
            json!({ "bins_per_octave": bins_per_octave, "periods": steady(plan.quality()) })
        })
        .into();
    let mut text = String::from("{\"positions\": [\n");
    let lines = |text: &mut String, values: &[Value]| {
        let lines: Vec<String> = values.iter().map(Value::to_string).collect();
        let _ = write!(text, "{}\n]", lines.join(",\n"));
    };
    lines(&mut text, &positions);
    text += ",\n\"periods\": [\n";
    lines(&mut text, &periods);
    is_current("ui/tests/reference.json", &(text + "}\n"));
}

/// Rounds to twelve digits, on which all machines agree.
fn steady(number: f64) -> f64 {
    format!("{number:.11e}").parse().expect("a number")
}
