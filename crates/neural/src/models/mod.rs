//! The supported models: recognising one in a file, and turning configuration and weights into graphs.
//!
//! ```text
//! config.json -> configuration, checked --.
//! weights --> Parameters, folded ---------+-> model -> graph of a piece of sound
//! ```
//!
//! Each model reads its tensors by name, as named by Hugging Face's `transformers` or by its project, and refuses
//! tensors that are missing, unexpected or of another shape. Models are not run here: see [`crate::network`] and
//! [`crate::codecs::neural`].

mod codec_model;
pub mod dac;
pub mod demucs;
pub mod encodec;
mod listing;
pub mod mimi;
mod open;
mod piece;
mod residual;
mod seanet;
mod settings;
mod tensors;

pub use codec_model::{Chunks, CodecKind, CodecModel, Cutting, Facts, rounded_kbps};
pub use listing::{FoundModel, Model, ModelKind, find, recognise};
pub use open::open_codec;
pub use piece::Piece;
