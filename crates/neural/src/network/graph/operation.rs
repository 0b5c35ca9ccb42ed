//! The operations of a graph.

use crate::network::Parameter;

/// The computation of a node. `x` is its first input.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A value that is given from outside.
    Input,
    /// `x` with frames before and after it.
    Extend(Extend),
    /// The frames `start..start + frames` of `x`.
    Crop {
        /// The first frame that is kept.
        start: usize,
        /// The number of frames that are kept.
        frames: usize,
    },
    /// The channels `start..start + channels` of `x`.
    Channels {
        /// The first channel that is kept.
        start: usize,
        /// The number of channels that are kept.
        channels: usize,
    },
    /// The concatenated channels of all inputs.
    Join,
    /// `x` with rows in the place of frames and frames in the place of rows.
    Transpose,
    /// The numbers of `x` in another shape, in the same order in memory.
    Reshape,
    /// A convolution, without frames or rows beyond the edges: see [`Operation::Extend`]. A linear layer is a
    /// convolution of one frame.
    Convolution(Convolution),
    /// A transposed convolution along the frames or the rows.
    TransposedConvolution(TransposedConvolution),
    /// An activation of every number.
    Activate(Activation),
    /// The first half of the channels times the logistic function of the second half.
    Glu,
    /// The sum of two inputs.
    Add,
    /// The first input less the second.
    Subtract,
    /// Every channel times its number in the parameter, which has one per channel (a layer scale).
    Scale(Parameter),
    /// `x` plus numbers that do not depend on it, such as an embedding of places. The parameter has the shape
    /// `channels x rows`, each number for all frames of a row, or `channels x rows x frames`.
    Offset(Parameter),
    /// A normalisation by mean and variance.
    Normalize(Norm),
    /// A recurrent layer over the frames of each row separately; returns the hidden values.
    Lstm(Lstm),
    /// The rotary embedding of positions.
    Rotary(Rotary),
    /// Attention of a query (first input) to keys and values (second, third); if it uses distances, a fourth input is
    /// the rate at which each score falls with them.
    Attention(Attention),
    /// Every frame's vector divided by its length, as PyTorch's `normalize`: by `max(length, 1e-12)`.
    UnitLength,
    /// The nearest row of a book (`codes x components`) to every frame's vector; the first of equals. Gives codes.
    Nearest {
        /// The book: one row a code.
        book: Parameter,
    },
    /// The row of a book that each code names.
    Lookup {
        /// The book: one row a code.
        book: Parameter,
    },
}

impl Operation {
    /// Returns the parameters that it reads.
    pub fn parameters(&self) -> Vec<Parameter> {
        let with = |parameter: Parameter, others: [Option<Parameter>; 2]| {
            std::iter::once(parameter).chain(others.into_iter().flatten()).collect()
        };
        match self {
            Self::Convolution(of) => with(of.weights, [of.bias, None]),
            Self::TransposedConvolution(of) => with(of.weights, [of.bias, None]),
            Self::Activate(Activation::Snake(parameter)) | Self::Scale(parameter) | Self::Offset(parameter) => {
                vec![*parameter]
            }
            Self::Normalize(of) => of.gain.into_iter().chain(of.bias).collect(),
            Self::Lstm(of) => with(of.input_weights, [Some(of.hidden_weights), Some(of.bias)]),
            Self::Nearest { book } | Self::Lookup { book } => vec![*book],
            _ => Vec::new(),
        }
    }

    /// Returns the name, for listings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Extend(_) => "extend",
            Self::Crop { .. } => "crop",
            Self::Channels { .. } => "channels",
            Self::Join => "join",
            Self::Transpose => "transpose",
            Self::Reshape => "reshape",
            Self::Convolution(_) => "convolution",
            Self::TransposedConvolution(_) => "transposed_convolution",
            Self::Activate(_) => "activate",
            Self::Glu => "glu",
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Scale(_) => "scale",
            Self::Offset(_) => "offset",
            Self::Normalize(_) => "normalize",
            Self::Lstm(_) => "lstm",
            Self::Rotary(_) => "rotary",
            Self::Attention(_) => "attention",
            Self::UnitLength => "unit_length",
            Self::Nearest { .. } => "nearest",
            Self::Lookup { .. } => "lookup",
        }
    }
}

/// Frames before and after a value, and the frames remembered for the next piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Extend {
    /// The frames before.
    pub left: Left,
    /// The frames after.
    pub right: Right,
    /// The name under which the last frames of the extended value are kept in the state, and their number. The next
    /// piece continues from them by [`Left::Kept`].
    pub keep: Option<(String, usize)>,
}

/// How frames beyond an edge are made of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Zeros.
    Zero,
    /// The value mirrored at its first or last frame, which is not repeated. A value with too few frames is first
    /// extended by zeros at its end, as EnCodec does.
    Reflect,
    /// The first or last frame again.
    Replicate,
}

/// The frames before a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// So many frames made of the value.
    Edge(Edge, usize),
    /// This many frames from the state under this name; zeros if it has none.
    Kept(String, usize),
}

/// The frames after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right(pub Edge, pub usize);

/// A convolution: `y[o, r, t] = bias[o] + sum w[o, i, a, b] x[i, r stride + a dilation, t stride + b dilation]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// Weights of the shape `outputs x inputs / groups x rows x frames`.
    pub weights: Parameter,
    /// One number an output.
    pub bias: Option<Parameter>,
    /// Steps between outputs, along rows and frames.
    pub stride: [usize; 2],
    /// Steps between the taps, along rows and frames.
    pub dilation: [usize; 2],
    /// The number of groups of channels that do not mix.
    pub groups: usize,
    /// Zeros before and after the rows.
    pub row_padding: usize,
}

/// A transposed convolution: every frame of `x` adds its weights to `kernel` frames from `stride` times its place on,
/// which gives `(frames - 1) stride + kernel` frames. Along rows, the same with rows in the place of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct TransposedConvolution {
    /// Weights of the shape `inputs x outputs / groups x kernel`.
    pub weights: Parameter,
    /// One number an output.
    pub bias: Option<Parameter>,
    /// Frames of the result for each frame of `x`.
    pub stride: usize,
    /// The number of groups of channels that do not mix.
    pub groups: usize,
    /// Whether it runs along the rows.
    pub along_rows: bool,
    /// Frames, or rows, dropped from the result at its beginning and its end.
    pub cut: [usize; 2],
}

/// An activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `x` if it is positive, `e^x - 1` otherwise.
    Elu,
    /// `x Phi(x)`, with the exact normal distribution.
    Gelu,
    /// `max(x, 0)`
    Relu,
    /// `x / (1 + e^-x)`
    Silu,
    /// `tanh x`
    Tanh,
    /// `x + sin^2(a x) / (a + 1e-9)`, with a number `a` for each channel.
    Snake(Parameter),
}

/// A normalisation: less the mean, over the deviation, times a gain and plus a bias for each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Norm {
    /// Over what mean and variance are taken.
    pub over: Normalized,
    /// One number a channel.
    pub gain: Option<Parameter>,
    /// One number a channel.
    pub bias: Option<Parameter>,
    /// The number that is added to the variance.
    pub epsilon: f32,
}

/// The numbers over which a normalisation takes mean and variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalized {
    /// The channels of each frame (LayerNorm).
    Channels,
    /// The channels of each frame, by the mean square alone: no mean is taken away (RMSNorm).
    ChannelsRms,
    /// So many groups of channels, over all their rows and frames (GroupNorm).
    Groups(usize),
    /// As `Groups`, but each row separately.
    GroupsOfRow(usize),
}

/// A long short-term memory, with PyTorch's order of gates: input, forget, cell, output.
#[derive(Clone, Debug, PartialEq)]
pub struct Lstm {
    /// Weights of the inputs: `4 hidden x inputs`.
    pub input_weights: Parameter,
    /// Weights of the hidden values before: `4 hidden x hidden`.
    pub hidden_weights: Parameter,
    /// The sum of both biases: `4 hidden`.
    pub bias: Parameter,
    /// The name under which hidden and cell values of a value with one row are kept in the state; zeros if the state
    /// has none.
    pub keep: Option<String>,
    /// Whether it runs from the last frame to the first.
    pub backward: bool,
}

/// The rotary embedding: in each head, component `i` and `i + half` are turned by `position base^(-2 i / width)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotary {
    /// The number of heads.
    pub heads: usize,
    /// The base of the angles.
    pub base: f32,
    /// The name of the sequence in the state, which counts the frames that came before.
    pub sequence: Option<String>,
}

/// Attention: `softmax(q k / sqrt(width)) v` in each head.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    /// The number of heads of the query.
    pub heads: usize,
    /// The number of heads of keys and values; each serves `heads / key_heads` heads of the query.
    pub key_heads: usize,
    /// For causal attention: the number of frames that a frame attends to, including itself.
    pub window: Option<usize>,
    /// The name of the sequence in the state. Keys and values then begin with earlier frames, as many as they are
    /// longer than the query. Frames before the beginning of the sequence are ignored.
    pub sequence: Option<String>,
    /// Whether scores fall with the distance of the key. The fourth input has the fall per frame of distance for each
    /// head and frame of the query; a frame's score with itself is [`Attention::OWN_SCORE`]. Every frame of a whole
    /// value sees all others.
    pub distances: bool,
}

impl Attention {
    /// The score of a frame that looks at distances for itself: all others count more.
    pub const OWN_SCORE: f32 = dsp::kernels::network::attention::OWN_SCORE;
}
