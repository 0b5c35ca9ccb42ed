//! M3U in UTF-8: `#EXTINF:SECONDS,ARTIST - TITLE` before each file.

use std::io::{self, Write};

use super::{Entry, Places};

pub(super) fn write(output: &mut dyn Write, entries: &[Entry], places: &Places) -> io::Result<()> {
    writeln!(output, "#EXTM3U")?;
    for entry in entries {
        // -1 says that the length is not known.
        let seconds =
            entry.duration_s.filter(|seconds| seconds.is_finite()).map_or(-1, |seconds| seconds.round() as i64);
        writeln!(output, "#EXTINF:{seconds},{}", on_a_line(&heading(entry)))?;
        writeln!(output, "{}", places.as_line(&entry.path))?;
    }
    Ok(())
}

/// A text on one line: control characters become spaces.
fn on_a_line(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// Title and artist of an entry, as far as they are known; otherwise the name of its file.
fn heading(entry: &Entry) -> String {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    match (filled(&entry.artist), filled(&entry.title)) {
        (Some(artist), Some(title)) => format!("{artist} - {title}"),
        (None, Some(title)) => title,
        _ => entry.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}
