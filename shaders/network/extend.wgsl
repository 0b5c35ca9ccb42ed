// Rows with frames before and after them, or some of their frames; rows in the place of frames. Host side:
// kernels/network/extend/gpu.rs.
//   extend      blocks of 1024 numbers of the result
//   exchange    the same

// import: shared/functions.wgsl

struct Params {
    first_group: u32,
    // Numbers of the result.
    count: u32,
    x_first: u32,
    // Rows of a channel.
    rows: u32,
    // Frames of a row, before and after.
    frames: u32,
    y_frames: u32,
    // Frames that were kept, at the beginning of a row of the result.
    kept: u32,
    // The place of frame 0 of the row in the row of the result. It may be before it.
    origin: i32,
    left: u32,
    right: u32,
    activation: u32,
}

const ZERO: u32 = 0u;
const REFLECT: u32 = 1u;
const REPLICATE: u32 = 2u;
const NUMBERS_PER_GROUP: u32 = 1024u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> kept: array<f32>;
@group(0) @binding(3) var<storage, read> numbers: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

// The frame of a row that stands for one beyond it, or none.
fn beyond(edge: u32, frame: i32) -> i32 {
    let last = i32(params.frames) - 1;
    switch (edge) {
        case REFLECT: {
            let mirrored = select(2 * last - frame, -frame, frame < 0);
            return select(-1, mirrored, mirrored >= 0 && mirrored <= last);
        }
        case REPLICATE: { return clamp(frame, 0, last); }
        default: { return -1; }
    }
}

fn extended(at: u32) -> f32 {
    let row = at / params.y_frames;
    let place = at % params.y_frames;
    if (place < params.kept) {
        return kept[row * params.kept + place];
    }
    var frame = i32(place) - params.origin;
    if (frame < 0) {
        frame = beyond(params.left, frame);
    } else if (frame >= i32(params.frames)) {
        frame = beyond(params.right, frame);
    }
    if (frame < 0) {
        return 0.0;
    }
    var alpha = 0.0;
    if (params.activation == SNAKE) {
        alpha = numbers[row / params.rows];
    }
    return activated(params.activation, x[params.x_first + row * params.frames + u32(frame)], alpha);
}

@compute @workgroup_size(256)
fn extend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * NUMBERS_PER_GROUP + lane;
    for (var n = 0u; n < 4u; n++) {
        let at = first + n * 256u;
        if (at < params.count) {
            y[at] = extended(at);
        }
    }
}

@compute @workgroup_size(256)
fn exchange(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * NUMBERS_PER_GROUP + lane;
    let plane = params.rows * params.frames;
    for (var n = 0u; n < 4u; n++) {
        let at = first + n * 256u;
        if (at < params.count) {
            let frame = (at % plane) / params.rows;
            let row = at % params.rows;
            y[at] = x[params.x_first + (at / plane) * plane + row * params.frames + frame];
        }
    }
}
