//! Neural networks as plain data, and their execution.
//!
//! ```text
//! weights -> Parameters -> Constants ----.
//! configuration -> Builder -> Graph -> Session::run(inputs, State) -> outputs
//! ```
//!
//! A [`Graph`] lists operations on values whose shapes are known and checked before anything runs. It contains no
//! weights: these are in [`Parameters`], which all graphs of a model share, whatever the length of the sound. The
//! memory of a causal model between pieces of sound is in a [`State`], by name, so that the graphs of a first, a middle
//! and a last piece use the same one.
//!
//! Every value is a block of `channels x rows x frames` numbers. Sequences of vectors, which other programs store
//! vector by vector, are stored as channels here: a linear layer is a convolution of one frame. Codes are whole numbers
//! in f32, which is exact up to 2^24.
//!
//! A [`Session`] runs a graph. The tests have an oracle, which evaluates a graph in f64 by the definitions.

mod graph;
mod parameters;
pub mod session;
mod shape;
mod state;

pub use graph::{
    Activation, Attention, Builder, Convolution, Edge, Extend, Graph, Left, Lstm, Node, Norm, Normalized, Operation,
    Right, Rotary, TransposedConvolution, Value,
};
pub use parameters::{Parameter, Parameters};
pub use session::{Constants, Item, Session, peak_operations_per_second};
pub use shape::Shape;
pub use state::State;
