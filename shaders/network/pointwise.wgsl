// Element-wise operations of networks. Host side: kernels/network/pointwise/gpu.rs.
//   each      blocks of 1024 numbers

// import: shared/functions.wgsl

struct Params {
    first_group: u32,
    operation: u32,
    count: u32,
    // Numbers of a channel.
    plane: u32,
    a_first: u32,
    b_first: u32,
    activation: u32,
}

const ACTIVATE: u32 = 0u;
const SCALE: u32 = 1u;
const ADD: u32 = 2u;
const SUBTRACT: u32 = 3u;
const GLU: u32 = 4u;
const OFFSET: u32 = 5u;
const NUMBERS_PER_GROUP: u32 = 1024u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
// One number a channel.
@group(0) @binding(3) var<storage, read> numbers: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

fn computed(at: u32) -> f32 {
    let x = a[params.a_first + at];
    switch (params.operation) {
        case SCALE: { return x * numbers[at / params.plane]; }
        case OFFSET: { return x + numbers[at / params.plane]; }
        case ADD: { return x + b[params.b_first + at]; }
        case SUBTRACT: { return x - b[params.b_first + at]; }
        case GLU: { return x * logistic(a[params.a_first + params.count + at]); }
        default: {
            var alpha = 0.0;
            if (params.activation == SNAKE) {
                alpha = numbers[at / params.plane];
            }
            return activated(params.activation, x, alpha);
        }
    }
}

@compute @workgroup_size(256)
fn each(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * NUMBERS_PER_GROUP + lane;
    for (var n = 0u; n < 4u; n++) {
        let at = first + n * 256u;
        if (at < params.count) {
            y[at] = computed(at);
        }
    }
}
