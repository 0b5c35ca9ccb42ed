//! `undertone blind` as a user runs it, on files of sessions.

use std::path::Path;
use std::process::{Command, Output};

use undertone::blind::{Answer, Passage, Plan, Rule, Said, Session, Test, Trial, Version};

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_undertone")).arg("blind").args(words).current_dir(folder).output().unwrap()
}

fn version(name: &str) -> Version {
    Version { name: name.into(), content: name.into(), gain_db: 0.0 }
}

/// Writes a session of a listener who hears the difference in the first trials only, answered up to a trial.
fn written(path: &Path, heard: u32, trials: u32) {
    let passage = Passage { name: "all".into(), start_s: 0.0, end_s: 3.0 };
    let plan = Plan {
        listener: "listener".into(),
        note: String::new(),
        seed: 5,
        matched: true,
        versions: vec![version("original.wav"), version("coded.opus")],
        reference: 0,
        test: Test::Abx { a: 0, b: 1, passage, rule: Rule::Fixed { trials: 10, level: 0.05 } },
    };
    let mut session = Session::new(plan, 0).unwrap();
    while let Some(Trial::Abx { number, x_is_a }) = session.next().filter(|_| session.answers().len() < trials as usize)
    {
        let said = if x_is_a == (number < heard) { Said::XIsA } else { Said::XIsB };
        session.answer(Answer { said, seconds: 1.0, switches: 2 }, 0).unwrap();
    }
    session.save(path).unwrap();
}

#[test]
fn results_are_printed_once_a_test_is_over() {
    let folder = tempfile::tempdir().unwrap();
    written(&folder.path().join("over.json"), 9, 10);
    written(&folder.path().join("open.json"), 9, 9);
    let text = String::from_utf8(run(folder.path(), &["over.json"]).stdout).unwrap();
    assert!(text.contains("9 of 10") && text.contains("0.0107") && text.contains("passed"), "{text}");
    let output = run(folder.path(), &["over.json", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["sessions"][0]["abx"]["right"], 9);
    assert_eq!(json["sessions"][0]["abx"]["standing"], "passed");
    let csv = String::from_utf8(run(folder.path(), &["over.json", "--csv"]).stdout).unwrap();
    assert_eq!(csv.lines().count(), 11, "{csv}");
    let open = run(folder.path(), &["open.json"]);
    assert_eq!(open.status.code(), Some(2), "{open:?}");
    let said = String::from_utf8(open.stderr).unwrap();
    assert!(said.contains("not over") && open.stdout.is_empty(), "{said}");
}

#[test]
fn a_file_of_another_kind_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.json"), "{\"chain\": 1}").unwrap();
    let output = run(folder.path(), &["other.json"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no blind test") && said.contains("other.json"), "{said}");
    assert_ne!(output.status.code(), Some(0));
}
