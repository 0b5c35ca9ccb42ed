//! The other version read on the reference's timeline, and the difference.

use undertone::audio::{AudioBuffer, AudioFormat, AudioReader, MemoryReader};
use undertone::compare::{AlignedReader, Alignment, DifferenceReader, Material, align};
use undertone::progress::Progress;
use undertone::units::SampleRate;

use super::versions::{Clock, Random, at_clock, soft_noise};
use crate::support::songs::Song;

fn reader(rate: u32, channels: &[Vec<f32>]) -> MemoryReader {
    MemoryReader::new(SampleRate::new(rate).unwrap(), AudioBuffer::from_channels(channels.to_vec()))
}

fn aligned(reference: (u32, &[Vec<f32>]), other: (u32, &[Vec<f32>])) -> (AlignedReader<MemoryReader>, Alignment) {
    let progress = Progress::new();
    let (mut first, mut second) = (reader(reference.0, reference.1), reader(other.0, other.1));
    let material = Material::read(&mut first, &mut second, &progress).unwrap();
    let alignment = align::align(&material, &progress).unwrap().unwrap();
    let format = AudioFormat { rate: SampleRate::new(reference.0).unwrap(), channels: reference.1.len() };
    (AlignedReader::new(second, &alignment, format, reference.1[0].len() as u64), alignment)
}

/// Noise without high frequencies: conversions of the rate keep it.
fn low_noise(seed: u64, frames: usize) -> Vec<f32> {
    let mean = |samples: &[f32]| samples.windows(3).map(|w| w.iter().sum::<f32>() / 3.0).collect();
    (0..8).fold(soft_noise(&mut Random::new(seed), frames + 16), |samples, _| mean(&samples))
}

fn all(reader: &mut dyn AudioReader, from: u64, pieces: impl Fn(usize) -> usize) -> Vec<Vec<f32>> {
    reader.seek(from).unwrap();
    let mut out = AudioBuffer::new(reader.format().channels, 0);
    let mut block = AudioBuffer::default();
    for piece in 0.. {
        reader.read(&mut block, pieces(piece)).unwrap();
        if block.is_empty() {
            break;
        }
        out.extend_from(&block, 0..block.frames());
    }
    out.iter().map(<[f32]>::to_vec).collect()
}

fn residual_db(a: &[f32], b: &[f32]) -> f64 {
    let energy = |of: &mut dyn Iterator<Item = f64>| of.map(|x| x * x).sum::<f64>();
    let rest = energy(&mut a.iter().zip(b).map(|(a, b)| f64::from(a - b)));
    10.0 * (rest / energy(&mut a.iter().map(|a| f64::from(*a)))).log10()
}

#[test]
fn the_other_is_read_on_the_references_time_in_any_pieces() {
    let rate = 44_100;
    let song = vec![low_noise(1, 120_000), low_noise(2, 120_000)];
    for (clock, limit_db) in [
        (Clock { offset: -5000.0, slope: 1.0 }, f64::NEG_INFINITY),
        (Clock { offset: 700.4, slope: 1.000_12 }, -60.0),
        (Clock { offset: -3000.3, slope: 0.999_9 }, -60.0),
    ] {
        // In the other, channels are swapped and inverted.
        let other: Vec<Vec<f32>> = [1, 0]
            .map(|from: usize| {
                let moved = at_clock(&song[from], clock, song[from].len() - 4000);
                moved.iter().map(|x| -x).collect()
            })
            .to_vec();
        let (mut reader, alignment) = aligned((rate, &song), (rate, &other));
        assert_eq!((reader.frames(), reader.format().channels), (song[0].len() as u64, 2));
        let whole = all(&mut reader, 0, |_| usize::MAX >> 1);
        let pieces = all(&mut reader, 0, |piece| [1, 777, 20_000, 64][piece % 4]);
        assert!(whole == pieces, "{clock:?}: pieces differ from the whole");
        let later = all(&mut reader, 60_001, |_| 5000);
        assert!(later.iter().zip(&whole).all(|(later, whole)| later[..] == whole[60_001..]), "{clock:?}");
        for (own, reference) in whole.iter().zip(&song) {
            let within = 10_000..110_000;
            let found = residual_db(&reference[within.clone()], &own[within]);
            assert!(found <= limit_db, "{clock:?} {alignment:?}: {found} dB");
        }
        // What the other has not is silent.
        let first = (-alignment.offset_s * f64::from(rate)).max(0.0) as usize;
        assert!(whole[0][..first.saturating_sub(64)].iter().all(|&x| x == 0.0));
    }
}

#[test]
fn other_rates_and_numbers_of_channels_are_converted() {
    let song = low_noise(3, 132_300);
    let scaled = Clock { offset: 0.0, slope: 48_000.0 / 44_100.0 };
    let faster = at_clock(&song, scaled, 144_000);
    let (mut reader, _) = aligned((44_100, std::slice::from_ref(&song)), (48_000, std::slice::from_ref(&faster)));
    let found = residual_db(&song[2000..130_000], &all(&mut reader, 0, |_| 9999)[0][2000..130_000]);
    assert!(found < -50.0, "{found} dB");
    // A stereo version of a mono recording has the mean.
    let (mut reader, _) = aligned((44_100, std::slice::from_ref(&song)), (44_100, &[song.clone(), song.clone()]));
    assert!(all(&mut reader, 0, |_| 4096) == [song]);
}

#[test]
fn equal_recordings_have_no_difference_and_noise_is_left_alone() {
    let mut random = Random::new(3);
    let song = vec![Song::new(4).samples(44_100, 4.0)];
    let hiss: Vec<f32> = soft_noise(&mut random, song[0].len()).iter().map(|x| 0.05 * x).collect();
    let noisy = vec![song[0].iter().zip(&hiss).map(|(x, n)| 0.5 * x + n).collect::<Vec<f32>>()];
    for (other, gain, expected) in
        [(&song, 1.0, vec![0.0; hiss.len()]), (&noisy, 2.0, hiss.iter().map(|n| 2.0 * n).collect())]
    {
        let (aligned, _) = aligned((44_100, &song), (44_100, other));
        let mut difference = DifferenceReader::new(reader(44_100, &song), aligned, gain, 4.0);
        let found = all(&mut difference, 0, |_| 3000);
        assert!(found[0].iter().zip(&expected).all(|(found, n)| (found - 4.0 * n).abs() < 1e-5));
    }
}

#[test]
fn a_stream_shorter_than_it_says_is_silent_at_its_end() {
    struct Lying(MemoryReader);
    impl AudioReader for Lying {
        fn format(&self) -> AudioFormat {
            self.0.format()
        }
        fn frames(&self) -> u64 {
            self.0.frames() + 100_000
        }
        fn position(&self) -> u64 {
            self.0.position()
        }
        fn seek(&mut self, frame: u64) -> undertone::error::Result<()> {
            self.0.seek(frame)
        }
        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> undertone::error::Result<()> {
            self.0.read(out, frames)
        }
    }
    let song = vec![Song::new(5).samples(44_100, 3.0)];
    let (_, alignment) = aligned((44_100, &song), (44_100, &song));
    let format = AudioFormat { rate: SampleRate::new(44_100).unwrap(), channels: 1 };
    let mut lying = AlignedReader::new(Lying(reader(44_100, &song)), &alignment, format, 200_000);
    let found = all(&mut lying, 0, |_| 7000);
    assert!(found[0][..song[0].len()] == song[0][..] && found[0][song[0].len()..].iter().all(|&x| x == 0.0));
    assert_eq!(found[0].len(), 200_000);
}
