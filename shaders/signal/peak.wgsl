// The largest magnitude of each channel. Magnitudes are compared by their bits, because non-negative floats have the
// same order as unsigned integers. The result is exact and independent of the order of evaluation, and a NaN ranks
// above infinity instead of being lost.

// import: shared/planar.wgsl

const FRAMES_PER_GROUP: u32 = 4096u;
const QUADS_PER_THREAD: u32 = 4u;

struct Params {
    first_group: u32,
    frames: u32,
    // In vec4s.
    stride: u32,
    // Workgroups of `reduce` per channel.
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> samples: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> group_peaks: array<u32>;
@group(0) @binding(3) var<storage, read_write> peaks: array<u32>;

var<workgroup> largest: array<u32, 256>;

fn magnitude(bits: vec4<u32>) -> u32 {
    let m = bits & vec4<u32>(0x7fffffffu);
    return max(max(m.x, m.y), max(m.z, m.w));
}

fn join(lane: u32, own: u32) {
    largest[lane] = own;
    workgroupBarrier();
    for (var reach = WORKGROUP / 2u; reach > 0u; reach >>= 1u) {
        if (lane < reach) {
            largest[lane] = max(largest[lane], largest[lane + reach]);
        }
        workgroupBarrier();
    }
}

// Grid: ceil(frames / FRAMES_PER_GROUP) x channels. Neighbouring threads read neighbouring quads.
@compute @workgroup_size(256)
fn reduce(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tile = params.first_group + group.x;
    var own = 0u;
    for (var round = 0u; round < QUADS_PER_THREAD; round++) {
        let quad = (tile * QUADS_PER_THREAD + round) * WORKGROUP + lane;
        if (quad * 4u < params.frames) {
            let four = within(samples[group.y * params.stride + quad], quad * 4u, params.frames);
            own = max(own, magnitude(bitcast<vec4<u32>>(four)));
        }
    }
    join(lane, own);
    if (lane == 0u) {
        group_peaks[group.y * params.groups + tile] = largest[0];
    }
}

// Grid: 1 x channels.
@compute @workgroup_size(256)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var own = 0u;
    for (var index = lane; index < params.groups; index += WORKGROUP) {
        own = max(own, group_peaks[group.y * params.groups + index]);
    }
    join(lane, own);
    if (lane == 0u) {
        peaks[group.y] = largest[0];
    }
}
