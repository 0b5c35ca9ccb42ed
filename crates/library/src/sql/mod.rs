//! One notation for the library's statements, whether its database is an `SQLite` file or on a `PostgreSQL` server.
//!
//! Statements are written in the SQL that both understand, with `?1`, `?2` and so on for values. Where the two differ,
//! a statement asks [`Session::dialect`]. What both understand is less than it seems: `IS NOT DISTINCT FROM` instead of
//! `IS`, `CASE` instead of `iif` and of `max` with two arguments, `ON CONFLICT` instead of `INSERT OR`, `RETURNING id`
//! instead of the last row id, and a cast around every `sum`.

mod error;
mod roots;
mod row;
pub mod server;
mod value;

pub use error::{Error, Result};
pub use roots::{RootPlace, Roots};
pub use row::Row;
pub(crate) use value::values;
pub use value::{Bind, FromColumn, Value};

use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::stored_path::StoredPath;

/// The database behind a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// An `SQLite` file.
    File,
    /// A `PostgreSQL` server.
    Server,
}

impl Dialect {
    /// Returns the clause that keeps the rows that a statement reads from being deleted until the transaction ends, so
    /// that a row that refers to them can be added. A file's transactions run one after another.
    pub fn kept(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Server => "FOR KEY SHARE",
        }
    }

    /// Returns the clause that keeps the rows that a statement reads unchanged until the transaction ends.
    pub fn unchanged(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Server => "FOR NO KEY UPDATE",
        }
    }
}

/// A connection on which statements run, within a transaction or not.
pub enum Session<'a> {
    /// A connection to a file.
    File(&'a rusqlite::Connection),
    /// A connection to a server.
    Server(&'a server::Connection<'a>),
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(value),
            Self::Real(value) => ValueRef::Real(value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Session<'_> {
    /// Returns the database behind it.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::File(_) => Dialect::File,
            Self::Server(_) => Dialect::Server,
        }
    }

    /// Keeps other transactions from changing a table until this one ends; they may read it. A file's transactions run
    /// one after another.
    pub fn lock_table(&self, name: &str) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Server(connection) => connection.batch(&format!("LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE")),
        }
    }

    /// Returns a path of this machine as the library stores it.
    pub fn stored(&self, path: &Path) -> StoredPath {
        match self {
            Self::File(_) => StoredPath::from(path),
            Self::Server(connection) => connection.roots().stored(path),
        }
    }

    /// Runs a statement. Returns the number of rows that it changed.
    pub fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        match self {
            Self::File(connection) => {
                Ok(connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?)
            }
            Self::Server(connection) => connection.execute(sql, values),
        }
    }

    /// Runs a statement without keeping it prepared. Returns the number of rows that it changed.
    pub fn execute_once(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        match self {
            Self::File(connection) => Ok(connection.prepare(sql)?.execute(rusqlite::params_from_iter(values))?),
            Self::Server(connection) => connection.execute_once(sql, values),
        }
    }

    /// Calls `take` with every row of an answer.
    pub fn each(&self, sql: &str, values: &[Value<'_>], mut take: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
        match self {
            Self::File(connection) => {
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    take(&Row::File(row))?;
                }
                Ok(())
            }
            Self::Server(connection) => {
                connection.each(sql, values, &mut |row| take(&Row::Server(row, connection.roots())))
            }
        }
    }

    /// Returns what `read` makes of every row of an answer.
    pub fn all<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(sql, values, |row| {
            all.push(read(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns what `read` makes of the first row of an answer; `None` if there is no row.
    pub fn first<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self {
            Self::File(connection) => {
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                rows.next()?.map(|row| read(&Row::File(row))).transpose()
            }
            Self::Server(connection) => {
                let (mut read, mut first) = (Some(read), None);
                connection.each(sql, values, &mut |row| {
                    if let Some(read) = read.take() {
                        first = Some(read(&Row::Server(row, connection.roots()))?);
                    }
                    Ok(())
                })?;
                Ok(first)
            }
        }
    }

    /// Returns what `read` makes of the first row of an answer that always has one.
    pub fn one<T>(&self, sql: &str, values: &[Value<'_>], read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        self.first(sql, values, read)?.ok_or(Error::NoRow)
    }

    /// Returns the number that a statement with one row and one column answers.
    pub fn number(&self, sql: &str, values: &[Value<'_>]) -> Result<i64> {
        self.one(sql, values, |row| row.get(0))
    }
}
