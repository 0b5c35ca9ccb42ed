//! The system's bin: files go there, and come back from it. Nothing is ever deleted.

use std::path::Path;

use super::rows::name_of;
use crate::app::App;
use crate::app::api::{BinFailure, BinOutcome};
use crate::error::{Error, Failure, Result};
use crate::library::{Library, Track};

/// Whether programs can take files out of the bin again; elsewhere the user does, in the system's own.
const RESTORABLE: bool =
    cfg!(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android")))));

impl App {
    pub(in crate::app) fn bin_tracks(&self, tracks: Vec<i64>) -> Result<BinOutcome> {
        let library = self.shared.opened_library()?;
        Ok(each(&library, &tracks, |track| {
            if !track.path.is_file() {
                return Err(Error::NotFound { what: "file of the track", name: track.path.display().to_string() });
            }
            let bytes = std::fs::symlink_metadata(&track.path).map_or(0, |metadata| metadata.len());
            trash::delete(&track.path).map_err(|error| refused("moved to the bin", &track.path, &error))?;
            library.mark_binned(track.row.id)?;
            Ok(bytes)
        }))
    }

    pub(in crate::app) fn restore_tracks(&self, tracks: Vec<i64>) -> Result<BinOutcome> {
        let library = self.shared.opened_library()?;
        Ok(each(&library, &tracks, |track| {
            if track.binned_at.is_none() {
                return Err(Error::NotFound { what: "file in the bin", name: track.path.display().to_string() });
            }
            take_out(&track.path)?;
            library.mark_restored(track.row.id)?;
            Ok(std::fs::symlink_metadata(&track.path).map_or(0, |metadata| metadata.len()))
        }))
    }
}

/// Does something to each track; what fails is told and holds up no other.
fn each(library: &Library, tracks: &[i64], work: impl Fn(&Track) -> Result<u64>) -> BinOutcome {
    let mut outcome = BinOutcome { moved: Vec::new(), bytes: 0, failures: Vec::new(), restorable: RESTORABLE };
    for &id in tracks {
        let (name, done) = match library.track(id) {
            Ok(track) => (name_of(&track.row.path), work(&track)),
            Err(error) => (id.to_string(), Err(error)),
        };
        match done {
            Ok(bytes) => {
                outcome.moved.push(id);
                outcome.bytes += bytes;
            }
            Err(error) => outcome.failures.push(BinFailure { track: id, name, failure: Failure::from(error) }),
        }
    }
    outcome
}

/// Takes the file that lay at `path` out of the bin, the one that came there last.
#[cfg(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android")))))]
fn take_out(path: &Path) -> Result<()> {
    use trash::os_limited::{list, restore_all};

    if path.exists() {
        let reason = "another file lies where it was; move that one first".to_owned();
        return Err(Error::Refused { reason, path: path.to_path_buf() });
    }
    // The bin knows folders by where links lead.
    let folder = path.parent().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let binned = list().map_err(|error| refused("looked for in the bin", path, &error))?;
    let own = binned.into_iter().filter(|item| {
        Some(item.name.as_os_str()) == path.file_name()
            && (item.original_parent == folder || Some(item.original_parent.as_path()) == path.parent())
    });
    let latest = own.max_by_key(|item| item.time_deleted);
    let latest = latest.ok_or_else(|| Error::NotFound { what: "file in the bin", name: path.display().to_string() })?;
    restore_all([latest]).map_err(|error| refused("taken out of the bin", path, &error))
}

#[cfg(not(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))))]
fn take_out(path: &Path) -> Result<()> {
    let reason = format!("this system lets only the user do so: open its bin and put {} back", path.display());
    Err(Error::unsupported("taking files out of the bin", reason))
}

/// What the bin says, in words.
fn refused(what: &str, path: &Path, error: &trash::Error) -> Error {
    let why = match error {
        #[cfg(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))]
        trash::Error::FileSystem { source, .. } => source.to_string(),
        trash::Error::Os { description, .. } | trash::Error::Unknown { description } => description.clone(),
        trash::Error::CouldNotAccess { target } => format!("no access to {target}"),
        trash::Error::RestoreCollision { .. } => "another file lies where it was".to_owned(),
        other => other.to_string(),
    };
    Error::Refused { reason: format!("it cannot be {what}: {why}"), path: path.to_path_buf() }
}
