//! The measures against the Python references of `tests/reference/compare.py`, and the tables of `docs/compare.md`.

use std::collections::BTreeMap;

use analysis::compare::{MEASURES, Measure, Pair, Reading, codec_superb, measure_named};
use audio::{AudioBuffer, MemoryReader};
use base::progress::Progress;
use base::units::SampleRate;
use rayon::prelude::*;
use serde::Deserialize;

use super::degradations::{degraded, signal};
use super::documented::documented;

#[derive(Deserialize)]
struct Table {
    pairs: Vec<Reference>,
    /// More speech, for PESQ alone.
    #[cfg_attr(not(feature = "pesq"), allow(dead_code, reason = "only PESQ needs it"))]
    #[serde(default)]
    speech: Vec<Reference>,
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
        "cepstral_distance" | "noise_added" | "pre_echo" | "crest_difference" => 1e-3,
        "l1" => 1e-7,
        "stft" | "mel" => 1e-4,
        "stoi" => 1e-6,
        // pystoi adds random numbers of 1e-16 before it divides: where the other is silent in a band, they are all it has.
        "estoi" => 1e-3,
        "f0_correlation" | "voicing_agreement" => 0.02,
        other => panic!("{other}"),
    }
}

fn is_ratio(measure: &str) -> bool {
    matches!(measure, "snr" | "si_sdr" | "sdr")
}

#[test]
fn measures_agree_with_their_references() {
    let text = std::fs::read_to_string(crate::support::reference("compare.json")).unwrap();
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
fn codec_superbs_figures_are_reproduced() {
    let text = std::fs::read_to_string(crate::support::reference("codec_superb.json")).unwrap();
    let table: Table = serde_json::from_str(&text).unwrap();
    assert!(table.pairs.len() >= 200);
    let wrong: Vec<String> = table
        .pairs
        .par_iter()
        .flat_map_iter(|reference| {
            let (rate, samples) = signal(&reference.signal);
            let other = degraded(&reference.kind, reference.strength, &samples, rate);
            let reader = |samples: Vec<f32>| {
                MemoryReader::new(SampleRate::new(rate).unwrap(), AudioBuffer::from_channels(vec![samples]))
            };
            let figures: Vec<_> =
                codec_superb::FIGURES.iter().filter(|figure| !figure.name.starts_with("pesq")).collect();
            let (mut first, mut second) = (reader(samples), reader(other));
            let found = codec_superb::measured(&mut first, &mut second, &figures, &Progress::new()).unwrap();
            assert!(found.alignment.is_none() && found.notes.iter().any(|note| note == codec_superb::QUIRKS));
            let what = format!("{} {} {}", reference.signal, reference.kind, reference.strength);
            let off = move |(figure, reading): &(&'static Measure, Reading)| {
                let expected = reference.values[figure.name].unwrap();
                let got = reading.whole.value().unwrap();
                ((got - expected).abs() > 1e-4).then(|| format!("{} of {what}: {got}, not {expected}", figure.name))
            };
            found.readings.iter().filter_map(off).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

/// PESQ against the package `pesq`, which compiles ITU-T's source.
#[cfg(feature = "pesq")]
#[test]
fn pesq_agrees_with_the_itus_source() {
    let text = std::fs::read_to_string(crate::support::reference("codec_superb.json")).unwrap();
    let table: Table = serde_json::from_str(&text).unwrap();
    let pairs: Vec<&Reference> = table.pairs.iter().chain(&table.speech).collect();
    let differences: Vec<(String, &str, f64)> = pairs
        .par_iter()
        .flat_map_iter(|reference| {
            let (rate, samples) = signal(&reference.signal);
            let other = degraded(&reference.kind, reference.strength, &samples, rate);
            let pair = Pair::new(SampleRate::new(rate).unwrap(), vec![samples], vec![other]);
            let what = format!("{} {} {}", reference.signal, reference.kind, reference.strength);
            let wide = codec_superb::FIGURES.iter().find(|figure| figure.name == "pesq").unwrap();
            ["pesq_nb", "pesq_wb", "pesq"]
                .into_iter()
                .filter(|name| reference.values.contains_key(*name))
                .filter_map(|name| {
                    let measure = if name == "pesq" { wide } else { measure_named(name).unwrap() };
                    let got = measure.read(&pair, &Progress::new()).unwrap().whole.value();
                    match (got, reference.values[name]) {
                        (Some(got), Some(expected)) => Some((what.clone(), name, (got - expected).abs())),
                        (None, None) => None,
                        (got, expected) => panic!("{name} of {what}: {got:?}, not {expected:?}"),
                    }
                })
                .collect::<Vec<_>>()
        })
        .collect();
    for name in ["pesq_nb", "pesq_wb", "pesq"] {
        let mut own: Vec<_> = differences.iter().filter(|(_, of, _)| *of == name).collect();
        own.sort_by(|a, b| a.2.total_cmp(&b.2));
        let beyond = own.iter().filter(|(.., off)| *off > 0.05).count();
        println!(
            "{name}: {} pairs, median {}, worst {:?}, beyond 0.05: {beyond}",
            own.len(),
            own[own.len() / 2].2,
            own.last()
        );
        for (what, _, off) in own.iter().rev().take(12) {
            println!("  {what}: {off}");
        }
        assert!(own.len() >= 200 && beyond * 50 <= own.len(), "{name}: {beyond}");
    }
}

#[test]
fn the_table_of_measures_is_documented() {
    let row = |measure: &analysis::compare::Measure| {
        let unit = if measure.unit == "1" { "" } else { measure.unit };
        let over_time = measure.over_time.map_or(String::new(), |over_time| {
            let unit = if over_time.unit == measure.unit { "" } else { over_time.unit };
            format!("{}{}{unit}", over_time.definition, if unit.is_empty() { "" } else { ", in " })
        });
        format!(
            "| `{}` | {unit} | {} | {} | {} | {} | {over_time} |",
            measure.name,
            measure.direction.words(),
            measure.range,
            measure.definition.replace('|', "\\|"),
            measure.source
        )
    };
    let rows: Vec<String> = MEASURES.iter().map(row).collect();
    let header = "| measure | unit | better | range | definition | source | over time |\n|---|---|---|---|---|---|---|";
    documented("docs/compare.md", "measures", &format!("{header}\n{}", rows.join("\n")));
}
