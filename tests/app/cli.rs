//! The command line as a user runs it: the built program, its output and its exit status.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader};
use undertone::units::SampleRate;

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tone(&self, name: &str) -> PathBuf {
        self.tone_of(name, 48_000)
    }

    fn tone_of(&self, name: &str, frames: usize) -> PathBuf {
        let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels: 1 };
        let wave = |n: usize| (0.5 * (n as f64 * 1000.0 * std::f64::consts::TAU / 48_000.0).sin()) as f32;
        let audio = AudioBuffer::from_channels(vec![(0..frames).map(wave).collect()]);
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&self.path(name), &settings, format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        self.path(name)
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(words)
            .current_dir(self.0.path())
            .env("UNDERTONE_CONFIG_DIR", self.path("config"))
            .env("UNDERTONE_DATA_DIR", self.path("data"))
            .output()
            .expect("the program starts")
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn samples(path: &Path) -> Vec<f32> {
    let (mut reader, mut block) =
        (AudioFile::open(path).expect("opens").reader().expect("a reader"), AudioBuffer::default());
    reader.read(&mut block, 1 << 20).expect("samples");
    block.channel(0).to_vec()
}

fn frames(path: &Path) -> u64 {
    AudioFile::open(path).expect("opens").info().frames
}

#[test]
fn help_is_done_and_wrong_words_are_usage() {
    let desk = Desk::new();
    assert_eq!(status(&desk.run(&["--help"])), 0);
    assert_eq!(status(&desk.run(&["effects", "peaking"])), 0);
    for wrong in
        [&["proces"][..], &["process"], &["effects", "revreb"], &["response", "lowpass(1 kHz", "--rate", "48000"]]
    {
        assert_eq!(status(&desk.run(wrong)), 2, "{wrong:?}");
    }
}

#[test]
fn a_fault_in_a_chain_is_pointed_at_and_the_nearest_name_given() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let output = desk.run(&["process", "in.wav", "-o", "out.wav", "-c", "gain(1 dB) | hihgpass(80 Hz)"]);
    assert_eq!(status(&output), 2);
    let words = said(&output);
    assert!(words.contains("Did you mean `highpass`") && words.contains("              ^^^^^^^^"), "{words}");
    assert!(!desk.path("out.wav").exists());
}

#[test]
fn effects_and_responses_are_told_as_json() {
    let desk = Desk::new();
    let effects = desk.json(&["effects", "--json"]);
    assert!(effects["effects"].as_array().is_some_and(|all| all.len() >= 14));
    let response = desk.json(&[
        "response",
        "lowpass(1 kHz)",
        "--rate",
        "48000",
        "--points",
        "3",
        "--from",
        "1000",
        "--to",
        "4000",
        "--json",
    ]);
    let at_cutoff = response["magnitude_db"][0].as_f64().expect("a level");
    assert!((at_cutoff + 3.0103).abs() < 1e-4, "{at_cutoff}");
    assert_eq!(response["sections"][0].as_array().map(Vec::len), Some(6));
    assert_eq!(response["frequency_hz"].as_array().map(Vec::len), Some(3));
}

#[test]
fn effects_are_found_by_everyday_words_in_the_order_of_the_window() {
    let desk = Desk::new();
    for (words, first) in [(&["low", "cut"][..], "highpass"), (&["amplify"], "gain"), (&["echo"], "delay")] {
        let mut asked = vec!["effects", "--search"];
        asked.extend(words);
        let lines = String::from_utf8(desk.run(&asked).stdout).expect("text");
        assert!(lines.starts_with(&format!("{first} ")), "{words:?}: {lines}");
        asked.push("--json");
        let names: Vec<String> = desk.json(&asked)["effects"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|effect| Some(effect["name"].as_str()?.to_owned()))
            .collect();
        let window: Vec<&str> = undertone::effects::search(&words.join(" ")).iter().map(|spec| spec.name).collect();
        assert_eq!(names, window);
    }
}

#[test]
fn the_page_of_an_effect_shows_defaults_and_stays_within_its_width() {
    let desk = Desk::new();
    for spec in undertone::effects::all() {
        let page = String::from_utf8(desk.run(&["effects", spec.name]).stdout).expect("text");
        assert!(page.contains("Default: ") || page.contains("Required, such as "), "{page}");
        // Formulas have no spaces to break at.
        let widest = page.lines().filter(|line| line.contains(' ')).map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= 110), "{}: {widest:?}", spec.name);
    }
}

#[cfg(unix)]
#[test]
fn no_driver_prints_on_the_terminal() {
    let desk = Desk::new();
    desk.tone("a.wav");
    let file = desk.path("none").display().to_string();
    for session in [None, Some("/nonexistent"), Some(file.as_str())] {
        for words in [
            &["devices"][..],
            &["process", "a.wav", "-o", "b.wav", "--overwrite", "-c", "gain(-3 dB)", "--device", "gpu"],
            &["play", "a.wav"],
        ] {
            let mut program = Command::new(env!("CARGO_BIN_EXE_undertone"));
            program
                .args(words)
                .current_dir(desk.path(""))
                .env("UNDERTONE_CONFIG_DIR", desk.path("config"))
                .env("UNDERTONE_DATA_DIR", desk.path("data"))
                // No sound server, no sound card of this name, and no session.
                .env("PULSE_SERVER", "unix:/nonexistent")
                .env("ALSA_CARD", "nonexistent")
                .env_remove("WAYLAND_DISPLAY")
                .env_remove("DISPLAY")
                .env_remove("RUST_LOG")
                .env_remove("XDG_RUNTIME_DIR");
            if let Some(session) = session {
                program.env("XDG_RUNTIME_DIR", session);
            }
            let errors = said(&program.output().expect("the program starts"));
            for line in errors.lines() {
                let ours = !["XDG_RUNTIME_DIR", "ALSA lib", "MESA", "libEGL", "wl_display"]
                    .iter()
                    .any(|word| line.contains(word));
                assert!(ours, "{words:?} with the session {session:?}: {line}");
            }
        }
    }
}

#[test]
fn info_tells_what_files_are_and_fails_for_those_that_are_none() {
    let desk = Desk::new();
    desk.tone("in.wav");
    std::fs::write(desk.path("no.wav"), b"not audio").expect("written");
    let output = desk.run(&["info", "in.wav", "no.wav", "--json"]);
    assert_eq!(status(&output), 1);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["files"][0]["frames"], 48_000);
    assert_eq!(told["files"][0]["codec"], "PCM 16 bit");
    assert_eq!(told["files"][1]["error"]["code"], "malformed");
}

#[test]
fn process_writes_a_range_at_a_level_and_says_where_it_ran() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let told = desk.json(&[
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
    assert_eq!(frames(&desk.path("out.wav")), 24_000);
}

#[test]
fn progress_is_told_in_lines_of_json_if_asked_for() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let words = ["process", "in.wav", "-o", "out.wav", "--chain", "lowpass(1000)", "--json", "--progress"];
    let run = |how: &str| desk.run(&[&words[..], &[how, "--overwrite"]].concat());
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
fn a_device_that_does_not_exist_falls_back_and_says_so() {
    let desk = Desk::new();
    desk.tone("in.wav");
    let output = desk.run(&[
        "process",
        "in.wav",
        "-o",
        "out.wav",
        "-c",
        "lowpass(1 kHz)",
        "--device",
        "no such adapter",
        "--json",
    ]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let device = &told["files"][0]["device"];
    assert_eq!(
        (&device["requested"], &device["used"], &device["fallback"]),
        (&"no such adapter".into(), &"cpu".into(), &true.into())
    );
    assert!(said(&output).contains("no such adapter"));
}

#[test]
fn nothing_is_overwritten_unasked_and_an_input_never() {
    let desk = Desk::new();
    let input = desk.tone("in.wav");
    let before = std::fs::read(&input).expect("read");
    std::fs::write(desk.path("out.wav"), b"mine").expect("written");
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "out.wav"])), 1);
    assert_eq!(std::fs::read(desk.path("out.wav")).expect("read"), b"mine");
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "out.wav", "--overwrite"])), 0);
    assert_eq!(status(&desk.run(&["process", "in.wav", "-o", "in.wav", "--overwrite"])), 1);
    assert_eq!(std::fs::read(&input).expect("read"), before);
}

#[test]
fn one_failed_file_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.tone("a.wav");
    desk.tone("c.wav");
    std::fs::write(desk.path("b.wav"), b"RIFF").expect("written");
    std::fs::create_dir(desk.path("out")).expect("a folder");
    let output = desk.run(&[
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
    assert_eq!((frames(&desk.path("out/a.flac")), frames(&desk.path("out/c.flac"))), (48_000, 48_000));
    // Two inputs with the same output file are reported before any work starts.
    std::fs::create_dir(desk.path("sub")).expect("a folder");
    desk.tone("sub/a.wav");
    assert_eq!(status(&desk.run(&["process", "a.wav", "sub/a.wav", "-o", "out"])), 2);
}

#[test]
fn devices_names_the_cpu_first() {
    let desk = Desk::new();
    let told = desk.json(&["devices", "--device", "cpu", "--json"]);
    assert_eq!(told["devices"][0]["id"], "cpu");
    assert_eq!(told["choice"]["used"], "cpu");
}

#[test]
fn a_bench_has_rows_and_says_how_it_measured() {
    let desk = Desk::new();
    let words = ["bench", "peak", "--frames", "8192", "--channels", "3", "--limit", "30", "--device", "cpu"];
    let told = desk.json(&[&words[..], &["--json"]].concat());
    let row = &told["rows"][0];
    assert_eq!(
        (row["kernel"].as_str(), row["entry"].as_str(), row["channels"].as_u64()),
        (Some("peak"), None, Some(3))
    );
    assert_eq!((row["samples"].as_u64(), row["device_seconds"].as_f64()), (Some(3 * 8192), None));
    assert!(row["wall_seconds"].as_f64() > Some(0.0) && row["runs"].as_u64() >= Some(5), "{row}");
    let device = &told["devices"][0];
    assert!(device["spread_bytes"].as_u64() >= device["cache_bytes"].as_u64(), "{device}");
    assert_eq!((device["limit_seconds"].as_u64(), device["left_out"].as_array().map(Vec::len)), (Some(30), Some(0)));
    let output = desk.run(&words);
    assert!(said(&output).contains("cpu: the last-level cache "), "{output:?}");
    // A length that no chunk has, and a kernel that there is not.
    assert_eq!(status(&desk.run(&["bench", "--frames", "0", "--device", "cpu"])), 2);
    assert!(said(&desk.run(&["bench", "nonsense", "--device", "cpu"])).contains("band_sums, chroma"));
}

#[test]
fn devices_are_verified_and_the_report_is_written_once() {
    let desk = Desk::new();
    let words = ["devices", "--verify", "--device", "cpu", "--report", "report.md", "--json"];
    let told = desk.json(&words);
    let adapter = &told["adapters"][0];
    assert_eq!((&adapter["id"], &adapter["backend"]), (&Value::from("cpu"), &Value::from("Rust")));
    let kernels = adapter["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), 3 * undertone::kernels::TABLE.len());
    for check in kernels {
        assert_eq!(check["passed"], true, "{check}");
        for name in ["size", "ms", "gb_s", "share"] {
            assert!(check[name].is_number(), "{name} of {check}");
        }
    }
    let report = std::fs::read_to_string(desk.path("report.md")).expect("the report");
    assert!(report.contains("| iir_cascade | 262144 |") && report.contains("everything passed"), "{report}");
    // Refused before the verification starts, not after minutes.
    assert_eq!(status(&desk.run(&words)), 1);
    assert_eq!(status(&desk.run(&["devices", "--verify", "--report", "report.txt"])), 2);
    assert_ne!(status(&desk.run(&["devices", "--verify", "--device", "gpu:99"])), 0);
    assert_eq!(std::fs::read_to_string(desk.path("report.md")).expect("the report"), report);
}

#[test]
fn a_package_gets_completions_and_manual_pages() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = desk.run(&["completions", shell]);
        assert_eq!(status(&script), 0, "{shell}");
        let script = String::from_utf8_lossy(&script.stdout).into_owned();
        assert!(script.contains("undertone") && script.contains("spectrogram"), "{shell}: {script}");
    }
    std::fs::create_dir(desk.path("man")).expect("a folder");
    let told = desk.json(&["manual", "man", "--json"]);
    let pages: Vec<&str> = told["pages"].as_array().expect("pages").iter().filter_map(Value::as_str).collect();
    assert!(pages.contains(&"undertone.1") && pages.contains(&"undertone-library-scan.1"), "{pages:?}");
    let page = std::fs::read_to_string(desk.path("man/undertone-process.1")).expect("a page");
    assert!(page.starts_with(".ie") && page.contains("undertone\\-process") && page.contains("\\-\\-chain"), "{page}");
    // An existing page is not overwritten.
    assert_eq!(status(&desk.run(&["manual", "man"])), 1);
}

/// Runs the program and fails if it does not end on its own.
#[cfg(unix)]
fn ended(desk: &Desk, words: &[&std::ffi::OsStr]) -> Output {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let mut child = Command::new(env!("CARGO_BIN_EXE_undertone"))
        .args(words)
        .current_dir(desk.0.path())
        .env("UNDERTONE_CONFIG_DIR", desk.path("config"))
        .env("UNDERTONE_DATA_DIR", desk.path("data"))
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
    let desk = Desk::new();
    desk.tone("tone.wav");
    assert!(Command::new("mkfifo").arg(desk.path("pipe.wav")).status().expect("made").success());
    std::os::unix::fs::symlink("tone.wav", desk.path("link.wav")).expect("linked");
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
        let output = ended(&desk, &parts);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words}: {output:?}");
        assert!(!output.stderr.is_empty(), "{words}");
    }
    assert_eq!(status(&desk.run(&["info", "link.wav"])), 0, "a link to a file is a file");
}

#[test]
fn a_preset_reads_files_only_where_that_is_allowed() {
    let desk = Desk::new();
    desk.tone("tone.wav");
    std::fs::write(desk.path("taps.txt"), "0.5").expect("written");
    let node = r#"{"id":1,"kind":"effect","effect":"fir","arguments":{"file":"taps.txt"}}"#;
    let preset = format!(r#"{{"version":1,"chain":{{"nodes":[{node}]}}}}"#);
    std::fs::write(desk.path("p.undertone-chain"), preset).expect("written");
    let words = ["process", "tone.wav", "-o", "out.wav", "--preset", "p.undertone-chain"];
    let output = desk.run(&words);
    assert_eq!(status(&output), 1, "{output:?}");
    let message = said(&output);
    assert!(message.contains("taps.txt") && message.contains("--allow-files"), "{message}");
    assert!(!desk.path("out.wav").exists());
    let output = desk.run(&[&words[..], &["--allow-files"]].concat());
    assert_eq!(status(&output), 0, "{output:?}");
}

#[test]
fn files_that_the_chain_reads_are_never_written_over() {
    let desk = Desk::new();
    desk.tone("tone.wav");
    let response = desk.tone("response.wav");
    std::fs::hard_link(&response, desk.path("same.wav")).expect("linked");
    let before = std::fs::read(&response).expect("read");
    for target in ["response.wav", "./response.wav", "same.wav"] {
        let chain = "off(convolve(\"response.wav\"))";
        let output = desk.run(&["process", "tone.wav", "-o", target, "--overwrite", "-c", chain]);
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
    let desk = Desk::new();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let (wav, out) = (name(b"caf\xe9.wav"), name(b"\xe9"));
    std::fs::rename(desk.tone_of("tone.wav", 200_000), desk.0.path().join(wav)).expect("renamed");
    std::fs::create_dir(desk.0.path().join(out)).expect("made");
    let json = |words: &[&OsStr]| -> Value {
        let output = ended(&desk, words);
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
    assert_eq!(frames(&desk.0.path().join(out).join(wav)), 200_000);
    assert_eq!(json(&process)["files"][0]["skipped"], true, "a second run knows what the first finished");
    let picture = desk.0.path().join(name(b"p\xe9.png"));
    json(&[word("spectrogram"), wav, word("-o"), picture.as_os_str(), word("--json")]);
    let library = [word("library"), word("--library"), name(b"l\xe9.sqlite")];
    let library = |words: &[&OsStr]| json(&[&library, words, &[word("--json")]].concat());
    library(&[word("scan"), desk.0.path().join(out).as_os_str()]);
    let told = library(&[word("list")]);
    assert_eq!(told["total"], 1, "{told}");
    let told = library(&[word("status")]);
    assert!(told["library_encoded"].as_str().is_some_and(|path| path.ends_with("l%E9.sqlite")), "{told}");
    library(&[word("identify"), wav]);
    library(&[word("export"), desk.0.path().join(name(b"t\xe9.csv")).as_os_str()]);
}

#[test]
fn escape_sequences_of_strangers_do_not_reach_the_terminal() {
    use undertone::audio::{Tags, tags};
    let desk = Desk::new();
    let path = desk.tone("plain.wav");
    let title = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{9b}0m\nTITLE forged\u{202e}dne";
    let items = [("TITLE".to_owned(), title.to_owned())].into_iter().collect();
    tags::write(&path, &Tags { items, pictures: Vec::new() }).expect("written");
    let named = desk.path("\u{1b}[2Jname.wav");
    std::fs::copy(&path, &named).expect("copied");
    let missing = desk.path("\u{1b}[2Jmissing.wav");
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
        vec!["library".to_owned(), "scan".to_owned(), words(&desk.path("\u{1b}[2Jfolder"))],
        vec!["library".to_owned(), "list".to_owned(), "\u{1b}[2J".to_owned()],
    ] {
        let output = desk.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        for (what, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
            assert_eq!(hidden(bytes), None, "{what} of {command:?}: {}", String::from_utf8_lossy(bytes).escape_debug());
        }
    }
    let shown = String::from_utf8(desk.run(&["info", &words(&named)]).stdout).expect("UTF-8");
    assert!(shown.contains("\\u{1b}[31mred") && shown.contains("\\nTITLE forged\\u{202e}"), "{shown}");
    // JSON is exact.
    assert_eq!(desk.json(&["info", "--json", &words(&named)])["files"][0]["tags"]["items"]["TITLE"], title);
}

#[test]
fn mp3_needs_lame_and_says_how_to_get_it() {
    let desk = Desk::new();
    desk.tone("tone.wav");
    let without = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(words)
            .current_dir(desk.0.path())
            .env("UNDERTONE_CONFIG_DIR", desk.path("config"))
            .env("UNDERTONE_DATA_DIR", desk.path("data"))
            .env("UNDERTONE_LAME", "libmp3lame-that-nobody-has.so")
            .output()
            .expect("the program starts")
    };
    let output = without(&["process", "tone.wav", "-o", "out.mp3"]);
    assert_eq!(status(&output), 1, "{output:?}");
    let message = said(&output);
    assert!(message.contains("MP3 without the LAME library") && message.contains("Install"), "{message}");
    assert!(!desk.path("out.mp3").exists());
    // Nothing else needs it.
    assert_eq!(status(&without(&["process", "tone.wav", "-o", "out.opus"])), 0);
    if cfg!(target_os = "linux") {
        let output = desk.run(&["process", "tone.wav", "-o", "out.mp3", "--bitrate", "128"]);
        assert_eq!(status(&output), 0, "{}", said(&output));
        assert_eq!(frames(&desk.path("out.mp3")), 48_000);
    }
}

#[test]
fn tags_and_gain_of_outputs_are_options() {
    let desk = Desk::new();
    desk.tone("tone.wav");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\x02\0\0\0";
    std::fs::write(desk.path("cover.png"), png).expect("written");
    let words =
        ["process", "tone.wav", "-o", "a.flac", "--tag", "title=One = two", "--tag", "GENRE=", "--cover", "cover.png"];
    let output = desk.run(&words);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let tags = AudioFile::open(&desk.path("a.flac")).expect("opens").info().tags.clone();
    assert_eq!(tags.items.get("TITLE").map(String::as_str), Some("One = two"));
    assert_eq!(tags.pictures.len(), 1);
    assert_eq!(status(&desk.run(&["process", "a.flac", "-o", "b.flac", "--no-cover"])), 0);
    let tags = AudioFile::open(&desk.path("b.flac")).expect("opens").info().tags.clone();
    assert_eq!((tags.items.len(), tags.pictures.len()), (1, 0));
    assert_eq!(status(&desk.run(&["process", "a.flac", "-o", "c.flac", "--tag", "no text"])), 2);

    let peak = |words: &[&str]| {
        desk.json(&[&["process", "tone.wav", "--json", "-o"][..], words].concat())["files"][0]["peak_db"].as_f64()
    };
    let (plain, lower) = (peak(&["d.wav"]).expect("a level"), peak(&["e.wav", "--gain", "-2.4"]).expect("a level"));
    assert!((plain - lower - 2.4).abs() < 1e-4, "{plain} {lower}");
}

#[test]
fn signals_are_generated_with_their_length_level_and_format() {
    let desk = Desk::new();
    let json = desk.json(&["generate", "sine", "-o", "a.flac", "--frequency", "997", "--length", "1:02.5", "--json"]);
    assert_eq!(
        (json["frames"].as_u64(), json["rate"].as_u64(), json["channels"].as_u64()),
        (Some(3_000_000), Some(48_000), Some(1))
    );
    assert!((json["peak_db"].as_f64().expect("a peak") + 6.0).abs() < 1e-5, "{json}");
    assert_eq!((&json["clipped"], &json["generated"]["signal"]["kind"]), (&0.into(), &"sine".into()));
    assert_eq!(frames(&desk.path("a.flac")), 3_000_000);
    let short = ["--length", "4801f", "--rate", "44100", "--channels", "2", "--bits", "16"];
    for kind in
        ["sine", "square", "saw", "triangle", "sweep", "white", "pink", "brown", "impulses", "silence", "clicks"]
    {
        let output = desk.run(&[&["generate", kind, "-o", "b.wav", "--overwrite"][..], &short].concat());
        assert_eq!(status(&output), 0, "{kind}: {output:?}");
        let file = AudioFile::open(&desk.path("b.wav")).expect("opens");
        assert_eq!((file.info().frames, file.info().audio.channels, file.info().bits), (4801, 2, Some(16)), "{kind}");
        if kind == "silence" {
            let mut samples = AudioBuffer::default();
            file.reader().expect("a reader").read(&mut samples, 4801).expect("read");
            assert!(samples.iter().flatten().all(|sample| *sample == 0.0), "silence is not dithered");
        }
    }
    let json = desk
        .json(&["generate", "dtmf", "-o", "c.wav", "--digits", "0*#d", "--rate", "8000", "--tone", "0.08", "--json"]);
    assert_eq!(json["frames"], 4 * 640 + 3 * 800);
    // Opus has one sample rate.
    let output = desk.run(&["generate", "pink", "-o", "d.opus", "--rate", "44100", "--length", "1", "--seed", "7"]);
    assert!(status(&output) == 0 && said(&output).contains("from 44100 Hz to 48000 Hz"), "{output:?}");
    let twice = ["e.wav", "f.wav"].map(|name| {
        desk.run(&["generate", "white", "-o", name, "--seed", "9", "--length", "1"]);
        std::fs::read(desk.path(name)).expect("written")
    });
    assert!(twice[0] == twice[1] && twice[0].len() > 48_000);
}

#[test]
fn generated_files_harm_nothing_and_wrong_settings_are_usage() {
    let desk = Desk::new();
    let before = std::fs::read(desk.tone("in.wav")).expect("written");
    let output = desk.run(&["generate", "saw", "-o", "in.wav"]);
    assert_eq!((status(&output), std::fs::read(desk.path("in.wav")).expect("there")), (1, before));
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
        let output = desk.run(&[&["generate"][..], words, &["-o", "out.wav"]].concat());
        assert_eq!(status(&output), 2, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {}", said(&output));
        assert!(!desk.path("out.wav").exists());
    }
}

#[test]
fn edits_are_made_in_the_order_given() {
    let desk = Desk::new();
    desk.tone("tone.wav");
    let edit = |words: &[&str]| {
        let output = desk.run(&[&["edit", "tone.wav", "--bits", "f32", "--overwrite", "-o"], words].concat());
        assert_eq!(status(&output), 0, "{}", said(&output));
    };
    let all = |name: &str| samples(&desk.path(name));
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
    // The order counts, and a join is faded unless it is asked not to be.
    edit(&["one.wav", "--silence", "0..0.1", "--cut", "0..0.1"]);
    edit(&["other.wav", "--cut", "0..0.1", "--silence", "0..0.1"]);
    assert_ne!(all("one.wav"), all("other.wav"));
    edit(&["faded.wav", "--cut", "14400f..19237f"]);
    let (faded, plain) = (all("faded.wav"), [&tone[..14_400], &tone[19_237..]].concat());
    let differ: Vec<usize> = (0..plain.len()).filter(|&n| faded[n] != plain[n]).collect();
    assert!(differ.len() > 200 && differ.iter().all(|&n| (14_280..14_520).contains(&n)), "{differ:?}");
    // Fewer bits are dithered, even where nothing was cross-faded.
    assert_eq!(status(&desk.run(&["edit", "tone.wav", "-o", "deep.wav", "--bits", "24"])), 0);
    for (name, dither) in [("usual.wav", &[][..]), ("none.wav", &["--dither", "none"])] {
        let words = ["edit", "deep.wav", "-o", name, "--bits", "16", "--crossfade", "0", "--cut", "0..0.1"];
        assert_eq!(status(&desk.run(&[&words[..], dither].concat())), 0);
    }
    assert!(all("usual.wav") != all("none.wav"), "truncated without dither");
    let refused = |words: &[&str]| {
        let output = desk.run(&[&["edit", "tone.wav", "-o", "never.wav"], words].concat());
        assert_ne!(status(&output), 0, "{words:?}");
        assert!(!desk.path("never.wav").exists());
        said(&output)
    };
    assert!(refused(&["--cut", "0.5..0.25"]).contains("a start before its end"));
    assert!(refused(&["--cut", "0..9"]).contains("up to frame 48000"));
    assert!(refused(&["--cut", "x"]).contains("a range such as"));
    assert!(refused(&["--insert", "tone.wav"]).contains("a time after @"));
    assert!(refused(&["--insert", "gone.wav@0"]).contains("does not exist"));
    assert!(refused(&["--move", "0..0.5@2"]).contains("a time up to frame"));
    assert!(refused(&["--crossfade", "99"]).contains("0 to 10 seconds"));
    let output = desk.run(&["edit", "tone.wav", "-o", "tone.wav", "--overwrite", "--cut", "0..0.1"]);
    assert!(status(&output) != 0 && said(&output).contains("Choose another name"), "{}", said(&output));
}

#[test]
fn markers_are_shown_exported_and_imported_without_loss() {
    let desk = Desk::new();
    let wav = desk.tone("in.wav");
    std::fs::write(desk.path("labels.txt"), "0.100000\t0.100000\tEins\n0.250000\t0.500000\tZwei\n99\t99\tweit\n")
        .expect("written");
    let output = desk.run(&["markers", "in.wav", "--import", "labels.txt", "-o", "out.wav"]);
    assert_eq!(status(&output), 0, "{output:?}");
    assert!(said(&output).contains("1 markers were left out"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("audio copied unchanged"), "{output:?}");
    let json = desk.json(&["markers", "out.wav", "--json"]);
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
    let copied = std::fs::read(desk.path("out.wav")).expect("there");
    // All after the sizes of the head, up to the chunks of markers.
    assert_eq!(original[8..], copied[8..original.len()]);
    // Exported again, in every format; the labels are those that were imported.
    for name in ["a.txt", "a.tsv", "a.csv", "a.cue"] {
        assert_eq!(status(&desk.run(&["markers", "out.wav", "--export", name])), 0, "{name}");
        assert_eq!(status(&desk.run(&["markers", "out.wav", "--export", name])), 1, "{name} is not overwritten");
        let back = desk.json(&["markers", "in.wav", "--import", name, "--json"]);
        assert_eq!(back["markers"].as_array().expect("a list").len(), 2, "{name}");
    }
    let labels = std::fs::read_to_string(desk.path("a.txt")).expect("there");
    assert_eq!(labels, "0.100000\t0.100000\tEins\n0.250000\t0.500000\tZwei\n");
    // Into another lossless format, and what that does not hold.
    let output = desk.run(&["markers", "out.wav", "-o", "out.flac"]);
    assert!(status(&output) == 0 && said(&output).contains("The ends of 1 regions are not written"), "{output:?}");
    assert_eq!(desk.json(&["markers", "out.flac", "--json"])["markers"][1]["start_frame"], 12_000);
    // `process` keeps markers at their sound.
    assert_eq!(status(&desk.run(&["process", "out.wav", "-o", "part.wav", "--start", "0.2"])), 0);
    assert_eq!(desk.json(&["markers", "part.wav", "--json"])["markers"][0]["start_frame"], 2400);
    // Effects that change the time put them where their sound is, and `edit` takes them along.
    assert_eq!(status(&desk.run(&["process", "out.wav", "-o", "slow.wav", "-c", "time_stretch(200 %)"])), 0);
    assert_eq!(desk.json(&["markers", "slow.wav", "--json"])["markers"][1]["end_frame"], 48_000);
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
    assert_eq!(status(&desk.run(&words)), 0);
    let cut = desk.json(&["markers", "cut.wav", "--json"])["markers"].clone();
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
        let output = desk.run(words);
        assert_eq!(status(&output), code, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {output:?}");
    }
    assert_eq!(std::fs::read(&wav).expect("there"), original);
}

#[test]
fn recordings_are_split_at_markers_regions_silence_and_times() {
    let desk = Desk::new();
    desk.tone("in.wav");
    std::fs::write(desk.path("labels.txt"), "0.25\t0.25\tEins/zwei\n0.5\t0.75\tRegion\n").expect("written");
    let json = desk.json(&["split", "in.wav", "-o", "parts", "--import", "labels.txt", "--json"]);
    let parts = json["parts"].as_array().expect("a list");
    assert_eq!((parts.len(), &parts[1]["start_frame"], &parts[1]["end_frame"]), (2, &12_000.into(), &48_000.into()));
    assert_eq!(frames(&desk.path("parts/01 in.wav")), 12_000);
    let second = AudioFile::open(&desk.path("parts/02 Eins_zwei.wav")).expect("opens");
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
    let joined = [read(&desk.path("parts/01 in.wav")), read(&desk.path("parts/02 Eins_zwei.wav"))].concat();
    assert!(joined == read(&desk.path("in.wav")), "the parts together are the recording");
    let run = |words: &[&str]| desk.run(&[&["split", "in.wav", "--import", "labels.txt"], words].concat());
    assert_eq!(status(&run(&["-o", "r", "--at", "regions", "--format", "flac", "--name", "{name}-{title}.{ext}"])), 0);
    assert_eq!(frames(&desk.path("r/in-Region.flac")), 12_000);
    assert_eq!(status(&run(&["-o", "t", "--at", "0.1,4900f", "--name", "x.wav"])), 0);
    let lengths = ["t/x.wav", "t/x (2).wav", "t/x (3).wav"].map(|name| frames(&desk.path(name)));
    assert_eq!(lengths, [4800, 100, 43_100]);
    assert_eq!(status(&run(&["-o", "s", "--at", "silence"])), 0);
    for (words, code, message) in [
        (&["-o", "t", "--at", "0.1", "--name", "x.wav"][..], 1, "x.wav"),
        (&["-o", "t", "--at", "soon"], 2, "must be seconds"),
        (&["-o", "t", "--at", "5"], 2, "below frame 48000"),
        (&["-o", "in.wav"], 2, "not a folder"),
        (&["-o", "t", "--name", "../x"], 2, "below the output folder"),
        (&["-o", "t", "--at", "silence", "--threshold", "0"], 2, "nothing exceeds"),
    ] {
        let output = run(words);
        assert_eq!(status(&output), code, "{words:?}: {output:?}");
        assert!(said(&output).contains(message), "{words:?}: {output:?}");
    }
    let output = desk.run(&["split", "in.wav", "-o", "u"]);
    assert!(status(&output) == 2 && said(&output).contains("no markers"), "{output:?}");
}
