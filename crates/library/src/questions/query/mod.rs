//! Text queries: `bpm:118..122 key:Am loudness:<-14 artist:"Miles Davis" -genre:live duration:>3:00 blue`.
//!
//! ```text
//! query  = [ either ]                             an empty text matches everything
//! either = both { ("or" | "|") both }
//! both   = term { [ "and" ] term }                binds tighter than `or`
//! term   = ("-" | "not") term | "(" either ")" | field | text
//! field  = name (":" test { "," test } | comparison)       commas are `or`: format:flac,wav
//! test   = value | comparison | value ".." value | value ".." | ".." value | "none" | "any"
//! comparison = ("<" | "<=" | ">" | ">=" | "=") value       also without the colon: bpm>120
//! text   = word | "\"" characters "\""            in quotes `\"` is `"` and `\\` is `\`
//! ```
//!
//! Free text is searched in title, artist, album and path, ignoring case and accents. In a text field, a value matches
//! anywhere, and `=` matches the whole text. A numeric field matches a number to the precision in which it is written
//! (`bpm:120` is 119.5 to 120.5, `bpm:120.0` is 119.95 to 120.05), with or without a unit (`44.1k`, `-14LUFS`, `3:00`,
//! `90s`). `none` matches a missing value, `any` a value that exists. A missing value satisfies no comparison. A
//! negation matches everything that its term does not match, so `-genre:live` includes tracks without a genre.
//!
//! [`Query`] prints canonically: fields under their canonical names, comparisons after a colon, quotes where they are
//! necessary. The output parses to the same query. [`Query::condition`] is the same query for `SQLite`, with all user
//! input as bound values.

mod complete;
mod fields;
mod fold;
mod key;
mod number;
mod parse;
mod print;
mod sql;
pub mod tokenizer;

use std::str::FromStr;

pub use complete::{Completion, Completions, complete};
pub use fields::{Field, Kind, Unit, field, fields};
pub use fold::{add_functions, fold};
pub use key::Key;
pub use number::Number;
pub use print::quoted;
pub use sql::{Condition, FreeText, Value};

pub use fields::nearest_name;

use base::error::NotationError;

/// Maximum length of a query in bytes.
pub const MAX_LENGTH: usize = 4096;
/// Maximum number of tests and free words in a query. `SQLite`'s limit on the depth of an expression is well above it.
pub const MAX_TERMS: usize = 200;
/// Maximum nesting depth of groups.
pub const MAX_DEPTH: usize = 32;

/// A query in a canonical form: nested conjunctions and disjunctions are flattened, and double negations are removed.
#[derive(Clone, Debug, PartialEq)]
pub struct Query(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// Matches everything.
    All,
    /// At least two nodes, none of which is `And` or `All`.
    And(Vec<Node>),
    /// At least two nodes, none of which is `Or` or `All`.
    Or(Vec<Node>),
    /// A negated node, which is neither `Not` nor `All`.
    Not(Box<Node>),
    /// Text in title, artist, album or path. It is not empty.
    Text(String),
    /// A field that must pass one of the tests. There is at least one test.
    Field(&'static Field, Vec<Test>),
}

/// A test of a field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Contains this text; for [`Kind::Text`].
    Contains(String),
    /// Equals this text; for [`Kind::Text`] and [`Kind::Choice`].
    Is(String),
    /// Is this key, in any spelling; for [`Kind::Key`].
    Key(Key),
    /// Is a number that rounds to this one at its written precision.
    Equal(Number),
    /// Is less than this.
    Below(Number),
    /// Is less than or equal to this.
    AtMost(Number),
    /// Is greater than this.
    Above(Number),
    /// Is greater than or equal to this.
    AtLeast(Number),
    /// Is between the two, inclusive.
    Between(Number, Number),
    /// Has no value.
    Missing,
    /// Has a value.
    Known,
}

impl Query {
    /// Creates a query that matches every track.
    pub fn all() -> Self {
        Self(Node::All)
    }

    /// Combines queries: all must match.
    pub fn both(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part.0 {
                Node::All => {}
                Node::And(parts) => flat.extend(parts),
                other => flat.push(other),
            }
        }
        Self(match flat.len() {
            0 => Node::All,
            1 => flat.remove(0),
            _ => Node::And(flat),
        })
    }

    /// Combines queries: any may match. Without parts, the result matches everything.
    pub fn either(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part.0 {
                Node::All => return Self(Node::All),
                Node::Or(parts) => flat.extend(parts),
                other => flat.push(other),
            }
        }
        Self(match flat.len() {
            0 => Node::All,
            1 => flat.remove(0),
            _ => Node::Or(flat),
        })
    }

    /// Returns the negation; `None` if this query matches everything, since a query that matches nothing is not valid.
    pub fn negated(self) -> Option<Self> {
        match self.0 {
            Node::All => None,
            Node::Not(inner) => Some(Self(*inner)),
            other => Some(Self(Node::Not(Box::new(other)))),
        }
    }

    /// Creates a free-text query; `None` if the text is empty.
    pub fn text(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (!text.trim().is_empty()).then_some(Self(Node::Text(text)))
    }

    /// Creates a query for a field that passes one of the tests; `None` if there are no tests, or one does not fit the
    /// field.
    pub fn field(field: &'static Field, tests: Vec<Test>) -> Option<Self> {
        let fits = !tests.is_empty() && tests.iter().all(|test| test.fits(field));
        fits.then_some(Self(Node::Field(field, tests)))
    }

    /// Returns whether the query matches everything.
    pub fn is_all(&self) -> bool {
        self.0 == Node::All
    }
}

impl Default for Query {
    fn default() -> Self {
        Self::all()
    }
}

impl FromStr for Query {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        parse::parse(text)
    }
}

impl Test {
    fn fits(&self, field: &Field) -> bool {
        match self {
            Self::Missing | Self::Known => true,
            Self::Contains(text) => matches!(field.kind, Kind::Text) && !text.trim().is_empty(),
            Self::Is(text) => match field.kind {
                Kind::Text => !text.trim().is_empty(),
                Kind::Choice(options) => options.contains(&text.as_str()),
                _ => false,
            },
            Self::Key(_) => matches!(field.kind, Kind::Key),
            Self::Equal(n) | Self::Below(n) | Self::AtMost(n) | Self::Above(n) | Self::AtLeast(n) => n.is_of(field),
            Self::Between(from, to) => from.is_of(field) && to.is_of(field) && from.value() <= to.value(),
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod error_tests;

#[cfg(test)]
mod fuzz_tests;
