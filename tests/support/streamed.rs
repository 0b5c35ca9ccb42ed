//! Common properties of effects that carry state along a stream, checked for the chains that a test file names.

#![allow(dead_code, reason = "not every test file needs all of it")]

pub use super::signal;

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap, NodeKind, Placement, Rendered, Renderer, Seeking};
use effects::{self, ParameterKind, Process, Scale, Stage, Value};
use serde::Deserialize;
use signal::{Memory, noise, residual_db, wide};

pub fn format_at(hz: u32, channels: usize) -> AudioFormat {
    AudioFormat::new(SampleRate::new(hz).unwrap(), channels)
}

pub fn chain(text: &str) -> Chain {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn renderer(text: &str, hz: u32, channels: usize) -> Renderer {
    Renderer::new(&chain(text), format_at(hz, channels), &Placement::cpu(), &MeasuredMap::default()).unwrap()
}

/// Returns the chain's output, rendered in blocks of these sizes, cyclically.
pub fn in_blocks(text: &str, hz: u32, audio: &AudioBuffer, blocks: &[usize]) -> AudioBuffer {
    let mut renderer = renderer(text, hz, audio.channels());
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    let mut at = 0;
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

/// Returns the chain's output, rendered in one block.
pub fn run(text: &str, hz: u32, audio: &AudioBuffer) -> AudioBuffer {
    in_blocks(text, hz, audio, &[audio.frames().max(1)])
}

/// Returns the process of a chain with a single effect.
pub fn process(text: &str, hz: u32, channels: usize) -> Box<dyn Process> {
    let chain = chain(text);
    let NodeKind::Effect { effect, arguments } = &chain.nodes[0].kind else { panic!("{text} is no effect") };
    match effects::find(effect).unwrap().make(arguments).unwrap().stage(format_at(hz, channels), None).unwrap() {
        Stage::Process(process) => process,
        other => panic!("{text} is {other:?}"),
    }
}

/// Returns the peak absolute sample; `NaN` if any sample is `NaN`.
pub fn peak(audio: &AudioBuffer) -> f32 {
    audio
        .iter()
        .flatten()
        .fold(0.0, |most: f32, sample| if sample.abs() > most || sample.is_nan() { sample.abs() } else { most })
}

pub fn equal(a: &AudioBuffer, b: &AudioBuffer) -> bool {
    a.channels() == b.channels() && a.iter().zip(b.iter()).all(|(a, b)| a == b)
}

/// Creates a signal from a function of channel and frame.
pub fn signal(channels: usize, frames: usize, value: impl Fn(usize, usize) -> f32) -> AudioBuffer {
    let channel = |channel| (0..frames).map(|frame| value(channel, frame)).collect();
    AudioBuffer::from_channels((0..channels).map(channel).collect())
}

#[derive(Deserialize)]
pub struct Reference {
    pub cases: Vec<Case>,
}

/// A reference output computed elsewhere.
#[derive(Deserialize)]
pub struct Case {
    pub chain: String,
    pub rate: u32,
    pub frames: usize,
    pub step: usize,
    pub rms: Vec<f64>,
    pub values: Vec<Vec<f64>>,
    #[serde(default = "one")]
    pub gain: f64,
}

fn one() -> f64 {
    1.0
}

impl Case {
    /// Returns the worst residual of a channel in dB relative to its RMS, and the largest difference.
    pub fn residual(&self) -> (f64, f64) {
        let got = run(&self.chain, self.rate, &noise(self.values.len(), self.frames));
        let mut worst = (f64::NEG_INFINITY, 0.0f64);
        for (channel, expected) in self.values.iter().enumerate() {
            let kept: Vec<f32> =
                got.channel(channel).iter().step_by(self.step).map(|v| (f64::from(*v) * self.gain) as f32).collect();
            let level = [self.rms[channel] as f32];
            let (residual, _) = residual_db(&kept, expected, &level);
            let difference =
                kept.iter().zip(expected).map(|(got, want)| (f64::from(*got) - want).abs()).fold(0.0, f64::max);
            worst = (worst.0.max(residual), worst.1.max(difference));
        }
        worst
    }
}

/// Asserts that blocks of any size give identical samples through the renderer, for several channel counts.
pub fn assert_blocks_do_not_matter(text: &str) {
    for channels in [1, 2, 3] {
        let audio = noise(channels, 20_000);
        let whole = run(text, 48_000, &audio);
        for blocks in [&[1usize, 7, 500, 3, 4096][..], &[2048], &[333, 1, 1, 64]] {
            let pieces = in_blocks(text, 48_000, &audio, blocks);
            assert!(equal(&pieces, &whole), "{text}: {channels} channels in {blocks:?}");
        }
    }
}

/// Asserts that a state exported by one process can be restored in another, with identical output, and that a foreign
/// state is refused.
pub fn assert_state_is_carried(text: &str) {
    let audio = noise(2, 16_000);
    let part = |range: std::ops::Range<usize>| {
        let mut block = AudioBuffer::new(2, 0);
        block.extend_from(&audio, range);
        block
    };
    let (mut first, mut second) = (process(text, 48_000, 2), process(text, 48_000, 2));
    let mut block = part(0..9_001);
    assert!(first.seek(123_456));
    first.process(&mut block).unwrap();
    let state = first.state();
    second.process(&mut part(0..777)).unwrap();
    second.restore(&state).unwrap();
    assert!(second.seek(123_456 + 9_001), "{text}: the state tells where it is");
    let (mut goes_on, mut taken_up) = (part(9_001..16_000), part(9_001..16_000));
    first.process(&mut goes_on).unwrap();
    second.process(&mut taken_up).unwrap();
    assert!(equal(&goes_on, &taken_up), "{text}");
    for foreign in [vec![], vec![2.0, 0.0], state[..state.len() - 1].to_vec(), [&state[..], &[0.0]].concat()] {
        assert!(second.restore(&foreign).is_err(), "{text} takes {} numbers", foreign.len());
    }
    assert!(process(text, 48_000, 1).restore(&state).is_err(), "{text}: another number of channels");
}

/// Asserts that a process that starts elsewhere sounds as if it had played silence up to there: modulation follows the
/// time.
pub fn assert_time_is_known(text: &str) {
    let audio = noise(2, 5_000);
    let mut through = process(text, 48_000, 2);
    through.process(&mut AudioBuffer::new(2, 70_001)).unwrap();
    let mut jumped = process(text, 48_000, 2);
    jumped.process(&mut noise(2, 5_000)).unwrap();
    assert!(!jumped.seek(70_001), "{text} says that it goes on");
    let (mut a, mut b) = (audio.clone(), audio.clone());
    through.process(&mut a).unwrap();
    jumped.process(&mut b).unwrap();
    assert!(equal(&a, &b), "{text}");
}

/// Asserts that a read after a seek equals continuous playback: exactly, or within -110 dB with a pre-roll.
pub fn assert_jumps_do_not_matter(text: &str) {
    let audio = noise(2, 240_000);
    let whole = run(text, 48_000, &audio);
    for (seeking, limit_db) in [(Seeking::Exact, -200.0), (Seeking::Preroll, -110.0)] {
        let source = Box::new(Memory::new(audio.clone()));
        let mut reader =
            Rendered::new(&chain(text), source, &Placement::cpu(), &MeasuredMap::default(), seeking).unwrap();
        for from in [200_000usize, 3_000, 120_001, 230_000] {
            let mut got = AudioBuffer::default();
            reader.seek(from as u64).unwrap();
            reader.read(&mut got, 4_000).unwrap();
            for channel in 0..2 {
                let want = wide(&whole.channel(channel)[from..from + 4_000]);
                let (residual, _) = residual_db(got.channel(channel), &want, audio.channel(channel));
                assert!(residual < limit_db, "{text} from {from}, {seeking:?}: {residual} dB");
            }
        }
    }
}

/// Asserts that silence stays silent; that constants, full-scale squares, denormals, single samples and unusual channel
/// counts give finite output at every usual rate; and that non-finite samples affect neither later samples nor other
/// channels.
pub fn assert_survives(text: &str) {
    assert_eq!(peak(&run(text, 48_000, &AudioBuffer::new(2, 10_000))), 0.0, "{text} makes a sound of silence");
    for hz in [8_000, 44_100, 192_000] {
        for channels in [1, 2, 6] {
            let square = signal(channels, 6_000, |_, n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 });
            let constant = signal(channels, 6_000, |_, _| 1.0);
            let tiny = signal(channels, 6_000, |_, n| if n % 3 == 0 { 1e-40 } else { -1e-42 });
            for audio in [square, constant, tiny, noise(channels, 1), noise(channels, 2), AudioBuffer::new(channels, 0)]
            {
                let got = run(text, hz, &audio);
                assert_eq!(got.frames(), audio.frames());
                assert!(peak(&got) < 60.0, "{text} at {hz} Hz in {channels} channels: {}", peak(&got));
            }
        }
    }
    // Not through the renderer, which itself replaces non-finite samples with silence.
    let spoil = |with: f32| {
        let mut audio = noise(4, 12_000);
        for at in [100, 101, 5_000] {
            audio.channel_mut(0)[at] = with;
        }
        let mut process = process(text, 48_000, 4);
        process.process(&mut audio).unwrap();
        assert!(process.state().iter().all(|value| value.is_finite()), "{text} keeps {with}");
        audio
    };
    let clean = spoil(0.0);
    for with in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38] {
        assert!(equal(&spoil(with), &clean), "{text} with {with}");
    }
}

/// Asserts that the state decays to zero after the sound has ended, and not to denormals, which slow down a processor.
pub fn assert_dies_away(text: &str, seconds: f64) {
    let mut process = process(text, 48_000, 2);
    process.process(&mut noise(2, 5_000)).unwrap();
    for _ in 0..(seconds * 48.0) as usize {
        process.process(&mut AudioBuffer::new(2, 1_000)).unwrap();
    }
    let state = process.state();
    // After the header: channels, position and a marker.
    let denormal = state[3..].iter().filter(|value| **value != 0.0 && value.abs() < 1e-36).count();
    assert_eq!(denormal, 0, "{text} holds denormals");
}

/// Asserts that every parameter of the effect changes the output. In `text`, all parameters must matter.
pub fn assert_parameters_matter(text: &str, fixed: &[&str]) {
    let chain = chain(text);
    let NodeKind::Effect { effect, arguments } = &chain.nodes[0].kind else { panic!("{text} is no effect") };
    let spec = effects::find(effect).unwrap();
    let audio = noise(2, 30_000);
    let sound = |arguments: &effects::Arguments| {
        let Stage::Process(mut process) = spec.make(arguments).unwrap().stage(format_at(48_000, 2), None).unwrap()
        else {
            panic!("{text} is no process")
        };
        let mut block = audio.clone();
        process.process(&mut block).unwrap();
        block
    };
    let as_it_is = sound(arguments);
    for parameter in spec.parameters.iter().filter(|parameter| !fixed.contains(&parameter.name)) {
        let mut changed = arguments.clone();
        let now = arguments.number(parameter.name);
        match parameter.kind {
            ParameterKind::Number { max, scale, .. } | ParameterKind::NumberOrNote { max, scale, .. } => {
                let now = now.unwrap_or(0.5);
                let other = if scale == Scale::Integer { now + 1.0 } else { 0.8 * now + 0.01 };
                changed.set(parameter.name, other.min(max));
            }
            ParameterKind::Choice { options, .. } => {
                let now = arguments.text(parameter.name);
                let other = options.iter().find(|option| Some(**option) != now).unwrap();
                changed.set(parameter.name, *other);
            }
            ParameterKind::File { .. } => continue,
        }
        assert!(!equal(&sound(&changed), &as_it_is), "{text}: {} does nothing", parameter.name);
    }
}

/// Asserts that all allowed values, also when changed during playback, give finite output within `limit` for an input
/// within 1.
pub fn assert_sweeps_are_bounded(effect: &str, limit: f32, rounds: u64) {
    let spec = effects::find(effect).unwrap();
    let audio = signal(2, 4_000, |channel, n| if (n / 37 + channel) % 2 == 0 { 1.0 } else { -1.0 });
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut state: Option<Vec<f64>> = None;
    let mut position = 0;
    for _ in 0..rounds {
        let mut arguments = spec.initial_arguments();
        for parameter in spec.parameters {
            let mut tried = arguments.clone();
            let share = match random() {
                place if place < 0.3 => 0.0,
                place if place < 0.6 => 1.0,
                _ => random(),
            };
            match parameter.kind {
                ParameterKind::Number { min, max, scale, .. } | ParameterKind::NumberOrNote { min, max, scale, .. } => {
                    let value = match scale {
                        Scale::Integer | Scale::Index => (min + share * (max - min)).round(),
                        Scale::Log if min > 0.0 => (min * (max / min).powf(share)).clamp(min, max),
                        Scale::Linear | Scale::Log => min + share * (max - min),
                    };
                    tried.set(parameter.name, Value::Number(value));
                }
                ParameterKind::Choice { options, .. } => {
                    tried.set(parameter.name, options[(share * (options.len() - 1) as f64) as usize]);
                }
                ParameterKind::File { .. } => {}
            }
            let made = spec.make(&tried).and_then(|effect| effect.stage(format_at(48_000, 2), None));
            if made.is_ok() {
                arguments = tried;
            }
        }
        let Stage::Process(mut process) = spec.make(&arguments).unwrap().stage(format_at(48_000, 2), None).unwrap()
        else {
            panic!("{effect} is no process")
        };
        // As in a renderer: if the state does not fit, the process starts again.
        if let Some(state) = &state {
            let _ = process.restore(state);
        }
        process.seek(position);
        let mut block = audio.clone();
        process.process(&mut block).unwrap();
        position += 4_000;
        assert!(peak(&block) <= limit, "{effect}: {} with {arguments:?}", peak(&block));
        state = Some(process.state());
    }
}
