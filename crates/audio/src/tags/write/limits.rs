//! What of the tags of a recording a written file does not hold.

use super::comments::{fits_block, is_name};
use super::{known, whole_tempo};
use crate::file_format::FileFormat;
use crate::tags::Tags;

/// What a file does not hold of some tags, in sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagLimits {
    /// What is not written.
    pub lost: Vec<String>,
    /// What is rounded, or written to where not every program looks.
    pub notes: Vec<String>,
}

/// Returns what a file of this format does not hold of `tags`.
pub fn limits_of(format: FileFormat, tags: &Tags) -> TagLimits {
    let mut limits = TagLimits::default();
    let is_vorbis = matches!(format, FileFormat::Flac | FileFormat::Vorbis | FileFormat::Opus);
    if is_vorbis {
        let names = tags.items.keys().filter(|name| !is_name(name));
        limits.lost.extend(names.map(|name| {
            format!("The tag `{name}` is not written: names of Vorbis comments are printable ASCII without `=`.")
        }));
    }
    if format == FileFormat::Flac && tags.pictures.iter().any(|picture| !fits_block(picture)) {
        limits.lost.push("A picture is not written: FLAC holds pictures of up to 16 MiB.".to_owned());
    }
    if format != FileFormat::Wav && !tags.chunks.is_empty() {
        let names: Vec<String> = tags.chunks.iter().map(|chunk| format!("`{}`", chunk.name())).collect();
        limits.lost.push(if names.len() == 1 {
            format!("The chunk {} is not written: only WAV holds it.", names[0])
        } else {
            format!("The chunks {} are not written: only WAV holds them.", names.join(", "))
        });
    }
    if !tags.not_kept.is_empty() {
        let names: Vec<&str> = tags.not_kept.iter().map(String::as_str).collect();
        limits.lost.push(format!("Not written of the recording's file: {}.", names.join(", ")));
    }
    if format == FileFormat::Wav {
        let in_info: Vec<&str> =
            known(tags).filter(|(field, ..)| !field.info.is_empty()).map(|(_, name, _)| name).collect();
        let only = tags.items.keys().filter(|name| !in_info.iter().any(|known| name.eq_ignore_ascii_case(known)));
        let mut only: Vec<&str> = only.map(String::as_str).collect();
        only.extend((!tags.pictures.is_empty()).then_some("the cover"));
        if !only.is_empty() {
            let only = only.join(", ");
            let note = format!("WAV holds {only} only in an ID3v2 chunk, which some programs do not read.");
            limits.notes.push(note);
        }
    }
    if !is_vorbis && let Some((tempo, whole)) = rounded_tempo(tags) {
        let name = if format == FileFormat::Mp3 { "MP3" } else { "WAV" };
        limits.notes.push(format!("{name} holds a tempo in whole beats per minute: {tempo} becomes {whole}."));
    }
    limits
}

/// Returns the tempo, and the whole number that an `ID3v2` tag holds of it, if they differ.
fn rounded_tempo(tags: &Tags) -> Option<(&str, String)> {
    let text = tags.items.get("BPM")?.values().next()?;
    let whole = whole_tempo(text)?;
    let differs = text.trim().replace(',', ".").parse::<f64>().ok()? != whole.parse::<f64>().ok()?;
    differs.then_some((text, whole))
}
