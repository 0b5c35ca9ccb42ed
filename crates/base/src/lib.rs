//! The foundation of all other crates of Undertone: units, errors, progress, vectors of the processor, files,
//! databases, and planar sound with the streams that carry it.

pub mod background;
pub mod blocking;
pub mod database;
pub mod date;
pub mod declared;
pub mod driver_messages;
pub mod error;
pub mod files;
pub mod lock;
pub mod progress;
pub mod simd;
pub mod sound;
pub mod stem;
pub mod suggestion;
pub mod units;

pub use error::{Error, Result};
