//! How a library is opened, whether it may be changed, and if not, why.

use serde::Serialize;

use super::Library;
use super::password::Password;
use base::declared::TS;
use base::error::{Error, Result};

/// How a library on a server is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether it is only read. The server then rejects changes on the connections of this program.
    pub read_only: bool,
    /// The user's password, if it was given to this program; otherwise it is looked for where
    /// [`crate::Library::open_at`] says.
    pub password: Option<Password>,
}

/// Why a library is only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// It was asked for. The server itself rejects changes on these connections.
    Asked,
    /// The server lets the user read only.
    User,
    /// The server itself changes nothing: it is a copy of another server, or the database is set so.
    Server,
}

impl ReadOnly {
    /// Returns why, and what to do, in sentences.
    pub fn sentences(self) -> &'static str {
        match self {
            Self::Asked => {
                "The library is read-only, as you asked for. Turn that off in Settings, under Library server, or leave \
                 out `--read-only`"
            }
            Self::User => {
                "The library is read-only: the server lets this user read it only. Use the address of a user who may \
                 change it"
            }
            Self::Server => "The library is read-only: its server takes no changes now",
        }
    }
}

impl Library {
    /// Returns why the library is only read; `None` if it may be changed. Known since the library was opened.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.store.read_only()
    }

    /// Refuses work that would change the library, before it has touched anything.
    pub fn check_writable(&self) -> Result<()> {
        match self.read_only() {
            None => Ok(()),
            Some(reason) => Err(Error::impossible(reason.sentences())),
        }
    }
}
