//! Decides how a job continues after its GPU fails. A GPU failure never ends a job.

use super::choice::{DeviceChoice, DeviceId};
use super::turns::Turn;
use base::error::Error;

/// How to continue after a failed chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Run the same frames again, in chunks of at most this many frames.
    Smaller(usize),
    /// Call [`crate::gpu::Engine::rebuild`], then run the same chunk again. If rebuilding fails, pass its error to
    /// [`Fallback::failed`].
    Rebuild,
    /// Run the same frames and all that follow on the CPU.
    Cpu,
}

/// The smallest chunk to retry on a GPU, in frames. Below this a smaller chunk would not help.
const MIN_FRAMES: usize = 4096;

/// Tracks where one job runs. Running out of memory halves the chunk, a lost device is rebuilt once, and any other GPU
/// failure moves the job to the CPU. A rebuild and a move to the CPU are recorded in the report's reason.
#[derive(Debug)]
pub struct Fallback {
    choice: DeviceChoice,
    /// The job's place on its device, if it shares the devices with others.
    turn: Option<Turn>,
    cpu_name: &'static str,
    max_frames: usize,
    rebuilt: bool,
}

/// A choice, and the job's place on the device if it shares the devices with others.
#[derive(Debug)]
pub struct ChosenDevice {
    /// The choice.
    pub choice: DeviceChoice,
    pub(super) turn: Option<Turn>,
}

impl Fallback {
    /// Starts a job on the chosen device, with chunks of at most `chunk_frames` frames.
    pub fn new(choice: DeviceChoice, chunk_frames: usize) -> Self {
        Self::of(ChosenDevice { choice, turn: None }, chunk_frames)
    }

    /// Starts a job as [`Fallback::new`] does, which may share the devices with others.
    pub fn of(chosen: ChosenDevice, chunk_frames: usize) -> Self {
        let ChosenDevice { choice, turn } = chosen;
        Self { choice, turn, cpu_name: super::devices::cpu_name(), max_frames: chunk_frames.max(1), rebuilt: false }
    }

    /// Returns where the job runs now and why.
    pub fn choice(&self) -> &DeviceChoice {
        &self.choice
    }

    /// Returns the largest allowed size of the next chunk, in frames.
    pub fn max_frames(&self) -> usize {
        self.max_frames
    }

    /// Returns what to do after `error` on a GPU; `None` if it is not a GPU error and the job must handle it.
    pub fn failed(&mut self, error: &Error) -> Option<Recovery> {
        let DeviceId::Gpu(index) = self.choice.device else { return None };
        match error {
            Error::GpuOutOfMemory(_) if self.max_frames / 2 >= MIN_FRAMES => {
                self.max_frames /= 2;
                tracing::warn!("gpu:{index}: {error}; going on with chunks of {} frames", self.max_frames);
                Some(Recovery::Smaller(self.max_frames))
            }
            Error::GpuLost(_) if !self.rebuilt => {
                self.rebuilt = true;
                tracing::warn!("gpu:{index}: {error}; opening it again");
                let report = &mut self.choice.report;
                report.reason = format!("{}, restarted once after it stopped working", report.reason);
                Some(Recovery::Rebuild)
            }
            Error::GpuOutOfMemory(_) | Error::GpuLost(_) | Error::GpuUnavailable(_) => {
                tracing::warn!("gpu:{index}: {error}; going on on the CPU");
                if let Some(turn) = &self.turn {
                    turn.device_failed();
                }
                self.move_to_cpu(&format!("failed: {}", error.sentences().trim_end_matches('.')));
                Some(Recovery::Cpu)
            }
            _ => None,
        }
    }

    /// Moves the job to the CPU because this GPU does not support the work.
    pub(super) fn refused(&mut self, error: &Error) {
        self.move_to_cpu(&format!("cannot do this: {}", error.sentences().trim_end_matches('.')));
    }

    fn move_to_cpu(&mut self, reason: &str) {
        if let Some(turn) = &mut self.turn {
            turn.move_to_cpu();
        }
        let report = &mut self.choice.report;
        report.reason = format!("{} {reason}", report.used);
        report.fallback = true;
        "cpu".clone_into(&mut report.used);
        self.cpu_name.clone_into(&mut report.name);
        self.choice.device = DeviceId::Cpu;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceReport;

    fn on_gpu() -> Fallback {
        let report = DeviceReport {
            requested: "gpu".to_owned(),
            used: "gpu:0".to_owned(),
            name: "a GPU".to_owned(),
            reason: "selected".to_owned(),
            fallback: false,
        };
        Fallback::new(DeviceChoice { device: DeviceId::Gpu(0), report }, 20_000)
    }

    #[test]
    fn memory_is_halved_as_long_as_it_helps() {
        let mut job = on_gpu();
        let full = Error::GpuOutOfMemory("no room".to_owned());
        assert_eq!(job.failed(&full), Some(Recovery::Smaller(10_000)));
        assert_eq!(job.failed(&full), Some(Recovery::Smaller(5000)));
        assert_eq!(job.failed(&full), Some(Recovery::Cpu));
        assert_eq!((job.choice().device, job.choice().report.fallback), (DeviceId::Cpu, true));
        assert_eq!(job.choice().report.reason, "gpu:0 failed: The GPU has too little memory. No room");
        assert_eq!(job.failed(&full), None, "the CPU has no such error");
    }

    #[test]
    fn a_lost_device_is_rebuilt_once() {
        let mut job = on_gpu();
        let lost = Error::GpuLost("reset".to_owned());
        assert_eq!(job.failed(&lost), Some(Recovery::Rebuild));
        assert!(!job.choice().report.fallback && job.choice().report.reason.contains("restarted once"));
        assert_eq!(job.failed(&lost), Some(Recovery::Cpu));
        let mut job = on_gpu();
        assert_eq!(job.failed(&lost), Some(Recovery::Rebuild));
        assert_eq!(job.failed(&Error::GpuUnavailable("gone".to_owned())), Some(Recovery::Cpu));
    }

    #[test]
    fn other_errors_are_the_jobs_own() {
        assert_eq!(on_gpu().failed(&Error::Cancelled), None);
    }
}
