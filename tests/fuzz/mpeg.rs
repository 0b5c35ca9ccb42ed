//! MPEG audio of layers I to III by its grammar, with wrong bits and with lost and repeated bytes. Reads after seeks
//! equal the straight decode, and nothing is louder than sound can be.

use std::path::Path;

use undertone::audio::{AudioBuffer, AudioFile};

use super::harness::{Limits, Random, run};
use super::support::mpeg::{Kind, stream};

fn file(random: &mut Random) -> Vec<u8> {
    let frames = 1 + random.below(60) as usize;
    let mut bytes = {
        let mut next = || random.next();
        let kind = Kind::random(&mut next);
        stream(&mut next, kind, frames).bytes()
    };
    for _ in 0..random.below(12) {
        let at = random.below(bytes.len() as u64) as usize;
        let some = (at + 1 + random.below(300) as usize).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..some)),
            1 => {
                let piece = bytes[at..some].to_vec();
                bytes.splice(at..at, piece);
            }
            2 => bytes[at..some].fill(random.next() as u8),
            _ => bytes[at] ^= 1 << random.below(8),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

fn read_and_seek(path: &Path, random: &mut Random) {
    let Ok(file) = AudioFile::open(path) else { return };
    let (mut whole, mut part) = (AudioBuffer::default(), AudioBuffer::default());
    let mut reader = file.reader().unwrap();
    reader.read(&mut whole, file.info().frames as usize).unwrap();
    // The highest peak that is not damage.
    assert!(whole.iter().flatten().all(|sample| sample.abs() <= 10.0), "too loud, or not a number");
    for _ in 0..6 {
        let at = random.below(file.info().frames.max(1));
        reader.seek(at).unwrap();
        reader.read(&mut part, 1000).unwrap();
        for (got, whole) in part.iter().zip(whole.iter()) {
            assert!(*got == whole[at as usize..at as usize + got.len()], "other samples from {at} on");
        }
    }
}

#[test]
fn mpeg() {
    run("mpeg", Limits::default(), file, read_and_seek);
}
