//! Lists, opens and measures the devices of this machine.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::choice::{self, DeviceChoice, DeviceId, Offer, Rates, RunPurpose, Workload};
use super::fallback::ChosenDevice;
use super::measure::{self, StoredRates};
use super::request::DeviceRequest;
use super::turns::{Load, Turns};
use crate::gpu::{AdapterInfo, AdapterKind, Adapters, Engine, PoolCounts, SubmissionBatcher, faults};
use base::error::Result;
use base::lock::lock;

/// An engine shared by several renderers, one chunk at a time.
pub type SharedEngine = Arc<Mutex<Engine>>;

/// A description of a device. Values that were not measured are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceEntry {
    /// The device's identifier.
    pub id: DeviceId,
    /// The device's name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// "full" or "basic"; `None` for the CPU and for adapters that cannot be used.
    pub tier: Option<String>,
    /// Why the device cannot be used; `None` if it can.
    pub problem: Option<String>,
    /// Why `auto` does not consider the device, although it can be named; `None` if `auto` does.
    pub passed_over: Option<String>,
    /// The measured speeds.
    pub rates: Option<Rates>,
    /// The device's limits by name, for display.
    pub limits: BTreeMap<String, String>,
}

/// The CPU and all adapters. Adapters are enumerated only when something other than the CPU is requested.
#[derive(Debug, Default)]
pub struct Devices {
    adapters: OnceLock<Adapters>,
    /// The adapters that `auto` and `gpu` choose from.
    chosen: OnceLock<Adapters>,
    engines: Mutex<HashMap<usize, SharedEngine>>,
    batchers: Mutex<HashMap<usize, Arc<SubmissionBatcher>>>,
    measured: Mutex<HashMap<DeviceId, Rates>>,
    /// The jobs that share the devices.
    turns: Turns,
    cache: Option<PathBuf>,
}

impl Devices {
    /// Creates the device list. Measurements and compiled pipelines are kept in `folder`, or not at all if it is `None`.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { cache: folder.map(|folder| folder.join("devices.json")), ..Self::default() }
    }

    fn adapters(&self) -> &Adapters {
        self.adapters.get_or_init(Adapters::enumerate)
    }

    /// Returns the adapters that a request chooses from. Hardware has the same indices in both lists.
    fn adapters_for(&self, request: &DeviceRequest) -> &Adapters {
        match (self.adapters.get(), request) {
            (Some(all), _) => all,
            (None, DeviceRequest::Auto | DeviceRequest::Gpu) => self.chosen.get_or_init(Adapters::enumerate_chosen),
            (None, _) => self.adapters(),
        }
    }

    /// Returns the adapters that are known, or all.
    fn known_adapters(&self) -> &Adapters {
        self.adapters.get().or_else(|| self.chosen.get()).unwrap_or_else(|| self.adapters())
    }

    /// Returns the CPU, then every adapter in order.
    pub fn list(&self) -> Vec<DeviceEntry> {
        let rates = |id| self.known_rates(id);
        let cpu = DeviceEntry {
            id: DeviceId::Cpu,
            name: cpu_name().to_owned(),
            backend: "Rust".to_owned(),
            driver: String::new(),
            kind: "cpu".to_owned(),
            tier: None,
            problem: None,
            passed_over: None,
            rates: rates(DeviceId::Cpu),
            limits: BTreeMap::from([("threads".to_owned(), rayon::current_num_threads().to_string())]),
        };
        let adapters = self.adapters().list().iter().enumerate().map(|(index, adapter)| {
            let info = &adapter.info;
            DeviceEntry {
                id: DeviceId::Gpu(index),
                name: info.name.clone(),
                backend: info.backend.to_owned(),
                driver: info.driver.clone(),
                kind: info.kind.name().to_owned(),
                tier: info.tier.as_ref().ok().map(|tier| tier.name().to_owned()),
                problem: info.tier.as_ref().err().map(ToString::to_string),
                passed_over: info.passed_over(),
                rates: rates(DeviceId::Gpu(index)),
                limits: info.limits.clone(),
            }
        });
        std::iter::once(cpu).chain(adapters).collect()
    }

    /// Returns requests for all adapters like the one in a report: usable, of the same kind and the same back end, and
    /// therefore separate devices. Empty for the CPU.
    pub fn alike(&self, used: &str) -> Vec<DeviceRequest> {
        alike(&self.list(), used)
    }

    /// Chooses a device for this work and reports why. `cpu` costs nothing: no driver is touched.
    pub fn choose(&self, request: &DeviceRequest, work: &Workload, purpose: RunPurpose) -> DeviceChoice {
        self.choose_under(request, work, purpose, None)
    }

    /// Chooses a device for a job. If it `shares` the devices with other jobs, it is counted on the device, and a device
    /// that one of the others gave up is chosen only if no other can do the work.
    pub fn choose_for(
        &self,
        request: &DeviceRequest,
        work: &Workload,
        purpose: RunPurpose,
        shares: bool,
    ) -> ChosenDevice {
        if !shares {
            return ChosenDevice { choice: self.choose(request, work, purpose), turn: None };
        }
        let mut load = self.turns.load();
        let choice = self.choose_under(request, work, purpose, Some(&load));
        let turn = self.turns.take(&mut load, choice.device);
        ChosenDevice { choice, turn: Some(turn) }
    }

    fn choose_under(
        &self,
        request: &DeviceRequest,
        work: &Workload,
        purpose: RunPurpose,
        load: Option<&Load>,
    ) -> DeviceChoice {
        if *request == DeviceRequest::Auto
            && self.adapters.get().is_none()
            && self.chosen.get().is_none()
            && choice::too_short_for_a_gpu(work, self.known_rates(DeviceId::Cpu))
        {
            let mut choice = self.choose(&DeviceRequest::Cpu, work, purpose);
            choice.report.requested = request.to_string();
            "done on the CPU before a GPU is ready".clone_into(&mut choice.report.reason);
            return choice;
        }
        let infos: Vec<AdapterInfo> = match request {
            DeviceRequest::Cpu => Vec::new(),
            _ => self.adapters_for(request).list().iter().map(|adapter| adapter.info.clone()).collect(),
        };
        let offer = Offer { adapters: &infos, cpu_name: cpu_name(), rates: &|id| self.rates(id), load };
        choice::choose(request, work, purpose, &offer)
    }

    /// Returns whether the CPU is certain to meet a request. No driver is touched.
    pub fn is_surely_cpu(&self, request: &DeviceRequest) -> bool {
        let usable = |info: &AdapterInfo| info.tier.is_ok() && info.passed_over().is_none();
        match request {
            DeviceRequest::Cpu => true,
            DeviceRequest::Auto => {
                let known = self.adapters.get().or_else(|| self.chosen.get());
                known.is_some_and(|adapters| !adapters.list().iter().any(|one| usable(&one.info)))
            }
            _ => false,
        }
    }

    /// Returns the kind of a GPU; `None` for the CPU.
    pub fn kind(&self, id: DeviceId) -> Option<AdapterKind> {
        let DeviceId::Gpu(index) = id else { return None };
        let kind = self.known_adapters().list().get(index)?.info.kind;
        // A device that is slowed down for a measurement counts as a card.
        Some(if faults::is_slowed() { AdapterKind::Discrete } else { kind })
    }

    /// Returns the engine of an adapter and opens it on first use.
    pub fn engine(&self, index: usize) -> Result<SharedEngine> {
        let mut engines = lock(&self.engines);
        if let Some(engine) = engines.get(&index) {
            return Ok(Arc::clone(engine));
        }
        let folder = self.cache.as_deref().and_then(Path::parent);
        let engine = Arc::new(Mutex::new(Engine::open_in(self.known_adapters().get(index)?, folder)?));
        engines.insert(index, Arc::clone(&engine));
        Ok(engine)
    }

    /// Returns the [`SubmissionBatcher`] of the same engine, for renderers whose chunks may share one submission.
    pub fn batcher(&self, index: usize) -> Result<Arc<SubmissionBatcher>> {
        let engine = self.engine(index)?;
        let mut batchers = lock(&self.batchers);
        Ok(Arc::clone(batchers.entry(index).or_insert_with(|| Arc::new(SubmissionBatcher::new(engine)))))
    }

    /// Returns the buffer pool counts, summed over all open engines.
    pub fn pool_counts(&self) -> PoolCounts {
        let engines = lock(&self.engines);
        let mut sum = PoolCounts::default();
        for engine in engines.values() {
            let counts = lock(engine).pool_counts();
            sum.hits += counts.hits;
            sum.misses += counts.misses;
            sum.free_bytes += counts.free_bytes;
        }
        sum
    }

    /// Measures a device again and keeps the result. Takes several seconds, because a GPU is warmed up first.
    pub fn measure(&self, id: DeviceId) -> Result<Rates> {
        let rates = match id {
            DeviceId::Cpu => measure::measure_cpu()?,
            DeviceId::Gpu(index) => {
                let engine = self.engine(index)?;
                let mut engine = lock(&engine);
                measure::measure_gpu(&mut engine)?
            }
        };
        lock(&self.measured).insert(id, rates);
        if let (Some(path), Some(key)) = (&self.cache, self.key(id)) {
            StoredRates::keep(path, &key, rates);
        }
        Ok(rates)
    }

    /// Returns the rates known without measuring, from this run or from an earlier one.
    fn known_rates(&self, id: DeviceId) -> Option<Rates> {
        let mut measured = lock(&self.measured);
        if let Some(rates) = measured.get(&id) {
            return Some(*rates);
        }
        let rates = StoredRates::read(self.cache.as_deref()?).get(&self.key(id)?)?;
        measured.insert(id, rates);
        Some(rates)
    }

    /// Returns the known rates, or measures them now: once for each adapter and driver. `None` if measuring fails.
    fn rates(&self, id: DeviceId) -> Option<Rates> {
        self.known_rates(id).or_else(|| {
            let measured = self.measure(id);
            if let Err(error) = &measured {
                tracing::warn!("{id} could not be measured: {error}");
            }
            measured.ok()
        })
    }

    fn key(&self, id: DeviceId) -> Option<String> {
        match id {
            DeviceId::Cpu => Some(format!("{} | {} threads", cpu_name(), rayon::current_num_threads())),
            DeviceId::Gpu(index) => Some(self.known_adapters().list().get(index)?.info.key()),
        }
    }
}

/// Returns the processor's model name if the system reports it, otherwise its architecture.
pub(super) fn cpu_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let told = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        told.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("{} CPU", std::env::consts::ARCH))
    })
}

/// See [`Devices::alike`].
fn alike(all: &[DeviceEntry], used: &str) -> Vec<DeviceRequest> {
    let Some(entry) = all.iter().find(|device| device.id.to_string() == used && device.id != DeviceId::Cpu) else {
        return Vec::new();
    };
    let is_alike = |device: &&DeviceEntry| {
        let is_usable = device.problem.is_none() && device.passed_over.is_none();
        is_usable && device.kind == entry.kind && device.backend == entry.backend
    };
    let request = |device: &DeviceEntry| match device.id {
        DeviceId::Gpu(index) => Some(DeviceRequest::GpuIndex(index)),
        DeviceId::Cpu => None,
    };
    all.iter().filter(is_alike).filter_map(request).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_alike_are_other_devices_of_the_same_kind_and_back_end() {
        let entry = |id, kind: &str, backend: &str| DeviceEntry {
            id,
            name: "a card".into(),
            backend: backend.into(),
            driver: String::new(),
            kind: kind.into(),
            tier: None,
            problem: None,
            passed_over: None,
            rates: None,
            limits: BTreeMap::new(),
        };
        let gpu = |n, kind, backend| entry(DeviceId::Gpu(n), kind, backend);
        let all = [
            entry(DeviceId::Cpu, "cpu", "Rust"),
            gpu(0, "discrete", "Vulkan"),
            gpu(1, "integrated", "Vulkan"),
            gpu(2, "discrete", "Vulkan"),
            gpu(3, "discrete", "DX12"),
            DeviceEntry { problem: Some("broken".into()), ..gpu(4, "discrete", "Vulkan") },
            DeviceEntry { passed_over: Some("the same device".into()), ..gpu(5, "discrete", "Vulkan") },
        ];
        assert_eq!(alike(&all, "gpu:2"), [DeviceRequest::GpuIndex(0), DeviceRequest::GpuIndex(2)]);
        assert_eq!(alike(&all, "gpu:1"), [DeviceRequest::GpuIndex(1)]);
        assert_eq!((alike(&all, "cpu"), alike(&all, "gpu:9")), (Vec::new(), Vec::new()));
    }
}
