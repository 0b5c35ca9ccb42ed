//! Times the search for duplicates in a whole library, from its database to the groups: 100,000 tracks with synthetic
//! fingerprints, including re-encoded, shortened and 3 % faster copies.
//!
//! `cargo bench --bench library_duplicates`; `TRACKS` sets another number. Runs once with the sketches that a scan
//! stores and once without, as in a library of an earlier version.

#[path = "support/tracks.rs"]
mod tracks;

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, params};
use undertone::fingerprint::landmark::{Landmarks, Sketch};
use undertone::library::Library;
use undertone::library::answers::{Duplicates, duplicates};
use undertone::progress::Progress;

use self::tracks::{COPIES, Random, faster, flipped};

/// Fills a library. Returns each copy with its original and its kind.
fn fill(path: &Path, count: usize) -> Vec<(i64, i64, &'static str)> {
    let mut random = Random(11);
    let common: Vec<u32> = (0..200).map(|_| random.next() as u32).collect();
    let mut database = Connection::open(path).expect("opens");
    database.execute_batch("PRAGMA synchronous = OFF").expect("settles");
    let transaction = database.transaction().expect("begins");
    transaction.execute("INSERT INTO root (path, path_exact, added_at) VALUES ('/music', x'', 0)", []).expect("root");
    let mut planted = Vec::new();
    {
        let sql = "INSERT INTO track (id, root, path, path_exact, bytes, modified_ns, state, added_at, duration_s,
                       audio_key) VALUES (?1, 1, ?2, x'', 9000000, 1, 'done', 1, 240.0, randomblob(32))";
        let mut track = transaction.prepare(sql).expect("prepares");
        let sql = "INSERT INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, ?2, ?3)";
        let mut fingerprint = transaction.prepare(sql).expect("prepares");
        let mut sketch = transaction.prepare("INSERT INTO sketch (track_id, data) VALUES (?1, ?2)").expect("prepares");
        let mut last: Option<(i64, Vec<u32>, Landmarks)> = None;
        for number in 0..count {
            let id = number as i64 + 1;
            let copies = number / COPIES;
            let (items, landmarks) = match &last {
                Some((of, items, landmarks)) if number % COPIES == 1 => {
                    let kind = ["10 % of bits", "cut by 40 s", "3 % faster"][copies % 3];
                    planted.push((*of, id, kind));
                    match kind {
                        "10 % of bits" => {
                            let items = items.iter().map(|&item| flipped(&mut random, item, 0.1)).collect();
                            (items, landmarks.clone())
                        }
                        "cut by 40 s" => (items[320..].to_vec(), landmarks.clone()),
                        _ => (tracks::items(&mut random, &common), faster(&mut random, landmarks)),
                    }
                }
                _ => (tracks::items(&mut random, &common), tracks::landmarks(&mut random)),
            };
            track.execute(params![id, format!("/music/{number}.flac")]).expect("inserts");
            let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_le_bytes()).collect();
            fingerprint.execute(params![id, bytes, landmarks.to_bytes()]).expect("inserts");
            sketch.execute(params![id, Sketch::of(&landmarks).to_bytes()]).expect("inserts");
            last = Some((id, items, landmarks));
        }
    }
    transaction.commit().expect("commits");
    database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("checkpoints");
    planted
}

fn tell(what: &str, found: &Duplicates, seconds: f64, planted: &[(i64, i64, &'static str)]) {
    let mut group_of: HashMap<i64, usize> = HashMap::new();
    for (number, group) in found.groups.iter().enumerate() {
        group_of.extend(group.iter().map(|member| (member.id, number)));
    }
    let pairs: usize = found.groups.iter().map(|group| group.len() * (group.len() - 1) / 2).sum();
    println!("{what}: {seconds:.1} s, {} compared, {pairs} pairs in groups, {} planted", found.compared, planted.len());
    for kind in ["10 % of bits", "cut by 40 s", "3 % faster"] {
        let of_kind: Vec<_> = planted.iter().filter(|(.., k)| *k == kind).collect();
        let joined = |(a, b, _): &&&(i64, i64, &str)| group_of.contains_key(a) && group_of.get(a) == group_of.get(b);
        println!("  {kind}: {} of {}", of_kind.iter().filter(joined).count(), of_kind.len());
    }
}

/// Returns the peak memory of this process in MiB, if the system reports it.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib / 1024)
}

fn main() {
    let tracks: usize = std::env::var("TRACKS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("library.sqlite");
    drop(Library::open(&path).expect("opens"));
    let began = Instant::now();
    let planted = fill(&path, tracks);
    let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    println!("{tracks} tracks filled in {:.0} s, {:.0} MB", began.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    let (library, _) = Library::open(&path).expect("opens");
    for what in ["with sketches kept", "without"] {
        if what == "without" {
            Connection::open(&path).and_then(|database| database.execute("DELETE FROM sketch", [])).expect("empties");
        }
        let began = Instant::now();
        let found = duplicates(&library, &Progress::new()).expect("found");
        tell(what, &found, began.elapsed().as_secs_f64(), &planted);
        println!("  {} threads; {:?} MiB at the most so far", rayon::current_num_threads(), peak_mib());
    }
}
