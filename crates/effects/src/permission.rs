//! The permission of a chain: the files that its effects may read, and the models that they may run.
//!
//! A chain is text that can come from anyone: pasted, as a preset, or in a session. Where chains open with a click
//! rather than by typing, as in the window, the files that they name are not read before the user has seen the names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use base::error::{Error, Result};
use base::lock::{read, write};
use neural::models::ModelKind;

/// A permission that a [`Chain`](crate::chain::Chain) carries: to read any file and run any model, as on the command
/// line, or only files that the user has allowed, and models of which the licence was confirmed.
///
/// Clones share what is allowed: a chain may read a file that is allowed after it was made.
#[derive(Clone, Debug, Default)]
pub struct Permission {
    /// All of them have to allow it; empty allows everything.
    limits: Vec<Arc<RwLock<Allowed>>>,
}

#[derive(Debug, Default)]
struct Allowed {
    files: BTreeSet<PathBuf>,
    licences: BTreeSet<ModelKind>,
}

impl Permission {
    /// The permission to read any file and run any model; the default.
    pub const ANY: Self = Self { limits: Vec::new() };

    /// Creates a permission that allows nothing yet.
    pub fn nothing() -> Self {
        Self { limits: vec![Arc::default()] }
    }

    /// Allows effects to read these files, under exactly the paths that chains use. [`Permission::ANY`] stays as it is.
    pub fn allow<P: Into<PathBuf>>(&self, files: impl IntoIterator<Item = P>) {
        let files: Vec<PathBuf> = files.into_iter().map(Into::into).collect();
        self.limits.iter().for_each(|limit| write(limit).files.extend(files.iter().cloned()));
    }

    /// Notes whether the licence of a kind of model is confirmed. [`Permission::ANY`] stays as it is.
    pub fn confirm(&self, kind: ModelKind, is_confirmed: bool) {
        for limit in &self.limits {
            if is_confirmed {
                write(limit).licences.insert(kind);
            } else {
                write(limit).licences.remove(&kind);
            }
        }
    }

    /// Returns the permission for what both allow.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let is_new = |limit: &&Arc<_>| !self.limits.iter().any(|held| Arc::ptr_eq(held, limit));
        Self { limits: self.limits.iter().chain(other.limits.iter().filter(is_new)).cloned().collect() }
    }

    /// Returns whether it allows nothing that `other` does not allow.
    pub fn is_within(&self, other: &Self) -> bool {
        other.limits.iter().all(|limit| self.limits.iter().any(|held| Arc::ptr_eq(held, limit)))
    }

    /// Returns whether effects may read this file.
    pub fn is_allowed(&self, path: &Path) -> bool {
        self.limits.iter().all(|limit| read(limit).files.contains(path))
    }

    /// Checks that effects may read this file, like [`Permission::is_allowed`].
    pub fn check(&self, path: &Path) -> Result<()> {
        if self.is_allowed(path) {
            return Ok(());
        }
        let reason = "The chain reads a file that you have not allowed yet. Allow it in the rack, or leave it out";
        Err(Error::Refused { reason: reason.to_owned(), path: path.to_path_buf() })
    }

    /// Checks that effects may run the model of a kind that `kind` finds out, if there is one. It is not asked if any
    /// model may run.
    pub(crate) fn check_model(&self, kind: impl FnOnce() -> Result<Option<ModelKind>>) -> Result<()> {
        if self.limits.is_empty() {
            return Ok(());
        }
        match kind()? {
            Some(kind) if self.limits.iter().any(|limit| !read(limit).licences.contains(&kind)) => {
                Err(kind.unconfirmed())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_permission_allows_another_does_not_and_both_together_only_what_each_does() {
        let [one, other] = [Permission::nothing(), Permission::nothing()];
        let (held, both) = (one.clone(), one.and(&other).and(&one));
        let (song, mimi) = (Path::new("song.wav"), || Ok(Some(ModelKind::Mimi)));
        one.allow(["song.wav"]);
        one.confirm(ModelKind::Mimi, true);
        let may = |permission: &Permission| (permission.is_allowed(song), permission.check_model(mimi).is_ok());
        assert_eq!([&Permission::ANY, &one, &held].map(may), [(true, true); 3]);
        assert_eq!(
            [&Permission::ANY, &one, &other, &both].map(|permission| permission.is_within(&one)),
            [false, true, false, true]
        );
        assert!(one.is_within(&Permission::ANY) && !one.is_within(&both));
        assert_eq!([&other, &both].map(may), [(false, false); 2]);
        other.allow(["song.wav", "other.wav"]);
        other.confirm(ModelKind::Mimi, true);
        assert_eq!((may(&both), both.is_allowed(Path::new("other.wav"))), ((true, true), false));
        one.confirm(ModelKind::Mimi, false);
        assert_eq!([&held, &other, &both].map(may), [(true, false), (true, true), (true, false)]);
    }
}
