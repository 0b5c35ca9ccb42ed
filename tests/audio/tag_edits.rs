//! Fields of tags are replaced in files of every version, and all other frames, comments, items and chunks keep their bytes.

use audio::tags::{EditedTag, TagFormat, TagText, edit};
use audio::{AudioBuffer, AudioFile};

use super::support::opening::random;
use super::support::tagged::{self, Kind};

fn format(kind: Kind) -> TagFormat {
    match kind {
        Kind::Mp3 => TagFormat::Mp3,
        Kind::Wav => TagFormat::Wav,
        Kind::Aiff => TagFormat::Aiff,
        Kind::Flac => TagFormat::Flac,
        Kind::Vorbis => TagFormat::Vorbis,
        Kind::Opus => TagFormat::Opus,
        Kind::OggFlac => TagFormat::OggFlac,
        Kind::Mp4 => TagFormat::Mp4,
    }
}

/// All parts of a file: names with their bytes, without what only counts others. `fields` are left out.
fn parts(kind: Kind, bytes: &[u8], fields: &[(EditedTag, String)]) -> Vec<(String, Vec<u8>)> {
    let mut parts = Vec::new();
    match kind {
        Kind::Mp3 => {
            let end = if bytes.starts_with(b"ID3") { id3(bytes, fields, &mut parts) } else { 0 };
            parts.push(("sound".to_owned(), bytes[end..].to_vec()));
        }
        Kind::Wav | Kind::Aiff => {
            for (id, content) in tagged::chunks(bytes) {
                if id.eq_ignore_ascii_case(b"ID3 ") {
                    let end = id3(&content, fields, &mut parts);
                    assert_eq!(end, content.len());
                } else {
                    parts.push((String::from_utf8_lossy(&id).into_owned(), content));
                }
            }
        }
        Kind::Flac => {
            let mut at = 4;
            loop {
                let (head, size) = (bytes[at], tagged::plain(&bytes[at + 1..at + 4]));
                let content = &bytes[at + 4..at + 4 + size];
                match head & 0x7f {
                    1 => {}
                    4 => comments(content, fields, &mut parts),
                    kind => parts.push((format!("block {kind}"), content.to_vec())),
                }
                at += 4 + size;
                if head & 0x80 != 0 {
                    break;
                }
            }
            parts.push(("sound".to_owned(), bytes[at..].to_vec()));
        }
        Kind::Vorbis | Kind::Opus => {
            let mut packets = tagged::ogg_packets(bytes, usize::MAX).into_iter();
            parts.push(("head".to_owned(), packets.next().unwrap()));
            let list = packets.next().unwrap();
            let head = if kind == Kind::Vorbis { 7 } else { 8 };
            parts.push(("kind".to_owned(), list[..head].to_vec()));
            comments(&list[head..], fields, &mut parts);
            parts.extend(packets.map(|packet| ("packet".to_owned(), packet)));
        }
        Kind::OggFlac => {
            let mut is_header = true;
            for packet in tagged::ogg_packets(bytes, usize::MAX) {
                // The last one may be empty.
                let first = packet.first().copied().unwrap_or(0xff);
                if is_header && first & 0x7f == 4 {
                    assert_eq!(tagged::plain(&packet[1..4]), packet.len() - 4);
                    parts.push(("kind".to_owned(), vec![first]));
                    comments(&packet[4..], fields, &mut parts);
                } else {
                    parts.push(("packet".to_owned(), packet));
                }
                is_header &= first == 0x7f || first & 0x80 == 0;
            }
        }
        Kind::Mp4 => {
            boxes(bytes, "", fields, &mut parts);
        }
    }
    parts
}

/// Adds the frames of a tag but those of `fields`, and returns its end.
fn id3(bytes: &[u8], fields: &[(EditedTag, String)], parts: &mut Vec<(String, Vec<u8>)>) -> usize {
    parts.push(("head".to_owned(), bytes[..6].to_vec()));
    for (id, frame) in tagged::id3_frames(bytes) {
        let head = if bytes[3] == 2 { 6 } else { 10 };
        // All texts are Latin-1 or UTF-16 of ASCII.
        let text: Vec<u8> = frame[head..].iter().copied().filter(|byte| !matches!(byte, 0xff | 0xfe)).collect();
        let is_own = fields.iter().any(|(tag, _)| match tag.id3_frame() {
            Some("TKEY") => matches!(id.as_str(), "TKEY" | "TKE"),
            Some(_) => matches!(id.as_str(), "TBPM" | "TBP"),
            None => {
                let (latin, wide) = (tag.name().to_owned(), tag.name().chars().flat_map(|letter| [letter, '\0']));
                let is_named = |name: &str, end: &str| {
                    let text = String::from_utf8_lossy(&text).to_ascii_uppercase();
                    text.get(1..).is_some_and(|text| text.starts_with(&format!("{name}{end}")))
                };
                id.starts_with("TXX") && (is_named(&latin, "\0") || is_named(&wide.collect::<String>(), "\0\0"))
            }
        });
        if !is_own {
            parts.push((id, frame));
        }
    }
    let footer = if bytes[3] == 4 && bytes[5] & 0x10 != 0 { 10 } else { 0 };
    10 + tagged::from_safe(&bytes[6..10]) + footer
}

fn comments(list: &[u8], fields: &[(EditedTag, String)], parts: &mut Vec<(String, Vec<u8>)>) {
    let word = |at: usize| u32::from_le_bytes(list[at..at + 4].try_into().unwrap()) as usize;
    let mut at = 4 + word(0);
    parts.push(("vendor".to_owned(), list[4..at].to_vec()));
    let count = word(at);
    at += 4;
    for _ in 0..count {
        let comment = list[at + 4..at + 4 + word(at)].to_vec();
        at += 4 + comment.len();
        let name = comment.split(|byte| *byte == b'=').next().unwrap().to_ascii_uppercase();
        if !fields.iter().any(|(tag, _)| tag.name().as_bytes() == name) {
            parts.push(("comment".to_owned(), comment));
        }
    }
    parts.push(("behind".to_owned(), list[at..].to_vec()));
}

fn boxes(bytes: &[u8], within: &str, fields: &[(EditedTag, String)], parts: &mut Vec<(String, Vec<u8>)>) {
    for (kind, range) in tagged::boxes(bytes) {
        let name = format!("{within}/{}", String::from_utf8_lossy(&kind));
        let content = &bytes[range.start + 8..range.end];
        match name.as_str() {
            "/moov"
            | "/moov/trak"
            | "/moov/trak/mdia"
            | "/moov/trak/mdia/minf"
            | "/moov/trak/mdia/minf/stbl"
            | "/moov/udta"
            | "/moov/udta/meta/ilst" => boxes(content, &name, fields, parts),
            "/moov/udta/meta" => boxes(&content[4..], &name, fields, parts),
            // Checked by the sound.
            "/moov/trak/mdia/minf/stbl/stco" | "/moov/udta/meta/free" => {}
            _ => {
                let text = String::from_utf8_lossy(content).to_ascii_uppercase();
                let is_own = fields.iter().any(|(tag, _)| {
                    *tag == EditedTag::Bpm && kind == b"tmpo" || text.contains(&format!("\0{}\0", tag.name()))
                });
                if !(within.ends_with("ilst") && is_own) {
                    parts.push((name, content.to_vec()));
                }
            }
        }
    }
}

fn sound(file: &AudioFile) -> AudioBuffer {
    let mut audio = AudioBuffer::default();
    file.reader().unwrap().read(&mut audio, usize::MAX).unwrap();
    audio
}

const FIELDS: [(EditedTag, &str); 5] = [
    (EditedTag::InitialKey, "F#m"),
    (EditedTag::Bpm, "128"),
    (EditedTag::TrackGain, "-7.03 dB"),
    (EditedTag::TrackPeak, "0.987654"),
    (EditedTag::AlbumGain, "-6.50 dB"),
];

#[test]
fn only_the_bytes_of_the_own_fields_change_in_six_hundred_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..600 {
        let (kind, bytes) = tagged::generated(seed);
        let mut random = random(seed + 77);
        let chosen: Vec<(EditedTag, String)> = FIELDS
            .iter()
            .filter(|_| !random().is_multiple_of(3))
            .map(|(tag, value)| (*tag, (*value).to_owned()))
            .collect();
        let what = format!("seed {seed}, {kind:?}, {chosen:?}");
        let path = folder.path().join(format!("a.{}", kind.extension()));
        std::fs::write(&path, &bytes).unwrap();
        let before = AudioFile::open(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
        let (old_tags, old_sound) = (before.info().tags.clone(), sound(&before));
        edit(&path, format(kind), &chosen).unwrap_or_else(|error| panic!("{what}: {error}"));
        let new = std::fs::read(&path).unwrap();
        // The file is whole: every part but the own is there, in its order.
        let (mut old_parts, mut new_parts) = (parts(kind, &bytes, &chosen), parts(kind, &new, &chosen));
        for made in ["head", "vendor", "behind"] {
            let has = |parts: &[(String, Vec<u8>)]| parts.iter().any(|(name, _)| name == made);
            if !has(&old_parts) {
                new_parts.retain(|(name, _)| name != made);
            }
        }
        assert_eq!(old_parts.len(), new_parts.len(), "{what}: {old_parts:?} {new_parts:?}");
        for (old, new) in old_parts.drain(..).zip(new_parts) {
            assert_eq!(old, new, "{what}");
        }
        let after = AudioFile::open(&path).unwrap();
        assert!(sound(&after) == old_sound, "{what}: the sound");
        for (tag, value) in &chosen {
            assert_eq!(after.info().tags.items.get(tag.name()).map(TagText::as_str), Some(value.as_str()), "{what}");
        }
        let others = |tags: &audio::Tags| {
            let mut items = tags.items.clone();
            items.retain(|name, _| !chosen.iter().any(|(tag, _)| tag.name() == name));
            items
        };
        assert_eq!(others(&after.info().tags), others(&old_tags), "{what}");
        assert_eq!(after.info().tags.pictures, old_tags.pictures, "{what}");
        // Written again, nothing moves.
        edit(&path, format(kind), &chosen).unwrap();
        let again = std::fs::read(&path).unwrap();
        assert!(again.len() == new.len() && parts(kind, &again, &[]).len() == parts(kind, &new, &[]).len(), "{what}");
        *counts.entry(kind.extension()).or_insert(0) += 1;
    }
    assert!(counts.len() == 8 && counts.values().all(|count| *count > 30), "{counts:?}");
}

#[test]
fn a_field_in_a_user_text_gets_its_own_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    for (version, user, title) in [(2, "TXX", "TT2"), (3, "TXXX", "TIT2"), (4, "TXXX", "TIT2")] {
        let texts = [b"\0BPM\x0093.5".as_slice(), b"\0InitialKey\0Em", b"\0BPM OLD\x0091"];
        let frames = texts.map(|text| tagged::frame(version, user, text)).concat();
        let tag = tagged::id3(version, 0, &[frames, tagged::frame(version, title, b"\0Title")].concat());
        std::fs::write(&path, tagged::mp3(&tag)).unwrap();
        edit(&path, TagFormat::Mp3, &[(EditedTag::Bpm, "94".to_owned())]).unwrap();
        let tags = AudioFile::open(&path).unwrap().info().tags.clone();
        for (name, text) in [("BPM", "94"), ("INITIALKEY", "Em"), ("BPM OLD", "91"), ("TITLE", "Title")] {
            assert_eq!(tags.items.get(name).map(TagText::as_str), Some(text), "2.{version}: {name}");
        }
    }
}

#[test]
fn a_tag_that_cannot_be_edited_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    let frame = tagged::frame(3, "TIT2", b"\0x");
    let with_checksum = [vec![0, 0, 0, 10, 0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4], frame.clone()].concat();
    let with_checksum_4 = [vec![0, 0, 0, 12, 1, 0x20, 5, 0, 0, 0, 0, 1], tagged::frame(4, "TIT2", b"\0x")].concat();
    for (tag, reason) in [
        (tagged::id3(3, 0x40, &with_checksum), "checksum"),
        (tagged::id3(4, 0x40, &with_checksum_4), "checksum"),
        (tagged::id3(2, 0x40, &tagged::frame(2, "TT2", b"\0x")), "unusual"),
        (tagged::id3(5, 0, &frame), "unusual"),
        (tagged::id3(3, 0, &[frame.clone(), b"rubbish".to_vec()].concat()), "unusual"),
        (tagged::id3(3, 0, &frame[..frame.len() - 1]), "unusual"),
    ] {
        let bytes = tagged::mp3(&tag);
        std::fs::write(&path, &bytes).unwrap();
        let error = edit(&path, TagFormat::Mp3, &[(EditedTag::Bpm, "1".to_owned())]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    for bytes in
        [b"RIFF\x04\0\0\0WAVEdata\xff\xff\0\0".to_vec(), b"fLaC\x80\0\0\x22".to_vec(), b"OggS".to_vec(), Vec::new()]
    {
        std::fs::write(&path, &bytes).unwrap();
        for format in [
            TagFormat::Wav,
            TagFormat::Aiff,
            TagFormat::Flac,
            TagFormat::Vorbis,
            TagFormat::Opus,
            TagFormat::OggFlac,
            TagFormat::Mp4,
        ] {
            assert!(edit(&path, format, &[(EditedTag::Bpm, "1".to_owned())]).is_err(), "{format:?}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }
}
