// FIR filters with long responses. As in fir.wgsl, but transforms have more points and take two steps through device
// memory as in stft_long.wgsl, with points = first x second. Responses are cut into `parts`, each as long as a
// transform's own frames. Their spectra are multiplied with those of the last transforms. Products do not depend on the
// order of points, so points are never put in order. For each channel:
//   columns_first   for each n2: transform over n1, times exp(-2 pi i n2 k1 / points)   transforms x second / slots
//   rows_second     for each k1: transform over n2, in place                            transforms x first / slots
//   rows_back       sums of products; for each k1: inverse over k2, times the root      stretches x first / slots
//   columns_back    for each n2: inverse over k1                                        stretches x second / slots

// import: shared/fft.wgsl
// import: shared/carried.wgsl
// import: shared/fir_grid.wgsl

struct Params {
    first_group: u32,
    // Complex points per transform: first x second.
    points: u32,
    first: u32,
    second: u32,
    // Points per transform in this step: first or second.
    step_points: u32,
    // Workgroups per transform.
    groups_each: u32,
    held: u32,
    frames: u32,
    stride: u32,
    lead: u32,
    unit: u32,
    phase: u32,
    units: u32,
    step: u32,
    stretches: u32,
    routes: u32,
    // Parts per response. The transforms of the first unit follow parts - 1 earlier ones.
    parts: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> carried: array<f32>;
@group(0) @binding(2) var<storage, read> chunk: array<f32>;
// As in fir.wgsl.
@group(0) @binding(3) var<storage, read> tables: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read> routes: array<vec2<u32>>;
// For each response and part: [k1][k2].
@group(0) @binding(5) var<storage, read> responses: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> output: array<f32>;
@group(0) @binding(7) var<storage, read_write> ready: array<f32>;
// For each channel and transform: [k1][n2] after the first step, [k1][k2] after the second.
@group(0) @binding(8) var<storage, read_write> spectra: array<vec2<f32>>;
// For each channel and stretch: [k1][n2], with real and imaginary parts exchanged.
@group(0) @binding(9) var<storage, read_write> half_back: array<vec2<f32>>;

fn fft_points() -> u32 {
    return params.step_points;
}

// Returns the number of transforms per channel.
fn transforms() -> u32 {
    return params.units * params.stretches + params.parts - 1u;
}

@compute @workgroup_size(256)
fn columns_first(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let transform = index / params.groups_each;
    let threads = params.first / EACH;
    let slots = POINTS / params.first;
    // Neighbouring threads read neighbouring frames.
    let slot = lane % slots;
    let thread = lane / slots;
    let n2 = (index - transform * params.groups_each) * slots + slot;
    for (var r = 0u; r < EACH; r++) {
        v[r] = stretch_point(group.y, transform, (thread + r * threads) * params.second + n2);
    }
    fft(slot, thread);
    let to = (group.y * transforms() + transform) * params.points + n2;
    for (var r = 0u; r < EACH; r++) {
        let k1 = thread + r * threads;
        spectra[to + k1 * params.second] = times(v[r], root(2u * n2 * k1));
    }
}

@compute @workgroup_size(256)
fn rows_second(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let transform = index / params.groups_each;
    let threads = params.second / EACH;
    let slots = POINTS / params.second;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let k1 = (index - transform * params.groups_each) * slots + slot;
    let base = (group.y * transforms() + transform) * params.points + k1 * params.second + thread;
    for (var r = 0u; r < EACH; r++) {
        v[r] = spectra[base + r * threads];
    }
    fft(slot, thread);
    for (var r = 0u; r < EACH; r++) {
        spectra[base + r * threads] = v[r];
    }
}

@compute @workgroup_size(256)
fn rows_back(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let stretch = index / params.groups_each;
    let threads = params.second / EACH;
    let slots = POINTS / params.second;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let k1 = (index - stretch * params.groups_each) * slots + slot;
    let within = k1 * params.second + thread;
    var sum: array<vec2<f32>, 8>;
    for (var at = 0u; at < params.routes; at++) {
        let route = routes[group.y * params.routes + at];
        for (var part = 0u; part < params.parts; part++) {
            let heard = (route.x * transforms() + stretch + params.parts - 1u - part) * params.points + within;
            let response = (route.y * params.parts + part) * params.points + within;
            for (var r = 0u; r < EACH; r++) {
                sum[r] += times(spectra[heard + r * threads], responses[response + r * threads]);
            }
        }
    }
    for (var r = 0u; r < EACH; r++) {
        v[r] = sum[r].yx;
    }
    fft(slot, thread);
    let to = (group.y * params.units * params.stretches + stretch) * params.points + k1 * params.second;
    for (var r = 0u; r < EACH; r++) {
        let n2 = thread + r * threads;
        // Because real and imaginary parts are exchanged, the forward root serves the inverse transform.
        half_back[to + n2] = times(v[r], root(2u * n2 * k1));
    }
}

@compute @workgroup_size(256)
fn columns_back(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let stretch = index / params.groups_each;
    let threads = params.first / EACH;
    let slots = POINTS / params.first;
    let slot = lane % slots;
    let thread = lane / slots;
    let n2 = (index - stretch * params.groups_each) * slots + slot;
    let base = (group.y * params.units * params.stretches + stretch) * params.points + n2;
    for (var r = 0u; r < EACH; r++) {
        v[r] = half_back[base + (thread + r * threads) * params.second];
    }
    fft(slot, thread);
    for (var r = 0u; r < EACH; r++) {
        give_point(group.y, stretch, (thread + r * threads) * params.second + n2, v[r]);
    }
}
