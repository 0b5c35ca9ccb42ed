//! Times the search for duplicates in a whole library, from its database to the groups: 100,000 tracks with synthetic
//! fingerprints, including re-encoded, shortened and 3 % faster copies.
//!
//! `cargo bench --bench library_duplicates`; `TRACKS` sets another number. Runs once with the sketches that a scan
//! stores and once without, as in a library of an earlier version.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, params};
use undertone::app::library::{Duplicates, duplicates};
use undertone::fingerprint::landmark::{Landmarks, Peak, STEPS_PER_OCTAVE, Sketch, TIME_UNIT_S};
use undertone::library::Library;
use undertone::progress::Progress;

/// The number of Chromaprint items in two minutes, the length that a scan stores.
const ITEMS: usize = 948;
const SECONDS: f64 = 240.0;
/// One track in this many is a copy; the kinds take turns.
const COPIES: usize = 100;
const FASTER: f64 = 1.03;

/// A deterministic pseudorandom generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, many: u64) -> u64 {
        self.next() % many
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Returns the items of a track. Neighbours differ in a few bits; one in eight is shared by many tracks.
fn items(random: &mut Random, common: &[u32]) -> Vec<u32> {
    let mut item = random.next() as u32;
    let next = |_| {
        item ^= (random.next() & random.next() & random.next()) as u32;
        if random.below(8) == 0 { common[random.below(common.len() as u64) as usize] } else { item }
    };
    (0..ITEMS).map(next).collect()
}

/// Returns the peaks of synthetic music: notes of a key on the beats of a tempo, with harmonics, in four repeating
/// sections, plus drums and noise; about 23 per second.
fn landmarks(random: &mut Random) -> Landmarks {
    let length = (SECONDS / TIME_UNIT_S) as u32;
    let sixteenth_s = 60.0 / (80.0 + 80.0 * random.unit()) / 4.0;
    let sixteenth = sixteenth_s / TIME_UNIT_S;
    let key = random.unit() * 12.0;
    let semitone = f64::from(STEPS_PER_OCTAVE) / 12.0;
    let scale = [0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0];
    let per_section = 16 * 8;
    let section = |random: &mut Random| -> Vec<(u32, f64)> {
        // Some notes for each sixteenth, as frequency places that may exceed the range.
        let mut notes = Vec::new();
        for at in 0..per_section {
            let count = random.below(3) + u64::from(at % 4 == 0);
            for _ in 0..count {
                let degree = scale[random.below(7) as usize] + 12.0 * random.below(3) as f64;
                notes.push((at, (key + degree) * semitone));
            }
        }
        notes
    };
    let sections: Vec<Vec<(u32, f64)>> = (0..4).map(|_| section(random)).collect();
    let mut peaks: Vec<Peak> = Vec::new();
    let mut push = |random: &mut Random, time: f64, place: f64, strength: u64| {
        let (time, place) = (time + 2.0 * random.unit(), place + 3.0 * random.unit());
        if time >= 0.0 && (time as u32) < length && (0.0..f64::from(4 * STEPS_PER_OCTAVE)).contains(&place) {
            peaks.push(Peak { time: time as u32, place: place as u16, strength: strength as u8 });
        }
    };
    let mut begins = 0.0;
    while begins < f64::from(length) {
        for &(at, place) in &sections[random.below(4) as usize] {
            for harmonic in [1.0_f64, 2.0, 3.0] {
                if random.below(3) > 0 {
                    let above = harmonic.log2() * f64::from(STEPS_PER_OCTAVE);
                    let strength = 10 + random.below(20);
                    push(random, begins + f64::from(at) * sixteenth, place + above, strength);
                }
            }
        }
        for _ in 0..per_section {
            let (time, place) = (random.unit() * f64::from(per_section) * sixteenth, random.unit() * 1152.0);
            let strength = random.below(16);
            push(random, begins + time, place, strength);
        }
        begins += f64::from(per_section) * sixteenth;
    }
    in_order(peaks, length)
}

fn in_order(mut peaks: Vec<Peak>, length: u32) -> Landmarks {
    peaks.sort_unstable();
    peaks.dedup_by_key(|peak| (peak.time, peak.place));
    Landmarks { peaks, length }
}

/// Returns the peaks of a faster copy: earlier and higher. One peak in five is lost.
fn faster(random: &mut Random, of: &Landmarks) -> Landmarks {
    let higher = (f64::from(STEPS_PER_OCTAVE) * FASTER.log2()).round() as u16;
    let moved = |peak: &Peak| Peak {
        time: (f64::from(peak.time) / FASTER) as u32,
        place: peak.place + higher,
        strength: peak.strength,
    };
    let kept = |peak: &&Peak| random.below(5) > 0 && peak.place + higher < 4 * STEPS_PER_OCTAVE;
    in_order(of.peaks.iter().filter(kept).map(moved).collect(), (f64::from(of.length) / FASTER) as u32)
}

fn flipped(random: &mut Random, item: u32, rate: f64) -> u32 {
    (0..32).fold(item, |item, bit| item ^ (u32::from(random.unit() < rate) << bit))
}

/// Fills a library. Returns each copy with its original and its kind.
fn fill(path: &Path, tracks: usize) -> Vec<(i64, i64, &'static str)> {
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
        for number in 0..tracks {
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
                        _ => (self::items(&mut random, &common), faster(&mut random, landmarks)),
                    }
                }
                _ => (self::items(&mut random, &common), self::landmarks(&mut random)),
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
