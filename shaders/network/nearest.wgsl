// The nearest row of a book to each vector: the largest product less half the square of the row's length, the first of
// equals. A workgroup takes 8 vectors, a thread every 256th row. Host side: kernels/network/nearest/gpu.rs.
//   search      blocks of 8 vectors

struct Params {
    first_group: u32,
    vectors: u32,
    components: u32,
    rows: u32,
    x_first: u32,
}

const VECTORS: u32 = 8u;
const MAX_COMPONENTS: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
// Component by component, a number of each row; then half the square of each row's length.
@group(0) @binding(2) var<storage, read> book: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

// For each component, 8 vectors.
var<workgroup> own: array<vec4<f32>, 512>;
var<workgroup> scores: array<f32, 256>;
var<workgroup> codes: array<u32, 256>;

fn number(n: u32, vector: u32) -> f32 {
    if (vector >= params.vectors) {
        return 0.0;
    }
    return x[params.x_first + n * params.vectors + vector];
}

fn finish(lane: u32, vector: u32, score: f32, code: u32) {
    workgroupBarrier();
    scores[lane] = score;
    codes[lane] = code;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (lane < half) {
            let other = scores[lane + half];
            let other_code = codes[lane + half];
            if (other > scores[lane] || (other == scores[lane] && other_code < codes[lane])) {
                scores[lane] = other;
                codes[lane] = other_code;
            }
        }
        workgroupBarrier();
    }
    if (lane == 0u && vector < params.vectors) {
        y[vector] = f32(codes[0]);
    }
}

@compute @workgroup_size(256)
fn search(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * VECTORS;
    for (var n = lane; n < 2u * params.components; n += 256u) {
        let vector = first + 4u * (n % 2u);
        let component = n / 2u;
        own[n] = vec4<f32>(
            number(component, vector),
            number(component, vector + 1u),
            number(component, vector + 2u),
            number(component, vector + 3u),
        );
    }
    workgroupBarrier();
    var best_low = vec4<f32>(-3.4e38);
    var best_high = vec4<f32>(-3.4e38);
    var code_low = vec4<u32>();
    var code_high = vec4<u32>();
    for (var row = lane; row < params.rows; row += 256u) {
        var low = vec4<f32>();
        var high = vec4<f32>();
        for (var n = 0u; n < params.components; n++) {
            let value = book[n * params.rows + row];
            low += value * own[2u * n];
            high += value * own[2u * n + 1u];
        }
        let half = book[params.components * params.rows + row];
        low -= half;
        high -= half;
        code_low = select(code_low, vec4<u32>(row), low > best_low);
        code_high = select(code_high, vec4<u32>(row), high > best_high);
        best_low = select(best_low, low, low > best_low);
        best_high = select(best_high, high, high > best_high);
    }
    finish(lane, first, best_low.x, code_low.x);
    finish(lane, first + 1u, best_low.y, code_low.y);
    finish(lane, first + 2u, best_low.z, code_low.z);
    finish(lane, first + 3u, best_low.w, code_low.w);
    finish(lane, first + 4u, best_high.x, code_high.x);
    finish(lane, first + 5u, best_high.y, code_high.y);
    finish(lane, first + 6u, best_high.z, code_high.z);
    finish(lane, first + 7u, best_high.w, code_high.w);
}
