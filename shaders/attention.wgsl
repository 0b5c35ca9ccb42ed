// Attention with a running softmax: a workgroup takes 16 frames of a head, and keys in blocks of 64. And the rotary
// embedding. Host side: src/kernels/attention/gpu.rs.
//   attend      blocks of 16 frames x heads
//   rotate      blocks of 256 numbers of half a head x heads

// import: shared/functions.wgsl

struct Params {
    first_group: u32,
    heads_of_key: u32,
    width: u32,
    value_width: u32,
    frames: u32,
    keys: u32,
    // 0 if all keys are seen.
    window: u32,
    before: u32,
    beginning: u32,
    query_first: u32,
    keys_first: u32,
    values_first: u32,
}

const FRAMES: u32 = 16u;
const BLOCK: u32 = 64u;
const MAX_WIDTH: u32 = 128u;
const LOWEST: f32 = -3.0e38;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> query: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<f32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
// Cosines, then sines, `half x frames` each.
@group(0) @binding(5) var<storage, read> angles: array<f32>;

var<workgroup> own: array<f32, 2048>;
var<workgroup> scores: array<f32, 1024>;
var<workgroup> parts: array<f32, 256>;
var<workgroup> most: array<f32, 16>;
var<workgroup> sums: array<f32, 16>;
var<workgroup> fades: array<f32, 16>;

fn is_seen(frame: u32, key: u32) -> bool {
    let end = params.before + frame + 1u;
    let in_window = params.window == 0u || (key < end && key + params.window >= end);
    return key >= params.beginning && key < params.keys && in_window;
}

@compute @workgroup_size(256)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * FRAMES;
    let head = group.y;
    let key_head = head / params.heads_of_key;
    let share = 1.0 / sqrt(f32(params.width));
    for (var n = lane; n < params.width * FRAMES; n += 256u) {
        let frame = first + n % FRAMES;
        var value = 0.0;
        if (frame < params.frames) {
            value = query[params.query_first + (head * params.width + n / FRAMES) * params.frames + frame] * share;
        }
        own[n] = value;
    }
    if (lane < FRAMES) {
        most[lane] = LOWEST;
        sums[lane] = 0.0;
    }
    // A thread sums the components lane / 16, lane / 16 + 16, ... of frame lane % 16.
    var low = vec4<f32>();
    var high = vec4<f32>();
    let column = lane % FRAMES;
    let component = lane / FRAMES;
    var start = params.beginning / BLOCK * BLOCK;
    var stop = params.keys;
    if (params.window > 0u) {
        let last = min(first + FRAMES, params.frames);
        stop = min(stop, params.before + last);
        let oldest = params.before + first + 1u;
        start = max(params.beginning, oldest - min(oldest, params.window)) / BLOCK * BLOCK;
    }
    for (; start < stop; start += BLOCK) {
        workgroupBarrier();
        // Scores: a key for each 64th thread, four frames of it.
        let key = start + lane % BLOCK;
        let quad = lane / BLOCK * 4u;
        var score = vec4<f32>();
        if (key < params.keys) {
            for (var n = 0u; n < params.width; n++) {
                let value = keys[params.keys_first + (key_head * params.width + n) * params.keys + key];
                let at = n * FRAMES + quad;
                score += value * vec4<f32>(own[at], own[at + 1u], own[at + 2u], own[at + 3u]);
            }
        }
        scores[(quad + 0u) * BLOCK + lane % BLOCK] = select(LOWEST, score.x, is_seen(first + quad, key));
        scores[(quad + 1u) * BLOCK + lane % BLOCK] = select(LOWEST, score.y, is_seen(first + quad + 1u, key));
        scores[(quad + 2u) * BLOCK + lane % BLOCK] = select(LOWEST, score.z, is_seen(first + quad + 2u, key));
        scores[(quad + 3u) * BLOCK + lane % BLOCK] = select(LOWEST, score.w, is_seen(first + quad + 3u, key));
        workgroupBarrier();
        // The largest score of each frame: 16 threads a frame, four scores each.
        let row = lane / 16u * BLOCK;
        let part = lane % 16u;
        parts[lane] = max(max(scores[row + part], scores[row + part + 16u]),
            max(scores[row + part + 32u], scores[row + part + 48u]));
        workgroupBarrier();
        for (var half = 8u; half > 0u; half /= 2u) {
            if (part < half) {
                parts[lane] = max(parts[lane], parts[lane + half]);
            }
            workgroupBarrier();
        }
        if (lane < FRAMES) {
            let now = max(most[lane], parts[lane * 16u]);
            fades[lane] = select(exact_exp(most[lane] - now), 1.0, most[lane] == LOWEST);
            most[lane] = now;
        }
        workgroupBarrier();
        let largest = most[lane / 16u];
        var sum = 0.0;
        for (var n = 0u; n < 4u; n++) {
            let at = row + part + n * 16u;
            let weight = select(exact_exp(scores[at] - largest), 0.0, scores[at] == LOWEST);
            scores[at] = weight;
            sum += weight;
        }
        parts[lane] = sum;
        workgroupBarrier();
        for (var half = 8u; half > 0u; half /= 2u) {
            if (part < half) {
                parts[lane] += parts[lane + half];
            }
            workgroupBarrier();
        }
        if (lane < FRAMES) {
            sums[lane] = sums[lane] * fades[lane] + parts[lane * 16u];
        }
        let fade = fades[column];
        low *= fade;
        high *= fade;
        let count = min(BLOCK, params.keys - start);
        let at = params.values_first + (key_head * params.value_width + component) * params.keys + start;
        let next = 16u * params.keys;
        for (var n = 0u; n < count; n++) {
            let weight = scores[column * BLOCK + n];
            low += weight * vec4<f32>(
                read_value(component, at + n),
                read_value(component + 16u, at + next + n),
                read_value(component + 32u, at + 2u * next + n),
                read_value(component + 48u, at + 3u * next + n),
            );
            if (params.value_width > 64u) {
                high += weight * vec4<f32>(
                    read_value(component + 64u, at + 4u * next + n),
                    read_value(component + 80u, at + 5u * next + n),
                    read_value(component + 96u, at + 6u * next + n),
                    read_value(component + 112u, at + 7u * next + n),
                );
            }
        }
    }
    workgroupBarrier();
    let frame = first + column;
    if (frame < params.frames) {
        let sum = sums[column];
        write_value(head, component, frame, low.x / sum);
        write_value(head, component + 16u, frame, low.y / sum);
        write_value(head, component + 32u, frame, low.z / sum);
        write_value(head, component + 48u, frame, low.w / sum);
        write_value(head, component + 64u, frame, high.x / sum);
        write_value(head, component + 80u, frame, high.y / sum);
        write_value(head, component + 96u, frame, high.z / sum);
        write_value(head, component + 112u, frame, high.w / sum);
    }
}

fn read_value(component: u32, at: u32) -> f32 {
    if (component >= params.value_width) {
        return 0.0;
    }
    return values[at];
}

fn write_value(head: u32, component: u32, frame: u32, value: f32) {
    if (component < params.value_width) {
        y[(head * params.value_width + component) * params.frames + frame] = value;
    }
}

@compute @workgroup_size(256)
fn rotate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let half = params.width / 2u * params.frames;
    let at = (params.first_group + group.x) * 256u + lane;
    if (at >= half) {
        return;
    }
    let low = 2u * group.y * half + at;
    let a = query[params.query_first + low];
    let b = query[params.query_first + low + half];
    let cosine = angles[at];
    let sine = angles[half + at];
    y[low] = a * cosine - b * sine;
    y[low + half] = b * cosine + a * sine;
}
