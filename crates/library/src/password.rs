//! A password that is shown nowhere.

use std::fmt;

use serde::Deserialize;

/// A password. It has no text form and is in no JSON.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Password(String);

base::declared_as!(Password, String);

impl Password {
    /// Takes a password.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns its text, for the server or the keyring.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password")
    }
}
