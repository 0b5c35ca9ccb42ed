//! Checks that the effects page lists all effects in order, with a figure in every cell, and that latency and tail are
//! those that each effect declares.

use super::streamed::format_at;
use super::table::{self, COLUMNS, Page};

#[test]
fn the_page_has_exactly_the_effects_that_there_are() {
    // Other tests write its cells meanwhile.
    if table::updating() {
        return;
    }
    let page = table::page();
    let names: Vec<&str> = page.rows.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(names, effects::all().iter().map(|spec| spec.name).collect::<Vec<_>>());
    for row in &page.rows {
        assert_eq!(row.len(), COLUMNS.len(), "{row:?}");
        for (cell, column) in row.iter().zip(COLUMNS) {
            assert!(!cell.is_empty(), "{}: nothing of {column}", row[0]);
        }
        let lines = [1, 2, 3].map(|column| table::lines(&row[column]).len());
        assert!(lines[0] == lines[1] && lines[1] == lines[2], "{}: {lines:?} lines", row[0]);
    }
    // All costs come from one run; an effect that was added since has none. A codec costs what its model does.
    let (costs, codec): (Vec<_>, Vec<_>) = page.rows.iter().partition(|row| row[0] != "`codec`");
    let priced = costs.iter().filter(|row| row[table::COST].parse::<f64>().is_ok_and(|cost| cost > 0.0)).count();
    let unpriced = costs.iter().filter(|row| row[table::COST] == "-").count();
    assert_eq!(priced + unpriced, costs.len(), "{priced} costs, {unpriced} to be measured");
    assert!(codec.iter().all(|row| row[table::COST] == "-"));
}

#[test]
fn latency_and_tail_are_those_that_effects_declare() {
    let frames = |count: u64| if count == 0 { "none".to_owned() } else { format!("{count} frames") };
    for spec in effects::all() {
        let effect = spec.make(&spec.initial_arguments()).unwrap();
        let format = format_at(44_100, 2);
        table::told(spec.name, table::LATENCY, &frames(effect.latency_frames(format)));
        table::told(spec.name, table::TAIL, &frames(effect.tail_frames(format)));
        if table::updating() {
            table::change(|page| {
                let name = format!("`{}`", spec.name);
                for row in page.rows.iter_mut().filter(|row| row[0] == name && row[table::COST].is_empty()) {
                    row[table::COST] = "-".into();
                }
            });
        }
    }
}

#[test]
fn a_page_is_read_as_it_is_written() {
    let head = format!("| {} |", COLUMNS.join(" | "));
    let row = format!("| `a` | {} |", ["x"; COLUMNS.len() - 1].join(" | "));
    let text = format!("before\n\n{head}\n|{}\n{row}\n\nafter\n", "---|".repeat(COLUMNS.len()));
    let page = Page::parse(&text);
    assert_eq!((page.before.as_str(), page.rows.len(), page.after.as_str()), ("before\n\n", 1, "\nafter\n"));
    assert_eq!(page.text(), text);
    assert!(Page::parse("no table\n").rows.is_empty());
}

#[test]
fn a_page_that_promises_more_is_refused() {
    for (said, found, held) in [
        ("-120.0 dB", -120.0, true),
        ("-120.0 dB", -117.0, false),
        ("1.0e-9", 1.2e-9, true),
        ("1.0e-9", 1e-8, false),
        ("none", f64::NEG_INFINITY, true),
        ("none", 1e-3, false),
        ("", 1.0, false),
    ] {
        assert_eq!(table::holds(said, found), held, "{said} and {found}");
    }
}
