//! Playlists in the window: choosing their tracks, and writing them to a file.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::SCANNED;

/// Returns the request of a test, for all tracks in the order of their names.
fn request(choice: Value, count: Option<u64>, mixed: bool) -> Value {
    let query = json!({ "text": "", "sort": [{ "column": "name", "descending": false }] });
    json!({ "query": query, "tracks": null, "choice": choice, "count": count, "mixed": mixed })
}

/// Starts to choose tracks, and returns how the job ended.
fn make(request: &Value) -> Value {
    SCANNED.wait_for_job(&SCANNED.call("library.make_playlist", request.clone()))
}

/// Returns the playlist of a request, with the names of its tracks.
fn made(request: &Value) -> (Value, Vec<String>) {
    let job = make(request);
    assert_eq!((&job["state"], &job["purpose"]), (&json!("done"), &json!("playlist")), "{job}");
    let view = SCANNED.call("library.playlist", json!({}));
    let rows = SCANNED.call("library.rows", json!({ "tracks": view["tracks"] }));
    let names = rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
    (view, names)
}

#[test]
fn tracks_are_those_of_the_table_or_some_of_them_in_its_order() {
    let _desk = SCANNED.desk.alone();
    let (view, names) = made(&request(json!({ "kind": "all" }), None, false));
    let expected = ["cut 2.wav", "quiet 1.wav", "song 1.flac", "song 2.flac", "song 3.flac", "song 4.flac"];
    assert_eq!(names, expected);
    assert_eq!((&view["left_out"], &view["changes"]), (&json!(1), &json!([])), "broken.wav is left out, and said");
    assert!((view["duration_s"].as_f64().unwrap() - (12.0 + 5.0 * 16.0)).abs() < 0.1, "{view}");

    // The order in which tracks are selected does not matter.
    let mut some = request(json!({ "kind": "all" }), None, false);
    some["tracks"] = json!(["song 4.flac", "cut 2.wav"].map(|name| SCANNED.id(name)));
    assert_eq!(made(&some).1, ["cut 2.wav", "song 4.flac"]);
    some["query"]["text"] = json!("artist:any");
    assert_eq!(made(&some).1, ["song 4.flac"], "both the query and the selection count");
    assert_eq!(made(&request(json!({ "kind": "all" }), Some(3), false)).1, expected[..3]);

    let (view, mut names) = made(&request(json!({ "kind": "all" }), None, true));
    let changes = view["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 5);
    assert!(changes.iter().all(|change| change.as_f64().unwrap() >= 0.0));
    names.sort();
    assert_eq!(names, expected, "mixing changes only the order");
}

#[test]
fn tracks_like_one_and_a_path_between_two() {
    let _desk = SCANNED.desk.alone();
    let [first, second, broken] = ["song 1.flac", "song 4.flac", "broken.wav"].map(|name| SCANNED.id(name));
    let like = |count| request(json!({ "kind": "like", "track": first }), Some(count), false);
    let (_, names) = made(&like(3));
    assert_eq!((names.len(), names[0].as_str(), names[1].as_str()), (3, "song 1.flac", "quiet 1.wav"));
    assert_eq!(made(&like(50)).1.len(), 6, "fewer than were asked for, if there are no more");

    let between = |from, to, count| request(json!({ "kind": "between", "from": from, "to": to }), Some(count), false);
    let (_, names) = made(&between(first, second, 4));
    assert_eq!((names.len(), names[0].as_str(), names[3].as_str()), (4, "song 1.flac", "song 4.flac"));

    let before = SCANNED.call("library.playlist", json!({}));
    for (request, word) in [
        (request(json!({ "kind": "like", "track": broken }), Some(5), false), "not analysed"),
        (between(first, broken, 5), "not analysed"),
        (between(first, second, 1), "2 to"),
        (between(first, 999_999, 5), "no longer exists"),
    ] {
        let job = make(&request);
        let message = job["failure"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(job["state"] == "failed" && message.contains(word), "{job}");
    }
    assert_eq!(SCANNED.call("library.playlist", json!({})), before, "a failure leaves the last one");
    let mut wrong = like(3);
    wrong["query"]["text"] = json!("bpm:x");
    assert_eq!(SCANNED.fails("library.make_playlist", wrong).0, ErrorCode::Notation);
}

#[test]
fn a_playlist_is_written_as_it_is_shown() {
    let _desk = SCANNED.desk.alone();
    let folder = SCANNED.folder.path();
    let tracks = json!(["song 3.flac", "song 1.flac"].map(|name| SCANNED.id(name)));
    let save = |name: &str, format: &str, relative: bool| {
        SCANNED.desk.will_choose(&[&folder.join(name)]);
        let job =
            SCANNED.call("library.save_playlist", json!({ "tracks": tracks, "format": format, "relative": relative }));
        SCANNED.wait_for_job(&job)
    };
    let files = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    let cancelled =
        SCANNED.call("library.save_playlist", json!({ "tracks": tracks, "format": "m3u8", "relative": true }));
    assert_eq!(cancelled, Value::Null, "the dialog was closed");

    let job = save("list", "m3u8", false);
    assert_eq!((&job["state"], &job["title"]), (&json!("done"), &json!("Export list.m3u8")), "{job}");
    assert_eq!(
        files("list.m3u8"),
        ["song 3.flac", "song 1.flac"].map(|name| SCANNED.music(name).display().to_string())
    );
    assert_eq!(save("from here.m3u8", "m3u8", true)["state"], "done");
    let separator = std::path::MAIN_SEPARATOR;
    assert_eq!(files("from here.m3u8")[0], format!("music{separator}song 3.flac"));

    // A typed extension selects the format; a completed one was not confirmed.
    assert_eq!(save("list.xspf", "m3u8", true)["state"], "done");
    assert!(std::fs::read_to_string(folder.join("list.xspf")).unwrap().contains("<location>music/song%203.flac"));
    let refused = save("list", "m3u8", false);
    assert!(refused["state"] == "failed" && refused["failure"]["code"] == "refused", "{refused}");
    SCANNED.desk.will_choose(&[&SCANNED.music("song 1.flac")]);
    let (code, message) =
        SCANNED.fails("library.save_playlist", json!({ "tracks": tracks, "format": "m3u8", "relative": false }));
    assert!(code == ErrorCode::Invalid && message.contains("xspf"), "{message}");
}
