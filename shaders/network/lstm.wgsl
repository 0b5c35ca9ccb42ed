// A step of a long short-term memory: the hidden weights times the hidden values before, added to the inputs' part of the
// gates. A workgroup gives 4 hidden values; 64 threads share the sums of each, so that a layer of 512 fills 128
// processors. Host side: kernels/network/lstm/gpu.rs.
//   advance   blocks of 4 hidden values x rows

// import: shared/functions.wgsl

struct Params {
    first_group: u32,
    size: u32,
    // Sequences side by side.
    rows: u32,
    frames: u32,
    frame: u32,
    // Whether the hidden values before are the second ones of `state`; those after go to the others.
    odd: u32,
}

const UNITS: u32 = 4u;
// Threads of a hidden value.
const SHARERS: u32 = 64u;

@group(0) @binding(0) var<uniform> params: Params;
// For each hidden value, for each of the values before: the weights of the input, forget, cell and output gates.
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
// `4 size x rows x frames`, in the order of the gates.
@group(0) @binding(2) var<storage, read> gates: array<f32>;
// Hidden values, hidden values again, cells; each `size x rows`.
@group(0) @binding(3) var<storage, read_write> state: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

var<workgroup> parts: array<vec4<f32>, 256>;

fn gate(which: u32, unit: u32, row: u32) -> f32 {
    return gates[((which * params.size + unit) * params.rows + row) * params.frames + params.frame];
}

@compute @workgroup_size(256)
fn advance(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let unit = (params.first_group + group.x) * UNITS + lane / SHARERS;
    let row = group.y;
    let values = params.size * params.rows;
    let before = params.odd * values + row;
    let at = unit * params.rows + row;
    var sum = vec4<f32>();
    if (unit < params.size) {
        for (var n = lane % SHARERS; n < params.size; n += SHARERS) {
            sum += weights[unit * params.size + n] * state[before + n * params.rows];
        }
    }
    parts[lane] = sum;
    workgroupBarrier();
    for (var half = SHARERS / 2u; half > 0u; half /= 2u) {
        if (lane % SHARERS < half) {
            parts[lane] += parts[lane + half];
        }
        workgroupBarrier();
    }
    if (lane % SHARERS == 0u && unit < params.size) {
        let all = parts[lane] + vec4<f32>(gate(0u, unit, row), gate(1u, unit, row), gate(2u, unit, row), gate(3u, unit, row));
        let cell = logistic(all.y) * state[2u * values + at] + logistic(all.x) * exact_tanh(all.z);
        let value = logistic(all.w) * exact_tanh(cell);
        state[2u * values + at] = cell;
        state[(1u - params.odd) * values + at] = value;
        y[at * params.frames + params.frame] = value;
    }
}
