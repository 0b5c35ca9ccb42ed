//! The work of every face: exports, batches, files of stems, splitting, analysis of files, settings. It knows no
//! window.

pub mod batch;
pub mod cover;
pub mod devices;
mod directories;
pub mod effects;
pub mod export;
pub mod file_analysis;
mod logging;
pub mod presets;
pub mod settings;
pub mod split;
pub mod stem_files;
pub mod verify;

pub use directories::Directories;
pub use logging::log_to_stderr;
