//! Runs a job made of independent pieces on the device that was chosen for all of them.

use std::sync::Arc;

use super::choice::{DeviceId, Workload};
use super::devices::Devices;
use super::fallback::{ChosenDevice, Fallback, Recovery};
use super::report::DeviceReport;
use crate::gpu::SubmissionBatcher;
use base::error::{Error, Result};

/// A job whose pieces are computed on a GPU with `G`, or on the CPU if there is no GPU, it fails, or it does not
/// support them.
#[derive(Debug)]
pub struct DeviceJob<G> {
    fallback: Fallback,
    gpu: Option<(Arc<SubmissionBatcher>, G)>,
}

impl<G> DeviceJob<G> {
    /// Chooses a device for this work by `choose`. If that is a GPU, `lower` prepares the work for it. If `lower`
    /// refuses, the job runs on the CPU and the report gives the reason.
    pub fn new(
        mut work: Workload,
        choose: impl Fn(&Workload) -> ChosenDevice,
        devices: &Devices,
        lower: impl FnOnce() -> Result<G>,
    ) -> Result<Self> {
        let mut chosen = choose(&work);
        let mut lowered = None;
        if chosen.choice.device != DeviceId::Cpu {
            match lower() {
                Ok(found) => lowered = Some(found),
                Err(error) if is_refusal(&error) => {
                    work.impossible = Some(error.to_string());
                    chosen = choose(&work);
                }
                Err(error) => return Err(error),
            }
        }
        // The caller already cuts pieces as small as possible, so a piece that does not fit into GPU memory goes to the
        // CPU.
        let mut job = Self { fallback: Fallback::of(chosen, 1), gpu: None };
        if let (DeviceId::Gpu(index), Some(lowered)) = (job.fallback.choice().device, lowered) {
            match devices.batcher(index) {
                Ok(batcher) => job.gpu = Some((batcher, lowered)),
                Err(error) if job.fallback.failed(&error).is_none() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(job)
    }

    /// Returns whether the next piece runs on a GPU.
    pub fn is_on_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Returns where the job runs now and why.
    pub fn report(&self) -> &DeviceReport {
        &self.fallback.choice().report
    }

    /// Runs a piece. A lost GPU is opened again once. After that, or after any other GPU failure, this piece and all
    /// that follow run on the CPU.
    ///
    /// # Errors
    /// Any CPU error, and any GPU error that the CPU cannot recover from, such as [`Error::Cancelled`].
    pub fn run<T>(
        &mut self,
        on_gpu: impl Fn(&G, &SubmissionBatcher) -> Result<T>,
        on_cpu: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        while let Some((batcher, lowered)) = &self.gpu {
            let mut error = match on_gpu(lowered, batcher) {
                Ok(piece) => return Ok(piece),
                Err(error) => error,
            };
            let goes_on = loop {
                if is_refusal(&error) {
                    self.fallback.refused(&error);
                    break false;
                }
                match self.fallback.failed(&error) {
                    None => return Err(error),
                    Some(Recovery::Cpu) => break false,
                    Some(Recovery::Smaller(_)) => break true,
                    Some(Recovery::Rebuild) => match batcher.engine().rebuild() {
                        Ok(()) => break true,
                        Err(worse) => error = worse,
                    },
                }
            };
            if !goes_on {
                self.gpu = None;
            }
        }
        on_cpu()
    }
}

/// Returns whether the error says that a GPU cannot do this work. If the CPU cannot either, it reports that itself.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Unsupported { .. } | Error::Limit { .. }) || error.is_wrong_request()
}
