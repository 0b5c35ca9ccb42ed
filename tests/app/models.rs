//! The page of models as the window requests it.

use serde_json::{Value, json};
use undertone::error::ErrorCode;
use undertone::models::ModelKind;
use undertone::work::settings::ModelSettings;

use crate::bench::{Bench, start};

/// Writes a file with the tensors by which EnCodec is recognised.
fn write_encodec(bench: &Bench, name: &str) {
    let tensor = |start: u64| json!({ "dtype": "F32", "shape": [2], "data_offsets": [start, start + 8] });
    let header = json!({
        "encoder.layers.0.conv.weight_v": tensor(0), "quantizer.layers.0.codebook.embed": tensor(8),
    })
    .to_string();
    let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 16]].concat();
    std::fs::write(bench.folder.path().join(name), bytes).unwrap();
}

fn names(view: &Value, list: &str, field: &str) -> Vec<String> {
    view[list].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn folders_are_kept_and_their_models_listed() {
    let bench = start();
    let folder = bench.folder.path().join("models");
    std::fs::create_dir(&folder).unwrap();
    let view = bench.call("models.view", json!({}));
    assert!(names(&view, "folders", "name").is_empty() && view["kinds"].as_array().unwrap().len() == 7, "{view}");
    bench.desk.will_choose(&folder);
    let view = bench.call("models.add_folders", json!({}));
    assert_eq!(view["folders"][0]["problem"], "The folder contains no weight files.");
    write_encodec(&bench, "models/a.bin");
    std::fs::write(folder.join("b.pt"), "none").unwrap();
    // A folder that is chosen twice is listed once.
    bench.desk.will_choose(&folder);
    let view = bench.call("models.add_folders", json!({}));
    assert_eq!(names(&view, "folders", "name"), [folder.display().to_string()]);
    assert_eq!(
        (names(&view, "models", "kind"), names(&view, "models", "file")),
        (vec!["encodec_24khz".into()], vec!["a.bin".into()])
    );
    assert_eq!((view["models"][0]["parameters"].as_u64(), &view["folders"][0]["problem"]), (Some(4), &Value::Null));
    assert_eq!(names(&view, "rejected", "file"), ["b.pt"]);
    let (code, _) = bench.fails("models.remove_folder", json!({ "folder": 1 }));
    assert_eq!(code, ErrorCode::Invalid);
    let view = bench.call("models.remove_folder", json!({ "folder": 0 }));
    assert!(names(&view, "folders", "name").is_empty() && folder.join("a.bin").exists());
}

#[test]
fn a_window_neither_names_folders_nor_confirms_by_the_settings() {
    let bench = start();
    let folder = bench.folder.path().join("models");
    std::fs::create_dir(&folder).unwrap();
    bench.desk.will_choose(&folder);
    bench.call("models.add_folders", json!({}));
    bench.call("models.confirm_licence", json!({ "kind": "mimi", "confirmed": true }));
    let mut settings = bench.call("settings.view", json!({}));
    settings["models"] = json!({ "folders": ["/etc"], "licences": ["dac_44khz"] });
    bench.call("settings.set", json!({ "settings": settings }));
    let view = bench.call("models.view", json!({}));
    assert_eq!(names(&view, "folders", "name"), [folder.display().to_string()]);
    let confirmed: Vec<&Value> =
        view["kinds"].as_array().unwrap().iter().filter(|kind| kind["is_confirmed"] == true).collect();
    assert_eq!((confirmed.len(), &confirmed[0]["kind"]), (1, &json!("mimi")));
    let view = bench.call("models.confirm_licence", json!({ "kind": "mimi", "confirmed": false }));
    assert!(view["kinds"].as_array().unwrap().iter().all(|kind| kind["is_confirmed"] == false));
}

#[test]
fn a_model_is_not_used_before_its_licence_is_confirmed() {
    let mut kept = ModelSettings::default();
    let error = kept.check_licence(ModelKind::Mimi).unwrap_err().to_string();
    assert!(error.contains("The licence of Mimi is not confirmed"), "{error}");
    kept.licences.insert("mimi".into());
    assert!(kept.check_licence(ModelKind::Mimi).is_ok() && kept.check_licence(ModelKind::Dac44).is_err());
}

#[test]
fn a_codec_in_the_rack_runs_when_its_licence_is_confirmed() {
    let bench = start();
    let document = bench.open(&bench.tone("song.wav"));
    let view = bench.edit(&document, json!({ "kind": "set_chain_text", "text": "codec(\"\")" }));
    assert_eq!(view["chain_problem"], Value::Null, "without a model it changes nothing");
    let node = view["chain"]["nodes"][0]["id"].clone();
    let choose =
        |name: &str, folder: bool| json!({ "document": document["id"], "node": node, "name": name, "folder": folder });
    let folder = crate::support::reference("codec_models/encodec_24khz");
    bench.desk.will_choose(&folder);
    let view = bench.call("editor.choose_argument", choose("model", true));
    let said = view["chain_problem"]["message"].as_str().unwrap();
    assert!(said.contains("The licence of EnCodec 24 kHz is not confirmed"), "{said}");
    assert!(view["chain_text"].as_str().unwrap().contains("encodec_24khz"), "the chain keeps it");
    // The window is told which documents can run now, or no longer can.
    let current = || bench.desk.events("document").last().unwrap()["document"].clone();
    bench.call("models.confirm_licence", json!({ "kind": "encodec_24khz", "confirmed": true }));
    assert_eq!(current()["chain_problem"], Value::Null);
    bench.call("models.confirm_licence", json!({ "kind": "encodec_24khz", "confirmed": false }));
    assert!(current()["chain_problem"]["message"].as_str().unwrap().contains("EnCodec"));
    bench.call("models.confirm_licence", json!({ "kind": "encodec_24khz", "confirmed": true }));
    // A folder without a model gives a reason.
    bench.desk.will_choose(bench.folder.path());
    let view = bench.call("editor.choose_argument", choose("model", true));
    assert!(view["chain_problem"]["message"].as_str().unwrap().contains("config.json"), "{}", view["chain_problem"]);
    let (_, said) = bench.fails("editor.choose_argument", choose("bandwidth", true));
    assert!(said.contains("does not take a folder"), "{said}");
}

#[test]
fn a_grid_with_a_model_says_why_it_cannot_start() {
    let bench = start();
    let folder = crate::support::reference("codec_models/encodec_24khz");
    let mut settings = bench.call("codecs.view", json!({}))["settings"].clone();
    settings["codecs"] = format!("flac \"encodec:{}@0.6\"", folder.display()).into();
    let view = bench.call("codecs.set", json!({ "settings": settings }));
    assert_eq!(view["problem"], Value::Null);
    let said = view["licence_problem"].as_str().unwrap();
    assert!(said.contains("The licence of EnCodec 24 kHz is not confirmed"), "{said}");
    bench.call("models.confirm_licence", json!({ "kind": "encodec_24khz", "confirmed": true }));
    assert_eq!(bench.call("codecs.view", json!({}))["licence_problem"], Value::Null);
}
