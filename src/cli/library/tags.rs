//! `undertone library tags`: writes what the analysis found into the tags of the originals, and undoes it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::arguments::{QueryWords, Tags, TagsCommand, WriteTags};
use super::question;
use crate::cli::Outcome;
use crate::cli::interrupt::cancel_on_interrupt;
use crate::cli::output::Output;
use crate::date::moment;
use crate::error::Result;
use crate::library::Library;
use crate::library::answers::{TagFile, TagOutcome, TagReport, TagWish, preview_tags, undo_tags, write_tags};
use crate::library::tags::{FileState, TagField};
use crate::progress::Progress;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_library")]
    library: &'a Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a [TagField]>,
    #[serde(flatten)]
    report: &'a TagReport,
    files: &'a [TagFile],
}

pub fn run(words: &Tags, library: &Library, output: &Output) -> Result<Outcome> {
    match &words.command {
        TagsCommand::Write(words) => write(words, library, output),
        TagsCommand::Undo(words) => undo(words.write, library, output),
        TagsCommand::List => list(library, output),
        TagsCommand::Forget(words) => {
            let (writer, _) = library.tag_writer()?;
            let files = writer.forget(words.write)?;
            if output.is_json() {
                output.json(&json!({ "forgotten": words.write, "files": files }))?;
            } else {
                output.line(&format!("write {}: {files} files can no longer be undone", words.write));
            }
            Ok(Outcome::Done)
        }
    }
}

fn write(words: &WriteTags, library: &Library, output: &Output) -> Result<Outcome> {
    let query = question(&QueryWords { words: words.query.words.clone() }, output)?;
    let fields = fields(&words.fields)?;
    let wish = TagWish {
        scope: query.into(),
        fields: fields.clone(),
        only_missing: words.only_missing,
        agreed: None,
        in_use: BTreeSet::new(),
    };
    let watched = progress();
    let progress = &watched[0];
    let mut files = Vec::new();
    let report = {
        let _bar = output.follow(if words.write { "writing tags" } else { "reading tags" }, progress);
        let tell = |file: TagFile| tell(file, &mut files, output);
        if words.write {
            write_tags(library, &wish, progress, tell)?
        } else {
            preview_tags(library, &wish, progress, tell)?
        }
    };
    finish(&report, Some(&fields), &files, library, output)?;
    if !words.write && report.counts.changes > 0 && !output.is_json() {
        output.note("Nothing was written. Add --write to write these tags.");
    }
    Ok(Outcome::of(report.counts.failed > 0 || report.cancelled))
}

fn undo(write: Option<i64>, library: &Library, output: &Output) -> Result<Outcome> {
    let watched = progress();
    let progress = &watched[0];
    let mut files = Vec::new();
    let report = {
        let _bar = output.follow("undoing", progress);
        undo_tags(library, write, &BTreeSet::new(), progress, |file| tell(file, &mut files, output))?
    };
    finish(&report, None, &files, library, output)?;
    Ok(Outcome::of(report.counts.failed > 0 || report.cancelled))
}

/// Returns the progress of a command. Ctrl+C cancels it until it is dropped.
fn progress() -> Arc<Vec<Progress>> {
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    progress
}

/// Returns the requested fields, each once and in order.
fn fields(words: &[String]) -> Result<Vec<TagField>> {
    if words.is_empty() {
        return Ok(TagField::USUAL.to_vec());
    }
    let mut fields = words.iter().map(|word| word.parse()).collect::<Result<Vec<TagField>>>()?;
    fields.sort_unstable();
    fields.dedup();
    Ok(fields)
}

/// Prints a file as soon as it is done, unless it needs no change; keeps it for JSON.
fn tell(file: TagFile, files: &mut Vec<TagFile>, output: &Output) {
    if output.is_json() {
        files.push(file);
        return;
    }
    let path = file.path.display();
    match file.outcome {
        TagOutcome::Unchanged => {}
        TagOutcome::Skipped => output.note(&format!("{path}: skipped, {}", file.reason.unwrap_or_default())),
        TagOutcome::Failed => {
            let failure = file.error.as_ref().map(|failure| failure.message.clone()).unwrap_or_default();
            output.note(&format!("undertone: {path}: {failure}"));
        }
        TagOutcome::Changes | TagOutcome::Written | TagOutcome::Restored => {
            output.line(&path.to_string());
            for change in &file.changes {
                let [old, new] = [&change.old, &change.new].map(|value| value.as_deref().unwrap_or("none"));
                output.line(&format!("  {:<22} {old} -> {new}", change.tag));
            }
            if let Some(reason) = file.reason {
                output.note(&format!("{path}: without the gain of its album, {reason}"));
            }
        }
    }
}

fn finish(
    report: &TagReport,
    fields: Option<&[TagField]>,
    files: &[TagFile],
    library: &Library,
    output: &Output,
) -> Result<()> {
    if output.is_json() {
        return output.json(&Report { library: &library.place().shown(), fields, report, files });
    }
    let recovered = report.recovered;
    if recovered.completed + recovered.given_up > 0 {
        output.note(&format!(
            "undertone: an earlier run was interrupted: {} of its files were complete, {} are as they were before",
            recovered.completed, recovered.given_up
        ));
    }
    if recovered.unreachable > 0 {
        output.note(&format!("undertone: {} files of an earlier run cannot be reached now", recovered.unreachable));
    }
    let counts = report.counts;
    let named = [
        (counts.changes, "to change"),
        (counts.written, "written"),
        (counts.restored, "restored"),
        (counts.unchanged, "unchanged"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
    ];
    let told: Vec<String> =
        named.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let told = if told.is_empty() { "no tracks".to_owned() } else { told.join(", ") };
    let undo = match report.write {
        Some(write) if fields.is_some() => format!(" (write {write}; `undertone library tags undo {write}` undoes it)"),
        _ => String::new(),
    };
    output.note(&format!("{told}{undo}"));
    if report.cancelled {
        output.note("undertone: cancelled; the files that are not listed are as they were");
    }
    Ok(())
}

fn list(library: &Library, output: &Output) -> Result<Outcome> {
    let writes = library.tag_writes()?;
    if output.is_json() {
        output.json(&json!({ "writes": writes }))?;
        return Ok(Outcome::Done);
    }
    for write in &writes {
        let undone = write.files.iter().filter(|file| file.state == FileState::Undone).count();
        let undone = if undone > 0 { format!(", {undone} of them undone") } else { String::new() };
        output.line(&format!(
            "{:>6} {}  {}  {} files{undone}, {} bytes kept for undo",
            write.id,
            moment(write.begun_at),
            write.fields,
            write.files.len(),
            write.kept_bytes
        ));
    }
    output.note(&format!("{} writes", writes.len()));
    Ok(Outcome::Done)
}
