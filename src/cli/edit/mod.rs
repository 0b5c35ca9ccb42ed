//! `undertone edit`: cuts, moves and inserts parts of a recording, without the window.

pub mod arguments;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Outcome;
use super::interrupt::cancel_on_interrupt;
use super::options::{dither_for, file_format, lossy_settings};
use super::output::{Output, name};
use super::time::{frame_from_text, text_from_seconds};
use crate::audio::tags::in_words;
use crate::audio::{AudioFile, AudioFormat};
use crate::chain::{Placement, Seeking};
use crate::document::{
    Clip, Crossfade, Document, EditList, Excerpt, MixMeasurements, MixRender, OpenSource, SoundEdit, TrackChoice,
    source_of,
};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::library::answers::only_copies;
use crate::progress::Progress;
use crate::units::SampleRate;
use crate::work::Directories;
use crate::work::batch::targets::own_bits;
use crate::work::export::{self, ExportInput, ExportJob, ExportOutcome, ExportSettings, Tagging};
use arguments::{Edit, StepKind, StepWords};

pub fn run(words: &Edit, output: &Output) -> Result<Outcome> {
    let input = ExportInput::open(&words.input, &Permission::ANY)?;
    let (mut document, mut files) = input.document()?;
    if document.chosen().is_some() {
        // All tracks are edited alike, so that they stay in time.
        document.choose(TrackChoice::Sum)?;
    }
    let rate = document.format()?.rate;
    if !(0.0..=10.0).contains(&words.crossfade) {
        return Err(Error::invalid("--crossfade", words.crossfade.to_string(), "0 to 10 seconds"));
    }
    let crossfade = Crossfade { frames: rate.frames_from_seconds(words.crossfade), shape: words.shape };
    for step in &words.steps.0 {
        document = edited(&document, step, crossfade, &mut files)?;
    }
    let directories = Directories::of_this_user()?;
    let read: Vec<PathBuf> = document.sources.iter().map(|source| source.path.clone()).collect();
    let open: OpenSource = Arc::new(move |source| match files.get(&source.path) {
        Some(file) => file.reader(),
        None => Err(Error::NotFound { what: "recording", name: source.path.display().to_string() }),
    });
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    let _bar = output.follow(&name(&words.output), &progress[0]);
    let (placement, measured) = (Placement::cpu(), MixMeasurements::default());
    let (measures, seeking) = (Some(&progress[0]), Seeking::Exact);
    let how = MixRender { placement: &placement, measured: &measured, seeking, measures };
    let job = ExportJob {
        source: document.whole_reader(&open, &how)?,
        // A project goes through its chain, as in `process`.
        chain: document.whole_chain().clone(),
        placement: placement.clone(),
        settings: settings(words, &input, document.format()?)?,
        target: words.output.clone(),
        overwrite: words.overwrite,
        inputs: export::protected(std::slice::from_ref(&words.input))
            .with(read)
            .guarded(only_copies(directories.data())),
        tags: Tagging { done: document.processing()?, ..Tagging::from(input.tags().clone()) },
        markers: document.markers.list(),
    };
    let outcome = export::export(job, &progress[0])?;
    say(words, &outcome, output)?;
    Ok(Outcome::Done)
}

/// Returns a document after a step.
fn edited(
    document: &Document,
    step: &StepWords,
    crossfade: Crossfade,
    files: &mut BTreeMap<PathBuf, AudioFile>,
) -> Result<Document> {
    let rate = document.format()?.rate;
    let frames = document.frames();
    let option = |name: &str| format!("--{name}");
    let mut now = document.clone();
    now.selection = None;
    let mut cursor = 0;
    let mut copied = None;
    let edit = match step.kind {
        StepKind::Cut | StepKind::Trim | StepKind::Silence | StepKind::Duplicate | StepKind::Reverse => {
            let (word, edit) = match step.kind {
                StepKind::Trim => ("trim", SoundEdit::Trim),
                StepKind::Silence => ("silence", SoundEdit::Silence),
                StepKind::Duplicate => ("duplicate", SoundEdit::Duplicate),
                StepKind::Reverse => ("reverse", SoundEdit::Reverse),
                _ => ("cut", SoundEdit::Delete),
            };
            now.selection = Some(range(&option(word), &step.value, rate, frames)?.into());
            edit
        }
        StepKind::Insert => {
            let (path, at) = place("--insert", &step.value, rate, frames)?;
            cursor = at;
            copied = Some(whole_file(Path::new(path), files)?);
            SoundEdit::Paste
        }
        StepKind::InsertSilence => {
            let (length, at) = place("--insert-silence", &step.value, rate, frames)?;
            cursor = at;
            SoundEdit::InsertSilence { frames: frame_from_text("--insert-silence", length, rate)? }
        }
        StepKind::Move => {
            let (part, to) = place("--move", &step.value, rate, frames)?;
            now.selection = Some(range("--move", part, rate, frames)?.into());
            SoundEdit::Move { to }
        }
    };
    Ok(now.edited(edit, cursor, copied.as_ref(), crossfade)?.document)
}

/// Returns a recording as a copy that can be pasted.
fn whole_file(path: &Path, files: &mut BTreeMap<PathBuf, AudioFile>) -> Result<Excerpt> {
    let file = AudioFile::open(path)?;
    let source = source_of(&file)?;
    let (format, frames) = (source.summary.format, source.summary.frames);
    let markers = file.markers().clone();
    files.insert(source.path.clone(), file);
    Ok(Excerpt {
        format,
        sources: vec![source],
        edits: EditList { clips: vec![Clip::whole(0, frames)] },
        markers,
        channels: None,
    })
}

/// Parses `A..B`.
fn range(option: &str, text: &str, rate: SampleRate, frames: u64) -> Result<Range<u64>> {
    let refuse = |allowed: String| Err(Error::invalid(option, text, allowed));
    let Some((from, to)) = text.split_once("..") else {
        return refuse("a range such as 1.5..2:03".into());
    };
    let (start, end) = (frame_from_text(option, from, rate)?, frame_from_text(option, to, rate)?);
    if start >= end || end > frames {
        let length = text_from_seconds(rate.seconds_from_frames(frames));
        return refuse(format!("a start before its end, up to {length}, the end of the recording"));
    }
    Ok(start..end)
}

/// Parses `...@T`.
fn place<'a>(option: &str, text: &'a str, rate: SampleRate, frames: u64) -> Result<(&'a str, u64)> {
    let refuse = |allowed: String| Error::invalid(option, text, allowed);
    let (what, at) = text.rsplit_once('@').ok_or_else(|| refuse("a time after @, such as part.wav@1:30".into()))?;
    let at = frame_from_text(option, at, rate)?;
    if at > frames {
        let length = text_from_seconds(rate.seconds_from_frames(frames));
        return Err(refuse(format!("a time up to {length}, the end of the recording")));
    }
    Ok((what, at))
}

fn settings(words: &Edit, input: &ExportInput, audio: AudioFormat) -> Result<ExportSettings> {
    let format = file_format(words.format, &words.output)?;
    format.check_layout(audio)?;
    let info = input.info();
    let bits = words.bits.unwrap_or_else(|| own_bits(format, info.bits, &info.codec));
    let dither = dither_for(words.dither, format, bits);
    Ok(ExportSettings::plain(format, bits, dither, lossy_settings(&words.lossy, format)?))
}

fn say(words: &Edit, outcome: &ExportOutcome, output: &Output) -> Result<()> {
    let target = name(&outcome.target);
    for warning in outcome.warnings.iter().chain(&in_words(&outcome.changed_tags)) {
        output.note(&format!("undertone: {target}: {warning}"));
    }
    if outcome.clipped > 0 {
        output.note(&format!("undertone: {target}: {} samples clipped", outcome.clipped));
    }
    if output.is_json() {
        let mut json = serde_json::to_value(outcome).map_err(|error| Error::Internal(error.to_string()))?;
        if let Some(fields) = json.as_object_mut() {
            fields.insert("steps".to_owned(), words.steps.0.len().into());
        }
        return output.json(&json);
    }
    output.line(&format!(
        "{} -> {}  {} frames, {}, {} channels, {:.2} s",
        words.input.display(),
        outcome.target.display(),
        outcome.frames,
        outcome.format.rate,
        outcome.format.channels,
        outcome.seconds.total,
    ));
    Ok(())
}
