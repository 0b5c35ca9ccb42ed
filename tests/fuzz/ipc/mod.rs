//! Commands as a window, or an attacker in its place, may send them: every command of the table and those that return
//! bytes, in any order, with valid, invalid and extreme arguments.

mod arguments;
mod values;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use undertone::window::{App, DocumentId, Event, FileChoice, Host};
use undertone::work::Directories;
use undertone::{Error, Result};

use self::arguments::arguments;
use self::values::{flag, number, text};
use super::harness::{Limits, Random, alone, run};
use super::opening_support::Wav;

/// The maximum duration of one command on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);
/// The number of commands per case.
const CALLS: u64 = 24;
/// The commands that return bytes.
const BYTES: [&str; 10] = [
    "peaks",
    "track_peaks",
    "samples",
    "spectrogram",
    "compare_peaks",
    "compare_samples",
    "compare_spectrogram",
    "monitor",
    "loudness",
    "library_map",
];
/// Commands that are left out because they take seconds: they measure devices, or create a recording.
const LEFT_OUT: [&str; 3] = ["devices.measure", "workspace.open_demo", "devices.verify"];
/// Recordings that are open from the start.
const OPEN: [&str; 2] = ["a.wav", "b.wav"];
/// Longer than any text that a person writes.
const LONG_TEXT: usize = 200_000;

/// A host whose user answers every dialog.
struct Desk {
    folder: PathBuf,
    random: Mutex<Random>,
}

impl Desk {
    fn any(&self) -> Option<PathBuf> {
        let mut random = self.random.lock().unwrap();
        let name = *random.pick(&["a.wav", "b.wav", "none.wav", "noise.wav", ""]);
        (!name.is_empty()).then(|| self.folder.join(name))
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        // Serialised as for the window.
        drop(serde_json::to_string(&event).unwrap());
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.any().into_iter().collect()
    }

    fn choose_save(&self, _: &FileChoice, name: &str) -> Option<PathBuf> {
        // Sometimes a recording that is open, which must never be overwritten.
        if self.random.lock().unwrap().once_in(4) {
            return Some(self.folder.join(OPEN[0]));
        }
        self.any().map(|_| self.folder.join("saved").join(Path::new(name).file_name().unwrap_or_default()))
    }

    fn choose_folders(&self, _: &str) -> Vec<PathBuf> {
        self.any().map(|_| self.folder.join("music")).into_iter().collect()
    }

    fn show_file(&self, _: &Path) -> Result<()> {
        Ok(())
    }
}

/// Replaces some value within `value`.
fn spoil(value: &mut Value, random: &mut Random) {
    let deeper = random.below(4) > 0;
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = random.below(fields.len() as u64) as usize;
            if let Some(field) = fields.values_mut().nth(at) {
                spoil(field, random);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.below(items.len() as u64) as usize;
            spoil(&mut items[at], random);
        }
        _ => {
            *value = match random.below(7) {
                0 => Value::Null,
                1 => flag(random),
                2 => text(random),
                3 => json!([]),
                4 => json!({}),
                _ => number(random),
            };
        }
    }
}

fn names() -> Vec<&'static str> {
    let named = App::command_names().filter(|name| !LEFT_OUT.contains(name));
    named.chain(BYTES).collect()
}

/// Returns one command per line: its name, a space, its arguments.
fn script(random: &mut Random) -> Vec<u8> {
    let names = names();
    let mut lines = String::new();
    for _ in 0..CALLS {
        // Half of all commands are those that process audio.
        let frequent = [
            "editor.edit",
            "editor.edit",
            "playback.play",
            "spectrogram",
            "peaks",
            "samples",
            "editor.set_selection",
            "editor.response",
            "editor.export",
        ];
        let name = if random.once_in(3) { *random.pick(&frequent) } else { *random.pick(&names) };
        let mut args = arguments(name, random);
        if random.once_in(6) {
            spoil(&mut args, random);
        }
        let _ = writeln!(lines, "{name} {args}");
    }
    lines.into_bytes()
}

fn field<T: DeserializeOwned>(args: &Value, name: &str) -> Result<T> {
    let value = args.get(name).cloned().unwrap_or_default();
    let shown: String = value.to_string().chars().take(80).collect();
    serde_json::from_value(value).map_err(|error| Error::invalid(name, shown, error.to_string()))
}

/// Decodes the arguments as tauri does.
fn call(app: &App, name: &str, args: Value) -> Result<()> {
    if !BYTES.contains(&name) {
        return app.call(name, args).map(drop);
    }
    if name == "monitor" {
        return app.monitor(field(&args, "query")?).map(drop);
    }
    match name {
        "compare_peaks" => {
            let (start, end) = (field(&args, "start")?, field(&args, "end")?);
            return app.compare_peaks(field(&args, "sound")?, start, end, field(&args, "columns")?).map(drop);
        }
        "compare_samples" => {
            let (start, end) = (field(&args, "start")?, field(&args, "end")?);
            return app.compare_samples(field(&args, "sound")?, start, end).map(drop);
        }
        "compare_spectrogram" => {
            let tile = field(&args, "tile")?;
            let (original, processed) = (field(&args, "original")?, field(&args, "processed")?);
            return app.compare_spectrogram(original, processed, tile).map(drop);
        }
        _ => {}
    }
    if name == "library_map" {
        return app.library_map(field(&args, "whole")?).map(drop);
    }
    let document: DocumentId = field(&args, "document")?;
    let bytes = match name {
        "peaks" => app.peaks(
            document,
            field(&args, "side")?,
            field(&args, "start")?,
            field(&args, "end")?,
            field(&args, "columns")?,
        ),
        "track_peaks" => app.track_peaks(
            document,
            field(&args, "track")?,
            field(&args, "start")?,
            field(&args, "end")?,
            field(&args, "columns")?,
        ),
        "samples" => app.samples(document, field(&args, "side")?, field(&args, "start")?, field(&args, "end")?),
        "spectrogram" => app.spectrogram(document, field(&args, "tile")?),
        _ => app.loudness(document, field(&args, "side")?, field(&args, "generation")?, field(&args, "from")?),
    };
    bytes.map(drop)
}

/// Runs the script in an app with two documents and a folder of recordings.
fn exercise(path: &Path, random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in [("a.wav", 30_000), ("b.wav", 500), ("noise.wav", 0)] {
        let bytes = Wav::plain(16, 2).bytes(frames, |channel, frame| ((frame * (3 + channel)) % 97) as f64 / 100.0);
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    for name in ["music", "saved"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::copy(folder.path().join("b.wav"), folder.path().join("music/b.wav")).unwrap();
    let desk = Desk { folder: folder.path().to_path_buf(), random: Mutex::new(random.clone()) };
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let app = App::new(Arc::new(desk), directories).unwrap();
    let open = OPEN.map(|name| folder.path().join(name));
    let originals = open.each_ref().map(|path| std::fs::read(path).unwrap());
    app.open_and_tell(&open);
    let mut closed = false;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (name, args) = line.split_once(' ').unwrap();
        let begun = Instant::now();
        let outcome = call(&app, name, serde_json::from_str(args).unwrap());
        let shown: String = args.chars().take(300).collect();
        assert!(begun.elapsed() < LONGEST, "{name} took {:?}: {shown}", begun.elapsed());
        assert!(!matches!(outcome, Err(Error::Internal(_))), "{name} {shown}: {outcome:?}");
        closed |= name == "workspace.close_document" && outcome.is_ok();
    }
    app.shut_down();
    // After a document is closed, its recording is a normal file that the user may replace.
    if !closed {
        for (path, original) in open.iter().zip(originals) {
            assert!(std::fs::read(path).unwrap() == original, "{} was changed", path.display());
        }
    }
}

#[test]
fn commands_at_their_extremes() {
    let limits = Limits { bytes: 512 << 20, time: Duration::from_secs(90) };
    run("ipc", limits, script, exercise);
}

/// Most commands of most scripts must be valid, or the rest is not reached.
#[test]
fn arguments_have_the_shape_that_commands_take() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let desk = Desk { folder: folder.path().to_path_buf(), random: Mutex::new(Random::new(1)) };
    let app = App::new(Arc::new(desk), directories).unwrap();
    let mut random = Random::new(7);
    let mut not_understood = Vec::new();
    for name in names() {
        if BYTES.contains(&name) {
            continue;
        }
        let refused = |args: Value| app.call(name, args).err().map(|error| error.to_string());
        let whys: Vec<Option<String>> = (0..16).map(|_| refused(arguments(name, &mut random))).collect();
        let is_shape = |why: &Option<String>| why.as_ref().is_some_and(|why| why.starts_with("Arguments of"));
        if whys.iter().all(is_shape) {
            not_understood.push(format!("{name}: {:?}", whys[0]));
        }
    }
    assert!(not_understood.is_empty(), "{not_understood:#?}");
    app.shut_down();
}
