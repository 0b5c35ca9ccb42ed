//! Containers whose headers and sound say different things, and kinds of them that are rare: samples of an MP4 in its index
//! and in fragments, in sizes of any kind; MPEG audio under wrong names; Wave64; IMA ADPCM of Apple; 24 bits in 32.

use std::path::Path;

use super::support::mp4::{Fragment, Mp4, Sizes, entry};
use super::support::opening::random;
use audio::{AudioBuffer, AudioFile};

fn open(bytes: &[u8], what: &str) -> AudioFile {
    AudioFile::from_bytes(bytes.to_vec(), Path::new("case")).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Decodes a file, and again from several places, which must give the same. Nothing may be damaged.
fn decode(file: &AudioFile, what: &str) -> AudioBuffer {
    let (mut reader, mut all) = (file.reader().unwrap(), AudioBuffer::default());
    reader.read(&mut all, file.info().frames as usize + 1).unwrap();
    assert_eq!(all.frames() as u64, file.info().frames, "{what}");
    assert!(reader.damage().is_empty(), "{what}: {:?}", reader.damage());
    let mut part = AudioBuffer::default();
    for step in (0..7).rev() {
        let at = all.frames() * step / 7;
        reader.seek(at as u64).unwrap();
        reader.read(&mut part, 700).unwrap();
        for (part, all) in part.iter().zip(all.iter()) {
            assert!(*part == all[at..at + part.len()], "{what}: other samples after a seek to {at}");
        }
    }
    all
}

/// Random samples of 16 bits.
fn noise(random: &mut impl FnMut() -> u64, count: usize) -> Vec<i16> {
    (0..count).map(|_| random() as i16).collect()
}

fn interleaved(audio: &AudioBuffer) -> Vec<f32> {
    (0..audio.frames()).flat_map(|frame| audio.iter().map(move |channel| channel[frame])).collect()
}

fn fractions(samples: &[i16]) -> Vec<f32> {
    samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect()
}

/// Splits `frames` of 16-bit samples into samples of an MP4.
fn split(sound: &[i16], channels: usize, lengths: &[usize], big_endian: bool) -> Vec<Vec<u8>> {
    let mut rest = sound;
    let bytes = |sample: &i16| if big_endian { sample.to_be_bytes() } else { sample.to_le_bytes() };
    let split = lengths.iter().map(|length| {
        let (first, after) = rest.split_at(length * channels);
        rest = after;
        first.iter().flat_map(bytes).collect()
    });
    split.collect()
}

#[test]
fn samples_of_any_size_in_the_index_and_in_fragments() {
    for seed in 0..120 {
        let mut random = random(seed);
        let channels = 1 + random() as usize % 3;
        let big_endian = random().is_multiple_of(2);
        let count = 2 + random() as usize % 30;
        let most = [1, 5, 1024, 4410][random() as usize % 4];
        let varies = random().is_multiple_of(2);
        let lengths: Vec<usize> =
            (0..count).map(|_| if varies { 1 + random() as usize % most } else { most }).collect();
        let sound = noise(&mut random, lengths.iter().sum::<usize>() * channels);
        let samples = split(&sound, channels, &lengths, big_endian);
        let kind = if big_endian { b"twos" } else { b"sowt" };
        let mut file = Mp4::new(entry(kind, channels as u16, 16, 44_100, &[]), 44_100, samples, 0);
        file.ticks = lengths.iter().map(|length| *length as u32).collect();
        file.chunk = 1 + random() as usize % count;
        if !varies && random().is_multiple_of(2) {
            file.sizes = Sizes::Constant((most * channels * 2) as u32);
        }
        // All in the index, all in fragments, or some in each.
        file.indexed = [count, 0, 1 + random() as usize % (count - 1)][seed as usize % 3];
        let mut left = count - file.indexed;
        while left > 0 {
            let here = (1 + random() as usize % 9).min(left);
            left -= here;
            let each = varies || random().is_multiple_of(2);
            let (general, relative) = (random().is_multiple_of(2), random().is_multiple_of(2));
            let run = 1 + random() as usize % here;
            file.fragments.push(Fragment { samples: here, each, general, relative, run });
        }
        let what =
            format!("seed {seed}, {lengths:?}, {} indexed, {:?}, {:?}", file.indexed, file.sizes, file.fragments);
        let opened = open(&file.bytes(), &what);
        assert!(opened.info().warnings.is_empty(), "{what}: {:?}", opened.info().warnings);
        assert!(interleaved(&decode(&opened, &what)) == fractions(&sound), "{what}");
    }
}

#[test]
fn an_index_may_count_frames_and_state_a_size_of_1() {
    for (channels, bits) in [(1, 16), (2, 16), (2, 24), (3, 8), (2, 32)] {
        let (kind, bytes) = ([b"raw ", b"twos", b"in24", b"in32"][bits / 8 - 1], bits / 8);
        let frames = 3000;
        let sound: Vec<u8> = (0..frames * channels * bytes).map(|at| (at * 7919 / 8) as u8).collect();
        let entry = entry(kind, channels as u16, bits as u16, 48_000, &[]);
        let mut file = Mp4::new(entry, 48_000, vec![sound], frames as u32);
        let usual = decode(&open(&file.bytes(), "one sample"), "one sample");
        assert_eq!((usual.channels(), usual.frames()), (channels, frames));
        for size in [1, (channels * bytes) as u32] {
            (file.sizes, file.counted) = (Sizes::Constant(size), Some(frames as u32));
            let what = format!("{channels} channels, {bits} bits, a size of {size}");
            assert!(decode(&open(&file.bytes(), &what), &what) == usual, "{what}");
        }
    }
}
