//! Tags written to originals on the command line: only on request, file by file, and undone; and exports for other
//! programs. A process that is killed while it writes leaves complete files.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ebur128::{EbuR128, Mode};
use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat, Tags};
use undertone::units::SampleRate;

use crate::support::terminal::{Terminal, said, status, told};

/// Returns the bytes of these files.
fn bytes(terminal: &Terminal, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| std::fs::read(terminal.path(name)).expect("read")).collect()
}

fn outcomes(report: &Value) -> Vec<&str> {
    let files = report["files"].as_array().expect("files");
    files.iter().map(|file| file["outcome"].as_str().expect("an outcome")).collect()
}

#[test]
fn tags_are_written_after_a_preview_and_taken_back() {
    let terminal = Terminal::new();
    let names = ["music/a.flac", "music/b.wav", "music/c.flac"];
    for (seed, name) in (1..).zip(names) {
        terminal.song(name, seed, 22_050, (0.0, 12.0));
    }
    assert_eq!(status(&terminal.library(&["scan", "music", "--device", "cpu"])), 0);
    let before = bytes(&terminal, &names);

    let shown = terminal.library(&["tags", "write"]);
    assert_eq!(status(&shown), 0, "{}", said(&shown));
    assert!(told(&shown).contains("REPLAYGAIN_TRACK_GAIN") && told(&shown).contains("none ->"), "{}", told(&shown));
    assert!(said(&shown).contains("3 to change") && said(&shown).contains("Nothing was written"), "{}", said(&shown));
    let preview = terminal.library_json(&["tags", "write", "--fields", "loudness"]);
    assert_eq!((&preview["write"], &preview["fields"]), (&Value::Null, &serde_json::json!(["loudness"])));
    assert_eq!(outcomes(&preview), ["changes"; 3]);
    assert!(bytes(&terminal, &names) == before, "a preview writes nothing");
    assert_eq!(status(&terminal.library(&["tags", "write", "--fields", "mood"])), 2);
    assert_eq!(status(&terminal.library(&["tags", "undo"])), 2, "there is nothing to undo");

    // A protected file fails alone.
    let mut permissions = std::fs::metadata(terminal.path(names[2])).expect("there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(terminal.path(names[2]), permissions).expect("set");
    let written = terminal.library(&["--json", "tags", "write", "--write"]);
    assert_eq!(status(&written), 1);
    let report: Value = serde_json::from_slice(&written.stdout).expect("JSON");
    assert_eq!(outcomes(&report), ["written", "written", "failed"]);
    assert!(report["files"][2]["error"]["message"].as_str().is_some_and(|text| text.contains("write-protected")));
    let after = bytes(&terminal, &names);
    assert!(after[0] != before[0] && after[1] != before[1] && after[2] == before[2]);
    let again = terminal.library(&["tags", "write", "format:flac,wav", "--write"]);
    assert!(said(&again).contains("2 unchanged, 1 failed"), "{}", said(&again));

    // The library is up to date, and the next scan analyses nothing.
    let scan = terminal.library_json(&["scan", "--device", "cpu"]);
    assert_eq!((&scan["counts"]["analysed"], &scan["counts"]["changed"]), (&0.into(), &0.into()));
    assert!(told(&terminal.library(&["tags", "list"])).contains("2 files"));

    let undone = terminal.library_json(&["tags", "undo"]);
    assert_eq!(undone["counts"]["restored"], 2);
    assert!(bytes(&terminal, &names) == before, "the originals are back");
    assert_eq!(terminal.library_json(&["scan", "--device", "cpu"])["counts"]["changed"], 0);
    assert_eq!(status(&terminal.library(&["tags", "undo", "77"])), 1);
    assert_eq!(status(&terminal.library(&["tags", "forget", "1"])), 0);
    assert_eq!(terminal.library_json(&["tags", "list"])["writes"], serde_json::json!([]));
}

#[test]
fn a_killed_process_leaves_whole_files_and_the_next_tidies_up() {
    let terminal = Terminal::new();
    let names: Vec<String> = (0..6).map(|seed| format!("music/{seed}.flac")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (seed, name) in (0..).zip(&names) {
        terminal.song(name, seed, 22_050, (0.0, 6.0));
    }
    assert_eq!(status(&terminal.library(&["scan", "music", "--device", "cpu"])), 0);
    let before = bytes(&terminal, &names);
    let folder = terminal.path("music");
    for round in 0..8u64 {
        let mut child = terminal
            .program()
            .args(["library", "--library", "music.sqlite", "tags", "write", "--write"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(40 + 60 * round));
        let _ = child.kill();
        child.wait().expect("it ends");
        for name in &names {
            let info = terminal.json(&["info", name, "--json"]);
            assert!(info.get("error").is_none(), "{name} is whole: {info}");
        }
        // The next command that writes completes the work.
        let output = terminal.library(&["tags", "undo"]);
        assert!(status(&output) == 0 || said(&output).contains("No tags were written"), "{}", said(&output));
        assert!(bytes(&terminal, &names) == before, "round {round}");
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, names.len(), "no copies are left");
    }
}

#[test]
fn exports_have_the_names_of_other_programs() {
    let terminal = Terminal::new();
    terminal.song("music/a.flac", 1, 22_050, (0.0, 12.0));
    assert_eq!(status(&terminal.library(&["scan", "music", "--device", "cpu"])), 0);
    let read = |name: &str| std::fs::read_to_string(terminal.path(name)).expect("read");
    assert_eq!(status(&terminal.library(&["export", "beets.csv", "--for", "beets"])), 0);
    assert!(read("beets.csv").starts_with("path,title,artist,album,albumartist"), "{}", read("beets.csv"));
    assert_eq!(status(&terminal.library(&["export", "picard.json", "--for", "picard"])), 0);
    let tracks: Value = serde_json::from_str(&read("picard.json")).expect("JSON");
    assert_eq!((&tracks[0]["_filename"], &tracks[0]["_extension"]), (&"a".into(), &"flac".into()));
    assert_eq!(status(&terminal.library(&["export", "documents.json", "--for", "acousticbrainz"])), 0);
    let documents: Value = serde_json::from_str(&read("documents.json")).expect("JSON");
    assert_eq!(documents[0]["metadata"]["audio_properties"]["sample_rate"], 22_050);
    assert_eq!(status(&terminal.library(&["export", "documents.csv", "--for", "acousticbrainz"])), 2);
    assert_eq!(status(&terminal.library(&["export", "x.csv", "--for", "someone"])), 2);
    assert!(!Path::new(&terminal.path("x.csv")).exists());
}

/// Writes stereo noise with this gain and length in seconds, with the album's tags.
fn noise(
    terminal: &Terminal,
    name: &str,
    (seed, gain, seconds): (u64, f32, usize),
    tags: &[(&str, &str)],
) -> Vec<Vec<f32>> {
    let mut random = seed * 2 + 1;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        gain * ((random >> 40) as f32 / (1u32 << 23) as f32 - 1.0)
    };
    let rate = SampleRate::new(44_100).expect("a rate");
    let planes: Vec<Vec<f32>> = (0..2).map(|_| (0..seconds * 44_100).map(|_| next()).collect()).collect();
    let format = AudioFormat::new(rate, 2);
    let mut known = Tags::default();
    known.items.extend(tags.iter().map(|(tag, value)| ((*tag).to_owned(), (*value).into())));
    let settings =
        EncodeSettings { format: FileFormat::Flac, sample: SampleFormat::Int24, ..EncodeSettings::default() };
    std::fs::create_dir_all(terminal.path(name).parent().expect("a folder")).expect("made");
    let mut encoder =
        Encoder::create_tagged(&terminal.path(name), &settings, format, true, &[], &known).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(planes.clone())).expect("written");
    encoder.finish().expect("finished");
    planes
}

/// Returns the `ReplayGain` gain in dB of recordings played one after the other, computed with libebur128's Rust port.
fn album_gain_db(tracks: &[Vec<Vec<f32>>]) -> f64 {
    let meters: Vec<EbuR128> = tracks
        .iter()
        .map(|planes| {
            let mut meter = EbuR128::new(2, 44_100, Mode::I).expect("a meter");
            let planes: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
            meter.add_frames_planar_f32(&planes).expect("measured");
            meter
        })
        .collect();
    -18.0 - EbuR128::loudness_global_multiple(meters.iter()).expect("a loudness")
}

#[test]
fn the_gain_of_an_album_is_that_of_all_its_tracks_together() {
    let terminal = Terminal::new();
    let album = [("ALBUM", "Together"), ("ALBUMARTIST", "Ada")];
    // The quiet one is below the gate of the whole, and its gain is far from the album's. Two folders, one album.
    let tracks = [
        noise(&terminal, "music/cd 1/a.flac", (1, 0.5, 8), &album),
        noise(&terminal, "music/cd 1/b.flac", (2, 0.2, 5), &album),
        noise(&terminal, "music/cd 2/c.flac", (3, 0.01, 6), &album),
    ];
    // Without an album artist, each folder is a separate album. A track that names no album belongs to none.
    let other = noise(&terminal, "music/cd 3/d.flac", (4, 0.1, 5), &[("ALBUM", "Together")]);
    noise(&terminal, "music/e.flac", (5, 0.1, 5), &[]);
    assert_eq!(status(&terminal.library(&["scan", "music", "--device", "cpu"])), 0);

    let report = terminal.library_json(&["tags", "write", "cd", "--fields", "album"]);
    assert_eq!(outcomes(&report), ["changes"; 4]);
    let new = |file: usize, tag: &str| -> f64 {
        let changes = report["files"][file]["changes"].as_array().expect("changes");
        let change = changes.iter().find(|change| change["tag"] == tag).expect("the tag");
        change["new"].as_str().expect("a value").trim_end_matches(" dB").parse().expect("a number")
    };
    let (whole, alone) = (album_gain_db(&tracks), album_gain_db(&[other]));
    for (file, expected) in [whole, whole, whole, alone].into_iter().enumerate() {
        assert!((new(file, "REPLAYGAIN_ALBUM_GAIN") - expected).abs() < 0.011, "{file}: {expected} in {report}");
    }
    let peak = tracks.iter().flatten().flatten().fold(0f32, |peak, x| peak.max(x.abs()));
    assert!((new(2, "REPLAYGAIN_ALBUM_PEAK") - f64::from(peak)).abs() < 1e-5);

    // One track alone gets the gain of the whole album, and keeps it when all are written.
    assert_eq!(status(&terminal.library(&["tags", "write", "path:c.flac", "--fields", "album", "--write"])), 0);
    let again = terminal.library_json(&["tags", "write", "--fields", "album,loudness", "--write"]);
    assert_eq!(outcomes(&again), ["written"; 5]);
    assert_eq!(again["files"][2]["kept"][0]["tag"], "REPLAYGAIN_ALBUM_GAIN");
    assert_eq!(again["files"][4]["reason"], "it names no album");
    let alone = terminal.library_json(&["tags", "write", "path:e.flac", "--fields", "album"]);
    assert_eq!((outcomes(&alone), &alone["files"][0]["reason"]), (vec!["skipped"], &"it names no album".into()));

    // An album with a changed track is not measured.
    noise(&terminal, "music/cd 1/b.flac", (7, 0.2, 5), &album);
    let changed = terminal.library_json(&["tags", "write", "path:a.flac", "--fields", "album"]);
    assert_eq!(outcomes(&changed), ["skipped"], "{changed}");
}
