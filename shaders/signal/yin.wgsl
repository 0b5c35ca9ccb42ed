// Pitch by YIN: the differences of each hop with the frames that follow it, and the first dip of each window's
// normalised difference. Formulas, cost and host side: kernels/signal/yin/.
//   differences   of each hop at each lag, as sums of squares                 hops x tiles of lags
//   dips          of each window, whose integration window is two hops        windows

const WORKGROUP: u32 = 64u;
// Lags per thread, lags per workgroup, and frames that are loaded together and summed separately from the rest.
const EACH: u32 = 4u;
const LAGS: u32 = 256u;
const RUN: u32 = 256u;

struct Params {
    first_group: u32,
    // Frames per hop, a multiple of four.
    hop: u32,
    // The index in `samples` at which the first hop begins, and the number of samples. After the last it is silent.
    start: u32,
    frames: u32,
    // Lags per hop, from 0 to the longest, and the number of workgroups for them.
    lags: u32,
    tiles: u32,
    // The shortest period in frames.
    shortest: u32,
    // Lags per thread in the search for dips.
    each: u32,
    threshold: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> samples: array<f32>;
// Hop after hop.
@group(0) @binding(2) var<storage, read_write> hop_differences: array<f32>;
// For each window: the lag of the dip, and the values before, at and after it. A missing value is -1. All 0 if there is
// no dip.
@group(0) @binding(3) var<storage, read_write> results: array<vec4<f32>>;

var<workgroup> still: array<vec4<f32>, 64>;
var<workgroup> moved: array<vec4<f32>, 128>;

fn sample_at(frame: u32) -> f32 {
    if (frame < params.frames) {
        return samples[frame];
    }
    return 0.0;
}

fn four_at(frame: u32) -> vec4<f32> {
    return vec4<f32>(sample_at(frame), sample_at(frame + 1u), sample_at(frame + 2u), sample_at(frame + 3u));
}

@compute @workgroup_size(64)
fn differences(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let hop = index / params.tiles;
    let first_lag = (index - hop * params.tiles) * LAGS;
    let start = params.start + hop * params.hop;
    var sums = vec4<f32>(0.0);
    for (var first = 0u; first < params.hop; first += RUN) {
        let begin = start + first;
        still[lane] = four_at(begin + EACH * lane);
        moved[lane] = four_at(begin + first_lag + EACH * lane);
        moved[lane + WORKGROUP] = four_at(begin + first_lag + EACH * (lane + WORKGROUP));
        workgroupBarrier();
        let fours = min(RUN, params.hop - first) / EACH;
        var run = vec4<f32>(0.0);
        var near = moved[lane];
        for (var four = 0u; four < fours; four++) {
            // Four frames at four lags each, which read seven other frames.
            let x = still[four];
            let far = moved[lane + four + 1u];
            let one = vec4<f32>(x.x) - near;
            let two = vec4<f32>(x.y) - vec4<f32>(near.yzw, far.x);
            let three = vec4<f32>(x.z) - vec4<f32>(near.zw, far.xy);
            let last = vec4<f32>(x.w) - vec4<f32>(near.w, far.xyz);
            run += one * one + two * two + three * three + last * last;
            near = far;
        }
        sums += run;
        workgroupBarrier();
    }
    let lag = first_lag + EACH * lane;
    for (var i = 0u; i < EACH; i++) {
        if (lag + i < params.lags) {
            hop_differences[hop * params.lags + lag + i] = sums[i];
        }
    }
}

// The sum of the differences up to the end of each thread's lags.
var<workgroup> reached: array<f32, 64>;
var<workgroup> first_dip: atomic<u32>;

fn difference_at(window: u32, lag: u32) -> f32 {
    return hop_differences[window * params.lags + lag] + hop_differences[(window + 1u) * params.lags + lag];
}

fn value_of(lag: u32, difference: f32, sum: f32) -> f32 {
    if (sum > 0.0) {
        return f32(lag) * difference / sum;
    }
    return 1.0;
}

@compute @workgroup_size(64)
fn dips(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let window = params.first_group + group.x;
    let first = min(1u + lane * params.each, params.lags);
    let end = min(first + params.each, params.lags);
    var own = 0.0;
    for (var lag = first; lag < end; lag++) {
        own += difference_at(window, lag);
    }
    reached[lane] = own;
    if (lane == 0u) {
        atomicStore(&first_dip, params.lags);
    }
    workgroupBarrier();
    // Prefix sums (W. Hillis and G. Steele, "Data parallel algorithms", 1986).
    for (var apart = 1u; apart < WORKGROUP; apart *= 2u) {
        var below = 0.0;
        if (lane >= apart) {
            below = reached[lane - apart];
        }
        workgroupBarrier();
        reached[lane] += below;
        workgroupBarrier();
    }
    var sum = 0.0;
    if (lane > 0u) {
        sum = reached[lane - 1u];
    }

    // The values before, at and after a lag. A dip at either end of the lags needs to be lower on one side only.
    var before = -1.0;
    var found = params.lags;
    var result = vec4<f32>(0.0);
    if (first < end) {
        if (first > params.shortest) {
            before = value_of(first - 1u, difference_at(window, first - 1u), sum);
        }
        sum += difference_at(window, first);
        var now = value_of(first, difference_at(window, first), sum);
        for (var lag = first; lag < end; lag++) {
            var behind = -1.0;
            if (lag + 1u < params.lags) {
                let difference = difference_at(window, lag + 1u);
                sum += difference;
                behind = value_of(lag + 1u, difference, sum);
            }
            let is_long = lag >= params.shortest;
            let falls = lag <= params.shortest || now < before;
            let rises = lag + 1u == params.lags || now <= behind;
            if (is_long && now < params.threshold && falls && rises) {
                found = lag;
                result = vec4<f32>(f32(lag), select(-1.0, before, lag > params.shortest), now, behind);
                break;
            }
            before = now;
            now = behind;
        }
        if (found < params.lags) {
            atomicMin(&first_dip, found);
        }
    }
    workgroupBarrier();
    let dip = atomicLoad(&first_dip);
    if (dip == params.lags && lane == 0u) {
        results[window] = vec4<f32>(0.0);
    } else if (dip < params.lags && found == dip) {
        results[window] = result;
    }
}
