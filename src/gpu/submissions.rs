//! The submission being recorded and the submissions in flight.

use std::collections::VecDeque;

use super::context::{Context, Submitted};
use super::faults::Load;
use super::staging::Staging;
use crate::error::Result;

/// The maximum number of submissions in flight. Beyond it, the oldest one is awaited.
const MAX_IN_FLIGHT: usize = 3;
/// The submission being recorded and the submissions in flight.
pub(super) struct Submissions {
    pub encoder: wgpu::CommandEncoder,
    /// The estimated duration of its dispatches, in seconds.
    pub estimate: f64,
    /// What it has the device do.
    pub load: Load,
    in_flight: VecDeque<Submitted>,
}

impl Submissions {
    pub fn new(context: &Context) -> Self {
        Self { encoder: encoder(context), estimate: 0.0, load: Load::default(), in_flight: VecDeque::new() }
    }

    pub fn flush(&mut self, context: &Context, staging: &mut Staging) -> Result<Submitted> {
        let full = std::mem::replace(&mut self.encoder, encoder(context));
        self.estimate = 0.0;
        staging.before_submit();
        let index = context.submit(full, std::mem::take(&mut self.load))?;
        staging.after_submit();
        self.in_flight.push_back(index.clone());
        while self.in_flight.len() > MAX_IN_FLIGHT {
            self.wait_for_oldest(context)?;
        }
        Ok(index)
    }

    pub fn wait_for_oldest(&mut self, context: &Context) -> Result<()> {
        match self.in_flight.pop_front() {
            Some(index) => context.wait(&index),
            None => context.poll(),
        }
    }
}

fn encoder(context: &Context) -> wgpu::CommandEncoder {
    context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
}
