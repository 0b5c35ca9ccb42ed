//! The core of Undertone: everything that the window, the command line and a Rust program can do with a recording.
//!
//! The modules are listed in the order in which data flows; each uses only those above it. `ARCHITECTURE.md` at the
//! root of the repository describes them.

pub mod units;

pub mod error;

pub mod progress;

pub mod simd;

mod background;

pub mod files;
mod lock;

mod waiting;

mod database;

pub mod audio;

pub mod design;

pub mod gpu;

pub mod kernels;

pub mod device;

pub mod measure;

pub mod effects;

pub mod chain;

pub mod playback;

pub mod view;

pub mod document;

pub mod features;

pub mod fingerprint;

pub mod library;

pub mod app;

pub mod cli;

pub use error::{Error, Result};
