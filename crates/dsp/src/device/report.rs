//! The report on where a request ran.

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// Where work ran and why. Part of every result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DeviceReport {
    /// The request, as given.
    pub requested: String,
    /// `cpu` or `gpu:N`.
    pub used: String,
    /// The name of the device that was used.
    pub name: String,
    /// The reason for this device in a few words, or what went wrong if it is not the requested one.
    pub reason: String,
    /// Whether the request could not be met and another device was used.
    pub fallback: bool,
}
