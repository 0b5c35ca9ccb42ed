//! Kernels against their references, the GPU against the CPU, devices and shaders, and generated signals.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod band_sums;
mod chroma;
mod constant_q;
mod design_fir;
mod design_spectra;
mod devices;
mod extremes;
mod fir;
mod fir_cpu;
mod generate;
mod hpss;
mod iir_cascade;
mod iir_cascade_accuracy;
mod iir_cascade_cpu;
mod istft;
mod median;
mod mix;
mod multi_resolution;
mod peak;
mod reassigned;
mod shaders;
mod spectral_shape;
#[cfg(target_os = "linux")]
mod statistics;
mod stft;
mod stft_cpu;
mod support;
mod table;
mod unified;
mod yin;
