// Pitch classes of constant-Q spectra. Multiplies each window's spectrum with the basis of an octave, one octave per
// dispatch, then folds the magnitudes into classes. Formulas and host side: kernels/signal/chroma/. Input spectra:
// stft.wgsl; halved signals: constant_q.wgsl.
//   products   weighted magnitudes of an octave's bins   bins of an octave x windows / AT_ONCE
//   fold       classes of every window                   windows x 12 / 256

const WORKGROUP: u32 = 256u;
// Threads that share a product, so that neighbours read neighbouring points, and products per workgroup.
const SHARE: u32 = 16u;
const AT_ONCE: u32 = 16u;
// Bins per octave, bins per class in an octave, and classes.
const ROWS: u32 = 36u;
const EACH: u32 = 3u;
const CLASSES: u32 = 12u;

struct Params {
    first_group: u32,
    windows: u32,
    // Points per spectrum.
    points: u32,
    // The octave's first bin, and the number of bins per window.
    first_bin: u32,
    bins: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> spectra: array<vec2<f32>>;
// For each basis row: its first point, its first value in `basis`, and its number of values; then a weight for each
// bin.
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read> basis: array<vec2<f32>>;
// For each window, the bins in ascending order.
@group(0) @binding(4) var<storage, read_write> magnitudes: array<f32>;
@group(0) @binding(5) var<storage, read_write> results: array<f32>;

var<workgroup> parts: array<vec2<f32>, 256>;

@compute @workgroup_size(256)
fn products(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * AT_ONCE + lane / SHARE;
    // Neighbouring products have the same basis. Those beyond the last repeat it and write nothing.
    let row = min(index / params.windows, ROWS - 1u);
    let window = index % params.windows;
    let part = lane % SHARE;
    let start = window * params.points + places[3u * row];
    let value = places[3u * row + 1u];
    let count = places[3u * row + 2u];
    var sum = vec2<f32>(0.0);
    for (var i = part; i < count; i += SHARE) {
        let a = basis[value + i];
        let x = spectra[start + i];
        sum += vec2<f32>(a.x * x.x - a.y * x.y, a.x * x.y + a.y * x.x);
    }
    parts[lane] = sum;
    workgroupBarrier();
    for (var apart = SHARE / 2u; apart > 0u; apart /= 2u) {
        if (part < apart) {
            sum += parts[lane + apart];
            parts[lane] = sum;
        }
        workgroupBarrier();
    }
    if (part == 0u && index < params.windows * ROWS) {
        let bin = params.first_bin + row;
        let weight = bitcast<f32>(places[3u * ROWS + bin]);
        magnitudes[window * params.bins + bin] = weight * sqrt(dot(sum, sum));
    }
}

@compute @workgroup_size(256)
fn fold(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let window = index / CLASSES;
    if (window < params.windows) {
        let pitch_class = index - window * CLASSES;
        var sum = 0.0;
        for (var first = pitch_class * EACH; first <= params.bins; first += ROWS) {
            // The bins just below, on and just above the semitone; the lowest semitone has none below.
            for (var bin = max(first, 1u) - 1u; bin < min(first + 2u, params.bins); bin++) {
                sum += magnitudes[window * params.bins + bin];
            }
        }
        results[index] = sum;
    }
}
