//! Separating recordings in the window: the document of stems, its sum, the cache, the queue, cancelling, refusals.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::error::ErrorCode;
use undertone::units::SampleRate;

use super::bench::{Bench, again, start};

const RATE: u32 = 8000;

/// Writes a tone in the middle, one on a side, and clicks.
pub fn song(bench: &Bench, name: &str, channels: usize, seconds: f64) -> PathBuf {
    let wave = |channel: usize, n: usize| {
        let click = if n.is_multiple_of(4000) { 0.5 } else { 0.0 };
        let middle = (n as f64 * 0.3).sin() * 0.1;
        (middle + click + (n as f64 * 0.11).sin() * if channel == 0 { 0.2 } else { 0.0 }) as f32
    };
    let frames = (seconds * f64::from(RATE)) as usize;
    let planes = (0..channels).map(|channel| (0..frames).map(|n| wave(channel, n)).collect()).collect();
    written(bench, name, RATE, AudioBuffer::from_channels(planes))
}

fn written(bench: &Bench, name: &str, hz: u32, audio: AudioBuffer) -> PathBuf {
    let path = bench.folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let format = AudioFormat::new(SampleRate::new(hz).expect("a rate"), audio.channels());
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(&path, &settings, format, true, &[]).expect("an encoder");
    encoder.write(&audio).expect("written");
    encoder.finish().expect("finished");
    path
}

fn read(path: &Path) -> AudioBuffer {
    let mut audio = AudioBuffer::default();
    let file = AudioFile::open(path).expect("a file");
    file.reader().expect("a reader").read(&mut audio, file.info().frames as usize).expect("read");
    audio
}

fn wish(stems: &[&str], residual: bool) -> Value {
    let residual = if residual { "own" } else { "left_out" };
    json!({ "model": "quick", "stems": stems, "residual": residual, "quality": null })
}

pub fn voice() -> Value {
    wish(&["voice", "accompaniment"], false)
}

pub fn of_document(document: &Value) -> Value {
    json!({ "kind": "document", "document": document["id"], "track": null })
}

/// Separates a document. Returns the document of its stems.
fn separated(bench: &Bench, document: &Value, wish: &Value) -> Value {
    bench.call("stems.start", json!({ "source": of_document(document), "wish": wish }));
    let job = bench.wait_for_job();
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("separate")), "{job}");
    assert_eq!(job["done"], job["total"], "{job}");
    last_opened(bench)
}

pub fn last_opened(bench: &Bench) -> Value {
    bench.desk.events("opened").last().expect("an event")["opened"]["documents"][0].clone()
}

fn outlook(bench: &Bench, source: &Value, wish: &Value) -> Value {
    bench.call("stems.outlook", json!({ "source": source, "wish": wish }))
}

fn exported(bench: &Bench, document: &Value) -> AudioBuffer {
    let target = bench.folder.path().join("sum.wav");
    let _ = std::fs::remove_file(&target);
    let mut settings = bench.call("settings.view", json!({}))["export"].clone();
    (settings["bits"], settings["dither"]) = (json!("f32"), json!("none"));
    bench.desk.will_choose(&target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    let asked = json!({ "document": document["id"], "target": chosen, "settings": settings, "tags": null });
    bench.call("editor.export", asked);
    assert_eq!(bench.wait_for_job()["state"], "done");
    read(&target)
}

/// Returns the largest difference of the sum from the recording in dB relative to full scale. A mono recording is in
/// both channels of the sum.
fn difference_db(sum: &AudioBuffer, recording: &AudioBuffer) -> f64 {
    assert_eq!((sum.channels(), sum.frames()), (2, recording.frames()));
    let mut most = 0.0_f64;
    for channel in 0..2 {
        let from = recording.channel(channel.min(recording.channels() - 1));
        for (got, want) in sum.channel(channel).iter().zip(from) {
            most = most.max(f64::from((got - want).abs()));
        }
    }
    20.0 * most.max(1e-12).log10()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the entries of the cache, and the other files beside them.
pub fn cached(bench: &Bench) -> Vec<PathBuf> {
    let files = files_in(&bench.folder.path().join("data/stems"));
    files.into_iter().filter(|path| !path.ends_with("speeds.json")).collect()
}

pub fn made(bench: &Bench) -> Vec<PathBuf> {
    files_in(&bench.folder.path().join("data/Generated"))
}

pub fn strips(document: &Value, key: &str) -> Vec<Value> {
    document["tracks"].as_array().expect("tracks").iter().map(|track| track[key].clone()).collect()
}

#[test]
fn the_stems_are_tracks_of_a_new_document_and_sum_to_the_recording() {
    let bench = start();
    for (name, channels, split, residual) in [
        ("Song.wav", 2, ["voice", "accompaniment"], false),
        ("01. Mono.wav", 1, ["tones", "hits"], true),
        ("wide/Song.wav", 2, ["centre", "sides"], false),
    ] {
        let path = song(&bench, name, channels, 6.0);
        let bytes = std::fs::read(&path).expect("the recording");
        let document = bench.open(&path);
        let stems = separated(&bench, &document, &wish(&split, residual));
        let title = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert_eq!(stems["name"], format!("{title} - stems"));
        let mut contents = split.to_vec();
        contents.extend(residual.then_some("residual"));
        assert_eq!(strips(&stems, "content"), contents);
        assert_eq!(strips(&stems, "channels"), vec![json!(channels); contents.len()]);
        assert_eq!((&stems["frames"], &stems["rate"]), (&json!(48_000), &json!(RATE)));
        let mut colours = strips(&stems, "colour");
        colours.dedup();
        assert_eq!(colours.len(), contents.len(), "each has a colour of its own");
        let found = difference_db(&exported(&bench, &stems), &read(&path));
        assert!(found < -120.0, "{name}: {found} dB");
        assert_eq!(std::fs::read(&path).expect("the recording"), bytes, "the recording is not touched");
        // Without one of its stems, the sound is different.
        let muted = bench.call(
            "editor.edit_tracks",
            json!({ "document": stems["id"], "edit": { "kind": "mute", "track": 1, "on": true }, "gesture": null }),
        );
        assert!(difference_db(&exported(&bench, &muted), &read(&path)) > -60.0);
    }
    let startup = bench.call("workspace.startup", json!({}));
    assert_eq!(startup["documents"].as_array().map(Vec::len), Some(6));
    assert_eq!(startup["active"], last_opened(&bench)["id"]);
    assert_eq!(startup["settings"]["stems"]["wish"]["stems"], json!(["centre", "sides"]), "it is there the next time");
    assert!(startup["recent"].as_array().expect("a list").iter().all(|file| file["name"] != "Song - stems"));
}

#[test]
fn a_track_is_separated_as_it_is_edited_with_its_markers() {
    let bench = start();
    let document = bench.open(&song(&bench, "Song.wav", 2, 8.0));
    let range = json!({ "start": 0, "end": 16_000 });
    bench.call(
        "editor.set_selection",
        json!({ "document": document["id"], "selection": range, "band": null, "channels": null }),
    );
    bench.no_crossfades();
    let cut = bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "delete" } }));
    let add = json!({ "kind": "add", "start_frame": 100, "end_frame": null, "name": "Verse" });
    bench.call("editor.edit_markers", json!({ "document": document["id"], "edit": add }));
    let stems = separated(&bench, &cut, &voice());
    assert_eq!(stems["frames"], 48_000);
    let whole = read(&bench.folder.path().join("Song.wav"));
    let rest = AudioBuffer::from_channels((0..2).map(|channel| whole.channel(channel)[16_000..].to_vec()).collect());
    assert!(difference_db(&exported(&bench, &stems), &rest) < -120.0);
    assert_eq!(bench.call("editor.markers", json!({ "document": stems["id"] }))[0]["name"], "Verse");
    // A stem is separated again by its name.
    let source = json!({ "kind": "document", "document": stems["id"], "track": 2 });
    bench.call("stems.start", json!({ "source": source, "wish": wish(&["tones", "hits"], false) }));
    assert_eq!(bench.wait_for_job()["state"], "done");
    assert_eq!(last_opened(&bench)["name"], "Accompaniment - stems");
}

#[test]
fn separating_again_takes_the_stems_from_the_cache() {
    let bench = start();
    let document = bench.open(&song(&bench, "Song.wav", 2, 6.0));
    let source = of_document(&document);
    let before = outlook(&bench, &source, &voice());
    assert_eq!((&before["cached"], &before["expected_s"]), (&json!(0), &Value::Null));
    assert_eq!((&before["seconds"], &before["device"]["used"]), (&json!(6.0), &json!("cpu")));
    assert!(!before["device"]["reason"].as_str().expect("words").is_empty(), "{before}");
    let first = separated(&bench, &document, &voice());
    let entries = cached(&bench);
    assert_eq!(entries.len(), 1);
    let after = outlook(&bench, &source, &voice());
    assert_eq!((&after["cached"], &after["expected_s"]), (&json!(1), &json!(0.0)));
    let other = outlook(&bench, &source, &wish(&["voice", "accompaniment"], true));
    assert_eq!(other["cached"], 0, "with the residual it is another result");
    assert!(other["expected_s"].as_f64().expect("measured") > 0.0, "{other}");
    assert_eq!(outlook(&bench, &source, &wish(&["tones", "hits"], false))["expected_s"], Value::Null);

    // The files of the second document share their bytes with the first's.
    let second = separated(&bench, &document, &voice());
    assert_ne!(first["id"], second["id"]);
    assert_eq!((cached(&bench), made(&bench).len()), (entries.clone(), 4));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let file = |document: &Value| document["sources"][0]["path"].as_str().expect("a path").to_owned();
        let inode = |document: &Value| std::fs::metadata(file(document)).expect("a file").ino();
        assert_ne!(file(&first), file(&second));
        assert_eq!(inode(&first), inode(&second), "it was not separated again");
    }
    // An entry whose files were changed is not used.
    let stem = entries[0].join("voice.wav");
    let spoiled = vec![0; std::fs::metadata(&stem).expect("a stem").len() as usize];
    std::fs::remove_file(&stem).expect("removed");
    std::fs::write(&stem, spoiled).expect("spoiled");
    let third = separated(&bench, &document, &voice());
    assert!(difference_db(&exported(&bench, &third), &read(&bench.folder.path().join("Song.wav"))) < -120.0);
}

#[test]
fn without_a_cache_the_stems_are_those_of_the_document_alone() {
    let bench = start();
    let mut settings = bench.call("settings.view", json!({}));
    settings["stems"]["cache_mib"] = json!(0);
    bench.call("settings.set", json!({ "settings": settings }));
    let path = song(&bench, "Song.wav", 1, 4.0);
    let document = bench.open(&path);
    let stems = separated(&bench, &document, &voice());
    assert_eq!((cached(&bench), made(&bench).len()), (Vec::new(), 2));
    assert!(difference_db(&exported(&bench, &stems), &read(&path)) < -120.0);
    assert_eq!(outlook(&bench, &of_document(&document), &voice())["cached"], 0);
}

/// Writes noise with so many similarities that separating its voice takes long.
pub fn long(bench: &Bench, seconds: usize) -> PathBuf {
    let noise = |seed: u32| -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state as f32 / u32::MAX as f32 - 0.5
        };
        (0..seconds * 44_100).map(|_| next()).collect()
    };
    written(bench, "Long.wav", 44_100, AudioBuffer::from_channels(vec![noise(1), noise(2)]))
}

#[test]
fn a_cancel_stops_at_once_and_leaves_nothing() {
    let bench = start();
    let document = bench.open(&long(&bench, 60));
    let asked = json!({ "source": of_document(&document), "wish": voice() });
    let job = bench.call("stems.start", asked.clone());
    let end = Instant::now() + Duration::from_mins(1);
    let running =
        || bench.call("jobs.view", json!({})).as_array().and_then(|jobs| jobs.last().cloned()).expect("a job");
    while running()["done"].as_u64().expect("a count") < 500 {
        assert!(Instant::now() < end && running()["state"] == "running", "{}", running());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((&running()["total"], &running()["step"]), (&json!(60_000), &json!("Long")));
    let cancelled = Instant::now();
    bench.call("jobs.cancel", json!({ "job": job }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    // Jobs are polled ten times a second, and other tests run in parallel.
    assert!(cancelled.elapsed() < Duration::from_secs(2), "{:?}", cancelled.elapsed());
    assert_eq!((cached(&bench), made(&bench)), (Vec::new(), Vec::new()));
    assert_eq!(bench.desk.events("opened"), Vec::<Value>::new());
    // A job that is started after a cancel is not cancelled with it.
    let short = bench.open(&song(&bench, "Short.wav", 1, 4.0));
    let job = bench.call("stems.start", asked);
    bench.call("jobs.cancel", json!({ "job": job }));
    let next = bench.call("stems.start", json!({ "source": of_document(&short), "wish": voice() }));
    assert_ne!(next, job);
    assert_eq!(bench.wait_for_job()["state"], "done");
    assert_eq!(last_opened(&bench)["name"], "Short - stems");
}

#[test]
fn several_recordings_wait_for_each_other_and_one_that_fails_does_not_stop_them() {
    let bench = start();
    let folder = bench.folder.path().join("music");
    for name in ["a", "b", "c"] {
        song(&bench, &format!("music/{name}.wav"), if name == "b" { 1 } else { 2 }, 4.0);
    }
    bench.desk.will_choose(&folder);
    bench.call("library.add_folders", json!({}));
    let query = json!({ "query": { "text": "", "sort": [] }, "offset": 0, "limit": 10 });
    let end = Instant::now() + Duration::from_mins(1);
    let rows = loop {
        let page = bench.call("library.tracks", query.clone());
        let rows = page["rows"].as_array().cloned().unwrap_or_default();
        if rows.len() == 3 {
            break rows;
        }
        assert!(Instant::now() < end, "the scan did not end: {page}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let ids: Vec<Value> = rows.iter().map(|row| row["id"].clone()).collect();
    let source = json!({ "kind": "tracks", "tracks": ids });
    let centre = wish(&["centre", "sides"], false);
    let before = outlook(&bench, &source, &centre);
    assert_eq!((&before["recordings"], &before["problem"]), (&json!(3), &Value::Null));
    assert!(
        before["warnings"][0].as_str().is_some_and(|said| said.starts_with("b: ") && said.contains("mono")),
        "{before}"
    );
    let job = bench.call("stems.start", json!({ "source": source, "wish": centre }));
    let other = bench.open(&song(&bench, "d.wav", 2, 4.0));
    let queued = bench.call("stems.start", json!({ "source": of_document(&other), "wish": voice() }));
    let ended = bench.wait_for_job();
    assert_eq!(ended["state"], "done", "{ended}");
    let opened = bench.desk.events("opened");
    let mut names: Vec<String> = opened
        .iter()
        .map(|event| event["opened"]["documents"][0]["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names.last().map(String::as_str), Some("d - stems"), "in the order in which they were asked for");
    names.sort();
    assert_eq!(names, ["a - stems", "c - stems", "d - stems"]);
    // Unless the first one had ended before the second was requested.
    if queued == job {
        assert_eq!((&ended["done"], &ended["total"]), (&json!(12_000), &json!(12_000)), "{ended}");
    }
    let told = bench.desk.events("notice");
    assert!(told.iter().any(|event| event["notice"]["message"].as_str().is_some_and(|said| said.starts_with("b: "))));
    let many = json!({ "kind": "tracks", "tracks": vec![ids[0].clone(); 65] });
    let (_, message) = bench.fails("stems.start", json!({ "source": many, "wish": voice() }));
    assert!(message.contains("1 to 64"), "{message}");
}

#[test]
fn what_cannot_be_separated_is_refused_with_the_reason() {
    let bench = start();
    let document = bench.open(&song(&bench, "Mono.wav", 1, 4.0));
    let source = of_document(&document);
    let refused = |source: &Value, wish: &Value| bench.fails("stems.start", json!({ "source": source, "wish": wish }));
    let centre = wish(&["centre", "sides"], false);
    let (code, message) = refused(&source, &centre);
    assert_eq!(code, ErrorCode::Unsupported);
    assert!(message.contains("mono"), "{message}");
    let problem = outlook(&bench, &source, &centre)["problem"].clone();
    assert!(problem.as_str().is_some_and(|said| said.contains("mono")), "{problem}");
    let model = json!({ "model": "kazoo", "stems": ["voice"], "residual": "left_out", "quality": null });
    assert!(refused(&source, &model).1.contains("kazoo"));
    assert!(refused(&source, &wish(&[], false)).1.contains("one or more"));
    assert!(refused(&source, &wish(&["voice", "hits"], false)).1.contains("voice,accompaniment"));
    assert!(refused(&json!({ "kind": "document", "document": 99, "track": null }), &voice()).1.contains("document"));
    let track = json!({ "kind": "document", "document": document["id"], "track": 7 });
    assert!(refused(&track, &voice()).1.contains("track"));
    assert!(!refused(&json!({ "kind": "tracks", "tracks": [123] }), &voice()).1.is_empty());
    let stems = separated(&bench, &document, &voice());
    bench.call("editor.choose_track", json!({ "document": stems["id"], "choice": "sum" }));
    assert!(refused(&of_document(&stems), &voice()).1.contains("Choose the track"));
    assert_eq!(bench.call("jobs.view", json!({})).as_array().map(Vec::len), Some(1), "nothing was started in vain");
    // A failure within the job becomes its error, and leaves no files.
    let other = bench.open(&song(&bench, "Other.wav", 1, 5.0));
    let (before, folder) = (made(&bench), bench.folder.path().join("data/stems"));
    std::fs::rename(&folder, folder.with_extension("away")).expect("moved away");
    std::fs::write(&folder, b"a file where a folder should be").expect("written");
    bench.call("stems.start", json!({ "source": of_document(&other), "wish": voice() }));
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "failed", "{job}");
    assert!(job["failure"]["message"].as_str().is_some_and(|said| !said.is_empty()));
    assert_eq!(made(&bench), before);
}

#[test]
fn short_and_silent_recordings_are_separated_and_told() {
    let bench = start();
    let short = bench.open(&song(&bench, "Short.wav", 1, 0.1));
    let told = outlook(&bench, &of_document(&short), &voice());
    assert!(told["warnings"][0].as_str().is_some_and(|said| said.contains("shorter than 3 s")), "{told}");
    assert_eq!(separated(&bench, &short, &voice())["frames"], 800);
    let notices = bench.desk.events("notice");
    let last = notices.last().expect("a notice")["notice"].clone();
    assert!(last["message"].as_str().is_some_and(|said| said.starts_with("Short: ")), "{last}");
    let one = written(&bench, "One.wav", RATE, AudioBuffer::from_channels(vec![vec![0.5]]));
    assert_eq!(separated(&bench, &bench.open(&one), &wish(&["tones", "hits"], true))["frames"], 1);
    let silence = written(&bench, "Silence.wav", RATE, AudioBuffer::from_channels(vec![vec![0.0; 32_000]; 2]));
    let stems = separated(&bench, &bench.open(&silence), &voice());
    assert!(exported(&bench, &stems).iter().flatten().all(|sample| *sample == 0.0));
}

#[test]
fn a_preset_is_one_step_and_the_document_is_kept_like_any_other() {
    let bench = start();
    let path = song(&bench, "Song.wav", 2, 4.0);
    let document = bench.open(&path);
    let stems = separated(&bench, &document, &wish(&["voice", "accompaniment"], true));
    let heard = |document: &Value, preset: &str| {
        let edit = json!({ "kind": "stems", "preset": preset });
        bench.call("editor.edit_tracks", json!({ "document": document["id"], "edit": edit, "gesture": null }))
    };
    assert_eq!(strips(&heard(&stems, "karaoke"), "mute"), [true, false, false]);
    assert_eq!(strips(&heard(&stems, "a_cappella"), "mute"), [false, true, true]);
    let practice = heard(&stems, "practice_voice");
    assert_eq!((strips(&practice, "gain_db")[0].as_f64(), &practice["undo"]), (Some(-12.0), &json!("Hear stems")));
    let back = bench.call("editor.undo", json!({ "document": stems["id"] }));
    assert_eq!(strips(&back, "mute"), [false, true, true], "one step");
    let (_, message) = bench.fails(
        "editor.edit_tracks",
        json!({ "document": document["id"], "edit": { "kind": "stems", "preset": "all" }, "gesture": null }),
    );
    assert!(message.contains("stem"), "{message}");

    // The files are kept by the session after a kill, by a closed document, and permanently by a project.
    let bench = again(bench);
    let startup = bench.call("workspace.startup", json!({}));
    let kept = startup["documents"][1].clone();
    assert_eq!((&kept["name"], strips(&kept, "content")), (&json!("Song - stems"), strips(&stems, "content")));
    assert_eq!(bench.call("workspace.close_document", json!({ "document": kept["id"] })), "Song - stems");
    let opened = bench.call("workspace.reopen_closed", json!({}));
    let kept = opened["documents"][0].clone();
    assert_eq!((&kept["name"], strips(&kept, "mute")), (&json!("Song - stems"), strips(&back, "mute")));
    let project = bench.folder.path().join("Song.undertone");
    bench.desk.will_choose(&project);
    let saved = bench.call("workspace.save_project", json!({ "document": kept["id"], "choose": true }));
    assert_eq!(saved["name"], "Song.undertone");
    bench.call(
        "editor.edit_tracks",
        json!({ "document": kept["id"], "edit": { "kind": "stems", "preset": "all" }, "gesture": null }),
    );
    std::fs::remove_dir_all(bench.folder.path().join("data/stems")).expect("the cache is removed");
    let Bench { folder: _kept, app, .. } = bench;
    drop(app);
    // Another user's session knows only the files that the project names.
    let bench = start();
    let opened = bench.open(&project);
    assert_eq!(strips(&opened, "content"), ["voice", "accompaniment", "residual"]);
    assert!(
        opened["sources"].as_array().expect("sources").iter().all(|source| source["missing"].is_null()),
        "{opened}"
    );
    let all = bench.call(
        "editor.edit_tracks",
        json!({ "document": opened["id"], "edit": { "kind": "stems", "preset": "all" }, "gesture": null }),
    );
    assert!(difference_db(&exported(&bench, &all), &read(&path)) < -120.0);
}

#[test]
fn each_stem_is_exported_as_a_file_of_its_own() {
    let bench = start();
    let path = song(&bench, "Song.wav", 2, 4.0);
    let stems = separated(&bench, &bench.open(&path), &voice());
    let out = bench.folder.path().join("out");
    std::fs::create_dir(&out).expect("a folder");
    bench.desk.will_choose(&out);
    bench.call("editor.export_stems", json!({ "document": stems["id"] }));
    assert_eq!(bench.wait_for_job()["state"], "done");
    let names: Vec<String> =
        files_in(&out).iter().map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["01 Voice.wav", "02 Accompaniment.wav"]);
}

/// Puts a small network of random weights into the folder of models.
pub fn network(bench: &Bench) -> PathBuf {
    let folder = bench.folder.path().join("models");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("four.safetensors");
    let packed = crate::support::reference("htdemucs/four.safetensors.gz");
    let mut packed = flate2::read::GzDecoder::new(std::fs::File::open(packed).expect("the model"));
    std::io::copy(&mut packed, &mut std::fs::File::create(&path).expect("a file")).expect("unpacked");
    bench.desk.will_choose(&folder);
    bench.call("models.add_folders", json!({}));
    path
}

#[test]
fn a_network_separates_when_its_licence_is_confirmed() {
    let bench = start();
    let path = network(&bench);
    let models = bench.call("stems.models", json!({}));
    let model = models.as_array().expect("models").last().expect("the network");
    assert_eq!((models.as_array().map(Vec::len), &model["title"]), (Some(2), &json!("four.safetensors")));
    assert_eq!(model["sets"], json!([["vocals", "drums", "bass", "other"]]));
    let mut wish = json!({ "model": model["id"], "stems": model["sets"][0], "residual": "own", "quality": "Fast" });
    let recording = song(&bench, "Song.wav", 2, 4.0);
    let document = bench.open(&recording);
    let asked = |wish: &Value| json!({ "source": of_document(&document), "wish": wish });
    for command in ["stems.outlook", "stems.start"] {
        let (_, said) = bench.fails(command, asked(&wish));
        assert!(said.contains("The licence of Demucs is not confirmed"), "{said}");
    }
    bench.call("models.confirm_licence", json!({ "kind": "htdemucs", "confirmed": true }));
    let before = outlook(&bench, &of_document(&document), &wish);
    assert_eq!((&before["problem"], &before["cached"], &before["expected_s"]), (&Value::Null, &json!(0), &Value::Null));
    let stems = separated(&bench, &document, &wish);
    assert_eq!(strips(&stems, "content"), ["vocals", "drums", "bass", "other", "residual"]);
    let sum = exported(&bench, &stems);
    let far = difference_db(&sum, &read(&recording));
    assert!(far < -120.0, "the residual is what they leave: {far:.1} dB");
    // With the residual spread over the stems, they sum to the recording without it.
    let mut spread = wish.clone();
    spread["residual"] = json!("spread");
    let stems = separated(&bench, &document, &spread);
    assert_eq!(strips(&stems, "content"), ["vocals", "drums", "bass", "other"]);
    let far = difference_db(&exported(&bench, &stems), &read(&recording));
    assert!(far < -120.0, "the residual is spread: {far:.1} dB");
    spread["stems"] = json!(["drums", "bass"]);
    assert!(bench.fails("stems.start", asked(&spread)).1.contains("vocals"), "some stems cannot take it all");
    // It is available at once, by its content: even if the file has another name.
    assert_eq!(outlook(&bench, &of_document(&document), &wish)["cached"], 1);
    std::fs::rename(&path, path.with_file_name("renamed.safetensors")).expect("renamed");
    let (_, said) = bench.fails("stems.outlook", asked(&wish));
    assert!(said.contains("model"), "{said}");
    wish["model"] = bench.call("stems.models", json!({}))[1]["id"].clone();
    assert_eq!(outlook(&bench, &of_document(&document), &wish)["cached"], 1);
    // Another quality gives another result; an unknown one is reported.
    wish["quality"] = Value::Null;
    assert_eq!(outlook(&bench, &of_document(&document), &wish)["cached"], 0);
    wish["quality"] = json!("Splendid");
    let (_, said) = bench.fails("stems.outlook", asked(&wish));
    assert!(said.contains("Usual"), "{said}");
    // A file that is no longer a model is not offered.
    std::fs::write(path.with_file_name("renamed.safetensors"), b"gone").expect("written");
    assert_eq!(bench.call("stems.models", json!({})).as_array().map(Vec::len), Some(1));
}
