//! The plan of a cascade: sections in f64, ready to run or to be lowered to f32 for a GPU.

use std::sync::Arc;

use super::Matrix;
use super::tables::Tables;
use crate::design::{Section, Svf};

/// A section in the form that runs; see the recurrence in the module documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// `g + k`.
    pub h: f64,
    /// `g / (1 + g (g + k))`.
    pub q: f64,
    /// `2 g`.
    pub g2: f64,
    /// Weight of the input in the output.
    pub m0: f64,
    /// Weight of `v` in the output: `m1 + g m2`.
    pub c1: f64,
    /// Weight of `s2` in the output relative to the input: `m2`.
    pub m2: f64,
}

impl Coefficients {
    /// Returns the weight of `s2` in the output relative to `x - s2`: `m0 + m2`, the gain at 0 Hz.
    pub fn dc(&self) -> f64 {
        self.m0 + self.m2
    }
}

impl From<Svf> for Coefficients {
    fn from(svf: Svf) -> Self {
        let h = svf.g + svf.k;
        let [m0, m1, m2] = svf.m;
        Self { h, q: svf.g / (1.0 + svf.g * h), g2: 2.0 * svf.g, m0, c1: m1 + svf.g * m2, m2 }
    }
}

/// A section as a state-space system in delta form: `y = c s + d x`, then `s += e s + f x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaForm {
    /// The transition matrix minus the identity.
    pub e: [[f64; 2]; 2],
    /// Input to state.
    pub f: [f64; 2],
    /// State to output.
    pub c: [f64; 2],
    /// Input to output.
    pub d: f64,
}

impl From<Coefficients> for DeltaForm {
    fn from(section: Coefficients) -> Self {
        let Coefficients { h, q, g2, m0, c1, m2 } = section;
        // v = (1 - q h) s1 - q s2 + q x, and 1 - q h = 1 / (1 + g h) without cancellation.
        let direct = 1.0 / (1.0 + 0.5 * g2 * h);
        Self {
            e: [[-2.0 * q * h, -2.0 * q], [g2 * direct, -g2 * q]],
            f: [2.0 * q, g2 * q],
            c: [c1 * direct, m2 - c1 * q],
            d: m0 + c1 * q,
        }
    }
}

/// A planned cascade of `K` sections. It is independent of rate and channels; every channel is filtered the same way.
#[derive(Clone, Debug)]
pub struct Cascade {
    sections: Vec<Coefficients>,
    tables: Arc<Tables>,
}

impl Cascade {
    /// Plans sections to run in the given order. An empty cascade passes the signal unchanged.
    pub fn new(sections: &[Section]) -> Self {
        let sections: Vec<Coefficients> = sections.iter().map(|section| section.svf.into()).collect();
        let tables = Arc::new(Tables::new(&sections));
        Self { sections, tables }
    }

    /// Returns the sections in the form that runs.
    pub fn sections(&self) -> &[Coefficients] {
        &self.sections
    }

    /// Returns the tables of the CPU twin.
    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the number of sections, `K`.
    pub fn len(&self) -> usize {
        self.sections.len()
    }

    /// Returns whether there are no sections.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// Returns the sections in delta form.
    pub fn delta_forms(&self) -> Vec<DeltaForm> {
        self.sections.iter().map(|&section| section.into()).collect()
    }

    /// Returns the transition of the whole cascade over `frames` frames of silence: `2K x 2K`, block lower triangular,
    /// with the states ordered `s1, s2` of the first section, then of the next.
    pub fn transition(&self, frames: u64) -> Matrix {
        let forms = self.delta_forms();
        let mut one = Matrix::identity(2 * forms.len());
        for (i, form) in forms.iter().enumerate() {
            for row in 0..2 {
                for column in 0..2 {
                    *one.at_mut(2 * i + row, 2 * i + column) += form.e[row][column];
                }
                // An earlier section's state reaches this one through the direct paths of the sections between them.
                let mut through = form.f[row];
                for (j, earlier) in forms[..i].iter().enumerate().rev() {
                    for column in 0..2 {
                        *one.at_mut(2 * i + row, 2 * j + column) = through * earlier.c[column];
                    }
                    through *= earlier.d;
                }
            }
        }
        one.power(frames)
    }
}
