//! What the chains of a window may read and run: what its own user allowed, whatever way the chains came.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::{Bench, again, start};

/// Writes a file of taps. Returns its path and a chain that reads it.
fn taps(bench: &Bench) -> (String, String) {
    let path = bench.folder.path().join("taps.txt");
    std::fs::write(&path, "0.5").unwrap();
    let path = path.to_str().unwrap().to_owned();
    let text = format!("gain(-1 dB) | fir(file={path:?})");
    (path, text)
}

fn set(bench: &Bench, document: &Value, text: &str) -> Value {
    bench.edit(document, json!({ "kind": "set_chain_text", "text": text }))
}

fn allow(bench: &Bench, document: &Value, files: &[&str]) -> Value {
    bench.call("workspace.answer_files", json!({ "document": document["id"], "files": files, "allow": true }))
}

#[test]
fn two_windows_of_one_process_share_neither_files_nor_licences() {
    let [one, other] = [start(), start()];
    let (file, text) = taps(&one);
    let model = crate::support::reference("codec_models/encodec_24khz").to_str().unwrap().to_owned();
    let text = format!("{text} | codec({model:?})");
    let [mine, theirs] = [&one, &other].map(|bench| bench.open(&bench.tone("song.wav")));
    let problem = |bench: &Bench, document: &Value| set(bench, document, &text)["chain_problem"].clone();
    let confirm = |bench: &Bench, confirmed: bool| {
        bench.call("models.confirm_licence", json!({ "kind": "encodec_24khz", "confirmed": confirmed }));
    };
    let needs_licence = |problem: &Value| problem["message"].as_str().unwrap_or("").contains("licence of EnCodec");
    assert_eq!(
        [problem(&one, &mine), problem(&other, &theirs)].map(|problem| problem["code"].clone()),
        ["refused", "refused"]
    );

    allow(&one, &mine, &[&file, &model]);
    assert!(needs_licence(&problem(&one, &mine)));
    confirm(&one, true);
    assert_eq!((problem(&one, &mine), &problem(&other, &theirs)["code"]), (Value::Null, &json!("refused")));

    allow(&other, &theirs, &[&file, &model]);
    assert!(needs_licence(&problem(&other, &theirs)));
    confirm(&other, true);
    confirm(&one, false);
    assert!(needs_licence(&problem(&one, &mine)) && problem(&other, &theirs).is_null());
}

#[test]
fn a_file_is_asked_for_whatever_way_its_chain_came() {
    let bench = start();
    let (file, text) = taps(&bench);
    let asks = |bench: &Bench, way: &str, view: &Value| {
        assert_eq!(
            (&view["asked_files"], &view["chain_problem"]["code"]),
            (&json!([file]), &json!("refused")),
            "{way}"
        );
        let args = json!({ "document": view["id"], "points": 10, "from_hz": 20, "to_hz": 20_000 });
        assert_eq!(bench.fails("editor.response", args).0, ErrorCode::Refused, "{way}");
    };
    let document = bench.open(&bench.tone("song.wav"));
    let of = |name: &str| bench.call(name, json!({ "document": document["id"] }));
    asks(&bench, "typed", &set(&bench, &document, &text));
    set(&bench, &document, "");
    asks(&bench, "undone", &of("editor.undo"));
    of("editor.undo");
    asks(&bench, "done again", &of("editor.redo"));
    bench.edit(&document, json!({ "kind": "copy_rack" }));
    let rack = |rack: &str| bench.call("editor.set_rack", json!({ "document": document["id"], "rack": rack }));
    asks(&bench, "the other rack", &rack("b"));
    rack("a");

    let whole = json!({ "document": document["id"], "node": null, "name": "foreign", "replace": false });
    bench.call("editor.save_preset", whole);
    let load = |node: Value| bench.edit(&document, json!({ "kind": "load_preset", "preset": "foreign", "node": node }));
    let view = set(&bench, &document, "gain(-2 dB)");
    asks(&bench, "a preset in place of an effect", &load(view["chain"]["nodes"][0]["id"].clone()));
    set(&bench, &document, "");
    asks(&bench, "a preset", &load(Value::Null));

    set(&bench, &document, "");
    let view = bench.edit(&document, json!({ "kind": "add_effect", "effect": "fir", "after": null }));
    let node = &view["chain"]["nodes"][0]["id"];
    let argument = json!({ "kind": "set_argument", "node": node, "name": "file", "value": file, "gesture": null });
    asks(&bench, "a parameter", &bench.edit(&document, argument));

    bench.desk.will_choose(&bench.tone("second.wav"));
    bench.call("editor.import_tracks", json!({ "document": document["id"] }));
    for choice in [json!({ "track": 1 }), json!("sum")] {
        bench.call("editor.choose_track", json!({ "document": document["id"], "choice": choice }));
        asks(&bench, "a track, or the sum", &set(&bench, &document, &text));
    }

    let project = bench.folder.path().join("mix.undertone");
    bench.desk.will_choose(&project);
    asks(&bench, "saved", &bench.call("workspace.save_project", json!({ "document": document["id"], "choose": true })));
    of("workspace.close_document");
    let reopened = bench.call("workspace.reopen_closed", json!({}))["documents"][0].clone();
    asks(&bench, "reopened", &reopened);
    bench.call("workspace.close_document", json!({ "document": reopened["id"] }));
    let moved = bench.folder.path().join("moved.undertone");
    std::fs::copy(&project, &moved).unwrap();
    asks(&bench, "a project", &bench.open(&moved));
    let bench = again(bench);
    let restored = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    asks(&bench, "restored", &restored);
    assert_eq!(allow(&bench, &restored, &[&file])["chain_problem"], Value::Null);
}

#[test]
fn a_batch_reads_no_file_that_was_not_allowed() {
    let bench = start();
    let (file, text) = taps(&bench);
    let document = bench.open(&bench.tone("song.wav"));
    set(&bench, &document, &text);
    let project = bench.folder.path().join("mix.undertone");
    bench.desk.will_choose(&project);
    bench.call("workspace.save_project", json!({ "document": document["id"], "choose": true }));
    let preset = json!({ "document": document["id"], "node": null, "name": "foreign", "replace": false });
    bench.call("editor.save_preset", preset);
    let out = bench.folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let choose = |command: &str, path: &Path| {
        bench.desk.will_choose(path);
        bench.call(command, json!({}))
    };
    choose("batch.add_files", &project);
    let settings = choose("batch.choose_output", &out)["settings"].clone();
    let with_chain = |chain: Value| {
        let mut settings = settings.clone();
        settings["chain"] = chain;
        settings["overwrite"] = json!(true);
        bench.call("batch.set", json!({ "settings": settings }))["status"]["chain_problem"].clone()
    };
    let run = || {
        bench.call("batch.start", json!({}));
        let end = Instant::now() + Duration::from_mins(1);
        loop {
            let batch = bench.call("batch.view", json!({}));
            if batch["status"]["phase"] == "finished" {
                return batch["items"][0].clone();
            }
            assert!(Instant::now() < end, "{batch}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    for chain in [json!({ "kind": "preset", "name": "foreign" }), json!({ "kind": "rack" })] {
        let problem = with_chain(chain);
        assert!(problem.as_str().is_some_and(|problem| problem.contains("not allowed yet")), "{problem}");
    }
    // The project has a chain of its own.
    assert_eq!(with_chain(json!({ "kind": "none" })), Value::Null);
    let item = run();
    assert_eq!((&item["state"], &item["failure"]["code"]), (&json!("failed"), &json!("refused")), "{item}");
    allow(&bench, &document, &[&file]);
    assert_eq!(run()["state"], "done");
}
