//! The shaders, as the build found them: their sources, and typed parameters and bindings that the build read from
//! them. `build/shaders.rs` says how.

#![allow(clippy::unreadable_literal, reason = "constants stand here as the shaders write them")]

use super::recording::{Dispatch, View};

/// One validated shader.
#[derive(Debug)]
pub struct Shader {
    /// The name of its file, without extension.
    pub name: &'static str,
    /// WGSL with all imports resolved.
    pub source: &'static str,
    /// Its compute entry points.
    pub entries: &'static [&'static Entry],
}

/// One compute entry point.
#[derive(Debug)]
pub struct Entry {
    /// The shader's name.
    pub shader: &'static str,
    /// The shader.
    pub source: &'static Shader,
    /// The entry point's name.
    pub name: &'static str,
    /// Threads of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Workgroup memory that it uses, in bytes.
    pub workgroup_bytes: u64,
    /// Where in its parameters the index of the dispatch's first workgroup along x stands, in bytes. Such a dispatch
    /// may be cut into several.
    pub first_group: Option<u32>,
    /// What it binds, all in group 0, by number.
    pub bindings: &'static [Binding],
}

/// One binding of an entry point.
#[derive(Debug)]
pub struct Binding {
    /// Its number.
    pub number: u32,
    /// Its name in the shader.
    pub name: &'static str,
    /// What it is.
    pub kind: BindingKind,
    /// Its size in bytes; for one that ends in an array without length, the least.
    pub bytes: u32,
}

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// The parameters of a dispatch: a uniform, bound with a dynamic offset.
    Params,
    /// A storage buffer that is only read.
    Read,
    /// A storage buffer that is written.
    ReadWrite,
}

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
