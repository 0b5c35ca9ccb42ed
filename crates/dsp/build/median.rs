//! Writes the network that computes eight neighbouring medians of 31 values, as straight-line WGSL. Every value has a
//! name, because a GPU keeps named values in registers, but indexed local arrays in memory.
//!
//! The network is the one that `src/kernels/signal/median/mod.rs` describes, for eight outputs.

use std::fmt::Write;

/// The number of outputs of the function.
const OUTPUTS: usize = 8;
/// The number of inputs: the values of eight windows of 31, each shifted by one.
const TAKEN: usize = OUTPUTS + 30;

/// The pairs of positions to compare, in order, to sort eight values (Batcher 1968).
const SORT_8: [[usize; 2]; 19] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [1, 2],
    [5, 6],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [2, 4],
    [3, 5],
    [1, 2],
    [3, 4],
    [5, 6],
];
/// The same for four values.
const SORT_4: [[usize; 2]; 5] = [[0, 1], [2, 3], [0, 2], [1, 3], [1, 2]];
/// The same for eight values that [`Lines::folded`] returned.
const MERGE_8: [[usize; 2]; 12] =
    [[0, 4], [1, 5], [2, 6], [3, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 1], [2, 3], [4, 5], [6, 7]];
const MERGE_4: [[usize; 2]; 4] = [[0, 2], [1, 3], [0, 1], [2, 3]];
const MERGE_2: [[usize; 2]; 1] = [[0, 1]];

/// Returns the WGSL function `medians_of_31(x0, .., x37) -> array<u32, 8>`. Output `n` is the median of the 31 values
/// from `xn` on, compared as `u32`.
pub fn medians_of_31() -> String {
    let mut lines = Lines::default();
    let x: [Value; TAKEN] = std::array::from_fn(Value::Taken);
    let run = |lines: &mut Lines, from: usize| {
        let eight: [Value; 8] = x[from..from + 8].try_into().expect("eight values");
        lines.exchanged(eight, &SORT_8)
    };
    // All eight outputs share values 7 to 30, which are three runs of eight.
    let [one, two, three] = [7, 15, 23].map(|from| run(&mut lines, from));
    let low = lines.folded("min", two, three);
    let low = lines.exchanged(low, &MERGE_8);
    let high = lines.folded("max", two, three);
    let high = lines.exchanged(high, &MERGE_8);
    let above = lines.folded("max", low, one);
    let above = lines.exchanged(above, &MERGE_8);
    let middle = lines.folded("min", above, high);
    let middle = lines.exchanged(middle, &MERGE_8);
    let ([s, t, u, v, w, a, b], [k, l, m, n, o, p, q]): ([Value; 7], [Value; 7]) =
        (x[..7].try_into().expect("seven values"), x[31..].try_into().expect("seven values"));
    let first = four(&mut lines, middle, [v, w, a, b], [[t, u], [k, l]], [s, k, u, m]);
    let second = four(&mut lines, middle, [k, l, m, n], [[a, b], [o, p]], [w, o, b, q]);
    let parameters: Vec<String> = x.iter().map(|x| format!("{x}: u32")).collect();
    let results: Vec<String> = first.iter().chain(&second).map(ToString::to_string).collect();
    format!(
        "fn medians_of_31({}) -> array<u32, {OUTPUTS}> {{\n{}    return array<u32, {OUTPUTS}>({});\n}}\n",
        parameters.join(", "),
        lines.text,
        results.join(", ")
    )
}

/// Returns four neighbouring outputs, from the sorted `middle` 8 of the 24 values that eight outputs share, the four
/// more values that these outputs share, the two more values that each pair shares, and the last value of each output.
fn four(
    lines: &mut Lines,
    [a, b, c, d, e, f, g, h]: [Value; 8],
    shared: [Value; 4],
    pairs: [[Value; 2]; 2],
    last: [Value; 4],
) -> [Value; 4] {
    let shared = lines.exchanged(shared, &SORT_4);
    let above = lines.folded("max", [a, b, c, d], shared);
    let above = lines.exchanged(above, &MERGE_4);
    let middle = lines.folded("min", above, [e, f, g, h]);
    let [i, j, k, l] = lines.exchanged(middle, &MERGE_4);
    let mut medians = last;
    for (index, pair) in pairs.into_iter().enumerate() {
        let pair = lines.exchanged(pair, &MERGE_2);
        let above = lines.folded("max", [i, j], pair);
        let above = lines.exchanged(above, &MERGE_2);
        let two = lines.folded("min", above, [k, l]);
        let [low, high] = lines.exchanged(two, &MERGE_2);
        for median in &mut medians[2 * index..2 * index + 2] {
            let below = lines.of("min", high, *median);
            *median = lines.of("max", low, below);
        }
    }
    medians
}

/// The name of a value.
#[derive(Clone, Copy)]
enum Value {
    Taken(usize),
    Made(usize),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Taken(index) => write!(f, "x{index}"),
            Self::Made(index) => write!(f, "v{index}"),
        }
    }
}

#[derive(Default)]
struct Lines {
    text: String,
    made: usize,
}

impl Lines {
    /// Returns the smaller (`min`) or larger (`max`) of two values.
    fn of(&mut self, which: &str, a: Value, b: Value) -> Value {
        let made = Value::Made(self.made);
        self.made += 1;
        writeln!(self.text, "    let {made} = {which}({a}, {b});").expect("writing to a string");
        made
    }

    /// Compares and exchanges pairs of positions.
    fn exchanged<const N: usize>(&mut self, mut values: [Value; N], pairs: &[[usize; 2]]) -> [Value; N] {
        for &[i, j] in pairs {
            let (a, b) = (values[i], values[j]);
            values[i] = self.of("min", a, b);
            values[j] = self.of("max", a, b);
        }
        values
    }

    /// Returns the lowest (`min`) or highest (`max`) half of the values of two sorted runs of equal length.
    fn folded<const N: usize>(&mut self, which: &str, a: [Value; N], b: [Value; N]) -> [Value; N] {
        std::array::from_fn(|i| self.of(which, a[i], b[N - 1 - i]))
    }
}
