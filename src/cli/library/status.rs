//! `undertone library status` and `errors`: show the state of the library.

use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::cli::time::text_from_seconds;
use crate::error::Result;
use crate::library::{Library, LibraryStatus, Root, ScanSummary};

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_library")]
    library: &'a Path,
    #[serde(flatten)]
    status: &'a LibraryStatus,
    folders: &'a [Root],
    last_scan: Option<&'a ScanSummary>,
}

pub fn run(library: &Library, output: &Output) -> Result<Outcome> {
    let status = library.status()?;
    let folders = library.roots()?;
    let last = library.history(1)?.pop().and_then(|scan| scan.summary);
    let last: Option<ScanSummary> = last.and_then(|summary| serde_json::from_str(&summary).ok());
    if output.is_json() {
        output.json(&Report {
            library: &library.place().shown(),
            status: &status,
            folders: &folders,
            last_scan: last.as_ref(),
        })?;
        return Ok(Outcome::Done);
    }
    output.line(&library.place().to_string());
    if library.read_only().is_some() {
        output.line("  read-only");
    }
    output.line(&format!("  analysed  {} tracks, {}", status.done, text_from_seconds(status.duration_s)));
    let others = [("waiting", status.waiting), ("analysing", status.analysing), ("failed", status.failed)];
    for (name, tracks) in others.into_iter().chain([("vanished", status.vanished)]).filter(|(_, tracks)| *tracks > 0) {
        output.line(&format!("  {name:<9} {tracks} tracks"));
    }
    output.line(&format!("  files     {:.1} MiB", status.bytes as f64 / f64::from(1 << 20)));
    output.line(&format!("  database  {:.1} MiB", status.database_bytes as f64 / f64::from(1 << 20)));
    for folder in &folders {
        let reach = folder.unreachable.as_ref().map_or(String::new(), |reason| format!(", not reachable: {reason}"));
        output.line(&format!("  folder    {} ({} tracks{reach})", folder.path.display(), folder.tracks));
    }
    if let Some(scanner) = &status.scanned_by {
        output.line(&format!("  scanned by {scanner}"));
    }
    Ok(Outcome::Done)
}

pub fn errors(library: &Library, output: &Output) -> Result<Outcome> {
    let errors = library.errors()?;
    if output.is_json() {
        output.json(&json!({ "errors": errors }))?;
        return Ok(Outcome::Done);
    }
    for error in &errors {
        output.line(&format!("{:>6} {:<11} {}", error.id, error.code, error.path));
        output.line(&format!("       {}", error.reason));
    }
    Ok(Outcome::Done)
}
