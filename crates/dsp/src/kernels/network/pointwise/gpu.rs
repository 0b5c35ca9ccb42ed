//! Element-wise operations on a GPU.

use super::{Activation, Pointwise};
use crate::gpu::shaders::pointwise as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::Block;
use base::error::Result;

/// The number by which shaders know an activation, and whether it reads numbers.
pub(in crate::kernels) fn code(activation: Option<Activation<'_>>) -> u32 {
    match activation {
        None => shader::NO_ACTIVATION,
        Some(Activation::Elu) => shader::ELU,
        Some(Activation::Gelu) => shader::GELU,
        Some(Activation::Relu) => shader::RELU,
        Some(Activation::Silu) => shader::SILU,
        Some(Activation::Tanh) => shader::TANH,
        Some(Activation::Snake(_)) => shader::SNAKE,
    }
}

/// Records an operation that gives `count` numbers, `plane` per channel. `numbers` are the per-channel numbers, on the
/// device.
pub fn record(
    recording: &mut Recording<'_>,
    operation: Pointwise<'_>,
    numbers: Option<&Constant>,
    a: Block,
    b: Block,
    count: usize,
    plane: usize,
) -> Result<Block> {
    let y = Block::new(recording, count)?;
    let (operation, activation) = match operation {
        Pointwise::Activate(activation) => (shader::ACTIVATE, code(Some(activation))),
        Pointwise::Scale(_) => (shader::SCALE, 0),
        Pointwise::Offset(_) => (shader::OFFSET, 0),
        Pointwise::Add => (shader::ADD, 0),
        Pointwise::Subtract => (shader::SUBTRACT, 0),
        Pointwise::Glu => (shader::GLU, 0),
    };
    let params = shader::Params {
        operation,
        count: count as u32,
        plane: plane.max(1) as u32,
        a_first: a.first as u32,
        b_first: b.first as u32,
        activation,
        ..bytemuck::Zeroable::zeroed()
    };
    let numbers = numbers.map_or(a.view, |numbers| recording.constant(numbers));
    let each = shader::Each { a: a.view, b: b.view, numbers, y: y.view };
    let groups = count.div_ceil(shader::NUMBERS_PER_GROUP as usize) as u32;
    recording.dispatch(each.dispatch(&params, [groups, 1, 1], count as u64));
    Ok(y)
}
