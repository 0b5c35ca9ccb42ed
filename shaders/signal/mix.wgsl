// y = gain_a * a + gain_b * b, with separate gains for each channel; and y = gain_a * a alone. Four frames per thread;
// grid: ceil(frames / FRAMES_PER_GROUP) x channels.

// import: shared/planar.wgsl

const FRAMES_PER_GROUP: u32 = 1024u;

struct Params {
    first_group: u32,
    frames: u32,
    // In vec4s.
    stride: u32,
    channels: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Gains of a for each channel, then gains of b for each channel.
@group(0) @binding(1) var<storage, read> gains: array<f32>;
@group(0) @binding(2) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> mixed: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> b: array<vec4<f32>>;

@compute @workgroup_size(256)
fn mix_two(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let quad = (params.first_group + group.x) * WORKGROUP + lane;
    if (quad * 4u < params.frames) {
        let at = group.y * params.stride + quad;
        mixed[at] = gains[group.y] * a[at] + gains[params.channels + group.y] * b[at];
    }
}

@compute @workgroup_size(256)
fn gain(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let quad = (params.first_group + group.x) * WORKGROUP + lane;
    if (quad * 4u < params.frames) {
        let at = group.y * params.stride + quad;
        mixed[at] = gains[group.y] * a[at];
    }
}
