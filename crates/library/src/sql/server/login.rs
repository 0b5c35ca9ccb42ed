//! Connects to a server for the first time, with the password that it wants.

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod};
use tokio::runtime::Runtime;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;

use super::super::{Error, Result};
use super::address::Address;
use super::bounded::Overlong;
use super::keyring;
use super::password::Source;
use super::{CONNECT, CONNECTIONS, tls};
use crate::access::Access;
use crate::password::Password;
use base::blocking::may_block;

/// The end of the client's error if a server wants a password and none was given. Tests with a server check the text.
const MISSING: &str = "password missing";

/// A pool of connections, and whether one of them got a message that was too long.
pub(super) struct Connections {
    pub(super) pool: Pool,
    pub(super) overlong: Overlong,
}

/// Returns the settings of connections, and a pool with a first one.
///
/// # Errors
/// [`base::error::Error::Password`] if the password is missing or wrong.
pub(super) fn log_in(
    address: &Address,
    access: &Access,
    runtime: &Runtime,
) -> base::error::Result<(Config, Connections)> {
    let given = access.password.clone().map(|password| (password, Source::User)).or_else(|| address.password());
    let (config, from) = settings(address, access, given);
    let error = match first(address, &config, runtime)? {
        Ok(connections) => return Ok((config, connections)),
        Err(error) => error,
    };
    if from.is_some() || !is_missing(&error) {
        return Err(refused(address, &error, from));
    }
    match keyring::password(address) {
        Ok(None) => Err(refused(address, &error, None)),
        Err(unusable) => {
            let user = address.user();
            Err(base::error::Error::Password(format!("The server wants the password of {user}. {unusable}")))
        }
        Ok(Some(password)) => {
            let (config, from) = settings(address, access, Some((password, Source::Keyring)));
            match first(address, &config, runtime)? {
                Ok(connections) => Ok((config, connections)),
                Err(error) => Err(refused(address, &error, from)),
            }
        }
    }
}

fn settings(address: &Address, access: &Access, password: Option<(Password, Source)>) -> (Config, Option<Source>) {
    let mut config = address.config(access.read_only);
    let source = password.map(|(password, source)| {
        config.password(password.text());
        source
    });
    (config, source)
}

/// Makes a pool and connects once. The inner error is the server's or the connection's.
fn first(address: &Address, config: &Config, runtime: &Runtime) -> base::error::Result<Result<Connections>> {
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let connector = tls::connector(address.encryption()).map_err(|reason| failed(address, &reason))?;
    let overlong = connector.overlong();
    let manager = Manager::from_config(config.clone(), connector, recycling);
    let pool = Pool::builder(manager).max_size(CONNECTIONS).build().map_err(|error| failed(address, &error))?;
    Ok(client(&pool, runtime).map(|_| Connections { pool, overlong }))
}

/// Returns a connection from a pool, with a limit on the wait.
pub(super) fn client(pool: &Pool, runtime: &Runtime) -> Result<Object> {
    may_block("a server");
    match runtime.block_on(async { tokio::time::timeout(CONNECT, pool.get()).await }) {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(PoolError::Backend(error))) if error.code().is_some() => Err(error.into()),
        Ok(Err(PoolError::Backend(error))) => Err(Error::Unreachable(Error::Server(error).to_string())),
        Ok(Err(error)) => Err(Error::Unreachable(error.to_string())),
        Err(_) => Err(Error::Slow { waited_s: CONNECT.as_secs() }),
    }
}

/// Whether the server wants a password, and the client had none.
fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Unreachable(reason) if reason.ends_with(MISSING))
}

fn refused(address: &Address, error: &Error, from: Option<Source>) -> base::error::Error {
    let is_wrong = matches!(error, Error::Server(error) if error.code() == Some(&SqlState::INVALID_PASSWORD));
    let user = address.user();
    match from {
        Some(from) if is_wrong => {
            base::error::Error::Password(format!("The server refused {} for {user}: {address}", from.words()))
        }
        _ if is_missing(error) || is_wrong => base::error::Error::Password(format!(
            "The server wants the password of {user}; PGPASSWORD, the password file and the keyring have none: \
                 {address}"
        )),
        _ => failed(address, error),
    }
}

fn failed(address: &Address, reason: &dyn std::fmt::Display) -> base::error::Error {
    base::error::Error::Stored(format!("The library cannot be opened: {reason}: {address}"))
}
