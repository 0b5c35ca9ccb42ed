//! Normalisations on a GPU.

use super::{Norm, Over};
use crate::gpu::shaders::norm as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::Block;
use crate::kernels::network::convolution::Size;
use base::error::Result;

/// Returns gains and biases for the device, if there are any.
pub fn constant(norm: &Norm<'_>) -> Option<Constant> {
    let numbers: Vec<f32> = norm.gain.into_iter().chain(norm.bias).flatten().copied().collect();
    (!numbers.is_empty()).then(|| Constant::of(&numbers))
}

/// Records a normalisation. `numbers` are those of [`constant`].
pub fn record(
    recording: &mut Recording<'_>,
    norm: &Norm<'_>,
    numbers: Option<&Constant>,
    size: Size,
    x: Block,
) -> Result<Block> {
    let y = Block::new(recording, size.len())?;
    if size.is_empty() {
        return Ok(y);
    }
    let plane = size.rows * size.frames;
    let (kind, groups, run) = match norm.over {
        Over::Channels => (shader::CHANNELS, 0, plane),
        Over::ChannelsRms => (shader::CHANNELS_RMS, 0, plane),
        Over::Length => (shader::LENGTH, 0, plane),
        Over::Groups(groups) => (0, groups, plane),
        Over::GroupsOfRow(groups) => (0, groups, size.frames),
    };
    let width = size.channels / groups.max(1);
    let blocks = (width * run).div_ceil(shader::NUMBERS_PER_BLOCK as usize);
    let params = shader::Params {
        channels: size.channels as u32,
        plane: plane as u32,
        run: run as u32,
        runs: (plane / run) as u32,
        width: width as u32,
        blocks: blocks as u32,
        x_first: x.first as u32,
        kind,
        has_gain: u32::from(norm.gain.is_some()),
        has_bias: u32::from(norm.bias.is_some()),
        epsilon: norm.epsilon,
        ..bytemuck::Zeroable::zeroed()
    };
    let (work, numbers) = (size.len() as u64, numbers.map_or(x.view, |numbers| recording.constant(numbers)));
    if groups == 0 {
        let entry = shader::Places { x: x.view, numbers, y: y.view };
        let count = plane.div_ceil(shader::PLACES_PER_GROUP as usize) as u32;
        recording.dispatch(entry.dispatch(&params, [count, 1, 1], work));
        return Ok(y);
    }
    let groups = groups * (plane / run);
    let measured = Block::new(recording, 4 * groups * blocks)?.view;
    let scales = Block::new(recording, 2 * groups)?.view;
    let measure = shader::Measure { x: x.view, blocks: measured };
    recording.dispatch(measure.dispatch(&params, [blocks as u32, groups as u32, 1], work));
    let join = shader::Join { blocks: measured, scales };
    recording.dispatch(join.dispatch(&params, [groups as u32, 1, 1], (groups * blocks) as u64));
    let apply = shader::Apply { x: x.view, numbers, scales, y: y.view };
    let count = size.len().div_ceil(shader::NUMBERS_PER_GROUP as usize) as u32;
    recording.dispatch(apply.dispatch(&params, [count, 1, 1], work));
    Ok(y)
}
