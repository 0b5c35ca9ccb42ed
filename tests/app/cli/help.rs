//! Help, effects, and kinds of files.

use serde_json::Value;

use crate::support::terminal::{Terminal, said, status};

#[test]
fn help_is_done_and_wrong_words_are_usage() {
    let terminal = Terminal::new();
    assert_eq!(status(&terminal.run(&["--help"])), 0);
    assert_eq!(status(&terminal.run(&["effects", "peaking"])), 0);
    for wrong in
        [&["proces"][..], &["process"], &["effects", "revreb"], &["response", "lowpass(1 kHz", "--rate", "48000"]]
    {
        assert_eq!(status(&terminal.run(wrong)), 2, "{wrong:?}");
    }
}

#[test]
fn a_fault_in_a_chain_is_pointed_at_and_the_nearest_name_given() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let output = terminal.run(&["process", "in.wav", "-o", "out.wav", "-c", "gain(1 dB) | hihgpass(80 Hz)"]);
    assert_eq!(status(&output), 2);
    let words = said(&output);
    assert!(words.contains("Did you mean `highpass`") && words.contains("              ^^^^^^^^"), "{words}");
    assert!(!terminal.path("out.wav").exists());
}

#[test]
fn effects_and_responses_are_told_as_json() {
    let terminal = Terminal::new();
    let effects = terminal.json(&["effects", "--json"]);
    assert!(effects["effects"].as_array().is_some_and(|all| all.len() >= 14));
    let response = terminal.json(&[
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
    let terminal = Terminal::new();
    for (words, first) in [(&["low", "cut"][..], "highpass"), (&["amplify"], "gain"), (&["echo"], "delay")] {
        let mut asked = vec!["effects", "--search"];
        asked.extend(words);
        let lines = String::from_utf8(terminal.run(&asked).stdout).expect("text");
        assert!(lines.starts_with(&format!("{first} ")), "{words:?}: {lines}");
        asked.push("--json");
        let names: Vec<String> = terminal.json(&asked)["effects"]
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
    let terminal = Terminal::new();
    for spec in undertone::effects::all() {
        let page = String::from_utf8(terminal.run(&["effects", spec.name]).stdout).expect("text");
        assert!(page.contains("Default: ") || page.contains("Required, such as "), "{page}");
        // Formulas have no spaces to break at.
        let widest = page.lines().filter(|line| line.contains(' ')).map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= 110), "{}: {widest:?}", spec.name);
    }
}

#[cfg(unix)]
#[test]
fn no_driver_prints_on_the_terminal() {
    let terminal = Terminal::new();
    terminal.tone("a.wav");
    let file = terminal.path("none").display().to_string();
    for session in [None, Some("/nonexistent"), Some(file.as_str())] {
        for words in [
            &["devices"][..],
            &["process", "a.wav", "-o", "b.wav", "--overwrite", "-c", "gain(-3 dB)", "--device", "gpu"],
            &["play", "a.wav"],
        ] {
            let mut program = terminal.program();
            program
                .args(words)
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
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    std::fs::write(terminal.path("no.wav"), b"not audio").expect("written");
    let output = terminal.run(&["info", "in.wav", "no.wav", "--json"]);
    assert_eq!(status(&output), 1);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["files"][0]["frames"], 48_000);
    assert_eq!(told["files"][0]["codec"], "PCM 16 bit");
    assert_eq!(told["files"][1]["error"]["code"], "malformed");
}

#[test]
fn a_package_gets_completions_and_manual_pages() {
    let terminal = Terminal::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = terminal.run(&["completions", shell]);
        assert_eq!(status(&script), 0, "{shell}");
        let script = String::from_utf8_lossy(&script.stdout).into_owned();
        assert!(script.contains("undertone") && script.contains("spectrogram"), "{shell}: {script}");
    }
    std::fs::create_dir(terminal.path("man")).expect("a folder");
    let told = terminal.json(&["manual", "man", "--json"]);
    let pages: Vec<&str> = told["pages"].as_array().expect("pages").iter().filter_map(Value::as_str).collect();
    assert!(pages.contains(&"undertone.1") && pages.contains(&"undertone-library-scan.1"), "{pages:?}");
    let page = std::fs::read_to_string(terminal.path("man/undertone-process.1")).expect("a page");
    assert!(page.starts_with(".ie") && page.contains("undertone\\-process") && page.contains("\\-\\-chain"), "{page}");
    // An existing page is not overwritten.
    assert_eq!(status(&terminal.run(&["manual", "man"])), 1);
}
