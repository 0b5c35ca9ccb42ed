//! Codec models against PyTorch, with the small random models of `tests/reference/codec_models.py`.

mod container;
mod interface;
mod layers;
mod misfits;
mod names;
mod pieces;

use crate::oracle;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::progress::Progress;
use neural::models::{CodecModel, open_codec};
use neural::network::{Constants, Graph, Item, Session, State};
use neural::weights::Weights;

pub use crate::support::codec_models::{Reference, fixture, residual_db, sound, tones};

/// The models in the Hugging Face layout.
pub const MODELS: [&str; 5] = ["encodec_24khz", "encodec_48khz", "dac_24khz", "dac_44khz", "mimi"];

pub fn open(name: &str) -> Arc<dyn CodecModel> {
    open_codec(&Weights::open(&fixture(name)).unwrap()).unwrap()
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

/// A sound with zeros up to a multiple of the hop.
pub fn filled(sound: &[f32], channels: usize, hop: usize) -> Vec<f32> {
    let frames = sound.len() / channels;
    let full = frames.next_multiple_of(hop);
    sound
        .chunks(frames)
        .flat_map(|channel| channel.iter().copied().chain(std::iter::repeat_n(0.0, full - frames)))
        .collect()
}
