//! A document's state as bytes, and as a document when it is asked for.

use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use super::{Document, FrameRange};

/// The version of a state's JSON. States of later versions are refused, not guessed at. Version 1 knew one rack: it is
/// taken up as rack A, beside an empty rack B.
const VERSION: u32 = 2;

/// The first version there was.
const OLDEST: u32 = 1;

/// The compression level, of 1 to 9: higher ones save little for twice the time.
const PACKING: u32 = 3;

/// The most bytes a state's text may unpack to. A usual one has some kilobytes.
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

/// A state as it is stored.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// JSON, as the first version of the database has it.
    Text(String),
    /// The same, compressed.
    Packed(Vec<u8>),
}

/// A state of a document. One from the database is parsed when it is first looked at: a session holds thousands of
/// states, of which few are ever returned to.
#[derive(Clone, Debug)]
pub(super) struct State {
    stored: Option<Arc<Stored>>,
    parsed: OnceLock<Option<Arc<Document>>>,
}

impl State {
    /// The state that `document` is in.
    pub(super) fn new(document: Arc<Document>) -> Self {
        Self { stored: None, parsed: OnceLock::from(Some(document)) }
    }

    /// A state that is parsed when it is looked at.
    pub(super) fn of_stored(stored: Stored) -> Self {
        Self { stored: Some(Arc::new(stored)), parsed: OnceLock::new() }
    }

    /// The document; `None` if what is stored cannot be read.
    pub(super) fn document(&self) -> Option<&Arc<Document>> {
        let parse = || self.stored.as_ref().and_then(|stored| stored.document().ok()).map(Arc::new);
        self.parsed.get_or_init(parse).as_ref()
    }

    /// The state's compressed JSON, for the database.
    ///
    /// # Errors
    /// When the document cannot be written as JSON.
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
    /// The document, or why it cannot be read.
    pub(super) fn document(&self) -> Result<Document, String> {
        match self {
            Self::Text(text) => document_from_text(text),
            Self::Packed(packed) => {
                let mut text = String::new();
                let mut decoder = ZlibDecoder::new(packed.as_slice()).take(MAX_TEXT_BYTES);
                let read = decoder.read_to_string(&mut text);
                read.map_err(|error| format!("its packed state is damaged: {error}"))?;
                document_from_text(&text)
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
    let lengths: Vec<u64> = document.sources.iter().map(|source| source.summary.frames).collect();
    document.edits.check(&lengths).map_err(|error| error.to_string())?;
    Ok(document)
}
