//! Recordings made by the program: generated signals, sound rendered by an edit, and stems.

use std::path::{Path, PathBuf};

use super::Workspace;
use crate::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use crate::audio::{AudioBuffer, AudioReader};
use crate::document::session::remove_unused;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::recording::free_names;
use crate::window::App;

/// The folder of these recordings in the data folder.
const FOLDER: &str = "Generated";
/// The number of frames written at once.
const BLOCK_FRAMES: usize = 1 << 16;

impl Workspace {
    /// Returns a unique path for a recording that is about to be made.
    pub(in crate::window) fn new_recording(&self, stem: &str) -> Result<PathBuf> {
        let folder = self.made_folder();
        std::fs::create_dir_all(&folder).map_err(|source| Error::io("make the folder", &folder, source))?;
        let mut session = self.session();
        for path in free_names(&folder, stem) {
            if session.make_file(&path)? {
                return Ok(path);
            }
        }
        Err(Error::Internal("no name is left for a recording".into()))
    }

    /// Frees the path of a recording that was not made.
    pub(in crate::window) fn no_recording(&self, path: &Path) {
        if let Err(error) = self.session().forget_file(path) {
            tracing::warn!("{error}");
        }
    }

    fn made_folder(&self) -> PathBuf {
        let folder = self.directories.data().join(FOLDER);
        std::path::absolute(&folder).unwrap_or(folder)
    }
}

impl App {
    /// Removes, in the background, files of earlier processes that are no longer needed.
    pub(in crate::window) fn remove_unused_recordings(&self) -> Result<()> {
        let files = self.workspace.session().earlier_files(&self.workspace.made_folder())?;
        if files.is_empty() {
            return Ok(());
        }
        let data = self.workspace.directories.data().to_path_buf();
        self.workspace.in_background("Removing unused recordings", move || match remove_unused(&data, &files) {
            Ok(removed) => removed.iter().for_each(|path| tracing::info!("{} was not needed any more", path.display())),
            Err(error) => tracing::warn!("{error}"),
        });
        Ok(())
    }
}

/// Writes a stream in full precision. On an error, no file is left.
pub(in crate::window) fn write(reader: &mut dyn AudioReader, path: &Path, progress: &Progress) -> Result<()> {
    let encode = EncodeSettings {
        format: FileFormat::Wav,
        sample: SampleFormat::Float32,
        dither: Dither::None,
        ..EncodeSettings::default()
    };
    let mut encoder = Encoder::create(path, &encode, reader.format(), false, &[])?;
    let mut block = AudioBuffer::default();
    progress.set_total(reader.frames());
    while reader.position() < reader.frames() {
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            return Err(Error::Internal("a stream ended before its length".into()));
        }
        encoder.write(&block)?;
        progress.advance(block.frames() as u64)?;
    }
    encoder.finish().map(drop)
}
