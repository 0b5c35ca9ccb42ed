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

/// The purpose of a renderer. Purposes differ in chunk size, which decides whether a GPU is worth its overhead.
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
pub const PIECE_SAMPLES: usize = 1 << 17;
/// The number of pieces of a large chunk on a GPU. While one piece is uploaded, the device works on another and a third
/// is read back. The first upload and the last readback overlap with nothing.
pub const PIECES: usize = 8;

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
    /// The runs of a network, if that is the work; a frame is one run then.
    pub network: Option<NetworkWork>,
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
    /// The number of transform points, as counted by [`crate::kernels::signal::stft::StftPlan::work`].
    pub points: f64,
    /// The number of bytes to upload.
    pub upload_bytes: f64,
    /// The number of bytes to read back.
    pub readback_bytes: f64,
}

/// A run of a network, of one item. Its weights stay on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkWork {
    /// The number of floating-point operations of its products.
    pub operations: f64,
    /// The number of kernels that follow one another on a GPU.
    pub dispatches: f64,
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
    /// Throughput of the products of networks, in operations per second.
    pub product_operations_s: f64,
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
            && within(self.product_operations_s, MAX_OPERATIONS_S)
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
        if let Some(network) = &work.network {
            return self.seconds_of_run(network) * frames as f64;
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

    fn seconds_of_run(&self, network: &NetworkWork) -> f64 {
        let transfer = |bytes: f64, rate: Option<f64>| rate.map_or(0.0, |rate| bytes / rate);
        let starting = if self.upload_bytes_s.is_some() { network.dispatches * DISPATCH_SECONDS } else { 0.0 };
        self.overhead_s
            + starting
            + network.operations / self.product_operations_s
            + transfer(network.upload_bytes, self.upload_bytes_s)
            + transfer(network.readback_bytes, self.readback_bytes_s)
    }
}

/// The time to start a kernel after another one, in seconds, on an H100.
const DISPATCH_SECONDS: f64 = 7e-6;

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
    /// Returns the number of jobs that a device would have with this one.
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
        let frames = match (&work.spectra, &work.network) {
            (Some(spectra), _) => spectra.frames.max(1.0) as usize,
            (None, Some(_)) => 1,
            (None, None) => chunk(),
        };
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
/// The assumed speed of products on a CPU that was not measured, in operations per second.
const MODEST_PRODUCTS: f64 = 2e10;
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
    } else if let Some(network) = &work.network {
        frames as f64 * network.operations / MODEST_PRODUCTS
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

/// Chooses the device that is predicted to take the least time, given the jobs that it already has. A device that
/// cannot do the work, or that failed before, is left out if another can.
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
    let Some(cpu_s) = offer.seconds_a_frame(DeviceId::Cpu, work, purpose) else {
        return cpu("not measured yet".to_owned(), false);
    };
    let comparison = |other: &str, times: f64| comparison(other, times, work, purpose);
    let fastest = hardware
        .into_iter()
        .filter_map(|index| Some((index, offer.seconds_a_frame(DeviceId::Gpu(index), work, purpose)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    match fastest {
        None => cpu("the GPU could not be measured".to_owned(), false),
        Some((index, seconds)) if seconds < cpu_s => {
            let refused = (offer.rates)(DeviceId::Gpu(index)).is_some_and(|rates| rates.clock_refused);
            let how = if refused { ", timed from outside, as its own clock is wrong" } else { "" };
            gpu(index, comparison("CPU", cpu_s / seconds) + how)
        }
        Some((_, seconds)) => cpu(comparison("GPU", seconds / cpu_s), false),
    }
}

fn comparison(other: &str, times: f64, work: &Workload, purpose: RunPurpose) -> String {
    let what = match purpose {
        _ if work.spectra.is_some() => "these spectra",
        _ if work.network.is_some() => "this network",
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
mod tests;
