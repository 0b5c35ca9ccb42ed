//! What became of a request.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where work ran, and why: part of every result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DeviceReport {
    /// What was asked for, as given.
    pub requested: String,
    /// `cpu` or `gpu:N`.
    pub used: String,
    /// The name of what was used.
    pub name: String,
    /// Why this one, in a few words; what went wrong when it is not what was asked for.
    pub reason: String,
    /// Whether something else was asked for.
    pub fallback: bool,
}
