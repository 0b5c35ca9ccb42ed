//! Benchmarks each kernel on each device: how long it takes, and how close it comes to the memory bandwidth. The
//! figures of a software adapter are not meaningful; [`BenchRow::kind`] marks them.
//!
//! A device is warmed up first. A kernel's time is the median of its runs, at most [`MOST_RUNS`], which take [`LEAST`]
//! for each of its entry points. They go through buffers that exceed the last-level cache four times ([`Cache`]), all
//! filled before the first is read. On a GPU, kernels are timed by the device's clock; wall time is reported beside it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::caches::Cache;
use super::choice::DeviceId;
use super::devices::Devices;
use super::measure::copy_seconds;
use super::repeat::{Runs, median, middle, warm_up};
use super::trials::{CHANNELS, PlanTrial, TABLE, Trial};
use crate::gpu::{AdapterKind, Engine, Finished, Spread};
use crate::kernels::Kernel;
use crate::kernels::signal::resident::Chunk;
use base::error::{Error, Result};
use base::lock::lock;
use base::sound::AudioBuffer;

/// How long a device works before anything is timed. An idle device runs at a fraction of its clock.
pub(super) const WARM_UP: Duration = Duration::from_millis(200);
/// How long each kernel works before it is timed.
pub(super) const WARM_UP_EACH: Duration = Duration::from_millis(50);
/// The least total time of a kernel's runs, for each of its entry points.
pub(super) const LEAST: Duration = Duration::from_millis(50);
/// The largest number of runs of a kernel. Between two of them, caches are emptied, or memory is filled.
const MOST_RUNS: usize = 50;
/// The device time for which one run on a GPU repeats the kernel.
const RUN_SECONDS: f64 = 0.060;

/// The settings of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchOptions {
    /// The length of the test signals in frames. Without it [`USUAL_FRAMES`], on a discrete card [`CARD_FRAMES`]: shorter
    /// ones do not fill it, and starting a kernel would be a large part of its time.
    pub frames: Option<usize>,
    /// The number of channels, for kernels that take several.
    pub channels: usize,
    /// Only kernels whose names contain this text.
    pub kernel: Option<String>,
    /// The time that benchmarking one device may take. Kernels for which there is no time left are left out; a kernel
    /// that has begun runs at least once.
    pub limit: Duration,
}

/// The length of the test signals in frames, 22 s at 48 kHz.
pub const USUAL_FRAMES: usize = 1 << 20;
/// The length of the test signals in frames on a discrete card.
pub const CARD_FRAMES: usize = 1 << 22;

impl Default for BenchOptions {
    /// Stereo, every kernel, in at most two minutes.
    fn default() -> Self {
        Self { frames: None, channels: CHANNELS, kernel: None, limit: Duration::from_mins(2) }
    }
}

/// The benchmark of one device.
#[derive(Debug)]
pub struct BenchReport {
    /// The device.
    pub device: DeviceId,
    /// The rows: each kernel, followed by its entry points.
    pub rows: Vec<BenchRow>,
    /// The device's last-level cache.
    pub cache: Cache,
    /// The size of the buffers through which the runs of a kernel go, in bytes; 0 if they use one set of buffers.
    pub spread_bytes: u64,
    /// The kernels with fewer runs than wanted, because the time was up.
    pub cut: Vec<&'static str>,
    /// The kernels that were not run, because the time was up.
    pub left_out: Vec<&'static str>,
    /// The kernels that failed.
    pub failures: Vec<(&'static str, Error)>,
}

/// The benchmark of one kernel, or of one entry point of its shaders, on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchRow {
    /// The kernel's name in [`TABLE`].
    pub kernel: &'static str,
    /// The entry point, such as `stft.powers`; `None` for the kernel as a whole.
    pub entry: Option<String>,
    /// The device.
    pub device: DeviceId,
    /// The device's name.
    pub name: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// The number of channels.
    pub channels: usize,
    /// The number of samples processed, over all channels.
    pub samples: u64,
    /// The approximate number of floating-point operations; `None` for an entry point.
    pub operations: Option<f64>,
    /// The number of runs of which the median counts.
    pub runs: usize,
    /// The median time in seconds, without transfers: `device_seconds` if there is a device clock.
    pub seconds: f64,
    /// The median time by the device's clock, in seconds. `None` if it has no plausible clock.
    pub device_seconds: Option<f64>,
    /// The median wall time of one call in seconds, on a GPU with transfers. `None` for an entry point.
    pub wall_seconds: Option<f64>,
    /// The least memory traffic that the kernel needs, in bytes per second; `None` for an entry point.
    pub bytes_per_second: Option<f64>,
    /// The measured throughput of a memory copy on this device, reads and writes together, in bytes per second.
    pub ceiling_bytes_per_second: f64,
}

impl BenchRow {
    /// Returns the achieved share of the measured ceiling; 1 is all of it.
    pub fn share(&self) -> Option<f64> {
        Some(self.bytes_per_second? / self.ceiling_bytes_per_second)
    }
}

/// The measured times of a kernel.
#[derive(Default)]
struct Times {
    seconds: f64,
    device_seconds: Option<f64>,
    wall_seconds: f64,
    /// The median time of each entry point, by shader and name.
    entries: Vec<((&'static str, &'static str), f64)>,
    runs: usize,
    cut: bool,
}

/// Benchmarks the kernels of the table on a device.
///
/// # Errors
/// A kernel that fails is reported in [`BenchReport::failures`].
pub fn bench(devices: &Devices, id: DeviceId, options: &BenchOptions) -> Result<BenchReport> {
    let end = Instant::now() + options.limit;
    let entry = devices
        .list()
        .into_iter()
        .find(|entry| entry.id == id)
        .ok_or_else(|| Error::GpuUnavailable(format!("There is no {id}")))?;
    let engine = match id {
        DeviceId::Cpu => None,
        DeviceId::Gpu(index) => Some(devices.engine(index)?),
    };
    let mut engine = engine.as_ref().map(|engine| lock(engine));
    let cache = engine.as_deref().map_or_else(Cache::of_cpu, |engine| Cache::of_adapter(engine.info().kind));
    // A software adapter has neither a clock that ramps up nor dedicated memory; more buffers would only take time.
    let software = engine.as_deref().is_some_and(|engine| engine.info().kind == AdapterKind::Software);
    let spread_bytes = if software { 0 } else { cache.exceeded_bytes() };
    let on_card = engine.as_deref().is_some_and(|engine| engine.info().kind == AdapterKind::Discrete);
    let frames = options.frames.unwrap_or(if on_card { CARD_FRAMES } else { USUAL_FRAMES });
    let ceiling = copy_rate(engine.as_deref_mut(), spread_bytes)?;
    let mut report = BenchReport {
        device: id,
        rows: Vec::new(),
        cache,
        spread_bytes,
        cut: Vec::new(),
        left_out: Vec::new(),
        failures: Vec::new(),
    };
    let wanted = |(kernel, _): &&(Kernel, PlanTrial)| {
        options.kernel.as_ref().is_none_or(|part| kernel.name.contains(part.as_str()))
    };
    let kernels: Vec<_> = TABLE.iter().filter(wanted).collect();
    let mut warming = if software { Duration::ZERO } else { WARM_UP };
    for (place, (kernel, trial)) in kernels.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            report.left_out.push(kernel.name);
            continue;
        }
        let until = Instant::now() + left / (kernels.len() - place) as u32;
        let times = trial(frames, options.channels).and_then(|trial| {
            let times = match engine.as_deref_mut() {
                None => on_cpu(trial.as_ref(), spread_bytes, warming, until),
                Some(engine) => {
                    let times = on_gpu(trial.as_ref(), engine, spread_bytes, warming, until);
                    engine.set_spread(None);
                    times
                }
            };
            Ok((trial, times?))
        });
        let (trial, times) = match times {
            Err(error) => {
                report.failures.push((kernel.name, error));
                continue;
            }
            Ok(done) => done,
        };
        warming = if software { Duration::ZERO } else { WARM_UP_EACH };
        if times.cut {
            report.cut.push(kernel.name);
        }
        // The CPU's cascade reads and writes each sample once.
        let once = id == DeviceId::Cpu && kernel.name == "iir_cascade";
        let bytes = if once { 8.0 } else { kernel.bytes_per_sample };
        let whole = BenchRow {
            kernel: kernel.name,
            entry: None,
            device: id,
            name: entry.name.clone(),
            kind: entry.kind.clone(),
            channels: trial.channels(),
            samples: trial.samples(),
            operations: Some(trial.operations()),
            runs: times.runs,
            seconds: times.seconds,
            device_seconds: times.device_seconds,
            wall_seconds: Some(times.wall_seconds),
            bytes_per_second: Some(bytes * trial.samples() as f64 / times.seconds),
            ceiling_bytes_per_second: ceiling,
        };
        let parts = times.entries.into_iter().map(|((shader, name), seconds)| BenchRow {
            entry: Some(format!("{shader}.{name}")),
            operations: None,
            seconds,
            device_seconds: Some(seconds),
            wall_seconds: None,
            bytes_per_second: None,
            ..whole.clone()
        });
        let parts: Vec<BenchRow> = parts.collect();
        report.rows.push(whole);
        report.rows.extend(parts);
    }
    Ok(report)
}

/// Times a CPU twin. What a run leaves in the caches is driven out before the next one.
fn on_cpu(trial: &dyn Trial, spread_bytes: u64, warming: Duration, until: Instant) -> Result<Times> {
    let mut elsewhere = vec![0_u64; spread_bytes as usize / 8];
    warm_up(warming, || trial.time_cpu().map(drop))?;
    let mut runs = Runs::new(LEAST, Some(until)).at_most(MOST_RUNS);
    while runs.go_on() {
        elsewhere.iter_mut().for_each(|word| *word = word.wrapping_add(1));
        std::hint::black_box(&elsewhere);
        runs.add(trial.time_cpu()?);
    }
    let seconds = middle(&mut runs.seconds);
    let runs_count = runs.seconds.len();
    Ok(Times { seconds, wall_seconds: seconds, runs: runs_count, cut: runs.cut, ..Times::default() })
}

/// Times a kernel on a GPU: first single runs by the wall clock, then spread over memory.
fn on_gpu(
    trial: &dyn Trial,
    engine: &mut Engine,
    spread_bytes: u64,
    warming: Duration,
    until: Instant,
) -> Result<Times> {
    // The first run compiles the pipelines and lets the engine choose its submission sizes.
    let mut single = trial.time_gpu(engine)?;
    warm_up(warming, || trial.time_gpu(engine).map(drop))?;
    let mut walls = Runs::new(Duration::ZERO, Some(until));
    let mut done = Vec::new();
    while walls.go_on() {
        let started = Instant::now();
        single = trial.time_gpu(engine)?;
        walls.add(started.elapsed().as_secs_f64());
        done.push(single.clone());
    }
    let mut cut = walls.cut;
    if spread_bytes > 0 {
        let spread = spread_over(engine, spread_bytes, |engine| trial.time_gpu(engine))?;
        engine.set_spread(Some(spread));
        let least = LEAST * single.entries.len().max(1) as u32;
        let mut runs = Runs::new(least, Some(until)).at_most(MOST_RUNS);
        done.clear();
        while runs.go_on() {
            let finished = trial.time_gpu(engine)?;
            let repeats = finished.dispatches as f64 / single.dispatches.max(1) as f64;
            runs.add(finished.seconds.kernels * repeats);
            done.push(finished);
        }
        cut |= runs.cut;
    }
    Ok(Times { wall_seconds: middle(&mut walls.seconds), cut, ..medians(&done) })
}

/// Returns how to repeat a kernel so that its buffers have `bytes` together and one run takes [`RUN_SECONDS`]. Less memory
/// is used if the device has too little.
pub(super) fn spread_over(
    engine: &mut Engine,
    bytes: u64,
    mut run: impl FnMut(&mut Engine) -> Result<Finished>,
) -> Result<Spread> {
    engine.set_spread(None);
    let dispatches = run(engine)?.dispatches;
    let mut spread = Spread { bytes, rounds: 1 };
    loop {
        engine.set_spread(Some(spread));
        match run(engine) {
            Err(Error::GpuOutOfMemory(_)) if spread.bytes > 1 << 20 => spread.bytes /= 2,
            Err(error) => return Err(error),
            Ok(finished) => {
                let repeats = finished.dispatches as f64 / dispatches.max(1) as f64;
                let seconds = (finished.seconds.kernels * repeats).max(1e-9);
                return Ok(Spread { rounds: (RUN_SECONDS / seconds).ceil().clamp(1.0, 1000.0) as usize, ..spread });
            }
        }
    }
}

/// Returns the median time of these runs and of each of their entry points.
fn medians(done: &[Finished]) -> Times {
    let mut kernels: Vec<f64> = done.iter().map(|finished| finished.seconds.kernels).collect();
    let seconds = middle(&mut kernels);
    let clocked = done.iter().all(|finished| finished.device_clock);
    let mut entries: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for (name, entry) in done.iter().filter(|_| clocked).flat_map(|finished| &finished.entries) {
        entries.entry(*name).or_default().push(entry.seconds);
    }
    Times {
        seconds,
        device_seconds: clocked.then_some(seconds),
        entries: entries.into_iter().map(|(name, mut seconds)| (name, middle(&mut seconds))).collect(),
        runs: done.len(),
        ..Times::default()
    }
}

/// Channels of the signal by which the throughput of a memory copy is measured.
const COPY_CHANNELS: usize = 2;

/// Returns the throughput of a memory copy in bytes per second, reads and writes together; on a GPU over buffers of
/// `spread_bytes` together.
pub(super) fn copy_rate(engine: Option<&mut Engine>, spread_bytes: u64) -> Result<f64> {
    let bytes = |frames: usize| (2 * 4 * COPY_CHANNELS * frames) as f64;
    let Some(engine) = engine else { return Ok(bytes(USUAL_FRAMES) / copy_seconds()) };
    let frames = if engine.info().kind == AdapterKind::Discrete { CARD_FRAMES } else { USUAL_FRAMES };
    let audio = AudioBuffer::from_channels(vec![vec![0.25; frames]; COPY_CHANNELS]);
    let once = |engine: &mut Engine| {
        let mut chunk = Chunk::new();
        let input = chunk.upload(&audio)?;
        chunk.gain(input, &[1.0; COPY_CHANNELS])?;
        Ok(chunk.run(engine, None)?.finished.seconds.kernels)
    };
    once(engine)?;
    if spread_bytes > 0 {
        engine.set_spread(Some(Spread { bytes: spread_bytes, rounds: 1 }));
    }
    let mut seconds = median(|| once(engine));
    if matches!(seconds, Err(Error::GpuOutOfMemory(_))) {
        engine.set_spread(None);
        seconds = median(|| once(engine));
    }
    engine.set_spread(None);
    Ok(bytes(frames) / seconds?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(report: &BenchReport) -> Vec<&str> {
        report.rows.iter().filter(|row| row.entry.is_none()).map(|row| row.kernel).collect()
    }

    #[test]
    fn every_kernel_is_timed() {
        let options = BenchOptions { frames: Some(1 << 15), channels: 3, ..BenchOptions::default() };
        let report = bench(&Devices::new(None), DeviceId::Cpu, &options).unwrap();
        assert_eq!(names(&report), TABLE.iter().map(|(kernel, _)| kernel.name).collect::<Vec<_>>());
        assert!(report.left_out.is_empty() && report.failures.is_empty(), "{report:?}");
        for row in &report.rows {
            assert!(row.seconds > 0.0 && row.share().unwrap() > 0.0 && row.device_seconds.is_none(), "{row:?}");
            let several = ["fir", "iir_cascade", "mix", "peak"].contains(&row.kernel);
            assert_eq!(row.channels, if several { 3 } else { 1 }, "{}", row.kernel);
        }
    }

    /// Opens the test adapter; `None` if there is none and none is required.
    fn adapter() -> Option<Devices> {
        let devices = Devices::new(None);
        let opened = devices.engine(0);
        let required = std::env::var_os("UNDERTONE_REQUIRE_GPU").is_some();
        assert!(opened.is_ok() || !required, "there is no GPU adapter: {:?}", opened.err());
        opened.ok().map(|_| devices)
    }

    #[test]
    fn entry_points_are_timed_by_the_clock_of_a_gpu() {
        let Some(devices) = adapter() else { return };
        let options =
            BenchOptions { frames: Some(1 << 14), kernel: Some("peak".to_owned()), ..BenchOptions::default() };
        let report = bench(&devices, DeviceId::Gpu(0), &options).unwrap();
        let entries: Vec<Option<&str>> = report.rows.iter().map(|row| row.entry.as_deref()).collect();
        assert_eq!(entries, [None, Some("peak.finish"), Some("peak.reduce")]);
        let whole = report.rows[0].device_seconds.unwrap();
        let parts: f64 = report.rows[1..].iter().filter_map(|row| row.device_seconds).sum();
        assert!(whole > 0.0 && parts > 0.0 && parts < 20.0 * whole, "{report:?}");
        assert!(report.rows[0].wall_seconds.unwrap() >= whole, "transfers and waiting take time too: {report:?}");
    }

    #[test]
    fn a_kernel_is_spread_over_memory_as_on_a_card() {
        let Some(devices) = adapter() else { return };
        let engine = devices.engine(0).unwrap();
        let mut engine = lock(&engine);
        for (kernel, trial) in TABLE {
            let trial = trial(5000, 2).unwrap();
            let before = trial.on_gpu(&mut engine).unwrap();
            let until = Instant::now() + Duration::from_secs(1);
            let times = on_gpu(trial.as_ref(), &mut engine, 1 << 20, Duration::ZERO, until).unwrap();
            assert!(times.seconds > 0.0 && times.runs > 0 && !times.entries.is_empty(), "{}", kernel.name);
            // Spread, it computes the same.
            engine.set_spread(Some(Spread { bytes: 1 << 20, rounds: 2 }));
            let spread = trial.on_gpu(&mut engine);
            engine.set_spread(None);
            let spread = spread.unwrap();
            let bits = |run: &crate::device::trials::Run| run.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&spread), bits(&before), "{}", kernel.name);
            assert!(spread.finished.dispatches > before.finished.dispatches, "{}", kernel.name);
        }
    }

    #[test]
    fn what_there_is_no_time_for_is_said() {
        let options = BenchOptions { frames: Some(1 << 12), limit: Duration::ZERO, ..BenchOptions::default() };
        let report = bench(&Devices::new(None), DeviceId::Cpu, &options).unwrap();
        assert!(report.rows.is_empty() && report.left_out.len() == TABLE.len(), "{report:?}");
        let options = BenchOptions { kernel: Some("peak".to_owned()), limit: Duration::from_nanos(1), ..options };
        assert_eq!(bench(&Devices::new(None), DeviceId::Cpu, &options).unwrap().left_out, ["peak"]);
    }

    #[test]
    fn medians_are_taken_for_each_entry_point_and_only_of_a_clock() {
        let finished = |kernels: f64, device_clock| {
            let mut one = Finished { device_clock, ..Finished::default() };
            one.seconds.kernels = kernels;
            one.entries.entry(("stft", "powers")).or_default().seconds = kernels / 2.0;
            one
        };
        let times = medians(&[finished(9.0, true), finished(1.0, true), finished(2.0, true)]);
        assert_eq!((times.seconds, times.device_seconds, times.runs), (2.0, Some(2.0), 3));
        assert_eq!(times.entries, [(("stft", "powers"), 1.0)]);
        let times = medians(&[finished(1.0, true), finished(1.0, false)]);
        assert_eq!((times.device_seconds, times.entries.len()), (None, 0));
    }
}
