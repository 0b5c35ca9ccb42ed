//! Chains of effects: their graph, their notation as text and JSON, their plan and the renderer that runs them.

mod aligned;
mod catalogue;
mod check;
mod checkpoints;
pub mod cost;
pub mod edit;
mod files;
mod graph;
mod identity;
pub mod json;
mod measured;
mod meter;
pub mod notation;
pub mod operators;
mod placement;
mod plan;
mod prepass;
mod reductions;
mod rendered;
mod renderer;
pub mod response;
mod time_mapping;
mod transfer;
mod wrap;

pub use aligned::{aligned, aligned_format};
pub use catalogue::Catalogue;
pub use dsp::device::Placement;
pub use graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
pub use measured::{MeasuredMap, MeasurementNeed, fingerprint, input_of};
pub use plan::{DelayedSide, MixInput, NodeSections, Op, Plan, decay_frames};
pub use prepass::{measure_whole, measure_whole_with, passes};
pub use rendered::{PREROLL_S, Rendered, Seeking};
pub use renderer::{NodeState, Reduced, RenderSeconds, RenderState, Renderer, Slot};
pub use time_mapping::TimeMapping;
pub use transfer::node_transfer;
