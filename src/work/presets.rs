//! Files of stored chains.

use std::path::Path;

use crate::chain::{Chain, json};
use crate::error::{Error, Result};
use crate::files;

/// The largest accepted preset file, in bytes; a chain is a few kilobytes of text.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a chain from a preset file.
pub fn read_chain(path: &Path) -> Result<Chain> {
    let bytes = files::read(path, "preset file", MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::malformed("This is not a preset", path))?;
    json::from_json(&text)
}
