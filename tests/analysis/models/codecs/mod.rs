//! Codec models against PyTorch, with the small random models of `tests/reference/codec_models.py`.

mod command;
mod container;
mod interface;
mod layers;
mod misfits;
mod names;
mod pieces;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use undertone::audio::AudioBuffer;
use undertone::codecs::Sound;
use undertone::models::{CodecModel, open_codec};
use undertone::network::{Constants, Graph, Item, Session, State, oracle};
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::weights::Weights;

/// The models in the Hugging Face layout.
pub const MODELS: [&str; 5] = ["encodec_24khz", "encodec_48khz", "dac_24khz", "dac_44khz", "mimi"];

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codec_models").join(name)
}

pub fn open(name: &str) -> Arc<dyn CodecModel> {
    open_codec(&Weights::open(&fixture(name)).unwrap()).unwrap()
}

/// Values that PyTorch computed.
pub struct Reference(Weights);

impl Reference {
    pub fn open(name: &str) -> Self {
        let path = fixture(name);
        let path = if path.is_dir() {
            path.join("reference.safetensors")
        } else {
            fixture(&format!("{name}.reference.safetensors"))
        };
        Self(Weights::open(&path).unwrap())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.entry(name).is_some()
    }

    pub fn get(&self, name: &str) -> (Vec<usize>, Vec<f32>) {
        let entry = self.0.entry(name).unwrap_or_else(|| panic!("no {name} in the reference"));
        (entry.shape.clone(), self.0.tensor(name, &entry.shape).unwrap())
    }
}

/// Runs a graph of one input in a session, and returns its first result.
pub fn run(model: &dyn CodecModel, graph: &Graph, input: &[f32], state: &mut State) -> Vec<f32> {
    run_all(model, graph, input, state).remove(0)
}

fn run_all(model: &dyn CodecModel, graph: &Graph, input: &[f32], state: &mut State) -> Vec<Vec<f32>> {
    let session = Session::new(graph, &Constants::new(model.parameters())).unwrap();
    let mut items = [Item::new(vec![input], state)];
    session.run(&mut items, &Progress::new()).unwrap();
    let [item] = items;
    item.outputs
}

/// Runs a graph, in a session or by the definitions, and returns what each place gives: its last node, or the last of
/// its parts.
pub fn run_places(
    model: &dyn CodecModel,
    graph: &Graph,
    input: &[f32],
    by_definition: bool,
) -> BTreeMap<String, (usize, Vec<f32>)> {
    let mut last = BTreeMap::new();
    for (n, node) in graph.nodes().iter().enumerate() {
        let ends = node.name.match_indices('.').map(|(at, _)| at).chain([node.name.len()]);
        last.extend(ends.map(|end| (node.name[..end].to_owned(), n)));
    }
    let graph = graph.cut(last.iter().map(|(name, &n)| (name.clone(), graph.value(n))).collect());
    let results = if by_definition {
        let results = oracle::run(&graph, model.parameters(), &[input], &mut State::new()).unwrap();
        results.iter().map(|values| values.iter().map(|&x| x as f32).collect()).collect()
    } else {
        run_all(model, &graph, input, &mut State::new())
    };
    last.into_iter().zip(results).map(|((name, n), values)| (name, (graph.nodes()[n].shape.frames, values))).collect()
}

/// The residual in dB re the expected values.
pub fn residual_db(got: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let energy = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let error = energy(&mut got.iter().zip(expected).map(|(a, b)| f64::from(*a) - f64::from(*b)));
    let signal = energy(&mut expected.iter().map(|x| f64::from(*x)));
    10.0 * (error / signal.max(1e-30)).max(1e-30).log10()
}

/// A sound with zeros up to a multiple of the hop.
pub fn filled(sound: &[f32], channels: usize, hop: usize) -> Vec<f32> {
    let frames = sound.len() / channels;
    let full = frames.next_multiple_of(hop);
    sound
        .chunks(frames)
        .flat_map(|channel| channel.iter().copied().chain(std::iter::repeat_n(0.0, full - frames)))
        .collect()
}

/// A sound in memory.
pub fn sound(hz: u32, channels: Vec<Vec<f32>>) -> Sound {
    Sound::new(SampleRate::new(hz).unwrap(), AudioBuffer::from_channels(channels))
}

/// Tones that come and go.
pub fn tones(frames: usize, hz: u32, seed: u32) -> Vec<f32> {
    let time = |n: usize| n as f32 / hz as f32;
    let tone = |n: usize, f: f32| (std::f32::consts::TAU * f * time(n)).sin();
    let seed = seed as f32;
    (0..frames)
        .map(|n| 0.3 * tone(n, 200.0 + 37.0 * seed) * (1.0 + tone(n, 3.0 + seed)) + 0.05 * tone(n, 3100.0))
        .collect()
}
