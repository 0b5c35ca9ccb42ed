//! Times library queries on synthetic tracks: similarity, text queries, duplicates, the map and the export.
//!
//! `cargo bench --bench library_questions [-- similar|query|duplicates|map|export]`. The numbers of tracks are those
//! that a library must support: 100,000, and a million for similarity.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::time::Instant;

use undertone::features::dimensions::DIMENSIONS;
use undertone::library::TrackRow;
use undertone::library::questions::duplicates::{
    Agreement, CandidateSettings, Items, Settings, Tracks, find, fingerprint_candidates,
};
use undertone::library::questions::export::{Format, export};
use undertone::library::questions::map::{self, Points, principal, quality};
use undertone::library::questions::query::{self, FreeText, Kind, Query};
use undertone::library::questions::scale::Scale;
use undertone::library::questions::similar::{Question, Similar, Weights};
use undertone::library::questions::table::{DIMENSION_COUNT, Table};
use undertone::progress::Progress;

/// A deterministic pseudorandom generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Creates tracks in 300 clusters, scattered around the cluster centres. One value in fifty is missing.
fn library(tracks: usize) -> Table {
    let mut random = Random(7);
    let middles: Vec<[f64; DIMENSION_COUNT]> = (0..300).map(|_| std::array::from_fn(|_| random.unit())).collect();
    let mut table = Table::with_capacity(tracks);
    for id in 0..tracks as i64 {
        let middle = middles[random.next() as usize % middles.len()];
        let values = std::array::from_fn(|d| {
            let around: f64 = (0..4).map(|_| random.unit() - 0.5).sum();
            let value = DIMENSIONS[d].low + (DIMENSIONS[d].high - DIMENSIONS[d].low) * (middle[d] + 0.25 * around);
            (random.unit() >= 0.02).then_some(value)
        });
        table.push(id, &values);
    }
    table
}

fn seconds<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn similar() {
    for tracks in [100_000, 1_000_000] {
        let (made, similar) = seconds(|| Similar::new(library(tracks)));
        let weights = Weights::default();
        let question = Question { weights: &weights, count: 10, accept: None };
        let times: Vec<f64> = (0..41)
            .map(|n| seconds(|| black_box(similar.to_track(n * (tracks as i64 / 41), &question).expect("answered"))).0)
            .collect();
        let slowest = times.iter().copied().fold(0.0, f64::max);
        println!(
            "similar, {tracks} tracks: median {:.2} ms, slowest {:.2} ms on one thread; made in {made:.2} s",
            1e3 * median(times),
            1e3 * slowest
        );
    }
}

fn queries() {
    const TEXT: &str = "bpm:118..122 key:Am loudness:<-14 artist:\"Miles Davis\" year:1959 -genre:live duration:>3:00 format:flac bright";
    let (all, ()) = seconds(|| (0..1000).for_each(|_| drop(black_box(TEXT.parse::<Query>().expect("read")))));
    println!("query: read in {:.1} us", 1e3 * all);
    let mut database = rusqlite::Connection::open_in_memory().expect("database");
    query::add_functions(&database).expect("functions");
    let columns: Vec<String> = query::fields()
        .iter()
        .map(|field| match (field.column, field.kind) {
            ("id", _) => "[id] INTEGER PRIMARY KEY".to_owned(),
            (column, Kind::Text | Kind::Choice(_) | Kind::Key) => format!("[{column}] TEXT"),
            (column, _) => format!("[{column}] REAL"),
        })
        .collect();
    let sql = format!(
        "CREATE TABLE track ({}); CREATE VIRTUAL TABLE track_text USING fts5 (title, artist, album, path,
         content = 'track', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
        columns.join(", ")
    );
    database.execute_batch(&sql).expect("tables");
    let words =
        ["blue", "Björk", "night", "Élan", "river", "stone", "Miles", "Davis", "green", "light", "Żółw", "moon"];
    let mut random = Random(5);
    let transaction = database.transaction().expect("transaction");
    for id in 0..100_000 {
        let mut pair = || format!("{} {}", words[random.next() as usize % 12], words[random.next() as usize % 12]);
        let (title, artist, album) = (pair(), pair(), pair());
        let path = format!("/music/{artist}/{album}/{title} {id}.flac");
        transaction
            .execute(
                "INSERT INTO track (id, title, artist, album, path, genre, tempo_bpm) VALUES (?, ?, ?, ?, ?, 'jazz', ?)",
                rusqlite::params![id, title, artist, album, path, 60.0 + 100.0 * random.unit()],
            )
            .expect("inserted");
    }
    transaction.execute_batch("INSERT INTO track_text (track_text) VALUES ('rebuild')").expect("indexed");
    transaction.commit().expect("committed");
    for text in ["bpm:118..122", "artist:bjork", "blue moon", "bpm:>120 -(artist:elan or moon)"] {
        let query: Query = text.parse().expect("read");
        for free_text in [FreeText::Index, FreeText::Columns] {
            let condition = query.condition(free_text);
            let sql = format!("SELECT count(*) FROM track WHERE {}", condition.sql);
            let run = || -> i64 {
                let values = rusqlite::params_from_iter(&condition.values);
                database.query_row(&sql, values, |row| row.get(0)).expect("asked")
            };
            let times: Vec<f64> = (0..7).map(|_| seconds(|| black_box(run())).0).collect();
            println!("query, 100,000 tracks, {free_text:?}: {text}: {} found in {:.1} ms", run(), 1e3 * median(times));
        }
    }
}

/// Returns the items of a track. Neighbours differ in a few bits; one in eight is shared by many tracks.
fn fingerprint(random: &mut Random, common: &[u32], items: usize) -> Vec<u32> {
    let mut item = random.next() as u32;
    let next = |_| {
        item ^= (random.next() & random.next() & random.next()) as u32;
        if random.next().is_multiple_of(8) { common[random.next() as usize % common.len()] } else { item }
    };
    (0..items).map(next).collect()
}

fn flipped(random: &mut Random, item: u32, rate: f64) -> u32 {
    (0..32).fold(item, |item, bit| item ^ (u32::from(random.unit() < rate) << bit))
}

/// Aligns two fingerprints as the real comparison does: by the offset with the most equal leading bits, then by bit
/// errors.
fn compared(a: &[u32], b: &[u32]) -> Option<Agreement> {
    const ITEM_S: f64 = 0.1238;
    let sorted = |items: &[u32]| {
        let mut sorted: Vec<(u32, usize)> = items.iter().enumerate().map(|(at, item)| (item >> 18, at)).collect();
        sorted.sort_unstable();
        sorted
    };
    let (left, right) = (sorted(a), sorted(b));
    let mut votes = vec![0u32; a.len() + b.len()];
    let mut from = 0;
    for group in left.chunk_by(|x, y| x.0 == y.0) {
        from += right[from..].partition_point(|other| other.0 < group[0].0);
        let to = from + right[from..].partition_point(|other| other.0 == group[0].0);
        if group.len() * (to - from) <= 4096 {
            for (_, at_a) in group {
                right[from..to].iter().for_each(|(_, at_b)| votes[at_b + a.len() - at_a] += 1);
            }
        }
        from = to;
    }
    let best = (0..votes.len()).max_by_key(|&place| (votes[place], std::cmp::Reverse(place)))?;
    let offset = best as i64 - a.len() as i64;
    let start = (-offset).max(0) as usize;
    let end = (a.len() as i64).min(b.len() as i64 - offset).max(0) as usize;
    let differ: u32 = (start..end).map(|at| (a[at] ^ b[(at as i64 + offset) as usize]).count_ones()).sum();
    let score = (1.0 - 2.0 * f64::from(differ) / (32.0 * (end.saturating_sub(start)) as f64)).max(0.0);
    (end > start + 24).then(|| Agreement {
        score,
        overlap_s: (end - start) as f64 * ITEM_S,
        offset_s: offset as f64 * ITEM_S,
        speed: 1.0,
    })
}

fn duplicates() {
    const TRACKS: usize = 100_000;
    const ITEMS: usize = 948;
    const KINDS: [(f64, usize); 7] = [(0.0, 0), (0.05, 0), (0.10, 0), (0.15, 0), (0.05, 300), (0.10, 300), (0.15, 300)];
    let mut random = Random(3);
    let common: Vec<u32> = (0..200).map(|_| random.next() as u32).collect();
    let originals = TRACKS - 700 * KINDS.len();
    let mut prints: Vec<Vec<u32>> = (0..originals).map(|_| fingerprint(&mut random, &common, ITEMS)).collect();
    let mut planted: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for copy in 0..TRACKS - originals {
        let kind = copy % KINDS.len();
        let (rate, cut) = KINDS[kind];
        let original = copy * 17;
        planted.insert((original, prints.len()), kind);
        let source = &prints[original][cut..ITEMS - cut / 3];
        let copied: Vec<u32> = source.to_vec();
        prints.push(copied.into_iter().map(|item| flipped(&mut random, item, rate)).collect());
    }
    let views: Items = prints.iter().map(Vec::as_slice).collect();
    let progress = Progress::new();
    let settings = CandidateSettings::default();
    let (indexing, candidates) = seconds(|| fingerprint_candidates(&views, &settings, &progress).expect("candidates"));
    let content: Vec<Option<u64>> = vec![None; TRACKS];
    let compared_s: Vec<f64> = prints.iter().map(|items| items.len() as f64 * 0.1238).collect();
    let tracks = Tracks { content: &content, compared_s: &compared_s };
    let compare = |a: usize, b: usize| compared(&prints[a], &prints[b]);
    let (grouping, found) =
        seconds(|| find(&tracks, &candidates, compare, &Settings::default(), &Progress::new()).expect("groups"));
    println!(
        "duplicates, {TRACKS} tracks of {ITEMS} items: candidates {indexing:.1} s ({}), comparisons and groups {grouping:.1} s \
         ({} compared), {} threads",
        candidates.len(),
        found.compared,
        rayon::current_num_threads()
    );
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (number, group) in found.groups.iter().enumerate() {
        group.members.iter().for_each(|member| {
            group_of.insert(member.track, number);
        });
    }
    let pairs: usize = found.groups.iter().map(|group| group.members.len() * (group.members.len() - 1) / 2).sum();
    let mut right = 0;
    for (kind, (rate, cut)) in KINDS.iter().enumerate() {
        let of_kind: Vec<&(usize, usize)> = planted.iter().filter(|(_, k)| **k == kind).map(|(pair, _)| pair).collect();
        let reached = of_kind.iter().filter(|pair| candidates.binary_search(pair).is_ok()).count();
        let joined =
            of_kind.iter().filter(|(a, b)| group_of.contains_key(a) && group_of.get(a) == group_of.get(b)).count();
        right += joined;
        println!(
            "  bits flipped {:.0} %, {cut} items cut before and {} behind: candidates {:.2} %, grouped {:.2} % of {}",
            100.0 * rate,
            cut / 3,
            100.0 * reached as f64 / of_kind.len() as f64,
            100.0 * joined as f64 / of_kind.len() as f64,
            of_kind.len()
        );
    }
    println!("  precision {:.3} % of {pairs} pairs", 100.0 * right as f64 / pairs.max(1) as f64);
}

fn picture() {
    for tracks in [10_000, 100_000] {
        let table = library(tracks);
        let (scale, weights) = (Scale::of(&table), Weights::default());
        let points = Points::of(&table, &scale, &weights);
        let (plane_s, plane) = seconds(|| principal(&points));
        let progress = Progress::new();
        let (map_s, places) =
            seconds(|| map::map(&table, &scale, &weights, &HashMap::new(), &progress).expect("a map").places);
        let former = table.ids().iter().copied().zip(places.iter().copied()).skip(tracks / 100).collect();
        let (again_s, again) =
            seconds(|| map::map(&table, &scale, &weights, &former, &progress).expect("a map").places);
        let of = |places: &[map::MapPosition]| quality(&points, places, 12, 500, &Progress::new()).expect("measured");
        let (plane, kept, again) = (of(&plane), of(&places), of(&again));
        println!("map, {tracks} tracks: principal components {plane_s:.2} s {plane:.3?}");
        println!("  neighbours kept {map_s:.2} s {kept:.3?}; one in a hundred added {again_s:.2} s {again:.3?}");
    }
}

fn exports() {
    let folder = std::env::temp_dir();
    let row = |id: i64| TrackRow {
        id,
        path: format!("/music/artist {}/album {}/{id}.flac", id % 2000, id % 9000),
        title: Some(format!("title {id}")),
        artist: Some(format!("artist {}", id % 2000)),
        duration_s: Some(id as f64 * 0.01),
        rate_hz: Some(44_100),
        features: (0..DIMENSION_COUNT as i64).map(|d| Some((id * (d + 3) % 977) as f64 / 977.0)).collect(),
        ..TrackRow::default()
    };
    for format in Format::ALL {
        let target = folder.join(format!("undertone-export-{}.{}", std::process::id(), format.name()));
        let rows = (0..100_000).map(|id| Ok(row(id)));
        let (took, written) = seconds(|| export(&target, format, rows, true, &[], &Progress::new()).expect("exported"));
        println!("export, 100,000 tracks, {}: {took:.2} s, {:.1} MB", format.name(), written.bytes as f64 / 1e6);
        std::fs::remove_file(&target).expect("removed");
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let benches: [(&str, fn()); 5] =
        [("similar", similar), ("query", queries), ("duplicates", duplicates), ("map", picture), ("export", exports)];
    for (_, bench) in benches.iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|asked| asked == name)) {
        bench();
    }
}
