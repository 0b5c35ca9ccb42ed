//! Extending rows on a GPU.

use super::{Edge, Extend};
use crate::gpu::shaders::extend as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::Block;
use crate::kernels::network::convolution::Size;
use crate::kernels::network::pointwise::gpu::code;
use base::error::Result;

fn edge(edge: Edge) -> u32 {
    match edge {
        Edge::Zero => shader::ZERO,
        Edge::Reflect => shader::REFLECT,
        Edge::Replicate => shader::REPLICATE,
    }
}

/// Records an extension. `kept` are the frames that come before; `numbers` are those of the activation.
pub fn extend(
    recording: &mut Recording<'_>,
    extend: &Extend<'_>,
    numbers: Option<&Constant>,
    x: Block,
    kept: Option<Block>,
) -> Result<Block> {
    let frames = extend.frames();
    let y = Block::new(recording, extend.size.channels * extend.size.rows * frames)?;
    let params = shader::Params {
        y_frames: frames as u32,
        kept: extend.kept_frames as u32,
        origin: (extend.kept_frames + extend.left.1) as i32,
        left: edge(extend.left.0),
        right: edge(extend.right.0),
        activation: code(extend.activation),
        ..params(extend.size, x, extend.size.channels * extend.size.rows * frames)
    };
    let numbers = numbers.map_or(x.view, |numbers| recording.constant(numbers));
    let kept = kept.map_or(x.view, |kept| kept.view);
    let entry = shader::Extend { x: x.view, kept, numbers, y: y.view };
    recording.dispatch(entry.dispatch(&params, groups(params.count), u64::from(params.count)));
    Ok(y)
}

/// Records the extraction of frames `start..start + frames` of every row.
pub fn crop(recording: &mut Recording<'_>, size: Size, x: Block, start: usize, frames: usize) -> Result<Block> {
    let count = size.channels * size.rows * frames;
    let y = Block::new(recording, count)?;
    let params = shader::Params { y_frames: frames.max(1) as u32, origin: -(start as i32), ..params(size, x, count) };
    let entry = shader::Extend { x: x.view, kept: x.view, numbers: x.view, y: y.view };
    recording.dispatch(entry.dispatch(&params, groups(params.count), u64::from(params.count)));
    Ok(y)
}

/// Records the exchange of rows and frames.
pub fn transpose(recording: &mut Recording<'_>, size: Size, x: Block) -> Result<Block> {
    let y = Block::new(recording, size.len())?;
    let params = params(size, x, size.len());
    let entry = shader::Exchange { x: x.view, y: y.view };
    recording.dispatch(entry.dispatch(&params, groups(params.count), u64::from(params.count)));
    Ok(y)
}

fn params(size: Size, x: Block, count: usize) -> shader::Params {
    shader::Params {
        count: count as u32,
        x_first: x.first as u32,
        rows: size.rows as u32,
        frames: size.frames as u32,
        ..bytemuck::Zeroable::zeroed()
    }
}

fn groups(count: u32) -> [u32; 3] {
    [count.div_ceil(shader::NUMBERS_PER_GROUP), 1, 1]
}
