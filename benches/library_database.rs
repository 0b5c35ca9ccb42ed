//! Times the library's database with 100,000 tracks: loading all features, a page of the sorted table at any offset, a
//! text search, a filter by features, and writing as a scan does.
//!
//! `cargo bench --bench library_database`; `TRACKS` sets another number. The best of several runs counts. With
//! `KEEP=PATH` the library is kept at `PATH` for `benches/library_frames.mjs`, and nothing is timed.

use std::hint::black_box;
use std::time::Instant;

use rusqlite::{Connection, params};
use undertone::library::{FEATURES, Library, SortKey, TrackQuery};

/// Returns the best time of `runs` runs in milliseconds.
fn best(runs: usize, mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let began = Instant::now();
        run();
        began.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

fn fill(path: &std::path::Path, tracks: i64) {
    let mut database = Connection::open(path).expect("opens");
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000").expect("settles");
    let transaction = database.transaction().expect("begins");
    transaction.execute("INSERT INTO root (path, path_exact, added_at) VALUES ('/music', x'', 0)", []).expect("root");
    {
        let mut track = transaction
            .prepare(
                "INSERT INTO track (root, path, path_exact, bytes, modified_ns, state, added_at, title, artist, album,
                     genre, year, track_no, duration_s, rate_hz, channels, format, codec, bit_rate, quick_key, audio_key)
                 VALUES (1, ?1, x'', 9000000, ?2, 'done', ?2, ?3, ?4, ?5, 'Rock', ?6, ?7, ?8, 44100, 2, 'FLAC', 'FLAC',
                     900000, randomblob(32), randomblob(32))",
            )
            .expect("prepares");
        let places = (2..27).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
        let mut feature = transaction
            .prepare(&format!("INSERT INTO feature (track_id, {}) VALUES (?1, {places})", FEATURES.join(", ")))
            .expect("prepares");
        for id in 1..=tracks {
            let mixed = id * 7919 % tracks;
            let (artist, album) = (format!("The Artist {}", mixed % 3000), format!("Album {}", mixed % 9000));
            let title = format!("Song number {mixed} of some words");
            let path = format!("/music/{artist}/{album}/{:02} {title}.flac", id % 15);
            track
                .execute(params![path, id, title, artist, album, 1950 + mixed % 75, id % 15, mixed as f64 / 300.0])
                .expect("inserts");
            let values: Vec<f64> =
                (0..26).map(|k| if k == 0 { id as f64 } else { ((mixed * (k + 3)) % 9973) as f64 / 77.0 }).collect();
            feature.execute(rusqlite::params_from_iter(values)).expect("inserts");
        }
    }
    transaction.commit().expect("commits");
    database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("checkpoints");
}

fn main() {
    let tracks: i64 = std::env::var("TRACKS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    if let Some(path) = std::env::var_os("KEEP") {
        drop(Library::open(path.as_ref()).expect("opens"));
        return fill(path.as_ref(), tracks);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("library.sqlite");
    drop(Library::open(&path).expect("opens"));
    let began = Instant::now();
    fill(&path, tracks);
    let filled_s = began.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    println!("{tracks} tracks filled in {filled_s:.1} s, {:.0} MB without blobs", bytes as f64 / 1e6);
    let row = |what: &str, ms: f64| println!("{what:<58} {ms:>9.2} ms");
    row("open, read through", best(3, || drop(Library::open(&path))));
    let (library, _) = Library::open(&path).expect("opens");
    row("all features", best(5, || drop(black_box(library.features_table()))));
    let all = TrackQuery::default();
    let touch = || {
        // Any change of the database invalidates the cached order.
        let other = Connection::open(&path).expect("opens");
        other.execute("UPDATE root SET added_at = added_at + 1", []).expect("writes");
    };
    for columns in [&["artist", "album", "track_no"][..], &["title"], &["duration_s"], &["tempo_bpm"], &["path"]] {
        let sort: Vec<SortKey> = columns.iter().map(|column| SortKey::up(column)).collect();
        let mut first = f64::INFINITY;
        for _ in 0..5 {
            touch();
            first = first.min(best(1, || drop(black_box(library.tracks(&all, &sort, 0, 60)))));
        }
        row(&format!("first page by {}", columns.join(", ")), first);
        let offsets = [0, tracks / 3, tracks / 2, tracks - 60];
        let worst = offsets
            .iter()
            .map(|offset| best(5, || drop(black_box(library.tracks(&all, &sort, *offset as usize, 60)))))
            .fold(0.0, f64::max);
        row("    60 rows at the worst of four offsets", worst);
    }
    for text in ["song", "number 4711", "artist 29 album 8"] {
        let query = TrackQuery { text: text.to_owned(), filter: None };
        let mut found = 0;
        let mut ms = f64::INFINITY;
        for _ in 0..5 {
            touch();
            ms = ms.min(best(1, || found = library.tracks(&query, &[], 0, 60).map_or(0, |page| page.total)));
        }
        row(&format!("search for `{text}`: {found} found"), ms);
    }
    let filter = "bpm:40.00..60.00 loudness:<80 genre:=Rock".parse().expect("a query");
    let query = TrackQuery { text: String::new(), filter: Some(filter) };
    let mut found = 0;
    let mut ms = f64::INFINITY;
    for _ in 0..5 {
        touch();
        ms = ms.min(best(1, || {
            found = library.tracks(&query, &[SortKey::up("tempo_bpm")], 0, 60).map_or(0, |page| page.total);
        }));
    }
    row(&format!("filter by two features and a genre: {found} found"), ms);
}
