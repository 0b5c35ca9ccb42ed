//! The data kept beside a library - the index of landmarks and results of comparisons - never changes an answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use rusqlite::{Connection, params};
use undertone::fingerprint::Fingerprints;
use undertone::fingerprint::landmark::{Landmarks, Peak, STEPS_PER_OCTAVE, Sketch, TIME_UNIT_S};
use undertone::library::answers::{duplicates, duplicates_of_many, identify, index_folder};
use undertone::library::{Decision, Library};
use undertone::progress::Progress;

const SECONDS: f64 = 36.0;

fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % u64::from(below)) as u32
    }
}

/// A recording, as one of five versions: four with noise, one faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    recording: u64,
    kind: u64,
}

impl Version {
    fn items(self) -> Vec<u32> {
        let mut next = random(self.recording);
        let mut item = next(u32::MAX);
        let mut flips = random(self.recording * 31 + self.kind + 500);
        (0..270)
            .map(|_| {
                item ^= 1 << next(32) | 1 << next(32);
                if self.kind == 4 {
                    flips(u32::MAX)
                } else {
                    item ^ u32::from(flips(3) == 0 && self.kind > 0) << flips(32)
                }
            })
            .collect()
    }

    fn landmarks(self) -> Landmarks {
        let mut next = random(self.recording + 7);
        let mut lost = random(self.recording * 31 + self.kind + 900);
        let length = (SECONDS / TIME_UNIT_S) as u32;
        let speed = if self.kind == 4 { 1.03 } else { 1.0 };
        let higher = (f64::from(STEPS_PER_OCTAVE) * f64::log2(speed)).round() as u16;
        let mut peaks = Vec::new();
        for _ in 0..(16.0 * SECONDS) as usize {
            let (time, place, strength) = (next(length), next(1100) as u16, next(32) as u8);
            if self.kind == 0 || lost(8) > 0 {
                peaks.push(Peak { time: (f64::from(time) / speed) as u32, place: place + higher, strength });
            }
        }
        peaks.sort_unstable();
        peaks.dedup_by_key(|peak| (peak.time, peak.place));
        Landmarks { peaks, length: (f64::from(length) / speed) as u32 }
    }

    fn key(self) -> [u8; 32] {
        let mut key = [7; 32];
        key[..8].copy_from_slice(&self.recording.to_le_bytes());
        key[8..16].copy_from_slice(&self.kind.to_le_bytes());
        key
    }
}

/// The tracks of a library, written as a scan would write them, but without files.
struct Made {
    library: Library,
    database: Connection,
    clock: i64,
    _folder: tempfile::TempDir,
}

impl Made {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.sqlite");
        let (library, _) = Library::open(&path).unwrap();
        let database = Connection::open(&path).unwrap();
        database.execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON").unwrap();
        database.execute("INSERT INTO root (path, path_exact, added_at) VALUES ('/music', x'', 0)", []).unwrap();
        Self { library, database, clock: 0, _folder: folder }
    }

    fn put(&mut self, id: i64, version: Version) {
        self.clock += 1;
        let landmarks = version.landmarks();
        let items: Vec<u8> = version.items().iter().flat_map(|item| item.to_le_bytes()).collect();
        self.database
            .execute(
                "INSERT INTO track (id, root, path, path_exact, bytes, modified_ns, state, added_at, analysed_at,
                     duration_s, audio_key)
                 VALUES (?1, 1, ?2, x'', 1, 1, 'done', 1, ?3, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET analysed_at = ?3, audio_key = ?5",
                params![id, format!("/music/{id}.flac"), self.clock, SECONDS, version.key()],
            )
            .unwrap();
        let sql = "INSERT OR REPLACE INTO fingerprint (track_id, chromaprint, landmarks) VALUES (?1, ?2, ?3)";
        self.database.execute(sql, params![id, items, landmarks.to_bytes()]).unwrap();
        let sql = "INSERT OR REPLACE INTO sketch (track_id, data) VALUES (?1, ?2)";
        self.database.execute(sql, params![id, Sketch::of(&landmarks).to_bytes()]).unwrap();
    }

    fn kept(&self) -> PathBuf {
        index_folder(&self.library).join("comparisons")
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn kept_comparisons_change_no_answer(
        steps in proptest::collection::vec(
            proptest::collection::vec((0..14i64, proptest::option::weighted(0.8, (0..4u64, 0..5u64))), 1..7),
            2..5,
        ),
        of_many: bool,
    ) {
        let mut made = Made::new();
        let mut there: BTreeMap<i64, Version> = BTreeMap::new();
        // As with few tracks, or as with many, where only new ones are searched for.
        let many = if of_many { 0 } else { usize::MAX };
        for step in steps {
            for (id, version) in step {
                match version.map(|(recording, kind)| Version { recording, kind }) {
                    Some(version) => {
                        made.put(id, version);
                        there.insert(id, version);
                    }
                    None if there.remove(&id).is_some() => {
                        made.library.forget(&[id]).unwrap();
                    }
                    None => {}
                }
            }
            let found = duplicates_of_many(&made.library, many, &Progress::new()).unwrap();
            let kept = fs::read(made.kept()).ok();
            if kept.is_some() {
                fs::remove_file(made.kept()).unwrap();
            }
            let whole = duplicates(&made.library, &Progress::new()).unwrap();
            prop_assert_eq!(&found, &whole);
            // The expected duplicates are found: a recording's versions of one kind are in one group.
            for (id, version) in &there {
                let twin = there.iter().find(|(other, twin)| *other > id && *twin == version);
                let group = found.groups.iter().find(|group| group.iter().any(|member| member.id == *id));
                if let Some((twin, _)) = twin {
                    prop_assert!(group.is_some_and(|group| group.iter().any(|member| member.id == *twin)));
                }
            }
            if let Some(kept) = kept {
                fs::write(made.kept(), kept).unwrap();
            }
        }
    }
}

#[test]
fn a_changed_track_is_compared_anew_and_a_kept_pair_is_not() {
    let mut made = Made::new();
    for (id, recording, kind) in [(1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 2, 0), (5, 2, 3)] {
        made.put(id, Version { recording, kind });
    }
    let groups = |made: &Made| -> Vec<Vec<i64>> {
        let found = duplicates_of_many(&made.library, 0, &Progress::new()).unwrap();
        let mut groups: Vec<Vec<i64>> =
            found.groups.iter().map(|group| group.iter().map(|member| member.id).collect()).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        groups
    };
    assert_eq!(groups(&made), [vec![1, 2, 3], vec![4, 5]]);
    // Only the stored results can tell that these are the same.
    let nothing: &[u8] = &[];
    made.database.execute("UPDATE fingerprint SET landmarks = ?1", [nothing]).unwrap();
    assert_eq!(groups(&made), [vec![1, 2, 3], vec![4, 5]]);
    made.put(2, Version { recording: 3, kind: 0 });
    made.put(5, Version { recording: 4, kind: 0 });
    assert_eq!(groups(&made), [vec![1, 3]]);
    made.library.decide(1, 3, Some(Decision::Different)).unwrap();
    assert!(groups(&made).is_empty());
    made.library.decide(1, 3, None).unwrap();
    assert_eq!(groups(&made), [vec![1, 3]]);
}

#[test]
fn a_clip_is_found_with_the_index_and_without_a_place_for_it() {
    let mut made = Made::new();
    made.database.execute_batch("BEGIN").unwrap();
    for id in 1..=1010 {
        made.put(id, Version { recording: id as u64, kind: 0 });
    }
    made.database.execute_batch("COMMIT").unwrap();
    let clip = |recording: u64| {
        let mut landmarks = Version { recording, kind: 4 }.landmarks();
        let from = landmarks.length / 3;
        landmarks.peaks.retain(|peak| (from..2 * from).contains(&peak.time));
        landmarks.peaks.iter_mut().for_each(|peak| peak.time -= from);
        Fingerprints { chromaprint: Version { recording, kind: 1 }.items()[40..140].to_vec(), landmarks }
    };
    let ask = |made: &Made, recording: u64| identify(&made.library, &clip(recording), 3, &Progress::new()).unwrap();
    let found = ask(&made, 500);
    assert_eq!((found.tracks[0].id, found.asked, found.outdated), (500, 1010, 0));
    let folder = index_folder(&made.library);
    assert!(folder.join("manifest").exists());
    assert!(ask(&made, 5000).tracks.is_empty());
    // The index is updated with the library.
    made.put(500, Version { recording: 3000, kind: 0 });
    made.library.forget(&[7]).unwrap();
    let found = ask(&made, 3000);
    assert_eq!((found.tracks[0].id, found.asked), (500, 1009));
    assert!(ask(&made, 500).tracks.is_empty() && ask(&made, 7).tracks.is_empty());
    // It may be damaged or deleted at any time.
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    assert_eq!(ask(&made, 800), {
        fs::remove_dir_all(&folder).unwrap();
        ask(&made, 800)
    });
    // If the index cannot be stored, everything is read.
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, b"no folder").unwrap();
    let read = ask(&made, 800);
    assert_eq!((read.tracks[0].id, read.asked), (800, 1009));
    fs::remove_file(&folder).unwrap();
    assert_eq!(ask(&made, 800).tracks[0].place, read.tracks[0].place);
}

#[test]
fn of_many_tracks_what_was_searched_is_found_again_when_its_copy_is_gone() {
    let mut made = Made::new();
    // Two exact copies, and one with noise, which is compared only with the first of them.
    for (id, kind) in [(1, 0), (2, 0), (3, 1)] {
        made.put(id, Version { recording: 1, kind });
    }
    made.put(4, Version { recording: 2, kind: 0 });
    let ids = |made: &Made| -> Vec<i64> {
        let found = duplicates_of_many(&made.library, 0, &Progress::new()).unwrap();
        let mut ids: Vec<i64> = found.groups.iter().flatten().map(|member| member.id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(&made), [1, 2, 3]);
    made.library.decide(1, 3, Some(Decision::Different)).unwrap();
    assert_eq!(ids(&made), [1, 2]);
    made.library.decide(1, 3, None).unwrap();
    assert_eq!(ids(&made), [1, 2, 3]);
    made.library.forget(&[1]).unwrap();
    assert_eq!(ids(&made), [2, 3]);
    // A faster one is proposed by the sketches alone.
    made.put(5, Version { recording: 2, kind: 4 });
    assert_eq!(ids(&made), [2, 3, 4, 5]);
}
