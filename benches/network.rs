//! Times layers of the models on the CPU: operations a second, and their share of the peak of the machine's vector units,
//! which is measured first; against PyTorch in the same run if `UNDERTONE_TORCH` names a Python that has it.
//!
//! Both take turns, layer by layer, on all threads; the best of many runs counts, as other work on the machine only makes
//! a run slower.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use undertone::network::{
    Attention, Builder, Constants, Convolution, Graph, Item, Lstm, Parameter, Parameters, Session, Shape, State,
    TransposedConvolution,
};
use undertone::progress::Progress;

/// A layer: kind, inputs, outputs, taps (heads, for attention), stride, dilation, frames.
type Layer = (&'static str, &'static str, [usize; 6]);

const LAYERS: [Layer; 22] = [
    ("EnCodec 24, first", "convolution", [1, 32, 7, 1, 1, 24_006]),
    ("EnCodec 24, residual 3", "convolution", [32, 16, 3, 1, 1, 24_002]),
    ("EnCodec 24, residual 1", "convolution", [16, 32, 1, 1, 1, 24_000]),
    ("EnCodec 24, down 2", "convolution", [32, 64, 4, 2, 1, 24_002]),
    ("EnCodec 24, down 4", "convolution", [64, 128, 8, 4, 1, 12_004]),
    ("EnCodec 24, down 5", "convolution", [128, 256, 10, 5, 1, 3_005]),
    ("EnCodec 24, down 8", "convolution", [256, 512, 16, 8, 1, 608]),
    ("EnCodec 24, LSTM", "lstm", [512, 512, 1, 1, 1, 75]),
    ("EnCodec 24, last of encoder", "convolution", [512, 128, 7, 1, 1, 81]),
    ("EnCodec 24, up 8", "transposed", [512, 256, 16, 8, 1, 75]),
    ("EnCodec 24, up 5", "transposed", [256, 128, 10, 5, 1, 600]),
    ("EnCodec 24, up 4", "transposed", [128, 64, 8, 4, 1, 3_000]),
    ("EnCodec 24, up 2", "transposed", [64, 32, 4, 2, 1, 12_000]),
    ("EnCodec 24, last", "convolution", [32, 1, 7, 1, 1, 24_006]),
    ("DAC 44.1, residual 7", "convolution", [96, 96, 7, 1, 3, 44_118]),
    ("DAC 44.1, residual 1", "convolution", [96, 96, 1, 1, 1, 44_100]),
    ("DAC 44.1, residual 7, deep", "convolution", [768, 768, 7, 1, 9, 754]),
    ("DAC 44.1, down 2", "convolution", [64, 128, 4, 2, 1, 44_102]),
    ("DAC 44.1, up 8", "transposed", [1536, 768, 16, 8, 1, 87]),
    ("DAC 44.1, up 2", "transposed", [192, 96, 4, 2, 1, 22_050]),
    ("htdemucs, linear", "convolution", [512, 2048, 1, 1, 1, 1344]),
    ("htdemucs, attention", "attention", [512, 512, 8, 1, 1, 1344]),
];

fn main() {
    let threads = rayon::current_num_threads();
    let peak = undertone::network::peak_operations_per_second();
    println!("{threads} threads, peak {:.0} GFLOP/s", peak / 1e9);
    let mut torch = std::env::var("UNDERTONE_TORCH").ok().map(|python| Torch::start(&python, threads));
    for (name, kind, sizes) in LAYERS {
        let (graph, parameters) = layer(kind, sizes);
        let session = Session::new(&graph, &Constants::new(&parameters)).unwrap();
        let inputs: Vec<Vec<f32>> =
            graph.inputs().map(|value| numbers(graph.node(value).shape.len(), value_seed(name))).collect();
        let mut best = f64::INFINITY;
        let mut theirs = f64::INFINITY;
        for _ in 0..3 {
            best = best.min(best_of(|| {
                let mut state = State::new();
                let mut items = [Item::new(inputs.iter().map(Vec::as_slice).collect(), &mut state)];
                session.run(&mut items, &Progress::new()).unwrap();
            }));
            theirs = theirs.min(torch.as_mut().map_or(f64::INFINITY, |torch| torch.time(kind, sizes)));
        }
        let rate = 2.0 * session.products() as f64 / best;
        print!("{name:28} {:8.3} ms {:5.0} GFLOP/s {:3.0} %", best * 1e3, rate / 1e9, 100.0 * rate / peak);
        if theirs.is_finite() {
            print!("   PyTorch {:8.3} ms, {:.2} times ours", theirs * 1e3, theirs / best);
        }
        println!();
    }
}

fn value_seed(name: &str) -> usize {
    name.len()
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|n| ((n * 7919 + seed * 104_729) % 10_007) as f32 / 10_007.0 - 0.5).collect()
}

fn layer(kind: &str, [inputs, outputs, taps, stride, dilation, frames]: [usize; 6]) -> (Graph, Parameters) {
    let mut parameters = Parameters::new();
    let mut add =
        |shape: &[usize]| -> Parameter { parameters.add("p", shape, numbers(shape.iter().product(), 3)).unwrap() };
    let shape = Shape::sequence(inputs, frames);
    if kind == "attention" {
        let mut b = Builder::new(&parameters);
        let [query, keys, values] = ["query", "keys", "values"].map(|name| b.input(name, shape));
        let of = Attention { heads: taps, key_heads: taps, window: None, sequence: None, distances: false };
        let y = b.attention(query, keys, values, of).unwrap();
        let graph = b.finish(vec![("y".to_owned(), y)]);
        return (graph, parameters);
    }
    let (convolution, transposed, lstm) = match kind {
        "convolution" => {
            let (weights, bias) = (add(&[outputs, inputs, 1, taps]), Some(add(&[outputs])));
            let (stride, dilation) = ([1, stride], [1, dilation]);
            (Some(Convolution { weights, bias, stride, dilation, groups: 1, row_padding: 0 }), None, None)
        }
        "transposed" => {
            let (weights, bias) = (add(&[inputs, outputs, taps]), Some(add(&[outputs])));
            (
                None,
                Some(TransposedConvolution { weights, bias, stride, groups: 1, along_rows: false, cut: [0, 0] }),
                None,
            )
        }
        _ => {
            let [input_weights, hidden_weights] = [add(&[4 * outputs, inputs]), add(&[4 * outputs, outputs])];
            let bias = add(&[4 * outputs]);
            (None, None, Some(Lstm { input_weights, hidden_weights, bias, keep: None, backward: false }))
        }
    };
    let mut b = Builder::new(&parameters);
    let x = b.input("x", shape);
    let y = match (convolution, transposed, lstm) {
        (Some(of), ..) => b.convolution(x, of).unwrap(),
        (_, Some(of), _) => b.transposed_convolution(x, of).unwrap(),
        (.., of) => b.lstm(x, of.unwrap()).unwrap(),
    };
    let graph = b.finish(vec![("y".to_owned(), y)]);
    (graph, parameters)
}

fn best_of(mut work: impl FnMut()) -> f64 {
    let (begun, mut best, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < 5 || begun.elapsed().as_secs_f64() < 0.2 {
        let started = Instant::now();
        work();
        best = best.min(started.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

/// `benches/network_torch.py`, which times a layer for each line that it reads.
struct Torch {
    _child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Torch {
    fn start(python: &str, threads: usize) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/network_torch.py");
        let mut child = Command::new(python)
            .args([script, &threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { _child: child, to, from }
    }

    fn time(&mut self, kind: &str, sizes: [usize; 6]) -> f64 {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        writeln!(self.to, "{kind} {}", sizes.join(" ")).unwrap();
        self.to.flush().unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }
}
