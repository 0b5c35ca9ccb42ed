//! The output of `fpcalc`.

use std::fmt::Write;

use super::compress;
use base::error::{Error, Result};

/// Output formats of `fpcalc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `DURATION=` in whole seconds and `FINGERPRINT=`; the default.
    Text,
    /// One object with `duration` and `fingerprint`; option `-json`.
    Json,
    /// Only the fingerprint; option `-plain`.
    Plain,
}

/// Returns what `fpcalc` prints for a file of `duration_s` seconds (the whole file, not only the processed part),
/// including line breaks. With `raw`, the items are separated by commas; otherwise they are compressed.
///
/// # Errors
/// [`Error::Invalid`] for a fingerprint without items, which `fpcalc` also refuses as empty.
pub fn printed(items: &[u32], duration_s: f64, format: Format, raw: bool) -> Result<String> {
    if items.is_empty() {
        return Err(Error::impossible("The recording is too short. A fingerprint needs 2.64 s of sound."));
    }
    let fingerprint = if raw { separated(items) } else { compress(items)? };
    Ok(match format {
        Format::Text => format!("DURATION={}\nFINGERPRINT={fingerprint}\n", milliseconds(duration_s) / 1000),
        Format::Json => {
            let seconds = milliseconds(duration_s) as f64 / 1000.0;
            if raw {
                format!("{{\"duration\": {seconds:.2}, \"fingerprint\": [{fingerprint}]}}\n")
            } else {
                format!("{{\"duration\": {seconds:.2}, \"fingerprint\": \"{fingerprint}\"}}\n")
            }
        }
        Format::Plain => format!("{fingerprint}\n"),
    })
}

/// Returns whole milliseconds, rounded down, the precision of durations in `fpcalc`.
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0 + 1e-6).floor() as u64
}

fn separated(items: &[u32]) -> String {
    let mut text = String::with_capacity(items.len() * 11);
    for (index, item) in items.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{item}");
    }
    text
}
