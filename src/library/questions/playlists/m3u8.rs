//! M3U in UTF-8: `#EXTINF:SECONDS,ARTIST - TITLE` before each file.

use std::io::{self, Write};

use super::{Entry, Places, heading, line, on_a_line};

pub(super) fn write(output: &mut dyn Write, entries: &[Entry], places: &Places) -> io::Result<()> {
    line(output, "#EXTM3U")?;
    for entry in entries {
        // -1 says that the length is not known.
        let seconds =
            entry.duration_s.filter(|seconds| seconds.is_finite()).map_or(-1, |seconds| seconds.round() as i64);
        line(output, &format!("#EXTINF:{seconds},{}", on_a_line(&heading(entry))))?;
        line(output, &places.as_line(&entry.path))?;
    }
    Ok(())
}
