//! Moves files to the system's bin and restores them. No file is ever deleted.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::LibraryPage;
use super::rows::name_of;
use super::types::BinOutcome;
use crate::error::{Error, Failure, Result};
use crate::library::files::stamp;
use crate::library::{Library, Track};
use crate::window::workspace::types::FileFailure;

/// Whether programs can restore files from the bin; on other systems the user must use the system's interface.
const RESTORABLE: bool =
    cfg!(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android")))));

impl LibraryPage {
    pub(in crate::window) fn bin(&self, tracks: Vec<i64>, copies: Option<Vec<Vec<i64>>>) -> Result<BinOutcome> {
        let library = self.opened()?;
        library.check_writable()?;
        let copies = copies.unwrap_or_else(|| vec![Vec::new(); tracks.len()]);
        if copies.len() != tracks.len() {
            let allowed = format!("{} lists, one for each track", tracks.len());
            return Err(Error::invalid("copies that stay", copies.len().to_string(), allowed));
        }
        let copies: HashMap<i64, Vec<i64>> = tracks.iter().copied().zip(copies).collect();
        let moved: HashSet<i64> = tracks.iter().copied().collect();
        Ok(each(&library, &tracks, |track| {
            let copies = copies.get(&track.row.id).map(Vec::as_slice).unwrap_or_default();
            // A track that is also moved does not count as a remaining copy.
            let staying: Vec<i64> = copies.iter().copied().filter(|copy| !moved.contains(copy)).collect();
            if !copies.is_empty() && staying.is_empty() {
                return Err(refusal("all its copies would go too", &track.path));
            }
            bin(&library, track, &staying)
        }))
    }

    pub(in crate::window) fn restore(&self, tracks: Vec<i64>) -> Result<BinOutcome> {
        let library = self.opened()?;
        library.check_writable()?;
        Ok(each(&library, &tracks, |track| {
            if track.binned_at.is_none() {
                return Err(Error::NotFound { what: "file", name: track.path.display().to_string() });
            }
            take_out(track)?;
            library.mark_restored(track.row.id)?;
            Ok(std::fs::symlink_metadata(&track.path).map_or(0, |metadata| metadata.len()))
        }))
    }
}

/// Runs `work` once for each track. Failures are collected and do not stop the others.
fn each(library: &Library, tracks: &[i64], work: impl Fn(&Track) -> Result<u64>) -> BinOutcome {
    let mut outcome = BinOutcome { moved: Vec::new(), bytes: 0, failures: Vec::new(), restorable: RESTORABLE };
    let mut seen = HashSet::new();
    for &id in tracks.iter().filter(|&&id| seen.insert(id)) {
        let (name, done) = match library.track(id) {
            Ok(track) => (name_of(&track.row.path), work(&track)),
            Err(error) => (id.to_string(), Err(error)),
        };
        match done {
            Ok(bytes) => {
                outcome.moved.push(id);
                outcome.bytes += bytes;
            }
            Err(error) => outcome.failures.push(FileFailure { name, failure: Failure::from(error) }),
        }
    }
    outcome
}

/// Moves a track's file to the bin if the file is unchanged since the library analysed it and, if copies are given, one
/// of them remains.
///
/// The bin API takes paths, so another program could still replace the file between the check and the move. Copies are
/// therefore checked again afterwards.
fn bin(library: &Library, track: &Track, staying: &[i64]) -> Result<u64> {
    let bytes = as_known(track)?;
    if !staying.is_empty() {
        copy_left(library, track, staying)?;
    }
    trash::delete(&track.path).map_err(|error| refused("move it to the bin", &track.path, &error))?;
    library.mark_binned(track.row.id)?;
    if !staying.is_empty() && !staying.iter().any(|&copy| library.track(copy).is_ok_and(|copy| as_known(&copy).is_ok()))
    {
        // The last copy disappeared in the meantime.
        take_out(track)?;
        library.mark_restored(track.row.id)?;
        return Err(refusal("its last copy was deleted meanwhile, so it was put back", &track.path));
    }
    Ok(bytes)
}

/// Returns the size of a track's file, which must be a regular file with the size and time that the library has stored.
fn as_known(track: &Track) -> Result<u64> {
    let metadata = match std::fs::symlink_metadata(&track.path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::NotFound { what: "file", name: track.path.display().to_string() });
        }
        Err(error) => return Err(Error::io("read", &track.path, error)),
    };
    if !metadata.is_file() {
        let what = if metadata.is_symlink() { "a link" } else { "not a regular file" };
        return Err(refusal(&format!("it is {what}"), &track.path));
    }
    if stamp(&metadata) != (track.row.bytes, track.modified_ns) {
        return Err(refusal("the file has changed since the last scan. Scan it first", &track.path));
    }
    Ok(metadata.len())
}

/// Checks that one of the tracks `staying` is a different file and unchanged since the library analysed it.
fn copy_left(library: &Library, track: &Track, staying: &[i64]) -> Result<()> {
    let mut why = String::new();
    for &copy in staying {
        let found = library.track(copy).and_then(|copy| {
            as_known(&copy)?;
            match same_file::is_same_file(&copy.path, &track.path) {
                Ok(false) => Ok(()),
                Ok(true) => Err(refusal("it is the same file under another name", &copy.path)),
                Err(source) => Err(Error::io("read", &copy.path, source)),
            }
        });
        match found {
            Ok(()) => return Ok(()),
            Err(error) => why = error.to_string(),
        }
    }
    Err(refusal(&format!("no copy of it is left. {why}"), &track.path))
}

fn refusal(reason: &str, path: &Path) -> Error {
    Error::Refused { reason: format!("Not moved: {reason}"), path: path.to_path_buf() }
}

/// Restores a track's file from the bin: among the items from its path with its size, the one deleted last.
#[cfg(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android")))))]
fn take_out(track: &Track) -> Result<()> {
    use trash::os_limited::{list, metadata, restore_all};

    let path = track.path.as_path();
    // A dangling link counts as an existing file.
    if std::fs::symlink_metadata(path).is_ok() {
        let reason = "Another file has its name now. Move that file first".to_owned();
        return Err(Error::Refused { reason, path: path.to_path_buf() });
    }
    // The bin stores folders with links resolved.
    let folder = path.parent().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let binned = list().map_err(|error| refused("find it in the bin", path, &error))?;
    let of_path: Vec<_> = binned
        .into_iter()
        .filter(|item| {
            Some(item.name.as_os_str()) == path.file_name()
                && (item.original_parent == folder || Some(item.original_parent.as_path()) == path.parent())
        })
        .collect();
    let are_others = !of_path.is_empty();
    let has_size =
        |item: &trash::TrashItem| metadata(item).is_ok_and(|found| found.size.size() == Some(track.row.bytes));
    let latest = of_path.into_iter().filter(has_size).max_by_key(|item| item.time_deleted);
    let Some(latest) = latest else {
        if are_others {
            let reason = "The bin has no file of this name and size".to_owned();
            return Err(Error::Refused { reason, path: path.to_path_buf() });
        }
        return Err(Error::NotFound { what: "file", name: path.display().to_string() });
    };
    restore_all([latest]).map_err(|error| refused("take it out of the bin", path, &error))
}

#[cfg(not(any(windows, all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))))]
fn take_out(track: &Track) -> Result<()> {
    let reason = format!("Open the system's bin and restore it there: {}", track.path.display());
    Err(Error::unsupported("Restoring files on this system", reason))
}

/// Converts an error of the bin to a message.
fn refused(what: &str, path: &Path, error: &trash::Error) -> Error {
    let why = match error {
        #[cfg(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))]
        trash::Error::FileSystem { source, .. } => source.to_string(),
        trash::Error::Os { description, .. } | trash::Error::Unknown { description } => description.clone(),
        trash::Error::CouldNotAccess { target } => format!("No permission for {target}"),
        trash::Error::RestoreCollision { .. } => "Another file has its name now".to_owned(),
        other => other.to_string(),
    };
    Error::Refused { reason: format!("Could not {what}: {why}"), path: path.to_path_buf() }
}
