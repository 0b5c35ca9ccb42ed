//! Markers: files written by hand according to the formats' specifications, round trips through every format, and
//! copies that leave the audio unchanged.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "the names of chunks and boxes are byte strings")]

use std::fs;
use std::path::{Path, PathBuf};

use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, LossySettings, SampleFormat};
use undertone::audio::markers::{LabelFormat, MAX_MARKERS, read_labels, write_labels};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Marker, MarkerList, Tags, marker_copy};
use undertone::chain::Placement;
use undertone::document::FrameRange;
use undertone::files::Protected;
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::work::export::{ExportJob, ExportSettings, Tagging, export};

use crate::support::opening::Wav;

const RATE: u32 = 44_100;

fn rate(hz: u32) -> SampleRate {
    SampleRate::new(hz).unwrap()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Returns markers at odd frames, with a region, an empty name and a name in several scripts.
fn list() -> MarkerList {
    MarkerList::from(vec![
        Marker::point(0, "Anfang"),
        Marker::point(12_347, "Ünïcode \u{1f3b5} \"quoted\", and; more"),
        Marker { note: "zweimal".into(), ..Marker::region(20_001, 33_333, "Refrain") },
        Marker::point(40_000, ""),
    ])
}

fn places(list: &MarkerList) -> Vec<(u64, &str)> {
    list.iter().map(|marker| (marker.start_frame, marker.name.as_str())).collect()
}

fn write_file(path: &Path, format: FileFormat, hz: u32, markers: &MarkerList) -> Vec<String> {
    let settings =
        EncodeSettings { format, sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    let audio = AudioFormat::new(rate(hz), 2);
    let mut tags = Tags::default();
    tags.items.insert("TITLE".into(), "Lied".into());
    let frames = 50_000;
    let mut encoder = Encoder::create_marked(path, &settings, audio, true, &[], &tags, markers, Some(frames)).unwrap();
    let wave = |n: usize| ((n % 97) as f32 / 97.0 - 0.5) * 0.5;
    let samples: Vec<f32> = (0..frames as usize).map(wave).collect();
    encoder.write(&AudioBuffer::from_channels(vec![samples.clone(), samples])).unwrap();
    encoder.finish().unwrap().warnings
}

fn samples(path: &Path) -> AudioBuffer {
    let mut audio = AudioBuffer::default();
    AudioFile::open(path).unwrap().reader().unwrap().read(&mut audio, usize::MAX).unwrap();
    audio
}

fn labels(folder: &Path, name: &str, bytes: &[u8], hz: u32) -> Result<MarkerList, String> {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    read_labels(&path, rate(hz)).map(|labels| labels.markers).map_err(|error| error.to_string())
}

#[test]
fn every_audio_format_carries_markers() {
    let folder = folder();
    for (format, exact, hz) in [
        (FileFormat::Wav, true, RATE),
        (FileFormat::Flac, true, RATE),
        (FileFormat::Vorbis, false, RATE),
        (FileFormat::Opus, false, 48_000),
        (FileFormat::Mp3, false, RATE),
    ] {
        if format.check_encoder().is_err() {
            eprintln!("skipped: {format:?} has no encoder here");
            continue;
        }
        let path = folder.path().join(format!("song.{}", format.extension()));
        let warnings = write_file(&path, format, hz, &list());
        let file = AudioFile::open(&path).unwrap();
        assert_eq!((file.info().frames, file.info().tags.items["TITLE"].as_str()), (50_000, "Lied"), "{format:?}");
        // Chapters are markers, not tags.
        assert!(file.info().tags.items.keys().all(|field| !field.starts_with("CHAPTER")), "{format:?}");
        let found = file.markers();
        assert_eq!(found.len(), list().len(), "{format:?}: {found:?}");
        let tolerance = if exact { 0 } else { u64::from(hz).div_ceil(2000) };
        for (found, expected) in found.iter().zip(list().iter()) {
            assert!(found.start_frame.abs_diff(expected.start_frame) <= tolerance, "{format:?}: {found:?}");
            assert_eq!(found.name, expected.name, "{format:?}");
        }
        let has_regions = matches!(format, FileFormat::Wav | FileFormat::Mp3);
        assert_eq!(found[2].end_frame.is_some(), has_regions, "{format:?}");
        assert_eq!(warnings.iter().any(|warning| warning.contains("end of 1 region ")), !has_regions, "{warnings:?}");
        if has_regions {
            assert!(found[2].end_frame.unwrap().abs_diff(33_333) <= tolerance);
            assert_eq!(found[2].note, "zweimal");
        }
        assert!(found.iter().enumerate().all(|(index, marker)| index == 2 || marker.end_frame.is_none()), "{found:?}");
    }
}

#[test]
fn a_copy_with_other_markers_has_the_same_audio() {
    let folder = folder();
    let other = MarkerList::from(vec![Marker::point(7, "a"), Marker::point(44_000, "b")]);
    // More comments than fit into the pages of the old headers.
    let many: MarkerList =
        (0..900).map(|n| Marker::point(n * 50, format!("{n} {}", "x".repeat(300)))).collect::<Vec<_>>().into();
    for format in FileFormat::ALL {
        if format.check_encoder().is_err() {
            continue;
        }
        let hz = if format == FileFormat::Opus { 48_000 } else { RATE };
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        write_file(&first, format, hz, &list());
        for markers in [&other, &many, &MarkerList::default()] {
            let file = AudioFile::open(&first).unwrap();
            assert_eq!(marker_copy::own_format(&file), Some(format));
            marker_copy::copy(&file, markers, &second, true, std::slice::from_ref(&first), &Progress::new()).unwrap();
            let copied = AudioFile::open(&second).unwrap();
            assert_eq!(copied.info().warnings, Vec::<String>::new(), "{format:?}");
            let most = if format == FileFormat::Mp3 { 255 } else { markers.len() };
            let names =
                |list: &MarkerList| list.iter().take(most).map(|marker| marker.name.clone()).collect::<Vec<_>>();
            assert_eq!(names(copied.markers()), names(markers), "{format:?}");
            assert_eq!(copied.info().tags, file.info().tags, "{format:?}");
            assert!(samples(&second) == samples(&first), "{format:?}");
        }
        // The input is never replaced.
        let file = AudioFile::open(&first).unwrap();
        let inputs = Protected::new([&first]);
        assert!(marker_copy::copy(&file, &other, &first, true, inputs, &Progress::new()).is_err());
    }
}

#[test]
fn markers_move_with_the_range_and_the_rate_of_an_export() {
    let folder = folder();
    let source = folder.path().join("in.wav");
    write_file(&source, FileFormat::Wav, RATE, &list());
    let job = |chain: &str, range: Option<FrameRange>, hz: Option<u32>, name: &str| {
        let file = AudioFile::open(&source).unwrap();
        ExportJob {
            source: file.reader().unwrap(),
            chain: chain.parse().unwrap(),
            placement: Placement::cpu(),
            settings: ExportSettings {
                format: FileFormat::Wav,
                bits: SampleFormat::Int16,
                dither: Dither::None,
                range,
                rate: hz,
                tail: false,
                lossy: LossySettings::default(),
                gain_db: 0.0,
                markers: true,
                loudness: None,
            },
            target: folder.path().join(name),
            overwrite: true,
            inputs: Protected::default(),
            tags: Tagging::default(),
            markers: file.markers().clone(),
        }
    };
    let written = |job: ExportJob| {
        let target = job.target.clone();
        let warnings = export(job, &Progress::new()).unwrap().warnings;
        (AudioFile::open(&target).unwrap().markers().clone(), warnings)
    };
    let (all, _) = written(job("gain(-3 dB) | highpass(80 Hz)", None, None, "a.wav"));
    assert_eq!(all, list());
    let range = FrameRange { start: 12_000, end: 25_000 };
    let (part, _) = written(job("", Some(range), None, "b.wav"));
    assert_eq!(places(&part), [(347, list()[1].name.as_str()), (8001, "Refrain")]);
    assert_eq!(part[1].end_frame, Some(13_000), "a region is cut to the range");
    let (faster, _) = written(job("", None, Some(88_200), "c.wav"));
    assert_eq!(places(&faster)[1].0, 24_694);
    let (longer, warnings) = written(job("stretch(2)", Some(range), Some(88_200), "d.wav"));
    assert_eq!(places(&longer), [(4 * 347, list()[1].name.as_str()), (4 * 8001, "Refrain")]);
    assert_eq!((longer[1].end_frame, warnings.len()), (Some(4 * 13_000), 0), "{warnings:?}");
    let unmarked = ExportJob {
        settings: ExportSettings { markers: false, ..job("", None, None, "").settings },
        ..job("", None, None, "e.wav")
    };
    assert!(written(unmarked).0.is_empty());
}

fn riff_chunk(id: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut chunk = [id.as_slice(), &(content.len() as u32).to_le_bytes(), content].concat();
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

fn cue_point(id: u32, frame: u32) -> Vec<u8> {
    let words = [id, 99, u32::from_le_bytes(*b"data"), 0, 0, frame];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn wav_chunks_made_by_hand() {
    let folder = folder();
    let with_id = |id: u32, rest: &[u8]| [id.to_le_bytes().as_slice(), rest].concat();
    // Points out of order, a Latin-1 name, a region, a text only in `ltxt`, a name for a missing point.
    let cue = [3u32.to_le_bytes().to_vec(), cue_point(7, 300), cue_point(2, 100), cue_point(9, 200)].concat();
    let adtl = [
        b"adtl".to_vec(),
        riff_chunk(b"labl", &with_id(7, b"caf\xe9\0")),
        riff_chunk(b"note", &with_id(7, b"a note\0")),
        riff_chunk(b"ltxt", &with_id(2, &[&50u32.to_le_bytes(), b"rgn ".as_slice(), &[0; 8], b"spoken"].concat())),
        riff_chunk(b"labl", &with_id(77, b"nowhere\0")),
        riff_chunk(b"labl", &with_id(9, b"")),
    ]
    .concat();
    for magic in ["RIFF", "RF64", "BW64"] {
        let wav = Wav { magic, ..Wav::plain(16, 2) }.bytes(500, |_, frame| (frame % 50) as f64 / 100.0);
        let path = folder.path().join("hand.wav");
        fs::write(&path, [wav, riff_chunk(b"LIST", &adtl), riff_chunk(b"cue ", &cue)].concat()).unwrap();
        let file = AudioFile::open(&path).unwrap();
        let expected = MarkerList::from(vec![
            Marker::region(100, 150, "spoken"),
            Marker::point(200, ""),
            Marker { note: "a note".into(), ..Marker::point(300, "caf\u{e9}") },
        ]);
        assert_eq!(*file.markers(), expected, "{magic}");
        // A copy keeps 64-bit sizes, and has the markers after the audio.
        let target = folder.path().join("copy.wav");
        marker_copy::copy(&file, &expected, &target, true, &[], &Progress::new()).unwrap();
        let copied = AudioFile::open(&target).unwrap();
        assert_eq!((copied.info().format.as_str(), copied.markers()), (file.info().format.as_str(), &expected));
        assert_eq!(samples(&target), samples(&path));
    }
}

#[test]
fn lists_of_markers_may_be_in_lower_case() {
    let folder = folder();
    let wav = Wav::plain(16, 1).bytes(500, |_, _| 0.25);
    let labl = riff_chunk(b"labl", &[&1u32.to_le_bytes(), b"Eins\0".as_slice()].concat());
    let cue = riff_chunk(b"cue ", &[1u32.to_le_bytes().to_vec(), cue_point(1, 100)].concat());
    for id in [b"LIST", b"list", b"List", b"lIST", b"LisT"] {
        let list = riff_chunk(id, &[b"adtl".as_slice(), &labl].concat());
        for chunks in [[list.clone(), cue.clone()], [cue.clone(), list]] {
            let path = folder.path().join("list.wav");
            fs::write(&path, [wav.clone(), chunks.concat()].concat()).unwrap();
            let file = AudioFile::open(&path).unwrap();
            assert_eq!(places(file.markers()), [(100, "Eins")], "{}", id.escape_ascii());
            // They do not come back beside those of a copy.
            let target = folder.path().join("copy.wav");
            let new = MarkerList::from(vec![Marker::point(7, "neu")]);
            marker_copy::copy(&file, &new, &target, true, &[], &Progress::new()).unwrap();
            assert_eq!(*AudioFile::open(&target).unwrap().markers(), new);
        }
    }
}

/// Returns a `smpl` chunk with loops of first and last frames.
fn smpl(loops: &[(u32, u32)], count: u32, after: &[u8]) -> Vec<u8> {
    let head = [0, 0, 22_675, 60, 0, 0, 0, count, after.len() as u32];
    let loops = loops.iter().flat_map(|(first, last)| [1, 0, *first, *last, 0, 0]);
    let words: Vec<u8> = head.into_iter().chain(loops).flat_map(u32::to_le_bytes).collect();
    riff_chunk(b"smpl", &[&words, after].concat())
}

#[test]
fn loops_of_samplers_are_regions() {
    let folder = folder();
    let path = folder.path().join("loop.wav");
    let wav = Wav::plain(16, 1).bytes(500, |_, _| 0.25);
    let open = |chunks: &[Vec<u8>]| {
        fs::write(&path, [wav.clone(), chunks.concat()].concat()).unwrap();
        AudioFile::open(&path).unwrap()
    };
    let region = |start, end| Marker::region(start, end, "Loop");
    assert_eq!(**open(&[smpl(&[(100, 199), (0, 49)], 2, b"")]).markers(), [region(0, 50), region(100, 200)]);
    // A loop of one frame, one that ends before it begins, one beyond the end, and a count that lies.
    let odd = smpl(&[(7, 7), (50, 20), (490, 9999), (600, 700)], u32::MAX, b"");
    assert_eq!(**open(&[odd]).markers(), [region(7, 8), region(490, 500)]);
    assert_eq!(**open(&[smpl(&[(1, 2), (3, 4)], 1, b"data")]).markers(), [region(1, 3)]);
    for cut in 0..60 {
        let whole = smpl(&[(100, 199)], 1, b"");
        open(&[riff_chunk(b"smpl", &whole[8..8 + cut])]);
    }
    // Beside markers. A region that has the loop's frames already names it.
    let cue = riff_chunk(b"cue ", &[2u32.to_le_bytes().to_vec(), cue_point(1, 100), cue_point(2, 30)].concat());
    let ltxt = riff_chunk(b"ltxt", &[1u32, 100, u32::from_le_bytes(*b"rgn "), 0, 0].map(u32::to_le_bytes).concat());
    let labl = riff_chunk(b"labl", &[&1u32.to_le_bytes(), b"Schleife\0".as_slice()].concat());
    let adtl = riff_chunk(b"LIST", &[b"adtl".to_vec(), labl, ltxt].concat());
    let file = open(&[smpl(&[(100, 199), (300, 399)], 2, b"data"), cue, adtl]);
    let expected = [Marker::point(30, ""), Marker::region(100, 200, "Schleife"), region(300, 400)];
    assert_eq!(**file.markers(), expected);
    // A copy has the loops that are still regions, and what follows them in the chunk.
    let target = folder.path().join("copy.wav");
    for markers in [expected.to_vec(), vec![Marker::region(300, 400, "anders")], vec![]] {
        let markers = MarkerList::from(markers);
        marker_copy::copy(&file, &markers, &target, true, &[], &Progress::new()).unwrap();
        assert_eq!(*AudioFile::open(&target).unwrap().markers(), markers);
        let bytes = fs::read(&target).unwrap();
        let at = bytes.windows(4).position(|four| four == b"smpl").unwrap();
        let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let loops = markers.iter().filter(|marker| marker.end_frame.is_some()).count();
        assert_eq!((size, &bytes[at + 8 + size - 4..at + 8 + size]), (36 + 24 * loops + 4, b"data".as_slice()));
        assert_eq!(samples(&target), samples(&path));
    }
}

/// Returns an AIFF file with more chunks, before its sound or after it.
fn aiff_with(chunks: &[(&[u8; 4], Vec<u8>)], is_before: bool) -> Vec<u8> {
    let plain = Wav { magic: "AIFF", ..Wav::plain(16, 1) }.bytes(500, |_, _| 0.25);
    let mut more = Vec::new();
    for (id, content) in chunks {
        more.extend([id.as_slice(), &(content.len() as u32).to_be_bytes(), content].concat());
        more.resize(more.len().next_multiple_of(2), 0);
    }
    let at = if is_before { 12 } else { plain.len() };
    let mut file = [&plain[..at], &more, &plain[at..]].concat();
    let size = file.len() as u32 - 8;
    file[4..8].copy_from_slice(&size.to_be_bytes());
    file
}

#[test]
fn markers_of_aiff_files() {
    let folder = folder();
    let path = folder.path().join("hand.aiff");
    let mark = |points: &[(u16, u32, &[u8])], count: u16| {
        let mut chunk = count.to_be_bytes().to_vec();
        for (number, frame, name) in points {
            chunk.extend([&number.to_be_bytes()[..], &frame.to_be_bytes(), &[name.len() as u8], name].concat());
            chunk.resize(chunk.len().next_multiple_of(2), 0);
        }
        chunk
    };
    let inst = |sustain: [u16; 3], release: [u16; 3]| {
        [
            &[60, 0, 0, 127, 1, 127, 0, 0][..],
            &[sustain, release].concat().into_iter().flat_map(u16::to_be_bytes).collect::<Vec<_>>(),
        ]
        .concat()
    };
    let open = |chunks: &[(&[u8; 4], Vec<u8>)], is_before| {
        fs::write(&path, aiff_with(chunks, is_before)).unwrap();
        AudioFile::open(&path).unwrap()
    };
    let points: [(u16, u32, &[u8]); 4] = [(1, 300, b"zwei"), (2, 100, b"caf\xe9"), (7, 450, b""), (9, 501, b"beyond")];
    let expected = [(100, "caf\u{e9}"), (300, "zwei"), (450, "")];
    for is_before in [true, false] {
        let file = open(&[(b"MARK", mark(&points, 4))], is_before);
        assert_eq!(places(file.markers()), expected);
        assert_eq!((file.info().frames, file.info().warnings.len()), (500, 0), "{:?}", file.info().warnings);
        // Loops lie between two markers.
        let file = open(&[(b"INST", inst([1, 2, 1], [0, 2, 7])), (b"MARK", mark(&points, 4))], is_before);
        assert_eq!(places(file.markers()), [(100, "caf\u{e9}"), (100, "Loop"), (300, "zwei"), (450, "")]);
        assert_eq!(file.markers()[1].end_frame, Some(300));
        let file = open(&[(b"MARK", mark(&points, 4)), (b"INST", inst([1, 1, 2], [2, 1, 7]))], is_before);
        assert_eq!(places(file.markers()), [(100, "caf\u{e9}"), (300, "zwei"), (300, "Release loop"), (450, "")]);
    }
    // Counts and lengths that lie, markers that are missing.
    assert_eq!(open(&[(b"MARK", mark(&points, u16::MAX))], false).markers().len(), 3);
    assert_eq!(open(&[(b"MARK", mark(&points, 1))], false).markers().len(), 1);
    assert!(open(&[(b"INST", inst([1, 2, 1], [1, 7, 9]))], false).markers().is_empty());
    let whole = mark(&points, 4);
    for cut in 0..whole.len() {
        open(&[(b"MARK", whole[..cut].to_vec()), (b"INST", vec![0xff; cut % 21])], false);
    }
}

#[test]
fn wav_chunks_that_lie_are_read_as_far_as_they_go() {
    let folder = folder();
    let wav = Wav::plain(16, 1).bytes(500, |_, _| 0.25);
    let open = |chunks: &[Vec<u8>]| {
        let path = folder.path().join("lie.wav");
        fs::write(&path, [wav.clone(), chunks.concat()].concat()).unwrap();
        AudioFile::open(&path).unwrap().markers().clone()
    };
    // A count beyond the chunk, and a chunk beyond the file.
    let cue = [u32::MAX.to_le_bytes().to_vec(), cue_point(1, 10), cue_point(1, 20), vec![1, 2, 3]].concat();
    assert_eq!(places(&open(&[riff_chunk(b"cue ", &cue)])), [(10, ""), (20, "")]);
    let mut beyond = riff_chunk(b"cue ", &cue);
    beyond[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(open(&[beyond]).len(), 2);
    // Beyond the recording's end.
    let far = [1u32.to_le_bytes().to_vec(), cue_point(1, 501)].concat();
    assert!(open(&[riff_chunk(b"cue ", &far)]).is_empty());
    for cut in 0..cue.len() {
        open(&[riff_chunk(b"cue ", &cue[..cut]), riff_chunk(b"LIST", b"adtl"), riff_chunk(b"LIST", b"")]);
    }
    // A region beyond the end is shortened; so is a name of a megabyte.
    let long = [&1u32.to_le_bytes(), "ü".repeat(1 << 19).as_bytes()].concat();
    let region = [&1u32.to_le_bytes(), u32::MAX.to_le_bytes().as_slice()].concat();
    let adtl = [b"adtl".to_vec(), riff_chunk(b"labl", &long), riff_chunk(b"ltxt", &region)].concat();
    let found = open(&[riff_chunk(b"cue ", &cue), riff_chunk(b"LIST", &adtl)]);
    assert_eq!((found[0].end_frame, found[0].name.len()), (Some(500), 4096));
}

/// Returns a comment block or packet body.
fn comment_body(comments: &[&str]) -> Vec<u8> {
    let mut body = [&4u32.to_le_bytes(), b"hand".as_slice(), &(comments.len() as u32).to_le_bytes()].concat();
    for comment in comments {
        body.extend((comment.len() as u32).to_le_bytes());
        body.extend(comment.as_bytes());
    }
    body
}

/// Returns a real FLAC file with other blocks after its STREAMINFO.
fn flac_with(blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let real = fs::read(reference("flac.flac")).unwrap();
    let (mut at, mut info) = (4, Vec::new());
    loop {
        let head = u32::from_be_bytes(real[at..at + 4].try_into().unwrap());
        let end = at + 4 + (head & 0xff_ffff) as usize;
        if matches!(head >> 24 & 0x7f, 0) {
            info = real[at + 4..end].to_vec();
        }
        at = end;
        if head >> 31 == 1 {
            break;
        }
    }
    let mut out = b"fLaC".to_vec();
    let all: Vec<_> = std::iter::once((0, info)).chain(blocks.iter().cloned()).collect();
    for (index, (kind, content)) in all.iter().enumerate() {
        let last = u32::from(index + 1 == all.len()) << 31;
        out.extend((last | u32::from(*kind) << 24 | content.len() as u32).to_be_bytes());
        out.extend(content);
    }
    out.extend(&real[at..]);
    out
}

fn reference(name: &str) -> PathBuf {
    crate::support::reference("audio").join(name)
}

/// Returns a CUESHEET block of tracks, each with its index points.
fn cuesheet(tracks: &[(u64, u8, &[(u64, u8)])], count: u8) -> Vec<u8> {
    let mut block = vec![b'0'; 128];
    block.extend(88_200u64.to_be_bytes());
    block.extend([0; 259]);
    block.push(count);
    for (offset, number, points) in tracks {
        block.extend(offset.to_be_bytes());
        block.push(*number);
        block.extend([0; 26]);
        block.push(points.len() as u8);
        for (offset, number) in *points {
            block.extend(offset.to_be_bytes());
            block.extend([*number, 0, 0, 0]);
        }
    }
    block
}

/// Returns the blocks of a FLAC file before its audio: types and contents.
fn flac_blocks(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let (mut at, mut blocks) = (4, Vec::new());
    loop {
        let head = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        let end = at + 4 + (head & 0xff_ffff) as usize;
        blocks.push(((head >> 24 & 0x7f) as u8, bytes[at + 4..end].to_vec()));
        at = end;
        if head >> 31 == 1 {
            return blocks;
        }
    }
}

/// Returns the chapters that ffmpeg finds in a FLAC file: it takes them from both blocks in the order of the file, and
/// tells them apart by their numbers.
fn chapters_of_ffmpeg(bytes: &[u8], hz: u32) -> Vec<(u64, String)> {
    let mut found: Vec<(u32, u64, String)> = Vec::new();
    let mut put = |number: u32, frame: u64| match found.iter_mut().position(|known| known.0 == number) {
        Some(index) => found[index].1 = frame,
        None => found.push((number, frame, String::new())),
    };
    let mut names = Vec::new();
    for (kind, block) in flac_blocks(bytes) {
        if kind == 5 {
            let mut at = 396;
            for _ in 1..block[395] {
                let frame = u64::from_be_bytes(block[at..at + 8].try_into().unwrap());
                put(block[at + 8].into(), frame);
                at += 36 + 12 * usize::from(block[at + 35]);
            }
        } else if kind == 4 {
            let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap()) as usize;
            let mut at = 4 + word(0);
            let count = word(at);
            at += 4;
            for _ in 0..count {
                let text = String::from_utf8(block[at + 4..at + 4 + word(at)].to_vec()).unwrap();
                at += 4 + word(at);
                let Some((name, value)) = text.split_once('=').filter(|(name, _)| name.starts_with("CHAPTER")) else {
                    continue;
                };
                let number: u32 = name[7..10].parse().unwrap();
                if name.len() == 10 {
                    let seconds: f64 =
                        value.split(':').fold(0.0, |total, part| total * 60.0 + part.parse::<f64>().unwrap());
                    put(number, (seconds * f64::from(hz)).round() as u64);
                } else {
                    names.push((number, value.to_owned()));
                }
            }
        }
    }
    for (number, name) in names {
        found.iter_mut().find(|known| known.0 == number).unwrap().2 = name;
    }
    found.into_iter().map(|(_, frame, name)| (frame, name)).collect()
}

#[test]
fn players_find_the_chapters_of_a_flac_once_and_by_name() {
    let folder = folder();
    let (path, copied) = (folder.path().join("a.flac"), folder.path().join("b.flac"));
    let named = |count: u64| -> MarkerList {
        (0..count).map(|n| Marker::point(n * 50, format!("Name {n}"))).collect::<Vec<_>>().into()
    };
    for count in [0, 1, 2, 254, 255, 998, 999, 1000] {
        let markers = named(count);
        write_file(&path, FileFormat::Flac, RATE, &markers);
        // A copy puts the blocks in the same order, also of a file that has other chapters.
        let file = AudioFile::open(&path).unwrap();
        marker_copy::copy(&file, &markers, &copied, true, &[], &Progress::new()).unwrap();
        for path in [&path, &copied] {
            let bytes = fs::read(path).unwrap();
            let found = chapters_of_ffmpeg(&bytes, RATE);
            assert_eq!(found.len(), markers.len(), "{count}");
            for ((frame, name), marker) in found.iter().zip(markers.iter()) {
                assert!(frame.abs_diff(marker.start_frame) <= u64::from(RATE.div_ceil(2000)), "{count}: {name}");
                assert_eq!(*name, marker.name, "{count}");
            }
            let kinds: Vec<u8> = flac_blocks(&bytes).into_iter().map(|(kind, _)| kind).collect();
            assert_eq!(kinds.iter().copied().filter(|kind| *kind == 5).count(), usize::from((1..255).contains(&count)));
            assert_eq!(kinds[0], 0, "{kinds:?}");
        }
        let names = |path: &Path| places(AudioFile::open(path).unwrap().markers()).len();
        assert_eq!((names(&path), names(&copied)), (count as usize, count as usize));
    }
}

#[test]
fn flac_blocks_made_by_hand() {
    let folder = folder();
    let path = folder.path().join("hand.flac");
    let open = |blocks: &[(u8, Vec<u8>)]| {
        fs::write(&path, flac_with(blocks)).unwrap();
        AudioFile::open(&path).unwrap()
    };
    let frames = open(&[]).info().frames;
    let hz = open(&[]).info().audio.rate.hz();
    // Track 2 begins at its index 1, after a pause.
    let sheet = cuesheet(&[(0, 1, &[(0, 1)]), (1000, 2, &[(0, 0), (55, 1)]), (frames, 255, &[])], 3);
    assert_eq!(places(open(&[(5, sheet.clone())]).markers()), [(0, ""), (1055, "")]);
    // Comments that agree to the millisecond name the tracks.
    let ms = 1055 * 1000 / u64::from(hz);
    let second = format!("chapter02=00:00:00.{ms:03}");
    let body =
        comment_body(&["CHAPTER01=0:00:00.000", "TITLE=Lied", &second, "CHAPTER02NAME=zwei", "CHAPTER01NAME=eins"]);
    let file = open(&[(5, sheet.clone()), (4, body.clone())]);
    assert_eq!(places(file.markers()), [(0, "eins"), (1055, "zwei")]);
    assert_eq!(file.info().tags.items.keys().collect::<Vec<_>>(), ["TITLE"]);
    // Other comments are used alone, and a value that is not a time stays a tag.
    let other = comment_body(&["CHAPTER001=00:00:00,010", "CHAPTER001NAME=da", "CHAPTER2=soon", "CHAPTERS=3"]);
    let file = open(&[(5, sheet.clone()), (4, other)]);
    assert_eq!(places(file.markers()), [(u64::from(hz) / 100, "da")]);
    assert_eq!(file.info().tags.items.keys().collect::<Vec<_>>(), ["CHAPTER2", "CHAPTERS"]);
    // Wrong counts, and blocks that end anywhere.
    let lies = cuesheet(&[(0, 1, &[(u64::MAX, 1)]), (u64::MAX, 2, &[(u64::MAX, 1)])], 255);
    assert!(open(&[(5, lies)]).markers().is_empty());
    for cut in 0..sheet.len() {
        open(&[(5, sheet[..cut].to_vec())]);
    }
}

fn id3_frame(version: u8, id: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = content.len();
    let safe = [21, 14, 7, 0].map(|shift| (size >> shift & 0x7f) as u8);
    let size = if version == 3 { (size as u32).to_be_bytes() } else { safe };
    [id.as_slice(), &size, &[0, 0], content].concat()
}

fn id3_tag(version: u8, frames: &[Vec<u8>]) -> Vec<u8> {
    let frames = frames.concat();
    let size = [21, 14, 7, 0].map(|shift| (frames.len() >> shift & 0x7f) as u8);
    [b"ID3".as_slice(), &[version, 0, 0], &size, &frames].concat()
}

fn chapter(version: u8, id: &str, start_ms: u32, end_ms: u32, title: &[u8]) -> Vec<u8> {
    let title = id3_frame(version, b"TIT2", title);
    let times = [start_ms, end_ms, u32::MAX, u32::MAX].map(u32::to_be_bytes).concat();
    id3_frame(version, b"CHAP", &[id.as_bytes(), &[0], &times, &title].concat())
}

#[test]
fn id3_chapters_made_by_hand() {
    let folder = folder();
    let path = folder.path().join("hand.mp3");
    let mp3 = fs::read(reference("lame.mp3")).unwrap();
    let audio = &mp3[if mp3.starts_with(b"ID3") { 10 + mp3[9] as usize + (mp3[8] as usize) * 128 } else { 0 }..];
    for version in [3, 4] {
        let tag = id3_tag(
            version,
            &[
                id3_frame(version, b"TIT2", b"\x03Lied"),
                // Not in order of time; the first two meet, the last one ends before the file does.
                chapter(version, "b", 10, 20, b"\x01\xff\xfez\0w\0e\0i\0"),
                chapter(version, "a", 0, 10, b"\x00eins\0rest"),
                chapter(version, "c", 25, 30, b"\x03drei"),
                // Cut short.
                id3_frame(version, b"CHAP", b"x\0\0\0"),
                id3_frame(version, b"CTOC", b"toc\0\x03\x03a\0b\0c\0"),
            ],
        );
        fs::write(&path, [&tag, audio].concat()).unwrap();
        let file = AudioFile::open(&path).unwrap();
        let frame = |ms: u64| (ms * u64::from(file.info().audio.rate.hz()) + 500) / 1000;
        let expected = MarkerList::from(vec![
            Marker::point(0, "eins"),
            Marker::region(frame(10), frame(20), "zwei"),
            Marker::region(frame(25), frame(30), "drei"),
        ]);
        assert_eq!(*file.markers(), expected, "version 2.{version}");
        // A copy in the tag's version.
        let target = folder.path().join("copy.mp3");
        let new = MarkerList::from(vec![Marker::point(0, "neu \u{1f3b5}"), Marker::region(frame(10), frame(15), "r")]);
        marker_copy::copy(&file, &new, &target, true, &[], &Progress::new()).unwrap();
        let bytes = fs::read(&target).unwrap();
        assert!(bytes.starts_with(&[b'I', b'D', b'3', version, 0, 0]) && bytes.ends_with(audio));
        let copied = AudioFile::open(&target).unwrap();
        assert_eq!((copied.markers(), &copied.info().tags), (&new, &file.info().tags));
    }
    // An unsynchronised tag is read, but not changed.
    let mut tag = id3_tag(3, &[chapter(3, "a", 0, 10, b"\x00eins")]);
    tag[5] = 0x80;
    // Unsynchronisation would insert zeros between the byte offsets, which are all ones.
    let at = tag.windows(8).position(|eight| eight == [0xff; 8]).unwrap();
    tag.splice(at..at + 8, [0; 8]);
    fs::write(&path, [&tag, audio].concat()).unwrap();
    let file = AudioFile::open(&path).unwrap();
    assert_eq!(places(file.markers()), [(0, "eins")]);
    let refused = marker_copy::copy(&file, &list(), &folder.path().join("no.mp3"), true, &[], &Progress::new());
    assert!(refused.unwrap_err().to_string().contains("ID3"));
}

fn mp4_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes(), kind.as_slice(), content].concat()
}

fn full(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Returns a real file, whose `moov` is last, with more boxes in the `moov` and in its first track, and bytes after it.
fn mp4_with(in_movie: &[u8], in_track: &[u8], after: impl FnOnce(u32) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = fs::read(reference("alac.m4a")).unwrap();
    let find = |bytes: &[u8], kind: &[u8; 4]| bytes.windows(4).rposition(|four| four == kind).unwrap() - 4;
    let grow = |bytes: &mut Vec<u8>, at: usize, more: usize| {
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) + more as u32;
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
    };
    let (movie, track) = (find(&bytes, b"moov"), find(&bytes, b"trak"));
    let track_end = track + u32::from_be_bytes(bytes[track..track + 4].try_into().unwrap()) as usize;
    grow(&mut bytes, track, in_track.len());
    grow(&mut bytes, movie, in_track.len() + in_movie.len());
    bytes.splice(track_end..track_end, in_track.iter().copied());
    bytes.extend(in_movie);
    let end = bytes.len() as u32;
    bytes.extend(after(end));
    bytes
}

#[test]
fn mp4_chapters_made_by_hand() {
    let folder = folder();
    let path = folder.path().join("hand.m4a");
    let open = |bytes: Vec<u8>| {
        fs::write(&path, bytes).unwrap();
        AudioFile::open(&path).unwrap()
    };
    let hz = u64::from(AudioFile::open(&reference("alac.m4a")).unwrap().info().audio.rate.hz());
    let nero = |count: u8| {
        let mut list = vec![1, 0, 0, 0, 0, 0, 0, 0, count];
        for (start, name) in [(0u64, "eins"), (1_000_000, "zwei \u{fc}")] {
            list.extend(start.to_be_bytes());
            list.push(name.len() as u8);
            list.extend(name.as_bytes());
        }
        list
    };
    // The movie's user data comes before others of this kind.
    let user = |list: &[u8]| {
        let bytes = fs::read(reference("alac.m4a")).unwrap();
        assert!(bytes.windows(4).any(|four| four == b"udta"));
        let mut bytes = mp4_with(&mp4_box(b"chpl", list), &[], |_| Vec::new());
        // The box becomes part of the user data, which is the movie's last.
        let at = bytes.windows(4).rposition(|four| four == b"udta").unwrap() - 4;
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) + list.len() as u32 + 8;
        assert_eq!(at + size as usize, bytes.len(), "the user data is the movie's last box");
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
        bytes
    };
    for count in [2, 255] {
        assert_eq!(places(open(user(&nero(count))).markers()), [(0, "eins"), (hz / 10, "zwei \u{fc}")]);
    }
    for cut in 0..nero(2).len() {
        open(user(&nero(2)[..cut]));
    }
    // A text track that the audio track refers to, with samples after everything else.
    let texts: [&[u8]; 3] = [b"\0\x04eins", b"\0\x06\xfe\xff\0z\0w", b"\0\0"];
    let sizes: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
    let movie = |offset: u32, per_chunk: u32, size_count: u32| {
        let table = [
            mp4_box(b"stts", &full(&[0, 2, 1, 30, 2, 20])),
            mp4_box(b"stsc", &full(&[0, 1, 1, per_chunk, 1])),
            mp4_box(b"stsz", &full(&[&[0, 0, size_count], sizes.as_slice()].concat())),
            mp4_box(b"stco", &full(&[0, 1, offset])),
        ];
        let media = [
            mp4_box(b"mdhd", &full(&[0, 0, 0, 1000, 0, 0])),
            mp4_box(b"hdlr", &full(&[0, 0, u32::from_be_bytes(*b"text"), 0, 0, 0])),
            mp4_box(b"minf", &mp4_box(b"stbl", &table.concat())),
        ];
        let track = [mp4_box(b"tkhd", &full(&[0, 0, 0, 77])), mp4_box(b"mdia", &media.concat())];
        mp4_box(b"trak", &track.concat())
    };
    let reference_box = mp4_box(b"tref", &mp4_box(b"chap", &full(&[5, 77])));
    let length = mp4_with(&movie(0, 3, 3), &reference_box, |_| Vec::new()).len() as u32;
    let file = open(mp4_with(&movie(length, 3, 3), &reference_box, |_| texts.concat()));
    assert_eq!(places(file.markers()), [(0, "eins"), (30 * hz / 1000, "zw"), (50 * hz / 1000, "")]);
    // Wrong tables.
    for (offset, per_chunk, count) in [(u32::MAX, 3, 3), (length, u32::MAX, u32::MAX), (length, 0, 3), (0, 1, 0)] {
        open(mp4_with(&movie(offset, per_chunk, count), &reference_box, |_| texts.concat()));
    }
}

#[test]
fn label_files_come_back_as_they_were() {
    let folder = folder();
    let rich = MarkerList::from(vec![
        Marker::point(0, "Anfang"),
        Marker { band_hz: Some([Some(440.0), Some(12_000.5)]), ..Marker::region(1, 96_000, "Klick") },
        Marker { performer: "Jemand".into(), note: "=1+1".into(), ..Marker::point(123_457, "=SUM(A1)") },
        Marker { band_hz: Some([Some(80.0), None]), ..Marker::region(200_000, 300_000, "Offen nach oben") },
        Marker { band_hz: Some([None, Some(4000.0)]), ..Marker::point(400_000, "Offen nach unten") },
        Marker::point(9_999_999, "\u{1f3b5}, \"ja\"; nein"),
    ]);
    for hz in [8000, 44_100, 768_000] {
        for (format, name, step) in [
            (LabelFormat::Audacity, "a.txt", 0.0),
            (LabelFormat::Csv, "a.csv", 0.0),
            (LabelFormat::Plain, "a.tsv", 1.0 / 1000.0),
            (LabelFormat::Cue, "a.cue", 1.0 / 75.0),
        ] {
            let (text, warnings) = write_labels(&rich, format, rate(hz), "Lied.flac").unwrap();
            let back = labels(folder.path(), name, text.as_bytes(), hz).unwrap();
            let tolerance = (step * f64::from(hz) / 2.0).ceil() as u64;
            for (back, marker) in back.iter().zip(rich.iter()) {
                assert!(back.start_frame.abs_diff(marker.start_frame) <= tolerance, "{name} at {hz}: {back:?}");
            }
            let mut expected = rich.to_vec();
            match format {
                LabelFormat::Csv => {}
                LabelFormat::Audacity => expected.iter_mut().for_each(|marker| {
                    (marker.note, marker.performer) = (String::new(), String::new());
                }),
                _ => {
                    let quoted = |name: &str| {
                        if format == LabelFormat::Cue { name.replace('"', "'") } else { name.to_owned() }
                    };
                    expected = back
                        .iter()
                        .zip(&expected)
                        .map(|(back, marker)| Marker {
                            performer: if format == LabelFormat::Cue {
                                marker.performer.clone()
                            } else {
                                String::new()
                            },
                            ..Marker::point(back.start_frame, quoted(&marker.name))
                        })
                        .collect();
                    assert!(warnings[0].contains("2 regions"), "{warnings:?}");
                }
            }
            assert_eq!(back, MarkerList::from(expected), "{name} at {hz}");
        }
    }
}

#[test]
fn label_files_as_other_programs_write_them() {
    let folder = folder();
    let read = |name: &str, bytes: &[u8]| labels(folder.path(), name, bytes, 1000);
    // Audacity, with frequencies, decimal commas and names with tabs.
    let text =
        "1.500000\t1.500000\tPunkt\r\n2,25\t3,5\tmit\tTab\r\n\\\t100,5\t-1.000000\r\n4\t5\tBand\r\n\\\t200\t300.5\r\n";
    let found = read("a.txt", text.as_bytes()).unwrap();
    assert_eq!(
        found,
        MarkerList::from(vec![
            Marker::point(1500, "Punkt"),
            Marker { band_hz: Some([Some(100.5), None]), ..Marker::region(2250, 3500, "mit\tTab") },
            Marker { band_hz: Some([Some(200.0), Some(300.5)]), ..Marker::region(4000, 5000, "Band") },
        ])
    );
    // A plain list, in UTF-16 and with a byte order mark in UTF-8.
    let plain = "0:00:01.250\tAnfang\n1:00:00 Sp\u{e4}t\n75\n";
    let expected = [(1250, "Anfang"), (75_000, ""), (3_600_000, "Sp\u{e4}t")];
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain(plain.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [plain.as_bytes().to_vec(), [b"\xef\xbb\xbf", plain.as_bytes()].concat(), utf16] {
        assert_eq!(places(&read("a.txt", &bytes).unwrap()), expected);
    }
    assert_eq!(places(&read("a.txt", b"1.0\tcaf\xe9").unwrap()), [(1000, "caf\u{e9}")]);
    // A CUE sheet with everything that may surround the tracks.
    let cue = "REM GENRE Jazz\nPERFORMER \"Die Band\"\nTITLE \"Das Album\"\nFILE \"Das Album.wav\" WAVE\n\
               \x20 TRACK 01 AUDIO\n    TITLE \"Eins \"und\" mehr\"\n    PERFORMER Solo\n    INDEX 00 00:00:00\n    INDEX 01 00:00:37\n\
               \x20 TRACK 02 AUDIO\n    FLAGS DCP\n    ISRC ABCDE1234567\n    TITLE Zwei Worte\n    index 01 100:59:74\n\
               \x20 TRACK 03 AUDIO\n    TITLE \"ohne Ort\"\n";
    let found = read("a.cue", cue.as_bytes()).unwrap();
    assert_eq!(places(&found), [(493, "Eins \"und\" mehr"), (6_059_987, "Zwei Worte")]);
    assert_eq!(found[0].performer, "Solo");
    // A table with other columns, in another order, with semicolons.
    let csv = "Name;Start;Colour;END\n\"eins;\"\"zwei\"\"\";1,5;red;\nRegion;0:02;;3\n";
    let found = read("a.csv", csv.as_bytes()).unwrap();
    assert_eq!(
        found,
        MarkerList::from(vec![Marker::point(1500, "eins;\"zwei\""), Marker::region(2000, 3000, "Region")])
    );
}

#[test]
fn frequencies_may_be_open_on_a_side() {
    let folder = folder();
    let band = |text: &str| labels(folder.path(), "a.txt", text.as_bytes(), 1000).unwrap()[0].band_hz;
    for (numbers, expected) in [
        ("100\t200", Some([Some(100.0), Some(200.0)])),
        ("200\t100", Some([Some(100.0), Some(200.0)])),
        ("100\t-1", Some([Some(100.0), None])),
        ("-1.000000\t5000", Some([None, Some(5000.0)])),
        ("100", Some([Some(100.0), None])),
        ("0\t-1", Some([Some(0.0), None])),
        ("-1\t-1", None),
        ("inf\tnan", None),
        ("", None),
    ] {
        assert_eq!(band(&format!("1\t2\tName\n\\\t{numbers}\n")), expected, "{numbers:?}");
        // As Audacity writes them again.
        let markers = MarkerList::from(vec![Marker { band_hz: expected, ..Marker::region(1000, 2000, "Name") }]);
        for (format, name) in [(LabelFormat::Audacity, "b.txt"), (LabelFormat::Csv, "b.csv")] {
            let (text, _) = write_labels(&markers, format, rate(1000), "").unwrap();
            assert_eq!(labels(folder.path(), name, text.as_bytes(), 1000).unwrap(), markers, "{text}");
        }
    }
}

#[test]
fn tables_of_audition_are_read() {
    let folder = folder();
    let head = "Name\tStart\tDuration\tTime Format\tType\tDescription\r\n";
    let read = |name: &str, text: &str| labels(folder.path(), name, text.as_bytes(), 1000);
    let rows = "Marker 01\t0:01.250\t0:00.000\tdecimal\tCue\tsaid, \"so\"\r\n\
                \"Quoted \"\"name\"\"\"\t1:02.5\t0:01.5\tdecimal\tSubclip\t\r\n\
                Late\t1:44:53.111\t0:00.000\tdecimal\tCue\r\n\
                \"Half a quote\t2:00.000000\t0:00:00.175000\tdecimal\tTrack\t\r\n";
    let expected = MarkerList::from(vec![
        Marker { note: "said, \"so\"".into(), ..Marker::point(1250, "Marker 01") },
        Marker::region(62_500, 64_000, "Quoted \"name\""),
        Marker::region(120_000, 120_175, "\"Half a quote"),
        Marker::point(6_293_111, "Late"),
    ]);
    for name in ["a.csv", "a.txt", "a.tsv"] {
        assert_eq!(read(name, &format!("{head}{rows}")).unwrap(), expected, "{name}");
        assert_eq!(read(name, &format!("\u{feff}{head}{rows}")).unwrap(), expected, "{name}");
    }
    let samples = format!("{head}a\t1250\t0\tsamples\tCue\t\nb\t2000\t500\t1000 Hz\tCue\t\n");
    assert_eq!(*read("a.csv", &samples).unwrap(), [Marker::point(1250, "a"), Marker::region(2000, 2500, "b")]);
    // Samples of another rate than the recording's.
    for (format, start, end) in [
        ("1000 Hz", 96_000, 96_480),
        ("48000 Hz", 2000, 2010),
        ("48,000 Hz", 2000, 2010),
        ("48 kHz", 2000, 2010),
        ("44100 Hz", 2177, 2188),
        ("44.1 kHz", 2177, 2188),
        ("192000hz", 500, 503),
        ("8000 Hz", 12_000, 12_060),
        ("samples", 96_000, 96_480),
    ] {
        let table = format!("{head}a\t96000\t480\t{format}\tCue\t\n");
        assert_eq!(*read("a.csv", &table).unwrap(), [Marker::region(start, end, "a")], "{format}");
    }
    // With commas, as other programs write the same columns.
    let commas = "Name,Start,Duration,Time Format,Type,Description\nx,1.5,0.25,decimal,Cue,\n";
    assert_eq!(*read("a.csv", commas).unwrap(), [Marker::region(1500, 1750, "x")]);
    let pictures = read("a.csv", &format!("{head}a\t0:01:02\t0\t25 fps\tCue\t\n")).unwrap_err();
    assert!(pictures.contains("Line 2") && pictures.contains("decimal"), "{pictures}");
    let wrong = read("a.csv", &format!("{head}a\tsoon\t0\tdecimal\tCue\t\n")).unwrap_err();
    assert!(wrong.contains("Line 2") && wrong.contains("seconds"), "{wrong}");
}

#[test]
fn cue_sheets_describe_their_album() {
    let folder = folder();
    let path = folder.path().join("a.cue");
    let tags = |head: &str| {
        let sheet = format!(
            "{head}\nFILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nTITLE One\nPERFORMER Solo\nREM DATE 1\nINDEX 01 00:00:00\n"
        );
        fs::write(&path, sheet).unwrap();
        let items = read_labels(&path, rate(RATE)).unwrap().tags;
        items.into_iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>()
    };
    let all = "REM GENRE \"Free Jazz\"\nrem date 1999\nREM DISCID 12\nREM COMMENT \"ExactAudioCopy\"\n\
               PERFORMER \"The \"Band\"\"\nTITLE The Album\nSONGWRITER Someone\nREM DISCNUMBER 2\nREM TOTALDISCS 3";
    assert_eq!(
        tags(all),
        [
            "ALBUM=The Album",
            "ALBUMARTIST=The \"Band\"",
            "ARTIST=The \"Band\"",
            "COMPOSER=Someone",
            "DATE=1999",
            "DISCNUMBER=2",
            "DISCTOTAL=3",
            "GENRE=Free Jazz",
        ]
    );
    assert_eq!(tags("TITLE \"\"\nPERFORMER"), [""; 0]);
    assert_eq!(tags(&format!("TITLE {}", "\u{fc}".repeat(5000)))[0].len(), 4096 + "ALBUM=".len());
    // Other formats have none.
    fs::write(folder.path().join("a.txt"), "0\t0\tx\n").unwrap();
    assert!(read_labels(&folder.path().join("a.txt"), rate(RATE)).unwrap().tags.is_empty());
}

#[test]
fn label_files_that_are_wrong_name_their_line() {
    let folder = folder();
    for (name, text, said) in [
        ("a.txt", "1\t2\ta\n\nx\t3\tb\n", "Line 3"),
        ("a.txt", "1:60\tx\n", "Line 1"),
        ("a.tsv", "hello\n", "Line 1"),
        ("a.cue", "FILE \"x\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:75\n", "Line 3"),
        ("a.cue", "INDEX 01\n", "Line 1"),
        ("a.cue", "hello", "not a CUE sheet"),
        ("a.csv", "name,end\nx,1\n", "one named start"),
        ("a.csv", "start,name\nsoon,x\n", "Line 2"),
        ("a.csv", "start,name\n,x\n", "Line 2"),
        ("a.csv", "start,name\r\n1,x\r\nsoon,y\r\n", "Line 3"),
        ("a.csv", "start,name\n\n1,x\n\n,y", "Line 5"),
        ("a.srt", "", "txt (Audacity), tsv, csv or cue"),
    ] {
        let message = labels(folder.path(), name, text.as_bytes(), RATE).unwrap_err();
        assert!(message.contains(said), "{name} {text:?}: {message}");
    }
    let empty = labels(folder.path(), "a.txt", b"", RATE).unwrap();
    assert!(empty.is_empty());
    let many = "0\t0\tx\n".repeat(MAX_MARKERS + 10);
    assert_eq!(labels(folder.path(), "a.txt", many.as_bytes(), RATE).unwrap().len(), MAX_MARKERS);
}
