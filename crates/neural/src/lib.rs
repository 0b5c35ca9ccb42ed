//! Neural networks: their weights, the models that are known, and what they do to recordings. Codecs of all kinds share
//! one interface, and stems of all kinds another, so both are here.

pub mod codec_grid;
pub mod codecs;
pub mod models;
pub mod network;
pub mod stems;
pub mod weights;
