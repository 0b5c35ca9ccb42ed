//! The three passes of the segmented CPU twin over one channel, for any instruction set.
//!
//! A recursion cannot be split directly, but its states can be computed in advance. [`Reduce`] computes what each
//! segment's input alone contributes to the states at its end (a product with a table, without recursion). [`Scan`]
//! chains these from segment to segment. [`Run`] filters eight segments at once, one per lane, each from its true
//! state. `Reduce` and `Run` may be split among threads at any tile boundary. `Scan` is short and serial, so the bits
//! do not depend on the split.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]
#![allow(
    clippy::needless_range_loop,
    reason = "lanes and sections are counted; iterators over arrays of vectors spill"
)]

use super::Coefficients;
use super::state::SILENCE;
use super::tables::{Row, SEGMENT, Tables};
use base::simd::{LANES, Lanes, Sample, Task};

/// Frames that run at once: one segment per lane.
pub(super) const TILE: usize = LANES * SEGMENT;

/// Vectors of frames per segment.
const VECTORS: usize = SEGMENT / LANES;

/// Sections that run together, so that the signal between them stays in registers.
const GROUP: usize = 4;

/// Writes to `ends`, with [`Tables::vectors`] vectors per segment, the states at each segment's end if it starts at
/// rest.
pub(super) struct Reduce<'a, S> {
    pub tables: &'a Tables,
    /// Whole segments.
    pub samples: &'a [S],
    pub ends: &'a mut [[f64; LANES]],
}

impl<S: Sample> Task for Reduce<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (states, vectors) = (self.tables.states, self.tables.vectors());
        for (segment, ends) in self.samples.as_chunks::<SEGMENT>().0.iter().zip(self.ends.chunks_exact_mut(vectors)) {
            for (i, end) in ends.iter_mut().enumerate() {
                let table = &self.tables.input[i * LANES * VECTORS..];
                match (states - i * LANES).min(LANES) {
                    2 => reduce_states::<L, S, 2>(table, segment),
                    4 => reduce_states::<L, S, 4>(table, segment),
                    6 => reduce_states::<L, S, 6>(table, segment),
                    _ => reduce_states::<L, S, 8>(table, segment),
                }
                .store(end);
            }
        }
    }
}

/// Returns the contribution of a segment to `N` states; the other lanes are 0.
#[inline(always)]
fn reduce_states<L: Lanes, S: Sample, const N: usize>(table: &[Row], segment: &[S; SEGMENT]) -> L {
    let table: &[[Row; VECTORS]] = table.as_chunks().0;
    let table = &table[..N];
    let mut sums = [L::splat(0.0); LANES];
    for (n, samples) in segment.as_chunks::<LANES>().0.iter().enumerate() {
        let x = S::load::<L>(samples);
        for i in 0..N {
            sums[i] = x.mul_add(L::load(&table[i][n].0), sums[i]);
        }
    }
    L::sums(sums)
}

/// Replaces `ends`, as written by [`Reduce`], by the states at each segment's beginning. `now` advances from the
/// beginning of the first segment to the end of the last one.
pub(super) struct Scan<'a> {
    pub tables: &'a Tables,
    pub ends: &'a mut [[f64; LANES]],
    pub now: &'a mut [[f64; LANES]],
}

impl Task for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let vectors = self.tables.vectors();
        for ends in self.ends.chunks_exact_mut(vectors) {
            // From the last vector to the first, because a state depends only on its section and earlier ones.
            for i in (0..vectors).rev() {
                // Four partial sums shorten the dependency chain of additions.
                let mut sums = [L::load(&ends[i]), L::splat(0.0), L::splat(0.0), L::splat(0.0)];
                for from in 0..=i {
                    let columns = &self.tables.transition[from * vectors + i];
                    for (k, column) in columns.iter().enumerate() {
                        let value = L::splat(self.now[from][k]);
                        sums[k % 4] = L::load(column).mul_add(value, sums[k % 4]);
                    }
                }
                let [a, b, c, d] = sums;
                ends[i] = self.now[i];
                a.add(b).add(c.add(d)).flush(SILENCE).store(&mut self.now[i]);
            }
        }
    }
}

/// Filters whole segments in place, each from the states in `starts`.
pub(super) struct Run<'a, S> {
    pub sections: &'a [Coefficients],
    /// Whole segments.
    pub samples: &'a mut [S],
    /// The states at the beginning of each segment, as written by [`Scan`].
    pub starts: &'a [[f64; LANES]],
}

/// The signal between two groups of sections: one vector per frame, one segment per lane.
#[repr(align(64))]
struct Between([[f64; LANES]; SEGMENT]);

impl<S: Sample> Task for Run<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let starts_in_tile = LANES * self.sections.len().div_ceil(GROUP);
        let mut between = Between([[0.0; LANES]; SEGMENT]);
        let mut padded = None;
        // One call for whole and padded tiles, since all of `run_tile` is compiled into it.
        for (samples, starts) in self.samples.chunks_mut(TILE).zip(self.starts.chunks(starts_in_tile)) {
            let tile = match samples.first_chunk_mut() {
                Some(tile) => tile,
                None => padded.insert(pad(samples)),
            };
            run_tile::<L, S>(self.sections, tile, starts, &mut between);
            if let Some(tile) = &padded {
                samples.copy_from_slice(&tile[..samples.len()]);
            }
        }
    }
}

/// Returns a tile that begins with these samples.
#[inline(always)]
fn pad<S: Sample>(samples: &[S]) -> [S; TILE] {
    let mut tile = [S::zeroed(); TILE];
    tile[..samples.len()].copy_from_slice(samples);
    tile
}

/// Filters one tile. `starts` may hold fewer than eight segments; missing ones start at rest.
#[inline(always)]
fn run_tile<L: Lanes, S: Sample>(
    sections: &[Coefficients],
    tile: &mut [S; TILE],
    starts: &[[f64; LANES]],
    between: &mut Between,
) {
    let groups = sections.len().div_ceil(GROUP);
    for (i, group) in sections.chunks(GROUP).enumerate() {
        // A group of four sections has eight states: one vector per segment.
        let mut states = [[0.0; LANES]; LANES];
        for (lane, segment) in starts.chunks_exact(groups).enumerate() {
            for (state, &value) in states.iter_mut().zip(&segment[i]) {
                state[lane] = value;
            }
        }
        let place = (i == 0, i + 1 == groups);
        match OutputForm::of_all(group) {
            OutputForm::LowPass => run_shaped::<L, S, LOW_PASS>(group, &states, tile, between, place),
            OutputForm::HighPass => run_shaped::<L, S, HIGH_PASS>(group, &states, tile, between, place),
            OutputForm::Any => run_shaped::<L, S, ANY>(group, &states, tile, between, place),
        }
    }
}

#[inline(always)]
fn run_shaped<L: Lanes, S: Sample, const SHAPE: u8>(
    group: &[Coefficients],
    states: &[[f64; LANES]; LANES],
    tile: &mut [S; TILE],
    between: &mut Between,
    place: (bool, bool),
) {
    match group.len() {
        1 => run_group::<L, S, 1, SHAPE>(group, states, tile, between, place),
        2 => run_group::<L, S, 2, SHAPE>(group, states, tile, between, place),
        3 => run_group::<L, S, 3, SHAPE>(group, states, tile, between, place),
        _ => run_group::<L, S, 4, SHAPE>(group, states, tile, between, place),
    }
}

/// The form of a section's output. Most cascades consist only of low-passes or only of high-passes, which saves a
/// multiplication and a fused multiply-add per frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputForm {
    /// The low-pass output only.
    LowPass,
    /// The high-pass: the input minus the band-pass and low-pass parts.
    HighPass,
    /// Any mix of all three outputs.
    Any,
}

const LOW_PASS: u8 = OutputForm::LowPass as u8;
const HIGH_PASS: u8 = OutputForm::HighPass as u8;
const ANY: u8 = OutputForm::Any as u8;

impl OutputForm {
    fn of(section: &Coefficients) -> Self {
        match (section.m0, section.dc()) {
            (0.0, 1.0) => Self::LowPass,
            (1.0, 0.0) => Self::HighPass,
            _ => Self::Any,
        }
    }

    /// Returns the common shape of all sections, or `Any` if they differ.
    fn of_all(sections: &[Coefficients]) -> Self {
        let first = Self::of(&sections[0]);
        if sections[1..].iter().all(|section| Self::of(section) == first) { first } else { Self::Any }
    }
}

#[inline(always)]
fn run_group<L: Lanes, S: Sample, const K: usize, const SHAPE: u8>(
    sections: &[Coefficients],
    states: &[[f64; LANES]; LANES],
    tile: &mut [S; TILE],
    between: &mut Between,
    (first, last): (bool, bool),
) {
    let mut cascade = [Section::<L>::new(&sections[0]); K];
    let mut now = [[L::splat(0.0); 2]; K];
    for i in 0..K {
        cascade[i] = Section::new(&sections[i]);
        now[i] = [L::load(&states[2 * i]), L::load(&states[2 * i + 1])];
    }
    for at in (0..SEGMENT).step_by(LANES) {
        let mut block = if first {
            S::load_columns(rows(tile, at))
        } else {
            let mut block = [L::splat(0.0); LANES];
            for n in 0..LANES {
                block[n] = L::load(&between.0[at + n]);
            }
            block
        };
        for n in 0..LANES {
            for i in 0..K {
                block[n] = cascade[i].step::<SHAPE>(&mut now[i], block[n]);
            }
        }
        if last {
            S::store_columns(block, rows_mut(tile, at));
        } else {
            for n in 0..LANES {
                block[n].store(&mut between.0[at + n]);
            }
        }
    }
}

/// Returns eight frames of each segment, starting at `at`.
#[inline(always)]
fn rows<S: Sample>(tile: &[S; TILE], at: usize) -> [&[S; LANES]; LANES] {
    let segments: &[[[S; LANES]; VECTORS]; LANES] = bytemuck::cast_ref(tile);
    let n = at / LANES;
    let [a, b, c, d, e, f, g, h] = segments;
    [&a[n], &b[n], &c[n], &d[n], &e[n], &f[n], &g[n], &h[n]]
}

#[inline(always)]
fn rows_mut<S: Sample>(tile: &mut [S; TILE], at: usize) -> [&mut [S; LANES]; LANES] {
    let segments: &mut [[[S; LANES]; VECTORS]; LANES] = bytemuck::cast_mut(tile);
    let n = at / LANES;
    let [a, b, c, d, e, f, g, h] = segments;
    [&mut a[n], &mut b[n], &mut c[n], &mut d[n], &mut e[n], &mut f[n], &mut g[n], &mut h[n]]
}

/// A section's coefficients, broadcast to every lane.
#[derive(Clone, Copy)]
struct Section<L> {
    h: L,
    q: L,
    g2: L,
    m0: L,
    c1: L,
    dc: L,
}

impl<L: Lanes> Section<L> {
    #[inline(always)]
    fn new(from: &Coefficients) -> Self {
        Self {
            h: L::splat(from.h),
            q: L::splat(from.q),
            g2: L::splat(from.g2),
            m0: L::splat(from.m0),
            c1: L::splat(from.c1),
            dc: L::splat(from.dc()),
        }
    }

    /// The recurrence of the module documentation. [`step_one`] is the scalar form, for any shape.
    #[inline(always)]
    fn step<const SHAPE: u8>(&self, [s1, s2]: &mut [L; 2], x: L) -> L {
        let u = x.sub(*s2);
        let w = self.h.neg_mul_add(*s1, u);
        let v = self.q.mul_add(w, *s1);
        let y = match SHAPE {
            LOW_PASS => self.c1.mul_add(v, *s2),
            HIGH_PASS => self.c1.mul_add(v, u),
            _ => self.m0.mul_add(u, self.c1.mul_add(v, self.dc.mul(*s2))),
        };
        *s1 = self.q.mul_add(w, v);
        *s2 = self.g2.mul_add(v, *s2);
        y
    }
}

/// Filters the remainder after the whole segments frame by frame.
pub(super) struct RunFrames<'a, S> {
    pub sections: &'a [Coefficients],
    pub samples: &'a mut [S],
    /// `[s1, s2]` of each section; updated.
    pub states: &'a mut [[f64; 2]],
}

impl<S: Sample> Task for RunFrames<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for sample in self.samples {
            let mut x = sample.wide();
            for (section, state) in self.sections.iter().zip(self.states.iter_mut()) {
                x = step_one::<L>(section, state, x);
            }
            *sample = S::narrow(x);
        }
        for value in self.states.iter_mut().flatten() {
            if value.abs() < SILENCE {
                *value = 0.0;
            }
        }
    }
}

#[inline(always)]
fn step_one<L: Lanes>(section: &Coefficients, [s1, s2]: &mut [f64; 2], x: f64) -> f64 {
    let u = x - *s2;
    let w = L::mul_add_one(-section.h, *s1, u);
    let v = L::mul_add_one(section.q, w, *s1);
    let y = L::mul_add_one(section.m0, u, L::mul_add_one(section.c1, v, section.dc() * *s2));
    *s1 = L::mul_add_one(section.q, w, v);
    *s2 = L::mul_add_one(section.g2, v, *s2);
    y
}
