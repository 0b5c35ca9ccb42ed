//! Enumerates GPU adapters and describes what they support.

use std::collections::BTreeMap;
use std::time::Instant;

use super::faults;
use base::driver_messages::kept_off_the_terminal;
use base::error::{Error, Result};

/// The kind of hardware behind an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AdapterKind {
    /// A GPU with dedicated memory.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU passed through by a hypervisor, or one whose kind the driver does not report.
    Virtual,
    /// Not a GPU: shaders run on the CPU (lavapipe, llvmpipe, WARP).
    Software,
}

impl AdapterKind {
    /// Returns the displayed name: "discrete", "integrated", "virtual" or "software".
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Software => "software",
        }
    }

    fn of(info: &wgpu::AdapterInfo) -> Self {
        let name = info.name.to_lowercase();
        // OpenGL only guesses its device type; adapters with these names are never hardware.
        let software = ["llvmpipe", "lavapipe", "softpipe", "swiftshader", "basic render", "warp"];
        match info.device_type {
            wgpu::DeviceType::Cpu => Self::Software,
            _ if software.iter().any(|word| name.contains(word)) => Self::Software,
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => Self::Virtual,
        }
    }
}

/// A capability tier of an adapter. The tiers are ordered: a higher one includes all of a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Every kernel runs.
    Basic,
    /// Kernels can also be timed on the device itself, and larger bindings and more workgroup memory are available.
    Full,
}

impl Tier {
    /// Returns the displayed name: "basic" or "full".
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Full => "full",
        }
    }
}

/// Why an adapter does not reach a tier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TierRefusal {
    /// It has no compute shaders.
    #[error("it has no compute shaders")]
    NoCompute,
    /// A limit is lower than the tier needs.
    #[error("{limit} is {got}, needed is {needed}")]
    Limit {
        /// The limit's name.
        limit: &'static str,
        /// The adapter's value.
        got: u64,
        /// The value that the tier needs.
        needed: u64,
    },
    /// A feature is missing.
    #[error("it has no {0}")]
    Feature(&'static str),
}

/// A limit that the tiers depend on.
struct Need {
    name: &'static str,
    read: fn(&wgpu::Limits) -> u64,
    write: fn(&mut wgpu::Limits, u64),
    basic: u64,
    full: u64,
}

impl Need {
    fn of(&self, tier: Tier) -> u64 {
        if tier == Tier::Full { self.full } else { self.basic }
    }
}

macro_rules! need {
    ($name:ident: $type:ty, $basic:expr, $full:expr) => {
        Need {
            name: stringify!($name),
            read: |limits| limits.$name as u64,
            write: |limits, value| limits.$name = value as $type,
            basic: $basic,
            full: $full,
        }
    };
}

/// The limits that the basic and the full tier need. OpenGL leaves 16,352 bytes of 16 KiB of workgroup memory.
const LIMITS: &[Need] = &[
    need!(max_storage_buffers_per_shader_stage: u32, 4, 8),
    need!(max_storage_buffer_binding_size: u64, 64 << 20, 128 << 20),
    need!(max_buffer_size: u64, 64 << 20, 256 << 20),
    need!(max_uniform_buffer_binding_size: u64, 16 << 10, 16 << 10),
    need!(max_compute_workgroup_storage_size: u32, 16_352, 32 << 10),
    need!(max_compute_invocations_per_workgroup: u32, 256, 256),
    need!(max_compute_workgroup_size_x: u32, 256, 256),
    need!(max_compute_workgroups_per_dimension: u32, 65_535, 65_535),
];

/// Returns the limits to request from an adapter of this tier: those that kernels need, and WebGPU's minimum for those
/// that they do not use, such as texture sizes. For more, a driver may reserve memory or descriptors.
pub(super) fn needed_limits(tier: Tier, offered: &wgpu::Limits) -> wgpu::Limits {
    let mut limits = wgpu::Limits::downlevel_defaults().or_worse_values_from(offered);
    for need in LIMITS {
        (need.write)(&mut limits, need.of(tier));
    }
    limits
}

/// Checks whether an adapter reaches `tier`.
pub fn check_tier(
    tier: Tier,
    compute: bool,
    features: wgpu::Features,
    limits: &wgpu::Limits,
) -> Result<(), TierRefusal> {
    if !compute {
        return Err(TierRefusal::NoCompute);
    }
    for need in LIMITS {
        let (got, needed) = ((need.read)(limits), need.of(tier));
        if got < needed {
            return Err(TierRefusal::Limit { limit: need.name, got, needed });
        }
    }
    if tier == Tier::Full && !features.contains(wgpu::Features::TIMESTAMP_QUERY) {
        return Err(TierRefusal::Feature("timestamp queries"));
    }
    Ok(())
}

/// A description of an adapter.
#[derive(Clone, Debug)]
pub struct AdapterInfo {
    /// The adapter's name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12" or "OpenGL".
    pub backend: &'static str,
    /// The driver and its version.
    pub driver: String,
    /// The kind of hardware.
    pub kind: AdapterKind,
    /// The highest tier that the adapter reaches, or why it cannot be used.
    pub tier: Result<Tier, TierRefusal>,
    /// The limits that the tiers depend on, by name.
    pub limits: BTreeMap<String, String>,
    /// Optional features: "timestamps", "subgroups", "f16". No kernel requires any of them.
    pub features: Vec<&'static str>,
    /// The PCI identity of the hardware.
    pub pci: PciId,
    /// The index of the adapter that represents the same hardware through a preferred back end.
    pub same_as: Option<usize>,
}

/// An adapter's PCI identity. Fields that the back end does not report are 0 or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PciId {
    /// The vendor ID.
    pub vendor: u16,
    /// The device ID.
    pub device: u16,
    /// Bus, device and function, such as `01:00.0`.
    pub place: String,
}

impl PciId {
    fn of(raw: &wgpu::AdapterInfo) -> Self {
        let place = place_without_domain(&raw.device_pci_bus_id);
        Self { vendor: raw.vendor as u16, device: raw.device as u16, place }
    }

    /// Whether both can be the same hardware: all values that both report agree. OpenGL reports only the vendor.
    fn may_be(&self, other: &Self) -> bool {
        let agree = |a: u16, b: u16| a == 0 || b == 0 || a == b;
        let places = self.place.is_empty() || other.place.is_empty() || self.place == other.place;
        self.vendor != 0 && self.vendor == other.vendor && agree(self.device, other.device) && places
    }
}

impl AdapterInfo {
    /// Returns the key under which measurements of this adapter and driver are kept.
    pub fn key(&self) -> String {
        format!("{} | {} | {} | {}", self.name, self.backend, self.driver, self.pci.place)
    }

    /// Returns the key by which adapters are sorted, best first: hardware, not through OpenGL, kind, usable before
    /// unusable, back end, then values that make the order stable.
    fn rank(&self) -> impl Ord + use<> {
        let PciId { vendor, device, place } = self.pci.clone();
        let last = (self.kind == AdapterKind::Software, self.backend == OPENGL);
        (last, self.kind, self.tier.is_err(), backend_rank(self.backend), self.name.clone(), place, vendor, device)
    }

    /// Returns why `auto` does not consider the adapter; `None` if it does.
    pub fn passed_over(&self) -> Option<String> {
        if self.kind == AdapterKind::Software {
            return Some("a software adapter".to_owned());
        }
        if let Some(index) = self.same_as {
            return Some(format!("the same device as gpu:{index}, through another driver"));
        }
        (self.backend == OPENGL).then(|| "OpenGL is used only if selected".to_owned())
    }
}

const OPENGL: &str = "OpenGL";

/// Returns bus, device and function of a PCI address. Some back ends prefix the domain.
fn place_without_domain(place: &str) -> String {
    let place = place.to_lowercase();
    let parts: Vec<&str> = place.split(':').collect();
    parts[parts.len().saturating_sub(2)..].join(":")
}

/// Marks adapters that are the same hardware. Each piece of hardware is represented by its first adapter in the list
/// that is not OpenGL, or by its first one. Two cards of one model stay separate, because a back end never lists a card
/// twice. If the PCI address is unknown, the first card of one back end is matched to the first card of another.
fn mark_same(infos: &mut [&mut AdapterInfo]) {
    // For each piece of hardware, its representative adapter and the back ends that list it.
    let mut found: Vec<(usize, Vec<&'static str>)> = Vec::new();
    let (first, last): (Vec<usize>, Vec<usize>) = (0..infos.len()).partition(|&index| infos[index].backend != OPENGL);
    for index in first.into_iter().chain(last) {
        let info = &infos[index];
        if info.kind == AdapterKind::Software {
            continue;
        }
        let fits = |of: &PciId| of.may_be(&info.pci);
        let known = found
            .iter_mut()
            .filter(|(head, backends)| fits(&infos[*head].pci) && !backends.contains(&info.backend))
            .max_by_key(|(head, _)| {
                let at = &infos[*head].pci.place;
                (!at.is_empty() && *at == info.pci.place, std::cmp::Reverse(*head))
            });
        match known {
            Some((head, backends)) => {
                backends.push(info.backend);
                let head = *head;
                infos[index].same_as = Some(head);
            }
            None => found.push((index, vec![info.backend])),
        }
    }
}

/// An adapter that can be opened.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// The adapter's description.
    pub info: AdapterInfo,
    pub(super) handle: wgpu::Adapter,
}

/// All adapters, best first. Hardware comes before software and, within both, OpenGL last; then they are sorted by kind
/// (discrete, integrated, virtual), usable before unusable, by back end (Vulkan, Metal, DX12), by name and bus. The order
/// stays the same as long as the machine does.
#[derive(Debug)]
pub struct Adapters {
    list: Vec<Adapter>,
}

impl Adapters {
    /// Enumerates the adapters of every back end. `WGPU_BACKEND` limits the back ends. Takes from milliseconds to a
    /// second.
    pub fn enumerate() -> Self {
        Self::found(Self::of_all)
    }

    /// Enumerates the adapters without OpenGL's, if another back end has a usable card: then no work goes to OpenGL unless
    /// it is named, and starting OpenGL takes as long as opening a card. Hardware has the indices that
    /// [`Adapters::enumerate`] gives it.
    pub fn enumerate_chosen() -> Self {
        Self::found(|| {
            let backends = wgpu::Backends::all().with_env();
            let without = Self::of(backends - wgpu::Backends::GL);
            let is_card = |adapter: &Adapter| adapter.info.kind == AdapterKind::Discrete && adapter.info.tier.is_ok();
            if without.list.iter().any(is_card) { without } else { Self::of(backends) }
        })
    }

    fn found(enumerate: impl FnOnce() -> Self) -> Self {
        let started = Instant::now();
        let found = kept_off_the_terminal(enumerate);
        tracing::debug!("{} adapters were found in {:?}", found.list.len(), started.elapsed());
        found
    }

    fn of_all() -> Self {
        Self::of(wgpu::Backends::all().with_env())
    }

    fn of(backends: wgpu::Backends) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            // API validation layers are for development; `WGPU_VALIDATION=1` enables them.
            flags: wgpu::InstanceFlags::empty().with_env(),
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
        });
        let mut list: Vec<Adapter> = pollster::block_on(instance.enumerate_adapters(backends))
            .into_iter()
            .map(|handle| Adapter { info: describe(&handle), handle })
            .collect();
        list.sort_by_cached_key(|adapter| adapter.info.rank());
        mark_same(&mut list.iter_mut().map(|adapter| &mut adapter.info).collect::<Vec<_>>());
        Self { list }
    }

    /// Returns the adapters in order: the one at index N is `gpu:N`.
    pub fn list(&self) -> &[Adapter] {
        &self.list
    }

    /// Returns the adapter at `index`, to be opened.
    pub fn get(&self, index: usize) -> Result<&Adapter> {
        if faults::adapter_vanished() {
            return Err(Error::GpuUnavailable(format!("gpu:{index} was removed")));
        }
        let adapter = self.list.get(index).ok_or_else(|| {
            Error::GpuUnavailable(format!("There is no gpu:{index}. {} adapters were found", self.list.len()))
        })?;
        match &adapter.info.tier {
            Ok(_) => Ok(adapter),
            Err(refusal) => Err(Error::GpuUnavailable(format!("{} cannot be used: {refusal}", adapter.info.name))),
        }
    }
}

fn describe(handle: &wgpu::Adapter) -> AdapterInfo {
    let raw = handle.get_info();
    let limits = handle.limits();
    let features = handle.features();
    let driver = [raw.driver.as_str(), &raw.driver_info].map(str::trim).join(" ").trim().to_owned();
    let compute = handle.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
        && (raw.backend != wgpu::Backend::Gl || has_compute(&driver));
    let tier = match check_tier(Tier::Full, compute, features, &limits) {
        Ok(()) => Ok(Tier::Full),
        Err(_) => check_tier(Tier::Basic, compute, features, &limits).map(|()| Tier::Basic),
    };
    let offers = [
        (wgpu::Features::TIMESTAMP_QUERY, "timestamps"),
        (wgpu::Features::SUBGROUP, "subgroups"),
        (wgpu::Features::SHADER_F16, "f16"),
    ];
    AdapterInfo {
        pci: PciId::of(&raw),
        same_as: None,
        kind: AdapterKind::of(&raw),
        backend: backend_name(raw.backend),
        driver,
        name: raw.name,
        tier,
        limits: LIMITS.iter().map(|need| (need.name.to_owned(), (need.read)(&limits).to_string())).collect(),
        features: offers.into_iter().filter(|&(feature, _)| features.contains(feature)).map(|(_, name)| name).collect(),
    }
}

/// Returns whether the OpenGL version in a driver's text has compute shaders: 4.3, or 3.1 of OpenGL ES. Some drivers of
/// older versions offer them as an extension, which shaders of that version cannot name. A text without a version
/// counts as new enough.
fn has_compute(driver: &str) -> bool {
    let (least, text) = match driver.split_once("ES ") {
        Some((_, text)) => ([3, 1], text),
        None => ([4, 3], driver),
    };
    let version = text.split(|c: char| !(c.is_ascii_digit() || c == '.')).find(|part| part.contains('.'));
    let numbers: Vec<u32> =
        version.iter().flat_map(|version| version.split('.')).flat_map(str::parse).take(2).collect();
    numbers.len() < 2 || numbers.as_slice() >= least.as_slice()
}

fn backend_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "DX12",
        wgpu::Backend::Gl => OPENGL,
        wgpu::Backend::BrowserWebGpu => "WebGPU",
        wgpu::Backend::Noop => "none",
    }
}

/// Vulkan comes before DX12: its compilers keep to IEEE arithmetic, and pipelines compile faster.
fn backend_rank(backend: &str) -> usize {
    let order = ["Vulkan", "Metal", "DX12", OPENGL];
    order.iter().position(|name| *name == backend).unwrap_or(order.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(backend: &'static str, device: u16, place: &str) -> AdapterInfo {
        AdapterInfo {
            name: format!("card {device:x}"),
            backend,
            driver: String::new(),
            kind: AdapterKind::Discrete,
            tier: Ok(Tier::Full),
            limits: BTreeMap::new(),
            features: Vec::new(),
            pci: PciId { vendor: 0x10de, device, place: place.to_owned() },
            same_as: None,
        }
    }

    fn marked(mut infos: Vec<AdapterInfo>) -> Vec<Option<usize>> {
        mark_same(&mut infos.iter_mut().collect::<Vec<_>>());
        infos.into_iter().map(|info| info.same_as).collect()
    }

    #[test]
    fn one_card_through_several_backends_is_one_device() {
        let (vulkan, dx12) = (adapter("Vulkan", 0x2484, "01:00.0"), adapter("DX12", 0x2484, "01:00.0"));
        let opengl = adapter(OPENGL, 0, "");
        assert_eq!(marked(vec![vulkan.clone(), dx12.clone(), opengl.clone()]), [None, Some(0), Some(0)]);
        // OpenGL never represents a card that has another back end, wherever it is listed.
        assert_eq!(marked(vec![opengl.clone(), vulkan.clone()]), [Some(1), None]);
        assert_eq!(marked(vec![opengl]), [None]);
        // A back end that does not report the PCI address.
        assert_eq!(marked(vec![vulkan, adapter("DX12", 0x2484, "")]), [None, Some(0)]);
        // Without a vendor ID, adapters are never marked as the same.
        let unknown = |backend| AdapterInfo { pci: PciId::default(), ..adapter(backend, 0, "") };
        assert_eq!(marked(vec![unknown("Metal"), unknown("Vulkan")]), [None, None]);
        let software = AdapterInfo { kind: AdapterKind::Software, ..adapter("DX12", 0x2484, "01:00.0") };
        assert_eq!(marked(vec![adapter("Vulkan", 0x2484, "01:00.0"), software]), [None, None]);
    }

    #[test]
    fn two_cards_of_one_model_stay_two() {
        let card = |backend, place| adapter(backend, 0x2484, place);
        let told = vec![
            card("Vulkan", "01:00.0"),
            card("Vulkan", "02:00.0"),
            card("DX12", "02:00.0"),
            card("DX12", "01:00.0"),
        ];
        assert_eq!(marked(told), [None, None, Some(1), Some(0)]);
        let untold = vec![card("Vulkan", ""), card("Vulkan", ""), card("DX12", ""), card("DX12", "")];
        assert_eq!(marked(untold), [None, None, Some(0), Some(1)]);
        let two_models = vec![
            adapter("Vulkan", 0x2484, "01:00.0"),
            adapter("Vulkan", 0x1f08, "02:00.0"),
            adapter("DX12", 0x1f08, ""),
        ];
        assert_eq!(marked(two_models), [None, None, Some(1)]);
    }

    #[test]
    fn vulkan_comes_before_dx12_and_opengl_last_unless_it_cannot_be_used() {
        let of = |backend, tier| AdapterInfo { tier, ..adapter(backend, 0x2484, "01:00.0") };
        let full = || Ok(Tier::Full);
        let mut infos = vec![of(OPENGL, full()), of("DX12", full()), of("Vulkan", Ok(Tier::Basic))];
        infos.sort_by_key(AdapterInfo::rank);
        let backends = |infos: &[AdapterInfo]| infos.iter().map(|info| info.backend).collect::<Vec<_>>();
        assert_eq!(backends(&infos), ["Vulkan", "DX12", OPENGL]);
        assert_eq!(marked(infos), [None, Some(0), Some(0)]);
        let mut infos = vec![of("Vulkan", Err(TierRefusal::NoCompute)), of("DX12", full())];
        infos.sort_by_key(AdapterInfo::rank);
        assert_eq!(backends(&infos), ["DX12", "Vulkan"]);
        let software = AdapterInfo { kind: AdapterKind::Software, ..of("Vulkan", full()) };
        let mut infos = vec![software, of("DX12", full())];
        infos.sort_by_key(AdapterInfo::rank);
        assert_eq!(backends(&infos), ["DX12", "Vulkan"], "hardware first, whatever the back end");
    }

    #[test]
    fn adapters_are_asked_for_what_is_needed() {
        let offered = wgpu::Limits {
            max_buffer_size: 1 << 40,
            max_compute_workgroup_storage_size: 64 << 10,
            max_storage_buffers_per_shader_stage: 64,
            max_storage_buffer_binding_size: 1 << 31,
            max_texture_dimension_2d: 16_384,
            min_uniform_buffer_offset_alignment: 16,
            ..wgpu::Limits::defaults()
        };
        for tier in [Tier::Basic, Tier::Full] {
            let asked = needed_limits(tier, &offered);
            for need in LIMITS {
                assert_eq!((need.read)(&asked), need.of(tier), "{}", need.name);
            }
            assert!(asked.max_texture_dimension_2d < offered.max_texture_dimension_2d);
            assert_eq!(asked.min_uniform_buffer_offset_alignment, 256, "every adapter has it");
            assert!(asked.check_limits(&offered), "no more than is offered");
            assert_eq!(check_tier(tier, true, wgpu::Features::TIMESTAMP_QUERY, &asked), Ok(()));
        }
        // An adapter below WebGPU's minimum for a limit that is not used.
        let poor = wgpu::Limits { max_texture_dimension_1d: 7, ..offered };
        assert_eq!(needed_limits(Tier::Basic, &poor).max_texture_dimension_1d, 7);
    }

    #[test]
    fn a_place_on_the_bus_is_the_same_with_and_without_its_domain() {
        let of = place_without_domain;
        assert_eq!([of("0000:0A:00.0"), of("0a:00.0"), of("")], ["0a:00.0", "0a:00.0", ""]);
    }

    #[test]
    fn old_versions_of_opengl_have_no_compute_shaders() {
        for (driver, has) in [
            ("3.3.0 NVIDIA 580.159.04", false),
            ("4.2 Mesa", false),
            ("4.3.0 NVIDIA 580.159.04", true),
            ("4.5 (Core Profile) Mesa 22.3.6", true),
            ("OpenGL ES 3.0 Mesa 22.3.6", false),
            ("OpenGL ES 3.2 Mesa 22.3.6", true),
            ("", true),
            ("a driver", true),
        ] {
            assert_eq!(has_compute(driver), has, "{driver}");
        }
    }

    #[test]
    fn tiers_are_ordered_and_refusals_name_the_limit() {
        assert!(Tier::Basic < Tier::Full);
        let mut limits = wgpu::Limits::downlevel_defaults();
        assert_eq!(check_tier(Tier::Basic, true, wgpu::Features::empty(), &limits), Ok(()));
        assert_eq!(
            check_tier(Tier::Full, true, wgpu::Features::TIMESTAMP_QUERY, &limits),
            Err(TierRefusal::Limit { limit: "max_storage_buffers_per_shader_stage", got: 4, needed: 8 })
        );
        assert_eq!(check_tier(Tier::Basic, false, wgpu::Features::all(), &limits), Err(TierRefusal::NoCompute));
        limits.max_compute_invocations_per_workgroup = 128;
        let refusal = check_tier(Tier::Basic, true, wgpu::Features::empty(), &limits).unwrap_err();
        assert_eq!(refusal.to_string(), "max_compute_invocations_per_workgroup is 128, needed is 256");
        let limits = wgpu::Limits { max_compute_workgroup_storage_size: 32 << 10, ..wgpu::Limits::default() };
        assert_eq!(
            check_tier(Tier::Full, true, wgpu::Features::empty(), &limits),
            Err(TierRefusal::Feature("timestamp queries"))
        );
    }
}
