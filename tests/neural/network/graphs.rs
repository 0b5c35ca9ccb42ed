//! Small graphs with random numbers.

use neural::network::{
    Activation, Attention, Builder, Convolution, Edge, Extend, Graph, Left, Lstm, Norm, Normalized, Operation,
    Parameter, Parameters, Right, Rotary, Shape, TransposedConvolution, Value,
};

/// A generator of numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A whole number from `low` to `high`.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.bits() >> 11) as usize % (high - low + 1)
    }

    /// Numbers within -1 and 1, times a gain.
    pub fn numbers(&mut self, count: usize, gain: f32) -> Vec<f32> {
        (0..count).map(|_| ((self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0) * gain).collect()
    }
}

/// A model under construction: each method adds parameters.
pub struct Model {
    pub parameters: Parameters,
    pub random: Random,
}

impl Model {
    pub fn new(seed: u64) -> Self {
        Self { parameters: Parameters::new(), random: Random::new(seed) }
    }

    pub fn numbers(&mut self, shape: &[usize]) -> Parameter {
        let count = shape.iter().product();
        let width: usize = shape.iter().skip(1).product();
        let values = self.random.numbers(count, 1.5 / (width.max(1) as f32).sqrt());
        self.parameters.add(format!("p{}", self.parameters.iter().count()), shape, values).unwrap()
    }

    /// One positive number a channel.
    pub fn gains(&mut self, channels: usize) -> Parameter {
        let values = self.random.numbers(channels, 1.0).into_iter().map(|x| x.abs() + 0.2).collect();
        self.parameters.add("gains", &[channels], values).unwrap()
    }

    pub fn convolution(&mut self, inputs: usize, outputs: usize, taps: [usize; 2], groups: usize) -> Convolution {
        let weights = self.numbers(&[outputs, inputs / groups, taps[0], taps[1]]);
        let bias = Some(self.numbers(&[outputs]));
        Convolution { weights, bias, stride: [1, 1], dilation: [1, 1], groups, row_padding: 0 }
    }

    pub fn lstm(&mut self, inputs: usize, size: usize, keep: Option<&str>) -> Lstm {
        Lstm {
            input_weights: self.numbers(&[4 * size, inputs]),
            hidden_weights: self.numbers(&[4 * size, size]),
            bias: self.numbers(&[4 * size]),
            keep: keep.map(str::to_owned),
            backward: false,
        }
    }
}

/// The operations that [`one`] builds.
pub const KINDS: [&str; 31] = [
    "linear",
    "convolution",
    "strided",
    "dilated",
    "grouped",
    "depthwise",
    "image",
    "transposed",
    "transposed groups",
    "transposed rows",
    "transposed cut",
    "offset",
    "zeros",
    "reflect",
    "replicate",
    "crop and join",
    "transpose",
    "activations",
    "snake",
    "glu",
    "sums",
    "layer norm",
    "rms norm",
    "group norm",
    "row norm",
    "lstm",
    "attention",
    "causal attention",
    "book",
    "lstm of rows",
    "near attention",
];

/// A graph around one kind of operation, of random size.
pub fn one(kind: &str, seed: u64) -> (Graph, Parameters) {
    let mut model = Model::new(seed * 100 + KINDS.iter().position(|own| *own == kind).unwrap() as u64);
    let random = &mut model.random;
    let (channels, frames) = (4 * random.whole(1, 12), random.whole(20, 150));
    let outputs = 4 * random.whole(1, 20);
    let rows = if ["image", "transpose", "row norm", "transposed rows", "transposed cut", "offset", "lstm of rows"]
        .contains(&kind)
    {
        random.whole(2, 9)
    } else {
        1
    };
    let shape = Shape { channels, rows, frames };
    // Parameters come first: the builder holds them while it builds.
    let (taps, step) = (random.whole(1, 8), random.whole(2, 5));
    let convolution = model.convolution(channels, outputs, [1, if kind == "linear" { 1 } else { taps }], 1);
    let convolution = match kind {
        "strided" => Convolution { stride: [1, step], ..convolution },
        "dilated" => Convolution { dilation: [1, 2], ..convolution },
        "grouped" => model.convolution(channels, outputs, [1, taps], 4),
        "depthwise" => model.convolution(channels, channels, [1, taps], channels),
        "image" => Convolution { row_padding: 1, stride: [1, 2], ..model.convolution(channels, outputs, [2, 3], 1) },
        _ => convolution,
    };
    let groups = if ["transposed groups", "transposed rows"].contains(&kind) { 2 } else { 1 };
    let of_transposed = 4 * model.random.whole(1, 6);
    let transposed = TransposedConvolution {
        weights: model.numbers(&[channels, of_transposed, taps + step - 1]),
        bias: Some(model.numbers(&[of_transposed * groups])),
        stride: step,
        groups,
        along_rows: kind == "transposed rows",
        cut: if ["transposed rows", "transposed cut"].contains(&kind) { [2, 1] } else { [0, 0] },
    };
    let places = [model.numbers(&[channels, rows]), model.numbers(&[channels, rows, frames])];
    let (gains, bias, alpha) = (model.gains(channels), model.numbers(&[channels]), model.gains(channels));
    let lstm = model.lstm(channels, 4 * step + 30, None);
    let backward = Lstm { backward: true, ..model.lstm(channels, 7, None) };
    let book = model.numbers(&[137, channels]);
    let edges = |edge: Edge| Extend { left: Left::Edge(edge, 5), right: Right(edge, 3), keep: None };
    let norm = |over| Norm { over, gain: Some(gains), bias: Some(bias), epsilon: 1e-5 };
    let mut b = Builder::new(&model.parameters);
    let x = b.input("x", shape);
    let mut outputs = Vec::new();
    match kind {
        "transposed" | "transposed groups" => outputs.push(b.transposed_convolution(x, transposed).unwrap()),
        "transposed rows" | "transposed cut" => {
            let y = b.transposed_convolution(x, transposed).unwrap();
            let y = b.activate(y, Activation::Gelu).unwrap();
            let other = b.input("z", b.shape(y));
            outputs.push(b.add(y, other).unwrap());
        }
        "offset" => outputs.extend(places.map(|numbers| b.offset(x, numbers).unwrap())),
        "zeros" => {
            let padded = Extend { left: Left::Edge(Edge::Zero, 3), right: Right(Edge::Zero, 3), keep: None };
            let padded = b.extend(x, padded).unwrap();
            let y = b.convolution(padded, convolution).unwrap();
            outputs.push(b.activate(y, Activation::Elu).unwrap());
        }
        "reflect" | "replicate" => {
            let edge = if kind == "reflect" { Edge::Reflect } else { Edge::Replicate };
            let active = b.activate(x, Activation::Elu).unwrap();
            let y = b.extend(active, edges(edge)).unwrap();
            let y = b.convolution(y, convolution).unwrap();
            outputs.push(b.activate(y, Activation::Elu).unwrap());
        }
        "crop and join" => {
            let first = b.crop(x, 3, frames - 5).unwrap();
            let second = b.crop(x, 0, frames - 5).unwrap();
            let part = b.channels(second, 1, 3).unwrap();
            outputs.push(b.join(&[first, part, first]).unwrap());
            outputs.push(b.reshape(part, Shape::sequence(1, 3 * (frames - 5))).unwrap());
        }
        "transpose" => outputs.push(b.operation(Operation::Transpose, &[x]).unwrap()),
        "activations" => {
            use Activation::{Elu, Gelu, Relu, Silu, Tanh};
            outputs.extend([Elu, Gelu, Relu, Silu, Tanh].map(|of| b.activate(x, of).unwrap()));
        }
        "snake" => outputs.push(b.activate(x, Activation::Snake(alpha)).unwrap()),
        "glu" => outputs.push(b.operation(Operation::Glu, &[x]).unwrap()),
        "sums" => {
            let scaled = b.scale(x, gains).unwrap();
            let sum = b.add(scaled, x).unwrap();
            let twice = b.add(sum, sum).unwrap();
            outputs.push(b.subtract(twice, x).unwrap());
            let y = b.operation(Operation::Convolution(convolution.clone()), &[x]).unwrap();
            let z = b.operation(Operation::Convolution(convolution), &[sum]).unwrap();
            outputs.push(b.add(y, z).unwrap());
        }
        "layer norm" => {
            outputs.push(b.normalize(x, norm(Normalized::Channels)).unwrap());
            outputs.push(b.operation(Operation::UnitLength, &[x]).unwrap());
        }
        "rms norm" => outputs.push(b.normalize(x, norm(Normalized::ChannelsRms)).unwrap()),
        "group norm" => {
            outputs.push(b.normalize(x, norm(Normalized::Groups(1))).unwrap());
            outputs.push(b.normalize(x, norm(Normalized::Groups(4))).unwrap());
        }
        "row norm" => outputs.push(b.normalize(x, norm(Normalized::GroupsOfRow(2))).unwrap()),
        "lstm" | "lstm of rows" => {
            outputs.push(b.lstm(x, lstm).unwrap());
            outputs.push(b.lstm(x, backward).unwrap());
        }
        "attention" => {
            let all = Attention { heads: 2, key_heads: 1, window: None, sequence: None, distances: false };
            let [keys, values] =
                [(0, channels / 2), (1, channels / 4)].map(|(from, of)| b.channels(x, from, of).unwrap());
            outputs.push(b.attention(x, keys, values, all).unwrap());
        }
        "near attention" => {
            let [query, keys, values] = [(0, channels / 2), (channels / 4, channels / 2), (channels / 2, channels / 2)]
                .map(|(from, of)| b.channels(x, from, of).unwrap());
            // From scores that hardly fall to those that reach a few frames.
            let falls = b.channels(x, 0, 2).unwrap();
            let falls = b.operation(Operation::Join, &[falls, falls]).and_then(|both| b.glu(both)).unwrap();
            let falls = b.activate(falls, Activation::Relu).unwrap();
            outputs.push(b.near_attention([query, keys, values, falls], 2).unwrap());
        }
        "causal attention" => {
            let rotary = Rotary { heads: 2, base: 10_000.0, sequence: None };
            let turned = b.rotary(x, rotary).unwrap();
            for window in [3, 70, 1000] {
                let causal =
                    Attention { heads: 2, key_heads: 2, window: Some(window), sequence: None, distances: false };
                let query = b.crop(turned, 7, frames - 7).unwrap();
                outputs.push(b.attention(query, turned, x, causal).unwrap());
            }
        }
        "book" => {
            let codes = b.nearest(x, book).unwrap();
            outputs.push(b.lookup(codes, book).unwrap());
        }
        _ => {
            let y = b.convolution(x, convolution).unwrap();
            outputs.push(y);
            outputs.push(b.activate(y, Activation::Gelu).unwrap());
        }
    }
    let outputs = outputs.into_iter().enumerate().map(|(n, value)| (format!("y{n}"), value)).collect();
    let graph = b.finish(outputs);
    (graph, model.parameters)
}

/// A causal model: convolutions with a memory, an LSTM, attention over what was kept, a transposed convolution. All its
/// graphs have the same parameters.
pub struct Causal {
    pub parameters: Parameters,
    first: Convolution,
    second: Convolution,
    third: Convolution,
    up: TransposedConvolution,
    lstm: Lstm,
    alpha: Parameter,
}

pub const CAUSAL_CHANNELS: usize = 24;
const WINDOW: usize = 20;

impl Causal {
    pub fn new() -> Self {
        let mut model = Model::new(77);
        let first = model.convolution(3, CAUSAL_CHANNELS, [1, 5], 1);
        let second = Convolution { stride: [1, 2], ..model.convolution(CAUSAL_CHANNELS, CAUSAL_CHANNELS, [1, 4], 1) };
        let third = Convolution { dilation: [1, 3], ..model.convolution(CAUSAL_CHANNELS, CAUSAL_CHANNELS, [1, 3], 1) };
        let up = TransposedConvolution {
            weights: model.numbers(&[CAUSAL_CHANNELS, 2, 4]),
            bias: Some(model.numbers(&[2])),
            stride: 2,
            groups: 1,
            along_rows: false,
            cut: [0, 0],
        };
        let lstm = model.lstm(CAUSAL_CHANNELS, CAUSAL_CHANNELS, Some("lstm"));
        let alpha = model.gains(CAUSAL_CHANNELS);
        Self { parameters: model.parameters, first, second, third, up, lstm, alpha }
    }

    /// A graph of a piece of an even number of frames.
    pub fn graph(&self, frames: usize) -> Graph {
        let mut b = Builder::new(&self.parameters);
        let x = b.input("x", Shape::sequence(3, frames));
        let kept = |b: &mut Builder<'_>, x: Value, name: &str, frames: usize| {
            let extend = Extend {
                left: Left::Kept(name.to_owned(), frames),
                right: Right(Edge::Zero, 0),
                keep: Some((name.to_owned(), frames)),
            };
            b.extend(x, extend).unwrap()
        };
        let y = kept(&mut b, x, "first", 4);
        let y = b.convolution(y, self.first.clone()).unwrap();
        let y = b.activate(y, Activation::Elu).unwrap();
        let y = kept(&mut b, y, "second", 2);
        let y = b.convolution(y, self.second.clone()).unwrap();
        let active = b.activate(y, Activation::Snake(self.alpha)).unwrap();
        let z = kept(&mut b, active, "third", 6);
        let z = b.convolution(z, self.third.clone()).unwrap();
        let y = b.add(y, z).unwrap();
        let y = b.lstm(y, self.lstm.clone()).unwrap();
        let rotary = Rotary { heads: 2, base: 100.0, sequence: Some("frames".to_owned()) };
        let query = b.rotary(y, rotary).unwrap();
        let keys = kept(&mut b, query, "keys", WINDOW);
        let values = kept(&mut b, y, "values", WINDOW);
        let attention = Attention {
            heads: 2,
            key_heads: 2,
            window: Some(WINDOW),
            sequence: Some("frames".to_owned()),
            distances: false,
        };
        let y = b.attention(query, keys, values, attention).unwrap();
        let of = b.shape(y).frames;
        let y = kept(&mut b, y, "up", 1);
        let y = b.transposed_convolution(y, self.up.clone()).unwrap();
        let y = b.crop(y, 2, 2 * of).unwrap();
        b.finish(vec![("y".to_owned(), y)])
    }
}
