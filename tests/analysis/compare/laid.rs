//! Versions on the reference's timeline, as streams.

use analysis::compare::{Comparison, DifferenceReader, Lay, Material, Request, compare};
use audio::{AudioBuffer, AudioFormat, AudioReader, MemoryReader};
use base::progress::Progress;
use base::units::SampleRate;

use super::versions::{Clock, Random, at_clock};
use crate::support::songs::Song;

fn rate(hz: u32) -> SampleRate {
    SampleRate::new(hz).unwrap()
}

fn reader(hz: u32, channels: &[Vec<f32>]) -> MemoryReader {
    MemoryReader::new(rate(hz), AudioBuffer::from_channels(channels.to_vec()))
}

fn compared(hz: u32, reference: &[Vec<f32>], others_hz: u32, other: &[Vec<f32>]) -> Comparison {
    let request = Request { measures: Vec::new(), ..Request::default() };
    compare(&mut reader(hz, reference), &mut reader(others_hz, other), &request, &Progress::new()).unwrap()
}

/// Reads all of a stream in pieces of random lengths, from random places.
fn in_pieces(stream: &mut dyn AudioReader, random: &mut Random) -> Vec<Vec<f32>> {
    let frames = stream.frames() as usize;
    let mut whole = AudioBuffer::new(stream.format().channels, frames);
    let mut block = AudioBuffer::default();
    let mut starts: Vec<usize> = (0..frames).step_by(10_007).collect();
    // Every other piece out of order, so that buffered samples cannot be used.
    starts.sort_by_key(|start| (start / 10_007 % 2, *start));
    for start in starts {
        stream.seek(start as u64).unwrap();
        let end = (start + 10_007).min(frames);
        let mut at = start;
        while at < end {
            let count = (1 + (random.unit() * 4000.0) as usize).min(end - at);
            assert_eq!(stream.position(), at as u64);
            stream.read(&mut block, count).unwrap();
            assert_eq!(block.frames(), count);
            for (to, from) in whole.iter_mut().zip(block.iter()) {
                to[at..at + count].copy_from_slice(from);
            }
            at += count;
        }
    }
    whole.iter().map(<[f32]>::to_vec).collect()
}

#[test]
fn what_is_heard_is_what_was_compared_bit_for_bit() {
    let mut random = Random::new(3);
    let song = Song::new(21).samples(48_000, 4.0);
    for (others_hz, clock) in [
        (48_000, Clock { offset: -4801.0, slope: 1.0 }),
        (48_000, Clock { offset: 900.37, slope: 1.0 }),
        (48_000, Clock { offset: -77.0, slope: 1.000_15 }),
    ] {
        let other = vec![at_clock(&song, clock, song.len()); 2];
        let reference = vec![song.clone(); 2];
        let comparison = compared(48_000, &reference, others_hz, &other);
        let alignment = comparison.alignment.as_ref().unwrap();
        let lay = Lay::new(rate(48_000), song.len() as u64, Some(alignment));
        let format = AudioFormat::new(rate(others_hz), 2);
        let common = lay.common(format, other[0].len() as u64);
        assert_eq!(common.end - common.start, comparison.frames, "{alignment:?}");
        let laid = in_pieces(&mut lay.reader(Box::new(reader(others_hz, &other))), &mut random);
        // The measures saw the same samples: their SNR against what is laid must be infinite.
        let material =
            Material::read(&mut reader(48_000, &reference), &mut reader(others_hz, &other), &Progress::new()).unwrap();
        let pair = analysis::compare::paired_with(&material, alignment);
        let [first, end] = [common.start as usize, common.end as usize];
        assert!(laid[0][first..end] == pair.other[0][..], "{clock:?}");
        assert!(laid[0][..first].iter().chain(&laid[0][end..]).all(|sample| sample.abs() <= 1.0));
    }
}

#[test]
fn a_null_is_silent_for_what_is_undone_and_loud_for_what_is_not() {
    let mut random = Random::new(4);
    // Content close to half the rate cannot be read between frames.
    let smooth = |song: Vec<f32>| song.windows(3).map(|w| 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2]).collect();
    let song: Vec<f32> = smooth(smooth(Song::new(22).samples(44_100, 4.0)));
    let level = |samples: &[f32]| {
        let sum: f64 = samples.iter().map(|&sample| f64::from(sample).powi(2)).sum();
        10.0 * (sum / samples.len() as f64 + 1e-30).log10()
    };
    let own = level(&song);
    // The change, the highest level of the null relative to the recording, and the least. Silence counts as -300 dBFS.
    let cases: [(&str, Vec<f32>, f64, f64); 5] = [
        ("itself", song.clone(), -270.0, -400.0),
        ("shifted", song[4801..].to_vec(), -270.0, -400.0),
        ("inverted and quieter", song.iter().map(|sample| -0.25 * sample).collect(), -110.0, -400.0),
        ("between frames", at_clock(&song, Clock { offset: 10.4, slope: 1.0 }, song.len()), -50.0, -400.0),
        ("with noise", song.iter().map(|sample| sample + 0.02 * random.normal() as f32).collect(), -2.0, -60.0),
    ];
    for (what, other, most, least) in cases {
        let (reference, other) = (vec![song.clone()], vec![other]);
        let comparison = compared(44_100, &reference, 44_100, &other);
        let alignment = comparison.alignment.as_ref().unwrap();
        let lay = Lay::new(rate(44_100), song.len() as u64, Some(alignment));
        let common = lay.common(reader(44_100, &other).format(), other[0].len() as u64);
        let gain = 10f64.powf(-alignment.gain_db / 20.0) as f32;
        let laid = lay.reader(Box::new(reader(44_100, &other)));
        let mut null = DifferenceReader::new(Box::new(reader(44_100, &reference)), laid, common.clone(), gain);
        let null = in_pieces(&mut null, &mut random);
        let left = level(&null[0]) - own;
        assert!((least..=most).contains(&left.max(-399.0)), "{what}: {left:.1} dB");
        let outside = null[0][..common.start as usize].iter().chain(&null[0][common.end as usize..]);
        assert!(outside.into_iter().all(|&sample| sample == 0.0), "{what}: what only one has is no difference");
    }
}

#[test]
fn other_rates_channels_and_hostile_streams() {
    let mut random = Random::new(5);
    let song = Song::new(23).samples(48_000, 3.0);
    let reference = vec![song.clone(); 2];
    // Mono: the difference is that of the means.
    let mono = vec![song.clone()];
    let comparison = compared(48_000, &reference, 48_000, &mono);
    let lay = Lay::new(rate(48_000), song.len() as u64, comparison.alignment.as_ref());
    let laid = lay.reader(Box::new(reader(48_000, &mono)));
    assert_eq!(laid.format().channels, 1);
    let common = lay.common(reader(48_000, &mono).format(), song.len() as u64);
    let mut null = DifferenceReader::new(Box::new(reader(48_000, &reference)), laid, common, 1.0);
    assert_eq!(null.format().channels, 1);
    assert!(in_pieces(&mut null, &mut random)[0].iter().all(|sample| sample.abs() < 1e-6));

    // No frame, one frame, and samples that are no numbers.
    let spoiled = [Vec::new(), vec![0.5], vec![f32::NAN, f32::INFINITY, 0.25, f32::NEG_INFINITY]];
    for other in spoiled {
        let lay = Lay::new(rate(48_000), 1000, None);
        for hz in [48_000, 8_000] {
            let mut laid = lay.reader(Box::new(reader(hz, std::slice::from_ref(&other))));
            assert_eq!(laid.frames(), 1000);
            assert!(in_pieces(&mut laid, &mut random)[0].iter().all(|sample| sample.is_finite()));
        }
    }
    let mut none = Lay::new(rate(48_000), 0, None).reader(Box::new(reader(48_000, &reference)));
    let mut block = AudioBuffer::default();
    none.read(&mut block, 100).unwrap();
    assert_eq!((block.channels(), block.frames()), (2, 0));
}
