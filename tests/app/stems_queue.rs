//! Recordings that are being separated and recordings that wait: playing the finished part, removing one.

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::{Bench, again, start, start_in};
use super::stems::{cached, last_opened, long, made, network, of_document, song, strips, voice};

/// Waits until the queue satisfies `is_it`.
fn queue(bench: &Bench, is_it: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_mins(2);
    loop {
        let queue = bench.call("stems.view", json!({}));
        if is_it(&queue) {
            return queue;
        }
        assert!(Instant::now() < end, "{queue}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_empty(queue: &Value) -> bool {
    queue["running"].is_null() && queue["beside"] == json!([]) && queue["waiting"] == json!([])
}

fn begin(bench: &Bench, path: &Path) -> Value {
    let document = bench.open(path);
    bench.call("stems.start", json!({ "source": of_document(&document), "wish": voice() }))
}

/// Begins to separate a long recording, and waits for its first stems.
fn begun(bench: &Bench) -> Value {
    begin(bench, &long(bench, 40));
    let queue = queue(bench, |queue| queue["running"]["settled_frames"].as_u64().is_some_and(|frames| frames > 44_100));
    queue["running"].clone()
}

fn heard(bench: &Bench, task: &Value, stems: &[&str], from: Option<u64>) -> Value {
    bench.call("stems.hear", json!({ "task": task, "stems": stems, "from_frame": from }))["stems"].clone()
}

fn transport(bench: &Bench) -> Value {
    bench.call("playback.stop", json!({}))
}

#[test]
fn the_first_seconds_are_heard_while_the_rest_is_computed() {
    let bench = start();
    let running = begun(&bench);
    let (task, frames) = (&running["task"], 40 * 44_100);
    assert_eq!(
        (&running["name"], &running["rate"], &running["frames"]),
        (&json!("Long"), &json!(44_100), &json!(frames))
    );
    assert_eq!((&running["stems"], &running["problem"]), (&json!(["voice", "accompaniment"]), &Value::Null));
    assert!(running["settled_frames"].as_u64().expect("a count") < frames, "the rest is computed yet: {running}");
    let both = heard(&bench, task, &["voice", "accompaniment"], Some(0));
    assert_eq!(both, json!({ "task": task, "stems": ["voice", "accompaniment"], "held": false }));
    assert_eq!(bench.call("playback.stop", json!({}))["document"], Value::Null);
    assert_eq!(heard(&bench, task, &["voice"], None)["stems"], json!(["voice"]), "chosen without being played");
    let fails = |task: &Value, stems: &[&str], from: u64| {
        bench.fails("stems.hear", json!({ "task": task, "stems": stems, "from_frame": from }))
    };
    let (code, said) = fails(task, &["drums"], 0);
    assert!(code == ErrorCode::Invalid && said.contains("voice, accompaniment"), "{said}");
    let (_, said) = fails(task, &["voice"], frames - 10);
    assert!(said.contains("Wait a moment"), "{said}");
    let (_, said) = fails(&json!(99), &["voice"], 0);
    assert!(said.contains("any more"), "{said}");

    // Stems that were not chosen are muted in the document, and the player unloads those that it played.
    assert_eq!(bench.wait_for_job()["state"], "done");
    let document = last_opened(&bench);
    assert_eq!((strips(&document, "mute"), &document["frames"]), (vec![json!(false), json!(true)], &json!(frames)));
    assert_eq!(transport(&bench)["stems"], Value::Null);
    assert!(fails(task, &["voice"], 0).1.contains("any more"));
    let events = bench.desk.events("stems");
    let settled: Vec<u64> =
        events.iter().filter_map(|event| event["queue"]["running"]["settled_frames"].as_u64()).collect();
    assert!(settled.len() > 3 && settled.is_sorted() && settled[0] == 0, "{settled:?}");
    let last = &events.last().expect("an event")["queue"];
    assert!(is_empty(last), "{last}");
    assert!(last["moment"].as_u64() > events[0]["queue"]["moment"].as_u64());
}

#[test]
fn a_cancel_lets_go_of_what_is_heard() {
    let bench = start();
    let running = begun(&bench);
    assert_eq!(heard(&bench, &running["task"], &["voice"], Some(0))["stems"], json!(["voice"]));
    let jobs = bench.call("jobs.view", json!({}));
    bench.call("jobs.cancel", json!({ "job": jobs[0]["id"] }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    assert_eq!(transport(&bench)["stems"], Value::Null);
    assert_eq!((cached(&bench), made(&bench)), (Vec::new(), Vec::new()));
    let asked = json!({ "task": running["task"], "stems": [], "from_frame": 0 });
    assert!(bench.fails("stems.hear", asked).1.contains("any more"));
}

#[test]
fn a_failure_lets_go_of_what_is_heard() {
    let bench = start();
    let running = begun(&bench);
    // The document's files cannot be written.
    std::fs::write(bench.folder.path().join("data/Generated"), b"a file where a folder should be").expect("written");
    assert!(heard(&bench, &running["task"], &["voice"], Some(0)).is_object());
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "failed", "{job}");
    assert_eq!(transport(&bench)["stems"], Value::Null);
    assert_eq!(bench.desk.events("opened"), Vec::<Value>::new());
}

#[test]
fn another_sound_takes_the_place_of_what_is_heard_and_a_close_ends_it() {
    let bench = start();
    let other = bench.open(&song(&bench, "Other.wav", 2, 2.0));
    let running = begun(&bench);
    let task = &running["task"];
    assert!(heard(&bench, task, &["voice"], Some(0)).is_object());
    let played = bench.call("playback.play", json!({ "document": other["id"], "from_frame": 0, "until_frame": null }));
    assert_eq!((&played["stems"], &played["document"]), (&Value::Null, &other["id"]));
    assert_eq!(heard(&bench, task, &["voice"], None), Value::Null, "only chosen");
    assert!(heard(&bench, task, &["voice"], Some(0)).is_object());
    bench.app.shut_down();
    let bench = again(bench);
    let startup = bench.call("workspace.startup", json!({}));
    let names: Vec<&Value> =
        startup["documents"].as_array().expect("documents").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Other.wav", "Long.wav"], "and no half of a document");
    assert_eq!((cached(&bench), made(&bench)), (Vec::new(), Vec::new()));
}

#[test]
fn one_that_waits_is_left_out_and_the_one_that_runs_is_cancelled_alone() {
    let bench = start();
    let job = begin(&bench, &long(&bench, 40));
    for name in ["a", "b", "c"] {
        assert_eq!(begin(&bench, &song(&bench, &format!("{name}.wav"), 2, 4.0)), job, "one job for all");
    }
    let queued = queue(&bench, |queue| queue["running"].is_object());
    let names = |queue: &Value| -> Vec<Value> {
        queue["waiting"].as_array().expect("a list").iter().map(|one| one["name"].clone()).collect()
    };
    assert_eq!(
        (&queued["running"]["name"], names(&queued)),
        (&json!("Long"), vec![json!("a"), json!("b"), json!("c")])
    );
    assert_eq!(queued["waiting"][0]["seconds"], 4.0);
    let after = bench.call("stems.remove", json!({ "task": queued["waiting"][1]["task"] }));
    assert_eq!(names(&after), ["a", "c"]);
    let (code, _) = bench.fails("stems.remove", json!({ "task": queued["waiting"][1]["task"] }));
    assert_eq!(code, ErrorCode::Invalid);
    let total = || bench.call("jobs.view", json!({}))[0]["total"].clone();
    assert_eq!(total(), 48_000, "what does not wait any more is not counted");
    bench.call("stems.remove", json!({ "task": queued["running"]["task"] }));
    let ended = bench.wait_for_job();
    assert_eq!(ended["state"], "done", "{ended}");
    assert!(ended["total"].as_u64().is_some_and(|total| (8_000..48_000).contains(&total)), "{ended}");
    assert!(ended["total"].as_u64().zip(ended["done"].as_u64()).is_some_and(|(total, done)| total.abs_diff(done) < 3));
    let opened = bench.desk.events("opened");
    let opened: Vec<&Value> = opened.iter().map(|event| &event["opened"]["documents"][0]["name"]).collect();
    assert_eq!(opened, ["a - stems", "c - stems"]);
    let (code, _) = bench.fails("stems.remove", json!({ "task": queued["running"]["task"] }));
    assert_eq!(code, ErrorCode::Invalid);

    // The only one is cancelled with its job.
    begin(&bench, &long(&bench, 41));
    let queued = queue(&bench, |queue| queue["running"].is_object());
    bench.call("stems.remove", json!({ "task": queued["running"]["task"] }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
}

/// Begins to separate recordings of these lengths in seconds by a network on these devices.
fn begin_by_network(bench: &Bench, devices: &str, names: &[&str], seconds: f64) {
    let mut settings = bench.call("settings.view", json!({}));
    settings["device"] = json!(devices);
    bench.call("settings.set", json!({ "settings": settings }));
    network(bench);
    bench.call("models.confirm_licence", json!({ "kind": "htdemucs", "confirmed": true }));
    let model = bench.call("stems.models", json!({}))[1].clone();
    let wish = json!({ "model": model["id"], "stems": ["vocals", "bass"], "residual": "left_out", "quality": null });
    let songs: Vec<Value> =
        names.iter().map(|name| bench.open(&song(bench, &format!("{name}.wav"), 2, seconds))).collect();
    // They are opened beforehand, so that all of them wait soon after the first begins.
    for song in &songs {
        bench.call("stems.start", json!({ "source": of_document(song), "wish": wish }));
    }
}

/// Starts with the devices' speeds, which are measured once: on a software adapter of a busy machine, that takes
/// minutes.
fn start_measured() -> Bench {
    static SPEEDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let bench = start();
        bench.call("devices.measure", json!({}));
        std::fs::read(bench.folder.path().join("config/devices.json")).expect("the speeds")
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("config")).expect("a folder");
    std::fs::write(folder.path().join("config/devices.json"), &*SPEEDS).expect("written");
    start_in(folder)
}

/// Begins to separate three recordings of so many seconds by a network on a GPU and the CPU, and waits until each has
/// one. `None` without a GPU.
fn on_both(bench: &Bench, seconds: f64) -> Option<Value> {
    let devices = bench.call("devices.view", json!({}));
    let is_usable = |device: &Value| device["id"] == "gpu:0" && device["problem"].is_null();
    if !devices["devices"].as_array().expect("devices").iter().any(is_usable) {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "a GPU is required: {devices}");
        println!("skipped: there is no GPU");
        return None;
    }
    begin_by_network(bench, "gpu:0,cpu", &["a", "b", "c"], seconds);
    Some(queue(bench, |queue| queue["beside"].as_array().is_some_and(|beside| beside.len() == 1)))
}

fn opened_names(bench: &Bench) -> Vec<String> {
    let opened = bench.desk.events("opened");
    let name = |event: &Value| event["opened"]["documents"][0]["name"].as_str().expect("a name").to_owned();
    let mut names: Vec<String> = opened.iter().map(name).filter(|name| name.ends_with("stems")).collect();
    names.sort();
    names
}

#[test]
fn each_of_several_devices_separates_a_recording_of_its_own() {
    let bench = start_measured();
    let Some(queued) = on_both(&bench, 6.0) else { return };
    let task = |one: &Value| one["task"].as_u64().expect("a task");
    assert!(task(&queued["running"]) < task(&queued["beside"][0]), "the one that was begun first is heard: {queued}");
    let job = bench.wait_for_job();
    assert_eq!((&job["state"], &job["done"]), (&json!("done"), &job["total"]), "{job}");
    assert_eq!(opened_names(&bench), ["a - stems", "b - stems", "c - stems"]);
    let left = bench.call("stems.view", json!({}));
    assert!(is_empty(&left), "{left}");
}

#[test]
fn one_of_several_is_cancelled_alone_and_a_cancel_of_the_job_ends_all() {
    let bench = start_measured();
    let Some(queued) = on_both(&bench, 8.0) else { return };
    let dropped = queued["beside"][0]["name"].as_str().expect("a name");
    bench.call("stems.remove", json!({ "task": queued["beside"][0]["task"] }));
    // Its device takes the waiting one.
    queue(&bench, |queue| queue["waiting"] == json!([]));
    assert_eq!(bench.wait_for_job()["state"], "done");
    let others: Vec<String> =
        ["a", "b", "c"].iter().filter(|name| **name != dropped).map(|name| format!("{name} - stems")).collect();
    assert_eq!(opened_names(&bench), others);

    let bench = start_measured();
    on_both(&bench, 90.0);
    let job = bench.call("jobs.view", json!({})).as_array().expect("jobs").last().expect("the job").clone();
    bench.call("jobs.cancel", json!({ "job": job["id"] }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    assert_eq!(opened_names(&bench), Vec::<String>::new());
    assert_eq!((cached(&bench), made(&bench)), (Vec::new(), Vec::new()));
}

#[test]
fn a_device_of_the_settings_that_cannot_be_used_is_told() {
    let bench = start();
    begin_by_network(&bench, "gpu:99,cpu", &["a"], 3.0);
    assert_eq!(bench.wait_for_job()["state"], "done");
    assert_eq!(opened_names(&bench), ["a - stems"]);
    let notices = bench.desk.events("notice");
    let said =
        |event: &Value| event["notice"]["message"].as_str().is_some_and(|said| said.starts_with("gpu:99 is not used"));
    assert!(notices.iter().any(said), "{notices:?}");
}
