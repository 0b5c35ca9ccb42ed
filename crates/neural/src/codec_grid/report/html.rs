//! The report of a grid as a self-contained page that includes the plots.

use std::fmt::Write;

use super::table::{Table, categories, failures, of_category, overall};
use super::{Plot, remarks, shown};
use crate::codec_grid::Results;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;\
    color:#1a1a1a;background:#fff}table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}\
    th,td{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap;\
    font-variant-numeric:tabular-nums}th:first-child,td:first-child{text-align:left}\
    .failed td{text-align:left;white-space:normal}svg{max-width:100%;height:auto}";

/// Returns the page. It needs no other file, and fetches nothing.
pub fn html(results: &Results, plots: &[Plot]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>What the codecs did</title><style>{STYLE}</style></head><body>\n<h1>What the codecs did</h1>\n"
    );
    let counts = format!("{} recordings, {} codecs.", results.grid.inputs.len(), results.grid.codecs.len());
    let _ = writeln!(page, "<p>{} {}</p>", counts, escaped(&remarks(results).join(" ")));
    add_table(&mut page, &overall(results), "");
    for plot in plots {
        let _ = writeln!(page, "<figure>{}</figure>", plot.svg);
    }
    let categories = categories(results);
    if categories.len() > 1 {
        for category in categories {
            let _ = writeln!(page, "<h2>{}</h2>", escaped(&shown(category)));
            add_table(&mut page, &of_category(results, category), "");
        }
    }
    let failures = failures(results);
    if !failures.rows.is_empty() {
        page.push_str("<h2>What failed</h2>\n");
        add_table(&mut page, &failures, " class=\"failed\"");
    }
    page.push_str("</body></html>\n");
    page
}

fn add_table(page: &mut String, table: &Table, attributes: &str) {
    let line = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let _ = writeln!(page, "<table{attributes}>");
    page.push_str(&line("th", &table.head));
    table.rows.iter().for_each(|row| page.push_str(&line("td", row)));
    page.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
