//! Errors of the two databases, by what can be done about them.

use std::fmt;

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

use crate::access::ReadOnly;
use base::database::is_damage;

/// The `Result` type of statements.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a database.
#[derive(Debug)]
pub enum Error {
    /// An error of `SQLite`.
    File(rusqlite::Error),
    /// An error of the server, or of the connection to it.
    Server(tokio_postgres::Error),
    /// There is no connection to the server.
    Unreachable(String),
    /// The server did not answer in time.
    Slow {
        /// The number of seconds that were waited.
        waited_s: u64,
    },
    /// The server's answer is larger than any to this statement can be.
    TooMuch {
        /// The largest answer that is read, in bytes.
        limit_bytes: usize,
    },
    /// A value is not of the kind that this program stores.
    Value {
        /// The number of the column.
        column: usize,
        /// The expected kind.
        wanted: &'static str,
        /// The kind that was found.
        found: &'static str,
    },
    /// The library is only read.
    ReadOnly(ReadOnly),
    /// A question that always has an answer had none.
    NoRow,
    /// A value cannot be stored.
    Unwritable(String),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(formatter),
            Self::Server(error) => match (error.as_db_error(), std::error::Error::source(error)) {
                (Some(error), _) => write!(formatter, "{} ({})", error.message(), error.code().code()),
                (None, Some(source)) => write!(formatter, "{error}: {source}"),
                (None, None) => error.fmt(formatter),
            },
            Self::Unreachable(reason) => write!(formatter, "the server cannot be reached: {reason}"),
            Self::Slow { waited_s } => write!(formatter, "the server did not answer within {waited_s} s"),
            Self::TooMuch { limit_bytes } => {
                write!(formatter, "the server's answer has more than {} MiB", limit_bytes >> 20)
            }
            Self::Value { column, wanted, found } => {
                write!(formatter, "column {column} of a row must be {wanted}, but is {found}")
            }
            Self::ReadOnly(reason) => formatter.write_str(reason.sentences()),
            Self::NoRow => formatter.write_str("a row that must be there is not"),
            Self::Unwritable(reason) => formatter.write_str(reason),
        }
    }
}

impl std::error::Error for Error {}

/// Classes of states of the server after which the same statement may succeed: no connection, rolled back because of
/// another transaction, too few resources, an operator's intervention, a fault of the system.
const PASSING_CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
/// Classes of states that are due to the values: data, constraints, limits.
const ROW_CLASSES: [&str; 3] = ["22", "23", "54"];

impl Error {
    /// Returns whether the database itself is damaged.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) => is_damage(error),
            Self::Server(error) => {
                matches!(error.code(), Some(&SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED))
            }
            _ => false,
        }
    }

    /// Returns whether the server's user may not do this.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Server(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE))
    }

    /// Returns whether the same statement may succeed later.
    pub fn passes(&self) -> bool {
        match self {
            Self::File(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::CannotOpen
                        | ErrorCode::ReadOnly
                        | ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                )
            ),
            Self::Server(error) => match error.code() {
                Some(state) => PASSING_CLASSES.contains(&&state.code()[..2]),
                // Of the connection, not of the server.
                None => error.is_closed() || is_of_the_connection(error),
            },
            Self::Unreachable(_) | Self::Slow { .. } => true,
            Self::TooMuch { .. } | Self::Value { .. } | Self::ReadOnly(_) | Self::NoRow | Self::Unwritable(_) => false,
        }
    }

    /// Returns whether the error is due to the data to be written, not to the database.
    pub fn lies_in_rows(&self) -> bool {
        match self {
            Self::File(error) => lies_in_rows(error),
            Self::Server(error) => error.code().is_some_and(|state| ROW_CLASSES.contains(&&state.code()[..2])),
            Self::Value { .. } | Self::NoRow | Self::Unwritable(_) => true,
            Self::Unreachable(_) | Self::Slow { .. } | Self::TooMuch { .. } | Self::ReadOnly(_) => false,
        }
    }

    /// Returns whether there is no room left for the database.
    pub fn is_full(&self) -> bool {
        match self {
            Self::File(error) => error.sqlite_error_code() == Some(ErrorCode::DiskFull),
            Self::Server(error) => error.code() == Some(&SqlState::DISK_FULL),
            _ => false,
        }
    }

    /// Returns whether the server rolled the transaction back because of another one, which can proceed now: both
    /// waited for each other, or changed the same rows.
    pub fn is_conflict(&self) -> bool {
        match self {
            Self::Server(error) => {
                matches!(error.code(), Some(&SqlState::T_R_DEADLOCK_DETECTED | &SqlState::T_R_SERIALIZATION_FAILURE))
            }
            _ => false,
        }
    }

    /// Returns whether another program holds the database.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::File(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
            }
            _ => false,
        }
    }
}

fn is_of_the_connection(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

fn lies_in_rows(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, NulError, QueryReturnedNoRows,
        ToSqlConversionFailure, Utf8Error,
    };
    match error {
        FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | NulError(..)
        | QueryReturnedNoRows
        | ToSqlConversionFailure(..)
        | Utf8Error(..) => true,
        other => matches!(
            other.sqlite_error_code(),
            Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch | ErrorCode::OutOfMemory)
        ),
    }
}
