// Fades the levels of windows of one length into a picture that several lengths serve. Shares and host side:
// kernels/signal/multi_resolution/. Input levels: stft.wgsl, stft_long.wgsl. Codes of the levels: stft.wgsl.
//   fade     a length's rows into the picture's     columns x part_rows / 256

// import: shared/decibels.wgsl

const WORKGROUP: u32 = 256u;

struct Params {
    first_group: u32,
    columns: u32,
    // Rows of the picture.
    rows: u32,
    // The first row that this length serves, and the number of its rows.
    first_row: u32,
    part_rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Column after column.
@group(0) @binding(1) var<storage, read> part_levels: array<f32>;
// For each row of this length: its share, and 1 if no earlier length has a share, otherwise 0.
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
        // A non-finite level determines the row.
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
