//! Exports for other programs, under their names for fields.
//!
//! | | CSV | JSON |
//! |---|---|---|
//! | beets | a header of its item fields | an array of objects, one a line |
//! | Picard | a header of its tags and variables | an array of objects, one a line |
//! | `AcousticBrainz` | | an array of documents as Essentia's music extractor writes them, one a line |
//!
//! A field is written only if its definition is met; the `AcousticBrainz` documents have everything else under
//! `undertone`. Gains come from [`dsp::measure::replay_gain`].

mod acousticbrainz;
mod beets;
mod picard;

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

use super::{Format, Output, WrittenTracks, internal};
use crate::TrackRow;
use analysis::features::dimensions::index_of;
use base::error::{Error, Result};
use base::files::{SafeFile, csv_text};
use base::progress::Progress;

/// A program for which tracks can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// The music library beets.
    Beets,
    /// The tagger `MusicBrainz` Picard.
    Picard,
    /// Programs that read the low-level documents of `AcousticBrainz`.
    AcousticBrainz,
}

impl Program {
    /// All programs.
    pub const ALL: [Self; 3] = [Self::Beets, Self::Picard, Self::AcousticBrainz];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beets => "beets",
            Self::Picard => "picard",
            Self::AcousticBrainz => "acousticbrainz",
        }
    }

    /// Returns the formats of its exports.
    pub fn formats(self) -> &'static [Format] {
        match self {
            Self::Beets | Self::Picard => &[Format::Csv, Format::Json],
            Self::AcousticBrainz => &[Format::Json],
        }
    }

    /// Returns the names of the columns, for a program whose tracks are rows of a table.
    pub fn columns(self) -> Option<Vec<&'static str>> {
        let columns = match self {
            Self::Beets => beets::COLUMNS,
            Self::Picard => picard::COLUMNS,
            Self::AcousticBrainz => return None,
        };
        Some(columns.iter().map(|(name, _)| *name).collect())
    }
}

impl FromStr for Program {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|program| program.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::invalid("the program to export for", name, Self::ALL.map(Self::name).join(", ")))
    }
}

/// A track with all its tags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaggedTrack {
    /// The row.
    pub row: TrackRow,
    /// The tags of its file, named as in Vorbis comments.
    pub tags: BTreeMap<String, String>,
}

/// A column: its name, and its value for a track.
type Column = (&'static str, fn(&TaggedTrack) -> Value);

impl TaggedTrack {
    fn feature(&self, name: &str) -> Option<f64> {
        let value = index_of(name).and_then(|index| self.row.features.get(index).copied().flatten());
        value.filter(|value| value.is_finite())
    }

    fn loudness_lufs(&self) -> Option<f64> {
        self.feature("loudness_lufs")
    }

    /// Returns whether it has the gain of Opus files instead of `ReplayGain`'s.
    fn is_opus(&self) -> bool {
        self.codec() == "Opus"
    }

    /// Returns the codec without its details: "PCM", "FLAC", "MP3".
    fn codec(&self) -> &str {
        self.row.codec.as_deref().and_then(|codec| codec.split(' ').next()).unwrap_or_default()
    }

    fn tag(&self, name: &str) -> Value {
        self.tags.get(name).map_or(Value::Null, |text| text.as_str().into())
    }

    /// Returns the part of the path that `part` takes, as text; `null` if there is none.
    fn path_part(&self, part: fn(&Path) -> Option<&std::ffi::OsStr>) -> Value {
        part(Path::new(&self.row.path)).map_or(Value::Null, |part| part.to_string_lossy().into_owned().into())
    }
}

/// Returns a number rounded to `decimals`, or `null`.
fn rounded(value: Option<f64>, decimals: i32) -> Value {
    let scale = 10f64.powi(decimals);
    value.map_or(Value::Null, |value| ((value * scale).round() / scale).into())
}

/// Writes tracks for a program to `target`; otherwise like [`super::export`].
///
/// # Errors
/// [`Error::Invalid`] for a format that the program's export does not have.
pub fn export_for(
    target: &Path,
    (program, format): (Program, Format),
    tracks: impl Iterator<Item = Result<TaggedTrack>>,
    overwrite: bool,
    inputs: &[PathBuf],
    progress: &Progress,
) -> Result<WrittenTracks> {
    if !program.formats().contains(&format) {
        let allowed = program.formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(" or ");
        return Err(Error::invalid(format!("the format of an export for {}", program.name()), format.name(), allowed));
    }
    let mut output = Output { file: SafeFile::create(target, overwrite, inputs)?, failed: None };
    let mut count = 0;
    let mut tracks = tracks.map(|track| {
        progress.advance(1)?;
        count += 1;
        track
    });
    let columns = match program {
        Program::Beets => beets::COLUMNS,
        Program::Picard => picard::COLUMNS,
        Program::AcousticBrainz => &[],
    };
    let written = match (program, format) {
        (Program::AcousticBrainz, _) => lines(&mut output, tracks.map(|track| Ok(acousticbrainz::document(&track?)))),
        (_, Format::Csv) => table(&mut output, columns, &mut tracks),
        _ => lines(&mut output, tracks.map(|track| Ok(object(columns, &track?)))),
    };
    if let Some(failed) = output.failed.take() {
        return Err(failed);
    }
    written?;
    Ok(WrittenTracks { tracks: count, bytes: output.file.commit()? })
}

fn object(columns: &[Column], track: &TaggedTrack) -> Value {
    columns.iter().map(|(name, value)| ((*name).to_owned(), value(track))).collect::<serde_json::Map<_, _>>().into()
}

/// Writes an array with one value per line.
fn lines(output: &mut Output, values: impl Iterator<Item = Result<Value>>) -> Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 18, output);
    writer.write_all(b"[").map_err(internal)?;
    for (index, value) in values.enumerate() {
        writer.write_all(if index == 0 { b"\n" } else { b",\n" }).map_err(internal)?;
        serde_json::to_writer(&mut writer, &value?).map_err(internal)?;
    }
    writer.write_all(b"\n]\n").map_err(internal)?;
    writer.flush().map_err(internal)
}

fn table(output: &mut Output, columns: &[Column], tracks: &mut dyn Iterator<Item = Result<TaggedTrack>>) -> Result<()> {
    let mut writer =
        ::csv::WriterBuilder::new().buffer_capacity(1 << 18).terminator(::csv::Terminator::CRLF).from_writer(output);
    writer.write_record(columns.iter().map(|(name, _)| *name)).map_err(internal)?;
    for track in tracks {
        let track = track?;
        for (_, value) in columns {
            match value(&track) {
                Value::Null => writer.write_field(""),
                // Gains such as "-7.03 dB" would be behind an apostrophe, like formulas.
                Value::String(text) if is_gain(&text) => writer.write_field(&text),
                Value::String(text) => writer.write_field(csv_text(&text).as_bytes()),
                number => writer.write_field(number.to_string()),
            }
            .map_err(internal)?;
        }
        writer.write_record(None::<&[u8]>).map_err(internal)?;
    }
    writer.flush().map_err(internal)
}

/// Returns whether a text is a number with or without "dB", which no spreadsheet takes for a formula.
fn is_gain(text: &str) -> bool {
    text.strip_suffix(" dB").unwrap_or(text).parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests;
