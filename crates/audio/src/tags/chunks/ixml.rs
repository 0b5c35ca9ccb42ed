//! The XML of recorders on film sets, `iXML`.
//!
//! Only the texts of known elements are replaced: everything else keeps its bytes.
//!
//! Source: the iXML specification, revision 3.01 (2021).

use std::ops::Range;

use super::{Change, Channels, Cut, Encoding, Level, Mixed, Pitch, Tempo};

/// Times of the first frame since midnight, in a low and a high word.
const TIMES: [[&str; 2]; 2] = [
    ["TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO", "TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI"],
    ["BWF_TIME_REFERENCE_LOW", "BWF_TIME_REFERENCE_HIGH"],
];
/// Rates of the file.
const RATES: [&str; 2] = ["FILE_SAMPLE_RATE", "TIMESTAMP_SAMPLE_RATE"];
/// Measured values of loudness, as in `bext`.
const LOUDNESS: [&str; 5] = [
    "BWF_LOUDNESS_VALUE",
    "BWF_LOUDNESS_RANGE",
    "BWF_MAX_TRUE_PEAK_LEVEL",
    "BWF_MAX_MOMENTARY_LOUDNESS",
    "BWF_MAX_SHORT_TERM_LOUDNESS",
];

/// A replacement of bytes.
type Edit = (Range<usize>, Vec<u8>);

/// Changes the chunk with its sound. Returns `false` if it cannot be kept.
pub(super) fn change(data: &mut Vec<u8>, change: &mut Change<'_>) -> bool {
    let is_readable = find(data, b"<BWFXML", 0).is_some();
    let is_changed = change.by(&[Level, Cut, Mixed, Tempo, Pitch, Channels]);
    if !is_readable {
        // UTF-16, for example.
        let cause = is_changed.or((!change.keeps_times()).then_some(Cut));
        change.left_out.extend(cause.map(|cause| ("", cause)));
        return cause.is_none();
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut remove = |data: &[u8], name: &str| {
        let before = edits.len();
        edits.extend(elements(data, name).into_iter().map(|element| (element.whole, Vec::new())));
        edits.len() > before
    };
    if change.by(&[Encoding]).is_some() {
        remove(data, "AUDIO_BIT_DEPTH");
    }
    if let Some(cause) = change.by(&[Cut, Mixed, Tempo, Pitch]) {
        let is_other = ["FILE_UID", "BWF_UMID", "PRE_RECORD_SAMPLECOUNT"].map(|name| remove(data, name));
        change.left_out.extend(is_other.contains(&true).then_some(("UID", cause)));
    }
    if let Some(cause) = change.by(&[Level, Cut, Mixed, Channels]) {
        let is_measured = LOUDNESS.map(|name| remove(data, name)).contains(&true);
        change.left_out.extend(is_measured.then_some(("loudness", cause)));
    }
    if let Some(cause) = change.by(&[Channels, Mixed]) {
        let has_tracks = remove(data, "TRACK_LIST");
        change.left_out.extend(has_tracks.then_some(("tracks", cause)));
    }
    if !change.keeps_times() {
        times(data, change, &mut edits);
        sync_points(data, change, &mut edits);
    }
    if change.new_rate() != change.rate {
        for name in RATES {
            let rate = change.new_rate().hz().to_string();
            edits.extend(elements(data, name).into_iter().map(|element| (element.text, rate.clone().into_bytes())));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    // An element within one that is removed has no replacement of its own.
    edits.dedup_by(|next, before| next.0.start < before.0.end);
    let (mut out, mut at) = (Vec::with_capacity(data.len()), 0);
    for (range, new) in edits {
        out.extend_from_slice(&data[at..range.start]);
        out.extend_from_slice(&new);
        at = range.end;
    }
    out.extend_from_slice(&data[at..]);
    *data = out;
    true
}

fn times(data: &[u8], change: &mut Change<'_>, edits: &mut Vec<Edit>) {
    let mut is_lost = false;
    for names in TIMES {
        let [low, high] = names.map(|name| elements(data, name).into_iter().next());
        let Some(low) = low else { continue };
        let Some(time) = wide(data, &low, high.as_ref()) else { continue };
        let new = change.time_of_day(time);
        is_lost |= new.is_none() && time != 0;
        put_wide(new.unwrap_or(0), &low, high.as_ref(), edits);
    }
    if is_lost {
        change.left_out.push(("time stamp", change.of_times()));
    }
}

fn sync_points(data: &[u8], change: &mut Change<'_>, edits: &mut Vec<Edit>) {
    let points = elements(data, "SYNC_POINT");
    let (mut kept, all) = (0, points.len());
    for point in points {
        let part = |name: &str| {
            elements(&data[point.text.clone()], name).into_iter().next().map(|element| element.moved(point.text.start))
        };
        let is_absolute =
            part("SYNC_POINT_TYPE").is_some_and(|kind| data[kind.text].trim_ascii().eq_ignore_ascii_case(b"ABSOLUTE"));
        let high = part("SYNC_POINT_HIGH");
        let Some((low, time)) =
            part("SYNC_POINT_LOW").and_then(|low| wide(data, &low, high.as_ref()).map(|time| (low, time)))
        else {
            kept += 1;
            continue;
        };
        let new = if is_absolute { Some(change.at_new_rate(time)) } else { change.moment(time) };
        match new {
            Some(new) => {
                kept += 1;
                put_wide(new, &low, high.as_ref(), edits);
            }
            None => edits.push((point.whole, Vec::new())),
        }
    }
    if kept < all {
        change.left_out.push(("sync points", change.of_times()));
        let counts = elements(data, "SYNC_POINT_COUNT").into_iter();
        edits.extend(counts.map(|count| (count.text, kept.to_string().into_bytes())));
    }
}

/// Returns a number of two words; the high one may be missing.
fn wide(data: &[u8], low: &Element, high: Option<&Element>) -> Option<u64> {
    let word = |element: &Element| {
        let text = std::str::from_utf8(&data[element.text.clone()]).ok()?.trim();
        text.parse::<u32>().ok().map(u64::from)
    };
    Some(high.map_or(Some(0), word)? << 32 | word(low)?)
}

fn put_wide(value: u64, low: &Element, high: Option<&Element>, edits: &mut Vec<Edit>) {
    let word = |value: u64| value.to_string().into_bytes();
    match high {
        Some(high) => {
            edits.push((low.text.clone(), word(value & 0xffff_ffff)));
            edits.push((high.text.clone(), word(value >> 32)));
        }
        None => edits.push((low.text.clone(), word(value.min(0xffff_ffff)))),
    }
}

/// An element: its bytes, and those of its text.
struct Element {
    whole: Range<usize>,
    text: Range<usize>,
}

impl Element {
    fn moved(self, by: usize) -> Self {
        let Self { whole, text } = self;
        Self { whole: whole.start + by..whole.end + by, text: text.start + by..text.end + by }
    }
}

/// Returns the elements of a name, without attributes, and not within one another.
fn elements(data: &[u8], name: &str) -> Vec<Element> {
    let (open, close) = (format!("<{name}>").into_bytes(), format!("</{name}>").into_bytes());
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = find(data, &open, at) {
        let text = start + open.len();
        let Some(end) = find(data, &close, text) else { break };
        at = end + close.len();
        found.push(Element { whole: start..at, text: text..end });
    }
    found
}

/// Returns the place of some bytes from `at` on.
fn find(data: &[u8], wanted: &[u8], at: usize) -> Option<usize> {
    let rest = data.get(at..)?;
    rest.windows(wanted.len()).position(|bytes| bytes == wanted).map(|place| at + place)
}
