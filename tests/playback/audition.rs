//! Auditioning tracks of a library through the app, into a private sound server: the sound server's output, and the
//! alternation of documents and auditions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::chain::Placement;
use undertone::error::ErrorCode;
use undertone::library::{FILE_NAME, Library, ScanOptions};
use undertone::units::SampleRate;
use undertone::window::{App, Event, FileChoice, Host};
use undertone::work::Directories;
use undertone::work::file_analysis::analyser;

use super::pulse::start;
use super::signal::{Finder, channel, noise, residual_db};

/// The length of a piece that is searched for in the recorded output, in frames.
const PIECE: usize = 1_200;

/// A host that always opens the same file.
struct Desk(PathBuf);

impl Host for Desk {
    fn emit(&self, _: Event) {}

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }
}

fn write(path: &Path, rate: u32, audio: &AudioBuffer) {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), audio.channels());
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).unwrap();
    encoder.write(audio).unwrap();
    encoder.finish().unwrap();
}

struct Bench {
    app: App,
    folder: tempfile::TempDir,
    tracks: Vec<i64>,
}

/// Creates an app whose library has these recordings.
fn bench(recordings: &[(&str, u32, &AudioBuffer)]) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let music = folder.path().join("music");
    std::fs::create_dir(&music).unwrap();
    for (name, rate, audio) in recordings {
        write(&music.join(name), *rate, audio);
    }
    let data = folder.path().join("data");
    let directories = Directories::at(folder.path().join("config"), data.clone()).unwrap();
    let tracks = {
        let (library, _) = Library::open(&data.join(FILE_NAME)).unwrap();
        library.add_root(&music).unwrap();
        library.scan(ScanOptions::new(analyser(Placement::cpu(), |_| {}))).unwrap().wait().unwrap();
        let root = library.roots().unwrap()[0].path.clone();
        recordings.iter().map(|(name, ..)| library.find(&root.join(name)).unwrap().expect("a track")).collect()
    };
    let first = music.join(recordings[0].0);
    Bench { app: App::new(Arc::new(Desk(first)), directories).unwrap(), folder, tracks }
}

impl Bench {
    fn call(&self, name: &str, args: Value) -> Value {
        self.app.call(name, args).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn audition(&self, a: (usize, f64), b: Option<(usize, f64)>, from_s: f64) -> Value {
        let track = |(track, offset_s): (usize, f64)| json!({ "track": self.tracks[track], "offset_s": offset_s });
        self.call("library.audition", json!({ "a": track(a), "b": b.map(track), "from_s": from_s }))
    }

    fn view(&self) -> Value {
        // The loop is off anyway, so this command only returns the state of playback.
        self.call("playback.set_loop", json!({ "looping": false }))
    }

    fn wait(&self, what: &str, done: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.view();
            if done(&view) {
                return view;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{what}: {view}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn at_s(view: &Value) -> f64 {
    view["audition"]["at_s"].as_f64().unwrap_or_else(|| panic!("no audition: {view}"))
}

/// Returns whether a piece of a recording occurs in a sink's recorded output, sample by sample.
fn is_heard(recorded: &[f32], piece: &[f32]) -> bool {
    let left = channel(recorded, 0);
    let place = Finder::new(&left, piece.len()).find(piece);
    left.get(place..place + piece.len()).is_some_and(|got| residual_db(got, piece) < -90.0)
}

#[test]
fn both_sides_of_an_audition_are_heard_at_their_common_time() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let whole = noise(4 * 48_000);
    let plane = |from: usize| whole.channel(0)[from..].to_vec();
    let a = AudioBuffer::from_channels(vec![plane(0), plane(0)]);
    // The same without its first half second, in mono and inverted, so that the two can be told apart.
    let b = AudioBuffer::from_channels(vec![plane(24_000).iter().map(|sample| -sample).collect()]);
    let bench = bench(&[("a.wav", 48_000, &a), ("b.wav", 48_000, &b)]);
    let recording = pulse.record("main", 48_000);
    let view = bench.audition((0, 0.5), Some((1, 0.0)), 0.25);
    assert_eq!((&view["document"], &view["audition"]["rate"]), (&Value::Null, &json!(48_000)));
    assert_eq!(view["audition"]["duration_s"], json!(3.5));
    assert_eq!((view["side"].as_str(), at_s(&view)), (Some("original"), 0.25), "where it was asked from, at once");
    // With matched loudness, the second would not be heard unchanged.
    let mut settings = bench.call("settings.view", json!({}));
    settings["library"]["matched"] = json!(false);
    bench.call("settings.set", json!({ "settings": settings }));
    bench.wait("side A is heard", |view| at_s(view) > 1.0);
    let before = at_s(&bench.call("playback.set_side", json!({ "side": "processed" })));
    let after = at_s(&bench.wait("side B is heard", |view| view["side"] == "processed" && at_s(view) > 1.8));
    assert!(before >= 1.0 && after < 2.5, "{before} s, {after} s");
    bench.call("playback.stop", json!({}));
    recording.wait_for(24_000);
    let recorded = recording.end();
    // On a busy machine some pieces are interrupted; one of each side is sufficient.
    let heard = |of: &[f32], from: usize, to: usize| {
        (from..to).step_by(PIECE).any(|start| is_heard(&recorded, &of[start..start + PIECE]))
    };
    assert!(heard(a.channel(0), 40_000, 70_000), "side A");
    assert!(heard(b.channel(0), 60_000, 90_000), "side B, from where A was");
    assert!(!heard(b.channel(0), 10_000, 40_000) && !heard(a.channel(0), 96_000, 110_000), "never both");
}

#[test]
fn documents_and_auditions_take_turns_and_failures_leave_what_plays() {
    let Some(_pulse) = start(&[("main", 48_000)]) else { return };
    let audio = noise(10 * 44_100);
    let bench = bench(&[("a.wav", 44_100, &audio), ("b.wav", 48_000, &audio), ("gone.wav", 44_100, &noise(44_100))]);
    let opened = bench.call("workspace.open_dialog", json!({}));
    let document = &opened["documents"][0]["id"];
    let play = |from: u64| {
        bench.call("playback.play", json!({ "document": document, "from_frame": from, "until_frame": null }))
    };
    play(44_100);
    bench.wait("the document plays", |view| view["playing"] == true && view["frame"].as_u64() > Some(44_100 + 4_410));
    bench.call("playback.set_side", json!({ "side": "processed" }));

    let gone = bench.folder.path().join("music/gone.wav");
    std::fs::remove_file(&gone).unwrap();
    let fails = |args: Value| bench.app.call("library.audition", args).expect_err("a failure");
    let track = |track: i64| json!({ "track": track, "offset_s": 0.0 });
    let error = fails(json!({ "a": track(bench.tracks[0]), "b": track(bench.tracks[2]), "from_s": 0.0 }));
    assert!(error.code() == ErrorCode::Io && error.to_string().contains("gone.wav"), "{error}");
    assert_eq!(fails(json!({ "a": track(987_654), "b": null, "from_s": 0.0 })).code(), ErrorCode::Invalid);
    let far = json!({ "track": bench.tracks[0], "offset_s": 11.0 });
    assert_eq!(fails(json!({ "a": far, "b": null, "from_s": 0.0 })).code(), ErrorCode::Invalid);
    let view = bench.view();
    assert!(view["document"] == *document && view["audition"].is_null() && view["playing"] == true, "{view}");

    let view = bench.audition((0, 0.0), Some((1, 0.0)), 2.0);
    assert!(view["document"].is_null() && at_s(&view) == 2.0, "{view}");
    let view = bench.wait("the audition plays", |view| view["playing"] == true && at_s(view) > 2.1);
    assert_eq!((&view["side"], &view["audition"]["rate"]), (&json!("original"), &json!(48_000)));
    assert_eq!(view["matched"], json!(true), "as the library's settings have it");
    assert_eq!(bench.call("playback.set_loop", json!({ "looping": true }))["looping"], json!(true));
    bench.call("playback.set_loop", json!({ "looping": false }));
    // The same audition again seeks without loading.
    bench.audition((0, 0.0), Some((1, 0.0)), 5.0);
    bench.wait("it goes there", |view| view["playing"] == true && at_s(view) > 5.1);
    // The side that is heard first, for loaded and for new auditions.
    let sided = |offset_s: f64, side: &str| {
        let a = json!({ "track": bench.tracks[0], "offset_s": offset_s });
        bench.call("library.audition", json!({ "a": a, "b": track(bench.tracks[1]), "from_s": 5.0, "side": side }))
    };
    for (offset_s, side) in [(0.0, "processed"), (0.0, "original"), (0.25, "processed"), (0.5, "original")] {
        assert_eq!(sided(offset_s, side)["side"], json!(side), "from {offset_s} s");
    }
    bench.audition((0, 0.0), Some((1, 0.0)), 5.0);
    bench.wait("it goes back there", |view| view["playing"] == true && at_s(view) > 5.1);
    bench.call("playback.seek", json!({ "frame": 7 * 48_000 }));
    bench.wait("it is moved", |view| at_s(view) > 7.1);
    let stopped = at_s(&bench.call("playback.stop", json!({})));
    let view = bench.wait("it stops", |view| view["playing"] == false);
    assert!(!view["audition"].is_null() && (7.0..stopped + 1.0).contains(&at_s(&view)), "{view}");

    play(100);
    let view = bench.wait("the document plays again", |view| view["playing"] == true && view["document"] == *document);
    assert!(view["audition"].is_null() && view["frame"].as_u64() < Some(5 * 44_100), "{view}");
    assert_eq!((&view["side"], &view["matched"]), (&json!("processed"), &json!(false)), "heard as it was before");

    // A single track, and the document is closed while it plays.
    let view = bench.audition((1, -0.5), None, -3.0);
    assert!(view["audition"]["b"].is_null() && at_s(&view) == 0.0, "{view}");
    bench.call("workspace.close_document", json!({ "document": document }));
    let view = bench.wait("it plays on", |view| view["playing"] == true && at_s(view) > 0.1);
    let duration_s = view["audition"]["duration_s"].as_f64().unwrap();
    assert!((duration_s - (10.0 * 44_100.0 / 48_000.0 + 0.5)).abs() < 1e-4, "{duration_s}");
    bench.audition((1, -0.5), None, 1e9);
    let view = bench.wait("it ends", |view| view["playing"] == false);
    assert!(at_s(&view) <= duration_s, "{view}");
}
