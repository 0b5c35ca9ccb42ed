//! Plain lists: a time and a name on each line, separated by a tab or spaces, such as `1:02:03.500<TAB>Chorus`.

use std::fmt::Write;

use super::files::{Lines, Problem};
use super::{Marker, clock, on_one_line};
use base::units::SampleRate;

/// Reads a list.
pub(super) fn read(text: &str, rate: SampleRate) -> Result<Vec<Marker>, Problem> {
    let mut markers = Vec::new();
    for (number, line) in Lines::new(text) {
        let line = line.trim();
        let (time, name) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let Some(start) = clock::frame(time, rate) else {
            return Err(Problem::new(number, "Lines begin with a time, such as 1:02:03.500, and a tab"));
        };
        markers.push(Marker::point(start, name.trim()));
        if markers.len() > super::MAX_MARKERS {
            break;
        }
    }
    Ok(markers)
}

/// Writes a list, with times to the nearest millisecond.
pub(super) fn write(markers: &[Marker], rate: SampleRate) -> String {
    let mut text = String::new();
    for marker in markers {
        let time = clock::hours(clock::milliseconds(marker.start_frame, rate), 1);
        let _ = writeln!(text, "{time}\t{}", on_one_line(&marker.name));
    }
    text
}
