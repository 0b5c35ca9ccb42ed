//! Saturation, bit crusher, resampling and silence trimming: harmonics compared with quadrature, the rest with
//! definitions.

use crate::support::{chain_runs as runs, effects_table as table};

use std::f64::consts::{FRAC_PI_2, TAU};

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::units::{SampleRate, gain_from_db};
use dsp::measure::resample::{ResamplePlan, Resampler};
use effects::chain::Seeking;
use runs::{
    Sound, amplitude, assert_one_and_the_same, assert_robust, chain, db, in_blocks, noise, rendered, renderer, run,
    tone,
};

const SHAPES: [&str; 5] = ["tanh", "soft", "hard", "tube", "fold"];

/// The curves as documented.
fn bent(shape: &str, x: f64) -> f64 {
    match shape {
        "tanh" => x.tanh(),
        "soft" => {
            if x.abs() < 1.5 {
                x - 4.0 / 27.0 * x.powi(3)
            } else {
                x.signum()
            }
        }
        "hard" => x.clamp(-1.0, 1.0),
        "tube" => (1.0 - (-2.5 * x).exp()) / (1.0 + 1.5 * (-2.5 * x).exp()),
        _ => (FRAC_PI_2 * x).sin() / FRAC_PI_2,
    }
}

/// Returns the amplitude of harmonic `number` of a full-scale sine through a curve, by quadrature over a period.
fn harmonic(shape: &str, drive: f64, bias: f64, number: usize) -> f64 {
    let points = 1 << 16;
    let (mut re, mut im) = (0.0, 0.0);
    for point in 0..points {
        let angle = TAU * (f64::from(point) + 0.5) / f64::from(points);
        let y = bent(shape, drive * angle.sin() + bias) - bent(shape, bias);
        re += y * (number as f64 * angle).cos();
        im += y * (number as f64 * angle).sin();
    }
    2.0 * re.hypot(im) / f64::from(points)
}

/// One second of a distorted full-scale sine, without the settling time.
fn settled(text: &str, hz: f64) -> Vec<f32> {
    let out = run(text, &Sound::new(48_000, vec![tone(48_000, hz, 1.0, 60_000)]));
    out.channel(0)[9600..57_600].to_vec()
}

/// Returns the level of the strongest component that is not a harmonic of 5 kHz. All aliases fall on a grid of 1 kHz.
fn aliases_db(samples: &[f32]) -> f64 {
    (1..24).filter(|khz| khz % 5 != 0).map(|khz| db(amplitude(samples, f64::from(khz) / 48.0))).fold(-300.0, f64::max)
}

#[test]
fn aliases_stay_below_90_db_and_harmonics_are_right() {
    let (mut loudest, mut off) = (f64::NEG_INFINITY, 0.0f64);
    for shape in SHAPES {
        let samples = settled(&format!("saturate(shape={shape})"), 5000.0);
        let aliases = aliases_db(&samples);
        println!("{shape}: aliases {aliases:.1} dB");
        assert!(aliases < -90.0, "{shape}: {aliases} dB");
        loudest = loudest.max(aliases);
        for number in 1..=4 {
            let expected = harmonic(shape, gain_from_db(12.0), 0.0, number);
            let got = amplitude(&samples, number as f64 * 5.0 / 48.0);
            // Averaging of neighbouring samples attenuates 20 kHz by 0.04 dB.
            let error = (got - expected).abs();
            assert!(error < 4e-3 * expected + 1e-5, "{shape}, harmonic {number}: {got} for {expected}");
            off = off.max(error);
        }
    }
    table::measured("saturate", "aliases of a full-scale sine", SHAPES.len(), loudest, "dB");
    table::measured("saturate", "harmonics by quadrature", 4 * SHAPES.len(), off, "FS");
    // Without oversampling, all of it aliases.
    assert!(aliases_db(&settled("saturate(shape=hard, oversampling=x1)", 5000.0)) > -50.0);
    assert!(aliases_db(&settled("saturate(shape=tanh, oversampling=x1)", 5000.0)) > -50.0);
    // Each doubling of the factor reduces the aliases.
    let by = |factor: &str| aliases_db(&settled(&format!("saturate(shape=hard, oversampling={factor})"), 5000.0));
    let all: Vec<f64> = ["x1", "x2", "x4", "x8", "x16"].map(by).to_vec();
    println!("hard by factor: {all:.1?}");
    assert!(all.windows(2).all(|pair| pair[1] < pair[0] - 6.0), "{all:?}");
}

#[test]
fn parameters_of_saturation_do_what_they_say() {
    for (text, shape, drive, bias, gain) in [
        ("saturate(0 dB, tanh, bias=40 %)", "tanh", 0.0, 0.4, 0.0),
        ("saturate(6 dB, hard, bias=-50 %, output=-6 dB)", "hard", 6.0, -0.5, -6.0),
        ("saturate(-12 dB, tube, oversampling=x4)", "tube", -12.0, 0.0, 0.0),
        ("saturate(20 dB, fold, output=3 dB, oversampling=x16)", "fold", 20.0, 0.0, 3.0),
        ("saturate(20 dB, soft, oversampling=x8)", "soft", 20.0, 0.0, 0.0),
    ] {
        let samples = settled(text, 1000.0);
        for number in 1..=7 {
            let expected = gain_from_db(gain) * harmonic(shape, gain_from_db(drive), bias, number);
            let got = amplitude(&samples, number as f64 / 48.0);
            assert!((got - expected).abs() < 4e-3 * expected + 1e-5, "{text}, {number}: {got} for {expected}");
        }
    }
    // A bias adds even harmonics, but no offset in silence.
    assert!(amplitude(&settled("saturate(0 dB, bias=40 %)", 1000.0), 2.0 / 48.0) > 0.05);
    assert!(amplitude(&settled("saturate(0 dB)", 1000.0), 2.0 / 48.0) < 1e-6);
    let silent = run("saturate(24 dB, hard, bias=-70 %)", &Sound::new(48_000, vec![vec![0.0; 5000]]));
    assert!(silent.iter().flatten().all(|sample| sample.abs() < 1e-12));
    // Without oversampling, the output equals the curve.
    let sound = noise(48_000, 1, 2000);
    for shape in SHAPES {
        let out = run(&format!("saturate(9 dB, {shape}, bias=10 %, oversampling=x1)"), &sound);
        for (got, x) in out.channel(0).iter().zip(sound.audio.channel(0)) {
            let expected = bent(shape, gain_from_db(9.0) * f64::from(*x) + 0.1) - bent(shape, 0.1);
            assert!((f64::from(*got) - expected).abs() < 1e-7, "{shape}");
        }
    }
}

#[test]
fn saturation_is_in_step_and_leaves_soft_sounds_alone() {
    for (factor, corners, latency) in [
        ("x1", false, 0),
        ("x2", false, 173),
        ("x2", true, 174),
        ("x4", false, 182),
        ("x8", false, 185),
        ("x8", true, 185),
        ("x16", true, 186),
    ] {
        let shape = if corners { "hard" } else { "tanh" };
        let text = format!("saturate(0 dB, {shape}, oversampling={factor})");
        let sound = Sound::new(48_000, vec![tone(48_000, 3000.0, 1e-3, 20_000)]);
        let renderer = renderer(&text, &sound);
        assert_eq!(renderer.latency_frames(), latency, "{text}");
        let out = run(&text, &sound);
        for n in 1000..19_000 {
            let (got, was) = (out.channel(0)[n], sound.audio.channel(0)[n]);
            // The fractional frame of a factor's latency is compensated, so that both are aligned exactly. Averaging
            // attenuates some treble at low factors: 0.1 dB at 3 kHz with factor 2.
            let limit = if corners && factor == "x2" { 2e-5 } else { 2e-6 };
            assert!((got - was).abs() < limit, "{text} at {n}: {got} for {was}");
        }
    }
    // Up to 20 kHz at 44.1 kHz.
    let sound = Sound::new(44_100, vec![tone(44_100, 19_800.0, 1e-3, 20_000)]);
    let out = run("saturate(0 dB)", &sound);
    assert!((2000..18_000).all(|n| (out.channel(0)[n] - sound.audio.channel(0)[n]).abs() < 1e-7));
    // Dry and wet signals are aligned.
    let sound = noise(48_000, 1, 5000);
    let out = run("mix(0 %, saturate(0 dB))", &sound);
    assert_eq!(out.channel(0)[..4000], sound.audio.channel(0)[..4000]);
}

#[test]
fn a_number_that_is_none_leaves_the_saturation_again() {
    use effects::{Arguments, Stage, find};
    for shape in SHAPES {
        let mut arguments = Arguments::default();
        arguments.set("shape", shape);
        let effect = find("saturate").unwrap().make(&arguments).unwrap();
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
        let Stage::Process(mut process) = effect.stage(format, None).unwrap() else { panic!() };
        let mut block = AudioBuffer::from_channels(vec![tone(48_000, 500.0, 0.5, 2000); 2]);
        block.channel_mut(0)[100] = f32::NAN;
        process.process(&mut block).unwrap();
        assert!(block.channel(1).iter().all(|sample| sample.is_finite()), "{shape}: the other channel");
        assert!(block.channel(0)[700..].iter().all(|sample| sample.is_finite()), "{shape}: long after");
        assert!(block.channel(0)[1999] == block.channel(1)[1999], "{shape}: as if nothing had been");
    }
}

#[test]
fn bits_are_those_of_an_integer_file() {
    let sound = noise(48_000, 2, 4000);
    for bits in [2, 3, 8, 16, 24] {
        let out = run(&format!("bit_crush({bits})"), &sound);
        let steps = f64::from(1 << (bits - 1));
        for (got, x) in out.iter().flatten().zip(sound.audio.iter().flatten()) {
            let expected = (f64::from(*x) * steps).round_ties_even().clamp(-steps, steps - 1.0) / steps;
            assert_eq!(f64::from(*got), f64::from(expected as f32), "{bits} bits");
        }
    }
    table::measured("bit_crush", "its formula, bit for bit", 5, 0.0, "FS");
    let loud = Sound::new(48_000, vec![vec![1.5, -1.5, 1.0]]);
    assert_eq!(run("bit_crush(4)", &loud).channel(0), [0.875, -1.0, 0.875]);
}

#[test]
fn dither_turns_distortion_into_noise() {
    // A tone of a third of a step: without dither it vanishes, with dither it is fully preserved.
    let step = 2f64.powi(-7);
    let sound = Sound::new(48_000, vec![tone(48_000, 1000.0, step / 3.0, 480_000); 2]);
    assert!(run("bit_crush(8)", &sound).iter().flatten().all(|sample| *sample == 0.0));
    let out = run("bit_crush(8, dither=tpdf)", &sound);
    let level = amplitude(out.channel(0), 1.0 / 48.0);
    assert!((level / (step / 3.0) - 1.0).abs() < 0.02, "{level}");
    assert_ne!(out.channel(0), out.channel(1), "each channel has its own noise");
    // The error has the power of rounding and triangular noise, a quarter of a squared step.
    let error: f64 = out.channel(0).iter().zip(sound.audio.channel(0)).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    assert!((error / 480_000.0 / (step * step) - 0.25).abs() < 0.005);
}

#[test]
fn a_lower_rate_holds_samples() {
    let sound = noise(48_000, 1, 3000);
    let x = sound.audio.channel(0);
    let out = run("bit_crush(24, rate=16 kHz)", &sound);
    for (n, got) in out.channel(0).iter().enumerate() {
        assert!((got - x[n / 3 * 3]).abs() < 1e-6, "{n}");
    }
    let out = run("bit_crush(24, rate=11.025 kHz)", &sound);
    let mut held = 0;
    for n in 0..3000 {
        if n == 0 || n * 11_025 / 48_000 != (n - 1) * 11_025 / 48_000 {
            held = n;
        }
        assert!((out.channel(0)[n] - x[held]).abs() < 1e-6, "{n}");
    }
    // Aliases are present by default and removed on request.
    let high = Sound::new(48_000, vec![tone(48_000, 7000.0, 0.5, 48_000)]);
    let folded = |text: &str| db(amplitude(&run(text, &high).channel(0)[..48_000], 1.0 / 48.0));
    assert!(folded("bit_crush(24, rate=8 kHz)") > -8.0);
    assert!(folded("bit_crush(24, rate=8 kHz, antialias=on)") < -40.0);
    assert_eq!(run("bit_crush(24, rate=48 kHz)", &sound), run("bit_crush(24)", &sound));
}

/// Converts the whole signal with `measure`.
fn converted(sound: &Sound, rate: u32) -> AudioBuffer {
    let plan = ResamplePlan::new(sound.format().rate, SampleRate::new(rate).unwrap());
    let mut resampler = Resampler::new(&plan, sound.audio.channels());
    let mut out = AudioBuffer::new(sound.audio.channels(), 0);
    resampler.push(&sound.audio, &mut out).unwrap();
    resampler.finish(&mut out).unwrap();
    out
}

#[test]
fn resample_is_the_conversion_of_measure_bit_for_bit() {
    for (from, to) in
        [(48_000, 44_100), (44_100, 48_000), (44_100, 96_000), (96_000, 8000), (8000, 192_000), (44_099, 48_000)]
    {
        let sound = noise(from, 2, 9000);
        let out = run(&format!("resample({to} Hz)"), &sound);
        let expected = converted(&sound, to);
        assert!(out.frames().abs_diff(expected.frames()) <= 1);
        let common = out.frames().min(expected.frames());
        for channel in 0..2 {
            assert!(out.channel(channel)[..common] == expected.channel(channel)[..common], "{from} to {to}");
        }
    }
    let sound = noise(48_000, 2, 1000);
    assert_eq!(run("resample(48 kHz)", &sound), sound.audio);
}

#[test]
fn resample_keeps_time_behind_what_lags_and_before_what_follows() {
    let sound = Sound::new(48_000, vec![tone(48_000, 1000.0, 0.25, 48_000)]);
    for text in [
        "resample(44.1 kHz)",
        "saturate(-24 dB, output=24 dB, oversampling=x8) | resample(44.1 kHz)",
        "resample(44.1 kHz) | saturate(-24 dB, output=24 dB, oversampling=x8)",
        "resample(96 kHz) | saturate(-24 dB, output=24 dB) | resample(44.1 kHz)",
    ] {
        let out = run(text, &sound);
        assert_eq!(out.frames(), 44_100, "{text}");
        let expected = tone(44_100, 1000.0, 0.25, 44_100);
        for n in 3000..41_000 {
            assert!((out.channel(0)[n] - expected[n]).abs() < 1e-4, "{text} at {n}");
        }
    }
    let plain = run("resample(44.1 kHz)", &sound);
    let expected = tone(44_100, 1000.0, 0.25, 44_100);
    let error = (3000..41_000).map(|n| f64::from(plain.channel(0)[n] - expected[n]).abs()).fold(0.0, f64::max);
    assert!(db(error) < -120.0, "{}", db(error));
    table::measured("resample", "a sine at both rates", 1, db(error / 0.25), "dB");
    // Branches with different rates are refused, and so are extreme ratios.
    let check = |text: &str| chain(text).check(sound.format());
    assert!(check("resample(44.1 kHz) + gain(0 dB)").is_err());
    assert!(check("resample(1 Hz)").unwrap_err().to_string().contains("256"));
    let uneven = chain("(resample(44.1 kHz) | resample(48 kHz)) + gain(0 dB)");
    let plan = effects::chain::Plan::new(&uneven, sound.format(), &effects::chain::MeasuredMap::default());
    assert!(plan.unwrap_err().to_string().contains("changes the sample rate or the length"));
}

#[test]
fn silence_is_trimmed_to_the_frame() {
    let mut sound = noise(48_000, 2, 20_000);
    for channel in sound.audio.iter_mut() {
        channel[..3000].fill(0.0005);
        channel[15_000..].fill(-0.0005);
    }
    sound.audio.channel_mut(0)[3000] = 0.5;
    sound.audio.channel_mut(1)[15_499] = -0.002;
    let cut = |text: &str| run(text, &sound);
    let expected = |range: std::ops::Range<usize>| {
        AudioBuffer::from_channels(sound.audio.iter().map(|samples| samples[range.clone()].to_vec()).collect())
    };
    assert_eq!(cut("trim_silence"), expected(3000..15_500));
    assert_eq!(cut("trim_silence(where=start)"), expected(3000..20_000));
    assert_eq!(cut("trim_silence(where=end)"), expected(0..15_500));
    assert_eq!(cut("trim_silence(padding=10 ms)"), expected(2520..15_980));
    assert_eq!(cut("trim_silence(padding=1 s)"), sound.audio);
    assert_eq!(cut("trim_silence(-70 dB)"), sound.audio);
    assert_eq!(cut("trim_silence(0 dB)"), sound.audio, "never above the threshold");
    table::measured("trim_silence", "the frames kept, bit for bit", 7, 0.0, "FS");
    // After and before an effect with latency, and with both rates.
    let plain = cut("saturate(0 dB)");
    let both = cut("saturate(0 dB) | trim_silence");
    let at = (0..20_000).find(|n| plain.iter().any(|samples| samples[*n].abs() > 1e-3)).unwrap();
    assert_eq!(both.channel(0)[..9000], plain.channel(0)[at..at + 9000]);
    let behind = cut("trim_silence | saturate(0 dB)");
    assert_eq!(behind.frames(), 12_500);
    // The tail after the cut belongs to the kept signal.
    assert_eq!(in_blocks("trim_silence", &sound, &[999], true), expected(3000..15_500));
}

#[test]
fn cuts_do_not_matter() {
    let sound = noise(48_000, 2, 12_000);
    for text in [
        "saturate",
        "saturate(shape=hard)",
        "saturate(20 dB, fold, oversampling=x2)",
        "bit_crush(6, rate=9 kHz, antialias=on, dither=tpdf)",
        "resample(44.1 kHz)",
        "resample(44.1 kHz) | saturate(shape=soft) | bit_crush(12, dither=tpdf)",
        "saturate | resample(16 kHz) | resample(48 kHz)",
        "trim_silence(-10 dB)",
        "saturate | trim_silence(-10 dB) | saturate | resample(96 kHz)",
    ] {
        assert_one_and_the_same(text, &sound);
    }
}

#[test]
fn a_preview_jumps_to_the_same_sound_behind_a_cut_and_at_another_rate() {
    let silent = 60_000;
    let samples = |seed: f64| -> Vec<f32> {
        let tone = |n: usize| (0.4 * (0.05 * n as f64 + 3.0 * (seed * 1e-4 * n as f64).sin()).sin()) as f32;
        (0..600_000).map(|n| if n < silent { 0.0 } else { tone(n) }).collect()
    };
    let sound = Sound::new(48_000, vec![samples(1.0), samples(2.0)]);
    for text in
        ["trim_silence", "trim_silence | resample(44.1 kHz)", "limiter(-1 dB) | trim_silence | resample(96 kHz)"]
    {
        let whole = run(text, &sound);
        let mut reader = rendered(text, &sound, Seeking::Preroll);
        assert_eq!(reader.frames(), whole.frames() as u64, "{text}");
        let mut part = AudioBuffer::default();
        for share in [0.9, 0.01, 0.5, 0.3, 0.97] {
            let from = (share * whole.frames() as f64) as usize;
            reader.seek(from as u64).unwrap();
            reader.read(&mut part, 10_000).unwrap();
            for (got, whole) in part.iter().zip(whole.iter()) {
                let expected = &whole[from..from + 10_000];
                let most = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(got.len() == 10_000 && most < 1e-6, "{text} from {share}: {most}");
            }
        }
    }
}

#[test]
fn strange_signals_come_through() {
    for text in [
        "saturate(shape=hard)",
        "saturate(48 dB, fold)",
        "bit_crush(rate=3 kHz, antialias=on)",
        "resample(44.1 kHz)",
        "trim_silence",
    ] {
        assert_robust(text, &[1, 2, 6]);
    }
}
