//! The engine: executes recordings on one adapter.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::channel;
use std::time::Instant;

use super::adapters::{Adapter, AdapterInfo, Adapters};
use super::binding::{Bindings, Bound};
use super::clock::Clock;
use super::constants::ConstantCache;
use super::context::Context;
use super::pool::{Pool, PoolCounts, Pooled, Role};
use super::recording::{Command, Dispatch, ReadbackId, Recording, View};
use super::shaders::{BindingKind, Entry};
use super::staging::Staging;
use super::submissions::Submissions;
use super::taken::Taken;
use super::timing::GpuSeconds;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The largest binding of a shader, in bytes. Every adapter of the basic tier supports it.
pub const MAX_BINDING_BYTES: u64 = 64 << 20;

/// The target duration of one dispatch, in seconds. Long dispatches block the desktop and, on slow adapters, trigger
/// the driver's watchdog.
const DISPATCH_SECONDS: f64 = 0.004;
/// The target duration of one submission, in seconds: for the same reasons, and so that cancelling is prompt.
const SUBMISSION_SECONDS: f64 = 0.010;
/// The assumed seconds per unit of work before a kernel was measured: slower than hardware, faster than software.
const FIRST_GUESS: f64 = 2e-9;
const MAX_GROUPS: u32 = 65_535;
/// The smallest parameter buffer, in bytes, so that cutting a recording differently seldom needs another buffer.
const MIN_PARAMS: u64 = 64 << 10;
/// The outcome of an executed recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// The time spent in each phase.
    pub seconds: GpuSeconds,
    /// The number of dispatches that the device ran, after cutting.
    pub dispatches: u64,
    /// The shaders of these dispatches, by name.
    pub shaders: BTreeSet<&'static str>,
    /// Whether the kernel time comes from the device's timestamps.
    pub device_clock: bool,
    /// Whether the device's timestamps were implausible, so that wall time was used instead.
    pub clock_refused: bool,
}

impl Finished {
    /// Returns the share of one of `count` combined recordings; times are divided evenly.
    pub(super) fn shared_by(&self, count: usize) -> Self {
        let share = |seconds: f64| seconds / count.max(1) as f64;
        let GpuSeconds { upload, kernels, readback } = self.seconds;
        let seconds = GpuSeconds { upload: share(upload), kernels: share(kernels), readback: share(readback) };
        Self { seconds, ..self.clone() }
    }
}

/// Executes recordings on one adapter. Pipelines, bind groups, buffers and staging memory are reused between
/// recordings.
#[derive(Debug)]
pub struct Engine {
    info: AdapterInfo,
    context: Context,
    pool: Pool,
    constants: ConstantCache,
    staging: Staging,
    bindings: Bindings,
    /// The timestamp query set, created on first use.
    queries: Option<wgpu::QuerySet>,
    /// The measured seconds per unit of work, by kernel.
    pace: HashMap<(&'static str, &'static str), f64>,
}

/// A dispatch or a part of one, with the offset of its parameters in the uniform buffer.
struct Slice<'r> {
    dispatch: &'r Dispatch,
    groups_x: u32,
    params_offset: u32,
    work: f64,
}

/// The timestamps of a recording's dispatches.
#[derive(PartialEq)]
enum Stamped {
    /// The seconds of each timed dispatch.
    Seconds(Vec<f64>),
    /// The timestamps are implausible.
    Refused,
    /// There are no timestamps.
    Missing,
}

enum Step<'r> {
    Upload(View, &'r [u8]),
    Slice(Slice<'r>),
    Copy(View, View),
    Readback(View, ReadbackId),
}

impl Engine {
    /// Opens an adapter.
    ///
    /// # Errors
    /// Returns [`Error::GpuUnavailable`] if the adapter cannot be opened.
    pub fn open(adapter: &Adapter) -> Result<Self> {
        Ok(Self {
            info: adapter.info.clone(),
            context: Context::open(adapter)?,
            pool: Pool::default(),
            constants: ConstantCache::default(),
            staging: Staging::default(),
            bindings: Bindings::default(),
            queries: None,
            pace: HashMap::new(),
        })
    }

    /// Opens the adapter again after it was lost. Everything on the device is gone; the measured pace of kernels is
    /// kept.
    ///
    /// # Errors
    /// Returns [`Error::GpuUnavailable`] if the adapter does not come back.
    pub fn rebuild(&mut self) -> Result<()> {
        let adapters = Adapters::enumerate();
        let index =
            adapters.list().iter().position(|adapter| adapter.info.key() == self.info.key()).ok_or_else(|| {
                Error::GpuUnavailable(format!("{} did not come back after a failure", self.info.name))
            })?;
        let pace = std::mem::take(&mut self.pace);
        *self = Self { pace, ..Self::open(adapters.get(index)?)? };
        Ok(())
    }

    /// Returns the adapter's description.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Returns how often buffers were reused.
    pub fn pool_counts(&self) -> PoolCounts {
        self.pool.counts()
    }

    /// Executes a recording. `sink` is called once for each readback, and only after the whole recording has succeeded.
    /// Its bytes are in device-visible memory: copy them out in one go, because reading them piecemeal can be slow.
    ///
    /// # Errors
    /// Returns [`Error::GpuOutOfMemory`] if nothing was done and a smaller chunk may succeed, and [`Error::GpuLost`] if
    /// the engine must be rebuilt. With `progress`, returns [`Error::Cancelled`] within some ten milliseconds of a
    /// cancel.
    pub fn execute(
        &mut self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(ReadbackId, &[u8]),
    ) -> Result<Finished> {
        self.context.check()?;
        let mut taken = Taken::default();
        let result = self.take_and_run(recording, progress, sink, &mut taken);
        if result.is_err() {
            self.staging.abandon();
        }
        self.give_back(recording, taken, &result);
        self.bindings.forget(&self.pool.let_go());
        result
    }

    /// Returns the buffers of a recording to the pool and the constant cache.
    fn give_back(&mut self, recording: &Recording<'_>, mut taken: Taken, result: &Result<Finished>) {
        let mut storage: Vec<Option<Pooled>> = std::mem::take(&mut taken.storage).into_iter().map(Some).collect();
        let mut free = Vec::new();
        for (at, (buffer, constant)) in recording.constants().iter().enumerate() {
            let Some(pooled) = storage.get_mut(buffer.0 as usize).and_then(Option::take) else { continue };
            // A constant that was uploaded by a failed recording may not have arrived.
            if result.is_ok() || taken.known.get(at) == Some(&true) {
                free.extend(self.constants.keep(constant, pooled));
            } else {
                free.push(pooled);
            }
        }
        if matches!(result, Err(Error::GpuOutOfMemory(_))) {
            free.extend(self.constants.clear());
        }
        for pooled in storage.into_iter().flatten().chain(taken.all()).chain(free) {
            self.pool.give(pooled);
        }
    }

    fn take_and_run(
        &mut self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(ReadbackId, &[u8]),
        taken: &mut Taken,
    ) -> Result<Finished> {
        let alignment = self.context.device.limits().min_uniform_buffer_offset_alignment;
        let (mut steps, params) = self.cut(recording, alignment);
        let mut constants = recording.constants().iter().peekable();
        for (index, &bytes) in recording.sizes().iter().enumerate() {
            let constant = constants.next_if(|(buffer, _)| buffer.0 as usize == index);
            let kept = constant.and_then(|(_, constant)| self.constants.take(constant));
            if let Some((buffer, constant)) = constant {
                taken.known.push(kept.is_some());
                if kept.is_none() && !constant.bytes.is_empty() {
                    let to = View { buffer: *buffer, offset: 0, bytes: constant.bytes.len() as u64 };
                    steps.insert(0, Step::Upload(to, &constant.bytes));
                }
            }
            taken.storage.push(match kept {
                Some(pooled) => pooled,
                None => self.pool.take(&self.context, Role::Storage, bytes)?,
            });
        }
        if !params.is_empty() {
            taken.params = Some(self.pool.take(&self.context, Role::Params, (params.len() as u64).max(MIN_PARAMS))?);
        }
        for step in &steps {
            if let Step::Readback(from, _) = step {
                taken.readback.push(self.pool.take(&self.context, Role::Readback, from.bytes)?);
            }
        }
        let mut clock = Clock::default();
        if self.context.timestamp_ns.is_some() && steps.iter().any(|step| matches!(step, Step::Slice(_))) {
            clock.start(&self.context, &mut self.pool, &mut self.queries, taken)?;
        }
        self.run(&steps, &params, progress, sink, taken, clock)
    }

    /// Returns the steps, with every dispatch cut to its target duration, and the contents of the uniform buffer.
    fn cut<'r>(&self, recording: &'r Recording<'_>, alignment: u32) -> (Vec<Step<'r>>, Vec<u8>) {
        let mut steps = Vec::new();
        let mut params = Vec::new();
        for command in recording.commands() {
            match command {
                Command::Upload { to, data } => steps.push(Step::Upload(*to, data)),
                Command::Copy { from, to } => steps.push(Step::Copy(*from, *to)),
                Command::Readback { from, ticket } => steps.push(Step::Readback(*from, *ticket)),
                Command::Dispatch(dispatch) => {
                    let [total, y, z] = dispatch.groups;
                    let work_per_group = dispatch.work as f64 / f64::from(total);
                    let most = match dispatch.entry.first_group {
                        Some(_) => {
                            let affordable =
                                DISPATCH_SECONDS / (self.pace_of(dispatch.entry) * work_per_group).max(1e-12);
                            (affordable as u32).clamp(1, MAX_GROUPS)
                        }
                        None => total,
                    };
                    debug_assert!(y <= MAX_GROUPS && z <= MAX_GROUPS, "grid {:?}", dispatch.groups);
                    let mut first = 0;
                    while first < total {
                        let groups_x = most.min(total - first);
                        let offset = params.len();
                        params.extend_from_slice(&dispatch.params);
                        if let Some(at) = dispatch.entry.first_group {
                            let at = offset + at as usize;
                            params[at..at + 4].copy_from_slice(&first.to_ne_bytes());
                        }
                        params.resize(params.len().next_multiple_of(alignment as usize), 0);
                        let work = work_per_group * f64::from(groups_x);
                        steps.push(Step::Slice(Slice { dispatch, groups_x, params_offset: offset as u32, work }));
                        first += groups_x;
                    }
                }
            }
        }
        (steps, params)
    }

    fn pace_of(&self, entry: &Entry) -> f64 {
        self.pace.get(&(entry.shader, entry.name)).copied().unwrap_or(FIRST_GUESS)
    }

    fn run(
        &mut self,
        steps: &[Step<'_>],
        params: &[u8],
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(ReadbackId, &[u8]),
        taken: &Taken,
        mut clock: Clock,
    ) -> Result<Finished> {
        let started = Instant::now();
        let mut queue = Submissions::new(&self.context);
        let mut uploading = 0.0;
        let mut upload_bytes = 0_u64;
        let mut readback_bytes = 0_u64;
        let mut readbacks = taken.readback.iter();
        let mut back = Vec::new();
        let (mut dispatches, mut shaders) = (0, BTreeSet::new());
        if let Some(buffer) = &taken.params {
            uploading += self.upload(&mut queue, (&buffer.buffer, 0), params)?;
        }
        for step in steps {
            match step {
                Step::Upload(to, data) => {
                    let buffer = &taken.storage[to.buffer.0 as usize].buffer;
                    uploading += self.upload(&mut queue, (buffer, to.offset), data)?;
                    upload_bytes += to.bytes;
                }
                Step::Copy(from, to) => {
                    let (source, target) =
                        (&taken.storage[from.buffer.0 as usize], &taken.storage[to.buffer.0 as usize]);
                    queue.encoder.copy_buffer_to_buffer(
                        &source.buffer,
                        from.offset,
                        &target.buffer,
                        to.offset,
                        from.bytes,
                    );
                }
                Step::Readback(from, ticket) => {
                    let Some(buffer) = readbacks.next() else { break };
                    let source = &taken.storage[from.buffer.0 as usize].buffer;
                    queue.encoder.copy_buffer_to_buffer(source, from.offset, &buffer.buffer, 0, from.bytes);
                    readback_bytes += from.bytes;
                    back.push((*ticket, &buffer.buffer, from.bytes));
                }
                Step::Slice(slice) => {
                    if let Some(progress) = progress {
                        progress.check()?;
                    }
                    let entry = slice.dispatch.entry;
                    let estimate = slice.work * self.pace_of(entry);
                    if queue.estimate > 0.0 && queue.estimate + estimate > SUBMISSION_SECONDS {
                        queue.flush(&self.context, &mut self.staging)?;
                    }
                    queue.estimate += estimate;
                    let bound = bound(entry, slice.dispatch, taken)?;
                    let (pipeline, group) = self.bindings.get(&self.context, entry, &bound)?;
                    let mut pass = queue.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: Some(entry.name),
                        timestamp_writes: clock.stamps((entry.shader, entry.name), slice.work),
                    });
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, group, &[slice.params_offset]);
                    pass.dispatch_workgroups(slice.groups_x, slice.dispatch.groups[1], slice.dispatch.groups[2]);
                    dispatches += 1;
                    shaders.insert(entry.shader);
                }
            }
        }
        clock.resolve(&mut queue.encoder, taken);
        let last = queue.flush(&self.context, &mut self.staging)?;
        let arrived = self.map_all(&back, taken.clock_readback.as_ref().map(|pooled| &pooled.buffer), &last)?;
        let wall = started.elapsed().as_secs_f64();
        let device = (wall - uploading).max(0.0);
        let stamped = if arrived { self.stamped_seconds(&clock, taken, wall)? } else { Stamped::Missing };
        let clock_refused = stamped == Stamped::Refused;
        let device_kernels = self.learn(&clock, stamped, steps, device);

        let reading = Instant::now();
        for (ticket, buffer, bytes) in back {
            let view = buffer.get_mapped_range(..bytes).map_err(|error| Error::GpuLost(error.to_string()))?;
            sink(ticket, &view);
            drop(view);
            buffer.unmap();
        }
        // Device time outside kernels was spent copying; it is divided by bytes.
        let copying = device_kernels.map_or(0.0, |kernels| (device - kernels).max(0.0));
        let up = upload_bytes as f64 / (upload_bytes + readback_bytes).max(1) as f64;
        Ok(Finished {
            seconds: GpuSeconds {
                upload: uploading + copying * up,
                kernels: device_kernels.unwrap_or(device),
                readback: reading.elapsed().as_secs_f64() + copying * (1.0 - up),
            },
            dispatches,
            shaders,
            device_clock: device_kernels.is_some(),
            clock_refused,
        })
    }

    /// Uploads `data` and returns the seconds that the host spent on it.
    fn upload(&mut self, queue: &mut Submissions, (to, offset): (&wgpu::Buffer, u64), data: &[u8]) -> Result<f64> {
        let mut seconds = 0.0;
        let mut done = 0;
        while done < data.len() {
            let started = Instant::now();
            let rest = &data[done..];
            let pushed = self.staging.push(&self.context, &mut queue.encoder, (to, offset + done as u64), rest)?;
            seconds += started.elapsed().as_secs_f64();
            done += pushed;
            if done < data.len() {
                // The staging segment is full: submit it so that the device can start.
                queue.flush(&self.context, &mut self.staging)?;
                if pushed == 0 {
                    queue.wait_for_oldest(&self.context)?;
                }
            }
        }
        Ok(seconds)
    }

    /// Waits for the last submission and maps all readback buffers. Returns whether timestamps were mapped too.
    fn map_all(
        &self,
        back: &[(ReadbackId, &wgpu::Buffer, u64)],
        clock: Option<&wgpu::Buffer>,
        last: &wgpu::SubmissionIndex,
    ) -> Result<bool> {
        let (done, mapped) = channel();
        let buffers = back.iter().map(|&(_, buffer, bytes)| (buffer, bytes));
        for (buffer, bytes) in buffers.chain(clock.map(|buffer| (buffer, buffer.size()))) {
            let done = done.clone();
            buffer.map_async(wgpu::MapMode::Read, ..bytes, move |result| {
                let _ = done.send(result);
            });
        }
        drop(done);
        self.context.wait(last)?;
        for _ in 0..back.len() + usize::from(clock.is_some()) {
            match mapped.try_recv() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(Error::GpuLost(format!("Its result could not be read: {error}"))),
                Err(error) => return Err(Error::GpuLost(format!("Its result did not arrive: {error}"))),
            }
        }
        Ok(clock.is_some())
    }

    /// Reads the timestamps that were mapped.
    fn stamped_seconds(&self, clock: &Clock, taken: &Taken, wall_seconds: f64) -> Result<Stamped> {
        let (Some(pooled), Some(tick_ns)) = (&taken.clock_readback, self.context.timestamp_ns) else {
            return Ok(Stamped::Missing);
        };
        let view = pooled.buffer.get_mapped_range(..).map_err(|error| Error::GpuLost(error.to_string()))?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&view[..clock.timed.len() * 16]);
        drop(view);
        pooled.buffer.unmap();
        Ok(clock.seconds(&ticks, tick_ns, wall_seconds).map_or(Stamped::Refused, Stamped::Seconds))
    }

    /// Updates the measured pace of each kernel. Returns the total kernel time in seconds if it comes from the device's
    /// timestamps.
    fn learn(&mut self, clock: &Clock, stamped: Stamped, steps: &[Step<'_>], device_seconds: f64) -> Option<f64> {
        let mut total: HashMap<(&'static str, &'static str), (f64, f64)> = HashMap::new();
        let mut seconds = None;
        if let Stamped::Seconds(stamped) = stamped {
            let mut sum = 0.0;
            for (&(name, work), took) in clock.timed.iter().zip(stamped) {
                sum += took;
                let entry = total.entry(name).or_default();
                entry.0 += took;
                entry.1 += work;
            }
            // Dispatches without timestamps are assumed to take as long as those with them.
            let untimed = clock.untimed as f64 / clock.timed.len().max(1) as f64;
            seconds = Some(sum * (1.0 + untimed));
        } else {
            // There is one measured time for all kernels: each gets its expected share of it.
            let slices =
                || steps.iter().filter_map(|step| if let Step::Slice(slice) = step { Some(slice) } else { None });
            let expected: f64 = slices().map(|slice| slice.work * self.pace_of(slice.dispatch.entry)).sum();
            for slice in slices() {
                let entry = slice.dispatch.entry;
                let share = slice.work * self.pace_of(entry) / expected.max(1e-12);
                let sum = total.entry((entry.shader, entry.name)).or_default();
                sum.0 += share * device_seconds;
                sum.1 += slice.work;
            }
        }
        for (name, (took, work)) in total {
            if took > 0.0 && work > 0.0 {
                let measured = took / work;
                self.pace.entry(name).and_modify(|pace| *pace = 0.5 * (*pace + measured)).or_insert(measured);
            }
        }
        seconds
    }
}

fn bound<'t>(entry: &Entry, dispatch: &Dispatch, taken: &'t Taken) -> Result<Vec<Bound<'t>>> {
    let mut views = dispatch.views.iter();
    entry
        .bindings
        .iter()
        .map(|binding| match binding.kind {
            BindingKind::Params => taken.params.as_ref().map(|pooled| Bound {
                id: pooled.id,
                buffer: &pooled.buffer,
                offset: 0,
                bytes: u64::from(binding.bytes),
            }),
            BindingKind::Read | BindingKind::ReadWrite => views.next().map(|view| {
                let pooled = &taken.storage[view.buffer.0 as usize];
                Bound { id: pooled.id, buffer: &pooled.buffer, offset: view.offset, bytes: view.bytes }
            }),
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Error::Internal(format!("{}/{} lacks a buffer", entry.shader, entry.name)))
}
