//! The report of a grid in Markdown.

use std::fmt::Write;

use super::table::{Table, categories, failures, of_category, overall};
use super::{PLOTS, Plot, heading, remarks, shown};
use crate::codec_grid::Results;

/// Returns the report. Plots are linked.
pub fn markdown(results: &Results, plots: &[Plot]) -> String {
    let mut text = String::from("# What the codecs did\n\n");
    let _ = write!(text, "{} recordings, {} codecs.", results.grid.inputs.len(), results.grid.codecs.len());
    for remark in remarks(results) {
        text.push(' ');
        text.push_str(&remark);
    }
    text.push_str("\n\n");
    add_table(&mut text, &overall(results));
    for plot in plots {
        let _ = writeln!(text, "![{}]({PLOTS}/{}.svg)\n", heading(plot.measure), plot.measure.name);
    }
    let categories = categories(results);
    if categories.len() > 1 {
        for category in categories {
            let _ = writeln!(text, "## {}\n", escaped(&shown(category)));
            add_table(&mut text, &of_category(results, category));
        }
    }
    let failures = failures(results);
    if !failures.rows.is_empty() {
        text.push_str("## What failed\n\n");
        add_table(&mut text, &failures);
    }
    text
}

fn add_table(text: &mut String, table: &Table) {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    text.push_str(&line(&table.head));
    let marks = (0..table.head.len()).map(|column| if column == 0 { "---" } else { "---:" });
    let _ = writeln!(text, "|{}|", marks.collect::<Vec<_>>().join("|"));
    table.rows.iter().for_each(|row| text.push_str(&line(row)));
    text.push('\n');
}

/// Escapes what Markdown, or HTML in it, would act on.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if matches!(character, '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '&') {
            out.push('\\');
        }
        out.push(if character.is_control() { ' ' } else { character });
    }
    out
}
