//! The engine: executes recordings on one adapter.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::adapters::{Adapter, AdapterInfo, Adapters};
use super::arrivals::{Arrivals, Sink};
use super::binding::{Bindings, Bound};
use super::clock::Clock;
use super::constants::ConstantCache;
use super::context::{Context, Submitted};
use super::faults;
use super::finished::Finished;
use super::learning::{Stamped, Timed};
use super::lifetimes::share;
use super::pace::Paces;
use super::pipelines::{Compiler, Pipelines};
use super::pool::{Pool, PoolCounts, Pooled, Role, size_class};
use super::read_pace::ReadPace;
use super::recording::{Dispatch, ReadbackId, Recording, View};
use super::shaders::{BindingKind, Entry, Shader};
use super::spread::Spread;
use super::staging::Staging;
use super::steps::{Step, cut, same_pass};
use super::submissions::Submissions;
use super::taken::Taken;
use super::timing::GpuSeconds;
use super::unified::{self, Direct};
use base::error::{Error, Result};
use base::progress::Progress;

/// The largest binding of a shader, in bytes. Every adapter of the basic tier supports it.
pub const MAX_BINDING_BYTES: u64 = 64 << 20;

/// The target duration of one submission, in seconds: for the same reasons, and so that cancelling is prompt.
const SUBMISSION_SECONDS: f64 = 0.010;
/// The smallest parameter buffer, in bytes, so that cutting a recording differently seldom needs another buffer.
const MIN_PARAMS: u64 = 64 << 10;
/// Executes recordings on one adapter. Pipelines, bind groups, buffers and staging memory are reused between
/// recordings.
#[derive(Debug)]
pub struct Engine {
    info: AdapterInfo,
    context: Arc<Context>,
    /// Where compiled pipelines are kept between runs of the program.
    folder: Option<PathBuf>,
    pipelines: Arc<Pipelines>,
    compiler: Compiler,
    pool: Pool,
    constants: ConstantCache,
    staging: Staging,
    bindings: Bindings,
    /// The timestamp query set, created on first use.
    queries: Option<wgpu::QuerySet>,
    /// The measured seconds per unit of work, by kernel.
    paces: Paces,
    /// How recordings are repeated, for benchmarks.
    spread: Option<Spread>,
    /// How fast results were read.
    read: Arc<ReadPace>,
    /// Whether the host writes and reads the device's memory itself, without staging copies.
    shares_memory: bool,
}

/// The progress of a recording that runs.
struct Running<'t, 's, 'e> {
    queue: Submissions,
    arrivals: Arrivals<'t>,
    /// The sink if it is given readbacks while the recording runs.
    sink: Option<&'s mut Sink<'e>>,
    /// The seconds that the host spent on uploads.
    uploading: f64,
}

impl Engine {
    /// Opens an adapter.
    pub fn open(adapter: &Adapter) -> Result<Self> {
        Self::open_in(adapter, None)
    }

    /// Opens an adapter and keeps compiled pipelines in `folder` between runs of the program, if the back end can.
    pub fn open_in(adapter: &Adapter, folder: Option<&Path>) -> Result<Self> {
        let context = Arc::new(Context::open(adapter)?);
        let features = context.device.features();
        let pipelines = Arc::new(Pipelines::new(&context, adapter, folder));
        Ok(Self {
            info: adapter.info.clone(),
            compiler: Compiler::new(&context, &pipelines),
            context,
            pipelines,
            folder: folder.map(Path::to_path_buf),
            pool: Pool::default(),
            constants: ConstantCache::default(),
            staging: Staging::default(),
            bindings: Bindings::default(),
            queries: None,
            paces: Paces::new(&adapter.info, folder),
            spread: None,
            read: Arc::default(),
            shares_memory: unified::shares_memory(&adapter.info, features),
        })
    }

    /// Opens the adapter again after it was lost. Everything on the device is gone; the measured pace of kernels is
    /// kept.
    pub fn rebuild(&mut self) -> Result<()> {
        let adapters = Adapters::enumerate();
        let index =
            adapters.list().iter().position(|adapter| adapter.info.key() == self.info.key()).ok_or_else(|| {
                Error::GpuUnavailable(format!("{} did not come back after a failure", self.info.name))
            })?;
        let mut opened = Self::open_in(adapters.get(index)?, self.folder.as_deref())?;
        self.compiler.move_to(&opened.compiler);
        let (compiler, read) = (self.compiler.clone(), self.read_pace());
        opened.paces.take(&mut self.paces);
        *self = Self { compiler, read, ..opened };
        Ok(())
    }

    /// Returns the adapter's description.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Returns how fast the host has read results. Some integrated adapters hand them out in memory without a cache.
    pub(super) fn read_pace(&self) -> Arc<ReadPace> {
        Arc::clone(&self.read)
    }

    /// Returns how often buffers were reused.
    pub fn pool_counts(&self) -> PoolCounts {
        self.pool.counts()
    }

    /// Compiles what `rewrite` returns in place of each shader's source, so that tests can try what other compilers
    /// make of a shader. The source keeps its entry points and bindings.
    #[doc(hidden)]
    pub fn rewrite_shaders(&mut self, rewrite: fn(&'static Shader) -> String) {
        self.pipelines = Arc::new(Pipelines::rewritten(rewrite));
        self.compiler.move_to(&Compiler::new(&self.context, &self.pipelines));
    }

    /// Returns the number of entry points that are compiled.
    pub fn compiled(&self) -> usize {
        self.pipelines.count()
    }

    /// Returns a compiler for this engine that does not wait for it.
    pub(super) fn compiler(&self) -> Compiler {
        self.compiler.clone()
    }

    /// Sets whether the host writes and reads the device's memory directly, and returns whether it does. Only adapters
    /// that share the host's memory can; by default integrated ones do.
    #[doc(hidden)]
    pub fn share_memory(&mut self, share: bool) -> bool {
        let can = self.context.device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
        self.shares_memory = share && can;
        self.shares_memory
    }

    /// Repeats every recording from now on as `spread` says; the seconds in [`Finished`] are then those of one
    /// repetition. For benchmarks.
    pub(crate) fn set_spread(&mut self, spread: Option<Spread>) {
        self.spread = spread;
    }

    /// Executes a recording. `sink` is called once for each readback, in their order, and only after the whole recording
    /// has succeeded. Its bytes are in device-visible memory: copy them out in one go, because reading them piecemeal
    /// can be slow.
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
        self.execute_with(recording, progress, sink, false)
    }

    /// Executes a recording as [`Engine::execute`] does, but calls `sink` as soon as a readback has arrived, while the
    /// device works on the rest. After an error, what the sink was given must be discarded.
    pub fn stream(
        &mut self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(ReadbackId, &[u8]),
    ) -> Result<Finished> {
        self.execute_with(recording, progress, sink, true)
    }

    fn execute_with(
        &mut self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut Sink<'_>,
        early: bool,
    ) -> Result<Finished> {
        let Some((copies, rounds)) = self.spread.map(|spread| spread.counts(recording)) else {
            return self.execute_once(recording, progress, sink, early);
        };
        let repeated = recording.repeated(copies, rounds);
        Ok(self.execute_once(&repeated, progress, sink, early)?.shared_by(copies * rounds))
    }

    fn execute_once(
        &mut self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut Sink<'_>,
        early: bool,
    ) -> Result<Finished> {
        self.context.check()?;
        let started = Instant::now();
        let before = self.pool.counts();
        let mut taken = Taken::default();
        let result = self.take_and_run(recording, progress, sink, early, &mut taken);
        if let Ok(done) = &result {
            let made = self.pool.counts().misses - before.misses;
            tracing::debug!(
                "a recording of {} dispatches ran in {} submissions and {:?}: upload {:.4} s, kernels {:.4} s, readback \
                 {:.4} s; {made} buffers were made",
                done.dispatches,
                done.submissions,
                started.elapsed(),
                done.seconds.upload,
                done.seconds.kernels,
                done.seconds.readback,
            );
        }
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
            let slot = taken.slots.get(buffer.0 as usize).copied().flatten();
            let Some(pooled) = slot.and_then(|slot| storage.get_mut(slot)).and_then(Option::take) else { continue };
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
        sink: &mut Sink<'_>,
        early: bool,
        taken: &mut Taken,
    ) -> Result<Finished> {
        let alignment = self.context.device.limits().min_uniform_buffer_offset_alignment;
        let (mut steps, params) = cut(recording, &self.paces, alignment);
        let mut kept: HashMap<usize, Pooled> = HashMap::new();
        for (buffer, constant) in recording.constants() {
            let found = self.constants.take(constant);
            taken.known.push(found.is_some());
            if let Some(pooled) = found {
                kept.insert(buffer.0 as usize, pooled);
            } else if !constant.bytes.is_empty() {
                let to = View { buffer: *buffer, offset: 0, bytes: constant.bytes.len() as u64 };
                steps.insert(0, Step::Upload(to, &constant.bytes));
            }
        }
        self.take_storage(recording, &steps, kept, taken)?;
        if !params.is_empty() {
            taken.params = Some(self.pool.take(&self.context, Role::Params, (params.len() as u64).max(MIN_PARAMS))?);
        }
        for (at, step) in steps.iter().enumerate() {
            if let (Step::Readback(from, _), false) = (step, taken.direct.step(at)) {
                taken.readback.push(self.pool.take(&self.context, Role::Readback, from.bytes)?);
            }
        }
        let mut clock = Clock::default();
        if self.context.timestamp_ns.is_some() && steps.iter().any(|step| matches!(step, Step::Slice(_))) {
            clock.start(&self.context, &mut self.pool, &mut self.queries, taken)?;
        }
        self.run(&steps, &params, progress, sink, early, taken, clock)
    }

    /// Takes memory for the buffers that the steps use. `kept` holds the constants that are on the device already.
    fn take_storage(
        &mut self,
        recording: &Recording<'_>,
        steps: &[Step<'_>],
        mut kept: HashMap<usize, Pooled>,
        taken: &mut Taken,
    ) -> Result<()> {
        let classes: Vec<u64> = recording.sizes().iter().map(|&bytes| size_class(bytes)).collect();
        let constants: BTreeSet<usize> = recording.constants().iter().map(|(buffer, _)| buffer.0 as usize).collect();
        // A constant that no step uses keeps its memory nevertheless, so that it is given back.
        let uses = steps.iter().map(Step::buffers).chain([constants.iter().copied().collect()]).collect::<Vec<_>>();
        // Repeated recordings are to use more memory, not less.
        let spread = self.spread.is_some();
        let shared = share(&classes, &uses, |buffer| spread || constants.contains(&buffer));
        let mut owners = vec![None; shared.classes.len()];
        for (buffer, slot) in shared.slots.iter().enumerate() {
            if let (Some(slot), true) = (slot, constants.contains(&buffer)) {
                owners[*slot] = Some(buffer);
            }
        }
        taken.slots = shared.slots;
        if self.shares_memory {
            taken.direct = Direct::new(steps, &taken.slots, |buffer| constants.contains(&buffer));
        }
        for (slot, (class, owner)) in shared.classes.into_iter().zip(owners).enumerate() {
            let role = Role::Storage(taken.direct.slot(slot));
            taken.storage.push(match owner.and_then(|buffer| kept.remove(&buffer)) {
                Some(pooled) => pooled,
                None => match self.pool.take(&self.context, role, class) {
                    Ok(pooled) => pooled,
                    Err(error) => {
                        // The constants that have no place yet are uploaded again by the next recording.
                        kept.into_values().for_each(|pooled| self.pool.give(pooled));
                        return Err(error);
                    }
                },
            });
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of one recording")]
    fn run(
        &mut self,
        steps: &[Step<'_>],
        params: &[u8],
        progress: Option<&Progress>,
        sink: &mut Sink<'_>,
        early: bool,
        taken: &Taken,
        mut clock: Clock,
    ) -> Result<Finished> {
        let started = Instant::now();
        let (sink, late) = if early { (Some(sink), None) } else { (None, Some(sink)) };
        let (queue, arrivals) = (Submissions::new(&self.context), Arrivals::default());
        let mut running = Running { queue, arrivals, sink, uploading: 0.0 };
        let (mut staged_up, mut staged_down) = (0_u64, 0_u64);
        let mut readbacks = taken.readback.iter();
        let (mut dispatches, mut shaders) = (0, BTreeSet::new());
        if let Some(buffer) = &taken.params {
            self.upload(&mut running, (&buffer.buffer, 0), params)?;
        }
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            at += 1;
            match step {
                Step::Upload(to, data) => {
                    let target = (&memory(taken, to)?.buffer, to.offset);
                    if !(taken.direct.step(at - 1) && self.write(&mut running, target, data)?) {
                        self.upload(&mut running, target, data)?;
                        staged_up += to.bytes;
                    }
                }
                Step::Copy(from, to) => {
                    let (source, target) = (&memory(taken, from)?.buffer, &memory(taken, to)?.buffer);
                    self.make_room(&mut running, 0.0)?;
                    let encoder = &mut running.queue.encoder;
                    encoder.copy_buffer_to_buffer(source, from.offset, target, to.offset, from.bytes);
                }
                Step::Readback(from, ticket) if taken.direct.step(at - 1) => {
                    let range = from.offset..from.offset + from.bytes;
                    running.arrivals.expect(*ticket, &memory(taken, from)?.buffer, range);
                }
                Step::Readback(from, ticket) => {
                    let Some(buffer) = readbacks.next() else { break };
                    self.make_room(&mut running, 0.0)?;
                    let (source, encoder) = (&memory(taken, from)?.buffer, &mut running.queue.encoder);
                    encoder.copy_buffer_to_buffer(source, from.offset, &buffer.buffer, 0, from.bytes);
                    running.queue.load.bytes += from.bytes;
                    running.arrivals.expect(*ticket, &buffer.buffer, 0..from.bytes);
                    staged_down += from.bytes;
                }
                Step::Slice(slice) => {
                    if let Some(progress) = progress {
                        progress.check()?;
                    }
                    let entry = slice.entry();
                    let pace = self.paces.of(entry);
                    self.make_room(&mut running, slice.work * pace)?;
                    let alike = same_pass(&steps[at - 1..], SUBMISSION_SECONDS - running.queue.estimate, pace);
                    at += alike.len() - 1;
                    let work: f64 = alike.iter().map(|slice| slice.work).sum();
                    running.queue.estimate += (work - slice.work) * pace;
                    running.queue.load.work += work;
                    let pipeline = self.pipelines.get(&self.context, entry)?;
                    let mut groups = Vec::with_capacity(alike.len());
                    for slice in &alike {
                        let bound = bound(entry, slice.dispatch, taken)?;
                        groups.push(self.bindings.get(&self.context, &pipeline, entry, &bound)?.clone());
                    }
                    let mut pass = running.queue.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                        label: Some(entry.name),
                        timestamp_writes: clock.stamps((entry.shader, entry.name), alike.len() as u64, work),
                    });
                    pass.set_pipeline(&pipeline.pipeline);
                    for (slice, group) in alike.iter().zip(&groups) {
                        pass.set_bind_group(0, group, &[slice.params_offset]);
                        pass.dispatch_workgroups(slice.groups_x, slice.dispatch.groups[1], slice.dispatch.groups[2]);
                    }
                    dispatches += alike.len() as u64;
                    shaders.insert(entry.shader);
                }
            }
        }
        clock.resolve(&mut running.queue.encoder, taken);
        let last = self.flush(&mut running)?;
        let Running { queue, mut arrivals, sink: streaming, uploading } = running;
        let sink = match streaming {
            Some(sink) => {
                arrivals.finish(&self.context, sink)?;
                sink
            }
            None => late.ok_or_else(|| Error::Internal("a recording has no sink".into()))?,
        };
        self.context.wait(&last)?;
        let wall = started.elapsed().as_secs_f64();
        let stamped = self.stamped_seconds(&clock, taken, &last, wall)?;
        let clock_refused = stamped == Stamped::Refused;
        let runs = Timed { clock: &clock, stamped, steps, device_seconds: (wall - uploading).max(0.0) };
        let (device_kernels, entries) = runs.learn(&mut self.paces, self.spread.is_some());
        let device = (wall - uploading - arrivals.seconds).max(0.0);
        arrivals.finish(&self.context, sink)?;
        self.read.add(arrivals.bytes, arrivals.seconds);
        // Device time outside kernels was spent copying; it is divided by bytes.
        let copying = device_kernels.map_or(0.0, |kernels| (device - kernels).max(0.0));
        let staged_bytes = staged_up + staged_down;
        let up = staged_up as f64 / staged_bytes.max(1) as f64;
        Ok(Finished {
            seconds: GpuSeconds {
                upload: uploading + copying * up,
                kernels: device_kernels.unwrap_or(device),
                readback: arrivals.seconds + copying * (1.0 - up),
            },
            dispatches,
            submissions: queue.count,
            staged_bytes,
            longest_submission: queue.longest,
            shaders,
            entries,
            device_clock: device_kernels.is_some(),
            clock_refused,
        })
    }

    /// Makes room for another pass or copy of `estimate` seconds.
    fn make_room(&mut self, running: &mut Running<'_, '_, '_>, estimate: f64) -> Result<()> {
        if running.queue.is_full(estimate, SUBMISSION_SECONDS) {
            self.flush(running)?;
        }
        running.queue.count_pass(estimate);
        Ok(())
    }

    /// Submits the recorded commands, and passes what has arrived to a streaming sink.
    fn flush(&mut self, running: &mut Running<'_, '_, '_>) -> Result<Submitted> {
        let index = running.queue.flush(&self.context, &mut self.staging)?;
        running.arrivals.submitted(&index);
        if let Some(sink) = &mut running.sink {
            running.arrivals.take(&self.context, sink)?;
        }
        Ok(index)
    }

    /// Writes `data` into a buffer that the host shares. Returns `false` if it has to be uploaded.
    fn write(
        &mut self,
        running: &mut Running<'_, '_, '_>,
        (to, offset): (&wgpu::Buffer, u64),
        data: &[u8],
    ) -> Result<bool> {
        let started = Instant::now();
        let written = unified::write(&self.context, to, offset, data)?;
        faults::copied(data.len() as u64, started);
        running.uploading += started.elapsed().as_secs_f64();
        Ok(written)
    }

    /// Uploads `data` through staging memory.
    fn upload(
        &mut self,
        running: &mut Running<'_, '_, '_>,
        (to, offset): (&wgpu::Buffer, u64),
        data: &[u8],
    ) -> Result<()> {
        let mut done = 0;
        while done < data.len() {
            self.make_room(running, 0.0)?;
            let started = Instant::now();
            let (rest, encoder) = (&data[done..], &mut running.queue.encoder);
            let pushed = self.staging.push(&self.context, encoder, (to, offset + done as u64), rest)?;
            faults::copied(pushed as u64, started);
            running.uploading += started.elapsed().as_secs_f64();
            running.queue.load.bytes += pushed as u64;
            done += pushed;
            if done < data.len() {
                // The staging segment is full: submit it so that the device can start.
                self.flush(running)?;
                if pushed == 0 {
                    running.queue.wait_for_oldest(&self.context)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the timestamps.
    fn stamped_seconds(&self, clock: &Clock, taken: &Taken, last: &Submitted, wall_seconds: f64) -> Result<Stamped> {
        let (Some(pooled), Some(tick_ns)) = (&taken.clock_readback, self.context.timestamp_ns) else {
            return Ok(Stamped::Missing);
        };
        let mut ticks: Vec<u64> = Vec::new();
        let mut arrival = Arrivals::default();
        arrival.expect(ReadbackId(0), &pooled.buffer, 0..clock.timed.len() as u64 * 16);
        arrival.submitted(last);
        arrival.finish(&self.context, &mut |_, bytes| ticks = bytemuck::pod_collect_to_vec(bytes))?;
        Ok(clock.seconds(&ticks, tick_ns, wall_seconds).map_or(Stamped::Refused, Stamped::Seconds))
    }
}

/// Returns the memory of a view.
fn memory<'t>(taken: &'t Taken, view: &View) -> Result<&'t Pooled> {
    taken.buffer(view.buffer).ok_or_else(|| Error::Internal("a step uses a buffer without memory".into()))
}

fn bound<'t>(entry: &Entry, dispatch: &Dispatch, taken: &'t Taken) -> Result<Vec<Bound<'t>>> {
    let lacks = || Error::Internal(format!("{}/{} lacks a buffer", entry.shader, entry.name));
    let mut views = dispatch.views.iter();
    let bound = entry.bindings.iter().map(|binding| {
        let (pooled, offset, bytes) = match binding.kind {
            BindingKind::Params => (taken.params.as_ref().ok_or_else(lacks)?, 0, u64::from(binding.bytes)),
            BindingKind::Read | BindingKind::ReadWrite => {
                let view = views.next().ok_or_else(lacks)?;
                (memory(taken, view)?, view.offset, view.bytes)
            }
        };
        Ok(Bound { id: pooled.id, buffer: &pooled.buffer, offset, bytes })
    });
    bound.collect()
}
