//! The device selector and its cost model: compares the request with the available devices and predicts the faster one
//! from measured rates.

use serde::{Deserialize, Serialize};

use super::report::DeviceReport;
use super::request::DeviceRequest;
use super::turns::Load;
use crate::gpu::{AdapterInfo, AdapterKind, Tier};

/// A device: the CPU or a GPU adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceId {
    /// The CPU.
    Cpu,
    /// The adapter at this index of the adapter list.
    Gpu(usize),
}

impl std::fmt::Display for DeviceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(index) => write!(f, "gpu:{index}"),
        }
    }
}

/// What a renderer is for. The purposes differ in chunk size, which decides whether a GPU is worth its overhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunPurpose {
    /// Long chunks; throughput matters.
    Export,
    /// Short chunks; the time of each matters.
    Preview,
}

/// The samples in a chunk of an export on a hardware GPU, over all channels: 32 MiB. Its pieces fill a large card, and
/// the fixed cost of a chunk and the ends that overlap with nothing are a small part of it.
const HARDWARE_SAMPLES: usize = 1 << 23;
/// The least number of samples of all channels in a piece of a chunk on a GPU. Smaller pieces do not fill a device.
pub(crate) const PIECE_SAMPLES: usize = 1 << 17;
/// The number of pieces of a large chunk on a GPU. While one piece is uploaded, the device works on another and a third
/// is read back. The first upload and the last readback overlap with nothing.
pub(crate) const PIECES: usize = 8;

impl RunPurpose {
    /// Returns the chunk size in frames on a device of this kind (`None` for the CPU), for which the cost model predicts
    /// times.
    pub fn chunk_frames(self, kind: Option<AdapterKind>, channels: usize) -> usize {
        match (self, kind) {
            (Self::Preview, _) => 2048,
            (Self::Export, None | Some(AdapterKind::Software)) => 1 << 18,
            (Self::Export, Some(_)) => (HARDWARE_SAMPLES / channels.max(1)).max(1 << 12),
        }
    }
}

/// The work to be run, as far as the choice of a device depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// Channels of the stream.
    pub channels: usize,
    /// The number of sections in all cascades of the chain, after fusion.
    pub sections: usize,
    /// The number of passes over the signal in GPU memory by kernels other than cascades: gains, sums, peaks.
    pub passes: usize,
    /// The FIR filters that have a GPU kernel.
    pub filters: Vec<FilterWork>,
    /// How many times the stream is uploaded and read back, because stages in between have no GPU kernel; 1 if it stays
    /// resident.
    pub transfers: usize,
    /// The length of the whole stream in frames, if it is known and finite. A GPU is not opened for short streams.
    pub frames: Option<u64>,
    /// The spectra to compute, if that is the work.
    pub spectra: Option<SpectraWork>,
    /// Why f32 on a GPU would not be accurate enough; `None` if it is.
    pub inaccurate: Option<String>,
    /// Why the work cannot run on a GPU at all; `None` if it can.
    pub impossible: Option<String>,
}

/// Spectra of a piece of one channel. Only the result is read back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectraWork {
    /// The number of frames that the piece covers.
    pub frames: f64,
    /// The number of transform points, as counted by [`crate::kernels::stft::StftPlan::work`].
    pub points: f64,
    /// The number of bytes to upload.
    pub upload_bytes: f64,
    /// The number of bytes to read back.
    pub readback_bytes: f64,
}

/// The cost of an FIR filter, per frame of all its channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterWork {
    /// The approximate number of operations per frame on the CPU.
    pub operations: f64,
    /// The approximate number of operations per frame on a GPU.
    pub device_operations: f64,
    /// The filter's state in bytes: uploaded with each chunk, and at most as much read back.
    pub carried_bytes: f64,
}

/// The measured speeds of a device. For the CPU, the upload and readback rates are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Host to device, bytes per second.
    pub upload_bytes_s: Option<f64>,
    /// Device to host, bytes per second.
    pub readback_bytes_s: Option<f64>,
    /// Host to device and back at once, both directions together, in bytes per second: as in a large chunk, whose pieces
    /// are uploaded while others are read back. `None` for the CPU.
    #[serde(default)]
    pub streamed_bytes_s: Option<f64>,
    /// Memory read and written by a copy, in bytes per second.
    pub memory_bytes_s: f64,
    /// Throughput of an order-8 cascade (four sections), in samples per second.
    pub cascade_samples_s: f64,
    /// Throughput of FIR filters of 1025 taps, in operations per second as [`FilterWork`] counts them.
    pub filter_operations_s: f64,
    /// Throughput of spectrogram levels with windows of 2048 frames and a hop of 512, in transform points per second.
    pub spectra_points_s: f64,
    /// The fixed cost of a chunk, in seconds.
    pub overhead_s: f64,
    /// Whether the device's timestamps were implausible, so that kernels were timed on the host.
    #[serde(default)]
    pub clock_refused: bool,
}

/// The greatest plausible memory bandwidth, in bytes per second. A kernel that claims more was mismeasured. The fastest
/// card of 2026 reaches 8e12.
const MAX_MEMORY_BYTES_S: f64 = 2e13;
/// The greatest plausible bus bandwidth between host and device, in bytes per second.
const MAX_BUS_BYTES_S: f64 = 4e12;
/// The greatest plausible arithmetic rate, in operations per second.
const MAX_OPERATIONS_S: f64 = 1e16;

impl Rates {
    /// Whether a device can have these rates: every one is above 0 (the overhead at least 0) and below its plausible
    /// limit.
    pub fn are_plausible(&self) -> bool {
        let within = |rate: f64, most: f64| rate > 0.0 && rate <= most;
        let bus = |rate: Option<f64>| rate.is_none_or(|rate| within(rate, MAX_BUS_BYTES_S));
        bus(self.upload_bytes_s)
            && bus(self.readback_bytes_s)
            && bus(self.streamed_bytes_s)
            && within(self.memory_bytes_s, MAX_MEMORY_BYTES_S)
            // Each sample is read and written at least once.
            && within(8.0 * self.cascade_samples_s, MAX_MEMORY_BYTES_S)
            // A transform point takes at least some ten operations.
            && within(10.0 * self.spectra_points_s, MAX_OPERATIONS_S)
            && within(self.filter_operations_s, MAX_OPERATIONS_S)
            && (0.0..60.0).contains(&self.overhead_s)
    }

    /// Predicts the time for `frames` frames of this work, in seconds.
    pub fn seconds(&self, work: &Workload, frames: usize) -> f64 {
        if let Some(spectra) = &work.spectra {
            let transfer = |bytes: f64, rate: Option<f64>| rate.map_or(0.0, |rate| bytes / rate);
            let piece = self.overhead_s
                + spectra.points / self.spectra_points_s
                + transfer(spectra.upload_bytes, self.upload_bytes_s)
                + transfer(spectra.readback_bytes, self.readback_bytes_s);
            return piece * work.channels as f64 * frames as f64 / spectra.frames.max(1.0);
        }
        let samples = (work.channels * frames) as f64;
        let bytes = samples * 4.0;
        let transfer = |rate: Option<f64>| rate.map_or(0.0, |rate| bytes * work.transfers.max(1) as f64 / rate);
        let on_gpu = self.upload_bytes_s.is_some();
        let filter = |filter: &FilterWork| {
            let operations = if on_gpu { filter.device_operations } else { filter.operations };
            let carried = |rate: Option<f64>| rate.map_or(0.0, |rate| filter.carried_bytes / rate);
            operations * frames as f64 / self.filter_operations_s
                + carried(self.upload_bytes_s)
                + carried(self.readback_bytes_s)
        };
        // Kernels count in full: a device works on them in turn with its copies.
        let in_pieces = work.channels * frames >= 2 * PIECE_SAMPLES;
        let transfers = match self.streamed_bytes_s.filter(|_| in_pieces) {
            Some(rate) => 2.0 * bytes * work.transfers.max(1) as f64 / rate,
            None => transfer(self.upload_bytes_s) + transfer(self.readback_bytes_s),
        };
        self.overhead_s
            + work.filters.iter().map(filter).sum::<f64>()
            + samples * work.sections as f64 / (4.0 * self.cascade_samples_s)
            + 2.0 * bytes * work.passes as f64 / self.memory_bytes_s
            + transfers
    }
}

/// The chosen device and the report that gives the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceChoice {
    /// The device to run on.
    pub device: DeviceId,
    /// The report that accompanies the result.
    pub report: DeviceReport,
}

/// The devices to choose from and what is known about them.
pub(super) struct Offer<'a> {
    pub adapters: &'a [AdapterInfo],
    pub cpu_name: &'a str,
    /// Returns the measured rates of a device, if there are any. Called only when they are needed.
    pub rates: &'a dyn Fn(DeviceId) -> Option<Rates>,
    /// The other jobs that share the devices; `None` for a job by itself.
    pub load: Option<&'a Load>,
}

impl Offer<'_> {
    /// Returns the jobs that would have a device, with this one.
    fn jobs(&self, id: DeviceId) -> f64 {
        self.load.map_or(1.0, |load| load.with_one_more(id))
    }

    fn has_failed(&self, id: DeviceId) -> bool {
        self.load.is_some_and(|load| load.has_failed(id))
    }

    /// Predicts the seconds for each frame of this work on a device, in chunks of the size that it is given. The device
    /// is divided among its jobs.
    fn seconds_a_frame(&self, id: DeviceId, work: &Workload, purpose: RunPurpose) -> Option<f64> {
        let kind = match id {
            DeviceId::Cpu => None,
            DeviceId::Gpu(index) => Some(self.adapters.get(index)?.kind),
        };
        let chunk = || purpose.chunk_frames(kind, work.channels);
        let frames = work.spectra.map_or_else(chunk, |spectra| spectra.frames.max(1.0) as usize);
        let frames = work.frames.map_or(frames, |whole| (whole.max(1) as usize).min(frames));
        Some((self.rates)(id)?.seconds(work, frames) / frames as f64 * self.jobs(id))
    }
}

/// The approximate time in seconds to enumerate adapters and open one, once per process.
const START_SECONDS: f64 = 0.3;
/// The assumed cascade speed of a CPU that was not measured, in section-samples per second; any current CPU reaches it.
const MODEST_CPU: f64 = 4e8;
/// The assumed FIR speed of a CPU that was not measured, in operations per second.
const MODEST_FILTERS: f64 = 3e9;
/// The assumed speed of spectra on a CPU that was not measured, in transform points per second.
const MODEST_SPECTRA: f64 = 1e8;

/// Returns whether the CPU finishes all of this work before a GPU would be ready to start.
pub(super) fn too_short_for_a_gpu(work: &Workload, cpu: Option<Rates>) -> bool {
    let Some(frames) = work.frames else { return false };
    let seconds = if let Some(rates) = cpu {
        rates.seconds(work, frames as usize)
    } else if let Some(spectra) = &work.spectra {
        let pieces = (frames as usize * work.channels) as f64 / spectra.frames.max(1.0);
        pieces * spectra.points / MODEST_SPECTRA
    } else {
        let filtered: f64 = work.filters.iter().map(|filter| filter.operations).sum();
        (frames as usize * work.channels * (work.sections + work.passes)) as f64 / MODEST_CPU
            + frames as f64 * filtered / MODEST_FILTERS
    };
    seconds < START_SECONDS
}

/// Chooses a device. `auto` never takes a software adapter, and takes the CPU if the GPU was not measured.
pub(super) fn choose(request: &DeviceRequest, work: &Workload, purpose: RunPurpose, offer: &Offer<'_>) -> DeviceChoice {
    let cpu = |reason: String, fallback: bool| DeviceChoice {
        device: DeviceId::Cpu,
        report: DeviceReport {
            requested: request.to_string(),
            used: "cpu".to_owned(),
            name: offer.cpu_name.to_owned(),
            reason,
            fallback,
        },
    };
    let gpu = |index: usize, reason: String| DeviceChoice {
        device: DeviceId::Gpu(index),
        report: DeviceReport {
            requested: request.to_string(),
            used: format!("gpu:{index}"),
            name: offer.adapters[index].name.clone(),
            reason,
            fallback: false,
        },
    };
    let wanted = match request {
        DeviceRequest::Cpu => return cpu("selected".to_owned(), false),
        DeviceRequest::Auto => return automatic(work, purpose, offer, &cpu, &gpu),
        DeviceRequest::Several(parts) => return one_of(request, parts, work, purpose, offer),
        DeviceRequest::Gpu => best(offer.adapters),
        DeviceRequest::GpuIndex(index) => named(offer.adapters, |at, _| at == *index)
            .map_err(|_| format!("there is no gpu:{index}, {}", found(offer.adapters))),
        DeviceRequest::Name(name) => {
            let lower = name.to_lowercase();
            // The back end is part of the title, so that each of several back ends for one card can be named.
            let title = |info: &AdapterInfo| format!("{} {}", info.name, info.backend).to_lowercase();
            named(offer.adapters, |_, info| title(info).contains(&lower))
                .map_err(|_| format!("no adapter's name contains `{name}`, {}", found(offer.adapters)))
        }
    };
    let (index, info) = match wanted {
        Ok(wanted) => wanted,
        Err(reason) => return cpu(reason, true),
    };
    if let Err(refusal) = &info.tier {
        return cpu(format!("{} cannot be used: {refusal}", info.name), true);
    }
    if lacks_buffers(info, work) {
        return cpu(format!("{} has too few buffer bindings for FIR filters", info.name), true);
    }
    if let Some(reason) = &work.impossible {
        return cpu(reason.clone(), true);
    }
    if let Some(reason) = &work.inaccurate {
        return cpu(format!("accuracy: {reason}"), true);
    }
    let software = if info.kind == AdapterKind::Software { ", a software adapter" } else { "" };
    gpu(index, format!("selected{software}"))
}

/// Chooses the device that is predicted to take the least time, with the jobs that it has already. A device that cannot
/// do the work, or that failed before, is left out if another can.
fn one_of(
    request: &DeviceRequest,
    parts: &[DeviceRequest],
    work: &Workload,
    purpose: RunPurpose,
    offer: &Offer<'_>,
) -> DeviceChoice {
    let choices = parts.iter().map(|part| choose(part, work, purpose, offer));
    let (able, unable): (Vec<_>, Vec<_>) =
        choices.partition(|choice| !choice.report.fallback && !offer.has_failed(choice.device));
    // A device that could not be measured counts by its jobs alone.
    let cost = |choice: &DeviceChoice| {
        offer.seconds_a_frame(choice.device, work, purpose).unwrap_or_else(|| offer.jobs(choice.device))
    };
    let quickest = able.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let Some(mut chosen) = quickest.or_else(|| unable.into_iter().next()) else {
        return choose(&DeviceRequest::Auto, work, purpose, offer);
    };
    if !chosen.report.fallback {
        chosen.report.reason = format!("{}, one of {request}", chosen.report.reason);
    }
    chosen.report.requested = request.to_string();
    chosen
}

/// Whether an adapter of the basic tier is offered work that needs the full tier: FIR kernels bind up to eight storage
/// buffers, all others four.
fn lacks_buffers(info: &AdapterInfo, work: &Workload) -> bool {
    info.tier == Ok(Tier::Basic) && !work.filters.is_empty()
}

fn automatic(
    work: &Workload,
    purpose: RunPurpose,
    offer: &Offer<'_>,
    cpu: &dyn Fn(String, bool) -> DeviceChoice,
    gpu: &dyn Fn(usize, String) -> DeviceChoice,
) -> DeviceChoice {
    let hardware: Vec<usize> = (0..offer.adapters.len())
        .filter(|&index| offer.adapters[index].passed_over().is_none() && offer.adapters[index].tier.is_ok())
        .filter(|&index| !lacks_buffers(&offer.adapters[index], work))
        .filter(|&index| !offer.has_failed(DeviceId::Gpu(index)))
        .collect();
    if hardware.is_empty() {
        let reason = match offer.adapters.first() {
            None => "no GPU adapter was found".to_owned(),
            Some(first) if first.kind == AdapterKind::Software => "no hardware GPU was found".to_owned(),
            Some(_) => "no hardware GPU can be used".to_owned(),
        };
        return cpu(reason, false);
    }
    if let Some(reason) = &work.impossible {
        return cpu(reason.clone(), false);
    }
    if let Some(reason) = &work.inaccurate {
        return cpu(format!("accuracy: {reason}"), false);
    }
    let Some(own_s) = offer.seconds_a_frame(DeviceId::Cpu, work, purpose) else {
        return cpu("not measured yet".to_owned(), false);
    };
    let comparison = |other: &str, times: f64| comparison(other, times, work, purpose);
    let fastest = hardware
        .into_iter()
        .filter_map(|index| Some((index, offer.seconds_a_frame(DeviceId::Gpu(index), work, purpose)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    match fastest {
        None => cpu("the GPU could not be measured".to_owned(), false),
        Some((index, seconds)) if seconds < own_s => {
            let refused = (offer.rates)(DeviceId::Gpu(index)).is_some_and(|rates| rates.clock_refused);
            let how = if refused { ", timed from outside, as its own clock is wrong" } else { "" };
            gpu(index, comparison("CPU", own_s / seconds) + how)
        }
        Some((_, seconds)) => cpu(comparison("GPU", seconds / own_s), false),
    }
}

fn comparison(other: &str, times: f64, work: &Workload, purpose: RunPurpose) -> String {
    let what = match purpose {
        _ if work.spectra.is_some() => "these spectra",
        RunPurpose::Export => "chunks of an export",
        RunPurpose::Preview => "the short chunks of a preview",
    };
    format!("measured {times:.1} times as fast as the {other} for {what}")
}

type AdapterMatch<'a> = Result<(usize, &'a AdapterInfo), String>;

/// Returns the first usable adapter; the list is sorted with hardware before software. If none is usable, returns the
/// first one.
fn best(adapters: &[AdapterInfo]) -> AdapterMatch<'_> {
    let usable = adapters.iter().enumerate().find(|(_, info)| info.tier.is_ok());
    usable.or(adapters.iter().enumerate().next()).ok_or_else(|| found(adapters))
}

fn named(adapters: &[AdapterInfo], fits: impl Fn(usize, &AdapterInfo) -> bool) -> AdapterMatch<'_> {
    adapters.iter().enumerate().find(|&(index, info)| fits(index, info)).ok_or_else(String::new)
}

fn found(adapters: &[AdapterInfo]) -> String {
    if adapters.is_empty() {
        return "no GPU adapter was found".to_owned();
    }
    let names: Vec<String> =
        adapters.iter().enumerate().map(|(index, info)| format!("gpu:{index} {}", info.name)).collect();
    format!("found: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::turns::Turns;
    use super::*;
    use crate::gpu::{Tier, TierRefusal};

    fn adapter(name: &str, kind: AdapterKind, tier: Result<Tier, TierRefusal>) -> AdapterInfo {
        AdapterInfo {
            name: name.to_owned(),
            backend: "Vulkan",
            driver: "1".to_owned(),
            kind,
            tier,
            limits: BTreeMap::new(),
            features: Vec::new(),
            pci: crate::gpu::PciId::default(),
            same_as: None,
        }
    }

    fn adapters() -> Vec<AdapterInfo> {
        vec![
            adapter("GeForce", AdapterKind::Discrete, Ok(Tier::Full)),
            adapter("Iris", AdapterKind::Integrated, Ok(Tier::Basic)),
            adapter("Old", AdapterKind::Integrated, Err(TierRefusal::NoCompute)),
            adapter("llvmpipe", AdapterKind::Software, Ok(Tier::Full)),
        ]
    }

    /// The rates of a CPU of 600 Msamples/s, of a GPU ten times as fast behind a bus, of a slow GPU, and of a software
    /// adapter that claims implausible speed.
    fn rates(id: DeviceId) -> Option<Rates> {
        let gpu = |bus: f64, cascade: f64| Rates {
            upload_bytes_s: Some(bus),
            readback_bytes_s: Some(bus),
            streamed_bytes_s: None,
            memory_bytes_s: 4e11,
            cascade_samples_s: cascade,
            spectra_points_s: cascade,
            filter_operations_s: 100.0 * cascade,
            overhead_s: 200e-6,
            clock_refused: false,
        };
        match id {
            DeviceId::Cpu => Some(Rates {
                upload_bytes_s: None,
                readback_bytes_s: None,
                streamed_bytes_s: None,
                overhead_s: 0.0,
                clock_refused: false,
                memory_bytes_s: 2e10,
                cascade_samples_s: 6e8,
                spectra_points_s: 6e8,
                filter_operations_s: 2e10,
            }),
            DeviceId::Gpu(0) => Some(gpu(12e9, 2e10)),
            DeviceId::Gpu(1) => Some(gpu(6e9, 1e9)),
            DeviceId::Gpu(_) => Some(gpu(1e15, 1e15)),
        }
    }

    fn choose_among(request: &str, work: &Workload, purpose: RunPurpose, adapters: &[AdapterInfo]) -> DeviceChoice {
        let offer = Offer { adapters, cpu_name: "a CPU", rates: &rates, load: None };
        choose(&DeviceRequest::from(request.to_owned()), work, purpose, &offer)
    }

    fn work(sections: usize) -> Workload {
        Workload { channels: 2, sections, transfers: 1, ..Workload::default() }
    }

    #[test]
    fn auto_takes_the_faster_for_each_purpose() {
        // A single section does not pay for the transfer; a long chain does, but not in the short chunks of a preview.
        let auto = |sections, purpose| choose_among("auto", &work(sections), purpose, &adapters());
        assert_eq!(auto(1, RunPurpose::Export).device, DeviceId::Cpu);
        let gpu = rates(DeviceId::Gpu(0)).unwrap();
        let streamed = Rates { streamed_bytes_s: Some(24e9), ..gpu };
        let bytes = 2.0 * 4.0 * f64::from(1 << 20);
        let saved = gpu.seconds(&work(1), 1 << 20) - streamed.seconds(&work(1), 1 << 20);
        assert!((saved - (2.0 * bytes / 12e9 - 2.0 * bytes / 24e9)).abs() < 1e-12, "{saved}");
        assert_eq!(gpu.seconds(&work(1), 2048), streamed.seconds(&work(1), 2048), "a short chunk has no pieces");
        let export = auto(40, RunPurpose::Export);
        assert_eq!(export.device, DeviceId::Gpu(0));
        assert!(export.report.reason.contains("times as fast as the CPU"), "{}", export.report.reason);
        let preview = auto(40, RunPurpose::Preview);
        assert_eq!(preview.device, DeviceId::Cpu);
        assert!(preview.report.reason.contains("times as fast as the GPU for the short chunks"), "{preview:?}");
        assert!(!export.report.fallback && !preview.report.fallback);
    }

    #[test]
    fn filters_are_weighed_by_their_operations_and_by_what_they_carry_on() {
        let filtered = |operations: f64, carried_bytes: f64| Workload {
            filters: vec![FilterWork { operations, device_operations: operations, carried_bytes }],
            ..work(0)
        };
        let auto = |work: &Workload, purpose| choose_among("auto", work, purpose, &adapters()).device;
        assert_eq!(auto(&filtered(20.0, 1e3), RunPurpose::Export), DeviceId::Cpu, "a few taps do not pay for the bus");
        assert_eq!(auto(&filtered(400.0, 1e5), RunPurpose::Export), DeviceId::Gpu(0));
        assert_eq!(auto(&filtered(400.0, 1e9), RunPurpose::Export), DeviceId::Cpu, "what goes to and fro decides");
        assert_eq!(auto(&filtered(100.0, 1e5), RunPurpose::Preview), DeviceId::Cpu);
        let cpu = rates(DeviceId::Cpu);
        assert!(too_short_for_a_gpu(&Workload { frames: Some(48_000), ..filtered(400.0, 0.0) }, None));
        assert!(too_short_for_a_gpu(&Workload { frames: Some(48_000), ..filtered(400.0, 0.0) }, cpu));
        assert!(!too_short_for_a_gpu(&Workload { frames: Some(1 << 28), ..filtered(400.0, 0.0) }, cpu));
    }

    #[test]
    fn spectra_are_weighed_by_what_goes_up_is_transformed_and_comes_back() {
        // A million frames with windows of 2048 and a hop of 512, and a picture with few or with many columns.
        let spectra = |frames: f64, readback_bytes| Workload {
            channels: 2,
            spectra: Some(SpectraWork { frames, points: 4.0 * frames, upload_bytes: 4.0 * frames, readback_bytes }),
            ..Workload::default()
        };
        let auto = |work: &Workload| choose_among("auto", work, RunPurpose::Export, &adapters());
        let few = auto(&spectra(1e6, 1e5));
        assert_eq!(few.device, DeviceId::Gpu(0));
        assert!(few.report.reason.ends_with("times as fast as the CPU for these spectra"), "{few:?}");
        assert_eq!(auto(&spectra(1e6, 1e9)).device, DeviceId::Cpu, "the bus takes longer than the transforms");
        assert_eq!(auto(&spectra(1e4, 1e4)).device, DeviceId::Cpu, "a piece so short does not pay");
        assert_eq!(auto(&spectra(1e4, 1e4)).report.reason.matches("these spectra").count(), 1);
        let cpu = rates(DeviceId::Cpu);
        for rates in [cpu, None] {
            assert!(too_short_for_a_gpu(&Workload { frames: Some(1 << 20), ..spectra(1e6, 1e5) }, rates));
            assert!(!too_short_for_a_gpu(&Workload { frames: Some(1 << 30), ..spectra(1e6, 1e5) }, rates));
        }
    }

    #[test]
    fn auto_never_takes_software_or_what_is_unknown_or_inaccurate() {
        let auto = |adapters: &[AdapterInfo], work: &Workload| choose_among("auto", work, RunPurpose::Export, adapters);
        assert_eq!(auto(&adapters()[2..], &work(40)).report.reason, "no hardware GPU can be used");
        assert_eq!(auto(&adapters()[3..], &work(40)).report.reason, "no hardware GPU was found");
        assert_eq!(auto(&[], &work(40)).report.reason, "no GPU adapter was found");
        let inaccurate = Workload { inaccurate: Some("too narrow".to_owned()), ..work(40) };
        assert_eq!(auto(&adapters(), &inaccurate).report.reason, "accuracy: too narrow");
        let offer = Offer { adapters: &adapters(), cpu_name: "a CPU", rates: &|_| None, load: None };
        let choice = choose(&DeviceRequest::Auto, &work(40), RunPurpose::Export, &offer);
        assert_eq!(choice.device, DeviceId::Cpu);
    }

    #[test]
    fn auto_takes_no_second_way_to_a_card_and_no_opengl() {
        // Each back end claims to be faster than the one before it.
        let rates = |id| match id {
            DeviceId::Gpu(index) => {
                rates(DeviceId::Gpu(0)).map(|rates| Rates { overhead_s: 1e-4 / (index + 1) as f64, ..rates })
            }
            DeviceId::Cpu => rates(id),
        };
        let card = |backend, same_as| AdapterInfo {
            backend,
            same_as,
            ..adapter("GeForce", AdapterKind::Discrete, Ok(Tier::Full))
        };
        let adapters = [card("Vulkan", None), card("DX12", Some(0)), card("OpenGL", Some(0))];
        let choose = |request: &str, adapters: &[AdapterInfo]| {
            let offer = Offer { adapters, cpu_name: "a CPU", rates: &rates, load: None };
            choose(&DeviceRequest::from(request.to_owned()), &work(40), RunPurpose::Export, &offer)
        };
        assert_eq!(choose("auto", &adapters).device, DeviceId::Gpu(0));
        assert_eq!(choose("auto", &[card("OpenGL", None)]).device, DeviceId::Cpu);
        for (request, index) in [("geforce", 0), ("dx12", 1), ("GeForce OpenGL", 2), ("gpu:2", 2), ("gpu", 0)] {
            assert_eq!(choose(request, &adapters).device, DeviceId::Gpu(index), "{request}");
        }
        assert_eq!(adapters[0].passed_over(), None);
        assert_eq!(adapters[1].passed_over().as_deref(), Some("the same device as gpu:0, through another driver"));
        // The reason says when the device's timestamps were refused.
        let refused = |id| rates(id).map(|rates| Rates { clock_refused: true, ..rates });
        let offer = Offer { adapters: &adapters, cpu_name: "a CPU", rates: &refused, load: None };
        let reason = super::choose(&DeviceRequest::Auto, &work(40), RunPurpose::Export, &offer).report.reason;
        assert!(reason.ends_with("timed from outside, as its own clock is wrong"), "{reason}");
    }

    #[test]
    fn jobs_that_run_at_once_are_shared_among_devices() {
        let turns = Turns::default();
        let (work, purpose, adapters) = (work(40), RunPurpose::Export, adapters());
        let choose_next = |request: &str| {
            let mut load = turns.load();
            let offer = Offer { adapters: &adapters, cpu_name: "a CPU", rates: &rates, load: Some(&load) };
            let choice = choose(&DeviceRequest::from(request.to_owned()), &work, purpose, &offer);
            let turn = turns.take(&mut load, choice.device);
            (choice, turn)
        };
        // The first jobs go to the faster device, until the other would have done one more before it.
        let jobs: Vec<_> = (0..40).map(|_| choose_next("auto")).collect();
        let on = |id| jobs.iter().filter(|(choice, _)| choice.device == id).count();
        assert_eq!(jobs[0].0.device, DeviceId::Gpu(0));
        assert!(on(DeviceId::Gpu(0)) > on(DeviceId::Cpu) && on(DeviceId::Cpu) > 0, "{} on the CPU", on(DeviceId::Cpu));
        // A device that failed is left out.
        jobs[0].1.device_failed();
        drop(jobs);
        assert_eq!(choose_next("gpu:0,cpu").0.device, DeviceId::Cpu);
        assert_ne!(choose_next("auto").0.device, DeviceId::Gpu(0));
        let (choice, _turn) = choose_next("gpu:9,cpu");
        assert_eq!((choice.device, choice.report.fallback), (DeviceId::Cpu, false));
        assert_eq!(choice.report.reason, "selected, one of gpu:9,cpu");
        let (choice, _turn) = choose_next("gpu:9,gpu:8");
        assert_eq!((choice.device, choice.report.fallback), (DeviceId::Cpu, true), "{:?}", choice.report);
    }

    #[test]
    fn rates_that_no_device_has_are_told_from_those_that_one_may_have() {
        let good = rates(DeviceId::Gpu(0)).unwrap();
        assert!(good.are_plausible() && rates(DeviceId::Cpu).is_some_and(|rates| rates.are_plausible()));
        let spoiled: [fn(&mut Rates, f64); 7] = [
            |rates, value| rates.upload_bytes_s = Some(value),
            |rates, value| rates.readback_bytes_s = Some(value),
            |rates, value| rates.streamed_bytes_s = Some(value),
            |rates, value| rates.memory_bytes_s = value,
            |rates, value| rates.cascade_samples_s = value,
            |rates, value| rates.spectra_points_s = value,
            |rates, value| rates.filter_operations_s = value,
        ];
        for (n, spoil) in spoiled.iter().enumerate() {
            for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 8e15 * 1e9] {
                let mut rates = good;
                spoil(&mut rates, value);
                assert!(!rates.are_plausible(), "rate {n} at {value}");
            }
        }
        assert!(!Rates { overhead_s: f64::NAN, ..good }.are_plausible());
        // 8 MiB in 1 ns, as with a clock that stands still.
        assert!(!Rates { memory_bytes_s: 16_777_216.0 / 1e-9, ..good }.are_plausible());
    }

    #[test]
    fn work_done_before_a_gpu_stands_ready_opens_no_driver() {
        let cpu = rates(DeviceId::Cpu);
        let lasting = |frames: Option<u64>, sections: usize| Workload { frames, ..work(sections) };
        // Three sections over a minute of stereo take this CPU about 30 ms; over an hour, 1.8 s.
        assert!(too_short_for_a_gpu(&lasting(Some(60 * 48_000), 3), cpu));
        assert!(!too_short_for_a_gpu(&lasting(Some(3600 * 48_000), 3), cpu));
        assert!(!too_short_for_a_gpu(&lasting(Some(60 * 48_000), 300), cpu));
        // A stream of unknown length may be long. A CPU that was not measured is assumed to be slow.
        assert!(!too_short_for_a_gpu(&lasting(None, 3), cpu));
        assert!(too_short_for_a_gpu(&lasting(Some(60 * 48_000), 3), None));
        assert!(!too_short_for_a_gpu(&lasting(Some(3600 * 48_000), 3), None));
    }

    #[test]
    fn what_is_asked_for_is_used_or_the_reason_is_told() {
        let ask = |request: &str| choose_among(request, &work(1), RunPurpose::Preview, &adapters());
        for (request, device) in [("gpu", 0), ("gpu:1", 1), ("force", 0), ("LLVM", 3), ("gpu:3", 3)] {
            let choice = ask(request);
            assert_eq!((choice.device, choice.report.fallback), (DeviceId::Gpu(device), false), "{request}");
            assert_eq!((choice.report.requested, choice.report.used), (request.to_owned(), format!("gpu:{device}")));
        }
        for (request, reason) in [
            ("gpu:2", "Old cannot be used: it has no compute shaders"),
            ("gpu:7", "there is no gpu:7, found: gpu:0 GeForce"),
            ("Voodoo", "no adapter's name contains `Voodoo`, found: gpu:0 GeForce"),
        ] {
            let report = ask(request).report;
            assert!(report.fallback && report.used == "cpu" && report.reason.starts_with(reason), "{report:?}");
        }
        // The best usable adapter; a software one if there is no other.
        let choice = choose_among("gpu", &work(1), RunPurpose::Export, &adapters()[2..]);
        assert_eq!(choice.device, DeviceId::Gpu(1));
        assert!(choice.report.reason.contains("software"));
    }
}
