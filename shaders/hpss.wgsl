// What a window's power is made of, from the medians along time and along frequency: soft masks, and sums of what they
// let through, 256 threads to a window. The medians: median.wgsl. Formulas and host side: src/kernels/hpss/.
//   energies   of every window wanted      windows

const WORKGROUP: u32 = 256u;
// Words of a window's result: the power in all, of the harmonic and of the percussive part.
const WORDS: u32 = 3u;
// Bits of the exponent: all of them for what is no number; none for what is too small to be divided by.
const EXPONENT: u32 = 0x7f800000u;
const LEAST_NORMAL: u32 = 0x00800000u;

struct Params {
    first_group: u32,
    bins: u32,
    // The first window wanted among those of `power`; medians are of those wanted alone.
    first_window: u32,
    // The bits of what is no number.
    not_a_number: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> power: array<f32>;
@group(0) @binding(2) var<storage, read> harmonic: array<f32>;
@group(0) @binding(3) var<storage, read> percussive: array<f32>;
@group(0) @binding(4) var<storage, read_write> window_energies: array<f32>;

// The three sums; at last 1 where a median is no number, 2 where a power is none.
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
