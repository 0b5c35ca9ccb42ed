//! Noise, click and hum removal: the amount, side effects, and independence of block sizes.

#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::{effects_table as table, signal};

use std::f64::consts::TAU;

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::progress::Progress;
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Rendered, Renderer, Seeking, measure_whole};
use proptest::prelude::*;
use signal::{Memory, format, noise};

const RATE: f64 = 48_000.0;

fn chain(text: &str) -> Chain {
    text.parse().unwrap()
}

fn learned(text: &str, audio: &AudioBuffer) -> MeasuredMap {
    measure_whole(&chain(text), &mut Memory::new(audio.clone()), "", &Placement::cpu(), &Progress::new()).unwrap()
}

fn renderer(text: &str, audio: &AudioBuffer) -> Renderer {
    Renderer::new(&chain(text), format(audio.channels()), &Placement::cpu(), &learned(text, audio)).unwrap()
}

fn go_on(renderer: &mut Renderer, audio: &AudioBuffer, mut at: usize, blocks: &[usize]) -> AudioBuffer {
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    while at < audio.frames() {
        let end = audio.frames().min(at + sizes.next().unwrap());
        let mut block = AudioBuffer::new(audio.channels(), 0);
        block.extend_from(audio, at..end);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
    let rest = renderer.finish(false).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}

/// Measures the whole signal, then renders it.
fn run(text: &str, audio: &AudioBuffer) -> AudioBuffer {
    go_on(&mut renderer(text, audio), audio, 0, &[8192])
}

fn mono(samples: Vec<f32>) -> AudioBuffer {
    AudioBuffer::from_channels(vec![samples])
}

fn rms(samples: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = samples.fold((0.0, 0usize), |(sum, count), x| (sum + x * x, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

fn level(samples: &[f32]) -> f64 {
    rms(samples.iter().map(|x| f64::from(*x)))
}

/// Returns the level of `clean` relative to the residual in `got`, in dB.
fn snr_db(got: &[f32], clean: &[f32]) -> f64 {
    let rest = rms(got.iter().zip(clean).map(|(got, clean)| f64::from(*got) - f64::from(*clean)));
    20.0 * (level(clean) / rest.max(1e-30)).log10()
}

/// White noise with the given RMS.
fn hiss(level: f32, frames: usize) -> Vec<f32> {
    noise(1, frames).channel(0).iter().map(|x| x * level * 12f32.sqrt()).collect()
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Two tones, starting at 1.2 s.
fn tones(frames: usize) -> Vec<f32> {
    let wave = |n: usize| 0.1 * (TAU * 440.0 * n as f64 / RATE).sin() + 0.05 * (TAU * 3000.0 * n as f64 / RATE).sin();
    (0..frames).map(|n| if n < 57_600 { 0.0 } else { wave(n) as f32 }).collect()
}

/// Syllables of pulses through four resonances, starting at 1.2 s.
fn speech(frames: usize) -> Vec<f32> {
    let mut phase = 0.0f64;
    let mut samples: Vec<f64> = (0..frames)
        .map(|n| {
            let before = phase.floor();
            phase += 120.0 * (1.0 + 0.1 * (TAU * 0.7 * n as f64 / RATE).sin()) / RATE;
            phase.floor() - before
        })
        .collect();
    for (hz, width) in [(600.0, 80.0), (1300.0, 100.0), (2500.0, 140.0), (3500.0, 200.0)] {
        let radius = (-std::f64::consts::PI * width / RATE).exp();
        let (mut one, mut two) = (0.0, 0.0);
        for x in &mut samples {
            let y = *x + 2.0 * radius * (TAU * hz / RATE).cos() * one - radius * radius * two;
            (two, one) = (one, y);
            *x = y;
        }
    }
    let syllable = |n: usize| (TAU * 2.5 * n as f64 / RATE).sin().max(0.0).sqrt();
    let shaped: Vec<f64> =
        samples.iter().enumerate().map(|(n, x)| if n < 57_600 { 0.0 } else { x * syllable(n) }).collect();
    let scale = 0.1 / rms(shaped.iter().copied().filter(|x| *x != 0.0));
    shaped.iter().map(|x| (x * scale) as f32).collect()
}

#[test]
fn noise_goes_and_sound_stays() {
    let frames = 192_000;
    let noise = hiss(0.01, frames);
    let mut worst = 0.0f64;
    for (name, clean, gain_db) in [("tones", tones(frames), 12.0), ("speech", speech(frames), 8.0)] {
        let noisy = mono(sum(&clean, &noise));
        let before = snr_db(&noisy.channel(0)[57_600..], &clean[57_600..]);
        for text in ["denoise(0 s, 1 s)", "denoise(0 s, 0 s)", "denoise(200 ms, 1.1 s, reduction=30 dB)"] {
            let out = run(text, &noisy);
            assert_eq!(out.frames(), frames);
            let after = snr_db(&out.channel(0)[57_600..], &clean[57_600..]);
            assert!(after > before + gain_db, "{name} by {text}: {before:.1} to {after:.1} dB");
        }
        // In pure noise, the output is softer by the reduction and has no musical tones.
        let out = run("denoise(0 s, 1 s)", &noisy);
        let softer = 20.0 * (level(&out.channel(0)[9600..45_000]) / level(&noise[9600..45_000])).log10();
        worst = worst.max((softer + 18.0).abs());
        assert!((softer + 18.0).abs() < 0.5, "{name}: {softer:.2} dB");
    }
    table::measured("denoise", "reduction of noise alone", 2, worst, "dB");
}

/// Returns the ratio of the highest short-time powers to their mean: high if single bins are briefly audible.
fn peakiness_db(samples: &[f32]) -> f64 {
    let mut powers = Vec::new();
    for hz in (0..40).map(|k| 400.0 + 500.0 * f64::from(k)) {
        for window in samples.chunks_exact(1024).step_by(2) {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, x) in window.iter().enumerate() {
                let w = 0.5 - 0.5 * (TAU * n as f64 / 1024.0).cos();
                re += w * f64::from(*x) * (TAU * hz * n as f64 / RATE).cos();
                im += w * f64::from(*x) * (TAU * hz * n as f64 / RATE).sin();
            }
            powers.push(re * re + im * im);
        }
    }
    powers.sort_by(f64::total_cmp);
    let mean: f64 = powers.iter().sum::<f64>() / powers.len() as f64;
    10.0 * (powers[powers.len() * 998 / 1000] / mean).log10()
}

#[test]
fn no_musical_noise_is_left() {
    let noise = mono(hiss(0.02, 144_000));
    let own = peakiness_db(&noise.channel(0)[48_000..]);
    let judged = run("denoise(0 s, 1 s)", &noise);
    // The negative control treats every bin of every window separately.
    let single = run("denoise(0 s, 1 s, time=0 s, width=0 Hz)", &noise);
    let (judged, single) = (peakiness_db(&judged.channel(0)[48_000..]), peakiness_db(&single.channel(0)[48_000..]));
    assert!(judged < own + 1.5, "{judged:.1} dB of {own:.1}");
    assert!(single > own + 3.0, "{single:.1} dB of {own:.1}");
}

#[test]
fn what_is_taken_away_and_what_is_left_are_the_whole() {
    let audio = mono(sum(&speech(96_000), &hiss(0.01, 96_000)));
    let cleaned = run("denoise(0 s, 1 s)", &audio);
    let taken = run("denoise(0 s, 1 s, output=noise)", &audio);
    let both = sum(cleaned.channel(0), taken.channel(0));
    let whole = snr_db(&both, audio.channel(0));
    assert!(whole > 120.0);
    table::measured("denoise", "what is taken away, added", 1, -whole, "dB");
    // Without a noise profile, the signal stays unchanged.
    let (unlearned, nothing) = (chain("denoise(0 s, 1 s)"), MeasuredMap::default());
    let find = effects::find;
    let mut unlearned = Renderer::provisional(&unlearned, format(1), &Placement::cpu(), &nothing, find).unwrap();
    let out = go_on(&mut unlearned, &audio, 0, &[5000]);
    assert!(snr_db(out.channel(0), audio.channel(0)) > 120.0);
}

#[test]
fn the_loudest_channel_opens_all() {
    let noise = [hiss(0.01, 96_000), hiss(0.01, 96_000).into_iter().rev().collect::<Vec<_>>()];
    let loud = sum(&tones(96_000), &noise[0]);
    let audio = AudioBuffer::from_channels(vec![loud, noise[1].clone()]);
    let out = run("denoise(0 s, 1 s)", &audio);
    let band = |audio: &AudioBuffer| {
        let mut filter = renderer("rbj_bandpass(440 Hz, q=20)", audio);
        let out = go_on(&mut filter, audio, 0, &[8192]);
        level(&out.channel(1)[72_000..])
    };
    let change = 20.0 * (band(&out) / band(&audio)).log10();
    assert!(change > -1.0, "beside the other channel's tone noise is left: {change:.2} dB");
}

#[test]
fn gates_open_and_shut_in_their_time() {
    let frames = 144_000;
    let burst =
        |n: usize| if (72_000..96_000).contains(&n) { (TAU * 1000.0 * n as f64 / RATE).sin() as f32 } else { 0.0 };
    let audio = mono(sum(&(0..frames).map(|n| 0.2 * burst(n)).collect::<Vec<_>>(), &hiss(0.005, frames)));
    let after = |text: &str, from: usize| {
        let out = run(text, &audio);
        let mut filter = renderer("bandpass(900 Hz, 1.1 kHz, order=2)", &out);
        let out = go_on(&mut filter, &out, 0, &[8192]);
        level(&out.channel(0)[from..from + 4800])
    };
    let slow = after("denoise(0 s, 1 s, release=500 ms)", 104_000);
    let fast = after("denoise(0 s, 1 s, release=20 ms)", 104_000);
    assert!(slow > 2.5 * fast, "{slow} {fast}");
    let sluggish = after("denoise(0 s, 1 s, attack=300 ms)", 72_000);
    let prompt = after("denoise(0 s, 1 s, attack=5 ms)", 72_000);
    assert!(prompt > 1.5 * sluggish, "{prompt} {sluggish}");
}

/// Returns the signal with clicks, and their positions.
fn clicked(clean: &[f32], seed: u64) -> (Vec<f32>, Vec<usize>) {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1u32 << 24)
    };
    let mut samples = clean.to_vec();
    let mut places = Vec::new();
    let mut at = 5000;
    while at + 3000 < samples.len() {
        let length = 1 + (random() * 39.0) as usize;
        let (size, turn) = (0.15 + 0.45 * random(), 0.3 + 2.2 * random());
        for k in 0..length {
            let shape = (-3.0 * k as f64 / length as f64).exp() * (k as f64 * turn).cos();
            samples[at + k] += (size * shape) as f32;
        }
        places.push(at);
        at += 1500 + (random() * 3000.0) as usize;
    }
    (samples, places)
}

/// Tones with soft, coloured noise.
fn music(frames: usize) -> Vec<f32> {
    let mut low = 0.0f32;
    noise(1, frames)
        .channel(0)
        .iter()
        .enumerate()
        .map(|(n, x)| {
            low = 0.95 * low + 0.02 * x;
            let tones = 0.2 * (TAU * 311.0 * n as f64 / RATE).sin() + 0.1 * (TAU * 1250.0 * n as f64 / RATE).sin();
            tones as f32 + low
        })
        .collect()
}

#[test]
fn clicks_are_found_and_mended_and_nothing_else() {
    let frames = 192_000;
    let voice = sum(&speech(frames), &hiss(3e-4, frames));
    let (mut missed, mut count, mut apart) = (0, 0, f64::NEG_INFINITY);
    for (name, clean) in [("music", music(frames)), ("speech", voice)] {
        let (damaged, places) = clicked(&clean, 7);
        let out = run("declick()", &mono(damaged.clone()));
        let changed: Vec<usize> = (0..frames).filter(|n| out.channel(0)[*n] != damaged[*n]).collect();
        let found = places.iter().filter(|at| changed.iter().any(|n| (**at..**at + 6).contains(n))).count();
        (missed, count) = (missed + places.len() - found, count + places.len());
        assert!(found * 100 >= places.len() * 95, "{name}: {found} of {}", places.len());
        // Nearly all changes are within clicks and two frames on either side.
        let astray = changed.iter().filter(|n| !places.iter().any(|at| (at.saturating_sub(4)..at + 45).contains(*n)));
        assert!(astray.count() * 20 <= changed.len(), "{name}");
        let (before, after) = (snr_db(&damaged, &clean), snr_db(out.channel(0), &clean));
        assert!(after > before + 6.0, "{name}: {before:.1} to {after:.1} dB");
        let taken = run("declick(output=clicks)", &mono(damaged.clone()));
        let whole = snr_db(&sum(out.channel(0), taken.channel(0)), &damaged);
        assert!(whole > 120.0, "{name}");
        apart = apart.max(-whole);
    }
    table::measured("declick", "clicks put in: share not found", count, missed as f64 / count as f64, "");
    table::measured("declick", "what is taken away, added", 2, apart, "dB");
}

#[test]
fn what_has_no_clicks_keeps_every_bit() {
    for clean in [music(96_000), hiss(0.1, 96_000), tones(96_000), vec![0.0; 9000], vec![0.5; 9000]] {
        let audio = mono(clean);
        assert!(run("declick()", &audio) == audio);
    }
    // Attacks are not treated as clicks.
    let drum: Vec<f32> = hiss(0.3, 96_000)
        .iter()
        .enumerate()
        .map(|(n, x)| x * (-((n % 12_000) as f32) / 1500.0).exp() + 1e-4 * (n as f32 * 0.01).sin())
        .collect();
    let out = run("declick()", &mono(drum.clone()));
    let changed = out.channel(0).iter().zip(&drum).filter(|(a, b)| a != b).count();
    assert!(changed < 60, "{changed} frames of drums");
}

#[test]
fn threshold_and_length_say_what_a_click_is() {
    let clean = music(96_000);
    let (damaged, _) = clicked(&clean, 3);
    let changed = |text: &str, audio: &[f32]| {
        let out = run(text, &mono(audio.to_vec()));
        out.channel(0).iter().zip(audio).filter(|(a, b)| a != b).count()
    };
    let (eager, usual, shy) =
        (changed("declick(12 dB)", &damaged), changed("declick()", &damaged), changed("declick(40 dB)", &damaged));
    assert!(eager >= usual && usual > 2 * shy, "{eager} {usual} {shy}");
    let mut gap = clean.clone();
    for (to, x) in gap[40_000..40_200].iter_mut().zip(hiss(0.5, 200)) {
        *to = x;
    }
    assert!(changed("declick(longest=2 ms)", &gap) < 20);
    assert!(changed("declick(longest=8 ms)", &gap) >= 180);
    let out = run("declick(longest=8 ms)", &mono(gap.clone()));
    let around = 39_900..40_300;
    let (before, after) =
        (snr_db(&gap[around.clone()], &clean[around.clone()]), snr_db(&out.channel(0)[around.clone()], &clean[around]));
    assert!(after > before + 8.0, "{before:.1} to {after:.1} dB");
}

#[test]
fn hum_goes_with_its_harmonics_and_the_rest_stays() {
    let tone = |hz: f64| mono((0..240_000).map(|n| (0.1 * (TAU * hz * n as f64 / RATE).sin()) as f32).collect());
    let change = |text: &str, hz: f64| {
        let audio = tone(hz);
        let out = run(text, &audio);
        20.0 * (level(&out.channel(0)[192_000..]) / level(&audio.channel(0)[192_000..])).log10()
    };
    for (text, mains) in [("dehum()", 50.0), ("dehum(60 Hz, harmonics=6, q=40)", 60.0)] {
        let text = text.replace("dehum()", "dehum(50 Hz)");
        for k in [1.0, 2.0, 5.0] {
            assert!(change(&text, k * mains) < -60.0, "{text} at {k}");
            assert!(change(&text, (k + 0.5) * mains) > -0.1, "{text} beside {k}");
        }
        assert!(change(&text, 1000.0 + 0.4 * mains) > -0.1, "{text}");
    }
    assert!(change("dehum(50 Hz, harmonics=3)", 200.0) > -0.1);
    // Notches have the specified width, 50 Hz / 10 between the -3 dB points, at every harmonic.
    for k in [1.0, 4.0] {
        for side in [-2.5, 2.5] {
            let there = change("dehum(50 Hz, harmonics=4, q=10)", 50.0 * k + side);
            assert!((there + 3.0).abs() < 0.5, "{k} {side}: {there:.2} dB");
        }
    }
}

#[test]
fn a_dehum_is_notches_one_after_the_other() {
    let grid = effects::chain::response::log_grid(3.0, 23_000.0, 2000);
    let rate = SampleRate::new(48_000).unwrap();
    let magnitude =
        |text: &str| effects::chain::response::chain_response(&chain(text), rate, &grid).unwrap().magnitude_db;
    let (mut worst, settings) = (0.0f64, [(50.0, 10, 30.0), (60.0, 6, 40.0), (50.0, 64, 5.0)]);
    for (hz, harmonics, q) in settings {
        let notches: Vec<String> =
            (1..=harmonics).map(|k| format!("notch({} Hz, q={})", hz * f64::from(k), q * f64::from(k))).collect();
        let (whole, apart) =
            (magnitude(&format!("dehum({hz} Hz, harmonics={harmonics}, q={q})")), magnitude(&notches.join(" | ")));
        for (whole, apart) in whole.iter().zip(&apart) {
            let [whole, apart] = [whole, apart].map(|db| 10f64.powf(db.unwrap_or(-1000.0) / 20.0));
            worst = worst.max((whole - apart).abs());
        }
    }
    assert!(worst < 1e-9, "{worst:e}");
    table::measured("dehum", "notches, held by mpmath, one after the other", settings.len(), worst, "");
}

const CHAINS: [&str; 4] = [
    "denoise(0 s, 300 ms)",
    "denoise(0 s, 0 s, time=100 ms, width=500 Hz, output=noise)",
    "declick(15 dB)",
    "dehum(50 Hz) | declick(longest=5 ms) | denoise(0 s, 200 ms)",
];

fn spoiled(frames: usize) -> AudioBuffer {
    let (left, _) = clicked(&music(frames), 11);
    let (right, _) = clicked(&sum(&music(frames), &hiss(0.01, frames)), 12);
    AudioBuffer::from_channels(vec![left, right])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn blocks_of_any_size_give_the_same_bits(
        sizes in proptest::collection::vec(1usize..7000, 1..6),
        text in proptest::sample::select(CHAINS[..3].to_vec()),
    ) {
        let audio = spoiled(24_000);
        let whole = go_on(&mut renderer(text, &audio), &audio, 0, &[24_000]);
        let pieces = go_on(&mut renderer(text, &audio), &audio, 0, &sizes);
        prop_assert_eq!(whole, pieces, "{} {:?}", text, sizes);
    }
}

#[test]
fn a_state_taken_up_goes_on_with_the_same_bits() {
    let audio = spoiled(24_000);
    for text in CHAINS {
        let whole = go_on(&mut renderer(text, &audio), &audio, 0, &[6000]);
        for cut in [1usize, 6000, 17_003] {
            let mut first = renderer(text, &audio);
            let mut out = AudioBuffer::new(2, 0);
            out.extend_from(&audio, 0..cut);
            first.process(&mut out).unwrap();
            let json = serde_json::to_string(&first.state()).unwrap();
            let state: RenderState = serde_json::from_str(&json).unwrap();
            let mut second = renderer(text, &audio);
            second.restore(&state).unwrap();
            let rest = go_on(&mut second, &audio, cut, &[6000]);
            out.extend_from(&rest, 0..rest.frames());
            for channel in 0..2 {
                // Recursions are processed in other blocks; all other effects are bit-exact.
                assert!(snr_db(out.channel(channel), whole.channel(channel)) > 130.0, "{text} at {cut}");
            }
        }
    }
}

#[test]
fn a_preview_that_jumps_hears_the_same() {
    let audio = spoiled(240_000);
    for text in ["denoise(0 s, 300 ms)", "declick(15 dB)"] {
        let whole = run(text, &audio);
        let source = Box::new(Memory::new(audio.clone()));
        let measured = learned(text, &audio);
        let placement = Placement::cpu();
        let mut reader = Rendered::new(&chain(text), source, &placement, &measured, Seeking::Preroll).unwrap();
        let mut out = AudioBuffer::default();
        reader.seek(200_000).unwrap();
        reader.read(&mut out, 5000).unwrap();
        for channel in 0..2 {
            let db = snr_db(out.channel(channel), &whole.channel(channel)[200_000..205_000]);
            assert!(db > 100.0, "{text}: {db}");
        }
    }
}

#[test]
fn whatever_comes_in_something_sound_comes_out() {
    let square: Vec<f32> = (0..20_000).map(|n| if n / 100 % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let denormal: Vec<f32> = (0..20_000).map(|n| 1e-40 * ((n % 7) as f32 - 3.0)).collect();
    for text in CHAINS {
        assert!(run(text, &mono(vec![0.0; 20_000])).channel(0).iter().all(|x| *x == 0.0), "{text}");
        assert!(run(text, &mono(denormal.clone())).channel(0).iter().all(|x| x.abs() < 1e-37), "{text}");
        assert!(run(text, &mono(square.clone())).channel(0).iter().all(|x| x.abs() < 4.0), "{text}");
        assert_eq!(run(text, &mono(vec![0.5])).frames(), 1);
        for channels in [1, 2, 6] {
            for hz in [8000, 44_100, 192_000] {
                let rate = AudioFormat::new(SampleRate::new(hz).unwrap(), channels);
                let text = text.split(" | ").next().unwrap();
                let mut source = Memory { format: rate, ..Memory::new(noise(channels, 9000)) };
                let measured =
                    measure_whole(&chain(text), &mut source, "", &Placement::cpu(), &Progress::new()).unwrap();
                let mut at_rate = Renderer::new(&chain(text), rate, &Placement::cpu(), &measured).unwrap();
                let out = go_on(&mut at_rate, &source.audio, 0, &[3000]);
                assert_eq!((out.channels(), out.frames()), (channels, 9000));
                assert!(out.iter().flatten().all(|x| x.abs() < 4.0), "{text} at {hz}");
            }
        }
    }
}

#[test]
fn what_is_no_number_goes_no_further() {
    use effects::{Stage, find};
    for name in ["declick", "denoise"] {
        let spec = find(name).unwrap();
        let effect = spec.make(&spec.initial_arguments()).unwrap();
        let mut clean = mono(music(30_000));
        let Stage::Process(mut process) = effect.stage(format(2), None).unwrap() else { panic!() };
        let mut audio = AudioBuffer::from_channels(vec![clean.channel(0).to_vec(); 2]);
        audio.channel_mut(0)[9000..9010].fill(f32::NAN);
        audio.channel_mut(0)[12_000] = f32::INFINITY;
        process.process(&mut audio).unwrap();
        assert!(audio.iter().flatten().all(|x| x.is_finite()), "{name}");
        let Stage::Process(mut alone) = effect.stage(format(1), None).unwrap() else { panic!() };
        alone.process(&mut clean).unwrap();
        assert_eq!(audio.channel(1), clean.channel(0), "{name}: the other channel");
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let refused = |text: &str| match text.parse::<Chain>() {
        Err(error) => error.to_string(),
        Ok(chain) => {
            Renderer::new(&chain, format(1), &Placement::cpu(), &MeasuredMap::default()).unwrap_err().to_string()
        }
    };
    for (text, said) in [
        ("denoise(2 s, 1 s)", "Noise from must be before Noise to (1 s)"),
        ("denoise(0 s, 1 s, output=hiss)", "cleaned, noise"),
        ("declick(80 dB)", "6 dB to 60 dB"),
        ("dehum(24 kHz)", "Frequency must be below 24 kHz"),
        ("dehum(50 Hz, harmonics=2.5)", "a whole number"),
    ] {
        let message = refused(text);
        assert!(message.contains(said), "{text}: {message}");
    }
}

#[test]
fn every_parameter_does_something() {
    let audio = spoiled(60_000);
    let plain = run("denoise(0 s, 300 ms)", &audio);
    for other in [
        "reduction=6 dB",
        "sensitivity=15 dB",
        "time=200 ms",
        "width=1 kHz",
        "attack=200 ms",
        "release=1 s",
        "output=noise",
    ] {
        let text = format!("denoise(0 s, 300 ms, {other})");
        assert!(run(&text, &audio) != plain, "{text}");
    }
    assert!(run("denoise(100 ms, 900 ms)", &audio) != plain);
}
