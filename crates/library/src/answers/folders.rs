//! Adds folders to the library.

use std::path::{Path, PathBuf};

use crate::Library;
use base::error::{Error, Result};

/// Adds a folder or a single file to the library and returns the path to scan. A path inside a folder of the library is
/// already part of it.
pub fn add_folder(library: &Library, folder: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(folder).map_err(|source| Error::io("find the folder", folder, source))?;
    let is_inside = || -> Result<bool> { Ok(library.roots()?.iter().any(|root| path.starts_with(&root.path))) };
    if is_inside()? {
        return Ok(path);
    }
    match library.add_root(&path) {
        Ok(root) => Ok(root.path),
        // Another process has just added a folder that contains this one.
        Err(Error::Invalid { .. }) if is_inside()? => Ok(path),
        Err(error) => Err(error),
    }
}
