//! Computes medians on the CPU, 64 columns at a time.

use std::ops::Range;

use super::{LANES, REACH};
use base::simd::{self, Lanes, Simd, Singles as _, Task};

/// Outputs per run of the network.
const STEP: usize = 16;
/// Size of the blocks in which a transposition works: a vector each way.
const SQUARE: usize = simd::LANES;
/// Input values per run of the network.
const TAKEN: usize = STEP + 2 * REACH;

/// A row of [`LANES`] values, one for each lane of the network.
type Row = [u32; LANES];

/// Computes medians of planes with a fixed row length, and holds the scratch memory.
#[derive(Clone, Debug)]
pub struct Median {
    columns: usize,
    /// Rows that do not lie in the plane as the network takes them.
    copied: Vec<Row>,
    /// Where in the plane each row begins that the network takes.
    starts: Vec<usize>,
}

impl Median {
    /// Creates a `Median` for rows of `columns` values.
    pub fn new(columns: usize) -> Self {
        Self { columns, copied: Vec::new(), starts: Vec::new() }
    }

    /// Computes, for the given `rows` of the plane, the median of the 31 values around each position in its column. If
    /// rows are spectra, these are medians along time. `to` must have room for those rows.
    pub fn along_columns(&mut self, plane: &[f32], rows: Range<usize>, to: &mut [f32]) {
        let all = plane.len().checked_div(self.columns).unwrap_or(0);
        if all == 0 || rows.is_empty() {
            return;
        }
        let taken = rows.len().next_multiple_of(STEP) + 2 * REACH;
        self.starts.clear();
        self.starts
            .extend((0..taken).map(|index| reflected((rows.start + index) as i64 - REACH as i64, all) * self.columns));
        self.copied.resize(self.copied.len().max(taken), [0; LANES]);
        let plane = bytemuck::cast_slice(plane);
        let to = &mut to[..rows.len() * self.columns];
        Simd::best().dispatch(AlongColumns { plane, median: self, to });
    }

    /// Computes, for the given `rows` of the plane, the median of the 31 values around each position in its row. If
    /// rows are spectra, these are medians along frequency. `to` must have room for those rows.
    pub fn along_rows(&mut self, plane: &[f32], rows: Range<usize>, to: &mut [f32]) {
        if self.columns == 0 {
            return;
        }
        let taken = self.columns.next_multiple_of(STEP) + 2 * REACH;
        self.copied.resize(self.copied.len().max(taken), [0; LANES]);
        let rows = plane[rows.start * self.columns..rows.end * self.columns].chunks(LANES * self.columns);
        for (rows, to) in rows.zip(to.chunks_mut(LANES * self.columns)) {
            Simd::best().dispatch(AlongRows { rows, median: self, to });
        }
    }
}

/// Reflects a position beyond the ends into `0..count`.
fn reflected(place: i64, count: usize) -> usize {
    let count = count as i64;
    let place = place.rem_euclid(2 * count);
    place.min(2 * count - 1 - place) as usize
}

struct AlongColumns<'a> {
    plane: &'a [u32],
    median: &'a mut Median,
    to: &'a mut [f32],
}

impl Task for AlongColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { plane, median: Median { columns, copied, starts }, to } = self;
        let columns = *columns;
        for first in (0..columns).step_by(LANES) {
            let width = LANES.min(columns - first);
            if width < LANES {
                for (row, &start) in copied.iter_mut().zip(&*starts) {
                    row[..width].copy_from_slice(&plane[start + first..][..width]);
                }
            }
            for (step, to) in to.chunks_mut(STEP * columns).enumerate() {
                let starts = &starts[step * STEP..][..TAKEN];
                let copied = &copied[step * STEP..][..TAKEN];
                let taken = std::array::from_fn(|index| {
                    let row = plane[starts[index] + first..].first_chunk::<LANES>();
                    row.filter(|_| width == LANES).unwrap_or(&copied[index])
                });
                let mut medians = [[0; LANES]; STEP];
                sixteen(&taken, &mut medians);
                for (medians, to) in medians.iter().zip(to.chunks_exact_mut(columns)) {
                    let to = &mut to[first..first + width];
                    to.iter_mut().zip(medians).for_each(|(to, &bits)| *to = f32::from_bits(bits));
                }
            }
        }
    }
}

/// Medians along at most [`LANES`] rows.
struct AlongRows<'a> {
    rows: &'a [f32],
    median: &'a mut Median,
    to: &'a mut [f32],
}

impl Task for AlongRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { rows, median: Median { columns, copied, .. }, to } = self;
        let columns = *columns;
        let height = rows.len() / columns;
        // Transposed, so that neighbours in a row become neighbours in a column.
        let turned = bytemuck::cast_slice_mut(&mut copied[REACH..REACH + columns]);
        turn::<L>(rows, columns, [height, columns], turned, LANES);
        for beyond in 1..=REACH as i64 {
            for place in [-beyond, columns as i64 + beyond - 1] {
                copied[(REACH as i64 + place) as usize] = copied[REACH + reflected(place, columns)];
            }
        }
        for (first, taken) in (0..columns).step_by(STEP).zip(copied.windows(TAKEN).step_by(STEP)) {
            let taken = std::array::from_fn(|index| &taken[index]);
            let mut medians = [[0; LANES]; STEP];
            sixteen(&taken, &mut medians);
            let size = [STEP.min(columns - first), height];
            turn::<L>(bytemuck::cast_slice(&medians), LANES, size, &mut to[first..], columns);
        }
    }
}

/// Transposes `rows` by `columns` values of `from`, in blocks of [`SQUARE`].
#[inline(always)]
fn turn<L: Lanes>(from: &[f32], from_width: usize, [rows, columns]: [usize; 2], to: &mut [f32], to_width: usize) {
    for row in (0..rows).step_by(SQUARE) {
        for column in (0..columns).step_by(SQUARE) {
            let (high, wide) = (SQUARE.min(rows - row), SQUARE.min(columns - column));
            let mut square = [L::Singles::splat(0.0); SQUARE];
            for (i, lanes) in square.iter_mut().enumerate().take(high) {
                let from = &from[(row + i) * from_width + column..][..wide];
                if let Some(from) = from.first_chunk::<SQUARE>() {
                    *lanes = L::Singles::load(from);
                } else {
                    let mut part = [0.0; SQUARE];
                    part[..wide].copy_from_slice(from);
                    *lanes = L::Singles::load(&part);
                }
            }
            for (j, lanes) in L::Singles::turned(square).into_iter().enumerate().take(wide) {
                let to = &mut to[(column + j) * to_width + row..][..high];
                if let Some(to) = to.first_chunk_mut::<SQUARE>() {
                    lanes.store(to);
                } else {
                    let mut part = [0.0; SQUARE];
                    lanes.store(&mut part);
                    to.copy_from_slice(&part[..high]);
                }
            }
        }
    }
}

// The code below is straight-line minima and maxima for each lane, so that the compiler vectorises the loop over lanes.
// Closures and inner loops would prevent that, hence the macros.

/// Compares and exchanges pairs of positions.
macro_rules! exchange {
    ($x:ident: $($i:literal $j:literal),*) => {
        $(
            let (a, b) = ($x[$i], $x[$j]);
            $x[$i] = a.min(b);
            $x[$j] = a.max(b);
        )*
    };
}

/// Returns the lowest (`min`) or highest (`max`) half of the values of two sorted runs of equal length. The result is
/// not sorted, but in an order that [`merged_2`], [`merged_4`] and [`merged_8`] sort.
macro_rules! folded {
    (2 $f:ident $a:expr, $b:expr) => { folded!($f $a, $b; 0 1, 1 0) };
    (4 $f:ident $a:expr, $b:expr) => { folded!($f $a, $b; 0 3, 1 2, 2 1, 3 0) };
    (8 $f:ident $a:expr, $b:expr) => { folded!($f $a, $b; 0 7, 1 6, 2 5, 3 4, 4 3, 5 2, 6 1, 7 0) };
    ($f:ident $a:expr, $b:expr; $($i:literal $j:literal),*) => {{
        let (a, b) = ($a, $b);
        [$(a[$i].$f(b[$j])),*]
    }};
}

/// Sorts two values.
#[inline(always)]
fn merged_2(x: [u32; 2]) -> [u32; 2] {
    [x[0].min(x[1]), x[0].max(x[1])]
}

/// Sorts four folded values.
#[inline(always)]
fn merged_4(mut x: [u32; 4]) -> [u32; 4] {
    exchange!(x: 0 2, 1 3, 0 1, 2 3);
    x
}

/// Sorts eight folded values.
#[inline(always)]
fn merged_8(mut x: [u32; 8]) -> [u32; 8] {
    exchange!(x: 0 4, 1 5, 2 6, 3 7, 0 2, 1 3, 4 6, 5 7, 0 1, 2 3, 4 5, 6 7);
    x
}

/// Sorts four values.
#[inline(always)]
fn sorted_4(mut x: [u32; 4]) -> [u32; 4] {
    exchange!(x: 0 1, 2 3, 0 2, 1 3, 1 2);
    x
}

/// Sorts eight values (Batcher 1968).
#[inline(always)]
fn sorted_8(mut x: [u32; 8]) -> [u32; 8] {
    exchange!(x: 0 1, 2 3, 4 5, 6 7, 0 2, 1 3, 4 6, 5 7, 1 2, 5 6, 0 4, 1 5, 2 6, 3 7, 2 4, 3 5, 1 2, 3 4, 5 6);
    x
}

/// Returns four neighbouring outputs, from the sorted `middle` 8 of the 24 values that eight outputs share, the four
/// more values that these outputs share, the two more values that each pair shares, and the last value of each output.
#[inline(always)]
fn four(middle: [u32; 8], shared: [u32; 4], pairs: [[u32; 2]; 2], last: [u32; 4]) -> [u32; 4] {
    let [a, b, c, d, e, f, g, h] = middle;
    let above = merged_4(folded!(4 max [a, b, c, d], sorted_4(shared)));
    let m = merged_4(folded!(4 min above, [e, f, g, h]));
    macro_rules! pair {
        ($pair:expr, $one:expr, $other:expr) => {{
            let above = merged_2(folded!(2 max [m[0], m[1]], merged_2($pair)));
            let n = merged_2(folded!(2 min above, [m[2], m[3]]));
            [n[0].max(n[1].min($one)), n[0].max(n[1].min($other))]
        }};
    }
    let ([p, q], [r, s]) = (pair!(pairs[0], last[0], last[1]), pair!(pairs[1], last[2], last[3]));
    [p, q, r, s]
}

/// Returns eight neighbouring outputs, from the lower and upper half of two sorted runs, a third sorted run, and the
/// seven values before and after these 24.
#[inline(always)]
fn eight(low: [u32; 8], high: [u32; 8], third: [u32; 8], before: [u32; 7], behind: [u32; 7]) -> [u32; 8] {
    let middle = merged_8(folded!(8 min merged_8(folded!(8 max low, third)), high));
    let ([s, t, u, v, w, x, y], [k, l, m, n, o, p, q]) = (before, behind);
    let [a, b, c, d] = four(middle, [v, w, x, y], [[t, u], [k, l]], [s, k, u, m]);
    let [e, f, g, h] = four(middle, [k, l, m, n], [[x, y], [o, p]], [w, o, y, q]);
    [a, b, c, d, e, f, g, h]
}

/// Computes sixteen neighbouring outputs for every lane.
#[inline(always)]
fn sixteen(taken: &[&Row; TAKEN], medians: &mut [Row; STEP]) {
    for lane in 0..LANES {
        macro_rules! taken {
            ($from:literal: $($k:literal)*) => { [$(taken[$from + $k][lane]),*] };
        }
        macro_rules! run {
            ($from:literal) => { sorted_8(taken!($from: 0 1 2 3 4 5 6 7)) };
        }
        // Output 0 is centred on value 15, output 8 on value 23.
        let (one, other) = (run!(15), run!(23));
        let (low, high) = (merged_8(folded!(8 min one, other)), merged_8(folded!(8 max one, other)));
        let first = eight(low, high, run!(7), taken!(0: 0 1 2 3 4 5 6), taken!(31: 0 1 2 3 4 5 6));
        let second = eight(low, high, run!(31), taken!(8: 0 1 2 3 4 5 6), taken!(39: 0 1 2 3 4 5 6));
        macro_rules! put {
            ($($k:literal)*) => {
                $(
                    medians[$k][lane] = first[$k];
                    medians[$k + 8][lane] = second[$k];
                )*
            };
        }
        put!(0 1 2 3 4 5 6 7);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of many kinds: a wide range, ties, zeros, denormals, an infinity and NaN.
    fn plane(rows: usize, columns: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        (0..rows * columns)
            .map(|_| match next() % 40 {
                0..10 => 0.0,
                10..20 => (next() % 4) as f32,
                20 => f32::from_bits(next() % 0x0080_0000),
                21 => f32::INFINITY,
                22 => f32::NAN,
                _ => f32::from_bits(next() % 0x7f80_0000),
            })
            .collect()
    }

    /// Returns the median by sorting; `at(k)` is the value `k` positions from the middle.
    fn sorted(at: impl Fn(i64) -> f32) -> u32 {
        let mut around: Vec<u32> = (-15..=15).map(|k| at(k).to_bits()).collect();
        around.sort_unstable();
        around[15]
    }

    #[test]
    fn medians_are_those_of_sorting_bit_for_bit() {
        for (rows, columns) in [(1, 1), (1, 40), (40, 1), (2, 3), (7, 65), (31, 33), (70, 129), (130, 64), (16, 300)] {
            let plane = plane(rows, columns, (rows * columns) as u64);
            let mut median = Median::new(columns);
            for wanted in [0..rows, rows / 2..rows, rows / 3..rows / 2 + 1] {
                let mut to = vec![-1.0; wanted.len() * columns];
                median.along_columns(&plane, wanted.clone(), &mut to);
                for (index, got) in to.iter().enumerate() {
                    let (row, column) = (wanted.start + index / columns, index % columns);
                    let expected = sorted(|k| plane[reflected(row as i64 + k, rows) * columns + column]);
                    assert_eq!(got.to_bits(), expected, "along columns at {row}, {column} of {rows} x {columns}");
                }
                median.along_rows(&plane, wanted.clone(), &mut to);
                for (index, got) in to.iter().enumerate() {
                    let (row, column) = (wanted.start + index / columns, index % columns);
                    let expected = sorted(|k| plane[row * columns + reflected(column as i64 + k, columns)]);
                    assert_eq!(got.to_bits(), expected, "along rows at {row}, {column} of {rows} x {columns}");
                }
            }
        }
    }

    #[test]
    fn places_beyond_the_ends_are_reflected_with_the_last_repeated() {
        let places = |count| (-5..9).map(|place| reflected(place, count)).collect::<Vec<_>>();
        assert_eq!(places(4), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
        assert_eq!(places(2), [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
        assert_eq!(places(1), [0; 14]);
    }

    #[test]
    fn nothing_gives_nothing() {
        Median::new(0).along_columns(&[], 0..0, &mut []);
        Median::new(0).along_rows(&[], 0..0, &mut []);
        Median::new(5).along_columns(&[], 0..0, &mut []);
        Median::new(5).along_rows(&[], 0..0, &mut []);
    }
}
