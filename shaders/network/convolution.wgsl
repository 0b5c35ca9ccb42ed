// Products of weights with columns that are gathered tile by tile: convolutions, transposed convolutions, linear layers,
// with what follows them. A workgroup gives 64 rows of 128 columns, a thread 4 of 8. While it works on a step, it reads
// what the next one needs. Weights and host side: kernels/network/convolution/gpu.rs.
//   product      tiles of columns x panels of rows x groups of channels

// import: shared/functions.wgsl

struct Params {
    first_group: u32,
    height: u32,
    depth: u32,
    columns: u32,
    first_panel: u32,
    panels: u32,
    // The group of the first workgroup along z.
    first_of_groups: u32,
    inputs: u32,
    x_rows: u32,
    x_frames: u32,
    x_first: u32,
    row_taps: u32,
    taps: u32,
    row_stride: u32,
    stride: u32,
    row_dilation: u32,
    dilation: u32,
    row_padding: u32,
    padding: u32,
    row_columns: u32,
    phases: u32,
    // Whether the phases of a column are rows, and how many of them are left out before the first.
    along_rows: u32,
    skipped: u32,
    y_rows: u32,
    y_frames: u32,
    activation: u32,
    // Where the numbers of the channels begin, or NONE.
    bias: u32,
    alpha: u32,
    gains: u32,
    // Whether the result is added to what stands where it goes: 4 bindings are all that every adapter has.
    adds: u32,
}

const TILE: u32 = 64u;
const COLUMNS: u32 = 128u;
const STEPS: u32 = 16u;
const NONE: u32 = 0xffffffffu;
// Steps that are summed before they are added to the rest.
const CHAIN: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
// For each group and panel, for each step, 64 rows.
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> numbers: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

var<workgroup> rows: array<vec4<f32>, 256>;
var<workgroup> gathered: array<vec4<f32>, 512>;

// A place that is beyond every row.
const NOWHERE: u32 = 0x80000000u;

// The number of a channel at a row and a frame. Before the block they have wrapped to what is beyond it.
fn gather(channel: u32, row: u32, frame: u32) -> f32 {
    if (row >= params.x_rows || frame >= params.x_frames) {
        return 0.0;
    }
    return x[params.x_first + (channel * params.x_rows + row) * params.x_frames + frame];
}

fn gather_four(channel: u32, rows: vec4<u32>, frames: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(
        gather(channel, rows.x, frames.x),
        gather(channel, rows.y, frames.y),
        gather(channel, rows.z, frames.z),
        gather(channel, rows.w, frames.w),
    );
}

// The frame that a column's first tap reads.
fn first_frames(four: vec4<u32>) -> vec4<u32> {
    let first = four % params.row_columns * params.stride - params.padding;
    return select(first, vec4<u32>(NOWHERE), four >= vec4<u32>(params.columns));
}

fn first_rows(four: vec4<u32>) -> vec4<u32> {
    return four / params.row_columns * params.row_stride - params.row_padding;
}

fn pick(n: u32, a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32>) -> vec4<f32> {
    return select(select(a, b, (n & 1u) != 0u), select(c, d, (n & 1u) != 0u), (n & 2u) != 0u);
}

// A row of the result: four columns from `column` on, and four half a tile further.
fn put(group: u32, row: u32, column: u32, near: vec4<f32>, far: vec4<f32>) {
    if (row >= params.height) {
        return;
    }
    let channel = group * (params.height / params.phases) + row / params.phases;
    var bias = 0.0;
    if (params.bias != NONE) {
        bias = numbers[params.bias + channel];
    }
    var alpha = 0.0;
    if (params.alpha != NONE) {
        alpha = numbers[params.alpha + channel];
    }
    var gain = 1.0;
    if (params.gains != NONE) {
        gain = numbers[params.gains + channel];
    }
    // A loop, so that the activation is there once and not eight times.
    for (var n = 0u; n < 8u; n++) {
        let own = select(near, far, n >= 4u);
        let pair = select(own.xy, own.zw, (n & 2u) != 0u);
        let at_column = column + (n & 3u) + (n >> 2u) * (COLUMNS / 2u);
        var frame = at_column % params.row_columns;
        var down = at_column / params.row_columns;
        // What is left out before the first has wrapped to what is beyond the last.
        if (params.along_rows == 1u) {
            down = down * params.phases + row % params.phases - params.skipped;
        } else {
            frame = frame * params.phases + row % params.phases - params.skipped;
        }
        if (at_column < params.columns && frame < params.y_frames && down < params.y_rows) {
            let at = (channel * params.y_rows + down) * params.y_frames + frame;
            var value = activated(params.activation, select(pair.x, pair.y, (n & 1u) != 0u) + bias, alpha) * gain;
            if (params.adds == 1u) {
                value += y[at];
            }
            y[at] = value;
        }
    }
}

@compute @workgroup_size(256)
fn product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first_column = (params.first_group + group.x) * COLUMNS;
    let panel = params.first_panel + group.y;
    let of_group = params.first_of_groups + group.z;
    // The weights are bound from the first panel on; several groups only if all panels are.
    let own = (group.z * params.panels + group.y) * params.depth;
    let step_of_lane = lane / 16u;
    let quad = lane % 16u;
    let columns = first_column + 4u * quad;
    let taps = params.row_taps * params.taps;
    // Where the first taps of eight columns read.
    let near = columns + vec4<u32>(0u, 1u, 2u, 3u);
    let far = near + COLUMNS / 2u;
    let near_rows = first_rows(near);
    let far_rows = first_rows(far);
    let near_frames = first_frames(near);
    let far_frames = first_frames(far);
    var total_0a = vec4<f32>();
    var total_0b = vec4<f32>();
    var total_1a = vec4<f32>();
    var total_1b = vec4<f32>();
    var total_2a = vec4<f32>();
    var total_2b = vec4<f32>();
    var total_3a = vec4<f32>();
    var total_3b = vec4<f32>();
    var sum_0a = vec4<f32>();
    var sum_0b = vec4<f32>();
    var sum_1a = vec4<f32>();
    var sum_1b = vec4<f32>();
    var sum_2a = vec4<f32>();
    var sum_2b = vec4<f32>();
    var sum_3a = vec4<f32>();
    var sum_3b = vec4<f32>();
    var of_weights = vec4<f32>();
    var of_near = vec4<f32>();
    var of_far = vec4<f32>();
    for (var first = 0u; first < params.depth + STEPS; first += STEPS) {
        // What was read while the last step was worked on.
        if (first > 0u) {
            workgroupBarrier();
            rows[lane] = of_weights;
            gathered[step_of_lane * 32u + quad] = of_near;
            gathered[step_of_lane * 32u + 16u + quad] = of_far;
            workgroupBarrier();
        }
        let step = first + step_of_lane;
        of_weights = vec4<f32>();
        of_near = vec4<f32>();
        of_far = vec4<f32>();
        if (step < params.depth) {
            of_weights = weights[(own + step) * 16u + quad];
            let channel = of_group * params.inputs + step / taps;
            let down = (step % taps) / params.taps * params.row_dilation;
            let along = step % params.taps * params.dilation;
            of_near = gather_four(channel, near_rows + down, near_frames + along);
            of_far = gather_four(channel, far_rows + down, far_frames + along);
        }
        if (first == 0u) {
            continue;
        }
        for (var n = 0u; n < STEPS; n++) {
            let w = rows[n * 16u + step_of_lane];
            let a = gathered[n * 32u + quad];
            let b = gathered[n * 32u + 16u + quad];
            sum_0a += w.x * a;
            sum_0b += w.x * b;
            sum_1a += w.y * a;
            sum_1b += w.y * b;
            sum_2a += w.z * a;
            sum_2b += w.z * b;
            sum_3a += w.w * a;
            sum_3b += w.w * b;
        }
        if (first % CHAIN == 0u) {
            total_0a += sum_0a;
            total_0b += sum_0b;
            total_1a += sum_1a;
            total_1b += sum_1b;
            total_2a += sum_2a;
            total_2b += sum_2b;
            total_3a += sum_3a;
            total_3b += sum_3b;
            sum_0a = vec4<f32>();
            sum_0b = vec4<f32>();
            sum_1a = vec4<f32>();
            sum_1b = vec4<f32>();
            sum_2a = vec4<f32>();
            sum_2b = vec4<f32>();
            sum_3a = vec4<f32>();
            sum_3b = vec4<f32>();
        }
    }
    let row = panel * TILE + 4u * step_of_lane;
    // A loop, so that what follows the sums is there once and not four times.
    for (var r = 0u; r < 4u; r++) {
        let near_sums = pick(r, total_0a + sum_0a, total_1a + sum_1a, total_2a + sum_2a, total_3a + sum_3a);
        let far_sums = pick(r, total_0b + sum_0b, total_1b + sum_1b, total_2b + sum_2b, total_3b + sum_3b);
        put(of_group, row + r, columns, near_sums, far_sums);
    }
}
