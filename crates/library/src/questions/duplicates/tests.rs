//! Tests groups on hand-made and random graphs, and candidates on fingerprints with planted copies.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Makes a comparison from a list of pairs and scores.
fn scores(pairs: &[(usize, usize, f64)]) -> impl Fn(usize, usize) -> Option<Agreement> + Sync + use<> {
    let known: BTreeMap<(usize, usize), f64> =
        pairs.iter().map(|&(a, b, score)| ((a.min(b), a.max(b)), score)).collect();
    move |a, b| {
        let score = *known.get(&(a.min(b), a.max(b)))?;
        // Each track begins a second later than the one before it.
        Some(Agreement { score, overlap_s: 60.0, offset_s: b as f64 - a as f64, speed: 1.0 })
    }
}

fn candidates(pairs: &[(usize, usize, f64)]) -> Vec<(usize, usize)> {
    pairs.iter().map(|&(a, b, _)| (a, b)).collect()
}

fn groups(tracks: usize, content: &[Option<u8>], pairs: &[(usize, usize, f64)]) -> DuplicateSearch {
    let content: Vec<Option<u8>> = (0..tracks).map(|track| content.get(track).copied().flatten()).collect();
    let compared_s = vec![60.0; tracks];
    let tracks = Tracks { content: &content, compared_s: &compared_s };
    find(&tracks, &candidates(pairs), scores(pairs), &Settings::default(), &Progress::new()).unwrap()
}

fn members(found: &DuplicateSearch) -> Vec<Vec<usize>> {
    found.groups.iter().map(|group| group.members.iter().map(|member| member.track).collect()).collect()
}

#[test]
fn copies_stand_around_the_best_connected() {
    let found = groups(6, &[], &[(0, 3, 0.9), (3, 5, 0.8), (0, 5, 0.7), (1, 2, 0.95)]);
    assert_eq!(members(&found), [vec![1, 2], vec![3, 0, 5]]);
    let of_3 = &found.groups[1].members;
    assert_eq!((of_3[0].agreement.score, of_3[0].agreement.offset_s, of_3[0].agreement.overlap_s), (1.0, 0.0, 60.0));
    assert_eq!((of_3[1].agreement.score, of_3[1].agreement.offset_s), (0.9, -3.0));
    assert_eq!((of_3[2].agreement.score, of_3[2].agreement.offset_s), (0.8, 2.0));
    assert!(found.across.is_empty());
}

#[test]
fn a_chain_is_no_group() {
    // Track 1 is a medley of 0 and 2: it joins one of them, and the other pair is reported as a link.
    let found = groups(3, &[], &[(0, 1, 0.9), (1, 2, 0.8)]);
    assert_eq!(members(&found), [vec![1, 0]]);
    assert_eq!(found.across.len(), 1);
    assert_eq!((found.across[0].first, found.across[0].second, found.across[0].agreement.score), (1, 2, 0.8));
    // Two recordings with four copies each, and one track that matches one copy of each.
    let mut pairs = Vec::new();
    for base in [0, 4] {
        for a in base..base + 4 {
            pairs.extend((a + 1..base + 4).map(|b| (a, b, 0.9)));
        }
    }
    pairs.push((3, 4, 0.6));
    let found = groups(8, &[], &pairs);
    let sorted: Vec<Vec<usize>> = members(&found)
        .into_iter()
        .map(|mut group| {
            group.sort_unstable();
            group
        })
        .collect();
    assert_eq!(sorted, [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
    assert_eq!(found.across.len(), 1);
}

#[test]
fn copies_that_went_different_ways_may_differ_more() {
    // Tracks 1 and 2 both derive from 0. Each is close to it, but they are less close to each other, below the score
    // that a pair needs.
    let found = groups(3, &[], &[(0, 1, 0.7), (0, 2, 0.7), (1, 2, 0.45)]);
    assert_eq!(members(&found), [vec![0, 1, 2]]);
    let found = groups(3, &[], &[(0, 1, 0.7), (0, 2, 0.7), (1, 2, 0.35)]);
    assert_eq!(members(&found), [vec![0, 1]]);
}

#[test]
fn a_pair_that_candidates_missed_is_found() {
    let all = [(0, 1, 0.9), (1, 2, 0.9), (0, 2, 0.9)];
    let content = [None::<u8>; 3];
    let tracks = Tracks { content: &content, compared_s: &[60.0; 3] };
    let found = find(&tracks, &[(1, 0), (2, 1), (0, 1)], scores(&all), &Settings::default(), &Progress::new()).unwrap();
    assert_eq!(members(&found), [vec![1, 0, 2]]);
    assert_eq!(found.compared, 3);
}

#[test]
fn exact_copies_come_along_without_comparison() {
    let content = [Some(7), None, Some(9), Some(7), Some(9), None];
    let found = groups(6, &content, &[(3, 1, 0.9), (0, 1, 0.9)]);
    assert_eq!(members(&found), [vec![0, 3, 1], vec![2, 4]]);
    let first = &found.groups[0].members;
    assert_eq!([first[0].exact, first[1].exact, first[2].exact], [false, true, false]);
    assert_eq!((first[1].agreement.score, first[1].agreement.offset_s), (1.0, 0.0));
    assert!(found.groups[1].members[1].exact);
}

#[test]
fn a_quotation_is_no_copy() {
    let compare = |_: usize, _: usize| Some(Agreement { score: 1.0, overlap_s: 10.0, offset_s: 0.0, speed: 1.0 });
    let grouped = |compared_s: [f64; 2]| {
        let tracks = Tracks { content: &[None::<u8>; 2], compared_s: &compared_s };
        find(&tracks, &[(0, 1)], compare, &Settings::default(), &Progress::new()).unwrap().groups.len()
    };
    assert_eq!(grouped([300.0, 12.0]), 1);
    assert_eq!(grouped([12.0, 300.0]), 1);
    assert_eq!(grouped([60.0, 60.0]), 0);
}

#[test]
fn an_agreement_turns_around() {
    let there = Agreement { score: 0.8, overlap_s: 51.0, offset_s: -3.0, speed: 1.02 };
    let back = there.reversed();
    // 10 s in the reference is -3 + 10 / 1.02 s in the track, and vice versa.
    let at = there.offset_s + 10.0 / there.speed;
    assert!((back.offset_s + at / back.speed - 10.0).abs() < 1e-12);
    assert!((back.overlap_s - 50.0).abs() < 1e-12);
    let again = back.reversed();
    assert!((again.offset_s - there.offset_s).abs() < 1e-12 && (again.speed - there.speed).abs() < 1e-12);
}

#[test]
fn a_cancel_stops_it() {
    let progress = Progress::new();
    progress.cancel();
    let tracks = Tracks { content: &[None::<u8>; 2], compared_s: &[60.0; 2] };
    let found = find(&tracks, &[(0, 1)], |_, _| None, &Settings::default(), &progress);
    assert!(matches!(found, Err(base::error::Error::Cancelled)));
    let items: &[u32] = &[1, 2, 3];
    let found = fingerprint_candidates(&[items, items].into_iter().collect(), &CandidateSettings::default(), &progress);
    assert!(matches!(found, Err(base::error::Error::Cancelled)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn groups_are_apart_agreed_and_independent_of_order(
        pairs in proptest::collection::vec((0..20usize, 0..20usize, 0.3..1.0f64), 0..60),
        content in proptest::collection::vec(proptest::option::weighted(0.2, 0..4u8), 20),
    ) {
        let mut unique: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for &(a, b, score) in pairs.iter().filter(|(a, b, _)| a != b) {
            unique.insert((a.min(b), a.max(b)), score);
        }
        let pairs: Vec<(usize, usize, f64)> = unique.iter().map(|(&(a, b), &score)| (a, b, score)).collect();
        let found = groups(20, &content, &pairs);
        let mut reversed = pairs.clone();
        reversed.reverse();
        prop_assert_eq!(&groups(20, &content, &reversed), &found);
        let mut all: Vec<usize> = members(&found).concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(all.len(), count);
        for group in &found.groups {
            prop_assert!(group.members.len() > 1);
            let near: Vec<usize> = group.members.iter().filter(|member| !member.exact).map(|member| member.track).collect();
            for (index, &a) in near.iter().enumerate() {
                // All members within reach of the checks match each other.
                for &b in near[index + 1..].iter().filter(|_| index < 9) {
                    prop_assert!(unique[&(a.min(b), a.max(b))] >= 0.4);
                }
            }
        }
    }
}

/// Generates a realistic fingerprint: neighbouring items differ in a few bits, and some items are common to all tracks.
fn fingerprint(seed: u64, items: usize) -> Vec<u32> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut item = random() as u32;
    let next = |_| {
        item ^= (random() & random() & random()) as u32;
        if random().is_multiple_of(10) { 627_964_279 } else { item }
    };
    (0..items).map(next).collect()
}

/// Returns the items with the given share of bits flipped.
fn spoiled(items: &[u32], rate: f64, seed: u64) -> Vec<u32> {
    let mut state = (seed + 77).wrapping_mul(0xd134_2543_de82_ef95) | 1;
    let mut flips = move || {
        let mut bits = 0;
        for bit in 0..32 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bits |= u32::from((state >> 11) as f64 / ((1u64 << 53) as f64) < rate) << bit;
        }
        bits
    };
    items.iter().map(|item| item ^ flips()).collect()
}

#[test]
fn planted_copies_are_candidates_and_few_others() {
    let mut prints: Vec<Vec<u32>> = (0..400).map(|seed| fingerprint(seed, 900)).collect();
    let mut planted = Vec::new();
    for (number, rate) in [0.0, 0.05, 0.1, 0.15].into_iter().cycle().take(40).enumerate() {
        let copy = spoiled(&prints[number], rate, number as u64);
        // Cut at both ends.
        planted.push((number, prints.len()));
        prints.push(copy[50 + number..850].to_vec());
    }
    let views: Items = prints.iter().map(Vec::as_slice).collect();
    let found = fingerprint_candidates(&views, &CandidateSettings::default(), &Progress::new()).unwrap();
    assert!(planted.iter().all(|pair| found.contains(pair)), "{planted:?} in {found:?}");
    assert!(found.len() < planted.len() + 4000, "{} candidates", found.len());
    assert!(found.is_sorted() && found.iter().all(|(a, b)| a < b));
    // Copies are still found with many passes and overflowing votes.
    let tight = CandidateSettings { memory_bytes: 0, ..CandidateSettings::default() };
    let again = fingerprint_candidates(&views, &tight, &Progress::new()).unwrap();
    assert!(planted.iter().all(|pair| again.contains(pair)));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let single = one.install(|| fingerprint_candidates(&views, &tight, &Progress::new()).unwrap());
    assert_eq!(single, again);
}

#[test]
fn silence_and_scraps_have_no_candidates() {
    let silence = vec![627_964_279u32; 900];
    let tracks: [&[u32]; 5] = [&silence, &silence, &[], &[1], &[1]];
    let settings = CandidateSettings::default();
    let found = fingerprint_candidates(&tracks.into_iter().collect(), &settings, &Progress::new()).unwrap();
    assert!(found.is_empty(), "{found:?}");
    assert!(fingerprint_candidates(&Items::default(), &settings, &Progress::new()).unwrap().is_empty());
    for wrong in [
        CandidateSettings { bits: Some(19), ..settings },
        CandidateSettings { bits: Some(29), ..settings },
        CandidateSettings { votes: 0, ..settings },
    ] {
        assert!(fingerprint_candidates(&Items::default(), &wrong, &Progress::new()).is_err());
    }
}

#[test]
fn many_copies_of_one_stay_linear() {
    let original = fingerprint(5, 900);
    let prints: Vec<Vec<u32>> = (0..300).map(|seed| spoiled(&original, 0.03, seed)).collect();
    let views: Items = prints.iter().map(Vec::as_slice).collect();
    let found = fingerprint_candidates(&views, &CandidateSettings::default(), &Progress::new()).unwrap();
    let is_reached = |track: usize| found.iter().any(|&(a, b)| a == track || b == track);
    assert!((0..300).all(is_reached));
}
