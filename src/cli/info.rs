//! `undertone info`: shows the properties of files.

use std::path::Path;

use serde::Serialize;

use super::Outcome;
use super::arguments::Info;
use super::output::{Output, name};
use super::time::text_from_seconds;
use crate::audio::{AudioFile, FileInfo, Tags};
use crate::error::{Failure, Result};

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
    Read(Box<InfoJson>),
    Failed { error: Failure },
}

#[derive(Serialize)]
struct InfoJson {
    format: String,
    codec: String,
    bits: Option<u32>,
    rate: u32,
    channels: usize,
    frames: u64,
    duration_s: f64,
    bytes: u64,
    tags: Tags,
    warnings: Vec<String>,
}

pub fn run(words: &Info, output: &Output) -> Result<Outcome> {
    let mut reports = Vec::new();
    let mut any_failed = false;
    for path in &words.files {
        let result = match AudioFile::open(path) {
            Ok(file) => {
                if !output.is_json() {
                    print(path, file.info(), output);
                }
                read(file.info())
            }
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", name(path)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        reports.push(Report { path, result });
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

fn read(info: &FileInfo) -> FileResult {
    FileResult::Read(Box::new(InfoJson {
        format: info.format.clone(),
        codec: info.codec.clone(),
        bits: info.bits,
        rate: info.audio.rate.hz(),
        channels: info.audio.channels,
        frames: info.frames,
        duration_s: info.audio.rate.seconds_from_frames(info.frames),
        bytes: info.bytes,
        tags: info.tags.clone(),
        warnings: info.warnings.clone(),
    }))
}

fn print(path: &Path, info: &FileInfo, output: &Output) {
    let seconds = info.audio.rate.seconds_from_frames(info.frames);
    output.line(&path.display().to_string());
    output.line(&format!("  format    {}, {}", info.format, info.codec));
    output.line(&format!("  rate      {} Hz", info.audio.rate.hz()));
    output.line(&format!("  channels  {}", info.audio.channels));
    output.line(&format!("  length    {} ({} frames)", text_from_seconds(seconds), info.frames));
    output.line(&format!("  size      {} bytes", info.bytes));
    for (name, value) in &info.tags.items {
        output.line(&format!("  {:<9} {value}", name.to_lowercase()));
    }
    for picture in &info.tags.pictures {
        output.line(&format!("  picture   {}, {} bytes", picture.mime, picture.data.len()));
    }
    for warning in &info.warnings {
        output.note(&format!("  warning   {warning}"));
    }
}
