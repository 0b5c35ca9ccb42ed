//! The JSON writer: `{"format": "undertone-library", "version": 1, "columns": [..], "tracks": [..]}`.

use std::io::{BufWriter, Write};

use serde::{Serialize, Serializer};

use super::{Output, TrackRow, columns, internal};
use base::error::Result;

/// The version of the document format.
const VERSION: u32 = 1;

/// Serialises a track as an object keyed by column names.
struct Named<'a>(&'a TrackRow);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(columns().iter().map(|column| column.name).zip(self.0.cells()))
    }
}

pub(super) fn write(output: &mut Output, tracks: &mut dyn Iterator<Item = Result<TrackRow>>) -> Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 18, output);
    let described = serde_json::to_string(columns()).map_err(internal)?;
    write!(
        writer,
        "{{\"format\": \"undertone-library\", \"version\": {VERSION}, \"columns\": {described}, \"tracks\": ["
    )
    .map_err(internal)?;
    for (index, track) in tracks.enumerate() {
        writer.write_all(if index == 0 { b"\n" } else { b",\n" }).map_err(internal)?;
        serde_json::to_writer(&mut writer, &Named(&track?)).map_err(internal)?;
    }
    writer.write_all(b"\n]}\n").map_err(internal)?;
    writer.flush().map_err(internal)
}
