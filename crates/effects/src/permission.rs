//! Controls which files effects may read, and which models they may run: any, or only those that the user has allowed,
//! and those whose licence was confirmed.
//!
//! A chain is text that can come from anyone: pasted, as a preset, or in a session. Where chains open with a click
//! rather than by typing, as in the window, the files that they name are not read before the user has seen the names.
//! The setting applies to the whole process, because the contents that effects read are cached for the process too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use base::error::{Error, Result};
use base::lock::{read, write};
use neural::models::ModelKind;

/// The allowed files; `None` allows any.
static ALLOWED: RwLock<Option<BTreeSet<PathBuf>>> = RwLock::new(None);

/// The kinds of models that may run; `None` allows any.
static CONFIRMED: RwLock<Option<BTreeSet<ModelKind>>> = RwLock::new(None);

/// From now on, effects read only files named in [`allow`], and run only models of kinds named in [`confirm`].
pub fn require() {
    write(&ALLOWED).get_or_insert_default();
    write(&CONFIRMED).get_or_insert_default();
}

/// Notes whether the licence of a kind of model is confirmed. Has no effect without [`require`].
pub fn confirm(kind: ModelKind, is_confirmed: bool) {
    if let Some(confirmed) = &mut *write(&CONFIRMED) {
        if is_confirmed {
            confirmed.insert(kind);
        } else {
            confirmed.remove(&kind);
        }
    }
}

/// Checks that effects may run models of a kind.
pub fn check_licence(kind: ModelKind) -> Result<()> {
    if read(&CONFIRMED).as_ref().is_none_or(|confirmed| confirmed.contains(&kind)) {
        return Ok(());
    }
    Err(kind.unconfirmed())
}

/// Allows effects to read these files, under exactly the paths that chains use. Has no effect without [`require`].
pub fn allow<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) {
    if let Some(allowed) = &mut *write(&ALLOWED) {
        allowed.extend(files.into_iter().map(Into::into));
    }
}

/// Returns whether effects may read this file.
pub fn is_allowed(path: &Path) -> bool {
    read(&ALLOWED).as_ref().is_none_or(|allowed| allowed.contains(path))
}

/// Checks that effects may read this file, like [`is_allowed`].
pub fn check(path: &Path) -> Result<()> {
    if is_allowed(path) {
        return Ok(());
    }
    let reason = "The chain reads a file that you have not allowed yet. Allow it in the rack, or leave it out";
    Err(Error::Refused { reason: reason.to_owned(), path: path.to_path_buf() })
}
