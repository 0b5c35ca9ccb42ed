//! Finite impulse responses: `y[n] = sum h[k] x[n - k]`.
//!
//! [`Strategy::new`] chooses one of three methods by its cost per sample:
//!
//! - `cpu/direct.rs`, up to 64 taps: the sum itself, many outputs side by side.
//! - `cpu/pairs.rs`: overlap-save with one transform (T. G. Stockham, "High-speed convolution and correlation", 1966). The taps
//!   are real, so that two stretches of a channel travel as real and imaginary part of one complex transform without
//!   mixing: an output costs `(10 N log2 N + 8 N) / (2 (N - K + 1))` operations, 85 for 1025 taps in transforms of 4096.
//! - `cpu/partitions.rs`, for long responses: the taps are cut into parts as long as a block, and their spectra are multiplied
//!   with those of the last blocks (W. G. Gardner, "Efficient convolution without input-output delay", 1995; here with
//!   delay, uniformly).
//!
//! Blocks lie on a grid of the stream's own frames. The result therefore has the same bits however the stream is cut and
//! wherever it begins; the output of a block comes [`Strategy::unit`] frames later. Channels never share a transform: a
//! silent channel stays silent beside a loud one. Transforms are f32, with spectra of the taps computed in f64: the error
//! is at most -125 dB relative to the f64 sum. [`gpu`] does the same on a GPU.

mod cpu;
pub mod gpu;
mod plan;
mod strategy;
mod trial;

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
    trial: trial::trial,
};

/// The largest error relative to the sum in f64: the RMS of the residual in dB relative to max(rms in, rms out).
pub const TOLERANCE_DB: f64 = -120.0;
