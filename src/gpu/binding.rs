//! Creates and caches pipelines and bind groups.

use std::collections::HashMap;

use super::context::Context;
use super::shaders::{BindingKind, Entry};
use crate::error::Result;

/// The size at which the bind group cache is cleared. A steady chain needs a few dozen.
const MAX_GROUPS: usize = 512;

/// A buffer, or a range of it, to bind to a shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub id: u64,
    pub buffer: &'a wgpu::Buffer,
    pub offset: u64,
    pub bytes: u64,
}

/// The shader, the entry point, and the bound buffer ranges as (id, offset, bytes).
type Key = (&'static str, &'static str, Vec<(u64, u64, u64)>);

#[derive(Debug)]
struct Pipeline {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

#[derive(Debug, Default)]
pub(super) struct Bindings {
    modules: HashMap<&'static str, wgpu::ShaderModule>,
    pipelines: HashMap<(&'static str, &'static str), Pipeline>,
    groups: HashMap<Key, wgpu::BindGroup>,
}

impl Bindings {
    /// Returns the pipeline of an entry point and the bind group of these buffers, which are given in the order of its
    /// bindings.
    pub fn get(
        &mut self,
        context: &Context,
        entry: &'static Entry,
        bound: &[Bound<'_>],
    ) -> Result<(&wgpu::ComputePipeline, &wgpu::BindGroup)> {
        let name = (entry.shader, entry.name);
        if !self.pipelines.contains_key(&name) {
            let made = self.make_pipeline(context, entry)?;
            self.pipelines.insert(name, made);
        }
        let pipeline = &self.pipelines[&name];
        let key = (entry.shader, entry.name, bound.iter().map(|one| (one.id, one.offset, one.bytes)).collect());
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&key) {
            self.groups.clear();
        }
        let group = match self.groups.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(make_group(context, entry, &pipeline.layout, bound)?)
            }
        };
        Ok((&pipeline.pipeline, group))
    }

    /// Removes every bind group that holds one of these buffers.
    pub fn forget(&mut self, buffers: &[u64]) {
        if !buffers.is_empty() {
            self.groups.retain(|(_, _, bound), _| !bound.iter().any(|(id, ..)| buffers.contains(id)));
        }
    }

    fn make_pipeline(&mut self, context: &Context, entry: &'static Entry) -> Result<Pipeline> {
        let what = format!("the kernel {}/{}", entry.shader, entry.name);
        if !self.modules.contains_key(entry.shader) {
            let module = context.validated(&what, || shader_module(&context.device, entry))?;
            self.modules.insert(entry.shader, module);
        }
        let module = &self.modules[entry.shader];
        let entries: Vec<_> = entry
            .bindings
            .iter()
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding: binding.number,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match binding.kind {
                        BindingKind::Params => wgpu::BufferBindingType::Uniform,
                        BindingKind::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        BindingKind::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: binding.kind == BindingKind::Params,
                    min_binding_size: std::num::NonZeroU64::new(u64::from(binding.bytes)),
                },
                count: None,
            })
            .collect();
        context.validated(&what, || {
            let device = &context.device;
            let layout =
                device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry.name),
                layout: Some(&pipeline_layout),
                module,
                entry_point: Some(entry.name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every kernel writes workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            });
            Pipeline { layout, pipeline }
        })
    }
}

/// Compiles a shader, with bounds checks if debug assertions are on and without them otherwise: the checks on loops
/// alone can make a kernel a hundred times slower.
#[allow(unsafe_code)]
fn shader_module(device: &wgpu::Device, entry: &Entry) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(entry.shader),
        source: wgpu::ShaderSource::Wgsl(entry.source.source.into()),
    };
    if cfg!(debug_assertions) {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are this program's own and are validated when it is built; every index they use is bounded by
    // their parameters, and every loop by a constant or a parameter, which the parity tests run with checks on.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

fn make_group(
    context: &Context,
    entry: &Entry,
    layout: &wgpu::BindGroupLayout,
    bound: &[Bound<'_>],
) -> Result<wgpu::BindGroup> {
    let entries: Vec<_> = entry
        .bindings
        .iter()
        .zip(bound)
        .map(|(binding, one)| wgpu::BindGroupEntry {
            binding: binding.number,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: one.buffer,
                offset: one.offset,
                size: std::num::NonZeroU64::new(one.bytes),
            }),
        })
        .collect();
    let what = format!("what {}/{} works on", entry.shader, entry.name);
    context.validated(&what, || {
        context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(entry.name),
            layout,
            entries: &entries,
        })
    })
}
