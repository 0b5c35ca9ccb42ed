//! Converts a query to a condition in SQL.
//!
//! Column names come only from the table of fields; everything else is bound. User input is never part of the SQL. A
//! comparison with a missing value is NULL in SQL; a negation is `IS NOT TRUE`, which includes it.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::fold::{SQL_NAME, fold};
use super::tokenizer::Tokenizer;
use super::{Field, Kind, Node, Number, Query, Test};
use crate::tracks::columns::{INDEXED, TEXTS};

/// How free text is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeText {
    /// In the full-text table `track_text` (FTS5 over title, artist, album and path, with the track's id as row id):
    /// whole words, and the last word of a text as a prefix.
    Index,
    /// As a substring of the columns themselves.
    Columns,
    /// On a server: in the text vectors `words` of the table `word_index`, which holds the same words. Text without case
    /// and accents is in columns whose names begin with `folded_`.
    Vectors,
}

/// A condition, to be placed after `WHERE`, and the values of its `?` in order. For `SQLite`, the connection needs
/// [`add_functions`](super::add_functions).
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The condition.
    pub sql: String,
    /// The bound values.
    pub values: Vec<Value>,
}

/// A bound value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl Query {
    /// Returns the condition that a matching track satisfies.
    pub fn condition(&self, free_text: FreeText) -> Condition {
        let mut writer = Writer { sql: String::new(), values: Vec::new(), free_text };
        writer.node(&self.0);
        Condition { sql: writer.sql, values: writer.values }
    }
}

/// Writes a condition.
struct Writer {
    sql: String,
    values: Vec<Value>,
    free_text: FreeText,
}

impl Writer {
    fn bind(&mut self, sql: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(sql);
        self.values.extend(values);
    }

    /// Returns the name of a column, quoted.
    fn column(&self, name: &str) -> String {
        match self.free_text {
            FreeText::Index | FreeText::Columns => format!("[{name}]"),
            FreeText::Vectors => format!("\"{name}\""),
        }
    }

    /// Returns a column without case and accents. States have neither.
    fn folded(&self, name: &str) -> String {
        match self.free_text {
            FreeText::Vectors if name == "state" => self.column(name),
            FreeText::Index | FreeText::Columns => format!("{SQL_NAME}([{name}])"),
            FreeText::Vectors => format!("\"folded_{name}\""),
        }
    }

    /// Writes that `part` contains a text.
    fn has(&mut self, part: &str, text: String) {
        let find = if self.free_text == FreeText::Vectors { "strpos" } else { "instr" };
        self.bind(&format!("{find}({part}, ?) > 0"), [Value::Text(text)]);
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::All => self.sql.push_str("TRUE"),
            Node::And(parts) => self.joined(parts, " AND ", Self::node),
            Node::Or(parts) => self.joined(parts, " OR ", Self::node),
            Node::Not(inner) => {
                self.sql.push('(');
                self.node(inner);
                self.sql.push_str(" IS NOT TRUE)");
            }
            Node::Text(text) => self.text(text),
            Node::Field(field, tests) => self.joined(tests, " OR ", |writer, test| writer.test(field, test)),
        }
    }

    fn joined<T>(&mut self, parts: &[T], operator: &str, mut write: impl FnMut(&mut Self, &T)) {
        self.sql.push('(');
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.sql.push_str(operator);
            }
            write(self, part);
        }
        self.sql.push(')');
    }

    fn text(&mut self, text: &str) {
        // A band may be called `!!!`, but the index holds only letters and digits.
        let is_indexed = text.chars().any(char::is_alphanumeric);
        match self.free_text {
            FreeText::Index if is_indexed => {
                let phrase = text.replace('"', "\"\"").replace('\0', " ");
                let sql = "[id] IN (SELECT rowid FROM track_text WHERE track_text MATCH ?)";
                self.bind(sql, [Value::Text(format!("\"{phrase}\" *"))]);
            }
            FreeText::Vectors if is_indexed => {
                let phrase = Tokenizer::new().and_then(|tokenizer| tokenizer.phrase(text)).ok().flatten();
                let sql = "\"id\" IN (SELECT track_id FROM word_index WHERE words @@ CAST(? AS TSQUERY))";
                self.bind(sql, [Value::Text(phrase.unwrap_or_default())]);
            }
            _ => self.joined(&TEXTS[..INDEXED], " OR ", |writer, column| writer.contains(column, text)),
        }
    }

    fn contains(&mut self, column: &str, text: &str) {
        let folded = fold(text);
        // Combining marks alone fold to an empty text, which would match everywhere.
        if folded.trim().is_empty() {
            self.has(&self.column(column), text.to_owned());
        } else {
            self.has(&self.folded(column), folded);
        }
    }

    fn test(&mut self, field: &Field, test: &Test) {
        let column = &self.column(field.column);
        let mut compare = |sign: &str, value: f64| self.bind(&format!("{column} {sign} ?"), [Value::Real(value)]);
        let after = |number: &Number, past: &'static str, from: &'static str| {
            number.end().map_or((past, number.value()), |end| (from, end))
        };
        match test {
            Test::Contains(text) => self.contains(field.column, text),
            Test::Is(text) => self.bind(&format!("{} = ?", self.folded(field.column)), [Value::Text(fold(text))]),
            Test::Key(key) => {
                let spellings = key.spellings();
                let places = vec!["?"; spellings.len()].join(", ");
                let folded = self.folded(field.column);
                self.bind(&format!("{folded} IN ({places})"), spellings.into_iter().map(Value::Text));
            }
            Test::Equal(number) => {
                let (low, high) = number.written_like_this();
                let values = [Value::Real(low), Value::Real(high)];
                self.bind(&format!("({column} >= ? AND {column} < ?)"), values);
            }
            Test::Below(number) => compare("<", number.value()),
            Test::AtLeast(number) => compare(">=", number.value()),
            Test::Above(number) => {
                let (sign, value) = after(number, ">", ">=");
                compare(sign, value);
            }
            Test::AtMost(number) => {
                let (sign, value) = after(number, "<=", "<");
                compare(sign, value);
            }
            Test::Between(from, to) => {
                let (sign, value) = after(to, "<=", "<");
                let values = [Value::Real(from.value()), Value::Real(value)];
                self.bind(&format!("({column} >= ? AND {column} {sign} ?)"), values);
            }
            // An empty tag counts as missing.
            Test::Missing if field.is_text() => self.bind(&format!("({column} IS NULL OR {column} = '')"), []),
            Test::Known if field.is_text() => self.bind(&format!("({column} IS NOT NULL AND {column} <> '')"), []),
            Test::Missing => self.bind(&format!("({column} IS NULL)"), []),
            Test::Known => self.bind(&format!("({column} IS NOT NULL)"), []),
        }
    }
}

impl Field {
    /// Returns whether its column holds text.
    fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Choice(_) | Kind::Key)
    }
}
