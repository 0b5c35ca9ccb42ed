//! Creates and caches bind groups.

use std::collections::HashMap;

use super::context::Context;
use super::pipelines::Pipeline;
use super::shaders::Entry;
use base::error::Result;

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

#[derive(Debug, Default)]
pub(super) struct Bindings {
    groups: HashMap<Key, wgpu::BindGroup>,
}

impl Bindings {
    /// Returns the bind group of these buffers, which are given in the order of the entry point's bindings.
    pub fn get(
        &mut self,
        context: &Context,
        pipeline: &Pipeline,
        entry: &'static Entry,
        bound: &[Bound<'_>],
    ) -> Result<&wgpu::BindGroup> {
        let key = (entry.shader, entry.name, bound.iter().map(|one| (one.id, one.offset, one.bytes)).collect());
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&key) {
            self.groups.clear();
        }
        Ok(match self.groups.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(make_group(context, entry, &pipeline.layout, bound)?)
            }
        })
    }

    /// Removes every bind group that holds one of these buffers.
    pub fn forget(&mut self, buffers: &[u64]) {
        if !buffers.is_empty() {
            self.groups.retain(|(_, _, bound), _| !bound.iter().any(|(id, ..)| buffers.contains(id)));
        }
    }
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
