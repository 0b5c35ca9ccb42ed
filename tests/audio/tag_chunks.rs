//! The chunks of WAV files about the recording: kept, moved with their sound, and told where they cannot be.

use std::ops::Range;
use std::path::Path;

use audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat, tag_limits};
use audio::tags::{CHUNKS, Chunk, FrameMap, MapPiece, Processing, TagCause};
use audio::{AudioBuffer, AudioFile, AudioFormat, TagChanges, Tags};
use base::units::SampleRate;

use super::support::tagged;

fn hz(rate: u32) -> SampleRate {
    SampleRate::new(rate).unwrap()
}

/// Returns a broadcast extension.
fn bext(time: u64, version: u16, umid: u8, loudness: [i16; 5]) -> Vec<u8> {
    let mut data = vec![0; 602];
    data[..11].copy_from_slice(b"Description");
    data[256..260].copy_from_slice(b"Name");
    data[320..330].copy_from_slice(b"2026-11-28");
    data[338..346].copy_from_slice(&time.to_le_bytes());
    data[346..348].copy_from_slice(&version.to_le_bytes());
    data[348..412].fill(umid);
    for (place, value) in data[412..422].chunks_exact_mut(2).zip(loudness) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    [&data[..], b"A=PCM,F=44100,W=16,M=stereo\r\n"].concat()
}

fn time_of(bext: &[u8]) -> u64 {
    u64::from_le_bytes(bext[338..346].try_into().unwrap())
}

/// Returns a `smpl` chunk with loops by their first and last frames, and three bytes for a sampler.
fn smpl(note: u32, fraction: u32, loops: &[Range<u32>]) -> Vec<u8> {
    let mut words = vec![7, 8, 22_676, note, fraction, 25, 0x0102_0304, loops.len() as u32, 3];
    for (id, frames) in loops.iter().enumerate() {
        words.extend([id as u32, 0, frames.start, frames.end - 1, 5, 2]);
    }
    [words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), b"abc".to_vec()].concat()
}

fn loops_of(smpl: &[u8]) -> Vec<Range<u32>> {
    let word = |at: usize| u32::from_le_bytes(smpl[at..at + 4].try_into().unwrap());
    let loops: Vec<Range<u32>> =
        (0..word(28) as usize).map(|at| word(36 + 24 * at + 8)..word(36 + 24 * at + 12) + 1).collect();
    assert_eq!(smpl.len(), 36 + 24 * loops.len() + 3, "the bytes for a sampler follow");
    assert_eq!((word(32), &smpl[smpl.len() - 3..]), (3, &b"abc"[..]));
    loops
}

/// Returns a cart chunk with timers.
fn cart(timers: &[(&[u8; 4], u32)]) -> Vec<u8> {
    let mut data = vec![0; 2048];
    data[..9].copy_from_slice(b"0101Title");
    for (place, (usage, frame)) in data[684..748].chunks_exact_mut(8).zip(timers) {
        place[..4].copy_from_slice(*usage);
        place[4..].copy_from_slice(&frame.to_le_bytes());
    }
    [&data[..], b"free text"].concat()
}

const IXML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BWFXML>\n<SCENE>12A</SCENE><TAKE>3</TAKE>\
<FILE_UID>ABC</FILE_UID><SPEED><FILE_SAMPLE_RATE>44100</FILE_SAMPLE_RATE><AUDIO_BIT_DEPTH>24</AUDIO_BIT_DEPTH>\
<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>1</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>\
<TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>704</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO></SPEED>\
<SYNC_POINT_LIST><SYNC_POINT_COUNT>2</SYNC_POINT_COUNT>\
<SYNC_POINT><SYNC_POINT_TYPE>RELATIVE</SYNC_POINT_TYPE><SYNC_POINT_LOW>150</SYNC_POINT_LOW><SYNC_POINT_HIGH>0</SYNC_POINT_HIGH></SYNC_POINT>\
<SYNC_POINT><SYNC_POINT_TYPE>RELATIVE</SYNC_POINT_TYPE><SYNC_POINT_LOW>50</SYNC_POINT_LOW><SYNC_POINT_HIGH>0</SYNC_POINT_HIGH></SYNC_POINT></SYNC_POINT_LIST>\
<TRACK_LIST><TRACK_COUNT>2</TRACK_COUNT><TRACK><NAME>Boom</NAME></TRACK></TRACK_LIST>\
<BEXT><BWF_LOUDNESS_VALUE>-2300</BWF_LOUDNESS_VALUE></BEXT></BWFXML>";

/// Returns the tags of a WAV with these chunks.
fn tags(chunks: &[(&[u8; 4], Vec<u8>)]) -> Tags {
    let bytes = tagged::chunked("RIFF", chunks, true);
    let file = AudioFile::from_bytes(bytes, Path::new("chunks.wav")).unwrap();
    assert_eq!(file.info().tags.chunks.len(), chunks.len());
    file.info().tags.clone()
}

/// Returns a chunk after some processing, and what is told of it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "identifiers are byte strings")]
fn after(id: &[u8; 4], data: Vec<u8>, done: &Processing) -> (Option<Vec<u8>>, Vec<String>) {
    let (kept, changed) = done.apply(&tags(&[(id, data)]), &TagChanges::default());
    let told = changed.into_iter().map(|change| {
        assert_eq!(change.new, None);
        change.tag
    });
    (kept.chunks.into_iter().next().map(|chunk| chunk.data), told.collect())
}

fn encoded() -> Processing {
    Processing::default().with(TagCause::Encoding, true)
}

fn part(source: Range<u64>) -> Processing {
    encoded().with(TagCause::Cut, true).with_frames(FrameMap::of_part(source))
}

/// The frames of the recording from which others begin to be at half the rate.
fn halved(source: Range<u64>) -> Processing {
    let piece = MapPiece { source, start: 0.0, scale: 0.5 };
    encoded().with(TagCause::Cut, true).with_frames(FrameMap::of(vec![piece]).at_rate(hz(22_050)))
}

#[test]
fn the_time_of_a_broadcast_file_moves_with_its_first_frame() {
    let data = || bext(1 << 33, 1, 0, [0; 5]);
    assert_eq!(after(b"bext", data(), &encoded()), (Some(data()), vec![]), "byte for byte");
    for (done, expected) in [
        (part(100..200), (1 << 33) + 100),
        (part(0..200), 1 << 33),
        (halved(100..200), (1 << 32) + 50),
        (part(100..400).then(&part(50..60)), (1 << 33) + 150),
        (part(100..400).then(&halved(50..60)), (1 << 32) + 75),
        (encoded().with(TagCause::Level, true), 1 << 33),
    ] {
        let (kept, told) = after(b"bext", data(), &done);
        assert_eq!((time_of(&kept.unwrap()), told), (expected, vec![]), "{done:?}");
    }
    // Where the first frame is another sound, there is no time.
    let inserted = FrameMap::of(vec![MapPiece { source: 0..100, start: 40.0, scale: 1.0 }]);
    for done in [
        encoded().with(TagCause::Cut, true),
        encoded().with(TagCause::Mixed, true).with_frames(inserted),
        encoded().with_tempo(Some(2.0)),
    ] {
        let (kept, told) = after(b"bext", data(), &done);
        assert_eq!((time_of(&kept.unwrap()), told), (0, vec!["bext time reference".to_owned()]), "{done:?}");
    }
}

#[test]
fn measured_values_and_identities_of_a_broadcast_file_go_when_they_are_false() {
    let data = || bext(0, 2, 9, [-2300, 500, -100, -1800, -2000]);
    for (done, told) in [
        (encoded(), &[][..]),
        (encoded().with(TagCause::Level, true), &["bext loudness"]),
        (encoded().with(TagCause::Channels, true), &["bext loudness"]),
        (part(0..100), &["bext UMID", "bext loudness"]),
        (encoded().with_semitones(Some(1.0)), &["bext UMID"]),
    ] {
        let (kept, found) = after(b"bext", data(), &done);
        let kept = kept.unwrap();
        assert_eq!(found, told, "{done:?}");
        assert_eq!(kept[348..412] == [0; 64], told.contains(&"bext UMID"));
        let unused = kept[412..422].chunks_exact(2).all(|value| value == [0xff, 0x7f]);
        assert_eq!(unused, told.contains(&"bext loudness"));
        assert_eq!((&kept[..256], &kept[602..]), (&data()[..256], &data()[602..]), "texts stay");
    }
    // Version 1 has no loudness: its bytes are reserved. A short chunk is text.
    let louder = encoded().with(TagCause::Level, true);
    assert_eq!(after(b"bext", bext(0, 1, 0, [0; 5]), &louder), (Some(bext(0, 1, 0, [0; 5])), vec![]));
    assert_eq!(after(b"bext", b"short".to_vec(), &part(5..9)), (Some(b"short".to_vec()), vec![]));
}

#[test]
fn loops_move_with_their_sound() {
    let data = || smpl(60, 0, &[0..50, 100..200, 150..400]);
    assert_eq!(after(b"smpl", data(), &encoded()), (Some(data()), vec![]));
    let lost = || vec!["smpl loops".to_owned()];
    let cut = FrameMap::of(vec![
        MapPiece { source: 0..50, start: 0.0, scale: 1.0 },
        MapPiece { source: 100..300, start: 50.0, scale: 1.0 },
    ]);
    for (done, expected, told) in [
        (part(0..400), vec![0..50, 100..200, 150..400], vec![]),
        (part(100..400), vec![0..100, 50..300], lost()),
        (part(120..130), vec![], lost()),
        (halved(100..400), vec![0..50, 25..150], lost()),
        (encoded().with(TagCause::Cut, true).with_frames(cut), vec![0..50, 50..150], lost()),
        (encoded().with(TagCause::Cut, true), vec![], lost()),
    ] {
        let (kept, found) = after(b"smpl", data(), &done);
        let kept = kept.unwrap();
        assert_eq!((loops_of(&kept), found), (expected, told), "{done:?}");
        let period = u32::from_le_bytes(kept[8..12].try_into().unwrap());
        assert_eq!(period, if done.frames().rate().is_some() { 45_351 } else { 22_676 });
    }
    assert_eq!(after(b"smpl", data(), &encoded().with(TagCause::Mixed, true)), (None, vec!["smpl".to_owned()]));
    // A count that lies, and a chunk that is cut off.
    let mut lies = data();
    lies[28..32].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(after(b"smpl", lies, &part(100..400)).0.map(|kept| kept.len()), Some(36 + 2 * 24 + 3));
    assert_eq!(after(b"smpl", data()[..20].to_vec(), &part(100..400)), (None, vec!["smpl".to_owned()]));
}

#[test]
fn notes_are_transposed() {
    for (note, fraction, up, expected) in [
        (60, 0, 3.0, (63, 0)),
        (60, 1 << 31, 0.25, (60, 3 << 30)),
        (60, 0, -0.5, (59, 1 << 31)),
        (126, 0, 12.0, (127, 0)),
        (2, 0, -12.0, (0, 0)),
        (60, 7, 0.0, (60, 7)),
    ] {
        let done = encoded().with_semitones(Some(up));
        let kept = after(b"smpl", smpl(note, fraction, &[]), &done).0.unwrap();
        let word = |at: usize| u32::from_le_bytes(kept[at..at + 4].try_into().unwrap());
        assert_eq!((word(12), word(16)), expected, "{note} {up}");
    }
    for (data, up, expected) in [
        ([60, 0, 1, 0, 127, 1, 127], 2.0, [62, 0, 1, 0, 127, 1, 127]),
        ([60, 40, 1, 0, 127, 1, 127], 0.3, [61, -30i8 as u8, 1, 0, 127, 1, 127]),
        ([60, 0, 1, 0, 127, 1, 127], 0.0, [60, 0, 1, 0, 127, 1, 127]),
    ] {
        let done = encoded().with_semitones(Some(up));
        assert_eq!(after(b"inst", data.to_vec(), &done), (Some(expected.to_vec()), vec![]), "{up}");
    }
    let unknown = encoded().with_semitones(None);
    for (id, data) in [(b"smpl", smpl(60, 0, &[])), (b"inst", vec![60; 7])] {
        assert_eq!(after(id, data, &unknown).0, None);
    }
}

#[test]
fn timers_of_a_cart_move_with_their_sound() {
    let data = || cart(&[(b"SEC1", 50), (b"EOD ", 400), (b"MRK ", 150), (b"INT1", 0)]);
    assert_eq!(after(b"cart", data(), &encoded()), (Some(data()), vec![]));
    for (done, timers, lost) in [
        (part(0..400), &[(b"SEC1", 50), (b"EOD ", 400), (b"MRK ", 150), (b"INT1", 0)][..], false),
        (part(100..400), &[(b"\0\0\0\0", 0), (b"EOD ", 300), (b"MRK ", 50), (b"\0\0\0\0", 0)], true),
        (halved(0..400), &[(b"SEC1", 25), (b"EOD ", 200), (b"MRK ", 75), (b"INT1", 0)], false),
        (part(40..60), &[(b"SEC1", 10)], true),
        (encoded().with(TagCause::Cut, true), &[], true),
    ] {
        let told = if lost { vec!["cart timers".to_owned()] } else { vec![] };
        assert_eq!(after(b"cart", data(), &done), (Some(cart(timers)), told), "{done:?}");
    }
}

#[test]
fn the_xml_of_a_recorder_keeps_all_but_what_is_false() {
    let data = || IXML.as_bytes().to_vec();
    let text = |kept: Option<Vec<u8>>| String::from_utf8(kept.unwrap()).unwrap();
    assert_eq!(after(b"iXML", data(), &Processing::default()), (Some(data()), vec![]));
    let (kept, told) = after(b"iXML", data(), &encoded());
    assert_eq!((text(kept), told), (IXML.replace("<AUDIO_BIT_DEPTH>24</AUDIO_BIT_DEPTH>", ""), vec![]));
    let (kept, told) = after(b"iXML", data(), &part(100..400));
    let kept = text(kept);
    for part in [
        "<SCENE>12A</SCENE><TAKE>3</TAKE>",
        "MIDNIGHT_HI>1<",
        "MIDNIGHT_LO>804<",
        "<SYNC_POINT_COUNT>1<",
        "<SYNC_POINT_LOW>50</SYNC_POINT_LOW>",
        "<NAME>Boom</NAME>",
        "<FILE_SAMPLE_RATE>44100<",
    ] {
        assert!(kept.contains(part), "{part} of {kept}");
    }
    assert!(!kept.contains("FILE_UID") && !kept.contains("LOUDNESS") && kept.matches("<SYNC_POINT>").count() == 1);
    assert_eq!(told, ["iXML UID", "iXML loudness", "iXML sync points"]);
    let (kept, _) = after(b"iXML", data(), &halved(0..400));
    let kept = text(kept);
    // (2^32 + 704) / 2
    for part in
        ["MIDNIGHT_HI>0<", "MIDNIGHT_LO>2147484000<", "SAMPLE_RATE>22050<", "SYNC_POINT_LOW>75<", "SYNC_POINT_LOW>25<"]
    {
        assert!(kept.contains(part), "{part} of {kept}");
    }
    let (kept, told) = after(b"iXML", data(), &encoded().with(TagCause::Channels, true));
    assert!(!text(kept).contains("Boom") && told == ["iXML loudness", "iXML tracks"], "{told:?}");
    let (kept, told) = after(b"iXML", data(), &encoded().with(TagCause::Cut, true));
    assert!(text(kept).contains("MIDNIGHT_LO>0<") && told.contains(&"iXML time stamp".to_owned()), "{told:?}");
    // What cannot be read is kept as it is, or left out.
    let wide: Vec<u8> = IXML.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(after(b"iXML", wide.clone(), &encoded()), (Some(wide.clone()), vec![]));
    assert_eq!(after(b"iXML", wide, &part(1..9)), (None, vec!["iXML".to_owned()]));
    for odd in ["<BWFXML><SYNC_POINT><SYNC_POINT_LOW>x</SYNC_POINT_LOW></SYNC_POINT>", "<BWFXML><FILE_UID>", "<BWFXML>"]
    {
        assert_eq!(after(b"iXML", odd.as_bytes().to_vec(), &part(1..9)).0.as_deref(), Some(odd.as_bytes()));
    }
}

#[test]
fn chunks_stand_in_front_of_the_sound_of_a_wav_and_are_told_of_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<(&[u8; 4], Vec<u8>)> =
        CHUNKS.iter().enumerate().map(|(at, row)| (&row.id, vec![at as u8; 900 + at])).collect();
    for count in [1, 2, all.len()] {
        let tags = tags(&all[..count]);
        for format in FileFormat::ALL.into_iter().filter(|format| format.check_encoder().is_ok()) {
            let path = folder.path().join("a");
            let audio = AudioFormat::new(hz(48_000), 2);
            let settings = EncodeSettings {
                format,
                sample: SampleFormat::Int16,
                dither: Dither::None,
                ..EncodeSettings::default()
            };
            let mut encoder = Encoder::create_tagged(&path, &settings, audio, true, &[], &tags).unwrap();
            encoder.write(&AudioBuffer::from_channels(vec![vec![0.25; 4801]; 2])).unwrap();
            let done = encoder.finish().unwrap();
            let file = AudioFile::open(&path).unwrap();
            let kept: Vec<&Chunk> = file.info().tags.chunks.iter().collect();
            assert_eq!(file.info().frames, 4801);
            if format == FileFormat::Wav {
                assert!(done.warnings.is_empty() && file.info().warnings.is_empty());
                let kept: Vec<(&[u8; 4], Vec<u8>)> = kept.iter().map(|chunk| (&chunk.id, chunk.data.clone())).collect();
                assert_eq!(kept, all[..count]);
                let order: Vec<[u8; 4]> =
                    tagged::chunks(&std::fs::read(&path).unwrap()).into_iter().map(|(id, _)| id).collect();
                let data = order.iter().position(|id| id == b"data").unwrap();
                assert!(all[..count].iter().all(|(id, _)| order[..data].contains(id)), "{order:?}");
                assert!(tag_limits(format, &tags).is_empty());
            } else {
                assert!(kept.is_empty());
                assert_eq!(done.warnings, tag_limits(format, &tags));
                let names: Vec<String> = tags.chunks.iter().map(Chunk::name).collect();
                assert!(names.iter().all(|name| done.warnings[0].contains(name)), "{:?}", done.warnings);
                assert!(done.warnings[0].contains("only WAV holds"), "{:?}", done.warnings);
            }
        }
    }
}

#[test]
fn chunks_are_read_within_limits_and_the_first_of_a_kind_counts() {
    let several: [(&[u8; 4], Vec<u8>); 3] = [(b"bext", vec![1; 10]), (b"bext", vec![2; 10]), (b"acid", vec![3; 24])];
    for (magic, is_first) in [("RIFF", true), ("RIFF", false), ("RF64", true), ("BW64", false)] {
        let file = AudioFile::from_bytes(tagged::chunked(magic, &several, is_first), Path::new("a.wav")).unwrap();
        let kept: Vec<(String, usize)> =
            file.info().tags.chunks.iter().map(|chunk| (chunk.name(), chunk.data.len())).collect();
        assert_eq!(kept, [("bext".to_owned(), 10), ("acid".to_owned(), 24)], "{magic}");
    }
    let large: [(&[u8; 4], Vec<u8>); 2] = [(b"bext", vec![1; (1 << 20) + 1]), (b"iXML", vec![2; 10])];
    let file = AudioFile::from_bytes(tagged::chunked("RIFF", &large, true), Path::new("a.wav")).unwrap();
    assert_eq!(file.info().tags.chunks.iter().map(Chunk::name).collect::<Vec<_>>(), ["iXML"]);
    assert!(file.info().warnings.iter().any(|warning| warning.contains("`bext`")), "{:?}", file.info().warnings);
}
