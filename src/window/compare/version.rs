//! A version of the recording: its origin, and the facts known before it is compared.

use std::path::{Path, PathBuf};

use crate::audio::{AudioFile, AudioFormat};
use crate::document::ContentKey;
use crate::document::project::is_project;
use crate::error::{Error, Failure, Result};
use crate::playback::Side;
use crate::progress::Progress;
use crate::view::peaks::OpenReader;
use crate::window::editor::spectrograms::SpectrogramTiles;
use crate::window::excerpt;
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::DocumentId;

/// A row of the page.
pub struct Version {
    pub id: u32,
    pub name: String,
    /// The file; `None` for a document.
    pub path: Option<PathBuf>,
    pub opened: Result<Opened, Failure>,
}

/// A version that can be read.
#[derive(Clone)]
pub struct Opened {
    /// Opens a reader of the whole version.
    pub open: OpenReader,
    /// Identifies its sound.
    pub key: String,
    pub kind: String,
    pub format: AudioFormat,
    pub frames: u64,
    pub warnings: Vec<String>,
}

impl Version {
    /// Opens a file. A file that cannot be read becomes a version with its failure.
    pub fn of_file(id: u32, path: &Path) -> Self {
        Self {
            id,
            name: file_name(path),
            path: Some(path.to_path_buf()),
            opened: opened_file(path).map_err(Failure::from),
        }
    }

    /// Takes a document as it sounds now, through its rack. Later edits do not change the version.
    pub fn of_document(id: u32, name: String, document: DocumentId, sounds: &SpectrogramTiles) -> Self {
        let opened = sounds.whole(document, Side::Processed, &Progress::new()).and_then(|(key, open)| {
            let reader = open()?;
            let (format, frames) = (reader.format(), reader.frames());
            Ok(Opened { open, key, kind: String::new(), format, frames, warnings: Vec::new() })
        });
        Self { id, name, path: None, opened: opened.map_err(Failure::from) }
    }
}

fn opened_file(path: &Path) -> Result<Opened> {
    if is_project(path) {
        return Err(Error::impossible(
            "This is a project. Open it in the editor, then add it from the open documents.",
        ));
    }
    let file = AudioFile::open(path)?;
    let info = file.info();
    let (format, frames, kind) = (info.audio, info.frames, info.format.clone());
    let warnings = excerpt::warnings(&info.warnings);
    let key = ContentKey::of_file(path)?.as_str().to_owned();
    let open: OpenReader = std::sync::Arc::new(move || file.reader());
    Ok(Opened { open, key, kind, format, frames, warnings })
}
