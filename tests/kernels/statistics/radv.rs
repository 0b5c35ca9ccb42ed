//! A Vulkan device that only compiles, and reports on the result.

#![allow(unsafe_code, reason = "Vulkan is called directly: wgpu does not tell what the compiler says")]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use ash::{khr, vk};
use dsp::gpu::shaders::{BindingKind, Entry};
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The driver's only device.
pub struct Device {
    /// The name of the card and the version of the driver.
    pub driver: String,
    device: ash::Device,
    executables: khr::pipeline_executable_properties::Device,
    // Kept loaded.
    _entry: ash::Entry,
    _instance: ash::Instance,
}

impl Device {
    pub fn open() -> Result<Self, vk::Result> {
        // SAFETY: the calls follow the specification; every structure lives until the call that it is given to returns.
        unsafe {
            let loader = ash::Entry::load().expect("the Vulkan loader");
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let instance =
                loader.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None)?;
            let card =
                *instance.enumerate_physical_devices()?.first().ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
            let mut versions = vk::PhysicalDeviceDriverProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut versions);
            instance.get_physical_device_properties2(card, &mut properties);
            let name = properties
                .properties
                .device_name_as_c_str()
                .map(CStr::to_string_lossy)
                .unwrap_or_default()
                .into_owned();
            let version = versions.driver_info_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
            let driver = format!("{name}, {version}");
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let extensions = [khr::pipeline_executable_properties::NAME.as_ptr()];
            let mut told =
                vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .push_next(&mut told);
            let device = instance.create_device(card, &info, None)?;
            let executables = khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Self { driver, device, executables, _entry: loader, _instance: instance })
        }
    }

    /// Compiles an entry point as the engine of a release build does, and returns the driver's figures by their names.
    pub fn statistics(&self, entry: &Entry) -> Result<BTreeMap<String, u64>, vk::Result> {
        let words = spirv(entry);
        let bindings: Vec<_> = entry
            .bindings
            .iter()
            .map(|binding| {
                let kind = match binding.kind {
                    BindingKind::Params => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
                    BindingKind::Read | BindingKind::ReadWrite => vk::DescriptorType::STORAGE_BUFFER,
                };
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding.number)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let name = CString::new(entry.name).expect("a name without NUL");
        // SAFETY: as above. The process ends after the last pipeline, so nothing is destroyed.
        unsafe {
            let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = [self.device.create_descriptor_set_layout(&set, None)?];
            let layout = self
                .device
                .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&sets), None)?;
            let module = self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&name);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .layout(layout)
                .stage(stage);
            let pipelines = self
                .device
                .create_compute_pipelines(vk::PipelineCache::null(), &[info], None)
                .map_err(|(_, error)| error)?;
            let executable = vk::PipelineExecutableInfoKHR::default().pipeline(pipelines[0]);
            let said = self.executables.get_pipeline_executable_statistics(&executable)?;
            let named = said.iter().filter_map(|figure| {
                let name = figure.name_as_c_str().ok()?.to_str().ok()?;
                (figure.format == vk::PipelineExecutableStatisticFormatKHR::UINT64)
                    .then(|| (name.to_owned(), figure.value.u64))
            });
            Ok(named.collect())
        }
    }
}

/// Translates an entry point with the options of a release build: without checks, which the parity tests run with.
fn spirv(entry: &Entry) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(entry.source.source).expect("valid WGSL");
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).expect("valid WGSL");
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 6),
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..spv::Options::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: entry.name.to_owned() };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).expect("SPIR-V")
}
