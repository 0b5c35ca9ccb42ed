// A cascade of second-order sections as state-variable filters, by reduce-then-scan. Three dispatches, in order:
//   reduce   filters each tile of TILE frames from a state of zero and stores its final state   (tiles - 1) x channels
//   scan     computes each tile's initial state from these and the powers of the whole cascade  channels
//   apply    filters each tile from its true state; writes the output and the final state       tiles x channels
// A stream of one tile needs only the last dispatch. Plan and host side: src/kernels/iir_cascade/gpu.rs.
//
// One section is a state-variable filter: with u = x - s2, d = q (u - h s1), v = s1 + d
//   y = mx x + mu u + c1 v + ms s2,   s1 += 2 d,   s2 += g2 v.
// States change by small differences, and powers of the transition are stored as differences from the identity, because
// at a low cutoff, 1 - difference loses the difference in f32. A power that has decayed is stored whole (keep = 0), so
// that a decayed state really becomes zero. A section above a quarter of the sample rate runs mirrored: it is replaced
// by the equivalent section for (-1)^n x(n), which behaves like one with a low cutoff.

// import: shared/planar.wgsl

// Frames per thread, in registers.
const RUN: u32 = 16u;
const TILE: u32 = 4096u;
// The maximum number of sections per pass, and the number of their states.
const SECTIONS: u32 = 4u;
const STATES: u32 = 8u;
// log2(WORKGROUP)
const SCAN_STEPS: u32 = 8u;

struct Section {
    // g + k
    h: f32,
    // g / (1 + g (g + k))
    q: f32,
    // 2 g
    g2: f32,
    // Output weights of x, of x - s2, of v and of s2.
    mx: f32,
    mu: f32,
    c1: f32,
    ms: f32,
    mirrored: u32,
    // Power j advances the state by RUN * 2^j frames: s -> keep[j] s + power[j] s, columns (x, y), (z, w).
    keep: array<f32, 8>,
    power: array<vec4<f32>, 8>,
}

struct Plan {
    sections: array<Section, 4>,
    // Advances the whole cascade's state by TILE * 2^j frames; row-major, block-lower-triangular.
    tile_keep: array<f32, 8>,
    tile_power: array<f32, 512>,
}

struct Params {
    first_group: u32,
    frames: u32,
    // In vec4s.
    stride: u32,
    tiles: u32,
    sections: u32,
    channels: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read> input: array<vec4<f32>>;
// STATES values per channel and tile: first the final states of each tile when started from zero, then the initial
// states, of which the host provides the first of each channel. After them, per channel, the state after the last
// frame.
@group(0) @binding(3) var<storage, read_write> states: array<f32>;
@group(0) @binding(4) var<storage, read_write> output: array<vec4<f32>>;

var<workgroup> exchange: array<vec2<f32>, 512>;
var<private> x: array<f32, 16>;

fn load(channel: u32, frame: u32) {
    for (var quad = 0u; quad < RUN / 4u; quad++) {
        let first = frame + quad * 4u;
        var four = vec4<f32>(0.0);
        if (first < params.frames) {
            four = within(input[channel * params.stride + first / 4u], first, params.frames);
        }
        x[quad * 4u] = four.x;
        x[quad * 4u + 1u] = four.y;
        x[quad * 4u + 2u] = four.z;
        x[quad * 4u + 3u] = four.w;
    }
}

fn store(channel: u32, frame: u32) {
    for (var quad = 0u; quad < RUN / 4u; quad++) {
        let first = frame + quad * 4u;
        if (first < params.frames) {
            output[channel * params.stride + first / 4u] =
                vec4<f32>(x[quad * 4u], x[quad * 4u + 1u], x[quad * 4u + 2u], x[quad * 4u + 3u]);
        }
    }
}

// Returns the state after one frame, and `v` for the output.
fn step(h: f32, q: f32, g2: f32, s: vec2<f32>, u: f32) -> vec3<f32> {
    let d = q * (u - h * s.x);
    let v = s.x + d;
    return vec3<f32>(s.x + 2.0 * d, s.y + g2 * v, v);
}

// Returns the state after the first `count` frames of this thread's run, starting from `start`.
fn ending(k: u32, start: vec2<f32>, count: u32) -> vec2<f32> {
    let h = plan.sections[k].h;
    let q = plan.sections[k].q;
    let g2 = plan.sections[k].g2;
    var s = start;
    for (var i = 0u; i < RUN; i++) {
        s = select(s, step(h, q, g2, s, x[i] - s.y).xy, i < count);
    }
    return s;
}

// Returns the final state of this thread's run when started from zero.
fn ending_from_zero(k: u32) -> vec2<f32> {
    let h = plan.sections[k].h;
    let q = plan.sections[k].q;
    let g2 = plan.sections[k].g2;
    var s = vec2<f32>(0.0);
    for (var i = 0u; i < RUN; i++) {
        s = step(h, q, g2, s, x[i] - s.y).xy;
    }
    return s;
}

// Replaces this thread's samples by the section's output.
fn filter_run(k: u32, start: vec2<f32>) {
    let h = plan.sections[k].h;
    let q = plan.sections[k].q;
    let g2 = plan.sections[k].g2;
    let mx = plan.sections[k].mx;
    let mu = plan.sections[k].mu;
    let c1 = plan.sections[k].c1;
    let ms = plan.sections[k].ms;
    var s = start;
    for (var i = 0u; i < RUN; i++) {
        let u = x[i] - s.y;
        let next = step(h, q, g2, s, u);
        x[i] = (mx * x[i] + mu * u) + (c1 * next.z + ms * s.y);
        s = next.xy;
    }
}

// Converts between x(n) and (-1)^n x(n). A run begins at an even frame of the chunk.
fn mirror() {
    for (var i = 1u; i < RUN; i += 2u) {
        x[i] = -x[i];
    }
}

fn advance(k: u32, j: u32, s: vec2<f32>) -> vec2<f32> {
    let power = plan.sections[k].power[j];
    return plan.sections[k].keep[j] * s + (power.xy * s.x + power.zw * s.y);
}

// Returns the initial state of each thread's run, from the final state of each run when started from zero and the
// tile's initial state. A Hillis-Steele scan; the operator of each step is a constant power.
fn begins(k: u32, lane: u32, ended: vec2<f32>, first: vec2<f32>) -> vec2<f32> {
    if (lane == 0u) {
        exchange[0] = first;
    }
    if (lane + 1u < WORKGROUP) {
        exchange[lane + 1u] = ended;
    }
    workgroupBarrier();
    var s = exchange[lane];
    var base = 0u;
    for (var j = 0u; j < SCAN_STEPS; j++) {
        let reach = 1u << j;
        if (lane >= reach) {
            s += advance(k, j, exchange[base + lane - reach]);
        }
        // Alternates between two halves, so that one barrier per step is enough.
        base = WORKGROUP - base;
        exchange[base + lane] = s;
        workgroupBarrier();
    }
    return s;
}

@compute @workgroup_size(256)
fn reduce(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tile = params.first_group + group.x;
    let slot = (group.y * params.tiles + tile) * STATES;
    load(group.y, tile * TILE + lane * RUN);
    var mirrored = 0u;
    for (var k = 0u; k < params.sections; k++) {
        if (plan.sections[k].mirrored != mirrored) {
            mirrored = 1u - mirrored;
            mirror();
        }
        let ended = ending_from_zero(k);
        let start = begins(k, lane, ended, vec2<f32>(0.0));
        if (lane + 1u == WORKGROUP) {
            let end = ended + advance(k, 0u, start);
            states[slot + 2u * k] = end.x;
            states[slot + 2u * k + 1u] = end.y;
        }
        if (k + 1u < params.sections) {
            filter_run(k, start);
        }
    }
    // Clears the states of sections that this pass does not have, because the scan multiplies them.
    if (lane < STATES && lane >= 2u * params.sections) {
        states[slot + lane] = 0.0;
    }
}

var<workgroup> elements: array<f32, 2048>;

// Advances the state vector in `elements` at `lane` by power j.
fn advance_tile(j: u32, row: u32, lane: u32) -> f32 {
    var sum = plan.tile_keep[j] * elements[row * WORKGROUP + lane];
    // Block lower triangular: a section depends only on earlier ones.
    for (var column = 0u; column <= (row | 1u); column++) {
        sum += plan.tile_power[(j * STATES + row) * STATES + column] * elements[column * WORKGROUP + lane];
    }
    return sum;
}

@compute @workgroup_size(256)
fn scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let channel = params.first_group + group.x;
    let ends = channel * params.tiles * STATES;
    let starts = (params.channels + channel) * params.tiles * STATES;
    // In blocks of WORKGROUP tiles: element 0 is the block's initial state, element i the final state of tile i - 1.
    for (var first = 0u; first < params.tiles; first += WORKGROUP) {
        let tile = first + lane;
        for (var row = 0u; row < STATES; row++) {
            var value = 0.0;
            if (lane == 0u) {
                value = states[starts + first * STATES + row];
            } else if (tile < params.tiles) {
                value = states[ends + (tile - 1u) * STATES + row];
            }
            elements[row * WORKGROUP + lane] = value;
        }
        workgroupBarrier();
        for (var j = 0u; j < SCAN_STEPS; j++) {
            let reach = 1u << j;
            var sum: array<f32, 8>;
            for (var row = 0u; row < STATES; row++) {
                sum[row] = elements[row * WORKGROUP + lane];
                if (lane >= reach) {
                    sum[row] += advance_tile(j, row, lane - reach);
                }
            }
            workgroupBarrier();
            for (var row = 0u; row < STATES; row++) {
                elements[row * WORKGROUP + lane] = sum[row];
            }
            workgroupBarrier();
        }
        if (tile < params.tiles) {
            for (var row = 0u; row < STATES; row++) {
                states[starts + tile * STATES + row] = elements[row * WORKGROUP + lane];
                // The last tile of a full block provides the initial state of the next block.
                if (lane + 1u == WORKGROUP && tile + 1u < params.tiles) {
                    states[starts + (tile + 1u) * STATES + row] =
                        states[ends + tile * STATES + row] + advance_tile(0u, row, lane);
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn apply(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tile = params.first_group + group.x;
    let frame = tile * TILE + lane * RUN;
    let slot = ((params.channels + group.y) * params.tiles + tile) * STATES;
    let last = params.frames - 1u;
    load(group.y, frame);
    var mirrored = 0u;
    for (var k = 0u; k < params.sections; k++) {
        if (plan.sections[k].mirrored != mirrored) {
            mirrored = 1u - mirrored;
            mirror();
        }
        let first = vec2<f32>(states[slot + 2u * k], states[slot + 2u * k + 1u]);
        let start = begins(k, lane, ending_from_zero(k), first);
        if (last >= frame && last - frame < RUN) {
            let end = ending(k, start, last - frame + 1u);
            let at = (2u * params.channels * params.tiles + group.y) * STATES + 2u * k;
            states[at] = end.x;
            states[at + 1u] = end.y;
        }
        filter_run(k, start);
    }
    if (mirrored == 1u) {
        mirror();
    }
    store(group.y, frame);
}
