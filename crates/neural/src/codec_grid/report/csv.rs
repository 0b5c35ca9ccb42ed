//! The cells of a grid as a CSV table, a row for each.

use crate::codec_grid::Results;
use crate::codec_grid::cell::ReadValue;
use base::error::{Error, Result};
use base::files::csv_text;

/// The columns before the measures.
const FIXED: [&str; 15] = [
    "path",
    "category",
    "codec",
    "family",
    "setting",
    "rate_hz",
    "channels",
    "duration_s",
    "coded_rate_hz",
    "bytes",
    "kbps",
    "latency_frames",
    "encode_speed",
    "decode_speed",
    "offset_s",
];

/// Returns the table. Infinite values are `inf`; missing values are empty.
pub fn csv(results: &Results) -> Result<Vec<u8>> {
    let internal = |error: csv::Error| Error::Internal(error.to_string());
    let measures = &results.grid.request.measures;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = FIXED.into_iter().chain(measures.iter().map(|measure| measure.name)).chain(["error"]);
    writer.write_record(head).map_err(internal)?;
    for cell in &results.cells {
        let (input, codec) = (&results.grid.inputs[cell.input], &results.grid.codecs[cell.codec]);
        let text = |text: &str| csv_text(text).into_owned();
        let mut row = vec![
            text(&input.path.to_string_lossy()),
            text(&input.category.to_string_lossy()),
            text(&codec.name()),
            text(codec.family()),
            text(codec.setting()),
        ];
        match &cell.outcome {
            Ok(measured) => {
                let in_place = measured.is_in_place.then_some(0.0);
                let offset = measured.alignment.map(|found| found.offset_s).or(in_place);
                let offset = offset.map(|seconds| seconds.to_string()).unwrap_or_default();
                row.extend([
                    measured.format.rate.hz().to_string(),
                    measured.format.channels.to_string(),
                    measured.duration_s.to_string(),
                    measured.coded_rate.hz().to_string(),
                    measured.bytes.to_string(),
                    measured.kbps.to_string(),
                    measured.latency_frames.to_string(),
                    measured.encode_speed().to_string(),
                    measured.decode_speed().to_string(),
                    offset,
                ]);
                row.extend(measures.iter().map(|measure| match measured.value(measure) {
                    Some(ReadValue::Number(number)) => number.to_string(),
                    Some(ReadValue::Infinite) => "inf".to_owned(),
                    _ => String::new(),
                }));
                row.push(String::new());
            }
            Err(failure) => {
                row.resize(FIXED.len() + measures.len(), String::new());
                row.push(text(&failure.message));
            }
        }
        writer.write_record(&row).map_err(internal)?;
    }
    writer.into_inner().map_err(|error| Error::Internal(error.to_string()))
}
