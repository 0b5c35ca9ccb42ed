//! Injects GPU faults, so that tests can prove what happens when a GPU fails.
//!
//! Users cannot trigger them. Faults are armed by a call, for the engines of this process, or by the environment
//! variable `UNDERTONE_GPU_FAULT` in builds with debug assertions only.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

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

/// Reads `out_of_memory=N,out_of_memory_above=BYTES,lost=N,lost_from=N,vanished=1` from the environment, in builds with
/// debug assertions only.
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

pub(super) fn adapter_vanished() -> bool {
    armed().faults.adapter_vanished
}
