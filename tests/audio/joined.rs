//! Files whose sound changes on the way: joined files, changes of format, tags between frames, edits, sizes that are
//! too small for the content, and bytes that no reader knows.
//!
//! ffmpeg 5.1.9 reads as many frames of the joined MP3 and AAC, except where the sample rate changes (it converts), and
//! as many of the chained Ogg. Edits are placed as ISO/IEC 14496-12, section 8.6.6, says. soxi 14.4.2 and ffmpeg give the
//! length of WAV files whose size has wrapped.

use std::path::Path;

use super::support::mpeg::{Kind, stream};
use super::support::opening::{Wav, random};
use audio::tags::TagText;
use audio::{AudioBuffer, AudioFile, AudioFormat, ChannelMix, Damage, FileInfo};
use base::units::SampleRate;

fn seed(name: &str) -> Vec<u8> {
    std::fs::read(crate::support::reference("audio").join(name)).unwrap()
}

fn open(bytes: &[u8]) -> AudioFile {
    AudioFile::from_bytes(bytes.to_vec(), Path::new("case")).unwrap_or_else(|error| panic!("{error}"))
}

fn info(bytes: &[u8]) -> FileInfo {
    open(bytes).info().clone()
}

/// Decodes a file, and again from several places, which must give the same.
fn decode(file: &AudioFile) -> (AudioBuffer, Damage) {
    let mut reader = file.reader().unwrap();
    let mut all = AudioBuffer::new(file.info().audio.channels, 0);
    let mut part = AudioBuffer::default();
    loop {
        reader.read(&mut part, 1000).unwrap();
        if part.is_empty() {
            break;
        }
        all.extend_from(&part, 0..part.frames());
    }
    assert_eq!(all.frames() as u64, file.info().frames);
    let damage = reader.damage();
    let mut fresh = file.reader().unwrap();
    for step in (0..17u64).rev() {
        let at = file.info().frames * step / 17;
        for reader in [&mut reader, &mut fresh] {
            reader.seek(at).unwrap();
            reader.read(&mut part, 1500).unwrap();
            for channel in 0..all.channels() {
                let want = &all.channel(channel)[at as usize..][..part.frames()];
                assert!(part.channel(channel) == want, "other after a seek to {at}");
            }
        }
    }
    (all, damage)
}

/// Returns sounds one after the other in the channels of the first.
fn joined(sounds: &[&AudioBuffer]) -> AudioBuffer {
    let mut all = AudioBuffer::new(sounds[0].channels(), 0);
    let mut changed = AudioBuffer::default();
    for sound in sounds {
        let [from, to] =
            [*sound, &all].map(|sound| AudioFormat::new(SampleRate::new(48_000).unwrap(), sound.channels()));
        match ChannelMix::into_recording(from, to) {
            Some(mix) => mix.apply(sound, 1.0, &mut changed),
            None => changed.clone_from(sound),
        }
        all.extend_from(&changed, 0..changed.frames());
    }
    all
}

fn warned(info: &FileInfo, words: &[&str]) {
    let found = info.warnings.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
    assert!(found, "{words:?} of {:?}", info.warnings);
}

/// An `ID3v2` tag with a picture of this many bytes, none of them 0xff.
fn id3(bytes: usize) -> Vec<u8> {
    let picture: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
    let content = [b"\0image/jpeg\0\x03\0".as_slice(), &picture].concat();
    let frame = [b"APIC".as_slice(), &(content.len() as u32).to_be_bytes(), &[0, 0], &content].concat();
    let size = [21, 14, 7, 0].map(|shift| (frame.len() >> shift & 0x7f) as u8);
    [b"ID3\x03\0\0".as_slice(), &size, &frame].concat()
}

/// An APE tag with or without a header.
fn ape(with_header: bool, version: u32) -> Vec<u8> {
    let items =
        [b"\x05\0\0\0\0\0\0\0Title\0Named".as_slice(), b"\xc8\0\0\0\x02\0\0\0Cover Art (Front)\0", &[7; 200]].concat();
    let head = |is_header: bool| {
        let flags = u32::from(with_header) << 31 | u32::from(is_header) << 29;
        let words = [version, items.len() as u32 + 32, 2, flags].map(u32::to_le_bytes).concat();
        [b"APETAGEX".as_slice(), &words, &[0; 8]].concat()
    };
    [if with_header { head(true) } else { Vec::new() }, items.clone(), head(false)].concat()
}

fn id3v1() -> Vec<u8> {
    let mut tag = b"TAGTitle".to_vec();
    tag.resize(128, 0);
    tag
}

fn lyrics(version: u8) -> Vec<u8> {
    let body = b"LYRICSBEGININD0000200LYR00012[00:00]Words";
    match version {
        1 => [body.as_slice(), b"LYRICSEND"].concat(),
        _ => [body.as_slice(), format!("{:06}LYRICS200", body.len()).as_bytes()].concat(),
    }
}

/// All kinds of tags that may stand anywhere in a file, by name.
fn tags() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("ID3v2 with a cover", id3(300_000)),
        ("ID3v2 of a stream", id3(10)),
        ("two ID3v2", [id3(1000), id3(2000)].concat()),
        ("ID3v1", id3v1()),
        ("ID3v1 with its extension", [b"TAG+".as_slice(), &[b' '; 223], &id3v1()].concat()),
        ("APEv2", ape(true, 2000)),
        ("APEv2 without a header", ape(false, 2000)),
        ("APEv1", ape(false, 1000)),
        ("Lyrics3", [lyrics(1), id3v1()].concat()),
        ("Lyrics3v2", [lyrics(2), id3v1()].concat()),
        ("all", [lyrics(2), id3v1(), ape(true, 2000), id3(500)].concat()),
    ]
}

#[test]
fn streams_whose_channels_change_are_played_on() {
    let cases: [(&str, &[&str]); 7] = [
        ("MP3", &["mono.mp3", "noheader.mp3"]),
        ("MP3", &["noheader.mp3", "mono.mp3"]),
        ("MP3", &["mono.mp3", "noheader.mp3", "mono.mp3"]),
        ("MP3", &["lame.mp3", "mono.mp3"]),
        ("AAC", &["mono.aac", "plain.aac"]),
        ("AAC", &["plain.aac", "mono.aac"]),
        ("AAC", &["mono.aac", "plain.aac", "mono.aac", "plain.aac"]),
    ];
    for (codec, names) in cases {
        let parts: Vec<Vec<u8>> = names.iter().map(|name| seed(name)).collect();
        let sounds: Vec<AudioBuffer> = parts.iter().map(|part| decode(&open(part)).0).collect();
        let file = open(&parts.concat());
        let (got, damage) = decode(&file);
        assert!(damage.is_empty(), "{names:?}: {damage:?}");
        let first = sounds[0].channels();
        assert_eq!((file.info().codec.as_str(), file.info().audio.channels), (codec, first), "{names:?}");
        // The end of a file with a header is not cut off where another format follows without a header.
        let want = joined(&sounds.iter().collect::<Vec<_>>());
        if names[0] == "lame.mp3" {
            assert!(got.frames() >= want.frames() && got.frames() <= want.frames() + 1152, "{}", got.frames());
        } else {
            assert!(got == want, "{names:?}: {} frames of {}", got.frames(), want.frames());
        }
        let at = if first == 1 { "2 channels from" } else { "1 channel from" };
        warned(file.info(), &[at]);
    }
}

#[test]
fn frames_of_one_channel_among_those_of_two() {
    // ISO/IEC 11172-4 has streams whose mode changes with every few frames.
    let frames = |bytes: &[u8]| {
        let (mut at, mut found) = (0, Vec::new());
        while at + 4 < bytes.len() {
            let kbps = [0, 32, 40, 48, 56, 64, 80, 96][usize::from(bytes[at + 2] >> 4)];
            let size = 144_000 * kbps / 44_100 + usize::from(bytes[at + 2] >> 1 & 1);
            found.push(bytes[at..(at + size).min(bytes.len())].to_vec());
            at += size;
        }
        found
    };
    let (one, two) = (frames(&seed("mono.mp3")), frames(&seed("noheader.mp3")));
    let mixed: Vec<u8> = one.iter().zip(&two).flat_map(|(one, two)| [one.clone(), two.clone()].concat()).collect();
    let file = open(&mixed);
    assert_eq!(file.info().frames, 26 * 1152);
    // Frames that use bytes of earlier frames get bytes of the other stream, so not all of this is valid audio.
    let (got, _) = decode(&file);
    assert!(got.channels() == 1 && got.channel(0).iter().any(|sample| sample.abs() > 0.1));
}

#[test]
fn what_has_another_sample_rate_is_told_to_the_byte() {
    let cases: [(&[&str], u64, &str); 6] = [
        (&["noheader.mp3", "48k.mp3"], 13 * 1152, "48000 Hz"),
        (&["48k.mp3", "noheader.mp3", "48k.mp3"], 28 * 1152, "44100 Hz"),
        (&["layer2.mp2", "noheader.mp3"], 12 * 1152, "MP3, 44100 Hz"),
        (&["noheader.mp3", "layer2.mp2", "low.mp3"], 13 * 1152, "MP2, 44100 Hz"),
        (&["plain.aac", "48k.aac"], 14 * 1024, "48000 Hz"),
        (&["48k.aac", "plain.aac", "48k.aac"], 32 * 1024, "44100 Hz"),
    ];
    for (names, frames, named) in cases {
        let parts: Vec<Vec<u8>> = names.iter().map(|name| seed(name)).collect();
        let first = info(&parts[0]);
        let file = open(&parts.concat());
        assert_eq!(file.info().frames, frames, "{names:?}");
        let (_, damage) = decode(&file);
        assert!(damage.is_empty(), "{names:?}: {damage:?}");
        let at = first.frames as f64 / first.audio.rate.as_f64();
        let place = format!("at {at:.3} s (byte {})", parts[0].len());
        warned(file.info(), &[named, &place]);
        if names.len() == 2 {
            let other = info(&parts[1]);
            let seconds = other.frames as f64 / other.audio.rate.as_f64();
            warned(file.info(), &[&format!("{seconds:.3} s of sound"), &format!("{} bytes", parts[1].len())]);
        }
    }
}

#[test]
fn joined_files_with_headers_are_played_as_they_would_be_alone() {
    let (lame, low) = (seed("lame.mp3"), seed("low.mp3"));
    for (parts, count) in [
        (vec![lame.clone(), lame.clone()], 2),
        (vec![lame.clone(), id3v1(), id3(5000), lame.clone()], 2),
        (vec![lame.clone(), lame.clone(), lame.clone()], 3),
        (vec![low.clone(), low.clone()], 2),
        (vec![low.clone(), ape(true, 2000), low.clone(), id3v1()], 2),
    ] {
        let alone = decode(&open(&parts[0])).0;
        let file = open(&parts.concat());
        assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings);
        let (got, damage) = decode(&file);
        assert!(damage.is_empty());
        assert!(got == joined(&vec![&alone; count]), "{} frames of {count} times {}", got.frames(), alone.frames());
    }
}

#[test]
fn known_tags_are_skipped_wherever_they_stand() {
    for name in ["noheader.mp3", "plain.aac", "layer2.mp2"] {
        let part = seed(name);
        let pair = decode(&open(&[part.clone(), part.clone()].concat())).0;
        for (kind, tag) in tags() {
            let cases = [
                vec![&part, &tag, &part],
                vec![&part, &part, &tag],
                vec![&part, &tag, &part, &tag],
                vec![&part, &tag, &tag, &part],
            ];
            for (number, case) in cases.into_iter().enumerate() {
                let bytes = case.into_iter().flatten().copied().collect::<Vec<u8>>();
                let file = open(&bytes);
                assert!(file.info().warnings.is_empty(), "{name}, {kind}, {number}: {:?}", file.info().warnings);
                let (got, damage) = decode(&file);
                assert!(damage.is_empty() && got == pair, "{name}, {kind}, {number}: {} frames", got.frames());
            }
        }
        // In front too, unless the tag is known only by its end.
        for (kind, tag) in tags().into_iter().filter(|(kind, _)| !kind.starts_with("APEv2 w") && *kind != "APEv1") {
            let file = open(&[tag, part.clone(), part.clone()].concat());
            assert_eq!(decode(&file).0, pair, "{name}, {kind} in front");
        }
    }
}

#[test]
fn an_ape_footer_that_lies_of_its_size_takes_no_sound() {
    let foot = |size: u32, flags: u32| {
        let words = [2000, size, 1, flags].map(u32::to_le_bytes).concat();
        [b"APETAGEX".as_slice(), &words, &[0; 8]].concat()
    };
    for name in ["flac.flac", "lame.mp3"] {
        let bytes = seed(name);
        let (whole, _) = decode(&open(&bytes));
        for (size, flags) in [(32, 1 << 31), (64, 0), (2000, 0), (400_000, 0), (u32::MAX - 15, 1 << 31), (0, 0)] {
            let file = open(&[bytes.clone(), foot(size, flags)].concat());
            let (got, damage) = decode(&file);
            assert!(got == whole && damage.is_empty(), "{name} {size} {flags:#x}: {} frames", got.frames());
            assert!(file.info().warnings.is_empty(), "{name} {size}: {:?}", file.info().warnings);
        }
    }
}

#[test]
fn a_stream_may_begin_late() {
    for name in ["noheader.mp3", "plain.aac", "layer2.mp2"] {
        let alone = decode(&open(&seed(name))).0;
        for before in [
            vec![0; 100_000],
            vec![0; 1_000_000],
            vec![b'x'; 70_000],
            [id3(9), vec![0; 80_000]].concat(),
            [vec![0; 5], id3v1()].concat(),
        ] {
            assert_eq!(decode(&open(&[before, seed(name)].concat())).0, alone, "{name}");
        }
    }
}

#[test]
fn free_format_is_played_behind_and_between_what_is_no_sound() {
    for layer in [1, 3] {
        let (version, rate, mode, checksums, emphasis) = (0, 0, 0, false, 0);
        let kind = Kind { layer, version, rate, mode, checksums, free_bytes: Some(700), emphasis };
        let part = stream(&mut random(layer as u64), kind, 20).bytes();
        let alone = decode(&open(&part)).0;
        assert_eq!(alone.frames(), 20 * kind.sound_frames(), "layer {layer}");
        for before in [vec![0; 1_000_000], id3(5000), [id3(9), vec![0; 80_000]].concat()] {
            assert!(decode(&open(&[before, part.clone()].concat())).0 == alone, "layer {layer}");
        }
        let pair = decode(&open(&[part.clone(), part.clone()].concat())).0;
        for (name, tag) in tags() {
            let file = open(&[part.clone(), tag.clone(), part.clone(), tag].concat());
            assert!(file.info().warnings.is_empty(), "layer {layer}, {name}: {:?}", file.info().warnings);
            let (got, damage) = decode(&file);
            assert!(damage.is_empty() && got == pair, "layer {layer}, {name}: {} frames", got.frames());
        }
        // Frames that do not state a bit rate are another stream than those that do.
        let stated = seed("noheader.mp3");
        for (first, second) in [(stated.as_slice(), part.as_slice()), (&part, stated.as_slice())] {
            let joined = open(&[first, second].concat());
            warned(joined.info(), &[&format!("from byte {} on", first.len())]);
            assert!(decode(&joined).0 == decode(&open(first)).0, "layer {layer}");
        }
    }
}

fn chunk(id: &[u8], body: &[u8]) -> Vec<u8> {
    let pad = vec![0; body.len() % 2];
    [id, &(body.len() as u32).to_le_bytes(), body, &pad].concat()
}

fn wav(format: &[u8], riff_bytes: Option<u32>, data_bytes: u32, behind: &[u8]) -> Vec<u8> {
    let body = [b"WAVE".as_slice(), &chunk(b"fmt ", format), b"data", &data_bytes.to_le_bytes(), behind].concat();
    let size = riff_bytes.unwrap_or(body.len() as u32);
    [b"RIFF".as_slice(), &size.to_le_bytes(), &body].concat()
}

/// The format of 16-bit stereo at 44.1 kHz.
const STEREO: &[u8] = &[1, 0, 2, 0, 0x44, 0xac, 0, 0, 0x10, 0xb1, 2, 0, 4, 0, 16, 0];

#[test]
fn a_wav_without_samples_has_none() {
    let noise: Vec<u8> = (0..40_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let list = chunk(b"LIST", b"INFOISFT\x04\0\0\0abc\0");
    for (name, bytes) in [
        ("a long chunk", wav(STEREO, None, 0, &chunk(b"iXML", &noise))),
        ("two chunks", wav(STEREO, None, 0, &[list.clone(), chunk(b"bext", &noise[..602])].concat())),
        ("nothing", wav(STEREO, None, 0, b"")),
        (
            "a chunk of odd length without padding",
            wav(STEREO, None, 0, &[chunk(b"_PMX", &noise[..999])[..1007].to_vec(), list.clone()].concat()),
        ),
        ("a chunk of a program that streams", wav(STEREO, Some(u32::MAX), 0, &list)),
        ("a chunk, no size of the file", wav(STEREO, Some(0), 0, &chunk(b"iXML", &noise))),
        ("RIFX", {
            let mut wav = Wav { magic: "RIFX", ..Wav::plain(16, 2) }.bytes(0, |_, _| 0.0);
            wav.extend([b"iXML".as_slice(), &40_000u32.to_be_bytes(), &noise].concat());
            wav
        }),
        ("RF64", {
            let mut wav = Wav { magic: "RF64", ..Wav::plain(16, 2) }.bytes(0, |_, _| 0.0);
            wav.extend(chunk(b"iXML", &noise));
            wav
        }),
        ("tags behind", [wav(STEREO, None, 0, b""), id3v1()].concat()),
    ] {
        let file = open(&bytes);
        assert_eq!(file.info().frames, 0, "{name}");
        assert!(file.info().warnings.is_empty(), "{name}: {:?}", file.info().warnings);
        assert_eq!(decode(&file).0.frames(), 0, "{name}");
    }
    // Bytes that are neither sound nor chunks are reported.
    let file = open(&wav(STEREO, None, 0, &noise));
    assert_eq!(file.info().frames, 0);
    warned(file.info(), &["40000 bytes", "from byte 44 on"]);
    // A streaming writer leaves sizes of 0, all ones, or the header's size.
    for size in [0, u32::MAX, 36] {
        let file = open(&wav(STEREO, Some(size), 0, &noise));
        assert_eq!(file.info().frames, 10_000, "{size}");
        assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings);
    }
    assert_eq!(info(&wav(STEREO, Some(u32::MAX), u32::MAX, &noise)).frames, 10_000);
    // AIFF: no sound, and other chunks.
    let mut aiff = Wav { magic: "AIFF", ..Wav::plain(16, 2) }.bytes(0, |_, _| 0.0);
    let ssnd = aiff.windows(4).position(|id| id == b"SSND").unwrap();
    aiff.extend([b"APPL".as_slice(), &40_000u32.to_be_bytes(), &noise].concat());
    assert_eq!(info(&aiff).frames, 0);
    aiff[ssnd + 4..ssnd + 8].fill(0);
    aiff.drain(ssnd + 8..ssnd + 16);
    assert_eq!(info(&aiff).frames, 0);
}

/// Writes a sparse file: all but its beginning and end are zeros that take no space.
#[cfg(unix)]
fn sparse(path: &Path, head: &[u8], bytes: u64, behind: &[u8]) {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(head).unwrap();
    file.set_len(head.len() as u64 + bytes).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(behind).unwrap();
}

#[cfg(unix)]
#[test]
fn sizes_that_have_wrapped_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let list = chunk(b"LIST", b"INFOINAM\x06\0\0\0Named\0");
    for (bytes, behind) in [
        ((1u64 << 32) + 4000, vec![]),
        ((1 << 32) + 4000, list.clone()),
        ((5 << 32) + 400, list.clone()),
        ((2 << 32) + 44, [list.clone(), chunk(b"id3 ", &id3(99))].concat()),
        (1 << 32, vec![]),
        ((3 << 32) - 8, vec![]),
    ] {
        let mut head = wav(STEREO, None, bytes as u32, b"");
        head[4..8].copy_from_slice(&(bytes as u32).wrapping_add(36).to_le_bytes());
        sparse(&path, &head, bytes, &behind);
        let file = AudioFile::open(&path).unwrap();
        assert_eq!(file.info().frames, bytes / 4, "{bytes} bytes");
        warned(file.info(), &["larger than a WAV file can say", &(bytes / 4).to_string()]);
        let title = file.info().tags.items.get("TITLE").map(TagText::as_str);
        assert_eq!(title, (!behind.is_empty()).then_some("Named"), "{bytes} bytes");
        let mut reader = file.reader().unwrap();
        reader.seek(bytes / 4 - 10).unwrap();
        let mut part = AudioBuffer::default();
        reader.read(&mut part, 100).unwrap();
        assert!(part.frames() == 10 && reader.damage().is_empty());
    }
    // A size that is right, with chunks up to the end, and one that has not wrapped.
    let body = wav(STEREO, None, 4000, &[vec![1; 4000], b"junk".to_vec(), u32::MAX.to_le_bytes().to_vec()].concat());
    sparse(&path, &body, u64::from(u32::MAX), &chunk(b"more", &[1, 2]));
    assert_eq!(AudioFile::open(&path).unwrap().info().frames, 1000);
    // AIFF: the number of frames is right.
    let bytes = (1u64 << 32) + 400;
    let mut aiff = Wav { magic: "AIFF", ..Wav::plain(16, 2) }.bytes(0, |_, _| 0.0);
    let size_at = aiff.len() - 12;
    aiff[size_at..size_at + 4].copy_from_slice(&((bytes + 8) as u32).to_be_bytes());
    aiff[22..26].copy_from_slice(&((bytes / 4) as u32).to_be_bytes());
    sparse(&path, &aiff, bytes, b"");
    let file = AudioFile::open(&path).unwrap();
    assert_eq!(file.info().frames, bytes / 4);
    warned(file.info(), &["larger than an AIFF file can say"]);
}

/// Replaces the edit list of an M4A: duration in milliseconds, start in frames, and speed of each edit.
fn with_edits(bytes: &[u8], edits: &[(u32, i32, u32)]) -> Vec<u8> {
    let at = |id: &[u8]| bytes.windows(4).position(|four| four == id).unwrap() - 4;
    let size = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let sized = |id: &[u8], body: &[u8]| [&(body.len() as u32 + 8).to_be_bytes(), id, body].concat();
    let rows: Vec<u8> = edits
        .iter()
        .flat_map(|(duration, time, speed)| [duration.to_be_bytes(), time.to_be_bytes(), speed.to_be_bytes()].concat())
        .collect();
    let list = sized(b"elst", &[[0; 4].as_slice(), (edits.len() as u32).to_be_bytes().as_slice(), &rows].concat());
    let new = sized(b"edts", &list);
    // The list is in front of its track's media, or it is a new one.
    let media = at(b"mdia");
    let old = bytes[..media].windows(4).position(|four| four == b"edts").map_or(0, |edts| size(edts - 4));
    let mut changed = [&bytes[..media - old], &new, &bytes[media..]].concat();
    for id in [b"moov", b"trak"] {
        let at = at(id);
        let grown = (size(at) + new.len() - old) as u32;
        changed[at..at + 4].copy_from_slice(&grown.to_be_bytes());
    }
    changed
}

#[test]
fn every_edit_of_a_track_is_played_in_its_place() {
    const PLAIN: u32 = 1 << 16;
    // The index is after the sound, so that no offset changes.
    for (name, scale) in [("edits.m4a", 44_100), ("alac.m4a", 44_100), ("opus.mp4", 48_000)] {
        let bytes = seed(name);
        let whole = decode(&open(&with_edits(&bytes, &[(0, 0, PLAIN)]))).0;
        let ms = |ms: u32| ms as usize * scale / 1000;
        let cases: [&[(u32, i32, u32)]; 6] = [
            &[(100, 1024, PLAIN), (150, 4000, PLAIN)],
            &[(100, 5000, PLAIN), (100, 0, PLAIN)],
            &[(80, -1, PLAIN), (200, 1024, PLAIN)],
            &[(100, 0, PLAIN), (70, -1, PLAIN), (100, 3000, PLAIN)],
            &[(50, 2000, PLAIN); 5],
            &[(40, -1, PLAIN), (40, 100, PLAIN), (40, -1, PLAIN), (40, 7000, PLAIN)],
        ];
        for edits in cases {
            let file = open(&with_edits(&bytes, edits));
            assert!(file.info().warnings.is_empty(), "{name}, {edits:?}: {:?}", file.info().warnings);
            let (got, damage) = decode(&file);
            assert!(damage.is_empty());
            let mut total = 0;
            for (duration, time, _) in edits {
                let (from, until) = (ms(total), ms(total + duration));
                total += duration;
                for channel in 0..2 {
                    let part = &got.channel(channel)[from..until];
                    if *time < 0 {
                        assert!(part.iter().all(|sample| *sample == 0.0), "{name}, {edits:?}");
                    } else {
                        let want = &whole.channel(channel)[*time as usize..][..part.len()];
                        assert!(
                            part.iter().zip(want).all(|(got, want)| (got - want).abs() < 0.05),
                            "{name}, {edits:?} at {from}"
                        );
                    }
                }
            }
            assert_eq!(got.frames(), ms(total), "{name}, {edits:?}");
        }
    }
    let file = open(&with_edits(&seed("alac.m4a"), &[(100, 0, PLAIN), (100, 0, PLAIN / 2), (50, 0, 0)]));
    assert_eq!(file.info().frames, 4410);
    warned(file.info(), &["2 of 3 edits", "0.150 s"]);
}

/// Gives all pages of an Ogg file another serial number.
fn with_serial(bytes: &[u8], serial: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let starts: Vec<usize> =
        bytes.windows(5).enumerate().filter(|(_, five)| *five == b"OggS\0").map(|(at, _)| at).collect();
    for (number, at) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(bytes.len());
        bytes[at + 14..at + 18].copy_from_slice(&serial.to_le_bytes());
        bytes[at + 22..at + 26].fill(0);
        let sum = bytes[*at..end].iter().fold(0u32, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 })
        });
        bytes[at + 22..at + 26].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

#[test]
fn chained_ogg_is_played_on() {
    let cases: [&[&str]; 7] = [
        &["vorbis.ogg", "vorbis.ogg"],
        &["vorbis.ogg", "mono.ogg"],
        &["mono.ogg", "vorbis.ogg", "surround.ogg"],
        &["surround.ogg", "mono.ogg"],
        &["opusenc.opus", "opusenc.opus", "opusenc.opus"],
        &["48k.ogg", "opusenc.opus"],
        &["flac.oga", "vorbis.ogg"],
    ];
    for names in cases {
        for same_serial in [false, true] {
            let parts: Vec<Vec<u8>> = names
                .iter()
                .enumerate()
                .map(|(number, name)| with_serial(&seed(name), if same_serial { 7 } else { 7 + number as u32 }))
                .collect();
            let sounds: Vec<AudioBuffer> = parts.iter().map(|part| decode(&open(part)).0).collect();
            let file = open(&parts.concat());
            let (got, damage) = decode(&file);
            assert!(damage.is_empty(), "{names:?}: {damage:?}");
            assert!(got == joined(&sounds.iter().collect::<Vec<_>>()), "{names:?}: {} frames", got.frames());
            let changes = sounds.iter().any(|sound| sound.channels() != sounds[0].channels());
            assert_eq!(file.info().warnings.len(), usize::from(changes), "{names:?}: {:?}", file.info().warnings);
        }
    }
}

#[test]
fn links_of_a_chain_that_cannot_be_played_are_told() {
    let (vorbis, other) = (seed("vorbis.ogg"), with_serial(&seed("48k.ogg"), 9));
    let frames = info(&vorbis).frames;
    let file = open(&[vorbis.clone(), other.clone()].concat());
    assert_eq!(file.info().frames, frames);
    warned(file.info(), &["1 more recording", "0.300 s", &format!("{} bytes from byte {}", other.len(), vorbis.len())]);
    // A link after it is played.
    let file = open(&[vorbis.clone(), other.clone(), with_serial(&seed("mono.ogg"), 11)].concat());
    assert_eq!(file.info().frames, frames + info(&seed("mono.ogg")).frames);
    // A link of an unknown codec.
    let mut unknown = with_serial(&seed("mono.ogg"), 12);
    let at = unknown.windows(6).position(|word| word == b"vorbis").unwrap();
    unknown[at..at + 6].copy_from_slice(b"norbis");
    let file = open(&[vorbis.clone(), unknown.clone(), other.clone(), vorbis.clone()].concat());
    assert_eq!(file.info().frames, 2 * frames);
    warned(file.info(), &["more recordings", &format!("{} bytes", unknown.len() + other.len())]);
}

/// A file of each kind whose reader reports data behind the sound, by name.
fn containers() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = [
        "lame.mp3",
        "noheader.mp3",
        "layer2.mp2",
        "plain.aac",
        "edits.m4a",
        "alac.m4a",
        "fragments.mp4",
        "hybrid.mp4",
        "pcm.mov",
        "alac.caf",
        "flac.mkv",
        "aac.mkv",
        "vorbis.webm",
        "vorbis.ogg",
        "opusenc.opus",
        "flac.oga",
        "ms.wav",
        "ima.wav",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), seed(name)))
    .collect();
    for magic in ["RIFF", "RIFX", "RF64", "BW64", "AIFF", "AIFC"] {
        for frames in [500, 501] {
            files.push((
                format!("{magic} of {frames}"),
                Wav { magic, ..Wav::plain(8, 1) }.bytes(frames, |_, frame| (frame % 9) as f64 / 10.0),
            ));
        }
    }
    files
}

#[test]
fn bytes_that_no_reader_knows_are_told() {
    for (name, bytes) in containers() {
        let plain = info(&bytes);
        assert!(plain.warnings.is_empty(), "{name}: {:?}", plain.warnings);
        let behind = |bytes_behind: &[u8]| {
            let told = info(&[bytes.as_slice(), bytes_behind].concat());
            assert_eq!(told.frames, plain.frames, "{name}");
            told
        };
        // Known tags and padding cause no warning.
        for known in [
            vec![0; 1000],
            id3v1(),
            id3(500),
            ape(true, 2000),
            ape(false, 2000),
            [vec![0; 77], lyrics(2), id3v1()].concat(),
            [id3v1(), vec![0; 12]].concat(),
        ] {
            let told = behind(&known);
            assert!(told.warnings.is_empty(), "{name}, {} bytes: {:?}", known.len(), told.warnings);
        }
        let place = format!("from byte {} on", bytes.len());
        warned(&behind(&[0xee; 1000]), &["1000 bytes", &place]);
        warned(&behind(&[0xee; 3]), &["3 bytes", &place]);
        warned(&behind(&[vec![0xee; 50], id3v1()].concat()), &["50 bytes", &place]);
        warned(
            &behind(&[vec![0; 64], vec![0xee; 50]].concat()),
            &["50 bytes", &format!("from byte {} on", bytes.len() + 64)],
        );
        let other = Wav::plain(16, 2).bytes(100, |_, _| 0.1);
        warned(&behind(&other), &[&format!("{} bytes", other.len()), &place, "(WAV)"]);
    }
}

#[test]
fn joined_files_of_containers_are_told() {
    for (name, named) in
        [("edits.m4a", "MP4"), ("alac.caf", "CAF"), ("flac.mkv", "Matroska"), ("vorbis.webm", "Matroska")]
    {
        let bytes = seed(name);
        let file = open(&[bytes.clone(), bytes.clone()].concat());
        assert_eq!(file.info().frames, info(&bytes).frames, "{name}");
        warned(file.info(), &[&format!("{} bytes", bytes.len()), &format!("from byte {} on", bytes.len()), named]);
    }
}

#[test]
fn tags_in_front_of_a_container_are_read() {
    let title = {
        let frame = [b"TIT2".as_slice(), &6u32.to_be_bytes(), &[0, 0], b"\0Front"].concat();
        let size = [0, 0, 0, frame.len() as u8];
        [b"ID3\x03\0\0".as_slice(), &size, &frame].concat()
    };
    for (name, bytes) in containers() {
        for before in [title.clone(), [title.clone(), id3(2000)].concat()] {
            let (alone, file) = (open(&bytes), open(&[before.clone(), bytes.clone()].concat()));
            assert_eq!(file.info().format, alone.info().format, "{name}");
            assert!(file.info().warnings.is_empty(), "{name}: {:?}", file.info().warnings);
            assert_eq!(file.info().bytes, (before.len() + bytes.len()) as u64);
            let same = alone.info().tags.items.get("TITLE").map_or("Front", TagText::as_str);
            let found = file.info().tags.items.get("TITLE").map(TagText::as_str);
            assert!(found == Some("Front") || found == Some(same), "{name}: {found:?}");
            assert_eq!(decode(&file).0, decode(&alone).0, "{name}");
        }
    }
}

#[test]
fn a_cut_frame_at_the_end_is_told() {
    for name in ["noheader.mp3", "plain.aac", "layer2.mp2", "mono.mp3", "48k.aac"] {
        let bytes = seed(name);
        let file = open(&bytes[..bytes.len() - 20]);
        warned(file.info(), &["cut off within its last frame"]);
        assert!(file.info().frames < info(&bytes).frames, "{name}");
    }
}

#[test]
fn a_wrong_number_of_frames_does_not_shorten_adpcm() {
    for (name, frames) in [("ima.wav", 13_221), ("ms.wav", 13_156)] {
        let mut bytes = seed(name);
        let fact = bytes.windows(4).position(|id| id == b"fact").unwrap() + 8;
        // That of one channel, as libsndfile 1.2 writes for stereo; none; too many.
        for (said, want) in
            [(frames / 2, frames), (1, frames), (0, frames), (u32::MAX, frames), (frames - 5, frames - 5)]
        {
            bytes[fact..fact + 4].copy_from_slice(&said.to_le_bytes());
            assert_eq!(info(&bytes).frames, u64::from(want), "{name}, {said}");
        }
    }
}

#[test]
fn an_aiff_with_more_sound_than_it_says_is_read_whole() {
    for magic in ["AIFF", "AIFC"] {
        let mut bytes = Wav { magic, ..Wav::plain(16, 2) }.bytes(1000, |_, _| 0.1);
        let common = bytes.windows(4).position(|id| id == b"COMM").unwrap();
        bytes[common + 10..common + 14].copy_from_slice(&300u32.to_be_bytes());
        assert_eq!(info(&bytes).frames, 1000);
        warned(&info(&bytes), &["says 300 samples", "1000"]);
    }
}

#[test]
fn the_channels_of_mpeg_audio_are_those_of_its_frames() {
    let file = open(&seed("mono-mp3.mp4"));
    assert_eq!(file.info().audio.channels, 1);
    assert!(decode(&file).0.channel(0).iter().any(|sample| sample.abs() > 0.1));
}
