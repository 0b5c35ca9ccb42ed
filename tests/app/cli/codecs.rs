//! `undertone codecs` as a user runs it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use undertone::audio::Tags;
use undertone::audio::encode::{Dither, EncodeSettings, SampleFormat};

use crate::support::songs::Song;
use crate::support::terminal;

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_undertone"));
    command.arg("codecs").args(words).current_dir(folder);
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Writes a song in stereo.
fn song(path: &Path, seed: u64, rate: u32, seconds: f64) {
    let settings = EncodeSettings { sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    terminal::write(path, rate, Song::stereo(seed, rate, seconds), &settings, &Tags::default());
}

fn cells(document: &Value) -> &Vec<Value> {
    document["cells"].as_array().unwrap()
}

#[test]
fn the_list_names_every_codec() {
    let desk = tempfile::tempdir().unwrap();
    let text = String::from_utf8(run(desk.path(), &["list"]).stdout).unwrap();
    let document = json(&run(desk.path(), &["list", "--json"]));
    for name in ["opus", "vorbis", "mp3", "flac", "pcm", "rate", "encodec", "dac", "mimi"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}");
        assert!(document["codecs"].as_array().unwrap().iter().any(|codec| codec["name"] == name), "{name}");
    }
}

#[test]
fn a_grid_is_measured_and_its_failures_are_told() {
    let desk = tempfile::tempdir().unwrap();
    let at = |path: &str| desk.path().join(path);
    song(&at("set/speech/a.wav"), 1, 44_100, 2.0);
    song(&at("set/music/b.wav"), 2, 48_000, 2.0);
    std::fs::write(at("set/music/garbage.wav"), [b"RIFF\xff\xff\xff\xffWAVEfmt ", &[0xff; 60][..]].concat()).unwrap();
    std::fs::write(at("set/music/empty.flac"), b"").unwrap();
    let words = ["run", "set", "missing.wav", "--codecs", "opus:32,96", "flac", "--out", "out"];
    let output = run(desk.path(), &[&words[..], &["--json", "--measures", "si_sdr,l1"]].concat());
    assert_eq!(output.status.code(), Some(1), "three files cannot be read: {output:?}");
    let document = json(&output);
    assert_eq!((cells(&document).len(), document["failed"].as_u64()), (15, Some(9)));
    for cell in cells(&document) {
        let is_whole = ["a.wav", "b.wav"].iter().any(|name| cell["path"].as_str().unwrap().ends_with(name));
        assert_eq!(cell["error"].is_null(), is_whole, "{cell}");
        if is_whole {
            assert!(cell["encode_speed"].as_f64().unwrap() > 0.0 && cell["decode_speed"].as_f64().unwrap() > 0.0);
            assert!(cell["alignment"]["offset_s"].as_f64().unwrap().abs() < 1e-3, "{cell}");
        }
    }
    let categories: Vec<&str> =
        document["categories"].as_array().unwrap().iter().map(|own| own["category"].as_str().unwrap()).collect();
    assert!(categories.contains(&"speech") && categories.contains(&"music"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("garbage.wav, opus:32: "));
    let stored: Value = serde_json::from_slice(&std::fs::read(at("out/results.json")).unwrap()).unwrap();
    assert_eq!(stored, document);
    // Without the failing ones: the table, and the earlier cells.
    let words = ["run", "set/speech", "set/music/b.wav", "--codecs", "opus:32,96", "flac", "--out", "out"];
    let output = run(desk.path(), &[&words[..], &["--measures", "si_sdr"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("codec") && first.ends_with("si_sdr dB"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("flac") && line.ends_with("infinite")), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("opus:96")).count(), 3, "all, speech, music: {text}");
}

#[test]
fn wrong_words_are_usage() {
    let desk = tempfile::tempdir().unwrap();
    song(&desk.path().join("a.wav"), 1, 16_000, 0.5);
    std::fs::create_dir(desk.path().join("none")).unwrap();
    for words in [
        &["run", "a.wav", "--codecs", "aac:64", "--out", "out"][..],
        &["run", "a.wav", "--codecs", "opus:1", "--out", "out"],
        &["run", "a.wav", "--codecs", "flac", "--out", "out", "--measures", "loud"],
        &["run", "a.wav", "--codecs", "flac", "--out", "out", "--jobs", "0"],
        &["run", "a.wav", "--codecs", "flac"],
        &["run", "a.wav", "--out", "out"],
        &["run", "none", "--codecs", "flac", "--out", "out"],
    ] {
        let output = run(desk.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {output:?}");
        assert!(!desk.path().join("out").exists(), "{words:?}");
    }
}

/// Makes a grid that takes some seconds, and returns its command.
fn long(desk: &Path) -> Vec<&'static str> {
    for seed in 0..3 {
        song(&desk.join(format!("set/{seed}.wav")), 70 + seed, 44_100, 2.0);
    }
    let words = "run set --codecs vorbis:q0,q2,q4,q6 opus:32,48,64,96 --out out --measures snr --json";
    words.split(' ').collect()
}

fn finished(desk: &Path) -> usize {
    let entries = std::fs::read_dir(desk.join("out/cells")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|own| own == "json")).count()
}

fn wait_for(desk: &Path, cells: usize) {
    let start = Instant::now();
    while finished(desk) < cells {
        assert!(start.elapsed() < Duration::from_mins(2), "no cell is finished");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let desk = tempfile::tempdir().unwrap();
    let words = long(desk.path());
    let mut kept = 0;
    for stop in [1, 5, 9] {
        let mut child = command(desk.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for(desk.path(), stop);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(finished(desk.path()) >= kept && !desk.path().join("out/results.json").exists());
        kept = finished(desk.path());
    }
    // Every file of a cell is complete, whenever the process was killed.
    for entry in std::fs::read_dir(desk.path().join("out/cells")).unwrap().flatten() {
        if entry.path().extension().is_some_and(|own| own == "json") {
            serde_json::from_slice::<Value>(&std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
    let output = run(desk.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document = json(&output);
    let before = cells(&document).iter().filter(|cell| cell["is_from_before"] == true).count();
    assert_eq!((cells(&document).len(), before, document["failed"].as_u64()), (24, kept, Some(0)));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_cleanly_and_a_second_run_is_refused_meanwhile() {
    let desk = tempfile::tempdir().unwrap();
    let words = long(desk.path());
    let child = command(desk.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(desk.path(), 1);
    let second = run(desk.path(), &words);
    assert_eq!(second.status.code(), Some(2), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains("Another run is working in this folder"), "{second:?}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("The same command goes on from here"), "{said}");
    assert_eq!(json(&output)["error"]["code"], "cancelled");
    assert!(finished(desk.path()) > 0 && !desk.path().join("out/results.json").exists());
    let left = std::fs::read_dir(desk.path().join("out/cells")).unwrap().flatten().count();
    assert_eq!(left, finished(desk.path()), "nothing unfinished is left");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_work_throughout() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path().join(OsStr::from_bytes(b"caf\xe9"));
    let file = folder.join(OsStr::from_bytes(b"s\xe9 \x1b[31m.wav"));
    // Renamed after writing, because the encoder's safe names are not tested here.
    song(&desk.path().join("plain.wav"), 1, 16_000, 0.5);
    std::fs::create_dir(&folder).unwrap();
    std::fs::rename(desk.path().join("plain.wav"), &file).unwrap();
    let words = ["run", ".", "--codecs", "pcm:8", "--out", "out", "--keep-decoded", "--measures", "snr"];
    let output = run(desk.path(), &[&words[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document = json(&output);
    let cell = &cells(&document)[0];
    assert_eq!(cell["category"], "caf\u{fffd}");
    assert!(cell["path_encoded"].as_str().unwrap().ends_with("/caf%E9/s%E9%20%1B%5B31m.wav"), "{cell}");
    let decoded = desk.path().join("out/decoded/pcm-8").join(OsStr::from_bytes(b"caf\xe9"));
    assert_eq!(std::fs::read_dir(decoded).unwrap().count(), 1);
    let again = run(desk.path(), &words);
    assert_eq!(again.status.code(), Some(0));
    assert!(!again.stdout.contains(&0x1b) && !again.stderr.contains(&0x1b), "no escape reaches the terminal");
    let report = std::fs::read(desk.path().join("out/report.html")).unwrap();
    assert!(!report.contains(&0x1b));
    let third = json(&run(desk.path(), &[&words[..], &["--json"]].concat()));
    assert_eq!(cells(&third).len(), 1, "what was decoded is no recording of the grid");
    assert_eq!(cells(&third)[0]["is_from_before"], true);
}

/// Simulates a full disk: no file may be longer than 16 KiB.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_and_leaves_nothing_in_part() {
    let desk = tempfile::tempdir().unwrap();
    for seed in 0..2 {
        song(&desk.path().join(format!("set/{seed}.wav")), 80 + seed, 44_100, 1.0);
    }
    let words = "codecs run set --codecs pcm:8,9 --out out --measures snr --keep-decoded";
    let limited = format!("trap '' XFSZ; ulimit -f 32; exec '{}' {words}", env!("CARGO_BIN_EXE_undertone"));
    let output = Command::new("sh").args(["-c", &limited]).current_dir(desk.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(".wav"), "the file is named: {output:?}");
    let files = |folder: &str| {
        let walk = walkdir::WalkDir::new(desk.path().join(folder)).into_iter().flatten();
        walk.filter(|entry| entry.file_type().is_file()).count()
    };
    assert_eq!((files("out/decoded"), files("out/cells"), files("out/plots")), (0, 0, 0));
    let words: Vec<&str> = words.split(' ').skip(1).collect();
    assert_eq!(run(desk.path(), &words).status.code(), Some(0));
    assert_eq!((files("out/decoded"), files("out/cells")), (4, 4));
}
