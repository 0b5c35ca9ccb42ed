//! Label tracks as Audacity exports them: a line for each label with start, end and name, separated by tabs. A line that
//! begins with a backslash adds the lowest and highest frequency of the label before it.
//!
//! Source: the Audacity manual, "Importing and Exporting Labels".

use std::fmt::Write;

use super::files::{Lines, Problem};
use super::{Marker, clock, on_one_line};
use base::units::SampleRate;

/// The frequency of an open side of a band.
const OPEN_HZ: f64 = -1.0;

/// Returns whether a text has labels of this form: the first line that is not empty begins with two numbers.
pub(super) fn is_labels(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut fields = first.split('\t');
    let mut number = || fields.next().filter(|field| !field.contains(':')).and_then(clock::seconds);
    number().is_some() && number().is_some()
}

/// Reads labels. Times are rounded to the nearest frame.
pub(super) fn read(text: &str, rate: SampleRate) -> Result<Vec<Marker>, Problem> {
    let mut markers: Vec<Marker> = Vec::new();
    for (number, line) in Lines::new(text) {
        if let Some(band) = line.strip_prefix('\\') {
            // The frequency of an open side is -1.
            let mut numbers = band.split('\t').filter(|field| !field.trim().is_empty());
            let mut hz = || numbers.next()?.trim().replace(',', ".").parse::<f64>().ok();
            let (low, high) = (hz(), hz());
            if let Some(last) = markers.last_mut() {
                last.band_hz = super::band(low, high).or(last.band_hz);
            }
            continue;
        }
        let mut fields = line.splitn(3, '\t');
        let mut time = || fields.next().and_then(|field| clock::frame(field, rate));
        let (Some(start), Some(end)) = (time(), time()) else {
            return Err(Problem::new(number, "Labels begin with two times in seconds, separated by tabs"));
        };
        markers.push(Marker::region(start.min(end), start.max(end), fields.next().unwrap_or_default().trim()));
        if markers.len() > super::MAX_MARKERS {
            break;
        }
    }
    Ok(markers)
}

/// Writes labels.
pub(super) fn write(markers: &[Marker], rate: SampleRate) -> String {
    let mut text = String::new();
    for marker in markers {
        let start = clock::with_microseconds(marker.start_frame, rate);
        let end = clock::with_microseconds(marker.end_frame.unwrap_or(marker.start_frame), rate);
        let _ = writeln!(text, "{start}\t{end}\t{}", on_one_line(&marker.name));
        if let Some(band) = marker.band_hz {
            let [low, high] = band.map(|hz| hz.unwrap_or(OPEN_HZ));
            let _ = writeln!(text, "\\\t{low:.6}\t{high:.6}");
        }
    }
    text
}
