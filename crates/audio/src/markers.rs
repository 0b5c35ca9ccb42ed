//! Markers and regions: named places and ranges of a recording, in separate files and within audio files.
//!
//! | format | positions | ranges | read | written |
//! |---|---|---|---|---|
//! | Audacity labels | 1 us | yes | `.txt` | `.txt` |
//! | CSV | 1 us | yes | `.csv` | `.csv` |
//! | plain text | 1 ms | no | `.txt`, `.tsv` | `.tsv` |
//! | CUE sheet | 1/75 s | no | `.cue` | `.cue` |
//! | `cue ` and `LIST adtl` | frames below 2^32 | yes | WAV, RF64, BW64 | WAV, RF64 |
//! | loops of `smpl` | frames below 2^32 | yes | WAV, RF64, BW64 | |
//! | `MARK`, loops of `INST` | frames below 2^32 | yes | AIFF | |
//! | CUESHEET block | frames | no | FLAC | FLAC, up to 254 markers |
//! | comments `CHAPTER000` | 1 ms | no | FLAC, Ogg Vorbis, Opus | the same, up to 1000 markers |
//! | `ID3v2` CHAP | 1 ms | yes | MP3, AAC, WAV | MP3 |
//! | `chpl`, chapter track | 100 ns, ticks of the track | no | MP4 | |
//! | `Chapters` | 1 ns | yes | Matroska, `WebM` | |
//!
//! A position of 1 us is exact to the frame at every sample rate that is accepted.

pub(crate) mod aiff;
pub(crate) mod chapters;
mod clock;
pub(crate) mod collect;
mod cue_sheet;
mod files;
pub(crate) mod flac_cuesheet;
pub(crate) mod id3;
mod labels;
mod limits;
pub(crate) mod matroska;
pub(crate) mod mp4;
mod plain;
pub(crate) mod riff;
mod table;
mod timed;

pub use files::{LabelFormat, Labels, read_labels, write_labels};
pub use limits::file_limits;

use serde::{Deserialize, Serialize};

use base::units::SampleRate;

/// The maximum number of markers of a recording.
pub const MAX_MARKERS: usize = 65_536;
/// The maximum size of one text of a marker in bytes of UTF-8.
pub const MAX_TEXT_BYTES: usize = 4096;
/// The maximum size of all texts of a recording's markers in bytes.
pub const MAX_TEXTS_BYTES: usize = 8 << 20;

/// A named place of a recording, or with an end a region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// The frame at which it is, or begins.
    pub start_frame: u64,
    /// The frame after the region; `None` for a place.
    pub end_frame: Option<u64>,
    /// The name; may be empty.
    pub name: String,
    /// A comment. WAV, `ID3v2` and CSV have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Who performs there. CUE sheets and CSV have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub performer: String,
    /// The lowest and highest frequency of a spectral selection in Hz; `None` for a side that is open. Audacity and CSV
    /// have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band_hz: Option<[Option<f64>; 2]>,
}

impl Marker {
    /// Creates a marker of one place.
    pub fn point(start_frame: u64, name: impl Into<String>) -> Self {
        Self { start_frame, name: name.into(), ..Self::default() }
    }

    /// Creates a region. One without length is a place.
    pub fn region(start_frame: u64, end_frame: u64, name: impl Into<String>) -> Self {
        let end_frame = (end_frame > start_frame).then_some(end_frame);
        Self { start_frame, end_frame, name: name.into(), ..Self::default() }
    }
}

/// The markers of a recording, by their starts. Frames are those of the recording's sample rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Marker>", into = "Vec<Marker>")]
pub struct MarkerList {
    markers: Vec<Marker>,
    left_out: usize,
}

impl From<Vec<Marker>> for MarkerList {
    /// Sorts the markers by their starts; markers of one start keep their order. Texts are cut to [`MAX_TEXT_BYTES`],
    /// and markers beyond [`MAX_MARKERS`] or [`MAX_TEXTS_BYTES`] are left out.
    fn from(markers: Vec<Marker>) -> Self {
        let given = markers.len();
        let mut markers = limited(markers, |marker| marker);
        markers.sort_by_key(|marker| marker.start_frame);
        Self { left_out: given - markers.len(), markers }
    }
}

impl From<MarkerList> for Vec<Marker> {
    fn from(list: MarkerList) -> Self {
        list.markers
    }
}

impl std::ops::Deref for MarkerList {
    type Target = [Marker];

    fn deref(&self) -> &[Marker] {
        &self.markers
    }
}

impl MarkerList {
    /// Returns the number of markers that were left out because of the limits.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the markers of a part of a recording of `frames` frames, counted from the start of the part. A region is
    /// cut to the part. A place at the end of the part marks what comes after it, unless the recording ends there too.
    #[must_use]
    pub fn within(&self, part: std::ops::Range<u64>, frames: u64) -> Self {
        let inside = self.markers.iter().filter_map(|marker| {
            let start = marker.start_frame.max(part.start);
            let end = marker.end_frame.map(|end| end.min(part.end));
            let is_inside = match end {
                Some(end) => start < end,
                None => part.contains(&marker.start_frame) || marker.start_frame == part.end && part.end >= frames,
            };
            is_inside.then(|| Marker {
                start_frame: start - part.start,
                end_frame: end.map(|end| end - part.start),
                ..marker.clone()
            })
        });
        Self { markers: inside.collect(), left_out: 0 }
    }

    /// Returns the markers at another sample rate, at the nearest frames.
    #[must_use]
    pub fn at_rate(&self, from: SampleRate, to: SampleRate) -> Self {
        self.mapped(|frame| scaled(frame, u64::from(to.hz()), u64::from(from.hz())))
    }

    /// Returns the markers with each frame at its place in a time that runs the same way. A region that is left without
    /// length becomes a place.
    #[must_use]
    pub fn mapped(&self, to: impl Fn(u64) -> u64) -> Self {
        let markers = self.markers.iter().map(|marker| {
            let start_frame = to(marker.start_frame);
            let end_frame = marker.end_frame.map(&to).filter(|end| *end > start_frame);
            Marker { start_frame, end_frame, ..marker.clone() }
        });
        Self { markers: markers.collect(), left_out: 0 }
    }
}

/// Cuts the texts of markers to [`MAX_TEXT_BYTES`], and leaves out markers beyond [`MAX_MARKERS`] or [`MAX_TEXTS_BYTES`].
pub fn limited<T>(mut items: Vec<T>, marker: impl Fn(&mut T) -> &mut Marker) -> Vec<T> {
    items.truncate(MAX_MARKERS);
    let mut bytes = 0;
    let mut kept = items.len();
    for (index, item) in items.iter_mut().enumerate() {
        let Marker { name, note, performer, .. } = marker(item);
        for text in [name, note, performer] {
            cut(text);
            bytes += text.len();
        }
        if bytes > MAX_TEXTS_BYTES {
            kept = index;
            break;
        }
    }
    items.truncate(kept);
    items
}

/// Returns the band between two frequencies in Hz, in either order; `None` if neither is a frequency.
fn band(first: Option<f64>, second: Option<f64>) -> Option<[Option<f64>; 2]> {
    let [first, second] = [first, second].map(|hz| hz.filter(|hz| hz.is_finite() && *hz >= 0.0));
    match (first, second) {
        (None, None) => None,
        (Some(first), Some(second)) => Some([Some(first.min(second)), Some(first.max(second))]),
        open => Some([open.0, open.1]),
    }
}

/// Returns a warning about a number of things: `one`, or `more` with the number in place of `{}`.
pub fn by_number(count: usize, one: &str, more: &str) -> String {
    if count == 1 { one.to_owned() } else { more.replace("{}", &count.to_string()) }
}

/// Returns the warning about markers that are beyond the end of a recording.
pub fn beyond_the_end(count: usize) -> String {
    by_number(
        count,
        "1 marker was left out: it is beyond the end of the recording.",
        "{} markers were left out: they are beyond the end of the recording.",
    )
}

/// Returns `value * to / from`, rounded to the nearest integer and saturated.
pub(crate) fn scaled(value: u64, to: u64, from: u64) -> u64 {
    let from = u128::from(from.max(1));
    let scaled = (u128::from(value) * u128::from(to) + from / 2) / from;
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Cuts a text to [`MAX_TEXT_BYTES`], between characters, and removes zeros at its end.
fn cut(text: &mut String) {
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text.truncate(text.trim_end_matches('\0').len());
}

/// Returns a text that fits on one line: control characters become spaces.
fn on_one_line(text: &str) -> String {
    text.trim().chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
