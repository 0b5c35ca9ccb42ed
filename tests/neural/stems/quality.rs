//! How well mixtures of known sources are split: better than doing nothing, and better than with random similarities.

use super::material::{chords, drums, rate, source, stereo, sum, voice};
use analysis::compare::Pair;
use analysis::compare::measures::measure_named;
use audio::AudioBuffer;
use base::progress::Progress;
use dsp::kernels::signal::istft;
use dsp::kernels::signal::stft::{Complex32, Samples, Spectra, cpu};
use neural::stems::{Limits, QuickSplit, StemBlock, repet, similar_windows};

const FRAMES: usize = 24 * 8000;

/// `sdr` of `compare`, in dB.
fn sdr(reference: &AudioBuffer, other: &AudioBuffer) -> f64 {
    let channels = |audio: &AudioBuffer| audio.iter().map(<[f32]>::to_vec).collect();
    let pair = Pair::new(rate(), channels(reference), channels(other));
    measure_named("sdr").unwrap().read(&pair, &Progress::new()).unwrap().whole.value().unwrap()
}

fn split(split: QuickSplit, mixture: &AudioBuffer) -> [AudioBuffer; 2] {
    let mut stems = [(); 2].map(|()| AudioBuffer::new(mixture.channels(), 0));
    let mut sink = |block: &StemBlock| {
        stems.iter_mut().zip(&block.stems).for_each(|(to, from)| to.extend_from(from, 0..from.frames()));
        Ok(())
    };
    split.separate(&mut source(mixture.clone()), Limits::default(), &mut sink, &Progress::new()).unwrap();
    stems
}

/// Prints the ratios without and with a split, and checks that each gains at least a given amount.
fn gains(what: &str, mixture: &AudioBuffer, sources: [&AudioBuffer; 2], split: &[AudioBuffer; 2], least: [f64; 2]) {
    for ((source, stem), least) in sources.into_iter().zip(split).zip(least) {
        let (before, after) = (sdr(source, mixture), sdr(source, stem));
        println!("{what}: nothing {before:.1} dB, split {after:.1} dB");
        assert!(after > before + least, "{what}: {after} after {before}");
    }
}

#[test]
fn voice_and_accompaniment_are_nearer_to_their_sources() {
    let voice = voice(FRAMES);
    let (voice, [left, right], drums) = (stereo(&voice, &voice), chords(FRAMES), drums(FRAMES));
    let music = sum(&[&stereo(&left, &right), &stereo(&drums, &drums)]);
    let mixture = sum(&[&voice, &music]);
    let stems = split(QuickSplit::Voice, &mixture);
    gains("voice, accompaniment, stereo", &mixture, [&voice, &music], &stems, [4.0, 3.0]);
    let mono = |audio: &AudioBuffer| AudioBuffer::from_channels(vec![audio.channel(0).to_vec()]);
    let (voice, music, mixture) = (mono(&voice), mono(&music), mono(&mixture));
    let of_mono = split(QuickSplit::Voice, &mixture);
    gains("voice, accompaniment, mono", &mixture, [&voice, &music], &of_mono, [3.0, 2.0]);
    // Similarities of chance.
    let plan = repet::transform(rate()).unwrap();
    let forward = plan.forward();
    let windows = forward.windows_to_invert(FRAMES as u64);
    let magnitudes = repet::magnitudes(&mut source(mixture.clone()), forward, 0..windows, &Progress::new()).unwrap();
    let mut similar =
        similar_windows(&magnitudes, 0..windows as usize, repet::search(rate()), &Progress::new(), &mut |_| Ok(()))
            .unwrap();
    let masked = |similar: &[Vec<u32>]| {
        let spectra = cpu::spectra(forward, Samples::whole(mixture.channel(0)), 0..windows).unwrap();
        let mut values: Vec<Complex32> = spectra.values;
        let (mut memory, mut share) = (repet::RepeatingShare::default(), vec![0.0; forward.bins()]);
        for (window, values) in values.chunks_mut(forward.bins()).enumerate() {
            memory.run(&magnitudes[0], window, &similar[window], repet::first_bin(rate()), &mut share);
            values.iter_mut().zip(&share).for_each(|(value, share)| *value *= 1.0 - share);
        }
        let samples = istft::cpu::samples(&plan, &Spectra { bins: forward.bins(), values }, FRAMES).unwrap();
        AudioBuffer::from_channels(vec![samples])
    };
    let whole = masked(&similar);
    assert_eq!(whole, of_mono[0], "the stream gives what the whole at once gives");
    let windows = similar.len();
    for (window, similar) in similar.iter_mut().enumerate() {
        similar.iter_mut().enumerate().for_each(|(n, other)| *other = ((window * 31 + n * 97 + 13) % windows) as u32);
    }
    let (right, wrong) = (sdr(&voice, &whole), sdr(&voice, &masked(&similar)));
    println!("voice, mono: similar windows {right:.1} dB, windows of chance {wrong:.1} dB");
    assert!(wrong < right - 1.0, "{wrong} with windows of chance, {right}");
}

#[test]
fn tones_and_hits_are_nearer_to_their_sources() {
    let ([left, right], drums) = (chords(FRAMES), drums(FRAMES).iter().map(|x| 4.0 * x).collect::<Vec<_>>());
    let (tones, hits) = (stereo(&left, &right), stereo(&drums, &drums));
    let mixture = sum(&[&tones, &hits]);
    let stems = split(QuickSplit::Tones, &mixture);
    gains("tones, hits", &mixture, [&tones, &hits], &stems, [1.0, 3.0]);
    let swapped = [stems[1].clone(), stems[0].clone()];
    assert!(sdr(&tones, &swapped[0]) < sdr(&tones, &mixture), "swapped");
}

#[test]
fn centre_and_sides_are_nearer_to_their_sources() {
    let (voice, [left, right]) = (voice(FRAMES), chords(FRAMES));
    let centre = stereo(&voice, &voice);
    // Without the bass and the note in the middle.
    let sides = [0, 1].map(|side| {
        let common: Vec<f64> = left.iter().zip(&right).map(|(l, r)| if side == 0 { l - r } else { r - l }).collect();
        common.iter().enumerate().map(|(n, x)| if (n / 2000 + side) % 2 == 0 { *x } else { 0.0 }).collect::<Vec<f64>>()
    });
    let sides = stereo(&sides[0], &sides[1]);
    let mixture = sum(&[&centre, &sides]);
    let stems = split(QuickSplit::Centre, &mixture);
    gains("centre, sides", &mixture, [&centre, &sides], &stems, [4.0, 4.0]);
    assert_eq!(stems[0].channel(0), stems[0].channel(1), "the centre is the same on both sides");
}
