//! Batch processing on the command line: patterns, folders, name templates, and files that are already done.

use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, SampleFormat};
use undertone::audio::tags::TagText;
use undertone::audio::{AudioBuffer, AudioFile, Tags};

use crate::support::terminal::{Terminal, tone};

impl Terminal {
    fn tagged(&self, name: &str, items: &[(&str, &str)]) {
        let mut tags = Tags::default();
        tags.items.extend(items.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())));
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        self.write(name, 48_000, vec![tone(0.1, 48_000, 48_000)], &settings, &tags);
    }

    /// Returns the exit status and the report of each file.
    fn files(&self, words: &[&str]) -> (i32, Vec<Value>) {
        self.reports(&[words, &["--device", "cpu"]].concat())
    }

    /// Returns all files below a folder, with `/` as the separator.
    fn below(&self, name: &str) -> Vec<String> {
        let root = self.path(name);
        let mut names: Vec<String> = walkdir::WalkDir::new(&root)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.path().strip_prefix(&root).expect("below").to_string_lossy().replace('\\', "/"))
            .collect();
        names.sort();
        names
    }
}

#[test]
fn patterns_are_expanded_by_the_program() {
    let terminal = Terminal::new();
    for name in ["a.wav", "b.wav", "c [live].wav", "other.txt"] {
        terminal.tagged(name, &[]);
    }
    std::fs::create_dir(terminal.path("out")).expect("made");
    let (status, files) = terminal.files(&["process", "*.wav", "a.wav", "-o", "out", "--format", "opus"]);
    assert_eq!((status, files.len()), (0, 3), "each once: {files:?}");
    assert_eq!(terminal.below("out"), ["a.opus", "b.opus", "c [live].opus"]);
    // An existing file whose name looks like a pattern is that file.
    let (status, files) = terminal.files(&["process", "c [live].wav", "-o", "live.ogg", "--quality", "2"]);
    assert_eq!((status, &files[0]["frames"]), (0, &48_000.into()));
    // A pattern without matches is reported, and the others are processed.
    let (status, files) = terminal.files(&["process", "x*.wav", "a.wav", "-o", "out"]);
    assert_eq!(status, 1);
    assert!(files[0]["error"]["message"].as_str().is_some_and(|text| text.contains("x*.wav")), "{files:?}");
    assert_eq!(files[1]["frames"], 48_000);
}

#[test]
fn folders_are_taken_with_their_tree() {
    let terminal = Terminal::new();
    for name in ["in/a.wav", "in/one/a.wav", "in/one/two/b.wav", "in/.hidden/c.wav"] {
        terminal.tagged(name, &[]);
    }
    std::fs::write(terminal.path("in/one/cover.jpg"), b"no sound").expect("written");
    std::fs::write(terminal.path("in/one/broken.wav"), b"RIFF").expect("written");
    // Folders are only searched with `--recursive`.
    std::fs::create_dir(terminal.path("in/out")).expect("made");
    assert_eq!(terminal.files(&["process", "in", "-o", "in/out"]).0, 1);
    let words = ["process", "in", "-o", "in/out", "--recursive", "--format", "flac", "--jobs", "3"];
    let (status, files) = terminal.files(&words);
    assert_eq!((status, files.len()), (1, 4), "{files:?}");
    assert_eq!(terminal.below("in/out"), ["a.flac", "one/a.flac", "one/two/b.flac"]);
    assert!(files.iter().any(|file| file["error"]["code"] == "malformed"));
    // Outputs are not taken as inputs, and existing files are not replaced.
    let (status, files) = terminal.files(&words);
    assert_eq!((status, files.len()), (1, 4));
    assert!(files.iter().all(|file| file["error"].is_object()));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_called_one_however_it_is_found() {
    let terminal = Terminal::new();
    terminal.tagged("in/a.wav", &[]);
    for (name, target) in
        [("in/gone.wav", "nowhere.wav"), ("in/far.flac", "/nowhere/at/all.flac"), ("in/self.mp3", "self.mp3")]
    {
        std::os::unix::fs::symlink(target, terminal.path(name)).expect("linked");
    }
    std::fs::create_dir(terminal.path("out")).expect("made");
    let (status, files) = terminal.files(&["process", "in", "-o", "out", "--recursive"]);
    assert_eq!((status, files.len()), (1, 4), "{files:?}");
    let message = |files: &[serde_json::Value], name: &str| {
        let of = |file: &&serde_json::Value| file["input"].as_str().is_some_and(|input| input.ends_with(name));
        files.iter().find(of).map(|file| file["error"]["message"].to_string()).unwrap_or_default()
    };
    for name in ["gone.wav", "far.flac"] {
        let told = message(&files, name);
        assert!(told.contains("a link to a file that does not exist"), "{name}: {told} of {files:?}");
        let named = format!("in/{name}");
        let (_, alone) = terminal.files(&["process", &named, "in/a.wav", "-o", "out", "--overwrite"]);
        assert!(message(&alone, name).contains("a link to a file that does not exist"), "{name}: {alone:?}");
        let told = terminal.run(&["info", &named]).stderr;
        assert!(String::from_utf8_lossy(&told).contains("a link to a file that does not exist"), "{name}");
    }
}

#[test]
fn names_are_made_of_tags() {
    let terminal = Terminal::new();
    terminal.tagged("1.wav", &[("TITLE", "Air: \"on\" G"), ("ALBUM", "Suites"), ("TRACKNUMBER", "3/12")]);
    terminal.tagged("2.wav", &[("ALBUM", "Suites"), ("TRACKNUMBER", "11")]);
    terminal.tagged("3.wav", &[("TITLE", "../../up")]);
    let name = "{album|Singles}/{track:02} {title}.{ext}";
    let (status, files) =
        terminal.files(&["process", "1.wav", "2.wav", "3.wav", "-o", "out", "--format", "vorbis", "--name", name]);
    assert_eq!(status, 0, "{files:?}");
    assert_eq!(
        terminal.below("out"),
        ["Singles/Unknown track .._.._up.ogg", "Suites/03 Air_ _on_ G.ogg", "Suites/11 2.ogg"]
    );
    let file = AudioFile::open(&terminal.path("out/Suites/03 Air_ _on_ G.ogg")).expect("opens");
    assert_eq!(file.info().tags.items.get("TITLE").map(TagText::as_str), Some("Air: \"on\" G"));
    // The same name for all: refused, or numbered.
    let same = ["process", "1.wav", "2.wav", "-o", "same", "--name", "x.{ext}"];
    assert_eq!(terminal.run(&same).status.code(), Some(2));
    assert!(!terminal.path("same").exists());
    assert_eq!(terminal.files(&[&same[..], &["--collisions", "number"]].concat()).0, 0);
    assert_eq!(terminal.below("same"), ["x (2).wav", "x.wav"]);
    assert_eq!(terminal.run(&["process", "1.wav", "-o", "out", "--name", "{title"]).status.code(), Some(2));
}

#[test]
fn what_was_finished_is_skipped_until_something_changes() {
    let terminal = Terminal::new();
    for name in ["a.wav", "b.wav"] {
        terminal.tagged(name, &[]);
    }
    std::fs::write(terminal.path("c.wav"), b"RIFF").expect("written");
    std::fs::create_dir(terminal.path("out")).expect("made");
    let words =
        ["process", "a.wav", "b.wav", "c.wav", "-o", "out", "--format", "flac", "--resume", "-c", "gain(-1 dB)"];
    let skipped = |files: &[Value]| files.iter().map(|file| file["skipped"] == true).collect::<Vec<_>>();
    let (status, files) = terminal.files(&words);
    assert_eq!((status, skipped(&files)), (1, vec![false, false, false]));
    let (status, files) = terminal.files(&words);
    assert_eq!((status, skipped(&files)), (1, vec![true, true, false]));
    // One output has been deleted, and a broken input has been repaired.
    std::fs::remove_file(terminal.path("out/b.flac")).expect("removed");
    terminal.tagged("c.wav", &[]);
    let (status, files) = terminal.files(&words);
    assert_eq!((status, skipped(&files)), (0, vec![true, false, false]));
    // Another chain is different work. Existing outputs are replaced only with `--overwrite`.
    let other = [&words[..10], &["gain(-2 dB)"]].concat();
    assert_eq!(terminal.files(&other).0, 1);
    let (status, files) = terminal.files(&[&other[..], &["--overwrite"]].concat());
    assert_eq!((status, skipped(&files)), (0, vec![false; 3]));
}

#[test]
fn a_loudness_is_reached_for_each_file() {
    let terminal = Terminal::new();
    terminal.tagged("a.wav", &[]);
    let (status, files) = terminal.files(&["process", "a.wav", "-o", "a.opus", "--loudness", "-18", "--bitrate", "96"]);
    assert_eq!(status, 0, "{files:?}");
    // A sine with amplitude 0.1 in one channel has -23 LUFS.
    let gain = files[0]["loudness_gain_db"].as_f64().expect("a gain");
    assert!((gain - 5.0).abs() < 0.2, "{gain}");
    // An option that a format does not support is an error of each file.
    for wrong in [&["--quality", "3"][..], &["--bitrate", "2"]] {
        assert_eq!(terminal.files(&[&["process", "a.wav", "-o", "b.opus"], wrong].concat()).0, 1);
    }
    assert!(!terminal.path("b.opus").exists());
}

#[test]
fn files_that_share_a_gpu_are_those_that_it_makes_one_at_a_time() {
    let terminal = Terminal::new();
    for name in ["in/a.wav", "in/b.wav", "in/c.wav", "in/d.wav"] {
        terminal.tagged(name, &[]);
    }
    let run = |jobs: &[&str], out: &str| {
        let chain = "highpass(80 Hz) | fir(lowpass, 4 kHz, 257)";
        let words = ["process", "in/a.wav", "in/b.wav", "in/c.wav", "in/d.wav", "--chain", chain, "-o", out];
        std::fs::create_dir_all(terminal.path(out)).expect("a folder");
        let output = terminal.run(&[&words, jobs, &["--device", "gpu", "--json"]].concat());
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        told["files"].as_array().cloned().expect("files")
    };
    let (alone, together) = (run(&["--jobs", "1"], "alone"), run(&[], "together"));
    if alone[0]["device"]["used"] == "cpu" {
        assert!(std::env::var("UNDERTONE_REQUIRE_GPU").as_deref() != Ok("1"), "a GPU is required: {alone:?}");
        eprintln!("SKIPPED: no GPU adapter; set UNDERTONE_REQUIRE_GPU=1 to make this a failure");
        return;
    }
    for (one, other) in alone.iter().zip(&together) {
        let bytes =
            |told: &Value| std::fs::read(terminal.path(told["output"].as_str().expect("a path"))).expect("a file");
        assert_eq!((one["device"]["used"].as_str(), other["device"]["used"].as_str()), (Some("gpu:0"), Some("gpu:0")));
        assert!(bytes(one) == bytes(other), "{one} and {other}");
    }
}

#[test]
fn the_files_of_a_batch_are_shared_among_the_devices_that_are_named() {
    if std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none() {
        println!("skipped: it needs lavapipe and llvmpipe's OpenGL");
        return;
    }
    let terminal = Terminal::new();
    let names: Vec<String> = (0..6).map(|number| format!("{number}.wav")).collect();
    names.iter().for_each(|name| terminal.tagged(name, &[]));
    let run = |device: &str, out: &str| {
        std::fs::create_dir(terminal.path(out)).expect("made");
        let chain = ["-c", "lowpass(1 kHz, order=8)", "--bits", "f32", "--jobs", "3", "--device", device, "--json"];
        let output = terminal
            .program()
            .arg("process")
            .args(&names)
            .args(["-o", out])
            .args(chain)
            .env_remove("WGPU_BACKEND")
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let used = |file: &Value| file["device"]["used"].as_str().expect("a device").to_owned();
        let mut used: Vec<String> = told["files"].as_array().expect("files").iter().map(used).collect();
        used.sort();
        used.dedup();
        used
    };
    assert_eq!(run("cpu", "plain"), ["cpu"]);
    // How many files each is given depends on the speeds that were measured: a unit test of `dsp::device` decides it.
    let shared = run("vulkan,opengl", "shared");
    assert!(!shared.is_empty() && shared.iter().all(|used| ["gpu:0", "gpu:1"].contains(&used.as_str())), "{shared:?}");
    // A missing device is left out without an error.
    assert_eq!(run("gpu:7,cpu", "rest"), ["cpu"]);
    for name in &names {
        let read = |out: &str| {
            let file = AudioFile::open(&terminal.path(out).join(name)).expect("opened");
            let mut audio = AudioBuffer::default();
            file.reader().expect("a reader").read(&mut audio, 1 << 20).expect("read");
            audio.channel(0).to_vec()
        };
        let (plain, shared) = (read("plain"), read("shared"));
        let error = plain.iter().zip(&shared).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(plain.len() == shared.len() && error < 1e-6, "{name}: {error}");
    }
}
