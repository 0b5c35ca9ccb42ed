// Sums of the square roots of the smallest and of the largest values in runs of a row, 256 threads per run. A radix
// selection finds the limit of the smallest values, and likewise that of the largest: it counts digits of eight bits,
// from the highest to the lowest. Non-negative floats have the same order as their bits. Host side:
// src/kernels/extremes/.
//   sums_of   of each run of each requested row      rows x runs

const WORKGROUP: u32 = 256u;
const DIGIT_BITS: u32 = 8u;
const DIGIT: u32 = 255u;

struct Params {
    first_group: u32,
    columns: u32,
    runs: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plane: array<u32>;
// For each run: the index of its first value, its number of values, and the numbers of smallest and of largest values.
// Then the requested rows.
@group(0) @binding(2) var<storage, read> places: array<u32>;
// For each run of each row: the sum over the smallest values, then that over the largest.
@group(0) @binding(3) var<storage, read_write> results: array<vec2<f32>>;

// The number of values with each digit, and the number with that digit or a lower one.
var<workgroup> counts: array<atomic<u32>, 256>;
var<workgroup> reached: array<u32, 256>;
var<workgroup> parts: array<f32, 256>;
// The digits found so far, and the number of wanted values among those that begin with them.
var<workgroup> found: u32;
var<workgroup> left: u32;

// Returns the sum of the square roots of the `wanted` values whose bits, after an XOR with `flip`, are the lowest.
fn sum_of(first: u32, count: u32, wanted: u32, flip: u32, lane: u32) -> f32 {
    var prefix = 0u;
    var remaining = wanted;
    for (var round = 0u; round < 4u; round++) {
        let shift = 24u - DIGIT_BITS * round;
        // In the first round no digit is known yet.
        let known = select(0xffffffffu << (shift + DIGIT_BITS), 0u, round == 0u);
        atomicStore(&counts[lane], 0u);
        workgroupBarrier();
        for (var i = lane; i < count; i += WORKGROUP) {
            let bits = plane[first + i] ^ flip;
            if ((bits & known) == prefix) {
                atomicAdd(&counts[(bits >> shift) & DIGIT], 1u);
            }
        }
        workgroupBarrier();
        let own = atomicLoad(&counts[lane]);
        reached[lane] = own;
        workgroupBarrier();
        for (var apart = 1u; apart < WORKGROUP; apart *= 2u) {
            var below = 0u;
            if (lane >= apart) {
                below = reached[lane - apart];
            }
            workgroupBarrier();
            reached[lane] += below;
            workgroupBarrier();
        }
        let up_to = reached[lane];
        if (up_to >= remaining && up_to - own < remaining) {
            found = prefix | (lane << shift);
            left = remaining - (up_to - own);
        }
        workgroupBarrier();
        prefix = found;
        remaining = left;
        workgroupBarrier();
    }
    var sum = 0.0;
    for (var i = lane; i < count; i += WORKGROUP) {
        let bits = plane[first + i] ^ flip;
        if (bits < prefix) {
            sum += sqrt(bitcast<f32>(bits ^ flip));
        }
    }
    parts[lane] = sum;
    workgroupBarrier();
    for (var apart = WORKGROUP / 2u; apart > 0u; apart /= 2u) {
        if (lane < apart) {
            parts[lane] += parts[lane + apart];
        }
        workgroupBarrier();
    }
    // Of the values equal to the limit, only `remaining` are wanted.
    let all = parts[0] + f32(remaining) * sqrt(bitcast<f32>(prefix ^ flip));
    workgroupBarrier();
    return all;
}

@compute @workgroup_size(256)
fn sums_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let row = index / params.runs;
    let run = index - row * params.runs;
    let first = places[4u * params.runs + row] * params.columns + places[4u * run];
    let count = places[4u * run + 1u];
    let lowest = sum_of(first, count, places[4u * run + 2u], 0u, lane);
    let highest = sum_of(first, count, places[4u * run + 3u], 0xffffffffu, lane);
    if (lane == 0u) {
        results[index] = vec2<f32>(lowest, highest);
    }
}
