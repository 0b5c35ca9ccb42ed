//! Single operations against PyTorch: `tests/reference/network.py`.

use crate::oracle;

use serde_json::Value as Json;

use super::legs::on_gpu;
use super::session::{error_db, run};
use neural::network::{
    Activation, Attention, Builder, Convolution, Graph, Lstm, Norm, Normalized, Operation, Parameter, Parameters,
    Shape, State, TransposedConvolution,
};

fn numbers(of: &Json) -> Vec<f64> {
    of["values"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn sizes(of: &Json) -> Vec<usize> {
    of.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

fn singles(of: &Json) -> Vec<f32> {
    numbers(of).iter().map(|&x| x as f32).collect()
}

fn shape(of: &Json) -> Shape {
    let [channels, rows, frames] = sizes(&of["shape"]).try_into().unwrap();
    Shape { channels, rows, frames }
}

/// A case as a graph, its parameters and inputs.
fn graph(case: &Json) -> (Graph, Parameters, Vec<Vec<f32>>) {
    let (settings, weights) = (&case["settings"], &case["weights"]);
    let number = |name: &str| settings[name].as_u64().unwrap() as usize;
    let mut parameters = Parameters::new();
    let mut inputs = vec![singles(&case["x"])];
    let mut add = |name: &str| -> Option<Parameter> {
        let of = &weights[name];
        of.is_object().then(|| parameters.add(name, &sizes(&of["shape"]), singles(of)).unwrap())
    };
    let kind = case["kind"].as_str().unwrap();
    let norm = |over, gain, bias| Operation::Normalize(Norm { over, gain, bias, epsilon: 1e-5 });
    let operation = match kind {
        "convolution" => Operation::Convolution(Convolution {
            weights: add("weights").unwrap(),
            bias: add("bias"),
            stride: sizes(&settings["stride"]).try_into().unwrap(),
            dilation: sizes(&settings["dilation"]).try_into().unwrap(),
            groups: number("groups"),
            row_padding: number("row_padding"),
        }),
        "transposed" => Operation::TransposedConvolution(TransposedConvolution {
            weights: add("weights").unwrap(),
            bias: add("bias"),
            stride: number("stride"),
            groups: number("groups"),
            along_rows: settings.get("along_rows").is_some_and(|along| along == 1),
            cut: settings.get("cut").map_or([0, 0], |cut| sizes(cut).try_into().unwrap()),
        }),
        "lstm" => Operation::Lstm(Lstm {
            input_weights: add("input_weights").unwrap(),
            hidden_weights: add("hidden_weights").unwrap(),
            bias: add("bias").unwrap(),
            keep: None,
            backward: false,
        }),
        "group_norm" => norm(Normalized::Groups(number("groups")), add("gain"), add("bias")),
        "layer_norm" => norm(Normalized::Channels, add("gain"), add("bias")),
        "rms_norm" => norm(Normalized::ChannelsRms, add("gain"), None),
        "gelu" => Operation::Activate(Activation::Gelu),
        "elu" => Operation::Activate(Activation::Elu),
        "silu" => Operation::Activate(Activation::Silu),
        "relu" => Operation::Activate(Activation::Relu),
        "tanh" => Operation::Activate(Activation::Tanh),
        "glu" => Operation::Glu,
        "unit_length" => Operation::UnitLength,
        "attention" => Operation::Attention(Attention {
            heads: number("heads"),
            key_heads: number("key_heads"),
            window: settings["window"].as_u64().map(|window| window as usize),
            sequence: None,
            distances: false,
        }),
        other => panic!("no operation {other}"),
    };
    let mut b = Builder::new(&parameters);
    let mut values = vec![b.input("x", shape(&case["x"]))];
    if kind == "attention" {
        for name in ["keys", "values"] {
            values.push(b.input(name, shape(&weights[name])));
            inputs.push(singles(&weights[name]));
        }
    }
    let y = b.operation(operation, &values).unwrap();
    let graph = b.finish(vec![("y".to_owned(), y)]);
    (graph, parameters, inputs)
}

#[test]
fn operations_are_those_of_pytorch() {
    let text = include_str!("../../reference/network.json");
    let all: Json = serde_json::from_str(text).unwrap();
    let cases = all["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let kind = case["kind"].as_str().unwrap();
        let (graph, parameters, inputs) = graph(case);
        let expected = numbers(&case["y"]);
        let views: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
        let exact = oracle::run(&graph, &parameters, &views, &mut State::new()).unwrap();
        let exact: Vec<f32> = exact[0].iter().map(|&x| x as f32).collect();
        let cpu = run(&graph, &parameters, &inputs, &mut State::new());
        let db = [error_db(&exact, &expected), error_db(&cpu[0], &expected)];
        println!("{kind}: oracle {:.1} dB, CPU {:.1} dB", db[0], db[1]);
        assert!(db.into_iter().all(|db| db < -125.0), "{kind}: {db:?} dB");
        let Some(gpu) = on_gpu(&graph, &parameters, &inputs, &mut State::new()) else { continue };
        let db = error_db(&gpu[0], &expected);
        assert!(db < -115.0, "{kind}: {db} dB on the GPU");
        let spoiled: Vec<f32> = cpu[0].iter().map(|x| x * 1.00001).collect();
        assert!(error_db(&spoiled, &expected) > -115.0, "{kind}: spoiled values pass");
    }
}
