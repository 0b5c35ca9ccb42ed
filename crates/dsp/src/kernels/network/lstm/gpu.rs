//! The recurrent part on a GPU: one dispatch per frame.

use super::Layer;
use crate::gpu::shaders::lstm as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::{Block, too_large};
use crate::kernels::network::convolution::gpu::{self as product, Numbers};
use crate::kernels::network::convolution::{Kind, Plan, Size};
use base::error::Result;

/// The weights of a layer for the device.
#[derive(Clone, Debug)]
pub struct Weights {
    of_input: product::Weights,
    bias: Numbers,
    /// For each hidden value and each value before, the weights of the four gates.
    of_hidden: Constant,
}

const LINEAR: Kind = Kind::Forward { taps: [1, 1], stride: [1, 1], dilation: [1, 1], padding: [0, 0] };

/// Reorders weights from PyTorch's order to that of the device.
pub fn weights(
    inputs: usize,
    size: usize,
    input_weights: &[f32],
    hidden_weights: &[f32],
    bias: &[f32],
) -> Result<Weights> {
    let bytes = 16 * (size * size) as u64;
    if bytes > crate::gpu::MAX_BINDING_BYTES {
        return Err(too_large(bytes));
    }
    let gates = |n: usize| [0, 1, 2, 3].map(|gate| hidden_weights[gate * size * size + n]);
    let of_hidden: Vec<[f32; 4]> = (0..size * size).map(gates).collect();
    Ok(Weights {
        of_input: product::Weights::new(LINEAR, 1, 4 * size, inputs, input_weights),
        bias: Numbers::new(Some(bias), None, None),
        of_hidden: Constant::of(&of_hidden),
    })
}

/// Records a layer over `[rows, frames]`, each row by itself. `state` has the hidden values and the cells before the
/// first frame, `size x rows` each. Returns the hidden values of all frames, and the state after the last.
pub fn record(
    recording: &mut Recording<'_>,
    layer: &Layer,
    weights: &Weights,
    [rows, frames]: [usize; 2],
    backward: bool,
    x: Block,
    state: Block,
) -> Result<(Block, [Block; 2])> {
    let size = layer.size;
    let plan = Plan::new(LINEAR, 1, 4 * size, Size { channels: layer.inputs, rows, frames });
    let gates = product::record(recording, &plan, &weights.of_input, &weights.bias, None, x, None)?;
    let values = size * rows;
    let y = Block::new(recording, values * frames)?;
    let states = Block::new(recording, 3 * values)?;
    recording.copy(state.part(0, values), states.part(0, values));
    recording.copy(state.part(values, values), states.part(2 * values, values));
    let of_hidden = recording.constant(&weights.of_hidden);
    for step in 0..frames {
        let params = shader::Params {
            size: size as u32,
            rows: rows as u32,
            frames: frames as u32,
            frame: if backward { frames - 1 - step } else { step } as u32,
            odd: (step % 2) as u32,
            ..bytemuck::Zeroable::zeroed()
        };
        let entry = shader::Advance { weights: of_hidden, gates: gates.view, state: states.view, y: y.view };
        let groups = size.div_ceil(shader::UNITS as usize) as u32;
        recording.dispatch(entry.dispatch(&params, [groups, rows as u32, 1], (4 * size * values) as u64));
    }
    Ok((y, [states.from(frames % 2 * values), states.from(2 * values)]))
}
