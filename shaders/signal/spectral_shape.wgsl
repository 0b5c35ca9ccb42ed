// The shape of power spectra. 256 threads share a window, and each takes a run of neighbouring bins. They compute sums
// in a tree, then the moments about the centroid, then the rolloff. Formulas and host side:
// kernels/signal/spectral_shape/.
//   shapes   of each requested window      windows

const WORKGROUP: u32 = 256u;
// Words per result, in order: the sum of magnitudes; centroid, variance and rolloff in bins; the sum of the exponents
// and the sum of the mantissas' binary logarithms, both of powers limited to `power_floor`; the sum of these powers;
// flux; seven bands; 1 if a power is not finite.
const WORDS: u32 = 16u;
const EXPONENT: u32 = 0x7f800000u;
const MANTISSA: u32 = 0x007fffffu;
const ONE: u32 = 0x3f800000u;

struct Params {
    first_group: u32,
    bins: u32,
    // Bins per thread.
    run: u32,
    // The index in `power` of the first requested window.
    first_window: u32,
    // The lowest power that counts for the flatness.
    power_floor: f32,
    rolloff_share: f32,
    // The lower and upper edges of the bands, four per vector: the bin that contains an edge, and the distance of the
    // edge from the centre of that bin, in bins.
    low_bins: array<vec4<u32>, 2>,
    low_places: array<vec4<f32>, 2>,
    high_bins: array<vec4<u32>, 2>,
    high_places: array<vec4<f32>, 2>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> power: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;

// Three vectors per thread: the first moment, the logarithms of mantissas, the powers limited to the floor, and the
// flux; four bands; three bands, and 1 if a power is not finite.
var<workgroup> sums: array<vec4<f32>, 768>;
// The sum of the magnitudes up to the end of each thread's run.
var<workgroup> reached: array<f32, 256>;
var<workgroup> exponents: array<i32, 256>;
// The first thread at the end of whose run the sum has reached the rolloff.
var<workgroup> crossing: atomic<u32>;

fn is_broken(value: f32) -> bool {
    return (bitcast<u32>(value) & EXPONENT) == EXPONENT;
}

// Returns the share of a bin's width that lies in each of four bands.
fn shares(bin: u32, four: u32) -> vec4<f32> {
    let middle = vec4<u32>(bin);
    let low_bin = params.low_bins[four];
    let high_bin = params.high_bins[four];
    var low = select(vec4<f32>(-0.5), vec4<f32>(0.5), middle < low_bin);
    low = select(low, params.low_places[four], middle == low_bin);
    var high = select(vec4<f32>(0.5), vec4<f32>(-0.5), middle > high_bin);
    high = select(high, params.high_places[four], middle == high_bin);
    return max(high - low, vec4<f32>(0.0));
}

@compute @workgroup_size(256)
fn shapes(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let window = params.first_group + group.x;
    let row = params.first_window + window;
    let start = row * params.bins;
    let first = min(lane * params.run, params.bins);
    let end = min(first + params.run, params.bins);
    var magnitudes = 0.0;
    var exponent = 0;
    var one = vec4<f32>(0.0);
    var low_bands = vec4<f32>(0.0);
    var high_bands = vec4<f32>(0.0);
    for (var bin = first; bin < end; bin++) {
        let p = power[start + bin];
        let m = sqrt(p);
        var before = m;
        if (row > 0u) {
            let p_before = power[start - params.bins + bin];
            // There is no rise from a power that is not finite.
            if (!is_broken(p_before)) {
                before = sqrt(p_before);
            }
        }
        magnitudes += m;
        let bits = bitcast<u32>(max(p, params.power_floor));
        exponent += i32(bits >> 23u) - 127;
        let mantissa = bitcast<f32>((bits & MANTISSA) | ONE);
        one += vec4<f32>(f32(bin) * m, log2(mantissa), max(p, params.power_floor), max(m - before, 0.0));
        low_bands += p * shares(bin, 0u);
        high_bands += p * shares(bin, 1u);
        if (is_broken(p)) {
            high_bands.w = 1.0;
        }
    }
    sums[lane] = one;
    sums[lane + WORKGROUP] = low_bands;
    sums[lane + 2u * WORKGROUP] = high_bands;
    reached[lane] = magnitudes;
    exponents[lane] = exponent;
    if (lane == 0u) {
        atomicStore(&crossing, WORKGROUP - 1u);
    }
    workgroupBarrier();
    for (var apart = WORKGROUP / 2u; apart > 0u; apart /= 2u) {
        if (lane < apart) {
            sums[lane] += sums[lane + apart];
            sums[lane + WORKGROUP] += sums[lane + WORKGROUP + apart];
            sums[lane + 2u * WORKGROUP] += sums[lane + 2u * WORKGROUP + apart];
            exponents[lane] += exponents[lane + apart];
        }
        workgroupBarrier();
    }
    // Prefix sums (W. Hillis and G. Steele, "Data parallel algorithms", 1986).
    for (var apart = 1u; apart < WORKGROUP; apart *= 2u) {
        var below = 0.0;
        if (lane >= apart) {
            below = reached[lane - apart];
        }
        workgroupBarrier();
        reached[lane] += below;
        workgroupBarrier();
    }
    let all = reached[WORKGROUP - 1u];
    let total = sums[0];
    let low_total = sums[WORKGROUP];
    let high_total = sums[2u * WORKGROUP];
    var centroid = 0.0;
    if (all > 0.0) {
        centroid = total.x / all;
    }
    workgroupBarrier();

    // Moments about the centroid do not cancel. The first one corrects the rounding of the centroid.
    var around = vec2<f32>(0.0);
    for (var bin = first; bin < end; bin++) {
        let m = sqrt(power[start + bin]);
        let away = f32(bin) - centroid;
        around += vec2<f32>(away * m, away * away * m);
    }
    sums[lane] = vec4<f32>(around, 0.0, 0.0);
    workgroupBarrier();
    for (var apart = WORKGROUP / 2u; apart > 0u; apart /= 2u) {
        if (lane < apart) {
            sums[lane] += sums[lane + apart];
        }
        workgroupBarrier();
    }

    let to = window * WORDS;
    let threshold = params.rolloff_share * all;
    if (reached[lane] >= threshold) {
        atomicMin(&crossing, lane);
    }
    workgroupBarrier();
    if (lane == atomicLoad(&crossing)) {
        var sum = 0.0;
        if (lane > 0u) {
            sum = reached[lane - 1u];
        }
        var bin = first;
        while (bin + 1u < end) {
            sum += sqrt(power[start + bin]);
            if (sum >= threshold) {
                break;
            }
            bin++;
        }
        results[to + 3u] = select(0.0, f32(bin), all > 0.0);
    }
    if (lane == 0u) {
        var off = 0.0;
        var variance = 0.0;
        if (all > 0.0) {
            off = sums[0].x / all;
            variance = max(sums[0].y / all - off * off, 0.0);
        }
        results[to] = all;
        results[to + 1u] = centroid + off;
        results[to + 2u] = variance;
        results[to + 4u] = f32(exponents[0]);
        results[to + 5u] = total.y;
        results[to + 6u] = total.z;
        results[to + 7u] = total.w;
        results[to + 8u] = low_total.x;
        results[to + 9u] = low_total.y;
        results[to + 10u] = low_total.z;
        results[to + 11u] = low_total.w;
        results[to + 12u] = high_total.x;
        results[to + 13u] = high_total.y;
        results[to + 14u] = high_total.z;
        results[to + 15u] = high_total.w;
    }
}
