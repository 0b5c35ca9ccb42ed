// Spectra of windows of a signal, up to 4096 points: window, transform, power, rows and decibels in one dispatch, so
// that only a picture leaves the GPU. A real transform of 2 `points` points is computed as a complex one of `points`
// points, with even frames as real parts and odd frames as imaginary parts. Tables and host side:
// kernels/signal/stft/gpu/mod.rs. Longer transforms: stft_long.wgsl.
//   levels_of   a picture's levels, column after column     columns / slots
//   spectra     complex spectra                              windows / slots
//   powers      power spectra                                windows / slots
//   pack        levels as codes, row after row               32 rows by 16 words

// import: shared/fft.wgsl
// import: shared/level.wgsl

struct Params {
    first_group: u32,
    // The number of columns, or of windows if there are no columns.
    columns: u32,
    // Windows per column.
    windows: u32,
    // Complex points of the transform, half of its real points.
    points: u32,
    // Frames per window.
    size: u32,
    rows: u32,
    // The indices in `places` at which rows and weights begin.
    first_row: u32,
    first_weight: u32,
    // The factor that scales |X|^2.
    scale: f32,
    // Codes are (level - low_db) * per_db + 1/2, limited to `largest`, with `codes_per_word` codes per word.
    low_db: f32,
    per_db: f32,
    largest: u32,
    codes_per_word: u32,
    words_per_row: u32,
    // The number of spectra already in `complex_spectra`.
    first_spectrum: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The frames of the windows, with zeros beyond the signal's ends.
@group(0) @binding(1) var<storage, read> samples: array<f32>;
// exp(-2 pi i n / 2 points) for n < points, then the window function, with two frames per element.
@group(0) @binding(2) var<storage, read> tables: array<vec2<f32>>;
// The index in `samples` at which each window of each column begins; then the rows, then the weights' bits.
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> levels: array<f32>;
@group(0) @binding(5) var<storage, read_write> complex_spectra: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> codes: array<u32>;
@group(0) @binding(7) var<storage, read_write> power: array<f32>;

fn fft_points() -> u32 {
    return params.points;
}

// The power at the Nyquist frequency, one per slot.
var<workgroup> highest: array<f32, 64>;

// Reads `exchange`, which finally holds the columns' powers.
fn power_at(slot: u32, bin: u32) -> f32 {
    if (bin == params.points) {
        return params.scale * highest[slot];
    }
    return params.scale * exchange[slot * params.points + bin];
}

fn load(window: u32, thread: u32) {
    let start = places[window];
    let threads = params.points / EACH;
    for (var r = 0u; r < EACH; r++) {
        let pair = thread + r * threads;
        v[r] = vec2<f32>(0.0);
        if (2u * pair < params.size) {
            let at = start + 2u * pair;
            v[r] = tables[ROOTS + params.points + pair] * vec2<f32>(samples[at], samples[at + 1u]);
        }
    }
}

@compute @workgroup_size(256)
fn levels_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let threads = params.points / EACH;
    let slots = POINTS / params.points;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let first = (params.first_group + group.x) * slots;
    // Slots beyond the last column recompute it and write nothing.
    let column = min(first + slot, params.columns - 1u);
    var power: array<f32, 8>;
    var top = 0.0;
    for (var window = 0u; window < params.windows; window++) {
        load(column * params.windows + window, thread);
        fft(slot, thread);
        var mirror = mirrored(slot, thread);
        for (var r = 0u; r < EACH; r++) {
            let x = unpacked(v[r], mirror[r], tables[ROOTS + thread + r * threads]);
            power[r] += dot(x, x);
        }
        let half_rate = v[0].x - v[0].y;
        top += half_rate * half_rate;
    }
    for (var r = 0u; r < EACH; r++) {
        exchange[slot * params.points + thread + r * threads] = power[r];
    }
    if (thread == 0u) {
        highest[slot] = top;
    }
    workgroupBarrier();
    for (var i = lane; i < slots * params.rows; i += WORKGROUP) {
        let owner = i / params.rows;
        let row = i - owner * params.rows;
        if (first + owner < params.columns) {
            levels[(first + owner) * params.rows + row] =
                row_level(owner, params.first_row + 4u * row, params.first_weight);
        }
    }
}

@compute @workgroup_size(256)
fn spectra(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let threads = params.points / EACH;
    let slots = POINTS / params.points;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let window = (params.first_group + group.x) * slots + slot;
    load(min(window, params.columns - 1u), thread);
    fft(slot, thread);
    var mirror = mirrored(slot, thread);
    if (window < params.columns) {
        let to = (params.first_spectrum + window) * (params.points + 1u);
        for (var r = 0u; r < EACH; r++) {
            let bin = thread + r * threads;
            complex_spectra[to + bin] = unpacked(v[r], mirror[r], tables[ROOTS + bin]);
        }
        if (thread == 0u) {
            complex_spectra[to + params.points] = vec2<f32>(v[0].x - v[0].y, 0.0);
        }
    }
}

@compute @workgroup_size(256)
fn powers(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let threads = params.points / EACH;
    let slots = POINTS / params.points;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let window = (params.first_group + group.x) * slots + slot;
    load(min(window, params.columns - 1u), thread);
    fft(slot, thread);
    var mirror = mirrored(slot, thread);
    if (window < params.columns) {
        let to = window * (params.points + 1u);
        for (var r = 0u; r < EACH; r++) {
            let bin = thread + r * threads;
            let x = unpacked(v[r], mirror[r], tables[ROOTS + bin]);
            power[to + bin] = params.scale * dot(x, x);
        }
        if (thread == 0u) {
            let half_rate = v[0].x - v[0].y;
            power[to + params.points] = params.scale * half_rate * half_rate;
        }
    }
}

fn code(level: f32) -> u32 {
    if (!finite(level)) {
        return params.largest;
    }
    return u32(clamp((level - params.low_db) * params.per_db + 0.5, 0.0, f32(params.largest)));
}

// Rows and words of a block that a workgroup transposes.
const ROWS_TURNED: u32 = 32u;
const WORDS_TURNED: u32 = 16u;
// A column of it in `exchange`, with a gap, so that neighbouring columns lie in different banks.
const COLUMN_TURNED: u32 = ROWS_TURNED + 1u;

// Transposes columns to rows: reads along columns and writes along rows.
@compute @workgroup_size(256)
fn pack(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = params.first_group + group.x;
    let row_blocks = (params.rows + ROWS_TURNED - 1u) / ROWS_TURNED;
    let block = index / row_blocks;
    let first_row = (index - block * row_blocks) * ROWS_TURNED;
    let first_word = block * WORDS_TURNED;
    let columns = WORDS_TURNED * params.codes_per_word;
    for (var i = lane; i < columns * ROWS_TURNED; i += WORKGROUP) {
        let column = first_word * params.codes_per_word + i / ROWS_TURNED;
        let row = first_row + i % ROWS_TURNED;
        // At most 16 bits, which f32 holds.
        var own = 0.0;
        if (column < params.columns && row < params.rows) {
            own = f32(code(levels[column * params.rows + row]));
        }
        exchange[i / ROWS_TURNED * COLUMN_TURNED + i % ROWS_TURNED] = own;
    }
    workgroupBarrier();
    let bits = 32u / params.codes_per_word;
    for (var i = lane; i < WORDS_TURNED * ROWS_TURNED; i += WORKGROUP) {
        let word = i % WORDS_TURNED;
        let row = i / WORDS_TURNED;
        var packed = 0u;
        for (var n = 0u; n < params.codes_per_word; n++) {
            let own = exchange[(word * params.codes_per_word + n) * COLUMN_TURNED + row];
            packed |= u32(own) << (n * bits);
        }
        if (first_row + row < params.rows && first_word + word < params.words_per_row) {
            codes[(first_row + row) * params.words_per_row + first_word + word] = packed;
        }
    }
}
