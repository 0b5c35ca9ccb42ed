//! The error of the core, its kinds sorted by what the caller can do about them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The core's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, by what the caller can do about it. A message says what failed, what was expected and what to do;
/// a path comes last.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value is not allowed: give another one.
    #[error("{what}: got {got}, allowed is {allowed}")]
    Invalid {
        /// The parameter or argument.
        what: String,
        /// What was given.
        got: String,
        /// What may be given.
        allowed: String,
    },
    /// A chain's text is not understood: correct it at the span.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The file is sound as far as can be seen, but this program cannot read or write its kind.
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
    /// A limit of this program was passed.
    #[error("{what}: {got} is more than the limit of {limit}")]
    Limit {
        /// What is limited.
        what: String,
        /// What was asked for.
        got: String,
        /// What is possible.
        limit: String,
    },
    /// Refused because a file of the user's would be harmed.
    #[error("{reason}: {path}", path = path.display())]
    Refused {
        /// Why, and how to proceed.
        reason: String,
        /// The file that would be harmed.
        path: PathBuf,
    },
    /// No such GPU can be had; work goes on on the CPU.
    #[error("GPU unavailable: {0}")]
    GpuUnavailable(String),
    /// The GPU has no memory for this: try a smaller chunk.
    #[error("GPU out of memory: {0}")]
    GpuOutOfMemory(String),
    /// The GPU went away in the middle of work: rebuild it once, then use the CPU.
    #[error("GPU lost: {0}")]
    GpuLost(String),
    /// No sound can be played: there is no output device, or it refused.
    #[error("sound output: {0}")]
    Sound(String),
    /// No sound can be recorded: there is no input device, it may not be used, or it went away.
    #[error("sound input: {0}")]
    Capture(String),
    /// The user stopped the work.
    #[error("cancelled")]
    Cancelled,
    /// Something asked for does not exist (any more): a document, a node, a job, a preset.
    #[error("{what} does not exist: {name}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// Its name or number.
        name: String,
    },
    /// The operating system refused a file operation.
    #[error("cannot {action}: {source}: {path}", path = path.display())]
    Io {
        /// What was being done: "open", "read", "write", "rename".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// A stored session, preset or settings file cannot be used.
    #[error("stored data: {0}")]
    Stored(String),
    /// A fault of this program's own, which a user can only report.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// A value that is not allowed: what it is, what was given, what may be given.
    pub fn invalid(what: impl Into<String>, got: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::Invalid { what: what.into(), got: got.into(), allowed: allowed.into() }
    }

    /// A broken file: what is wrong with it and which one it is.
    pub fn malformed(reason: impl Into<String>, path: &Path) -> Self {
        Self::Malformed { reason: reason.into(), path: path.to_path_buf() }
    }

    /// A kind of file or feature that this program cannot handle, and why.
    pub fn unsupported(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), reason: reason.into() }
    }

    /// A failed file operation.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), source }
    }

    /// The code by which a program tells the kinds apart.
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
    /// What is wrong, without position.
    pub message: String,
    /// Where the offending text begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// The text that was found there.
    pub got: String,
    /// What may stand there.
    pub allowed: Vec<String>,
    /// The nearest valid name, if one is near.
    pub nearest: Option<String>,
}

fn allowed_clause(allowed: &[String]) -> String {
    if allowed.is_empty() { String::new() } else { format!("; allowed: {}", allowed.join(", ")) }
}

fn nearest_clause(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// An error as it leaves the core over IPC or in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Failure {
    /// The kind.
    pub code: ErrorCode,
    /// What failed, what was expected, what to do.
    pub message: String,
    /// The place in a chain's text, for [`ErrorCode::Notation`].
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
