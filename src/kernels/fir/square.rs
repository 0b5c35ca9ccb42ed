//! Circular convolution of 4096 complex values with a response, as 64 times 64 in vectors.
//!
//! A transform of `n = 64 r + c` to `k = k1 + 64 k2` is 64 transforms over `r` (side by side in lanes of `c`), a turn of each
//! value by `c k1`, and 64 transforms over `c` (in lanes of `k1`); each of 64 is eight times eight (J. W. Cooley, J. W. Tukey,
//! "An algorithm for the machine calculation of complex Fourier series", 1965). As a product with a spectrum does not care
//! for the order of its values, none is put in order: forth, butterflies come before their turns and leave the digits of `k1`
//! and `k2` exchanged; back, it is the other way round. The second half forth, the product and the first half back are done
//! for eight `k1` at a time, 4 KiB.
//!
//! About 53,000 operations on vectors of eight; all in between stands in 32 KiB.

use std::f64::consts::PI;

use realfft::num_complex::Complex64;
use rustfft::FftPlanner;

use crate::simd::{LANES, Lanes, Simd, Singles, Task};

/// Complex values of the transform.
pub(super) const POINTS: usize = SIDE * SIDE;
const SIDE: usize = 64;
const BLOCKS: usize = SIDE / LANES;

/// Eight complex values on a cache line of their own.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Eight {
    re: [f32; LANES],
    im: [f32; LANES],
}

/// The turns of the transform.
pub(super) struct Square {
    /// By `c k1`: for each eight `k1`, for each `c`.
    turns: Vec<[Eight; SIDE]>,
    /// Within 64, by `b k_a`: `[b][k_a]`.
    small: [[[f32; 2]; LANES]; LANES],
}

/// The spectrum of a response, in the order in which the transform leaves it: for each eight `k1`, for each `k2`.
pub(super) struct Spectrum(Vec<[Eight; SIDE]>);

/// What a thread works in.
pub(super) struct Work {
    /// 64 rows of 64.
    rows: Vec<[Eight; BLOCKS]>,
    column: [Eight; SIDE],
    other: [Eight; SIDE],
}

impl Work {
    pub fn new() -> Self {
        Self {
            rows: vec![[Eight::default(); BLOCKS]; SIDE],
            column: [Eight::default(); SIDE],
            other: [Eight::default(); SIDE],
        }
    }
}

/// `k1` or `k2` of what stands at a place among 64.
const fn index_of(place: usize) -> usize {
    place / LANES + LANES * (place % LANES)
}

fn turn(by: usize, of: usize) -> [f32; 2] {
    let angle = -2.0 * PI * (by % of) as f64 / of as f64;
    [angle.cos() as f32, angle.sin() as f32]
}

/// Eight values, each by its lane.
fn eight(value: impl Fn(usize) -> [f32; 2]) -> Eight {
    let mut made = Eight::default();
    for (lane, (re, im)) in made.re.iter_mut().zip(&mut made.im).enumerate() {
        [*re, *im] = value(lane);
    }
    made
}

impl Square {
    pub fn new() -> Self {
        let of_block =
            |block: usize| std::array::from_fn(|c| eight(|lane| turn(c * index_of(block * LANES + lane), POINTS)));
        Self {
            turns: (0..BLOCKS).map(of_block).collect(),
            small: std::array::from_fn(|b| std::array::from_fn(|k| turn(b * k, SIDE))),
        }
    }

    /// The spectrum of no more taps than there are points. What the transforms there and back leave as a factor is taken out.
    pub fn spectrum(taps: &[f64]) -> Spectrum {
        let mut values: Vec<Complex64> = taps.iter().map(|tap| Complex64::new(tap / POINTS as f64, 0.0)).collect();
        values.resize(POINTS, Complex64::ZERO);
        FftPlanner::new().plan_fft_forward(POINTS).process(&mut values);
        let of_block = |block: usize| {
            std::array::from_fn(|place| {
                eight(|lane| {
                    let bin = values[index_of(block * LANES + lane) + SIDE * index_of(place)];
                    [bin.re as f32, bin.im as f32]
                })
            })
        };
        Spectrum((0..BLOCKS).map(of_block).collect())
    }

    /// Convolves two stretches, as real and imaginary part, and gives (or adds) what comes after the first `skipped` values,
    /// which the wrapping round has spoilt.
    pub fn convolve(&self, work: &mut Work, spectrum: &Spectrum, pair: [&[f32]; 2], skipped: usize, to: Output<'_>) {
        Simd::best().dispatch(Convolve { square: self, work, spectrum, pair, skipped, to });
    }
}

/// Where a convolution goes.
pub(super) struct Output<'a> {
    pub first: &'a mut [f32],
    pub second: &'a mut [f32],
    /// To what is there already.
    pub adds: bool,
}

struct Convolve<'a> {
    square: &'a Square,
    work: &'a mut Work,
    spectrum: &'a Spectrum,
    pair: [&'a [f32]; 2],
    skipped: usize,
    to: Output<'a>,
}

/// Real and imaginary parts in lanes.
type Parts<S> = [S; 2];

impl Task for Convolve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for block in 0..BLOCKS {
            self.columns_forth::<L::Singles>(block);
        }
        for block in 0..BLOCKS {
            self.rows_there_and_back::<L::Singles>(block);
        }
        for block in 0..BLOCKS {
            self.columns_back::<L::Singles>(block);
        }
    }
}

impl Convolve<'_> {
    /// Transforms eight columns of the input over its rows.
    #[inline(always)]
    fn columns_forth<S: Singles>(&mut self, block: usize) {
        let [first, second] = self.pair;
        for b in 0..LANES {
            let mut values = [[S::splat(0.0); 2]; LANES];
            for (a, value) in values.iter_mut().enumerate() {
                let at = SIDE * (LANES * a + b) + LANES * block;
                *value = [load(&first[at..]), load(&second[at..])];
            }
            let values = self.turned_by_small(butterfly(values), b);
            for (k, value) in values.into_iter().enumerate() {
                put(&mut self.work.column[LANES * k + b], value);
            }
        }
        for k in 0..LANES {
            let values = butterfly(take::<S>(&self.work.column, |b| LANES * k + b));
            for (place, value) in values.into_iter().enumerate() {
                put(&mut self.work.rows[LANES * k + place][block], value);
            }
        }
    }

    /// Transforms eight rows, takes them times the spectrum, and transforms them back.
    #[inline(always)]
    fn rows_there_and_back<S: Singles>(&mut self, block: usize) {
        let (square, spectrum) = (self.square, self.spectrum);
        let (turns, spectrum) = (&square.turns[block], &spectrum.0[block]);
        for part in 0..BLOCKS {
            let rows: [Parts<S>; LANES] = take_rows(&self.work.rows, block, part);
            for (lane, value) in exchanged(rows).into_iter().enumerate() {
                let c = LANES * part + lane;
                put(&mut self.work.column[c], product(value, get(&turns[c])));
            }
        }
        for b in 0..LANES {
            let values = butterfly(take::<S>(&self.work.column, |a| LANES * a + b));
            for (k, value) in self.turned_by_small(values, b).into_iter().enumerate() {
                put(&mut self.work.other[LANES * k + b], value);
            }
        }
        for k in 0..LANES {
            let mut values = butterfly(take::<S>(&self.work.other, |b| LANES * k + b));
            for (place, value) in values.iter_mut().enumerate() {
                *value = product(*value, get(&spectrum[LANES * k + place]));
            }
            self.back_in_part(values, k);
        }
        for b in 0..LANES {
            let values = butterfly(take::<S>(&self.work.other, |k| LANES * k + b));
            for (a, value) in values.into_iter().enumerate() {
                let c = LANES * a + b;
                put(&mut self.work.column[c], swapped(product(value, get(&turns[c]))));
            }
        }
        for part in 0..BLOCKS {
            let columns: [Parts<S>; LANES] = take(&self.work.column, |lane| LANES * part + lane);
            for (lane, value) in exchanged(columns).into_iter().enumerate() {
                put(&mut self.work.rows[LANES * block + lane][part], value);
            }
        }
    }

    /// Transforms eight columns back over the rows, and gives them out.
    #[inline(always)]
    fn columns_back<S: Singles>(&mut self, block: usize) {
        for k in 0..LANES {
            let mut values = [[S::splat(0.0); 2]; LANES];
            for (place, value) in values.iter_mut().enumerate() {
                *value = get(&self.work.rows[LANES * k + place][block]);
            }
            self.back_in_part(values, k);
        }
        for b in 0..LANES {
            let values = butterfly(take::<S>(&self.work.other, |k| LANES * k + b));
            for (a, value) in values.into_iter().enumerate() {
                self.give(SIDE * (LANES * a + b) + LANES * block, swapped(value));
            }
        }
    }

    /// The first half of the way back of 64: eight over `k_b`, turned by `b k_a`. Real and imaginary parts are exchanged
    /// here, which makes of the way forth the way back, and are left so.
    #[inline(always)]
    fn back_in_part<S: Singles>(&mut self, mut values: [Parts<S>; LANES], k: usize) {
        for value in &mut values {
            *value = swapped(*value);
        }
        // The turns are by `b k_a`, alike in both.
        let values = self.turned_by_small(butterfly(values), k);
        for (b, value) in values.into_iter().enumerate() {
            put(&mut self.work.other[LANES * k + b], value);
        }
    }

    #[inline(always)]
    fn turned_by_small<S: Singles>(&self, mut values: [Parts<S>; LANES], b: usize) -> [Parts<S>; LANES] {
        for (value, [re, im]) in values.iter_mut().zip(&self.square.small[b]).skip(1) {
            *value = product(*value, [S::splat(*re), S::splat(*im)]);
        }
        values
    }

    /// Gives out eight values, as far as they were not spoilt.
    #[inline(always)]
    fn give<S: Singles>(&mut self, at: usize, [re, im]: Parts<S>) {
        let from = self.skipped.saturating_sub(at).min(LANES);
        if from == LANES {
            return;
        }
        let adds = self.to.adds;
        for (to, values) in [(&mut *self.to.first, re), (&mut *self.to.second, im)] {
            let mut made = [0.0; LANES];
            values.store(&mut made);
            let begin = at + from - self.skipped;
            let to = &mut to[begin..begin + LANES - from];
            if adds {
                to.iter_mut().zip(&made[from..]).for_each(|(to, made)| *to += made);
            } else {
                to.copy_from_slice(&made[from..]);
            }
        }
    }
}

#[inline(always)]
fn load<S: Singles>(from: &[f32]) -> S {
    from.first_chunk().map_or(S::splat(0.0), |eight| S::load(eight))
}

#[inline(always)]
fn get<S: Singles>(from: &Eight) -> Parts<S> {
    [S::load(&from.re), S::load(&from.im)]
}

#[inline(always)]
fn put<S: Singles>(to: &mut Eight, [re, im]: Parts<S>) {
    re.store(&mut to.re);
    im.store(&mut to.im);
}

#[inline(always)]
fn take<S: Singles>(from: &[Eight; SIDE], place: impl Fn(usize) -> usize) -> [Parts<S>; LANES] {
    let mut values = [[S::splat(0.0); 2]; LANES];
    for (n, value) in values.iter_mut().enumerate() {
        *value = get(&from[place(n)]);
    }
    values
}

#[inline(always)]
fn take_rows<S: Singles>(rows: &[[Eight; BLOCKS]], block: usize, part: usize) -> [Parts<S>; LANES] {
    let mut values = [[S::splat(0.0); 2]; LANES];
    for (n, value) in values.iter_mut().enumerate() {
        *value = get(&rows[LANES * block + n][part]);
    }
    values
}

/// Rows to columns.
#[inline(always)]
fn exchanged<S: Singles>(rows: [Parts<S>; LANES]) -> [Parts<S>; LANES] {
    let (mut re, mut im) = ([S::splat(0.0); LANES], [S::splat(0.0); LANES]);
    for ((re, im), row) in re.iter_mut().zip(&mut im).zip(rows) {
        [*re, *im] = row;
    }
    let (re, im) = (S::turned(re), S::turned(im));
    let mut columns = rows;
    for (column, (re, im)) in columns.iter_mut().zip(re.into_iter().zip(im)) {
        *column = [re, im];
    }
    columns
}

#[inline(always)]
fn swapped<S: Singles>([re, im]: Parts<S>) -> Parts<S> {
    [im, re]
}

#[inline(always)]
fn product<S: Singles>([a, b]: Parts<S>, [c, d]: Parts<S>) -> Parts<S> {
    [a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))]
}

#[inline(always)]
fn plus<S: Singles>(a: Parts<S>, b: Parts<S>) -> Parts<S> {
    [a[0].add(b[0]), a[1].add(b[1])]
}

#[inline(always)]
fn minus<S: Singles>(a: Parts<S>, b: Parts<S>) -> Parts<S> {
    [a[0].sub(b[0]), a[1].sub(b[1])]
}

/// `a - i b` and `a + i b`.
#[inline(always)]
fn quarters<S: Singles>(a: Parts<S>, b: Parts<S>) -> [Parts<S>; 2] {
    [[a[0].add(b[1]), a[1].sub(b[0])], [a[0].sub(b[1]), a[1].add(b[0])]]
}

/// A transform of eight, in order.
#[inline(always)]
fn butterfly<S: Singles>(x: [Parts<S>; LANES]) -> [Parts<S>; LANES] {
    let half = S::splat(std::f32::consts::FRAC_1_SQRT_2);
    let (s0, d0) = (plus(x[0], x[4]), minus(x[0], x[4]));
    let (s1, d1) = (plus(x[1], x[5]), minus(x[1], x[5]));
    let (s2, d2) = (plus(x[2], x[6]), minus(x[2], x[6]));
    let (s3, d3) = (plus(x[3], x[7]), minus(x[3], x[7]));
    let (e0, e1, e2, e3) = (plus(s0, s2), plus(s1, s3), minus(s0, s2), minus(s1, s3));
    let [y2, y6] = quarters(e2, e3);
    // By an eighth of a turn: (1 - i) / sqrt 2; by three: (-1 - i) / sqrt 2.
    let one = [d1[0].add(d1[1]).mul(half), d1[1].sub(d1[0]).mul(half)];
    let three = [d3[1].sub(d3[0]).mul(half), S::splat(0.0).sub(d3[0].add(d3[1]).mul(half))];
    let [o0, o2] = quarters(d0, d2);
    let (o1, o3) = (plus(one, three), minus(one, three));
    let [y3, y7] = quarters(o2, o3);
    [plus(e0, e1), plus(o0, o1), y2, y3, minus(e0, e1), minus(o0, o1), y6, y7]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u32, count: usize) -> Vec<f32> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..count).map(next).collect()
    }

    fn circular(taps: &[f64], values: &[f32], n: usize) -> f64 {
        taps.iter().enumerate().map(|(k, tap)| tap * f64::from(values[(n + POINTS - k) % POINTS])).sum()
    }

    #[test]
    fn it_is_the_sum_that_it_stands_for_and_adds_where_it_is_asked_to() {
        let taps: Vec<f64> = noise(3, 700).into_iter().map(f64::from).collect();
        let (first, second) = (noise(1, POINTS), noise(2, POINTS));
        let (square, spectrum, mut work) = (Square::new(), Square::spectrum(&taps), Work::new());
        for (skipped, adds) in [(0, false), (699, false), (699, true), (4095, true), (1023, false)] {
            let count = POINTS - skipped;
            let mut made = [vec![0.5; count], vec![-0.25; count]];
            let [one, two] = &mut made;
            let to = Output { first: one, second: two, adds };
            square.convolve(&mut work, &spectrum, [&first, &second], skipped, to);
            for (part, (made, values)) in made.iter().zip([&first, &second]).enumerate() {
                let before = if adds { [0.5, -0.25][part] } else { 0.0 };
                for (n, made) in made.iter().enumerate().step_by(13) {
                    let wanted = circular(&taps, values, n + skipped) + before;
                    assert!((f64::from(*made) - wanted).abs() < 2e-5, "{part} {n}: {made} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn stretches_do_not_mix() {
        let (square, spectrum, mut work) = (Square::new(), Square::spectrum(&[0.5, 0.25]), Work::new());
        let silent = vec![0.0; POINTS];
        let (mut first, mut second) = (vec![1.0; POINTS], vec![1.0; POINTS]);
        let to = Output { first: &mut first, second: &mut second, adds: false };
        square.convolve(&mut work, &spectrum, [&noise(1, POINTS), &silent], 0, to);
        assert!(second.iter().all(|sample| sample.abs() < 1e-6) && first.iter().any(|sample| sample.abs() > 0.1));
    }
}
