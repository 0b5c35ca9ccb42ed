//! The loudness and the peak of whole albums.
//!
//! The gain of an album is that of all its tracks one after the other: their 400 ms windows are gated together
//! (`ReplayGain` 2.0; ITU-R BS.1770-4). The library keeps no windows, so all tracks of an album are decoded, whichever
//! of them are asked for. The decoded sound is kept for the tracks themselves.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::heard::Heard;
use super::plan::check;
use crate::{Library, Track, TrackState};
use audio::AudioFile;
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::measure::loudness::gated_lufs;

/// The key by which tracks are put into albums: the album's name and its artist, or without an artist the folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AlbumKey {
    name: String,
    artist: Option<String>,
    folder: Option<PathBuf>,
}

impl AlbumKey {
    fn of(track: &Track) -> Option<Self> {
        let named = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let (name, artist) = (named(&track.row.album)?, named(&track.row.album_artist));
        let folder = if artist.is_some() { None } else { track.path.parent().map(Path::to_path_buf) };
        Some(Self { name, artist, folder })
    }
}

/// The loudness of an album.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Album {
    /// The integrated loudness in LUFS; `None` for silence.
    pub loudness_lufs: Option<f64>,
    /// The largest magnitude of a sample of any track; full scale is 1.
    pub peak: f32,
}

/// Measures the albums of a library, each once.
#[derive(Debug)]
pub struct Albums<'a> {
    library: &'a Library,
    measured: HashMap<AlbumKey, std::result::Result<Album, &'static str>>,
    heard: HashMap<i64, Heard>,
}

impl<'a> Albums<'a> {
    /// Begins without any album.
    pub fn new(library: &'a Library) -> Self {
        Self { library, measured: HashMap::new(), heard: HashMap::new() }
    }

    /// Returns the loudness of a track's album, or why there is none.
    pub(super) fn of(
        &mut self,
        track: &Track,
        progress: &Progress,
    ) -> Result<std::result::Result<Album, &'static str>> {
        let Some(key) = AlbumKey::of(track) else { return Ok(Err("it names no album")) };
        if let Some(known) = self.measured.get(&key) {
            return Ok(*known);
        }
        let album = self.measure(&key, progress)?;
        self.measured.insert(key, album);
        Ok(album)
    }

    /// Returns the sound of a track whose album was measured, and removes it.
    pub(super) fn take_heard(&mut self, track: i64) -> Option<Heard> {
        self.heard.remove(&track)
    }

    fn measure(&mut self, key: &AlbumKey, progress: &Progress) -> Result<std::result::Result<Album, &'static str>> {
        let (mut energies, mut peak) = (Vec::new(), 0f32);
        for id in self.library.tracks_of_album(&key.name)? {
            let track = match self.library.track(id) {
                Err(Error::NotFound { .. }) => continue,
                track => track?,
            };
            let is_of_album = AlbumKey::of(&track).as_ref() == Some(key);
            if !is_of_album || track.row.state == TrackState::Vanished {
                continue;
            }
            if track.row.state != TrackState::Done {
                return Ok(Err("not all tracks of its album are analysed"));
            }
            let measured = std::fs::canonicalize(&track.path)
                .map_err(|source| Error::io("find", &track.path, source))
                .and_then(|target| check(&target, (track.row.bytes, track.modified_ns)).map(|()| target))
                .and_then(|target| Heard::with_energies(&AudioFile::open(&target)?, progress));
            match measured {
                Ok((heard, track_energies)) => {
                    energies.extend(track_energies);
                    peak = peak.max(heard.peak);
                    self.heard.insert(id, heard);
                }
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => {
                    tracing::info!("the album {} is not measured: {error}", key.name);
                    return Ok(Err("a track of its album cannot be read as it was analysed"));
                }
            }
        }
        Ok(Ok(Album { loudness_lufs: gated_lufs(&energies), peak }))
    }
}
