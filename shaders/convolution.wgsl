// Products of weights with columns that are gathered tile by tile: convolutions, transposed convolutions, linear layers,
// with what follows them. A workgroup gives 64 rows of 64 columns, a thread 4 of 4. Weights and host side:
// src/kernels/convolution/gpu.rs.
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
var<workgroup> gathered: array<vec4<f32>, 256>;

// A place that is beyond every row.
const NOWHERE: u32 = 0x80000000u;

// The number of a channel at a row and a frame. Before the block they have wrapped to what is beyond it.
fn gather(channel: u32, row: u32, frame: u32) -> f32 {
    if (row >= params.x_rows || frame >= params.x_frames) {
        return 0.0;
    }
    return x[params.x_first + (channel * params.x_rows + row) * params.x_frames + frame];
}

fn put(group: u32, row: u32, column: u32, sum: f32) {
    if (row >= params.height || column >= params.columns) {
        return;
    }
    let channel = group * (params.height / params.phases) + row / params.phases;
    let frame = (column % params.row_columns) * params.phases + row % params.phases;
    if (frame >= params.y_frames) {
        return;
    }
    let at = (channel * params.y_rows + column / params.row_columns) * params.y_frames + frame;
    var value = sum;
    if (params.bias != NONE) {
        value += numbers[params.bias + channel];
    }
    var alpha = 0.0;
    if (params.alpha != NONE) {
        alpha = numbers[params.alpha + channel];
    }
    value = activated(params.activation, value, alpha);
    if (params.gains != NONE) {
        value *= numbers[params.gains + channel];
    }
    if (params.adds == 1u) {
        value += y[at];
    }
    y[at] = value;
}

@compute @workgroup_size(256)
fn product(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first_column = (params.first_group + group.x) * TILE;
    let panel = params.first_panel + group.y;
    let of_group = params.first_of_groups + group.z;
    // The weights are bound from the first panel on; several groups only if all panels are.
    let own = (group.z * params.panels + group.y) * params.depth;
    let step_of_lane = lane / 16u;
    let quad = lane % 16u;
    let columns = first_column + 4u * quad;
    let taps = params.row_taps * params.taps;
    // Where the first taps of four columns read.
    let four = columns + vec4<u32>(0u, 1u, 2u, 3u);
    let of_rows = four / params.row_columns * params.row_stride - params.row_padding;
    let of_frames = select(
        four % params.row_columns * params.stride - params.padding,
        vec4<u32>(NOWHERE),
        four >= vec4<u32>(params.columns),
    );
    var total_0 = vec4<f32>();
    var total_1 = vec4<f32>();
    var total_2 = vec4<f32>();
    var total_3 = vec4<f32>();
    var sum_0 = vec4<f32>();
    var sum_1 = vec4<f32>();
    var sum_2 = vec4<f32>();
    var sum_3 = vec4<f32>();
    for (var first = 0u; first < params.depth; first += STEPS) {
        let step = first + step_of_lane;
        var of_weights = vec4<f32>();
        var of_x = vec4<f32>();
        if (step < params.depth) {
            of_weights = weights[(own + step) * 16u + quad];
            let channel = of_group * params.inputs + step / taps;
            let at_rows = of_rows + (step % taps) / params.taps * params.row_dilation;
            let at_frames = of_frames + step % params.taps * params.dilation;
            of_x = vec4<f32>(
                gather(channel, at_rows.x, at_frames.x),
                gather(channel, at_rows.y, at_frames.y),
                gather(channel, at_rows.z, at_frames.z),
                gather(channel, at_rows.w, at_frames.w),
            );
        }
        workgroupBarrier();
        rows[lane] = of_weights;
        gathered[lane] = of_x;
        workgroupBarrier();
        for (var n = 0u; n < STEPS; n++) {
            let w = rows[n * 16u + step_of_lane];
            let b = gathered[n * 16u + quad];
            sum_0 += w.x * b;
            sum_1 += w.y * b;
            sum_2 += w.z * b;
            sum_3 += w.w * b;
        }
        if ((first + STEPS) % CHAIN == 0u) {
            total_0 += sum_0;
            total_1 += sum_1;
            total_2 += sum_2;
            total_3 += sum_3;
            sum_0 = vec4<f32>();
            sum_1 = vec4<f32>();
            sum_2 = vec4<f32>();
            sum_3 = vec4<f32>();
        }
    }
    total_0 += sum_0;
    total_1 += sum_1;
    total_2 += sum_2;
    total_3 += sum_3;
    let row = panel * TILE + 4u * step_of_lane;
    // A loop, so that what follows the sums is there once and not sixteen times.
    for (var n = 0u; n < 16u; n++) {
        let upper = select(total_0, total_1, (n & 4u) != 0u);
        let lower = select(total_2, total_3, (n & 4u) != 0u);
        let own = select(upper, lower, (n & 8u) != 0u);
        let pair = select(own.xy, own.zw, (n & 2u) != 0u);
        put(of_group, row + n / 4u, columns + n % 4u, select(pair.x, pair.y, (n & 1u) != 0u));
    }
}
