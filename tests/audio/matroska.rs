//! Tags, pictures and chapters of Matroska files, and damage between their blocks.

use std::path::Path;

use audio::{AudioFile, FileInfo, Marker, MarkerList};

use crate::support::ebml::elements;

const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const CLUSTER: u32 = 0x1f43_b675;
const TAGS: u32 = 0x1254_c367;
const TAG: u32 = 0x7373;
const TARGETS: u32 = 0x63c0;
const LEVEL: u32 = 0x68ca;
const TARGET_TRACK: u32 = 0x63c5;
const TARGET_CHAPTER: u32 = 0x63c4;
const FIELD: u32 = 0x67c8;
const NAME: u32 = 0x45a3;
const TEXT: u32 = 0x4487;
const CHAPTERS: u32 = 0x1043_a770;
const EDITION: u32 = 0x45b9;
const ATOM: u32 = 0xb6;
const ATTACHMENTS: u32 = 0x1941_a469;
const ATTACHED: u32 = 0x61a7;
/// The identifier and the length in frames of the track of `pcm.mkv`, at 44.1 kHz.
const TRACK_UID: u64 = 0xed13_e112_067e_f212;
const FRAMES: u64 = 2205;

fn element(id: u32, content: &[u8]) -> Vec<u8> {
    let id = id.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect::<Vec<u8>>();
    let size = (1u64 << 56 | content.len() as u64).to_be_bytes();
    [id.as_slice(), &size, content].concat()
}

fn parent(id: u32, children: &[Vec<u8>]) -> Vec<u8> {
    element(id, &children.concat())
}

fn number(id: u32, value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

/// The parts of a real file.
struct Parts {
    head: Vec<u8>,
    info: Vec<u8>,
    tracks: Vec<u8>,
    cluster: Vec<u8>,
}

fn parts() -> Parts {
    let bytes = std::fs::read(crate::support::reference("audio").join("pcm.mkv")).unwrap();
    let top = elements(&bytes);
    let segment = elements(top.iter().find(|(id, _)| *id == SEGMENT).unwrap().1);
    let part = |wanted: u32| {
        let (id, content) = segment.iter().find(|(id, _)| *id == wanted).unwrap();
        element(*id, content)
    };
    Parts { head: element(top[0].0, top[0].1), info: part(INFO), tracks: part(TRACKS), cluster: part(CLUSTER) }
}

/// Returns a file with these elements before and after its sound.
fn file(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<u8> {
    let Parts { head, info, tracks, cluster } = parts();
    let content = [vec![info, tracks], before.to_vec(), vec![cluster], after.to_vec()].concat();
    [head, parent(SEGMENT, &content)].concat()
}

fn open(bytes: Vec<u8>) -> AudioFile {
    AudioFile::from_bytes(bytes, Path::new("a.mkv")).unwrap()
}

fn field(name: &str, text: &str) -> Vec<u8> {
    parent(FIELD, &[element(NAME, name.as_bytes()), element(TEXT, text.as_bytes())])
}

fn tag(targets: &[Vec<u8>], fields: &[Vec<u8>]) -> Vec<u8> {
    parent(TAG, &[vec![parent(TARGETS, targets)], fields.to_vec()].concat())
}

/// Returns a file with a field of these values; a name before a slash has the other within it.
pub fn tagged(name: &str, values: &[&str]) -> Vec<u8> {
    let value = |value: &&str| match name.split_once('/') {
        Some((outer, inner)) => parent(FIELD, &[element(NAME, outer.as_bytes()), field(inner, value)]),
        None => field(name, value),
    };
    let fields: Vec<Vec<u8>> = values.iter().map(value).collect();
    file(&[parent(TAGS, &[tag(&[], &fields)])], &[])
}

fn items(info: &FileInfo) -> Vec<String> {
    info.tags.items.iter().map(|(name, text)| format!("{name}={text}")).collect()
}

#[test]
fn tags_are_read_wherever_they_stand() {
    // As ffmpeg writes them: one tag about everything, and one about the track.
    let whole = tag(
        &[],
        &[
            field("ARTIST", "Someone\0\0"),
            field("ALBUM_ARTIST", "Many"),
            field("PART_NUMBER", "3/12"),
            field("artist", "Another"),
            field("MY FIELD", "mine"),
        ],
    );
    let track = tag(&[number(TARGET_TRACK, TRACK_UID)], &[field("DURATION", "00:00:00.05"), field("BPM", "120")]);
    let other = tag(&[number(TARGET_TRACK, 7)], &[field("TITLE", "another track")]);
    let chapter = tag(&[number(TARGET_CHAPTER, 9)], &[field("TITLE", "a chapter")]);
    let list = parent(TAGS, &[whole, track, other, chapter]);
    let title = parent(INFO, &[element(0x7ba9, b"Song")]);
    let expected = [
        "ALBUMARTIST=Many",
        "ARTIST=Someone; Another",
        "BPM=120",
        "MY FIELD=mine",
        "TITLE=Song",
        "TRACKNUMBER=3",
        "TRACKTOTAL=12",
    ];
    for bytes in [file(&[list.clone(), title.clone()], &[]), file(&[], &[title, list])] {
        let info = open(bytes).info().clone();
        assert_eq!(items(&info), expected);
        assert_eq!((info.frames, info.warnings.as_slice()), (FRAMES, &[][..]));
    }
}

#[test]
fn what_ffmpeg_copies_of_other_containers_is_no_tag() {
    // Of QuickTime and MP4 files, in tags about the track.
    for (name, text) in [
        ("VENDOR_ID", "[0][0][0][0]"),
        ("VENDOR_ID", "appl"),
        ("vendor_id", "FFMP"),
        ("HANDLER_NAME", "SoundHandler"),
        ("handler_name", "Core Media Audio"),
    ] {
        let track = tag(&[number(TARGET_TRACK, TRACK_UID)], &[field(name, text), field("TITLE", "Song")]);
        let info = open(file(&[parent(TAGS, &[track])], &[])).info().clone();
        assert_eq!(items(&info), ["TITLE=Song"], "{name}={text}");
    }
}

#[test]
fn levels_tell_the_album_from_the_track() {
    let level = |level: u64| [number(LEVEL, level)];
    let album = tag(
        &level(50),
        &[
            field("TITLE", "The album"),
            field("ARTIST", "The band"),
            field("TOTAL_PARTS", "12"),
            field("DATE_RELEASED", "1999"),
            field("REPLAYGAIN_GAIN", "-7.00 dB"),
        ],
    );
    let disc = tag(&level(40), &[field("PART_NUMBER", "2")]);
    let box_set = tag(&level(60), &[field("TITLE", "The box"), field("TOTAL_PARTS", "4")]);
    let sorted =
        parent(FIELD, &[element(NAME, b"ARTIST"), element(TEXT, b"The guest"), field("SORT_WITH", "Guest, The")]);
    let german = parent(FIELD, &[element(NAME, b"TITLE"), element(TEXT, b"Das Lied"), number(0x4484, 0)]);
    let track = tag(
        &level(30),
        &[field("TITLE", "The song"), german, sorted, field("PART_NUMBER", "3"), field("REPLAYGAIN_GAIN", "-6.00 dB")],
    );
    let info = open(file(&[], &[parent(TAGS, &[album.clone(), disc, box_set, track])])).info().clone();
    assert_eq!(
        items(&info),
        [
            "ALBUM=The album",
            "ALBUMARTIST=The band",
            "ARTIST=The guest",
            "ARTISTSORT=Guest, The",
            "DATE=1999",
            "DISCNUMBER=2",
            "DISCTOTAL=4",
            "REPLAYGAIN_ALBUM_GAIN=-7.00 dB",
            "REPLAYGAIN_TRACK_GAIN=-6.00 dB",
            "TITLE=The song",
            "TRACKNUMBER=3",
            "TRACKTOTAL=12",
        ]
    );
    // Without an artist of its own, the track has that of the album.
    let info = open(file(&[], &[parent(TAGS, &[album])])).info().clone();
    assert_eq!((info.tags.items.get("ARTIST"), info.tags.items.get("TITLE")), (Some(&"The band".into()), None));
}

#[test]
fn attached_pictures_are_covers_and_pictures() {
    let png = b"\x89PNG\r\n\x1a\n".to_vec();
    let attached = |name: &str, mime: &str, data: &[u8]| {
        let fields = [element(0x466e, name.as_bytes()), element(0x4660, mime.as_bytes()), element(0x465c, data)];
        parent(ATTACHED, &fields)
    };
    let list = parent(
        ATTACHMENTS,
        &[
            attached("Cover.PNG", "image/png", &png),
            attached("font.ttf", "application/x-truetype-font", b"\0\x01\0\0"),
            attached("booklet.png", "image/png", &png),
            attached("cover.jpg", "image/jpeg", &vec![0; audio::tags::limits::MAX_PICTURE_BYTES + 1]),
        ],
    );
    let info = open(file(&[list], &[])).info().clone();
    let pictures: Vec<_> = info.tags.pictures.iter().map(|one| (one.mime.as_str(), one.kind, &one.data)).collect();
    assert_eq!(pictures, [("image/png", 3, &png), ("image/png", 0, &png)]);
    assert!(info.warnings.len() == 1 && info.warnings[0].contains("16 MiB"), "{:?}", info.warnings);
}

/// Returns a chapter of times in milliseconds, with more elements.
fn atom(start_ms: u64, end_ms: Option<u64>, name: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let names = parent(0x80, &[element(0x85, name.as_bytes()), element(0x437c, b"eng")]);
    let end = end_ms.map(|end| number(0x92, end * 1_000_000)).into_iter().collect();
    parent(ATOM, &[vec![number(0x91, start_ms * 1_000_000)], end, vec![names], more.to_vec()].concat())
}

/// The nearest frame to a time.
fn at(ms: u64) -> u64 {
    (ms * 44_100 + 500) / 1000
}

#[test]
fn chapters_are_markers() {
    let chapters = |editions: &[Vec<u8>]| parent(CHAPTERS, editions);
    let read = |bytes: Vec<u8>| open(bytes).markers().clone();
    // Places meet, or end with the file; others are regions. They need not be in order.
    let edition = parent(
        EDITION,
        &[
            atom(20, Some(30), "zwei", &[]),
            atom(0, Some(20), "eins \u{1f3b5}", &[]),
            atom(35, Some(40), "Bereich", &[]),
            atom(45, None, "ohne Ende", &[]),
            atom(10, Some(20), "versteckt", &[number(0x98, 1)]),
            atom(10, Some(20), "abgeschaltet", &[number(0x4598, 0)]),
        ],
    );
    let expected = MarkerList::from(vec![
        Marker::point(0, "eins \u{1f3b5}"),
        Marker::region(at(20), at(30), "zwei"),
        Marker::region(at(35), at(40), "Bereich"),
        Marker::point(at(45), "ohne Ende"),
    ]);
    assert_eq!(read(file(&[chapters(std::slice::from_ref(&edition))], &[])), expected);
    assert_eq!(read(file(&[], &[chapters(std::slice::from_ref(&edition))])), expected);
    // Of several editions the default one counts; a hidden one does not.
    let one =
        |name: &str, more: &[Vec<u8>]| parent(EDITION, &[more.to_vec(), vec![atom(0, Some(50), name, &[])]].concat());
    let (first, hidden, default) = (one("a", &[]), one("b", &[number(0x45bd, 1)]), one("c", &[number(0x45db, 1)]));
    let name = |editions: &[Vec<u8>]| read(file(&[chapters(editions)], &[]))[0].name.clone();
    assert_eq!(name(&[first.clone(), hidden.clone(), default]), "c");
    assert_eq!(name(&[hidden, first]), "a");
    // Chapters within chapters stand beside them.
    let within = [atom(0, Some(20), "1.1", &[]), atom(20, Some(50), "1.2", &[])];
    let nested = parent(EDITION, &[atom(0, Some(50), "1", &within)]);
    let found = read(file(&[chapters(&[nested])], &[]));
    assert_eq!(found.iter().map(|marker| marker.name.as_str()).collect::<Vec<_>>(), ["1", "1.1", "1.2"]);
    // Beyond the end of the sound there are none.
    let beyond = parent(EDITION, &[atom(0, Some(60_000), "a", &[]), atom(60_000, None, "b", &[])]);
    assert_eq!(read(file(&[chapters(&[beyond])], &[])).len(), 1);
}

#[test]
fn chapters_count_from_the_first_sound() {
    let Parts { head, info, tracks, cluster } = parts();
    // The sound of a video begins 2 s after its pictures.
    let blocks = elements(&cluster)[0].1;
    let content: Vec<Vec<u8>> = elements(blocks)
        .into_iter()
        .map(|(id, content)| if id == 0xe7 { number(id, 2000) } else { element(id, content) })
        .collect();
    let edition = parent(EDITION, &[atom(0, Some(2020), "eins", &[]), atom(2020, Some(2050), "zwei", &[])]);
    let chapters = parent(CHAPTERS, &[edition]);
    let segment = parent(SEGMENT, &[info, tracks, chapters, parent(CLUSTER, &content)]);
    let expected = MarkerList::from(vec![Marker::point(0, "eins"), Marker::point(at(20), "zwei")]);
    assert_eq!(*open([head, segment].concat()).markers(), expected);
}

#[test]
fn damaged_bytes_between_clusters_are_told_and_skipped() {
    let Parts { head, info, tracks, cluster } = parts();
    for junk in [vec![0; 100], vec![1; 1], vec![0x0b; 200_000], b"\x05\x1f\x43\xb6".to_vec(), vec![0x0f; 3]] {
        let content = [info.clone(), tracks.clone(), cluster.clone(), junk.clone(), cluster.clone()];
        let info = open([head.clone(), parent(SEGMENT, &content)].concat()).info().clone();
        let said = format!("{} bytes of the file, the first at byte", junk.len());
        assert_eq!(info.frames, 2 * FRAMES, "{} bytes: {:?}", junk.len(), info.warnings);
        assert!(info.warnings.len() == 1 && info.warnings[0].starts_with(&said), "{:?}", info.warnings);
    }
    // Nothing follows.
    let content = [info, tracks, cluster, vec![0; 50]];
    let info = open([head, parent(SEGMENT, &content)].concat()).info().clone();
    assert_eq!(info.frames, FRAMES);
    assert!(info.warnings[0].starts_with("50 bytes of the file"), "{:?}", info.warnings);
}

#[test]
fn gaps_between_time_stamps_are_told() {
    let Parts { head, info, tracks, cluster } = parts();
    let blocks = elements(&cluster)[0].1;
    let later = |ms: u64| {
        let elements = elements(blocks).into_iter();
        let moved = elements.map(|(id, content)| if id == 0xe7 { number(id, ms) } else { element(id, content) });
        parent(CLUSTER, &moved.collect::<Vec<_>>())
    };
    for (ms, is_told) in [(50, false), (100, false), (1050, true), (60_050, true)] {
        let content = [info.clone(), tracks.clone(), cluster.clone(), later(ms)];
        let info = open([head.clone(), parent(SEGMENT, &content)].concat()).info().clone();
        assert_eq!(info.frames, 2 * FRAMES);
        let said = format!("leave gaps of {}.0 s", ms / 1000);
        assert_eq!(info.warnings.iter().any(|warning| warning.contains(&said)), is_told, "{:?}", info.warnings);
        assert_eq!(info.warnings.len(), usize::from(is_told), "{:?}", info.warnings);
    }
}

#[test]
fn tags_and_chapters_that_lie_are_read_as_far_as_they_go() {
    let list = parent(TAGS, &[tag(&[number(LEVEL, u64::MAX)], &[field("TITLE", "x")]), tag(&[], &[field("", "y")])]);
    let deep = (0..200).fold(atom(0, Some(1), "deep", &[]), |inner, _| atom(0, Some(1), "a", &[inner]));
    let nested = (0..200).fold(field("A", "b"), |inner, _| parent(FIELD, &[element(NAME, b"N"), inner]));
    let edition = parent(EDITION, &[atom(u64::MAX / 2_000_000, None, "late", &[]), deep]);
    let chapters = parent(CHAPTERS, &[edition]);
    let whole = file(&[list, parent(TAGS, &[tag(&[], &[nested])]), chapters.clone()], &[]);
    let found = open(whole.clone()).markers().clone();
    assert!(found.len() < 20, "{} markers", found.len());
    // Every element of the description ends anywhere.
    let from = whole.len() - parts().cluster.len() - chapters.len();
    for cut in (from..from + chapters.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[cut] ^= 0xff;
        let _ = AudioFile::from_bytes(bytes, Path::new("a.mkv"));
    }
}

#[test]
fn damaged_bytes_within_a_cluster_are_told() {
    let whole = file(&[], &[]);
    let at = whole.windows(4).position(|four| four == CLUSTER.to_be_bytes()).unwrap();
    let blocks: Vec<usize> =
        (at..whole.len() - 4).filter(|at| whole[*at..].starts_with(&[0xa3, 0x50]) && *at > 100).collect();
    // In the place of a block: no element, one of an unknown kind, and one of an unknown kind that goes on to the end.
    let last = *blocks.last().unwrap();
    for (bytes, frames) in [([0, 0, 0], 2048), ([0xc9, 0x40, 0x10], 2048), ([0xc9, 0x08, 0xff], 2048)] {
        let mut damaged = whole.clone();
        damaged[last..last + 3].copy_from_slice(&bytes);
        let info = open(damaged).info().clone();
        assert!(info.frames <= frames, "{} frames", info.frames);
        assert!(info.warnings.iter().any(|told| told.contains("are damaged and not read")), "{:?}", info.warnings);
    }
}
