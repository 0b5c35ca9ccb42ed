//! Tests similarity against the written formula, and properties that hold for any library.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// Generates a library of random tracks: each value is uniform in its dimension's range, some are missing.
fn library(tracks: usize, missing: f64, seed: u64) -> Table {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut table = Table::with_capacity(tracks);
    for id in 0..tracks as i64 {
        let values = std::array::from_fn(|d| {
            let (low, high) = (DIMENSIONS[d].low, DIMENSIONS[d].high);
            let value = low + (high - low) * random();
            (random() >= missing).then_some(value)
        });
        table.push(1000 - id, &values);
    }
    table
}

fn asked(weights: &Weights, count: usize) -> Question<'_> {
    Question { weights, count, accept: None }
}

/// Computes the squared distance by the formula.
fn squared(similar: &Similar, a: usize, b: usize, weights: &Weights) -> f64 {
    let [a, b] = [a, b].map(|place| similar.table().rows()[place]);
    let (mut sum, mut counted) = (0.0, 0.0);
    for d in 0..DIMENSION_COUNT {
        let axis = &similar.scale().axes()[d];
        let weight = weights.values()[d];
        let term = match (a[d].is_nan(), b[d].is_nan()) {
            (false, false) => (axis.scaled(f64::from(a[d])) - axis.scaled(f64::from(b[d]))).powi(2),
            (true, true) => continue,
            _ => axis.spread,
        };
        sum += weight * term;
        counted += weight;
    }
    sum / counted
}

#[test]
fn answers_are_those_of_the_formula() {
    for (missing, tracks) in [(0.0, 700), (0.3, 1000), (0.0, 3), (0.5, 257)] {
        let similar = Similar::new(library(tracks, missing, 7));
        let weights = Weights::default();
        for place in [0, 1, tracks / 2, tracks - 1] {
            let id = similar.table().ids()[place];
            let found = similar.to_track(id, &asked(&weights, 10)).unwrap();
            let mut expected: Vec<(f64, i64)> = (0..tracks)
                .filter(|&other| other != place)
                .map(|other| (squared(&similar, place, other, &weights).sqrt(), similar.table().ids()[other]))
                .collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            expected.truncate(10);
            assert_eq!(found.len(), expected.len());
            for (neighbour, (distance, id)) in found.iter().zip(&expected) {
                assert_eq!(neighbour.id, *id);
                assert!((neighbour.distance - distance).abs() < 1e-12);
                assert!((neighbour.score - (1.0 - distance.min(1.0))).abs() < 1e-12);
                let shares: f64 = neighbour.contributions.iter().map(|c| c.share).sum();
                assert!((shares - 1.0).abs() < 1e-9);
                assert!(neighbour.contributions.windows(2).all(|pair| pair[0].share >= pair[1].share));
            }
        }
    }
}

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    values: Vec<Vec<Option<f64>>>,
    weights: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    asked: Vec<usize>,
    neighbours: Vec<Vec<usize>>,
    distances: Vec<Vec<f64>>,
}

#[test]
fn answers_are_numpys() {
    let reference: Reference =
        serde_json::from_str(include_str!("../../../../../tests/reference/similar.json")).unwrap();
    assert!(reference.made_with.contains("NumPy 2."));
    let mut table = Table::default();
    for (id, values) in reference.values.iter().enumerate() {
        table.push(id as i64, &std::array::from_fn(|d| values[d]));
    }
    let similar = Similar::new(table);
    for (d, axis) in similar.scale().axes().iter().enumerate() {
        let span = reference.high[d] - reference.low[d];
        assert!((axis.low - reference.low[d]).abs() < 1e-6 * span, "{d}: {axis:?}");
        assert!((axis.high - reference.high[d]).abs() < 1e-6 * span, "{d}: {axis:?}");
    }
    let weights = Weights::new(std::array::from_fn(|d| reference.weights[d])).unwrap();
    for (number, &track) in reference.asked.iter().enumerate() {
        let found = similar.to_track(track as i64, &asked(&weights, 10)).unwrap();
        let ids: Vec<usize> = found.iter().map(|neighbour| neighbour.id as usize).collect();
        assert_eq!(ids, reference.neighbours[number]);
        for (neighbour, distance) in found.iter().zip(&reference.distances[number]) {
            assert!((neighbour.distance - distance).abs() < 1e-5, "{} against {distance}", neighbour.distance);
        }
    }
}

#[test]
fn a_copy_is_the_nearest_and_explained() {
    let mut table = library(400, 0.0, 3);
    let mut values = table.rows()[5].map(|value| Some(f64::from(value)));
    table.push(1, &values);
    let tempo = DIMENSIONS.iter().position(|dimension| dimension.name == "tempo_bpm").unwrap();
    values[tempo] = values[tempo].map(|bpm| bpm + 3.0);
    table.push(2, &values);
    let similar = Similar::new(table);
    let weights = Weights::default();
    let found = similar.to_track(995, &asked(&weights, 2)).unwrap();
    assert_eq!((found[0].id, found[0].score, found[0].distance), (1, 1.0, 0.0));
    assert!(found[0].contributions.iter().all(|contribution| contribution.share == 0.0));
    let first = &found[1].contributions[0];
    assert_eq!((found[1].id, first.dimension, first.unit), (2, "tempo_bpm", DIMENSIONS[tempo].unit));
    assert!((first.share - 1.0).abs() < 1e-9 && (first.difference.unwrap() - 3.0).abs() < 1e-4);
}

#[test]
fn what_little_is_known_of_is_not_the_nearest() {
    // Without the expected difference for unknown values, one of the tracks with a single value would be nearest: among
    // 200 of them, one matches it by chance.
    let mut table = library(2000, 0.0, 11);
    for id in 5000..5200 {
        let mut values = [None; DIMENSION_COUNT];
        values[7] = Some(-30.0 + f64::from(id - 5000) / 10.0);
        table.push(i64::from(id), &values);
    }
    let similar = Similar::new(table);
    let weights = Weights::default();
    for id in [1000, 900, 800, 700] {
        let found = similar.to_track(id, &asked(&weights, 10)).unwrap();
        assert!(found.iter().all(|neighbour| neighbour.id < 5000), "{id}");
    }
    // Two tracks that lack the same values are compared by what they have.
    let found = similar.to_track(5100, &asked(&weights, 3)).unwrap();
    assert!(found.iter().all(|neighbour| (5098..=5102).contains(&neighbour.id)), "{found:?}");
    assert_eq!(found[0].contributions.len(), 1);
}

#[test]
fn weights_turn_the_answer() {
    let similar = Similar::new(library(3000, 0.0, 5));
    let only =
        |name: &str| Weights::with(DIMENSIONS.iter().map(|d| (d.name, f64::from(u8::from(d.name == name))))).unwrap();
    let weights = only("loudness_lufs");
    let found = similar.to_track(500, &asked(&weights, 5)).unwrap();
    assert!(found.iter().all(|neighbour| neighbour.contributions.len() == 1 && neighbour.distance < 0.02));
    let refused = Weights::with([("loudnes_lufs", 1.0)]).unwrap_err().to_string();
    assert!(refused.contains("did you mean `loudness_lufs`"), "{refused}");
    for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e7] {
        assert!(Weights::with([("crest_db", wrong)]).is_err());
    }
    assert!(Weights::new([0.0; DIMENSION_COUNT]).is_err());
    let doubled = Weights::new(Weights::default().values().map(|weight| 2.0 * weight)).unwrap();
    let [one, two] = [Weights::default(), doubled].map(|w| similar.to_track(500, &asked(&w, 5)).unwrap());
    assert_eq!(one.iter().map(|n| n.id).collect::<Vec<_>>(), two.iter().map(|n| n.id).collect::<Vec<_>>());
}

#[test]
fn questions_without_an_answer_are_errors_or_empty() {
    let weights = Weights::default();
    assert!(matches!(Similar::new(library(4, 0.0, 1)).to_track(77, &asked(&weights, 3)), Err(Error::NotFound { .. })));
    let mut table = library(30, 0.0, 1);
    table.push(77, &[None; DIMENSION_COUNT]);
    let similar = Similar::new(table);
    assert!(matches!(similar.to_track(77, &asked(&weights, 3)), Err(Error::Impossible(_))));
    assert!(similar.to_track(1000, &asked(&weights, 0)).unwrap().is_empty());
    assert_eq!(similar.to_track(1000, &asked(&weights, usize::MAX)).unwrap().len(), 30);
    let empty = Similar::new(Table::default());
    assert!(empty.to_features(&[0.5; DIMENSION_COUNT], &asked(&weights, 3)).unwrap().is_empty());
    let mut odd = [0.5; DIMENSION_COUNT];
    odd[3] = f32::INFINITY;
    let found = similar.to_features(&odd, &asked(&weights, 3)).unwrap();
    assert!(found.iter().all(|neighbour| neighbour.distance.is_finite()));
    let nobody = |_: usize| false;
    let question = Question { accept: Some(&nobody), ..asked(&weights, 5) };
    assert!(similar.to_track(1000, &question).unwrap().is_empty());
}

#[test]
fn ties_go_by_id_whatever_the_order_of_the_table() {
    let row = [0.5f32; DIMENSION_COUNT];
    for ids in [(0..500).collect::<Vec<i64>>(), (0..500).rev().collect()] {
        let similar = Similar::new(Table::new(ids, vec![row; 500]).unwrap());
        let found = similar.to_track(3, &asked(&Weights::default(), 5)).unwrap();
        assert_eq!(found.iter().map(|neighbour| neighbour.id).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn likeness_is_mutual_and_bounded(seed in any::<u64>(), missing in 0.0..0.9f64, tracks in 2..300usize) {
        let similar = Similar::new(library(tracks, missing, seed));
        let weights = Weights::default();
        let all = asked(&weights, usize::MAX);
        let (a, b) = (similar.table().ids()[0], similar.table().ids()[tracks - 1]);
        if let (Ok(from_a), Ok(from_b)) = (similar.to_track(a, &all), similar.to_track(b, &all)) {
            let there = from_a.iter().find(|n| n.id == b).unwrap();
            let back = from_b.iter().find(|n| n.id == a).unwrap();
            prop_assert_eq!(there.distance, back.distance);
            prop_assert!(from_a.iter().all(|n| (0.0..=1.0).contains(&n.score) && n.distance >= 0.0));
            for contribution in &there.contributions {
                let twin = back.contributions.iter().find(|c| c.dimension == contribution.dimension).unwrap();
                prop_assert_eq!(contribution.difference, twin.difference.map(|difference| -difference));
            }
        }
    }
}
