//! The documentation names the dimensions that there are, with their units, ranges, formulas and meanings.

use analysis::features::DIMENSIONS;

/// The rows of the table of dimensions, cell by cell: those between its head and the next empty line.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .skip_while(|line| !line.starts_with("| name | unit |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

#[test]
fn the_documentation_has_exactly_the_dimensions_that_there_are() {
    let text = std::fs::read_to_string(crate::support::repository().join("docs/features.md")).unwrap();
    let rows = rows(&text);
    assert_eq!(rows.len(), DIMENSIONS.len());
    for (row, dimension) in rows.iter().zip(&DIMENSIONS) {
        let name = format!("`{}`", dimension.name);
        let range = format!("{} to {}", dimension.low, dimension.high);
        // A bar would end the cell.
        let formula = dimension.formula.replace('|', "\\|");
        assert_eq!(row[..], [name.as_str(), dimension.unit, range.as_str(), formula.as_str(), dimension.meaning]);
    }
}

#[test]
fn a_row_that_is_missing_or_wrong_is_noticed() {
    let text = "| name | unit | x |\n|---|---|---|\n| `a` | Hz | 1 |\n\n| `b` | Hz | 2 |\n";
    assert_eq!(rows(text), [["`a`", "Hz", "1"]]);
    assert!(rows("no table").is_empty());
}
