//! Tests what queries find, in a database with the same columns.

use super::*;
use rusqlite::{Connection, params_from_iter};

pub(super) fn database() -> Connection {
    let database = Connection::open_in_memory().unwrap();
    add_functions(&database).unwrap();
    let columns: Vec<String> = fields()
        .iter()
        .map(|field| {
            let kind = match field.kind {
                Kind::Text | Kind::Choice(_) | Kind::Key => "TEXT",
                _ => "REAL",
            };
            format!("[{}] {kind}", field.column)
        })
        .collect();
    let sql = format!(
        "CREATE TABLE track ({});
         CREATE VIRTUAL TABLE track_text USING fts5 (title, artist, album, path,
             content = 'track', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');",
        columns.join(", ").replace("[id] REAL", "[id] INTEGER PRIMARY KEY")
    );
    database.execute_batch(&sql).unwrap();
    let rows = [
        "(1, 'Blue in Green', 'Miles Davis', 'Kind of Blue', '/music/jazz/blue in green.flac', 'Jazz', 1959, 337.0, 44100,
          'flac', 'A#', 118.4, -18.0, 'done', 1773446400000)",
        "(2, 'Jóga', 'Björk', 'Homogenic', '/music/joga.mp3', 'Pop', 1997, 180.0, 44100, 'mp3', 'Dbm', 121.96, -9.5, 'done',
          1773446400001)",
        "(3, 'Drone', NULL, '', '/music/100% \"real\".wav', NULL, NULL, 3600.0, 96000, 'wav', NULL, NULL, -30.2, 'done',
          1773532800000)",
        "(4, 'So What (live)', 'Miles Davis', 'Live', 'C:\\music\\so what.wav', 'Live; Jazz', 1960, 545.5, 48000, 'wav',
          'D minor', 136.0, -14.0, 'failed', 1773446399999)",
        "(5, 'Orbit', '!!!', 'Strange', '/music/orbit.ogg', 'Live', 2007, 59.9, 22050, 'ogg', 'Am', 120.0, -14.1,
          'waiting', 1770000000000)",
    ];
    for row in rows {
        let sql = format!(
            "INSERT INTO track (id, title, artist, album, path, genre, year, duration_s, rate_hz, format, [key], tempo_bpm,
             loudness_lufs, state, added_at) VALUES {row}"
        );
        database.execute_batch(&sql).unwrap();
    }
    database.execute_batch("INSERT INTO track_text (track_text) VALUES ('rebuild')").unwrap();
    database
}

/// Returns the ids that a query finds.
pub(super) fn found(database: &Connection, query: &Query, free_text: FreeText) -> Vec<i64> {
    let Condition { sql, values } = query.condition(free_text);
    let sql = format!("SELECT id FROM track WHERE {sql} ORDER BY id");
    let mut statement = database.prepare(&sql).unwrap_or_else(|error| panic!("{query}: {sql}: {error}"));
    assert_eq!(statement.parameter_count(), values.len());
    let rows = statement.query_map(params_from_iter(&values), |row| row.get(0)).unwrap();
    rows.map(|id| id.unwrap_or_else(|error| panic!("{query}: {sql}: {error}"))).collect()
}

#[test]
fn queries_find_what_they_say() {
    let database = database();
    let cases: &[(&str, &[i64])] = &[
        ("", &[1, 2, 3, 4, 5]),
        ("bpm:118..122", &[1, 2, 5]),
        ("tempo:120", &[5]),
        ("tempo_bpm:122", &[2]),
        ("bpm:122.0", &[2]),
        ("bpm:122.00", &[]),
        ("bpm>120", &[2, 4]),
        ("bpm>=120", &[2, 4, 5]),
        ("bpm:..120", &[1, 5]),
        ("bpm:none", &[3]),
        ("bpm:any", &[1, 2, 4, 5]),
        ("-bpm:>120", &[1, 3, 5]),
        ("loudness:<-14", &[1, 3, 5]),
        ("loudness:-14LUFS", &[4, 5]),
        ("loudness:-14.0", &[4]),
        ("loudness:-14.1", &[5]),
        ("key:Am", &[5]),
        ("key:8a", &[5]),
        ("key:C#m", &[2]),
        ("key:\"D minor\"", &[4]),
        ("key:Bb,Am", &[1, 5]),
        ("artist:\"Miles Davis\"", &[1, 4]),
        ("artist:miles -genre:live", &[1]),
        ("-genre:live", &[1, 2, 3]),
        ("genre:=live", &[5]),
        ("genre:none", &[3]),
        ("album:none", &[3]),
        ("artist:bjork", &[2]),
        ("artist:=BJÖRK", &[2]),
        ("year:1959", &[1]),
        ("year:1959..1997", &[1, 2, 4]),
        ("duration:>3:00", &[1, 3, 4]),
        ("duration:3:00", &[2]),
        ("duration:1:00", &[5]),
        ("duration:1h", &[3]),
        ("duration:9:05.5", &[4]),
        ("rate:44.1k", &[1, 2]),
        ("rate:44100", &[1, 2]),
        ("rate:>44.1kHz", &[3, 4]),
        ("format:flac,ogg", &[1, 5]),
        ("state:failed", &[4]),
        ("added:2026-03-14", &[1, 2]),
        ("added:>2026-03-14", &[3]),
        ("added:<2026-03-14", &[4, 5]),
        ("added:<=2026-03", &[1, 2, 3, 4, 5]),
        ("added:2026-02..2026-03-13", &[4, 5]),
        ("blue", &[1]),
        ("BLUE green", &[1]),
        ("jóga", &[2]),
        ("joga or orbit", &[2, 5]),
        ("joga | orbit", &[2, 5]),
        ("(joga or orbit) format:ogg", &[5]),
        ("not (joga or orbit)", &[1, 3, 4]),
        ("-(joga orbit)", &[1, 2, 3, 4, 5]),
        ("\"so what\"", &[4]),
        ("Miles - what", &[4]),
        ("\"!!!\"", &[5]),
        ("!!!", &[5]),
        ("path:\"C:\\music\"", &[4]),
        ("path:100%", &[3]),
        ("path:\"\\\"real\\\"\"", &[3]),
        ("artist:_iles", &[]),
        ("id:2..3 or id:5", &[2, 3, 5]),
    ];
    for (text, ids) in cases {
        let query: Query = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        for free_text in [FreeText::Index, FreeText::Columns] {
            assert_eq!(found(&database, &query, free_text), *ids, "{text} as {query}, {free_text:?}");
        }
    }
}

#[test]
fn text_is_found_by_words_in_the_index_and_anywhere_in_columns() {
    let database = database();
    let query: Query = "avis".parse().unwrap();
    assert_eq!(found(&database, &query, FreeText::Index), [0i64; 0]);
    assert_eq!(found(&database, &query, FreeText::Columns), [1, 4]);
    let query: Query = "dav".parse().unwrap();
    assert_eq!(found(&database, &query, FreeText::Index), [1, 4]);
}

#[test]
fn printing_is_canonical() {
    for (text, printed) in [
        ("  bpm:118..122  key:Am ", "bpm:118..122 key:Am"),
        ("tempo_bpm>=120.0bpm", "bpm:>=120.0BPM"),
        ("BPM:=120 and LOUDNESS:-14lufs", "bpm:120 loudness:-14LUFS"),
        ("year:1959.. year:..1965", "year:>=1959 year:<=1965"),
        ("key:8A,\"Db minor\"", "key:Am,C#m"),
        ("rate:44.1kHz", "rate:44.1k"),
        ("loudness:\u{2212}.5", "loudness:-0.5"),
        ("a (b c) d", "a b c d"),
        ("a (b or (c or d))", "a (b or c or d)"),
        ("not not a", "a"),
        ("-(a or b)", "-(a or b)"),
        ("-(a)", "-a"),
        ("artist:none artist:\"none\"", "artist:none artist:\"none\""),
        ("\"or\" \"-a\" \"a:b\" \"\\\\\"", "\"or\" \"-a\" \"a:b\" \"\\\\\""),
        ("title:=\"so, what\",\"b\"", "title:=\"so, what\",b"),
        ("duration:<=1:02:03.5", "duration:<=1:02:03.5"),
        ("12:30", "\"12:30\""),
        ("bit_rate:<192kbps state:FAILED", "bitrate:<192k state:=failed"),
    ] {
        let query: Query = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.to_string(), printed, "{text}");
        assert_eq!(printed.parse::<Query>().as_ref(), Ok(&query), "{text}");
    }
}

#[test]
fn every_field_is_one() {
    let names: Vec<&str> = fields().iter().flat_map(Field::names).collect();
    for (index, name) in names.iter().enumerate() {
        assert!(names[..index].iter().all(|other| !other.eq_ignore_ascii_case(name)), "{name} twice");
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
    }
    for dimension in &analysis::features::dimensions::DIMENSIONS {
        let field = field(dimension.name).unwrap_or_else(|| panic!("{} has no field", dimension.name));
        assert_eq!((field.column, field.unit), (dimension.name, dimension.unit));
    }
    for field in fields() {
        let example: Query = field.example.parse().unwrap_or_else(|error| panic!("{}: {error}", field.example));
        assert!(example.to_string().contains(&format!("{}:", field.name)), "{}", field.example);
        assert!(!field.help.is_empty());
    }
}

#[test]
fn numbers_come_from_programs_as_well() {
    let bpm = field("bpm").unwrap();
    let [low, high] = [118.25, 122.0].map(|value| Number::of(value, bpm).unwrap());
    let query = Query::field(bpm, vec![Test::Between(low, high)]).unwrap();
    assert_eq!(query.to_string(), "bpm:118.25..122");
    assert!(Number::of(f64::NAN, bpm).is_none() && Number::of(f64::INFINITY, bpm).is_none());
    assert!(
        Query::field(field("year").unwrap(), vec![Test::Equal(Number::of(3.0, field("duration").unwrap()).unwrap())])
            .is_none()
    );
    assert!(Query::field(bpm, vec![]).is_none());
    assert!(Query::all().negated().is_none() && Query::text(" ").is_none());
}

#[test]
fn completion_knows_fields_and_values() {
    let texts = |text: &str| {
        let Completions { start, end, items, .. } = complete(text, text.len());
        (start, end, items.into_iter().map(|item| item.text).collect::<Vec<_>>())
    };
    assert_eq!(texts("blue te"), (5, 7, vec!["bpm:".to_owned()]));
    let (start, _, items) = texts("-lou");
    assert_eq!((start, items), (1, vec!["loudness:".to_owned(), "loudness_variation:".to_owned()]));
    assert_eq!(texts("").2.len(), fields().len());
    assert_eq!(texts("state:fa").2, ["failed"]);
    assert_eq!(texts("key:Am,c#").2, ["C#", "C#m"]);
    assert_eq!(texts("nonsense:a").2, Vec::<String>::new());
    assert_eq!(complete("artist:mil", 10).values_of, Some("artist"));
    for cursor in 0..20 {
        complete("é (artist:\"é", cursor);
    }
}
