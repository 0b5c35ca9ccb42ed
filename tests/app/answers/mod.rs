//! Recorded answers of the core, which the interface's tests use: `ui/tests/recorded/SCENE.json`.
//!
//! A recording is a tree of states of one [`scenes`] set-up. A step (a command that changes something) leads from one
//! state to the next; queries are answered within a state. The interface's tests determine the requests ([`serve`]).
//! This test sends them to the core again and fails if an answer differs from the recorded one.
//! `UNDERTONE_WRITE_ANSWERS=1` writes the answers instead.

mod batch;
mod differences;
mod library;
mod normal;
mod recording;
mod scenes;
mod serve;
mod session;
mod tiles;

use std::path::PathBuf;
use std::process::Command;

use recording::Recording;
use session::Session;

fn folder() -> PathBuf {
    crate::support::repository().join("ui/tests/recorded")
}

/// The environment sets the system's bin, so the test runs itself again with a private bin.
#[test]
fn answers_are_current() {
    let home = tempfile::tempdir().expect("a folder");
    let output = Command::new(std::env::current_exe().expect("a program"))
        .args(["answers::are_those_of_the_core", "--exact", "--ignored", "--test-threads=1"])
        .env("XDG_DATA_HOME", home.path())
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .output()
        .expect("run");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "is run by the test above, with a bin of its own"]
fn are_those_of_the_core() {
    let write = std::env::var_os("UNDERTONE_WRITE_ANSWERS").is_some();
    let mut outdated = Vec::new();
    let entries = std::fs::read_dir(folder()).expect("recordings");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are no recordings");
    for path in paths {
        let scene = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let stored = Recording::read(&path);
        let answered = stored.answered_by(&mut Session::new(&scene));
        let (found, current) = differences::between(&stored, &answered);
        if write {
            current.write(&path);
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
