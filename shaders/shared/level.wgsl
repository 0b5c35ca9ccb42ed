// Levels of the rows of a spectrum. The importing shader has `places: array<u32>`, with four words per row (first bin,
// first weight, number of weights, kind) and, at a later index, the weights. It also defines
//   fn power_at(spectrum: u32, bin: u32) -> f32        the power of a bin, 1 being a full-scale sine's

// import: shared/decibels.wgsl

// Kinds of rows: the weighted sum of powers (0), the weighted sum of levels, or the highest power.
const LEVEL: u32 = 1u;
const PEAK: u32 = 2u;
// Threads that share a row, and the rows of a workgroup of 256.
const ROW_SHARE: u32 = 8u;
const ROWS_AT_ONCE: u32 = 32u;

// What each thread has of its row, for two rounds.
var<workgroup> row_sums: array<f32, 512>;
var<workgroup> row_tops: array<u32, 512>;

// Returns the level of a row in the first of the ROW_SHARE threads that share it. All threads of the workgroup must
// take part. `round` tells apart calls that follow one another.
fn row_level(spectrum: u32, row: u32, weights: u32, lane: u32, round: u32) -> f32 {
    let first_bin = places[row];
    let first = weights + places[row + 1u];
    let count = places[row + 2u];
    let kind = places[row + 3u];
    var sum = 0.0;
    // The highest power by its bits, where NaN ranks above infinity. Integers are used because a compiler may assume
    // that floats are finite and optimise a sum of them arbitrarily.
    var top = 0u;
    if (kind == LEVEL) {
        for (var i = lane % ROW_SHARE; i < count; i += ROW_SHARE) {
            let power = power_at(spectrum, first_bin + i);
            top = max(top, bitcast<u32>(power) & 0x7fffffffu);
            sum += bitcast<f32>(places[first + i]) * db_from_finite(power);
        }
    } else {
        for (var i = lane % ROW_SHARE; i < count; i += ROW_SHARE) {
            let power = power_at(spectrum, first_bin + i);
            top = max(top, bitcast<u32>(power) & 0x7fffffffu);
            sum += bitcast<f32>(places[first + i]) * power;
        }
    }
    let at = (round & 1u) * 256u + lane;
    row_sums[at] = sum;
    row_tops[at] = top;
    workgroupBarrier();
    if (lane % ROW_SHARE == 0u) {
        for (var r = 1u; r < ROW_SHARE; r++) {
            sum += row_sums[at + r];
            top = max(top, row_tops[at + r]);
        }
    }
    // A non-finite power determines the row.
    if (top >= 0x7f800000u) {
        return bitcast<f32>(top);
    }
    if (kind == LEVEL && count > 0u) {
        return sum;
    }
    if (kind == PEAK) {
        sum = bitcast<f32>(top);
    }
    return db_from_finite(sum);
}
