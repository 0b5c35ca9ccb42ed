//! What the window draws: the peaks pyramid and spectrogram tiles, the files in which they are kept, and pictures.

pub mod colours;
mod file_cache;
pub mod loudness;
pub mod peaks;
pub mod picture;
pub mod spectrogram;

pub use file_cache::FileCache;
