//! The commands of the devices.

use super::types::DevicesView;
use super::verification;
use crate::window::commands::commands;
use crate::window::jobs::JobId;
use crate::work::verify::AdapterCheck;

commands! {
    devices(app);

    super(app) {
        /// Returns the devices, their measured speeds, and the devices in use.
        [Long] view() -> DevicesView;
        /// Measures every device again.
        [Long] measure() -> DevicesView;
    }

    verification(app) {
        /// Starts to verify the devices: every kernel against its CPU twin and f64, whole jobs against the CPU.
        [Control] verify() -> JobId;
        /// Returns the last verification since the program started.
        [Control] verification() -> Option<Vec<AdapterCheck>>;
        /// Lets the user choose a file and writes the last verification to it, as Markdown or JSON; false if cancelled.
        [Long] save_verification() -> bool;
    }
}
