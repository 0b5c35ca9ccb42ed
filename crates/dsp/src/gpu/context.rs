//! A device and its queue. Records device loss and errors, and never waits without a timeout.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::adapters::{Adapter, AdapterKind, Tier, needed_limits};
use super::faults::{self, Load};
use base::error::{Error, Result};
use base::lock::lock;

/// The timeout after which the driver counts as hung. A submission is planned to take milliseconds, but the first one
/// may have to compile shaders.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// The duration of a timestamp tick in nanoseconds; `None` if timestamps are not available.
    pub timestamp_ns: Option<f64>,
    failure: Arc<Mutex<Option<String>>>,
    /// When the device will have done all that was submitted, if it is slowed down for a measurement.
    free_at: Mutex<Option<Instant>>,
}

/// A submission.
#[derive(Clone, Debug)]
pub(super) struct Submitted {
    index: wgpu::SubmissionIndex,
    /// Its earliest end, if the device is slowed down for a measurement.
    due: Option<Instant>,
}

impl Submitted {
    /// Returns whether it may be done. `false` only for a device that is slowed down.
    pub fn may_be_done(&self) -> bool {
        self.due.is_none_or(|due| due <= Instant::now())
    }
}

impl Context {
    pub fn open(adapter: &Adapter) -> Result<Self> {
        let started = Instant::now();
        let name = &adapter.info.name;
        let tier = adapter.info.tier.as_ref().copied().unwrap_or(Tier::Basic);
        let timestamps = tier == Tier::Full;
        let offered = adapter.handle.features();
        // Compiled pipelines are kept between runs of the program where the driver lets them be read.
        let mut wanted = wgpu::Features::PIPELINE_CACHE;
        wanted.set(wgpu::Features::TIMESTAMP_QUERY, timestamps);
        // A card's memory would be reached over the bus.
        let shares = matches!(adapter.info.kind, AdapterKind::Integrated | AdapterKind::Software);
        wanted.set(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS, shares);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("undertone"),
            required_features: offered & wanted,
            required_limits: needed_limits(tier, &adapter.handle.limits()),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.handle.request_device(&descriptor))
            .map_err(|error| Error::GpuUnavailable(format!("{name} could not be opened: {error}")))?;
        tracing::debug!("{name} was opened in {:?}", started.elapsed());
        let failure = Arc::new(Mutex::new(None));
        let on_lost = Arc::clone(&failure);
        device.set_device_lost_callback(move |reason, message| note(&on_lost, format!("{reason:?}: {message}")));
        let on_error = Arc::clone(&failure);
        // An error outside any error scope may have spoiled the work, so it counts as a failure.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&on_error, error.to_string())));
        let timestamp_ns = timestamps.then(|| f64::from(queue.get_timestamp_period()));
        Ok(Self { device, queue, timestamp_ns, failure, free_at: Mutex::new(None) })
    }

    /// Checks that the device is usable.
    pub fn check(&self) -> Result<()> {
        match &*lock(&self.failure) {
            Some(message) => Err(Error::GpuLost(message.clone())),
            None => Ok(()),
        }
    }

    /// Creates a buffer.
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

    /// Runs `make` and turns a validation error into [`Error::Internal`].
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

    /// Submits work to the queue.
    pub fn submit(&self, encoder: wgpu::CommandEncoder, load: Load) -> Result<Submitted> {
        if faults::submit_fails() {
            self.device.destroy();
            note(&self.failure, "Destroyed: by a test".to_owned());
        }
        self.check()?;
        let index = self.validated("a submission", || self.queue.submit([encoder.finish()]))?;
        self.check()?;
        let takes = faults::device_time(load);
        let due = (!takes.is_zero()).then(|| {
            let mut free_at = lock(&self.free_at);
            let due = free_at.unwrap_or_else(Instant::now).max(Instant::now()) + takes;
            *free_at.insert(due)
        });
        Ok(Submitted { index, due })
    }

    /// Waits until a submission is done.
    ///
    /// # Errors
    /// [`Error::GpuLost`] if the device is lost or does not answer within [`PATIENCE`].
    pub fn wait(&self, submitted: &Submitted) -> Result<()> {
        let wait = wgpu::PollType::Wait { submission_index: Some(submitted.index.clone()), timeout: Some(PATIENCE) };
        let answered = self.device.poll(wait);
        self.check()?;
        if let Err(error) = answered {
            note(&self.failure, format!("it did not answer within {} s: {error}", PATIENCE.as_secs()));
            // Dropping the last handle would wait for the hung work, so one handle is leaked.
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
        submitted.due.into_iter().for_each(faults::sleep_until);
        self.check()
    }

    /// Runs due device callbacks without waiting.
    pub fn poll(&self) -> Result<()> {
        // Polling without waiting cannot time out, and a device loss is reported by the callback.
        let _ = self.device.poll(wgpu::PollType::Poll);
        self.check()
    }
}

/// Fails if a test has armed a fault for a buffer of this size. Called before a buffer is created, so that freeing
/// other buffers does not avoid the failure.
pub(super) fn fail_if_armed(bytes: u64) -> Result<()> {
    if faults::buffer_fails(bytes) { Err(no_memory(bytes)) } else { Ok(()) }
}

fn no_memory(bytes: u64) -> Error {
    Error::GpuOutOfMemory(format!("There is no room for a buffer of {bytes} bytes"))
}

/// Records a failure. Only the first one is kept, because it explains the others.
fn note(failure: &Mutex<Option<String>>, message: String) {
    lock(failure).get_or_insert(message);
}
