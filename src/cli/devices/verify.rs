//! `undertone devices --verify`: checks every kernel and whole jobs on the devices of this machine.

use std::sync::Arc;
use std::time::Duration;

use crate::cli::Outcome;
use crate::cli::arguments::Devices as Words;
use crate::cli::interrupt::Interrupt;
use crate::cli::output::Output;
use crate::device::{DeviceId, DeviceRequest, Devices, RunPurpose, VERIFIED_SIZES, Workload};
use crate::error::{Error, Result};
use crate::files::Protected;
use crate::work::verify::{AdapterCheck, ReportFile, verify};

use crate::progress::Progress;

pub fn run(words: &Words, devices: &Arc<Devices>, device: Option<&DeviceRequest>, output: &Output) -> Result<Outcome> {
    // Refused before minutes of work, not after.
    let report = words
        .report
        .as_deref()
        .map(|path| ReportFile::create(path, words.overwrite, Protected::default()))
        .transpose()?;
    let wanted = wanted(devices, device)?;
    let progress = Progress::new();
    let verification = {
        let _bar = output.follow("verifying", &progress);
        cancelled_by_ctrl_c(&progress, || verify(devices, &wanted, &VERIFIED_SIZES, &progress))?
    };
    if let Some(report) = report {
        report.write(&verification)?;
    }
    if output.is_json() {
        output.json(&verification)?;
    } else {
        verification.adapters.iter().for_each(|adapter| print(adapter, output));
    }
    Ok(Outcome::of(!verification.passed()))
}

/// Returns the requested devices, or all.
fn wanted(devices: &Devices, device: Option<&DeviceRequest>) -> Result<Vec<DeviceId>> {
    match device {
        Some(DeviceRequest::Several(parts)) => {
            let each = parts.iter().map(|part| wanted(devices, Some(part))).collect::<Result<Vec<_>>>()?;
            Ok(each.concat())
        }
        Some(request) if *request != DeviceRequest::Auto => {
            let choice = devices.choose(request, &Workload::default(), RunPurpose::Export);
            if choice.report.fallback {
                return Err(Error::GpuUnavailable(choice.report.reason));
            }
            Ok(vec![choice.device])
        }
        _ => Ok(devices.list().into_iter().map(|entry| entry.id).collect()),
    }
}

/// Runs the work and cancels it on Ctrl+C.
fn cancelled_by_ctrl_c<T: Send>(progress: &Progress, work: impl FnOnce() -> T + Send) -> T {
    let interrupt = Interrupt::listen();
    let (ended, end) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while end.recv_timeout(Duration::from_millis(50)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                if interrupt.is_heard() {
                    progress.cancel();
                }
            }
        });
        let result = work();
        drop(ended);
        result
    })
}

fn print(adapter: &AdapterCheck, output: &Output) {
    let AdapterCheck { id, name, backend, driver, kind, .. } = adapter;
    output.line(&format!("{id:<6} {name} ({backend} {driver}, {kind})"));
    if let Some(reason) = &adapter.left_out {
        output.line(&format!("       not used: {reason}"));
    }
    if let Some(problem) = &adapter.problem {
        output.line(&format!("       FAILED: {problem}"));
    }
    if !adapter.kernels.is_empty() {
        output.line("  kernel             frames      error      limit          ms      GB/s  of a copy");
    }
    let db = |value: Option<f64>| value.map_or_else(|| "equal".to_owned(), |db| format!("{db:.1} dB"));
    for check in &adapter.kernels {
        output.line(&format!(
            "  {:<16} {:>8} {:>10} {:>10} {:>11.3} {:>9.2} {:>8.1} %{}",
            check.kernel,
            check.size,
            db(check.error_db),
            db(check.limit_db),
            check.ms,
            check.gb_s,
            100.0 * check.share,
            verdict(check.passed, check.problem.as_deref()),
        ));
    }
    if !adapter.jobs.is_empty() {
        output.line("  job                     difference      limit                CPU s    GPU s");
    }
    for check in &adapter.jobs {
        output.line(&format!(
            "  {:<22} {:>11.3e} {:>10} {:<14} {:>8.2} {:>8.2}{}",
            check.job,
            check.difference,
            check.limit,
            check.unit,
            check.cpu_s,
            check.gpu_s,
            verdict(check.passed, check.problem.as_deref()),
        ));
    }
    let failed = adapter.kernels.iter().filter(|check| !check.passed).count()
        + adapter.jobs.iter().filter(|check| !check.passed).count();
    if failed > 0 {
        output.line(&format!("  {failed} FAILED"));
    } else if adapter.passed() && adapter.left_out.is_none() {
        output.line("  all passed");
    }
}

fn verdict(passed: bool, problem: Option<&str>) -> String {
    match problem {
        Some(problem) => format!("  FAILED: {problem}"),
        None if passed => String::new(),
        None => "  FAILED".to_owned(),
    }
}
