// Spectra of windows of a signal, beyond 4096 points: a complex transform of `points` = first x second points in two
// steps through device memory (D. Bailey, "FFTs in external or hierarchical memory", 1990). With n = second n1 + n2 and
// k = k1 + first k2
//   columns_first    for each n2: transform over n1, times exp(-2 pi i n2 k1 / points)     windows x second / slots
//   rows_second      for each k1: transform over n2                                        windows x first / slots
//   powers           bins of the packed real transform, powers, their sum over windows     columns x bins / 256
//   levels_of        a picture's levels, column after column                               columns x rows / 256
//   unpack           complex spectra instead of powers                                     windows x bins / 256
// Tables and host side: kernels/signal/stft/gpu/long.rs.

// import: shared/fft.wgsl
// import: shared/level.wgsl

struct Params {
    first_group: u32,
    // The number of columns, or of windows if there are no columns.
    columns: u32,
    // Windows per column.
    windows: u32,
    // Complex points of the transform, half of its real points.
    points: u32,
    first: u32,
    second: u32,
    // Points per transform in this step: first or second.
    step_points: u32,
    // Workgroups per window, column or spectrum.
    groups_each: u32,
    // Frames per window.
    size: u32,
    rows: u32,
    // The indices in `places` at which rows and weights begin.
    first_row: u32,
    first_weight: u32,
    // The factor that scales |X|^2.
    scale: f32,
    // The number of spectra already in `complex_spectra`.
    first_spectrum: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// As in stft.wgsl.
@group(0) @binding(1) var<storage, read> samples: array<f32>;
@group(0) @binding(2) var<storage, read> tables: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
// For each window: [k1][n2] after the first step, points in order after the second.
@group(0) @binding(4) var<storage, read_write> half_done: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> transformed: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> power: array<f32>;
@group(0) @binding(7) var<storage, read_write> levels: array<f32>;
@group(0) @binding(8) var<storage, read_write> complex_spectra: array<vec2<f32>>;

fn fft_points() -> u32 {
    return params.step_points;
}

@compute @workgroup_size(256)
fn columns_first(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let window = index / params.groups_each;
    let threads = params.first / EACH;
    let slots = POINTS / params.first;
    // Neighbouring threads read neighbouring frames.
    let slot = lane % slots;
    let thread = lane / slots;
    let n2 = (index - window * params.groups_each) * slots + slot;
    let start = places[window];
    for (var r = 0u; r < EACH; r++) {
        let pair = (thread + r * threads) * params.second + n2;
        v[r] = vec2<f32>(0.0);
        if (2u * pair < params.size) {
            let at = start + 2u * pair;
            v[r] = tables[ROOTS + params.points + pair] * vec2<f32>(samples[at], samples[at + 1u]);
        }
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
    let base = window * params.points;
    for (var r = 0u; r < EACH; r++) {
        v[r] = half_done[base + k1 * params.second + thread + r * threads];
    }
    fft(slot, thread);
    for (var r = 0u; r < EACH; r++) {
        transformed[base + k1 + params.first * (thread + r * threads)] = v[r];
    }
}

// Returns bin k of a window's spectrum, including the Nyquist frequency.
fn bin_of(window: u32, k: u32) -> vec2<f32> {
    let base = window * params.points;
    let point = transformed[base + (k & (params.points - 1u))];
    let mirror = transformed[base + ((params.points - k) & (params.points - 1u))];
    return unpacked(point, mirror, root(k));
}

@compute @workgroup_size(256)
fn powers(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let column = index / params.groups_each;
    let bin = (index - column * params.groups_each) * WORKGROUP + lane;
    if (bin <= params.points) {
        var sum = 0.0;
        for (var window = 0u; window < params.windows; window++) {
            let x = bin_of(column * params.windows + window, bin);
            sum += dot(x, x);
        }
        power[column * (params.points + 1u) + bin] = params.scale * sum;
    }
}

@compute @workgroup_size(256)
fn unpack(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let window = index / params.groups_each;
    let bin = (index - window * params.groups_each) * WORKGROUP + lane;
    if (bin <= params.points) {
        complex_spectra[(params.first_spectrum + window) * (params.points + 1u) + bin] = bin_of(window, bin);
    }
}

fn power_at(column: u32, bin: u32) -> f32 {
    return power[column * (params.points + 1u) + bin];
}

@compute @workgroup_size(256)
fn levels_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let column = index / params.groups_each;
    let row = (index - column * params.groups_each) * WORKGROUP + lane;
    if (row < params.rows) {
        levels[column * params.rows + row] =
            row_level(column, params.first_row + 4u * row, params.first_weight);
    }
}
