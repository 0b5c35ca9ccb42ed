//! CUE sheets, as CD burners and players read them. Each `TRACK` is a marker at its `INDEX 01`, with its `TITLE` and
//! `PERFORMER`. Positions are `mm:ss:ff` with 75 frames of a CD in a second. What stands before the first track is about
//! the album.
//!
//! Sources: the CDRWIN user's guide, appendix A, "CUE sheet commands"; for the remarks, sheets of Exact Audio Copy.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::files::{Lines, Problem};
use super::{Marker, on_one_line, scaled};
use base::units::SampleRate;

/// The frames of a CD in a second.
const CD_FRAMES: u64 = 75;
/// The largest number of tracks.
pub(super) const MAX_TRACKS: usize = 99;

/// What a sheet says.
pub(super) struct Sheet {
    /// The tracks of the first `FILE`. Positions in other files count from the start of each.
    pub markers: Vec<Marker>,
    /// Whether there are other files.
    pub has_more: bool,
    /// The tags of the album.
    pub tags: BTreeMap<String, String>,
}

/// Reads a sheet.
pub(super) fn read(text: &str, rate: SampleRate) -> Result<Sheet, Problem> {
    let (mut markers, mut tags) = (Vec::new(), BTreeMap::new());
    let mut track: Option<Track> = None;
    let mut files = 0;
    for (number, line) in Lines::new(text) {
        let (command, rest) = word(line.trim());
        match command.to_ascii_uppercase().as_str() {
            "FILE" => {
                files += 1;
                if files > 1 {
                    break;
                }
            }
            "TRACK" => {
                markers.extend(track.take().and_then(Track::finish));
                track = Some(Track::default());
            }
            "TITLE" => match &mut track {
                Some(track) => unquoted(rest).clone_into(&mut track.title),
                None => tag(&mut tags, &["ALBUM"], rest),
            },
            "PERFORMER" => match &mut track {
                Some(track) => unquoted(rest).clone_into(&mut track.performer),
                None => tag(&mut tags, &["ARTIST", "ALBUMARTIST"], rest),
            },
            "SONGWRITER" if track.is_none() => tag(&mut tags, &["COMPOSER"], rest),
            "REM" if track.is_none() => {
                let (name, rest) = word(rest);
                match name.to_ascii_uppercase().as_str() {
                    name @ ("DATE" | "GENRE" | "DISCNUMBER") => tag(&mut tags, &[name], rest),
                    "TOTALDISCS" => tag(&mut tags, &["DISCTOTAL"], rest),
                    _ => {}
                }
            }
            "INDEX" => {
                let (index, position) = word(rest);
                let (Ok(index), Some(cd_frame)) = (index.parse::<u32>(), cd_frame(position)) else {
                    return Err(Problem::new(number, "An index is a number and a position mm:ss:ff, with ff below 75"));
                };
                if let Some(track) = &mut track
                    && index == 1
                {
                    track.start = Some(scaled(cd_frame, u64::from(rate.hz()), CD_FRAMES));
                }
            }
            _ => {}
        }
        if markers.len() > super::MAX_MARKERS {
            break;
        }
    }
    markers.extend(track.and_then(Track::finish));
    if markers.is_empty() && files == 0 {
        return Err(Problem::new(1, "This is not a CUE sheet: it names no FILE and no TRACK with an INDEX 01"));
    }
    Ok(Sheet { markers, has_more: files > 1, tags })
}

/// Adds a text under these names, unless it is empty.
fn tag(tags: &mut BTreeMap<String, String>, names: &[&str], text: &str) {
    let text = unquoted(text).trim();
    let text = &text[..text.floor_char_boundary(super::MAX_TEXT_BYTES)];
    if !text.is_empty() {
        tags.extend(names.iter().map(|name| ((*name).to_owned(), text.to_owned())));
    }
}

/// A track being read.
#[derive(Default)]
struct Track {
    start: Option<u64>,
    title: String,
    performer: String,
}

impl Track {
    fn finish(self) -> Option<Marker> {
        let Self { start, title, performer } = self;
        Some(Marker { performer, ..Marker::point(start?, title) })
    }
}

/// Splits off the first word.
fn word(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    (first, rest.trim())
}

/// Returns the text in quotes, or all of it if it has none.
fn unquoted(text: &str) -> &str {
    let Some(text) = text.strip_prefix('"') else { return text };
    // Quotes cannot be escaped. A title with quotes ends at the last one.
    text.rsplit_once('"').map_or(text, |(inside, _)| inside)
}

/// Reads `mm:ss:ff`.
fn cd_frame(text: &str) -> Option<u64> {
    let mut parts = text.split(':').map(|part| part.trim().parse::<u32>().ok());
    let (minutes, seconds, frames) = (parts.next()??, parts.next()??, parts.next()??);
    (parts.next().is_none() && seconds < 60 && u64::from(frames) < CD_FRAMES)
        .then(|| (u64::from(minutes) * 60 + u64::from(seconds)) * CD_FRAMES + u64::from(frames))
}

/// Writes a sheet of the first [`MAX_TRACKS`] markers for an audio file of this name.
pub(super) fn write(markers: &[Marker], rate: SampleRate, audio: &str) -> String {
    let quoted = |text: &str| on_one_line(text).replace('"', "'");
    let extension = audio.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let kind = match extension.as_deref() {
        Some("mp3") => "MP3",
        Some("aif" | "aiff") => "AIFF",
        // Players take this for everything that they can decode.
        _ => "WAVE",
    };
    let mut text = String::new();
    let _ = writeln!(text, "FILE \"{}\" {kind}", quoted(audio));
    for (index, marker) in markers.iter().take(MAX_TRACKS).enumerate() {
        let _ = writeln!(text, "  TRACK {:02} AUDIO", index + 1);
        for (command, value) in [("TITLE", &marker.name), ("PERFORMER", &marker.performer)] {
            if !value.trim().is_empty() {
                let _ = writeln!(text, "    {command} \"{}\"", quoted(value));
            }
        }
        let position = scaled(marker.start_frame, CD_FRAMES, u64::from(rate.hz()));
        let (seconds, frames) = (position / CD_FRAMES, position % CD_FRAMES);
        let _ = writeln!(text, "    INDEX 01 {:02}:{:02}:{frames:02}", seconds / 60, seconds % 60);
    }
    text
}
