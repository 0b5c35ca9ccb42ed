//! The command line as a user runs it: the built program, its output and its exit status.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat};
use undertone::units::SampleRate;

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tone(&self, name: &str) -> PathBuf {
        let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels: 1 };
        let wave = |n: usize| (0.5 * (n as f64 * 1000.0 * std::f64::consts::TAU / 48_000.0).sin()) as f32;
        let audio = AudioBuffer::from_channels(vec![(0..48_000).map(wave).collect()]);
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&self.path(name), &settings, format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        self.path(name)
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(words)
            .current_dir(self.0.path())
            .env("UNDERTONE_CONFIG_DIR", self.path("config"))
            .env("UNDERTONE_DATA_DIR", self.path("data"))
            .output()
            .expect("the program starts")
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn frames(path: &Path) -> u64 {
    AudioFile::open(path).expect("opens").info().frames
}

#[test]
fn help_is_done_and_wrong_words_are_usage() {
    let desk = Desk::new();
    assert_eq!(status(&desk.run(&["--help"])), 0);
    assert_eq!(status(&desk.run(&["effects", "peaking"])), 0);
    for wrong in
        [&["proces"][..], &["process"], &["effects", "revreb"], &["response", "lowpass(1 kHz", "--rate", "48000"]]
    {
        assert_eq!(status(&desk.run(wrong)), 2, "{wrong:?}");
    }
}

#[test]
fn a_fault_in_a_chain_is_pointed_at_and_the_nearest_name_given() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let output = desk.run(&["process", "in.wav", "-o", "out.wav", "-c", "gain(1 dB) | hihgpass(80 Hz)"]);
    assert_eq!(status(&output), 2);
    let words = said(&output);
    assert!(words.contains("did you mean `highpass`") && words.contains("              ^^^^^^^^"), "{words}");
    assert!(!desk.path("out.wav").exists());
}

#[test]
fn effects_and_responses_are_told_as_json() {
    let desk = Desk::new();
    let effects = desk.json(&["effects", "--json"]);
    assert!(effects["effects"].as_array().is_some_and(|all| all.len() >= 14));
    let response = desk.json(&[
        "response",
        "lowpass(1 kHz)",
        "--rate",
        "48000",
        "--points",
        "3",
        "--from",
        "1000",
        "--to",
        "4000",
        "--json",
    ]);
    let at_cutoff = response["magnitude_db"][0].as_f64().expect("a level");
    assert!((at_cutoff + 3.0103).abs() < 1e-4, "{at_cutoff}");
    assert_eq!(response["sections"][0].as_array().map(Vec::len), Some(6));
    assert_eq!(response["frequency_hz"].as_array().map(Vec::len), Some(3));
}

#[test]
fn info_tells_what_files_are_and_fails_for_those_that_are_none() {
    let desk = Desk::new();
    desk.tone("in.wav");
    std::fs::write(desk.path("no.wav"), b"not audio").expect("written");
    let output = desk.run(&["info", "in.wav", "no.wav", "--json"]);
    assert_eq!(status(&output), 1);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["files"][0]["frames"], 48_000);
    assert_eq!(told["files"][0]["codec"], "PCM 16 bit");
    assert_eq!(told["files"][1]["error"]["code"], "malformed");
}

#[test]
fn process_writes_a_range_at_a_level_and_says_where_it_ran() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let told = desk.json(&[
        "process",
        "in.wav",
        "-o",
        "out.wav",
        "-c",
        "gain(-6 dB)",
        "--start",
        "0.25",
        "--end",
        "0:00.75",
        "--bits",
        "f32",
        "--device",
        "cpu",
        "--json",
    ]);
    let file = &told["files"][0];
    assert_eq!((&file["frames"], &file["rate"], &file["channels"]), (&24_000.into(), &48_000.into(), &1.into()));
    assert_eq!((&file["device"]["requested"], &file["device"]["used"]), (&"cpu".into(), &"cpu".into()));
    for stage in ["decode", "upload", "kernels", "readback", "encode", "total"] {
        assert!(file["seconds"][stage].is_number(), "{stage}");
    }
    let peak = file["peak_db"].as_f64().expect("a level");
    assert!((peak + 12.02).abs() < 0.05, "{peak}");
    assert_eq!(frames(&desk.path("out.wav")), 24_000);
}

#[test]
fn a_device_that_does_not_exist_falls_back_and_says_so() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let output = desk.run(&[
        "process",
        "in.wav",
        "-o",
        "out.wav",
        "-c",
        "lowpass(1 kHz)",
        "--device",
        "no such adapter",
        "--json",
    ]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let device = &told["files"][0]["device"];
    assert_eq!(
        (&device["requested"], &device["used"], &device["fallback"]),
        (&"no such adapter".into(), &"cpu".into(), &true.into())
    );
    assert!(said(&output).contains("no such adapter"));
}

#[test]
fn nothing_is_overwritten_unasked_and_an_input_never() {
    let desk = Desk::new();
    let input = desk.tone("in.wav");
    let before = std::fs::read(&input).expect("read");
    std::fs::write(desk.path("out.wav"), b"mine").expect("written");
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "out.wav"])), 1);
    assert_eq!(std::fs::read(desk.path("out.wav")).expect("read"), b"mine");
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "out.wav", "--overwrite"])), 0);
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "in.wav", "--overwrite"])), 1);
    assert_eq!(std::fs::read(&input).expect("read"), before);
}

#[test]
fn one_failed_file_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.tone("a.wav");
    desk.tone("c.wav");
    std::fs::write(desk.path("b.wav"), b"RIFF").expect("written");
    std::fs::create_dir(desk.path("out")).expect("a folder");
    let output = desk.run(&[
        "process",
        "a.wav",
        "b.wav",
        "c.wav",
        "-o",
        "out",
        "-c",
        "highpass(80 Hz)",
        "--format",
        "flac",
        "--json",
    ]);
    assert_eq!(status(&output), 1);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(told["files"][1]["error"]["message"].is_string());
    assert_eq!((frames(&desk.path("out/a.flac")), frames(&desk.path("out/c.flac"))), (48_000, 48_000));
    // Two inputs that would be written to one file are told before anything is done.
    std::fs::create_dir(desk.path("sub")).expect("a folder");
    desk.tone("sub/a.wav");
    assert_eq!(status(&desk.run(&["process", "a.wav", "sub/a.wav", "-o", "out"])), 2);
}

#[test]
fn devices_names_the_cpu_first() {
    let desk = Desk::new();
    let told = desk.json(&["devices", "--device", "cpu", "--json"]);
    assert_eq!(told["devices"][0]["id"], "cpu");
    assert_eq!(told["choice"]["used"], "cpu");
}

#[test]
fn escape_sequences_of_strangers_do_not_reach_the_terminal() {
    use undertone::audio::{Tags, tags};
    let desk = Desk::new();
    let path = desk.tone("plain.wav");
    let title = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{9b}0m\nTITLE forged\u{202e}dne";
    let items = [("TITLE".to_owned(), title.to_owned())].into_iter().collect();
    tags::write(&path, &Tags { items, pictures: Vec::new() }).expect("written");
    let named = desk.path("\u{1b}[2Jname.wav");
    std::fs::copy(&path, &named).expect("copied");
    let missing = desk.path("\u{1b}[2Jmissing.wav");
    let words = |path: &Path| path.to_str().expect("text").to_owned();
    let hidden = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        text.chars().find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}'))
    };
    for command in [
        vec!["info".to_owned(), words(&named)],
        vec!["info".to_owned(), words(&missing)],
        vec!["process".to_owned(), words(&missing), "--chain".to_owned(), "gain(\u{1b}[31m)".to_owned()],
        vec!["process".to_owned(), words(&named), "gain(-1 dB)".to_owned(), "--no-such\u{1b}[31m".to_owned()],
        vec!["analyze".to_owned(), words(&missing)],
        vec!["library".to_owned(), "scan".to_owned(), words(&desk.path("\u{1b}[2Jfolder"))],
        vec!["library".to_owned(), "list".to_owned(), "\u{1b}[2J".to_owned()],
    ] {
        let output = desk.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        for (what, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
            assert_eq!(hidden(bytes), None, "{what} of {command:?}: {}", String::from_utf8_lossy(bytes).escape_debug());
        }
    }
    let shown = String::from_utf8(desk.run(&["info", &words(&named)]).stdout).expect("UTF-8");
    assert!(shown.contains("\\u{1b}[31mred") && shown.contains("\\nTITLE forged\\u{202e}"), "{shown}");
    // JSON is exact.
    assert_eq!(desk.json(&["info", "--json", &words(&named)])["files"][0]["tags"]["items"]["TITLE"], title);
}
