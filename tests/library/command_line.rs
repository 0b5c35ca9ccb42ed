//! The library on the command line, as a user runs it: analysing files, scans and queries.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::Tags;
use undertone::audio::encode::{EncodeSettings, FileFormat, SampleFormat};
use undertone::features::DIMENSIONS;

use crate::support::terminal::{Terminal, said, status, told};

impl Terminal {
    pub(crate) fn library(&self, words: &[&str]) -> Output {
        self.run(&[&["library", "--library", "music.sqlite"], words].concat())
    }

    pub(crate) fn library_json(&self, words: &[&str]) -> Value {
        self.json(&[&["library", "--library", "music.sqlite", "--json"], words].concat())
    }

    /// Writes `seconds` of a song, starting at `start_s`, as WAV or FLAC according to the file extension.
    pub(crate) fn song(&self, name: &str, seed: u64, rate: u32, (start_s, seconds): (f64, f64)) {
        let frames = (seconds * f64::from(rate)) as usize;
        let samples = (0..frames).map(|n| song(seed, start_s + n as f64 / f64::from(rate)));
        self.recording(name, rate, samples.collect());
    }

    fn recording(&self, name: &str, rate: u32, samples: Vec<f32>) {
        let is_flac = Path::new(name).extension().is_some_and(|extension| extension == "flac");
        let format = if is_flac { FileFormat::Flac } else { FileFormat::Wav };
        let settings = EncodeSettings { format, sample: SampleFormat::Int16, ..EncodeSettings::default() };
        self.write(name, rate, vec![samples], &settings, &Tags::default());
    }
}

/// Returns the sample at a time of a tune of plucked chords, which depends on the seed.
fn song(seed: u64, at_s: f64) -> f32 {
    let step_s = 0.2 + 0.013 * seed as f64;
    let step = (at_s / step_s) as u64;
    let since_s = at_s - step as f64 * step_s;
    let random = |voice: u64| {
        let x = (seed * 1_000_003 + step * 97 + voice + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x ^ (x >> 27)) >> 32
    };
    let voice = |voice: u64| {
        let hz = 130.8 * 2f64.powf((random(voice) % 36) as f64 / 12.0);
        let overtones = [1.0, 0.5, 0.3, 0.2].into_iter().zip(1..);
        overtones.map(|(level, n)| level * (std::f64::consts::TAU * hz * f64::from(n) * since_s).sin()).sum::<f64>()
    };
    let fall = (-since_s * 6.0).exp() * (1.0 - (-since_s * 400.0).exp());
    (0.12 * fall * (0..3).map(voice).sum::<f64>()) as f32
}

fn names(tracks: &Value) -> Vec<String> {
    let name = |track: &Value| {
        let path = Path::new(track["path"].as_str().expect("a path"));
        path.file_name().expect("a name").to_string_lossy().into_owned()
    };
    tracks.as_array().expect("a list").iter().map(name).collect()
}

#[test]
fn analyze_gives_every_dimension_in_order_and_reasons_for_what_is_missing() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 1, 22_050, (0.0, 6.0));
    terminal.recording("silence.wav", 22_050, vec![0.0; 44_100]);
    std::fs::write(terminal.path("broken.wav"), b"RIFF").expect("written");
    let output = terminal.run(&["analyze", "song.wav", "broken.wav", "silence.wav", "--json"]);
    assert_eq!(status(&output), 1);
    // The order of the text itself is checked, because a parsed object is sorted.
    let text = told(&output);
    let song_features = &text[text.find("\"features\"").expect("features")..];
    let places: Vec<usize> = DIMENSIONS
        .iter()
        .map(|dimension| song_features.find(&format!("\"{}\":", dimension.name)).expect(dimension.name))
        .collect();
    assert!(places.is_sorted());
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let files = &all["files"];
    assert_eq!(files[0]["features"].as_object().map(serde_json::Map::len), Some(25));
    assert!(files[0]["features"]["loudness_lufs"].as_f64().is_some_and(|lufs| lufs < 0.0));
    assert!(files[0]["figures"]["peak"].as_f64().is_some_and(|peak| peak > 0.05));
    assert!(files[0]["seconds"]["decode"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!((&files[0]["series"], &files[0]["path"]), (&Value::Null, &"song.wav".into()));
    assert_eq!(files[1]["error"]["code"], "malformed");
    let silent = &files[2];
    assert_eq!((&silent["features"]["tempo_bpm"], &silent["features"]["silence_ratio"]), (&Value::Null, &1.0.into()));
    let missing = silent["missing"].as_array().expect("a list");
    for (name, value) in silent["features"].as_object().expect("features") {
        let reason = missing.iter().find(|missing| missing["name"] == *name);
        assert_eq!(value.is_null(), reason.is_some_and(|missing| missing["reason"] != ""), "{name}");
    }
}

#[test]
fn where_spectra_were_analysed_is_told_and_what_cannot_be_had_falls_back() {
    let terminal = Terminal::new();
    terminal.song("music/song.wav", 1, 22_050, (0.0, 6.0));
    let analyze = |device: &str| {
        let all = terminal.json(&["analyze", "music/song.wav", "--json", "--device", device]);
        assert_eq!(all["files"][0]["device"]["requested"], device);
        all["files"][0].clone()
    };
    let on_cpu = analyze("cpu");
    assert_eq!((&on_cpu["device"]["used"], &on_cpu["device"]["fallback"]), (&"cpu".into(), &false.into()));
    assert_eq!(on_cpu["seconds"]["gpu"], 0.0);
    let nowhere = analyze("gpu:77");
    assert_eq!((&nowhere["device"]["used"], &nowhere["device"]["fallback"]), (&"cpu".into(), &true.into()));
    assert!(nowhere["device"]["reason"].as_str().is_some_and(|reason| reason.contains("gpu:77")), "{nowhere}");
    assert_eq!(nowhere["features"], on_cpu["features"]);
    let on_gpu = analyze("gpu");
    if on_gpu["device"]["used"] == "cpu" {
        let required = std::env::var("UNDERTONE_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(!required, "UNDERTONE_REQUIRE_GPU=1, but no GPU was used: {}", on_gpu["device"]);
        eprintln!("SKIPPED: there is no usable GPU adapter, the GPU leg of this test did not run");
    } else {
        assert!(on_gpu["seconds"]["gpu"].as_f64().is_some_and(|seconds| seconds > 0.0), "{on_gpu}");
        for (name, value) in on_cpu["features"].as_object().expect("features") {
            let got = on_gpu["features"][name].as_f64();
            let apart = got.zip(value.as_f64()).map(|(a, b)| (a - b).abs() / b.abs().max(1e-3));
            assert!(apart.map_or(got == value.as_f64(), |apart| apart < 1e-3), "{name}: {got:?}, not {value}");
        }
    }
    let scan =
        terminal.json(&["--device", "gpu:77", "library", "--library", "music.sqlite", "--json", "scan", "music"]);
    let devices = scan["devices"].as_array().expect("devices");
    assert_eq!((devices.len(), &devices[0]["tracks"], &devices[0]["used"]), (1, &1.into(), &"cpu".into()), "{scan}");
    assert_eq!((&devices[0]["requested"], &devices[0]["fallback"]), (&"gpu:77".into(), &true.into()));
}

#[test]
fn analyze_prints_a_table_and_gives_series_when_asked() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 2, 22_050, (0.0, 4.0));
    let output = terminal.run(&["analyze", "song.wav"]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let text = told(&output);
    assert!(DIMENSIONS.iter().all(|dimension| text.contains(dimension.name)), "{text}");
    assert!(text.contains(" LUFS\n") && text.contains(" Hz\n"), "{text}");
    let with = terminal.json(&["analyze", "song.wav", "--json", "--series"]);
    let series = with["files"][0]["series"].as_array().expect("series");
    assert!(series.iter().any(|series| series["name"] == "chroma" && series["rows"] == 12));
}

#[test]
fn fingerprints_come_as_fpcalc_prints_them_as_text_and_as_json() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 3, 22_050, (0.0, 8.0));
    terminal.song("short.wav", 3, 22_050, (0.0, 1.0));
    let fpcalc = told(&terminal.run(&["fingerprint", "song.wav", "--format", "fpcalc"]));
    let lines: Vec<&str> = fpcalc.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "DURATION=8"));
    let compressed = lines[1].strip_prefix("FINGERPRINT=AQAA").expect("a fingerprint of algorithm 1");
    let raw = told(&terminal.run(&["fingerprint", "song.wav", "--format", "fpcalc", "--raw"]));
    let items = raw.trim().rsplit_once('=').expect("items").1.split(',').count();
    for words in [&["--json"][..], &["--format", "json"]] {
        let file = &terminal.json(&[&["fingerprint", "song.wav"], words].concat())["files"][0];
        assert_eq!(file["fingerprint"], format!("AQAA{compressed}"));
        assert_eq!((&file["duration_s"], &file["path"]), (&8.0.into(), &"song.wav".into()));
    }
    let file = &terminal.json(&["fingerprint", "song.wav", "--raw", "--json"])["files"][0];
    assert_eq!(file["fingerprint"].as_array().map(Vec::len), Some(items));
    let shorter = &terminal.json(&["fingerprint", "song.wav", "--raw", "--length", "4", "--json"])["files"][0];
    assert!(shorter["fingerprint"].as_array().is_some_and(|some| (1..items).contains(&some.len())));
    let output = terminal.run(&["fingerprint", "short.wav", "none.wav", "song.wav"]);
    assert_eq!(status(&output), 1);
    assert!(said(&output).contains("too short") && said(&output).contains("none.wav"), "{}", said(&output));
    assert!(told(&output).contains("AQAA"));
    assert_eq!(status(&terminal.run(&["fingerprint", "song.wav", "--length=-1"])), 2);
}

fn playlists(terminal: &Terminal) {
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(terminal.path(name)).expect("read");
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(status(&terminal.library(&["playlist", "all.m3u8"])), 0);
    let files = lines("all.m3u8");
    assert!(files.len() == 5 && files.iter().all(|file| Path::new(file).is_file()), "{files:?}");
    assert_eq!(status(&terminal.library(&["playlist", "all.m3u8"])), 1, "it is there");
    let sorted = ["playlist", "all.m3u8", "--overwrite", "--sort", "path", "--descending", "--count", "2"];
    assert_eq!(status(&terminal.library(&sorted)), 0);
    assert_eq!(lines("all.m3u8"), [files[4].clone(), files[3].clone()]);
    assert_eq!(status(&terminal.library(&["playlist", "flac.m3u8", "format:flac"])), 0);
    assert!(lines("flac.m3u8").len() == 1 && lines("flac.m3u8")[0].ends_with("copy.flac"));

    let names = |told: &Value| -> Vec<String> {
        let tracks = told["tracks"].as_array().expect("tracks");
        let name = |track: &Value| {
            Path::new(track["path"].as_str().expect("a path"))
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        tracks.iter().filter_map(name).collect()
    };
    let like = terminal.library_json(&["playlist", "like.xspf", "--like", "music/song 1.wav", "--count", "3"]);
    assert_eq!(names(&like)[..2], ["song 1.wav", "copy.flac"]);
    assert_eq!((names(&like).len(), like["changes"].as_array().map(Vec::len)), (3, Some(2)));
    let text = std::fs::read_to_string(terminal.path("like.xspf")).expect("read");
    assert!(text.contains("<location>file:///") && text.contains("song%201.wav</location>"), "{text}");

    let between = ["playlist", "way.m3u8", "--from", "music/song 1.wav", "--to", "music/song 3.wav", "--count", "4"];
    let way = names(&terminal.library_json(&between));
    assert_eq!((way.len(), way[0].as_str(), way[3].as_str()), (4, "song 1.wav", "song 3.wav"));
    let only = [&between[..], &["--overwrite", "format:flac"]].concat();
    assert_eq!(names(&terminal.library_json(&only)), ["song 1.wav", "copy.flac", "song 3.wav"], "no more match");

    let mixed = terminal.library_json(&["playlist", "mix.m3u8", "--mix", "--relative"]);
    assert_eq!((names(&mixed).len(), lines("mix.m3u8").len()), (5, 5));
    assert!(lines("mix.m3u8").iter().all(|file| file.starts_with("music")), "{:?}", lines("mix.m3u8"));
    let first = ["playlist", "mix.m3u8", "--overwrite", "--mix", "--like", "music/song 2.wav"];
    assert_eq!(names(&terminal.library_json(&first))[0], "song 2.wav");

    for wrong in [
        &["all.wpl"][..],
        &["a.m3u8", "--from", "music/song 1.wav"],
        &["a.m3u8", "--from", "music/song 1.wav", "--to", "music/song 2.wav", "--count", "1"],
        &["a.m3u8", "nothing:here"],
        &["a.m3u8", "--count", "0"],
    ] {
        assert_eq!(status(&terminal.library(&[&["playlist"], wrong].concat())), 2, "{wrong:?}");
    }
    let output = terminal.library(&["playlist", "a.m3u8", "--from", "music/broken.wav", "--to", "music/song 1.wav"]);
    assert!(status(&output) == 2 && said(&output).contains("not analysed yet"), "{}", said(&output));
    assert_eq!(status(&terminal.library(&["playlist", "a.m3u8", "--like", "999", "--count", "1"])), 1);
    let output = terminal.library(&["playlist", "a.m3u8", "--like", "clip.wav"]);
    assert!(status(&output) == 1 && said(&output).contains("clip.wav"), "{}", said(&output));
    assert!(!terminal.path("a.m3u8").exists());
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let terminal = Terminal::new();
    terminal.song("song.wav", 3, 11_025, (0.0, 6.0));
    std::os::unix::fs::symlink(terminal.path("song.wav"), terminal.path("link")).expect("a link");
    let [own, linked] = ["song.wav", "link"].map(|name| terminal.json(&["fingerprint", name, "--json"]));
    assert_eq!(own["files"][0]["fingerprint"], linked["files"][0]["fingerprint"]);
}

#[test]
fn a_library_is_scanned_asked_and_exported() {
    let terminal = Terminal::new();
    std::fs::create_dir(terminal.path("music")).expect("a folder");
    for seed in 1..=4 {
        terminal.song(&format!("music/song {seed}.wav"), seed, 22_050, (0.0, 12.0));
    }
    terminal.song("music/copy.flac", 1, 32_000, (0.5, 11.5));
    std::fs::write(terminal.path("music/broken.wav"), b"this is no recording").expect("written");
    terminal.song("clip.wav", 2, 16_000, (3.0, 8.0));

    // A query of a missing library does not create it.
    assert_eq!(status(&terminal.library(&["status"])), 1);
    assert!(!terminal.path("music.sqlite").exists());
    assert_eq!(status(&terminal.library(&["scan"])), 2);

    let output = terminal.library(&["scan", "music", "--json"]);
    assert_eq!(status(&output), 1);
    let scan: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&scan["counts"]["analysed"], &scan["counts"]["failed"]), (&5.into(), &1.into()));
    assert!(scan["time"]["stages"]["decode"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(scan["errors"][0]["path"].as_str().is_some_and(|path| path.ends_with("broken.wav")));
    assert!(said(&output).contains("broken.wav"));
    // Known files are not analysed again, and failed ones are only retried on request.
    let again = terminal.library(&["scan", "--workers", "1", "--memory", "256", "--timeout", "60"]);
    assert_eq!(status(&again), 0, "{}", said(&again));
    assert!(told(&again).contains("0 analysed"), "{}", told(&again));
    assert_eq!(status(&terminal.library(&["scan", "music", "--retry"])), 1);

    let library = terminal.library_json(&["status"]);
    assert_eq!((&library["done"], &library["failed"], &library["waiting"]), (&5.into(), &1.into(), &0.into()));
    assert_eq!(terminal.library_json(&["errors"])["errors"].as_array().map(Vec::len), Some(1));

    listing(&terminal);
    likeness(&terminal);
    sameness(&terminal);
    exports(&terminal);
    playlists(&terminal);
}

fn listing(terminal: &Terminal) {
    let all = terminal.library_json(&["list"]);
    assert_eq!((all["total"].as_u64(), names(&all["tracks"]).len()), (Some(6), 6));
    let flac = terminal.library_json(&["list", "format:flac", "duration:>10"]);
    assert_eq!(names(&flac["tracks"]), ["copy.flac"]);
    assert_eq!(names(&terminal.library_json(&["list", "state:failed"])["tracks"]), ["broken.wav"]);
    assert_eq!(terminal.library_json(&["list", "song"])["total"], 4);
    assert_eq!(terminal.library_json(&["list", "path:COPY"])["total"], 1);
    let loudest = terminal.library_json(&["list", "state:done", "--sort", "loudness", "--descending", "--limit", "2"]);
    assert_eq!((loudest["total"].as_u64(), names(&loudest["tracks"]).len()), (Some(5), 2));
    assert!(told(&terminal.library(&["list", "format:flac"])).contains(" LUFS"));
    let wrong = terminal.library(&["list", "format:flac", "bmp:120"]);
    assert_eq!(status(&wrong), 2);
    assert!(said(&wrong).contains("bpm") && said(&wrong).contains("              ^^^"), "{}", said(&wrong));
    assert_eq!(status(&terminal.library(&["list", "--sort", "loudnes"])), 2);
}

fn likeness(terminal: &Terminal) {
    let like = terminal.library_json(&["similar", "music/song 1.wav", "--count", "2"]);
    assert_eq!(names(&like["tracks"])[0], "copy.flac");
    assert!(like["tracks"][0]["contributions"].as_array().is_some_and(|parts| parts.len() > 20));
    // A file outside the library. With a single dimension, that dimension contributes everything.
    let weights: Vec<String> = DIMENSIONS
        .iter()
        .filter(|dimension| dimension.name != "loudness_lufs")
        .map(|dimension| format!("--weight={}=0", dimension.name))
        .collect();
    let words: Vec<&str> = ["similar", "clip.wav"].into_iter().chain(weights.iter().map(String::as_str)).collect();
    let by_loudness = terminal.library_json(&words);
    assert_eq!(by_loudness["tracks"].as_array().map(Vec::len), Some(5));
    assert_eq!(by_loudness["tracks"][4]["contributions"].as_array().map(Vec::len), Some(1));
    assert_eq!(status(&terminal.library(&["similar", "no such file"])), 1);
    assert_eq!(status(&terminal.library(&["similar", "1", "--weight", "tempo=1"])), 2);
}

fn sameness(terminal: &Terminal) {
    let found = terminal.library_json(&["duplicates"]);
    let groups = found["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 1, "{found}");
    let mut same = names(&groups[0]);
    same.sort();
    assert_eq!(same, ["copy.flac", "song 1.wav"]);
    let other = &groups[0][1];
    let offset_s = other["offset_s"].as_f64().expect("an offset");
    assert!((offset_s.abs() - 0.5).abs() < 0.2 && other["score"].as_f64().is_some_and(|score| score > 0.6), "{other}");
    assert_eq!(other["speed"], 1.0);
    let clip = terminal.library_json(&["identify", "clip.wav"]);
    assert_eq!(names(&clip["tracks"]), ["song 2.wav"], "{clip}");
    assert!((clip["tracks"][0]["offset_s"].as_f64().expect("an offset") - 3.0).abs() < 0.2, "{clip}");
}

fn exports(terminal: &Terminal) {
    assert_eq!(status(&terminal.library(&["export", "all.csv"])), 0);
    let text = std::fs::read_to_string(terminal.path("all.csv")).expect("read");
    assert!(
        text.starts_with("id,path,") && text.lines().next().is_some_and(|line| line.ends_with("phase_correlation"))
    );
    assert_eq!(text.lines().count(), 7);
    assert_eq!(status(&terminal.library(&["export", "all.csv"])), 1);
    assert_eq!(status(&terminal.library(&["export", "all.csv", "format:flac", "--overwrite"])), 0);
    assert_eq!(std::fs::read_to_string(terminal.path("all.csv")).expect("read").lines().count(), 2);
    let written = terminal.library_json(&["export", "all.json"]);
    assert_eq!(written["tracks"], 6);
    let read: Value = serde_json::from_slice(&std::fs::read(terminal.path("all.json")).expect("read")).expect("JSON");
    assert_eq!(read["tracks"].as_array().map(Vec::len), Some(6));
    assert_eq!(status(&terminal.library(&["export", "all.parquet"])), 0);
    assert!(std::fs::read(terminal.path("all.parquet")).expect("read").starts_with(b"PAR1"));
    assert_eq!(status(&terminal.library(&["export", "all.xlsx"])), 2);
    assert_eq!(status(&terminal.library(&["export", "music.sqlite.csv", "nothing:here"])), 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_scan_in_order() {
    let terminal = Terminal::new();
    for seed in 0..6 {
        terminal.song(&format!("music/{seed}.wav"), seed, 22_050, (0.0, 20.0));
    }
    let scan = terminal
        .program()
        .args(["library", "--library", "music.sqlite", "--json", "scan", "music"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let in_hand = || {
        let library = undertone::library::Library::open(&terminal.path("music.sqlite")).ok();
        library.and_then(|(library, _)| library.status().ok()).is_some_and(|status| status.analysing > 0)
    };
    for _ in 0..1000 {
        if terminal.path("music.sqlite").exists() && in_hand() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &scan.id().to_string()]).status().expect("kill").success());
    let output = scan.wait_with_output().expect("its end");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((status(&output), &report["outcome"]), (1, &Value::from("cancelled")), "{output:?}");
    let now = terminal.library_json(&["status"]);
    assert_eq!((&now["analysing"], &now["failed"]), (&Value::from(0), &Value::from(0)), "{now}");
    assert_eq!(status(&terminal.library(&["scan"])), 0);
    assert_eq!(terminal.library_json(&["status"])["done"], 6);
}

/// Returns every file below a folder with contents, modification time and permissions.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime, bool, u32)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let metadata = std::fs::symlink_metadata(&path).expect("metadata");
            #[cfg(unix)]
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            #[cfg(not(unix))]
            let mode = 0;
            let bytes = if metadata.is_file() { std::fs::read(&path).expect("read") } else { Vec::new() };
            found.push((
                path.clone(),
                bytes,
                metadata.modified().expect("a time"),
                metadata.permissions().readonly(),
                mode,
            ));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn originals_are_only_read_by_every_command() {
    let terminal = Terminal::new();
    for (name, seed) in [("music/a.wav", 1), ("music/deep/b.flac", 2), ("music/deep/c.wav", 3)] {
        terminal.song(name, seed, 22_050, (0.0, 2.0));
    }
    std::fs::write(terminal.path("music/broken.wav"), b"RIFF").expect("written");
    std::fs::write(terminal.path("music/notes.txt"), b"words").expect("written");
    std::fs::create_dir(terminal.path("out")).expect("made");
    let before = tree(&terminal.path("music"));
    let library = ["library", "--library", "music.sqlite"];
    let files = ["music/a.wav", "music/deep/b.flac", "music/deep/c.wav", "music/broken.wav"];
    let commands: Vec<Vec<&str>> = vec![
        vec!["info", "FILE"],
        vec!["analyze", "FILE"],
        vec!["fingerprint", "FILE"],
        vec!["spectrogram", "FILE", "-o", "out/picture.png", "--overwrite"],
        vec!["process", "FILE", "-o", "out/made.flac", "-c", "gain(-3 dB)", "--overwrite"],
        vec!["process", "FILE", "-o", "out/made.wav", "-c", "highpass(100 Hz)", "--overwrite", "--resume"],
        // Onto itself, or into its folder under the same name: always refused.
        vec!["process", "FILE", "-o", "FILE", "-c", "gain(-3 dB)", "--overwrite"],
        vec!["process", "music/a.wav", "music/deep/b.flac", "-o", "out", "--format", "flac", "--overwrite"],
        [&library[..], &["scan", "music"]].concat(),
        [&library[..], &["list"]].concat(),
        [&library[..], &["errors"]].concat(),
        [&library[..], &["duplicates"]].concat(),
        [&library[..], &["similar", "FILE"]].concat(),
        [&library[..], &["identify", "FILE"]].concat(),
        [&library[..], &["export", "out/tracks.csv", "--overwrite"]].concat(),
        [&library[..], &["export", "FILE", "--overwrite"]].concat(),
        vec!["response", "gain(1 dB)"],
        vec!["effects"],
    ];
    // Each command once, then a random sequence.
    let mut random = 9u64;
    let by_chance = (0..12).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize
    });
    for turn in (0..commands.len()).chain(by_chance) {
        let file = files[turn % files.len()];
        let words: Vec<&str> =
            commands[turn % commands.len()].iter().map(|word| if *word == "FILE" { file } else { word }).collect();
        terminal.run(&words);
        let after = tree(&terminal.path("music"));
        assert!(after == before, "{words:?} changed an original");
    }
}

#[test]
fn two_processes_on_one_recording_and_one_library_harm_nothing() {
    let terminal = Terminal::new();
    for seed in 0..6 {
        terminal.song(&format!("music/{seed}.wav"), seed, 22_050, (0.0, 3.0));
    }
    std::fs::create_dir(terminal.path("out")).expect("made");
    let before = tree(&terminal.path("music"));
    let export = ["process", "music/0.wav", "-o", "out/0.flac", "-c", "gain(-3 dB)", "--overwrite", "--device", "cpu"];
    assert_eq!(status(&terminal.run(&export)), 0);
    let reference = std::fs::read(terminal.path("out/0.flac")).expect("read");
    std::thread::scope(|scope| {
        let exports: Vec<_> = (0..2).map(|_| scope.spawn(|| terminal.run(&export))).collect();
        let scans: Vec<_> =
            (0..2).map(|_| scope.spawn(|| terminal.library(&["scan", "music", "--device", "cpu"]))).collect();
        for export in exports {
            let output = export.join().expect("no panic");
            assert_eq!(status(&output), 0, "{}", said(&output));
        }
        // One of them scans. The other scans afterwards or reports which process is scanning.
        let scans: Vec<Output> = scans.into_iter().map(|scan| scan.join().expect("no panic")).collect();
        assert!(scans.iter().any(|output| status(output) == 0), "{scans:?}");
        for output in &scans {
            assert!(status(output) == 0 || said(output).contains("is scanning this library"), "{output:?}");
        }
    });
    assert_eq!(std::fs::read(terminal.path("out/0.flac")).expect("read"), reference);
    assert_eq!(std::fs::read_dir(terminal.path("out")).expect("a folder").count(), 1, "nothing unfinished is left");
    assert_eq!(terminal.library_json(&["list"])["tracks"].as_array().map(Vec::len), Some(6));
    assert!(tree(&terminal.path("music")) == before);
}
