//! Finds out which folders of a library on a server are on this machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::library::{Library, Place, Root};
use crate::lock::lock;

/// How long an answer may wait for the disks. A drive in the network may not answer for minutes.
const WAIT: Duration = Duration::from_millis(500);

/// Which folders are on this machine, as far as is known.
#[derive(Default)]
pub struct Away(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    there: BTreeMap<PathBuf, bool>,
    /// Whether a thread is looking. Another one would wait for the same disk.
    looking: bool,
}

impl Away {
    /// Returns the IDs of the folders that are not on this machine; none of a library in a file, whose folders are this
    /// machine's own. If a disk does not answer in time, the answer is the former one.
    pub fn of(&self, library: &Library, roots: &[Root]) -> Vec<i64> {
        if matches!(library.place(), Place::File(_)) {
            return Vec::new();
        }
        self.look(roots.iter().map(|root| root.path.clone()).collect());
        let known = lock(&self.0);
        let is_away = |root: &&Root| known.there.get(&root.path) == Some(&false);
        roots.iter().filter(is_away).map(|root| root.id).collect()
    }

    fn look(&self, paths: Vec<PathBuf>) {
        if std::mem::replace(&mut lock(&self.0).looking, true) {
            return;
        }
        let known = Arc::clone(&self.0);
        let (looked, done) = channel();
        let spawned = thread::Builder::new().name("library folders".to_owned()).spawn(move || {
            let there = paths
                .into_iter()
                .map(|path| {
                    let is_there = path.exists();
                    (path, is_there)
                })
                .collect();
            *lock(&known) = Known { there, looking: false };
            // Nobody waits any more if it took long.
            let _ = looked.send(());
        });
        match spawned {
            Ok(_) => drop(done.recv_timeout(WAIT)),
            Err(_) => lock(&self.0).looking = false,
        }
    }
}
