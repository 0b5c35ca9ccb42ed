//! The derive with which types are declared to TypeScript. It declares something only with the feature `bindings`, since
//! what `ts_rs` makes is a tenth of the code.

#[cfg(not(feature = "bindings"))]
pub use ts_off::TS;
#[cfg(feature = "bindings")]
pub use ts_rs::TS;
