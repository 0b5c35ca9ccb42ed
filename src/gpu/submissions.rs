//! The submission being recorded and the submissions in flight.

use std::collections::VecDeque;

use super::context::{Context, Submitted};
use super::faults::Load;
use super::staging::Staging;
use crate::error::Result;

/// The number of submissions that are always allowed in flight.
const FEW_IN_FLIGHT: usize = 3;
/// The limits of more submissions in flight: their number, and the estimated seconds of their dispatches. Beyond either,
/// the oldest one is awaited. The host can then be a piece ahead of the device, also where pieces are cut finely.
const MAX_IN_FLIGHT: usize = 32;
const SECONDS_IN_FLIGHT: f64 = 0.1;
/// The submission being recorded and the submissions in flight.
pub(super) struct Submissions {
    pub encoder: wgpu::CommandEncoder,
    /// The estimated duration of its dispatches, in seconds.
    pub estimate: f64,
    /// What it has the device do.
    pub load: Load,
    /// The submissions in flight, oldest first, with their estimated seconds.
    in_flight: VecDeque<(Submitted, f64)>,
}

impl Submissions {
    pub fn new(context: &Context) -> Self {
        Self { encoder: encoder(context), estimate: 0.0, load: Load::default(), in_flight: VecDeque::new() }
    }

    pub fn flush(&mut self, context: &Context, staging: &mut Staging) -> Result<Submitted> {
        let full = std::mem::replace(&mut self.encoder, encoder(context));
        let seconds = std::mem::take(&mut self.estimate);
        staging.before_submit();
        let index = context.submit(full, std::mem::take(&mut self.load))?;
        staging.after_submit();
        self.in_flight.push_back((index.clone(), seconds));
        while self.has_too_many() {
            self.wait_for_oldest(context)?;
        }
        Ok(index)
    }

    pub fn wait_for_oldest(&mut self, context: &Context) -> Result<()> {
        match self.in_flight.pop_front() {
            Some((index, _)) => context.wait(&index),
            None => context.poll(),
        }
    }

    fn has_too_many(&self) -> bool {
        let seconds: f64 = self.in_flight.iter().map(|(_, seconds)| seconds).sum();
        let count = self.in_flight.len();
        count > FEW_IN_FLIGHT && (count > MAX_IN_FLIGHT || seconds > SECONDS_IN_FLIGHT)
    }
}

fn encoder(context: &Context) -> wgpu::CommandEncoder {
    context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
}
