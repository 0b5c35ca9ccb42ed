//! `undertone models` as a user runs it.

use std::path::Path;

use serde_json::{Value, json};
use undertone::models::ModelKind;

use crate::support::models::described;

/// Runs the command line. Returns its exit status and its JSON.
fn command(paths: &[&Path], config: &Path) -> (i32, Value) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_undertone"))
        .arg("models")
        .args(paths)
        .arg("--json")
        .env("UNDERTONE_CONFIG_DIR", config)
        .env("UNDERTONE_DATA_DIR", config)
        .output()
        .unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

#[test]
fn the_command_line_lists_models_and_an_error_for_each_file_that_is_none() {
    let all = described();
    let folder = tempfile::tempdir().unwrap();
    let (path, config) = (folder.path().join("weights"), folder.path().join("config"));
    all["encodec_24khz own"].write(&path);
    let (status, shown) = command(&[&path], &config);
    let expected = json!({ "models": [{
        "path": path, "kind": "encodec_24khz", "name": "EnCodec 24 kHz", "parameters": 19_046_114,
        "bytes": std::fs::metadata(&path).unwrap().len(), "licence": ModelKind::Encodec24.licence(),
    }] });
    assert_eq!((status, &shown), (0, &expected));
    let (status, shown) = command(&[&path, &crate::support::reference("weights/calls.pt")], &config);
    assert_eq!((status, shown["models"].as_array().unwrap().len()), (1, 2));
    assert_eq!(
        (&shown["models"][0]["kind"], &shown["models"][1]["error"]["code"]),
        (&json!("encodec_24khz"), &json!("malformed"))
    );
    // Without paths: the folders of the settings, if there are any.
    let (status, shown) = command(&[], &config);
    assert_eq!((status, shown["error"]["code"].as_str()), (2, Some("invalid")), "{shown}");
    std::fs::write(config.join("settings.json"), json!({ "models": { "folders": [folder.path()] } }).to_string())
        .unwrap();
    let (status, shown) = command(&[], &config);
    assert_eq!((status, &shown["models"][0]["kind"]), (0, &json!("encodec_24khz")), "{shown}");
}
