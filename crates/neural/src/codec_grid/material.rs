//! The recordings of a grid, each read once for all of its cells.

#![allow(clippy::result_large_err, reason = "a failure is kept for each cell of a recording, not handed up")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::gate::{Gate, Pass};
use crate::codecs::Sound;
use analysis::compare::{Kept, MAX_SAMPLES};
use audio::AudioFile;
use base::error::{Error, Failure, Result};
use base::files::Stamp;
use base::lock::lock;
use base::progress::Progress;

/// The rate to which codecs convert lower ones at most, in Hz.
const USUAL_HZ: u32 = 48_000;

/// A recording, kept in memory while cells need it.
pub struct Recording {
    path: PathBuf,
    held: Mutex<Held>,
}

struct Held {
    /// The cells that still need it.
    cells: usize,
    opened: Option<std::result::Result<Opened, Failure>>,
    sound: Option<std::result::Result<Sound, Failure>>,
    /// The spectra that its comparisons share.
    kept: Arc<Kept>,
}

#[derive(Clone)]
struct Opened {
    file: AudioFile,
    stamp: Option<Stamp>,
}

/// The recording of a cell, with its share of memory.
pub struct Taken<'a> {
    pub sound: Sound,
    /// The spectra that the comparisons with it share.
    pub kept: Arc<Kept>,
    /// The state of the file before it was read.
    pub stamp: Option<Stamp>,
    /// The warnings of the file's reader.
    pub warnings: Vec<String>,
    _pass: Pass<'a>,
}

impl Recording {
    pub fn new(path: &Path, cells: usize) -> Self {
        Self {
            path: path.to_path_buf(),
            held: Mutex::new(Held { cells, opened: None, sound: None, kept: Arc::default() }),
        }
    }

    /// Returns the recording, once there is room for it. Another cell may be reading it, and is then waited for.
    ///
    /// # Errors
    /// The reason why it cannot be read, the same for each cell.
    pub fn take<'a>(&self, gate: &'a Gate, progress: &Progress) -> std::result::Result<Taken<'a>, Failure> {
        let opened = {
            let mut held = lock(&self.held);
            held.opened.get_or_insert_with(|| open(&self.path).map_err(Failure::from)).clone()
        }?;
        let info = opened.file.info();
        // At the highest rate that a codec may ask for.
        let longer = f64::from(USUAL_HZ).max(info.audio.rate.as_f64()) / info.audio.rate.as_f64();
        let samples = info.frames as f64 * longer * info.audio.channels as f64;
        let pass = gate.pass(samples as u64, progress)?;
        let mut held = lock(&self.held);
        if held.sound.is_none() {
            match read(&opened.file, progress) {
                Err(Error::Cancelled) => return Err(Error::Cancelled.into()),
                read => held.sound = Some(read.map_err(Failure::from)),
            }
        }
        let sound = held.sound.clone().unwrap_or_else(|| Err(Error::Cancelled.into()))?;
        Ok(Taken {
            sound,
            kept: Arc::clone(&held.kept),
            stamp: opened.stamp,
            warnings: info.warnings.clone(),
            _pass: pass,
        })
    }

    /// Says that a cell has ended. After the last one nothing is held any more.
    pub fn release(&self) {
        let mut held = lock(&self.held);
        held.cells = held.cells.saturating_sub(1);
        if held.cells == 0 {
            (held.opened, held.sound, held.kept) = (None, None, Arc::default());
        }
    }
}

fn open(path: &Path) -> Result<Opened> {
    // Before it is read, so that a change in the meantime shows.
    let stamp = Stamp::of(path);
    Ok(Opened { file: AudioFile::open(path)?, stamp })
}

fn read(file: &AudioFile, progress: &Progress) -> Result<Sound> {
    let sound = Sound::read(file.reader()?.as_mut(), MAX_SAMPLES, progress)?;
    if sound.frames() == 0 {
        return Err(Error::malformed("The recording has no frames", file.path()));
    }
    Ok(sound)
}
