//! Effects for tests only. Each has one property that the renderer must handle.

use audio::{AudioBuffer, AudioFormat};
use base::Result;
use dsp::design::{Section, Svf};
use effects::chain::{Chain, Node, NodeId, NodeKind};
use effects::{
    Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Process, Purpose, Scale, Stage, Unit, Value,
    WholeSignal,
};

/// The catalogue of the effects in this file.
pub fn find(name: &str) -> Option<&'static EffectSpec> {
    SPECS.iter().find(|spec| spec.name == name)
}

const fn spec(name: &'static str, build: fn(&Arguments) -> Result<Box<dyn Effect>>) -> EffectSpec {
    EffectSpec {
        name,
        title: name,
        purpose: Purpose::Filter,
        summary: "",
        documentation: "",
        source: "",
        parameters: &NUMBERS,
        positional: 0,
        search: "",
        aliases: &[],
        selection: None,
        example: "",
        largest_output: 1.0,
        build,
    }
}

const fn any(name: &'static str) -> Parameter {
    let (min, max) = (-1e9, 1e9);
    let kind =
        ParameterKind::Number { unit: Unit::None, min, max, default: Some(0.0), initial: 0.0, scale: Scale::Linear };
    Parameter { name, title: name, help: "", used_when: &[], travel: None, rest: None, units: &[], kind }
}

static NUMBERS: [Parameter; 8] =
    [any("g"), any("k"), any("m0"), any("m1"), any("m2"), any("left"), any("right"), any("frames")];

static SPECS: [EffectSpec; 7] = [
    spec("svf", |arguments| Ok(Box::new(Filter(svf(arguments))))),
    spec("gain", |arguments| Ok(Box::new(Gain(number(arguments, "left"), number(arguments, "right"))))),
    spec("loudest", |_| Ok(Box::new(Loudest))),
    spec("lookahead", |arguments| Ok(Box::new(Lookahead(number(arguments, "frames") as usize)))),
    spec("echo", |arguments| Ok(Box::new(Echo(number(arguments, "frames") as usize)))),
    spec("mono", |_| Ok(Box::new(Mono))),
    spec("decimate", |_| Ok(Box::new(Decimate))),
];

fn number(arguments: &Arguments, name: &str) -> f64 {
    arguments.number(name).unwrap_or(0.0)
}

fn svf(arguments: &Arguments) -> Svf {
    let m = [number(arguments, "m0"), number(arguments, "m1"), number(arguments, "m2")];
    Svf { g: number(arguments, "g"), k: number(arguments, "k"), m }
}

/// Creates a node without mix, bypass or label.
pub fn node(id: u32, effect: &str, arguments: &[(&str, f64)]) -> Node {
    let mut all = Arguments::default();
    for (name, value) in arguments {
        all.set(name, Value::Number(*value));
    }
    plain(id, NodeKind::Effect { effect: effect.into(), arguments: all })
}

/// Sets the mix of `node`.
pub fn mixed(mix: f64, node: Node) -> Node {
    Node { mix, ..node }
}

/// Bypasses `node`.
pub fn off(node: Node) -> Node {
    Node { bypass: true, ..node }
}

/// Creates a group of nodes in series.
pub fn series(id: u32, nodes: Vec<Node>) -> Node {
    plain(id, NodeKind::Series { nodes })
}

/// Creates a group of parallel nodes.
pub fn parallel(id: u32, nodes: Vec<Node>) -> Node {
    plain(id, NodeKind::Parallel { nodes })
}

/// Creates a chain of nodes.
pub fn chain(nodes: Vec<Node>) -> Chain {
    Chain::new(nodes)
}

fn plain(id: u32, kind: NodeKind) -> Node {
    Node { id: NodeId(id), bypass: false, mix: 1.0, label: None, kind }
}

/// A low-pass with `g = tan(pi f / rate)` and damping `k`.
pub fn low(id: u32, g: f64, k: f64) -> Node {
    node(id, "svf", &[("g", g), ("k", k), ("m2", 1.0)])
}

/// A high-pass: the input minus its band-pass and low-pass parts.
pub fn high(id: u32, g: f64, k: f64) -> Node {
    node(id, "svf", &[("g", g), ("k", k), ("m0", 1.0), ("m1", -k), ("m2", -1.0)])
}

/// A gain for each of left and right.
pub fn gain(id: u32, left: f64, right: f64) -> Node {
    node(id, "gain", &[("left", left), ("right", right)])
}

#[derive(Debug)]
struct Filter(Svf);

impl Effect for Filter {
    fn stage(&self, _input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        // Only the `svf` form is used.
        Ok(Stage::Sections(vec![Section { b: [0.0; 3], a: [1.0, 0.0, 0.0], svf: self.0 }]))
    }
}

#[derive(Debug)]
struct Gain(f64, f64);

impl Effect for Gain {
    fn stage(&self, input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        let gain = |channel| if channel % 2 == 0 { self.0 } else { self.1 };
        Ok(Stage::Gain((0..input.channels).map(gain).collect()))
    }
}

/// Normalises the overall peak to 1.
#[derive(Debug)]
struct Loudest;

impl Effect for Loudest {
    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(WholeSignal::SamplePeak)
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        let most = measured.map_or(0.0, |measured| measured.together);
        Ok(Stage::Gain(vec![if most > 0.0 { 1.0 / most } else { 1.0 }; input.channels]))
    }
}

/// Delays the signal by a number of frames and declares them as latency, like an effect with look-ahead.
#[derive(Debug)]
struct Lookahead(usize);

impl Effect for Lookahead {
    fn latency_frames(&self, _input: AudioFormat) -> u64 {
        self.0 as u64
    }

    fn stage(&self, input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(Late::new(self.0, input.channels, 0.0, 1.0))))
    }
}

/// Adds half of the signal, delayed by a number of frames: a tail.
#[derive(Debug)]
struct Echo(usize);

impl Effect for Echo {
    fn tail_frames(&self, _input: AudioFormat) -> u64 {
        self.0 as u64
    }

    fn stage(&self, input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(Late::new(self.0, input.channels, 1.0, 0.5))))
    }
}

#[derive(Debug)]
struct Late {
    waiting: Vec<Vec<f32>>,
    dry: f32,
    late: f32,
}

impl Late {
    fn new(frames: usize, channels: usize, dry: f32, late: f32) -> Self {
        Self { waiting: vec![vec![0.0; frames]; channels], dry, late }
    }
}

impl Process for Late {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        for (waiting, samples) in self.waiting.iter_mut().zip(block.iter_mut()) {
            waiting.extend_from_slice(samples);
            for (sample, late) in samples.iter_mut().zip(waiting.iter()) {
                *sample = self.dry * *sample + self.late * late;
            }
            waiting.drain(..samples.len());
        }
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        self.waiting.iter().flatten().map(|sample| f64::from(*sample)).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        if state.len() != self.waiting.iter().flatten().count() {
            return Err(base::Error::Internal("a delay was given the state of another one".into()));
        }
        for (to, from) in self.waiting.iter_mut().flatten().zip(state) {
            *to = *from as f32;
        }
        Ok(())
    }
}

/// Sums all channels into one.
#[derive(Debug)]
struct Mono;

impl Effect for Mono {
    fn channels_out(&self, _channels_in: usize) -> Result<usize> {
        Ok(1)
    }

    fn stage(&self, _input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(SumChannels)))
    }
}

#[derive(Debug)]
struct SumChannels;

impl Process for SumChannels {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let sum = (0..block.frames()).map(|frame| block.iter().map(|samples| samples[frame]).sum()).collect();
        *block = AudioBuffer::from_channels(vec![sum]);
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    fn restore(&mut self, _state: &[f64]) -> Result<()> {
        Ok(())
    }
}

/// Keeps every second frame, at half the rate.
#[derive(Debug)]
struct Decimate;

impl Effect for Decimate {
    fn time_map(&self, _input: AudioFormat) -> effects::TimeMap {
        effects::TimeMap { rate_ratio: 0.5, duration_ratio: 1.0 }
    }

    fn stage(&self, _input: AudioFormat, _measured: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(EverySecond { skip: false })))
    }
}

#[derive(Debug)]
struct EverySecond {
    skip: bool,
}

impl Process for EverySecond {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let frames = block.frames();
        let first = usize::from(self.skip);
        let channels = block.iter().map(|samples| samples.iter().skip(first).step_by(2).copied().collect()).collect();
        self.skip ^= frames % 2 == 1;
        *block = AudioBuffer::from_channels(channels);
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        vec![f64::from(u8::from(self.skip))]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        self.skip = state[0] != 0.0;
        Ok(())
    }
}
