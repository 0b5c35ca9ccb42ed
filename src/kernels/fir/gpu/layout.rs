//! How a filter runs on a GPU, as far as it follows from its lengths alone, and what that costs.

use super::super::{FirPlan, Strategy};
use super::grid::Grid;
use crate::error::{Error, Result};
use crate::gpu::{MAX_BINDING_BYTES, Signal};

/// How a plan would run on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(super) shape: Strategy,
    pub(super) channels: usize,
    pub(super) form: Form,
    /// Of each output channel; those that have fewer hear a silent filter.
    pub(super) routes_each: usize,
    /// Whether there is one that has fewer.
    pub(super) uneven: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Direct { taps: usize },
    Transforms(Grid),
}

impl Layout {
    /// Of a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for responses that one of a GPU's buffers does not hold.
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

    /// Operations for a frame of all channels, about.
    pub fn operations(&self) -> f64 {
        let each = match &self.form {
            Form::Direct { taps } => 2.0 * *taps as f64,
            Form::Transforms(grid) => grid.operations(),
        };
        each * (self.channels * self.routes_each) as f64
    }

    /// Bytes that go up with each chunk and come back, at the most each way, because they are carried on.
    pub fn carried_bytes(&self) -> f64 {
        let (unit, before) = (self.shape.unit(), self.shape.before());
        // On average half of a unit is gathered.
        (self.channels * (before + unit / 2 + unit) * 4) as f64
    }

    /// The most frames of a chunk.
    pub fn max_frames(&self) -> usize {
        let signal = Signal::max_frames(self.channels);
        let Form::Transforms(grid) = &self.form else { return signal };
        // What is carried stands in one buffer, too, with a unit at the most that is being gathered.
        if self.shape.before() + grid.unit > signal {
            return 0;
        }
        if grid.is_short() {
            return signal;
        }
        let transforms = MAX_BINDING_BYTES as usize / (self.channels.max(1) * grid.points * 8);
        // One unit more may end in a chunk than begins in it.
        let units = (transforms + 1).saturating_sub(grid.parts) / grid.stretches;
        (units.saturating_sub(1) * grid.unit).min(signal)
    }
}

fn refused(why: &str) -> Error {
    Error::unsupported("this response on a GPU", why)
}
