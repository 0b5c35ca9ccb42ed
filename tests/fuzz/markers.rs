//! Markers in separate files and in the chunks, blocks, comments and frames of audio files, with counts, lengths and
//! numbers that lie.

use std::path::Path;

use undertone::audio::AudioFile;
use undertone::audio::marker_copy;
use undertone::audio::markers::{LabelFormat, MAX_MARKERS, MAX_TEXT_BYTES, read_labels, write_labels};
use undertone::progress::Progress;
use undertone::units::SampleRate;

use super::harness::{Limits, Random, run};
use super::opening_support::Wav;

const WORDS: [&str; 36] = [
    "0",
    "1.5",
    "-1",
    "1e300",
    "nan",
    "1:02.5",
    "99:59:74",
    "00:00:75",
    "1:2:3:4",
    ",",
    ";",
    "\t",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "FILE",
    "TRACK",
    "INDEX",
    "01",
    "TITLE",
    "PERFORMER",
    "start",
    "end",
    "name",
    "low_hz",
    "Duration",
    "Time Format",
    "decimal",
    "samples",
    "PERFORMER",
    "REM",
    "\u{feff}",
    "\u{1f3b5}",
    "=1+1",
];

/// Returns a text of the words of all formats, sometimes with bytes of another encoding.
fn text(random: &mut Random) -> Vec<u8> {
    let mut text = match random.below(7) {
        0 => b"start,end,name\n".to_vec(),
        3 => b"Name\tStart\tDuration\tTime Format\tType\tDescription\n".to_vec(),
        1 => b"FILE \"x\" WAVE\nTRACK 01 AUDIO\n".to_vec(),
        2 => b"\xff\xfe".to_vec(),
        _ => Vec::new(),
    };
    let count = if random.once_in(50) { 1 << random.below(17) } else { random.below(80) };
    for _ in 0..count {
        text.extend_from_slice(random.pick(&WORDS).as_bytes());
        match random.below(8) {
            0..=2 => text.push(b'\t'),
            3 | 4 => text.push(b'\n'),
            5 => text.push(b' '),
            6 => text.extend(random.bytes(1)),
            _ => {}
        }
    }
    text
}

fn read(path: &Path, random: &mut Random) {
    for extension in ["txt", "tsv", "csv", "cue"] {
        let named = path.with_extension(extension);
        std::fs::copy(path, &named).unwrap();
        let rate = SampleRate::new(*random.pick(&[1, 8000, 44_100, 768_000])).unwrap();
        let Ok(undertone::audio::markers::Labels { markers: list, .. }) = read_labels(&named, rate) else { continue };
        assert!(list.len() <= MAX_MARKERS && list.is_sorted_by_key(|marker| marker.start_frame));
        assert!(list.iter().all(|marker| marker.name.len() <= MAX_TEXT_BYTES));
        assert!(list.iter().all(|marker| marker.end_frame.is_none_or(|end| end > marker.start_frame)));
        // A list that was read can be written, and is read again with the same number of markers.
        for format in [LabelFormat::Audacity, LabelFormat::Csv] {
            let (text, _) = write_labels(&list, format, rate, "x.wav").unwrap();
            let again = named.with_extension(if format == LabelFormat::Csv { "csv" } else { "txt" });
            std::fs::write(&again, text).unwrap();
            let again = read_labels(&again, rate).unwrap();
            assert_eq!(again.markers.len(), list.len());
        }
    }
}

#[test]
fn marker_files() {
    run("marker_files", Limits::default(), text, read);
}

/// Returns a number that is mostly right.
fn number(random: &mut Random, truth: u64, bits: u32) -> u64 {
    if random.once_in(8) { random.extreme(bits) } else { truth }
}

fn chunk(id: &[u8; 4], content: &[u8], random: &mut Random) -> Vec<u8> {
    let size = number(random, content.len() as u64, 32) as u32;
    let mut chunk = [id.as_slice(), &size.to_le_bytes(), content].concat();
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

/// Returns chunks of markers.
fn wav(random: &mut Random) -> Vec<u8> {
    let magic = *random.pick(&["RIFF", "RF64", "BW64"]);
    let mut file = Wav { magic, ..Wav::plain(16, 2) }.bytes(300, |_, frame| (frame % 50) as f64 / 100.0);
    for _ in 0..=random.below(4) {
        let count = if random.once_in(20) { 5000 } else { random.below(6) };
        if random.once_in(4) {
            let mut smpl = random.bytes(28);
            smpl.extend((number(random, count, 32) as u32).to_le_bytes());
            smpl.extend(random.bytes(4));
            for _ in 0..count {
                for truth in [random.below(5), 0, random.below(300), random.below(400), 0, 0] {
                    smpl.extend((number(random, truth, 32) as u32).to_le_bytes());
                }
            }
            file.extend(chunk(b"smpl", &smpl, random));
        } else if random.once_in(2) {
            let mut cue = (number(random, count, 32) as u32).to_le_bytes().to_vec();
            for _ in 0..count {
                for truth in [random.below(5), 0, 0, 0, 0, random.below(400)] {
                    cue.extend((number(random, truth, 32) as u32).to_le_bytes());
                }
            }
            let keep = number(random, cue.len() as u64, 10).min(cue.len() as u64) as usize;
            file.extend(chunk(b"cue ", &cue[..keep], random));
        } else {
            let mut list = random.pick(&[b"adtl", b"INFO"]).to_vec();
            for _ in 0..count {
                let id = *random.pick(&[b"labl", b"note", b"ltxt", b"file", b"\0\0\0\0"]);
                let mut content = (random.below(5) as u32).to_le_bytes().to_vec();
                let bytes = random.below(40) as usize;
                content.extend(random.bytes(bytes));
                list.extend(chunk(id, &content, random));
            }
            file.extend(chunk(b"LIST", &list, random));
        }
    }
    file
}

/// Returns an AIFF file with markers and loops.
fn aiff(random: &mut Random) -> Vec<u8> {
    let mut file = Wav { magic: "AIFF", ..Wav::plain(16, 2) }.bytes(300, |_, frame| (frame % 50) as f64 / 100.0);
    for _ in 0..=random.below(4) {
        let (id, content) = if random.once_in(3) {
            let mut inst = random.bytes(8);
            for truth in [1, random.below(6), random.below(6), 2, random.below(6), random.below(6)] {
                inst.extend((number(random, truth, 16) as u16).to_be_bytes());
            }
            (b"INST", inst)
        } else {
            let count = if random.once_in(20) { 5000 } else { random.below(6) };
            let mut mark = (number(random, count, 16) as u16).to_be_bytes().to_vec();
            for index in 0..count {
                mark.extend((number(random, index, 16) as u16).to_be_bytes());
                let frame = random.below(400);
                mark.extend((number(random, frame, 32) as u32).to_be_bytes());
                let bytes = random.below(30);
                mark.push(number(random, bytes, 8) as u8);
                mark.extend(random.bytes(bytes as usize | 1));
            }
            (b"MARK", mark)
        };
        file.extend_from_slice(id);
        file.extend((number(random, content.len() as u64, 32) as u32).to_be_bytes());
        file.extend(content);
        file.resize(file.len().next_multiple_of(2), 0);
    }
    file
}

/// Returns a FLAC file with a block of tracks, and comments of chapters.
fn flac(real: &[u8], random: &mut Random) -> Vec<u8> {
    let mut sheet = random.bytes(395);
    let tracks = random.below(8);
    sheet.push(number(random, tracks, 8) as u8);
    for _ in 0..tracks {
        sheet.extend(number(random, 1000, 64).to_be_bytes());
        sheet.extend(random.bytes(27));
        let points = random.below(3);
        sheet.push(number(random, points, 8) as u8);
        let bytes = points as usize * 12;
        sheet.extend(random.bytes(bytes));
    }
    let mut comments = [&0u32.to_le_bytes(), (number(random, 6, 32) as u32).to_le_bytes().as_slice()].concat();
    for index in 0..6 {
        let times = ["00:00:00.010", "0:0", "-1", "99999999999:00:00", "NAME", "\u{fc}"];
        let name = if random.once_in(2) { "NAME" } else { "" };
        let comment = format!("CHAPTER{:03}{name}={}", number(random, index, 40), random.pick(&times));
        comments.extend((number(random, comment.len() as u64, 32) as u32).to_le_bytes());
        comments.extend(comment.as_bytes());
    }
    // Both come behind STREAMINFO, which is 34 bytes long.
    let mut file = real[..42].to_vec();
    file[4] &= 0x7f;
    for (kind, block) in [(5u8, sheet), (4, comments)] {
        file.push(kind);
        file.extend(&(block.len() as u32).to_be_bytes()[1..]);
        file.extend(block);
    }
    file.extend(&real[42..]);
    file
}

/// Returns an MP3 file with chapters.
fn mp3(real: &[u8], random: &mut Random) -> Vec<u8> {
    let version = 3 + random.below(2) as u8;
    let mut frames = Vec::new();
    for _ in 0..=random.below(6) {
        let mut content = random.pick(&["chp0\0", "rgn1\0", "", "x"]).as_bytes().to_vec();
        for truth in [10, 20, u64::MAX, u64::MAX] {
            content.extend((number(random, truth, 32) as u32).to_be_bytes());
        }
        for _ in 0..random.below(3) {
            content.extend_from_slice(random.pick(&[b"TIT2", b"TIT3", b"APIC", b"CHAP"]).as_slice());
            let bytes = random.below(30);
            content.extend((number(random, bytes, 32) as u32).to_be_bytes());
            content.extend([0, number(random, 0, 8) as u8]);
            content.extend(random.bytes(bytes as usize));
        }
        frames.extend_from_slice(random.pick(&[b"CHAP", b"CTOC", b"TIT2"]).as_slice());
        frames.extend((number(random, content.len() as u64, 28) as u32).to_be_bytes());
        frames.extend([0, 0]);
        frames.extend(content);
    }
    let size = number(random, frames.len() as u64, 28);
    let size = [21, 14, 7, 0].map(|shift| (size >> shift & 0x7f) as u8);
    [b"ID3".as_slice(), &[version, 0, number(random, 0, 8) as u8], &size, &frames, real].concat()
}

fn open(path: &Path, _: &mut Random) {
    let Ok(file) = AudioFile::open(path) else { return };
    let markers = file.markers();
    assert!(markers.len() <= MAX_MARKERS && markers.iter().all(|marker| marker.name.len() <= MAX_TEXT_BYTES));
    assert!(markers.iter().all(|marker| marker.start_frame <= file.info().frames));
    // A copy has the same audio, and the same markers where it succeeds.
    let target = path.with_extension("copy");
    if marker_copy::copy(&file, markers, &target, true, &[], &Progress::new()).is_ok() {
        let copied = AudioFile::open(&target).unwrap();
        assert_eq!(copied.info().frames, file.info().frames);
    }
}

#[test]
fn markers_in_audio_files() {
    let real = |name: &str| std::fs::read(crate::support::reference("audio").join(name)).unwrap();
    let (of_flac, of_mp3) = (real("flac.flac"), real("noheader.mp3"));
    let make = move |random: &mut Random| match random.below(4) {
        0 => wav(random),
        1 => flac(&of_flac, random),
        2 => aiff(random),
        _ => mp3(&of_mp3, random),
    };
    run("markers_in_audio_files", Limits::default(), make, open);
}
