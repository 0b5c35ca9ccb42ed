//! Batch processing as the window requests it: the list, the names, the run, its end and its resumption.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::tags::TagText;
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Tags};
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;

/// Answers dialogs from a list and keeps the core's events.
#[derive(Default)]
struct Desk {
    answers: Mutex<VecDeque<PathBuf>>,
    events: Mutex<Vec<Value>>,
    shown: Mutex<Vec<PathBuf>>,
}

impl Desk {
    fn answer(&self) -> Option<PathBuf> {
        self.answers.lock().expect("unpoisoned").pop_front()
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().expect("unpoisoned");
        events.iter().filter(|event| event["kind"] == kind).cloned().collect()
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        self.events.lock().expect("unpoisoned").push(serde_json::to_value(event).expect("JSON"));
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.answer().into_iter().collect()
    }

    fn choose_save(&self, _: &FileChoice, _: &str) -> Option<PathBuf> {
        self.answer()
    }

    fn choose_folders(&self, _: &str) -> Vec<PathBuf> {
        self.answer().into_iter().collect()
    }

    fn show_file(&self, path: &Path) -> undertone::Result<()> {
        self.shown.lock().expect("unpoisoned").push(path.to_path_buf());
        Ok(())
    }
}

struct Bench {
    folder: tempfile::TempDir,
    desk: Arc<Desk>,
    app: App,
}

fn app_in(folder: &Path, desk: &Arc<Desk>) -> App {
    let directories = Directories::at(folder.join("config"), folder.join("data")).expect("folders");
    App::new(desk.clone(), directories).expect("an app")
}

fn start() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let desk = Arc::new(Desk::default());
    let app = app_in(folder.path(), &desk);
    std::fs::create_dir(folder.path().join("out")).expect("made");
    let bench = Bench { folder, desk, app };
    bench.call(
        "settings.set",
        json!({ "settings": with(&bench.call("settings.view", json!({})), "device", json!("cpu")) }),
    );
    bench
}

fn with(object: &Value, key: &str, value: Value) -> Value {
    let mut changed = object.clone();
    changed[key] = value;
    changed
}

impl Bench {
    /// Restarts the program on the same folders.
    fn again(self) -> Self {
        self.app.shut_down();
        let Self { folder, desk, app } = self;
        drop(app);
        let app = app_in(folder.path(), &desk);
        Self { folder, desk, app }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn choose(&self, command: &str, path: &Path) -> Value {
        self.desk.answers.lock().expect("unpoisoned").push_back(path.to_path_buf());
        self.call(command, json!({}))
    }

    fn tone(&self, name: &str, seconds: usize, items: &[(&str, &str)]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 1);
        let wave = |n: usize| (0.1 * (n as f64 * 1000.0 * std::f64::consts::TAU / 48_000.0).sin()) as f32;
        let audio = AudioBuffer::from_channels(vec![(0..seconds * 48_000).map(wave).collect()]);
        let mut tags = Tags::default();
        tags.items.extend(items.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())));
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&path, &settings, format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish_with(&tags).expect("finished");
        path
    }

    /// Waits until the batch satisfies `fits`.
    fn wait(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let batch = self.call("batch.view", json!({}));
            if fits(&batch) {
                return batch;
            }
            assert!(Instant::now() < end, "waited in vain for {what}: {batch}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn ended(&self) -> Value {
        self.wait("the end", |batch| {
            ["finished", "cancelled"].contains(&batch["status"]["phase"].as_str().unwrap_or(""))
        })
    }

    /// Prepares inputs from a folder, outputs to `out` and no chain, unless `change` sets another.
    fn prepare(&self, folder: &str, change: impl Fn(&mut Value)) -> Value {
        self.choose("batch.add_folders", &self.path(folder));
        self.choose("batch.choose_output", &self.path("out"));
        self.set(|settings| {
            settings["chain"] = json!({ "kind": "none" });
            settings["export"]["dither"] = json!("none");
            change(settings);
        })
    }

    fn set(&self, change: impl Fn(&mut Value)) -> Value {
        let mut settings = self.call("batch.view", json!({}))["settings"].clone();
        change(&mut settings);
        self.call("batch.set", json!({ "settings": settings }))
    }

    fn run(&self) -> Value {
        self.call("batch.start", json!({}));
        self.ended()
    }

    /// Returns all files below the output folder.
    fn outputs(&self) -> Vec<String> {
        let root = self.path("out");
        let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().flatten();
        files
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.path().strip_prefix(&root).expect("below").to_string_lossy().replace('\\', "/"))
            .collect()
    }
}

fn each<'a>(batch: &'a Value, field: &str) -> Vec<&'a str> {
    batch["items"].as_array().expect("a list").iter().map(|item| item[field].as_str().unwrap_or("")).collect()
}

#[test]
fn files_go_through_a_chain_with_names_tags_and_formats_of_their_own() {
    let bench = start();
    bench.tone("in/a.wav", 1, &[("TITLE", "Air"), ("ARTIST", "Ada")]);
    bench.tone("in/sub/b.wav", 1, &[("TITLE", "Song")]);
    std::fs::write(bench.path("in/broken.wav"), "no sound at all").expect("written");
    std::fs::write(bench.path("in/notes.txt"), "no recording").expect("written");
    let batch = bench.prepare("in", |settings| {
        settings["template"] = json!("{folder}/{artist|nobody} - {title}.{ext}");
        settings["export"]["format"] = json!("flac");
        settings["chain"] = json!({ "kind": "preset", "name": "mine" });
    });
    assert!(batch["status"]["chain_problem"].as_str().is_some_and(|text| text.contains("mine")), "{}", batch["status"]);
    bench.set(|settings| settings["chain"] = json!({ "kind": "rack" }));
    let opened = bench.choose("workspace.open_dialog", &bench.path("in/a.wav"));
    let document = &opened["documents"][0]["id"];
    bench.call(
        "editor.edit",
        json!({ "document": document, "edit": { "kind": "set_chain_text", "text": "gain(-6 dB)" } }),
    );
    let known = bench.wait("names", |batch| batch["status"]["unread"] == 0);
    assert_eq!(each(&known, "name"), ["a.wav", "broken.wav", "b.wav"]);
    assert_eq!(each(&known, "target")[0], "Ada - Air.flac");
    assert_eq!(Path::new(each(&known, "target")[2]), Path::new("sub/nobody - Song.flac"));
    assert_eq!(known["items"][0]["kind"], "WAV, 48000 Hz, mono");
    assert_eq!(known["items"][1]["failure"]["code"], "malformed");

    let done = bench.run();
    assert_eq!(each(&done, "state"), ["done", "failed", "done"]);
    assert_eq!(done["status"]["chain"], "gain(-6 dB)");
    assert_eq!(bench.outputs(), [".undertone-batch.jsonl", "Ada - Air.flac", "sub/nobody - Song.flac"]);
    let file = AudioFile::open(&bench.path("out/Ada - Air.flac")).expect("sound");
    assert_eq!(file.info().tags.items.get("ARTIST").map(TagText::as_str), Some("Ada"));
    assert_eq!(file.info().bits, Some(16), "each keeps its own sample format");
    let peak = done["items"][0]["result"]["peak_db"].as_f64().expect("a peak");
    assert!((peak + 26.0).abs() < 0.01, "20 dB below full scale, and 6 more: {peak}");
    assert_eq!(done["items"][0]["result"]["frames"], 48_000);

    bench.call("batch.show_file", json!({ "item": done["items"][0]["id"] }));
    assert_eq!(*bench.desk.shown.lock().expect("unpoisoned"), [bench.path("out/Ada - Air.flac")]);
    assert!(bench.app.call("batch.show_file", json!({ "item": done["items"][1]["id"] })).is_err());
    assert_eq!(bench.choose("batch.save_report", &bench.path("report.tsv")), true);
    let report = std::fs::read_to_string(bench.path("report.tsv")).expect("written");
    let lines: Vec<Vec<&str>> = report.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(
        lines.iter().map(|line| (line.len(), line[0])).collect::<Vec<_>>(),
        [(4, "state"), (4, "done"), (4, "failed"), (4, "done")]
    );
    assert!(lines[2][1].ends_with("broken.wav") && lines[2][3].contains("recognised"), "{report}");
    let told = bench.desk.events("batch_items");
    assert!(told.iter().any(|event| event["status"]["phase"] == "finished"), "{told:?}");
    // The job is reported as finished after the batch.
    let begun = std::time::Instant::now();
    let job = loop {
        let job = bench.desk.events("job").pop().expect("a job");
        if job["job"]["state"] == "done" || begun.elapsed().as_secs() > 10 {
            break job;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    assert_eq!((&job["job"]["purpose"], &job["job"]["state"]), (&json!("batch"), &json!("done")));
    assert_eq!(job["job"]["done"], job["job"]["total"]);
}

#[test]
fn what_is_finished_is_skipped_until_something_of_it_changes() {
    let bench = start();
    for name in ["in/1.wav", "in/2.wav"] {
        bench.tone(name, 1, &[]);
    }
    bench.prepare("in", |_| ());
    assert_eq!(each(&bench.run(), "state"), ["done", "done"]);
    assert_eq!(each(&bench.run(), "state"), ["skipped", "skipped"]);
    std::fs::remove_file(bench.path("out/2.wav")).expect("removed");
    assert_eq!(each(&bench.run(), "state"), ["skipped", "done"]);
    // Other settings give other files. Existing files are only replaced if overwriting is set.
    bench.set(|settings| settings["export"]["rate"] = json!(44_100));
    let refused = bench.run();
    assert_eq!(each(&refused, "state"), ["failed", "failed"]);
    assert_eq!(refused["items"][0]["failure"]["code"], "refused");
    bench.set(|settings| settings["overwrite"] = json!(true));
    assert_eq!(each(&bench.run(), "state"), ["done", "done"]);
    assert_eq!(AudioFile::open(&bench.path("out/1.wav")).expect("sound").info().audio.rate.hz(), 44_100);
    // Without resumption, earlier runs are not considered.
    bench.set(|settings| settings["resume"] = json!(false));
    assert_eq!(each(&bench.run(), "state"), ["done", "done"]);
}

#[test]
fn a_batch_that_was_interrupted_is_there_at_the_next_start_and_goes_on() {
    let bench = start();
    for number in 0..24 {
        bench.tone(&format!("in/{number:02}.wav"), 12, &[]);
    }
    bench.prepare("in", |settings| {
        settings["jobs"] = json!(1);
        settings["chain"] = json!({ "kind": "preset", "name": "Telephone" });
    });
    bench.call("batch.start", json!({}));
    assert!(bench.app.call("batch.clear", json!({})).is_err(), "a batch that runs is not changed");
    bench.wait("a finished file", |batch| each(batch, "state").contains(&"done"));
    let begun = Instant::now();
    bench.call("batch.cancel", json!({}));
    let stopped = bench.ended();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(stopped["status"]["phase"], "cancelled");
    let finished = each(&stopped, "state").iter().filter(|state| **state == "done").count();
    assert!(finished > 0 && finished < 24, "{finished} of 24");
    assert_eq!(each(&stopped, "state").iter().filter(|state| **state == "waiting").count(), 24 - finished);
    assert_eq!(bench.outputs().len(), finished + 1, "complete files and the list: {:?}", bench.outputs());

    let bench = bench.again();
    let restored = bench.call("batch.view", json!({}));
    assert_eq!(restored["items"].as_array().map(Vec::len), Some(24));
    assert_eq!(restored["status"]["output"], json!(bench.path("out").display().to_string()));
    let done = bench.run();
    assert_eq!(each(&done, "state").iter().filter(|state| **state == "skipped").count(), finished);
    assert_eq!(each(&done, "state").iter().filter(|state| **state == "done").count(), 24 - finished);
    assert_eq!(bench.outputs().len(), 25);
}

#[test]
fn a_cancel_after_the_last_file_has_cancelled_nothing() {
    let bench = start();
    bench.tone("in/a.wav", 1, &[]);
    bench.prepare("in", |settings| {
        (settings["resume"], settings["overwrite"]) = (json!(false), json!(true));
    });
    for _ in 0..5 {
        bench.call("batch.start", json!({}));
        bench.wait("the file", |batch| each(batch, "state") == ["done"]);
        bench.call("batch.cancel", json!({}));
        assert_eq!(bench.ended()["status"]["phase"], "finished");
    }
}

#[test]
fn a_pause_lets_files_in_hand_end_and_begins_no_other() {
    let bench = start();
    for number in 0..6 {
        bench.tone(&format!("in/{number}.wav"), 2, &[]);
    }
    bench.prepare("in", |settings| settings["jobs"] = json!(1));
    bench.call("batch.start", json!({}));
    bench.call("batch.pause", json!({}));
    let paused =
        bench.wait("rest", |batch| batch["status"]["phase"] == "paused" && !each(batch, "state").contains(&"running"));
    std::thread::sleep(Duration::from_millis(300));
    let later = bench.call("batch.view", json!({}));
    assert_eq!(each(&paused, "state"), each(&later, "state"));
    assert!(each(&later, "state").contains(&"waiting"), "{later}");
    bench.call("batch.resume", json!({}));
    assert_eq!(each(&bench.ended(), "state"), ["done"; 6]);
}

#[test]
fn names_are_numbered_where_they_would_be_the_same_and_never_those_of_inputs() {
    let bench = start();
    bench.tone("in/a.wav", 1, &[]);
    bench.tone("in/sub/a.wav", 1, &[]);
    let batch = bench.prepare("in", |settings| settings["template"] = json!("{name}.{ext}"));
    assert_eq!(each(&batch, "target"), ["a.wav", "a (2).wav"]);
    let wrong = bench.set(|settings| settings["template"] = json!("{name"));
    assert!(wrong["status"]["template_problem"].as_str().is_some_and(|text| text.contains("brace")));
    assert_eq!(each(&wrong, "target"), ["", ""]);
    assert!(bench.app.call("batch.start", json!({})).is_err());
    bench.choose("batch.choose_output", &bench.path("in"));
    let before = std::fs::read(bench.path("in/a.wav")).expect("a file");
    let harmful = bench.set(|settings| {
        settings["template"] = json!("{folder}/{name}.{ext}");
        settings["overwrite"] = json!(true);
    });
    assert_eq!(harmful["items"][0]["failure"]["code"], "refused");
    assert_eq!(each(&bench.run(), "state"), ["failed", "failed"]);
    assert_eq!(std::fs::read(bench.path("in/a.wav")).expect("a file"), before);
}

#[test]
fn the_list_takes_drops_while_it_is_seen_and_lets_go_of_inputs() {
    let bench = start();
    let (a, b) = (bench.tone("in/a.wav", 1, &[]), bench.tone("in/sub/b.wav", 1, &[]));
    assert!(bench.app.call("batch.start", json!({})).is_err(), "there is nothing to do");
    bench.call("batch.take_drops", json!({ "on": true }));
    bench.app.drop_and_tell(&[a.clone(), bench.path("in")]);
    let told = bench.desk.events("batch").pop().expect("the list");
    assert_eq!(each(&told["batch"], "name"), ["a.wav", "b.wav"], "one of them only once");
    assert!(bench.desk.events("opened").is_empty());
    let first = told["batch"]["items"][0]["id"].clone();
    assert_eq!(each(&bench.call("batch.remove", json!({ "items": [first] })), "name"), ["b.wav"]);
    bench.call("batch.take_drops", json!({ "on": false }));
    bench.app.drop_and_tell(&[b]);
    assert_eq!(bench.desk.events("opened").len(), 1);
    std::fs::create_dir(bench.path("empty")).expect("made");
    bench.choose("batch.add_folders", &bench.path("empty"));
    let notice = bench.desk.events("notice").pop().expect("a notice");
    assert!(
        notice["notice"]["message"].as_str().is_some_and(|text| text.contains("No recording found in empty")),
        "{notice}"
    );
    assert_eq!(each(&bench.call("batch.clear", json!({})), "name"), [""; 0]);
}
