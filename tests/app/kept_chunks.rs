//! What everything that writes files makes of the chunks of a WAV about its recording: kept with their times, or told.

use std::path::Path;

use undertone::audio::AudioFile;

use crate::support::opening::Wav;
use crate::support::tagged;
use crate::support::terminal::{Terminal, said, status};

const FRAMES: usize = 44_100;

/// Writes a second of stereo at 44.1 kHz with a broadcast extension, a loop, the XML of a recorder, and a chunk that is
/// not kept.
fn write(terminal: &Terminal, name: &str) {
    write_as(terminal, name, "RIFF", &[]);
}

/// Writes it as a WAV of another kind, with further chunks.
fn write_as(terminal: &Terminal, name: &str, magic: &'static str, more: &[(&[u8; 4], Vec<u8>)]) {
    let mut bext = vec![0; 602];
    bext[..4].copy_from_slice(b"Take");
    bext[338..346].copy_from_slice(&1_000_000u64.to_le_bytes());
    bext[346] = 1;
    let words = [0, 0, 22_676, 60, 0, 0, 0, 1, 0, 0, 0, 22_050, 33_074, 0, 0];
    let smpl: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let ixml = b"<BWFXML><SCENE>12A</SCENE><BWF_TIME_REFERENCE_LOW>1000000</BWF_TIME_REFERENCE_LOW></BWFXML>".to_vec();
    let sound = |channel: usize, frame: usize| ((frame * (channel + 1)) as f64 * 0.05).sin() / 4.0;
    let mut bytes = Wav { magic, ..Wav::plain(16, 2) }.bytes(FRAMES, sound);
    let mut chunks = Vec::new();
    let own: [(&[u8; 4], Vec<u8>); 4] = [(b"bext", bext), (b"smpl", smpl), (b"iXML", ixml), (b"umid", vec![1; 64])];
    for (id, content) in own.iter().chain(more) {
        chunks.extend_from_slice(*id);
        chunks.extend_from_slice(&(content.len() as u32).to_le_bytes());
        chunks.extend_from_slice(content);
        chunks.resize(chunks.len().next_multiple_of(2), 0);
    }
    if magic == "RIFF" {
        bytes.splice(12..12, chunks);
        let size = bytes.len() as u32 - 8;
        bytes[4..8].copy_from_slice(&size.to_le_bytes());
    } else {
        // Behind `ds64`, which says the sizes.
        bytes.splice(48..48, chunks);
        let size = bytes.len() as u64 - 8;
        bytes[20..28].copy_from_slice(&size.to_le_bytes());
    }
    let path = terminal.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// The time reference, the first and the last frame of each loop, and the time in the XML.
#[derive(Debug, PartialEq)]
struct Times {
    reference: u64,
    loops: Vec<(u32, u32)>,
    xml: String,
}

fn times(path: &Path) -> Times {
    let chunks = tagged::chunks(&std::fs::read(path).unwrap());
    let chunk = |wanted: &[u8; 4]| chunks.iter().find(|(id, _)| id == wanted).map(|(_, data)| data).unwrap();
    let (bext, smpl, xml) = (chunk(b"bext"), chunk(b"smpl"), String::from_utf8_lossy(chunk(b"iXML")).into_owned());
    assert!(bext.starts_with(b"Take\0") && xml.contains("<SCENE>12A</SCENE>"), "{xml}");
    let word = |at: usize| u32::from_le_bytes(smpl[at..at + 4].try_into().unwrap());
    let loops = (0..word(28) as usize).map(|at| (word(44 + 24 * at), word(48 + 24 * at)));
    let xml = xml.split_once("LOW>").and_then(|(_, rest)| rest.split_once('<')).unwrap().0.to_owned();
    let times =
        Times { reference: u64::from_le_bytes(bext[338..346].try_into().unwrap()), loops: loops.collect(), xml };
    // The file is a whole one to the program, too.
    let file = AudioFile::open(path).unwrap();
    assert_eq!(file.info().warnings, [""; 0]);
    let kept = file.info().tags.chunks.iter().filter(|chunk| chunk.id != *b"cart").count();
    assert_eq!(kept, 3);
    times
}

fn at(reference: u64, loops: &[(u32, u32)]) -> Times {
    Times { reference, loops: loops.to_vec(), xml: reference.to_string() }
}

#[test]
fn what_writes_a_wav_keeps_chunks_with_their_times() {
    let terminal = Terminal::new();
    write(&terminal, "in/a.wav");
    let whole = [(22_050, 33_074)];
    for (words, expected) in [
        (&["process", "in/a.wav"][..], at(1_000_000, &whole)),
        (&["process", "in/a.wav", "--bits", "24"], at(1_000_000, &whole)),
        (&["process", "in/a.wav", "--gain", "-1"], at(1_000_000, &whole)),
        (&["process", "in/a.wav", "--start", "11025f"], at(1_011_025, &[(11_025, 22_049)])),
        (&["process", "in/a.wav", "--start", "11025f", "--end", "30000f"], at(1_011_025, &[])),
        (&["process", "in/a.wav", "--start", "11025f", "-c", "gain(-3 dB)"], at(1_011_025, &[(11_025, 22_049)])),
        (&["process", "in/a.wav", "--rate", "22050"], at(500_000, &[(11_025, 16_537)])),
        (&["process", "in/a.wav", "-c", "resample(88.2 kHz)"], at(2_000_000, &[(44_100, 66_149)])),
        (&["process", "in/a.wav", "-c", "time_stretch(200 %)"], at(1_000_000, &[(44_100, 66_149)])),
        (&["edit", "in/a.wav"], at(1_000_000, &whole)),
        (&["edit", "in/a.wav", "--cut", "0f..11025f"], at(1_011_025, &[(11_025, 22_049)])),
        (&["edit", "in/a.wav", "--cut", "11025f..22050f"], at(1_000_000, &[(11_025, 22_049)])),
        (&["edit", "in/a.wav", "--cut", "23000f..24000f"], at(1_000_000, &[])),
        (&["edit", "in/a.wav", "--cut", "40000f..44100f"], at(1_000_000, &whole)),
    ] {
        let output = terminal.run(&[words, &["-o", "out.wav", "--overwrite"]].concat());
        let said = said(&output);
        assert_eq!(status(&output), 0, "{words:?}: {said}");
        assert_eq!(times(&terminal.path("out.wav")), expected, "{words:?}: {said}");
        let lost = expected.loops.is_empty();
        assert_eq!(said.contains("smpl loops"), lost, "{words:?}: {said}");
        assert!(said.contains("`umid`"), "{words:?}: {said}");
    }
    let output = terminal.run(&["split", "in/a.wav", "-o", "parts", "--at", "11025f,40000f", "--name", "{number}.wav"]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    assert_eq!(said(&output).matches("smpl loops").count(), 1, "told once: {}", said(&output));
    assert_eq!(said(&output).matches("`umid`").count(), 1, "told once: {}", said(&output));
    for (part, expected) in
        [("1", at(1_000_000, &[])), ("2", at(1_011_025, &[(11_025, 22_049)])), ("3", at(1_040_000, &[]))]
    {
        assert_eq!(times(&terminal.path(&format!("parts/{part}.wav"))), expected, "part {part}");
    }
    let output = terminal.run(&["edit", "in/a.wav", "-o", "back.wav", "--reverse", "0..1"]);
    assert_eq!(times(&terminal.path("back.wav")), at(0, &[]), "{}", said(&output));
    assert!(said(&output).contains("bext time reference") && said(&output).contains("iXML time stamp"));
}

#[test]
fn large_kinds_of_wav_keep_their_chunks() {
    let terminal = Terminal::new();
    let cart = |frame: u32| {
        let mut data = vec![0; 2048];
        data[..9].copy_from_slice(b"0101Title");
        data[684..688].copy_from_slice(b"MRK ");
        data[688..692].copy_from_slice(&frame.to_le_bytes());
        data
    };
    let whole = [(22_050, 33_074)];
    for magic in ["RF64", "BW64", "RIFF"] {
        write_as(&terminal, "a.wav", magic, &[(b"cart", cart(22_050))]);
        let info = AudioFile::open(&terminal.path("a.wav")).unwrap().info().clone();
        assert_eq!((info.warnings.as_slice(), info.tags.chunks.len()), (&[][..], 4), "{magic}");
        for (words, expected, timer) in [
            (&["process", "a.wav"][..], at(1_000_000, &whole), 22_050),
            (&["process", "a.wav", "--gain", "-1"], at(1_000_000, &whole), 22_050),
            (&["process", "a.wav", "--start", "11025f"], at(1_011_025, &[(11_025, 22_049)]), 11_025),
            (&["process", "a.wav", "--rate", "22050"], at(500_000, &[(11_025, 16_537)]), 11_025),
            (&["edit", "a.wav", "--cut", "0f..11025f"], at(1_011_025, &[(11_025, 22_049)]), 11_025),
            (&["split", "a.wav", "--at", "44000f", "--name", "out.wav"], at(1_000_000, &whole), 22_050),
        ] {
            let to = if words[0] == "split" { "." } else { "out.wav" };
            let output = terminal.run(&[words, &["-o", to, "--overwrite"]].concat());
            assert_eq!(status(&output), 0, "{magic} {words:?}: {}", said(&output));
            assert_eq!(times(&terminal.path("out.wav")), expected, "{magic} {words:?}");
            let chunks = tagged::chunks(&std::fs::read(terminal.path("out.wav")).unwrap());
            let found = chunks.iter().find(|(id, _)| id == b"cart").map(|(_, data)| data);
            assert_eq!(found, Some(&cart(timer)), "{magic} {words:?}");
        }
    }
}

#[test]
fn other_formats_say_that_they_hold_no_chunks() {
    let terminal = Terminal::new();
    write(&terminal, "a.wav");
    for out in ["a.flac", "a.ogg", "a.opus"] {
        for words in [&["process"][..], &["edit"]] {
            let output = terminal.run(&[words, &["a.wav", "-o", out, "--overwrite"]].concat());
            let said = said(&output);
            assert_eq!(status(&output), 0, "{said}");
            for name in ["`bext`", "`smpl`", "`iXML`", "`umid`"] {
                assert!(said.contains(name), "{out}: {name}: {said}");
            }
            assert!(said.contains("only WAV holds them"), "{said}");
        }
    }
    // The window says so before.
    let bench = crate::bench::start();
    let document = bench.open(&terminal.path("a.wav"));
    let settings = serde_json::json!({ "format": "flac", "bits": "16", "dither": "none", "range": null, "rate": null, "tail": false, "gain_db": 0.0 });
    let keep = serde_json::json!({ "items": {}, "cover": { "kind": "keep" } });
    let plan = bench.call(
        "editor.export_plan",
        serde_json::json!({ "document": document["id"], "settings": settings, "tags": keep }),
    );
    let limits = plan["tag_limits"].as_array().unwrap();
    assert!(limits.iter().any(|limit| limit.as_str().unwrap().contains("`bext`")), "{plan}");
    assert!(limits.iter().any(|limit| limit.as_str().unwrap().contains("`umid`")), "{plan}");
}

#[test]
fn a_tag_given_twice_has_two_values() {
    let terminal = Terminal::new();
    write(&terminal, "a.wav");
    for out in ["a.flac", "a.ogg", "a.opus", "b.wav"] {
        let words =
            ["process", "a.wav", "-o", out, "--tag", "ARTIST=One", "--tag", "artist=Two; and more", "--tag", "TITLE=x"];
        assert_eq!(status(&terminal.run(&words)), 0);
        let file = AudioFile::open(&terminal.path(out)).unwrap();
        let artists: Vec<&str> = file.info().tags.items["ARTIST"].values().collect();
        assert_eq!(artists, ["One", "Two; and more"], "{out}");
        assert_eq!(file.info().tags.items["TITLE"], "x");
    }
}
