//! The devices of this machine.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::choice::{self, DeviceChoice, DeviceId, Offer, Rates, RunPurpose, Workload};
use super::measure::{self, Kept};
use super::request::DeviceRequest;
use crate::error::Result;
use crate::gpu::{AdapterInfo, Adapters, Convoy, Engine, PoolCounts};

/// An engine that several renderers share, one chunk at a time.
pub type SharedEngine = Arc<Mutex<Engine>>;

/// A device, described. Numbers that were not measured are none.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceEntry {
    /// Which.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
    pub backend: String,
    /// Driver and version.
    pub driver: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// "full" or "basic"; none for the CPU and for adapters that cannot be used.
    pub tier: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// Why `auto` does not consider it, though it can be named.
    pub passed_over: Option<String>,
    /// Its measured speeds.
    pub rates: Option<Rates>,
    /// Limits by name, for reading.
    pub limits: BTreeMap<String, String>,
}

/// The CPU and every adapter. Nothing is looked for before somebody asks for more than the CPU.
#[derive(Debug, Default)]
pub struct Devices {
    adapters: OnceLock<Adapters>,
    engines: Mutex<HashMap<usize, SharedEngine>>,
    convoys: Mutex<HashMap<usize, Arc<Convoy>>>,
    measured: Mutex<HashMap<DeviceId, Rates>>,
    cache: Option<PathBuf>,
}

impl Devices {
    /// Devices whose measurements are kept in `folder`, or nowhere.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { cache: folder.map(|folder| folder.join("devices.json")), ..Self::default() }
    }

    fn adapters(&self) -> &Adapters {
        self.adapters.get_or_init(Adapters::enumerate)
    }

    /// The CPU, then every adapter in order.
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

    /// Chooses a device for this work, and says why. `cpu` costs nothing: no driver is touched.
    pub fn choose(&self, request: &DeviceRequest, work: &Workload, purpose: RunPurpose) -> DeviceChoice {
        if *request == DeviceRequest::Auto
            && self.adapters.get().is_none()
            && choice::too_short_for_a_gpu(work, self.known_rates(DeviceId::Cpu))
        {
            let mut choice = self.choose(&DeviceRequest::Cpu, work, purpose);
            choice.report.requested = request.to_string();
            "done on the CPU before a GPU would be ready".clone_into(&mut choice.report.reason);
            return choice;
        }
        let infos: Vec<AdapterInfo> = match request {
            DeviceRequest::Cpu => Vec::new(),
            _ => self.adapters().list().iter().map(|adapter| adapter.info.clone()).collect(),
        };
        let offer = Offer { adapters: &infos, cpu_name: cpu_name(), rates: &|id| self.rates(id) };
        choice::choose(request, work, purpose, &offer)
    }

    /// The engine of an adapter, opened on first use.
    ///
    /// # Errors
    /// [`crate::Error::GpuUnavailable`].
    pub fn engine(&self, index: usize) -> Result<SharedEngine> {
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = engines.get(&index) {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(Mutex::new(Engine::open(self.adapters().get(index)?)?));
        engines.insert(index, Arc::clone(&engine));
        Ok(engine)
    }

    /// The same engine, for those whose chunks may go together in one submission.
    ///
    /// # Errors
    /// As [`Devices::engine`].
    pub fn convoy(&self, index: usize) -> Result<Arc<Convoy>> {
        let engine = self.engine(index)?;
        let mut convoys = self.convoys.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(convoys.entry(index).or_insert_with(|| Arc::new(Convoy::new(engine)))))
    }

    /// How often buffers of all engines were used again.
    pub fn pool_counts(&self) -> PoolCounts {
        let engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = PoolCounts::default();
        for engine in engines.values() {
            let counts = engine.lock().unwrap_or_else(PoisonError::into_inner).pool_counts();
            sum.hits += counts.hits;
            sum.misses += counts.misses;
            sum.free_bytes += counts.free_bytes;
        }
        sum
    }

    /// Measures a device anew, and keeps what was measured. Takes some seconds: a GPU is warmed up first.
    ///
    /// # Errors
    /// What keeps an adapter from working.
    pub fn measure(&self, id: DeviceId) -> Result<Rates> {
        let rates = match id {
            DeviceId::Cpu => measure::measure_cpu()?,
            DeviceId::Gpu(index) => {
                let engine = self.engine(index)?;
                let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
                measure::measure_gpu(&mut engine)?
            }
        };
        self.measured.lock().unwrap_or_else(PoisonError::into_inner).insert(id, rates);
        if let (Some(path), Some(key)) = (&self.cache, self.key(id)) {
            Kept::keep(path, &key, rates);
        }
        Ok(rates)
    }

    /// What is known without measuring: of this run, or kept from one before it.
    fn known_rates(&self, id: DeviceId) -> Option<Rates> {
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rates) = measured.get(&id) {
            return Some(*rates);
        }
        let rates = Kept::read(self.cache.as_deref()?).get(&self.key(id)?)?;
        measured.insert(id, rates);
        Some(rates)
    }

    /// What is known, else measured now: once for each adapter and driver. None for one that fails.
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
            DeviceId::Gpu(index) => Some(self.adapters().list().get(index)?.info.key()),
        }
    }
}

/// The processor's name where the system tells it, else its architecture.
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
