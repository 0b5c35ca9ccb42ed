//! Times questions to a library of very many tracks: identification with the index on disk, duplicates after a thousand
//! new tracks, and likeness from the database on; with sizes and memory.
//!
//! `cargo bench --bench library_million`; `TRACKS` sets the number of tracks, 100,000 unless told otherwise. A million
//! takes 30 GB and hours. `PARTS` names those to time, of `similar`, `identify` and `duplicates`, all unless told
//! otherwise. `LIBRARY` names a folder in which the library is kept for the next run. With up to `IN_MEMORY` tracks,
//! 100,000 unless told otherwise, the index in memory gets the same queries.

#[path = "support/tracks.rs"]
mod tracks;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use rusqlite::{Connection, params};
use undertone::features::dimensions::DIMENSIONS;
use undertone::fingerprint::Fingerprints;
use undertone::fingerprint::landmark::{Index, Landmarks, Peak, Sketch, TIME_UNIT_S, verify};
use undertone::library::answers::{Duplicates, duplicates, identify, index_folder};
use undertone::library::questions::similar::{Question, Similar, Weights};
use undertone::library::questions::table::Table;
use undertone::library::{FEATURES, Library};
use undertone::progress::Progress;

use self::tracks::{COPIES, Random, faster, flipped, in_order, items, landmarks};

/// The number of tracks that are added for the second search for duplicates.
const NEW: usize = 1000;
/// The number of tracks made at a time.
const AT_ONCE: usize = 1024;
/// The number of clips of each kind, and their length in seconds.
const CLIPS: usize = 50;
const CLIP_S: f64 = 10.0;
/// Seconds of a Chromaprint item.
const ITEM_S: f64 = 0.1238;
/// The number of candidates that identification verifies.
const CANDIDATES: usize = 32;

/// The fingerprint and landmarks of a track.
struct Made {
    items: Vec<u32>,
    landmarks: Landmarks,
}

/// Makes a track, always the same one for a number.
fn made(number: usize, common: &[u32]) -> Made {
    let mut random = Random((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.next();
    }
    if number % COPIES != 1 {
        return Made { items: items(&mut random, common), landmarks: landmarks(&mut random) };
    }
    let of = made(number - 1, common);
    // A tenth of the bits flipped, 40 s cut off, or 3 % faster.
    let (items, landmarks) = match number / COPIES % 3 {
        0 => (of.items.iter().map(|&item| flipped(&mut random, item, 0.1)).collect(), of.landmarks),
        1 => (of.items[320..].to_vec(), of.landmarks),
        _ => (items(&mut random, common), faster(&mut random, &of.landmarks)),
    };
    Made { items, landmarks }
}

fn common() -> Vec<u32> {
    let mut random = Random(11);
    (0..200).map(|_| random.next() as u32).collect()
}

/// Adds the tracks with these numbers to a library.
fn fill(path: &Path, numbers: std::ops::Range<usize>) {
    let common = common();
    let mut database = Connection::open(path).expect("opens");
    database.execute_batch("PRAGMA synchronous = OFF").expect("settles");
    let names = FEATURES.join(", ");
    let marks = (2..FEATURES.len() + 2).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
    let mut from = numbers.start;
    while from < numbers.end {
        let to = (from + AT_ONCE).min(numbers.end);
        let tracks: Vec<(usize, Made, Vec<u8>, Vec<u8>)> = (from..to)
            .into_par_iter()
            .map(|number| {
                let made = made(number, &common);
                let (sketch, landmarks) = (Sketch::of(&made.landmarks).to_bytes(), made.landmarks.to_bytes());
                (number, made, sketch, landmarks)
            })
            .collect();
        let transaction = database.transaction().expect("begins");
        {
            let sql = "INSERT OR IGNORE INTO root (id, path, path_exact, added_at) VALUES (1, '/music', x'', 0)";
            transaction.execute(sql, []).expect("root");
            let sql = "INSERT INTO track (id, root, path, path_exact, bytes, modified_ns, state, added_at, analysed_at,
                           duration_s, title, artist, album, audio_key)
                       VALUES (?1, 1, ?2, x'', 9000000, 1, 'done', 1, ?1, 240.0, ?3, ?4, ?5, randomblob(32))";
            let mut track = transaction.prepare_cached(sql).expect("prepares");
            let sql = "INSERT INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, ?2, ?3)";
            let mut fingerprint = transaction.prepare_cached(sql).expect("prepares");
            let sql = "INSERT INTO sketch (track_id, data) VALUES (?1, ?2)";
            let mut put_sketch = transaction.prepare_cached(sql).expect("prepares");
            let sql = format!("INSERT INTO feature (track_id, {names}) VALUES (?1, {marks})");
            let mut feature = transaction.prepare_cached(&sql).expect("prepares");
            for (number, made, sketch, landmarks) in &tracks {
                let id = *number as i64 + 1;
                let path = format!("/music/artist {}/album {}/{number}.flac", number / 100, number / 10);
                let (artist, album) = (format!("artist {}", number / 100), format!("album {}", number / 10));
                track.execute(params![id, path, format!("title {number}"), artist, album]).expect("inserts");
                let bytes: Vec<u8> = made.items.iter().flat_map(|item| item.to_le_bytes()).collect();
                fingerprint.execute(params![id, bytes, landmarks]).expect("inserts");
                put_sketch.execute(params![id, sketch]).expect("inserts");
                let mut random = Random(id as u64 * 77 + 5);
                let value = |dimension: usize, random: &mut Random| {
                    DIMENSIONS[dimension].low + random.unit() * (DIMENSIONS[dimension].high - DIMENSIONS[dimension].low)
                };
                let values = (0..FEATURES.len()).map(|dimension| value(dimension, &mut random));
                let row: Vec<rusqlite::types::Value> =
                    std::iter::once(id.into()).chain(values.map(Into::into)).collect();
                feature.execute(rusqlite::params_from_iter(row)).expect("inserts");
            }
        }
        transaction.commit().expect("commits");
        from = to;
    }
    database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("checkpoints");
}

/// The kinds of clips: name, speed, share of the peaks that are lost, peaks added per peak kept.
const KINDS: [(&str, f64, f64, f64); 5] = [
    ("as it is", 1.0, 0.0, 0.0),
    ("noise: 40 % lost, as many new", 1.0, 0.4, 1.0),
    ("noise: 60 % lost, twice as many new", 1.0, 0.6, 2.0),
    ("3 % faster, 20 % lost", 1.03, 0.2, 0.0),
    ("5 % slower, 40 % lost, half as many new", 0.95, 0.4, 0.5),
];

/// Cuts a clip from a track. Only an unmodified clip has Chromaprint items of the track.
fn clip(of: &Made, kind: (&str, f64, f64, f64), random: &mut Random) -> Fingerprints {
    let (_, speed, lost, new) = kind;
    let length = (CLIP_S / TIME_UNIT_S) as u32;
    let begin = random.below(u64::from(of.landmarks.length - 2 * length)) as u32;
    let place_of = |place: u16| {
        let moved = f64::from(place) + f64::from(undertone::fingerprint::landmark::STEPS_PER_OCTAVE) * speed.log2();
        (0.0..1152.0).contains(&moved).then_some(moved as u16)
    };
    let mut peaks: Vec<Peak> = Vec::new();
    for peak in of.landmarks.peaks.iter().filter(|peak| peak.time >= begin) {
        let time = (f64::from(peak.time - begin) / speed) as u32;
        if time < length && random.unit() >= lost {
            peaks.extend(place_of(peak.place).map(|place| Peak { time, place, strength: peak.strength }));
        }
    }
    for _ in 0..(peaks.len() as f64 * new) as usize {
        let (time, place) = (random.below(u64::from(length)) as u32, random.below(1152) as u16);
        peaks.push(Peak { time, place, strength: random.below(24) as u8 });
    }
    let first = (f64::from(begin) * TIME_UNIT_S / ITEM_S) as usize;
    let items = ((CLIP_S - 2.4) / ITEM_S) as usize;
    let chromaprint = if lost == 0.0 && first + items <= of.items.len() {
        of.items[first..first + items].iter().map(|&item| flipped(random, item, 0.03)).collect()
    } else {
        (0..items).map(|_| random.next() as u32).collect()
    };
    Fingerprints { chromaprint, landmarks: in_order(peaks, length) }
}

/// Returns a figure of this process in MiB, if the system reports it.
fn memory_mib(figure: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    line.and_then(|line| line.trim_matches([':', ' ', '\t']).trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0)
        / 1024
}

/// Begins a new measurement of the peak memory.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn megabytes(path: &Path) -> f64 {
    let of = |path: PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let bytes = match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| of(entry.path())).sum::<u64>(),
        Err(_) => of(path.to_path_buf()),
    };
    bytes as f64 / 1e6
}

fn seconds<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

fn tell_times(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    println!("  {what}: median {:.3} s, worst {:.3} s", times[times.len() / 2], times[times.len() - 1]);
}

/// Makes clips of all kinds, each with the number of its kind and of its track, from the track `after` on.
fn clips_of(tracks: usize, after: usize, random: &mut Random) -> Vec<(usize, usize, Fingerprints)> {
    let common = common();
    let one = |number: usize| {
        // An original, as its copies are correct answers, too.
        let track = after + random.below(tracks as u64 / 100) as usize * 100 + 2 + random.below(98) as usize;
        (number % KINDS.len(), track, clip(&made(track, &common), KINDS[number % KINDS.len()], random))
    };
    (0..KINDS.len() * CLIPS).map(one).collect()
}

fn ask(library: &Library, tracks: usize) -> Vec<(usize, usize, Fingerprints)> {
    let mut random = Random(99);
    let clips = clips_of(tracks, 0, &mut random);
    // Those of tracks that the library does not have must not be found.
    let strange = clips_of(tracks, 100 * tracks, &mut random);
    forget_peak();
    let mut times: [Vec<f64>; KINDS.len()] = Default::default();
    let (mut right, mut wrong, mut strange_found) = ([0; KINDS.len()], [0; KINDS.len()], [0; KINDS.len()]);
    let mut first = |clip: &Fingerprints, kind: usize| {
        let (time, found) = seconds(|| identify(library, clip, 5, &Progress::new()).expect("identified"));
        times[kind].push(time);
        found.tracks.first().map(|first| first.id)
    };
    for (kind, track, clip) in &clips {
        let found = first(clip, *kind);
        right[*kind] += usize::from(found == Some(*track as i64 + 1));
        wrong[*kind] += usize::from(found.is_some_and(|id| id != *track as i64 + 1));
    }
    for (kind, _, clip) in &strange {
        strange_found[*kind] += usize::from(first(clip, *kind).is_some());
    }
    println!("identify, {} clips of {CLIP_S} s, peak memory {} MiB", 2 * clips.len(), memory_mib("VmHWM"));
    println!("  first: {:.3} s", times[0][0]);
    tell_times("all", times.concat());
    for (kind, times) in times.into_iter().enumerate() {
        let (name, right, wrong, strange) = (KINDS[kind].0, right[kind], wrong[kind], strange_found[kind]);
        tell_times(
            &format!("{name}, {right} of {CLIPS} found, {wrong} wrong, {strange} of {CLIPS} that are not there"),
            times,
        );
    }
    clips
}

/// Asks an index in memory the same. Its candidates are verified with landmarks made again.
fn ask_in_memory(library: &Library, clips: &[(usize, usize, Fingerprints)]) {
    let (time, index) = seconds(|| {
        let mut index = Index::default();
        library
            .for_each_fingerprint(|id, _, _, bytes| {
                index.add(id as u32 - 1, &Landmarks::from_bytes(bytes).expect("landmarks"))
            })
            .expect("read");
        index.settle();
        index
    });
    println!("index in memory: made in {time:.1} s, {:.0} MB", index.bytes() as f64 / 1e6);
    let common = common();
    let mut right = [0; KINDS.len()];
    let mut times = Vec::new();
    for (kind, track, clip) in clips {
        let (time, candidates) = seconds(|| index.candidates(&clip.landmarks, CANDIDATES));
        times.push(time);
        let found = candidates.iter().find(|candidate| candidate.track == *track as u32);
        let is_verified = |candidate| verify(&clip.landmarks, &made(*track, &common).landmarks, candidate).is_some();
        right[*kind] += usize::from(found.is_some_and(is_verified));
    }
    tell_times("candidates alone", times);
    for (kind, right) in KINDS.iter().zip(right) {
        println!("  {}: {right} of {CLIPS}", kind.0);
    }
}

fn search(what: &str, library: &Library, numbers: std::ops::Range<usize>) -> Duplicates {
    forget_peak();
    let (time, found) = seconds(|| duplicates(library, &Progress::new()).expect("found"));
    let mut group_of: HashMap<i64, usize> = HashMap::new();
    for (number, group) in found.groups.iter().enumerate() {
        group_of.extend(group.iter().map(|member| (member.id, number)));
    }
    let copies: Vec<usize> = numbers.filter(|number| number % COPIES == 1).collect();
    let together = |number: &&usize| {
        let (copy, of) = (**number as i64 + 1, **number as i64);
        group_of.contains_key(&copy) && group_of.get(&copy) == group_of.get(&of)
    };
    println!(
        "duplicates, {what}: {time:.1} s, {} compared, {} groups, {} of {} copies, peak memory {} MiB",
        found.compared,
        found.groups.len(),
        copies.iter().filter(together).count(),
        copies.len(),
        memory_mib("VmHWM")
    );
    found
}

fn similar(library: &Library) {
    forget_peak();
    let (read, features) = seconds(|| library.features_table().expect("features"));
    let (prepared, similar) = seconds(|| Similar::new(Table::new(features.ids, features.rows).expect("a table")));
    let weights = Weights::default();
    let question = Question { weights: &weights, count: 10, accept: None };
    let (asked, _) = seconds(|| similar.to_track(1, &question).expect("answered"));
    println!(
        "similar: read in {read:.2} s, prepared in {prepared:.2} s, answered in {asked:.3} s, peak memory {} MiB",
        memory_mib("VmHWM")
    );
}

/// Makes the index and asks it.
fn identified(library: &Library, tracks: usize) -> Vec<(usize, usize, Fingerprints)> {
    let clip = clip(&made(2, &common()), KINDS[0], &mut Random(3));
    forget_peak();
    let (time, _) = seconds(|| identify(library, &clip, 5, &Progress::new()).expect("identified"));
    println!(
        "index: made in {time:.1} s, {:.2} s per thousand tracks, peak memory {} MiB, {:.0} MB",
        1000.0 * time / tracks as f64,
        memory_mib("VmHWM"),
        megabytes(&index_folder(library))
    );
    ask(library, tracks)
}

/// Searches for duplicates from the beginning, again, and after new tracks.
fn duplicated(library: &Library, tracks: usize, clips: &[(usize, usize, Fingerprints)], from_the_beginning: bool) {
    search("all", library, 0..tracks);
    search("again", library, 0..tracks);
    let there = library.versions().expect("read").len();
    fill(library.path(), there..there + NEW);
    let kept = search("after 1,000 new tracks", library, there..there + NEW);
    if let Some((_, _, clip)) = clips.first() {
        let (time, _) = seconds(|| identify(library, clip, 5, &Progress::new()).expect("identified"));
        println!("identify after 1,000 new tracks: {time:.2} s");
    }
    if from_the_beginning {
        std::fs::remove_file(index_folder(library).join("comparisons")).expect("removed");
        let whole = search("the same from the beginning", library, there..there + NEW);
        assert_eq!(kept, whole, "what was kept gives another answer");
    }
}

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let tracks = number("TRACKS").unwrap_or(100_000);
    let in_memory = number("IN_MEMORY").unwrap_or(100_000);
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = std::env::var_os("LIBRARY").map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("library.sqlite");
    let (library, _) = Library::open(&path).expect("opens");
    let there = library.versions().expect("read").len();
    if there < tracks {
        let (time, ()) = seconds(|| fill(&path, there..tracks));
        println!("{tracks} tracks, of them {} filled in {time:.0} s", tracks - there);
    }
    println!("database: {:.0} MB; {} threads", megabytes(&path), rayon::current_num_threads());
    let parts = std::env::var("PARTS").ok();
    let is_timed = |part: &str| parts.as_ref().is_none_or(|parts| parts.split(',').any(|one| one == part));
    if is_timed("similar") {
        similar(&library);
    }
    let clips = if is_timed("identify") { identified(&library, tracks) } else { Vec::new() };
    if is_timed("duplicates") {
        duplicated(&library, tracks, &clips, tracks <= in_memory);
    }
    if tracks <= in_memory && !clips.is_empty() {
        ask_in_memory(&library, &clips);
    }
}
