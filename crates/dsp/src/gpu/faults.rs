//! Injects GPU faults, so that tests can prove what happens when a GPU fails.
//!
//! Users cannot trigger them. Faults are armed by a call, for the engines of this process, or by the environment
//! variable `UNDERTONE_GPU_FAULT` in builds with debug assertions only.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The armed faults. Counts start at 1 and run over all engines of the process. A fault happens once unless stated
/// otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The n-th buffer created from now on fails with out of memory.
    pub out_of_memory_at_buffer: Option<u64>,
    /// Every buffer larger than this many bytes fails with out of memory. Permanent.
    pub out_of_memory_above: Option<u64>,
    /// The device is lost at the n-th submission from now on.
    pub lost_at_submit: Option<u64>,
    /// The device is lost at every submission from the n-th on. Permanent.
    pub lost_from_submit: Option<u64>,
    /// Every adapter is gone when it is to be opened. Permanent.
    pub adapter_vanished: bool,
    /// Kernels seem to take this many times as long. Permanent.
    pub slow_clock: Option<u64>,
    /// Copies and kernels take longer. Permanent.
    pub slow: Option<SlowDevice>,
}

/// A device with a slow bus, to measure what overlaps with what. Its queue works through submissions in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowDevice {
    /// The rate of copies by the host to and from mapped memory, in bytes per second.
    pub host_bytes_s: f64,
    /// The rate of the device's copies from and to mapped memory, in bytes per second.
    pub bus_bytes_s: f64,
    /// The seconds of a kernel for each unit of a dispatch's work.
    pub seconds_per_work: f64,
}

impl Eq for SlowDevice {}

/// The load that a submission puts on the device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    /// The bytes copied from or to mapped memory.
    pub bytes: u64,
    /// The work of the dispatches.
    pub work: f64,
}

/// Returns the least time that a submission takes on the device.
pub(super) fn device_time(load: Load) -> Duration {
    let slow = armed().faults.slow;
    slow.map_or(Duration::ZERO, |slow| {
        Duration::from_secs_f64(load.bytes as f64 / slow.bus_bytes_s + load.work * slow.seconds_per_work)
    })
}

/// Waits for the least time that a host copy of this many bytes takes, counted from `started`.
pub(super) fn copied(bytes: u64, started: Instant) {
    if let Some(slow) = armed().faults.slow {
        sleep_until(started + Duration::from_secs_f64(bytes as f64 / slow.host_bytes_s));
    }
}

/// Returns whether the device is slowed down.
pub(crate) fn is_slowed() -> bool {
    armed().faults.slow.is_some()
}

/// Sleeps until `due`.
pub(super) fn sleep_until(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()));
}

#[derive(Debug, Default)]
struct Armed {
    faults: Faults,
    buffers: u64,
    submits: u64,
}

fn armed() -> MutexGuard<'static, Armed> {
    static ARMED: OnceLock<Mutex<Armed>> = OnceLock::new();
    ARMED
        .get_or_init(|| Mutex::new(Armed { faults: from_environment(), ..Armed::default() }))
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Arms these faults in place of earlier ones and restarts the counts.
#[doc(hidden)]
pub fn arm(faults: Faults) {
    *armed() = Armed { faults, buffers: 0, submits: 0 };
}

/// Reads `out_of_memory=N,out_of_memory_above=BYTES,lost=N,lost_from=N,vanished=1,slow_clock=TIMES` from the
/// environment, in builds with debug assertions only.
fn from_environment() -> Faults {
    let mut faults = Faults::default();
    if !cfg!(debug_assertions) {
        return faults;
    }
    let Ok(text) = std::env::var("UNDERTONE_GPU_FAULT") else { return faults };
    for (name, value) in text.split(',').filter_map(|part| part.split_once('=')) {
        let value: Option<u64> = value.trim().parse().ok();
        match name.trim() {
            "out_of_memory" => faults.out_of_memory_at_buffer = value,
            "out_of_memory_above" => faults.out_of_memory_above = value,
            "lost" => faults.lost_at_submit = value,
            "lost_from" => faults.lost_from_submit = value,
            "vanished" => faults.adapter_vanished = value == Some(1),
            "slow_clock" => faults.slow_clock = value,
            other => tracing::warn!("UNDERTONE_GPU_FAULT: no such fault: {other}"),
        }
    }
    tracing::warn!("faults are armed for a test: {faults:?}");
    faults
}

/// Counts a buffer that is about to be created; returns whether it must fail with out of memory.
pub(super) fn buffer_fails(bytes: u64) -> bool {
    let mut armed = armed();
    armed.buffers += 1;
    armed.faults.out_of_memory_at_buffer == Some(armed.buffers)
        || armed.faults.out_of_memory_above.is_some_and(|limit| bytes > limit)
}

/// Counts a submission that is about to be made; returns whether the device must be lost.
pub(super) fn submit_fails() -> bool {
    let mut armed = armed();
    armed.submits += 1;
    armed.faults.lost_at_submit == Some(armed.submits)
        || armed.faults.lost_from_submit.is_some_and(|first| armed.submits >= first)
}

/// Returns how many times as long kernels seem to take.
pub(super) fn clock_factor() -> f64 {
    armed().faults.slow_clock.map_or(1.0, |times| times as f64)
}

pub(super) fn adapter_vanished() -> bool {
    armed().faults.adapter_vanished
}
