//! The submission being recorded and the submissions in flight.

use std::collections::VecDeque;

use super::context::{Context, Submitted};
use super::faults::Load;
use super::staging::Staging;
use base::error::Result;

/// The number of submissions that are always allowed in flight.
const FEW_IN_FLIGHT: usize = 3;
/// The limits for more submissions in flight: the estimated seconds of their dispatches, and the number of their passes
/// and copies. Beyond either, the oldest one is awaited. This lets the host be a piece ahead of the device, even if
/// pieces are cut finely.
const SECONDS_IN_FLIGHT: f64 = 0.1;
const PASSES_IN_FLIGHT: usize = 1024;
/// The maximum number of passes and copies of one submission. Metal encodes each of them separately, and a device is
/// lost when some 4,096 of them are outstanding; with [`PASSES_IN_FLIGHT`] there are at most a third of that.
const MAX_PASSES: usize = 256;

/// The submission being recorded and the submissions in flight.
pub(super) struct Submissions {
    pub encoder: wgpu::CommandEncoder,
    /// The estimated duration of its dispatches, in seconds.
    pub estimate: f64,
    /// The number of its passes and copies.
    passes: usize,
    /// The number of submissions so far.
    pub count: u64,
    /// The longest estimated duration of a submission, in seconds.
    pub longest: f64,
    /// The load that it puts on the device.
    pub load: Load,
    /// The submissions in flight, oldest first, with their estimated seconds and their passes.
    in_flight: VecDeque<(Submitted, f64, usize)>,
}

impl Submissions {
    pub fn new(context: &Context) -> Self {
        Self {
            encoder: encoder(context),
            estimate: 0.0,
            passes: 0,
            count: 0,
            longest: 0.0,
            load: Load::default(),
            in_flight: VecDeque::new(),
        }
    }

    /// Whether there is no room for another pass or copy of `estimate` seconds: the submission has too many, or would
    /// take longer than `most` seconds.
    pub fn is_full(&self, estimate: f64, most: f64) -> bool {
        self.passes >= MAX_PASSES || (self.estimate > 0.0 && self.estimate + estimate > most)
    }

    /// Counts a pass or copy of `estimate` seconds.
    pub fn count_pass(&mut self, estimate: f64) {
        self.passes += 1;
        self.estimate += estimate;
    }

    pub fn flush(&mut self, context: &Context, staging: &mut Staging) -> Result<Submitted> {
        let full = std::mem::replace(&mut self.encoder, encoder(context));
        let seconds = std::mem::take(&mut self.estimate);
        let passes = std::mem::take(&mut self.passes);
        self.longest = self.longest.max(seconds);
        self.count += 1;
        staging.before_submit();
        let index = context.submit(full, std::mem::take(&mut self.load))?;
        staging.after_submit();
        self.in_flight.push_back((index.clone(), seconds, passes.max(1)));
        while self.has_too_many() {
            self.wait_for_oldest(context)?;
        }
        Ok(index)
    }

    pub fn wait_for_oldest(&mut self, context: &Context) -> Result<()> {
        match self.in_flight.pop_front() {
            Some((index, ..)) => context.wait(&index),
            None => context.poll(),
        }
    }

    fn has_too_many(&self) -> bool {
        let seconds: f64 = self.in_flight.iter().map(|(_, seconds, _)| seconds).sum();
        let passes: usize = self.in_flight.iter().map(|(.., passes)| passes).sum();
        self.in_flight.len() > FEW_IN_FLIGHT && (seconds > SECONDS_IN_FLIGHT || passes > PASSES_IN_FLIGHT)
    }
}

fn encoder(context: &Context) -> wgpu::CommandEncoder {
    context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
}
