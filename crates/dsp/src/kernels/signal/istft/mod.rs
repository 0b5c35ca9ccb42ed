//! Signals from spectra of short windows, by weighted overlap-add: the inverse of [`stft`](super::stft).
//!
//! Each spectrum `X_k` is transformed back, multiplied by the window function again and added to its neighbours. The
//! result is divided by the sum of the squared windows (D. Griffin and J. Lim, "Signal estimation from modified
//! short-time Fourier transform", IEEE Trans. ASSP 32, 1984):
//!
//! ```text
//! y(n) = sum over k of w(n - s_k) x_k(n - s_k) / sum over k of w(n - s_k)^2,   s_k = k hop - size/2
//! ```
//!
//! Unmodified spectra give the original signal. For modified spectra, the result is the signal whose spectra are
//! closest to them. The windows must cover every frame (NOLA, nonzero overlap-add); [`IstftPlan`] rejects others.
//!
//! Non-finite input: a `NaN` or an infinity in a spectrum affects only the frames of its window.

pub mod cpu;
pub mod gpu;
mod plan;

use crate::kernels::Kernel;
pub use plan::IstftPlan;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "istft",
    title: "Inverse short-time Fourier transform",
    shaders: &["istft.wgsl", "istft_long.wgsl"],
    tolerance_db: -125.0,
    // With a hop of a quarter of a window: reads spectra of four reals per sample and writes one sample.
    bytes_per_sample: 20.0,
};
