//! Tests that no file is lost and no command hangs: outputs, pipes and devices, files that chains read, unusual names.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::frames;
use crate::support::terminal::{Terminal, said, status};

#[test]
fn nothing_is_overwritten_unasked_and_an_input_never() {
    let terminal = Terminal::new();
    let input = terminal.tone("in.wav");
    let before = std::fs::read(&input).expect("read");
    std::fs::write(terminal.path("out.wav"), b"mine").expect("written");
    assert_eq!(status(&terminal.run(&["process", "in.wav", "-o", "out.wav"])), 1);
    assert_eq!(std::fs::read(terminal.path("out.wav")).expect("read"), b"mine");
    assert_eq!(status(&terminal.run(&["process", "in.wav", "-o", "out.wav", "--overwrite"])), 0);
    assert_eq!(status(&terminal.run(&["process", "in.wav", "-o", "in.wav", "--overwrite"])), 1);
    assert_eq!(std::fs::read(&input).expect("read"), before);
}

/// Runs the program and fails if it does not end by itself.
#[cfg(unix)]
fn ended(terminal: &Terminal, words: &[&std::ffi::OsStr]) -> Output {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let mut child = terminal
        .program()
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let end = Instant::now() + Duration::from_mins(1);
    while child.try_wait().expect("a status").is_none() {
        if Instant::now() > end {
            child.kill().expect("killed");
            panic!("{words:?} did not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once_wherever_they_are_named() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    assert!(Command::new("mkfifo").arg(terminal.path("pipe.wav")).status().expect("made").success());
    std::os::unix::fs::symlink("tone.wav", terminal.path("link.wav")).expect("linked");
    for words in [
        "info /dev/zero",
        "info pipe.wav",
        "response convolve(\"/dev/zero\") --rate 48000",
        "response convolve(\"pipe.wav\")",
        "response fir(file=\"/dev/zero.txt/..\")",
        "response fir(file=\"/dev/zero\")",
        "process tone.wav -o out.wav --preset /dev/zero",
        "process tone.wav -o out.wav --preset pipe.wav",
        "process tone.wav -o pipe.wav --overwrite",
        "process tone.wav pipe.wav -o .. --format flac",
        "spectrogram tone.wav -o pipe.wav.png/../pipe.wav --overwrite",
        "library --library pipe.wav status",
        "analyze pipe.wav",
        "fingerprint pipe.wav",
    ] {
        let parts: Vec<&std::ffi::OsStr> = words.split(' ').map(std::ffi::OsStr::new).collect();
        let output = ended(&terminal, &parts);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words}: {output:?}");
        assert!(!output.stderr.is_empty(), "{words}");
    }
    assert_eq!(status(&terminal.run(&["info", "link.wav"])), 0, "a link to a file is a file");
}

#[test]
fn a_preset_reads_files_only_where_that_is_allowed() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    std::fs::write(terminal.path("taps.txt"), "0.5").expect("written");
    let node = r#"{"id":1,"kind":"effect","effect":"fir","arguments":{"file":"taps.txt"}}"#;
    let preset = format!(r#"{{"version":1,"chain":{{"nodes":[{node}]}}}}"#);
    std::fs::write(terminal.path("p.undertone-chain"), preset).expect("written");
    let words = ["process", "tone.wav", "-o", "out.wav", "--preset", "p.undertone-chain"];
    let output = terminal.run(&words);
    assert_eq!(status(&output), 1, "{output:?}");
    let message = said(&output);
    assert!(message.contains("taps.txt") && message.contains("--allow-files"), "{message}");
    assert!(!terminal.path("out.wav").exists());
    let output = terminal.run(&[&words[..], &["--allow-files"]].concat());
    assert_eq!(status(&output), 0, "{output:?}");
}

#[test]
fn files_that_the_chain_reads_are_never_written_over() {
    let terminal = Terminal::new();
    terminal.tone("tone.wav");
    let response = terminal.tone("response.wav");
    std::fs::hard_link(&response, terminal.path("same.wav")).expect("linked");
    let before = std::fs::read(&response).expect("read");
    for target in ["response.wav", "./response.wav", "same.wav"] {
        let chain = "off(convolve(\"response.wav\"))";
        let output = terminal.run(&["process", "tone.wav", "-o", target, "--overwrite", "-c", chain]);
        assert_eq!(status(&output), 1, "{target}: {output:?}");
        assert!(said(&output).contains("This is one of the inputs"), "{}", said(&output));
    }
    assert_eq!(std::fs::read(&response).expect("read"), before);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_are_worked_on_and_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let terminal = Terminal::new();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let (wav, out) = (name(b"caf\xe9.wav"), name(b"\xe9"));
    std::fs::rename(terminal.tone_of("tone.wav", 200_000), terminal.0.path().join(wav)).expect("renamed");
    std::fs::create_dir(terminal.0.path().join(out)).expect("made");
    let json = |words: &[&OsStr]| -> Value {
        let output = ended(&terminal, words);
        assert_eq!(status(&output), 0, "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    };
    let word = OsStr::new;
    for command in ["info", "analyze"] {
        let told = json(&[word(command), wav, word("--json")]);
        assert_eq!(told["files"][0]["path"], "caf\u{fffd}.wav", "{told}");
        assert_eq!(told["files"][0]["path_encoded"], "caf%E9.wav", "{told}");
    }
    let told = json(&[word("fingerprint"), wav, word("--format"), word("json")]);
    assert_eq!(told["files"][0]["path_encoded"], "caf%E9.wav", "{told}");
    let process = [word("process"), wav, word("-o"), out, word("--recursive"), word("--resume"), word("--json")];
    let told = json(&process);
    assert_eq!(told["files"][0]["input_encoded"], "caf%E9.wav", "{told}");
    assert_eq!(told["files"][0]["output_encoded"], "%E9/caf%E9.wav", "{told}");
    assert_eq!(frames(&terminal.0.path().join(out).join(wav)), 200_000);
    assert_eq!(json(&process)["files"][0]["skipped"], true, "a second run knows what the first finished");
    let picture = terminal.0.path().join(name(b"p\xe9.png"));
    json(&[word("spectrogram"), wav, word("-o"), picture.as_os_str(), word("--json")]);
    let library = [word("library"), word("--library"), name(b"l\xe9.sqlite")];
    let library = |words: &[&OsStr]| json(&[&library, words, &[word("--json")]].concat());
    library(&[word("scan"), terminal.0.path().join(out).as_os_str()]);
    let told = library(&[word("list")]);
    assert_eq!(told["total"], 1, "{told}");
    let told = library(&[word("status")]);
    assert!(told["library_encoded"].as_str().is_some_and(|path| path.ends_with("l%E9.sqlite")), "{told}");
    library(&[word("identify"), wav]);
    library(&[word("export"), terminal.0.path().join(name(b"t\xe9.csv")).as_os_str()]);
}

#[test]
fn escape_sequences_of_strangers_do_not_reach_the_terminal() {
    use undertone::audio::{Tags, tags};
    let terminal = Terminal::new();
    let path = terminal.tone("plain.wav");
    let title = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{9b}0m\nTITLE forged\u{202e}dne";
    let items = [("TITLE".to_owned(), title.into())].into_iter().collect();
    tags::write(&path, &Tags { items, ..Tags::default() }).expect("written");
    let named = terminal.path("\u{1b}[2Jname.wav");
    std::fs::copy(&path, &named).expect("copied");
    let missing = terminal.path("\u{1b}[2Jmissing.wav");
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
        vec!["library".to_owned(), "scan".to_owned(), words(&terminal.path("\u{1b}[2Jfolder"))],
        vec!["library".to_owned(), "list".to_owned(), "\u{1b}[2J".to_owned()],
    ] {
        let output = terminal.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        for (what, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
            assert_eq!(hidden(bytes), None, "{what} of {command:?}: {}", String::from_utf8_lossy(bytes).escape_debug());
        }
    }
    let shown = String::from_utf8(terminal.run(&["info", &words(&named)]).stdout).expect("UTF-8");
    assert!(shown.contains("\\u{1b}[31mred") && shown.contains("\\nTITLE forged\\u{202e}"), "{shown}");
    // JSON is exact.
    assert_eq!(terminal.json(&["info", "--json", &words(&named)])["files"][0]["tags"]["items"]["TITLE"], title);
}
