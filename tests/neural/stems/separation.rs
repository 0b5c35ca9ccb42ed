//! Sums, blocks, sections, cancels, and input of every kind.

use super::material::{chords, source, stereo, sum, voice};
use audio::{AudioBuffer, AudioFormat, AudioReader, MemoryReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use neural::stems::{Limits, QuickSplit, Separated, StemBlock};

/// The input as the separation has it, and both stems.
fn separated(
    split: QuickSplit,
    source: &mut dyn AudioReader,
    limits: Limits,
    progress: &Progress,
) -> Result<(Separated, [AudioBuffer; 3])> {
    let mut all = [(); 3].map(|()| AudioBuffer::new(source.format().channels, 0));
    let mut sink = |block: &StemBlock| {
        for (to, from) in all.iter_mut().zip([&block.input, &block.stems[0], &block.stems[1]]) {
            to.extend_from(from, 0..from.frames());
        }
        Ok(())
    };
    let told = split.separate(source, limits, &mut sink, progress)?;
    Ok((told, all))
}

fn whole(split: QuickSplit, audio: &AudioBuffer) -> (Separated, [AudioBuffer; 3]) {
    separated(split, &mut source(audio.clone()), Limits::default(), &Progress::new()).unwrap()
}

fn mixture(frames: usize) -> AudioBuffer {
    let (voice, [left, right]) = (voice(frames), chords(frames));
    sum(&[&stereo(&voice, &voice), &stereo(&left, &right)])
}

/// The level of the input minus the stems, in dB re the input.
fn left_over_db([input, first, second]: &[AudioBuffer; 3]) -> f64 {
    let (mut left, mut all) = (0.0, 0.0);
    for ((input, first), second) in input.iter().zip(first.iter()).zip(second.iter()) {
        for ((x, a), b) in input.iter().zip(first).zip(second) {
            let [x, a, b] = [x, a, b].map(|value| f64::from(*value));
            left += (x - a - b).powi(2);
            all += x * x;
        }
    }
    10.0 * (left / all).log10()
}

#[test]
fn stems_sum_to_the_input() {
    let audio = mixture(50_001);
    for split in QuickSplit::ALL {
        let progress = Progress::new();
        let (told, all) = separated(split, &mut source(audio.clone()), Limits::default(), &progress).unwrap();
        assert_eq!((told.frames, &all[0]), (50_001, &audio));
        let left = left_over_db(&all);
        println!("{split:?}: {left:.1} dB left");
        assert!(left < -120.0, "{split:?}: {left}");
        assert!(all[1..].iter().all(|stem| stem.iter().flatten().any(|x| x.abs() > 0.01)), "both have sound");
        let reading = progress.snapshot();
        assert_eq!((reading.done, reading.total), (50_001 * split.passes(), 50_001 * split.passes()));
        // A spoiled stem is found.
        let mut spoiled = all.clone();
        spoiled[1].channel_mut(0)[25_000] += 0.01;
        assert!(left_over_db(&spoiled) > -120.0);
    }
    let (_, [input, first, second]) = whole(QuickSplit::Voice, &audio);
    let block = StemBlock { input, stems: vec![first.clone(), second.clone()] };
    assert_eq!(block.residual(&[0]), second, "one stem leaves the other");
    assert!(block.residual(&[0, 1]).iter().flatten().all(|x| x.abs() < 1e-6));
}

/// Gives at most some frames at a time.
struct Reluctant(MemoryReader);

impl AudioReader for Reluctant {
    fn format(&self) -> AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames.min(777))
    }
}

#[test]
fn blocks_do_not_change_a_bit() {
    let audio = mixture(40_003);
    for split in QuickSplit::ALL {
        let (_, expected) = whole(split, &audio);
        for block_windows in [1, 7, 50, 1000] {
            let limits = Limits { block_windows, ..Limits::default() };
            let mut source = Reluctant(source(audio.clone()));
            let (_, got) = separated(split, &mut source, limits, &Progress::new()).unwrap();
            assert!(got == expected, "{split:?} with blocks of {block_windows}");
        }
    }
}

#[test]
fn a_long_recording_is_taken_in_sections() {
    let audio = mixture(16 * 8000);
    let (_, expected) = whole(QuickSplit::Voice, &audio);
    // 240 windows of 257 bins, of two channels and their mean.
    let limits = Limits { context_bytes: 240 * 257 * 3 * 4, ..Limits::default() };
    let progress = Progress::new();
    let (_, got) = separated(QuickSplit::Voice, &mut source(audio.clone()), limits, &progress).unwrap();
    assert!(left_over_db(&got) < -120.0);
    assert_ne!(got, expected, "each section looks around itself only");
    assert_eq!(progress.snapshot().done, progress.snapshot().total);
    let blocks = Limits { block_windows: 33, ..limits };
    let (_, again) = separated(QuickSplit::Voice, &mut source(audio), blocks, &progress.uncounted()).unwrap();
    assert!(again == got, "sections do not depend on blocks");
}

/// Cancels after some frames were read, and counts those that are read afterwards.
struct Cancelling {
    inner: MemoryReader,
    progress: Progress,
    left: u64,
    after: u64,
}

impl AudioReader for Cancelling {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.inner.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        if self.progress.is_cancelled() {
            self.after += frames as u64;
        }
        self.left = self.left.saturating_sub(frames as u64);
        if self.left == 0 {
            self.progress.cancel();
        }
        self.inner.read(out, frames)
    }
}

#[test]
fn a_cancel_stops_it_in_every_pass() {
    let audio = mixture(200_000);
    for split in QuickSplit::ALL {
        for pass in 0..split.passes() {
            let progress = Progress::new();
            let left = pass * 200_000 + 100_000;
            let inner = source(audio.clone());
            let mut source = Cancelling { inner, progress: progress.clone(), left, after: 0 };
            let outcome = separated(split, &mut source, Limits::default(), &progress);
            assert!(matches!(outcome, Err(Error::Cancelled)), "{split:?}: {outcome:?}");
            assert_eq!(source.after, 0, "{split:?} reads on");
        }
    }
}

#[test]
fn an_error_of_the_sink_ends_it() {
    let mut blocks = 0;
    let mut sink = |_: &StemBlock| {
        blocks += 1;
        if blocks == 2 { Err(Error::impossible("Full.")) } else { Ok(()) }
    };
    let mut source = source(mixture(200_000));
    let outcome = QuickSplit::Tones.separate(&mut source, Limits::default(), &mut sink, &Progress::new());
    assert!(matches!(outcome, Err(Error::Impossible(said)) if said == "Full."));
    assert_eq!(blocks, 2);
}

#[test]
fn any_length_has_stems_of_that_length() {
    for frames in [0, 1, 2, 127, 128, 129, 511, 512, 513, 3000] {
        for split in QuickSplit::ALL {
            let (told, all) = whole(split, &mixture(frames));
            assert_eq!(told.frames, frames as u64);
            assert!(all.iter().all(|stem| (stem.channels(), stem.frames()) == (2, frames)), "{split:?}, {frames}");
        }
    }
    // Nothing repeats in less than a second.
    let (_, [input, voice, accompaniment]) = whole(QuickSplit::Voice, &mixture(3000));
    assert!(voice.iter().flatten().all(|&x| x == 0.0));
    assert_eq!(accompaniment, input);
}

#[test]
fn any_rate_and_number_of_channels_has_stems() {
    for hz in [1, 100, 8000, 96_000, 768_000] {
        for channels in [1, 2, 3, 8] {
            let audio = AudioBuffer::from_channels(
                (0..channels).map(|c| (0..5000).map(|n| ((n * (c + 3)) as f32 * 0.01).sin() * 0.3).collect()).collect(),
            );
            for split in QuickSplit::ALL {
                let mut source = MemoryReader::new(SampleRate::new(hz).unwrap(), audio.clone());
                let outcome = separated(split, &mut source, Limits::default(), &Progress::new());
                if split == QuickSplit::Centre && channels != 2 {
                    let message = outcome.unwrap_err().to_string();
                    assert!(message.contains("centre and sides"), "{message}");
                } else {
                    let (_, all) = outcome.unwrap();
                    assert!(left_over_db(&all) < -120.0, "{split:?}, {hz} Hz, {channels} channels");
                }
            }
        }
    }
}

#[test]
fn silence_gives_silence() {
    for split in QuickSplit::ALL {
        let (told, all) = whole(split, &AudioBuffer::new(2, 30_000));
        assert_eq!(told.non_numbers, 0);
        assert!(all.iter().all(|stem| stem.iter().flatten().all(|&x| x == 0.0)), "{split:?}");
    }
}

#[test]
fn broken_samples_are_silence_and_are_told() {
    let mut audio = mixture(30_000);
    audio.channel_mut(0)[10_000] = f32::NAN;
    audio.channel_mut(1)[20_000] = f32::INFINITY;
    let mut clean = audio.clone();
    clean.channel_mut(0)[10_000] = 0.0;
    clean.channel_mut(1)[20_000] = 0.0;
    for split in QuickSplit::ALL {
        let (told, all) = whole(split, &audio);
        assert_eq!((told.non_numbers, told.missing), (2, 0));
        assert!(all == whole(split, &clean).1, "{split:?}");
        // Samples so large that spectra overflow.
        let mut large = clean.clone();
        large.channel_mut(0)[5000..5300].fill(f32::MAX);
        let (_, all) = whole(split, &large);
        assert!(all.iter().all(|stem| stem.iter().flatten().all(|x| x.is_finite())), "{split:?}");
    }
}

/// Ends before its stated length.
struct Short(MemoryReader);

impl AudioReader for Short {
    fn format(&self) -> AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames() + 1000
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames)
    }
}

#[test]
fn an_input_that_ends_early_is_told_and_filled_up() {
    for split in QuickSplit::ALL {
        let mut source = Short(source(mixture(30_000)));
        let (told, all) = separated(split, &mut source, Limits::default(), &Progress::new()).unwrap();
        assert_eq!((told.frames, told.missing), (31_000, 1000));
        assert!(all.iter().all(|stem| stem.frames() == 31_000));
    }
}
