//! Opens mutants of real files, with bytes flipped, truncated, spliced and repeated.

use std::path::Path;

use super::harness::{Limits, Random, run};
use super::opening_support::Wav;
use undertone::audio::{AudioBuffer, AudioFile};

/// The maximum number of frames that are read from a file. Headers may claim days.
const MAX_FRAMES: u64 = 4_000_000;

fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = crate::support::reference("audio");
    let mut seeds: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "sh"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    assert!(seeds.len() > 20, "the seeds are missing");
    for magic in ["RIFF", "RF64", "AIFC"] {
        let wav = Wav { magic, ..Wav::plain(16, 2) };
        seeds.push((magic.to_owned(), wav.bytes(500, |_, frame| (frame % 50) as f64 / 100.0)));
    }
    seeds.sort();
    seeds
}

/// Mutates `bytes`. Most changes hit the first half kilobyte, where the headers are.
fn mutant(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if mutant.is_empty() {
            break;
        }
        let reach = if random.next().is_multiple_of(3) { mutant.len() } else { mutant.len().min(512) };
        let at = random.next() as usize % reach;
        match random.next() % 8 {
            0 => mutant.truncate(at.max(1)),
            1 => {
                let from = random.next() as usize % other.len();
                let count = (random.next() as usize % 64).min(other.len() - from);
                mutant.splice(at..(at + count).min(mutant.len()), other[from..from + count].iter().copied());
            }
            2 => {
                let count = (random.next() as usize % 256).min(mutant.len() - at);
                mutant.drain(at..at + count);
            }
            3 => {
                let piece = mutant[at..(at + 200).min(mutant.len())].to_vec();
                mutant.splice(at..at, piece);
            }
            // Sizes and counts at their extremes.
            4 => {
                let value = [0, 0xff, 0x7f, 0x80][random.next() as usize % 4];
                let end = (at + 1 + random.next() as usize % 8).min(mutant.len());
                mutant[at..end].fill(value);
            }
            _ => mutant[at] ^= 1 << (random.next() % 8),
        }
    }
    mutant
}

/// The beginnings of kinds of files that are refused by name, and of none.
const HEADS: [&[u8]; 12] = [
    b"MAC \x96\x0f",
    b"MPCKSH",
    b"\x0b\x77\x12\x34\x14\x40",
    b"\x56\xe0\x05\x11\x11\x11\x11\x11\x56\xff\xff",
    b"G",
    b"RIFF\0\0\0\0AVI ",
    b"FORM\0\0\0\0",
    b"\xff\xfe<\0h\0",
    b"<html>",
    b"\xff\xff\x90\x00\xff\xfb\x90\x00",
    b"\0\0\0\0",
    b"junk",
];

/// Opens a file, reads it and seeks in it.
pub fn open_and_read(path: &Path, random: &mut Random) {
    let Ok(file) = AudioFile::open(path) else { return };
    let Ok(mut reader) = file.reader() else { return };
    let mut part = AudioBuffer::default();
    let mut read = 0;
    while read < MAX_FRAMES {
        reader.read(&mut part, 4096).unwrap();
        if part.is_empty() {
            break;
        }
        read += part.frames() as u64 * part.channels() as u64;
    }
    for _ in 0..3 {
        reader.seek(random.below(file.info().frames.max(1))).unwrap();
        reader.read(&mut part, 1000).unwrap();
    }
}

#[test]
fn mutants_of_real_files() {
    let seeds = seeds();
    let make = move |random: &mut Random| {
        let (seed, other) = (random.pick(&seeds).1.clone(), random.pick(&seeds).1.clone());
        let bytes = mutant(&seed, &other, random);
        if !random.once_in(8) {
            return bytes;
        }
        // Other bytes first, sometimes many.
        let head = random.pick(&HEADS).repeat(1 << random.below(14));
        [head, bytes].concat()
    };
    run("bytes", Limits::default(), make, open_and_read);
}
