//! The table of `docs/measured/effects.md`: one row per effect, whose cells are written by the tests and the bench that measure
//! them.
//!
//! With `UPDATE_EFFECTS_TABLE` set, the measurements are written to the page. Otherwise they are compared with the
//! page: the number of cases must be equal, and no error may be larger than stated, apart from rounding differences of
//! processors.

#![allow(dead_code, reason = "each test tells its part")]

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The columns, in order.
pub const COLUMNS: [&str; 11] = [
    "effect",
    "checked against",
    "cases",
    "worst error",
    "cut anyhow (allowed)",
    "taken up",
    "latency",
    "tail",
    "survives",
    "swept",
    "x real time",
];
pub const CUT: usize = 4;
pub const TAKEN_UP: usize = 5;
pub const LATENCY: usize = 6;
pub const TAIL: usize = 7;
pub const SURVIVES: usize = 8;
pub const SWEPT: usize = 9;
pub const COST: usize = 10;

/// Allows for rounding differences between processors.
const ROUNDING: f64 = 1e-12;
const VARIABLE: &str = "UPDATE_EFFECTS_TABLE";
/// Separates the lines of a cell.
const BREAK: &str = "<br>";

/// Returns whether measurements are written to the page.
pub fn updating() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

fn docs() -> PathBuf {
    super::files::repository().join("docs/measured/effects.md")
}

/// A page with a table, and the text before and after it.
pub struct Page {
    pub before: String,
    pub rows: Vec<Vec<String>>,
    pub after: String,
}

impl Page {
    pub fn parse(text: &str) -> Self {
        let head = format!("| {} |", COLUMNS[0]);
        let mut page = Self { before: String::new(), rows: Vec::new(), after: String::new() };
        // 0: before the table; 1: at its rule; 2: within it; 3: after it.
        let mut place = 0;
        for line in text.lines() {
            match place {
                0 if line.starts_with(&head) => place = 1,
                0 => page.before.extend([line, "\n"]),
                1 => place = 2,
                2 if line.starts_with('|') => page.rows.push(cells(line)),
                _ => {
                    place = 3;
                    page.after.extend([line, "\n"]);
                }
            }
        }
        page
    }

    pub fn text(&self) -> String {
        let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let rows: String = self.rows.iter().map(|row| line(row.iter().map(String::as_str).collect())).collect();
        let rule = format!("|{}\n", "---|".repeat(COLUMNS.len()));
        format!("{}{}{rule}{rows}{}", self.before, line(COLUMNS.to_vec()), self.after)
    }

    /// Sets the text of a cell.
    pub fn set(&mut self, effect: &str, column: usize, text: &str) {
        text.clone_into(&mut self.row(effect)[column]);
    }

    /// Brings the rows into the order of the list of effects, and drops those of effects that are gone.
    fn arrange(&mut self) {
        let place = |row: &Vec<String>| effects::all().iter().position(|spec| spec.name == row[0].trim_matches('`'));
        self.rows.retain(|row| place(row).is_some());
        self.rows.sort_by_key(place);
    }

    /// States the hardware of the costs, in the line after the table.
    pub fn name_hardware(&mut self, name: &str) {
        let line = format!("Costs: {name}, one thread.");
        let rest: Vec<&str> = self.after.lines().filter(|line| !line.starts_with("Costs: ")).collect();
        self.after = format!("\n{line}\n\n{}\n", rest.join("\n").trim());
    }

    /// Returns the row of an effect and creates it if necessary.
    fn row(&mut self, effect: &str) -> &mut Vec<String> {
        let name = format!("`{effect}`");
        let at = self.rows.iter().position(|row| row[0] == name).unwrap_or_else(|| {
            let mut row = vec![String::new(); COLUMNS.len()];
            row[0].clone_from(&name);
            self.rows.push(row);
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Returns the lines of a cell.
pub fn lines(cell: &str) -> Vec<String> {
    if cell.is_empty() { Vec::new() } else { cell.split(BREAK).map(str::to_owned).collect() }
}

/// Reads the page.
pub fn page() -> Page {
    Page::parse(&std::fs::read_to_string(docs()).expect("docs/measured/effects.md"))
}

/// Changes the page. A file lock serialises tests, also across programs.
pub fn change(edit: impl FnOnce(&mut Page)) {
    let mut file: File = OpenOptions::new().read(true).write(true).open(docs()).expect("docs/measured/effects.md");
    file.lock().expect("the page for this test alone");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("the page");
    let mut page = Page::parse(&text);
    edit(&mut page);
    page.arrange();
    file.seek(SeekFrom::Start(0)).expect("the page's beginning");
    file.set_len(0).expect("an empty page");
    file.write_all(page.text().as_bytes()).expect("the page written");
}

/// Formats an error for the page: a residual in dB, or a difference with its unit.
fn written(worst: f64, unit: &str) -> String {
    assert!(!worst.is_nan() && worst < f64::INFINITY, "no error: {worst}");
    match (worst, unit) {
        (worst, _) if worst == 0.0 || worst == f64::NEG_INFINITY => "none".into(),
        (worst, "dB") if worst < -20.0 => format!("{worst:.1} dB"),
        (worst, "") => format!("{worst:.1e}"),
        (worst, unit) => format!("{worst:.1e} {unit}"),
    }
}

/// Returns whether an error is no worse than the page states.
pub fn holds(said: &str, worst: f64) -> bool {
    match said.split(' ').next().and_then(|number| number.parse::<f64>().ok()) {
        None => said == "none" && (worst.abs() <= ROUNDING || worst < -290.0),
        Some(said) if said < 0.0 => worst <= said + 1.5,
        Some(said) => worst <= 1.5 * said + ROUNDING,
    }
}

/// Records the comparison of an effect: the reference, the number of cases, and the worst error with its unit (empty
/// for a relative error, `FS` for a fraction of full scale, `dB` for a residual relative to the output or a level).
pub fn measured(effect: &str, against: &str, cases: usize, worst: f64, unit: &str) {
    let found = written(worst, unit);
    if updating() {
        change(|page| {
            let row = page.row(effect);
            let mut parts = [1, 2, 3].map(|column| lines(&row[column]));
            let at = parts[0].iter().position(|line| line == against).unwrap_or(parts[0].len());
            for (part, line) in parts.iter_mut().zip([against.to_owned(), cases.to_string(), found]) {
                part.resize(part.len().max(at + 1), String::new());
                part[at] = line;
            }
            for (column, part) in [1, 2, 3].into_iter().zip(parts) {
                row[column] = part.join(BREAK);
            }
        });
        return;
    }
    let page = page();
    let name = format!("`{effect}`");
    let row = page
        .rows
        .iter()
        .find(|row| row[0] == name)
        .unwrap_or_else(|| panic!("docs/measured/effects.md lacks {effect}"));
    let [names, counts, errors] = [1, 2, 3].map(|column| lines(&row[column]));
    let at = names.iter().position(|line| line == against);
    let at = at
        .unwrap_or_else(|| panic!("docs/measured/effects.md does not compare {effect} with {against}: set {VARIABLE}"));
    assert_eq!(
        counts[at],
        cases.to_string(),
        "cases of {effect} against {against} in docs/measured/effects.md: set {VARIABLE}"
    );
    assert!(
        holds(&errors[at], worst),
        "{effect} against {against}: {found}, but docs/measured/effects.md says {}",
        errors[at]
    );
}

/// Records the exact text of another cell.
pub fn told(effect: &str, column: usize, text: &str) {
    if updating() {
        change(|page| text.clone_into(&mut page.row(effect)[column]));
        return;
    }
    let name = format!("`{effect}`");
    let said = page().rows.iter().find(|row| row[0] == name).map(|row| row[column].clone()).unwrap_or_default();
    assert_eq!(said, text, "{effect}, {}, in docs/measured/effects.md: set {VARIABLE}", COLUMNS[column]);
}

/// Records a figure in another cell, followed by words. It must be no worse than the page states.
pub fn figure(effect: &str, column: usize, worst: f64, unit: &str, after: &str) {
    let found = format!("{}{after}", written(worst, unit));
    if updating() {
        change(|page| page.row(effect)[column].clone_from(&found));
        return;
    }
    let name = format!("`{effect}`");
    let said = page().rows.iter().find(|row| row[0] == name).map(|row| row[column].clone()).unwrap_or_default();
    let figure = said.strip_suffix(after).unwrap_or_default();
    assert!(holds(figure, worst), "{effect}, {}: {found}, but docs/measured/effects.md says {said:?}", COLUMNS[column]);
}
