//! The tags of written files state nothing that the processing made false: every writer and every way of writing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use undertone::audio::encode::{Dither, EncodeSettings, FileFormat, SampleFormat};
use undertone::audio::tags::{Becomes, CHUNKS, Chunk, FIELDS, Id3Place, RULES, TagCause, TagText, limits_of, rule};
use undertone::audio::{AudioFile, Tags};
use undertone::units::SampleRate;

use crate::bench::start;
use crate::support::terminal::{Terminal, said, status, tone};

/// The tags of the recordings in these tests.
const TAGS: [(&str, &str); 15] = [
    ("ACOUSTID_FINGERPRINT", "AQADtEmUaEkSRZEGAAAA"),
    ("ALBUM", "Nocturnes"),
    ("BPM", "120"),
    ("ENCODED-BY", "Somebody"),
    ("ENCODER", "LAME3.100"),
    ("INITIALKEY", "Am"),
    ("ISRC", "DEA123456789"),
    ("LYRICS", "A line"),
    ("MUSICBRAINZ_ALBUMID", "0f0e7c0a-0000-4000-8000-000000000000"),
    ("R128_TRACK_GAIN", "-1234"),
    ("REPLAYGAIN_ALBUM_GAIN", "-6.50 dB"),
    ("REPLAYGAIN_ALBUM_PEAK", "0.987654"),
    ("REPLAYGAIN_TRACK_GAIN", "-7.03 dB"),
    ("REPLAYGAIN_TRACK_PEAK", "0.876543"),
    ("TITLE", "In A minor"),
];
/// The tags that every change keeps.
const KEPT: [&str; 4] = ["ALBUM", "LYRICS", "MUSICBRAINZ_ALBUMID", "TITLE"];
const GAINS: [&str; 5] = [
    "R128_TRACK_GAIN",
    "REPLAYGAIN_ALBUM_GAIN",
    "REPLAYGAIN_ALBUM_PEAK",
    "REPLAYGAIN_TRACK_GAIN",
    "REPLAYGAIN_TRACK_PEAK",
];

/// The expected tags of a file.
#[derive(Clone, Copy)]
struct Expected {
    gains: bool,
    isrc: bool,
    fingerprint: bool,
    bpm: Option<&'static str>,
    key: Option<&'static str>,
}

/// Only the encoder differs.
const PLAIN: Expected = Expected { gains: true, isrc: true, fingerprint: true, bpm: Some("120"), key: Some("Am") };
const LOUDER: Expected = Expected { gains: false, fingerprint: false, ..PLAIN };
const CUT: Expected = Expected { isrc: false, ..LOUDER };

fn tags() -> Tags {
    let items = TAGS.iter().map(|(name, text)| ((*name).to_owned(), (*text).into()));
    Tags { items: items.collect(), ..Tags::default() }
}

/// Writes a second and a half of stereo with all tags.
fn write(terminal: &Terminal, name: &str) {
    let settings = EncodeSettings {
        format: FileFormat::Flac,
        sample: SampleFormat::Int16,
        dither: Dither::None,
        ..EncodeSettings::default()
    };
    terminal.write(name, 48_000, vec![tone(0.25, 48_000, 72_000), tone(0.1, 48_000, 72_000)], &settings, &tags());
}

fn written(path: &Path) -> BTreeMap<String, TagText> {
    AudioFile::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).info().tags.items.clone()
}

fn check(path: &Path, expected: Expected, what: &str) {
    let tags = written(path);
    let text = |name: &str| tags.get(name).map(TagText::as_str);
    let own = |name: &str| TAGS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    for name in KEPT {
        // The format may use another name.
        assert!(tags.values().any(|text| Some(text.as_str()) == own(name)), "{what}: {name}: {tags:?}");
    }
    for (names, is_kept) in
        [(&GAINS[..], expected.gains), (&["ISRC"], expected.isrc), (&["ACOUSTID_FINGERPRINT"], expected.fingerprint)]
    {
        for name in names {
            assert_eq!(text(name), own(name).filter(|_| is_kept), "{what}: {name}: {tags:?}");
        }
    }
    assert_eq!((text("BPM"), text("INITIALKEY")), (expected.bpm, expected.key), "{what}: {tags:?}");
    for former in ["LAME3.100", "Somebody"] {
        assert!(!tags.values().any(|text| text == former), "{what}: {former}: {tags:?}");
    }
}

fn writers() -> Vec<FileFormat> {
    let (there, missing): (Vec<_>, Vec<_>) =
        FileFormat::ALL.into_iter().partition(|format| format.check_encoder().is_ok());
    missing.iter().for_each(|format| eprintln!("SKIPPED: {format:?} cannot be written here"));
    there
}

#[test]
fn whatever_writes_a_file_keeps_what_stays_true_and_nothing_else() {
    let terminal = Terminal::new();
    write(&terminal, "in/a.flac");
    write(&terminal, "in/b.flac");
    let project = bench_project(&terminal);
    for writer in writers() {
        let extension = writer.extension();
        let out = format!("out.{extension}");
        let run = |words: &[&str], expected: Expected| {
            let output = terminal.run(&[words, &["--overwrite"]].concat());
            let what = format!("{writer:?} {words:?}");
            assert_eq!(status(&output), 0, "{what}: {}", said(&output));
            (what, expected)
        };
        for (words, expected) in [
            (&["process", "in/a.flac"][..], PLAIN),
            (&["process", "in/a.flac", "-c", "resample(32 kHz)"], PLAIN),
            (&["process", "in/a.flac", "-c", "gain(-3 dB)"], LOUDER),
            (&["process", "in/a.flac", "-c", "normalize(-3 dB)"], LOUDER),
            (&["process", "in/a.flac", "-c", "gain(0 dB) | off(reverb())"], PLAIN),
            (&["process", "in/a.flac", "--loudness", "-20"], LOUDER),
            (&["process", "in/a.flac", "--gain", "-1"], LOUDER),
            (&["process", "in/a.flac", "-c", "mono"], LOUDER),
            (&["process", "in/a.flac", "--start", "0.5"], CUT),
            (&["process", "in/a.flac", "-c", "trim_silence(-60 dB)"], CUT),
            (&["process", "in/a.flac", "-c", "time_stretch(125 %)"], Expected { bpm: Some("96"), ..CUT }),
            (&["process", "in/a.flac", "-c", "pitch_shift(3)"], Expected { key: Some("Cm"), ..CUT }),
            (&["process", "in/a.flac", "-c", "pitch_shift(3, cents=50)"], Expected { key: None, ..CUT }),
            (&["process", "in/a.flac", "-c", "mix(50 %, pitch_shift(12))"], Expected { key: None, ..CUT }),
            (&["process", &project], Expected { bpm: Some("240"), ..CUT }),
            (&["edit", "in/a.flac"], PLAIN),
            (&["edit", "in/a.flac", "--cut", "0.2..0.4"], CUT),
            (&["edit", "in/a.flac", "--insert", "in/b.flac@0.5"], CUT),
            (&["edit", &project], Expected { bpm: Some("240"), ..CUT }),
        ] {
            let (what, expected) = run(&[words, &["-o", &out]].concat(), expected);
            check(&terminal.path(&out), expected, &what);
        }
        std::fs::create_dir_all(terminal.path("batch")).unwrap();
        let format = serde_json::to_value(writer).unwrap();
        let format = format.as_str().unwrap();
        let words = ["process", "in/a.flac", "in/b.flac", "-o", "batch", "--format", format, "-c", "gain(-1 dB)"];
        let (what, _) = run(&words, LOUDER);
        for name in ["a", "b"] {
            check(&terminal.path(&format!("batch/{name}.{extension}")), LOUDER, &what);
        }
        let words =
            ["split", "in/a.flac", "-o", "parts", "--at", "0.5", "--format", format, "--name", "{number}.{ext}"];
        let (what, _) = run(&words, CUT);
        for part in [1, 2] {
            let path = terminal.path(&format!("parts/{part}.{extension}"));
            check(&path, CUT, &what);
            assert_eq!(written(&path).get("TRACKNUMBER").map(TagText::as_str), Some(part.to_string().as_str()));
        }
        let words =
            ["stems", "in/a.flac", "-o", "stems", "--stems", "centre", "--format", format, "--name", "{stem}.{ext}"];
        let (what, _) = run(&words, CUT);
        check(&terminal.path(&format!("stems/centre.{extension}")), CUT, &what);
    }
}

/// Saves a project of the recording with a chain that halves the length, and returns its path.
fn bench_project(terminal: &Terminal) -> String {
    let bench = start();
    let document = bench.open(&terminal.path("in/a.flac"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "time_stretch(50 %)" }));
    let file = terminal.path("in/half.undertone");
    bench.desk.will_choose(&file);
    bench.call("workspace.save_project", json!({ "document": document["id"], "choose": true }));
    file.display().to_string()
}

#[test]
fn a_copy_with_other_markers_keeps_every_tag() {
    let terminal = Terminal::new();
    write(&terminal, "a.flac");
    std::fs::write(terminal.path("labels.txt"), "0.5\t0.5\tHere\n").unwrap();
    let output = terminal.run(&["markers", "a.flac", "--import", "labels.txt", "-o", "copy.flac"]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    assert_eq!(written(&terminal.path("copy.flac")), tags().items);
}

#[test]
fn what_the_user_gives_is_written_and_what_changes_is_told() {
    let terminal = Terminal::new();
    write(&terminal, "a.flac");
    let words =
        ["process", "a.flac", "-o", "b.flac", "-c", "time_stretch(200 %)", "--tag", "REPLAYGAIN_TRACK_GAIN=1.00 dB"];
    let output = terminal.run(&words);
    let tags = written(&terminal.path("b.flac"));
    assert_eq!(tags.get("REPLAYGAIN_TRACK_GAIN").map(TagText::as_str), Some("1.00 dB"));
    assert_eq!(tags.get("REPLAYGAIN_TRACK_PEAK"), None);
    let told = said(&output);
    assert!(told.contains("because the tempo changes: BPM from 120 to 60."), "{told}");
    assert!(told.contains("REPLAYGAIN_TRACK_PEAK") && !told.contains("REPLAYGAIN_TRACK_GAIN"), "{told}");
    assert!(!told.contains("ENCODER"), "{told}");
    let report = terminal.json(&["process", "a.flac", "-o", "c.flac", "--json", "--end", "1"]);
    let changed = report["files"][0]["changed_tags"].as_array().unwrap();
    let isrc = changed.iter().find(|tag| tag["tag"] == "ISRC");
    assert_eq!(isrc, Some(&json!({ "tag": "ISRC", "old": "DEA123456789", "new": null, "cause": "cut" })));
}

#[test]
fn gains_are_measured_anew_if_the_user_wants_it() {
    let terminal = Terminal::new();
    write(&terminal, "a.flac");
    for writer in writers() {
        let out = format!("out.{}", writer.extension());
        // The target of ReplayGain 2.0 is -18 LUFS, of Opus files -23 LUFS.
        for lufs in [-18.0, -23.0, -27.5] {
            let level = lufs.to_string();
            let words =
                ["process", "a.flac", "-o", &out, "--overwrite", "--loudness", &level, "--replaygain", "--json"];
            let report = terminal.json(&words);
            let what = format!("{writer:?} at {lufs}");
            assert_eq!(report["files"][0]["warnings"], json!([]), "{what}");
            let path = terminal.path(&out);
            assert_eq!(report["files"][0]["bytes"], std::fs::metadata(&path).unwrap().len(), "{what}");
            let tags = written(&path);
            let number = |name: &str| -> Option<f64> { tags.get(name)?.trim_end_matches(" dB").parse().ok() };
            let (gain, expected) = match writer {
                FileFormat::Opus => (number("R128_TRACK_GAIN").map(|gain| gain / 256.0), -23.0 - lufs),
                _ => (number("REPLAYGAIN_TRACK_GAIN"), -18.0 - lufs),
            };
            let gain = gain.unwrap_or_else(|| panic!("{what}: {tags:?}"));
            assert!((gain - expected).abs() < if writer.is_lossy() { 0.2 } else { 0.011 }, "{what}: {gain}");
            if writer != FileFormat::Opus {
                let peak = number("REPLAYGAIN_TRACK_PEAK").unwrap();
                let told = report["files"][0]["peak_db"].as_f64().unwrap();
                assert!(
                    (20.0 * peak.log10() - told).abs() < if writer.is_lossy() { 1.0 } else { 0.01 },
                    "{what}: {peak}"
                );
            }
            for former in ["-7.03 dB", "-6.50 dB", "-1234"] {
                assert!(!tags.values().any(|text| text == former), "{what}: {tags:?}");
            }
            assert_eq!(tags.get("TITLE").map(TagText::as_str), Some("In A minor"), "{what}");
        }
    }
    let output = terminal.run(&["process", "a.flac", "-o", "short.flac", "--end", "0.2", "--replaygain"]);
    assert_eq!(status(&output), 0);
    assert!(said(&output).contains("ReplayGain was not written. The sound is too short"), "{}", said(&output));
    assert_eq!(terminal.names("."), {
        let mut names = terminal.names(".");
        names.retain(|name| !name.starts_with(undertone::audio::encode::UNFINISHED_PREFIX));
        names
    });
}

#[test]
fn the_window_says_before_an_export_what_will_be_written() {
    let terminal = Terminal::new();
    write(&terminal, "a.flac");
    let bench = start();
    let document = bench.open(&terminal.path("a.flac"));
    let settings = |gain_db: f64| json!({ "format": "flac", "bits": "16", "dither": "none", "range": null, "rate": null, "tail": false, "gain_db": gain_db });
    let keep = json!({ "items": {}, "cover": { "kind": "keep" } });
    let foreseen = |gain_db: f64, edits: &Value| -> Vec<String> {
        let words = json!({ "document": document["id"], "settings": settings(gain_db), "tags": edits });
        let plan = bench.call("editor.export_plan", words);
        let tags = plan["changed_tags"].as_array().unwrap();
        tags.iter().map(|tag| format!("{} {}", tag["tag"].as_str().unwrap(), tag["cause"].as_str().unwrap())).collect()
    };
    assert_eq!(foreseen(0.0, &keep), ["ENCODED-BY encoding", "ENCODER encoding"]);
    let louder = foreseen(-1.0, &keep);
    assert!(GAINS.iter().all(|gain| louder.contains(&format!("{gain} level"))) && louder.len() == 8, "{louder:?}");
    let edits = json!({ "items": { "ENCODER": "Mine" }, "cover": { "kind": "keep" } });
    assert_eq!(foreseen(0.0, &edits), ["ENCODED-BY encoding"]);

    for (edit, gain_db, expected) in [
        (None, 0.0, PLAIN),
        (None, -1.0, LOUDER),
        (
            Some(json!({ "kind": "set_chain_text", "text": "pitch_shift(-2)" })),
            0.0,
            Expected { key: Some("Gm"), ..CUT },
        ),
    ] {
        if let Some(edit) = edit {
            bench.edit(&document, edit);
        }
        let target = terminal.path("out.flac");
        let _ = std::fs::remove_file(&target);
        bench.desk.will_choose(&target);
        let chosen =
            bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings(gain_db) }));
        bench.call(
            "editor.export",
            json!({ "document": document["id"], "target": chosen, "settings": settings(gain_db), "tags": keep }),
        );
        assert_eq!(bench.wait_for_job()["state"], "done");
        check(&target, expected, &format!("the window, {gain_db} dB"));
    }
}

/// The tables of `docs/tags.md` match the program. `UNDERTONE_WRITE_TAG_RULES=1` writes them.
#[test]
fn the_tables_are_documented() {
    let path = crate::support::repository().join("docs/tags.md");
    let mut document = std::fs::read_to_string(&path).unwrap();
    let stood = document.clone();
    for (name, table) in [("fields", fields()), ("rules", rules()), ("chunks", chunks())] {
        let (begin, end) = (format!("<!-- {name}: written by a test -->\n"), format!("<!-- end of {name} -->"));
        let (before, rest) = document.split_once(&begin).expect("the place of the table");
        let (_, after) = rest.split_once(&end).expect("the end of the table");
        document = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("UNDERTONE_WRITE_TAG_RULES").is_some() {
        std::fs::write(&path, document).unwrap();
    } else {
        assert!(stood == document, "UNDERTONE_WRITE_TAG_RULES=1 cargo test --test app true_tags writes the tables");
    }
}

/// Returns names as code, or a dash.
fn listed<T: AsRef<str>>(names: &[T]) -> String {
    if names.is_empty() {
        return "\u{2013}".to_owned();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref().trim_end())).collect();
    names.join(", ")
}

fn in_words(causes: &[TagCause]) -> String {
    let causes: Vec<&str> =
        TagCause::ALL.iter().filter(|cause| causes.contains(cause)).map(|cause| cause.words()).collect();
    causes.join("; ")
}

/// Where each field is in each kind of tag, and which rule it has.
fn fields() -> String {
    let mut table = String::from(
        "| field | ID3v2 | MP4 | APE | RIFF INFO | AIFF | Matroska | rule |\n|---|---|---|---|---|---|---|---|\n",
    );
    for field in FIELDS {
        let id3 = field.id3.map_or_else(|| format!("TXXX:{}", field.name()), Id3Place::words);
        let rule = rule(field.name(), "[00:01.00]").map_or("\u{2013}", |rule| rule.about);
        let _ = writeln!(
            table,
            "| {} | `{id3}` | {} | {} | {} | {} | {} | {rule} |",
            listed(field.names),
            listed(field.mp4),
            listed(field.ape),
            listed(field.info),
            listed(field.aiff),
            listed(field.mkv),
        );
    }
    table
}

fn rules() -> String {
    let mut table = String::from("| tags | become false if | and then | why |\n|---|---|---|---|\n");
    for rule in &RULES {
        let times = if rule.only_timed { " with times such as `[01:12.30]`" } else { "" };
        let becomes = match rule.becomes {
            Becomes::LeftOut => "are left out",
            Becomes::Scaled => "are multiplied; left out if that cannot be",
            Becomes::Transposed => "are transposed; left out if that cannot be",
        };
        let (names, causes) = (listed(rule.names), in_words(rule.causes));
        let _ = writeln!(table, "| {}: {names}{times} | {causes} | {becomes} | {} |", rule.about, rule.why);
    }
    table
}

/// What becomes of each chunk, and which of the written formats lose it.
fn chunks() -> String {
    let mut table = String::from(
        "| chunk | what | kept in | lost in | left out if | what follows the sound |\n|---|---|---|---|---|---|\n",
    );
    let name = |format: &FileFormat| match format {
        FileFormat::Wav => "WAV",
        FileFormat::Flac => "FLAC",
        FileFormat::Vorbis => "Ogg Vorbis",
        FileFormat::Opus => "Opus",
        FileFormat::Mp3 => "MP3",
    };
    for row in &CHUNKS {
        let chunk = Chunk { id: row.id, rate: SampleRate::new(48_000).unwrap(), data: vec![0; 4] };
        let tags = Tags { chunks: vec![chunk], ..Tags::default() };
        let (kept, lost): (Vec<_>, Vec<_>) =
            FileFormat::ALL.into_iter().partition(|format| limits_of(*format, &tags).lost.is_empty());
        let [kept, lost] = [kept, lost].map(|formats| formats.iter().map(name).collect::<Vec<_>>().join(", "));
        let id = String::from_utf8_lossy(&row.id).into_owned();
        let causes = if row.causes.is_empty() { "\u{2013}".to_owned() } else { in_words(row.causes) };
        let follows = if row.follows.is_empty() { "\u{2013}" } else { row.follows };
        let _ = writeln!(table, "| {} | {} | {kept} | {lost} | {causes} | {follows} |", listed(&[id]), row.about);
    }
    table
}
