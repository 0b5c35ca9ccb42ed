//! `process`: ranges, levels, progress, several files, tags.

use serde_json::Value;
use undertone::audio::AudioFile;

use super::frames;
use crate::support::terminal::{Terminal, said, status};

#[test]
fn process_writes_a_range_at_a_level_and_says_where_it_ran() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let told = terminal.json(&[
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
    assert_eq!(frames(&terminal.path("out.wav")), 24_000);
}

#[test]
fn progress_is_told_in_lines_of_json_if_asked_for() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let words = ["process", "in.wav", "-o", "out.wav", "--chain", "lowpass(1000)", "--json", "--progress"];
    let run = |how: &str| terminal.run(&[&words[..], &[how, "--overwrite"]].concat());
    let output = run("json");
    assert_eq!(status(&output), 0, "{output:?}");
    let lines: Vec<Value> = said(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let last = &lines.last().expect("a line in the end")["progress"];
    assert_eq!((&last["title"], &last["share"]), (&"in.wav".into(), &1.0.into()), "{last}");
    assert_eq!(last["done"], last["total"]);
    serde_json::from_slice::<Value>(&output.stdout).expect("one document on standard output");
    // A pipe gets no bar and no lines unasked.
    for how in ["auto", "none"] {
        assert_eq!(said(&run(how)), "", "{how}");
    }
    assert_eq!(status(&run("loudly")), 2);
}

#[test]
fn one_failed_file_does_not_stop_the_others() {
    let terminal = Terminal::new();
    terminal.tone("a.wav");
    terminal.tone("c.wav");
    std::fs::write(terminal.path("b.wav"), b"RIFF").expect("written");
    std::fs::create_dir(terminal.path("out")).expect("a folder");
    let output = terminal.run(&[
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
    assert_eq!((frames(&terminal.path("out/a.flac")), frames(&terminal.path("out/c.flac"))), (48_000, 48_000));
    // Two inputs with the same output file are reported before any work starts.
    std::fs::create_dir(terminal.path("sub")).expect("a folder");
    terminal.tone("sub/a.wav");
    assert_eq!(status(&terminal.run(&["process", "a.wav", "sub/a.wav", "-o", "out"])), 2);
}

#[test]
fn mp3_needs_lame_and_says_how_to_get_it() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    let without = |words: &[&str]| {
        terminal
            .program()
            .args(words)
            .env("UNDERTONE_LAME", "libmp3lame-that-nobody-has.so")
            .output()
            .expect("the program starts")
    };
    let output = without(&["process", "tone.wav", "-o", "out.mp3"]);
    assert_eq!(status(&output), 1, "{output:?}");
    let message = said(&output);
    assert!(message.contains("MP3 without the LAME library") && message.contains("Install"), "{message}");
    assert!(!terminal.path("out.mp3").exists());
    // Nothing else needs it.
    assert_eq!(status(&without(&["process", "tone.wav", "-o", "out.opus"])), 0);
    if cfg!(target_os = "linux") {
        let output = terminal.run(&["process", "tone.wav", "-o", "out.mp3", "--bitrate", "128"]);
        assert_eq!(status(&output), 0, "{}", said(&output));
        assert_eq!(frames(&terminal.path("out.mp3")), 48_000);
    }
}

#[test]
fn tags_and_gain_of_outputs_are_options() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x02\0\0\0";
    std::fs::write(terminal.path("cover.png"), png).expect("written");
    let words =
        ["process", "tone.wav", "-o", "a.flac", "--tag", "title=One = two", "--tag", "GENRE=", "--cover", "cover.png"];
    let output = terminal.run(&words);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let tags = AudioFile::open(&terminal.path("a.flac")).expect("opens").info().tags.clone();
    assert_eq!(tags.items.get("TITLE").map(String::as_str), Some("One = two"));
    assert_eq!(tags.pictures.len(), 1);
    assert_eq!(status(&terminal.run(&["process", "a.flac", "-o", "b.flac", "--no-cover"])), 0);
    let tags = AudioFile::open(&terminal.path("b.flac")).expect("opens").info().tags.clone();
    assert_eq!((tags.items.len(), tags.pictures.len()), (1, 0));
    assert_eq!(status(&terminal.run(&["process", "a.flac", "-o", "c.flac", "--tag", "no text"])), 2);

    let peak = |words: &[&str]| {
        terminal.json(&[&["process", "tone.wav", "--json", "-o"][..], words].concat())["files"][0]["peak_db"].as_f64()
    };
    let (plain, lower) = (peak(&["d.wav"]).expect("a level"), peak(&["e.wav", "--gain", "-2.4"]).expect("a level"));
    assert!((plain - lower - 2.4).abs() < 1e-4, "{plain} {lower}");
}
