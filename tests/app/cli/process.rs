//! `process`: ranges, levels, progress, several files, tags.

use serde_json::Value;
use undertone::audio::AudioFile;
use undertone::audio::tags::TagText;

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
    // A pipe gets no bar, and no lines unless requested.
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
    // Other formats do not need it.
    assert_eq!(status(&without(&["process", "tone.wav", "-o", "out.opus"])), 0);
    if cfg!(target_os = "linux") {
        let output = terminal.run(&["process", "tone.wav", "-o", "out.mp3", "--bitrate", "128"]);
        assert_eq!(status(&output), 0, "{}", said(&output));
        assert_eq!(frames(&terminal.path("out.mp3")), 48_000);
        let both = ["process", "tone.wav", "-o", "both.mp3", "--bitrate", "128", "--quality", "2"];
        let output = terminal.run(&both);
        assert_eq!(status(&output), 2, "{output:?}");
        assert!(said(&output).contains("--quality") && !terminal.path("both.mp3").exists(), "{}", said(&output));
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
    assert_eq!(tags.items.get("TITLE").map(TagText::as_str), Some("One = two"));
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

#[test]
fn a_part_ends_with_a_shorter_recording_and_an_empty_part_is_refused() {
    let terminal = Terminal::new();
    terminal.tone_of("long.wav", 96_000);
    terminal.tone_of("short.wav", 24_000);
    std::fs::create_dir(terminal.path("out")).expect("a folder");
    let words = ["process", "long.wav", "short.wav", "-o", "out", "--end", "1"];
    let (code, files) = terminal.reports(&words);
    assert_eq!(code, 0, "{files:?}");
    assert_eq!((&files[0]["frames"], &files[1]["frames"]), (&48_000.into(), &24_000.into()));
    assert_eq!(files[0]["warnings"], serde_json::json!([]));
    let told = "--end 1 is beyond the end of the recording, 0:00.500: it was read to there.";
    assert_eq!(files[1]["warnings"], serde_json::json!([told]));
    for (words, reason) in [
        (&["--start", "0.2", "--end", "0.2"][..], "--end must be after the start of the part, 0:00.200, not 0.2."),
        (&["--start", "0.3", "--end", "0.2"], "--end must be after the start of the part, 0:00.300, not 0.2."),
        (&["--start", "5"], "--start must be before the end of the recording, 0:00.500, not 5."),
        (&["--start", "5", "--end", "5"], "--start must be before the end of the recording, 0:00.500, not 5."),
        (&["--end", "0"], "--end must be after the start of the part, 0:00.000, not 0."),
    ] {
        let output = terminal.run(&[&["process", "short.wav", "-o", "no.wav"][..], words].concat());
        assert!(status(&output) == 1 && said(&output).contains(reason), "{words:?}: {}", said(&output));
        assert!(!terminal.path("no.wav").exists());
        let output = terminal.run(&[&["play", "short.wav"][..], words].concat());
        assert!(said(&output).contains(reason), "play {words:?}: {}", said(&output));
    }
    let words = ["stems", "short.wav", "-o", "stems", "--stems", "tones", "--end", "2"];
    let (code, files) = terminal.reports(&words);
    assert_eq!((code, &files[0]["frames"]), (0, &24_000.into()), "{files:?}");
    let warnings = files[0]["warnings"].to_string();
    assert!(warnings.contains("--end 2 is beyond the end of the recording, 0:00.500"), "{warnings}");
    // Other commands also report times as times.
    for words in
        [&["edit", "short.wav", "-o", "x.wav", "--cut", "0.1..9"][..], &["split", "short.wav", "-o", "x", "--at", "9"]]
    {
        let told = said(&terminal.run(words));
        assert!(told.contains("end of the recording") && !told.contains("frame"), "{words:?}: {told}");
    }
}

#[test]
fn an_effect_that_finds_nothing_to_measure_says_so() {
    let terminal = Terminal::new();
    terminal.tone_of("tiny.wav", 14_400);
    terminal.tone_of("long.wav", 48_000);
    let settings = undertone::audio::encode::EncodeSettings {
        dither: undertone::audio::encode::Dither::None,
        ..Default::default()
    };
    terminal.write("silence.wav", 48_000, vec![vec![0.0; 48_000]], &settings, &undertone::audio::Tags::default());
    let quiet = vec![crate::support::terminal::tone(1e-5, 48_000, 48_000)];
    terminal.write("quiet.wav", 48_000, quiet, &settings, &undertone::audio::Tags::default());
    let loudness = "Normalise: the sound is too short (below 400 ms) or too quiet (below -70 LUFS) to have a loudness, so \
                    the level is unchanged.";
    let silent = "Normalise: the sound is silent, so the level is unchanged.";
    let beyond = "Normalise: the measured part is silent or beyond the end, so the level is unchanged.";
    for (file, chain, told) in [
        ("tiny.wav", "normalize(-23 LUFS)", Some(loudness)),
        ("tiny.wav", "normalize(-23 LUFS, ceiling=-1 dB)", Some(loudness)),
        ("tiny.wav", "normalize(-23 LUFS, per_channel)", Some(loudness)),
        ("quiet.wav", "normalize(-23 LUFS)", Some(loudness)),
        ("silence.wav", "normalize(-23 LUFS)", Some(loudness)),
        ("silence.wav", "normalize", Some(silent)),
        ("silence.wav", "normalize(-20 dB, to=rms)", Some(silent)),
        ("long.wav", "during(0.1 s, 0.3 s, normalize(-23 LUFS))", Some(loudness)),
        ("long.wav", "normalize(-3 dB, from=2 s, until=3 s)", Some(beyond)),
        (
            "silence.wav",
            "trim_silence(-60 dB)",
            Some("Trim silence: nothing exceeds -60.0 dB, so nothing was trimmed."),
        ),
        ("silence.wav", "denoise", Some("Denoise: the sound is too short or silent, so no noise was removed.")),
        (
            "long.wav",
            "denoise(from=2 s, to=3 s)",
            Some("Denoise: the part that was to have only noise is too short or silent, so no noise was removed."),
        ),
        ("long.wav", "normalize(-23 LUFS)", None),
        ("tiny.wav", "normalize", None),
        ("tiny.wav", "fade_out(1 s)", None),
        ("long.wav", "denoise", None),
        ("long.wav", "trim_silence(-60 dB)", None),
    ] {
        let (code, files) = terminal.reports(&["process", file, "-o", "out.wav", "--overwrite", "-c", chain]);
        let expected = serde_json::json!(told.into_iter().collect::<Vec<_>>());
        assert_eq!((code, &files[0]["warnings"]), (0, &expected), "{file} {chain}");
    }
}

#[test]
fn only_what_was_clipped_is_said_to_be() {
    let terminal = Terminal::new();
    let settings = undertone::audio::encode::EncodeSettings {
        sample: undertone::audio::encode::SampleFormat::Float32,
        ..Default::default()
    };
    let loud = vec![crate::support::terminal::tone(4.0, 48_000, 4800)];
    terminal.write("loud.wav", 48_000, loud, &settings, &undertone::audio::Tags::default());
    for (target, bits, clips) in [
        ("a.wav", "f32", false),
        ("b.wav", "16", true),
        ("c.wav", "24", true),
        ("d.wav", "32", true),
        ("e.flac", "16", true),
        ("f.ogg", "16", false),
        ("g.opus", "16", false),
    ] {
        let words = ["process", "loud.wav", "-o", target, "--bits", bits];
        let told = said(&terminal.run(&words));
        assert_eq!(told.contains("samples clipped"), clips, "{target}: {told}");
        let is_coded = ["f.ogg", "g.opus"].contains(&target);
        assert_eq!(told.contains("over full scale. Most players clip them."), is_coded, "{target}: {told}");
        let edited = said(&terminal.run(&["edit", "loud.wav", "-o", target, "--overwrite", "--bits", bits]));
        assert_eq!(edited.contains("samples clipped"), clips, "edit {target}: {edited}");
    }
    let (_, files) = terminal.reports(&["process", "loud.wav", "-o", "a.wav", "--overwrite", "--bits", "f32"]);
    assert_eq!(files[0]["clipped"], 0);
    assert!((files[0]["peak_db"].as_f64().expect("a level") - 12.04).abs() < 0.01, "{files:?}");
}
