//! The report of a verification in Markdown.

use std::fmt::Write as _;

use super::{AdapterCheck, Verification};

pub(super) fn report(verification: &Verification) -> String {
    let mut text = format!(
        "# Devices verified by Undertone {}\n\n{}; {}\n",
        verification.version,
        verification.system,
        if verification.passed() { "everything passed" } else { "**not everything passed**" }
    );
    for adapter in &verification.adapters {
        text.push_str(&section(adapter));
    }
    text
}

fn section(adapter: &AdapterCheck) -> String {
    let mut text =
        format!("\n## {}: {}\n\n{} {}, {}\n", adapter.id, adapter.name, adapter.backend, adapter.driver, adapter.kind);
    if let Some(reason) = &adapter.left_out {
        let _ = writeln!(text, "\nNot used: {reason}");
    }
    if let Some(problem) = &adapter.problem {
        let _ = writeln!(text, "\n**Failed**: {problem}");
    }
    if !adapter.kernels.is_empty() {
        text.push_str(
            "\n| kernel | frames | error | limit | | ms | GB/s | Goperations/s | of a copy |\n\
             |---|---:|---:|---:|---|---:|---:|---:|---:|\n",
        );
    }
    for check in &adapter.kernels {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.3} | {:.2} | {:.2} | {:.1} % |",
            check.kernel,
            check.size,
            db(check.error_db),
            db(check.limit_db),
            verdict(check.passed, check.problem.as_deref()),
            check.ms,
            check.gb_s,
            if check.ms > 0.0 { check.operations / check.ms / 1e6 } else { 0.0 },
            100.0 * check.share,
        );
    }
    if !adapter.jobs.is_empty() {
        text.push_str("\n| job | difference | limit | | CPU s | GPU s |\n|---|---:|---:|---|---:|---:|\n");
    }
    for check in &adapter.jobs {
        let _ = writeln!(
            text,
            "| {} | {:.3e} {} | {} | {} | {:.2} | {:.2} |",
            check.job,
            check.difference,
            check.unit,
            check.limit,
            verdict(check.passed, check.problem.as_deref()),
            check.cpu_s,
            check.gpu_s,
        );
    }
    text
}

/// Formats a residual in dB; `None` means that the results are equal, or must be.
fn db(value: Option<f64>) -> String {
    value.map_or_else(|| "equal".to_owned(), |db| format!("{db:.1} dB"))
}

fn verdict(passed: bool, problem: Option<&str>) -> String {
    match problem {
        Some(problem) => format!("**failed**: {}", problem.replace('|', "\\|").replace('\n', " ")),
        None if passed => "passed".to_owned(),
        None => "**failed**".to_owned(),
    }
}
