// The position of a filter's transforms on the stream's grid, and the destination of their results. A unit of `unit`
// frames has a latency of one unit. It is computed in `stretches` transforms of `step` frames, each of which also reads
// the `lead` frames before its own. The importing shader has these in its params, as well as units, phase, frames and
// stride, and declares `output: array<f32>` and `ready: array<f32>`.

// exp(pi i n / 2 points). A real signal whose second half becomes the imaginary part is convolved modulo x^points - i
// (H. J. Nussbaumer, "Fast polynomial transform algorithms for digital convolution", 1980). These factors convert that
// to a convolution modulo x^points - 1, which a transform of `points` points computes. They follow the roots in
// `tables`.
fn twist(n: u32) -> vec2<f32> {
    return tables[ROOTS + params.points + n];
}

// The first frame of a transform's own frames, relative to the first unit.
fn first_of(stretch: u32) -> u32 {
    let unit = stretch / params.stretches;
    return unit * params.unit + (stretch - unit * params.stretches) * params.step;
}

// The number of a transform's own frames, which is less than `step` at the end of a unit.
fn own_frames(stretch: u32) -> u32 {
    return min(params.step, params.unit - (stretch % params.stretches) * params.step);
}

// Point n of a transform's input.
fn stretch_point(channel: u32, stretch: u32, n: u32) -> vec2<f32> {
    let first = first_of(stretch);
    // Frames that a transform does not need are not read, so that its bits do not depend on where a chunk ends.
    let reach = params.lead + own_frames(stretch);
    var pair = vec2<f32>(0.0);
    if (n < reach) {
        pair.x = frame_at(channel, first + n);
    }
    if (n + params.points < reach) {
        pair.y = frame_at(channel, first + n + params.points);
    }
    return times(pair, twist(n));
}

fn give_frame(channel: u32, frame: u32, value: f32) {
    let at = frame + params.unit - params.phase;
    if (at < params.frames) {
        output[channel * params.stride + at] = value;
    }
    let last = (params.units - 1u) * params.unit;
    if (frame >= last) {
        ready[channel * params.unit + frame - last] = value;
    }
}

// Point n of a transform's output, real and imaginary part exchanged.
fn give_point(channel: u32, stretch: u32, n: u32, exchanged: vec2<f32>) {
    let first = first_of(stretch);
    let own = own_frames(stretch);
    let pair = times(exchanged, twist(n)).yx;
    if (n >= params.lead && n - params.lead < own) {
        give_frame(channel, first + n - params.lead, pair.x);
    }
    let later = n + params.points;
    if (later >= params.lead && later - params.lead < own) {
        give_frame(channel, first + later - params.lead, pair.y);
    }
}
