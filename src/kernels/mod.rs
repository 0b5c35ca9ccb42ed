//! Kernels: computations that exist as shaders and as CPU twins.
//!
//! Each kernel is a folder with its parameters, plan, CPU twin, GPU side, tolerance and trial. [`TABLE`] lists all
//! kernels.

pub mod band_sums;
pub mod chroma;
pub mod constant_q;
pub mod exact;
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
mod table;
pub mod trial;
pub mod yin;

pub use plane::{FrameSpan, Plane};
pub use table::{Kernel, TABLE, find};
