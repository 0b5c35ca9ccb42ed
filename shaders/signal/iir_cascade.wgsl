// A cascade of second-order sections as state-variable filters, by reduce-then-scan. Three dispatches, in order:
//   reduce   filters each tile of TILE frames from a state of zero and stores its final state   (tiles - 1) x channels
//   scan     computes each tile's initial state from these and the powers of the whole cascade  channels
//   apply    filters each tile from its true state; writes the output and the final state       tiles x channels
// A stream of one tile needs only the last dispatch. Plan and host side: kernels/signal/iir_cascade/gpu.rs.
//
// One section is a state-variable filter: with u = x - s2, d = q (u - h s1), v = s1 + d
//   y = mx x + mu u + c1 v + ms s2,   s1 += 2 d,   s2 += g2 v.
// States change by small differences, and powers of the transition are stored as differences from the identity, because
// at a low cutoff, 1 - difference loses the difference in f32. A power that has decayed is stored whole (kept = 0), so
// that a decayed state really becomes zero. Whether the identity is kept is selected, not multiplied: compilers with
// fast mathematics may add factors of one state up, which gives 1 - difference again. A section above a quarter of the sample rate runs mirrored: it is replaced
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
    // Power j advances the state by RUN * 2^j frames: s -> s + power[j] s, or power[j] s if kept[j] is 0; columns (x, y),
    // (z, w).
    kept: array<u32, 8>,
    power: array<vec4<f32>, 8>,
    // What frames 2 i (x, y) and 2 i + 1 (z, w) of a run add to the state after it.
    ends: array<vec4<f32>, 8>,
}

struct Plan {
    sections: array<Section, 4>,
    // Power j advances the whole cascade's state by TILE * 2^j frames. Element (j * SECTIONS + k) * SECTIONS + c gives
    // what the state of section c adds to that of section k, columns (x, y), (z, w); 0 for c > k.
    tile_kept: array<u32, 8>,
    tile_power: array<vec4<f32>, 128>,
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

// The samples of the run that holds the last frame.
var<workgroup> last_run: array<f32, 16>;

// Returns the state after the first `count` frames of this thread's run, starting from `start`. Only one thread does
// this, so the loop is short rather than fast: its samples are where they can be indexed.
fn ending(k: u32, start: vec2<f32>, count: u32) -> vec2<f32> {
    for (var i = 0u; i < RUN; i++) {
        last_run[i] = x[i];
    }
    let h = plan.sections[k].h;
    let q = plan.sections[k].q;
    let g2 = plan.sections[k].g2;
    var s = start;
    for (var i = 0u; i < count; i++) {
        s = step(h, q, g2, s, last_run[i] - s.y).xy;
    }
    return s;
}

// Returns the final state of this thread's run when started from zero.
fn ending_from_zero(k: u32) -> vec2<f32> {
    var s = vec2<f32>(0.0);
    for (var i = 0u; i < RUN / 2u; i++) {
        let ends = plan.sections[k].ends[i];
        s += ends.xy * x[2u * i] + ends.zw * x[2u * i + 1u];
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

fn advanced(kept: u32, power: vec4<f32>, s: vec2<f32>) -> vec2<f32> {
    return select(vec2<f32>(0.0), s, kept == 1u) + (power.xy * s.x + power.zw * s.y);
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
        let power = plan.sections[k].power[j];
        let kept = plan.sections[k].kept[j];
        if (lane >= reach) {
            s += advanced(kept, power, exchange[base + lane - reach]);
        }
        // Alternates between two halves, so that one barrier per step is enough.
        base = WORKGROUP - base;
        exchange[base + lane] = s;
        workgroupBarrier();
    }
    return s;
}

// Returns in thread 0 the final state of the tile when started from zero, from that of each run.
fn end_of_tile(k: u32, lane: u32, ended: vec2<f32>) -> vec2<f32> {
    var s = ended;
    var base = 0u;
    exchange[lane] = s;
    workgroupBarrier();
    for (var j = 0u; j < SCAN_STEPS; j++) {
        let to = WORKGROUP - base;
        let half = (WORKGROUP / 2u) >> j;
        let power = plan.sections[k].power[j];
        let kept = plan.sections[k].kept[j];
        if (lane < half) {
            s = exchange[base + 2u * lane + 1u] + advanced(kept, power, exchange[base + 2u * lane]);
            exchange[to + lane] = s;
        }
        base = to;
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
        // The last section only has to end; those before it also give what the next one filters.
        var end: vec2<f32>;
        var owner = 0u;
        if (k + 1u == params.sections) {
            end = end_of_tile(k, lane, ended);
        } else {
            let start = begins(k, lane, ended, vec2<f32>(0.0));
            end = ended + advanced(plan.sections[k].kept[0], plan.sections[k].power[0], start);
            owner = WORKGROUP - 1u;
            filter_run(k, start);
        }
        if (lane == owner) {
            states[slot + 2u * k] = end.x;
            states[slot + 2u * k + 1u] = end.y;
        }
    }
}

// The powers of the plan, and the states of a block of tiles: twice, so that one barrier per step is enough.
var<workgroup> powers: array<vec4<f32>, 128>;
var<workgroup> elements: array<vec2<f32>, 512>;

// Returns what power j makes of the states of a tile, for section k. They begin at `first` in `elements`.
fn advance_tile(j: u32, k: u32, first: u32) -> vec2<f32> {
    let power = (j * SECTIONS + k) * SECTIONS;
    var sum = select(vec2<f32>(0.0), elements[first + k], plan.tile_kept[j] == 1u);
    // A section depends only on earlier ones.
    for (var c = 0u; c < SECTIONS; c++) {
        if (c < params.sections) {
            let s = elements[first + c];
            sum += powers[power + c].xy * s.x + powers[power + c].zw * s.y;
        }
    }
    return sum;
}

fn tile_state(channel: u32, tile: u32, k: u32) -> vec2<f32> {
    let at = (channel * params.tiles + tile) * STATES + 2u * k;
    return vec2<f32>(states[at], states[at + 1u]);
}

@compute @workgroup_size(256)
fn scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let channel = params.first_group + group.x;
    // A thread has one section of a tile: `side` threads a tile, a power of two.
    let shift = select(select(2u, 1u, params.sections <= 2u), 0u, params.sections == 1u);
    let side = 1u << shift;
    let steps = SCAN_STEPS - shift;
    let block = WORKGROUP >> shift;
    let k = lane & (side - 1u);
    let place = lane >> shift;
    let to = params.channels + channel;
    if (lane < 128u) {
        powers[lane] = plan.tile_power[lane];
    }
    // In blocks of tiles: element 0 is the block's initial state, element i the final state of tile i - 1.
    var carry = tile_state(to, 0u, k);
    for (var first = 0u; first < params.tiles; first += block) {
        let tile = first + place;
        var s = carry;
        if (place > 0u && tile < params.tiles) {
            s = tile_state(channel, tile - 1u, k);
        }
        var base = 0u;
        elements[lane] = s;
        workgroupBarrier();
        for (var j = 0u; j < steps; j++) {
            if (place >= (1u << j)) {
                s += advance_tile(j, k, base + ((place - (1u << j)) << shift));
            }
            base = WORKGROUP - base;
            elements[base + lane] = s;
            workgroupBarrier();
        }
        if (tile < params.tiles && k < params.sections) {
            let at = (to * params.tiles + tile) * STATES + 2u * k;
            states[at] = s.x;
            states[at + 1u] = s.y;
        }
        // The next block begins where the last tile of this one ends. Every thread computes it for its section.
        let last = first + block - 1u;
        if (last + 1u < params.tiles) {
            carry = tile_state(channel, last, k) + advance_tile(0u, k, base + ((block - 1u) << shift));
        }
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
