//! Runs files that harm careless parsers (`tests/reference/hostile.py`) through every command that reads audio. Within
//! 1 GiB and 10 s per file, each gives a result or a clear error, and the rest of a library is scanned.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::child::{Ended, undertone};
use super::harness::alone;
use super::opening_support::Wav;

const MEBIBYTES: u64 = 1024;
/// Allows for a busy machine and a debug build; a release build takes less than one second.
const TIME: Duration = Duration::from_secs(10);

fn hostile() -> Vec<PathBuf> {
    let folder = crate::support::reference("hostile");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "the hostile files are missing");
    files
}

fn run(words: &[&str], folder: &Path, time: Duration) -> Ended {
    let ended = undertone(words, folder, MEBIBYTES, time).unwrap_or_else(|| panic!("{words:?} still runs"));
    let said = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    assert!(matches!(ended.code(), Some(0 | 1)), "{words:?}: {:?} {said}", ended.output.status);
    assert!(!said.contains("panicked"), "{words:?}: {said}");
    assert!(ended.code() == Some(0) || said.contains("undertone: "), "{words:?} fails without a reason: {said}");
    ended
}

#[test]
fn every_command_ends_with_a_result_or_a_reason() {
    let _alone = alone();
    let desk = tempfile::tempdir().unwrap();
    for file in hostile() {
        let file = file.to_str().unwrap();
        for words in [
            &["info", file][..],
            &["process", file, "-o", "out.wav", "-c", "gain(-1 dB)", "--overwrite", "--device", "cpu"],
            &["analyze", file, "--device", "cpu"],
            &["fingerprint", file],
            &["spectrogram", file, "-o", "out.npy", "--overwrite", "--device", "cpu"],
        ] {
            run(words, desk.path(), TIME);
        }
    }
}

#[test]
fn a_library_scans_the_rest() {
    let _alone = alone();
    let desk = tempfile::tempdir().unwrap();
    let music = desk.path().join("music");
    std::fs::create_dir(&music).unwrap();
    for file in hostile() {
        std::fs::copy(&file, music.join(file.file_name().unwrap())).unwrap();
    }
    let tone = Wav::plain(16, 1).bytes(200_000, |_, frame| (frame as f64 * 0.05).sin() * 0.5);
    std::fs::write(music.join("tone.wav"), tone).unwrap();
    let music = music.to_str().unwrap();
    run(&["library", "scan", music, "--device", "cpu"], desk.path(), TIME * 9);
    let list = run(&["library", "list", "--json"], desk.path(), TIME);
    let list: Value = serde_json::from_slice(&list.output.stdout).unwrap();
    let names = list.to_string();
    assert!(names.contains("tone.wav") && names.contains("junk-end.flac"), "{names}");
    let database: u64 = std::fs::read_dir(desk.path().join("data"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(database < 16 << 20, "the library takes {} MiB", database >> 20);
}
