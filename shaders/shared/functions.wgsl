// Functions of single numbers for networks, as kernels/network/pointwise/functions.rs computes them. The language's own sin,
// exp and tanh are not exact enough on every device.

const NO_ACTIVATION: u32 = 0u;
const ELU: u32 = 1u;
const GELU: u32 = 2u;
const RELU: u32 = 3u;
const SILU: u32 = 4u;
const TANH: u32 = 5u;
const SNAKE: u32 = 6u;

// e^r - 1 and 2^n, where x = n ln 2 + r.
fn exp_parts(x: f32) -> vec2<f32> {
    let n = round(clamp(x, -87.0, 87.0) * 1.4426950408889634);
    let r = (clamp(x, -87.0, 87.0) - n * 0.693359375) + n * 2.1219444e-4;
    let q = 0.49999998 + r * (0.16666566 + r * (0.04166749 + r * (0.00836365 + r * 0.00138558)));
    return vec2<f32>(r + r * r * q, bitcast<f32>(u32(i32(n) + 127) << 23u));
}

fn exact_exp(x: f32) -> f32 {
    let parts = exp_parts(x);
    return parts.y + parts.y * parts.x;
}

fn exact_exp_m1(x: f32) -> f32 {
    let parts = exp_parts(x);
    return parts.y * parts.x + (parts.y - 1.0);
}

fn exact_tanh(x: f32) -> f32 {
    let e = exact_exp_m1(2.0 * clamp(x, -10.0, 10.0));
    return e / (e + 2.0);
}

fn logistic(x: f32) -> f32 {
    return 1.0 / (1.0 + exact_exp(-x));
}

fn gelu(x: f32) -> f32 {
    let z = min(abs(x) * 0.70710678, 9.0);
    let s = 2.0 / (1.0 + 0.4 * z) - 1.0;
    let high = 0.03992304 + s * (0.00399257 + s * (-0.0026456833 + s * (-8.697169e-4 + s * (2.3652052e-4
        + s * (1.1198076e-4 - s * 3.8125363e-5)))));
    let p = 0.21080636 + s * (0.37173673 + s * (0.25171317 + s * (0.12503315 + s * high)));
    let half = 0.5 * (p * exact_exp(-(z * z)));
    return x * select(1.0 - half, half, x < 0.0);
}

// Exact for magnitudes up to some thousands.
fn sin_squared(x: f32) -> f32 {
    let n = round(x * 0.31830989);
    let r = ((x - n * 3.140625) - n * 9.675026e-4) - n * 1.5099579e-7;
    let square = r * r;
    let p = -0.16666661 + square * (0.0083331062 + square * (-1.9812668e-4 + square * 2.6127973e-6));
    let sine = r + r * square * p;
    return sine * sine;
}

// `a` is the number of the channel, for SNAKE.
fn activated(kind: u32, x: f32, a: f32) -> f32 {
    switch (kind) {
        case ELU: { return select(exact_exp_m1(x), x, x > 0.0); }
        case GELU: { return gelu(x); }
        case RELU: { return max(x, 0.0); }
        case SILU: { return x * logistic(x); }
        case TANH: { return exact_tanh(x); }
        case SNAKE: { return x + sin_squared(a * x) / (a + 1e-9); }
        default: { return x; }
    }
}
