//! Questions in text: `bpm:118..122 key:Am loudness:<-14 artist:"Miles Davis" -genre:live duration:>3:00 blue`.
//!
//! ```text
//! query  = [ either ]                             an empty text asks for everything
//! either = both { ("or" | "|") both }
//! both   = term { [ "and" ] term }                binds tighter than `or`
//! term   = ("-" | "not") term | "(" either ")" | field | text
//! field  = name (":" test { "," test } | comparison)       commas are `or`: format:flac,wav
//! test   = value | comparison | value ".." value | value ".." | ".." value | "none" | "any"
//! comparison = ("<" | "<=" | ">" | ">=" | "=") value       also without the colon: bpm>120
//! text   = word | "\"" characters "\""            in quotes `\"` is `"` and `\\` is `\`
//! ```
//!
//! Free text is looked for in title, artist, album and path, whatever its case and its accents. In a field of text a
//! value is found anywhere, `=` asks for the whole; a field of numbers takes a number as exactly as it is written
//! (`bpm:120` is 119.5 to 120.5, `bpm:120.0` is 119.95 to 120.05), with its unit or without (`44.1k`, `-14LUFS`,
//! `3:00`, `90s`). `none` asks for what has no value, `any` for what has one. What has no value is on no side of a
//! comparison; a negation has everything that its term does not have, so `-genre:live` includes what has no genre.
//!
//! [`Query`] prints canonically: fields under their first names, comparisons after a colon, quotes where they are needed;
//! what is printed reads back as the same query. [`Query::condition`] is the same question to `SQLite`, in which all that
//! the user wrote stands as bound values.

mod complete;
mod date;
mod fields;
mod fold;
mod key;
mod number;
mod parse;
mod print;
mod sql;

use std::str::FromStr;

pub use complete::{Completion, Completions, complete};
pub use fields::{Field, Kind, Unit, field, fields};
pub use fold::{add_functions, fold};
pub use key::Key;
pub use number::Number;
pub use print::quoted;
pub use sql::{Condition, FreeText, Value};

pub(crate) use date::moment;
pub(crate) use fields::nearest_name;

use crate::error::NotationError;

/// The longest text that is read, in bytes.
pub const MAX_LENGTH: usize = 4096;
/// The most tests and free words of one query; `SQLite`'s limit on the depth of an expression is well above it.
pub const MAX_TERMS: usize = 200;
/// How deep groups may be nested.
pub const MAX_DEPTH: usize = 32;

/// A question, in a form in which none of it can be put otherwise: what it is made with is flattened, and a double
/// negation is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Query(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// Everything.
    All,
    /// At least two, none of which is `And` or `All`.
    And(Vec<Node>),
    /// At least two, none of which is `Or` or `All`.
    Or(Vec<Node>),
    /// Neither of `Not` nor of `All`.
    Not(Box<Node>),
    /// Text in title, artist, album or path; not empty.
    Text(String),
    /// A field that passes one of the tests, of which there is at least one.
    Field(&'static Field, Vec<Test>),
}

/// What a field must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Text that contains this, for [`Kind::Text`].
    Contains(String),
    /// Text that is this, for [`Kind::Text`] and [`Kind::Choice`].
    Is(String),
    /// This key, in any spelling, for [`Kind::Key`].
    Key(Key),
    /// A number that would be written like this.
    Equal(Number),
    /// Less than this.
    Below(Number),
    /// This or less.
    AtMost(Number),
    /// More than this.
    Above(Number),
    /// This or more.
    AtLeast(Number),
    /// From the first to the second, both included.
    Between(Number, Number),
    /// No value.
    Missing,
    /// Any value.
    Known,
}

impl Query {
    /// Asks for every track.
    pub fn all() -> Self {
        Self(Node::All)
    }

    /// What every one of these asks for.
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

    /// What any of these asks for; of none, everything.
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

    /// What this does not ask for; none where it asks for everything, since a query that finds nothing is no question.
    pub fn negated(self) -> Option<Self> {
        match self.0 {
            Node::All => None,
            Node::Not(inner) => Some(Self(*inner)),
            other => Some(Self(Node::Not(Box::new(other)))),
        }
    }

    /// Free text; none where it is empty.
    pub fn text(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (!text.trim().is_empty()).then_some(Self(Node::Text(text)))
    }

    /// A field that passes one of the tests; none where there are none or one does not fit the field.
    pub fn field(field: &'static Field, tests: Vec<Test>) -> Option<Self> {
        let fits = !tests.is_empty() && tests.iter().all(|test| test.fits(field));
        fits.then_some(Self(Node::Field(field, tests)))
    }

    /// Whether it asks for everything.
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
