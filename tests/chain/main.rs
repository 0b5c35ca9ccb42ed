//! Chains: effects, designs of filters as they run, rendering, editing, response.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod during;
mod edit;
mod effects;
mod filter_accuracy;
mod filter_reference;
mod permission;
mod rearranged;
mod renderer;
mod response;
mod spectral_edit;
mod submissions;
mod support;
