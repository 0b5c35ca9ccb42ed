//! `undertone compare` as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::Tags;
use undertone::audio::encode::{EncodeSettings, SampleFormat};

use crate::support::noise::{Random, soft_noise};
use crate::support::songs::Song;
use crate::support::terminal;

fn written(path: &Path, samples: &[f32]) {
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    terminal::write(path, 44_100, vec![samples.to_vec()], &settings, &Tags::default());
}

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_undertone")).arg("compare").args(words).current_dir(folder).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Makes a folder with a recording, a noisy copy that begins 100 frames later, and an unrelated recording.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let song = Song::new(11).samples(44_100, 4.0);
    let mut random = Random::new(1);
    let noisy: Vec<f32> = song[100..].iter().map(|x| 0.5 * x + 0.001 * random.normal() as f32).collect();
    written(&folder.path().join("song.wav"), &song);
    written(&folder.path().join("noisy.wav"), &noisy);
    written(&folder.path().join("stranger.wav"), &soft_noise(&mut random, 150_000));
    folder
}

#[test]
fn the_document_has_what_was_promised() {
    let desk = desk();
    let output = run(desk.path(), &["song.wav", "noisy.wav", "stranger.wav", "nothing.wav", "--json"]);
    assert_eq!(output.status.code(), Some(1), "one file is missing");
    let pairs = json(&output)["pairs"].as_array().unwrap().clone();
    assert_eq!(pairs.len(), 3);
    let alignment = &pairs[0]["alignment"];
    assert_eq!((pairs[0]["reference"].as_str(), pairs[0]["other"].as_str()), (Some("song.wav"), Some("noisy.wav")));
    assert!((alignment["offset_s"].as_f64().unwrap() + 100.0 / 44_100.0).abs() < 1e-9);
    assert_eq!((alignment["drift_ppm"].as_f64(), alignment["polarity"].as_i64()), (Some(0.0), Some(1)));
    assert!((alignment["gain_db"].as_f64().unwrap() + 6.02).abs() < 0.01);
    assert!(alignment["confidence"].as_f64().unwrap() > 0.9);
    let (measures, missing) = (pairs[0]["measures"].as_object().unwrap(), pairs[0]["missing"].as_object().unwrap());
    for name in [
        "snr",
        "segmental_snr",
        "si_sdr",
        "sdr",
        "l1",
        "log_spectral_distance",
        "stft",
        "mel",
        "f0_correlation",
        "stoi",
        "estoi",
        "loudness_difference",
        "true_peak_difference",
        "bandwidth",
    ] {
        assert!(measures[name].is_number() && !missing.contains_key(name), "{name}");
    }
    assert!(missing["pesq_nb"].is_string() && missing["pesq_wb"].is_string());
    assert!(pairs[1]["alignment"].is_null() && pairs[1]["missing"]["snr"].is_string());
    assert!(pairs[1]["measures"]["loudness_difference"].is_number());
    assert!(pairs[2]["error"]["message"].is_string());
}

#[test]
fn conditions_set_the_exit_status() {
    let desk = desk();
    for (words, status) in [
        (&["song.wav", "noisy.wav", "--fail-if", "si_sdr<20"][..], 0),
        (&["song.wav", "noisy.wav", "--fail-if", "si_sdr<20", "--fail-if", "loudness_difference<-3"], 1),
        (&["song.wav", "song.wav", "--fail-if", "si_sdr<20"], 0),
        (&["song.wav", "stranger.wav", "--measures", "l1", "--fail-if", "si_sdr<20"], 1),
        (&["song.wav", "noisy.wav", "--fail-if", "si_sdr=20"], 2),
        (&["song.wav", "noisy.wav", "--measures", "loud"], 2),
        (&["song.wav", ".", "--measures", "l1"], 2),
        (&["song.wav", "noisy.wav", "--csv", "--json"], 2),
    ] {
        let output = run(desk.path(), words);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {output:?}");
    }
}

#[test]
fn tables_have_a_row_for_each_pair() {
    let desk = desk();
    let words = ["song.wav", "noisy.wav", "stranger.wav", "--measures", "si_sdr,l1"];
    let csv = run(desk.path(), &[&words[..], &["--csv"]].concat());
    let text = String::from_utf8(csv.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "reference,other,offset_s,drift_ppm,polarity,gain_db,confidence,si_sdr,l1,failed,notes");
    assert!(lines.len() == 3 && lines[1].starts_with("song.wav,noisy.wav,-0.0022") && lines[2].contains(",,,,,"));
    let markdown = run(desk.path(), &[&words[..], &["--markdown"]].concat());
    let text = String::from_utf8(markdown.stdout).unwrap();
    assert!(text.starts_with("| reference | other |") && text.lines().count() == 4, "{text}");
}

#[test]
fn folders_pair_by_name_and_by_content() {
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    for seed in 0..3u64 {
        let song = Song::new(30 + seed).samples(44_100, 8.0);
        written(&at(&format!("a/{seed}.wav")), &song);
        written(&at(&format!("b/{seed}.wav")), &song);
        written(&at(&format!("c/take {}.wav", 9 - seed)), &song);
    }
    written(&at("a/alone.wav"), &Song::new(99).samples(44_100, 8.0));
    let names = |words: &[&str]| -> Vec<(String, String)> {
        let output = run(desk.path(), &[words, &["--measures", "l1", "--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "one is alone: {output:?}");
        let found = json(&output);
        assert_eq!(found["alone"].as_array().unwrap().len(), 1);
        let name =
            |value: &Value| Path::new(value.as_str().unwrap()).file_stem().unwrap().to_string_lossy().into_owned();
        found["pairs"].as_array().unwrap().iter().map(|pair| (name(&pair["reference"]), name(&pair["other"]))).collect()
    };
    let pairs = |of: [(&str, &str); 3]| of.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    assert_eq!(names(&["a", "b"]), pairs([("0", "0"), ("1", "1"), ("2", "2")]));
    assert_eq!(names(&["a", "c", "--pair-by", "content"]), pairs([("0", "take 9"), ("1", "take 8"), ("2", "take 7")]));
}

#[test]
fn curves_and_channels_are_in_the_document_if_asked_for() {
    let desk = desk();
    let words = ["song.wav", "noisy.wav", "--measures", "snr,sdr,bandwidth_lost,pesq_nb", "--json"];
    let plain = json(&run(desk.path(), &words))["pairs"][0].clone();
    assert!(plain.get("curves").is_none() && plain.get("channels").is_none());
    let pair = json(&run(desk.path(), &[&words[..], &["--curves", "--channels"]].concat()))["pairs"][0].clone();
    for name in ["snr", "sdr", "bandwidth_lost"] {
        for curve in [&pair["curves"][name], &pair["channels"][0]["curves"][name]] {
            let values = curve["values"].as_array().unwrap();
            assert!(values.len() > 2 && curve["gaps"].is_array(), "{name}: {curve}");
            // The other begins 100 frames later.
            let start = curve["start_s"].as_f64().unwrap() - curve["step_s"].as_f64().unwrap() / 2.0;
            assert!((start - 100.0 / 44_100.0).abs() < 1e-9, "{name}: {start}");
        }
    }
    assert!(pair["curves"].get("pesq_nb").is_none());
}

#[test]
fn another_programs_figures_have_its_names_and_say_their_quirks() {
    let desk = desk();
    let words = ["song.wav", "noisy.wav", "--as", "codec-superb", "--json"];
    let pair = json(&run(desk.path(), &words))["pairs"][0].clone();
    assert!(pair["alignment"].is_null());
    for name in ["mel", "stft", "waveform", "stoi", "f0corr"] {
        assert!(pair["measures"][name].is_number(), "{name}");
    }
    for name in ["pesq", "pesq-wb"] {
        assert_eq!(pair["measures"][name].is_number(), cfg!(feature = "pesq"), "{name}");
        assert_eq!(pair["missing"][name].is_string(), !cfg!(feature = "pesq"), "{name}");
    }
    assert!(pair["notes"].to_string().contains("22,050"));
    for (more, status) in [
        (&["--measures", "waveform,stoi", "--fail-if", "waveform>0.5"][..], 0),
        (&["--fail-if", "stoi<1.1"], 1),
        (&["--measures", "snr"], 2),
        (&["--curves"], 2),
        (&["--no-align"], 2),
    ] {
        assert_eq!(run(desk.path(), &[&words[..], more].concat()).status.code(), Some(status), "{more:?}");
    }
}
