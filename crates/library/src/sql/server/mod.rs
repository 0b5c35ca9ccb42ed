//! A `PostgreSQL` server: connections from a pool, statements that wait for their answers, and limits on the waiting.

mod address;
mod bounded;
pub mod keyring;
mod listen;
mod login;
mod password;
mod schema;
mod tls;

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use deadpool_postgres::Object;
use futures_util::TryStreamExt;
use tokio::runtime::Runtime;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};

pub use address::Address;
pub use listen::CHANNEL;

use self::bounded::MAX_MESSAGE_BYTES;
use self::listen::Heard;
use self::login::Connections;
use self::schema::Tables;
use super::{Error, Result, RootPlace, Roots, Row, Value};
use crate::access::Access;
use crate::access::ReadOnly;
use base::blocking::may_block;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the next row of an answer may take.
const ANSWER: Duration = Duration::from_mins(1);
/// The number of connections of a process.
const CONNECTIONS: usize = 4;
/// The largest answer to a statement: several times the features of a million tracks. Larger tables are read in parts.
const MAX_ANSWER_BYTES: usize = 2 << 30;

/// A server with the tables of a library.
pub struct Server {
    address: Address,
    connections: Connections,
    runtime: Runtime,
    roots: Roots,
    heard: Arc<Heard>,
    /// The settings of a connection.
    config: Box<tokio_postgres::Config>,
    read_only: Option<ReadOnly>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Connects to a server, and creates the tables if `create` allows it, or brings them up to date. `places` says
    /// where folders of the library are on this machine if they are elsewhere on others. A read-only library stays as
    /// it is.
    ///
    /// # Errors
    /// [`base::error::Error::Stored`] if the tables are of a later version; [`base::error::Error::Password`] if the
    /// password is missing or wrong; [`base::error::Error::NotFound`] if there are no tables.
    pub fn open(address: Address, places: &[RootPlace], access: &Access, create: bool) -> base::error::Result<Self> {
        may_block("a database");
        let failed = |reason: &dyn std::fmt::Display| {
            base::error::Error::Stored(format!("The library cannot be opened: {reason}: {address}"))
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("library server")
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let (config, connections) = login::log_in(&address, access, &runtime)?;
        let mut server = Self {
            address: address.clone(),
            connections,
            runtime,
            roots: Roots::default(),
            heard: Arc::default(),
            config: Box::new(config),
            read_only: access.read_only.then_some(ReadOnly::Asked),
        };
        let connection = server.connect().map_err(|error| failed(&error))?;
        let tables = if access.read_only { Tables::Keep } else { Tables::Update { create } };
        schema::migrate(&connection, tables).map_err(|error| failed(&error))??;
        let read_only = schema::read_only(&connection).map_err(|error| failed(&error))?;
        drop(connection);
        server.read_only = server.read_only.or(read_only);
        if !places.is_empty() {
            let stored = server.connect().and_then(|connection| connection.root_paths());
            server.roots = Roots::new(places, &stored.map_err(|error| failed(&error))?)?;
        }
        Ok(server)
    }

    /// Starts to listen for changes. Has no effect if it already does.
    pub fn listen(&self) {
        listen::start(&self.heard, &self.runtime, (&self.config, self.address.encryption()));
    }

    /// Returns the version of the library: the known one if there was no change since, or else what `ask` returns.
    pub fn known_version<E>(&self, ask: impl FnOnce() -> Result<i64, E>) -> Result<i64, E> {
        self.heard.version(ask)
    }

    /// Returns why nothing may be written; `None` if it may.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.read_only
    }

    /// Returns the address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns a connection from the pool.
    pub fn connect(&self) -> Result<Connection<'_>> {
        Ok(Connection { server: self, client: login::client(&self.connections.pool, &self.runtime)? })
    }
}

/// A connection to a server.
pub struct Connection<'a> {
    server: &'a Server,
    client: Object,
}

impl Connection<'_> {
    /// Returns where the folders are on this machine.
    pub(super) fn roots(&self) -> &Roots {
        &self.server.roots
    }

    /// Returns the paths of the folders as the library has them.
    fn root_paths(&self) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        self.each("SELECT path, path_exact FROM root", &[], &mut |row| {
            paths.push(Row::Server(row, self.roots()).path(0)?);
            Ok(())
        })?;
        Ok(paths)
    }

    /// Waits for an answer, with a time limit.
    fn wait<T>(&self, answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        match self.server.runtime.block_on(async { tokio::time::timeout(ANSWER, answer).await }) {
            Ok(Err(_)) if self.server.connections.overlong.take() => {
                Err(Error::TooMuch { limit_bytes: MAX_MESSAGE_BYTES as usize })
            }
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Error::Slow { waited_s: ANSWER.as_secs() }),
        }
    }

    /// Prepares a statement for values of these kinds, or returns it as it was prepared before.
    fn prepare(&self, sql: &str, values: &[Value<'_>]) -> Result<tokio_postgres::Statement> {
        let types: Vec<Type> = values.iter().map(type_of).collect();
        self.wait(self.client.prepare_typed_cached(sql, &types))
    }

    /// Runs statements without values.
    pub(super) fn batch(&self, sql: &str) -> Result<()> {
        self.wait(self.client.batch_execute(sql))
    }

    /// See [`super::Session::execute`].
    pub(super) fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        if has_null(values) {
            return self.execute_once(sql, values);
        }
        let statement = self.prepare(&numbered(sql), values)?;
        Ok(self.wait(self.client.execute_raw(&statement, values.iter()))? as usize)
    }

    /// See [`super::Session::execute_once`].
    pub(super) fn execute_once(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        let typed: Vec<(&(dyn ToSql + Sync), Type)> =
            values.iter().map(|value| (value as &(dyn ToSql + Sync), type_of(value))).collect();
        let sql = numbered(sql);
        Ok(self.wait(self.client.execute_typed(&sql, &typed))? as usize)
    }

    /// See [`super::Session::each`]. `take` is not generic, so that the client's code is compiled once.
    pub(super) fn each(
        &self,
        sql: &str,
        values: &[Value<'_>],
        take: &mut dyn FnMut(&tokio_postgres::Row) -> Result<()>,
    ) -> Result<()> {
        let sql = numbered(sql);
        let rows = if has_null(values) {
            self.wait(self.client.query_typed_raw(&sql, values.iter().map(|value| (value, type_of(value)))))?
        } else {
            let statement = self.prepare(&sql, values)?;
            self.wait(self.client.query_raw(&statement, values.iter()))?
        };
        let mut rows = pin!(rows);
        let mut left = MAX_ANSWER_BYTES;
        while let Some(row) = self.wait(rows.try_next())? {
            // A row costs memory even if it is empty.
            let bytes = row.raw_size_bytes() + size_of::<tokio_postgres::Row>();
            left = left.checked_sub(bytes).ok_or(Error::TooMuch { limit_bytes: MAX_ANSWER_BYTES })?;
            take(&row)?;
        }
        Ok(())
    }
}

/// Returns whether a statement is not worth keeping: the server finds the type of each `NULL` from the statement, so
/// every set of them would be prepared separately.
fn has_null(values: &[Value<'_>]) -> bool {
    values.contains(&Value::Null)
}

/// A transaction on a connection. Unless it is committed, it leaves nothing behind.
pub struct Open<'a> {
    connection: Option<&'a Connection<'a>>,
}

impl<'a> Open<'a> {
    /// Begins a transaction. Whatever the server's default is, each of its statements sees what was committed before
    /// it, including what another transaction wrote while this one waited for it.
    pub fn begin(connection: &'a Connection<'a>) -> Result<Self> {
        connection.batch("BEGIN ISOLATION LEVEL READ COMMITTED")?;
        Ok(Self { connection: Some(connection) })
    }

    /// Runs last statements, and commits.
    ///
    /// # Errors
    /// Whether the transaction was committed is unknown if the connection was lost.
    pub fn commit(mut self, last: &str) -> Result<()> {
        let Some(connection) = self.connection else { return Ok(()) };
        connection.batch(&format!("{last}; COMMIT"))?;
        self.connection = None;
        Ok(())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // A connection that cannot roll back is closed when the pool looks at it; the server then rolls back.
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.batch("ROLLBACK")
        {
            tracing::debug!("a transaction was not rolled back by request: {error}");
        }
    }
}

/// Replaces `?1` by `$1`, and each `?` without a number by the next one.
fn numbered(sql: &str) -> String {
    let mut numbered = String::with_capacity(sql.len() + 8);
    let mut next = 0;
    let mut rest = sql.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '?' {
            numbered.push(character);
            continue;
        }
        numbered.push('$');
        if !rest.peek().is_some_and(char::is_ascii_digit) {
            next += 1;
            numbered.push_str(&next.to_string());
        }
    }
    numbered
}

fn type_of(value: &Value<'_>) -> Type {
    match value {
        // The server finds it from the statement.
        Value::Null => Type::UNKNOWN,
        Value::Integer(_) => Type::INT8,
        Value::Real(_) => Type::FLOAT8,
        Value::Text(_) => Type::TEXT,
        Value::Blob(_) => Type::BYTEA,
    }
}

type SqlError = Box<dyn std::error::Error + Sync + Send>;

impl ToSql for Value<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, SqlError> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) => value.to_sql(&Type::INT8, out),
            Self::Real(value) => value.to_sql(&Type::FLOAT8, out),
            // The server's text has no U+0000.
            Self::Text(text) if text.contains('\0') => text.replace('\0', "\u{fffd}").to_sql(&Type::TEXT, out),
            Self::Text(text) => text.to_sql(&Type::TEXT, out),
            Self::Blob(bytes) => bytes.to_sql(&Type::BYTEA, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

impl<'a> FromSql<'a> for Value<'a> {
    fn from_sql(of: &Type, raw: &'a [u8]) -> std::result::Result<Self, SqlError> {
        Ok(match *of {
            Type::BOOL => Self::Integer(bool::from_sql(of, raw)?.into()),
            Type::INT2 => Self::Integer(i16::from_sql(of, raw)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(of, raw)?),
            Type::FLOAT4 => Self::Real(f32::from_sql(of, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(of, raw)?),
            Type::BYTEA => Self::Blob(raw),
            _ => Self::Text(<&str>::from_sql(of, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, SqlError> {
        Ok(Self::Null)
    }

    fn accepts(of: &Type) -> bool {
        matches!(*of, Type::BOOL | Type::INT2 | Type::INT4 | Type::INT8 | Type::FLOAT4 | Type::FLOAT8 | Type::BYTEA)
            || <&str as FromSql>::accepts(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_as_the_server_wants_them() {
        assert_eq!(numbered("a = ?1 AND b = ?12 AND c = ?1"), "a = $1 AND b = $12 AND c = $1");
        assert_eq!(numbered("a = ? AND (b IN (?, ?))"), "a = $1 AND (b IN ($2, $3))");
    }
}
