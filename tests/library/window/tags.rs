//! Tags of originals in the window: the preview, writing exactly what it showed, and undo, also after a restart.

use std::sync::Arc;

use serde_json::{Value, json};

use super::bench::{Bench, song, write};

const NAMES: [&str; 3] = ["a.flac", "b.wav", "c.flac"];

/// Returns an app with three analysed songs, and a file that is not a recording.
fn scanned() -> Bench {
    let bench = Bench::new();
    for (seed, name) in (1..).zip(NAMES) {
        write(&bench.music(name), song(seed, 0.0, 12.0), Some("Miles Davis"));
    }
    std::fs::write(bench.music("broken.wav"), b"RIFF\0\0\0\0WAVE").unwrap();
    bench.add_music();
    bench
}

fn bytes(bench: &Bench) -> Vec<Vec<u8>> {
    NAMES.iter().map(|name| std::fs::read(bench.music(name)).unwrap()).collect()
}

fn request(fields: &[&str], tracks: Option<Vec<i64>>) -> Value {
    let query = json!({ "text": "", "sort": [] });
    json!({ "query": query, "tracks": tracks, "fields": fields, "only_missing": false })
}

/// Runs a command that starts a job, and returns the result with all files.
fn run(bench: &Bench, command: &str, args: Value) -> Value {
    let job = bench.wait_for_job(&bench.call(command, args));
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("tags")), "{job}");
    bench.call("library.tag_run", json!({ "outcome": null, "offset": 0, "limit": 100 }))
}

fn outcomes(run: &Value) -> Vec<(&str, &str)> {
    let files = run["files"].as_array().unwrap();
    files.iter().map(|file| (file["name"].as_str().unwrap(), file["outcome"].as_str().unwrap())).collect()
}

#[test]
fn what_the_preview_shows_is_written_and_taken_back_after_a_restart() {
    let bench = scanned();
    let before = bytes(&bench);
    assert_eq!(bench.call("library.tag_run", json!({ "outcome": null, "offset": 0, "limit": 9 })), Value::Null);
    assert_eq!(bench.call("library.tag_writes", json!({})), json!([]));

    let preview = run(&bench, "library.preview_tags", request(&["loudness", "key", "key"], None));
    let changes = [("a.flac", "changes"), ("b.wav", "changes"), ("broken.wav", "skipped"), ("c.flac", "changes")];
    assert_eq!(outcomes(&preview), changes);
    assert_eq!((&preview["action"], &preview["fields"]), (&json!("preview"), &json!(["key", "loudness"])));
    assert_eq!(
        (&preview["counts"]["changes"], &preview["total"], &preview["write"]),
        (&json!(3), &json!(4), &Value::Null)
    );
    assert!(preview["files"][2]["reason"].as_str().unwrap().contains("not analysed"));
    let first = &preview["files"][0]["changes"];
    assert!(
        first[0]["tag"] == "INITIALKEY" && first[0]["old"] == Value::Null && first[0]["new"].is_string(),
        "{first}"
    );
    assert!(bytes(&bench) == before, "a preview writes nothing");

    // A range of the files, and those with one outcome.
    let part = bench.call("library.tag_run", json!({ "outcome": "changes", "offset": 1, "limit": 1 }));
    assert_eq!((outcomes(&part), &part["total"]), (vec![("b.wav", "changes")], &json!(3)));

    let written = run(&bench, "library.write_tags", json!({ "preview": preview["id"] }));
    assert_eq!((&written["action"], &written["counts"]["written"]), (&json!("write"), &json!(3)), "{written}");
    assert_eq!(written["files"][0]["changes"], *first);
    assert!(bytes(&bench).iter().zip(&before).all(|(now, before)| now != before));
    let again = bench.fails("library.write_tags", json!({ "preview": preview["id"] }));
    assert!(again.1.contains("preview of tags no longer exists"), "a preview is written once: {again:?}");
    let kept = run(&bench, "library.preview_tags", request(&["key"], None));
    assert_eq!(kept["counts"]["unchanged"], 3);
    assert_eq!(kept["files"][0]["kept"], json!([["INITIALKEY", first[0]["new"]]]));

    // The next start of the program still lists the writes.
    let folder = Arc::clone(&bench.folder);
    bench.app.shut_down();
    drop(bench);
    let bench = Bench::in_folder(folder);
    let writes = bench.call("library.tag_writes", json!({}));
    assert_eq!((&writes[0]["files"], &writes[0]["undoable"], &writes[0]["undone"]), (&json!(3), &json!(3), &json!(0)));
    assert_eq!(writes[0]["fields"], json!(["key", "loudness"]));
    assert!(writes[0]["kept_bytes"].as_u64().unwrap() > 0);
    let opened = bench.call("library.open", json!({ "tracks": [bench.id("a.flac")] }));
    let undone = run(&bench, "library.undo_tags", json!({ "write": writes[0]["id"] }));
    assert_eq!((&undone["counts"]["restored"], &undone["counts"]["failed"]), (&json!(2), &json!(1)), "{undone}");
    bench.call("workspace.close_document", json!({ "document": opened["documents"][0]["id"] }));
    let undone = run(&bench, "library.undo_tags", json!({ "write": writes[0]["id"] }));
    assert_eq!((&undone["counts"]["restored"], &undone["fields"]), (&json!(1), &json!(["key", "loudness"])));
    assert_eq!(undone["action"], "undo");
    assert!(bytes(&bench) == before, "the originals are back");
    let writes = bench.call("library.tag_writes", json!({}));
    assert_eq!((&writes[0]["undoable"], &writes[0]["undone"]), (&json!(0), &json!(3)));
    assert_eq!(bench.call("library.forget_tags", json!({ "write": writes[0]["id"] })), json!([]));
    let job = bench.wait_for_job(&bench.call("library.undo_tags", json!({ "write": 77 })));
    let message = job["failure"]["message"].as_str().unwrap_or_default();
    assert!(job["state"] == "failed" && message.contains("write of tags does not exist"), "{job}");
}

#[test]
fn only_what_was_agreed_to_is_written() {
    let bench = scanned();
    let before = bytes(&bench);
    let [a, b] = ["a.flac", "b.wav"].map(|name| bench.id(name));
    let (_, message) = bench.fails("library.write_tags", json!({ "preview": 1 }));
    assert!(message.contains("no longer exists"), "nothing was shown: {message}");
    let preview = run(&bench, "library.preview_tags", request(&["loudness"], Some(vec![a, b])));
    assert_eq!(outcomes(&preview), [("a.flac", "changes"), ("b.wav", "changes")]);
    // A document identifies its recording by the bytes of the file.
    let opened = bench.call("library.open", json!({ "tracks": [b] }));
    let refused = run(&bench, "library.preview_tags", request(&["loudness"], Some(vec![b])));
    assert_eq!(outcomes(&refused), [("b.wav", "failed")]);
    assert!(refused["files"][0]["failure"]["message"].as_str().unwrap().contains("open in the editor"), "{refused}");
    bench.call("workspace.close_document", json!({ "document": opened["documents"][0]["id"] }));
    let preview = run(&bench, "library.preview_tags", request(&["loudness"], Some(vec![a, b])));

    // Meanwhile, the library finds another loudness, and a file that was not shown matches the query too.
    let database = rusqlite::Connection::open(bench.database()).unwrap();
    database.execute("UPDATE feature SET loudness_lufs = -7.7 WHERE track_id = ?1", [a]).unwrap();
    drop(database);
    let written = run(&bench, "library.write_tags", json!({ "preview": preview["id"] }));
    assert_eq!(outcomes(&written), [("a.flac", "failed"), ("b.wav", "written")], "{written}");
    let message = written["files"][0]["failure"]["message"].as_str().unwrap();
    assert!(message.contains("since the preview"), "{message}");
    let after = bytes(&bench);
    assert!(after[0] == before[0] && after[1] != before[1] && after[2] == before[2]);
}
