//! The models of `stems`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arguments::Stems;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::error::{Error, Failure, Result};
use crate::models::{ModelKind, find};
use crate::stems::demucs::{Demucs, Options};
use crate::stems::{QuickSplit, Separation, StemKind};
use crate::work::Directories;
use crate::work::settings::models;

/// The split that needs no weights.
pub const QUICK: &str = "quick";

/// Returns the requested split with its stems: the named ones, or all of a model.
pub fn chosen(words: &Stems, named: Vec<StemKind>) -> Result<(Separation, Vec<StemKind>)> {
    if words.model == QUICK {
        let split = QuickSplit::of(&named)?;
        return Ok((split.into(), if named.is_empty() { split.stems().to_vec() } else { named }));
    }
    let path = Path::new(&words.model);
    if !path.exists() {
        let model = &words.model;
        return Err(Error::impossible(format!(
            "The model {model} is neither `quick` nor a file or folder that is there."
        )));
    }
    let model = Demucs::open_with(path, words.segment)?;
    let stems = if named.is_empty() { model.stems().to_vec() } else { named };
    let offsets = model.offsets(words.shifts, words.seed)?;
    let options = Options { overlap: words.overlap, transition_power: words.transition_power, offsets };
    model.check_options(&options)?;
    model.check_stems(&stems)?;
    Ok((Separation::Network { model: Arc::new(model), options }, stems))
}

/// Lists the quick split and the models in files and folders.
pub fn list(paths: &[PathBuf], output: &Output) -> Result<Outcome> {
    let folders = if paths.is_empty() { models::folders(&Directories::of_this_user()?)? } else { paths.to_vec() };
    let splits = QuickSplit::ALL.map(|split| split.stems().map(StemKind::name));
    let quick = serde_json::json!({ "name": QUICK, "rough": true, "needs_weights": false, "stems": splits });
    let mut rows = vec![quick];
    let mut lines = vec!["quick  rough; needs no weights".to_owned()];
    lines.extend(splits.map(|stems| format!("  {}", stems.join(","))));
    let mut any_failed = false;
    for found in find(&folders) {
        // Codecs do not split; a file that is not a model is reported only if it was named.
        let opened = match &found.model {
            Ok(model) if model.kind == ModelKind::Demucs => Demucs::open(&found.path),
            Err(error) if paths.contains(&found.path) => Err(Error::impossible(error.sentences())),
            _ => continue,
        };
        match opened {
            Ok(model) => {
                let stems: Vec<&str> = model.stems().iter().map(|stem| stem.name()).collect();
                let (path, kind) = (found.path.display().to_string(), ModelKind::Demucs);
                lines.push(format!("{path}  {}", kind.title()));
                lines.push(format!("  {}", stems.join(",")));
                rows.push(serde_json::json!({
                    "name": path, "kind": kind, "rough": false, "needs_weights": true, "stems": [stems],
                    "rate": model.rate(), "licence": kind.licence(),
                }));
            }
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", found.path.display()));
                let path = found.path.display().to_string();
                rows.push(serde_json::json!({ "name": path, "error": Failure::from(error) }));
            }
        }
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "models": rows }))?;
    } else {
        lines.iter().for_each(|line| output.line(line));
    }
    Ok(Outcome::of(any_failed))
}
