//! The measures against the Python references of `tests/reference/compare.py`, and the tables of `docs/compare.md`.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Deserialize;
use undertone::compare::{MEASURES, Pair, measure_named};
use undertone::progress::Progress;
use undertone::units::SampleRate;

use super::degradations::{degraded, signal};
use super::documented::documented;

#[derive(Deserialize)]
struct Table {
    pairs: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    signal: String,
    kind: String,
    strength: f64,
    values: BTreeMap<String, Option<f64>>,
}

/// The largest difference that is allowed for a measure.
fn tolerance(measure: &str) -> f64 {
    match measure {
        "snr" | "segmental_snr" | "si_sdr" | "log_spectral_distance" => 1e-3,
        "sdr" => 0.01,
        "l1" => 1e-7,
        "stft" | "mel" => 1e-4,
        // pystoi converts the rate with a shorter filter.
        "stoi" | "estoi" => 3e-3,
        "f0_correlation" | "voicing_agreement" => 0.02,
        other => panic!("{other}"),
    }
}

fn is_ratio(measure: &str) -> bool {
    matches!(measure, "snr" | "si_sdr" | "sdr")
}

#[test]
fn measures_agree_with_their_references() {
    let text = std::fs::read_to_string("tests/reference/compare.json").unwrap();
    let table: Table = serde_json::from_str(&text).unwrap();
    assert!(table.pairs.len() >= 200);
    let signals: BTreeMap<&str, (u32, Vec<f32>)> = table
        .pairs
        .iter()
        .map(|pair| pair.signal.as_str())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .map(|name| (name, signal(name)))
        .collect();
    let differences: Vec<(String, String, f64)> = table
        .pairs
        .par_iter()
        .flat_map_iter(|reference| {
            let (rate, samples) = &signals[reference.signal.as_str()];
            let other = degraded(&reference.kind, reference.strength, samples, *rate);
            let pair = Pair::new(SampleRate::new(*rate).unwrap(), vec![samples.clone()], vec![other]);
            let what = format!("{} {} {}", reference.signal, reference.kind, reference.strength);
            reference
                .values
                .iter()
                .map(|(name, expected)| {
                    let reading = measure_named(name).unwrap().read(&pair, &Progress::new()).unwrap();
                    let difference = match (reading.whole.number(), expected) {
                        // Above 100 dB all that is left is the rounding to f32.
                        (Ok(got), Some(expected)) if is_ratio(name) && got.min(*expected) > 100.0 => 0.0,
                        (Ok(got), None) if is_ratio(name) && got > 100.0 => 0.0,
                        (Err(reason), Some(expected)) if *expected > 100.0 && reason.contains("infinite") => 0.0,
                        (Ok(got), Some(expected)) => (got - expected).abs(),
                        (Err(_), None) => 0.0,
                        (got, expected) => panic!("{name} of {what}: {got:?}, not {expected:?}"),
                    };
                    (name.clone(), format!("{what}: {difference:e}"), difference)
                })
                .collect::<Vec<_>>()
        })
        .collect();
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for measure in &MEASURES {
        let own: Vec<_> = differences.iter().filter(|(name, ..)| name == measure.name).collect();
        let Some(worst) = own.iter().max_by(|a, b| a.2.total_cmp(&b.2)) else { continue };
        let allowed = tolerance(measure.name);
        wrong.extend(
            own.iter().filter(|(.., difference)| *difference > allowed).map(|(_, what, _)| (measure.name, what)),
        );
        rows.push(format!("| `{}` | {} | {allowed} | {} |", measure.name, own.len(), measure.unit));
        println!("{}: {} pairs, worst {}", measure.name, own.len(), worst.1);
    }
    assert!(wrong.is_empty(), "{} beyond tolerance: {:?}", wrong.len(), &wrong[..wrong.len().min(40)]);
    let header = "| measure | pairs | largest difference allowed | unit |\n|---|---:|---:|---|";
    documented("docs/compare.md", "tolerances", &format!("{header}\n{}", rows.join("\n")));
}

#[test]
fn the_table_of_measures_is_documented() {
    let row = |measure: &undertone::compare::Measure| {
        let unit = if measure.unit == "1" { "" } else { measure.unit };
        format!(
            "| `{}` | {unit} | {} | {} | {} | {} |",
            measure.name,
            measure.direction.words(),
            measure.range,
            measure.definition.replace('|', "\\|"),
            measure.source
        )
    };
    let rows: Vec<String> = MEASURES.iter().map(row).collect();
    let header = "| measure | unit | better | range | definition | source |\n|---|---|---|---|---|---|";
    documented("docs/compare.md", "measures", &format!("{header}\n{}", rows.join("\n")));
}
