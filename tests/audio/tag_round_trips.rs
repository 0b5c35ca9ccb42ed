//! Every tag of the table from every container into every container and back, generated from the table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use audio::tags::{FIELDS, Field, Id3Place, TagKind, TagText, field};
use audio::{AudioBuffer, AudioFile, AudioFormat, Picture, Tags};
use base::units::SampleRate;

use super::matroska;
use super::support::tagged;

/// Returns values that a field may have. Those of fields that share a frame differ.
fn values(field: &Field) -> Vec<String> {
    let name = field.name();
    let values: &[&str] = match (name, field.id3) {
        ("GENRE", _) => &["Hip-Hop", "A genre of my own"],
        ("DATE" | "ORIGINALDATE" | "RELEASEDATE" | "TAGGINGTIME" | "ENCODINGTIME", _) => &["2001-05-06"],
        ("YEAR", _) => &["1999"],
        ("LENGTH", _) => &["4711"],
        ("COMPILATION" | "PODCAST" | "ITUNESADVISORY", _) => &["1"],
        (_, Some(Id3Place::Whole(_))) => &["120"],
        (_, Some(Id3Place::Number(_))) => &["3"],
        (_, Some(Id3Place::Total(_))) => &["12"],
        (_, Some(Id3Place::Link(_))) => &["https://example.org/a", "https://example.org/b"],
        (_, Some(Id3Place::Rating)) => &["80"],
        (_, Some(Id3Place::Popularimeter)) => &["who@example.org|196|7"],
        (_, Some(Id3Place::Recording)) => &["0f0e7c0a-0000-4000-8000-000000000000"],
        (_, Some(Id3Place::Musicians)) => &["One (violin)", "Two", "Three (bass) (live)"],
        (_, Some(Id3Place::Lyrics)) => return vec![format!("First line\nof {name}"), "Another; text".to_owned()],
        _ => return vec![format!("The {name}; with this"), "Zwei \u{266b}".to_owned()],
    };
    owned(values)
}

/// Returns tags with every field of the table, with all its values, and one that is not in the table.
fn all() -> Tags {
    let mut tags = Tags::default();
    for field in FIELDS {
        tags.items.insert(field.name().to_owned(), TagText::of(values(field)).unwrap());
    }
    tags.items.insert("MY OWN".to_owned(), TagText::of(["x", "y=z"]).unwrap());
    tags.pictures = pictures();
    tags
}

fn pictures() -> Vec<Picture> {
    let png = |byte: u8| {
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0".as_slice(), &[byte; 300]].concat()
    };
    let picture = |kind: u8, description: &str, byte: u8| Picture {
        mime: "image/png".to_owned(),
        kind,
        description: description.to_owned(),
        data: png(byte),
    };
    vec![picture(3, "", 1), picture(4, "Die R\u{fc}ckseite", 2), picture(0, "x", 3), picture(17, "A fish", 0xff)]
}

fn writers() -> Vec<FileFormat> {
    let (there, missing): (Vec<_>, Vec<_>) =
        FileFormat::ALL.into_iter().partition(|format| format.check_encoder().is_ok());
    missing.iter().for_each(|format| eprintln!("SKIPPED: {format:?} cannot be written here"));
    there
}

/// Writes a short file with these tags, and returns those that are read from it.
fn through(format: FileFormat, tags: &Tags) -> Tags {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("a.{}", format.extension()));
    let audio = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let settings =
        EncodeSettings { format, sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    let mut encoder = Encoder::create_tagged(&path, &settings, audio, false, &[], tags).unwrap();
    encoder.write(&AudioBuffer::from_channels(vec![vec![0.25; 4800]; 2])).unwrap();
    let done = encoder.finish().unwrap();
    assert!(done.warnings.is_empty(), "{format:?}: {:?}", done.warnings);
    let file = AudioFile::open(&path).unwrap();
    assert!(file.info().warnings.is_empty(), "{format:?}: {:?}", file.info().warnings);
    assert_eq!(file.info().tags.not_kept, BTreeSet::new(), "{format:?}");
    file.info().tags.clone()
}

/// Returns the values of each field under the name that its place in `ID3v2` has first: spellings are one, and so are
/// fields that share a frame.
fn canonical(tags: &Tags) -> BTreeMap<String, BTreeSet<String>> {
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in &tags.items {
        let place = field(TagKind::Vorbis, name).and_then(|field| field.id3);
        let first = FIELDS.iter().find(|field| place.is_some() && field.id3 == place);
        let name = first.map_or(name.as_str(), |field| field.name());
        fields.entry(name.to_owned()).or_default().extend(text.values().map(str::to_owned));
    }
    fields
}

/// Returns the fields that a file of this format has of some tags: a whole `POPM` says the percent too.
fn expected(tags: &Tags, writer: FileFormat) -> BTreeMap<String, BTreeSet<String>> {
    let mut fields = canonical(tags);
    if tags.items.contains_key("POPULARIMETER") && matches!(writer, FileFormat::Mp3 | FileFormat::Wav) {
        fields.insert("RATING".to_owned(), ["80".to_owned()].into());
    }
    fields
}

#[test]
fn every_field_with_all_its_values_goes_through_every_format_and_back() {
    let all = all();
    for there in writers() {
        let first = through(there, &all);
        for (name, text) in &all.items {
            assert_eq!(first.items.get(name), Some(text), "{there:?}: {name}");
        }
        assert_eq!(first, all, "{there:?}");
        for back in writers() {
            assert_eq!(through(back, &first), all, "{there:?}, then {back:?}");
        }
    }
}

#[test]
fn every_field_alone_goes_through_every_format_in_every_spelling() {
    for writer in writers() {
        for field in FIELDS {
            for name in field.names {
                let items = [((*name).to_owned(), TagText::of(values(field)).unwrap())];
                let tags = Tags { items: items.into(), ..Tags::default() };
                let found = canonical(&through(writer, &tags));
                assert_eq!(found, expected(&tags, writer), "{writer:?}: {name}");
            }
        }
    }
}

/// A file with a field, in the words of its format.
struct Native {
    what: String,
    bytes: Vec<u8>,
    /// The field's name, and the values that are expected.
    name: &'static str,
    values: Vec<String>,
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// Returns a file for each field and each kind of tag that has it.
fn natives() -> Vec<Native> {
    let mut natives = Vec::new();
    for field in FIELDS {
        let all = values(field);
        let values: Vec<&str> = all.iter().map(String::as_str).collect();
        natives.extend(field.id3.into_iter().flat_map(|place| id3_natives(field, place, &values)));
        let comments: Vec<Vec<u8>> =
            values.iter().map(|value| format!("{}={value}", field.name()).into_bytes()).collect();
        let list = tagged::comments(&comments);
        let mut add = |what: &str, bytes: Vec<u8>, values: &[&str]| {
            let what = format!("{what}: {}", field.name());
            natives.push(Native { what, bytes, name: field.name(), values: owned(values) });
        };
        add("FLAC", tagged::flac(&[(4, list.clone())]), &values);
        add("Vorbis", tagged::vorbis(&list), &values);
        add("Opus", tagged::opus(&list), &values);
        add("Ogg FLAC", tagged::ogg_flac(&[(4, list)]), &values);
        for name in field.mkv.iter().chain([&field.name()]) {
            add(&format!("Matroska {name}"), matroska::tagged(name, &values), &values);
        }
        for name in field.mp4 {
            if let Some((item, values)) = mp4_item(name, &values) {
                add(&format!("MP4 {name}"), tagged::mp4(&item, false, None), &values);
            }
        }
        for name in field.ape {
            let text = match name {
                &"Track" | &"Disc" if matches!(field.id3, Some(Id3Place::Total(_))) => format!("1/{}", values[0]),
                _ => values.join("\0"),
            };
            add(&format!("APE {name}"), [tagged::mp3(b""), ape(name, &text)].concat(), &values);
        }
        for name in field.info {
            let text = [values[0].as_bytes(), b"\0"].concat();
            let mut list = [b"INFO", name.as_bytes(), &(text.len() as u32).to_le_bytes(), &text].concat();
            list.resize(list.len().next_multiple_of(2), 0);
            for magic in ["RIFF", "RF64"] {
                let bytes = tagged::chunked(magic, &[(b"LIST", list.clone())], false);
                add(&format!("{magic} {name}"), bytes, &values[..1]);
            }
        }
        for name in field.aiff.iter().filter(|name| **name != "COMT") {
            let id: &[u8; 4] = name.as_bytes().try_into().unwrap();
            let bytes = tagged::chunked("AIFF", &[(id, values[0].as_bytes().to_vec())], true);
            add(&format!("AIFF {name}"), bytes, &values[..1]);
        }
    }
    natives
}

/// Returns an item of the iTunes list, and the values that it holds; `None` for a number that no text makes.
fn mp4_item<'a>(name: &str, values: &[&'a str]) -> Option<(Vec<u8>, Vec<&'a str>)> {
    let texts: Vec<(u32, Vec<u8>)> = values.iter().map(|value| (1, value.as_bytes().to_vec())).collect();
    let number = |bytes: Vec<u8>, kind: u32| tagged::mp4_item(name, &[(kind, bytes)]);
    let item = match name {
        // A number and a total, of which one is asked for.
        "trkn" | "disk" => {
            let value = values[0].parse().ok()?;
            let pair = if value == 12 { [0, 0, 0, 0, 0, value, 0, 0] } else { [0, 0, 0, value, 0, 0, 0, 0] };
            number(pair.to_vec(), 0)
        }
        "gnre" => return Some((number(vec![0, 8], 0), vec!["Hip-Hop"])),
        "tmpo" => number(vec![0, values[0].parse().ok()?], 21),
        "cpil" | "pcst" | "rtng" => number(vec![1], 21),
        "\u{a9}mvi" | "\u{a9}mvc" => number(vec![0, values[0].parse().ok()?], 21),
        _ => return Some((tagged::mp4_item(name, &texts), values.to_vec())),
    };
    Some((item, values[..1].to_vec()))
}

fn ape(key: &str, value: &str) -> Vec<u8> {
    let item = [&(value.len() as u32).to_le_bytes(), &[0; 4][..], key.as_bytes(), b"\0", value.as_bytes()].concat();
    let bytes = item.len() as u32 + 32;
    let footer = [b"APETAGEX\xd0\x07\0\0", &bytes.to_le_bytes()[..], &[1, 0, 0, 0], &[0; 12]].concat();
    [item, footer].concat()
}

/// Returns an MP3 of each version of `ID3v2` with a field, and a WAV and an AIFF with the newest.
fn id3_natives(field: &'static Field, place: Id3Place, values: &[&str]) -> Vec<Native> {
    let mut natives = Vec::new();
    for version in [3, 4] {
        // Versions before 2.4 have no UTF-8, and one value. Their dates are in several frames.
        let values = if version == 4 { values } else { &values[..1] };
        let is_date = field.name() == "DATE";
        let (encoding, encoded): (u8, Vec<Vec<u8>>) = if version == 4 {
            (3, values.iter().map(|value| value.as_bytes().to_vec()).collect())
        } else {
            let utf16 = |value: &&str| {
                [0xff, 0xfe].into_iter().chain(value.encode_utf16().flat_map(u16::to_le_bytes)).collect()
            };
            (1, values.iter().map(utf16).collect())
        };
        let zero: &[u8] = if version == 4 { b"\0" } else { b"\0\0" };
        let joined = encoded.join(zero);
        let text = |id: &str| tagged::frame(version, id, &[&[encoding], &joined[..]].concat());
        let ascii = |id: &str, content: &str| tagged::frame(version, id, &[b"\0", content.as_bytes()].concat());
        let frames = match place {
            Id3Place::Text("TDRC") if version == 3 && is_date => {
                [ascii("TYER", "2001"), ascii("TDAT", "0605")].concat()
            }
            Id3Place::Text("TDRC") if version == 3 => ascii("TYER", values[0]),
            Id3Place::Text("TDOR") if version == 3 => ascii("TORY", values[0]),
            Id3Place::Text(id) | Id3Place::Whole(id) | Id3Place::Number(id) => text(id),
            Id3Place::Total(id) => ascii(id, &format!("1/{}", values[0])),
            Id3Place::User(name) => user(version, name, values),
            Id3Place::Link("WXXX") => values.iter().flat_map(|link| ascii("WXXX", &format!("\0{link}"))).collect(),
            Id3Place::Link(id) => values.iter().flat_map(|link| tagged::frame(version, id, link.as_bytes())).collect(),
            Id3Place::Role(role) => {
                let pairs: Vec<String> = values.iter().map(|name| format!("{role}\0{name}")).collect();
                let id = if version == 3 { "IPLS" } else { "TIPL" };
                if version == 4 {
                    tagged::frame(4, id, &[b"\x03", pairs.join("\0").as_bytes()].concat())
                } else {
                    continue;
                }
            }
            Id3Place::Musicians => {
                let pairs = ["violin\0One", "\0Two", "live\0Three (bass)"].join("\0");
                if version == 4 { ascii("TMCL", &pairs) } else { continue }
            }
            Id3Place::Comment => tagged::frame(version, "COMM", &[&[encoding][..], b"eng", zero, &joined].concat()),
            Id3Place::Lyrics => encoded
                .iter()
                .flat_map(|value| tagged::frame(version, "USLT", &[&[encoding][..], b"eng", zero, value].concat()))
                .collect(),
            Id3Place::Recording => {
                tagged::frame(version, "UFID", &[b"http://musicbrainz.org\0", values[0].as_bytes()].concat())
            }
            Id3Place::Rating => tagged::frame(version, "POPM", b"\0\xc4"),
            Id3Place::Popularimeter => tagged::frame(version, "POPM", b"who@example.org\0\xc4\0\0\0\x07"),
        };
        let tag = tagged::id3(version, 0, &frames);
        let mut files = vec![(format!("ID3v2.{version}"), tagged::mp3(&tag))];
        if version == 4 {
            files.push(("ID3 in WAV".to_owned(), tagged::chunked("RIFF", &[(b"id3 ", tag.clone())], false)));
            files.push(("ID3 in AIFF".to_owned(), tagged::chunked("AIFC", &[(b"ID3 ", tag)], true)));
        }
        for (what, bytes) in files {
            let what = format!("{what}: {}", field.name());
            // Of fields that share a frame the first is read.
            let first = FIELDS.iter().find(|other| other.id3 == Some(place)).unwrap();
            natives.push(Native { what, bytes, name: first.name(), values: owned(values) });
        }
    }
    natives
}

fn user(version: u8, name: &str, values: &[&str]) -> Vec<u8> {
    let content = if version == 4 {
        [b"\x03", name.as_bytes(), b"\0", values.join("\0").as_bytes()].concat()
    } else {
        let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
        [b"\x02".to_vec(), utf16(name), vec![0, 0], utf16(&values.join("\0"))].concat()
    };
    tagged::frame(version, "TXXX", &content)
}

#[test]
fn every_field_of_every_kind_of_tag_is_read_and_goes_into_every_format() {
    let natives = natives();
    assert!(natives.len() > 800, "{}", natives.len());
    let writers = writers();
    for (number, Native { what, bytes, name, values }) in natives.into_iter().enumerate() {
        let file = AudioFile::from_bytes(bytes, Path::new("native")).unwrap_or_else(|error| panic!("{what}: {error}"));
        let tags = &file.info().tags;
        let found: Vec<String> =
            tags.items.get(name).map(|text| text.values().map(str::to_owned).collect()).unwrap_or_default();
        assert_eq!(found, values, "{what}: {:?}", tags.items);
        assert!(file.info().warnings.is_empty(), "{what}: {:?}", file.info().warnings);
        // Each format in turn.
        let tags = Tags { not_kept: BTreeSet::new(), ..tags.clone() };
        let writer = writers[number % writers.len()];
        assert_eq!(canonical(&through(writer, &tags)), expected(&tags, writer), "{what}, then {writer:?}");
    }
}

#[test]
fn pictures_keep_kind_and_description_from_every_container() {
    let pictures = pictures();
    let jpeg =
        Picture { kind: 3, mime: "image/jpeg".to_owned(), data: b"\xff\xd8\xff\xe0 a".to_vec(), ..Picture::default() };
    let blocks: Vec<Vec<u8>> = pictures
        .iter()
        .map(|picture| tagged::picture_block(picture.kind.into(), &picture.mime, &picture.description, &picture.data))
        .collect();
    let list = tagged::comments(&[b"TITLE=x".to_vec()]);
    let flac: Vec<(u8, Vec<u8>)> =
        std::iter::once((4, list)).chain(blocks.iter().map(|block| (6, block.clone()))).collect();
    let comments: Vec<Vec<u8>> = blocks
        .iter()
        .map(|block| {
            use base64::Engine;
            let text = base64::engine::general_purpose::STANDARD.encode(block);
            format!("METADATA_BLOCK_PICTURE={text}").into_bytes()
        })
        .collect();
    let latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<u8>>();
    let frames: Vec<u8> = pictures
        .iter()
        .flat_map(|picture| {
            let head = [b"\0image/png\0", &[picture.kind][..], &latin(&picture.description), b"\0"].concat();
            tagged::frame(4, "APIC", &[head, picture.data.clone()].concat())
        })
        .collect();
    let tag = tagged::id3(4, 0, &frames);
    let covers: Vec<(u32, Vec<u8>)> = pictures.iter().map(|picture| (14, picture.data.clone())).collect();
    let of_mp4: Vec<Picture> = pictures
        .iter()
        .enumerate()
        .map(|(at, picture)| Picture {
            kind: if at == 0 { 3 } else { 0 },
            description: String::new(),
            ..picture.clone()
        })
        .collect();
    let jpeg_item = tagged::mp4_item("covr", &[(13, jpeg.data.clone())]);
    for (what, bytes, expected) in [
        ("FLAC", tagged::flac(&flac), &pictures),
        ("Ogg FLAC", tagged::ogg_flac(&flac), &pictures),
        ("Vorbis", tagged::vorbis(&tagged::comments(&comments)), &pictures),
        ("Opus", tagged::opus(&tagged::comments(&comments)), &pictures),
        ("MP3", tagged::mp3(&tag), &pictures),
        ("WAV", tagged::chunked("RIFF", &[(b"ID3 ", tag.clone())], true), &pictures),
        ("AIFF", tagged::chunked("AIFF", &[(b"ID3 ", tag)], false), &pictures),
        ("MP4", tagged::mp4(&tagged::mp4_item("covr", &covers), false, None), &of_mp4),
        ("MP4", tagged::mp4(&jpeg_item, true, Some(40)), &vec![jpeg.clone()]),
    ] {
        let file = AudioFile::from_bytes(bytes, Path::new(what)).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(&file.info().tags.pictures, expected, "{what}");
        for writer in writers() {
            let tags = Tags { pictures: expected.clone(), ..Tags::default() };
            assert_eq!(through(writer, &tags).pictures, *expected, "{what}, then {writer:?}");
        }
    }
}
