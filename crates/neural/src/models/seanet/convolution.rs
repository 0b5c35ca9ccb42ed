//! Convolutions that return `frames / stride` frames, whatever their taps.
//!
//! The frames beyond the edges: with `reach = (taps - 1) dilation + 1 - stride`, a causal convolution has all of them
//! before the value, another one half of them (the larger half first) on each side. If the number of frames is not a
//! multiple of the stride, the missing frames are added at the end.
//!
//! A transposed convolution returns `frames stride` frames: of the `taps - stride` surplus frames, a causal one drops
//! them at the end, another one half on each side (the smaller half at the end). Its normalisation comes before that.

use crate::models::Piece;
use crate::models::tensors::Tensors;
use crate::network::{
    Builder, Convolution, Edge, Extend, Left, Norm, Normalized, Parameter, Right, TransposedConvolution, Value,
};
use base::error::{Error, Result};

/// How convolutions treat edges and normalise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether no frame depends on later ones.
    pub is_causal: bool,
    /// The frames beyond the edges.
    pub edge: Edge,
    /// Whether a normalisation over channels and frames follows (GroupNorm of one group).
    pub has_norm: bool,
    /// Whether there is a bias.
    pub has_bias: bool,
}

/// The number that PyTorch's GroupNorm adds to the variance.
const NORM_EPSILON: f32 = 1e-5;

fn norm(tensors: &mut Tensors<'_>, layer: &str, outputs: usize, style: Style) -> Result<Option<Norm>> {
    if !style.has_norm {
        return Ok(None);
    }
    let gain = tensors.parameter(&format!("{layer}.norm.weight"), &[outputs])?;
    let bias = tensors.parameter(&format!("{layer}.norm.bias"), &[outputs])?;
    Ok(Some(Norm { over: Normalized::Groups(1), gain: Some(gain), bias: Some(bias), epsilon: NORM_EPSILON }))
}

fn bias(tensors: &mut Tensors<'_>, layer: &str, outputs: usize, style: Style) -> Result<Option<Parameter>> {
    style.has_bias.then(|| tensors.parameter(&format!("{layer}.conv.bias"), &[outputs])).transpose()
}

/// A convolution along frames.
#[derive(Clone, Debug)]
pub struct Convolution1d {
    convolution: Convolution,
    norm: Option<Norm>,
    style: Style,
    /// The frames beyond the edges, without those that fill the last step.
    reach: usize,
}

impl Convolution1d {
    /// Takes its tensors: weights `outputs x inputs x taps`.
    pub fn take(
        tensors: &mut Tensors<'_>,
        layer: &str,
        shape: [usize; 3],
        stride: usize,
        dilation: usize,
        style: Style,
    ) -> Result<Self> {
        let [outputs, _, taps] = shape;
        let reach = ((taps - 1) * dilation + 1).saturating_sub(stride);
        let convolution = Convolution {
            weights: tensors.convolution(&format!("{layer}.conv"), shape)?,
            bias: bias(tensors, layer, outputs, style)?,
            stride: [1, stride],
            dilation: [1, dilation],
            groups: 1,
            row_padding: 0,
        };
        Ok(Self { convolution, norm: norm(tensors, layer, outputs, style)?, style, reach })
    }

    /// The frames that are mirrored at an edge at most.
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// The ratio of the frames that go in to those that come out.
    pub fn stride(&self) -> usize {
        self.convolution.stride[1]
    }

    /// Adds it to a graph.
    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let (frames, stride, Style { is_causal, edge, .. }) = (b.shape(x).frames, self.stride(), self.style);
        let missing = frames.next_multiple_of(stride) - frames;
        if !(piece.is_last || missing == 0 && is_causal) || !(piece.is_first || is_causal) {
            return Err(Error::Internal(format!("{} cannot work on a piece of {frames} frames", b.name(""))));
        }
        let right = if is_causal { 0 } else { self.reach / 2 };
        let left = self.reach - right;
        let (right, key) = (right + missing, b.name("frames"));
        let extend = Extend {
            left: if piece.is_first { Left::Edge(edge, left) } else { Left::Kept(key.clone(), left) },
            right: Right(edge, right),
            keep: (!piece.is_last && left > 0).then_some((key, left)),
        };
        let x = match mirrored_at_most(edge, left, right, piece) {
            _ if left + right == 0 => x,
            0 => b.extend(x, extend)?,
            // A value with too few frames to be mirrored first gets zeros at its end, as in EnCodec. Its end is then
            // followed by these zeros and by the frames mirrored at the last of them.
            most if frames <= most => {
                let zeros = Right(Edge::Zero, most + 1 - frames);
                let filled = b.extend(x, Extend { left: Left::Edge(Edge::Zero, 0), right: zeros, keep: None })?;
                let extended = b.extend(filled, extend)?;
                b.crop(extended, 0, left + frames + right)?
            }
            _ => b.extend(x, extend)?,
        };
        let y = b.convolution(x, self.convolution.clone())?;
        self.norm.clone().map_or(Ok(y), |norm| b.normalize(y, norm))
    }
}

/// The most frames that are mirrored at an edge of a piece.
fn mirrored_at_most(edge: Edge, left: usize, right: usize, piece: Piece) -> usize {
    match edge {
        Edge::Reflect if piece.is_first => left.max(right),
        Edge::Reflect => right,
        Edge::Zero | Edge::Replicate => 0,
    }
}

/// A transposed convolution along frames.
#[derive(Clone, Debug)]
pub struct Transposed1d {
    convolution: TransposedConvolution,
    norm: Option<Norm>,
    style: Style,
    taps: usize,
}

impl Transposed1d {
    /// Takes its tensors: weights `inputs x outputs x taps`.
    pub fn take(
        tensors: &mut Tensors<'_>,
        layer: &str,
        [inputs, outputs, taps]: [usize; 3],
        stride: usize,
        groups: usize,
        style: Style,
    ) -> Result<Self> {
        let weights = tensors.folded(&format!("{layer}.conv"), &[inputs, outputs / groups, taps])?;
        let convolution = TransposedConvolution {
            weights: tensors.add(&format!("{layer}.conv.weight"), &[inputs, outputs / groups, taps], weights)?,
            bias: bias(tensors, layer, outputs, style)?,
            stride,
            groups,
            along_rows: false,
            cut: [0, 0],
        };
        Ok(Self { convolution, norm: norm(tensors, layer, outputs, style)?, style, taps })
    }

    /// Adds it to a graph.
    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let (frames, stride) = (b.shape(x).frames, self.convolution.stride);
        let too_many = self.taps - stride;
        if !self.style.is_causal {
            if !piece.is_whole() {
                return Err(Error::Internal(format!("{} cannot work on a piece", b.name(""))));
            }
            let y = b.transposed_convolution(x, self.convolution.clone())?;
            let y = self.norm.clone().map_or(Ok(y), |norm| b.normalize(y, norm))?;
            return b.crop(y, too_many - too_many / 2, frames * stride);
        }
        // The frames before that still sound in the first ones.
        let before = too_many.div_ceil(stride);
        let key = b.name("frames");
        let extend = Extend {
            left: if piece.is_first { Left::Edge(Edge::Zero, before) } else { Left::Kept(key.clone(), before) },
            right: Right(Edge::Zero, 0),
            keep: (!piece.is_last && before > 0).then_some((key, before)),
        };
        let x = if before > 0 { b.extend(x, extend)? } else { x };
        let y = b.transposed_convolution(x, self.convolution.clone())?;
        b.crop(y, before * stride, frames * stride)
    }
}
