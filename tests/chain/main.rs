//! Chains: effects, rendering, editing, response.

mod edit;
mod effects;
mod renderer;
mod response;
mod spectral_edit;
#[path = "../support/mod.rs"]
mod support;
