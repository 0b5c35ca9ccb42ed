//! Folders into the library.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::library::Library;

/// Puts a folder, or a single file, into the library; the place that a scan is to walk. One that lies in a folder of the
/// library is part of it already.
///
/// # Errors
/// [`Error::Io`] when it cannot be found; [`Error::Stored`].
pub fn add_folder(library: &Library, folder: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(folder).map_err(|source| Error::io("find", folder, source))?;
    let inside = library.roots()?.iter().any(|root| path.starts_with(&root.path));
    if inside { Ok(path) } else { Ok(library.add_root(&path)?.path) }
}
