//! Data for drawing: the peaks pyramid, spectrogram tiles, the files that cache them, and pictures.

pub mod colours;
mod file_cache;
pub mod loudness;
pub mod peaks;
pub mod picture;
pub mod spectrogram;

pub use file_cache::FileCache;
