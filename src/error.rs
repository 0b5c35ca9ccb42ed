//! The error type of the core. Its variants are sorted by what the caller can do about them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The `Result` type of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, classified by what the caller can do about it. A message says what failed, what was expected and what to
/// do; a path comes last.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value is not allowed. Give another one.
    #[error("{what}: got {got}, allowed is {allowed}")]
    Invalid {
        /// The parameter or argument.
        what: String,
        /// What was given.
        got: String,
        /// What may be given.
        allowed: String,
    },
    /// A chain's text cannot be parsed. Correct it at the span.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The file appears to be intact, but this program cannot read or write its format.
    #[error("{what} is not supported: {reason}")]
    Unsupported {
        /// The format, codec or feature.
        what: String,
        /// Why, and what to use instead.
        reason: String,
    },
    /// The file is broken, empty or not audio at all.
    #[error("{reason}: {path}", path = path.display())]
    Malformed {
        /// What is wrong, with the place where it was found.
        reason: String,
        /// The file.
        path: PathBuf,
    },
    /// A limit of this program was exceeded.
    #[error("{what}: {got} is more than the limit of {limit}")]
    Limit {
        /// What is limited.
        what: String,
        /// The requested amount.
        got: String,
        /// The limit.
        limit: String,
    },
    /// The operation was refused because it would harm one of the user's files.
    #[error("{}{}{}", reason, if reason.ends_with('.') { " " } else { ": " }, path.display())]
    Refused {
        /// Why, and how to proceed.
        reason: String,
        /// The file that would be harmed.
        path: PathBuf,
    },
    /// The requested GPU is not available; work continues on the CPU.
    #[error("GPU unavailable: {0}")]
    GpuUnavailable(String),
    /// The GPU has too little memory for this. Try a smaller chunk.
    #[error("GPU out of memory: {0}")]
    GpuOutOfMemory(String),
    /// The GPU was lost during work. Rebuild it once, then use the CPU.
    #[error("GPU lost: {0}")]
    GpuLost(String),
    /// Audio cannot be played: there is no output device, or it refused the stream.
    #[error("sound output: {0}")]
    Sound(String),
    /// Audio cannot be recorded: there is no input device, access is denied, or the device was lost.
    #[error("sound input: {0}")]
    Capture(String),
    /// The user stopped the work.
    #[error("cancelled")]
    Cancelled,
    /// A requested object does not exist or no longer exists: a document, a node, a job, a preset.
    #[error("{what} does not exist: {name}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// A file operation failed.
    #[error("cannot {action}: {source}: {path}", path = path.display())]
    Io {
        /// The operation: "open", "read", "write", "rename".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A stored session, preset or settings file cannot be used.
    #[error("stored data: {0}")]
    Stored(String),
    /// A bug in this program. The user can only report it.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// Creates an [`Error::Invalid`] from the name of the value, what was given and what is allowed.
    pub fn invalid(what: impl Into<String>, got: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), got: got.into(), allowed: allowed.into() }
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

    /// Returns the code that identifies the kind of error in JSON.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } | Self::NotFound { .. } => ErrorCode::Invalid,
            Self::Notation(_) => ErrorCode::Notation,
            Self::Unsupported { .. } => ErrorCode::Unsupported,
            Self::Malformed { .. } => ErrorCode::Malformed,
            Self::Limit { .. } => ErrorCode::Limit,
            Self::Refused { .. } => ErrorCode::Refused,
            Self::GpuUnavailable(_) | Self::GpuOutOfMemory(_) | Self::GpuLost(_) => ErrorCode::Gpu,
            Self::Sound(_) | Self::Capture(_) => ErrorCode::Sound,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Io { .. } => ErrorCode::Io,
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
    Stored,
    Internal,
}

/// An error in a chain's text. Positions are byte offsets into that text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, TS)]
#[error("at {start}: {message}{}{}", allowed_clause(allowed), nearest_clause(nearest.as_deref()))]
pub struct NotationError {
    /// What is wrong, without the position.
    pub message: String,
    /// The start of the offending text, as a byte offset.
    pub start: usize,
    /// The end of the offending text, as a byte offset.
    pub end: usize,
    /// The text found there.
    pub got: String,
    /// What is allowed there.
    pub allowed: Vec<String>,
    /// The closest valid name, if one is close enough.
    pub nearest: Option<String>,
}

fn allowed_clause(allowed: &[String]) -> String {
    if allowed.is_empty() { String::new() } else { format!("; allowed: {}", allowed.join(", ")) }
}

fn nearest_clause(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// An error as sent over IPC and printed as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Failure {
    /// The kind of error.
    pub code: ErrorCode,
    /// What failed, what was expected and what to do.
    pub message: String,
    /// The position in the chain's text, for [`ErrorCode::Notation`].
    pub notation: Option<NotationError>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let notation = match error {
            Error::Notation(notation) => Some(notation.clone()),
            _ => None,
        };
        Self { code: error.code(), message: error.to_string(), notation }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}
