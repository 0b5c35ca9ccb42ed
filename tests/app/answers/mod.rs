//! Recorded answers of the core, from which the interface's tests are fed: `ui/tests/recorded/SCENE.json`.
//!
//! A recording is a tree of states of one [`scenes`] set-up. A step (a command that changes something) leads from one
//! state to the next; queries are answered within a state. The interface's tests find out what is asked
//! ([`serve`]); this test asks the core the same again and fails if an answer is no longer the recorded one.
//! `UNDERTONE_WRITE_ANSWERS=1` writes the answers instead.

mod differences;
mod normal;
mod recording;
mod scenes;
mod serve;
mod session;
mod tiles;

use std::path::{Path, PathBuf};

use recording::Recording;
use session::Session;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/tests/recorded")
}

#[test]
fn answers_are_current() {
    let write = std::env::var_os("UNDERTONE_WRITE_ANSWERS").is_some();
    let mut outdated = Vec::new();
    for scene in scenes::NAMES {
        let path = folder().join(format!("{scene}.json"));
        let stored = Recording::read(&path);
        assert!(!stored.states.is_empty(), "{} has no states", path.display());
        let answered = stored.answered_by(&mut Session::new(scene));
        let found = differences::between(&stored, &answered);
        if write {
            // What differs by rounding alone stays as it is.
            if found.is_empty() { &stored } else { &answered }.write(&path);
        } else {
            outdated.extend(found.into_iter().take(8).map(|difference| format!("{scene}: {difference}")));
        }
    }
    assert!(
        outdated.is_empty(),
        "recorded answers are out of date; write them with UNDERTONE_WRITE_ANSWERS=1 and run the interface's tests:\n{}",
        outdated.join("\n")
    );
}
