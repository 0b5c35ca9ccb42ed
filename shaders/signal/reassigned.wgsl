// Reassigned spectra: moves the energy of each cell of short-time spectra to its centre of gravity, and sums it in the
// places of a picture. Sums are integers in units of 2^-67, in three words each, so that the order of additions, which
// is undefined, does not matter. Formulas and host side: kernels/signal/reassigned/. Input spectra: stft.wgsl,
// stft_long.wgsl. Codes of the levels: stft.wgsl.
//   clear         all sums                                       cells x rows x 3 / 256
//   move_cells    the energy of each bin of each window          windows x bins / 256
//   levels_of     a picture's levels, column after column        columns x rows / 256

// import: shared/decibels.wgsl

const WORKGROUP: u32 = 256u;
// Words per sum, the lowest first. The highest bit of a sum marks it as broken.
const WORDS: u32 = 3u;
const BROKEN: u32 = 0x80000000u;
// The units of each word per 1: 2^67, 2^35 and 2^3.
const PER_LOW: f32 = 147573952589676412928.0;
const PER_MIDDLE: f32 = 34359738368.0;
const PER_HIGH: f32 = 8.0;
// The maximum power of a cell. Sums of thousands of cells then stay below the highest bit.
const MOST_POWER: f32 = 32768.0;

struct Params {
    first_group: u32,
    // The number of windows in this dispatch.
    windows: u32,
    bins: u32,
    // The index of the first of them among the centres in `places`.
    first_window: u32,
    rows: u32,
    cells: u32,
    columns: u32,
    // The indices in `places` at which these begin: the first frames of the cells, followed by the frame after the last
    // cell; the lower edges of the rows in bins, followed by the upper edge of the last row; the cell of each column.
    first_edge: u32,
    first_row_edge: u32,
    first_column: u32,
    // The factor that scales |X|^2.
    scale: f32,
    // Cells with less power are not moved.
    still: f32,
    bins_per_radian: f32,
    // The maximum distance in frames by which energy moves.
    half_size: f32,
    // 1 / windows per cell
    share: f32,
    // The bits of a NaN.
    not_a_number: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The spectra of all windows with the window function, then those with its slope, then those with the window function
// times time.
@group(0) @binding(1) var<storage, read> spectra: array<vec2<f32>>;
// Begins with the windows' centres, as i32. Frames are counted from the first frame of the first cell.
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> levels: array<f32>;

@compute @workgroup_size(256)
fn clear(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    if (index < params.cells * params.rows * WORDS) {
        atomicStore(&sums[index], 0u);
    }
}

// Returns the number of cell edges at or before a frame.
fn cells_begun(frame: i32) -> u32 {
    var low = 0u;
    var high = params.cells + 1u;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (bitcast<i32>(places[params.first_edge + middle]) <= frame) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// Returns the number of row edges at or below a frequency in bins.
fn rows_begun(bin: f32) -> u32 {
    var low = 0u;
    var high = params.rows + 1u;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (bitcast<f32>(places[params.first_row_edge + middle]) <= bin) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// Adds to a word of a sum and returns the carry.
fn add_word(at: u32, value: u32) -> u32 {
    let before = atomicAdd(&sums[at], value);
    return select(0u, 1u, before + value < before);
}

fn add(place: u32, power: f32) {
    var rest = min(power, MOST_POWER);
    let high = floor(rest * PER_HIGH);
    rest -= high / PER_HIGH;
    let middle = floor(rest * PER_MIDDLE);
    rest -= middle / PER_MIDDLE;
    let at = place * WORDS;
    var carried = u32(high);
    let from_low = add_word(at, u32(rest * PER_LOW));
    carried += add_word(at + 1u, u32(middle));
    if (from_low > 0u) {
        carried += add_word(at + 1u, from_low);
    }
    if (carried > 0u) {
        atomicAdd(&sums[at + 2u], carried);
    }
}

@compute @workgroup_size(256)
fn move_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let window = index / params.bins;
    if (window >= params.windows) {
        return;
    }
    let bin = index - window * params.bins;
    let plain = spectra[index];
    let slope = spectra[index + params.windows * params.bins];
    let ramp = spectra[index + 2u * params.windows * params.bins];
    let squared = plain.x * plain.x + plain.y * plain.y;
    let ends = bin == 0u || bin == params.bins - 1u;
    let power = select(1.0, 0.5, ends) * params.scale * squared;
    let centre = bitcast<i32>(places[params.first_window + window]);
    if (!finite(power)) {
        // All bins of such a window are broken. Together they mark all rows.
        let cell = cells_begun(centre);
        if (cell >= 1u && cell <= params.cells) {
            for (var row = bin; row < params.rows; row += params.bins) {
                atomicOr(&sums[((cell - 1u) * params.rows + row) * WORDS + 2u], BROKEN);
            }
        }
        return;
    }
    var frames = 0.0;
    var place = f32(bin);
    if (power >= params.still) {
        let later = (ramp.x * plain.x + ramp.y * plain.y) / squared;
        let moved = place - (slope.y * plain.x - slope.x * plain.y) / squared * params.bins_per_radian;
        if (abs(later) <= params.half_size && moved >= 0.0 && moved <= f32(params.bins - 1u)) {
            frames = later;
            place = moved;
        }
    }
    let cell = cells_begun(centre + i32(floor(frames + 0.5)));
    let row = rows_begun(place);
    if (cell >= 1u && cell <= params.cells && row >= 1u && row <= params.rows) {
        add((cell - 1u) * params.rows + row - 1u, power);
    }
}

@compute @workgroup_size(256)
fn levels_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let column = index / params.rows;
    if (column < params.columns) {
        let row = index - column * params.rows;
        let at = (places[params.first_column + column] * params.rows + row) * WORDS;
        let high = atomicLoad(&sums[at + 2u]);
        let sum = f32(high) / PER_HIGH + f32(atomicLoad(&sums[at + 1u])) / PER_MIDDLE + f32(atomicLoad(&sums[at])) / PER_LOW;
        levels[index] = db_from_power(sum * params.share);
        if ((high & BROKEN) != 0u) {
            levels[index] = bitcast<f32>(params.not_a_number);
        }
    }
}
