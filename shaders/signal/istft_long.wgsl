// Frames of windows from their spectra, beyond 4096 points: two steps through device memory as in stft_long.wgsl, with
// real and imaginary parts swapped as in istft.wgsl, which also does the overlap-add.
//   columns_first    for each n2: transform over n1, times exp(-2 pi i n2 k1 / points)         windows x second / slots
//   rows_second      for each k1: transform over n2, multiplied by the window function         windows x first / slots
// Host side: kernels/signal/istft/gpu.rs.

// import: shared/fft.wgsl

struct Params {
    first_group: u32,
    // Complex points of the transform, half of its real points: first x second.
    points: u32,
    first: u32,
    second: u32,
    // Points per transform in this step: first or second.
    step_points: u32,
    // Workgroups per window.
    groups_each: u32,
    // Frames per window.
    size: u32,
    // 1 / points
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
// As in istft.wgsl.
@group(0) @binding(1) var<storage, read> complex_spectra: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> tables: array<vec2<f32>>;
// For each window: [k1][n2].
@group(0) @binding(3) var<storage, read_write> half_done: array<vec2<f32>>;
// Two frames per element.
@group(0) @binding(4) var<storage, read_write> weighed: array<vec2<f32>>;

fn fft_points() -> u32 {
    return params.step_points;
}

@compute @workgroup_size(256)
fn columns_first(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let window = index / params.groups_each;
    let threads = params.first / EACH;
    let slots = POINTS / params.first;
    // Neighbouring threads read neighbouring bins.
    let slot = lane % slots;
    let thread = lane / slots;
    let n2 = (index - window * params.groups_each) * slots + slot;
    let base = window * (params.points + 1u);
    for (var r = 0u; r < EACH; r++) {
        let k = (thread + r * threads) * params.second + n2;
        var bin = complex_spectra[base + k];
        var mirror = complex_spectra[base + params.points - k];
        // The imaginary parts at 0 Hz and the Nyquist frequency are zero for a real signal.
        if (k == 0u) {
            bin.y = 0.0;
            mirror.y = 0.0;
        }
        v[r] = packed(bin, mirror, tables[ROOTS + k]).yx;
    }
    fft(slot, thread);
    let to = window * params.points + n2;
    for (var r = 0u; r < EACH; r++) {
        let k1 = thread + r * threads;
        half_done[to + k1 * params.second] = times(v[r], root(2u * n2 * k1));
    }
}

@compute @workgroup_size(256)
fn rows_second(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let window = index / params.groups_each;
    let threads = params.second / EACH;
    let slots = POINTS / params.second;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let k1 = (index - window * params.groups_each) * slots + slot;
    let base = window * params.points + k1 * params.second;
    for (var r = 0u; r < EACH; r++) {
        v[r] = half_done[base + thread + r * threads];
    }
    fft(slot, thread);
    for (var r = 0u; r < EACH; r++) {
        let pair = k1 + params.first * (thread + r * threads);
        if (2u * pair < params.size) {
            weighed[window * params.size / 2u + pair] = params.scale * tables[ROOTS + params.points + pair] * v[r].yx;
        }
    }
}
