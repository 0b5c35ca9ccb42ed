// Short FIR filters as direct sums: a workgroup loads the frames that it needs into workgroup memory, and a thread sums
// four outputs at a time.
//   convolve_direct      frames / FRAMES_PER_GROUP x channels
// Host side: src/kernels/fir/gpu/.

// import: shared/carried.wgsl

const WORKGROUP: u32 = 256u;
// Outputs per thread.
const OUTPUTS: u32 = 4u;
const FRAMES_PER_GROUP: u32 = 1024u;
// The maximum number of taps.
const MOST_TAPS: u32 = 64u;

struct Params {
    first_group: u32,
    held: u32,
    frames: u32,
    stride: u32,
    taps: u32,
    routes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> carried: array<f32>;
@group(0) @binding(2) var<storage, read> chunk: array<f32>;
// For each output channel: input channel and filter.
@group(0) @binding(3) var<storage, read> routes: array<vec2<u32>>;
// The taps of each filter in reverse order.
@group(0) @binding(4) var<storage, read> reversed: array<f32>;
@group(0) @binding(5) var<storage, read_write> output: array<f32>;

// FRAMES_PER_GROUP + MOST_TAPS
var<workgroup> heard: array<f32, 1088>;

@compute @workgroup_size(256)
fn convolve_direct(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * FRAMES_PER_GROUP;
    var sums = vec4<f32>(0.0);
    for (var at = 0u; at < params.routes; at++) {
        let route = routes[group.y * params.routes + at];
        for (var n = lane; n < FRAMES_PER_GROUP + params.taps; n += WORKGROUP) {
            heard[n] = frame_at(route.x, first + n);
        }
        workgroupBarrier();
        for (var tap = 0u; tap < params.taps; tap++) {
            let start = lane + tap;
            let frames = vec4<f32>(heard[start], heard[start + 256u], heard[start + 512u], heard[start + 768u]);
            sums += reversed[route.y * params.taps + tap] * frames;
        }
        workgroupBarrier();
    }
    for (var n = 0u; n < OUTPUTS; n++) {
        let frame = first + lane + n * WORKGROUP;
        if (frame < params.frames) {
            output[group.y * params.stride + frame] = sums[n];
        }
    }
}
