// Levels of windows of one length, faded into a picture that several lengths serve. Host side, and how shares are
// planned: src/kernels/multi_resolution/. The transforms before it: stft.wgsl, stft_long.wgsl; codes after it: stft.wgsl.
//   fade     a length's rows into the picture's     columns x part_rows / 256

// import: shared/decibels.wgsl

const WORKGROUP: u32 = 256u;

struct Params {
    first_group: u32,
    columns: u32,
    // Of the picture.
    rows: u32,
    // The rows that this length serves.
    first_row: u32,
    part_rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Column after column.
@group(0) @binding(1) var<storage, read> part_levels: array<f32>;
// Of each of its rows: its share, and 1 where no length before it has one.
@group(0) @binding(2) var<storage, read> shares: array<vec2<f32>>;
// Column after column.
@group(0) @binding(3) var<storage, read_write> levels: array<f32>;

@compute @workgroup_size(256)
fn fade(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let column = index / params.part_rows;
    if (column < params.columns) {
        let row = index - column * params.part_rows;
        let to = column * params.rows + params.first_row + row;
        var level = part_levels[index];
        // What is not finite makes the row what it is.
        if (finite(level)) {
            level *= shares[row].x;
        }
        if (shares[row].y == 0.0) {
            let before = levels[to];
            if (!finite(before)) {
                level = before;
            } else if (finite(level)) {
                level += before;
            }
        }
        levels[to] = level;
    }
}
