// Fourier transforms of complex points in a workgroup: Stockham, radix 8, with a last stage of radix 2 or 4 if needed.
// A workgroup holds POINTS points, eight per thread: POINTS / fft_points() transforms of fft_points() points each, side
// by side in slots. Values stay in registers. Threads exchange them through workgroup memory, first the real parts,
// then the imaginary parts, which halves the memory. The importing shader declares `tables: array<vec2<f32>>`, which
// begins with the roots of the stages, then exp(-2 pi i n / 2 params.points) for n < params.points (kernels/signal/roots.rs),
// and defines
//   fn fft_points() -> u32        points per transform, a power of two from 32 to POINTS, the same for all transforms

const WORKGROUP: u32 = 256u;
const POINTS: u32 = 2048u;
// Points per thread.
const EACH: u32 = 8u;
// The index in `tables` of the roots of the circle. Before them are those of the stages that begin with 8 and 64 points:
// exp(-2 pi i n / 8 done) for n < done, their squares, and their fourth powers.
const ROOTS: u32 = 216u;
const HALF_SQRT_2: f32 = 0.70710678;

// POINTS and an eighth.
var<workgroup> exchange: array<f32, 2304>;
// Point `thread + r * threads` of the transform, before and after.
var<private> v: array<vec2<f32>, 8>;

fn root_count() -> u32 {
    return 2u * params.points;
}

// exp(-2 pi i n / root_count()). The second half of the circle is the negative of the first.
fn root(n: u32) -> vec2<f32> {
    let half = tables[ROOTS + (n & (params.points - 1u))];
    return select(half, -half, (n & params.points) != 0u);
}

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// z * -i
fn turned(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(z.y, -z.x);
}

// A transform of four points, in order of frequency.
fn fft_4(x0: vec2<f32>, x1: vec2<f32>, x2: vec2<f32>, x3: vec2<f32>) -> array<vec2<f32>, 4> {
    let even = x0 + x2;
    let odd = x1 + x3;
    let even_less = x0 - x2;
    let odd_less = turned(x1 - x3);
    return array<vec2<f32>, 4>(even + odd, even_less + odd_less, even - odd, even_less - odd_less);
}

fn fft_8() {
    let less_1 = v[1] - v[5];
    let less_3 = v[3] - v[7];
    let even = fft_4(v[0] + v[4], v[1] + v[5], v[2] + v[6], v[3] + v[7]);
    let odd = fft_4(
        v[0] - v[4],
        HALF_SQRT_2 * vec2<f32>(less_1.x + less_1.y, less_1.y - less_1.x),
        turned(v[2] - v[6]),
        HALF_SQRT_2 * vec2<f32>(less_3.y - less_3.x, -less_3.x - less_3.y),
    );
    v[0] = even[0];
    v[1] = odd[0];
    v[2] = even[1];
    v[3] = odd[1];
    v[4] = even[2];
    v[5] = odd[2];
    v[6] = even[3];
    v[7] = odd[3];
}

// Where a point lies in `exchange`: one element after every eight stays free, so that threads that write eight points
// each do not meet in the same bank.
fn spot(point: u32) -> u32 {
    return point + (point >> 3u);
}

// Moves the points between threads: each writes `stride` apart from `to` on, and reads its own again.
fn swap(to: u32, stride: u32, own: u32, threads: u32) {
    for (var r = 0u; r < EACH; r++) {
        exchange[spot(to + r * stride)] = v[r].x;
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        v[r].x = exchange[spot(own + r * threads)];
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        exchange[spot(to + r * stride)] = v[r].y;
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        v[r].y = exchange[spot(own + r * threads)];
    }
    workgroupBarrier();
}

// Makes transforms of 8 `done` points from those of `done` points.
fn stage(slot: u32, thread: u32, done: u32) {
    let points = fft_points();
    let within = thread & (done / EACH - 1u);
    swap(slot * points + (thread - within) * EACH + within, done / EACH, slot * points + thread, points / EACH);
    let first = select(0u, 24u, done == 64u) + (thread & (done - 1u));
    let one = tables[first];
    let two = tables[first + done];
    let four = tables[first + 2u * done];
    let three = times(one, two);
    v[1] = times(v[1], one);
    v[2] = times(v[2], two);
    v[3] = times(v[3], three);
    v[4] = times(v[4], four);
    v[5] = times(v[5], times(one, four));
    v[6] = times(v[6], times(two, four));
    v[7] = times(v[7], times(three, four));
    fft_8();
}

// Transforms the points in `v` of this thread's slot. All threads of the workgroup must take part.
fn fft(slot: u32, thread: u32) {
    let points = fft_points();
    let threads = points / EACH;
    fft_8();
    // Points of the sub-transforms that are complete.
    var done = 8u;
    if (points >= 64u) {
        stage(slot, thread, 8u);
        done = 64u;
    }
    if (points >= 512u) {
        stage(slot, thread, 64u);
        done = 512u;
    }
    if (points == done) {
        return;
    }
    let within = thread & (done / EACH - 1u);
    swap(slot * points + (thread - within) * EACH + within, done / EACH, slot * points + thread, threads);
    let scale = root_count() / points;
    if (points == done * 4u) {
        for (var j = 0u; j < 2u; j++) {
            let step = (thread + j * threads) * scale;
            let four = fft_4(
                v[j],
                times(v[j + 2u], root(step)),
                times(v[j + 4u], root(2u * step)),
                times(v[j + 6u], root(3u * step)),
            );
            v[j] = four[0];
            v[j + 2u] = four[1];
            v[j + 4u] = four[2];
            v[j + 6u] = four[3];
        }
    } else {
        for (var j = 0u; j < 4u; j++) {
            let other = times(v[j + 4u], root((thread + j * threads) * scale));
            v[j + 4u] = v[j] - other;
            v[j] = v[j] + other;
        }
    }
}

// Returns point `points - k` for each point k of this thread (point 0 for itself). Used to separate the transforms of
// two real signals that were packed into a complex one.
fn mirrored(slot: u32, thread: u32) -> array<vec2<f32>, 8> {
    let points = fft_points();
    let threads = points / EACH;
    let base = slot * points;
    var mirror: array<vec2<f32>, 8>;
    for (var r = 0u; r < EACH; r++) {
        exchange[base + thread + r * threads] = v[r].x;
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        mirror[r].x = exchange[base + ((points - thread - r * threads) & (points - 1u))];
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        exchange[base + thread + r * threads] = v[r].y;
    }
    workgroupBarrier();
    for (var r = 0u; r < EACH; r++) {
        mirror[r].y = exchange[base + ((points - thread - r * threads) & (points - 1u))];
    }
    workgroupBarrier();
    return mirror;
}

// Returns bin k of the transform of a real signal of twice as many points, whose even frames were packed as real parts
// and odd frames as imaginary parts, from points k and points - k. `turn` is exp(-2 pi i k / 2 points).
fn unpacked(point: vec2<f32>, mirror: vec2<f32>, turn: vec2<f32>) -> vec2<f32> {
    let other = vec2<f32>(mirror.x, -mirror.y);
    return 0.5 * ((point + other) + turned(times(turn, point - other)));
}

// Returns point k from bins k and points - k: the inverse of `unpacked`.
fn packed(bin: vec2<f32>, mirror: vec2<f32>, turn: vec2<f32>) -> vec2<f32> {
    let other = vec2<f32>(mirror.x, -mirror.y);
    let odd = times(vec2<f32>(turn.x, -turn.y), bin - other);
    return 0.5 * ((bin + other) - turned(odd));
}
