//! The error type of the core. Its variants are sorted by what the caller can do about them.

mod words;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::declared::TS;

/// The `Result` type of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, classified by what the caller can do about it. A message says what failed and what to do; a path comes
/// last.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A value is not allowed. Give another one.
    Invalid {
        /// The parameter or argument.
        what: String,
        /// The value that was given.
        got: String,
        /// The allowed values, worded to continue "must be".
        allowed: String,
    },
    /// An effect or a group cannot run with its settings. Change the setting that the problem names.
    Setting {
        /// The title of the effect, or the user's name of it.
        owner: String,
        /// The problem, as sentences with the titles of the parameters.
        problem: String,
    },
    /// The request cannot be met as it is. The sentences say why and what to do instead.
    Impossible(String),
    /// A chain's text cannot be parsed. Correct it at the span.
    Notation(NotationError),
    /// The file appears to be intact, but this program cannot read or write its format.
    Unsupported {
        /// The format, codec or feature.
        what: String,
        /// Why, and what to use instead.
        reason: String,
    },
    /// The file is broken, empty or not audio at all.
    Malformed {
        /// The fault, with the place where it was found.
        reason: String,
        /// The file.
        path: PathBuf,
    },
    /// A limit of this program was exceeded.
    Limit {
        /// The quantity that is limited.
        what: String,
        /// The requested amount.
        got: String,
        /// The limit.
        limit: String,
    },
    /// The operation was refused because it would harm one of the user's files.
    Refused {
        /// Why, and how to proceed.
        reason: String,
        /// The file that would be harmed.
        path: PathBuf,
    },
    /// The requested GPU is not available; work continues on the CPU.
    GpuUnavailable(String),
    /// The GPU has too little memory for this. Try a smaller chunk.
    GpuOutOfMemory(String),
    /// The GPU was lost during work. Rebuild it once, then use the CPU.
    GpuLost(String),
    /// Audio cannot be played: there is no output device, or it refused the stream.
    Sound(String),
    /// Audio cannot be recorded: there is no input device, access is denied, or the device was lost.
    Capture(String),
    /// The user stopped the work.
    Cancelled,
    /// A requested object does not exist or no longer exists: a document, a node, a job, a preset.
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// A file operation failed.
    Io {
        /// The operation: "open", "read", "write", "make the folder".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A server wants a password, or another one.
    Password(String),
    /// A stored session, preset or settings file cannot be used.
    Stored(String),
    /// A bug in this program. The user can only report it.
    Internal(String),
}

impl Error {
    /// Creates an [`Error::Invalid`] from the name of the value, what was given and what is allowed.
    pub fn invalid(what: impl Into<String>, got: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), got: got.into(), allowed: allowed.into() }
    }

    /// Creates an [`Error::Setting`] from the title of an effect and the problem.
    pub fn setting(owner: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Setting { owner: owner.into(), problem: problem.into() }
    }

    /// Creates an [`Error::Impossible`] from sentences.
    pub fn impossible(sentences: impl Into<String>) -> Self {
        Self::Impossible(sentences.into())
    }

    /// Creates an [`Error::Malformed`] from what is wrong and the path of the file.
    pub fn malformed(reason: impl Into<String>, path: &Path) -> Self {
        Self::Malformed { reason: reason.into(), path: path.to_path_buf() }
    }

    /// Creates an [`Error::Unsupported`] from the format or feature and the reason.
    pub fn unsupported(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), reason: reason.into() }
    }

    /// Creates an [`Error::Io`] from a failed file operation.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), source }
    }

    /// Returns whether another value, setting or request would do, rather than another try.
    pub fn is_wrong_request(&self) -> bool {
        matches!(self, Self::Invalid { .. } | Self::Setting { .. } | Self::Impossible(_) | Self::Notation(_))
    }

    /// Returns the code that identifies the kind of error in JSON.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } | Self::Setting { .. } | Self::Impossible(_) | Self::NotFound { .. } => {
                ErrorCode::Invalid
            }
            Self::Notation(_) => ErrorCode::Notation,
            Self::Unsupported { .. } => ErrorCode::Unsupported,
            Self::Malformed { .. } => ErrorCode::Malformed,
            Self::Limit { .. } => ErrorCode::Limit,
            Self::Refused { .. } => ErrorCode::Refused,
            Self::GpuUnavailable(_) | Self::GpuOutOfMemory(_) | Self::GpuLost(_) => ErrorCode::Gpu,
            Self::Sound(_) | Self::Capture(_) => ErrorCode::Sound,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Io { .. } => ErrorCode::Io,
            Self::Password(_) => ErrorCode::Password,
            Self::Stored(_) => ErrorCode::Stored,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }
}

/// The kinds of error that a caller may branch on, as they appear in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is named after its error")]
pub enum ErrorCode {
    Invalid,
    Notation,
    Unsupported,
    Malformed,
    Limit,
    Refused,
    Gpu,
    Sound,
    Cancelled,
    Io,
    Password,
    Stored,
    Internal,
}

/// An error in a chain's text. Positions are byte offsets into that text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NotationError {
    /// The problem, without the position.
    pub message: String,
    /// The start of the offending text, as a byte offset.
    pub start: usize,
    /// The end of the offending text, as a byte offset.
    pub end: usize,
    /// The text found there.
    pub got: String,
    /// The alternatives that are allowed there.
    pub allowed: Vec<String>,
    /// The closest valid name, if one is close enough.
    pub nearest: Option<String>,
}

/// An error as sent over IPC and printed as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Failure {
    /// The kind of error.
    pub code: ErrorCode,
    /// The failure and what to do about it, in sentences.
    pub message: String,
    /// The path of the file that it is about, and what the system said.
    pub detail: Option<String>,
    /// The position in the chain's text, for [`ErrorCode::Notation`].
    pub notation: Option<NotationError>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let notation = match error {
            Error::Notation(notation) => Some(notation.clone()),
            _ => None,
        };
        Self { code: error.code(), message: error.sentences(), detail: error.detail(), notation }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}
