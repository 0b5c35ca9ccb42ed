//! `undertone markers`: shows the markers of a recording, writes them to a separate file, or copies the recording with
//! others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::Outcome;
use super::arguments::Markers as Words;
use super::interrupt::cancel_on_interrupt;
use super::options::file_format;
use super::output::{Output, name};
use super::time::text_from_seconds;
use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::audio::markers::{LabelFormat, Labels, beyond_the_end, read_labels, write_labels};
use crate::audio::{AudioFile, Marker, MarkerList, is_lossless, marker_copy};
use crate::chain::{Chain, Placement};
use crate::document::{Document, DocumentMarkers, Project, project};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::{self, Protected};
use crate::library::answers::only_copies;
use crate::progress::Progress;
use crate::units::SampleRate;
use crate::work::Directories;
use crate::work::batch::targets::own_bits;
use crate::work::export::{self, ExportInput, ExportJob, ExportSettings};

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_input")]
    input: &'a Path,
    rate: u32,
    frames: u64,
    markers: Vec<MarkerJson>,
    /// The file that was written, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<MarkedFile>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct MarkerJson {
    #[serde(flatten)]
    marker: Marker,
    start_s: f64,
    end_s: Option<f64>,
}

#[derive(Serialize)]
struct MarkedFile {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: PathBuf,
    method: Method,
}

/// How a recording was written with other markers.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    /// Markers alone were written.
    Labels,
    /// The audio was copied byte for byte.
    Copied,
    /// The audio was encoded in a lossless format, with every sample unchanged.
    EncodedExactly,
    /// A project was written.
    Project,
}

pub fn run(words: &Words, output: &Output) -> Result<Outcome> {
    let input = ExportInput::open(&words.input, &Permission::ANY)?;
    let rate = input.format().rate;
    let mut warnings: Vec<String> = input.warnings().map(str::to_owned).collect();
    let markers = match &words.import {
        Some(labels) => {
            let Labels { markers: list, warnings: told, .. } = read_labels(labels, rate)?;
            warnings.extend(told);
            let inside = list.within(0..input.frames(), input.frames());
            if inside.len() < list.len() {
                warnings.push(beyond_the_end(list.len() - inside.len()));
            }
            inside
        }
        None => input.markers(),
    };
    let mut written = None;
    if let Some(target) = &words.output {
        let read = [Some(words.input.clone()), words.import.clone()].into_iter().flatten();
        let directories = Directories::of_this_user()?;
        let protected = export::protected(std::slice::from_ref(&words.input))
            .with(read.collect::<Vec<_>>())
            .guarded(only_copies(directories.data()));
        let (method, told) = match input.recording() {
            Some(file) => write_recording(file, &markers, target, words.overwrite, protected, output)?,
            None => (write_project(words, &markers, target, protected)?, Vec::new()),
        };
        warnings.extend(told);
        written = Some(MarkedFile { output: target.clone(), method });
    } else if let Some(target) = &words.export {
        let (text, told) = write_labels(&markers, LabelFormat::of_path(target)?, rate, &name(&words.input))?;
        warnings.extend(told);
        write_text(words, target, &text)?;
        written = Some(MarkedFile { output: target.clone(), method: Method::Labels });
    }
    say(words, &input, &markers, written, warnings, output)?;
    Ok(Outcome::Done)
}

fn write_text(words: &Words, target: &Path, text: &str) -> Result<()> {
    files::check_target(target, words.overwrite, &Protected::new([&words.input]))?;
    files::write(target, words.overwrite, text.as_bytes())
}

/// Writes the project with markers, as one step of its history.
fn write_project(words: &Words, markers: &MarkerList, target: &Path, protected: Protected) -> Result<Method> {
    if !project::is_project(target) {
        return Err(Error::impossible(
            "A project with other markers is written to a project. Give the output the extension .undertone, or render it \
             by `undertone process`.",
        ));
    }
    let Project { mut history, place, .. } = project::read(&words.input)?;
    let with_history = history.steps().0.len() > 1;
    let changed = Document { markers: DocumentMarkers::from(markers), ..history.document().clone() };
    history.apply("Import markers", None, changed);
    project::write(target, words.overwrite, protected, &history, place, with_history)?;
    Ok(Method::Project)
}

/// Writes the recording with markers: by a copy if the output has the input's format, otherwise encoded in a lossless
/// format. Returns the warnings, too.
fn write_recording(
    file: &AudioFile,
    markers: &MarkerList,
    target: &Path,
    overwrite: bool,
    protected: Protected,
    output: &Output,
) -> Result<(Method, Vec<String>)> {
    let format = file_format(None, target)?;
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    let _bar = output.follow(&name(target), &progress[0]);
    if marker_copy::own_format(file) == Some(format) {
        let (_, warnings) = marker_copy::copy(file, markers, target, overwrite, protected, &progress[0])?;
        return Ok((Method::Copied, warnings));
    }
    let info = file.info();
    let bits = own_bits(format, info.bits, &info.codec);
    if !holds_exactly(format, bits, file) {
        let problem = format!(
            "{} would not be copied exactly to {}. Choose an output with the extension of the input, or .wav; or encode it \
             by `undertone process` first.",
            info.codec,
            name(target)
        );
        return Err(Error::impossible(problem));
    }
    let job = ExportJob {
        source: file.reader()?,
        chain: Chain::default(),
        placement: Placement::cpu(),
        settings: ExportSettings {
            format,
            bits,
            dither: Dither::None,
            range: None,
            rate: None,
            tail: false,
            lossy: LossySettings::default(),
            gain_db: 0.0,
            markers: true,
            loudness: None,
        },
        target: target.to_path_buf(),
        overwrite,
        inputs: protected,
        tags: info.tags.clone().into(),
        markers: markers.clone(),
    };
    let outcome = export::export(job, &progress[0])?;
    Ok((Method::EncodedExactly, outcome.warnings))
}

/// Returns whether a lossless format has every sample of the recording. Samples of 32 bits and more, and those that a
/// lossy codec decodes to, are not integers of 24 bits.
fn holds_exactly(format: FileFormat, bits: SampleFormat, file: &AudioFile) -> bool {
    let info = file.info();
    // Samples are read as `f32`, which has 24 bits.
    let is_read_exactly =
        is_lossless(&info.codec) && info.bits.is_some_and(|depth| depth <= 24 || info.codec.contains("32 bit float"));
    !format.is_lossy() && is_read_exactly && info.bits.is_some_and(|depth| bits.bits() >= depth)
}

fn say(
    words: &Words,
    input: &ExportInput,
    markers: &MarkerList,
    written: Option<MarkedFile>,
    warnings: Vec<String>,
    output: &Output,
) -> Result<()> {
    for warning in &warnings {
        output.note(&format!("undertone: {}: {warning}", name(&words.input)));
    }
    let rate = input.format().rate;
    if output.is_json() {
        let shown = markers.iter().map(|marker| MarkerJson {
            start_s: rate.seconds_from_frames(marker.start_frame),
            end_s: marker.end_frame.map(|end| rate.seconds_from_frames(end)),
            marker: marker.clone(),
        });
        let frames = input.frames();
        let markers = shown.collect();
        return output.json(&Report { input: &words.input, rate: rate.hz(), frames, markers, written, warnings });
    }
    if let Some(MarkedFile { output: target, method }) = written {
        let how = match method {
            Method::Labels => "",
            Method::Copied => ", audio copied unchanged",
            Method::EncodedExactly => ", audio encoded without loss",
            Method::Project => ", recordings stay where they are",
        };
        output.line(&format!("{} -> {}  {} markers{how}", words.input.display(), target.display(), markers.len()));
        return Ok(());
    }
    markers.iter().for_each(|marker| output.line(&line(marker, rate)));
    Ok(())
}

/// Returns a marker as a line: start, end and name, separated by spaces.
fn line(marker: &Marker, rate: SampleRate) -> String {
    let time = |frame| text_from_seconds(rate.seconds_from_frames(frame));
    let end = marker.end_frame.map(|end| format!(" - {}", time(end))).unwrap_or_default();
    let line = format!("{}{end}  {}", time(marker.start_frame), marker.name);
    line.trim_end().to_owned()
}
