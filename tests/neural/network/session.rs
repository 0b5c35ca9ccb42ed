//! Sessions against the oracle.

use super::graphs::{Causal, KINDS, Random, one};
use crate::oracle;
use base::progress::Progress;
use neural::network::{Constants, Graph, Item, Parameters, Session, State};

/// The RMS of the difference in dB relative to the RMS of what was expected.
pub fn error_db(got: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let square = |sum: f64, x: f64| sum + x * x;
    let difference = got.iter().zip(expected).map(|(&got, expected)| f64::from(got) - expected).fold(0.0, square);
    let power = expected.iter().copied().fold(0.0, square);
    if difference == 0.0 { f64::NEG_INFINITY } else { 10.0 * (difference / power).log10() }
}

/// Random inputs of a graph.
pub fn inputs(graph: &Graph, seed: u64) -> Vec<Vec<f32>> {
    let mut random = Random::new(seed + 1000);
    graph.inputs().map(|value| random.numbers(graph.node(value).shape.len(), 2.0)).collect()
}

pub fn run(graph: &Graph, parameters: &Parameters, inputs: &[Vec<f32>], state: &mut State) -> Vec<Vec<f32>> {
    let session = Session::new(graph, &Constants::new(parameters)).unwrap();
    let mut items = [Item::new(inputs.iter().map(Vec::as_slice).collect(), state)];
    session.run(&mut items, &Progress::new()).unwrap();
    let [item] = items;
    item.outputs
}

fn worst(kind: &str, seed: u64, spoil: impl Fn(&mut Vec<Vec<f32>>)) -> f64 {
    let (graph, parameters) = one(kind, seed);
    let inputs = inputs(&graph, seed);
    let views: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    let expected = oracle::run(&graph, &parameters, &views, &mut State::new()).unwrap();
    let mut got = run(&graph, &parameters, &inputs, &mut State::new());
    spoil(&mut got);
    got.iter().zip(&expected).map(|(got, expected)| error_db(got, expected)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn every_operation_gives_what_its_definition_says() {
    for kind in KINDS {
        for seed in 0..8 {
            let db = worst(kind, seed, |_| {});
            println!("{kind}, seed {seed}: {db:.1} dB");
            assert!(db < -118.0, "{kind}, seed {seed}: {db} dB");
        }
    }
}

#[test]
fn a_spoiled_value_is_seen() {
    for kind in KINDS {
        let db = worst(kind, 3, |got| got[0].iter_mut().for_each(|x| *x *= 1.0 + 1e-5));
        assert!(db > -118.0, "{kind}: {db} dB");
    }
}

#[test]
fn a_causal_model_gives_what_its_definition_says_from_piece_to_piece() {
    let model = Causal::new();
    let (mut ours, mut exact) = (State::new(), State::new());
    for (n, frames) in [2, 64, 10, 130, 4].into_iter().enumerate() {
        let graph = model.graph(frames);
        let inputs = inputs(&graph, n as u64);
        let got = run(&graph, &model.parameters, &inputs, &mut ours);
        let expected = oracle::run(&graph, &model.parameters, &[&inputs[0]], &mut exact).unwrap();
        let db = error_db(&got[0], &expected[0]);
        assert!(db < -110.0, "piece {n}: {db} dB");
    }
}
