//! A device and its queue: opened, watched, and never waited for without an end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::adapters::{Adapter, Tier};
use super::faults;
use crate::error::{Error, Result};

/// Work that takes longer than this is taken for a hung driver. A submission is planned to take milliseconds; the first
/// may have shaders to compile.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// Nanoseconds of one tick of the device's clock, where it has one that can be read.
    pub timestamp_ns: Option<f64>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Context {
    pub fn open(adapter: &Adapter) -> Result<Self> {
        let name = &adapter.info.name;
        let timestamps = adapter.info.tier == Ok(Tier::Full);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("undertone"),
            required_features: if timestamps { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() },
            required_limits: adapter.handle.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.handle.request_device(&descriptor))
            .map_err(|error| Error::GpuUnavailable(format!("{name} could not be opened: {error}")))?;
        let failure = Arc::new(Mutex::new(None));
        let on_lost = Arc::clone(&failure);
        device.set_device_lost_callback(move |reason, message| note(&on_lost, format!("{reason:?}: {message}")));
        let on_error = Arc::clone(&failure);
        // What no scope catches has spoiled the work: it must not pass for done.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&on_error, error.to_string())));
        let timestamp_ns = timestamps.then(|| f64::from(queue.get_timestamp_period()));
        Ok(Self { device, queue, timestamp_ns, failure })
    }

    /// # Errors
    /// [`Error::GpuLost`] once the device is lost or has failed.
    pub fn check(&self) -> Result<()> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(message) => Err(Error::GpuLost(message.clone())),
            None => Ok(()),
        }
    }

    /// Makes a buffer.
    ///
    /// # Errors
    /// [`Error::GpuOutOfMemory`], [`Error::GpuLost`]; [`Error::Internal`] for a size or usage that is not allowed.
    pub fn create_buffer(&self, bytes: u64, usage: wgpu::BufferUsages, mapped: bool) -> Result<wgpu::Buffer> {
        self.check()?;
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: mapped,
        });
        let invalid = pollster::block_on(validation.pop());
        let exhausted = pollster::block_on(memory.pop());
        self.check()?;
        if exhausted.is_some() {
            return Err(no_memory(bytes));
        }
        match invalid {
            Some(error) => Err(Error::Internal(format!("a GPU buffer of {bytes} bytes was refused: {error}"))),
            None => Ok(buffer),
        }
    }

    /// Runs `make` and turns what validation has to say of it into an error.
    pub fn validated<T>(&self, what: &str, make: impl FnOnce() -> T) -> Result<T> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = make();
        let invalid = pollster::block_on(scope.pop());
        self.check()?;
        match invalid {
            Some(error) => Err(Error::Internal(format!("{what} was refused by the GPU: {error}"))),
            None => Ok(made),
        }
    }

    /// Gives work to the device.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> Result<wgpu::SubmissionIndex> {
        if faults::submit_fails() {
            self.device.destroy();
            note(&self.failure, "Destroyed: by a test".to_owned());
        }
        self.check()?;
        let index = self.validated("a submission", || self.queue.submit([encoder.finish()]))?;
        self.check()?;
        Ok(index)
    }

    /// Waits until that work is done.
    ///
    /// # Errors
    /// [`Error::GpuLost`] when the device is lost, or does not answer.
    pub fn wait(&self, index: &wgpu::SubmissionIndex) -> Result<()> {
        let wait = wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: Some(PATIENCE) };
        let answered = self.device.poll(wait);
        self.check()?;
        if let Err(error) = answered {
            note(&self.failure, format!("it did not answer within {} s: {error}", PATIENCE.as_secs()));
            // Dropping the last handle would wait for the hung work: keep one for ever.
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
        self.check()
    }

    /// Lets the device call back what is due, without waiting.
    pub fn poll(&self) -> Result<()> {
        // Without waiting there is nothing that could time out; a loss comes through the callback.
        let _ = self.device.poll(wgpu::PollType::Poll);
        self.check()
    }
}

/// To be asked before a buffer is made: whether a test wants it to fail for good, whatever could be let go for it.
///
/// # Errors
/// [`Error::GpuOutOfMemory`].
pub(super) fn fail_if_armed(bytes: u64) -> Result<()> {
    if faults::buffer_fails(bytes) { Err(no_memory(bytes)) } else { Ok(()) }
}

fn no_memory(bytes: u64) -> Error {
    Error::GpuOutOfMemory(format!("no room for a buffer of {bytes} bytes"))
}

/// The first failure is the one that explains the others.
fn note(failure: &Mutex<Option<String>>, message: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}
