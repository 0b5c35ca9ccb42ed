// Sums of the square roots of the smallest and of the largest values in runs of a row, 256 threads per run. A radix
// selection finds the limit of the smallest values, and likewise that of the largest: it counts digits of eight bits,
// from the highest to the lowest. Non-negative floats have the same order as their bits. Host side:
// kernels/signal/extremes/.
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

// The number of values with each digit, and of groups of 16 digits: of the smallest values, then of the largest.
var<workgroup> counts: array<atomic<u32>, 512>;
var<workgroup> groups: array<u32, 32>;
// The digits found so far, and the number of wanted values among those that begin with them.
var<workgroup> found: array<u32, 2>;
var<workgroup> left: array<u32, 2>;
var<workgroup> parts: array<vec2<f32>, 256>;

// Finds the digit in which value `wanted` lies, counted from 1.
fn find(side: u32, lane: u32, prefix: u32, wanted: u32, shift: u32) {
    let first = lane & 0xf0u;
    var below = 0u;
    for (var group = 0u; group < first / 16u; group++) {
        below += groups[side * 16u + group];
    }
    for (var digit = first; digit < lane; digit++) {
        below += atomicLoad(&counts[side * WORKGROUP + digit]);
    }
    let own = atomicLoad(&counts[side * WORKGROUP + lane]);
    if (below < wanted && wanted <= below + own) {
        found[side] = prefix | (lane << shift);
        left[side] = wanted - below;
    }
}

@compute @workgroup_size(256)
fn sums_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let row = index / params.runs;
    let run = index - row * params.runs;
    let first = places[4u * params.runs + row] * params.columns + places[4u * run];
    let count = places[4u * run + 1u];
    // Both limits are found at once: that of the largest values is that of the smallest of their inverted bits.
    var prefix = vec2<u32>(0u);
    var remaining = vec2<u32>(places[4u * run + 2u], places[4u * run + 3u]);
    for (var round = 0u; round < 4u; round++) {
        let shift = 24u - DIGIT_BITS * round;
        // In the first round no digit is known yet.
        let known = select(0xffffffffu << (shift + DIGIT_BITS), 0u, round == 0u);
        atomicStore(&counts[lane], 0u);
        atomicStore(&counts[WORKGROUP + lane], 0u);
        workgroupBarrier();
        for (var i = lane; i < count; i += WORKGROUP) {
            let bits = plane[first + i];
            if ((bits & known) == prefix.x) {
                atomicAdd(&counts[(bits >> shift) & DIGIT], 1u);
            }
            if ((~bits & known) == prefix.y) {
                atomicAdd(&counts[WORKGROUP + ((~bits >> shift) & DIGIT)], 1u);
            }
        }
        workgroupBarrier();
        if (lane < 32u) {
            var sum = 0u;
            for (var digit = 0u; digit < 16u; digit++) {
                sum += atomicLoad(&counts[lane * 16u + digit]);
            }
            groups[lane] = sum;
        }
        workgroupBarrier();
        find(0u, lane, prefix.x, remaining.x, shift);
        find(1u, lane, prefix.y, remaining.y, shift);
        workgroupBarrier();
        prefix = vec2<u32>(found[0], found[1]);
        remaining = vec2<u32>(left[0], left[1]);
    }
    let limit = vec2<f32>(bitcast<f32>(prefix.x), bitcast<f32>(~prefix.y));
    var sum = vec2<f32>(0.0);
    for (var i = lane; i < count; i += WORKGROUP) {
        let bits = plane[first + i];
        let size = sqrt(bitcast<f32>(bits));
        sum += vec2<f32>(select(0.0, size, bits < prefix.x), select(0.0, size, ~bits < prefix.y));
    }
    parts[lane] = sum;
    workgroupBarrier();
    if (lane < 16u) {
        for (var i = 1u; i < 16u; i++) {
            sum += parts[lane + 16u * i];
        }
        parts[lane] = sum;
    }
    workgroupBarrier();
    if (lane == 0u) {
        for (var i = 1u; i < 16u; i++) {
            sum += parts[i];
        }
        // Of the values equal to a limit, only `remaining` are wanted.
        results[index] = sum + vec2<f32>(remaining) * sqrt(limit);
    }
}
