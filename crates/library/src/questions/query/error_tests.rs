//! Tests the error messages for invalid queries.

use super::*;

fn error(text: &str) -> NotationError {
    match text.parse::<Query>() {
        Ok(query) => panic!("{text} was read as {query}"),
        Err(error) => error,
    }
}

#[test]
fn errors_name_the_place_what_was_got_and_what_is_allowed() {
    for (text, start, got, said) in [
        ("blue tempi:120", 5, "tempi", "no field"),
        ("bpm:fast", 4, "fast", "not a value of `bpm`"),
        ("bpm:118..fast", 9, "fast", "not a value"),
        ("bpm:122..118", 4, "122..118", "ends before"),
        ("bpm:", 4, "", "needs a value"),
        ("bpm: 120", 4, " ", "needs a value"),
        ("bpm:..", 4, "", "needs a value"),
        ("bpm:120,", 8, "", "needs a value"),
        ("bpm:>", 5, "", "needs a value"),
        ("bpm:120kHz", 4, "120kHz", "not a value"),
        ("bpm:1e9", 4, "1e9", "not a value"),
        ("bpm:99999999999999999999", 4, "99999999999999999999", "not a value"),
        ("duration:3:61", 9, "3:61", "not a value"),
        ("added:2026-02-30", 6, "2026-02-30", "not a value"),
        ("key:H", 4, "H", "not a key"),
        ("key:>Am", 4, ">", "no order"),
        ("artist:<x", 7, "<", "no order"),
        ("state:broken", 6, "broken", "cannot be"),
        ("(a b", 0, "(", "not closed"),
        ("a b)", 3, ")", "closes nothing"),
        ("()", 1, ")", "missing before"),
        ("a or", 4, "", "ends too early"),
        ("or a", 0, "or", "missing before"),
        ("a or or b", 5, "or", "missing before"),
        ("a and", 5, "", "ends too early"),
        ("a -", 0, "", ""),
        ("-", 0, "-", "Nothing follows"),
        ("not", 3, "", "ends too early"),
        ("\"a", 0, "\"a", "not closed"),
        ("\"\"", 0, "\"\"", "empty"),
        ("artist:\"\"", 7, "\"\"", "needs a value"),
    ] {
        if said.is_empty() {
            continue;
        }
        let error = error(text);
        assert_eq!((error.start, error.got.as_str()), (start, got), "{text}: {error}");
        assert!(error.message.contains(said), "{text}: {error}");
    }
}

#[test]
fn the_nearest_name_is_offered() {
    for (text, nearest) in
        [("tempu:120", "tempo"), ("lodness:<3", "loudness"), ("atrist:a", "artist"), ("state:faild", "failed")]
    {
        assert_eq!(error(text).nearest.as_deref(), Some(nearest), "{text}");
    }
    assert_eq!(error("qqqqqqqq:1").nearest, None);
    assert!(error("bpm:fast").allowed.contains(&"bpm:118..122".to_owned()));
}

#[test]
fn limits_are_kept() {
    assert!(error(&"(".repeat(MAX_LENGTH)).message.contains("deep"));
    assert!(error(&"-".repeat(MAX_DEPTH + 9).replace('-', "not ")).message.contains("deep"));
    assert!(error(&"a ".repeat(MAX_TERMS + 1)).message.contains("more than"));
    assert!(error(&format!("format:{}", "a,".repeat(MAX_TERMS + 1))).message.contains("more than"));
    assert!(error(&"é".repeat(MAX_LENGTH)).message.contains("longer"));
    let most = "zq ".repeat(MAX_TERMS);
    let query: Query = most.parse().unwrap();
    assert_eq!(super::tests::found(&super::tests::database(), &query, FreeText::Columns), [0i64; 0]);
    let deep = format!("{}a{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
    assert_eq!(deep.parse::<Query>().unwrap().to_string(), "a");
}
