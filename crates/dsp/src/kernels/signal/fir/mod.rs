//! Finite impulse responses: `y[n] = sum h[k] x[n - k]`.
//!
//! [`Strategy::new`] chooses one of three methods by its cost per sample:
//!
//! - `cpu/direct.rs`, up to 64 taps: the direct sum, for many outputs side by side.
//! - `cpu/pairs.rs`: overlap-save (T. G. Stockham, "High-speed convolution and correlation", 1966). Because the taps
//!   are real, two stretches of a channel can be the real and imaginary parts of one complex transform without mixing.
//!   With `K` taps and transforms of `N` values, an output costs `(10 N log2 N + 8 N) / (2 (N - K + 1))` operations:
//!   85 for 1025 taps and transforms of 4096.
//! - `cpu/partitions.rs`, for long responses: the taps are cut into partitions as long as a block. Their spectra are
//!   multiplied with the spectra of the last blocks (W. G. Gardner, "Efficient convolution without input-output delay",
//!   1995; here the partitions are uniform and add latency).
//!
//! Blocks lie on a grid of the stream's absolute frames, so the result has the same bits wherever the stream is cut or
//! begins. The output lags the input by [`Strategy::unit`] frames. Channels never share a transform, so a silent
//! channel stays silent beside a loud one. Transforms are in f32, and the spectra of the taps are computed in f64. The
//! error is at most -125 dB relative to the f64 sum. [`gpu`] applies the same methods on a GPU.

mod cpu;
pub mod gpu;
mod plan;
mod strategy;

use crate::kernels::Kernel;
pub use cpu::FirStream;
pub use plan::{FirPlan, Route};
pub use strategy::Strategy;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "fir",
    title: "Filter with a finite response",
    shaders: &["fir_direct.wgsl", "fir.wgsl", "fir_long.wgsl"],
    tolerance_db: TOLERANCE_DB,
    // For 1025 taps: reads 3584 frames for every 2560 frames that it writes.
    bytes_per_sample: 9.6,
};

/// The tolerance against the sum in f64: the RMS of the residual in dB relative to `max(rms in, rms out)`.
pub const TOLERANCE_DB: f64 = -120.0;
