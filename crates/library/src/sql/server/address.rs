//! The address of a library on a server: `postgres://user@host:port/database?sslmode=verify-full`.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use super::password::{self, Source};
use crate::password::Password;
use base::error::{Error, Result};

/// The beginnings of an address.
const SCHEMES: [&str; 2] = ["postgres", "postgresql"];
/// The host of a server, if an address has none.
const HOST: &str = "localhost";
/// The port of a server, if an address has none.
const PORT: u16 = 5432;

/// The settings that each connection requests from the server. Tables that others put in another schema do not replace
/// ours, and a transaction that its machine left open does not keep its locks.
const OPTIONS: &str = "-c search_path=undertone,pg_temp -c idle_in_transaction_session_timeout=300000";

/// How the connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Not at all: on this machine, or by request.
    None,
    /// TLS, with the server's certificate and name verified against the file, or else against the certificates that the
    /// system trusts.
    Verified(Option<PathBuf>),
}

/// The address of a library on a `PostgreSQL` server. It never contains a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
    user: String,
    database: String,
    encryption: Encryption,
}

impl Address {
    /// Returns whether a text is meant as an address rather than a path.
    pub fn is_meant(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
    }

    /// Parses an address. The user defaults to `PGUSER`, or else to the system's user.
    ///
    /// # Errors
    /// [`Error::Invalid`] also for an address with a password.
    pub fn parse(text: &str) -> Result<Self> {
        const FORM: &str = "of the form postgres://USER@HOST/DATABASE";
        // An error repeats the given address only where it cannot hold a password.
        let url = Url::parse(&with_host(text))
            .map_err(|error| Error::invalid("library's address", error.to_string(), FORM))?;
        if url.password().is_some() {
            let allowed = "without a password, which others could read: give it in PGPASSWORD, in the file ~/.pgpass or in the keyring";
            return Err(Error::invalid("library's address", "one with a password", allowed));
        }
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let mut address = Self {
            host: decoded(url.host_str().unwrap_or_default()),
            port: url.port().unwrap_or(PORT),
            user: decoded(url.username()),
            database: decoded(url.path().trim_start_matches('/')),
            encryption: Encryption::None,
        };
        let (mut mode, mut certificate) = (None, None);
        for (name, value) in url.query_pairs() {
            match &*name {
                "host" => address.host = value.into_owned(),
                "port" => {
                    let wrong = |_| Error::invalid("port", value.to_string(), "a number from 1 to 65535");
                    address.port = value.parse().map_err(wrong)?;
                }
                "user" => address.user = value.into_owned(),
                "dbname" => address.database = value.into_owned(),
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => certificate = Some(PathBuf::from(value.into_owned())),
                other => {
                    let allowed = "host, port, user, dbname, sslmode or sslrootcert";
                    return Err(Error::invalid("part of the library's address", other, allowed));
                }
            }
        }
        if address.user.is_empty() {
            address.user = std::env::var("PGUSER").or_else(|_| std::env::var("USER")).unwrap_or_default();
        }
        if address.host.is_empty() || address.user.is_empty() || address.database.is_empty() {
            return Err(Error::invalid("library's address", address.to_string(), FORM));
        }
        address.encryption = match mode.as_deref() {
            Some("disable") => Encryption::None,
            Some("verify-full") => Encryption::Verified(certificate),
            None if address.is_local() && certificate.is_none() => Encryption::None,
            None => Encryption::Verified(certificate),
            Some(other) => {
                let allowed = "`verify-full`, or `disable` for a connection that others can read and change";
                return Err(Error::invalid("sslmode", other, allowed));
            }
        };
        Ok(address)
    }

    /// Whether the server is on this machine.
    fn is_local(&self) -> bool {
        self.is_socket() || ["localhost", "127.0.0.1", "[::1]", "::1"].contains(&self.host.as_str())
    }

    /// Whether the host is the folder of a socket.
    fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }

    /// Returns the encryption.
    pub(super) fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    /// Returns the user's password, if the environment or the password file has one, and which of them.
    pub(super) fn password(&self) -> Option<(Password, Source)> {
        let host = if self.is_socket() { HOST } else { &self.host };
        password::of(host, self.port, &self.database, &self.user)
    }

    /// Returns the name of the user.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the settings of a connection without a password. `read_only` has the server reject changes.
    pub(super) fn config(&self, read_only: bool) -> tokio_postgres::Config {
        use tokio_postgres::config::{SslMode, SslNegotiation};
        let mut config = tokio_postgres::Config::new();
        config
            .host(self.host.trim_matches(['[', ']']))
            .port(self.port)
            .user(&self.user)
            .dbname(&self.database)
            .application_name("Undertone")
            .connect_timeout(super::CONNECT)
            .keepalives_idle(super::ANSWER)
            .options(if read_only {
                format!("{OPTIONS} -c default_transaction_read_only=on")
            } else {
                OPTIONS.to_owned()
            })
            .ssl_mode(SslMode::Require);
        if self.is_socket() {
            // Another program on this machine, to which the client connects directly.
            config.ssl_mode(SslMode::Disable);
        } else if self.encryption == Encryption::None {
            // The connector is asked at once and encrypts nothing.
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        config
    }
}

/// Returns an address with a host, which may be left out where a socket's folder is named.
fn with_host(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let host = if authority.is_empty() || authority.ends_with('@') { HOST } else { "" };
    format!("{scheme}://{authority}{host}{path}")
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_socket() {
            return write!(formatter, "postgres://{}@/{}?host={}", self.user, self.database, self.host);
        }
        write!(formatter, "postgres://{}@{}", self.user, self.host)?;
        if self.port != PORT {
            write!(formatter, ":{}", self.port)?;
        }
        write!(formatter, "/{}", self.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed() {
        for (text, shown, encryption) in [
            ("postgres://a@archive.example/music", "postgres://a@archive.example/music", Encryption::Verified(None)),
            ("postgresql://a@localhost:5433/music", "postgres://a@localhost:5433/music", Encryption::None),
            ("postgres://a@/music?host=/run/pg", "postgres://a@/music?host=/run/pg", Encryption::None),
            ("postgres:///music?user=a", "postgres://a@localhost/music", Encryption::None),
            ("postgres://a@h/m?sslmode=disable", "postgres://a@h/m", Encryption::None),
            ("postgres://a@localhost/m?sslmode=verify-full", "postgres://a@localhost/m", Encryption::Verified(None)),
            (
                "postgres://a@localhost/m?sslrootcert=/c.pem",
                "postgres://a@localhost/m",
                Encryption::Verified(Some("/c.pem".into())),
            ),
            ("postgres://b%40c@h/m%20n?sslmode=disable", "postgres://b@c@h/m n", Encryption::None),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.to_string().as_str(), &address.encryption), (shown, &encryption), "{text}");
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        let error = Address::parse("postgres://a:secret@h/m").unwrap_err().to_string();
        assert!(error.contains("PGPASSWORD") && !error.contains("secret"), "{error}");
        for text in
            ["postgres://h", "postgres://a@h/m?sslmode=prefer", "postgres://a@h/m?x=1", "postgres://a@h:99999/m"]
        {
            assert!(matches!(Address::parse(text), Err(Error::Invalid { .. })), "{text}");
        }
        assert!(Address::is_meant("postgres://a@h/m") && !Address::is_meant("/music/library.sqlite"));
    }
}
