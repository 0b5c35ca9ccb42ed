//! Attention on a GPU.

use super::{Plan, Sight};
use crate::gpu::Recording;
use crate::gpu::shaders::attention as shader;
use crate::kernels::network::block::Block;
use base::error::{Error, Result};

/// Refuses heads that are too wide for the memory of a workgroup.
pub fn check(plan: &Plan) -> Result<()> {
    let (width, most) = (plan.width.max(plan.value_width), shader::MAX_WIDTH as usize);
    if width > most {
        let reason = format!("on a GPU a head has up to {most} components");
        return Err(Error::unsupported(format!("attention with {width} components a head"), reason));
    }
    Ok(())
}

/// Records an attention. `falls` is the decrease of the scores per frame of distance, if any.
pub fn record(
    recording: &mut Recording<'_>,
    plan: &Plan,
    sight: Sight,
    [query, keys, values]: [Block; 3],
    falls: Option<Block>,
) -> Result<Block> {
    check(plan)?;
    let count = plan.heads * plan.value_width * plan.frames;
    let of_falls = plan.heads * plan.frames;
    // A shader has few bindings, so the decrease of the scores is stored behind the result.
    let y = Block::new(recording, count + falls.map_or(0, |_| of_falls))?;
    if let Some(falls) = falls {
        recording.copy(falls.part(0, of_falls), y.part(count, of_falls));
    }
    let params = shader::Params {
        heads_of_key: (plan.heads / plan.key_heads) as u32,
        width: plan.width as u32,
        value_width: plan.value_width as u32,
        frames: plan.frames as u32,
        keys: plan.keys as u32,
        window: plan.window.map_or(0, |window| window.min(u32::MAX as usize / 2)) as u32,
        before: sight.before as u32,
        beginning: sight.beginning as u32,
        query_first: query.first as u32,
        keys_first: keys.first as u32,
        values_first: values.first as u32,
        falls_first: falls.map_or(0, |_| count) as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let entry = shader::Attend { query: query.view, keys: keys.view, values: values.view, y: y.view };
    let groups = [plan.frames.div_ceil(shader::FRAMES as usize) as u32, plan.heads as u32, 1];
    recording.dispatch(entry.dispatch(&params, groups, plan.products()));
    Ok(y)
}

/// Records a rotary embedding of `channels` components; `angles` come from [`super::rotary::angles`], on the device.
pub fn rotate(
    recording: &mut Recording<'_>,
    [channels, heads, frames]: [usize; 3],
    x: Block,
    angles: Block,
) -> Result<Block> {
    let y = Block::new(recording, channels * frames)?;
    let width = channels / heads.max(1);
    let params = shader::Params {
        width: width as u32,
        frames: frames as u32,
        query_first: x.first as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let entry = shader::Rotate { query: x.view, y: y.view, angles: angles.view };
    let groups = [(width / 2 * frames).div_ceil(256) as u32, heads as u32, 1];
    recording.dispatch(entry.dispatch(&params, groups, (channels * frames) as u64));
    Ok(y)
}
