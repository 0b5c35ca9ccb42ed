//! Generated signals, edits, markers and splits.

use std::path::Path;

use serde_json::Value;
use undertone::audio::{AudioBuffer, AudioFile, AudioReader};

use super::{frames, samples};
use crate::support::terminal::{Terminal, said, status};

#[test]
fn signals_are_generated_with_their_length_level_and_format() {
    let terminal = Terminal::new();
    let json =
        terminal.json(&["generate", "sine", "-o", "a.flac", "--frequency", "997", "--length", "1:02.5", "--json"]);
    assert_eq!(
        (json["frames"].as_u64(), json["rate"].as_u64(), json["channels"].as_u64()),
        (Some(3_000_000), Some(48_000), Some(1))
    );
    assert!((json["peak_db"].as_f64().expect("a peak") + 6.0).abs() < 1e-5, "{json}");
    assert_eq!((&json["clipped"], &json["generated"]["signal"]["kind"]), (&0.into(), &"sine".into()));
    assert_eq!(frames(&terminal.path("a.flac")), 3_000_000);
    let short = ["--length", "4801f", "--rate", "44100", "--channels", "2", "--bits", "16"];
    for kind in
        ["sine", "square", "saw", "triangle", "sweep", "white", "pink", "brown", "impulses", "silence", "clicks"]
    {
        let output = terminal.run(&[&["generate", kind, "-o", "b.wav", "--overwrite"][..], &short].concat());
        assert_eq!(status(&output), 0, "{kind}: {output:?}");
        let file = AudioFile::open(&terminal.path("b.wav")).expect("opens");
        assert_eq!((file.info().frames, file.info().audio.channels, file.info().bits), (4801, 2, Some(16)), "{kind}");
        if kind == "silence" {
            let mut samples = AudioBuffer::default();
            file.reader().expect("a reader").read(&mut samples, 4801).expect("read");
            assert!(samples.iter().flatten().all(|sample| *sample == 0.0), "silence is not dithered");
        }
    }
    let json = terminal
        .json(&["generate", "dtmf", "-o", "c.wav", "--digits", "0*#d", "--rate", "8000", "--tone", "0.08", "--json"]);
    assert_eq!(json["frames"], 4 * 640 + 3 * 800);
    // Opus has one sample rate.
    let output = terminal.run(&["generate", "pink", "-o", "d.opus", "--rate", "44100", "--length", "1", "--seed", "7"]);
    assert!(status(&output) == 0 && said(&output).contains("from 44100 Hz to 48000 Hz"), "{output:?}");
    let twice = ["e.wav", "f.wav"].map(|name| {
        terminal.run(&["generate", "white", "-o", name, "--seed", "9", "--length", "1"]);
        std::fs::read(terminal.path(name)).expect("written")
    });
    assert!(twice[0] == twice[1] && twice[0].len() > 48_000);
}

#[test]
fn generated_files_harm_nothing_and_wrong_settings_are_usage() {
    let terminal = Terminal::new();
    let before = std::fs::read(terminal.tone("in.wav")).expect("written");
    let output = terminal.run(&["generate", "saw", "-o", "in.wav"]);
    assert_eq!((status(&output), std::fs::read(terminal.path("in.wav")).expect("there")), (1, before));
    for (words, message) in [
        (&["sine", "--frequency", "24000"][..], "below 24000 Hz, half the sample rate"),
        (&["sine", "--frequency", "-5"], "above 0 Hz"),
        (&["sweep", "--to", "20000", "--rate", "32000"], "End frequency of the sweep"),
        (&["sine", "--length", "-1"], "must be seconds (12.5)"),
        (&["sine", "--length", "0"], "at least one frame"),
        (&["white", "--length", "1e300"], "at most 604800 s"),
        (&["sine", "--channels", "1000000000"], "1 to 64"),
        (&["sine", "--level", "3"], "-200 to 0 dBFS"),
        (&["sine", "--rate", "0"], "1 Hz to 768 kHz"),
        (&["dtmf", "--digits", "12E"], "0 to 9, *, #, or A to D"),
        (&["dtmf", "--tone", "99999999999999999999f"], "must be seconds"),
        (&["impulses", "--frequency", "0"], "at most 48000 Hz"),
        (&["impulses", "--interval", "0"], "at least one frame"),
        (&["clicks", "--bpm", "5000"], "1 to 1000 beats per minute"),
        (&["silence", "--level", "-6"], "unexpected argument"),
        (&["noise"], "unrecognized subcommand"),
    ] {
        let output = terminal.run(&[&["generate"][..], words, &["-o", "out.wav"]].concat());
        assert_eq!(status(&output), 2, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {}", said(&output));
        assert!(!terminal.path("out.wav").exists());
    }
}

#[test]
fn edits_are_made_in_the_order_given() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    let edit = |words: &[&str]| {
        let output = terminal.run(&[&["edit", "tone.wav", "--bits", "f32", "--overwrite", "-o"], words].concat());
        assert_eq!(status(&output), 0, "{}", said(&output));
    };
    let all = |name: &str| samples(&terminal.path(name));
    let tone = all("tone.wav");
    edit(&["out.wav", "--crossfade", "0", "--cut", "0.25..0.5", "--reverse", "0..4800f", "--move", "0..0.1@0.5"]);
    let mut expected = [&tone[..12_000], &tone[24_000..]].concat();
    expected[..4800].reverse();
    let part: Vec<f32> = expected.drain(..4800).collect();
    expected.splice(19_200..19_200, part);
    assert_eq!(all("out.wav"), expected);
    edit(&[
        "out.wav",
        "--crossfade",
        "0",
        "--insert",
        "tone.wav@0.5",
        "--insert-silence",
        "0.25@0",
        "--trim",
        "0:00.2..1.5",
        "--duplicate",
        "0..100f",
    ]);
    let longer = [&vec![0.0; 12_000][..], &tone[..24_000], &tone[..], &tone[24_000..]].concat();
    let trimmed = &longer[9600..72_000];
    assert_eq!(all("out.wav"), [&trimmed[..100], trimmed].concat());
    // The order counts, and a join is cross-faded unless disabled.
    edit(&["one.wav", "--silence", "0..0.1", "--cut", "0..0.1"]);
    edit(&["other.wav", "--cut", "0..0.1", "--silence", "0..0.1"]);
    assert_ne!(all("one.wav"), all("other.wav"));
    edit(&["faded.wav", "--cut", "14400f..19237f"]);
    let (faded, plain) = (all("faded.wav"), [&tone[..14_400], &tone[19_237..]].concat());
    let differ: Vec<usize> = (0..plain.len()).filter(|&n| faded[n] != plain[n]).collect();
    assert!(differ.len() > 200 && differ.iter().all(|&n| (14_280..14_520).contains(&n)), "{differ:?}");
    // Fewer bits are dithered, even where nothing was cross-faded.
    let deep = ["process", "tone.wav", "-o", "deep.wav", "--bits", "24", "-c", "gain(-1 dB)"];
    assert_eq!(status(&terminal.run(&deep)), 0);
    for (name, dither) in [("usual.wav", &[][..]), ("none.wav", &["--dither", "none"])] {
        let words = ["edit", "deep.wav", "-o", name, "--bits", "16", "--crossfade", "0", "--cut", "0..0.1"];
        assert_eq!(status(&terminal.run(&[&words[..], dither].concat())), 0);
    }
    assert!(all("usual.wav") != all("none.wav"), "truncated without dither");
    let refused = |words: &[&str]| {
        let output = terminal.run(&[&["edit", "tone.wav", "-o", "never.wav"], words].concat());
        assert_ne!(status(&output), 0, "{words:?}");
        assert!(!terminal.path("never.wav").exists());
        said(&output)
    };
    assert!(refused(&["--cut", "0.5..0.25"]).contains("a start before its end"));
    assert!(refused(&["--cut", "0..9"]).contains("up to 0:01.000, the end of the recording"));
    assert!(refused(&["--cut", "x"]).contains("a range such as"));
    assert!(refused(&["--insert", "tone.wav"]).contains("a time after @"));
    assert!(refused(&["--insert", "gone.wav@0"]).contains("does not exist"));
    assert!(refused(&["--move", "0..0.5@2"]).contains("a time up to 0:01.000"));
    assert!(refused(&["--crossfade", "99"]).contains("0 to 10 seconds"));
    let output = terminal.run(&["edit", "tone.wav", "-o", "tone.wav", "--overwrite", "--cut", "0..0.1"]);
    assert!(status(&output) != 0 && said(&output).contains("Choose another name"), "{}", said(&output));
}

#[test]
fn markers_are_shown_exported_and_imported_without_loss() {
    let terminal = Terminal::new();
    let wav = terminal.tone("in.wav");
    std::fs::write(terminal.path("labels.txt"), "0.100000\t0.100000\tEins\n0.250000\t0.500000\tZwei\n99\t99\tweit\n")
        .expect("written");
    let output = terminal.run(&["markers", "in.wav", "--import", "labels.txt", "-o", "out.wav"]);
    assert_eq!(status(&output), 0, "{output:?}");
    assert!(said(&output).contains("1 marker was left out: it is"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("audio copied unchanged"), "{output:?}");
    let json = terminal.json(&["markers", "out.wav", "--json"]);
    let markers = &json["markers"];
    assert_eq!(
        (&markers[0]["start_frame"], &markers[0]["name"], &markers[0]["end_frame"]),
        (&4800.into(), &"Eins".into(), &Value::Null)
    );
    assert_eq!(
        (&markers[1]["start_frame"], &markers[1]["end_frame"], &markers[1]["end_s"]),
        (&12_000.into(), &24_000.into(), &0.5.into())
    );
    let original = std::fs::read(&wav).expect("there");
    let copied = std::fs::read(terminal.path("out.wav")).expect("there");
    // Everything after the sizes in the header, up to the chunks of markers.
    assert_eq!(original[8..], copied[8..original.len()]);
    // Exported again in every format, with the imported labels.
    for name in ["a.txt", "a.tsv", "a.csv", "a.cue"] {
        assert_eq!(status(&terminal.run(&["markers", "out.wav", "--export", name])), 0, "{name}");
        assert_eq!(status(&terminal.run(&["markers", "out.wav", "--export", name])), 1, "{name} is not overwritten");
        let back = terminal.json(&["markers", "in.wav", "--import", name, "--json"]);
        assert_eq!(back["markers"].as_array().expect("a list").len(), 2, "{name}");
    }
    let labels = std::fs::read_to_string(terminal.path("a.txt")).expect("there");
    assert_eq!(labels, "0.100000\t0.100000\tEins\n0.250000\t0.500000\tZwei\n");
    // Into another lossless format, and the properties that it cannot hold.
    let output = terminal.run(&["markers", "out.wav", "-o", "out.flac"]);
    assert!(status(&output) == 0 && said(&output).contains("The end of 1 region is not written"), "{output:?}");
    assert_eq!(terminal.json(&["markers", "out.flac", "--json"])["markers"][1]["start_frame"], 12_000);
    // `process` keeps markers at their sound.
    assert_eq!(status(&terminal.run(&["process", "out.wav", "-o", "part.wav", "--start", "0.2"])), 0);
    assert_eq!(terminal.json(&["markers", "part.wav", "--json"])["markers"][0]["start_frame"], 2400);
    // Effects that change the time move markers with their sound, and `edit` does too.
    assert_eq!(status(&terminal.run(&["process", "out.wav", "-o", "slow.wav", "-c", "time_stretch(200 %)"])), 0);
    assert_eq!(terminal.json(&["markers", "slow.wav", "--json"])["markers"][1]["end_frame"], 48_000);
    let words = [
        "edit",
        "out.wav",
        "-o",
        "cut.wav",
        "--cut",
        "0.05..0.3",
        "--insert-silence",
        "0.1@0",
        "--insert",
        "out.wav@0",
    ];
    assert_eq!(status(&terminal.run(&words)), 0);
    let cut = terminal.json(&["markers", "cut.wav", "--json"])["markers"].clone();
    let places: Vec<_> =
        cut.as_array().expect("a list").iter().map(|marker| (&marker["start_frame"], &marker["end_frame"])).collect();
    let end = |frame: u64| Value::from(frame);
    let (one, two, three) = ((end(4800), Value::Null), (end(12_000), end(24_000)), (end(55_200), end(64_800)));
    assert_eq!(places, [(&one.0, &one.1), (&two.0, &two.1), (&three.0, &three.1)]);
    for (words, code, message) in [
        (&["markers", "in.wav", "-o", "in.wav", "--overwrite"][..], 1, "input"),
        (&["markers", "in.wav", "-o", "lossy.opus"], 2, "would not be copied exactly"),
        (&["markers", "in.wav", "--import", "labels.srt"], 2, "txt (Audacity)"),
        (&["markers", "in.wav", "--import", "gone.txt"], 1, "gone.txt"),
        (&["markers", "in.wav", "--export", "in.wav"], 2, "txt (Audacity)"),
    ] {
        let output = terminal.run(words);
        assert_eq!(status(&output), code, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {output:?}");
    }
    assert_eq!(std::fs::read(&wav).expect("there"), original);
}

#[test]
fn recordings_are_split_at_markers_regions_silence_and_times() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    std::fs::write(terminal.path("labels.txt"), "0.25\t0.25\tEins/zwei\n0.5\t0.75\tRegion\n").expect("written");
    let json = terminal.json(&["split", "in.wav", "-o", "parts", "--import", "labels.txt", "--json"]);
    let parts = json["parts"].as_array().expect("a list");
    assert_eq!((parts.len(), &parts[1]["start_frame"], &parts[1]["end_frame"]), (2, &12_000.into(), &48_000.into()));
    assert_eq!(frames(&terminal.path("parts/01 in.wav")), 12_000);
    let second = AudioFile::open(&terminal.path("parts/02 Eins_zwei.wav")).expect("opens");
    assert_eq!(
        (second.info().tags.items["TITLE"].as_str(), second.info().tags.items["TRACKNUMBER"].as_str()),
        ("Eins/zwei", "2")
    );
    assert_eq!(second.markers().iter().map(|marker| marker.start_frame).collect::<Vec<_>>(), [0, 12_000]);
    let read = |path: &Path| {
        let mut audio = AudioBuffer::default();
        AudioFile::open(path).expect("opens").reader().expect("a reader").read(&mut audio, usize::MAX).expect("read");
        audio.channel(0).to_vec()
    };
    let joined = [read(&terminal.path("parts/01 in.wav")), read(&terminal.path("parts/02 Eins_zwei.wav"))].concat();
    assert!(joined == read(&terminal.path("in.wav")), "the parts together are the recording");
    let run = |words: &[&str]| terminal.run(&[&["split", "in.wav", "--import", "labels.txt"], words].concat());
    assert_eq!(status(&run(&["-o", "r", "--at", "regions", "--format", "flac", "--name", "{name}-{title}.{ext}"])), 0);
    assert_eq!(frames(&terminal.path("r/in-Region.flac")), 12_000);
    assert_eq!(status(&run(&["-o", "t", "--at", "0.1,4900f", "--name", "x.wav"])), 0);
    let lengths = ["t/x.wav", "t/x (2).wav", "t/x (3).wav"].map(|name| frames(&terminal.path(name)));
    assert_eq!(lengths, [4800, 100, 43_100]);
    assert_eq!(status(&run(&["-o", "s", "--at", "silence"])), 0);
    for (words, code, message) in [
        (&["-o", "t", "--at", "0.1", "--name", "x.wav"][..], 1, "x.wav"),
        (&["-o", "t", "--at", "soon"], 2, "must be seconds"),
        (&["-o", "t", "--at", "5"], 2, "before the end of the recording, 1.000 s"),
        (&["-o", "in.wav"], 2, "not a folder"),
        (&["-o", "t", "--name", "../x"], 2, "below the output folder"),
        (&["-o", "t", "--at", "silence", "--threshold", "0"], 2, "nothing exceeds"),
    ] {
        let output = run(words);
        assert_eq!(status(&output), code, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {output:?}");
    }
    let output = terminal.run(&["split", "in.wav", "-o", "u"]);
    assert!(status(&output) == 2 && said(&output).contains("no markers"), "{output:?}");
}

/// Returns the places and names of the markers of a file.
fn markers_of(terminal: &Terminal, name: &str) -> Vec<(u64, String)> {
    let file = AudioFile::open(&terminal.path(name)).expect("opens");
    file.markers().iter().map(|marker| (marker.start_frame, marker.name.clone())).collect()
}

#[test]
fn a_part_has_no_marker_of_the_next_one() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let labels = "0\t0\tOne\n0.25\t0.25\tTwo\n0.3\t0.5\tRegion\n0.5\t0.5\tThree\n1\t1\tEnd\n";
    std::fs::write(terminal.path("labels.txt"), labels).expect("written");
    let named = |names: &[(u64, &str)]| names.iter().map(|(at, name)| (*at, (*name).to_owned())).collect::<Vec<_>>();
    for (format, extension) in [("wav", "wav"), ("flac", "flac"), ("opus", "opus"), ("vorbis", "ogg")] {
        let words = ["split", "in.wav", "--import", "labels.txt", "-o", format, "--format", format];
        assert_eq!(status(&terminal.run(&words)), 0, "{format}");
        let of = |name: &str| markers_of(&terminal, &format!("{format}/{name}.{extension}"));
        assert_eq!(of("01 One"), named(&[(0, "One")]));
        assert_eq!(of("02 Two"), named(&[(0, "Two"), (2400, "Region")]));
        // What is at the end of the recording is its end mark.
        assert_eq!(of("03 Three"), named(&[(0, "Three"), (24_000, "End")]));
    }
    // A range follows the same rule, and so do splits at regions and at times.
    assert_eq!(status(&terminal.run(&["markers", "in.wav", "--import", "labels.txt", "-o", "marked.wav"])), 0);
    assert_eq!(status(&terminal.run(&["process", "marked.wav", "--start", "0", "--end", "0.25", "-o", "p.wav"])), 0);
    assert_eq!(markers_of(&terminal, "p.wav"), named(&[(0, "One")]));
    assert_eq!(status(&terminal.run(&["process", "marked.wav", "--start", "0.5", "-o", "q.wav"])), 0);
    assert_eq!(markers_of(&terminal, "q.wav"), named(&[(0, "Three"), (24_000, "End")]));
    assert_eq!(status(&terminal.run(&["split", "marked.wav", "--at", "regions", "-o", "r"])), 0);
    assert_eq!(markers_of(&terminal, "r/01 Region.wav"), named(&[(0, "Region")]));
    assert_eq!(status(&terminal.run(&["split", "marked.wav", "--at", "0.5", "-o", "t"])), 0);
    assert_eq!(markers_of(&terminal, "t/01 marked.wav"), named(&[(0, "One"), (12_000, "Two"), (14_400, "Region")]));
}

#[test]
fn a_cue_sheet_names_the_album_and_the_artists_of_the_parts() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let sheet = "REM DATE 1999\nREM GENRE Jazz\nPERFORMER \"The Band\"\nTITLE \"The Album\"\nFILE \"in.wav\" WAVE\n\
                 TRACK 01 AUDIO\nTITLE One\nPERFORMER Guest\nINDEX 01 00:00:00\n\
                 TRACK 02 AUDIO\nTITLE Two\nINDEX 01 00:00:30\n";
    std::fs::write(terminal.path("a.cue"), sheet).expect("written");
    let split = |name: &str| {
        let output = terminal.run(&["split", "in.wav", "--import", "a.cue", "-o", "d", "--name", name, "--overwrite"]);
        assert_eq!(status(&output), 0, "{output:?}");
        // The performers are not lost.
        assert!(!said(&output).contains("performers"), "{output:?}");
    };
    split("{artist} - {album} - {title}.{ext}");
    for (name, artist) in [("Guest - The Album - One.wav", "Guest"), ("The Band - The Album - Two.wav", "The Band")] {
        let file = AudioFile::open(&terminal.path(&format!("d/{name}"))).expect("opens");
        for (field, text) in [
            ("ARTIST", artist),
            ("ALBUM", "The Album"),
            ("ALBUMARTIST", "The Band"),
            ("DATE", "1999"),
            ("GENRE", "Jazz"),
            ("TRACKTOTAL", "2"),
        ] {
            let found = file.info().tags.items.get(field).cloned();
            assert_eq!(found.as_deref(), Some(text), "{name}: {field}");
        }
    }
}

#[test]
fn markers_are_listed_with_spaces_between() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    std::fs::write(terminal.path("l.txt"), "0.25\t0.25\tEins zwei\n0.5\t0.75\tRegion\n0.8\t0.8\t\n").expect("written");
    let output = terminal.run(&["markers", "in.wav", "--import", "l.txt"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "0:00.250  Eins zwei\n0:00.500 - 0:00.750  Region\n0:00.800\n");
}
