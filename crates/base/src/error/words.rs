//! The words of errors: whole sentences that say what happened and what to do.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{Error, NotationError};

impl Error {
    /// Returns what happened and what to do, in sentences, without the path of the file.
    pub fn sentences(&self) -> String {
        match self {
            Self::Invalid { what, got, allowed } => {
                sentence(&format!("{what} must be {allowed}, not {}", if got.is_empty() { "nothing" } else { got }))
            }
            Self::Setting { owner, problem } => format!("{owner}: {}", sentence(problem)),
            Self::Notation(notation) => notation.to_string(),
            Self::Unsupported { what, reason } => {
                format!("{} {}", sentence(&format!("{what} is not supported")), sentence(reason))
            }
            Self::Limit { what, got, limit } => {
                format!("{} {}", sentence(&format!("{what} is limited to {limit}")), sentence(&format!("it is {got}")))
            }
            Self::GpuUnavailable(reason) => format!("The GPU is not available. {}", sentence(reason)),
            Self::GpuOutOfMemory(reason) => format!("The GPU has too little memory. {}", sentence(reason)),
            Self::GpuLost(reason) => format!("The GPU stopped working. {}", sentence(reason)),
            Self::Cancelled => "Cancelled.".to_owned(),
            Self::NotFound { what, name } if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("This {what} no longer exists.")
            }
            Self::NotFound { what, name } => format!("The {what} does not exist: {name}"),
            Self::Io { action, source, .. } => io_sentences(action, source),
            Self::Internal(reason) => format!("Internal error, please report it. {}", sentence(reason)),
            Self::Malformed { reason, .. }
            | Self::Refused { reason, .. }
            | Self::Impossible(reason)
            | Self::Sound(reason)
            | Self::Capture(reason)
            | Self::Password(reason)
            | Self::Stored(reason) => sentence(reason),
        }
    }

    /// Returns the path that the error is about, and what the system said.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Malformed { path, .. } | Self::Refused { path, .. } => Some(path.display().to_string()),
            Self::Io { path, source, .. } => Some(format!("{}: {source}", path.display())),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Malformed { path, .. } | Self::Refused { path, .. } | Self::Io { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// The sentences, and the path last.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences = self.sentences();
        match self.path() {
            Some(path) => write!(f, "{}: {}", sentences.trim_end_matches('.'), path.display()),
            None => f.write_str(&sentences),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Notation(notation) => Some(notation),
            _ => None,
        }
    }
}

impl From<NotationError> for Error {
    fn from(error: NotationError) -> Self {
        Self::Notation(error)
    }
}

/// A transform fails if its buffers are not of the planned length, which is a fault of the program.
impl From<transforms::FftError> for Error {
    fn from(error: transforms::FftError) -> Self {
        Self::Internal(format!("a transform failed: {error}"))
    }
}

/// The message with its position, what is allowed there and the nearest name.
impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position {}: {}", self.start + 1, sentence(&self.message))?;
        if !self.allowed.is_empty() {
            write!(f, " Allowed: {}.", self.allowed.join(", "))?;
        }
        self.nearest.as_ref().map_or(Ok(()), |name| write!(f, " Did you mean `{name}`?"))
    }
}

impl std::error::Error for NotationError {}

/// Describes a failed file operation to the user. Rare kinds get the system's message.
fn io_sentences(action: &str, source: &io::Error) -> String {
    let is_folder = action.contains("folder");
    let writes = ["write", "make", "rename", "create"].iter().any(|word| action.starts_with(word));
    let known = match source.kind() {
        ErrorKind::NotFound if is_folder => "The folder does not exist.",
        ErrorKind::NotFound if action.contains("link") => "This is a link to a file that does not exist.",
        ErrorKind::NotFound => "The file does not exist.",
        ErrorKind::PermissionDenied if writes => "You may not write here. Choose another folder.",
        ErrorKind::PermissionDenied if is_folder => "You may not read this folder. Change its permissions.",
        ErrorKind::PermissionDenied => "You may not read this file. Change its permissions.",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "The disk is full. Free space, or choose another disk.",
        ErrorKind::ReadOnlyFilesystem => "This disk is read-only. Choose another one.",
        ErrorKind::IsADirectory => "This is a folder. Choose a file.",
        ErrorKind::NotADirectory => "A part of the path is a file, not a folder. Choose another path.",
        ErrorKind::InvalidFilename => "The name is too long or not allowed here. Choose a shorter one.",
        ErrorKind::FileTooLarge => "The file is too large for this disk. Choose another one.",
        ErrorKind::AlreadyExists => "A file of this name exists. Choose another name.",
        ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => {
            "Another program uses the file. Close it there and try again."
        }
        ErrorKind::TimedOut
        | ErrorKind::StaleNetworkFileHandle
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable => "The drive or server does not answer. Connect it and try again.",
        ErrorKind::UnexpectedEof => "The file ends too early. It may be damaged.",
        _ => {
            let object = if action.contains(' ') { "" } else { " the file" };
            return sentence(&format!("cannot {action}{object}: {source}"));
        }
    };
    known.to_owned()
}

/// Returns the text with a capital at its start and a full stop at its end. Names, quotations and figures at the start
/// stay as they are.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_word = first.chars().all(|c| c.is_lowercase() || "-',:;".contains(c)) && !first.ends_with("://");
    let mut sentence = String::with_capacity(text.len() + 1);
    let mut rest = text.chars();
    if is_word {
        sentence.extend(rest.next().into_iter().flat_map(char::to_uppercase));
    }
    sentence.push_str(rest.as_str());
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '\u{2026}']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(action: &'static str, kind: ErrorKind) -> String {
        Error::io(action, Path::new("/a/b.wav"), kind.into()).sentences()
    }

    #[test]
    fn failed_file_operations_are_in_the_users_words() {
        assert_eq!(said("open", ErrorKind::NotFound), "The file does not exist.");
        assert_eq!(said("write into the folder", ErrorKind::NotFound), "The folder does not exist.");
        assert_eq!(said("follow the link", ErrorKind::NotFound), "This is a link to a file that does not exist.");
        assert_eq!(said("write", ErrorKind::PermissionDenied), "You may not write here. Choose another folder.");
        assert_eq!(said("read", ErrorKind::PermissionDenied), "You may not read this file. Change its permissions.");
        assert_eq!(said("write", ErrorKind::StorageFull), "The disk is full. Free space, or choose another disk.");
        assert_eq!(said("open", ErrorKind::IsADirectory), "This is a folder. Choose a file.");
        let rare = Error::io("read the tags", Path::new("/a/b.wav"), io::Error::other("strange"));
        assert_eq!(rare.sentences(), "Cannot read the tags: strange.");
        assert_eq!(said("open", ErrorKind::OutOfMemory), "Cannot open the file: out of memory.");
    }

    // The kinds must be the ones to which the system's error numbers are mapped.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_systems_numbers_are_known_kinds() {
        for (number, words) in [
            (libc::ENOENT, "does not exist"),
            (libc::EACCES, "may not write"),
            (libc::ENOSPC, "disk is full"),
            (libc::EDQUOT, "disk is full"),
            (libc::EROFS, "read-only"),
            (libc::EISDIR, "is a folder"),
            (libc::ENOTDIR, "not a folder"),
            (libc::ENAMETOOLONG, "too long"),
            (libc::EFBIG, "too large"),
        ] {
            let error = Error::io("write", Path::new("/a/b.wav"), io::Error::from_raw_os_error(number));
            assert!(error.sentences().contains(words), "{number}: {error}");
            assert!(!error.to_string().contains("os error"), "{error}");
        }
    }

    #[test]
    fn the_path_comes_last_and_the_systems_words_are_a_detail() {
        let error = Error::io("open", Path::new("/a/b.wav"), io::Error::from(ErrorKind::NotFound));
        assert_eq!(error.to_string(), "The file does not exist: /a/b.wav");
        assert_eq!(error.detail().as_deref(), Some("/a/b.wav: entity not found"));
    }

    #[test]
    fn messages_are_sentences() {
        for (error, words) in [
            (Error::invalid("mix", "120 %", "0 % to 100 %"), "Mix must be 0 % to 100 %, not 120 %."),
            (Error::invalid("--quality", "11", "0 to 9"), "--quality must be 0 to 9, not 11."),
            (Error::setting("Peaking", "Centre must be below 8 kHz"), "Peaking: Centre must be below 8 kHz."),
            (Error::unsupported("AC-3 in MP4", "convert it first"), "AC-3 in MP4 is not supported. Convert it first."),
            (Error::NotFound { what: "document", name: "7".into() }, "This document no longer exists."),
            (Error::NotFound { what: "preset", name: "Warm".into() }, "The preset does not exist: Warm"),
            (Error::Sound("no sound output found".into()), "No sound output found."),
            (Error::Sound("hw:0 is gone".into()), "hw:0 is gone."),
        ] {
            assert_eq!(error.to_string(), words);
        }
    }
}
