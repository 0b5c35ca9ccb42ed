//! Paths in the library's tables: text for display and search, plus the exact bytes if the path is not valid Unicode.

use std::path::{Path, PathBuf};

/// A path as two columns: the displayed text, and the exact name (empty if the text is exact).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredPath {
    /// The text, with U+FFFD for invalid Unicode.
    pub text: String,
    /// The bytes of the path on Unix, its 16-bit units (little-endian) on Windows; empty if the text is exact.
    pub exact: Vec<u8>,
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self { text: text.to_owned(), exact: Vec::new() },
            None => Self { text: path.to_string_lossy().into_owned(), exact: exact(path) },
        }
    }
}

impl StoredPath {
    /// Returns the original path.
    pub(super) fn into_path(self) -> PathBuf {
        if self.exact.is_empty() { self.text.into() } else { path_from_exact(&self.exact) }
    }
}

#[cfg(unix)]
fn exact(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
fn path_from_exact(exact: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(exact).into()
}

#[cfg(windows)]
fn exact(path: &Path) -> Vec<u8> {
    use std::os::windows::ffi::OsStrExt;
    path.as_os_str().encode_wide().flat_map(u16::to_le_bytes).collect()
}

#[cfg(windows)]
fn path_from_exact(exact: &[u8]) -> PathBuf {
    let units: Vec<u16> = exact.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    <std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&units).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_exactly() {
        for name in ["/music/a.wav", "/music/\u{fc}\u{1f3b5}.flac", ""] {
            let stored = StoredPath::from(Path::new(name));
            assert!(stored.exact.is_empty());
            assert_eq!(stored.into_path(), Path::new(name));
        }
        #[cfg(unix)]
        {
            let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/music/\xff\xfe.wav");
            let stored = StoredPath::from(Path::new(name));
            assert_eq!(stored.text, "/music/\u{fffd}\u{fffd}.wav");
            assert_eq!(stored.into_path().as_os_str(), name);
        }
    }
}
