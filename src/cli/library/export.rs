//! `undertone library export`: writes tracks and their features to a file.

use std::path::Path;

use serde::Serialize;

use super::arguments::Export;
use super::question;
use crate::cli::Outcome;
use crate::cli::output::{Output, name};
use crate::error::{Error, Result};
use crate::library::Library;
use crate::library::answers::{export_tracks, export_tracks_for};
use crate::library::questions::export::{Format, Program};
use crate::progress::Progress;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: &'a Path,
    tracks: u64,
    bytes: u64,
}

pub fn run(words: &Export, library: &Library, output: &Output) -> Result<Outcome> {
    let format = Format::of_path(&words.output).ok_or_else(|| {
        let extension = words.output.extension().map_or("nothing".into(), |extension| extension.to_string_lossy());
        Error::invalid("the output's extension", extension, Format::ALL.map(Format::name).join(", "))
    })?;
    let program = words.program.as_deref().map(str::parse::<Program>).transpose()?;
    let query = question(&words.query, output)?;
    let progress = Progress::new();
    let written = {
        let _bar = output.follow(&name(&words.output), &progress);
        match program {
            Some(program) => {
                let kind = (program, format);
                export_tracks_for(library, &query, &words.output, kind, words.overwrite, &progress)?
            }
            None => export_tracks(library, &query, &words.output, format, words.overwrite, &progress)?,
        }
    };
    if output.is_json() {
        output.json(&Report { output: &words.output, tracks: written.tracks, bytes: written.bytes })?;
    } else {
        output.line(&format!("{}  {} tracks, {} bytes", words.output.display(), written.tracks, written.bytes));
    }
    Ok(Outcome::Done)
}
