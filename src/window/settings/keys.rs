//! Files of keys.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::files::{self, check_target};
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::open_document::file_name;
use crate::work::settings::{KeySettings, keys};
use base::declared::TS;

/// Keys that were read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ImportedKeys {
    /// The name of the file.
    pub name: String,
    /// The keys.
    pub keys: KeySettings,
    /// The entries that were left out, and why.
    pub problems: Vec<String>,
}

/// The largest accepted file of keys, in bytes; a full one has about 10 KB.
const MAX_BYTES: u64 = 1 << 20;

#[allow(clippy::needless_pass_by_value, reason = "commands own their arguments")]
pub(super) fn export_keys(app: &App, keys: KeySettings) -> Result<Option<String>> {
    let choice = FileChoice { title: "Export keys".into(), kind: "Keys", extensions: &["json"], several: false };
    let Some(target) = app.workspace.choose_target(&choice, "undertone-keys.json") else { return Ok(None) };
    check_target(&target.path, target.may_replace, &app.protected())?;
    let text = serde_json::to_string_pretty(&keys.checked()).map_err(|error| Error::Internal(error.to_string()))?;
    files::write(&target.path, target.may_replace, text.as_bytes())?;
    Ok(Some(file_name(&target.path)))
}

pub(super) fn import_keys(app: &App) -> Result<Option<ImportedKeys>> {
    let choice = FileChoice { title: "Import keys".into(), kind: "Keys", extensions: &["json"], several: false };
    let Some(path) = app.workspace.host.choose_open(&choice).into_iter().next() else { return Ok(None) };
    let bytes = files::read(&path, "file of keys", MAX_BYTES)?;
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| Error::malformed(format!("no JSON: {error}"), &path))?;
    let (keys, problems) = keys::read(&value);
    if keys.commands.is_empty() {
        let why = problems.first().cloned().unwrap_or_else(|| "It has no keys".to_owned());
        return Err(Error::impossible(format!("{} has no keys to import. {why}.", file_name(&path))));
    }
    Ok(Some(ImportedKeys { name: file_name(&path), keys, problems }))
}
