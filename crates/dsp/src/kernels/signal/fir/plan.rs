//! Filters and routes, planned for a stream.

use std::sync::{Arc, OnceLock};

use transforms::num_complex::{Complex32, Complex64};

use super::Strategy;
use super::cpu::{Direct, Pairs, Partitions};
use super::gpu::{GpuFir, Layout};
use base::error::{Error, Result};

/// A term of an output channel's sum: an input channel, passed through a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The input channel.
    pub input: usize,
    /// The index of the filter.
    pub filter: usize,
}

/// Filters planned for a stream.
#[derive(Debug)]
pub struct FirPlan {
    pub(super) shape: Strategy,
    /// The terms of each output channel.
    pub(super) routes: Vec<Vec<Route>>,
    pub(super) method: Method,
    /// The taps of each filter.
    pub(super) filters: Vec<Vec<f64>>,
    /// The plan for a GPU, built on first use.
    lowered: OnceLock<Arc<GpuFir>>,
}

/// The planned method of the CPU.
#[derive(Debug)]
pub(super) enum Method {
    Direct(Direct),
    Pairs(Pairs),
    Partitions(Partitions),
}

impl FirPlan {
    /// Plans filters, given by their taps, and the routes that each output channel sums. Shorter filters are padded
    /// with zeros.
    pub fn new(filters: &[Vec<f64>], routes: Vec<Vec<Route>>) -> Result<Self> {
        let length = filters.iter().map(Vec::len).max().unwrap_or(0);
        let known = |route: &Route| route.filter < filters.len() && route.input < routes.len();
        if length == 0 || !routes.iter().flatten().all(known) {
            return Err(Error::Internal("a filter without taps or without a channel".into()));
        }
        let shape = Strategy::new(length);
        let method = match shape {
            Strategy::Direct { .. } => Method::Direct(Direct::new(filters, length)),
            Strategy::Pairs { transform, .. } => Method::Pairs(Pairs::new(filters, length, transform)),
            Strategy::Partitions { block, .. } => Method::Partitions(Partitions::new(filters, length, block)?),
        };
        Ok(Self { shape, routes, method, filters: filters.to_vec(), lowered: OnceLock::new() })
    }

    /// Plans the same filter for each of `channels` channels.
    pub fn of_taps(taps: &[f64], channels: usize) -> Result<Self> {
        Self::new(&[taps.to_vec()], (0..channels).map(|input| vec![Route { input, filter: 0 }]).collect())
    }

    /// Returns the method and its grid.
    pub fn shape(&self) -> Strategy {
        self.shape
    }

    /// Returns the layout on a GPU, without building the plan for it.
    pub fn on_gpu_layout(&self) -> Result<Layout> {
        Layout::new(self)
    }

    /// Returns the plan for a GPU, which is built by the first call.
    pub fn on_gpu(&self) -> Result<Arc<GpuFir>> {
        if let Some(lowered) = self.lowered.get() {
            return Ok(Arc::clone(lowered));
        }
        let lowered = Arc::new(GpuFir::new(self)?);
        Ok(Arc::clone(self.lowered.get_or_init(|| lowered)))
    }

    /// Returns the approximate number of operations on the CPU per frame of all channels.
    pub fn operations(&self) -> f64 {
        self.shape.operations() * self.routes.iter().map(Vec::len).sum::<usize>() as f64
    }

    /// Returns the number of channels of the input, which is also that of the output.
    pub fn channels(&self) -> usize {
        self.routes.len()
    }
}

/// Rounds a value to f32.
pub(super) fn single(bin: Complex64) -> Complex32 {
    Complex32::new(bin.re as f32, bin.im as f32)
}
