use std::f64::consts::PI;

use proptest::prelude::*;

use super::*;
use crate::measure::memory::memory;
use base::sound::{AudioBuffer, AudioReader};
use base::units::db_from_gain;

fn hz(rate: u32) -> SampleRate {
    SampleRate::new(rate).unwrap()
}

fn convert(from: u32, to: u32, input: Vec<f32>) -> Vec<f32> {
    let plan = ResamplePlan::new(hz(from), hz(to));
    let mut reader = ResampledReader::new(memory(from, vec![input]), &plan);
    let mut out = AudioBuffer::default();
    let frames = reader.frames() as usize;
    reader.read(&mut out, frames).unwrap();
    assert_eq!(out.frames(), frames);
    out.channel(0).to_vec()
}

fn sine(rate: u32, frequency_hz: f64, frames: usize) -> Vec<f64> {
    (0..frames).map(|n| (2.0 * PI * frequency_hz * n as f64 / f64::from(rate) + 0.3).sin()).collect()
}

fn to_f32(samples: &[f64]) -> Vec<f32> {
    samples.iter().map(|&sample| sample as f32).collect()
}

/// The RMS of the difference over the RMS of the expected signal, in dB, without `margin` frames at both ends.
fn residual_db(got: &[f32], wanted: &[f64], margin: usize) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let inner = margin..got.len() - margin;
    let error: f64 = inner.clone().map(|n| (f64::from(got[n]) - wanted[n]).powi(2)).sum();
    let power: f64 = inner.map(|n| wanted[n] * wanted[n]).sum();
    db_from_gain((error / power).sqrt())
}

/// Frames at `rate` over which the narrow filter of a conversion reaches in from an edge.
fn reach(from: u32, to: u32, rate: u32) -> usize {
    (120.0 * f64::from(rate) / f64::from(from.min(to))) as usize + 32
}

#[test]
fn tones_of_the_pass_band_keep_amplitude_and_time() {
    for (from, to) in [
        (44_100, 48_000),
        (48_000, 44_100),
        (96_000, 44_100),
        (8_000, 768_000),
        (768_000, 8_000),
        (44_101, 47_981),
        (47_981, 44_101),
        (192_000, 191_999),
        (2, 3),
    ] {
        let lower = f64::from(from.min(to));
        let frames = 3 * reach(from, to, from) + 500;
        for share in [0.001, 0.1, 0.3, 0.45, PASS_BAND] {
            let input = to_f32(&sine(from, share * lower, frames));
            let got = convert(from, to, input);
            let residual = residual_db(&got, &sine(to, share * lower, got.len()), reach(from, to, to));
            assert!(residual <= -120.0, "{from} to {to}, {share} of the rate: {residual:.1} dB");
        }
    }
}

#[test]
fn what_the_lower_rate_cannot_carry_is_stopped() {
    for (from, to) in [(96_000, 44_100), (48_000, 44_100), (768_000, 8_000), (47_981, 44_101)] {
        let (lower, nyquist) = (f64::from(to), f64::from(from) / 2.0);
        for frequency_hz in [0.5 * lower, 0.52 * lower, f64::midpoint(lower / 2.0, nyquist), 0.999 * nyquist] {
            let input = to_f32(&sine(from, frequency_hz, 3 * reach(from, to, from) + 500));
            let got = convert(from, to, input);
            let margin = reach(from, to, to);
            let inner = &got[margin..got.len() - margin];
            let peak = inner.iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
            assert!(db_from_gain(f64::from(peak)) <= -120.0, "{frequency_hz} Hz, {from} to {to}: peak {peak:e}");
        }
    }
}

#[test]
fn a_sweep_through_the_pass_band_comes_out_as_itself() {
    let (from, to, seconds) = (44_100, 48_000, 2.0);
    let chirp = |rate: u32, frames: usize| -> Vec<f64> {
        let top = PASS_BAND * 44_100.0;
        let at = |t: f64| (2.0 * PI * (20.0 * t + (top - 20.0) / (2.0 * seconds) * t * t)).sin();
        (0..frames).map(|n| at(n as f64 / f64::from(rate))).collect()
    };
    let got = convert(from, to, to_f32(&chirp(from, (seconds * 44_100.0) as usize)));
    let residual = residual_db(&got, &chirp(to, got.len()), reach(from, to, to));
    assert!(residual <= -120.0, "{residual:.1} dB");
}

#[test]
fn a_shift_of_a_thousandth_of_a_frame_would_be_seen() {
    // The negative control of the tests above: their measure detects a delay of 20 ns and a gain of 0.0001 dB.
    let got = convert(44_100, 48_000, to_f32(&sine(44_100, 1000.0, 5000)));
    let late: Vec<f64> =
        (0..got.len()).map(|n| (2.0 * PI * 1000.0 * (n as f64 - 0.001) / 48_000.0 + 0.3).sin()).collect();
    assert!(residual_db(&got, &late, 200) > -120.0);
    let loud: Vec<f64> = sine(48_000, 1000.0, got.len()).iter().map(|sample| sample * 1.000_02).collect();
    assert!(residual_db(&got, &loud, 200) > -120.0);
}

#[test]
fn lengths_round_and_tiny_inputs_work() {
    let plan = ResamplePlan::new(hz(44_100), hz(48_000));
    assert_eq!([0, 1, 147, 3_600 * 44_100].map(|frames| plan.frames_out(frames)), [0, 1, 160, 3_600 * 48_000]);
    assert_eq!(ResamplePlan::new(hz(2), hz(1)).frames_out(1), 1);
    assert_eq!(ResamplePlan::new(hz(3), hz(1)).frames_out(1), 0);
    assert!(convert(44_100, 48_000, Vec::new()).is_empty());
    let one = convert(44_100, 48_000, vec![0.5]);
    assert_eq!(one.len(), 1);
    assert!((f64::from(one[0]) - 0.5 * 10.0 / 10.5).abs() < 0.05, "the middle of a sinc: {}", one[0]);
    assert_eq!(convert(768_000, 1, vec![0.25; 384_000]).len(), 1);
}

#[test]
fn the_same_rate_passes_every_bit() {
    let input: Vec<f32> = (0..1000).map(|n| f32::from_bits(n * 1_000_003)).collect();
    let got = convert(44_100, 44_100, input.clone());
    assert!(got.iter().zip(&input).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn dc_passes_exactly_and_silence_stays_silent() {
    for (from, to) in [(44_100, 48_000), (48_000, 44_100), (44_101, 47_981)] {
        let got = convert(from, to, vec![0.5; 2000]);
        let inner = &got[300..got.len() - 300];
        assert!(inner.iter().all(|&sample| sample == 0.5), "{from} to {to}");
        assert!(convert(from, to, vec![0.0; 500]).iter().all(|&sample| sample == 0.0));
    }
}

#[test]
fn a_bad_sample_spoils_no_more_than_the_filter_reaches() {
    let mut input = vec![0.1f32; 4000];
    input[2000] = f32::NAN;
    let got = convert(44_100, 48_000, input);
    let spoiled = got.iter().filter(|sample| sample.is_nan()).count();
    assert!((1..=2 * reach(44_100, 48_000, 48_000)).contains(&spoiled), "{spoiled}");
}

#[test]
fn a_block_of_other_channels_is_refused() {
    let plan = ResamplePlan::new(hz(44_100), hz(48_000));
    let mut resampler = Resampler::new(&plan, 2);
    assert!(resampler.push(&AudioBuffer::new(1, 4), &mut AudioBuffer::default()).is_err());
}

fn noise(frames: usize, seed: u64) -> Vec<f32> {
    let mut state = seed | 1;
    (0..frames)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

const PAIRS: [(u32, u32); 7] = [
    (44_100, 48_000),
    (48_000, 44_100),
    (8_000, 768_000),
    (400_000, 8_000),
    (44_101, 47_981),
    (7, 5),
    (48_000, 48_000),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_and_any_seek_give_the_same_bits(
        pair in 0..PAIRS.len(),
        frames in 0usize..3000,
        cuts in prop::collection::vec(1usize..700, 1..8),
        seek in 0.0f64..1.0,
    ) {
        let (from, to) = PAIRS[pair];
        let plan = ResamplePlan::new(hz(from), hz(to));
        let channels = vec![noise(frames, 3), noise(frames, 99)];
        let mut reader = ResampledReader::new(memory(from, channels.clone()), &plan);
        let mut whole = AudioBuffer::default();
        reader.read(&mut whole, usize::MAX).unwrap();

        // Read in pieces.
        let mut joined = AudioBuffer::new(2, 0);
        let mut piece = AudioBuffer::default();
        reader.seek(0).unwrap();
        for cut in cuts.iter().cycle() {
            reader.read(&mut piece, cut * 8).unwrap();
            if piece.is_empty() {
                break;
            }
            joined.extend_from(&piece, 0..piece.frames());
        }
        prop_assert_eq!(&joined, &whole);

        // Read from a seek on.
        let start = (seek * whole.frames() as f64) as usize;
        reader.seek(start as u64).unwrap();
        reader.read(&mut piece, 500).unwrap();
        let end = (start + 500).min(whole.frames());
        prop_assert_eq!(piece.channel(1), &whole.channel(1)[start..end]);

        // Push in blocks, from the start and from a seek on.
        let input = AudioBuffer::from_channels(channels);
        for start in [0, start] {
            let mut resampler = Resampler::new(&plan, 2);
            let mut at = (resampler.seek(start as u64) as usize).min(frames);
            let mut pushed = AudioBuffer::new(2, 0);
            for cut in cuts.iter().cycle() {
                let end = (at + cut).min(frames);
                let mut block = AudioBuffer::new(2, 0);
                block.extend_from(&input, at..end);
                resampler.push(&block, &mut pushed).unwrap();
                at = end;
                if at == frames {
                    break;
                }
            }
            resampler.finish(&mut pushed).unwrap();
            prop_assert_eq!(pushed.channel(0), &whole.channel(0)[start..]);
        }
    }
}

#[test]
fn scipy_gives_the_same_samples() {
    #[derive(serde::Deserialize)]
    struct Reference {
        cases: Vec<Case>,
    }
    #[derive(serde::Deserialize)]
    struct Case {
        from: u32,
        to: u32,
        frames: u64,
        output: Vec<f64>,
    }
    let reference: Reference =
        serde_json::from_str(include_str!("../../../../../tests/reference/resample.json")).unwrap();
    for Case { from, to, frames, output } in reference.cases {
        let input = (0..frames).map(|n| ((7919 * n * n + 104_729 * n) % 65_536) as f32 / 32_768.0 - 1.0).collect();
        let got = convert(from, to, input);
        let residual = residual_db(&got, &output, 0);
        // Up to both ends and through the transition band.
        assert!(residual <= -125.0, "{from} to {to}: {residual:.1} dB");
    }
}

#[test]
fn a_speed_scales_time_and_pitch_and_nothing_drifts() {
    let (from, to) = (44_100, 48_000);
    for speed in [1.02, 0.98, 1.0 / 1.02, 0.5, 2.0, 3.999] {
        let plan = ResamplePlan::at_speed(hz(from), hz(to), speed).unwrap();
        let frames = 40_000;
        let mut reader = ResampledReader::new(memory(from, vec![to_f32(&sine(from, 1000.0, frames))]), &plan);
        let mut got = AudioBuffer::default();
        let length = reader.frames() as usize;
        assert_eq!(length as f64, (frames as f64 * f64::from(to) / (f64::from(from) * speed)).round());
        reader.read(&mut got, length).unwrap();
        let residual = residual_db(got.channel(0), &sine(to, 1000.0 * speed, length), 2_000);
        assert!(residual <= -110.0, "speed {speed}: {residual:.1} dB");
        // Ten hours later the length is still exact.
        let hours = plan.frames_out(36_000 * u64::from(from));
        assert!((hours as f64 - 36_000.0 * f64::from(to) / speed).abs() <= 1.0, "speed {speed}: {hours}");
    }
    let plain = ResamplePlan::new(hz(from), hz(to));
    let at_one = ResamplePlan::at_speed(hz(from), hz(to), 1.0).unwrap();
    assert_eq!((plain.ratio, plain.first_input(12_345)), (at_one.ratio, at_one.first_input(12_345)));
    for speed in [0.0, -1.0, 0.2, 4.1, f64::NAN, f64::INFINITY] {
        assert!(ResamplePlan::at_speed(hz(from), hz(to), speed).is_err(), "{speed}");
    }
}
