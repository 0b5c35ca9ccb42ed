//! Writes a report of the batch as tab-separated text, one line per input.

use std::fmt::Write as _;

use super::types::BatchItemState;
use super::{BatchPage, State};
use crate::error::Result;
use crate::files::SafeFile;
use crate::window::host::FileChoice;

impl BatchPage {
    pub(in crate::window) fn save_report(&self) -> Result<bool> {
        let text = report(&self.locked());
        let choice = FileChoice {
            title: "Export the report".into(),
            kind: "Tab-separated text",
            extensions: &["tsv", "txt"],
            several: false,
        };
        let Some(chosen) = self.workspace.choose_target(&choice, "batch.tsv") else { return Ok(false) };
        let protected = self.protecting(self.workspace.protected());
        let mut file = SafeFile::create(&chosen.path, chosen.may_replace, protected)?;
        file.append(text.as_bytes())?;
        file.commit()?;
        Ok(true)
    }
}

fn report(state: &State) -> String {
    let mut text = String::from("state\tinput\toutput\treason\n");
    for item in &state.items {
        let name = match item.state {
            BatchItemState::Waiting => "waiting",
            BatchItemState::Running => "running",
            BatchItemState::Done => "done",
            BatchItemState::Skipped => "finished before",
            BatchItemState::Failed => "failed",
        };
        let target = item.target.as_ref().and_then(|target| target.as_ref().ok());
        let target = target.map(|target| target.display().to_string()).unwrap_or_default();
        let fault = item.failure.as_ref().or_else(|| item.fault()).map(|failure| failure.message.clone());
        let warnings = item.result.as_ref().map(|result| result.warnings.join("; "));
        let reason = fault.or(warnings).unwrap_or_default();
        let fields = [name.to_owned(), item.path.display().to_string(), target, reason].map(|field| plain(&field));
        let _ = writeln!(text, "{}", fields.join("\t"));
    }
    text
}

// Removes the field and line separators from a field.
fn plain(field: &str) -> String {
    field.replace(['\t', '\n', '\r'], " ")
}
