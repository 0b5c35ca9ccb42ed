//! Tests maps of libraries whose groups are known.

use serde::Deserialize;

use super::points::WIDTH;
use super::random::hashed;
use super::*;
use crate::questions::table::DIMENSION_COUNT;
use analysis::features::dimensions::DIMENSIONS;

fn uniform(seed: u64, index: u64) -> f64 {
    (hashed(seed, index) >> 11) as f64 / (1u64 << 53) as f64
}

/// Makes tracks of several kinds: each kind has a centre, and its tracks are scattered around it.
fn library(tracks: usize, kinds: usize, width: f64) -> Table {
    let mut table = Table::with_capacity(tracks);
    for track in 0..tracks {
        let kind = (track % kinds) as u64;
        let values = std::array::from_fn(|d| {
            let around = (0..4).map(|n| uniform(200 + n, (track * DIMENSION_COUNT + d) as u64) - 0.5).sum::<f64>();
            let at = uniform(100, kind * 64 + d as u64) + width * around;
            Some(DIMENSIONS[d].low + (DIMENSIONS[d].high - DIMENSIONS[d].low) * at)
        });
        table.push(track as i64, &values);
    }
    table
}

fn mapped(table: &Table, former: &HashMap<i64, MapPosition>) -> Vec<MapPosition> {
    map(table, &Scale::of(table), &Weights::default(), former, &Progress::new()).unwrap().places
}

fn distance(a: MapPosition, b: MapPosition) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    points: Vec<Vec<f32>>,
    places: Vec<MapPosition>,
    k: usize,
    trustworthiness: f64,
    continuity: f64,
    kept: f64,
}

#[test]
fn quality_is_scikit_learns() {
    let reference: Reference =
        serde_json::from_str(include_str!("../../../../../tests/reference/trustworthiness.json")).unwrap();
    assert!(reference.made_with.contains("scikit-learn 1."));
    for case in &reference.cases {
        let padded = |point: &Vec<f32>| std::array::from_fn(|d| point.get(d).copied().unwrap_or(0.0));
        let points = Points::new(case.points.iter().map(padded).collect());
        let found = quality(&points, &case.places, case.k, usize::MAX, &Progress::new()).unwrap().unwrap();
        assert!((found.trustworthiness - case.trustworthiness).abs() < 1e-9, "{found:?}");
        assert!((found.continuity - case.continuity).abs() < 1e-9, "{found:?}");
        assert!((found.kept - case.kept).abs() < 1e-9, "{found:?}");
    }
    let points = Points::new(vec![[0.0; WIDTH]; 4]);
    assert_eq!(quality(&points, &[[0.0; 2]; 4], 2, 9, &Progress::new()).unwrap(), None);
    assert_eq!(quality(&points, &[[0.0; 2]; 3], 1, 9, &Progress::new()).unwrap(), None);
}

#[test]
fn principal_components_find_the_plane() {
    // Points in an oblique plane: all distances are kept.
    let point = |n: u64| {
        let (a, b) = (3.0 * (uniform(1, n) - 0.5), uniform(2, n) - 0.5);
        std::array::from_fn(|d| (a * ((d + 1) as f64).sin() + b * ((2 * d + 1) as f64).cos()) as f32 + 5.0)
    };
    let points = Points::new((0..300).map(point).collect());
    let places = principal(&points);
    for n in 1..300 {
        let real = points.squared(0, n).sqrt();
        assert!((distance(places[0], places[n]) - real).abs() < 1e-3 * real.max(0.1), "{n}");
    }
    let spread = |axis: usize| places.iter().map(|place| place[axis].powi(2)).sum::<f32>();
    assert!(spread(0) > spread(1));
    let mean: f32 = places.iter().map(|place| place[0]).sum::<f32>() / 300.0;
    assert!(mean.abs() < 1e-3);
}

#[test]
fn nearly_all_neighbours_are_found() {
    let table = library(6000, 40, 0.15);
    let points = Points::of(&table, &Scale::of(&table), &Weights::default());
    let found = neighbours::nearest(&points, NEIGHBOURS, &Progress::new()).unwrap();
    let (mut right, mut all) = (0, 0);
    for of in (0..6000).step_by(97) {
        let mut real: Vec<(f32, u32)> = (0..6000u32)
            .filter(|&other| other as usize != of)
            .map(|other| (points.squared(of, other as usize), other))
            .collect();
        real.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        real.truncate(NEIGHBOURS);
        right += real.iter().filter(|near| found[of].contains(near)).count();
        all += real.len();
    }
    assert!(right as f64 > 0.9 * all as f64, "{right} of {all}");
}

#[test]
fn the_map_keeps_neighbours_better_than_principal_components() {
    let table = library(800, 12, 0.25);
    let (scale, weights) = (Scale::of(&table), Weights::default());
    let points = Points::of(&table, &scale, &weights);
    let places = mapped(&table, &HashMap::new());
    let of = |places: &[MapPosition]| quality(&points, places, 12, usize::MAX, &Progress::new()).unwrap().unwrap();
    let (plane, kept) = (of(&principal(&points)), of(&places));
    assert!(kept.trustworthiness > 0.93 && kept.continuity > 0.93, "{kept:?}");
    assert!(kept.trustworthiness > plane.trustworthiness + 0.02, "{kept:?} against {plane:?}");
    // The measure itself is checked: a permutation of the same positions is not a good map.
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&place| hashed(31, place as u64));
    let dealt: Vec<MapPosition> = order.iter().map(|&place| places[place]).collect();
    assert!(of(&dealt).trustworthiness < 0.65);
}

/// A library of several kinds, in which every fifth track is followed by a copy that is alike to 99 % or more.
fn with_copies(tracks: usize, kinds: usize, width: f64) -> (Table, Vec<(usize, usize)>) {
    let single = library(tracks, kinds, width);
    let mut table = Table::with_capacity(tracks + tracks / 5);
    let mut pairs = Vec::new();
    for (track, row) in single.rows().iter().enumerate() {
        table.push(table.len() as i64, &row.map(|value| Some(f64::from(value))));
        if track % 5 == 0 {
            let copy = std::array::from_fn(|d| {
                let (low, high) = (DIMENSIONS[d].low, DIMENSIONS[d].high);
                Some(f64::from(row[d]) + 0.002 * (high - low) * (uniform(400, (track * 32 + d) as u64) - 0.5))
            });
            table.push(table.len() as i64, &copy);
            pairs.push((table.len() - 2, table.len() - 1));
        }
    }
    (table, pairs)
}

#[test]
fn what_is_alike_by_99_percent_lies_side_by_side() {
    for (tracks, kinds, width) in [(30, 4, 0.3), (200, 6, 0.5), (800, 12, 0.25), (1500, 1, 1.0)] {
        let (table, pairs) = with_copies(tracks, kinds, width);
        let scale = Scale::of(&table);
        let points = Points::of(&table, &scale, &Weights::default());
        let laid = map(&table, &scale, &Weights::default(), &HashMap::new(), &Progress::new()).unwrap();
        let span = |axis: usize| {
            let along = || laid.places.iter().map(|place| place[axis]);
            along().fold(f32::MIN, f32::max) - along().fold(f32::MAX, f32::min)
        };
        let side = span(0).max(span(1));
        let (mut worst, mut nearest) = (0.0f32, 1.0f32);
        for &(a, b) in &pairs {
            assert!(points.squared(a, b).sqrt() <= ALIKE, "the copies are alike");
            let apart = distance(laid.places[a], laid.places[b]) / side;
            (worst, nearest) = (worst.max(apart), nearest.min(apart));
        }
        assert!(laid.alike.pairs >= pairs.len() as u64, "{:?}", laid.alike);
        assert!(laid.alike.farthest >= f64::from(worst) - 1e-6, "{:?} against {worst}", laid.alike);
        let k = neighbours_of(points.len());
        let kept = quality(&points, &laid.places, k, usize::MAX, &Progress::new()).unwrap();
        eprintln!("{tracks} tracks: farthest {:?}, {kept:?}", laid.alike);
        assert!(laid.alike.farthest < 0.03, "{tracks} tracks: {:?}", laid.alike);
        assert!(nearest > 0.001, "{tracks} tracks: both of a pair are seen, {nearest}");
    }
}

#[test]
fn a_map_is_the_same_with_any_number_of_threads() {
    let table = library(500, 7, 0.2);
    let maps: Vec<Vec<MapPosition>> = [1, 2, 5]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| mapped(&table, &HashMap::new()))
        })
        .to_vec();
    assert!(maps[1] == maps[0] && maps[2] == maps[0]);
}

#[test]
fn added_tracks_leave_the_others_about_where_they_were() {
    let all = library(660, 8, 0.2);
    let first = Table::new(all.ids()[..600].to_vec(), all.rows()[..600].to_vec()).unwrap();
    let before = mapped(&first, &HashMap::new());
    let former: HashMap<i64, MapPosition> = first.ids().iter().copied().zip(before.iter().copied()).collect();
    let after = mapped(&all, &former);
    let extent = before.iter().flatten().fold(0.0f32, |most, x| most.max(x.abs()));
    let mut moved: Vec<f32> = (0..600).map(|n| distance(before[n], after[n]) / extent).collect();
    moved.sort_by(f32::total_cmp);
    assert!(moved[300] < 0.05 && moved[570] < 0.2, "median {}, 95 % {}", moved[300], moved[570]);
    // The new tracks are close to their kind.
    let with_own = (600..660).filter(|&new| {
        let nearest =
            (0..600).min_by(|&a, &b| distance(after[a], after[new]).total_cmp(&distance(after[b], after[new])));
        nearest.unwrap() % 8 == new % 8
    });
    assert!(with_own.count() > 54);
}

#[test]
fn small_equal_and_empty_libraries_have_a_map() {
    for tracks in [0, 1, 2, 3, 16] {
        let places = mapped(&library(tracks, 2, 0.1), &HashMap::new());
        assert_eq!(places.len(), tracks);
        assert!(places.iter().flatten().all(|x| x.is_finite()));
    }
    let missing = Table::new((0..40).collect(), vec![[f32::NAN; DIMENSION_COUNT]; 40]).unwrap();
    assert!(mapped(&missing, &HashMap::new()).iter().flatten().all(|x| x.is_finite()));
    let nowhere = HashMap::from([(0, [f32::NAN; 2]), (1, [0.0; 2])]);
    assert!(mapped(&library(3, 1, 0.1), &nowhere).iter().flatten().all(|x| x.is_finite()));
    let progress = Progress::new();
    progress.cancel();
    let table = library(50, 2, 0.1);
    let cancelled = map(&table, &Scale::of(&table), &Weights::default(), &HashMap::new(), &progress);
    assert!(matches!(cancelled, Err(base::error::Error::Cancelled)));
}
