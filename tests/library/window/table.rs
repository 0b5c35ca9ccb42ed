//! The library table: rows, order, queries, completions, export.

use serde_json::{Value, json};
use undertone::error::ErrorCode;

use super::bench::SCANNED;

fn names(sort: Value, text: &str) -> Vec<String> {
    let query = json!({ "text": text, "sort": sort });
    let page = SCANNED.call("library.tracks", json!({ "query": query, "offset": 0, "limit": 100 }));
    let rows = page["rows"].as_array().unwrap();
    assert_eq!(page["total"], rows.len());
    rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn by(column: &str, descending: bool) -> Value {
    json!([{ "column": column, "descending": descending }])
}

#[test]
fn rows_come_in_any_order() {
    assert_eq!(
        names(json!([]), ""),
        ["song 1.flac", "song 2.flac", "song 3.flac", "song 4.flac", "broken.wav", "cut 2.wav", "quiet 1.wav"]
    );
    let up = names(by("name", false), "");
    assert_eq!(up[..3], ["broken.wav", "cut 2.wav", "quiet 1.wav"]);
    let mut down = names(by("name", true), "");
    down.reverse();
    assert_eq!(down, up);
    assert_eq!(names(by("loudness_lufs", false), "")[6], "broken.wav", "what has no value comes last");
    assert_eq!(names(by("duration_s", false), "")[0], "cut 2.wav");
    assert_eq!(names(by("folder", true), "")[..4].iter().filter(|name| name.starts_with("song")).count(), 4);
    let query = json!({ "text": "", "sort": by("name", false) });
    let page = SCANNED.call("library.tracks", json!({ "query": query, "offset": 2, "limit": 1 }));
    assert_eq!(
        (&page["total"], &page["offset"], &page["rows"][0]["name"]),
        (&json!(7), &json!(2), &json!("quiet 1.wav"))
    );
    let id = SCANNED.id("quiet 1.wav");
    assert_eq!(SCANNED.call("library.position", json!({ "query": query, "track": id })), 2);
    assert_eq!(SCANNED.call("library.position", json!({ "query": query, "track": 999_999 })), Value::Null);
    let wrong = json!({ "text": "", "sort": by("mood", false) });
    let (code, message) = SCANNED.fails("library.tracks", json!({ "query": wrong, "offset": 0, "limit": 1 }));
    assert!(code == ErrorCode::Invalid && message.contains("mood"), "{message}");
}

#[test]
fn queries_choose_rows_and_their_errors_have_a_place() {
    assert_eq!(names(json!([]), "artist:\"miles davis\""), ["song 2.flac", "song 3.flac"]);
    assert_eq!(names(json!([]), "state:failed"), ["broken.wav"]);
    assert_eq!(names(json!([]), "duration:<13s path:copies"), ["cut 2.wav"]);
    assert_eq!(names(json!([]), "bjork"), ["song 1.flac"]);
    let text = "genre:any bpm:120..x";
    let query = json!({ "text": text, "sort": [] });
    let error =
        SCANNED.app.call("library.tracks", json!({ "query": query, "offset": 0, "limit": 1 })).expect_err("wrong");
    let failure = undertone::error::Failure::from(error);
    let place = failure.notation.expect("a place");
    assert_eq!(failure.code, ErrorCode::Notation);
    assert!(text[place.start..place.end].contains('x'), "{place:?}");
}

#[test]
fn what_could_be_typed_is_offered() {
    let complete =
        |text: &str, cursor: usize| SCANNED.call("library.complete_query", json!({ "text": text, "cursor": cursor }));
    let texts = |found: &Value| -> Vec<String> {
        found["items"].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect()
    };
    assert!(texts(&complete("bp", 2)).contains(&"bpm:".to_owned()));
    // Values of the library, after characters of two UTF-16 units and of two bytes.
    let before = "\u{1d11e} é artist:mi";
    let found = complete(before, before.encode_utf16().count());
    assert_eq!(texts(&found)[0], "\"Miles Davis\"");
    let units: Vec<u16> = before.encode_utf16().collect();
    let (start, end) = (found["start"].as_u64().unwrap() as usize, found["end"].as_u64().unwrap() as usize);
    assert_eq!(String::from_utf16(&units[start..end]).unwrap(), "mi");
    // A completion within quotes ends with a quote, and the completed text parses again.
    let found = complete("artist:\"Mil", 11);
    assert_eq!(texts(&found)[0], "Miles Davis\"");
    let open = json!({ "query": { "text": "artist:\"Mil", "sort": [] } });
    assert_eq!(SCANNED.fails("library.numbers", open).0, ErrorCode::Notation, "the quote is open");
    let typed = "bpm:any artist:\"miles d";
    let found = complete(typed, typed.len());
    assert_eq!((&texts(&found)[0], found["start"].as_u64()), (&"Miles Davis\"".to_owned(), Some(16)));
    assert_eq!(texts(&complete("artist:BJO", 10))[0], "Björk");
    assert_eq!(texts(&complete("format:", 7)).iter().filter(|text| *text == "none").count(), 1);
    assert!(texts(&complete("mood:x", 6)).is_empty());
}

#[test]
fn tracks_are_exported_in_the_format_of_the_chosen_name() {
    let _desk = SCANNED.desk.alone();
    let query = json!({ "text": "artist:any", "sort": [] });
    assert_eq!(SCANNED.call("library.export", json!({ "query": query })), Value::Null, "the dialog was closed");
    let names =
        [("a.json", "a.json"), ("b.parquet", "b.parquet"), ("c", "c.csv"), ("e.m3u8", "e.m3u8"), ("f.xspf", "f.xspf")];
    for (chosen, written) in names {
        let target = SCANNED.folder.path().join(chosen);
        SCANNED.desk.will_choose(&[&target]);
        let exported = SCANNED.call("library.export", json!({ "query": query }));
        let bytes = std::fs::metadata(target.with_file_name(written)).unwrap().len();
        assert_eq!(exported, json!({ "name": written, "tracks": 4, "bytes": bytes }));
    }
    // A playlist has the order of the table.
    let lines = |sort: Value| -> Vec<String> {
        let target = SCANNED.folder.path().join("ordered.m3u8");
        let _ = std::fs::remove_file(&target);
        SCANNED.desk.will_choose(&[&target]);
        SCANNED.call("library.export", json!({ "query": { "text": "artist:any", "sort": sort } }));
        let text = std::fs::read_to_string(&target).unwrap();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    let by_path = |descending: bool| lines(json!([{ "column": "path", "descending": descending }]));
    let mut turned = by_path(true);
    turned.reverse();
    assert_eq!((turned.len(), turned), (4, by_path(false)));
    SCANNED.desk.will_choose(&[&SCANNED.folder.path().join("d.xlsx")]);
    let (code, message) = SCANNED.fails("library.export", json!({ "query": query }));
    assert!(code == ErrorCode::Invalid && message.contains("parquet"), "{message}");
}
