//! Tags as other programs write them, where their bytes and what they say of themselves disagree.

use std::path::Path;

use audio::tags::TagText;
use audio::{AudioFile, FileInfo};

use super::support::tagged::{self, frame, id3};

fn info(bytes: Vec<u8>) -> FileInfo {
    AudioFile::from_bytes(bytes, Path::new("tagged")).unwrap().info().clone()
}

fn mp3(tag: &[u8]) -> FileInfo {
    let info = info(tagged::mp3(tag));
    assert_eq!(info.frames, self::info(tagged::mp3(b"")).frames);
    info
}

fn item(info: &FileInfo, name: &str) -> String {
    info.tags.items.get(name).map(ToString::to_string).unwrap_or_default()
}

fn values(info: &FileInfo, name: &str) -> Vec<String> {
    info.tags.items.get(name).map(|text| text.values().map(str::to_owned).collect()).unwrap_or_default()
}

/// Builds a frame of version 2.4 with a plain size, as iTunes does.
fn plain_frame(id: &str, content: &[u8]) -> Vec<u8> {
    [id.as_bytes(), &(content.len() as u32).to_be_bytes(), &[0, 0], content].concat()
}

/// Returns the bytes of a JPEG without meaning: any bytes, zeros among them.
fn picture(bytes: usize) -> Vec<u8> {
    let mut data = b"\xff\xd8\xff\xe0".to_vec();
    let mut state = bytes as u32;
    while data.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let byte = (state >> 24) as u8;
        data.extend(if byte < 16 { vec![0; 8] } else { vec![byte] });
    }
    data.truncate(bytes);
    data
}

#[test]
fn plain_sizes_of_version_4_are_known_by_what_follows() {
    let text = |id: &str, text: &str| plain_frame(id, &[b"\x03", text.as_bytes()].concat());
    for bytes in [129, 200, 16_500, 74_551, 130_000, 300_000, 2_200_000] {
        let cover = [b"\0image/jpeg\0\x03\0".as_slice(), &picture(bytes)].concat();
        let cover_frame = plain_frame("APIC", &cover);
        let long = "x".repeat(bytes.min(100_000));
        let (title, artist, album) = (text("TIT2", "Title"), text("TPE1", "Artist"), text("TALB", &long));
        // The picture in front, in the middle and at the end, with padding and without.
        for (what, frames) in [
            ("front", [&cover_frame[..], &title, &artist, &album].concat()),
            ("middle", [&title[..], &cover_frame, &artist, &album].concat()),
            ("end", [&title[..], &artist, &album, &cover_frame].concat()),
            ("padding", [&title[..], &artist, &album, &cover_frame, &[0; 500]].concat()),
        ] {
            let what = format!("{bytes} bytes, {what}");
            let info = mp3(&id3(4, 0, &frames));
            assert_eq!((item(&info, "TITLE").as_str(), item(&info, "ARTIST").as_str()), ("Title", "Artist"), "{what}");
            assert_eq!(item(&info, "ALBUM"), long, "{what}");
            assert_eq!(
                info.tags.pictures.iter().map(|picture| picture.data.len()).collect::<Vec<_>>(),
                [bytes],
                "{what}"
            );
            assert!(info.warnings.is_empty(), "{what}: {:?}", info.warnings);
        }
        // Sizes as the specification has them.
        let frames = [frame(4, "APIC", &cover), frame(4, "TIT2", b"\x03Title"), vec![0; 20]].concat();
        let info = mp3(&id3(4, 0, &frames));
        assert_eq!((item(&info, "TITLE").as_str(), info.tags.pictures[0].data.len()), ("Title", bytes));
    }
}

#[test]
fn identifiers_of_three_letters_are_read_in_version_3() {
    for pad in [0, b' '] {
        let padded = |id: &str, content: &[u8]| {
            [id.as_bytes(), &[pad], &(content.len() as u32).to_be_bytes(), &[0, 0], content].concat()
        };
        let frames = [
            padded("TT2", b"\0Title"),
            padded("TP1", b"\x01\xff\xfeA\0\xfc\0"),
            padded("TRK", b"\x003/9"),
            padded("TXX", b"\0MY FIELD\0mine"),
            padded("COM", b"\0eng\0said"),
            padded("PIC", b"\0JPG\x04back\0\xff\xd8\xff\xe01"),
            padded("PIC", b"\0image/png\0\x03front\0\x89PNG2"),
            frame(3, "TALB", b"\0Album"),
        ];
        let info = mp3(&id3(3, 0, &frames.concat()));
        for (name, text) in [
            ("TITLE", "Title"),
            ("ARTIST", "A\u{fc}"),
            ("TRACKNUMBER", "3"),
            ("TRACKTOTAL", "9"),
            ("MY FIELD", "mine"),
            ("COMMENT", "said"),
            ("ALBUM", "Album"),
        ] {
            assert_eq!(item(&info, name), text, "{name}, padded with {pad}");
        }
        let pictures = info.tags.pictures.iter();
        let pictures: Vec<(u8, &str, &str)> =
            pictures.map(|picture| (picture.kind, picture.mime.as_str(), picture.description.as_str())).collect();
        assert_eq!(pictures, [(4, "image/jpeg", "back"), (3, "image/png", "front")]);
    }
    // Three letters that no version has are no frame.
    let info = mp3(&id3(3, 0, &[b"QQQ\0\0\0\0\x02\0\0\0x".to_vec(), frame(3, "TIT2", b"\0Title")].concat()));
    assert_eq!(item(&info, "TITLE"), "");
}

#[test]
fn a_flag_without_an_extended_header_is_known_by_the_frame_in_its_place() {
    for (version, body) in [
        (3, frame(3, "TIT2", b"\0Title")),
        (4, frame(4, "TIT2", b"\x03Title")),
        (4, [frame(4, "TPE1", &[b'x'; 300]), frame(4, "TIT2", b"\x03Title")].concat()),
        (3, [frame(3, "APIC", &[0; 5000]), frame(3, "TIT2", b"\0Title")].concat()),
        (3, [frame(3, "TP1\0", b"\0Artist"), frame(3, "TIT2", b"\0Title")].concat()),
    ] {
        let info = mp3(&id3(version, 0x40, &body));
        assert_eq!(item(&info, "TITLE"), "Title", "version {version}");
        assert!(info.warnings.iter().any(|warning| warning.contains("extended header")), "{:?}", info.warnings);
    }
    // One that is there.
    for (version, header) in [
        (3, vec![0, 0, 0, 6, 0, 0, 0, 0, 0, 0]),
        (4, vec![0, 0, 0, 6, 1, 0]),
        (4, vec![0, 0, 0, 12, 1, 0x20, 5, 0, 0, 0, 0, 0]),
    ] {
        let info = mp3(&id3(version, 0x40, &[header, frame(version, "TIT2", b"\0Title")].concat()));
        assert_eq!(item(&info, "TITLE"), "Title", "version {version}");
        assert!(info.warnings.is_empty(), "{:?}", info.warnings);
    }
}

#[test]
fn dates_of_every_version_are_whole() {
    let texts = |version: u8, frames: &[(&str, &str)]| {
        let frames = frames.iter().flat_map(|(id, text)| frame(version, id, &[b"\0", text.as_bytes()].concat()));
        id3(version, 0, &frames.collect::<Vec<u8>>())
    };
    for (version, frames, expected) in [
        (2, &[("TYE", "1999"), ("TDA", "3112")][..], "1999-12-31"),
        (2, &[("TDA", "3112"), ("TIM", "1530"), ("TYE", "1999")], "1999-12-31T15:30"),
        (2, &[("TYE", "1999")], "1999"),
        (2, &[("TDA", "3112")], ""),
        (3, &[("TYER", "1999"), ("TDAT", "3112")], "1999-12-31"),
        (3, &[("TDRC", "2001-05-06"), ("TYER", "2001")], "2001-05-06"),
        (3, &[("TDRC", "2001")], "2001"),
        (3, &[("TYER", "2001"), ("TDRC", "2001"), ("TDAT", "0605")], "2001-05-06"),
        (4, &[("TDRC", "2001-05-06")], "2001-05-06"),
        (4, &[("TDRC", "2001"), ("TYER", "2001"), ("TDAT", "0605")], "2001"),
        (4, &[("TYER", "2001"), ("TDAT", "0605")], "2001-05-06"),
        (4, &[("TYER", "2001"), ("TDAT", "mai")], "2001"),
    ] {
        assert_eq!(item(&mp3(&texts(version, frames)), "DATE"), expected, "2.{version} {frames:?}");
    }
    let original = mp3(&texts(3, &[("TORY", "1980")]));
    assert_eq!(item(&original, "ORIGINALDATE"), "1980");
}

#[test]
fn a_value_that_stands_twice_is_one() {
    let twice = |id: &str, text: &str| [frame(4, id, &[b"\x03", text.as_bytes()].concat())].concat().repeat(2);
    let tag = id3(
        4,
        0,
        &[twice("TRCK", "3"), twice("TPE1", "A\0B\0A"), twice("TIT2", "x "), twice("TCON", "(17)Rock")].concat(),
    );
    let info = mp3(&tag);
    for (name, expected) in
        [("TRACKNUMBER", &["3"][..]), ("ARTIST", &["A", "B"]), ("TITLE", &["x"]), ("GENRE", &["Rock"])]
    {
        assert_eq!(values(&info, name), expected, "{name}");
    }
    let list = tagged::comments(&[
        b"TRACKNUMBER=3".to_vec(),
        b"tracknumber=3".to_vec(),
        b"ARTIST=A".to_vec(),
        b"ARTIST=a".to_vec(),
    ]);
    for bytes in
        [tagged::flac(&[(4, list.clone())]), tagged::vorbis(&list), tagged::opus(&list), tagged::ogg_flac(&[(4, list)])]
    {
        let info = self::info(bytes);
        assert_eq!(
            (values(&info, "TRACKNUMBER"), values(&info, "ARTIST")),
            (vec!["3".to_owned()], vec!["A".to_owned(), "a".to_owned()])
        );
    }
    // Two tags of one file.
    let mut old = b"TAGx".to_vec();
    old.resize(128, 0);
    let both = [tag, tagged::fixture("noheader.mp3"), old].concat();
    assert_eq!(values(&self::info(both), "TITLE"), ["x"]);
}

#[test]
fn genres_by_number_have_the_names_of_today() {
    for (text, expected) in [
        ("(133)", &["Afro-Punk"][..]),
        ("133", &["Afro-Punk"]),
        ("(133)(17)", &["Afro-Punk", "Rock"]),
        ("(133)Afro-Punk", &["Afro-Punk"]),
        ("(191)", &["Psybient"]),
        ("(192)", &["(192)"]),
    ] {
        let info = mp3(&id3(3, 0, &frame(3, "TCON", &[b"\0", text.as_bytes()].concat())));
        assert_eq!(values(&info, "GENRE"), expected, "{text}");
    }
    let mut old = vec![0; 128];
    old[..3].copy_from_slice(b"TAG");
    old[127] = 133;
    assert_eq!(item(&self::info([tagged::mp3(b""), old].concat()), "GENRE"), "Afro-Punk");
    let mp4 = tagged::mp4(&tagged::mp4_item("gnre", &[(0, vec![0, 134])]), false, None);
    assert_eq!(item(&self::info(mp4), "GENRE"), "Afro-Punk");
}

#[test]
fn numbers_with_totals_are_apart_whatever_their_spelling() {
    for (text, number, total) in [
        ("3/12", &["3"][..], &["12"][..]),
        ("3", &["3"], &[]),
        ("3\x004", &["3", "4"], &[]),
        ("/12", &[], &["12"]),
        ("1/2\x003/2", &["1", "3"], &["2"]),
    ] {
        let info = mp3(&id3(4, 0, &frame(4, "TRCK", &[b"\x03", text.as_bytes()].concat())));
        assert_eq!(
            (values(&info, "TRACKNUMBER"), values(&info, "TRACKTOTAL")),
            (
                number.iter().map(ToString::to_string).collect(),
                total.iter().map(ToString::to_string).collect::<Vec<_>>()
            ),
            "{text}"
        );
    }
}

#[test]
fn ratings_are_percent_and_keep_what_more_there_is() {
    for (content, rating, whole) in [
        (&b"\0\xc4"[..], "80", ""),
        (b"\0\xff", "100", ""),
        (b"Windows Media Player 9 Series\0\x40\0\0\0\0", "40", "Windows Media Player 9 Series|64|0"),
        (b"a@b.c\0\0\0\0\0\x07", "", "a@b.c|0|7"),
        (b"\0\x99", "60", "|153"),
        (b"a@b.c\0\x01", "20", "a@b.c|1"),
        (b"a@b.c", "", ""),
    ] {
        let info = mp3(&id3(4, 0, &frame(4, "POPM", content)));
        assert_eq!(
            (item(&info, "RATING").as_str(), item(&info, "POPULARIMETER").as_str()),
            (rating, whole),
            "{content:?}"
        );
    }
    // A text says it more exactly.
    let tag = id3(3, 0, &[frame(3, "POPM", b"\0\xc4"), frame(3, "TXXX", b"\0RATING\x0078")].concat());
    assert_eq!(values(&mp3(&tag), "RATING"), ["78"]);
    let old = id3(2, 0, &frame(2, "POP", b"x\0\xff\0\0\0\x01"));
    assert_eq!(
        (item(&mp3(&old), "RATING"), item(&mp3(&old), "POPULARIMETER")),
        ("100".to_owned(), "x|255|1".to_owned())
    );
}

#[test]
fn what_no_written_file_gets_is_named() {
    let opaque = |id: &str| frame(3, id, b"x\0y");
    let frames = ["PRIV", "GEOB", "SYLT", "MCDI", "RVA2", "XXXX"].map(opaque).concat();
    let silent = ["MLLT", "SEEK", "TSIZ"].map(opaque).concat();
    let text = frame(3, "TIT2", b"\0x");
    let info = mp3(&id3(3, 0, &[frames, silent, text].concat()));
    let named: Vec<&str> = info.tags.not_kept.iter().map(String::as_str).collect();
    let expected = ["GEOB", "MCDI", "PRIV", "RVA2", "SYLT", "XXXX"].map(|id| format!("the ID3 frame `{id}`"));
    assert_eq!(named, expected);
    let chunks: [(&[u8; 4], Vec<u8>); 4] =
        [(b"umid", vec![1; 64]), (b"PEAK", vec![0; 8]), (b"JUNK", vec![0; 4]), (b"R64m", vec![1, 2, 3])];
    let info = self::info(tagged::chunked("RIFF", &chunks, true));
    assert_eq!(info.tags.not_kept.iter().collect::<Vec<_>>(), ["the chunk `R64m`", "the chunk `umid`"]);
    let info = self::info(tagged::flac(&[(2, b"riffdata".to_vec()), (1, vec![0; 4])]));
    assert_eq!(info.tags.not_kept.iter().collect::<Vec<_>>(), ["the FLAC application block `riff`"]);
}

#[test]
fn lists_of_names_in_lower_case_are_read() {
    let text = |id: &[u8; 4], text: &[u8]| [id, &(text.len() as u32).to_le_bytes(), text].concat();
    let label = [&1u32.to_le_bytes()[..], b"Here\0\0\0\0"].concat();
    let cue = [&1u32.to_le_bytes()[..], &1u32.to_le_bytes(), &[0; 16], &100u32.to_le_bytes()].concat();
    for id in [b"LIST", b"list", b"List"] {
        let chunks: [(&[u8; 4], Vec<u8>); 3] = [
            (id, [b"INFO".to_vec(), text(b"INAM", b"Title\0")].concat()),
            (b"cue ", cue.clone()),
            (id, [b"adtl".to_vec(), text(b"labl", &label)].concat()),
        ];
        let file = AudioFile::from_bytes(tagged::chunked("RIFF", &chunks, false), Path::new("list")).unwrap();
        assert_eq!(file.info().tags.items.get("TITLE"), Some(&TagText::from("Title")));
        assert_eq!(file.markers().iter().map(|marker| marker.name.as_str()).collect::<Vec<_>>(), ["Here"]);
    }
}

#[test]
fn the_tags_of_a_flac_in_ogg_are_those_of_its_blocks() {
    let comment = |text: &str| text.as_bytes().to_vec();
    let picture = tagged::picture_block(3, "image/png", "front", b"\x89PNG");
    for (blocks, title, pictures) in [
        (vec![(4, tagged::comments(&[comment("TITLE=a")]))], "a", 0),
        (vec![(4, tagged::comments(&[comment("TITLE=b"), vec![b'x'; 100_000]])), (6, picture.clone())], "b", 1),
        (vec![(1, vec![0; 1000]), (6, picture.clone()), (4, tagged::comments(&[comment("TITLE=c")]))], "c", 1),
        (vec![(4, tagged::comments(&[])), (6, picture.clone()), (6, picture)], "", 2),
        (vec![(3, vec![0; 18]), (4, tagged::comments(&[comment("TITLE=e")])), (1, vec![0; 4])], "e", 0),
        (vec![(1, vec![0; 255])], "", 0),
    ] {
        let info = self::info(tagged::ogg_flac(&blocks));
        assert_eq!((item(&info, "TITLE").as_str(), info.tags.pictures.len()), (title, pictures));
        assert_eq!(info.frames, self::info(tagged::fixture("flac.oga")).frames, "the sound is the same");
    }
}
