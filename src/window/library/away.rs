//! Finds out which folders of a library on a server are on this machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::library::{Library, Place, Root};
use crate::lock::lock;

/// How long an answer may wait for the disks. A network drive may not answer for minutes.
const WAIT: Duration = Duration::from_millis(500);

/// The folders that were last found on this machine, or missing from it.
#[derive(Default)]
pub struct Away(Arc<Looking>);

#[derive(Default)]
struct Looking {
    known: Mutex<KnownFolders>,
    looked: Condvar,
}

#[derive(Default)]
struct KnownFolders {
    there: BTreeMap<PathBuf, bool>,
    /// Whether a thread is checking. Another one would wait for the same disk.
    looking: bool,
}

impl Away {
    /// Returns the IDs of the folders that are not on this machine; empty for a library in a file, whose folders are
    /// all on this machine. If a disk does not answer in time, its previous answer counts.
    pub fn of(&self, library: &Library, roots: &[Root]) -> Vec<i64> {
        if matches!(library.place(), Place::File(_)) {
            return Vec::new();
        }
        let paths = roots.iter().map(|root| root.path.clone()).collect();
        let there = self.0.look(paths, WAIT, |path| path.exists());
        let is_away = |root: &&Root| there.get(&root.path) == Some(&false);
        roots.iter().filter(is_away).map(|root| root.id).collect()
    }
}

impl Looking {
    /// Returns which paths exist, as far as is known after the time-out. Callers wait for a check that another one has
    /// begun, and check those paths themselves that it does not cover.
    fn look(
        self: &Arc<Self>,
        paths: Vec<PathBuf>,
        wait: Duration,
        is_there: impl Fn(&PathBuf) -> bool + Send + 'static,
    ) -> BTreeMap<PathBuf, bool> {
        let end = Instant::now() + wait;
        let others = lock(&self.known).looking;
        let there = if others { self.wait(end) } else { BTreeMap::new() };
        if paths.iter().all(|path| there.contains_key(path)) {
            return there;
        }
        if !std::mem::replace(&mut lock(&self.known).looking, true) {
            let this = Arc::clone(self);
            let spawned = thread::Builder::new().name("library folders".to_owned()).spawn(move || {
                let there =
                    paths.into_iter().map(|path| (is_there(&path), path)).map(|(is, path)| (path, is)).collect();
                *lock(&this.known) = KnownFolders { there, looking: false };
                this.looked.notify_all();
            });
            if spawned.is_err() {
                lock(&self.known).looking = false;
            }
        }
        self.wait(end)
    }

    /// Waits for the end of a check, or until `end`.
    fn wait(&self, end: Instant) -> BTreeMap<PathBuf, bool> {
        let left = end.saturating_duration_since(Instant::now());
        let known = lock(&self.known);
        let waited = self.looked.wait_timeout_while(known, left, |known| known.looking);
        waited.unwrap_or_else(PoisonError::into_inner).0.there.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_ask_at_once_are_answered_and_a_slow_disk_is_not_waited_for() {
        let looking = Arc::new(Looking::default());
        let paths = || vec![PathBuf::from("/here"), PathBuf::from("/away")];
        let slowly = |path: &PathBuf| {
            thread::sleep(Duration::from_millis(50));
            path.ends_with("here")
        };
        let wanted: BTreeMap<PathBuf, bool> = [("/here".into(), true), ("/away".into(), false)].into();
        let asking: Vec<_> = (0..4)
            .map(|_| {
                let looking = Arc::clone(&looking);
                thread::spawn(move || looking.look(paths(), Duration::from_mins(1), slowly))
            })
            .collect();
        for asked in asking {
            assert_eq!(asked.join().unwrap(), wanted);
        }
        let begun = Instant::now();
        let stuck = |_: &PathBuf| {
            thread::sleep(Duration::from_secs(30));
            true
        };
        for _ in 0..3 {
            let there = looking.look(vec!["/stuck".into()], Duration::from_millis(20), stuck);
            assert_eq!(there.get(&PathBuf::from("/stuck")), None);
        }
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
