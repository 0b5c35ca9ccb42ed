//! Filters against references: mpmath with 60 digits, `SciPy` in double precision (`tests/reference/filters.py`).

use crate::support::effects_table as table;

use std::collections::BTreeMap;

use base::units::SampleRate;
use effects::Purpose;
use effects::chain::response::{ResponseCurve, chain_response};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    filters: Vec<Filter>,
    web_audio: Vec<Filter>,
}

#[derive(Deserialize)]
struct Filter {
    chain: String,
    rate: u32,
    points: Vec<(f64, f64, f64, Option<f64>, Option<f64>)>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/filters.json")).unwrap()
}

fn response(filter: &Filter) -> ResponseCurve {
    let frequency_hz: Vec<f64> = filter.points.iter().map(|point| point.0).collect();
    let chain = filter.chain.parse().unwrap();
    chain_response(&chain, SampleRate::new(filter.rate).unwrap(), &frequency_hz).unwrap()
}

/// The magnitude as a gain.
fn magnitude(curve: &ResponseCurve, index: usize) -> f64 {
    curve.magnitude_db[index].map_or(0.0, |db| 10f64.powf(db / 20.0))
}

/// The largest error of all filters, with its place; `error` returns the error of a curve at a point.
fn worst(error: impl Fn(&Filter, &ResponseCurve, usize) -> f64) -> (f64, String) {
    let mut worst = (0.0, String::new());
    let reference = reference();
    for filter in reference.filters.iter().chain(&reference.web_audio) {
        let curve = response(filter);
        for (index, point) in filter.points.iter().enumerate() {
            let error = error(filter, &curve, index);
            // A NaN is the worst of all.
            if !(error <= worst.0) {
                worst = (error, format!("{} at {} Hz of {} Hz", filter.chain, point.0, filter.rate));
            }
        }
    }
    println!("worst: {worst:?}");
    worst
}

#[test]
fn the_reference_covers_every_kind_and_order() {
    let reference = reference();
    assert!(reference.made_with.contains("SciPy 1.") && reference.made_with.contains("mpmath 1."));
    for kind in ["lowpass", "highpass", "bandpass", "bandstop"] {
        for order in [1, 2, 3, 12, 24] {
            let order = format!("order={order})");
            assert!(reference.filters.iter().any(|f| f.chain.starts_with(kind) && f.chain.ends_with(&order)), "{kind}");
        }
    }
    // Taps have a separate reference; hum removal consists of notches, which are covered here.
    let by_sections = |spec: &&&effects::EffectSpec| {
        matches!(spec.purpose, Purpose::Filter | Purpose::Equaliser) && !["fir", "dehum"].contains(&spec.name)
    };
    for spec in effects::all().iter().filter(by_sections) {
        assert!(reference.filters.iter().any(|f| f.chain.starts_with(spec.name)), "{}", spec.name);
    }
}

#[test]
fn designs_are_held_in_more_than_five_hundred_cases() {
    let reference = reference();
    let of_design = |kind: &str, design: &str| {
        let design = format!("design={design}");
        let matching = reference.filters.iter().filter(|f| f.chain.starts_with(kind) && f.chain.contains(&design));
        matching.count()
    };
    for design in ["chebyshev1", "chebyshev2", "elliptic", "bessel", "linkwitz_riley"] {
        for kind in ["lowpass(", "highpass(", "bandpass(", "bandstop("] {
            assert!(of_design(kind, design) >= 20, "{kind} {design}");
        }
    }
    assert!(reference.filters.len() >= 500 && reference.web_audio.len() >= 60);
    // SciPy gives numbers for nearly all of them.
    let points = || reference.filters.iter().flat_map(|filter| &filter.points);
    assert!(points().filter(|point| point.4.is_some()).count() * 100 > points().count() * 90);
}

#[test]
fn magnitudes_are_those_of_mpmath_to_a_billionth() {
    let (error, place) = worst(|filter, curve, index| {
        let (_, re, im, ..) = filter.points[index];
        let expected = re.hypot(im);
        // Relative to the output; at a zero of the filter, to the input.
        (magnitude(curve, index) - expected).abs() / if expected < 1e-15 { 1.0 } else { expected }
    });
    assert!(error <= 1e-9, "{error:e} with {place}");
}

#[test]
fn phases_are_those_of_mpmath() {
    let (error, place) = worst(|filter, curve, index| {
        let (_, re, im, ..) = filter.points[index];
        if re.hypot(im) < 1e-15 {
            return 0.0;
        }
        let turns = (curve.phase_rad[index].unwrap() - im.atan2(re)) / std::f64::consts::TAU;
        (turns - turns.round()).abs()
    });
    assert!(error <= 1e-9, "{error:e} turns with {place}");
}

#[test]
fn group_delays_are_those_of_mpmath() {
    let (error, place) = worst(|filter, curve, index| {
        let Some(expected) = filter.points[index].3 else { return 0.0 };
        (curve.group_delay_frames[index].unwrap() - expected).abs() / expected.abs().max(1.0)
    });
    assert!(error <= 1e-7, "{error:e} with {place}");
}

#[test]
fn magnitudes_are_those_of_scipy_to_a_millionth() {
    let (error, place) = worst(|filter, curve, index| {
        let (_, re, im, _, Some(scipy)) = filter.points[index] else { return 0.0 };
        // SciPy's error reaches 4e-6 at the lowest cutoffs.
        (magnitude(curve, index) - scipy).abs() - (re.hypot(im) - scipy).abs()
    });
    assert!(error <= 1e-6, "{error:e} with {place}");
}

#[test]
fn the_worst_of_every_effect_is_what_the_documentation_says() {
    // By effect and reference: cases and the worst relative error of a magnitude.
    let mut found: BTreeMap<(String, &str), (usize, f64)> = BTreeMap::new();
    let mut add = |filter: &Filter, against: &'static str, error: f64| {
        let name = filter.chain.split(['(', ' ']).next().unwrap().to_owned();
        let entry = found.entry((name, against)).or_insert((0, 0.0));
        *entry = (entry.0 + 1, if error <= entry.1 { entry.1 } else { error });
    };
    let reference = reference();
    for (filters, by) in
        [(&reference.filters, "mpmath, 60 digits"), (&reference.web_audio, "W3C Web Audio formulas by mpmath")]
    {
        for filter in filters {
            let curve = response(filter);
            let (mut exact, mut double, mut in_scipy) = (0.0f64, 0.0f64, false);
            for (index, (_, re, im, _, scipy)) in filter.points.iter().enumerate() {
                let (got, expected) = (magnitude(&curve, index), re.hypot(*im));
                exact = exact.max((got - expected).abs() / if expected < 1e-15 { 1.0 } else { expected });
                if let Some(scipy) = scipy {
                    in_scipy = true;
                    double = double.max((got - scipy).abs() - (expected - scipy).abs());
                }
            }
            add(filter, by, exact);
            if in_scipy {
                add(filter, "SciPy, beyond its own error", double);
            }
        }
    }
    for ((effect, against), (cases, worst)) in found {
        table::measured(&effect, against, cases, worst, "");
    }
}

/// A filter whose frequency is off by a hundredth of a per cent is recognised as wrong.
#[test]
fn a_shifted_cutoff_is_refused() {
    for filter in &reference().filters {
        if !filter.chain.starts_with("lowpass(1000 Hz") {
            continue;
        }
        let chain = filter.chain.replace("1000 Hz", "1000.1 Hz");
        let curve = response(&Filter { chain, rate: filter.rate, points: filter.points.clone() });
        let off = filter.points.iter().enumerate().map(|(index, (_, re, im, ..))| {
            let expected = re.hypot(*im);
            (magnitude(&curve, index) - expected).abs() / expected
        });
        assert!(off.fold(0.0, f64::max) > 1e-6, "{}", filter.chain);
    }
}
