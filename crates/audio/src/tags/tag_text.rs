//! The text of a field, which may have several values.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize, Serializer};

/// The text of a field: one value, or several. It reads as its values, joined by `"; "`; the values themselves keep
/// apart, so that a file that is written has as many as the one that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct TagText {
    joined: String,
    /// The bytes at which the values after the first begin.
    starts: Vec<usize>,
}

impl TagText {
    /// The text between two values.
    pub const BETWEEN: &'static str = "; ";

    /// Joins values; `None` if there are none.
    pub fn of<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut values = values.into_iter();
        let mut text = Self::from(values.next()?.as_ref());
        values.for_each(|value| text.push(value.as_ref()));
        Some(text)
    }

    /// Returns the values, joined.
    pub fn as_str(&self) -> &str {
        &self.joined
    }

    /// Returns the values, at least one.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.starts.iter().copied());
        let ends = self.starts.iter().map(|start| start - Self::BETWEEN.len());
        starts.zip(ends.chain(std::iter::once(self.joined.len()))).map(|(start, end)| &self.joined[start..end])
    }

    /// Returns whether there are several values.
    pub fn has_several(&self) -> bool {
        !self.starts.is_empty()
    }

    /// Adds a value.
    pub fn push(&mut self, value: &str) {
        self.joined.push_str(Self::BETWEEN);
        self.starts.push(self.joined.len());
        self.joined.push_str(value);
    }

    /// Returns the text with the values that `of` makes of these; `None` if it makes none of one of them.
    pub(super) fn try_map(&self, of: impl FnMut(&str) -> Option<String>) -> Option<Self> {
        Self::of(self.values().map(of).collect::<Option<Vec<_>>>()?)
    }
}

impl From<String> for TagText {
    /// One value.
    fn from(joined: String) -> Self {
        Self { joined, starts: Vec::new() }
    }
}

impl From<&str> for TagText {
    /// One value.
    fn from(value: &str) -> Self {
        Self::from(value.to_owned())
    }
}

impl Deref for TagText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.joined
    }
}

impl fmt::Display for TagText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.joined.fmt(formatter)
    }
}

impl PartialEq<str> for TagText {
    fn eq(&self, other: &str) -> bool {
        self.joined == other
    }
}

impl PartialEq<&str> for TagText {
    fn eq(&self, other: &&str) -> bool {
        self.joined == *other
    }
}

impl Serialize for TagText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.joined.serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_apart() {
        for values in [&[""][..], &["One"], &["One", "Two"], &["a; b", "c"], &["", "", "x"], &["ü", "; "]] {
            let text = TagText::of(values).unwrap();
            assert_eq!(text.values().collect::<Vec<_>>(), values);
            assert_eq!((text.as_str(), text.has_several()), (values.join("; ").as_str(), values.len() > 1));
            assert_eq!(serde_json::to_string(&text).unwrap(), serde_json::to_string(&values.join("; ")).unwrap());
        }
        assert_eq!(TagText::of([""; 0]), None);
        assert_ne!(Some(TagText::from("One; Two")), TagText::of(["One", "Two"]));
    }
}
