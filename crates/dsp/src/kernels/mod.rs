//! Kernels: computations that exist as shaders and as CPU twins.
//!
//! Each kernel is a folder with its parameters, plan, CPU twin, GPU side, tolerance and trial. [`TABLE`] lists all
//! kernels.

pub mod attention;
pub mod band_sums;
pub mod block;
pub mod chroma;
pub mod constant_q;
pub mod convolution;
pub mod exact;
pub mod extend;
pub mod extremes;
pub mod fir;
pub mod hpss;
pub mod iir_cascade;
pub mod istft;
pub mod lookup;
pub mod lstm;
pub mod median;
pub mod mix;
pub mod multi_resolution;
pub mod nearest;
pub mod norm;
pub mod peak;
mod plane;
pub mod pointwise;
pub mod reassigned;
pub mod resident;
mod roots;
pub mod spectral_shape;
pub mod stft;
mod table;
pub mod trial;
mod trial_blocks;
pub mod yin;

pub use plane::{FrameSpan, Plane};
pub use table::{Kernel, TABLE, find};
