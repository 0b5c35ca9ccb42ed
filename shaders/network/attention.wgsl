// Attention with a running softmax: a workgroup takes 64 frames of a head, and keys in blocks of 64. And the rotary
// embedding. Host side: kernels/network/attention/gpu.rs.
//   attend      blocks of 64 frames x heads
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
    // Where what scores fall by for a frame of distance begins in `y`, `heads x frames`; 0 if they do not fall.
    falls_first: u32,
}

const FRAMES: u32 = 64u;
const BLOCK: u32 = 64u;
// Components or keys that lie in the workgroup's memory at once.
const STEPS: u32 = 16u;
const MAX_WIDTH: u32 = 128u;
// Vectors of components that a key takes there: one more than there are, so that keys begin in different banks.
const PITCH: u32 = 33u;
const LOWEST: f32 = -3.0e38;
// The score of a frame that looks at distances for itself.
const OWN_SCORE: f32 = -100.0;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> query: array<f32>;
@group(0) @binding(2) var<storage, read> keys: array<f32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
// Cosines, then sines, `half x frames` each.
@group(0) @binding(5) var<storage, read> angles: array<f32>;

// Steps of 64 frames: components of the query, then weights of keys; between them what threads tell each other.
var<workgroup> columns: array<vec4<f32>, 256>;
// Steps of 64 keys: their components; then steps of components: those of values.
var<workgroup> rows: array<vec4<f32>, 528>;

// Whether each of four frames or keys is one.
fn are_within(first: u32, count: u32) -> vec4<bool> {
    return vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(count);
}

fn query_at(at: u32, is_there: bool) -> f32 {
    if (is_there) {
        return query[at];
    }
    return 0.0;
}

fn key_at(at: u32, is_there: bool) -> f32 {
    if (is_there) {
        return keys[at];
    }
    return 0.0;
}

fn value_at(at: u32, is_there: bool) -> f32 {
    if (is_there) {
        return values[at];
    }
    return 0.0;
}

fn fall_at(at: u32, is_there: bool) -> f32 {
    if (is_there) {
        return y[at];
    }
    return 0.0;
}

// What the scores of four frames fall by.
fn falls_four(head: u32, frame: u32) -> vec4<f32> {
    if (params.falls_first == 0u) {
        return vec4<f32>();
    }
    let at = params.falls_first + head * params.frames + frame;
    let there = are_within(frame, params.frames);
    return vec4<f32>(fall_at(at, there.x), fall_at(at + 1u, there.y), fall_at(at + 2u, there.z), fall_at(at + 3u, there.w));
}

// Four frames of a component of the query.
fn query_four(head: u32, component: u32, frame: u32) -> vec4<f32> {
    let at = params.query_first + (head * params.width + component) * params.frames + frame;
    if (component >= params.width) {
        return vec4<f32>();
    }
    let there = are_within(frame, params.frames);
    return vec4<f32>(query_at(at, there.x), query_at(at + 1u, there.y), query_at(at + 2u, there.z), query_at(at + 3u, there.w));
}

// Four keys of a component.
fn keys_four(head: u32, component: u32, key: u32) -> vec4<f32> {
    let at = params.keys_first + (head * params.width + component) * params.keys + key;
    if (component >= params.width) {
        return vec4<f32>();
    }
    let there = are_within(key, params.keys);
    return vec4<f32>(key_at(at, there.x), key_at(at + 1u, there.y), key_at(at + 2u, there.z), key_at(at + 3u, there.w));
}

// Four components of the value of a key.
fn values_four(head: u32, component: u32, key: u32) -> vec4<f32> {
    let pitch = params.keys;
    let at = params.values_first + (head * params.value_width + component) * pitch + key;
    if (key >= pitch) {
        return vec4<f32>();
    }
    let there = are_within(component, params.value_width);
    return vec4<f32>(
        value_at(at, there.x),
        value_at(at + pitch, there.y),
        value_at(at + 2u * pitch, there.z),
        value_at(at + 3u * pitch, there.w),
    );
}

// The scores of a key that four frames see; others are the lowest.
fn seen(first_frame: u32, key: u32, scores: vec4<f32>) -> vec4<f32> {
    let ends = params.before + first_frame + vec4<u32>(1u, 2u, 3u, 4u);
    let all = vec4<bool>(params.window == 0u);
    let in_window = (vec4<u32>(key) < ends) & (vec4<u32>(key + params.window) >= ends);
    let is_there = vec4<bool>(key >= params.beginning && key < params.keys);
    return select(vec4<f32>(LOWEST), scores, is_there & (all | in_window));
}

// The scores of a key, lowered by its distance from each of four frames.
fn fallen(first_frame: u32, key: u32, falls_of: vec4<f32>, scores: vec4<f32>) -> vec4<f32> {
    let frames = vec4<f32>(f32(first_frame)) + vec4<f32>(0.0, 1.0, 2.0, 3.0);
    let distances = abs(frames - vec4<f32>(f32(key)));
    return select(scores - falls_of * distances, vec4<f32>(OWN_SCORE), distances == vec4<f32>());
}

fn exp_four(x: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(exact_exp(x.x), exact_exp(x.y), exact_exp(x.z), exact_exp(x.w));
}

fn weights_of(scores: vec4<f32>, most: vec4<f32>) -> vec4<f32> {
    return select(exp_four(scores - most), vec4<f32>(), scores == vec4<f32>(LOWEST));
}

@compute @workgroup_size(256)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = (params.first_group + group.x) * FRAMES;
    let head = group.y;
    let key_head = head / params.heads_of_key;
    let share = 1.0 / sqrt(f32(params.width));
    // A thread has four frames, and of these the scores of four keys of a block, and four components of the result or
    // twice four.
    let quad = lane % 16u;
    let down = lane / 16u;
    let frame = first + 4u * quad;
    let is_wide = params.value_width > 64u;
    let falls_of = falls_four(head, frame);
    var most = vec4<f32>(LOWEST);
    var sums = vec4<f32>();
    var y_0 = vec4<f32>();
    var y_1 = vec4<f32>();
    var y_2 = vec4<f32>();
    var y_3 = vec4<f32>();
    var y_4 = vec4<f32>();
    var y_5 = vec4<f32>();
    var y_6 = vec4<f32>();
    var y_7 = vec4<f32>();
    var start = params.beginning / BLOCK * BLOCK;
    var stop = params.keys;
    if (params.window > 0u) {
        let last = min(first + FRAMES, params.frames);
        stop = min(stop, params.before + last);
        let oldest = params.before + first + 1u;
        start = max(params.beginning, oldest - min(oldest, params.window)) / BLOCK * BLOCK;
    }
    for (; start < stop; start += BLOCK) {
        let key = start + 4u * down;
        var s_0 = vec4<f32>();
        var s_1 = vec4<f32>();
        var s_2 = vec4<f32>();
        var s_3 = vec4<f32>();
        for (var component = 0u; component < params.width; component += STEPS) {
            workgroupBarrier();
            columns[lane] = query_four(head, component + down, frame) * share;
            rows[lane] = keys_four(key_head, component + down, start + 4u * quad);
            workgroupBarrier();
            for (var n = 0u; n < STEPS; n++) {
                let of_keys = rows[n * 16u + down];
                let of_frames = columns[n * 16u + quad];
                s_0 += of_keys.x * of_frames;
                s_1 += of_keys.y * of_frames;
                s_2 += of_keys.z * of_frames;
                s_3 += of_keys.w * of_frames;
            }
        }
        if (params.falls_first > 0u) {
            s_0 = fallen(frame, key, falls_of, s_0);
            s_1 = fallen(frame, key + 1u, falls_of, s_1);
            s_2 = fallen(frame, key + 2u, falls_of, s_2);
            s_3 = fallen(frame, key + 3u, falls_of, s_3);
        }
        s_0 = seen(frame, key, s_0);
        s_1 = seen(frame, key + 1u, s_1);
        s_2 = seen(frame, key + 2u, s_2);
        s_3 = seen(frame, key + 3u, s_3);
        // The largest score of each frame.
        workgroupBarrier();
        columns[lane] = max(max(s_0, s_1), max(s_2, s_3));
        workgroupBarrier();
        var now = most;
        for (var n = 0u; n < 16u; n++) {
            now = max(now, columns[n * 16u + quad]);
        }
        let fade = select(exp_four(most - now), vec4<f32>(1.0), most == vec4<f32>(LOWEST));
        most = now;
        s_0 = weights_of(s_0, now);
        s_1 = weights_of(s_1, now);
        s_2 = weights_of(s_2, now);
        s_3 = weights_of(s_3, now);
        sums = sums * fade + (s_0 + s_1 + (s_2 + s_3));
        y_0 *= fade;
        y_1 *= fade;
        y_2 *= fade;
        y_3 *= fade;
        y_4 *= fade;
        y_5 *= fade;
        y_6 *= fade;
        y_7 *= fade;
        for (var part = 0u; part < BLOCK / STEPS; part++) {
            workgroupBarrier();
            if (down / 4u == part) {
                let at = down % 4u * 64u + quad;
                columns[at] = s_0;
                columns[at + 16u] = s_1;
                columns[at + 32u] = s_2;
                columns[at + 48u] = s_3;
            }
            let own = start + part * STEPS + quad;
            rows[quad * PITCH + down] = values_four(key_head, 4u * down, own);
            if (is_wide) {
                rows[quad * PITCH + 16u + down] = values_four(key_head, 64u + 4u * down, own);
            }
            workgroupBarrier();
            for (var n = 0u; n < STEPS; n++) {
                let weight = columns[n * 16u + quad];
                let value = rows[n * PITCH + down];
                y_0 += value.x * weight;
                y_1 += value.y * weight;
                y_2 += value.z * weight;
                y_3 += value.w * weight;
                if (is_wide) {
                    let more = rows[n * PITCH + 16u + down];
                    y_4 += more.x * weight;
                    y_5 += more.y * weight;
                    y_6 += more.z * weight;
                    y_7 += more.w * weight;
                }
            }
        }
    }
    // Each thread has summed the weights of its own keys.
    workgroupBarrier();
    columns[lane] = sums;
    workgroupBarrier();
    var sum = vec4<f32>();
    for (var n = 0u; n < 16u; n++) {
        sum += columns[n * 16u + quad];
    }
    write_four(head, 4u * down, frame, y_0 / sum);
    write_four(head, 4u * down + 1u, frame, y_1 / sum);
    write_four(head, 4u * down + 2u, frame, y_2 / sum);
    write_four(head, 4u * down + 3u, frame, y_3 / sum);
    if (is_wide) {
        write_four(head, 64u + 4u * down, frame, y_4 / sum);
        write_four(head, 65u + 4u * down, frame, y_5 / sum);
        write_four(head, 66u + 4u * down, frame, y_6 / sum);
        write_four(head, 67u + 4u * down, frame, y_7 / sum);
    }
}

fn write_four(head: u32, component: u32, frame: u32, four: vec4<f32>) {
    let at = (head * params.value_width + component) * params.frames + frame;
    if (component >= params.value_width) {
        return;
    }
    let is_frame = are_within(frame, params.frames);
    if (is_frame.x) {
        y[at] = four.x;
    }
    if (is_frame.y) {
        y[at + 1u] = four.y;
    }
    if (is_frame.z) {
        y[at + 2u] = four.z;
    }
    if (is_frame.w) {
        y[at + 3u] = four.w;
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
