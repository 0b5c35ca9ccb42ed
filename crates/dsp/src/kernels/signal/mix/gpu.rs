//! Mixes on a GPU.

use crate::gpu::shaders::mix as shader;
use crate::gpu::{Recording, Signal, View};
use base::error::Result;

/// Records `gains[channel] * input`.
pub(in crate::kernels) fn gain(recording: &mut Recording<'_>, input: Signal, gains: &[f32]) -> Result<Signal> {
    let output = Signal::new(recording, input.channels, input.frames)?;
    let gains = upload(recording, gains);
    let kernel = shader::Gain { gains, a: input.view, mixed: output.view };
    let (params, groups, work) = shape(input);
    recording.dispatch(kernel.dispatch(&params, groups, work));
    Ok(output)
}

/// Records `gains_a[channel] * a + gains_b[channel] * b` for signals of the same shape.
///
/// # Panics
/// If the shapes differ.
pub(in crate::kernels) fn mix(
    recording: &mut Recording<'_>,
    a: Signal,
    gains_a: &[f32],
    b: Signal,
    gains_b: &[f32],
) -> Result<Signal> {
    assert_eq!((a.channels, a.frames), (b.channels, b.frames), "signals of different shapes");
    let output = Signal::new(recording, a.channels, a.frames)?;
    let gains = upload(recording, &[gains_a, gains_b].concat());
    let kernel = shader::MixTwo { gains, a: a.view, mixed: output.view, b: b.view };
    let (params, groups, work) = shape(a);
    recording.dispatch(kernel.dispatch(&params, groups, work));
    Ok(output)
}

fn upload(recording: &mut Recording<'_>, gains: &[f32]) -> View {
    let view = recording.buffer(gains.len() as u64 * 4);
    recording.upload(view, bytemuck::cast_slice(gains).to_vec());
    view
}

/// Returns the parameters, the grid and the number of samples of a dispatch over a signal.
fn shape(signal: Signal) -> (shader::Params, [u32; 3], u64) {
    let params = shader::Params {
        first_group: 0,
        frames: signal.frames as u32,
        stride: (signal.stride / 4) as u32,
        channels: signal.channels as u32,
    };
    let groups = signal.frames.div_ceil(shader::FRAMES_PER_GROUP as usize) as u32;
    (params, [groups, signal.channels as u32, 1], signal.channels as u64 * signal.frames as u64)
}
