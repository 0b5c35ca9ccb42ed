//! Which files effects may read: any, or those that the user has allowed.
//!
//! A chain is text that anybody can send: pasted, as a preset, in a session. Where one is opened with a click rather than
//! typed, as in the window, the files that it names are not read before the user has seen which they are. There is one
//! answer a process, because what effects read is kept for the process too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};

/// The allowed files; `None` allows any.
static ALLOWED: RwLock<Option<BTreeSet<PathBuf>>> = RwLock::new(None);

/// From now on no file is read that [`allow`] did not name.
pub fn require() {
    ALLOWED.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Lets effects read these files, by the very paths that chains name them with. Without [`require`] there is no need.
pub fn allow<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) {
    if let Some(allowed) = &mut *ALLOWED.write().unwrap_or_else(PoisonError::into_inner) {
        allowed.extend(files.into_iter().map(Into::into));
    }
}

/// Whether effects may read this file.
pub fn is_allowed(path: &Path) -> bool {
    ALLOWED.read().unwrap_or_else(PoisonError::into_inner).as_ref().is_none_or(|allowed| allowed.contains(path))
}

/// As [`is_allowed`].
///
/// # Errors
/// [`Error::Refused`], which says what to do.
pub fn check(path: &Path) -> Result<()> {
    if is_allowed(path) {
        return Ok(());
    }
    let reason = "the chain reads a file that you have not allowed yet; allow it in the rack, or leave the effect out";
    Err(Error::Refused { reason: reason.to_owned(), path: path.to_path_buf() })
}
