//! Unusual signals: none of them makes an effect loud, produces non-finite values or changes the length.

use audio::{AudioBuffer, AudioReader};
use effects::chain::NodeKind;
use effects::{self, Stage};
use rayon::prelude::*;

use super::runs::{Sound, chain, renderer};
use super::settings::{self, Setting};
use super::streamed::format_at;
use super::table;

const FRAMES: usize = 800;

/// Signals with their names, as functions of the frame.
const SIGNALS: [(&str, fn(usize) -> f32); 7] = [
    ("silence", |_| 0.0),
    ("an offset", |_| 1.0),
    ("a full-scale square", |n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }),
    ("denormals", |n| if n % 3 == 0 { 1e-41 } else { -1e-42 }),
    ("half the rate", |n| if n % 2 == 0 { 1.0 } else { -1.0 }),
    ("no number", |n| if n % 97 == 7 { f32::NAN } else { (n as f32 * 0.1).sin() }),
    ("infinity", |n| if n == 700 { f32::INFINITY } else { (n as f32 * 0.1).sin() }),
];

fn check(setting: &Setting, name: &str, sound: &Sound) -> bool {
    let text = &setting.text;
    // Unsupported channel counts are refused with a message, which other tests check.
    if chain(text).check(sound.format()).is_err() {
        assert!(sound.audio.channels() == 1, "{text} at {} Hz", sound.rate);
        return false;
    }
    let mut renderer = renderer(text, sound);
    let expected = renderer.plan().frames_out(sound.audio.frames() as u64);
    let mut out = sound.audio.clone();
    renderer.process(&mut out).unwrap();
    let rest = renderer.finish(false).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    assert_eq!(out.frames() as u64, expected, "{text}: {name}");
    // A gain may pass on a non-finite sample in its place. No effect may produce additional ones.
    let strange = |audio: &AudioBuffer| audio.iter().flatten().filter(|sample| !sample.is_finite()).count();
    assert!(strange(&out) <= strange(&sound.audio) * out.channels().max(1), "{text}: {name}");
    let most = out.iter().flatten().filter(|sample| sample.is_finite()).fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(most <= setting.bound, "{text}: {most} of {name}, {} at {} Hz", sound.audio.channels(), sound.rate);
    match name {
        // A codec has no code for silence.
        "silence" | "denormals" if setting.name == "codec" => {}
        "silence" => assert_eq!(most, 0.0, "{text} makes a sound of silence"),
        "denormals" => assert!(most < 1e-12, "{text} makes {most} of denormals"),
        _ => {}
    }
    true
}

#[test]
fn strange_signals_come_through() {
    settings::all().par_iter().for_each(|setting| {
        let mut survived = 0;
        for rate in [8000, 44_100, 192_000] {
            for channels in [1, 2, 6] {
                for (name, signal) in SIGNALS {
                    let sound = Sound::new(rate, vec![(0..FRAMES).map(signal).collect(); channels]);
                    survived += usize::from(check(setting, name, &sound));
                }
                for frames in [0, 1, 2] {
                    let sound = Sound::new(rate, vec![vec![0.5; frames]; channels]);
                    survived += usize::from(check(setting, "a few samples", &sound));
                }
            }
        }
        assert!(survived >= 60);
        table::told(setting.name, table::SURVIVES, &format!("{survived} signals"));
    });
}

/// Not through the renderer, which itself replaces non-finite samples with silence.
#[test]
fn what_is_no_number_is_not_kept() {
    for setting in settings::all() {
        let chain = chain(&setting.text);
        let NodeKind::Effect { effect, arguments } = &chain.nodes[0].kind else { panic!("{}", setting.text) };
        let made = effects::find(effect).unwrap().make(arguments).unwrap();
        let Stage::Process(mut process) = made.stage(format_at(48_000, 2), None).unwrap() else { continue };
        let mut block = AudioBuffer::from_channels(vec![(0..4000).map(|n| (n as f32 * 0.1).sin()).collect(); 2]);
        for (at, strange) in [(50, f32::NAN), (700, f32::INFINITY), (701, f32::NEG_INFINITY), (2000, f32::NAN)] {
            block.channel_mut(0)[at] = strange;
        }
        process.process(&mut block).unwrap();
        let state = process.state();
        // An effect with latency may hold the value in its delay line for a while, but no effect may keep it.
        for _ in 0..40 {
            process.process(&mut AudioBuffer::new(2, 4000)).unwrap();
        }
        let later = process.state();
        assert!(later.iter().all(|value| value.is_finite()), "{} of {} numbers", setting.text, state.len());
        let mut block = AudioBuffer::from_channels(vec![vec![0.5; 100]; 2]);
        process.process(&mut block).unwrap();
        assert!(block.iter().flatten().all(|sample| sample.is_finite()), "{}", setting.text);
    }
}
