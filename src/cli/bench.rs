//! `undertone bench`: measures each kernel and its entry points on each device, relative to the memory bandwidth of the
//! device.

use std::time::Duration;

use serde::Serialize;

use super::Outcome;
use super::arguments::Bench;
use super::options::devices_and_request;
use super::output::Output;
use crate::device::bench::{BenchOptions, BenchReport, BenchRow, bench};
use crate::device::trials::TABLE;
use crate::device::{DeviceId, DeviceRequest, RunPurpose, Workload};
use crate::error::{Error, Failure, Result};

#[derive(Serialize)]
struct Row {
    kernel: &'static str,
    entry: Option<String>,
    device: String,
    name: String,
    kind: String,
    channels: usize,
    samples: u64,
    runs: usize,
    seconds: f64,
    device_seconds: Option<f64>,
    wall_seconds: Option<f64>,
    samples_s: f64,
    bytes_s: Option<f64>,
    ceiling_bytes_s: f64,
    share_of_ceiling: Option<f64>,
}

/// How a device was measured.
#[derive(Serialize)]
struct Method {
    device: String,
    cache_bytes: u64,
    cache_assumed: bool,
    spread_bytes: u64,
    limit_seconds: u64,
    cut: Vec<&'static str>,
    left_out: Vec<&'static str>,
}

pub fn run(words: &Bench, device: Option<&DeviceRequest>, output: &Output) -> Result<Outcome> {
    let options = BenchOptions {
        frames: words.frames.map(|frames| frames as usize),
        channels: words.channels.into(),
        kernel: words.kernel.clone(),
        limit: Duration::from_secs(words.limit.into()),
    };
    if let Some(part) =
        words.kernel.as_deref().filter(|part| !TABLE.iter().any(|(kernel, _)| kernel.name.contains(part)))
    {
        let names: Vec<&str> = TABLE.iter().map(|(kernel, _)| kernel.name).collect();
        return Err(Error::invalid("kernel", part, format!("part of one of {}", names.join(", "))));
    }
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
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    for id in ids {
        match bench(&devices, id, &options) {
            Ok(mut report) => {
                for (kernel, error) in std::mem::take(&mut report.failures) {
                    output.note(&format!("undertone: {id}: {kernel}: {error}"));
                    let error = Failure::from(error);
                    failures.push(serde_json::json!({ "device": id.to_string(), "kernel": kernel, "error": error }));
                }
                reports.push(report);
            }
            Err(error) => {
                output.note(&format!("undertone: {id}: {error}"));
                failures.push(serde_json::json!({ "device": id.to_string(), "error": Failure::from(error) }));
            }
        }
    }
    let methods: Vec<Method> = reports.iter().map(|report| method(report, &options)).collect();
    let rows: Vec<Row> = reports.into_iter().flat_map(|report| report.rows).map(row).collect();
    if output.is_json() {
        output.json(&serde_json::json!({ "rows": rows, "devices": methods, "failures": failures }))?;
    } else {
        print(&rows, &methods, output);
    }
    Ok(Outcome::of(!failures.is_empty()))
}

fn print(rows: &[Row], methods: &[Method], output: &Output) {
    output.line(
        "kernel and entry point      device  kind      channels  runs   device ms     wall ms   Msamples/s      GB/s  of ceiling",
    );
    let or_none = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
    for row in rows {
        let name = row.entry.as_ref().map_or(row.kernel.to_owned(), |entry| format!("  {entry}"));
        output.line(&format!(
            "{name:<27} {:<7} {:<9} {:>8} {:>5} {:>11} {:>11} {:>12.1} {:>9} {:>11}",
            row.device,
            row.kind,
            row.channels,
            row.runs,
            or_none(row.device_seconds.map(|seconds| seconds * 1e3), 4),
            or_none(row.wall_seconds.map(|seconds| seconds * 1e3), 3),
            row.samples_s / 1e6,
            or_none(row.bytes_s.map(|bytes| bytes / 1e9), 2),
            row.share_of_ceiling.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0)),
        ));
    }
    for Method { device, cache_bytes, cache_assumed, spread_bytes, limit_seconds, cut, left_out } in methods {
        let is = if *cache_assumed { "is assumed to have" } else { "has" };
        let over = match spread_bytes >> 20 {
            0 => "runs use one set of buffers".to_owned(),
            mebibytes => format!("runs go over {mebibytes} MiB"),
        };
        output.note(&format!("{device}: the last-level cache {is} {} MiB; {over}.", cache_bytes >> 20));
        if !cut.is_empty() {
            output.note(&format!("{device}: too few runs within {limit_seconds} s (--limit): {}.", cut.join(", ")));
        }
        if !left_out.is_empty() {
            output
                .note(&format!("{device}: not measured within {limit_seconds} s (--limit): {}.", left_out.join(", ")));
        }
    }
    if rows.iter().any(|row| row.kind == "software") {
        output.note("A software adapter computes on the CPU. Its times show that it works, not how fast a GPU is.");
    }
}

fn method(report: &BenchReport, options: &BenchOptions) -> Method {
    Method {
        device: report.device.to_string(),
        cache_bytes: report.cache.bytes,
        cache_assumed: report.cache.assumed,
        spread_bytes: report.spread_bytes,
        limit_seconds: options.limit.as_secs(),
        cut: report.cut.clone(),
        left_out: report.left_out.clone(),
    }
}

fn row(found: BenchRow) -> Row {
    Row {
        kernel: found.kernel,
        device: found.device.to_string(),
        channels: found.channels,
        samples: found.samples,
        runs: found.runs,
        seconds: found.seconds,
        device_seconds: found.device_seconds,
        wall_seconds: found.wall_seconds,
        samples_s: found.samples as f64 / found.seconds,
        bytes_s: found.bytes_per_second,
        ceiling_bytes_s: found.ceiling_bytes_per_second,
        share_of_ceiling: found.share(),
        kind: found.kind,
        entry: found.entry,
        name: found.name,
    }
}
