//! Finite impulse responses: `y[n] = sum h[k] x[n - k]`.
//!
//! [`Shape::new`] chooses one of three methods by its cost per sample:
//!
//! - [`direct`], up to 64 taps: the sum itself, many outputs side by side.
//! - [`pairs`]: overlap-save with one transform (T. G. Stockham, "High-speed convolution and correlation", 1966). The taps
//!   are real, so that two stretches of a channel travel as real and imaginary part of one complex transform without
//!   mixing: an output costs `(10 N log2 N + 8 N) / (2 (N - K + 1))` operations, 85 for 1025 taps in transforms of 4096.
//! - [`partitions`], for long responses: the taps are cut into parts as long as a block, and their spectra are multiplied
//!   with those of the last blocks (W. G. Gardner, "Efficient convolution without input-output delay", 1995; here with
//!   delay, uniformly).
//!
//! Blocks lie on a grid of the stream's own frames. The result therefore has the same bits however the stream is cut and
//! wherever it begins; the output of a block comes [`Shape::unit`] frames later. Channels never share a transform: a
//! silent channel stays silent beside a loud one. Transforms are f32, with spectra of the taps computed in f64: the error
//! is at most -125 dB relative to the f64 sum. [`gpu`] does the same on a GPU.

mod direct;
pub mod gpu;
mod pairs;
mod partitions;
mod shape;
mod stream;
mod trial;

use std::sync::{Arc, OnceLock};

use realfft::num_complex::Complex32;

pub use shape::Shape;
pub use stream::FirStream;

use crate::error::{Error, Result};
use crate::kernels::Kernel;
use gpu::GpuFir;

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

/// How far a result may be from the sum in f64, as the residual's RMS in dB re max(rms in, rms out).
pub const TOLERANCE_DB: f64 = -120.0;

/// Samples from which on a block is shared among threads.
const WORTH_SHARING: usize = 1 << 14;

/// What an output channel hears: an input channel through a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The input channel.
    pub input: usize,
    /// The filter, by its number.
    pub filter: usize,
}

/// Filters planned for a stream.
#[derive(Debug)]
pub struct FirPlan {
    shape: Shape,
    /// What each output channel is the sum of.
    routes: Vec<Vec<Route>>,
    method: Method,
    /// The taps of each filter.
    filters: Vec<Vec<f64>>,
    /// For a GPU, once one has asked.
    lowered: OnceLock<Arc<GpuFir>>,
}

#[derive(Debug)]
enum Method {
    Direct(direct::Direct),
    Pairs(pairs::Pairs),
    Partitions(partitions::Partitions),
}

impl FirPlan {
    /// Filters, each by its taps, and for every output channel the routes that it is the sum of. Shorter filters are as if
    /// they went on with zeros.
    ///
    /// # Errors
    /// [`Error::Internal`] for no taps at all, for routes that name no filter, and when a transform fails.
    pub fn new(filters: &[Vec<f64>], routes: Vec<Vec<Route>>) -> Result<Self> {
        let length = filters.iter().map(Vec::len).max().unwrap_or(0);
        let known = |route: &Route| route.filter < filters.len() && route.input < routes.len();
        if length == 0 || !routes.iter().flatten().all(known) {
            return Err(Error::Internal("a filter without taps or without a channel".into()));
        }
        let shape = Shape::new(length);
        let method = match shape {
            Shape::Direct { .. } => Method::Direct(direct::Direct::new(filters, length)),
            Shape::Pairs { transform, .. } => Method::Pairs(pairs::Pairs::new(filters, length, transform)),
            Shape::Partitions { block, .. } => Method::Partitions(partitions::Partitions::new(filters, length, block)?),
        };
        Ok(Self { shape, routes, method, filters: filters.to_vec(), lowered: OnceLock::new() })
    }

    /// One filter for each of so many channels.
    ///
    /// # Errors
    /// As [`FirPlan::new`].
    pub fn of_taps(taps: &[f64], channels: usize) -> Result<Self> {
        Self::new(&[taps.to_vec()], (0..channels).map(|input| vec![Route { input, filter: 0 }]).collect())
    }

    /// How it is done.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How it would run on a GPU, at no cost.
    ///
    /// # Errors
    /// As [`gpu::Layout::new`].
    pub fn on_gpu_layout(&self) -> Result<gpu::Layout> {
        gpu::Layout::new(self)
    }

    /// For a GPU, made once.
    ///
    /// # Errors
    /// As [`gpu::Layout::new`].
    pub fn on_gpu(&self) -> Result<Arc<GpuFir>> {
        if let Some(lowered) = self.lowered.get() {
            return Ok(Arc::clone(lowered));
        }
        let lowered = Arc::new(GpuFir::new(self)?);
        Ok(Arc::clone(self.lowered.get_or_init(|| lowered)))
    }

    /// Operations for a frame of all channels on the CPU, about.
    pub fn operations(&self) -> f64 {
        self.shape.operations() * self.routes.iter().map(Vec::len).sum::<usize>() as f64
    }

    /// Channels in and out.
    pub fn channels(&self) -> usize {
        self.routes.len()
    }
}

fn failed(error: realfft::FftError) -> Error {
    Error::Internal(format!("a transform failed: {error}"))
}

fn single(bin: realfft::num_complex::Complex64) -> Complex32 {
    Complex32::new(bin.re as f32, bin.im as f32)
}
