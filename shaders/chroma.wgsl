// Pitch classes of constant-Q spectra. Multiplies each window's spectrum with the basis of an octave, one octave per
// dispatch, then folds the magnitudes into classes. Formulas and host side: src/kernels/chroma/. Input spectra:
// stft.wgsl; halved signals: constant_q.wgsl.
//   products   weighted magnitudes of an octave's bins   windows x bins of an octave / 256
//   fold       classes of every window                   windows x 12 / 256

const WORKGROUP: u32 = 256u;
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

@compute @workgroup_size(256)
fn products(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let window = index / ROWS;
    if (window < params.windows) {
        let row = index - window * ROWS;
        let start = window * params.points + places[3u * row];
        let value = places[3u * row + 1u];
        let count = places[3u * row + 2u];
        var sum = vec2<f32>(0.0);
        for (var i = 0u; i < count; i++) {
            let a = basis[value + i];
            let x = spectra[start + i];
            sum += vec2<f32>(a.x * x.x - a.y * x.y, a.x * x.y + a.y * x.x);
        }
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
