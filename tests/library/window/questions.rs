//! Similarity and the map.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::{Bench, SCANNED, song, write};

fn similar(bench: &Bench, like: Value, weights: Value) -> Vec<Value> {
    let answers = bench.call("library.similar", json!({ "like": like, "weights": weights, "count": 10 }));
    answers.as_array().unwrap().clone()
}

#[test]
fn a_copy_is_most_alike_and_says_why_it_differs() {
    let bench = &*SCANNED;
    let like = json!({ "kind": "track", "track": bench.id("song 1.flac") });
    let answers = similar(bench, like.clone(), json!({}));
    assert_eq!(answers.len(), 5, "all analysed but itself");
    assert_eq!(answers[0]["track"]["name"], "quiet 1.wav");
    assert_eq!(answers[0]["contributions"][0]["dimension"], "loudness_lufs");
    let shares: f64 =
        answers[0]["contributions"].as_array().unwrap().iter().map(|part| part["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // Without the weight of loudness, the two differ only by rounding.
    let answers = similar(bench, like.clone(), json!({ "loudness_lufs": 0.0 }));
    assert!(answers[0]["score"].as_f64().unwrap() > 0.97, "{}", answers[0]["score"]);
    let wrong = json!({ "like": like, "weights": { "mood": 1.0 }, "count": 3 });
    assert_eq!(bench.fails("library.similar", wrong).0, ErrorCode::Invalid);
    let failed = json!({ "kind": "track", "track": bench.id("broken.wav") });
    let (code, message) = bench.fails("library.similar", json!({ "like": failed, "weights": {}, "count": 3 }));
    assert!(code == ErrorCode::Invalid && message.contains("not analysed"), "{message}");
}

#[test]
fn what_is_open_can_be_asked_about() {
    let bench = &*SCANNED;
    let _desk = bench.desk.alone();
    let open = |path: &std::path::Path| {
        bench.desk.will_choose(&[path]);
        let opened = bench.call("workspace.open_dialog", json!({}));
        json!({ "kind": "document", "document": opened["documents"][0]["id"] })
    };
    // A track of the library needs no analysis and is not listed as similar to itself.
    let answers = similar(bench, open(&bench.music("song 2.flac")), json!({}));
    assert!(answers.iter().all(|answer| answer["track"]["name"] != "song 2.flac"), "{answers:?}");
    // A file outside the library is analysed.
    let elsewhere = bench.folder.path().join("elsewhere.wav");
    write(&elsewhere, song(3, 0.0, 16.0), None);
    let answers = similar(bench, open(&elsewhere), json!({}));
    assert_eq!(answers[0]["track"]["name"], "song 3.flac");
    let nothing = json!({ "kind": "document", "document": 4_000_000 });
    assert_eq!(
        bench.fails("library.similar", json!({ "like": nothing, "weights": {}, "count": 1 })).0,
        ErrorCode::Invalid
    );
}

#[test]
fn a_map_is_laid_out_kept_and_known_to_be_outdated() {
    let bench = Bench::new();
    for seed in 1..=4 {
        write(&bench.music(&format!("{seed}.wav")), song(seed, 0.0, 4.0), None);
    }
    assert_eq!(bench.app.library_map(true).unwrap(), [0; 56]);
    bench.add_music();
    let job = bench.call("library.make_map", json!({}));
    let job = bench.wait_for_job(&job);
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("map")), "{job}");
    let map = map_of(&bench);
    assert_eq!((map.ids.len(), map.shares.len(), map.outdated), (4, 25, false));
    for places in &map.places {
        assert!(places.iter().all(|place| (0.0..=1.0).contains(place)) && places.contains(&0.0), "{places:?}");
    }
    for (dimension, shares) in map.shares.iter().enumerate() {
        assert!(shares.iter().all(|&share| share == u16::MAX || share < u16::MAX - 1), "{dimension}: {shares:?}");
    }
    let (neighbours, shares) = map.quality;
    assert_eq!(neighbours, 1, "of four tracks");
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    assert!(map.alike.0 <= 6 && (0.0..=1.5).contains(&map.alike.1), "{:?}", map.alike);
    for (dimension, correlation) in map.axes {
        assert!(dimension == u32::MAX || dimension < 25 && (0.5..=1.0).contains(&correlation.abs()), "{dimension}");
    }
    let loudest = map.shares[7].iter().max();
    assert_eq!(loudest, Some(&49_151), "three of four are softer: {:?}", map.shares[7]);

    // The next start still has the map. A new track makes it outdated, and the map is then extended.
    let folder = std::sync::Arc::clone(&bench.folder);
    drop(bench);
    let bench = Bench::in_folder(folder);
    assert_eq!(map_of(&bench).ids, map.ids);
    write(&bench.music("5.wav"), song(5, 0.0, 4.0), None);
    bench.call("library.scan", json!({ "folders": [] }));
    bench.wait_for_scan();
    let old = map_of(&bench);
    assert_eq!((old.outdated, old.ids.len()), (true, 4));
    let asked = bench.app.library_map(false).unwrap();
    assert_eq!((asked.len(), asked[4], asked[12]), (56, 0, 1), "only whether it is true still");
    let job = bench.call("library.make_map", json!({}));
    assert_eq!(bench.wait_for_job(&job)["state"], "done");
    let new = map_of(&bench);
    assert_eq!((new.outdated, new.ids.len()), (false, 5));
}

/// The decoded bytes of a map.
struct Map {
    ids: Vec<f64>,
    places: [Vec<f32>; 2],
    shares: Vec<Vec<u16>>,
    outdated: bool,
    /// The number of neighbours, then the shares of neighbours that are kept.
    quality: (u32, [f32; 3]),
    alike: (u32, f32),
    /// The dimension that corresponds to each direction, and its correlation.
    axes: [(u32, f32); 2],
}

fn map_of(bench: &Bench) -> Map {
    let bytes = bench.app.library_map(true).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap());
    let (points, dimensions) = (word(1) as usize, word(2) as usize);
    assert_eq!((word(0), bytes.len()), (1, 56 + points * (16 + 2 * dimensions)));
    let (ids, rest) = bytes[56..].split_at(8 * points);
    let (places, shares) = rest.split_at(8 * points);
    let place = |bytes: &[u8]| bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect();
    let share = |bytes: &[u8]| bytes.chunks_exact(2).map(|word| u16::from_le_bytes(word.try_into().unwrap())).collect();
    Map {
        ids: ids.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect(),
        places: [place(&places[..4 * points]), place(&places[4 * points..])],
        shares: shares.chunks_exact(2 * points).map(share).collect(),
        outdated: word(3) == 1,
        quality: (word(4), [5, 6, 7].map(|at| f32::from_bits(word(at)))),
        alike: (word(8), f32::from_bits(word(9))),
        axes: [10, 12].map(|at| (word(at), f32::from_bits(word(at + 1)))),
    }
}
