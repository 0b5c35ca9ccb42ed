//! `undertone fingerprint`: computes Chromaprint fingerprints, as `fpcalc` does.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::Outcome;
use super::arguments::{Fingerprint, FingerprintFormat};
use super::output::{Output, name};
use super::time::text_from_seconds;
use crate::audio::AudioFile;
use crate::error::{Error, Failure, Result};
use crate::fingerprint::chromaprint::{Format, compress, printed};
use crate::progress::Progress;
use crate::work::file_analysis::chromaprint;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: &'a Path,
    #[serde(flatten)]
    result: FileResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileResult {
    Taken(Taken),
    Failed { error: Failure },
}

/// A fingerprint and the duration of the whole file.
#[derive(Serialize)]
struct Taken {
    duration_s: f64,
    /// The compressed text, or the items.
    fingerprint: Value,
    #[serde(skip)]
    items: Vec<u32>,
}

pub fn run(words: &Fingerprint, output: &Output) -> Result<Outcome> {
    if !(words.length >= 0.0 && words.length.is_finite()) {
        return Err(Error::invalid(
            "--length",
            words.length.to_string(),
            "a number of seconds, or 0 for the whole file",
        ));
    }
    let output = &output.with_json(output.is_json() || words.format == FingerprintFormat::Json);
    let mut reports = Vec::new();
    let mut any_failed = false;
    for path in &words.files {
        let result = match one(path, words, output) {
            Ok(taken) => FileResult::Taken(taken),
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", name(path)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        reports.push(Report { path, result });
    }
    if output.is_json() {
        output.json(&json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

fn one(path: &Path, words: &Fingerprint, output: &Output) -> Result<Taken> {
    let file = AudioFile::open(path)?;
    let progress = Progress::new();
    let items = {
        let _bar = output.follow(&name(path), &progress);
        chromaprint(&file, words.length, &progress)?
    };
    let info = file.info();
    let duration_s = info.audio.rate.seconds_from_frames(info.frames);
    // Refuses a recording that is too short, in any output format.
    let as_fpcalc = printed(&items, duration_s, Format::Text, words.raw)?;
    let fingerprint = if words.raw { json!(items) } else { json!(compress(&items)?) };
    let taken = Taken { duration_s, fingerprint, items };
    if !output.is_json() {
        match words.format {
            FingerprintFormat::Fpcalc => as_fpcalc.lines().for_each(|line| output.line(line)),
            FingerprintFormat::Text | FingerprintFormat::Json => print(path, &taken, words.raw, output)?,
        }
    }
    Ok(taken)
}

fn print(path: &Path, taken: &Taken, raw: bool, output: &Output) -> Result<()> {
    let text = printed(&taken.items, taken.duration_s, Format::Plain, raw)?;
    output.line(&path.display().to_string());
    output.line(&format!("  length       {}", text_from_seconds(taken.duration_s)));
    output.line(&format!("  items        {}", taken.items.len()));
    output.line(&format!("  fingerprint  {}", text.trim_end()));
    Ok(())
}
