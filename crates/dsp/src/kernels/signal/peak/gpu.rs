//! The sample peak on a GPU: the peaks of groups of frames, then the largest of each channel.

use crate::gpu::shaders::peak as shader;
use crate::gpu::{Recording, Signal, View};

/// Records a search for the largest magnitude of each channel. Returns where the peaks are, one f32 a channel, or
/// `None` for a signal without frames.
pub(in crate::kernels) fn peak(recording: &mut Recording<'_>, input: Signal) -> Option<View> {
    if input.frames == 0 {
        return None;
    }
    let groups = input.frames.div_ceil(shader::FRAMES_PER_GROUP as usize);
    let channels = input.channels as u32;
    let group_peaks = recording.buffer(groups as u64 * input.channels as u64 * 4);
    let peaks = recording.buffer(input.channels as u64 * 4);
    let params = shader::Params {
        first_group: 0,
        frames: input.frames as u32,
        stride: (input.stride / 4) as u32,
        groups: groups as u32,
    };
    let work = input.channels as u64 * input.frames as u64;
    let reduce = shader::Reduce { samples: input.view, group_peaks };
    recording.dispatch(reduce.dispatch(&params, [groups as u32, channels, 1], work));
    let finish = shader::Finish { group_peaks, peaks };
    recording.dispatch(finish.dispatch(&params, [1, channels, 1], (groups * input.channels) as u64));
    Some(peaks)
}
