//! Neural networks: weights, supported models, and their use on recordings. Codecs of all kinds share one interface,
//! and stems of all kinds another, so both are here.

pub mod codec_grid;
pub mod codecs;
pub mod models;
pub mod network;
pub mod stems;
pub mod weights;
