// Constant-Q spectra: repeatedly halves the rate of the signal, multiplies the signal at each rate with the atoms of an
// octave, and computes the levels of rows. Formulas, atoms and host side: kernels/signal/constant_q/. Codes of the levels:
// stft.wgsl.
//   halve        every second frame through a half-band filter     frames / 256
//   products     powers of an octave's bins, column after column   bins x columns / AT_ONCE
//   levels_of    a picture's levels, column after column           columns x rows / 256

// import: shared/level.wgsl

const WORKGROUP: u32 = 256u;
// Taps of the half-band filter on either side of the middle, without those at even distances, which are 0.
const HALF_TAPS: u32 = 16u;
// Threads that share a product, so that neighbours read neighbouring taps and samples, and products per workgroup.
const SHARE: u32 = 32u;
const AT_ONCE: u32 = 8u;
// Neighbouring taps of a thread, which are summed before they are added to the rest: most of an atom cancels within few
// taps, and rounding errors grow with what does not.
const RUN: u32 = 4u;

struct Params {
    first_group: u32,
    // The number of frames at half the rate, and the index in `samples` of the middle frame of the first.
    frames: u32,
    middle: u32,
    columns: u32,
    windows: u32,
    // The number of bins of this octave, the index of the first, and the number of bins of all octaves.
    bins: u32,
    first_bin: u32,
    all: u32,
    // The index in `places` at which the middles of windows begin. Before them are two words per bin: the index of its
    // first tap, and the number of taps on either side of the middle.
    first_middle: u32,
    // 1 / windows
    share: f32,
    rows: u32,
    // The indices in `places` at which rows and weights begin.
    first_row: u32,
    first_weight: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> samples: array<f32>;
// The half-band filter's taps as real parts, then the atoms of the highest octave, then those of the others.
@group(0) @binding(2) var<storage, read> taps: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> halved: array<f32>;
@group(0) @binding(5) var<storage, read_write> power: array<f32>;
@group(0) @binding(6) var<storage, read_write> levels: array<f32>;

@compute @workgroup_size(256)
fn halve(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let frame = (params.first_group + group.x) * WORKGROUP + lane;
    if (frame < params.frames) {
        let middle = params.middle + 2u * frame;
        var sum = 0.5 * samples[middle];
        for (var n = 0u; n < HALF_TAPS; n++) {
            sum += taps[n].x * (samples[middle - 1u - 2u * n] + samples[middle + 1u + 2u * n]);
        }
        halved[frame] = sum;
    }
}

var<workgroup> parts: array<vec2<f32>, 256>;

@compute @workgroup_size(256)
fn products(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * AT_ONCE + lane / SHARE;
    // Neighbouring products have the same taps. Those beyond the last repeat it and write nothing.
    let bin = min(index / params.columns, params.bins - 1u);
    let column = index % params.columns;
    let part = lane % SHARE;
    let first_tap = places[2u * bin];
    let half = places[2u * bin + 1u];
    let count = 2u * half + 1u;
    var sum = 0.0;
    for (var window = 0u; window < params.windows; window++) {
        let begin = places[params.first_middle + column * params.windows + window] - half;
        var x = vec2<f32>(0.0);
        for (var first = RUN * part; first < count; first += RUN * SHARE) {
            var run = vec2<f32>(0.0);
            for (var n = 0u; n < RUN; n++) {
                if (first + n < count) {
                    run += taps[first_tap + first + n] * samples[begin + first + n];
                }
            }
            x += run;
        }
        parts[lane] = x;
        workgroupBarrier();
        for (var apart = SHARE / 2u; apart > 0u; apart /= 2u) {
            if (part < apart) {
                x += parts[lane + apart];
                parts[lane] = x;
            }
            workgroupBarrier();
        }
        sum += params.share * dot(x, x);
    }
    if (part == 0u && index < params.columns * params.bins) {
        power[column * params.all + params.first_bin + bin] = sum;
    }
}

fn power_at(column: u32, bin: u32) -> f32 {
    return power[column * params.all + bin];
}

@compute @workgroup_size(256)
fn levels_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let column = index / params.rows;
    if (column < params.columns) {
        let row = index - column * params.rows;
        levels[index] = row_level(column, params.first_row + 4u * row, params.first_weight);
    }
}
