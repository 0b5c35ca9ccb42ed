//! Compiles the entry points of shaders to pipelines and keeps them. Any thread may compile, whether or not the engine
//! is busy, so that playback on it does not wait for a compiler.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::adapters::Adapter;
use super::context::Context;
use super::pipeline_store::PipelineStore;
use super::recording::{Command, Recording};
use super::shaders::{BindingKind, Entry, Shader};
use base::error::Result;
use base::lock::lock;

/// Compiles for an engine without waiting for it. A clone compiles for the same engine, even after that is rebuilt.
#[derive(Clone, Debug)]
pub(super) struct Compiler(Arc<Mutex<(Arc<Context>, Arc<Pipelines>)>>);

impl Compiler {
    pub fn new(context: &Arc<Context>, pipelines: &Arc<Pipelines>) -> Self {
        Self(Arc::new(Mutex::new((Arc::clone(context), Arc::clone(pipelines)))))
    }

    /// Compiles for another device from now on.
    pub fn move_to(&self, other: &Self) {
        let now = lock(&other.0).clone();
        *lock(&self.0) = now;
    }

    /// Compiles the entry points of a recording that are not compiled yet.
    pub fn prepare(&self, recording: &Recording<'_>) -> Result<()> {
        let (context, pipelines) = lock(&self.0).clone();
        if pipelines.prepare(&context, recording)? {
            pipelines.keep();
        }
        Ok(())
    }
}

/// A compiled entry point.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub layout: wgpu::BindGroupLayout,
    pub pipeline: wgpu::ComputePipeline,
}

/// The pipelines of one device.
#[derive(Debug)]
pub(super) struct Pipelines {
    modules: Mutex<HashMap<&'static str, wgpu::ShaderModule>>,
    made: Mutex<HashMap<(&'static str, &'static str), Arc<Pipeline>>>,
    /// Returns the source to use in place of a shader's, for tests.
    rewrite: Option<fn(&'static Shader) -> String>,
    /// The driver's cache and its file, and how many pipelines it has been kept with.
    cache: Option<(wgpu::PipelineCache, PipelineStore)>,
    kept: Mutex<usize>,
}

impl Pipelines {
    /// Loads what the driver compiled in earlier runs, if `folder` has it and the back end has such a cache.
    pub fn new(context: &Context, adapter: &Adapter, folder: Option<&Path>) -> Self {
        let cached = context.device.features().contains(wgpu::Features::PIPELINE_CACHE);
        let name = wgpu::util::pipeline_cache_key(&adapter.handle.get_info()).filter(|_| cached);
        let cache = folder.zip(name).map(|(folder, name)| {
            let store = PipelineStore::new(folder, &name, adapter.info.key());
            (driver_cache(&context.device, store.read().as_deref()), store)
        });
        Self::with(cache, None)
    }

    /// Compiles what `rewrite` returns in place of each shader's source. Nothing is kept.
    pub fn rewritten(rewrite: fn(&'static Shader) -> String) -> Self {
        Self::with(None, Some(rewrite))
    }

    fn with(
        cache: Option<(wgpu::PipelineCache, PipelineStore)>,
        rewrite: Option<fn(&'static Shader) -> String>,
    ) -> Self {
        Self { modules: Mutex::default(), made: Mutex::default(), rewrite, cache, kept: Mutex::default() }
    }

    /// Returns the pipeline of an entry point, and compiles it first if necessary.
    pub fn get(&self, context: &Context, entry: &'static Entry) -> Result<Arc<Pipeline>> {
        let name = (entry.shader, entry.name);
        if let Some(made) = lock(&self.made).get(&name) {
            return Ok(Arc::clone(made));
        }
        // Compiled without the lock, so that threads that need another one do not wait. If two threads compile the same
        // one, the first result counts.
        let started = Instant::now();
        let made = Arc::new(self.make(context, entry)?);
        tracing::debug!("{}.{} was compiled in {:?}", entry.shader, entry.name, started.elapsed());
        Ok(Arc::clone(lock(&self.made).entry(name).or_insert(made)))
    }

    /// Compiles the entry points of a recording that are not compiled yet. Returns whether there were any.
    pub fn prepare(&self, context: &Context, recording: &Recording<'_>) -> Result<bool> {
        let before = self.count();
        for command in recording.commands() {
            if let Command::Dispatch(dispatch) = command {
                self.get(context, dispatch.entry)?;
            }
        }
        Ok(self.count() > before)
    }

    /// Returns the number of compiled pipelines.
    pub fn count(&self) -> usize {
        lock(&self.made).len()
    }

    /// Writes the driver's cache to its file if pipelines were compiled since it was last written.
    pub fn keep(&self) {
        let Some((cache, store)) = &self.cache else { return };
        let count = self.count();
        let mut kept = lock(&self.kept);
        if count > *kept {
            *kept = count;
            if let Some(data) = cache.get_data() {
                store.write(&data);
            }
        }
    }

    fn module(&self, context: &Context, entry: &'static Entry) -> Result<wgpu::ShaderModule> {
        if let Some(module) = lock(&self.modules).get(entry.shader) {
            return Ok(module.clone());
        }
        let source = self.rewrite.map_or(Cow::Borrowed(entry.source.source), |rewrite| rewrite(entry.source).into());
        let what = format!("the shader {}", entry.shader);
        let module = context.validated(&what, || shader_module(&context.device, entry.shader, source))?;
        Ok(lock(&self.modules).entry(entry.shader).or_insert(module).clone())
    }

    fn make(&self, context: &Context, entry: &'static Entry) -> Result<Pipeline> {
        let module = self.module(context, entry)?;
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
        context.validated(&format!("the kernel {}/{}", entry.shader, entry.name), || {
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
                module: &module,
                entry_point: Some(entry.name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every kernel writes workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: self.cache.as_ref().map(|(cache, _)| cache),
            });
            Pipeline { layout, pipeline }
        })
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        self.keep();
    }
}

#[allow(unsafe_code)]
fn driver_cache(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let descriptor = wgpu::PipelineCacheDescriptor { label: None, data, fallback: true };
    // SAFETY: the data is what `get_data` gave an earlier run with this adapter, driver and version of the program; the
    // store's checksum says so.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

/// Compiles a shader, with bounds checks if debug assertions are on and without them otherwise: the checks on loops
/// alone can make a kernel a hundred times slower.
#[allow(unsafe_code)]
fn shader_module(device: &wgpu::Device, name: &str, source: Cow<'_, str>) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(source) };
    if cfg!(debug_assertions) {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the shaders are part of this program and validated when it is built; every index they use is bounded by
    // their parameters, and every loop by a constant or a parameter, which the parity tests run with checks on.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
