// The harmonic and the percussive energy of each window: computes soft masks from the medians along time and along
// frequency, and sums the masked powers. 256 threads per window. Medians: median.wgsl. Formulas and host side:
// kernels/signal/hpss/.
//   energies   of each requested window      windows

const WORKGROUP: u32 = 256u;
// Words per result: the total, the harmonic and the percussive power.
const WORDS: u32 = 3u;
// The bits of the exponent, which are all set if a value is not finite. A median below the lowest normal value is too
// small to be divided by.
const EXPONENT: u32 = 0x7f800000u;
const LEAST_NORMAL: u32 = 0x00800000u;

struct Params {
    first_group: u32,
    bins: u32,
    // The index in `power` of the first requested window. Medians exist only for the requested windows.
    first_window: u32,
    // The bits of a NaN.
    not_a_number: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> power: array<f32>;
@group(0) @binding(2) var<storage, read> harmonic: array<f32>;
@group(0) @binding(3) var<storage, read> percussive: array<f32>;
@group(0) @binding(4) var<storage, read_write> window_energies: array<f32>;

// The three sums, then 2 if a power is not finite, otherwise 1 if a median is not finite.
var<workgroup> sums: array<vec4<f32>, 256>;

fn is_broken(value: f32) -> bool {
    return (bitcast<u32>(value) & EXPONENT) == EXPONENT;
}

@compute @workgroup_size(256)
fn energies(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let window = params.first_group + group.x;
    let start = (params.first_window + window) * params.bins;
    let medians = window * params.bins;
    var sum = vec4<f32>(0.0);
    for (var bin = lane; bin < params.bins; bin += WORKGROUP) {
        let p = power[start + bin];
        let h = harmonic[medians + bin];
        let r = percussive[medians + bin];
        var share_h = 0.5;
        var share_r = 0.5;
        if (max(bitcast<u32>(h), bitcast<u32>(r)) >= LEAST_NORMAL) {
            share_h = h / (h + r);
            share_r = r / (h + r);
        }
        sum.x += p;
        sum.y += share_h * share_h * p;
        sum.z += share_r * share_r * p;
        sum.w = max(sum.w, select(0.0, 1.0, is_broken(h) || is_broken(r)));
        sum.w = max(sum.w, select(0.0, 2.0, is_broken(p)));
    }
    sums[lane] = sum;
    workgroupBarrier();
    for (var apart = WORKGROUP / 2u; apart > 0u; apart /= 2u) {
        if (lane < apart) {
            let other = sums[lane + apart];
            sums[lane] = vec4<f32>(sums[lane].xyz + other.xyz, max(sums[lane].w, other.w));
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        let total = sums[0];
        let nothing = bitcast<f32>(params.not_a_number);
        window_energies[window * WORDS] = select(total.x, nothing, total.w >= 2.0);
        window_energies[window * WORDS + 1u] = select(total.y, nothing, total.w >= 1.0);
        window_energies[window * WORDS + 2u] = select(total.z, nothing, total.w >= 1.0);
    }
}
