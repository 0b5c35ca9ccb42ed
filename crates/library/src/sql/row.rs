//! Rows of an answer.

use std::path::PathBuf;

use super::roots::Roots;
use super::value::{self, FromColumn, Value};
use super::{Error, Result};
use crate::stored_path::StoredPath;

/// A row of an answer.
#[derive(Clone, Copy)]
pub enum Row<'r> {
    /// Of an `SQLite` file.
    File(&'r rusqlite::Row<'r>),
    /// Of a server, with the places of its folders on this machine.
    Server(&'r tokio_postgres::Row, &'r Roots),
}

impl<'r> Row<'r> {
    /// Returns the value of a column.
    ///
    /// # Errors
    /// [`Error::Value`] if the column does not exist or its value is of a kind that this program never stores.
    pub fn value(&self, column: usize) -> Result<Value<'r>> {
        match self {
            Self::File(row) => {
                use rusqlite::types::ValueRef;
                Ok(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(value) => Value::Integer(value),
                    ValueRef::Real(value) => Value::Real(value),
                    ValueRef::Text(text) => Value::Text(std::str::from_utf8(text).map_err(|_| Error::Value {
                        column,
                        wanted: "text",
                        found: "invalid UTF-8",
                    })?),
                    ValueRef::Blob(bytes) => Value::Blob(bytes),
                })
            }
            Self::Server(row, _) => Ok(row.try_get(column)?),
        }
    }

    /// Returns a path on this machine from two columns: the text, and next to it the exact name.
    pub fn path(&self, column: usize) -> Result<PathBuf> {
        let path = self.stored_path(column)?;
        Ok(match self {
            Self::File(_) => path,
            Self::Server(_, roots) => roots.local(path),
        })
    }

    /// Returns a path as the library has it from two columns: the text, and next to it the exact name.
    pub fn stored_path(&self, column: usize) -> Result<PathBuf> {
        Ok(StoredPath { text: self.get(column)?, exact: self.get(column + 1)? }.into_path())
    }

    /// Returns the text of a path on this machine, for display, from that of the library.
    pub fn local_text(&self, text: String) -> String {
        match self {
            Self::File(_) => text,
            Self::Server(_, roots) => roots.local(PathBuf::from(text)).to_string_lossy().into_owned(),
        }
    }

    /// Returns the value of a column as a `T`.
    pub fn get<T: FromColumn>(&self, column: usize) -> Result<T> {
        value::read(column, self.value(column)?)
    }
}
