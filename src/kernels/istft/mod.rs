//! Signals from spectra of short windows, by weighted overlap-add: the inverse of [`stft`](super::stft).
//!
//! Each spectrum `X_k` is transformed back, weighed by the window function once more and added to its neighbours; what
//! the windows have weighed is then divided out (D. Griffin and J. Lim, "Signal estimation from modified short-time
//! Fourier transform", IEEE Trans. ASSP 32, 1984):
//!
//! ```text
//! y(n) = sum over k of w(n - s_k) x_k(n - s_k) / sum over k of w(n - s_k)^2,   s_k = k hop - size/2
//! ```
//!
//! Spectra that nothing has changed give the signal back; of changed ones this is the signal whose spectra are nearest to
//! them. It needs windows that weigh every frame (NOLA, nonzero overlap-add); [`IstftPlan`] refuses others.
//!
//! Non-finite input: a NaN or an infinity in a spectrum spoils the frames of its window, no others.

pub mod cpu;
pub mod gpu;
mod plan;

pub use plan::IstftPlan;
