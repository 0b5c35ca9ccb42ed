//! The library's files: the identity of recordings, walks of folders, and scans of folders with arbitrary changes.

use crate::support::library as library_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use library_support::{Fixture, Seen, Test, analysis_of, rows, scan, wav, wav_bytes};
use proptest::prelude::*;
use undertone::error::Error;
use undertone::library::TrackState;
use undertone::library::files::{AudioExtents, AudioKey, QuickKey, WalkItem, WalkOptions, Walked, walk};
use undertone::progress::Progress;

fn keys(folder: &Path, bytes: &[u8]) -> Result<(QuickKey, AudioKey), Box<dyn std::error::Error>> {
    let path = folder.join("file");
    fs::write(&path, bytes)?;
    Ok((QuickKey::of_file(&path)?.0, AudioKey::of_file(&path, &Progress::new())?))
}

/// Pseudorandom bytes that depend on `seed`.
fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut random = seed | 1;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn id3v2(bytes: usize) -> Vec<u8> {
    let size = [21, 14, 7, 0].map(|shift| ((bytes >> shift) & 0x7f) as u8);
    [b"ID3\x04\0\0".as_slice(), &size, &vec![b'x'; bytes]].concat()
}

fn mpeg(front: usize, audio: &[u8], tail: bool) -> Vec<u8> {
    let mut file = if front > 0 { id3v2(front) } else { Vec::new() };
    file.extend_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
    file.extend_from_slice(audio);
    if tail {
        file.extend_from_slice(b"TAG");
        file.extend_from_slice(&[b' '; 125]);
    }
    file
}

fn flac(comment: usize, audio: &[u8]) -> Vec<u8> {
    let block = |kind: u8, body: &[u8]| [&[kind][..], &(body.len() as u32).to_be_bytes()[1..], body].concat();
    [b"fLaC".to_vec(), block(0, &[3; 34]), block(0x84, &vec![b'c'; comment]), audio.to_vec()].concat()
}

fn mp4(free: usize, audio: &[u8], tags_first: bool) -> Vec<u8> {
    let part = |kind: &[u8; 4], body: &[u8]| [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat();
    let (head, moov, mdat) = (part(b"ftyp", b"M4A \0\0\0\0"), part(b"moov", &vec![1; free]), part(b"mdat", audio));
    if tags_first { [head, moov, mdat].concat() } else { [head, mdat, moov].concat() }
}

fn aiff(text: usize, audio: &[u8]) -> Vec<u8> {
    let part = |kind: &[u8; 4], body: &[u8]| {
        let padding = vec![0; body.len() % 2];
        [kind, &(body.len() as u32).to_be_bytes()[..], body, &padding].concat()
    };
    let sound = [&[0; 8][..], audio].concat();
    [b"FORM\0\0\0\0AIFF".to_vec(), part(b"COMM", &[2; 18]), part(b"NAME", &vec![b'n'; text]), part(b"SSND", &sound)]
        .concat()
}

/// Builds Ogg pages: a header, a number of comment pages, then audio, with running sequence numbers and different
/// checksums.
fn ogg(comments: usize, audio: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut number = 0u32;
    let mut page = |granule: u64, body: &[u8]| {
        file.extend_from_slice(b"OggS\0\0");
        file.extend_from_slice(&granule.to_le_bytes());
        file.extend_from_slice(&[7; 4]);
        file.extend_from_slice(&number.to_le_bytes());
        file.extend_from_slice(&(number ^ 0x5a5a).to_le_bytes());
        file.push(body.len().div_ceil(255) as u8);
        body.chunks(255).for_each(|lace| file.push(lace.len() as u8));
        file.extend_from_slice(body);
        number += 1;
    };
    page(0, b"\x01vorbis header");
    for _ in 0..comments {
        page(0, &[b'c'; 900]);
    }
    for (index, body) in audio.chunks(3000).enumerate() {
        page(1000 * (index as u64 + 1), body);
    }
    file
}

#[test]
fn tags_make_no_new_recording_and_one_byte_of_audio_does() -> Test {
    let folder = tempfile::tempdir()?;
    let keys = |bytes: &[u8]| keys(folder.path(), bytes);
    // Short files, and files for which the quick key hashes only pieces.
    for size in [5_000, 700_000] {
        let audio = noise(3, size);
        let mut other = audio.clone();
        other[10] ^= 1;
        // Between the pieces of the quick key, if the file is long.
        let mut between = audio.clone();
        between[70_000.min(size / 2)] ^= 1;
        let makes: [(&str, Vec<Vec<u8>>, &dyn Fn(&[u8]) -> Vec<u8>); 5] = [
            ("mpeg", vec![mpeg(0, &audio, false), mpeg(300, &audio, false), mpeg(5000, &audio, true)], &|a| {
                mpeg(0, a, true)
            }),
            ("flac", vec![flac(10, &audio), flac(9000, &audio)], &|a| flac(10, a)),
            ("mp4", vec![mp4(100, &audio, true), mp4(4000, &audio, true), mp4(30, &audio, false)], &|a| {
                mp4(100, a, true)
            }),
            ("aiff", vec![aiff(4, &audio), aiff(301, &audio)], &|a| aiff(4, a)),
            ("ogg", vec![ogg(1, &audio), ogg(2, &audio), ogg(9, &audio)], &|a| ogg(1, a)),
        ];
        for (kind, same, make) in makes {
            let first = keys(&same[0])?;
            for (index, file) in same.iter().enumerate() {
                assert!(keys(file)? == first, "{kind} of {size}, {index}");
            }
            let changed = keys(&make(&other))?;
            assert!(changed.0 != first.0 && changed.1 != first.1, "{kind} of {size}");
            assert!(keys(&make(&between))?.1 != first.1, "{kind} of {size}");
        }
    }
    // WAV: a title does not change the key, the sample rate does.
    let plain = keys(&wav_bytes(1, None))?;
    assert!(plain == keys(&wav_bytes(1, Some("title")))? && plain != keys(&wav_bytes(2, None))?);
    let mut faster = wav_bytes(1, None);
    faster[24] ^= 1;
    assert!(keys(&faster)?.0 != plain.0);
    // Unknown formats are hashed whole. Empty and truncated files cause no panic.
    for bytes in [&b""[..], b"RIFF", b"OggS", b"fLaC", b"\0\0\0\x08ftyp", b"ID3\x04\0\0\x7f\x7f\x7f\x7f"] {
        keys(bytes)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_bytes_bring_the_keys_down(kind in 0..8usize, mut bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let heads: [&[u8]; 8] = [
            b"RIFF\0\0\0\0WAVE", b"FORM\0\0\0\0AIFF", b"fLaC", b"OggS\0", b"caff\0\x01\0\0", b"\0\0\0\x10ftypM4A ", b"ID3\x03\0\0\0\0", b"",
        ];
        let mut file = heads[kind].to_vec();
        file.append(&mut bytes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, &file).unwrap();
        let extents = AudioExtents::find(&mut File::open(&path).unwrap(), file.len() as u64).unwrap();
        prop_assert!(extents.ranges.iter().all(|(from, to)| from <= to && *to <= file.len() as u64));
        QuickKey::of_file(&path).unwrap();
        AudioKey::of_file(&path, &Progress::new()).unwrap();
    }
}

#[test]
fn reading_a_key_is_cancelled() -> Test {
    let folder = tempfile::tempdir()?;
    wav(&folder.path().join("a.wav"), 1)?;
    let progress = Progress::new();
    progress.cancel();
    assert!(matches!(AudioKey::of_file(&folder.path().join("a.wav"), &progress), Err(Error::Cancelled)));
    Ok(())
}

/// Walks one root. Returns the paths below it, and the places that could not be read.
fn walked(root: &Path, options: WalkOptions) -> Result<(Vec<String>, Vec<String>, Walked), Error> {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let roots = [root.to_path_buf()];
    let mut walked = walk(&roots, &roots, options, |_, found| {
        match found {
            WalkItem::File(file) => files.push(name(&file.path)),
            WalkItem::Unread(place) => unread.push(name(&place.path)),
        }
        Ok(())
    })?;
    files.sort();
    Ok((files, unread, walked.remove(0)))
}

#[test]
fn a_walk_leaves_out_what_is_hidden_and_what_is_no_recording() -> Test {
    let folder = tempfile::tempdir()?;
    for name in ["a.wav", "b/c.FLAC", "b/.hidden.wav", ".git/d.wav", "film.mkv", "notes.txt", "wavpack.wv"] {
        wav(&folder.path().join(name), 1)?;
    }
    wav(&folder.path().join("no ending"), 1)?;
    let (files, unread, counts) = walked(folder.path(), WalkOptions::default())?;
    assert_eq!(files, ["a.wav", "b/c.FLAC", "no ending", "wavpack.wv"]);
    assert!(unread.is_empty());
    assert_eq!((counts.hidden, counts.video, counts.files), (2, 1, 4));
    let (files, ..) = walked(folder.path(), WalkOptions { hidden: true, video: true })?;
    assert_eq!(files, [".git/d.wav", "a.wav", "b/.hidden.wav", "b/c.FLAC", "film.mkv", "no ending", "wavpack.wv"]);
    let (files, _, counts) = walked(&folder.path().join("none"), WalkOptions::default())?;
    assert!(files.is_empty() && counts.unreachable.is_some());
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_circles_end() -> Test {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir()?;
    let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
    wav(&root.join("own/a.wav"), 1)?;
    wav(&outside.join("b.wav"), 2)?;
    wav(&outside.join("deep/c.wav"), 3)?;
    wav(&folder.path().join("single.wav"), 4)?;
    symlink(&root, root.join("own/circle"))?;
    symlink(root.join("own"), root.join("again"))?;
    symlink(&outside, root.join("first"))?;
    symlink(&outside, root.join("second"))?;
    symlink(outside.join("deep"), root.join("third"))?;
    symlink(&outside, outside.join("deep/circle"))?;
    symlink(folder.path().join("single.wav"), root.join("linked.wav"))?;
    symlink(folder.path().join("single.wav"), root.join("other name.wav"))?;
    symlink(root.join("own/a.wav"), root.join("to own.wav"))?;
    symlink(folder.path().join("nothing"), root.join("broken"))?;
    symlink(root.join("itself"), root.join("itself"))?;
    let (files, unread, _) = walked(&root, WalkOptions::default())?;
    assert_eq!(files, ["first/b.wav", "first/deep/c.wav", "linked.wav", "own/a.wav"]);
    assert_eq!(unread, ["broken", "itself"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn names_that_are_no_unicode_are_tracks_like_others() -> Test {
    use std::os::unix::ffi::OsStrExt;
    let fixture = Fixture::new()?;
    let strange = fixture.music("x").with_file_name(std::ffi::OsStr::from_bytes(b"caf\xe9 \xff.wav"));
    let other = fixture.music("x").with_file_name(std::ffi::OsStr::from_bytes(b"caf\xe8 \xff.wav"));
    if wav(&strange, 1).is_err() {
        eprintln!("SKIPPED: this file system takes Unicode names only");
        return Ok(());
    }
    // Its lossy text equals the first's.
    wav(&other, 2)?;
    let seen = Seen::default();
    assert_eq!(scan(&fixture.library, &seen)?.counts.analysed, 2);
    let id = fixture.library.find(&strange)?.ok_or("not found")?;
    assert_eq!(fixture.library.track(id)?.path, strange);
    assert!(fixture.library.track(id)?.row.path.ends_with("caf\u{fffd} \u{fffd}.wav"));
    assert_ne!(fixture.library.find(&other)?, Some(id));
    assert_eq!(scan(&fixture.library, &seen)?.counts.through(), 0);
    fs::rename(&strange, fixture.music("plain.wav"))?;
    assert_eq!(scan(&fixture.library, &seen)?.counts.moved, 1);
    assert_eq!(fixture.library.track(id)?.path, fixture.music("plain.wav"));
    Ok(())
}

#[cfg(unix)]
#[test]
fn tracks_in_a_folder_that_cannot_be_read_are_kept() -> Test {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = Fixture::new()?;
    fixture.add("closed/a.wav", 1)?;
    fixture.add("open.wav", 2)?;
    let outside = fixture.folder.path().join("outside");
    wav(&outside.join("b.wav"), 3)?;
    symlink(&outside, fixture.music("link"))?;
    let seen = Seen::default();
    assert_eq!(scan(&fixture.library, &seen)?.counts.analysed, 3);
    // A link whose target is temporarily missing.
    fs::rename(&outside, fixture.folder.path().join("away"))?;
    let summary = scan(&fixture.library, &seen)?;
    assert!(summary.counts.vanished == 0 && summary.notices[0].contains("link"), "{summary:?}");
    let closed = fixture.music("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000))?;
    if fs::read_dir(&closed).is_ok() {
        eprintln!("SKIPPED: this user may read everything");
    } else {
        let summary = scan(&fixture.library, &seen)?;
        assert!(summary.counts.vanished == 0, "{summary:?}");
        assert!(summary.notices.iter().any(|notice| notice.contains("closed")), "{summary:?}");
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[test]
fn a_scan_of_a_part_leaves_the_rest_alone() -> Test {
    let fixture = Fixture::new()?;
    for (seed, name) in ["a/1.wav", "a/2.wav", "b/3.wav", "b/4.wav"].iter().enumerate() {
        fixture.add(name, seed as u64)?;
    }
    let seen = Seen::default();
    let part = |only: Vec<PathBuf>| {
        let options = library_support::options(library_support::analyser(&seen, 1, Duration::ZERO));
        fixture.library.scan(undertone::library::ScanOptions { only, ..options })?.wait()
    };
    assert_eq!(part(vec![fixture.music("a")])?.counts.analysed, 2);
    assert_eq!(part(vec![fixture.music("b/3.wav")])?.counts.analysed, 1);
    fs::remove_file(fixture.music("a/1.wav"))?;
    fs::remove_dir_all(fixture.music("b"))?;
    assert_eq!(part(vec![fixture.music("b")])?.counts.vanished, 1);
    assert_eq!(part(vec![fixture.music("a/1.wav"), fixture.music("a/2.wav")])?.counts.vanished, 1);
    assert_eq!(part(vec![fixture.folder.path().to_path_buf()])?.counts.vanished, 0);
    Ok(())
}

#[test]
fn changes_are_told_when_they_happen() -> Test {
    use undertone::library::watch::{Change, WatchOptions};
    let fixture = Fixture::new()?;
    fixture.add("old.wav", 1)?;
    let (tell, told) = std::sync::mpsc::channel();
    let options = WatchOptions {
        quiet: Duration::from_millis(60),
        longest: Duration::from_secs(2),
        from_the_beginning: false,
        fallback: Duration::from_mins(1),
    };
    let watch = fixture.library.watch(options, move |change| drop(tell.send(change)))?;
    // The operating system needs a moment to start watching.
    std::thread::sleep(Duration::from_millis(100));
    fixture.add("new/one.wav", 2)?;
    fs::remove_file(fixture.music("old.wav"))?;
    fs::write(fixture.music(".hidden"), b"x")?;
    let mut places = BTreeSet::new();
    while let Ok(change) = told.recv_timeout(Duration::from_secs(2)) {
        match change {
            Change::Places(some) => places.extend(some),
            Change::Everything(why) => {
                eprintln!("SKIPPED: {why}");
                return Ok(());
            }
        }
        if places.iter().any(|place| place.ends_with("old.wav")) && places.iter().any(|place| place.ends_with("new")) {
            break;
        }
    }
    assert!(places.contains(&fixture.music("new")) && places.contains(&fixture.music("old.wav")), "{places:?}");
    assert!(!places.iter().any(|place| place.ends_with(".hidden")));
    let options = library_support::options(library_support::analyser(&Seen::default(), 1, Duration::ZERO));
    let only = places.into_iter().collect();
    assert_eq!(fixture.library.scan(undertone::library::ScanOptions { only, ..options })?.wait()?.counts.analysed, 1);
    drop(watch);
    Ok(())
}

/// A change in a folder of music.
#[derive(Clone, Debug)]
enum Step {
    Add(usize),
    Move(usize, usize),
    Copy(usize, usize),
    Change(usize),
    Tag(usize),
    Touch(usize),
    Delete(usize),
    Scan,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..8usize;
    prop_oneof![
        3 => place().prop_map(Step::Add),
        3 => (place(), place()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => (place(), place()).prop_map(|(from, to)| Step::Copy(from, to)),
        1 => place().prop_map(Step::Change),
        1 => place().prop_map(Step::Tag),
        1 => place().prop_map(Step::Touch),
        2 => place().prop_map(Step::Delete),
        4 => Just(Step::Scan),
    ]
}

/// The expected state of a file.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    seed: u64,
    title: Option<String>,
    /// The number of writes and touches, used as the modification time.
    stamp: u64,
}

fn place(number: usize) -> String {
    ["a.wav", "b.wav", "c/d.wav", "c/e.wav", "c/f/g.wav", "h.wav", "i/j.wav", "k.wav"][number].to_owned()
}

/// Writes a file with an explicit modification time, independent of the clock's resolution.
fn put(path: &Path, model: &Model) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, wav_bytes(model.seed, model.title.as_deref()))?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + model.stamp);
    File::options().write(true).open(path)?.set_modified(time)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]
    #[test]
    fn the_library_follows_whatever_happens_to_the_files(steps in prop::collection::vec(step(), 4..40)) {
        let fixture = Fixture::new().unwrap();
        // Keeps the folder from being empty, which would be taken for a missing drive.
        fixture.add("always.wav", 4_000_000).unwrap();
        let seen = Seen::default();
        let mut files: BTreeMap<String, Model> = BTreeMap::new();
        // The files at the last scan, and the tracks by id: path, contents, and whether the file was present.
        let mut before = files.clone();
        let mut known: BTreeMap<i64, (String, u64, bool)> = BTreeMap::new();
        let mut clock = 1u64;
        for step in steps.into_iter().chain([Step::Scan]) {
            clock += 1;
            match step {
                Step::Add(at) | Step::Change(at) => {
                    let known = files.contains_key(&place(at));
                    if known == matches!(step, Step::Change(_)) {
                        files.insert(place(at), Model { seed: clock, title: None, stamp: clock });
                        put(&fixture.music(&place(at)), &files[&place(at)]).unwrap();
                    }
                }
                Step::Tag(at) | Step::Touch(at) => {
                    if let Some(file) = files.get_mut(&place(at)) {
                        file.stamp = clock;
                        if matches!(step, Step::Tag(_)) {
                            file.title = Some(format!("title {clock}"));
                        }
                        put(&fixture.music(&place(at)), file).unwrap();
                    }
                }
                Step::Move(from, to) if from != to => {
                    if let Some(file) = files.remove(&place(from)) {
                        fs::create_dir_all(fixture.music(&place(to)).parent().unwrap()).unwrap();
                        fs::rename(fixture.music(&place(from)), fixture.music(&place(to))).unwrap();
                        files.insert(place(to), file);
                    }
                }
                Step::Copy(from, to) if from != to => {
                    if let Some(mut file) = files.get(&place(from)).cloned() {
                        file.stamp = clock;
                        put(&fixture.music(&place(to)), &file).unwrap();
                        files.insert(place(to), file);
                    }
                }
                Step::Delete(at) => {
                    if files.remove(&place(at)).is_some() {
                        fs::remove_file(fixture.music(&place(at))).unwrap();
                    }
                }
                Step::Move(..) | Step::Copy(..) => {}
                Step::Scan => {
                    let analysed = seen.count();
                    let summary = scan(&fixture.library, &seen).unwrap();
                    let analysed = seen.count() - analysed;
                    prop_assert_eq!(summary.counts.failed, 0);
                    // The library has all existing files, and lists the missing ones as vanished.
                    let all: Vec<_> = rows(&fixture.library).unwrap().into_iter().filter(|row| !row.path.ends_with("always.wav")).collect();
                    let name = |path: &str| path.rsplit_once("music").unwrap().1[1..].replace('\\', "/");
                    let there: BTreeSet<String> = all.iter().filter(|row| row.state == TrackState::Done).map(|row| name(&row.path)).collect();
                    prop_assert_eq!(&there, &files.keys().cloned().collect::<BTreeSet<_>>());
                    prop_assert!(all.iter().all(|row| there.contains(&name(&row.path)) || row.state == TrackState::Vanished));
                    for row in all.iter().filter(|row| row.state == TrackState::Done) {
                        let file = &files[&name(&row.path)];
                        prop_assert_eq!(&row.title, &file.title);
                        let fresh = analysis_of(&fixture.music(&name(&row.path))).unwrap();
                        prop_assert_eq!(row.features.as_slice(), fresh.features.values.as_slice());
                    }
                    // Only new contents are analysed: not touched, retagged or moved files, and not copies of unchanged
                    // files.
                    let still = |path: &String| !files.contains_key(path) || files.get(path) == before.get(path);
                    let available: BTreeSet<u64> = known.values().filter(|(path, ..)| still(path)).map(|(_, seed, _)| *seed).collect();
                    let same = |path: &String, file: &Model| known.values().any(|(at, seed, _)| at == path && *seed == file.seed);
                    let first = usize::from(before.is_empty() && known.is_empty());
                    let needed = files.iter().filter(|(path, file)| !same(path, file) && !available.contains(&file.seed)).count();
                    prop_assert!(analysed <= needed + first, "{} analysed, {} needed", analysed, needed);
                    // A file that was moved to a single new place is the same track.
                    for (id, (path, seed, _)) in &known {
                        let holders = known.values().filter(|(_, other, _)| other == seed).count();
                        let now: Vec<_> = files.iter().filter(|(_, file)| file.seed == *seed).collect();
                        if holders == 1 && !files.contains_key(path) && now.len() == 1 && !known.values().any(|(at, ..)| at == now[0].0) {
                            prop_assert_eq!(fixture.library.find(&fixture.music(now[0].0)).unwrap(), Some(*id));
                        }
                    }
                    let old = std::mem::take(&mut known);
                    for row in &all {
                        let path = name(&row.path);
                        let seed = files.get(&path).map(|file| file.seed).or_else(|| old.get(&row.id).map(|(_, seed, _)| *seed));
                        if let Some(seed) = seed {
                            known.insert(row.id, (path.clone(), seed, files.contains_key(&path)));
                        }
                    }
                    before = files.clone();
                }
            }
        }
        prop_assert!(fixture.library.check().unwrap().is_empty());
    }
}
