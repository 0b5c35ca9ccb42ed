//! Tests the directions of maps whose meaning is known.

use super::axes::LEAST;
use super::random::hashed;
use super::*;

fn uniform(seed: u64, index: u64) -> f64 {
    (hashed(seed, index) >> 11) as f64 / (1u64 << 53) as f64
}

/// A map on which dimension 3 rises along the angle `turn`, dimension 1 across it, and dimension 0 says nothing.
fn known(count: u64, turn: f64) -> (Vec<Vec<f64>>, Vec<MapPosition>) {
    let along: Vec<f64> = (0..count).map(|n| uniform(1, n)).collect();
    let across: Vec<f64> = (0..count).map(|n| uniform(2, n)).collect();
    let noise = |seed: u64| (0..count).map(|n| uniform(seed, n)).collect::<Vec<f64>>();
    let beside = across.iter().zip(noise(5)).map(|(across, noise)| across + 0.3 * noise).collect();
    let places = along.iter().zip(&across).map(|(along, across)| {
        let (sine, cosine) = turn.sin_cos();
        [(3.0 * along * cosine - 2.0 * across * sine) as f32, (3.0 * along * sine + 2.0 * across * cosine) as f32]
    });
    let mut missing = noise(7);
    missing.iter_mut().for_each(|rank| *rank = f64::NAN);
    let places = places.collect();
    (vec![noise(6), beside, missing, along], places)
}

fn distance(a: MapPosition, b: MapPosition) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[test]
fn a_map_is_turned_so_that_its_clearest_dimension_rises_to_the_right_and_the_next_one_upwards() {
    for turn in [0.4, 1.3, 2.2, 3.1, -0.9, -2.4] {
        let (ranks, before) = known(400, turn);
        let after = turned(&ranks, before.clone());
        let [across, down] = axes(&ranks, &after).map(Option::unwrap);
        assert_eq!((across.dimension, down.dimension), (3, 1), "turned by {turn}");
        assert!(across.correlation > 0.97, "{across:?}");
        assert!(down.correlation < -0.9, "{down:?}");
        for n in 1..400 {
            let (was, is) = (distance(before[0], before[n]), distance(after[0], after[n]));
            assert!((was - is).abs() < 1e-4 * was.max(1.0), "distances stay");
        }
        assert_eq!(turned(&ranks, after.clone()), after, "a map that stands right is not turned again");
    }
}

#[test]
fn a_direction_with_which_nothing_goes_has_no_meaning() {
    let (ranks, places) = known(400, 0.0);
    let nothing = [ranks[0].clone(), ranks[2].clone()];
    assert_eq!(axes(&nothing, &places), [None, None]);
    let one = [ranks[3].clone()];
    let [across, down] = axes(&one, &places);
    assert!(across.is_some_and(|meaning| meaning.correlation >= LEAST));
    assert_eq!(down, None, "one dimension does not name both directions");
    assert_eq!(axes(&[], &places), [None, None]);
    assert_eq!(axes(&ranks, &[]), [None, None]);
    assert_eq!(turned(&[], places.clone()), places);
    assert_eq!(turned(&ranks, Vec::new()), Vec::<MapPosition>::new());
}

#[test]
fn equal_places_share_a_rank() {
    // Half of the points lie on one place: their order must not matter.
    let places: Vec<MapPosition> = (0..100).map(|n| if n < 50 { [0.0; 2] } else { [n as f32, 0.0] }).collect();
    let rising: Vec<f64> = (0..100).map(f64::from).collect();
    let mixed: Vec<f64> = (0..100).map(|n| if n < 50 { f64::from(49 - n) } else { f64::from(n) }).collect();
    let of = |ranks: Vec<f64>| axes(&[ranks], &places)[0].unwrap().correlation;
    assert!((of(rising) - of(mixed)).abs() < 1e-12);
}
