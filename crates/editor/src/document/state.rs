//! A document's state: stored bytes, parsed to a document on demand.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use super::{Document, FrameRange};

/// The version of the JSON format of states. States of later versions are refused. Version 1 had a single rack, which
/// is loaded as rack A beside an empty rack B; version 2 had no markers; version 3 had one track.
const VERSION: u32 = 4;

/// The oldest supported version.
const OLDEST: u32 = 1;

/// The compression level, 1 to 9. Higher levels save little space for twice the time.
const PACKING: u32 = 3;

/// The maximum decompressed size of a state in bytes. A usual state has a few kilobytes.
const MAX_TEXT_BYTES: u64 = 64 << 20;

#[derive(Serialize)]
struct StateOut<'a> {
    version: u32,
    #[serde(flatten)]
    document: &'a Document,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// A stored state.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// JSON, as in the first version of the database.
    Text(String),
    /// Compressed JSON.
    Packed(Vec<u8>),
}

/// A state of a document. A state from the database is parsed on first use, because a session has thousands of states,
/// few of which are used again.
#[derive(Clone, Debug)]
pub(super) struct State {
    stored: Option<Arc<Stored>>,
    parsed: OnceLock<Option<Arc<Document>>>,
}

impl State {
    /// Creates the state of `document`.
    pub(super) fn new(document: Arc<Document>) -> Self {
        Self { stored: None, parsed: OnceLock::from(Some(document)) }
    }

    /// Creates a state that is parsed on first use.
    pub(super) fn of_stored(stored: Stored) -> Self {
        Self { stored: Some(Arc::new(stored)), parsed: OnceLock::new() }
    }

    /// Returns the document; `None` if the stored state cannot be read.
    pub(super) fn document(&self) -> Option<&Arc<Document>> {
        let parse = || self.stored.as_ref().and_then(|stored| stored.document().ok()).map(Arc::new);
        self.parsed.get_or_init(parse).as_ref()
    }

    /// Keeps a document that is equal to its own, in its place.
    pub(super) fn hold(&mut self, document: Arc<Document>) {
        self.parsed = OnceLock::from(Some(document));
    }

    /// Returns the state as compressed JSON for the database.
    pub(super) fn packed(&self) -> std::io::Result<Vec<u8>> {
        match self.stored.as_deref() {
            Some(Stored::Packed(packed)) => Ok(packed.clone()),
            Some(Stored::Text(text)) => pack(text),
            None => {
                let document = self.document().ok_or(std::io::ErrorKind::InvalidData)?;
                pack(&serde_json::to_string(&StateOut { version: VERSION, document })?)
            }
        }
    }
}

impl Stored {
    /// Parses the document, or returns the reason why it cannot be read.
    pub(super) fn document(&self) -> Result<Document, String> {
        document_from_text(&self.text()?)
    }

    /// Returns the JSON, or the reason why it cannot be read.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, String> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::Packed(packed) => {
                let mut text = String::new();
                let mut decoder = ZlibDecoder::new(packed.as_slice()).take(MAX_TEXT_BYTES);
                let read = decoder.read_to_string(&mut text);
                read.map_err(|error| format!("its packed state is damaged: {error}"))?;
                Ok(Cow::Owned(text))
            }
        }
    }
}

fn pack(text: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(PACKING));
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

fn document_from_text(text: &str) -> Result<Document, String> {
    let Version { version } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(format!("its format {version} is not known to this version of the program"));
    }
    let mut document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let frames = document.frames();
    document.selection = document
        .selection
        .map(|range| FrameRange { start: range.start.min(frames), end: range.end.min(frames) })
        .filter(|range| range.start < range.end);
    document.markers = document.markers.fitted(frames);
    document.edits.check(&document.source_frames()).map_err(|error| error.to_string())?;
    document.check_tracks().map_err(|error| error.to_string())?;
    document.fit_channels();
    Ok(document)
}
