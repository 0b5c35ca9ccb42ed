//! Verifies the devices from the window: as a job, with the last result and its report.

use std::sync::Arc;

use crate::device::{DeviceId, VERIFIED_SIZES};
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::work::verify::{self, AdapterCheck, ReportFile};

/// Starts to verify every device; if a verification is running, returns its job.
#[allow(clippy::unnecessary_wraps, reason = "commands give results")]
pub(super) fn verify(app: &App) -> Result<JobId> {
    let workspace = Arc::clone(&app.workspace);
    let started = app.jobs.start_alone(JobPurpose::Verify, "Verify devices".into(), move |progress| {
        let all: Vec<DeviceId> = workspace.devices.list().into_iter().map(|entry| entry.id).collect();
        let verification = verify::verify(&workspace.devices, &all, &VERIFIED_SIZES, progress)?;
        workspace.state().verification = Some(verification);
        Ok(None)
    });
    Ok(started.unwrap_or_else(|running| running))
}

#[allow(clippy::unnecessary_wraps, reason = "commands give results")]
pub(super) fn verification(app: &App) -> Result<Option<Vec<AdapterCheck>>> {
    Ok(app.workspace.state().verification.as_ref().map(|verification| verification.adapters.clone()))
}

pub(super) fn save_verification(app: &App) -> Result<bool> {
    let verification = app.workspace.state().verification.clone();
    let verification =
        verification.ok_or_else(|| Error::NotFound { what: "verification", name: "of this start".to_owned() })?;
    let choice = FileChoice {
        title: "Save the verification report".into(),
        kind: "Markdown or JSON",
        extensions: &["md", "json"],
        several: false,
    };
    let Some(chosen) = app.workspace.choose_target(&choice, "undertone-devices.md") else { return Ok(false) };
    let protected = app.protected();
    ReportFile::create(&chosen.path, chosen.may_replace, protected)?.write(&verification)?;
    Ok(true)
}
