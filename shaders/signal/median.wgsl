// Medians of 31 neighbours in a plane of values, reflected beyond its ends with the edge value repeated. Values are
// compared by their bits and therefore bound as u32: a result is bit-identical to one of the inputs. Each thread
// computes eight neighbouring outputs, which share most of the work (build/median.rs). Host side:
// kernels/signal/median/gpu.rs.
//   along_columns   around each position in its column   columns x steps / 256
//   along_rows      around each position in its row      rows x spans / 8

const WORKGROUP: u32 = 256u;
const REACH: i32 = 15;
// Neighbouring outputs per thread.
const OUTPUTS: u32 = 8u;
// Neighbouring outputs in a row that 32 threads compute, and the number of input values for them.
const SPAN: u32 = 256u;
const TAKEN: u32 = 286u;
// Spans per workgroup, and words per span: one padding word per 32 avoids bank conflicts between threads that read the
// values of eight outputs each.
const SLOTS: u32 = 8u;
const SLOT_WORDS: u32 = 296u;
// Planes of at least this length are reflected at most once.
const LONG: u32 = 512u;

struct Params {
    first_group: u32,
    columns: u32,
    rows: u32,
    // The first requested row, and the number of requested rows.
    first_row: u32,
    wanted: u32,
    // Spans per row.
    spans: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plane: array<u32>;
// The requested rows only.
@group(0) @binding(2) var<storage, read_write> medians: array<u32>;

var<workgroup> taken: array<u32, 2368>;

// generate: medians_of_31

// Reflects a position beyond the ends into 0..count, for positions from -REACH to SPAN + REACH beyond the end.
fn reflected(place: i32, count: u32) -> u32 {
    let length = i32(count);
    if (count < LONG) {
        let within = (place + 32 * length) % (2 * length);
        return u32(min(within, 2 * length - 1 - within));
    }
    let within = max(place, -1 - place);
    return u32(min(within, 2 * length - 1 - within));
}

// The position of the next value of a column, counted from row 0 down the column and back up: 0 to 2 rows - 1.
var<private> next: u32;

fn next_in_column(column: u32) -> u32 {
    let last = 2u * params.rows - 1u;
    let value = plane[min(next, last - next) * params.columns + column];
    next = select(next + 1u, 0u, next == last);
    return value;
}

fn put(row: u32, column: u32, median: u32) {
    if (row < params.wanted && column < params.columns) {
        medians[row * params.columns + column] = median;
    }
}

@compute @workgroup_size(256)
fn along_columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (params.first_group + group.x) * WORKGROUP + lane;
    let step = index / params.columns;
    let c = index - step * params.columns;
    let to = step * OUTPUTS;
    if (to >= params.wanted) {
        return;
    }
    next = (params.first_row + to + 32u * params.rows - u32(REACH)) % (2u * params.rows);
    let m = medians_of_31(
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c), next_in_column(c),
        next_in_column(c), next_in_column(c), next_in_column(c),
    );
    put(to, c, m[0]);
    put(to + 1u, c, m[1]);
    put(to + 2u, c, m[2]);
    put(to + 3u, c, m[3]);
    put(to + 4u, c, m[4]);
    put(to + 5u, c, m[5]);
    put(to + 6u, c, m[6]);
    put(to + 7u, c, m[7]);
}

// Index in `taken` of a value of a slot, with padding.
fn place(slot: u32, value: u32) -> u32 {
    return slot * SLOT_WORDS + value + (value >> 5u);
}

fn in_row(slot: u32, value: u32) -> u32 {
    return taken[place(slot, value)];
}

@compute @workgroup_size(256)
fn along_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let s = lane >> 5u;
    let thread = lane & 31u;
    let index = (params.first_group + group.x) * SLOTS + s;
    let row = index / params.spans;
    let column = (index - row * params.spans) * SPAN;
    // Slots beyond the last row recompute it and write nothing.
    let start = (params.first_row + min(row, params.wanted - 1u)) * params.columns;
    for (var i = thread; i < TAKEN; i += 32u) {
        taken[place(s, i)] = plane[start + reflected(i32(column + i) - REACH, params.columns)];
    }
    workgroupBarrier();
    let v = thread * OUTPUTS;
    let m = medians_of_31(
        in_row(s, v), in_row(s, v + 1u), in_row(s, v + 2u), in_row(s, v + 3u), in_row(s, v + 4u), in_row(s, v + 5u),
        in_row(s, v + 6u), in_row(s, v + 7u), in_row(s, v + 8u), in_row(s, v + 9u), in_row(s, v + 10u),
        in_row(s, v + 11u), in_row(s, v + 12u), in_row(s, v + 13u), in_row(s, v + 14u), in_row(s, v + 15u),
        in_row(s, v + 16u), in_row(s, v + 17u), in_row(s, v + 18u), in_row(s, v + 19u), in_row(s, v + 20u),
        in_row(s, v + 21u), in_row(s, v + 22u), in_row(s, v + 23u), in_row(s, v + 24u), in_row(s, v + 25u),
        in_row(s, v + 26u), in_row(s, v + 27u), in_row(s, v + 28u), in_row(s, v + 29u), in_row(s, v + 30u),
        in_row(s, v + 31u), in_row(s, v + 32u), in_row(s, v + 33u), in_row(s, v + 34u), in_row(s, v + 35u),
        in_row(s, v + 36u), in_row(s, v + 37u),
    );
    let to = column + v;
    put(row, to, m[0]);
    put(row, to + 1u, m[1]);
    put(row, to + 2u, m[2]);
    put(row, to + 3u, m[3]);
    put(row, to + 4u, m[4]);
    put(row, to + 5u, m[5]);
    put(row, to + 6u, m[6]);
    put(row, to + 7u, m[7]);
}
