//! Random chains of operations: fusion and shared memory must not change the results.

use super::graphs::{Model, Random};
use super::legs::on_gpu;
use super::session::{error_db, inputs, run};
use crate::oracle;
use neural::network::{
    Activation, Builder, Convolution, Edge, Extend, Graph, Left, Norm, Normalized, Operation, Parameters, Right, Shape,
    State, TransposedConvolution, Value,
};

const CHANNELS: usize = 12;

/// A graph of some twenty operations, each of which takes one or two earlier values. Some of these are results.
fn chain(seed: u64) -> (Graph, Parameters) {
    let mut model = Model::new(seed + 5000);
    let convolutions: Vec<Convolution> =
        (0..4).map(|n| model.convolution(CHANNELS, CHANNELS, [1, 1 + n], 1 + n % 2)).collect();
    let transposed = TransposedConvolution {
        weights: model.numbers(&[CHANNELS, CHANNELS, 4]),
        bias: None,
        stride: 2,
        groups: 1,
        along_rows: false,
        cut: [0, 0],
    };
    let (wide, gains) = (model.convolution(CHANNELS, 2 * CHANNELS, [1, 1], 1), model.gains(CHANNELS));
    let lstm = model.lstm(CHANNELS, CHANNELS, None);
    let mut random = Random::new(seed);
    let mut b = Builder::new(&model.parameters);
    let mut values: Vec<Value> = vec![b.input("x", Shape::sequence(CHANNELS, random.whole(12, 60)))];
    for _ in 0..random.whole(8, 24) {
        let last = values[values.len() - 1];
        // Mostly the last value, so that there is something to fuse.
        let x = if random.whole(0, 3) > 0 { last } else { values[random.whole(0, values.len() - 1)] };
        let (frames, edge) = (b.shape(x).frames, [Edge::Zero, Edge::Reflect, Edge::Replicate][random.whole(0, 2)]);
        let y = match random.whole(0, 15) {
            0..=2 => {
                let of = convolutions[random.whole(0, 3)].clone();
                let sides = random.whole(0, 3);
                let extend = Extend { left: Left::Edge(edge, 3), right: Right(edge, sides), keep: None };
                let extended = b.extend(x, extend).unwrap();
                b.convolution(extended, of).unwrap()
            }
            3 => b.activate(x, Activation::Elu).unwrap(),
            4 => b.activate(x, Activation::Snake(gains)).unwrap(),
            5 => b.scale(x, gains).unwrap(),
            6 | 7 => {
                let like: Vec<Value> = values.iter().copied().filter(|&v| b.shape(v) == b.shape(x)).collect();
                let other = like[random.whole(0, like.len() - 1)];
                if random.whole(0, 2) > 0 { b.add(x, other).unwrap() } else { b.subtract(other, x).unwrap() }
            }
            8 => {
                let y = b.convolution(x, wide.clone()).unwrap();
                b.operation(Operation::Glu, &[y]).unwrap()
            }
            9 => {
                let norm = Norm { over: Normalized::Groups(3), gain: Some(gains), bias: None, epsilon: 1e-3 };
                b.normalize(x, norm).unwrap()
            }
            10 if frames > 10 => b.crop(x, 2, frames - 3).unwrap(),
            11 if frames < 100 => b.transposed_convolution(x, transposed.clone()).unwrap(),
            12 => b.lstm(x, lstm.clone()).unwrap(),
            14 | 15 => {
                let y = b.convolution(x, wide.clone()).unwrap();
                let over = if frames % 2 == 0 { Normalized::Groups(1) } else { Normalized::GroupsOfRow(2) };
                let y = b.normalize(y, Norm { over, gain: None, bias: None, epsilon: 1e-3 }).unwrap();
                let y = b.glu(y).unwrap();
                let y = if frames % 3 == 0 { y } else { b.scale(y, gains).unwrap() };
                if frames % 5 == 0 { y } else { b.add(x, y).unwrap() }
            }
            _ => {
                let [low, high] = [(0, 5), (5, CHANNELS - 5)].map(|(from, of)| b.channels(x, from, of).unwrap());
                b.join(&[high, low]).unwrap()
            }
        };
        values.push(y);
    }
    let mut outputs = vec![("last".to_owned(), values[values.len() - 1])];
    outputs.push(("some".to_owned(), values[random.whole(0, values.len() - 1)]));
    let graph = b.finish(outputs);
    (graph, model.parameters)
}

#[test]
fn random_chains_give_what_their_definition_says() {
    for seed in 0..60 {
        let (graph, parameters) = chain(seed);
        let inputs = inputs(&graph, seed);
        let expected = oracle::run(&graph, &parameters, &[&inputs[0]], &mut State::new()).unwrap();
        let cpu = run(&graph, &parameters, &inputs, &mut State::new());
        let all: Vec<f64> = expected.iter().zip(&cpu).map(|(expected, got)| error_db(got, expected)).collect();
        assert!(all.iter().all(|db| *db < -100.0), "seed {seed}: {all:?} dB\n{graph}");
        if seed % 5 == 0
            && let Some(gpu) = on_gpu(&graph, &parameters, &inputs, &mut State::new())
        {
            let all: Vec<f64> = expected.iter().zip(&gpu).map(|(expected, got)| error_db(got, expected)).collect();
            assert!(all.iter().all(|db| *db < -95.0), "seed {seed}: {all:?} dB on the GPU\n{graph}");
        }
    }
}
