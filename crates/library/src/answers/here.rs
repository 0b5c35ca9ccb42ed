//! Finds out why the file of a track cannot be reached, if its folder is not on this machine.

use crate::{Library, Place, Track};
use base::error::{Error, Result};

/// Returns the folder of a track, with its path in the library, if the library is on a server and the folder is not on
/// this machine. May wait for the disk.
pub fn missing_folder(library: &Library, track: &Track) -> Result<Option<String>> {
    if matches!(library.place(), Place::File(_)) || track.path.exists() {
        return Ok(None);
    }
    let root = library.roots()?.into_iter().find(|root| root.id == track.root && !root.path.exists());
    Ok(root.map(|root| root.stored.display().to_string()))
}

/// Returns the track, unless its folder is not on this machine.
pub fn track_here(library: &Library, id: i64) -> Result<Track> {
    let track = library.track(id)?;
    match missing_folder(library, &track)? {
        None => Ok(track),
        Some(folder) => Err(Error::impossible(format!(
            "The folder {folder} is not on this computer. Say where it is in Settings, under Library server"
        ))),
    }
}
