//! `undertone devices`: lists the devices for computation.

mod verify;

use std::sync::Arc;

use super::Outcome;
use super::arguments::Devices as Words;
use super::output::Output;
use crate::device::{DeviceRequest, Devices, RunPurpose, Workload};
use crate::error::Result;
use crate::work::Directories;
use crate::work::devices::DeviceView;

pub fn run(words: &Words, device: Option<&DeviceRequest>, output: &Output) -> Result<Outcome> {
    let devices = Devices::new(Some(Directories::of_this_user()?.config().to_path_buf()));
    if words.verify {
        return verify::run(words, &Arc::new(devices), device, output);
    }
    if words.measure {
        for entry in devices.list() {
            if entry.problem.is_none() {
                devices.measure(entry.id)?;
            }
        }
    }
    // Shows where a typical job would run: a stereo export through an order-8 filter.
    let work = Workload { channels: 2, sections: 4, transfers: 1, ..Workload::default() };
    let request = device.cloned().unwrap_or_default();
    let choice = devices.choose(&request, &work, RunPurpose::Export);
    let views: Vec<DeviceView> = devices.list().into_iter().map(DeviceView::from).collect();
    if output.is_json() {
        output.json(&serde_json::json!({ "devices": views, "choice": choice.report }))?;
        return Ok(Outcome::Done);
    }
    for view in &views {
        print(view, output);
    }
    output.line(&format!("{} chooses {}: {}", choice.report.requested, choice.report.used, choice.report.reason));
    if !words.measure && views.iter().any(|view| view.cascade_samples_s.is_none()) {
        output.note("`undertone devices --measure` measures the speeds.");
    }
    Ok(Outcome::Done)
}

fn print(view: &DeviceView, output: &Output) {
    output.line(&format!("{:<6} {}", view.id, view.name));
    let tier = view.tier.as_deref().map_or_else(String::new, |tier| format!(", tier {tier}"));
    output.line(&format!("       {} {}, {}{tier}", view.backend, view.driver, view.kind));
    if let Some(problem) = &view.problem {
        output.line(&format!("       cannot be used: {problem}"));
    }
    if let Some(reason) = &view.passed_over {
        output.line(&format!("       not chosen by auto: {reason}"));
    }
    if view.clock_refused {
        output.line("       its own clock is wrong: kernels were timed from outside");
    }
    let giga =
        |rate: Option<f64>| rate.map_or_else(|| "not measured".to_owned(), |rate| format!("{:.2} GB/s", rate / 1e9));
    if view.id != "cpu" {
        output.line(&format!("       upload {}, readback {}", giga(view.upload_bytes_s), giga(view.readback_bytes_s)));
    }
    let samples = view
        .cascade_samples_s
        .map_or_else(|| "not measured".to_owned(), |rate| format!("{:.0} Msamples/s", rate / 1e6));
    let points =
        view.spectra_points_s.map_or_else(|| "not measured".to_owned(), |rate| format!("{:.0} Mpoints/s", rate / 1e6));
    let operations = |rate: Option<f64>| {
        rate.map_or_else(|| "not measured".to_owned(), |rate| format!("{:.1} Goperations/s", rate / 1e9))
    };
    let (filters, products) = (operations(view.filter_operations_s), operations(view.product_operations_s));
    let memory = giga(view.memory_bytes_s);
    output.line(&format!(
        "       memory {memory}, order-8 cascade {samples}, FIR {filters}, spectra {points}, networks {products}"
    ));
    for (name, value) in &view.limits {
        output.line(&format!("       {name}: {value}"));
    }
}
