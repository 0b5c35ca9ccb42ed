//! Expands command-line arguments and dropped paths to input files: files, patterns, folders.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::audio::encode::UNFINISHED_PREFIX;
use crate::audio::file_extensions;
use crate::error::{Error, Result};

/// An input of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// The file's folder relative to the given folder; empty for files that were named directly.
    pub folder: PathBuf,
}

/// An input, or the path that gave none and the reason.
pub type FoundInput = std::result::Result<Input, (PathBuf, Error)>;

/// Returns the inputs in the order of `words`; files of a folder are sorted by name. Files inside `output` are left out
/// of folders, because an earlier run wrote them. A word that matches nothing gives an error and does not stop the
/// others.
pub fn find(words: &[PathBuf], recursive: bool, output: &Path) -> Vec<FoundInput> {
    let mut found: Vec<FoundInput> = Vec::new();
    for word in words {
        if word.symlink_metadata().is_ok() || !is_pattern(word) {
            one(word, recursive, output, &mut found);
            continue;
        }
        match matches(word) {
            Ok(paths) => paths.iter().for_each(|path| one(path, recursive, output, &mut found)),
            Err(error) => found.push(Err((word.clone(), error))),
        }
    }
    // Two patterns may match the same file.
    let mut seen = std::collections::HashSet::new();
    found.retain(|found| found.as_ref().map_or(true, |input| seen.insert(input.path.clone())));
    found
}

fn is_pattern(word: &Path) -> bool {
    word.to_string_lossy().contains(['*', '?', '['])
}

/// Expands a pattern. Unix shells do this themselves; the Windows shell does not.
fn matches(word: &Path) -> Result<Vec<PathBuf>> {
    let pattern = word.to_string_lossy();
    let options = glob::MatchOptions {
        case_sensitive: !cfg!(windows),
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    let paths = glob::glob_with(&pattern, options)
        .map_err(|error| Error::impossible(format!("{pattern} is not a file pattern: {}.", error.msg)))?;
    let paths: Vec<PathBuf> = paths.flatten().collect();
    if paths.is_empty() {
        return Err(Error::NotFound { what: "file", name: pattern.into_owned() });
    }
    Ok(paths)
}

fn one(path: &Path, recursive: bool, output: &Path, found: &mut Vec<FoundInput>) {
    if !path.is_dir() {
        found.push(Ok(Input { path: path.to_path_buf(), folder: PathBuf::new() }));
    } else if recursive {
        below(path, output, found);
    } else {
        let error = Error::impossible("This is a folder. Add --recursive to process the files in it.");
        found.push(Err((path.to_path_buf(), error)));
    }
}

fn below(root: &Path, output: &Path, found: &mut Vec<FoundInput>) {
    // Only a folder strictly inside the given one is certain to hold nothing but outputs.
    let made = output.canonicalize().ok().filter(|made| root.canonicalize().is_ok_and(|root| *made != root));
    let ours = |path: &Path| made.as_ref().is_some_and(|made| path.canonicalize().is_ok_and(|path| path == *made));
    let hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
    let walk = WalkDir::new(root).follow_links(true).sort_by_file_name();
    let entries = walk.into_iter().filter_entry(|entry| {
        entry.depth() == 0 || !(hidden(entry.file_name()) || entry.file_type().is_dir() && ours(entry.path()))
    });
    for entry in entries {
        match entry {
            Ok(entry) if entry.file_type().is_file() && is_recording(entry.path()) => {
                let folder = entry.path().parent().and_then(|folder| folder.strip_prefix(root).ok());
                let folder = folder.map(Path::to_path_buf).unwrap_or_default();
                found.push(Ok(Input { path: entry.into_path(), folder }));
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(root).to_path_buf();
                let source =
                    error.into_io_error().unwrap_or_else(|| std::io::Error::other("links that point at each other"));
                // A link to nothing is found, but cannot be followed.
                let action = if path.is_symlink() { "follow the link" } else { "list the folder" };
                found.push(Err((path.clone(), Error::io(action, &path, source))));
            }
        }
    }
}

/// Returns whether a file in a folder is an input, by its extension. Files that are named directly need no known
/// extension.
fn is_recording(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    !name.starts_with(UNFINISHED_PREFIX) && file_extensions().contains(&ending.as_str())
}
