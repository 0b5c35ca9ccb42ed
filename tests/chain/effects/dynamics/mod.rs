//! Compressor, expander, gate, limiter and de-esser: against models, static curves, times, ceilings, streams.

mod curves;
mod limiter;
mod reference;
#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::{effects_table as table, signal};
mod streams;

use audio::{AudioBuffer, AudioFormat};
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};
use effects::{self, Arguments, Effect, Process, Stage, Value};

const EFFECTS: [&str; 5] = ["compressor", "expander", "gate", "limiter", "de_esser"];

fn format(rate: u32, channels: usize) -> AudioFormat {
    AudioFormat::new(SampleRate::new(rate).unwrap(), channels)
}

/// Creates the effect with its initial values, some of them changed.
fn effect(name: &str, given: &[(&str, Value)]) -> Box<dyn Effect> {
    let spec = effects::find(name).unwrap();
    let mut arguments = spec.initial_arguments();
    given.iter().for_each(|(name, value)| arguments.set(name, value.clone()));
    spec.make(&arguments).unwrap()
}

fn process(effect: &dyn Effect, format: AudioFormat) -> Box<dyn Process> {
    match effect.stage(format, None).unwrap() {
        Stage::Process(process) => process,
        other => panic!("{other:?} is no process"),
    }
}

/// Creates the effect of a chain with a single node.
fn of_text(text: &str) -> Box<dyn Effect> {
    let chain: Chain = text.parse().unwrap();
    let effects::chain::NodeKind::Effect { effect, arguments } = &chain.nodes[0].kind else { panic!("{text}") };
    effects::find(effect).unwrap().make(arguments).unwrap()
}

/// Returns the output aligned with the input, processed in blocks of these sizes, cyclically.
fn run(effect: &dyn Effect, input: &AudioBuffer, rate: u32, blocks: &[usize]) -> AudioBuffer {
    let format = format(rate, input.channels());
    let mut process = process(effect, format);
    let latency = effect.latency_frames(format) as usize;
    let mut input = input.clone();
    let total = input.frames() + latency;
    input.resize(input.channels(), total);
    let mut out = AudioBuffer::new(input.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    let mut at = 0;
    while at < total {
        let end = total.min(at + sizes.next().copied().unwrap_or(total));
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(&input, at..end);
        process.process(&mut block).unwrap();
        assert_eq!(process.reductions_db().len(), (end - at).div_ceil(effects::METER_FRAMES));
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
    out.drop_front(latency);
    out
}

fn run_text(text: &str, input: &AudioBuffer) -> AudioBuffer {
    run(of_text(text).as_ref(), input, 48_000, &[])
}

fn renderer(text: &str, channels: usize) -> Renderer {
    let chain: Chain = text.parse().unwrap();
    Renderer::new(&chain, signal::format(channels), &Placement::cpu(), &MeasuredMap::default()).unwrap()
}

fn mono(samples: impl Iterator<Item = f64>) -> AudioBuffer {
    AudioBuffer::from_channels(vec![samples.map(|sample| sample as f32).collect()])
}

fn gain(db: f64) -> f64 {
    10f64.powf(db / 20.0)
}

fn db(gain: f64) -> f64 {
    20.0 * gain.log10()
}

fn sine(hz: f64, level_db: f64, frames: usize) -> AudioBuffer {
    let turn = std::f64::consts::TAU * hz / 48_000.0;
    mono((0..frames).map(|n| gain(level_db) * (turn * n as f64).sin()))
}

/// Noise that alternates between soft and loud, at different times in each channel.
fn bursts(channels: usize, frames: usize) -> AudioBuffer {
    let mut audio = signal::noise(channels, frames);
    for (channel, samples) in audio.iter_mut().enumerate() {
        for (n, sample) in samples.iter_mut().enumerate() {
            let step = (n / (700 + 300 * channel)) % 4;
            *sample *= 2.0 * 0.1f32.powi(step as i32);
        }
    }
    audio
}

fn arguments(values: &serde_json::Map<String, serde_json::Value>) -> Arguments {
    let mut arguments = Arguments::default();
    for (name, value) in values {
        match value.as_f64() {
            Some(number) => arguments.set(name, number),
            None => arguments.set(name, value.as_str().unwrap()),
        }
    }
    arguments
}
