// Levels of the rows of a spectrum. The importing shader has `places: array<u32>`, with four words per row (first bin,
// first weight, number of weights, kind) and, at a later index, the weights. It also defines
//   fn power_at(spectrum: u32, bin: u32) -> f32        the power of a bin, 1 being a full-scale sine's

// import: shared/decibels.wgsl

// Kinds of rows: the weighted sum of powers (0), the weighted sum of levels, or the highest power.
const LEVEL: u32 = 1u;
const PEAK: u32 = 2u;

fn row_level(spectrum: u32, row: u32, weights: u32) -> f32 {
    let first_bin = places[row];
    let first = weights + places[row + 1u];
    let count = places[row + 2u];
    let kind = places[row + 3u];
    var sum = 0.0;
    // The highest power by its bits, where NaN ranks above infinity. Integers are used because a compiler may assume
    // that floats are finite and optimise a sum of them arbitrarily.
    var top = 0u;
    if (kind == LEVEL) {
        for (var i = 0u; i < count; i++) {
            let power = power_at(spectrum, first_bin + i);
            top = max(top, bitcast<u32>(power) & 0x7fffffffu);
            sum += bitcast<f32>(places[first + i]) * db_from_finite(power);
        }
    } else {
        for (var i = 0u; i < count; i++) {
            let power = power_at(spectrum, first_bin + i);
            top = max(top, bitcast<u32>(power) & 0x7fffffffu);
            sum += bitcast<f32>(places[first + i]) * power;
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
