//! The derive that declares types to TypeScript. It does nothing without the feature `bindings`, since the output of
//! `ts_rs` is a tenth of the code.

#[cfg(not(feature = "bindings"))]
pub use ts_off::TS;
#[cfg(feature = "bindings")]
pub use ts_rs::TS;
