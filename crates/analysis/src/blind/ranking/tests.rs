use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Reference {
    ranking: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    scores: Vec<Vec<f64>>,
    stimuli: Vec<Expected>,
    pairs: Vec<(usize, usize, Option<f64>, Option<f64>)>,
}

#[derive(Deserialize)]
struct Expected {
    mean: f64,
    interval: Option<(f64, f64)>,
    quantiles: [f64; 5],
}

fn roles(count: usize) -> Vec<Role> {
    (0..count).map(|stimulus| if stimulus == 0 { Role::Reference } else { Role::Version }).collect()
}

fn listener(name: &str, passages: Vec<Vec<f64>>) -> Scores {
    Scores { listener: name.into(), passages }
}

fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() < 1e-9 * (1.0 + expected.abs())
}

#[test]
fn means_intervals_quartiles_and_p_values_are_those_of_scipy() {
    let reference: Reference = serde_json::from_str(include_str!("../../../../../tests/reference/blind.json")).unwrap();
    for case in reference.ranking {
        let got = rank(&roles(case.stimuli.len()), &[listener("one", case.scores)], false).unwrap();
        for (scored, expected) in got.stimuli.iter().zip(&case.stimuli) {
            assert!(near(scored.mean, expected.mean), "{scored:?}");
            let ((low, high), (expected_low, expected_high)) = (scored.interval.unwrap(), expected.interval.unwrap());
            assert!(
                (low - expected_low).abs() < 1e-6 && (high - expected_high).abs() < 1e-6,
                "{scored:?}: {expected_low}"
            );
            assert!(
                scored.quantiles.iter().zip(expected.quantiles).all(|(&got, expected)| near(got, expected)),
                "{scored:?}"
            );
        }
        assert_eq!(got.pairs.len(), case.pairs.len());
        for (pair, (first, second, p, _)) in got.pairs.iter().zip(&case.pairs) {
            assert_eq!((pair.first, pair.second), (*first, *second));
            assert!(near(pair.p_value.unwrap(), p.unwrap()), "{pair:?}: {p:?}");
        }
        // Of equal p-values either may be corrected first.
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let corrected = sorted(got.pairs.iter().filter_map(|pair| pair.corrected).collect());
        let expected = sorted(case.pairs.iter().filter_map(|pair| pair.3).collect());
        assert!(
            corrected.iter().zip(&expected).all(|(&got, &expected)| got <= expected + 1e-9),
            "{corrected:?} {expected:?}"
        );
        assert!(near(corrected[0], expected[0]), "{corrected:?} {expected:?}");
    }
}

#[test]
fn a_listener_who_mistakes_the_reference_or_the_anchor_does_not_count() {
    let roles = [Role::Reference, Role::Version, Role::MidAnchor];
    let good = || listener("good", vec![vec![100.0, 70.0, 40.0]; 7]);
    // One of seven is 14 %, two are 29 %.
    let once = |row: Vec<f64>, times: usize| {
        (0..7).map(|n| if n < times { row.clone() } else { vec![95.0, 60.0, 30.0] }).collect()
    };
    let slip = listener("slip", once(vec![89.0, 100.0, 20.0], 1));
    let deaf = listener("deaf", once(vec![89.0, 100.0, 20.0], 2));
    let dull = listener("dull", once(vec![100.0, 50.0, 91.0], 2));
    let got = rank(&roles, &[good(), slip.clone(), deaf.clone(), dull.clone()], true).unwrap();
    assert_eq!(got.listeners, 2);
    let names: Vec<_> = got.excluded.iter().map(|excluded| excluded.listener.as_str()).collect();
    assert_eq!(names, ["deaf", "dull"]);
    assert_eq!((got.excluded[0].reference_missed, got.excluded[1].anchor_missed), (2, 2));
    assert_eq!(got.stimuli[0].count, 14);
    assert_eq!(rank(&roles, &[good(), slip, deaf.clone(), dull], false).unwrap().stimuli[0].count, 28);
    assert!(rank(&roles, &[deaf], true).unwrap_err().to_string().contains("No scores count"));
}

#[test]
fn one_score_has_a_mean_and_no_interval() {
    let got = rank(&roles(2), &[listener("one", vec![vec![100.0, 40.0]])], true).unwrap();
    assert_eq!(got.stimuli[1].mean, 40.0);
    assert_eq!(got.stimuli[1].interval, None);
    assert_eq!(got.stimuli[1].quantiles, [40.0; 5]);
    assert_eq!(got.pairs[0].p_value, Some(1.0));
}

#[test]
fn anchors_are_not_compared_with_versions() {
    let roles = [Role::Reference, Role::Version, Role::LowAnchor, Role::MidAnchor];
    let got = rank(&roles, &[listener("one", vec![vec![100.0, 40.0, 10.0, 20.0]])], true).unwrap();
    assert_eq!(got.pairs.len(), 1);
    assert_eq!(got.stimuli.len(), 4);
}

#[test]
fn more_scores_than_the_limit_are_refused() {
    let many = listener("many", vec![vec![100.0, 50.0]; signed_ranks::MAX_PAIRS + 1]);
    assert!(rank(&roles(2), &[many], false).unwrap_err().to_string().contains("500"));
}
