//! Kernels of signals and of their spectra.

pub mod band_sums;
pub mod chroma;
pub mod constant_q;
pub mod extremes;
pub mod fir;
pub mod hpss;
pub mod iir_cascade;
pub mod istft;
pub mod median;
pub mod mix;
pub mod multi_resolution;
pub mod peak;
mod plane;
pub mod reassigned;
pub mod resident;
mod roots;
pub mod spectral_shape;
pub mod stft;
pub mod yin;

pub use plane::{FrameSpan, Plane};
