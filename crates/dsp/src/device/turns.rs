//! Shares the devices among jobs that run at once, such as the files of a batch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use super::choice::DeviceId;
use base::lock::lock;

/// The present load of the devices, shared by all jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<Mutex<Load>>);

/// The jobs on each device, and the devices that failed.
#[derive(Debug, Default)]
pub(super) struct Load {
    jobs: BTreeMap<DeviceId, usize>,
    failed: BTreeSet<DeviceId>,
}

impl Load {
    /// Returns the number of jobs that would have the device, with one more.
    pub fn with_one_more(&self, id: DeviceId) -> f64 {
        1.0 + self.jobs.get(&id).copied().unwrap_or(0) as f64
    }

    /// Returns whether a job of this process gave the device up.
    pub fn has_failed(&self, id: DeviceId) -> bool {
        self.failed.contains(&id)
    }
}

impl Turns {
    /// Locks the load of the devices, so that no other job chooses in between.
    pub fn load(&self) -> MutexGuard<'_, Load> {
        lock(&self.0)
    }

    /// Counts a job on a device, with the lock that it was chosen under.
    pub fn take(&self, load: &mut Load, device: DeviceId) -> Turn {
        *load.jobs.entry(device).or_default() += 1;
        Turn { turns: self.clone(), device }
    }
}

/// A job's place on a device, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Turns,
    device: DeviceId,
}

impl Turn {
    /// Notes that the device failed, so that later jobs that share the devices choose another.
    pub fn device_failed(&self) {
        self.turns.load().failed.insert(self.device);
    }

    /// Moves the job to the CPU.
    pub fn move_to_cpu(&mut self) {
        let mut load = self.turns.load();
        leave(&mut load, self.device);
        self.device = DeviceId::Cpu;
        *load.jobs.entry(DeviceId::Cpu).or_default() += 1;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        leave(&mut self.turns.load(), self.device);
    }
}

fn leave(load: &mut Load, device: DeviceId) {
    if let Some(jobs) = load.jobs.get_mut(&device) {
        *jobs = jobs.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_counts_until_it_is_dropped_and_a_failure_moves_it() {
        let turns = Turns::default();
        let (gpu, cpu) = (DeviceId::Gpu(0), DeviceId::Cpu);
        let jobs = |id| turns.load().with_one_more(id) as usize - 1;
        let mut first = turns.take(&mut turns.load(), gpu);
        let second = turns.take(&mut turns.load(), gpu);
        assert_eq!((jobs(gpu), jobs(cpu), turns.load().has_failed(gpu)), (2, 0, false));
        first.move_to_cpu();
        assert_eq!((jobs(gpu), jobs(cpu), turns.load().has_failed(gpu)), (1, 1, false));
        second.device_failed();
        assert!(turns.load().has_failed(gpu) && !turns.load().has_failed(cpu));
        drop((first, second));
        assert_eq!((jobs(gpu), jobs(cpu)), (0, 0));
    }
}
