//! Plans the analysis of picture rows by any method.

use super::analysis::lowest_hz;
use super::{Analysis, Method};
use base::error::Result;
use base::units::SampleRate;
use dsp::design::{Bank, FrequencyScale};
use dsp::kernels::signal::constant_q::{ConstantQPlan, ConstantQSpec};
use dsp::kernels::signal::multi_resolution::{MultiResolutionPlan, MultiResolutionSpec};
use dsp::kernels::signal::reassigned::{ReassignedPlan, ReassignedSpec};
use dsp::kernels::signal::stft::{ColumnAnalysis, FourierAnalysis, Rows};

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

impl Analysis {
    /// Plans the analysis for the rows of `span`.
    pub fn columns(&self, rate: SampleRate, span: RowSpan) -> Result<Box<dyn ColumnAnalysis>> {
        let rate_hz = rate.as_f64();
        let RowSpan { scale, span_hz, count } = span;
        let Analysis { window, size, padding, bins_per_octave, .. } = *self;
        let plan = self.plan()?;
        Ok(match self.method {
            Method::Fourier => {
                let bank = Bank::display(plan.bins_at(rate_hz), scale, span_hz, count)?;
                Box::new(FourierAnalysis { plan, rows: Rows::new(&bank) })
            }
            Method::MultiResolution => {
                let spec = MultiResolutionSpec { window, size, padding };
                Box::new(MultiResolutionPlan::new(spec, rate_hz, scale, span_hz, count)?)
            }
            Method::Reassigned => {
                let spec = ReassignedSpec { window, size, padding };
                Box::new(ReassignedPlan::new(spec, rate_hz, scale, span_hz, count)?)
            }
            Method::ConstantQ => {
                let spec = ConstantQSpec { window, bins_per_octave, low_hz: lowest_hz(rate) };
                Box::new(ConstantQPlan::new(spec, rate_hz, scale, span_hz, count)?)
            }
        })
    }
}
