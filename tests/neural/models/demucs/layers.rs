//! Every layer's output.

use crate::oracle;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::progress::Progress;
use dsp::device::{DeviceRequest, Devices, RunPurpose};
use neural::models::demucs::HybridDemucs;
use neural::network::{Constants, Graph, Item, Session, State};
use neural::stems::demucs::spectrum::{Spectrum, normalized};

use super::{HYBRID, MODELS, Reference, open, residual_db, thin};

/// PyTorch computes in f32.
const LIMIT_DB: f64 = -100.0;

/// How a graph is run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Definition,
    Cpu,
    Gpu,
}

/// Spectrum and samples of the segment of so many frames, as the network takes them.
fn inputs(model: &HybridDemucs, reference: &Reference, frames: usize) -> [Vec<f32>; 2] {
    let segment: Vec<Vec<f32>> = reference.mix().iter().map(|channel| channel[500..500 + frames].to_vec()).collect();
    let mut spectrum = Spectrum::new(model.configuration()).unwrap().of(&segment).unwrap();
    let mut sound = segment.concat();
    normalized(&mut spectrum);
    normalized(&mut sound);
    [spectrum, sound]
}

/// The last node of each place, and of each of the places that it is part of.
fn places(graph: &Graph) -> BTreeMap<String, usize> {
    let mut last = BTreeMap::new();
    for (n, node) in graph.nodes().iter().enumerate() {
        let ends = node.name.match_indices('.').map(|(at, _)| at).chain([node.name.len()]);
        last.extend(ends.map(|end| (node.name[..end].to_owned(), n)));
    }
    last
}

fn run(model: &HybridDemucs, graph: &Graph, inputs: &[Vec<f32>; 2], way: Way) -> Option<Vec<Vec<f32>>> {
    let inputs: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    let mut state = State::new();
    if way == Way::Definition {
        let results = oracle::run(graph, model.parameters(), &inputs, &mut state).unwrap();
        return Some(results.into_iter().map(|values| values.into_iter().map(|x| x as f32).collect()).collect());
    }
    let session = Session::new(graph, &Constants::new(model.parameters())).unwrap();
    let mut items = [Item::new(inputs, &mut state)];
    if way == Way::Cpu {
        session.run(&mut items, &Progress::new()).unwrap();
    } else {
        let devices = Arc::new(Devices::default());
        let mut job = session.job(&DeviceRequest::Gpu, &devices, RunPurpose::Export, None).unwrap();
        if !job.is_on_gpu() {
            assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "{}", job.report().reason);
            println!("skipped: {}", job.report().reason);
            return None;
        }
        session.run_on(&mut job, &mut items, &Progress::new()).unwrap();
        assert!(job.is_on_gpu(), "{}", job.report().reason);
    }
    let [item] = items;
    Some(item.outputs)
}

/// One test at a time has the adapter.
static ADAPTER: Mutex<()> = Mutex::new(());

#[test]
fn every_layer_gives_what_pytorch_gives() {
    let _turn = ADAPTER.lock();
    for (name, way) in MODELS.into_iter().flat_map(|name| [Way::Definition, Way::Cpu, Way::Gpu].map(|way| (name, way)))
    {
        let (model, reference) = (open(name), Reference::of(name));
        let wanted: Vec<(&str, usize, &[f32])> =
            reference.thinned().filter(|(place, ..)| *place != "out" && !place.starts_with("apply.")).collect();
        compare(&model, &inputs(&model, &reference, 6000), &wanted, way, name);
        assert!(wanted.len() >= 80, "{name}: {} places", wanted.len());
    }
}

/// A model without a transformer takes segments of any length: with memory in four stretches, in three and in one, and one
/// too short to be mirrored.
#[test]
fn every_layer_of_a_hybrid_model_gives_what_pytorch_gives_at_any_length() {
    let _turn = ADAPTER.lock();
    let (model, reference) = (open(HYBRID), Reference::of(HYBRID));
    for (length, frames) in [("four", 4880), ("three", 3401), ("one", 1201), ("tiny", 20)] {
        let all = reference.thinned().filter_map(|(name, step, values)| {
            let place = name.strip_prefix(length)?.strip_prefix('.')?;
            Some((place, step, values)).filter(|_| place != "out")
        });
        let wanted: Vec<(&str, usize, &[f32])> = all.collect();
        assert!(wanted.len() >= 50, "{length}: {} places", wanted.len());
        let inputs = inputs(&model, &reference, frames);
        for way in [Way::Definition, Way::Cpu, Way::Gpu] {
            compare(&model, &inputs, &wanted, way, length);
        }
    }
}

/// Compares the outputs of layers of a model with the expected values: name, step, numbers.
fn compare(model: &HybridDemucs, inputs: &[Vec<f32>; 2], wanted: &[(&str, usize, &[f32])], way: Way, name: &str) {
    let graph = model.graph(inputs[1].len() / 2).unwrap();
    let places = places(&graph);
    let outputs = wanted.iter().map(|(place, ..)| {
        let node = places.get(*place).unwrap_or_else(|| panic!("{name} has no {place}"));
        ((*place).to_owned(), graph.value(*node))
    });
    let cut = graph.cut(outputs.collect());
    let Some(results) = run(model, &cut, inputs, way) else { return };
    let mut worst = (f64::NEG_INFINITY, String::new());
    for ((place, step, expected), values) in wanted.iter().zip(results) {
        let shape = graph.nodes()[places[*place]].shape;
        let channels: Vec<Vec<f32>> = values.chunks(shape.rows * shape.frames).map(<[f32]>::to_vec).collect();
        let db = residual_db(&thin(&channels, *step), expected);
        assert!(db < LIMIT_DB, "{name}, {way:?}: {place} differs by {db:.1} dB");
        worst = if db > worst.0 { (db, (*place).to_owned()) } else { worst };
    }
    println!("{name}, {way:?}: {} places, worst {:.1} dB at {}", wanted.len(), worst.0, worst.1);
}

#[test]
fn a_spoiled_segment_is_noticed() {
    let (model, reference) = (open(MODELS[0]), Reference::of(MODELS[0]));
    let graph = model.graph(6000).unwrap();
    let mut inputs = inputs(&model, &reference, 6000);
    inputs[1][3000] += 0.3;
    let last = places(&graph)["tdecoder.3"];
    let cut = graph.cut(vec![("x".into(), graph.value(last))]);
    let values = run(&model, &cut, &inputs, Way::Cpu).unwrap().remove(0);
    let shape = graph.nodes()[last].shape;
    let channels: Vec<Vec<f32>> = values.chunks(shape.rows * shape.frames).map(<[f32]>::to_vec).collect();
    let (_, step, expected) = reference.thinned().find(|(name, ..)| *name == "tdecoder.3").unwrap();
    let db = residual_db(&thin(&channels, step), expected);
    assert!(db > LIMIT_DB, "{db:.1} dB");
}
