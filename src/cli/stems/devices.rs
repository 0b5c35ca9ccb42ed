//! The devices on which files are split.

use crate::chain::Placement;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::device::{DeviceReport, DeviceRequest};
use crate::error::Result;
use crate::stems::Separation;

/// The channels and the length in seconds of a recording for which a device is chosen before any is opened.
const USUAL: (usize, f64) = (2, 180.0);

/// Returns a placement for each device that takes files of its own: one, or one for each of several that were asked for
/// and can be used. Says which of them cannot. The quick split takes all of the CPU for each file.
pub fn lanes(split: &Separation, placement: &Placement, files: usize, output: &Output) -> Vec<Placement> {
    let (Separation::Network { .. }, DeviceRequest::Several(parts)) = (split, &placement.request) else {
        return vec![placement.clone()];
    };
    let (mut lanes, mut used): (Vec<Placement>, Vec<String>) = (Vec::new(), Vec::new());
    for part in parts {
        let lane = Placement { request: part.clone(), ..placement.clone() };
        match split.device(USUAL.0, USUAL.1, &lane) {
            Ok(DeviceReport { fallback: true, reason, .. }) => {
                output.note(&format!("undertone: {part} is not used: {reason}"));
            }
            Ok(report) if used.contains(&report.used) => {}
            Ok(report) => {
                used.push(report.used);
                lanes.push(lane);
            }
            Err(error) => output.note(&format!("undertone: {part} is not used: {error}")),
        }
    }
    if lanes.is_empty() {
        return vec![placement.clone()];
    }
    lanes.truncate(files.max(1));
    lanes
}

/// Lists the devices, and says on which a recording would be split.
///
/// # Errors
/// Those of choosing one, and of the output.
pub fn list(split: &Separation, placement: &Placement, output: &Output) -> Result<Outcome> {
    let choice = split.device(USUAL.0, USUAL.1, placement)?;
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
