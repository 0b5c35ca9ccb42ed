//! AAC-LC of any elements by its grammar, with wrong bits, lost and repeated bytes, and elements, programs and headers
//! that contradict each other. Reads after seeks equal the straight decode, and nothing is louder than sound can be.

use std::path::Path;

use undertone::audio::{AudioBuffer, AudioFile};

use super::harness::{Limits, Random, run};
use super::support::aac::{Features, Layout, Programs, adts_stream, caf, matroska, mp4, stream};

fn file(random: &mut Random) -> Vec<u8> {
    let mut case = Vec::new();
    for _ in 0..if random.once_in(5) { 3 } else { 1 } {
        case.extend(part(random));
    }
    for _ in 0..random.below(6) {
        let at = random.below(case.len() as u64) as usize;
        let some = (at + 1 + random.below(300) as usize).min(case.len());
        match random.below(8) {
            0 => drop(case.drain(at..some)),
            1 => {
                let piece = case[at..some].to_vec();
                case.splice(at..at, piece);
            }
            2 => case[at..some].fill(random.next() as u8),
            _ => case[at] ^= 1 << random.below(8),
        }
        if case.is_empty() {
            break;
        }
    }
    case
}

fn part(random: &mut Random) -> Vec<u8> {
    let count = 1 + random.below(30) as usize;
    let (made, mut packets, mut header, configuration) = {
        let mut next = || random.next();
        let configuration = [0, 0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 14][next() as usize % 12];
        let layout = match configuration {
            0 => Layout::random(&mut next),
            configuration => Layout::of_configuration(&mut next, configuration),
        };
        let rate = next() as usize % 12;
        let made = stream(&mut next, rate, layout, Features::ALL, count);
        let programs = [Programs::Each, Programs::First, Programs::None][next() as usize % 3];
        let packets = made.packets(&mut next, programs);
        let header = made.layout.header(&mut next, made.rate);
        (made, packets, header, configuration)
    };
    // Wrong bits within packets, of which the containers know nothing.
    for _ in 0..random.below(8) {
        let packet = random.below(count as u64) as usize;
        let packet = &mut packets[packet];
        let at = random.below(packet.len() as u64) as usize;
        match random.below(6) {
            0 => packet.truncate(at.max(1)),
            1 => packet[at..].fill(if random.once_in(2) { 0 } else { 0xff }),
            _ => packet[at] ^= 1 << random.below(8),
        }
    }
    for _ in 0..random.below(3) {
        let at = random.below(header.len() as u64) as usize;
        header[at] ^= 1 << random.below(8);
    }
    let channels = if random.once_in(3) { random.extreme(16) as u16 } else { made.layout.channels() as u16 };
    match random.below(5) {
        0 => mp4(made.rate_hz(), channels, &header, &packets),
        1 => matroska(made.rate_hz(), channels, &header, &packets),
        2 => caf(made.rate_hz(), channels, &header, &packets),
        _ => {
            adts_stream(made.rate, if random.once_in(8) { random.below(8) as u32 } else { configuration % 8 }, &packets)
        }
    }
}

fn read_and_seek(path: &Path, random: &mut Random) {
    let Ok(file) = AudioFile::open(path) else { return };
    let (mut whole, mut part) = (AudioBuffer::default(), AudioBuffer::default());
    let mut reader = file.reader().unwrap();
    let frames = file.info().frames.min(1 << 18);
    reader.read(&mut whole, frames as usize).unwrap();
    assert!(whole.channels() <= 16 || file.info().codec != "AAC", "{} channels", whole.channels());
    // The highest peak that is not damage; a mix of channels may add some.
    assert!(whole.iter().flatten().all(|sample| sample.abs() <= 10.0), "too loud, or not a number");
    for _ in 0..6 {
        let at = random.below(frames.max(1));
        reader.seek(at).unwrap();
        reader.read(&mut part, 1000.min((frames - at) as usize)).unwrap();
        for (got, whole) in part.iter().zip(whole.iter()) {
            assert!(*got == whole[at as usize..at as usize + got.len()], "other samples from {at} on");
        }
    }
}

#[test]
fn aac() {
    run("aac", Limits::default(), file, read_and_seek);
}
