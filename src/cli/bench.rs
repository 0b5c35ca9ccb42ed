//! `undertone bench`: measures each kernel on each device, relative to the memory bandwidth of the device.

use serde::Serialize;

use super::Outcome;
use super::arguments::Bench;
use super::output::Output;
use super::process::devices_and_request;
use crate::device::bench::{BenchRow, bench};
use crate::device::{DeviceId, DeviceRequest, RunPurpose, Workload};
use crate::error::{Failure, Result};

/// Number of stereo frames that every kernel processes: 22 s at 48 kHz, more than fits into any cache.
const FRAMES: usize = 1 << 20;

#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    device: String,
    name: String,
    kind: String,
    samples: u64,
    seconds: f64,
    samples_s: f64,
    bytes_s: f64,
    ceiling_bytes_s: f64,
    share_of_ceiling: f64,
}

pub fn run(words: &Bench, device: Option<&DeviceRequest>, output: &Output) -> Result<Outcome> {
    let (devices, _) = devices_and_request(device.cloned())?;
    let ids: Vec<DeviceId> = match device {
        Some(DeviceRequest::Several(parts)) => {
            let work = Workload { channels: 2, sections: 4, transfers: 1, ..Workload::default() };
            parts.iter().map(|part| devices.choose(part, &work, RunPurpose::Export).device).collect()
        }
        // Only the requested device is measured.
        Some(request) if *request != DeviceRequest::Auto => {
            let work = Workload { channels: 2, sections: 4, transfers: 1, ..Workload::default() };
            let choice = devices.choose(request, &work, RunPurpose::Export);
            if choice.report.fallback {
                output.note(&format!("undertone: {} is not used: {}", choice.report.requested, choice.report.reason));
            }
            vec![choice.device]
        }
        _ => devices.list().into_iter().filter(|entry| entry.problem.is_none()).map(|entry| entry.id).collect(),
    };
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for id in ids {
        match bench(&devices, id, FRAMES) {
            Ok(found) => rows.extend(found.into_iter().map(row)),
            Err(error) => {
                output.note(&format!("undertone: {id}: {error}"));
                failures.push(serde_json::json!({ "device": id.to_string(), "error": Failure::from(error) }));
            }
        }
    }
    if let Some(wanted) = &words.kernel {
        rows.retain(|row| row.kernel.contains(wanted.as_str()));
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "rows": rows, "failures": failures }))?;
    } else {
        output.line("kernel        device  kind         ms       Msamples/s      GB/s  of ceiling");
        for row in &rows {
            output.line(&format!(
                "{:<13} {:<7} {:<9} {:>9.3} {:>12.1} {:>9.2} {:>9.0} %",
                row.kernel,
                row.device,
                row.kind,
                row.seconds * 1e3,
                row.samples_s / 1e6,
                row.bytes_s / 1e9,
                row.share_of_ceiling * 100.0,
            ));
        }
        if rows.iter().any(|row| row.kind == "software") {
            output.note("A software adapter computes on the CPU. Its times show that it works, not how fast a GPU is.");
        }
    }
    Ok(Outcome::of(!failures.is_empty()))
}

fn row(found: BenchRow) -> Row {
    Row {
        kernel: found.kernel,
        device: found.device.to_string(),
        kind: found.kind.clone(),
        samples: found.samples,
        seconds: found.seconds,
        samples_s: found.samples as f64 / found.seconds,
        bytes_s: found.bytes_per_second,
        ceiling_bytes_s: found.ceiling_bytes_per_second,
        share_of_ceiling: found.share(),
        name: found.name,
    }
}
