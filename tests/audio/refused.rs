//! Files of known kinds that cannot be opened are refused by name, with what to do; and other bytes are not taken for
//! sound.

use std::path::Path;

use audio::AudioFile;
use base::error::{Error, ErrorCode};

use crate::support::opening::random;

fn refused(bytes: Vec<u8>) -> Error {
    AudioFile::from_bytes(bytes, Path::new("a.bin")).expect_err("no recording")
}

/// Returns bytes that begin with `head`, and go on without any pattern.
fn like(head: &[u8]) -> Vec<u8> {
    let mut random = random(head.len() as u64 + 1);
    let rest = (0..20_000).map(|_| random() as u8);
    head.iter().copied().chain(rest).collect()
}

/// Returns bytes with marks at offsets, and zeros between them.
fn marked(marks: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 40_000];
    for (at, mark) in marks {
        bytes[*at..at + mark.len()].copy_from_slice(mark);
    }
    bytes
}

/// An empty `ID3v2` tag, which many programs put before everything.
const ID3: &[u8] = b"ID3\x03\0\0\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0";

#[test]
fn sound_without_a_decoder_is_refused_by_name() {
    for (name, head) in [
        ("WavPack", b"wvpk\x20\0\0\0\x10\x04".as_slice()),
        ("Monkey's Audio (APE)", b"MAC \x96\x0f\0\0"),
        ("Musepack", b"MPCKSH"),
        ("Musepack", b"MP+\x17"),
        ("True Audio (TTA)", b"TTA1\x01\0\x02\0"),
        ("TAK", b"tBaK\x01\x08"),
        ("Shorten", b"ajkg\x02"),
        ("OptimFROG", b"OFR \x0c\0\0\0"),
        ("DSD audio (DSF)", b"DSD \x1c\0\0\0"),
        ("DSD audio (DSDIFF)", b"FRM8\0\0\0\0\0\0\x10\0DSD "),
        ("Windows Media (WMA, WMV, ASF)", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9"),
        ("RealAudio", b".ra\xfd\0\x04"),
        ("RealMedia", b".RMF\0\0\0\x12"),
        ("Dolby Digital (AC-3)", b"\x0b\x77\x12\x34\x14\x40"),
        ("Dolby Digital Plus (E-AC-3)", b"\x0b\x77\x01\x7f\x35\x86"),
        ("Dolby Digital (AC-3)", b"\x77\x0b\x34\x12\x40\x14"),
        ("DTS", b"\x7f\xfe\x80\x01"),
        ("DTS", b"\xff\x1f\x00\xe8"),
        ("AMR speech", b"#!AMR\n"),
        ("AMR speech", b"#!AMR-WB\n"),
        ("Sun/NeXT audio (AU)", b".snd\0\0\0\x18"),
        ("Amiga IFF 8SVX", b"FORM\0\0\0\x208SVX"),
        ("AAC in ADIF", b"ADIF"),
    ] {
        for bytes in [like(head), [ID3, &like(head)].concat(), head.to_vec()] {
            let error = refused(bytes);
            assert_eq!(error.code(), ErrorCode::Unsupported, "{name}: {error}");
            let said = error.to_string();
            assert!(said.starts_with(&format!("{name} is not supported.")), "{name}: {said}");
            assert!(said.contains("to WAV with `") || said.contains("FLAC or WAV with ffmpeg"), "{name}: {said}");
        }
    }
}

#[test]
fn aac_in_latm_is_refused_by_name() {
    // Frames of LOAS: 11 bits of sync, 13 bits of length.
    let frame = |bytes: usize| [&[0x56, 0xe0 | (bytes >> 8) as u8, bytes as u8], vec![0x21; bytes].as_slice()].concat();
    for sizes in [&[100, 200, 300, 8000][..], &[1, 1, 1], &[8191, 0, 5], &[50, 60], &[0, 0, 0, 0]] {
        let stream: Vec<u8> = sizes.iter().flat_map(|bytes| frame(*bytes)).collect();
        for bytes in [stream.clone(), [ID3, &stream].concat()] {
            assert!(refused(bytes).to_string().starts_with("AAC in LATM or LOAS is not supported."), "{sizes:?}");
        }
    }
    let lone = [frame(100), vec![7; 500]].concat();
    assert!(!refused(lone).to_string().contains("LATM"));
}

#[test]
fn video_without_readable_sound_says_how_to_get_it() {
    let ts = |from: usize, step: usize| {
        let places: Vec<(usize, &[u8])> = (0..8).map(|packet| (from + packet * step, b"G".as_slice())).collect();
        marked(&places)
    };
    for (name, bytes) in [
        ("AVI video", like(b"RIFF\0\x10\0\0AVI LIST")),
        ("Flash video (FLV)", like(b"FLV\x01\x05")),
        ("An MPEG transport stream (TS)", ts(0, 188)),
        ("An MPEG transport stream (M2TS)", ts(4, 192)),
        ("An MPEG transport stream (TS)", ts(0, 204)),
        ("MPEG video (MPG, VOB)", like(&[0, 0, 1, 0xba, 0x44])),
        ("DV video", marked(&[(0, &[0x1f, 0x07, 0x00, 0xbf]), (80, &[0x3f, 0x07, 0x00])])),
        ("Flash (SWF)", like(b"FWS\x05")),
    ] {
        let error = refused(bytes);
        assert_eq!(error.code(), ErrorCode::Unsupported, "{error}");
        let said = error.to_string();
        assert!(said.starts_with(&format!("{name} is not supported.")) && said.contains("ffmpeg -i"), "{said}");
    }
}

#[test]
fn what_holds_no_sound_is_named() {
    let tar = marked(&[(0, b"a.wav"), (257, b"ustar")]);
    let audacity = marked(&[(0, b"SQLite format 3\0"), (68, b"AUDY")]);
    for (words, bytes) in [
        (["MIDI", "notes"], like(b"MThd\0\0\0\x06")),
        (["MIDI", "notes"], like(b"RIFF\0\0\0\0RMIDdata")),
        (["tracker module", "notes"], marked(&[(1080, b"M.K.")])),
        (["An Audacity project", "Export"], audacity),
        (["A REAPER project", "Export"], b"<REAPER_PROJECT 0.1\n>".to_vec()),
        (["A ZIP archive", "Unpack"], like(b"PK\x03\x04")),
        (["A tar archive", "Unpack"], tar),
        (["A playlist (M3U)", "open those"], b"#EXTM3U\n#EXTINF:1,a\na.wav\n".to_vec()),
        (["A playlist (XSPF)", "open those"], b"<?xml version=\"1.0\"?><playlist version=\"1\"/>".to_vec()),
        (
            ["A CUE sheet", "open those"],
            b"FILE \"a.wav\" WAVE\r\n  TRACK 01 AUDIO\r\n    INDEX 01 00:00:00\r\n".to_vec(),
        ),
        (["a JPEG picture", "not audio"], like(&[0xff, 0xd8, 0xff, 0xe0])),
        (["a BMP picture", "not audio"], marked(&[(0, b"BM\x36\x30\0\0")])),
        (["a TIFF picture", "not audio"], like(b"II*\0")),
        (["H.264 video", "not audio"], like(&[0, 0, 0, 1, 0x67, 0x42])),
        (["an Office document", "not audio"], marked(&[(0, b"PK\x03\x04\x14"), (30, b"[Content_Types].xml")])),
        (["a PDF document", "not audio"], like(b"%PDF-1.4\n")),
        (["a web page (HTML)", "not audio"], b"\xef\xbb\xbf\n<!DOCTYPE html><html></html>".to_vec()),
        (["Git LFS", "git lfs pull"], b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n".to_vec()),
        (["AppleDouble", "not audio"], like(&[0, 5, 0x16, 7, 0, 2, 0, 0])),
        (["recognised", "text"], b"Dear reader,\nthis is a letter.\n".to_vec()),
        (["recognised", "text"], b"\xff\xfeD\0e\0a\0r\0 \0m\0e\0".to_vec()),
        (["recognised", "text"], format!("{}\u{20ac}", "a".repeat(4095)).into_bytes()),
        (["recognised", "nothing but zeros"], vec![0; 100_000]),
        (["recognised", "only 4 bytes"], b"\x01RIF".to_vec()),
        (["recognised", "only 1 byte,"], vec![0xff]),
        (["holds tags", "no sound"], ID3.to_vec()),
    ] {
        let said = refused(bytes).to_string();
        assert!(said.trim_end_matches('.').ends_with(": a.bin"), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{words:?}: {said}");
    }
    let unknown = refused(like(b"\x01\x02\x03")).to_string();
    assert_eq!(unknown, "This is not audio that can be recognised: a.bin");
}

#[test]
fn a_set_of_live_is_told_from_other_gzip_files() {
    use std::io::Write;
    let packed = |text: &[u8], name: Option<&str>, level: u32| {
        let mut builder = flate2::GzBuilder::new();
        if let Some(name) = name {
            builder = builder.filename(name);
        }
        let mut encoder = builder.write(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let body = (0..3000).map(|number| format!("<Clip Id=\"{number}\"/>")).collect::<String>();
    let live =
        |element: &str| format!("{head}<Ableton MajorVersion=\"5\" Creator=\"Ableton Live\">\n<{element}>{body}");
    for (element, name, level) in [
        ("LiveSet", None, 6),
        ("LiveSet", Some("song.als"), 9),
        ("LiveSet", None, 0),
        ("GroupDevicePreset", None, 1),
        ("DrumGroupDevice", Some("kit.adg"), 6),
    ] {
        let bytes = packed(live(element).as_bytes(), name, level);
        for bytes in [bytes.clone(), bytes[..300].to_vec()] {
            let said = refused(bytes).to_string();
            assert!(
                said.starts_with("An Ableton Live set, clip or preset") && said.contains("Export its sound"),
                "{said}"
            );
        }
    }
    for other in [&b"a.wav"[..], &[0; 100_000], head.as_bytes(), b"", b"<Able", format!("{body}<Ableton>").as_bytes()] {
        let said = refused(packed(other, None, 6)).to_string();
        assert!(said.starts_with("A gzip archive"), "{said}");
    }
    let said = refused(like(&[0x1f, 0x8b, 0x08, 0x00])).to_string();
    assert!(said.starts_with("A gzip archive"), "{said}");
}

#[test]
fn bytes_that_look_like_frame_headers_are_not_taken_for_sound() {
    // Headers of layer I and III at the distances of their frames, as in rows of a picture, behind other bytes.
    for (header, step) in [
        ([0xff, 0xff, 0x14, 0x00], 32),
        ([0xff, 0xff, 0x90, 0x00], 312),
        ([0xff, 0xff, 0x04, 0x00], 300),
        ([0xff, 0xfb, 0x90, 0x00], 417),
        ([0xff, 0xfb, 0x10, 0x00], 104),
    ] {
        for filling in [0x77, 0xee, 0xff, 0x5f, 0xcc] {
            let mut bytes = vec![filling; 4000];
            bytes[0] = 1;
            for at in (100..4000 - 4).step_by(step) {
                bytes[at..at + 4].copy_from_slice(&header);
            }
            let opened = AudioFile::from_bytes(bytes, Path::new("a.bin"));
            assert!(
                opened.is_err(),
                "{header:x?} every {step} bytes, between {filling:x}: {:?}",
                opened.map(|file| file.info().clone())
            );
        }
    }
    // One header whose frame would end with the file is no evidence.
    for header in [[0xff, 0xfb, 0x90, 0x00], [0xff, 0xf1, 0x50, 0x80], [0xff, 0xfd, 0x94, 0x00]] {
        let mut bytes = like(b"x");
        bytes.iter_mut().for_each(|byte| *byte &= 0x7f);
        bytes.extend(header);
        bytes.resize(bytes.len() + if header[1] == 0xf1 { 0 } else { 413 }, 0);
        assert!(AudioFile::from_bytes(bytes, Path::new("a.bin")).is_err(), "{header:x?}");
    }
    // Real frames behind the same bytes are found.
    for name in ["noheader.mp3", "mono.mp3", "low.mp3", "layer2.mp2", "lame.mp3"] {
        let real = std::fs::read(crate::support::reference("audio").join(name)).unwrap();
        let frames = |bytes: Vec<u8>| AudioFile::from_bytes(bytes, Path::new(name)).unwrap().info().frames;
        let junk = vec![0x77; 3001];
        assert_eq!(frames([junk, real.clone()].concat()), frames(real), "{name}");
    }
}
