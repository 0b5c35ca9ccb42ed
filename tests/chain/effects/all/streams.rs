//! Streams in arbitrary blocks, and states restored in the middle, compared with a single pass.

use audio::AudioBuffer;
use effects::{self, Stage};
use rayon::prelude::*;

use super::runs::{self, Sound, chain, in_blocks, noise, run, taken_up};
use super::settings::{self, Setting};
use super::streamed::format_at;
use super::table;

/// The allowed residual, relative to the louder of input and output.
const ALLOWED_DB: f64 = -150.0;

fn rms(samples: &[f32]) -> f64 {
    (samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len().max(1) as f64).sqrt()
}

/// Returns the worst channel's residual in dB; negative infinity for identical samples.
fn residual_db(got: &AudioBuffer, whole: &AudioBuffer, input: &AudioBuffer) -> f64 {
    assert_eq!((got.channels(), got.frames()), (whole.channels(), whole.frames()));
    let level = input.iter().chain(whole.iter()).map(rms).fold(0.0, f64::max);
    let apart = got.iter().zip(whole.iter()).map(|(got, whole)| {
        let apart: Vec<f32> = got.iter().zip(whole).map(|(a, b)| a - b).collect();
        rms(&apart)
    });
    let most = apart.fold(0.0, f64::max);
    if most == 0.0 { f64::NEG_INFINITY } else { 20.0 * (most / level).log10() }
}

/// A signal with loud and soft parts, long enough to have a loudness.
fn sound() -> Sound {
    let mut sound = noise(48_000, 2, 19_600);
    for channel in sound.audio.iter_mut() {
        for (n, sample) in channel.iter_mut().enumerate() {
            *sample *= [1.0, 0.05, 0.5, 0.2][n / 1500 % 4];
        }
    }
    sound
}

/// Random block sizes, most of them small.
fn random_sizes(seed: u64) -> Vec<usize> {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1u32 << 24)
    };
    (0..12).map(|_| (8000f64.powf(random())) as usize).collect()
}

/// Whether the block sizes may change the last bits: only in cascades, whose blocks are computed in parallel.
fn is_cascade(setting: &Setting) -> bool {
    let spec = effects::find(setting.name).unwrap();
    let effect = spec.make(&spec.initial_arguments()).unwrap();
    matches!(effect.stage(format_at(48_000, 2), None).unwrap(), Stage::Sections(_))
}

#[test]
fn streams_cut_anyhow_give_what_one_pass_gives() {
    let sound = sound();
    settings::all().par_iter().for_each(|setting| {
        let text = &setting.text;
        let whole = run(text, &sound);
        let loudest = whole.iter().flatten().fold(0.0f32, |most, x| most.max(x.abs()));
        assert!(loudest > 1e-3, "{text} is silent");
        let cuts = [random_sizes(1), random_sizes(2), vec![1023, 1, 1025]];
        let worst = cuts
            .iter()
            .map(|sizes| residual_db(&in_blocks(text, &sound, sizes, false), &whole, &sound.audio))
            .fold(f64::NEG_INFINITY, f64::max);
        let exact = !is_cascade(setting);
        assert!(if exact { worst == f64::NEG_INFINITY } else { worst <= ALLOWED_DB }, "{text}: {worst} dB when cut");
        table::figure(setting.name, table::CUT, worst, "dB", if exact { " (none)" } else { " (-150 dB)" });
        let worst = [7001, 19_599]
            .map(|at| residual_db(&taken_up(text, &sound, at), &whole, &sound.audio))
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max);
        assert!(if exact { worst == f64::NEG_INFINITY } else { worst <= ALLOWED_DB }, "{text}: {worst} dB taken up");
        table::figure(setting.name, table::TAKEN_UP, worst, "dB", "");
    });
}

#[test]
fn another_sound_is_told_from_the_same() {
    let sound = sound();
    let whole = run("highpass(80 Hz)", &sound);
    let mut spoiled = whole.clone();
    spoiled.channel_mut(1)[999] += 1e-6;
    assert!(residual_db(&spoiled, &whole, &sound.audio) > ALLOWED_DB);
    assert_eq!(residual_db(&whole, &whole, &sound.audio), f64::NEG_INFINITY);
    assert!(runs::renderer("limiter", &sound).latency_frames() > 0 && chain("limiter").nodes.len() == 1);
}
