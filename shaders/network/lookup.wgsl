// Rows of a book by their numbers. Host side: kernels/network/lookup/gpu.rs.
//   rows      blocks of 256 codes x components

struct Params {
    first_group: u32,
    codes: u32,
    components: u32,
    book_rows: u32,
    codes_first: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> codes: array<f32>;
@group(0) @binding(2) var<storage, read> book: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = (params.first_group + group.x) * 256u + lane;
    if (at >= params.codes) {
        return;
    }
    let code = codes[params.codes_first + at];
    // What is no row is refused by the host; nothing is read beyond the book in any case.
    let row = min(u32(max(code, 0.0)), params.book_rows - 1u);
    y[group.y * params.codes + at] = book[row * params.components + group.y];
}
