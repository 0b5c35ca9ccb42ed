//! Tests random queries and randomly corrupted texts: each is parsed, or refused with a position; it prints stably, is
//! valid SQL, and is never anything but a condition.

use proptest::prelude::*;
use rusqlite::Connection;

use super::tests::{database, found};
use super::*;

fn number(field: &'static Field) -> BoxedStrategy<Number> {
    let texts = match field.kind {
        Kind::Number(units) => {
            let names: Vec<&str> = std::iter::once("").chain(units.iter().map(|unit| unit.name)).collect();
            (any::<i32>(), 0..5usize, proptest::sample::select(names))
                .prop_map(|(n, decimals, unit)| format!("{:.decimals$}{unit}", f64::from(n) / 1000.0))
                .boxed()
        }
        Kind::Duration => prop_oneof!["[0-9]{1,3}:[0-5][0-9](\\.[0-9]{1,3})?", "[0-9]{1,4}(s|ms|min|h)?"].boxed(),
        _ => "[12][0-9]{3}(-0[1-9](-[12][0-9])?)?".boxed(),
    };
    texts.prop_filter_map("a number of the field", move |text| Number::read(&text, field)).boxed()
}

fn test(field: &'static Field) -> BoxedStrategy<Test> {
    let always = prop_oneof![Just(Test::Missing), Just(Test::Known)];
    let of_kind = match field.kind {
        Kind::Text => {
            let text = prop_oneof![".{1,8}", "[a-z ]{1,6}", Just("' OR 1=1 --".to_owned()), Just("none".to_owned())];
            (text, any::<bool>()).prop_map(|(t, whole)| if whole { Test::Is(t) } else { Test::Contains(t) }).boxed()
        }
        Kind::Choice(options) => proptest::sample::select(options).prop_map(|o: &str| Test::Is(o.to_owned())).boxed(),
        Kind::Key => proptest::sample::select(Key::all().collect::<Vec<_>>()).prop_map(Test::Key).boxed(),
        _ => (0..6, number(field), number(field))
            .prop_map(|(kind, a, b)| match kind {
                0 => Test::Equal(a),
                1 => Test::Below(a),
                2 => Test::AtMost(a),
                3 => Test::Above(a),
                4 => Test::AtLeast(a),
                _ if a.value() <= b.value() => Test::Between(a, b),
                _ => Test::Between(b, a),
            })
            .boxed(),
    };
    prop_oneof![1 => always, 5 => of_kind].boxed()
}

fn query() -> impl Strategy<Value = Query> {
    let field = (0..fields().len()).prop_flat_map(|index| {
        let field = &fields()[index];
        proptest::collection::vec(test(field), 1..3)
            .prop_filter_map("tests that fit", move |tests| Query::field(field, tests))
    });
    let text = prop_oneof![".{1,10}", "[a-z]{1,5}", "[\"\\\\*:^-]{1,5}"].prop_filter_map("text", Query::text);
    prop_oneof![field, text].prop_recursive(4, 16, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            some.clone().prop_map(Query::both),
            some.prop_map(Query::either),
            inner.prop_filter_map("not everything", Query::negated),
        ]
    })
}

fn spoiling() -> impl Strategy<Value = (usize, usize, String)> {
    let piece = prop_oneof![
        "[-|(),:=<>.\"\\\\a-z0-9 ]{0,3}",
        any::<char>().prop_map(String::from),
        proptest::sample::select(vec![" or ", "not ", "key:", "..", "bpm:", "artist:=\"", "';--", "\0"])
            .prop_map(str::to_owned),
    ];
    (any::<usize>(), 0..4usize, piece)
}

fn spoiled(text: &str, (at, count, piece): &(usize, usize, String)) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = at % (characters.len() + 1);
    let end = (start + count).min(characters.len());
    characters[..start].iter().copied().chain(piece.chars()).chain(characters[end..].iter().copied()).collect()
}

/// Parses arbitrary text.
fn read(database: &Connection, text: &str) {
    match text.parse::<Query>() {
        Ok(query) => {
            let printed = query.to_string();
            assert_eq!(printed.parse::<Query>().as_ref(), Ok(&query), "{text:?} printed {printed:?}");
            for free_text in [FreeText::Index, FreeText::Columns] {
                found(database, &query, free_text);
            }
        }
        Err(error) => {
            assert_eq!(text.get(error.start..error.end), Some(error.got.as_str()), "{text:?}: {error:?}");
            assert!(!error.message.is_empty());
        }
    }
}

/// Returns whether the SQL of a query, apart from bound values, consists only of column names and known `SQLite` words.
fn skeleton_is_ours(sql: &str) -> bool {
    const WORDS: [&str; 17] = [
        "TRUE",
        "AND",
        "OR",
        "IS",
        "NOT",
        "NULL",
        "IN",
        "SELECT",
        "FROM",
        "WHERE",
        "MATCH",
        "rowid",
        "track_text",
        "instr",
        "undertone_fold",
        "0",
        "''",
    ];
    sql.split([' ', '(', ')', ',', '?', '>', '<', '=']).filter(|word| !word.is_empty()).all(|word| {
        let column = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
        WORDS.contains(&word) || column.is_some_and(|column| fields().iter().any(|field| field.column == column))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 384, ..ProptestConfig::default() })]

    #[test]
    fn a_query_comes_back_from_its_text_and_is_sql(query in query()) {
        let text = query.to_string();
        let read: Query = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(&read, &query, "{}", text);
        prop_assert_eq!(read.to_string(), text);
        for free_text in [FreeText::Index, FreeText::Columns] {
            prop_assert!(skeleton_is_ours(&query.condition(free_text).sql));
        }
    }

    #[test]
    fn negation_is_the_complement(query in query()) {
        let database = database();
        if let Some(negated) = query.clone().negated() {
            for free_text in [FreeText::Index, FreeText::Columns] {
                let mut both = found(&database, &query, free_text);
                both.extend(found(&database, &negated, free_text));
                both.sort_unstable();
                prop_assert_eq!(both, vec![1, 2, 3, 4, 5]);
            }
        }
    }

    #[test]
    fn a_spoiled_text_is_read_or_refused_with_a_place(
        query in query(),
        spoilings in proptest::collection::vec(spoiling(), 1..6),
    ) {
        read(&database(), &spoilings.iter().fold(query.to_string(), |text, spoiling| spoiled(&text, spoiling)));
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in ".{0,40}") {
        read(&database(), &text);
        complete(&text, text.len() / 2);
    }
}
