//! Kernels against their references, the GPU against the CPU, devices and shaders.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod attention;
mod band_sums;
mod chroma;
mod constant_q;
mod convolution;
mod design_fir;
mod design_spectra;
mod devices;
mod extend;
mod extremes;
mod filter_accuracy;
mod filter_reference;
mod fir;
mod fir_cpu;
mod hpss;
mod iir_cascade;
mod iir_cascade_accuracy;
mod iir_cascade_cpu;
mod istft;
mod lookup;
mod lstm;
mod median;
mod mix;
mod multi_resolution;
mod nearest;
mod network;
mod norm;
mod peak;
mod pointwise;
mod rearranged;
mod reassigned;
mod shaders;
mod spectral_shape;
#[cfg(target_os = "linux")]
mod statistics;
mod stft;
mod stft_cpu;
mod submissions;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod unified;
mod yin;
