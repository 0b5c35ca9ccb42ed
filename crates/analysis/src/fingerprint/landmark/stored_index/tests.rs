//! Tests the index on disk against the one in memory, through changes, damage, kills and several processes at once.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::fingerprint::landmark::{Candidate, Index, Peak, verify};

fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 33) % u64::from(below)) as u32
    }
}

/// Random peaks, 15 a second.
fn landmarks(seed: u64, seconds: u32) -> Landmarks {
    let mut next = random(seed);
    let length = (f64::from(seconds) / super::super::TIME_UNIT_S) as u32;
    let peak = |_| Peak { time: next(length), place: next(1152) as u16, strength: next(32) as u8 };
    let mut peaks: Vec<Peak> = (0..15 * seconds).map(peak).collect();
    peaks.sort_unstable();
    peaks.dedup_by_key(|peak| (peak.time, peak.place));
    Landmarks { peaks, length }
}

fn items(seed: u64) -> Vec<u32> {
    let mut next = random(seed + 1000);
    (0..200).map(|_| next(u32::MAX)).collect()
}

/// The tracks of a library: the seed of each by its ID.
type Library = BTreeMap<i64, u64>;

fn versions(library: &Library) -> Vec<TrackVersion> {
    library.iter().map(|(&id, &seed)| TrackVersion { id, stamp: seed as i64 }).collect()
}

fn content(id: i64, seed: u64) -> TrackContent {
    TrackContent { id, chromaprint: items(seed), landmarks: landmarks(seed, 12).to_bytes() }
}

fn update(folder: &Path, library: &Library) -> StoredIndex {
    let read = |ids: &[i64]| Ok(ids.iter().filter_map(|id| Some(content(*id, *library.get(id)?))).collect());
    StoredIndex::update(folder, &versions(library), read, &Progress::new()).unwrap()
}

fn ids(found: &[(i64, Candidate)]) -> Vec<(i64, u32)> {
    let mut ids: Vec<(i64, u32)> = found.iter().map(|(id, candidate)| (*id, candidate.votes)).collect();
    ids.sort_unstable();
    ids
}

/// Checks that an index finds each track of a library by its landmarks and items, and nothing by those of an unknown
/// track.
fn finds_all(index: &StoredIndex, library: &Library) {
    for (&id, &seed) in library {
        let query = landmarks(seed, 12);
        let found = index.candidates(&query, 4).unwrap();
        let first = found.first().unwrap_or_else(|| panic!("nothing for track {id}"));
        assert!(first.0 == id || library[&first.0] == seed, "{id}: {found:?}");
        assert!(verify(&query, &query, &first.1).is_some_and(|found| found.score > 0.9));
        assert!(found.iter().all(|(id, _)| library.contains_key(id)));
        // Two of 200 random values agree by chance with those of one pair of tracks in 1,500.
        let sharing = index.sharing(&items(seed), 4, 10).unwrap();
        assert!(sharing.contains(&id) && sharing.iter().all(|other| library[other] == seed), "{id}: {sharing:?}");
    }
    assert!(index.sharing(&items(77_777), 4, 10).unwrap().is_empty());
}

#[test]
fn it_proposes_what_the_index_in_memory_proposes() {
    let folder = tempfile::tempdir().unwrap();
    let library: Library = (0..60).map(|number| (number * 3 + 5, number as u64)).collect();
    let index = update(folder.path(), &library);
    let mut memory = Index::default();
    for (&id, &seed) in &library {
        memory.add(id as u32, &landmarks(seed, 12)).unwrap();
    }
    memory.settle();
    finds_all(&index, &library);
    let mut right = 0;
    for seed in 0..60 {
        // A noisy clip of six seconds.
        let mut next = random(seed + 5);
        let mut clip = landmarks(seed, 12);
        clip.peaks.retain(|peak| peak.time > 344 && peak.time < 1376 && next(4) > 0);
        clip.peaks.extend(landmarks(seed + 900, 6).peaks.into_iter().take(40));
        clip.peaks.sort_unstable();
        let found = index.candidates(&clip, 3).unwrap();
        let expected = memory.candidates(&clip, 3);
        let first = found.first().map(|(id, candidate)| (*id, candidate.votes));
        assert_eq!(first, expected.first().map(|candidate| (i64::from(candidate.track), candidate.votes)));
        right += usize::from(first.is_some_and(|(id, _)| library[&id] == seed));
    }
    assert!(right >= 50, "{right} of 60");
    assert!(StoredIndex::open(folder.path()).unwrap().unwrap().is_of(&versions(&library)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// After any changes, the index equals one that is made of the same tracks at once.
    #[test]
    fn changes_lead_where_a_new_one_begins(
        steps in proptest::collection::vec(proptest::collection::vec((0..12i64, proptest::option::of(0..40u64)), 1..6), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut library = Library::new();
        for step in steps {
            for (id, seed) in step {
                match seed {
                    Some(seed) => library.insert(id, seed),
                    None => library.remove(&id),
                };
            }
            let index = update(folder.path(), &library);
            prop_assert!(index.is_of(&versions(&library)));
            let whole = tempfile::tempdir().unwrap();
            let whole = update(whole.path(), &library);
            prop_assert_eq!(index.len(), whole.len());
            for seed in 0..40 {
                let (clip, items) = (landmarks(seed, 12), items(seed));
                prop_assert_eq!(ids(&index.candidates(&clip, 12).unwrap()), ids(&whole.candidates(&clip, 12).unwrap()));
                prop_assert_eq!(index.sharing(&items, 2, 12).unwrap(), whole.sharing(&items, 2, 12).unwrap());
            }
        }
    }
}

#[test]
fn tracks_without_fingerprints_and_of_other_versions_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let tracks: Vec<TrackVersion> = (0..3).map(|id| TrackVersion { id, stamp: 1 }).collect();
    let read = |ids: &[i64]| {
        let outdated = TrackContent { landmarks: vec![99, 1, 2], ..content(1, 1) };
        Ok([content(0, 0), outdated].into_iter().filter(|track| ids.contains(&track.id)).collect())
    };
    let index = StoredIndex::update(folder.path(), &tracks, read, &Progress::new()).unwrap();
    assert_eq!((index.len(), index.outdated(), index.is_of(&tracks)), (2, 1, true));
    assert_eq!(index.sharing(&items(1), 2, 3).unwrap(), [1]);
}

/// Returns the files of an index but for its lock.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap() != LOCK).collect()
}

#[test]
fn damage_is_found_and_mended() {
    let library: Library = (0..6).map(|id| (id, id as u64)).collect();
    let mut next = random(3);
    for number in 0.. {
        let folder = tempfile::tempdir().unwrap();
        update(folder.path(), &library);
        let mut files = files_of(folder.path());
        files.sort();
        let Some(path) = files.get(number) else {
            assert_eq!(number, 3, "manifest, tracks and one segment");
            break;
        };
        let whole = fs::read(path).unwrap();
        let places = (0..60).map(|_| next(whole.len() as u32) as usize);
        let edges = (0..64).chain(whole.len().saturating_sub(64)..whole.len());
        for at in places.chain(edges).filter(|at| *at < whole.len()).collect::<Vec<_>>() {
            let mut spoiled = whole.clone();
            spoiled[at] ^= 1 << next(8);
            for bytes in [&spoiled[..], &whole[..at], &[]] {
                fs::write(path, bytes).unwrap();
                // Either the damage is reported, or there is no usable index, or the answer is right.
                match StoredIndex::open(folder.path()) {
                    Err(Error::Malformed { .. }) | Ok(None) => {}
                    Err(error) => panic!("{error}"),
                    Ok(Some(index)) if !index.is_of(&versions(&library)) => {}
                    Ok(Some(index)) => match index.candidates(&landmarks(2, 12), 3) {
                        Err(Error::Malformed { .. }) => {}
                        found => assert_eq!(found.unwrap()[0].0, 2),
                    },
                }
            }
        }
        // The next update makes it anew.
        fs::write(path, &whole[..whole.len() / 2]).unwrap();
        finds_all(&update(folder.path(), &library), &library);
    }
}

#[test]
fn a_block_that_lies_is_found_when_it_is_merged() {
    let folder = tempfile::tempdir().unwrap();
    let mut library: Library = (0..6).map(|id| (id, id as u64)).collect();
    update(folder.path(), &library);
    let segment = files_of(folder.path()).into_iter().find(|path| path.to_string_lossy().contains("segment")).unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    bytes[100] ^= 4;
    fs::write(&segment, bytes).unwrap();
    library.extend((10..16).map(|id| (id, id as u64)));
    finds_all(&update(folder.path(), &library), &library);
}

#[test]
fn a_manifest_names_files_of_its_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    update(folder.path(), &Library::from([(1, 1)]));
    let path = folder.path().join(MANIFEST);
    let manifest: Manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for name in ["../tracks-1", "/etc/passwd", "", "a/b", "a\\b", ".."] {
        let other = Manifest { segments: vec![name.to_owned()], ..manifest.clone() };
        fs::write(&path, serde_json::to_vec(&other).unwrap()).unwrap();
        assert!(matches!(StoredIndex::open(folder.path()), Err(Error::Malformed { .. })), "{name}");
    }
    let many = Manifest { segments: vec!["x".to_owned(); MAX_SEGMENTS + 1], ..manifest.clone() };
    fs::write(&path, serde_json::to_vec(&many).unwrap()).unwrap();
    assert!(matches!(StoredIndex::open(folder.path()), Err(Error::Malformed { .. })));
    let newer = Manifest { version: tracks::VERSION + 1, ..manifest };
    fs::write(&path, serde_json::to_vec(&newer).unwrap()).unwrap();
    assert!(StoredIndex::open(folder.path()).unwrap().is_none());
}

#[test]
fn readers_see_one_state_while_another_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let states: Vec<Library> =
        (1..=12).map(|count| (0..count).map(|id| (id, (id * 7 + count) as u64)).collect()).collect();
    update(folder.path(), &states[0]);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let index = StoredIndex::open(folder.path()).unwrap().unwrap();
                    let library = states.iter().find(|library| index.is_of(&versions(library)));
                    finds_all(&index, library.expect("a state that was written"));
                }
            });
        }
        for library in states.iter().cycle().take(30) {
            update(folder.path(), library);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn writers_wait_for_each_other_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let library: Library = (0..20).map(|id| (id, id as u64)).collect();
    fs::write(folder.path().join("segment-0-0-0"), b"of a killed writer").unwrap();
    fs::write(folder.path().join("comparisons"), b"of somebody else").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| finds_all(&update(folder.path(), &library), &library));
        }
    });
    let mut names: Vec<String> =
        files_of(folder.path()).iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    let starts = ["comparisons", "manifest", "segment-", "tracks-"];
    assert!(names.len() == 4 && names.iter().zip(starts).all(|(name, start)| name.starts_with(start)), "{names:?}");
}

#[test]
fn a_cancel_is_heard_also_by_who_waits() {
    let folder = tempfile::tempdir().unwrap();
    let library: Library = (0..20).map(|id| (id, id as u64)).collect();
    let progress = Progress::new();
    progress.cancel();
    let read = |_: &[i64]| Ok(Vec::new());
    let cancelled = StoredIndex::update(folder.path(), &versions(&library), read, &progress);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    let _held = lock::hold(&folder.path().join(LOCK), &Progress::new()).unwrap();
    let waiting = StoredIndex::update(folder.path(), &versions(&library), read, &progress);
    assert!(matches!(waiting, Err(Error::Cancelled)));
    assert!(StoredIndex::open(folder.path()).unwrap().is_none());
}
