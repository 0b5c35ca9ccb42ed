//! Runs an FIR filter as a [`Process`].

use std::sync::Arc;

use crate::Process;
use audio::AudioBuffer;
use base::error::Result;
use dsp::design::Response;
use dsp::design::fir::Taps;
use dsp::kernels::signal::fir::{FirPlan, FirStream};

/// The maximum number of taps for which a response is computed; more are too costly for every point of a curve.
const MAX_TOLD: usize = 1 << 16;

/// A filter running on a stream.
#[derive(Debug)]
pub(super) struct Running {
    stream: FirStream,
    /// The taps, if all channels share them.
    taps: Option<Arc<Taps>>,
    /// The delay of the taps in frames that the effect declares as latency.
    lag: u64,
}

impl Running {
    pub fn new(plan: Arc<FirPlan>, taps: Option<Arc<Taps>>, lag: u64) -> Self {
        Self { stream: FirStream::new(plan, 0), taps, lag }
    }
}

impl Process for Running {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        self.stream.process(block)
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = frame == self.stream.position();
        let was_silent = self.stream.is_silent();
        if !goes_on {
            self.stream.forget(frame);
        }
        goes_on || was_silent
    }

    fn response(&self, w: f64) -> Option<Response> {
        let taps = self.taps.as_ref().filter(|taps| taps.values().len() <= MAX_TOLD)?;
        Some(taps.response(w, self.lag as f64))
    }

    fn taps(&self) -> Option<(&[f64], u64)> {
        self.taps.as_ref().map(|taps| (taps.values(), self.lag))
    }

    fn fir(&self) -> Option<&FirStream> {
        Some(&self.stream)
    }

    fn fir_mut(&mut self) -> Option<&mut FirStream> {
        Some(&mut self.stream)
    }

    fn state(&self) -> Vec<f64> {
        self.stream.state()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        self.stream.restore(state)
    }
}
