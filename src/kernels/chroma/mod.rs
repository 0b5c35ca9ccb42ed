//! Chroma: how much of a sound belongs to each of the twelve pitch classes.
//!
//! A constant-Q transform of 36 bins to the octave from C1 (32.70 Hz), seven octaves where the rate has room for them,
//! as `librosa.cqt` has it: with `r = 2^(1/36)`, `Q = (r^2 + 1) / (r^2 - 1)`, `f_k = 32.70 r^(k + tuning)`, periodic
//! Hann windows `w_k` of `N_k = Q rate / f_k` frames,
//!
//! ```text
//! C(k, t) = sqrt(N_k) |sum over n of w_k(n) x(t hop + n) exp(-2 pi i f_k n / rate)| / sum of w_k
//! chroma(c, t) = sum over k with floor((k + 1) / 3) mod 12 = c of C(k, t),   c = 0 for C .. 11 for B
//! ```
//!
//! so that a class takes in the three bins around its semitone, half a semitone to either side.
//!
//! **By octaves** (C. Schörkhuber and A. Klapuri, 2010). The signal is halved in rate by the half-band filters of
//! [`super::constant_q`] as far as the highest octave allows; each octave below is taken from half the rate of
//! the one above, where all have the same products: those of the window's spectrum with that of the basis, a few bins
//! for each `k`. [`Basis::Librosa`] leaves out of every basis spectrum the smallest values that make up a hundredth of
//! it, as librosa does with its `sparsity=0.01`; [`Basis::Exact`] a millionth. On a GPU ([`gpu`]) all of it stays where the
//! signal was brought, but for the classes.
//!
//! Chroma is librosa's to 2e-4 of the greatest class, but for the first and last 0.7 s (to 2e-2): there librosa cuts
//! each halved signal off where the recording begins and ends, with what its filters leave before and behind; here that
//! is kept, so that a block need not know where the recording ends.
//!
//! [`ConstantQ`] is the plan; a block is any samples that cover [`ConstantQ::reach`] of the windows asked for, with
//! silence beyond the recording. Window `t` is centred on frame `t hop`. Non-finite input: a bin whose window takes in
//! a NaN or an infinity is not finite.

mod basis;
pub mod gpu;
mod halve;
mod plan;
mod products;

pub use basis::Basis;
pub use plan::{ConstantQ, ConstantQSpec, Memory};

use crate::kernels::stft::Spectra;

/// Bins of an octave.
pub const BINS_PER_OCTAVE: usize = 36;
/// Octaves, where the rate has room for them.
pub const OCTAVES: usize = 7;
/// Pitch classes, from C up.
pub const CLASSES: usize = 12;
/// The frequency of the lowest bin: C1 where A4 is 440 Hz.
pub const LOWEST_HZ: f64 = 32.703_195_662_574_83;

/// Constant-Q spectra folded onto pitch classes, not scaled.
pub fn chroma(spectra: &Spectra<f32>) -> Vec<[f32; CLASSES]> {
    let folded = |window: &[f32]| {
        let mut classes = [0.0; CLASSES];
        for (bin, amplitude) in window.iter().enumerate() {
            classes[(bin + 1) / (BINS_PER_OCTAVE / CLASSES) % CLASSES] += amplitude;
        }
        classes
    };
    spectra.values.chunks_exact(spectra.bins.max(1)).map(folded).collect()
}

/// The same with the greatest class at 1, as librosa gives it; silence stays 0.
pub fn normalized(classes: &[f32; CLASSES]) -> [f32; CLASSES] {
    let most = classes.iter().copied().fold(0.0, f32::max);
    if most < f32::MIN_POSITIVE { *classes } else { classes.map(|class| class / most) }
}
