//! Precomputed tables of the segmented CPU twin: the effect of a segment's input, and of the states at its beginning,
//! on the states at its end.

use super::Coefficients;
use super::state::SILENCE;
use base::simd::LANES;

/// Frames per segment. Within a segment, a cascade runs frame by frame.
pub(super) const SEGMENT: usize = 128;

/// Table values smaller than this are set to 0: their contribution is below f64 precision, and subnormal values are
/// slow.
const NOTHING: f64 = SILENCE * SILENCE;

/// One vector of a table. Aligned to a cache line, because half of all loads would otherwise straddle two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub [f64; LANES]);

/// The tables of one cascade. States are ordered `s1, s2` of the first section, then of the next, and zero-padded to a
/// multiple of [`LANES`].
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// The number of states, `2K`.
    pub states: usize,
    /// For each state and each frame of a segment, the contribution of a unit impulse at that frame to the state at the
    /// segment's end; `states x SEGMENT`, in vectors of frames.
    pub input: Vec<Row>,
    /// The contribution of a unit state at a segment's beginning to all states at its end: `[from * vectors + to][k]`
    /// is the effect of state `k` of vector `from` on the states of vector `to`.
    pub transition: Vec<[[f64; LANES]; LANES]>,
}

impl Tables {
    pub fn new(sections: &[Coefficients]) -> Self {
        let states = 2 * sections.len();
        let vectors = states.div_ceil(LANES);
        let mut transition = vec![[[0.0; LANES]; LANES]; vectors * vectors];
        for from in 0..states {
            let mut now = vec![[0.0; 2]; sections.len()];
            now[from / 2][from % 2] = 1.0;
            for _ in 0..SEGMENT {
                advance(sections, &mut now, 0.0);
            }
            for (to, &value) in now.as_flattened().iter().enumerate() {
                transition[from / LANES * vectors + to / LANES][from % LANES][to % LANES] = or_nothing(value);
            }
        }
        let mut input = vec![Row([0.0; LANES]); states * SEGMENT / LANES];
        let mut now = vec![[0.0; 2]; sections.len()];
        for frame in (0..SEGMENT).rev() {
            advance(sections, &mut now, if frame == SEGMENT - 1 { 1.0 } else { 0.0 });
            for (state, &value) in now.as_flattened().iter().enumerate() {
                input[(state * SEGMENT + frame) / LANES].0[frame % LANES] = or_nothing(value);
            }
        }
        Self { states, input, transition }
    }

    /// Returns the number of vectors that hold all states.
    pub fn vectors(&self) -> usize {
        self.states.div_ceil(LANES)
    }
}

fn or_nothing(value: f64) -> f64 {
    if value.abs() < NOTHING { 0.0 } else { value }
}

/// Runs one frame through the whole cascade.
fn advance(sections: &[Coefficients], states: &mut [[f64; 2]], input: f64) {
    let mut x = input;
    for (section, [s1, s2]) in sections.iter().zip(states) {
        let u = x - *s2;
        let w = u - section.h * *s1;
        let v = *s1 + section.q * w;
        x = section.m0 * u + section.c1 * v + section.dc() * *s2;
        *s1 = v + section.q * w;
        *s2 += section.g2 * v;
        for value in [s1, s2] {
            *value = or_nothing(*value);
        }
    }
}
