//! The derive with which types are declared to TypeScript. `app::bindings` writes the declarations in a unit test. Outside
//! of unit tests it derives nothing, since what `ts_rs` makes is a tenth of the core's code.

#[cfg(not(test))]
pub(crate) use ts_off::TS;
#[cfg(test)]
pub(crate) use ts_rs::TS;
