//! A planned analysis of picture rows, for any method: computes columns from samples.

use std::ops::Range;

use super::analysis::lowest_hz;
use super::{Analysis, Method};
use crate::design::{Bank, FrequencyScale};
use crate::error::Result;
use crate::kernels::constant_q::{self, ConstantQPlan, ConstantQSpec};
use crate::kernels::multi_resolution::{self, MultiResolutionPlan, MultiResolutionSpec};
use crate::kernels::reassigned::{self, ReassignedPlan, ReassignedSpec};
use crate::kernels::stft::{ColumnGrid, Rows, Samples, StftPlan, Tile, TileRequest, cpu};
use crate::progress::Progress;
use crate::units::SampleRate;

/// Rows that divide a span of a frequency axis evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowSpan {
    /// The frequency scale.
    pub scale: FrequencyScale,
    /// The lower edge of the lowest row and the upper edge of the highest, in Hz.
    pub span_hz: [f64; 2],
    /// The number of rows.
    pub count: usize,
}

/// A planned analysis of rows.
#[derive(Clone, Debug)]
pub enum Analyser {
    /// Windows of one length.
    Fourier(StftPlan, Rows),
    /// Windows of several lengths.
    MultiResolution(MultiResolutionPlan),
    /// Windows of one length, with reassigned energy.
    Reassigned(Box<ReassignedPlan>),
    /// Windows with a constant number of periods.
    ConstantQ(ConstantQPlan),
}

impl Analyser {
    /// Plans the analysis for the rows of `span`.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an invalid analysis or invalid rows.
    pub fn new(analysis: &Analysis, rate: SampleRate, span: RowSpan) -> Result<Self> {
        let rate_hz = rate.as_f64();
        let RowSpan { scale, span_hz, count } = span;
        let plan = analysis.plan()?;
        match analysis.method {
            Method::Fourier => {
                let bank = Bank::display(plan.bins_at(rate_hz), scale, span_hz, count)?;
                Ok(Self::Fourier(plan, Rows::new(&bank)))
            }
            Method::MultiResolution => {
                let Analysis { window, size, padding, .. } = *analysis;
                let spec = MultiResolutionSpec { window, size, padding };
                Ok(Self::MultiResolution(MultiResolutionPlan::new(spec, rate_hz, scale, span_hz, count)?))
            }
            Method::Reassigned => {
                let Analysis { window, size, padding, .. } = *analysis;
                let spec = ReassignedSpec { window, size, padding };
                Ok(Self::Reassigned(Box::new(ReassignedPlan::new(spec, rate_hz, scale, span_hz, count)?)))
            }
            Method::ConstantQ => {
                let Analysis { window, bins_per_octave, .. } = *analysis;
                let spec = ConstantQSpec { window, bins_per_octave, low_hz: lowest_hz(rate) };
                Ok(Self::ConstantQ(ConstantQPlan::new(spec, rate_hz, scale, span_hz, count)?))
            }
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Fourier(_, rows) => rows.len(),
            Self::MultiResolution(plan) => plan.rows(),
            Self::Reassigned(plan) => plan.rows(),
            Self::ConstantQ(plan) => plan.row_count(),
        }
    }

    /// Returns the frames that must be read to compute these columns.
    pub fn reach(&self, grid: &ColumnGrid) -> Range<i64> {
        match self {
            Self::Fourier(plan, _) => grid.columns(plan.spec().size as f64).reach(plan),
            Self::MultiResolution(plan) => plan.reach(grid),
            Self::Reassigned(plan) => plan.reach(grid),
            Self::ConstantQ(plan) => plan.reach(grid),
        }
    }

    /// Computes the levels of columns on the CPU, in steps of 0.005 dB ([`crate::kernels::stft::LevelCode::FINE`]).
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] and [`crate::Error::Limit`] for columns that cannot be computed;
    /// [`crate::Error::Cancelled`].
    pub fn fine(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<u16>> {
        match self {
            Self::Fourier(plan, rows) => {
                let columns = grid.columns(plan.spec().size as f64);
                cpu::fine(&TileRequest { plan, rows, columns, samples })
            }
            Self::MultiResolution(plan) => multi_resolution::cpu::fine(plan, grid, samples),
            Self::Reassigned(plan) => reassigned::cpu::fine(plan, grid, samples, Some(progress)),
            Self::ConstantQ(plan) => constant_q::cpu::fine(plan, grid, samples, Some(progress)),
        }
    }

    /// Computes the levels of columns on the CPU, in dB re a full-scale sine.
    ///
    /// # Errors
    /// As [`Analyser::fine`].
    pub fn levels(&self, grid: &ColumnGrid, samples: Samples<'_>, progress: &Progress) -> Result<Tile<f32>> {
        match self {
            Self::Fourier(plan, rows) => {
                let columns = grid.columns(plan.spec().size as f64);
                cpu::levels(&TileRequest { plan, rows, columns, samples })
            }
            Self::MultiResolution(plan) => multi_resolution::cpu::levels(plan, grid, samples),
            Self::Reassigned(plan) => reassigned::cpu::levels(plan, grid, samples, Some(progress)),
            Self::ConstantQ(plan) => constant_q::cpu::levels(plan, grid, samples, Some(progress)),
        }
    }
}
