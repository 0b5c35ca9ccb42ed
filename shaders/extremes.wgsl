// Sums of roots of the smallest and of the largest values of runs of a row, 256 threads to a run. Where the smallest end is
// found digit by digit, eight bits at a time from the highest, by counting: values that are not negative are in the order of
// their bits. Host side: src/kernels/extremes/.
//   sums_of   of every run of every row wanted      rows x runs

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
// Of each run its first value, how many it has, and how many of them are smallest and largest; then the rows wanted.
@group(0) @binding(2) var<storage, read> places: array<u32>;
// Of each run of each row: the smallest, then the largest.
@group(0) @binding(3) var<storage, read_write> results: array<vec2<f32>>;

// How many values have each digit; then how many have it or a lower one.
var<workgroup> counts: array<atomic<u32>, 256>;
var<workgroup> reached: array<u32, 256>;
var<workgroup> parts: array<f32, 256>;
// The digits found, and how many of the values that have them are wanted.
var<workgroup> found: u32;
var<workgroup> left: u32;

// The sum of roots of the `wanted` values whose bits, after `flip`, are the lowest.
fn sum_of(first: u32, count: u32, wanted: u32, flip: u32, lane: u32) -> f32 {
    var prefix = 0u;
    var remaining = wanted;
    for (var round = 0u; round < 4u; round++) {
        let shift = 24u - DIGIT_BITS * round;
        // Of the first round all bits are below.
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
    // Of equal ones as many as are left.
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
