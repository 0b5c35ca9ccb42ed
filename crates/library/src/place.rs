//! Where a library is: in a file, or on a server.

use std::fmt;
use std::path::{Path, PathBuf};

use super::access::Access;
use super::password::Password;
use super::sql::RootPlace;
use super::sql::server::Address;
use base::error::{Error, Result};

/// Where a library is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In an `SQLite` file.
    File(PathBuf),
    /// On a `PostgreSQL` server.
    Server {
        /// Its address.
        address: Address,
        /// The path beside which this machine keeps its files for the library, such as the index of landmarks. There is
        /// no file at this path itself.
        beside: PathBuf,
        /// Folders that are elsewhere on this machine than on others.
        roots: Vec<RootPlace>,
        /// How it is opened.
        access: Access,
    },
}

impl Place {
    /// Parses what a user gave: an address that begins with `postgres://`, or a path. This machine keeps its files for
    /// a library on a server in the folder `data`; `roots` says where folders of the library are on this machine.
    ///
    /// # Errors
    /// [`base::error::Error::Invalid`] also if `roots` are given for a library in a file.
    pub fn parse(text: &Path, data: &Path, roots: Vec<RootPlace>) -> Result<Self> {
        let Some(address) = text.to_str().filter(|text| Address::is_meant(text)) else {
            if roots.is_empty() {
                return Ok(Self::File(text.to_path_buf()));
            }
            let allowed = "left out: only the folders of a library on a server may be elsewhere on another machine";
            return Err(Error::invalid("place of a folder", &roots[0].name, allowed));
        };
        let address = Address::parse(address)?;
        let digest = blake3::hash(address.to_string().as_bytes()).to_hex();
        let beside = data.join("servers").join(&digest[..16]).join("library");
        Ok(Self::Server { address, beside, roots, access: Access::default() })
    }

    /// Returns the place of a library that is only read.
    ///
    /// # Errors
    /// [`base::error::Error::Invalid`] for a file.
    pub fn read_only(mut self) -> Result<Self> {
        match &mut self {
            Self::File(path) => {
                let allowed = "on a server, of the form postgres://USER@HOST/DATABASE";
                Err(Error::invalid("read-only library", path.display().to_string(), allowed))
            }
            Self::Server { access, .. } => {
                access.read_only = true;
                Ok(self)
            }
        }
    }

    /// Returns the place of a library with the password of the server's user. A file has none.
    #[must_use]
    pub fn with_password(mut self, given: Option<Password>) -> Self {
        if let Self::Server { access, .. } = &mut self {
            access.password = given;
        }
        self
    }

    /// Returns the address of the server; `None` for a file.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Self::File(_) => None,
            Self::Server { address, .. } => Some(address),
        }
    }

    /// Returns the path of the file, or for a server the path beside which this machine keeps its files.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Server { beside, .. } => beside,
        }
    }

    /// Returns the path, or the address instead of one, as reports show it.
    pub fn shown(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Server { address, .. } => address.to_string().into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Server { address, .. } => address.fmt(formatter),
        }
    }
}
