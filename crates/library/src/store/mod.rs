//! The database of the library. A file has two connections: one for writing, and one for reading at the same time. A
//! server has a pool of them.

pub(super) mod found;
pub(super) mod outcome;
pub(super) mod queue;
pub(super) mod roots;
pub(super) mod scans;
pub(super) mod words;

mod file;

use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use self::file::FileStore;
use super::access::ReadOnly;
use super::place::Place;
use super::sql::server::{CHANNEL, Open, Server};
use super::sql::{self, Session};
use base::error::{Error, Result};
use base::lock::lock;

/// The database of a library: a file, or a server.
#[derive(Debug)]
pub(super) struct Store {
    place: Place,
    database: Database,
}

#[derive(Debug)]
enum Database {
    File(FileStore),
    Server {
        server: Server,
        /// Held while a transaction runs, so that the threads of this process change the library one after another.
        writing: Mutex<()>,
    },
}

/// The number of rows among which the sessions share the counters of changes.
const PARTS: u32 = 64;

impl Store {
    /// Opens the database. Also returns notices for the user. `create` says whether it may be created on a server.
    pub(super) fn open(place: Place, create: bool) -> Result<(Self, Vec<String>)> {
        match place {
            Place::File(path) => {
                let path = std::path::absolute(&path).map_err(|source| Error::io("open", &path, source))?;
                let (store, aside, mut notices) = FileStore::open(&path)?;
                let store = Self { place: Place::File(path), database: Database::File(store) };
                if let Some(aside) = aside {
                    notices.push(match roots::carry_over(&store, &aside) {
                        Ok(0) => "No folders could be taken over from it; add them again.".to_owned(),
                        Ok(count) => format!("Its {count} folders were taken over; scan again to fill the library."),
                        Err(error) => format!("Its folders could not be taken over ({error}); add them again."),
                    });
                }
                Ok((store, notices))
            }
            Place::Server { address, beside, roots, access } => {
                let server = Server::open(address.clone(), &roots, &access, create)?;
                let database = Database::Server { server, writing: Mutex::default() };
                Ok((Self { place: Place::Server { address, beside, roots, access }, database }, Vec::new()))
            }
        }
    }

    /// Returns where the library is.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the path of the database, or, for a server, the path beside which this machine keeps its files.
    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Returns why nothing may be written; `None` if it may.
    pub(super) fn read_only(&self) -> Option<ReadOnly> {
        match &self.database {
            Database::File(_) => None,
            Database::Server { server, .. } => server.read_only(),
        }
    }

    /// Runs a query.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Session<'_>) -> sql::Result<T>) -> Result<T> {
        self.try_read(question).map_err(|error| stored(&error))
    }

    /// Runs a query, and returns the error of the database.
    pub(super) fn try_read<T>(&self, question: impl FnOnce(&Session<'_>) -> sql::Result<T>) -> sql::Result<T> {
        match &self.database {
            Database::File(file) => file.read(question),
            Database::Server { server, .. } => question(&Session::Server(&server.connect()?)),
        }
    }

    /// Runs a transaction. On a server, one that is rolled back because of another is run again.
    pub(super) fn write<T>(&self, change: impl FnMut(&Session<'_>) -> sql::Result<T>) -> Result<T> {
        self.try_write(change).map_err(|error| stored(&error))
    }

    /// Runs a transaction, and returns the error of the database.
    pub(super) fn try_write<T>(&self, change: impl FnMut(&Session<'_>) -> sql::Result<T>) -> sql::Result<T> {
        match &self.database {
            Database::File(file) => file.write(change),
            Database::Server { server, writing } => {
                let _writing = lock(writing);
                on_server(server, change, &changed())
            }
        }
    }

    /// Runs a transaction that is not announced, such as a sign of life, and returns the error of the database.
    pub(super) fn try_write_unheard<T>(&self, change: impl FnMut(&Session<'_>) -> sql::Result<T>) -> sql::Result<T> {
        match &self.database {
            Database::File(file) => file.write(change),
            Database::Server { server, .. } => on_server(server, change, ""),
        }
    }

    /// Checks the database in its file. Returns the problem, if any: it is damaged, or the file was removed or
    /// replaced, so that what was written is lost. A server answers for itself.
    pub(super) fn damage(&self) -> Result<Option<String>> {
        match &self.database {
            Database::File(file) => file.damage(self.path()).map_err(|error| stored(&error)),
            Database::Server { .. } => Ok(None),
        }
    }

    /// Returns the database, if it is a file.
    pub(super) fn file(&self) -> Option<&FileStore> {
        match &self.database {
            Database::File(file) => Some(file),
            Database::Server { .. } => None,
        }
    }

    /// Listens for changes from now on, so that [`Store::version`] asks the server only after one.
    pub(super) fn listen(&self) {
        if let Database::Server { server, .. } = &self.database {
            server.listen();
        }
    }

    /// Returns a number that differs after every change, by whatever process.
    pub(super) fn version(&self) -> Result<i64> {
        if let Database::Server { server, .. } = &self.database {
            return server.known_version(|| self.asked_version());
        }
        self.asked_version()
    }

    fn asked_version(&self) -> Result<i64> {
        self.read(|session| match session {
            Session::File(database) => Ok(database.query_row("PRAGMA data_version", [], |row| row.get(0))?),
            Session::Server(_) => session.number("SELECT CAST(coalesce(sum(number), 0) AS BIGINT) FROM change", &[]),
        })
    }
}

/// The number of attempts at a transaction that the server rolls back because of others, and the pause before the
/// second, which grows with each.
const TIMES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// Runs a transaction on a server, with the statements `last` at its end.
fn on_server<T>(server: &Server, mut change: impl FnMut(&Session<'_>) -> sql::Result<T>, last: &str) -> sql::Result<T> {
    if let Some(reason) = server.read_only() {
        return Err(sql::Error::ReadOnly(reason));
    }
    let connection = server.connect()?;
    let mut once = || -> sql::Result<T> {
        let open = Open::begin(&connection)?;
        let value = change(&Session::Server(&connection))?;
        open.commit(last)?;
        Ok(value)
    };
    for time in 1..TIMES {
        match once() {
            Err(error) if error.is_conflict() => {
                tracing::debug!("a transaction is run again: {error}");
                thread::sleep(PAUSE * time);
            }
            done => return done,
        }
    }
    once()
}

/// Returns the statements that count a change and announce it to all machines.
fn changed() -> String {
    let part = std::process::id() % PARTS;
    format!(
        "INSERT INTO change (part, number) VALUES ({part}, 1)
             ON CONFLICT (part) DO UPDATE SET number = change.number + 1;
         NOTIFY {CHANNEL}"
    )
}

/// Converts an error of the database.
pub(super) fn stored(error: &sql::Error) -> Error {
    if let sql::Error::ReadOnly(reason) = error {
        return Error::impossible(reason.sentences());
    }
    Error::Stored(format!("The library could not be read or written: {error}"))
}
