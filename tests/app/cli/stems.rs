//! `undertone stems`: files, names, options and refusals.

use std::process::Output;

use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, SampleFormat};
use undertone::audio::tags::TagText;
use undertone::audio::{AudioBuffer, AudioFile, Tags};

use crate::support::terminal::{Terminal, said, status};

const FRAMES: usize = 40_000;

impl Terminal {
    /// Writes five seconds of a tone in the middle, one on a side, and clicks.
    fn song(&self, name: &str, channels: usize, title: &str) {
        let wave = |channel: usize, n: usize| {
            let click = if n.is_multiple_of(4000) { 0.5 } else { 0.0 };
            let middle = (n as f64 * 0.3).sin() * 0.1;
            (middle + click + (n as f64 * 0.11).sin() * if channel == 0 { 0.2 } else { 0.0 }) as f32
        };
        let channels = (0..channels).map(|channel| (0..FRAMES).map(|n| wave(channel, n)).collect()).collect();
        let mut tags = Tags::default();
        tags.items.insert("TITLE".to_owned(), title.into());
        let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
        self.write(name, 8000, channels, &settings, &tags);
    }

    fn stems(&self, words: &[&str]) -> Output {
        self.run(&[&["stems"], words].concat())
    }

    /// Returns the exit status and the report of each file.
    fn separated(&self, words: &[&str]) -> (i32, Vec<Value>) {
        self.reports(&[&["stems"], words].concat())
    }

    /// Returns the exit status and the output.
    fn refused(&self, words: &[&str]) -> (i32, String) {
        let output = self.stems(words);
        (status(&output), said(&output))
    }

    fn samples(&self, name: &str) -> AudioBuffer {
        let mut all = AudioBuffer::default();
        let file = AudioFile::open(&self.path(name)).expect("a file");
        file.reader().expect("a reader").read(&mut all, usize::MAX >> 1).expect("read");
        all
    }
}

/// Returns the largest difference between a recording and a sum.
fn difference(whole: &AudioBuffer, parts: &[AudioBuffer]) -> f32 {
    let mut worst = 0.0_f32;
    for channel in 0..whole.channels() {
        for (n, x) in whole.channel(channel).iter().enumerate() {
            let sum: f32 = parts.iter().map(|part| part.channel(channel)[n]).sum();
            worst = worst.max((x - sum).abs());
        }
    }
    worst
}

#[test]
fn stems_are_files_that_sum_to_the_recording() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "Air");
    for (stems, [first, second]) in [
        ("voice,accompaniment", ["voice", "accompaniment"]),
        ("hits,tones", ["hits", "tones"]),
        ("centre,sides", ["centre", "sides"]),
    ] {
        let (status, files) =
            terminal.separated(&["song.wav", "-o", "out", "--stems", stems, "--residual", "--overwrite"]);
        assert_eq!((status, files.len()), (0, 1), "{files:?}");
        let file = &files[0];
        assert_eq!((&file["input"], &file["model"]), (&"song.wav".into(), &"quick".into()));
        assert_eq!((&file["rough"], &file["frames"], &file["rate"]), (&true.into(), &FRAMES.into(), &8000.into()));
        assert_eq!(file["device"]["used"], "cpu");
        let (seconds, factor) = (file["seconds"].as_f64().unwrap(), file["realtime_factor"].as_f64().unwrap());
        assert!((factor * seconds - 5.0).abs() < 1e-6, "{factor} {seconds}");
        let told: Vec<&Value> = file["stems"].as_array().unwrap().iter().map(|stem| &stem["stem"]).collect();
        assert_eq!(told, [first, second, "residual"]);
        let parts = [first, second, "residual"].map(|stem| terminal.samples(&format!("out/song - {stem}.wav")));
        let whole = terminal.samples("song.wav");
        assert!(difference(&whole, &parts[..2]) < 1e-6);
        assert!(difference(&whole, &parts[..1]) > 0.01, "one alone is not the whole");
        assert!(file["stems"][2]["peak_db"].as_f64().is_none_or(|peak| peak < -120.0), "{file}");
        let tags = AudioFile::open(&terminal.path(&format!("out/song - {first}.wav"))).unwrap().info().tags.clone();
        assert_eq!(tags.items.get("TITLE").map(TagText::as_str), Some("Air"));
        assert!(!tags.items.contains_key("STEM"));
    }
    assert_eq!(terminal.names("out").len(), 7);
    // The residual of one stem is the other.
    let words = ["song.wav", "-o", "alone", "--stems", "sides", "--residual", "--tag", "TITLE=B", "--bits", "16"];
    assert_eq!(terminal.separated(&words).0, 0);
    let left = terminal.samples("alone/song - residual.wav");
    assert!(difference(&terminal.samples("out/song - centre.wav"), &[left]) < 1e-3);
    assert_eq!(terminal.names("alone"), ["song - residual.wav", "song - sides.wav"]);
}

#[test]
fn formats_ranges_rates_and_names_are_chosen() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "Air: on G");
    let name = "{stem}/{title}.{ext}";
    let words = ["song.wav", "-o", "out", "--stems", "tones", "--name", name, "--format", "flac", "--start", "1"];
    let (status, files) = terminal.separated(&[&words[..], &["--end", "3", "--rate", "16000"]].concat());
    assert_eq!((status, &files[0]["frames"], &files[0]["rate"]), (0, &32_000.into(), &16_000.into()), "{files:?}");
    assert_eq!(terminal.names("out/tones"), ["Air_ on G.flac"]);
    assert_eq!(AudioFile::open(&terminal.path("out/tones/Air_ on G.flac")).unwrap().info().frames, 32_000);
    let (status, files) = terminal.separated(&["song.wav", "-o", "opus", "--format", "opus"]);
    assert_eq!((status, &files[0]["rate"]), (0, &48_000.into()), "{files:?}");
    assert_eq!(terminal.names("opus"), ["song - accompaniment.opus", "song - voice.opus"]);
    // The tree of folders is kept.
    std::fs::create_dir_all(terminal.path("in/one")).unwrap();
    terminal.song("in/one/a.wav", 1, "A");
    assert_eq!(terminal.separated(&["in", "-o", "tree", "--recursive", "--stems", "hits"]).0, 0);
    assert_eq!(terminal.names("tree/one"), ["a - hits.wav"]);
}

#[test]
fn an_error_in_one_file_does_not_stop_the_others() {
    let terminal = Terminal::new();
    terminal.song("mono.wav", 1, "M");
    terminal.song("stereo.wav", 2, "S");
    std::fs::write(terminal.path("broken.wav"), b"RIFF").unwrap();
    let words = ["mono.wav", "broken.wav", "none.wav", "stereo.wav", "-o", "out", "--stems", "centre,sides"];
    let (status, files) = terminal.separated(&words);
    assert_eq!((status, files.len()), (1, 4), "{files:?}");
    let message = files[0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("mono") && message.contains("voice and accompaniment"), "{message}");
    assert!(files[1]["error"].is_object() && files[2]["error"].is_object());
    assert_eq!(files[3]["stems"].as_array().unwrap().len(), 2);
    assert_eq!(terminal.names("out"), ["stereo - centre.wav", "stereo - sides.wav"], "nothing else is left");
    // Existing files are kept, unless overwriting is requested.
    let (status, files) = terminal.separated(&["stereo.wav", "-o", "out", "--stems", "centre,sides"]);
    assert_eq!((status, &files[0]["error"]["code"]), (1, &"refused".into()), "{files:?}");
    assert_eq!(terminal.separated(&["stereo.wav", "-o", "out", "--stems", "centre", "--overwrite"]).0, 0);
    // An input is never replaced.
    let words = ["stereo.wav", "-o", ".", "--stems", "hits", "--name", "{name}.{ext}", "--overwrite"];
    let (status, files) = terminal.separated(&words);
    assert_eq!((status, &files[0]["error"]["code"]), (1, &"refused".into()), "{files:?}");
    // A mono recording has a voice.
    assert_eq!(terminal.separated(&["mono.wav", "-o", "out"]).0, 0);
}

#[test]
fn wrong_words_are_refused() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "S");
    for (words, said) in [
        (&["song.wav", "-o", "out", "--model", "htdemucs"][..], "quick"),
        (&["song.wav", "-o", "out", "--stems", "vocals"], "voice,accompaniment or tones,hits"),
        (&["song.wav", "-o", "out", "--stems", "singer"], "voice, vocals, drums"),
        (&["song.wav", "-o", "out", "--stems", "voice,hits"], "tones,hits"),
        (&["song.wav", "-o", "out", "--stems", "voice,voice"], "voice once"),
        (&["song.wav", "-o", "out", "--stems", "residual"], "not residual"),
        (&["song.wav", "-o", "out", "--stems", ""], "not nothing"),
        (&["song.wav"], "--output"),
        (&["-o", "out"], "<IN>"),
        (&["song.wav", "-o", "song.wav"], "not a folder"),
        (&["song.wav", "-o", "out", "--name", "{name"], "brace"),
    ] {
        let (status, told) = terminal.refused(words);
        assert!(status == 2 && told.contains(said), "{words:?}: {status} {told}");
    }
    let (status, told) = terminal.refused(&["song.wav", "-o", "out", "--name", "{name}.{ext}"]);
    assert!(status == 1 && told.contains("{stem}"), "{status} {told}");
    let (status, told) = terminal.refused(&["song.wav", "-o", "out", "--start", "9"]);
    assert!(status == 1, "{status} {told}");
    assert!(!terminal.path("out").exists() || terminal.names("out").is_empty(), "nothing was written");
}

#[test]
fn models_are_listed() {
    let terminal = Terminal::new();
    let output = terminal.stems(&["--list-models", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let quick = &told["models"][0];
    assert_eq!((&quick["name"], &quick["rough"]), (&"quick".into(), &true.into()));
    assert_eq!(quick["stems"][2], serde_json::json!(["centre", "sides"]));
    let text = String::from_utf8(terminal.stems(&["--list-models"]).stdout).unwrap();
    assert!(text.contains("rough") && text.contains("voice,accompaniment"), "{text}");
}

/// Unpacks the small random model of `tests/reference/htdemucs.py`.
fn model(terminal: &Terminal) {
    let packed = crate::support::reference("htdemucs/four.safetensors.gz");
    let mut file = std::fs::File::create(terminal.path("small.safetensors")).unwrap();
    std::io::copy(&mut flate2::read::GzDecoder::new(std::fs::File::open(packed).unwrap()), &mut file).unwrap();
}

#[test]
fn a_model_splits_into_its_stems() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "S");
    model(&terminal);
    let common = ["song.wav", "-o", "out", "--model", "small.safetensors", "--device", "cpu"];
    let (status, files) = terminal.separated(&[&common[..], &["--residual"]].concat());
    assert_eq!(status, 0, "{files:?}");
    let file = &files[0];
    assert_eq!((&file["model"], &file["rough"]), (&"small.safetensors".into(), &false.into()));
    assert_eq!((&file["device"]["used"], file["frames"].as_u64()), (&"cpu".into(), Some(FRAMES as u64)), "{file}");
    assert!(file["device"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    let stems: Vec<&str> =
        file["stems"].as_array().unwrap().iter().map(|stem| stem["stem"].as_str().unwrap()).collect();
    assert_eq!(stems, ["drums", "bass", "other", "vocals", "residual"]);
    // The residual is the remainder after the stems.
    let parts: Vec<AudioBuffer> =
        stems.iter().map(|stem| terminal.samples(&format!("out/song - {stem}.wav"))).collect();
    assert!(difference(&terminal.samples("song.wav"), &parts) < 1e-5);
    let words = ["--residual=spread", "--bits", "f32", "--overwrite"];
    assert_eq!(terminal.separated(&[&common[..], &words].concat()).0, 0);
    let parts = ["drums", "bass", "other", "vocals"].map(|stem| terminal.samples(&format!("out/song - {stem}.wav")));
    assert!(difference(&terminal.samples("song.wav"), &parts) < 1e-5, "each stem took its share");
    assert_eq!(terminal.separated(&[&common[..], &["--residual=spread", "--stems", "bass"]].concat()).0, 2);
    // A seed gives the same shifts each time; another seed gives others.
    let mut made = Vec::new();
    for seed in ["3", "3", "4"] {
        let words = ["--stems", "bass", "--shifts", "1", "--seed", seed, "--overlap", "0.1", "--overwrite"];
        assert_eq!(terminal.separated(&[&common[..], &words].concat()).0, 0);
        made.push(terminal.samples("out/song - bass.wav"));
    }
    assert!(made[0] == made[1] && made[1] != made[2]);
}

#[test]
fn wrong_models_and_their_options_are_refused() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "S");
    terminal.song("many.wav", 3, "S");
    model(&terminal);
    for (words, said) in [
        (&["--model", "none.th"][..], "neither `quick` nor"),
        (&["--model", "song.wav"], "not a weight file"),
        (&["--model", "small.safetensors", "--stems", "piano"], "drums, bass, other, vocals"),
        (&["--model", "small.safetensors", "--stems", "voice"], "drums, bass, other, vocals"),
        (&["--model", "small.safetensors", "--shifts", "21"], "0 to 20"),
        (&["--model", "small.safetensors", "--overlap", "1"], "0 to 0.95"),
        (&["--model", "small.safetensors", "--transition-power", "0.5"], "1 to 16"),
        (&["--model", "small.safetensors", "--segment", "1"], "at most 0.8"),
        (&["--model", "small.safetensors", "--segment", "0.01"], "longer than half a window"),
        (&["--model", "small.safetensors", "--segment", "nan"], "Segment"),
    ] {
        let (status, told) = terminal.refused(&[&["song.wav", "-o", "out"], words].concat());
        assert!(status != 0 && told.contains(said), "{words:?}: {status} {told}");
    }
    let (status, files) = terminal.separated(&["many.wav", "-o", "out", "--model", "small.safetensors"]);
    assert!(status == 1 && files[0]["error"]["message"].as_str().unwrap().contains("3 channels"), "{files:?}");
    assert!(!terminal.path("out").exists() || terminal.names("out").is_empty(), "nothing was written");
}

#[test]
fn models_in_folders_are_listed_with_their_stems() {
    let terminal = Terminal::new();
    model(&terminal);
    let output = terminal.stems(&["--list-models", ".", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &told["models"][1];
    assert_eq!((&found["kind"], &found["needs_weights"]), (&"htdemucs".into(), &true.into()), "{told}");
    assert_eq!(found["stems"][0], serde_json::json!(["drums", "bass", "other", "vocals"]));
    assert!(found["licence"].as_str().is_some_and(|licence| licence.contains("MIT")));
    std::fs::write(terminal.path("broken.th"), b"PK").unwrap();
    let output = terminal.stems(&["--list-models", "broken.th", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && told["models"][1]["error"].is_object(), "{told}");
}

#[test]
fn a_run_resumes_with_what_is_not_there_whole() {
    let terminal = Terminal::new();
    for name in ["a.wav", "b.wav"] {
        terminal.song(name, 2, "S");
    }
    let common = ["a.wav", "b.wav", "-o", "out", "--stems", "centre,sides", "--resume"];
    let run = |more: &[&str]| terminal.separated(&[&common[..], more].concat());
    let skipped = |files: &[Value]| -> Vec<bool> { files.iter().map(|file| file["skipped"] == true).collect() };
    let (status, files) = run(&[]);
    assert_eq!((status, skipped(&files)), (0, vec![false, false]), "{files:?}");
    let (status, files) = run(&[]);
    assert_eq!((status, skipped(&files)), (0, vec![true, true]), "{files:?}");
    assert_eq!(files[0]["stems"][0]["stem"], "centre");
    assert!(files[0]["stems"][0]["output"].as_str().is_some_and(|output| output.ends_with("a - centre.wav")));
    let text = String::from_utf8(terminal.stems(&common).stdout).unwrap();
    assert_eq!(text.matches("skipped, finished before").count(), 4, "{text}");
    // A missing stem, a changed one, or another input: the file is split again.
    std::fs::remove_file(terminal.path("out/b - sides.wav")).unwrap();
    let (status, files) = run(&["--overwrite"]);
    assert_eq!((status, skipped(&files)), (0, vec![true, false]), "{files:?}");
    std::fs::write(terminal.path("out/a - centre.wav"), b"changed").unwrap();
    let (status, files) = run(&[]);
    assert_eq!((status, &files[0]["error"]["code"]), (1, &"refused".into()), "nothing is replaced unasked: {files:?}");
    assert_eq!(skipped(&run(&["--overwrite"]).1), [false, true]);
    // Likewise with other settings.
    for other in [&["--residual"][..], &["--bits", "16"], &["--tag", "TITLE=X"]] {
        let (status, files) = run(&[other, &["--overwrite"]].concat());
        assert_eq!((status, skipped(&files)), (0, vec![false, false]), "{other:?}: {files:?}");
    }
    // Stems in the folder of the recordings are not taken as inputs.
    let within = ["--recursive", ".", "-o", ".", "--stems", "centre,sides", "--resume"];
    std::fs::remove_dir_all(terminal.path("out")).unwrap();
    assert_eq!(terminal.separated(&within).1.len(), 2);
    assert_eq!(skipped(&terminal.separated(&within).1), [true, true]);
}

#[test]
fn a_model_resumes_by_its_numbers_and_options() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, "S");
    model(&terminal);
    std::fs::copy(terminal.path("small.safetensors"), terminal.path("same.safetensors")).unwrap();
    let run = |model: &str, more: &[&str]| {
        let common = ["song.wav", "-o", "out", "--model", model, "--device", "cpu", "--resume", "--overwrite"];
        let (status, files) = terminal.separated(&[&common[..], more].concat());
        assert_eq!(status, 0, "{files:?}");
        files[0]["skipped"] == true
    };
    assert!(!run("small.safetensors", &[]));
    assert!(run("small.safetensors", &[]) && run("same.safetensors", &[]), "the same numbers in another file");
    assert!(!run("small.safetensors", &["--overlap", "0.1"]));
    assert!(!run("small.safetensors", &["--shifts", "1"]));
    assert!(!run("small.safetensors", &["--shifts", "1", "--seed", "2"]));
    assert!(!run("small.safetensors", &["--stems", "bass"]));
    assert!(!run("small.safetensors", &["--segment", "0.5"]));
    assert!(!run("small.safetensors", &["--transition-power", "2"]));
}

#[test]
fn devices_are_listed_in_short() {
    let terminal = Terminal::new();
    let output = terminal.stems(&["--list-devices", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((&told["devices"][0]["id"], &told["choice"]["used"]), (&"cpu".into(), &"cpu".into()), "{told}");
    assert!(told["choice"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{told}");
    let text = String::from_utf8(terminal.stems(&["--list-devices"]).stdout).unwrap();
    assert!(text.starts_with("cpu ") && text.contains(" chooses cpu: "), "{text}");
    model(&terminal);
    let output = terminal.stems(&["--list-devices", "--model", "small.safetensors", "--device", "gpu:99", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["choice"]["requested"], &told["choice"]["fallback"]), (&"gpu:99".into(), &true.into()), "{told}");
    assert_eq!(terminal.refused(&["--list-devices", "--list-models"]).0, 2);
}

#[test]
fn several_devices_take_files_of_their_own() {
    let terminal = Terminal::new();
    for name in ["a.wav", "b.wav", "c.wav"] {
        terminal.song(name, 2, "S");
    }
    model(&terminal);
    let devices = terminal.stems(&["--list-devices", "--json"]);
    let devices: Value = serde_json::from_slice(&devices.stdout).unwrap();
    let has_gpu = devices["devices"]
        .as_array()
        .unwrap()
        .iter()
        .any(|device| device["id"] == "gpu:0" && device["problem"].is_null());
    if !has_gpu {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "a GPU is required");
        println!("skipped: there is no GPU");
        return;
    }
    let common = ["a.wav", "b.wav", "c.wav", "--model", "small.safetensors", "--stems", "bass,vocals"];
    let used = |files: &[Value]| -> Vec<String> {
        files.iter().map(|file| file["device"]["used"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let (status, files) = terminal.separated(&[&common[..], &["-o", "both", "--device", "gpu:0,cpu"]].concat());
    assert_eq!((status, files.len()), (0, 3), "{files:?}");
    let told: Vec<&str> = files.iter().map(|file| file["input"].as_str().unwrap()).collect();
    assert_eq!(told, ["a.wav", "b.wav", "c.wav"], "in the order of the inputs");
    let mut first = used(&files)[..2].to_vec();
    first.sort();
    assert_eq!(first, ["cpu", "gpu:0"], "each begins with one: {files:?}");
    // The same as on one device, except for rounding.
    let (status, files) = terminal.separated(&[&common[..], &["-o", "one", "--device", "cpu"]].concat());
    assert_eq!((status, used(&files)), (0, vec!["cpu".to_owned(); 3]));
    for name in ["a - bass.wav", "b - vocals.wav", "c - vocals.wav"] {
        let (both, one) = (terminal.samples(&format!("both/{name}")), terminal.samples(&format!("one/{name}")));
        assert!(difference(&one, &[both]) < 1e-4, "{name}");
    }
    // An absent device takes no files, and this is reported.
    let output = terminal.stems(&[&common[..], &["-o", "absent", "--device", "gpu:99,cpu", "--json"]].concat());
    let files: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(used(files["files"].as_array().unwrap()), ["cpu", "cpu", "cpu"], "{files}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("gpu:99 is not used: there is no gpu:99"), "{said}");
}
