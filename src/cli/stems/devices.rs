//! The devices on which files are split.

use crate::chain::Placement;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::device::DeviceRequest;
use crate::error::Result;
use crate::stems::{Separation, USUAL_RECORDING};

/// Returns a placement for each device that separates files; see [`Separation::lanes`]. Reports devices that cannot.
pub fn lanes(split: &Separation, placement: &Placement, files: usize, output: &Output) -> Vec<Placement> {
    // A single file runs where it is fastest.
    if files < 2 && !matches!(placement.request, DeviceRequest::Several(_)) {
        return vec![placement.clone()];
    }
    let (mut lanes, refused) = split.lanes(placement);
    for problem in refused {
        output.note(&format!("undertone: {problem}"));
    }
    lanes.truncate(files.max(1));
    lanes
}

/// Lists the devices, and says on which a recording would be split.
pub fn list(split: &Separation, placement: &Placement, output: &Output) -> Result<Outcome> {
    let choice = split.device(USUAL_RECORDING.0, USUAL_RECORDING.1, placement)?;
    let devices = placement.devices.list();
    if output.is_json() {
        let row = |device: &crate::device::DeviceEntry| serde_json::json!({ "id": device.id.to_string(), "name": device.name, "problem": device.problem });
        let rows: Vec<serde_json::Value> = devices.iter().map(row).collect();
        output.json(&serde_json::json!({ "devices": rows, "choice": choice }))?;
        return Ok(Outcome::Done);
    }
    for device in &devices {
        let problem =
            device.problem.as_ref().map_or_else(String::new, |problem| format!("  cannot be used: {problem}"));
        output.line(&format!("{:<6} {}{problem}", device.id.to_string(), device.name));
    }
    output.line(&format!("{} chooses {}: {}", choice.requested, choice.used, choice.reason));
    Ok(Outcome::Done)
}
