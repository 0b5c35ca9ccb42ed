//! `undertone models`: which models files and folders contain.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::Outcome;
use super::output::Output;
use crate::error::{Error, Failure, Result};
use crate::models::{FoundModel, Model, find};
use crate::work::Directories;
use crate::work::settings::models;

/// Arguments of `models`.
#[derive(Debug, Args)]
pub struct Models {
    /// Weight files, folders with config.json, or folders with any of them [default: the folders of the window's Models
    /// page]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Model(&'a Model),
    Failed {
        #[serde(flatten, serialize_with = "crate::files::json::as_path")]
        path: &'a Path,
        error: Failure,
    },
}

pub fn run(words: &Models, output: &Output) -> Result<Outcome> {
    let paths =
        if words.paths.is_empty() { models::folders(&Directories::of_this_user()?)? } else { words.paths.clone() };
    if paths.is_empty() {
        return Err(Error::impossible(
            "No folders of models are chosen. Name files or folders, or choose a folder on the Models page of the window",
        ));
    }
    let found = find(&paths);
    for (path, error) in failures(&found) {
        output.note(&format!("undertone: {}: {}", path.display(), error.sentences()));
    }
    if output.is_json() {
        let rows: Vec<Row> = found.iter().map(row).collect();
        output.json(&serde_json::json!({ "models": rows }))?;
    } else {
        print(&found, output);
    }
    Ok(Outcome::of(failures(&found).next().is_some()))
}

fn failures(found: &[FoundModel]) -> impl Iterator<Item = (&Path, &Error)> {
    found.iter().filter_map(|found| Some((found.path.as_path(), found.model.as_ref().err()?)))
}

fn row(found: &FoundModel) -> Row<'_> {
    match &found.model {
        Ok(model) => Row::Model(model),
        Err(error) => Row::Failed { path: &found.path, error: Failure::from(error) },
    }
}

fn print(found: &[FoundModel], output: &Output) {
    for model in found.iter().filter_map(|found| found.model.as_ref().ok()) {
        output.line(&model.path.display().to_string());
        output.line(&format!("  model       {}", model.name));
        output.line(&format!("  parameters  {:.2} million", model.parameters as f64 / 1e6));
        output.line(&format!("  size        {:.1} MB", model.bytes as f64 / 1e6));
        output.line(&format!("  licence     {}", model.licence));
    }
}
