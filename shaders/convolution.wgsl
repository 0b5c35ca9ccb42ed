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

// The number that step `input, row_tap, tap` of a column reads.
fn gather(group: u32, input: u32, row_tap: u32, tap: u32, column: u32) -> f32 {
    let row = (column / params.row_columns) * params.row_stride + row_tap * params.row_dilation;
    let frame = (column % params.row_columns) * params.stride + tap * params.dilation;
    // Below the padding they wrap to what is beyond the block.
    let in_row = row - params.row_padding;
    let in_frame = frame - params.padding;
    if (column >= params.columns || in_row >= params.x_rows || in_frame >= params.x_frames) {
        return 0.0;
    }
    let channel = group * params.inputs + input;
    return x[params.x_first + (channel * params.x_rows + in_row) * params.x_frames + in_frame];
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

fn put_row(group: u32, row: u32, column: u32, sums: vec4<f32>) {
    put(group, row, column, sums.x);
    put(group, row, column + 1u, sums.y);
    put(group, row, column + 2u, sums.z);
    put(group, row, column + 3u, sums.w);
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
            let input = step / taps;
            let row_tap = (step % taps) / params.taps;
            let tap = step % params.taps;
            of_x = vec4<f32>(
                gather(of_group, input, row_tap, tap, columns),
                gather(of_group, input, row_tap, tap, columns + 1u),
                gather(of_group, input, row_tap, tap, columns + 2u),
                gather(of_group, input, row_tap, tap, columns + 3u),
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
    let row = panel * TILE + 4u * step_of_lane;
    put_row(of_group, row, columns, total_0 + sum_0);
    put_row(of_group, row + 1u, columns, total_1 + sum_1);
    put_row(of_group, row + 2u, columns, total_2 + sum_2);
    put_row(of_group, row + 3u, columns, total_3 + sum_3);
}
