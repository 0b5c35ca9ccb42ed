//! The sound that was cut or copied last.

use std::path::PathBuf;
use std::sync::Arc;

use crate::audio::AudioFile;
use crate::document::{Excerpt, OpenSource, Source};
use crate::error::Error;

/// The sound that was cut or copied, with its opened recordings.
#[derive(Debug)]
pub struct CopiedSound {
    /// The sound.
    pub excerpt: Excerpt,
    /// Its recordings.
    pub files: Vec<(Source, AudioFile)>,
}

impl CopiedSound {
    /// Creates the copy of a recording of one file.
    pub(in crate::window) fn of_file(excerpt: Excerpt, source: Source, file: AudioFile) -> Self {
        Self { excerpt, files: vec![(source, file)] }
    }

    /// Returns a function that opens its recordings.
    pub(in crate::window) fn opener(&self) -> OpenSource {
        let files: Vec<(PathBuf, AudioFile)> =
            self.files.iter().map(|(source, file)| (source.path.clone(), file.clone())).collect();
        Arc::new(move |source| match files.iter().find(|(path, _)| *path == source.path) {
            Some((_, file)) => file.reader(),
            None => Err(Error::NotFound { what: "recording", name: source.path.display().to_string() }),
        })
    }
}
