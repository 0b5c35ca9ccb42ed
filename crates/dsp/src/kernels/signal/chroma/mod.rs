//! Chroma: the amount of each of the twelve pitch classes in a sound.
//!
//! The kernel is a constant-Q transform of 36 bins per octave from C1 (32.70 Hz), with seven octaves if the sample rate
//! allows, defined like `librosa.cqt`. With `r = 2^(1/36)`, `Q = (r^2 + 1) / (r^2 - 1)`, `f_k = 32.70 r^(k + tuning)`
//! and periodic Hann windows `w_k` of `N_k = Q rate / f_k` frames,
//!
//! ```text
//! C(k, t) = sqrt(N_k) |sum over n of w_k(n) x(t hop + n) exp(-2 pi i f_k n / rate)| / sum of w_k
//! chroma(c, t) = sum over k with floor((k + 1) / 3) mod 12 = c of C(k, t),   c = 0 for C .. 11 for B
//! ```
//!
//! A class therefore sums the three bins around its semitone, half a semitone to either side.
//!
//! **By octaves** (C. Schörkhuber and A. Klapuri, 2010). The half-band filters of [`super::constant_q`] halve the rate
//! of the signal as often as the highest octave allows. Each lower octave is computed at half the rate of the octave
//! above, so all octaves use the same products: those of the window's spectrum with the basis spectrum, a few bins for
//! each `k`. [`Basis::Librosa`] drops the smallest values that make up a hundredth of each basis spectrum, like librosa
//! with `sparsity=0.01`. [`Basis::Exact`] drops a millionth. On a GPU ([`gpu`]) all intermediate data stays on the
//! device; only the classes are read back.
//!
//! Chroma matches librosa to 2e-4 of the largest class, except in the first and last 0.7 s (to 2e-2). There, librosa
//! truncates each halved signal at the ends of the recording, together with the transients of its filters. This
//! implementation keeps them, so that a block does not depend on where the recording ends.
//!
//! [`ConstantQ`] is the plan. A block is any samples that cover the [`ConstantQ::reach`] of the requested windows, with
//! silence beyond the recording. Window `t` is centred on frame `t hop`. Non-finite input: a bin whose window contains
//! a `NaN` or an infinity is not finite.

mod basis;
mod cpu;
mod decimator;
pub mod gpu;
mod halve;
mod plan;
mod products;

pub use basis::Basis;
pub use cpu::Memory;
pub use decimator::Decimator;
pub use plan::{ConstantQ, ConstantQSpec};

use crate::kernels::Kernel;
use crate::kernels::signal::stft::Spectra;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "chroma",
    title: "Pitch classes",
    shaders: &["chroma.wgsl"],
    // Relative to the window's largest class: 1e-5.
    tolerance_db: -100.0,
    // For each of seven octaves, writes and reads one spectrum of 513 complex points per hop of 512 frames.
    bytes_per_sample: 112.0,
};

/// Bins per octave.
pub const BINS_PER_OCTAVE: usize = 36;
/// The maximum number of octaves; lower sample rates have fewer.
pub const OCTAVES: usize = 7;
/// Pitch classes, starting at C.
pub const CLASSES: usize = 12;
/// The frequency of the lowest bin in hertz: C1 for A4 at 440 Hz.
pub const LOWEST_HZ: f64 = 32.703_195_662_574_83;

/// Folds constant-Q spectra into pitch classes, without normalisation.
pub fn chroma(spectra: &Spectra<f32>) -> Vec<[f32; CLASSES]> {
    let folded = |window: &[f32]| {
        const BINS: usize = BINS_PER_OCTAVE / CLASSES;
        let mut classes = [0.0; CLASSES];
        // The first class begins a bin before the first bin.
        let (lowest, rest) = window.split_at(window.len().min(BINS - 1));
        classes[0] = lowest.iter().sum();
        for (semitone, bins) in (1..).zip(rest.chunks(BINS)) {
            let class: &mut f32 = &mut classes[semitone % CLASSES];
            *class = bins.iter().fold(*class, |sum, amplitude| sum + amplitude);
        }
        classes
    };
    spectra.values.chunks_exact(spectra.bins.max(1)).map(folded).collect()
}

/// Scales the largest class to 1, like librosa. Silence stays 0.
pub fn normalized(classes: &[f32; CLASSES]) -> [f32; CLASSES] {
    let most = classes.iter().copied().fold(0.0, f32::max);
    if most < f32::MIN_POSITIVE { *classes } else { classes.map(|class| class / most) }
}
