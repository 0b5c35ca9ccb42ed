//! Trials of all kernels. Benchmarks time them on the CPU and on GPUs. Verification compares the results with each other
//! and with a reference in f64.

mod attention;
pub mod band_sums;
mod blocks;
pub mod chroma;
pub mod constant_q;
pub(super) mod convolution;
pub mod exact;
mod extend;
pub mod extremes;
mod fir;
pub mod hpss;
mod iir_cascade;
mod istft;
mod lookup;
mod lstm;
pub mod median;
mod mix;
pub mod multi_resolution;
mod nearest;
mod norm;
mod on_gpu;
mod peak;
mod pointwise;
pub mod reassigned;
pub mod spectral_shape;
mod stft;
mod trial;
pub mod yin;

pub use trial::{CHANNELS, Limits, RATE_HZ, Reference, Run, Trial, music};

use crate::kernels::{Kernel, network, signal};
use base::error::Result;

/// Plans a kernel for a test signal of some frames at 48 kHz. A kernel that takes several channels gets that many of
/// them; [`Trial::channels`] says how many it has.
pub type PlanTrial = fn(frames: usize, channels: usize) -> Result<Box<dyn Trial>>;

/// All kernels with their trials.
pub const TABLE: &[(Kernel, PlanTrial)] = &[
    (network::attention::KERNEL, attention::trial),
    (signal::band_sums::KERNEL, band_sums::trial),
    (signal::chroma::KERNEL, chroma::trial),
    (signal::constant_q::KERNEL, constant_q::trial),
    (network::convolution::KERNEL, convolution::trial),
    (network::extend::KERNEL, extend::trial),
    (signal::extremes::KERNEL, extremes::trial),
    (signal::fir::KERNEL, fir::trial),
    (signal::hpss::KERNEL, hpss::trial),
    (signal::iir_cascade::KERNEL, iir_cascade::trial),
    (signal::istft::KERNEL, istft::trial),
    (network::lookup::KERNEL, lookup::trial),
    (network::lstm::KERNEL, lstm::trial),
    (signal::median::KERNEL, median::trial),
    (signal::mix::KERNEL, mix::trial),
    (signal::multi_resolution::KERNEL, multi_resolution::trial),
    (network::nearest::KERNEL, nearest::trial),
    (network::norm::KERNEL, norm::trial),
    (signal::peak::KERNEL, peak::trial),
    (network::pointwise::KERNEL, pointwise::trial),
    (signal::reassigned::KERNEL, reassigned::trial),
    (signal::spectral_shape::KERNEL, spectral_shape::trial),
    (signal::stft::KERNEL, stft::trial),
    (signal::yin::KERNEL, yin::trial),
];
