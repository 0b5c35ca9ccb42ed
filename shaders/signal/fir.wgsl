// FIR filters by overlap-save: forward transform, product with the response's spectrum and inverse transform in one
// workgroup. A transform of 2048 complex points reads 4096 frames, with the second half as imaginary parts. The
// wrap-around affects only the frames before its own. Samples are read and written once.
//   convolve      transforms x channels
// Tables, responses and host side: kernels/signal/fir/gpu/. Longer responses: fir_long.wgsl. Short ones: fir_direct.wgsl.

// import: shared/fft.wgsl
// import: shared/carried.wgsl
// import: shared/fir_grid.wgsl

struct Params {
    first_group: u32,
    // Complex points per transform.
    points: u32,
    held: u32,
    frames: u32,
    stride: u32,
    lead: u32,
    unit: u32,
    phase: u32,
    units: u32,
    step: u32,
    stretches: u32,
    // Routes per output channel.
    routes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> carried: array<f32>;
@group(0) @binding(2) var<storage, read> chunk: array<f32>;
// exp(-pi i n / points), then exp(pi i n / 2 points).
@group(0) @binding(3) var<storage, read> tables: array<vec2<f32>>;
// For each output channel: input channel and response.
@group(0) @binding(4) var<storage, read> routes: array<vec2<u32>>;
// The responses, one after the other.
@group(0) @binding(5) var<storage, read> responses: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;
@group(0) @binding(7) var<storage, read_write> ready: array<f32>;

fn fft_points() -> u32 {
    return params.points;
}

@compute @workgroup_size(256)
fn convolve(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let stretch = params.first_group + group.x;
    var sum: array<vec2<f32>, 8>;
    for (var at = 0u; at < params.routes; at++) {
        let route = routes[group.y * params.routes + at];
        for (var r = 0u; r < EACH; r++) {
            v[r] = stretch_point(route.x, stretch, lane + r * WORKGROUP);
        }
        fft(0u, lane);
        for (var r = 0u; r < EACH; r++) {
            sum[r] += times(v[r], responses[route.y * POINTS + lane + r * WORKGROUP]);
        }
    }
    for (var r = 0u; r < EACH; r++) {
        v[r] = sum[r].yx;
    }
    fft(0u, lane);
    for (var r = 0u; r < EACH; r++) {
        give_point(group.y, stretch, lane + r * WORKGROUP, v[r]);
    }
}
