//! Chains of effects: their graph, their notation as text and JSON, their plan and the renderer that runs them.

mod aligned;
mod check;
mod checkpoints;
pub mod cost;
mod course;
pub mod edit;
mod files;
mod gauge;
mod graph;
mod identity;
pub mod json;
mod measured;
pub mod notation;
pub mod operators;
mod placement;
mod plan;
mod prepass;
mod reductions;
mod rendered;
mod renderer;
pub mod response;
mod transfer;
mod wrap;

pub use aligned::aligned;
pub use course::Course;
pub use graph::{Chain, Node, NodeId, NodeKind};
pub use measured::{MeasuredMap, fingerprint, input_of};
pub use placement::Placement;
pub use plan::{Catalogue, MixInput, Need, Op, Part, Plan, Side, decay_frames};
pub use prepass::{measure_whole, measure_whole_with, passes};
pub use rendered::{PREROLL_S, Rendered, Seeking};
pub use renderer::{NodeState, Reduced, RenderSeconds, RenderState, Renderer, Slot};
pub use transfer::node_transfer;
