//! Chains: effects, rendering, editing, response.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod during;
mod edit;
mod effects;
mod renderer;
mod response;
mod spectral_edit;
#[path = "../support/mod.rs"]
mod support;
