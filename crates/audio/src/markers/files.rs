//! Files of markers alone: labels, lists, tables and CUE sheets.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Marker, MarkerList, by_number, cue_sheet, labels, plain, table};
use crate::text::{utf8_or_latin1, utf16};
use base::error::{Error, Result};
use base::files;
use base::units::SampleRate;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A format of files of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelFormat {
    /// Audacity's labels (`.txt`).
    Audacity,
    /// Times and names (`.tsv`).
    Plain,
    /// A table (`.csv`).
    Csv,
    /// A CUE sheet (`.cue`).
    Cue,
}

impl LabelFormat {
    /// The extensions, without dots; the first is the one to suggest.
    pub const EXTENSIONS: [&str; 4] = ["txt", "tsv", "csv", "cue"];

    /// Returns the format of a file name's extension.
    pub fn of_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("txt") => Ok(Self::Audacity),
            Some("tsv") => Ok(Self::Plain),
            Some("csv") => Ok(Self::Csv),
            Some("cue") => Ok(Self::Cue),
            other => {
                let got = other.unwrap_or_default();
                Err(Error::invalid("extension of the file of markers", got, "txt (Audacity), tsv, csv or cue"))
            }
        }
    }
}

/// A problem with a text, and its line, from 1.
#[derive(Debug)]
pub(super) struct Problem {
    line: usize,
    what: &'static str,
}

impl Problem {
    pub(super) fn new(line: usize, what: &'static str) -> Self {
        Self { line, what }
    }
}

/// The lines of a text that are not empty, with their numbers from 1. Lines may end with a carriage return alone.
pub(super) struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
            let (line, after) = self.rest.split_at(end);
            self.rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
            self.number += 1;
            if !line.trim().is_empty() {
                return Some((self.number, line));
            }
        }
        None
    }
}

/// What a file of markers says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// The markers.
    pub markers: MarkerList,
    /// The tags of the album that a CUE sheet describes, named as in Vorbis comments; empty for other formats.
    pub tags: BTreeMap<String, String>,
    /// Human-readable warnings.
    pub warnings: Vec<String>,
}

/// Reads a file of markers for a recording of a sample rate. The format follows the extension; a `.txt` may have labels,
/// a plain list or a table. The text may be UTF-8, UTF-16 with a byte order mark, or else Latin-1.
///
/// # Errors
/// [`Error::Limit`] for a file of more than 16 MiB; [`Error::Malformed`], with the line, if its text cannot be read.
pub fn read_labels(path: &Path, rate: SampleRate) -> Result<Labels> {
    let format = LabelFormat::of_path(path)?;
    let bytes = files::read(path, "file of markers", MAX_BYTES)?;
    parse(&decoded(&bytes), format, rate)
        .map_err(|problem| Error::malformed(format!("Line {}: {}", problem.line, problem.what), path))
}

fn parse(text: &str, format: LabelFormat, rate: SampleRate) -> Result<Labels, Problem> {
    let (mut warnings, mut tags) = (Vec::new(), BTreeMap::new());
    let markers: Vec<Marker> = match format {
        LabelFormat::Audacity if labels::is_labels(text) => labels::read(text, rate)?,
        LabelFormat::Audacity | LabelFormat::Plain if table::is_tabbed(text) => table::read(text, rate)?,
        LabelFormat::Audacity | LabelFormat::Plain => plain::read(text, rate)?,
        LabelFormat::Csv => table::read(text, rate)?,
        LabelFormat::Cue => {
            let sheet = cue_sheet::read(text, rate)?;
            if sheet.has_more {
                warnings.push("The CUE sheet names several files. The tracks of the first one are read.".to_owned());
            }
            tags = sheet.tags;
            sheet.markers
        }
    };
    let list = MarkerList::from(markers);
    if list.left_out() > 0 {
        warnings.push(format!("{} or more markers were left out: {} are read.", list.left_out(), list.len()));
    }
    Ok(Labels { markers: list, tags, warnings })
}

fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, ..] => utf16(bytes, false),
        [0xfe, 0xff, ..] => utf16(bytes, true),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8_or_latin1(rest),
        _ => utf8_or_latin1(bytes),
    }
}

/// Returns the text of a file of markers, and human-readable warnings about what it cannot hold. `audio` is the name of
/// the recording, which a CUE sheet names.
pub fn write_labels(
    markers: &MarkerList,
    format: LabelFormat,
    rate: SampleRate,
    audio: &str,
) -> Result<(String, Vec<String>)> {
    let mut warnings = Vec::new();
    let regions = markers.iter().filter(|marker| marker.end_frame.is_some()).count();
    if regions > 0 && matches!(format, LabelFormat::Plain | LabelFormat::Cue) {
        warnings.push(by_number(
            regions,
            "The end of 1 region is not written: this format has places only.",
            "The ends of {} regions are not written: this format has places only.",
        ));
    }
    let text = match format {
        LabelFormat::Audacity => labels::write(markers, rate),
        LabelFormat::Plain => plain::write(markers, rate),
        LabelFormat::Csv => table::write(markers, rate)?,
        LabelFormat::Cue => {
            if markers.len() > cue_sheet::MAX_TRACKS {
                warnings.push(by_number(
                    markers.len() - cue_sheet::MAX_TRACKS,
                    "1 marker is not written: a CUE sheet has 99 tracks.",
                    "{} markers are not written: a CUE sheet has 99 tracks.",
                ));
            }
            cue_sheet::write(markers, rate, audio)
        }
    };
    Ok((text, warnings))
}
