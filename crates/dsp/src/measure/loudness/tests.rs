use std::f64::consts::PI;

use ebur128::{EbuR128, Mode};

use super::*;
use crate::measure::memory::memory;
use base::error::Error;
use base::sound::{AudioFormat, Layout, MemoryReader};
use base::units::SampleRate;

fn sine(rate: u32, channels: usize, seconds: f64, peak_db: f64) -> MemoryReader {
    let gain = base::units::gain_from_db(peak_db);
    let at = |n: u32| (gain * (2.0 * PI * 1000.0 * f64::from(n) / f64::from(rate)).sin()) as f32;
    let samples: Vec<f32> = (0..(seconds * f64::from(rate)) as u32).map(at).collect();
    memory(rate, vec![samples; channels])
}

#[test]
fn the_stereo_sine_of_ebu_tech_3341_reads_minus_23() {
    // Cases 1 and 2: 20 s of 1 kHz in both channels at -23 and -33 dBFS, with a tolerance of 0.1 LU.
    for (rate, level) in [(48_000, -23.0), (44_100, -23.0), (48_000, -33.0), (192_000, -23.0)] {
        let lufs = integrated_lufs(&mut sine(rate, 2, 20.0, level), &Progress::new()).unwrap().unwrap();
        assert!((lufs - level).abs() < 0.1, "{lufs} LUFS at {rate} Hz");
    }
}

#[test]
fn silence_and_what_is_too_short_have_none() {
    let none = |mut reader: MemoryReader| integrated_lufs(&mut reader, &Progress::new()).unwrap();
    assert_eq!(none(memory(48_000, vec![vec![0.0; 96_000]])), None);
    assert_eq!(none(sine(48_000, 1, 0.3, -10.0)), None);
    assert_eq!(none(memory(48_000, vec![Vec::new(), Vec::new()])), None);
}

#[test]
fn a_cancel_stops_it_and_progress_counts_frames() {
    let progress = Progress::new();
    integrated_lufs(&mut sine(48_000, 1, 1.0, -20.0), &progress).unwrap();
    assert_eq!(progress.snapshot().done, 48_000);
    progress.cancel();
    assert!(matches!(integrated_lufs(&mut sine(48_000, 1, 1.0, -20.0), &progress), Err(Error::Cancelled)));
}

/// A part of a test signal: the duration in seconds and the peak level in dB of a 1 kHz sine in all channels.
type Tone = (f64, f64);

const SILENCE: f64 = f64::NEG_INFINITY;

fn signal(rate: u32, parts: &[Tone]) -> Vec<f32> {
    let mut samples: Vec<f32> = Vec::new();
    for &(seconds, db) in parts {
        let gain = base::units::gain_from_db(db);
        let end = samples.len() + (seconds * f64::from(rate)).round() as usize;
        samples.extend(
            (samples.len()..end).map(|n| (gain * (2.0 * PI * 1000.0 * n as f64 / f64::from(rate)).sin()) as f32),
        );
    }
    samples
}

/// Returns the curve of stereo parts that are fed in pieces of `piece` frames.
fn curve_of(rate: u32, parts: &[Tone], piece: usize) -> LoudnessCurve {
    let samples = signal(rate, parts);
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), 2);
    let mut blocks = Blocks::new(format).unwrap();
    let mut curve = LoudnessCurve::default();
    for part in samples.chunks(piece) {
        blocks.add(&[part, part], |energy| curve.push(energy)).unwrap();
    }
    curve
}

fn near(got: Option<f64>, wanted: f64, case: &str) {
    assert!(got.is_some_and(|got| (got - wanted).abs() <= 0.1), "{case}: {got:?} is not {wanted}");
}

#[test]
fn cases_1_and_2_of_tech_3341_read_the_same_in_all_three() {
    for (rate, level) in [(48_000, -23.0), (48_000, -33.0), (44_100, -23.0), (22_050, -33.0), (96_000, -23.0)] {
        let curve = curve_of(rate, &[(20.0, level)], 4096);
        let case = format!("{level} at {rate} Hz");
        near(curve.summary().integrated, level, &case);
        // The filter settles in the first tenths of a second.
        for (values, from) in [(curve.momentary(), 5), (curve.short_term(), 31)] {
            assert_eq!(values.len(), 200);
            for &value in &values[from..] {
                near(Some(f64::from(value)), level, &case);
            }
        }
        assert!(curve.short_term()[9] < level as f32 - 4.0, "a second of three is not the whole");
    }
}

#[test]
fn cases_3_to_5_of_tech_3341_are_gated() {
    let cases: [(&str, &[Tone], f64); 3] = [
        ("3", &[(10.0, -36.0), (60.0, -23.0), (10.0, -36.0)], -23.0),
        ("4", &[(10.0, -72.0), (10.0, -36.0), (60.0, -23.0), (10.0, -36.0), (10.0, -72.0)], -23.0),
        ("5", &[(20.0, -26.0), (20.1, -20.0), (20.0, -26.0)], -23.0),
    ];
    for (case, parts, wanted) in cases {
        near(curve_of(48_000, parts, 48_000).summary().integrated, wanted, case);
    }
    // Without gates, the quiet parts of case 3 lower the mean, so the test can detect a missing gate.
    let mean = (20.0 * 10f64.powf(-3.6) + 60.0 * 10f64.powf(-2.3)) / 80.0;
    assert!(10.0 * mean.log10() < -24.0);
}

#[test]
fn case_6_of_tech_3341_weighs_five_channels() {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 5);
    let (mut blocks, mut curve) = (Blocks::new(format).unwrap(), LoudnessCurve::default());
    let [front, centre, surround] = [-28.0, -24.0, -30.0].map(|db| signal(48_000, &[(20.0, db)]));
    blocks.add(&[&front, &front, &centre, &surround, &surround], |energy| curve.push(energy)).unwrap();
    near(curve.summary().integrated, -23.0, "6");
}

/// Layouts with the weight of each channel in dB by ITU-R BS.1770-5, annex 3: +1.5 dB at an azimuth of 60 to 120 degrees
/// and an elevation below 30 degrees. `None` is the LFE, which does not count.
const WEIGHTS: [(&str, &[Option<f64>]); 13] = {
    const FRONT: Option<f64> = Some(0.0);
    const SIDE: Option<f64> = Some(1.5);
    [
        ("2.1", &[FRONT, FRONT, None]),
        ("3.0", &[FRONT, FRONT, FRONT]),
        ("3.1", &[FRONT, FRONT, FRONT, None]),
        ("quad", &[FRONT, FRONT, SIDE, SIDE]),
        ("4.0", &[FRONT, FRONT, FRONT, FRONT]),
        ("4.1", &[FRONT, FRONT, FRONT, None, FRONT]),
        ("5.0", &[FRONT, FRONT, FRONT, SIDE, SIDE]),
        ("5.1", &[FRONT, FRONT, FRONT, None, SIDE, SIDE]),
        ("5.1(side)", &[FRONT, FRONT, FRONT, None, SIDE, SIDE]),
        // The back centre, and the rear pair beside sides, are beyond 120 degrees.
        ("6.1", &[FRONT, FRONT, FRONT, None, FRONT, SIDE, SIDE]),
        ("7.1", &[FRONT, FRONT, FRONT, None, FRONT, FRONT, SIDE, SIDE]),
        ("7.1(wide)", &[FRONT, FRONT, FRONT, None, SIDE, SIDE, FRONT, FRONT]),
        ("7.1.4", &[FRONT, FRONT, FRONT, None, FRONT, FRONT, SIDE, SIDE, FRONT, FRONT, FRONT, FRONT]),
    ]
};

#[test]
fn channels_are_weighted_by_their_loudspeakers() {
    let tone = signal(48_000, &[(1.0, -20.0)]);
    let silence = vec![0.0; tone.len()];
    let of = |layout: Option<Layout>, channels: usize, sounding: &dyn Fn(usize) -> bool| {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), channels).with_layout(layout);
        let (mut blocks, mut curve) = (Blocks::new(format).unwrap(), LoudnessCurve::default());
        let planes: Vec<&[f32]> =
            (0..channels).map(|channel| if sounding(channel) { tone.as_slice() } else { &silence }).collect();
        blocks.add(&planes, |energy| curve.push(energy)).unwrap();
        curve.summary().integrated
    };
    let front = of(None, 1, &|_| true).unwrap();
    for (name, weights) in WEIGHTS {
        let layout: Layout = name.parse().unwrap();
        assert_eq!(layout.channels(), weights.len());
        for (channel, weight) in weights.iter().enumerate() {
            let alone = of(Some(layout), weights.len(), &|sounding| sounding == channel);
            let close = match (alone, weight) {
                (Some(lufs), Some(weight)) => (lufs - front - weight).abs() < 0.02,
                (alone, weight) => alone.is_none() && weight.is_none(),
            };
            assert!(close, "channel {channel} of {name}: {alone:?} LUFS beside {front}");
        }
        let power = |weight: &Option<f64>| weight.map_or(0.0, |db| 10f64.powf(db / 10.0));
        let all = 10.0 * weights.iter().map(power).sum::<f64>().log10();
        assert!((of(Some(layout), weights.len(), &|_| true).unwrap() - front - all).abs() < 0.02, "{name}");
    }
    // An unknown layout is the usual one; beyond eight channels each counts the same.
    for (channels, usual) in [(4, "quad"), (6, "5.1"), (7, "6.1"), (8, "7.1")] {
        let usual: Layout = usual.parse().unwrap();
        assert_eq!(of(None, channels, &|_| true), of(Some(usual), channels, &|_| true));
    }
    assert!((of(None, 16, &|channel| channel == 15).unwrap() - front).abs() < 1e-9);
}

#[test]
fn case_9_of_tech_3341_holds_the_short_term_still() {
    let parts: Vec<Tone> = [(1.34, -20.0), (1.66, -30.0)].repeat(5);
    let curve = curve_of(48_000, &parts, 1000);
    for &value in &curve.short_term()[31..] {
        near(Some(f64::from(value)), -23.0, "9");
    }
    assert!(
        curve.momentary()[31..].iter().any(|&value| (value + 23.0).abs() > 2.0),
        "the momentary does not stand still"
    );
}

#[test]
fn cases_10_and_11_of_tech_3341_find_every_maximum_of_the_short_term() {
    for n in 0..20 {
        let lead = f64::from(n) * 0.15;
        let curve = curve_of(48_000, &[(lead, SILENCE), (3.0, -23.0), (1.0, SILENCE)], 777);
        near(curve.summary().max_short_term, -23.0, &format!("10, lead {lead} s"));
        let level = -38.0 + f64::from(n);
        let curve = curve_of(48_000, &[(lead, SILENCE), (3.0, level), (3.0 - lead + 1.0, SILENCE)], 4800);
        near(curve.summary().max_short_term, level, &format!("11, part {n}"));
    }
}

#[test]
fn case_12_of_tech_3341_holds_the_momentary_still() {
    let parts: Vec<Tone> = [(0.18, -20.0), (0.22, -30.0)].repeat(25);
    let curve = curve_of(48_000, &parts, 333);
    for &value in &curve.momentary()[10..] {
        near(Some(f64::from(value)), -23.0, "12");
    }
}

#[test]
fn cases_13_and_14_of_tech_3341_find_every_maximum_of_the_momentary() {
    for n in 0..20 {
        let lead = f64::from(n) * 0.02;
        let level = -38.0 + f64::from(n);
        for (case, level) in [("13", -23.0), ("14", level)] {
            let curve = curve_of(48_000, &[(lead, SILENCE), (0.4, level), (1.0, SILENCE)], 512);
            near(curve.summary().max_momentary, level, &format!("{case}, lead {lead} s"));
        }
    }
}

#[test]
fn cases_1_to_3_of_tech_3342_have_their_range() {
    for (levels, wanted) in [([-20.0, -30.0], 10.0), ([-20.0, -15.0], 5.0), ([-40.0, -20.0], 20.0)] {
        let curve = curve_of(48_000, &levels.map(|level| (20.0, level)), 48_000);
        let range = curve.summary().range.unwrap();
        assert!((range - wanted).abs() <= 1.0, "{levels:?}: {range} LU");
    }
}

#[test]
fn case_4_of_tech_3342_has_its_range() {
    let curve = curve_of(48_000, &[-50.0, -35.0, -20.0, -35.0, -50.0].map(|level| (20.0, level)), 48_000);
    let range = curve.summary().range.unwrap();
    assert!((range - 15.0).abs() <= 1.0, "{range} LU");
}

/// Returns the true peak that the meter shows for a stereo signal.
fn true_peak_db(samples: &[f32]) -> f64 {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let mut meter = LoudnessMeter::new(format).unwrap();
    meter.add(&[samples, samples]).unwrap();
    meter.add(&[&[0.0; 4800], &[0.0; 4800]]).unwrap();
    meter.reading().true_peak_db.unwrap()
}

#[test]
fn cases_15_to_19_of_tech_3341_are_high_between_their_samples() {
    for (case, part, phase_deg, amplitude, wanted) in [
        (15, 4.0, 0.0, 0.5, -6.0),
        (16, 4.0, 45.0, 0.5, -6.0),
        (17, 6.0, 60.0, 0.5, -6.0),
        (18, 8.0, 67.5, 0.5, -6.0),
        (19, 4.0, 45.0, 1.41, 3.0),
    ] {
        let phase = f64::to_radians(phase_deg);
        let wave = |n: i32| amplitude * (2.0 * PI * f64::from(n) / part + phase).sin();
        // Faded in and out, because an edge would add a peak.
        let fade = |n: i32| (f64::from(n.min(47_999 - n)) / 480.0).min(1.0);
        let samples: Vec<f32> = (0..48_000).map(|n| (fade(n) * wave(n)) as f32).collect();
        let off = true_peak_db(&samples) - wanted;
        assert!((-0.4..=0.2).contains(&off), "case {case}: {off} dB off");
    }
}

/// As in cases 20 to 23: a short pulse, generated at four times the rate and sampled at each of the four offsets, has
/// the same true peak wherever the samples fall.
#[test]
fn a_pulse_is_as_high_wherever_the_samples_meet_it() {
    for offset in 0..4 {
        let wave = |n: i32| {
            // Time in frames from the middle, in quarters: a tone at a sixth of the rate under a Gaussian about forty
            // frames wide.
            let t = f64::from(4 * n + offset - 8000) / 4.0;
            (-(t / 20.0).powi(2)).exp() * (2.0 * PI * t / 6.0).cos()
        };
        let samples: Vec<f32> = (0..4000).map(|n| wave(n) as f32).collect();
        let off = true_peak_db(&samples);
        assert!((-0.4..=0.2).contains(&off), "offset {offset}: {off} dB off");
    }
}

#[test]
fn whatever_the_pieces_the_curve_is_the_same_and_agrees_with_the_whole_measure() {
    let parts = [(2.0, -20.0), (1.5, -45.0), (3.0, -14.0), (1.0, SILENCE), (4.0, -26.0)];
    for rate in [44_100, 48_000, 11_025] {
        let whole = curve_of(rate, &parts, usize::MAX);
        for piece in [1013, 4096, 65_536] {
            let cut = curve_of(rate, &parts, piece);
            assert_eq!(cut.momentary(), whole.momentary(), "pieces of {piece} at {rate} Hz");
            assert_eq!(cut.summary(), whole.summary());
        }
        let mut exact = EbuR128::new(2, rate, Mode::I).unwrap();
        let samples = signal(rate, &parts);
        exact.add_frames_planar_f32(&[&samples, &samples]).unwrap();
        let (got, wanted) = (whole.summary().integrated.unwrap(), exact.loudness_global().unwrap());
        // The crate rounds a tenth of a second to whole frames where the rate is not divisible by ten.
        assert!((got - wanted).abs() < 0.05, "{got} is not {wanted} at {rate} Hz");
        let mut reader = memory(rate, vec![samples.clone(), samples]);
        let measured = integrated_lufs(&mut reader, &Progress::new()).unwrap().unwrap();
        assert!((got - measured).abs() < 0.1, "{got} is not {measured} at {rate} Hz");
    }
}

#[test]
fn the_meter_shows_all_of_it_and_the_true_peak_between_samples() {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let mut meter = LoudnessMeter::new(format).unwrap();
    assert_eq!(meter.reading(), LoudnessReading::default());
    // A quarter of the rate, 45 degrees out of phase: the samples are 3 dB below the peaks between them.
    let samples: Vec<f32> =
        (0..5 * 48_000).map(|n| (0.5 * (PI / 2.0 * f64::from(n) + PI / 4.0).sin()) as f32).collect();
    for part in samples.chunks(480) {
        meter.add(&[part, part]).unwrap();
    }
    let reading = meter.reading();
    let peak_db = reading.true_peak_db.unwrap();
    assert!((peak_db + 6.02).abs() < 0.3, "{peak_db} dB");
    let (momentary, short_term) = (reading.momentary.unwrap(), reading.short_term.unwrap());
    assert!((momentary - short_term).abs() < 0.1 && (momentary - reading.integrated.unwrap()).abs() < 0.1);
}

#[test]
fn what_cannot_be_measured_is_refused_in_words() {
    let format = |rate, channels| AudioFormat::new(SampleRate::new(rate).unwrap(), channels);
    for format in [format(100, 2), format(48_000, 0), format(48_000, 1000)] {
        let refused = Blocks::new(format).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("loudness"), "{refused}");
    }
    assert_eq!(LoudnessCurve::default().summary(), LoudnessSummary::default());
}

#[test]
fn a_sample_that_is_no_number_spoils_nothing_behind_it() {
    let mut samples = signal(48_000, &[(5.0, -20.0)]);
    samples[30_000] = f32::NAN;
    samples[30_001] = f32::INFINITY;
    let mut reader = memory(48_000, vec![samples]);
    let (mut blocks, mut curve) = (Blocks::new(reader.format()).unwrap(), LoudnessCurve::default());
    let mut meter = LoudnessMeter::new(reader.format()).unwrap();
    let mut block = AudioBuffer::default();
    reader.read(&mut block, usize::MAX >> 1).unwrap();
    blocks.add(&[block.channel(0)], |energy| curve.push(energy)).unwrap();
    near(curve.momentary().last().map(|&lufs| f64::from(lufs)), -23.0, "mono");
    meter.add(&[block.channel(0)]).unwrap();
    assert!(meter.reading().true_peak_db.unwrap() < -13.9);
}
