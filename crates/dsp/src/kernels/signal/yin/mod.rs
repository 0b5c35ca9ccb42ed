//! Pitch by YIN (A. de Cheveigné and H. Kawahara, JASA 111, 2002), window by window.
//!
//! A window has four hops. Window `k` is centred on frame `k hop` and begins at `s`, two hops earlier. With an
//! integration window `W` of two hops:
//!
//! ```text
//! d(t)  = sum over j = 0..W of (x(s + j) - x(s + j + t))^2,   t = 0..=ceil(rate / fmin)
//! d'(t) = t d(t) / sum over i = 1..=t of d(i)
//! ```
//!
//! The period is the first local minimum of `d'` below the threshold, at a lag of at least `floor(rate / fmax)`. The
//! parabola through the minimum and its neighbours refines it. Without such a minimum, the window is unvoiced. `d` is
//! the sum of both energies minus twice the correlation. The integration window has a fixed length, as in the paper, so
//! `d` of a steady tone is 0 at its period. (`librosa.yin` 0.11 correlates the whole window with itself, padded with
//! zeros. This adds the energy of the last `t` frames to `d(t)`, shortens periods and makes low notes unvoiced.
//! `features::pyin` follows librosa.)
//!
//! **Speed.** Each hop is correlated once, for the two windows that contain it. Let `G_b` be the transform of `3 hop`
//! points that hold hop `b` at its position modulo 3 and zeros elsewhere. The correlation of hop `b` with the three
//! hops from `b` on is the inverse transform of `conj(G_b) (G_b + G_(b+1) + G_(b+2))`, at lags up to `2 hop`. This
//! takes two transforms per window. Energies are differences of running sums of squares that restart at every hop. All
//! positions lie on the absolute grid of hops, so the result has the same bits wherever blocks are cut. A GPU ([`gpu`])
//! computes the sums as written above.

mod correlate;
mod cpu;
pub mod gpu;
mod plan;

use crate::kernels::Kernel;
pub use plan::{YinPlan, YinSpec};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "yin",
    title: "Pitch by YIN",
    shaders: &["yin.wgsl"],
    // Relative to the period; this is a twentieth of a cent.
    tolerance_db: -90.0,
    // Reads one sample; writes and reads 680 differences per hop of 512 frames. The sums of squares are
    // compute-bound.
    bytes_per_sample: 20.0,
};

/// The pitch of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pitch {
    /// The pitch in hertz; `NaN` if the window is unvoiced.
    pub hz: f32,
    /// The normalised difference at the period, an estimate of the share of aperiodic energy: 0 for a perfectly
    /// periodic window. `NaN` if the window is unvoiced.
    pub aperiodicity: f32,
}

impl Pitch {
    /// The result for an unvoiced window.
    pub const UNVOICED: Self = Self { hz: f32::NAN, aperiodicity: f32::NAN };

    /// Returns whether the window has a pitch.
    pub fn is_voiced(self) -> bool {
        !self.hz.is_nan()
    }
}
