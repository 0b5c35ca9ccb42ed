// Normalisations. Groups are measured in blocks of 4096 numbers, each with its mean and its sum of squares about it, which
// are joined (Chan, Golub and LeVeque). Host side: kernels/network/norm/gpu.rs.
//   measure     blocks x groups
//   join        groups
//   apply       blocks of 1024 numbers
//   places      blocks of 64 places

struct Params {
    first_group: u32,
    channels: u32,
    // Numbers of a channel.
    plane: u32,
    // Numbers of a channel that lie side by side in a group, and how many such runs a channel has.
    run: u32,
    runs: u32,
    // Channels of a group.
    width: u32,
    // Blocks of a group.
    blocks: u32,
    x_first: u32,
    kind: u32,
    has_gain: u32,
    has_bias: u32,
    epsilon: f32,
}

const CHANNELS: u32 = 0u;
const CHANNELS_RMS: u32 = 1u;
const LENGTH: u32 = 2u;
const NUMBERS_PER_BLOCK: u32 = 4096u;
const NUMBERS_PER_GROUP: u32 = 1024u;
const PLACES_PER_GROUP: u32 = 64u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
// Gains, then biases.
@group(0) @binding(2) var<storage, read> numbers: array<f32>;
// Of each block, mean, sum of squares and number.
@group(0) @binding(3) var<storage, read_write> blocks: array<vec4<f32>>;
// Of each group, mean and scale.
@group(0) @binding(4) var<storage, read_write> scales: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;

var<workgroup> parts: array<f32, 256>;

// The number `n` of a group.
fn place(group: u32, n: u32) -> u32 {
    let channel = (group / params.runs) * params.width + n / params.run;
    return channel * params.plane + (group % params.runs) * params.run + n % params.run;
}

fn total(lane: u32, own: f32) -> f32 {
    workgroupBarrier();
    parts[lane] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
        workgroupBarrier();
    }
    return parts[0];
}

@compute @workgroup_size(256)
fn measure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = params.first_group + group.x;
    let all = params.width * params.run;
    let first = block * NUMBERS_PER_BLOCK;
    let count = min(all - first, NUMBERS_PER_BLOCK);
    var sum = 0.0;
    for (var n = lane; n < count; n += 256u) {
        sum += x[params.x_first + place(group.y, first + n)];
    }
    let mean = total(lane, sum) / f32(count);
    var squares = 0.0;
    for (var n = lane; n < count; n += 256u) {
        let difference = x[params.x_first + place(group.y, first + n)] - mean;
        squares += difference * difference;
    }
    let about_mean = total(lane, squares);
    if (lane == 0u) {
        blocks[group.y * params.blocks + block] = vec4<f32>(mean, about_mean, f32(count), 0.0);
    }
}

@compute @workgroup_size(256)
fn join(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let own = params.first_group + group.x;
    let count = f32(params.width * params.run);
    var sum = 0.0;
    for (var n = lane; n < params.blocks; n += 256u) {
        let block = blocks[own * params.blocks + n];
        sum += block.x * block.z;
    }
    let mean = total(lane, sum) / count;
    var squares = 0.0;
    for (var n = lane; n < params.blocks; n += 256u) {
        let block = blocks[own * params.blocks + n];
        let difference = block.x - mean;
        squares += block.y + block.z * difference * difference;
    }
    let variance = total(lane, squares) / count;
    if (lane == 0u) {
        scales[own] = vec2<f32>(mean, 1.0 / sqrt(variance + params.epsilon));
    }
}

fn affine(channel: u32, value: f32) -> f32 {
    var result = value;
    if (params.has_gain == 1u) {
        result *= numbers[channel];
    }
    if (params.has_bias == 1u) {
        result += numbers[params.has_gain * params.channels + channel];
    }
    return result;
}

@compute @workgroup_size(256)
fn apply(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * NUMBERS_PER_GROUP + lane;
    for (var n = 0u; n < 4u; n++) {
        let at = first + n * 256u;
        if (at < params.channels * params.plane) {
            let channel = at / params.plane;
            let own = scales[(channel / params.width) * params.runs + (at % params.plane) / params.run];
            y[at] = affine(channel, (x[params.x_first + at] - own.x) * own.y);
        }
    }
}

@compute @workgroup_size(64)
fn places(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = (params.first_group + group.x) * PLACES_PER_GROUP + lane;
    if (at >= params.plane) {
        return;
    }
    var mean = 0.0;
    if (params.kind == CHANNELS) {
        for (var channel = 0u; channel < params.channels; channel++) {
            mean += x[params.x_first + channel * params.plane + at];
        }
        mean /= f32(params.channels);
    }
    var squares = 0.0;
    for (var channel = 0u; channel < params.channels; channel++) {
        let difference = x[params.x_first + channel * params.plane + at] - mean;
        squares += difference * difference;
    }
    var scale = 1.0 / max(sqrt(squares), 1e-12);
    if (params.kind != LENGTH) {
        scale = 1.0 / sqrt(squares / f32(params.channels) + params.epsilon);
    }
    for (var channel = 0u; channel < params.channels; channel++) {
        let n = channel * params.plane + at;
        y[n] = affine(channel, (x[params.x_first + n] - mean) * scale);
    }
}
