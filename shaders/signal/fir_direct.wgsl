// Short FIR filters as direct sums: a workgroup loads the frames that it needs into workgroup memory. A thread sums four
// neighbouring outputs, four taps at a time: the frames that these need are in registers but for four.
//   convolve_direct      frames / FRAMES_PER_GROUP x channels
// Host side: kernels/signal/fir/gpu/.

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
    // Taps of a filter, a multiple of four.
    taps: u32,
    routes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> carried: array<f32>;
@group(0) @binding(2) var<storage, read> chunk: array<f32>;
// For each output channel: input channel and filter.
@group(0) @binding(3) var<storage, read> routes: array<vec2<u32>>;
// The taps of each filter in reverse order, then zeros up to `taps`.
@group(0) @binding(4) var<storage, read> reversed: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> output: array<vec4<f32>>;

// (FRAMES_PER_GROUP + MOST_TAPS) / 4
var<workgroup> heard: array<vec4<f32>, 272>;

@compute @workgroup_size(256)
fn convolve_direct(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * FRAMES_PER_GROUP;
    let fours = params.taps / 4u;
    var sums = vec4<f32>(0.0);
    for (var at = 0u; at < params.routes; at++) {
        let route = routes[group.y * params.routes + at];
        for (var n = lane; n < WORKGROUP + fours; n += WORKGROUP) {
            let frame = first + 4u * n;
            heard[n] = vec4<f32>(
                frame_at(route.x, frame),
                frame_at(route.x, frame + 1u),
                frame_at(route.x, frame + 2u),
                frame_at(route.x, frame + 3u),
            );
        }
        workgroupBarrier();
        var a = heard[lane];
        for (var four = 0u; four < fours; four++) {
            let b = heard[lane + four + 1u];
            let taps = reversed[route.y * fours + four];
            sums += taps.x * a;
            sums += taps.y * vec4<f32>(a.yzw, b.x);
            sums += taps.z * vec4<f32>(a.zw, b.xy);
            sums += taps.w * vec4<f32>(a.w, b.xyz);
            a = b;
        }
        workgroupBarrier();
    }
    let frame = first + OUTPUTS * lane;
    if (frame < params.frames) {
        // The frames after the last lie in the channel's padding.
        output[(group.y * params.stride + frame) / 4u] = sums;
    }
}
