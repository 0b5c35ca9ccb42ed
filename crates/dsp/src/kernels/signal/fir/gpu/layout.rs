//! The layout of a filter on a GPU and its cost, which depend only on lengths and numbers of filters and channels.

use super::super::{FirPlan, Strategy};
use super::grid::Grid;
use crate::gpu::{MAX_BINDING_BYTES, Signal};
use base::error::{Error, Result};

/// The layout of a plan on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(super) shape: Strategy,
    pub(super) channels: usize,
    pub(super) form: Form,
    /// Routes per output channel. Channels with fewer routes are filled up with a silent filter.
    pub(super) routes_each: usize,
    /// Whether some channel has fewer routes.
    pub(super) uneven: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Direct { taps: usize },
    Transforms(Grid),
}

impl Layout {
    /// Lays out a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the shaders do not support the block length, or if the responses or the transforms of
    /// a block do not fit into a GPU buffer.
    pub fn new(plan: &FirPlan) -> Result<Self> {
        let routes_each = plan.routes.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let uneven = plan.routes.iter().any(|routes| routes.len() < routes_each);
        let form = match plan.shape {
            Strategy::Direct { taps } => Form::Direct { taps },
            Strategy::Pairs { .. } | Strategy::Partitions { .. } => match Grid::new(plan.shape) {
                Some(grid) => Form::Transforms(grid),
                None => return Err(refused("its blocks are none of those that the shaders take")),
            },
        };
        let made = Self { shape: plan.shape, channels: plan.channels(), form, routes_each, uneven };
        if made.response_bytes(plan.filters.len()) > MAX_BINDING_BYTES {
            return Err(refused("its spectra do not fit one of a GPU's buffers"));
        }
        if made.max_frames() == 0 {
            return Err(refused("the transforms of a block do not fit one of a GPU's buffers"));
        }
        Ok(made)
    }

    fn response_bytes(&self, filters: usize) -> u64 {
        let each = match &self.form {
            Form::Direct { taps } => taps * 4,
            Form::Transforms(grid) => grid.parts * grid.points * 8,
        };
        ((filters + usize::from(self.uneven)) * each) as u64
    }

    /// Returns the approximate number of operations per frame of all channels.
    pub fn operations(&self) -> f64 {
        let each = match &self.form {
            Form::Direct { taps } => 2.0 * *taps as f64,
            Form::Transforms(grid) => grid.operations(),
        };
        each * (self.channels * self.routes_each) as f64
    }

    /// Returns the bytes of state that each chunk uploads, which is also the most that it reads back.
    pub fn carried_bytes(&self) -> f64 {
        let (unit, before) = (self.shape.unit(), self.shape.before());
        // On average, the unfinished unit is half full.
        (self.channels * (before + unit / 2 + unit) * 4) as f64
    }

    /// Returns the maximum number of frames of a chunk.
    pub fn max_frames(&self) -> usize {
        let signal = Signal::max_frames(self.channels);
        let Form::Transforms(grid) = &self.form else { return signal };
        // The carried frames share one buffer, including up to one unfinished unit.
        if self.shape.before() + grid.unit > signal {
            return 0;
        }
        if grid.is_short() {
            return signal;
        }
        let transforms = MAX_BINDING_BYTES as usize / (self.channels.max(1) * grid.points * 8);
        // A chunk can finish one unit more than it begins.
        let units = (transforms + 1).saturating_sub(grid.parts) / grid.stretches;
        (units.saturating_sub(1) * grid.unit).min(signal)
    }
}

fn refused(why: &str) -> Error {
    Error::unsupported("this response on a GPU", why)
}
