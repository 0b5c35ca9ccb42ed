// Fourier transforms of complex points in a workgroup: Stockham, radix 8, with a last stage of radix 2 or 4 if needed.
// A workgroup holds POINTS points, eight per thread: POINTS / fft_points() transforms of fft_points() points each, side
// by side in slots. Values stay in registers. Threads exchange them through workgroup memory, first the real parts,
// then the imaginary parts, which halves the memory. The importing shader declares `tables: array<vec2<f32>>`, which
// begins with exp(-2 pi i n / 2 params.points) for n < params.points, and defines
//   fn fft_points() -> u32        points per transform, a power of two from 32 to POINTS, the same for all transforms

const WORKGROUP: u32 = 256u;
const POINTS: u32 = 2048u;
// Points per thread.
const EACH: u32 = 8u;
const HALF_SQRT_2: f32 = 0.70710678;

var<workgroup> exchange: array<f32, 2048>;
// Point `thread + r * threads` of the transform, before and after.
var<private> v: array<vec2<f32>, 8>;

fn root_count() -> u32 {
    return 2u * params.points;
}

// exp(-2 pi i n / root_count()). The second half of the circle is the negative of the first.
fn root(n: u32) -> vec2<f32> {
    let half = tables[n & (params.points - 1u)];
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

// Transforms the points in `v` of this thread's slot. All threads of the workgroup must take part.
fn fft(slot: u32, thread: u32) {
    let points = fft_points();
    let threads = points / EACH;
    let base = slot * points;
    // Points of the sub-transforms that are complete.
    var done = 1u;
    while (done * EACH <= points) {
        let within = thread & (done - 1u);
        let step = within * (root_count() / (done * EACH));
        for (var r = 1u; r < EACH; r++) {
            v[r] = times(v[r], root(r * step));
        }
        fft_8();
        done *= EACH;
        // The last stage leaves every point in its final place.
        if (done < points) {
            let to = base + (thread - within) * EACH + within;
            let stride = done / EACH;
            for (var r = 0u; r < EACH; r++) {
                exchange[to + r * stride] = v[r].x;
            }
            workgroupBarrier();
            for (var r = 0u; r < EACH; r++) {
                v[r].x = exchange[base + thread + r * threads];
            }
            workgroupBarrier();
            for (var r = 0u; r < EACH; r++) {
                exchange[to + r * stride] = v[r].y;
            }
            workgroupBarrier();
            for (var r = 0u; r < EACH; r++) {
                v[r].y = exchange[base + thread + r * threads];
            }
            workgroupBarrier();
        }
    }
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
    } else if (points == done * 2u) {
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
