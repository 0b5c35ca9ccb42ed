//! `undertone split`: writes the parts of a recording to files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::Outcome;
use super::arguments::Split as Words;
use super::interrupt::cancel_on_interrupt;
use super::options::{dither_for, lossy_settings};
use super::output::{Output, name};
use super::time::{frame_from_text, text_from_seconds};
use crate::audio::encode::FileFormat;
use crate::audio::markers::{Labels, read_labels};
use crate::audio::tags::{ChangedTag, in_words};
use crate::audio::{MarkerList, TagChanges};
use crate::chain::{Chain, Placement};
use crate::document::FrameRange;
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::Protected;
use crate::library::answers::only_copies;
use crate::progress::Progress;
use crate::work::Directories;
use crate::work::batch::naming::{Template, TemplateValues};
use crate::work::batch::targets::{extension, number, own_bits};
use crate::work::export::{self, ExportInput, ExportJob, ExportSettings};
use crate::work::split::{Gate, SplitPart, at_frames, at_markers, at_regions, at_silence};

/// The names of the parts, if no template is given.
const NAMES: &str = "{number:02} {title}.{ext}";

#[derive(Serialize)]
struct PartFile {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: PathBuf,
    name: String,
    start_frame: u64,
    end_frame: u64,
    changed_tags: Vec<ChangedTag>,
    warnings: Vec<String>,
}

pub fn run(words: &Words, output: &Output) -> Result<Outcome> {
    let template = Template::parse(words.name.as_deref().unwrap_or(NAMES))?;
    if words.output.exists() && !words.output.is_dir() {
        return Err(Error::impossible(format!("The output is not a folder: {}", words.output.display())));
    }
    let input = ExportInput::open(&words.input, &Permission::ANY)?;
    let mut warnings: Vec<String> = input.warnings().map(str::to_owned).collect();
    let rate = input.format().rate;
    let (markers, album) = match &words.import {
        Some(labels) => {
            let Labels { markers, tags, warnings: told } = read_labels(labels, rate)?;
            warnings.extend(told);
            (markers.within(0..input.frames(), input.frames()), tags)
        }
        None => (input.markers(), BTreeMap::new()),
    };
    for warning in &warnings {
        output.note(&format!("undertone: {}: {warning}", name(&words.input)));
    }
    let looking = Arc::new(vec![Progress::new(), Progress::new()]);
    cancel_on_interrupt(&looking);
    let parts = tagged(parts(words, &input, &markers, &looking[0])?, &album);
    let is_flac = extension(None, &words.input) == FileFormat::Flac.extension();
    let format = words.format.unwrap_or(if is_flac { FileFormat::Flac } else { FileFormat::Wav });
    let targets = targets(words, &template, &input, &parts, format)?;
    let read = [Some(words.input.clone()), words.import.clone()].into_iter().flatten().collect::<Vec<_>>();
    let directories = Directories::of_this_user()?;
    let protected =
        export::protected(std::slice::from_ref(&words.input)).with(read).guarded(only_copies(directories.data()));
    let settings = settings(words, format, &input)?;
    let _bar = output.follow_with(&name(&words.input), {
        let (looking, total) = (
            Arc::clone(&looking),
            parts.iter().map(|TaggedPart { part, .. }| part.frames.end - part.frames.start).sum(),
        );
        move || (looking[1].snapshot().done, total)
    });
    let (mut written, mut told) = (Vec::new(), BTreeSet::new());
    for (part, target) in parts.iter().zip(targets) {
        looking[1].check()?;
        let job = Job { words, input: &input, markers: &markers, settings: &settings, protected: &protected };
        let done = job.write(part, target, &looking[1])?;
        // Most parts have the same to tell: what their format does not hold, and which tags change.
        for warning in
            done.warnings.iter().chain(&in_words(&done.changed_tags)).filter(|text| told.insert((*text).clone()))
        {
            output.note(&format!("undertone: {}: {warning}", name(&done.output)));
        }
        if !output.is_json() {
            let time = |frame| text_from_seconds(rate.seconds_from_frames(frame));
            let (start, end) = (time(done.start_frame), time(done.end_frame));
            output.line(&format!("{}  {start} - {end}", done.output.display()));
        }
        written.push(done);
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "input": words.input.to_string_lossy(), "parts": written }))?;
    }
    Ok(Outcome::Done)
}

fn parts(words: &Words, input: &ExportInput, markers: &MarkerList, progress: &Progress) -> Result<Vec<SplitPart>> {
    let (frames, rate) = (input.frames(), input.format().rate);
    match words.at.as_str() {
        "markers" => at_markers(markers, frames),
        "regions" => at_regions(markers, frames),
        "silence" => {
            if !(-200.0..=0.0).contains(&words.threshold) {
                return Err(Error::invalid("--threshold", words.threshold.to_string(), "-200 to 0 dBFS"));
            }
            let gate = Gate {
                threshold_db: words.threshold,
                gap_frames: frame_from_text("--gap", &words.gap, rate)?,
                padding_frames: frame_from_text("--padding", &words.padding, rate)?,
            };
            let mut reader = input.reader(&Placement::cpu(), &progress.uncounted())?;
            at_silence(reader.as_mut(), gate, progress)
        }
        times => {
            let starts: Result<Vec<u64>> =
                times.split(',').map(|time| frame_from_text("--at", time.trim(), rate)).collect();
            at_frames(&starts?, frames, rate)
        }
    }
}

/// Returns a target for each part. Those of one name are numbered.
fn targets(
    words: &Words,
    template: &Template,
    input: &ExportInput,
    parts: &[TaggedPart],
    format: FileFormat,
) -> Result<Vec<PathBuf>> {
    let mut targets = Vec::with_capacity(parts.len());
    for (index, TaggedPart { part, tags }) in parts.iter().enumerate() {
        let mut tags = tags.apply(input.tags());
        // The template falls back to the name of the input.
        if part.name.trim().is_empty() {
            tags.items.remove("TITLE");
        }
        let facts = TemplateValues {
            input: &words.input,
            folder: Path::new(""),
            number: index + 1,
            extension: format.extension(),
            tags: &tags,
        };
        targets.push(words.output.join(template.apply(&facts)?));
    }
    number(targets.iter_mut());
    Ok(targets)
}

/// A part, and the recording's tags that differ in it.
struct TaggedPart {
    part: SplitPart,
    tags: TagChanges,
}

/// Adds to each part its title, performer and numbers, and the tags of the album that a CUE sheet describes.
fn tagged(parts: Vec<SplitPart>, album: &BTreeMap<String, String>) -> Vec<TaggedPart> {
    let given =
        |name, text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(|text| (name, text.to_owned()));
    let count = parts.len();
    let with_tags = |(number, part): (usize, SplitPart)| {
        let own = given("TITLE", &part.name).into_iter().chain(given("ARTIST", &part.performer));
        // A total under another spelling would be that of the recording's album.
        let numbers =
            [("TRACKNUMBER", number.to_string()), ("TRACKTOTAL", count.to_string()), ("TOTALTRACKS", String::new())];
        let own = own.chain(numbers).map(|(name, text)| (name.to_owned(), text.into()));
        let album = album.iter().map(|(name, text)| (name.clone(), text.as_str().into()));
        TaggedPart { part, tags: TagChanges { items: album.chain(own).collect(), ..TagChanges::default() } }
    };
    (1..).zip(parts).map(with_tags).collect()
}

fn settings(words: &Words, format: FileFormat, input: &ExportInput) -> Result<ExportSettings> {
    let info = input.info();
    let bits = words.bits.unwrap_or_else(|| own_bits(format, info.bits, &info.codec));
    let dither = dither_for(None, format, bits);
    Ok(ExportSettings::plain(format, bits, dither, lossy_settings(&words.lossy, format)?))
}

/// Returns the markers without the performer of the one that names the part, which is the artist among its tags.
fn without_performer(markers: &MarkerList, part: &SplitPart) -> MarkerList {
    let markers = markers.iter().cloned().map(|mut marker| {
        if marker.start_frame == part.frames.start && marker.performer == part.performer {
            marker.performer.clear();
        }
        marker
    });
    markers.collect::<Vec<_>>().into()
}

/// The inputs and settings that the parts share.
struct Job<'a> {
    words: &'a Words,
    input: &'a ExportInput,
    markers: &'a MarkerList,
    settings: &'a ExportSettings,
    protected: &'a Protected,
}

impl Job<'_> {
    fn write(&self, TaggedPart { part, tags }: &TaggedPart, target: PathBuf, progress: &Progress) -> Result<PartFile> {
        let Self { words, input, markers, settings, protected } = self;
        let placement = Placement::cpu();
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        let range = FrameRange { start: part.frames.start, end: part.frames.end };
        let job = ExportJob {
            source: input.reader(&placement, &progress.uncounted())?,
            chain: input.chain(&Chain::default()),
            placement,
            settings: ExportSettings { range: Some(range), ..(*settings).clone() },
            target,
            overwrite: words.overwrite,
            inputs: (*protected).clone(),
            tags: input.tagging()?.with(tags.clone()),
            markers: without_performer(markers, part),
        };
        let outcome = export::export(job, progress)?;
        Ok(PartFile {
            output: outcome.target,
            name: part.name.clone(),
            start_frame: range.start,
            end_frame: range.end,
            changed_tags: outcome.changed_tags,
            warnings: outcome.warnings,
        })
    }
}
