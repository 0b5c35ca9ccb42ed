//! Project files that are damaged or hostile: values of other types and at the limits, deep nesting, paths to devices and
//! pipes, counts that do not fit. A project is read and opened, or refused with a reason; what was read is written again
//! and means the same.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::harness::{Limits, Random, alone, run};
use super::opening_support::Wav;
use undertone::audio::{AudioFile, Marker};
use undertone::document::project::{self, FILE_KIND};
use undertone::document::session::ViewState;
use undertone::document::{Clip, Document, Fade, History, Source, SourceSummary};
use undertone::files::Protected;

/// A sound project with a history, as JSON. Its recording stays on disk, so that a stored case can be repeated.
static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join("undertone-fuzz-project");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tone.wav");
    std::fs::write(&path, Wav::plain(16, 2).bytes(4000, |_, frame| (frame as f64 * 0.05).sin() * 0.5)).unwrap();
    let file = AudioFile::open(&path).unwrap();
    let info = file.info();
    let summary =
        SourceSummary { container: "WAV".into(), codec: "PCM".into(), format: info.audio, frames: info.frames };
    let mut history = History::new(Document::of_source(Source::open(&path, summary).unwrap()));
    for step in 1..6u64 {
        let mut changed = history.document().clone();
        changed.edits.clips.push(Clip {
            start_frame: step,
            fade_in: Fade::over(9),
            gain_db: -1.0,
            ..Clip::whole(0, 4000)
        });
        changed.chain =
            format!("highpass({step}00 Hz) | (gain(-1 dB) + peaking(1 kHz, q=1, gain=3 dB))").parse().unwrap();
        changed.markers = changed.markers.with(&[Marker::point(step, "Verse"), Marker::region(step, 3000, "Part")]);
        history.apply("Change", None, changed);
    }
    history.undo();
    let target = folder.join("sound.undertone");
    project::write(&target, true, Protected::default(), &history, ViewState::default(), true).unwrap();
    std::fs::read(target).unwrap()
});

fn strange(random: &mut Random) -> Value {
    match random.below(16) {
        0 => Value::Null,
        1 => json!([]),
        2 => json!({}),
        3 => json!(random.extreme(64)),
        4 => json!(-1),
        5 => json!(1e300),
        6 => json!(random.extreme(32) as f64 / 3.0),
        7 => json!("\u{0}\u{202e}\\\"/../.."),
        8 => json!("x".repeat(random.below(100_000) as usize)),
        9 => json!(*random.pick(&["/dev/zero", "/dev/tty", "/proc/self/mem", "/", "..", "", "//server/share/a.wav"])),
        10 => json!({ "unix": [47, 255, 0] }),
        11 => json!({ "windows": [55296, 0] }),
        12 => json!(*random.pick(&["a", "b", "project", "letter"])),
        13 => {
            json!({ "nodes": [{ "id": 1, "bypass": false, "mix": 2.0, "label": null, "kind": "series", "nodes": [] }] })
        }
        14 => json!({ "rate": random.extreme(32), "channels": random.extreme(64) }),
        _ => json!(vec![random.extreme(64); random.below(2000) as usize]),
    }
}

/// Changes one value somewhere: it becomes another, goes, or comes many times.
fn change(value: &mut Value, random: &mut Random, depth: u64) {
    if random.once_in(depth) {
        *value = strange(random);
        return;
    }
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = random.below(items.len() as u64) as usize;
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => {
                    let more = vec![items[at].clone(); random.below(3000) as usize];
                    items.extend(more);
                }
                _ => change(&mut items[at], random, depth - 1),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = random.pick(&names).clone();
            match random.below(12) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(format!("{name}s"), strange(random))),
                _ => {
                    if let Some(field) = fields.get_mut(&name) {
                        change(field, random, depth - 1);
                    }
                }
            }
        }
        other => *other = strange(random),
    }
}

fn make(random: &mut Random) -> Vec<u8> {
    if random.once_in(12) {
        return "[{\"undertone\":".repeat(random.below(200_000) as usize).into_bytes();
    }
    let mut value: Value = serde_json::from_slice(&SOUND).unwrap();
    for _ in 0..=random.below(4) {
        change(&mut value, random, 12);
    }
    let mut bytes = serde_json::to_vec(&value).unwrap();
    match random.below(8) {
        0 => bytes.truncate(random.below(bytes.len() as u64 + 1) as usize),
        1 => {
            for _ in 0..random.below(9) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.next() as u8;
            }
        }
        _ => {}
    }
    bytes
}

/// Returns whether the case is a project.
fn exercise(case: &Path) -> bool {
    let Ok(read) = project::read(case) else { return false };
    let document = read.history.document().clone();
    let _ = document.format().map(|format| document.chain.check(format));
    let states: Vec<_> = document.sources.iter().map(Source::state).collect();
    assert_eq!(states.len(), document.sources.len());
    let again = case.with_extension(FILE_KIND.extensions[0]);
    if project::write(&again, true, Protected::default(), &read.history, read.place, true).is_ok() {
        let again = project::read(&again).unwrap();
        assert_eq!(again.history.document().work_key(), document.work_key());
        assert_eq!(again.history.steps().0.len(), read.history.steps().0.len());
    }
    true
}

#[test]
fn projects_that_are_damaged_or_hostile() {
    run("project", Limits::default(), make, |case, _| {
        exercise(case);
    });
}

#[test]
fn a_sound_project_is_read() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    std::fs::write(&case, &*SOUND).unwrap();
    assert!(exercise(&case));
}
