// Weighted sums over runs of neighbouring values of each row, eight threads per sum. Host side: kernels/signal/band_sums/.
//   sums_of   every band of every requested row   rows x bands / 32

const WORKGROUP: u32 = 256u;
// Threads per sum, and sums per workgroup.
const EACH: u32 = 8u;
const SLOTS: u32 = 32u;

struct Params {
    first_group: u32,
    columns: u32,
    // The first requested row, and the number of rows.
    first_row: u32,
    rows: u32,
    bands: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plane: array<f32>;
// For each band: the index of its first value, the index of its first weight, and their number; then the weights' bits.
@group(0) @binding(2) var<storage, read> tables: array<u32>;
// The bands of each row, row after row.
@group(0) @binding(3) var<storage, read_write> results: array<f32>;

var<workgroup> parts: array<f32, 256>;

@compute @workgroup_size(256)
fn sums_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * SLOTS + lane / EACH;
    let part = lane % EACH;
    let row = index / params.bands;
    let band = index - row * params.bands;
    var sum = 0.0;
    if (row < params.rows) {
        let start = (params.first_row + row) * params.columns + tables[3u * band];
        let weights = tables[3u * band + 1u];
        let count = tables[3u * band + 2u];
        for (var i = part; i < count; i += EACH) {
            sum += bitcast<f32>(tables[weights + i]) * plane[start + i];
        }
    }
    parts[lane] = sum;
    workgroupBarrier();
    for (var apart = EACH / 2u; apart > 0u; apart /= 2u) {
        if (part < apart) {
            parts[lane] += parts[lane + apart];
        }
        workgroupBarrier();
    }
    if (part == 0u && row < params.rows) {
        results[index] = parts[lane];
    }
}
