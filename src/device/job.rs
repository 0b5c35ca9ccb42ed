//! Work that is done piece by piece, each piece by itself, on the device that was chosen for all of them.

use std::sync::PoisonError;

use super::choice::{DeviceId, RunPurpose, Workload};
use super::devices::{Devices, SharedEngine};
use super::fallback::{Fallback, Recovery};
use super::report::DeviceReport;
use super::request::DeviceRequest;
use crate::error::{Error, Result};
use crate::gpu::Engine;

/// A job whose pieces `G` makes on a GPU, and the CPU where there is none, where it fails and where it refuses them.
#[derive(Debug)]
pub struct DeviceJob<G> {
    fallback: Fallback,
    gpu: Option<(SharedEngine, G)>,
}

impl<G> DeviceJob<G> {
    /// Chooses a device for this work. Only where that is a GPU is the work brought into its form, by `lower`; what that
    /// refuses goes to the CPU, its reason in the report.
    ///
    /// # Errors
    /// What `lower` fails with other than by refusing.
    pub fn new(
        devices: &Devices,
        request: &DeviceRequest,
        mut work: Workload,
        purpose: RunPurpose,
        lower: impl FnOnce() -> Result<G>,
    ) -> Result<Self> {
        let mut choice = devices.choose(request, &work, purpose);
        let mut lowered = None;
        if choice.device != DeviceId::Cpu {
            match lower() {
                Ok(found) => lowered = Some(found),
                Err(error) if is_refusal(&error) => {
                    work.impossible = Some(error.to_string());
                    choice = devices.choose(request, &work, purpose);
                }
                Err(error) => return Err(error),
            }
        }
        // Pieces are cut by those who make them, as small as they can be: what fails for want of memory is for the CPU.
        let mut job = Self { fallback: Fallback::new(choice, 1), gpu: None };
        if let (DeviceId::Gpu(index), Some(lowered)) = (job.fallback.choice().device, lowered) {
            match devices.engine(index) {
                Ok(engine) => job.gpu = Some((engine, lowered)),
                Err(error) if job.fallback.failed(&error).is_none() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(job)
    }

    /// Whether the next piece is a GPU's.
    pub fn is_on_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Where it runs now, and why.
    pub fn report(&self) -> &DeviceReport {
        &self.fallback.choice().report
    }

    /// Makes a piece. A lost GPU is opened again once; after that, and after every other failure of it, this piece and
    /// all that follow are made on the CPU.
    ///
    /// # Errors
    /// Those of the CPU, and of the GPU what is not for want of one, as [`Error::Cancelled`].
    pub fn run<T>(
        &mut self,
        on_gpu: impl Fn(&G, &mut Engine) -> Result<T>,
        on_cpu: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        while let Some((engine, lowered)) = &self.gpu {
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            let mut error = match on_gpu(lowered, &mut engine) {
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
                    Some(Recovery::Rebuild) => match engine.rebuild() {
                        Ok(()) => break true,
                        Err(worse) => error = worse,
                    },
                }
            };
            drop(engine);
            if !goes_on {
                self.gpu = None;
            }
        }
        on_cpu()
    }
}

/// Whether the error says that something is none for a GPU; where it is none for the CPU either, that says so itself.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Unsupported { .. } | Error::Limit { .. } | Error::Invalid { .. })
}
