//! How a playlist names its files: by absolute paths, or by paths relative to its folder, so that it can move with
//! them.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use url::Url;

/// The characters to escape in a segment of a URI: all but the unreserved ones of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How files are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// By absolute paths.
    Absolute,
    /// By paths relative to this absolute folder. A file on another drive has its absolute path.
    From(PathBuf),
}

impl Places {
    /// Returns the path as a line of text; as a URI if it has no such form, because it is not Unicode or has control
    /// characters.
    pub(super) fn as_line(&self, path: &Path) -> String {
        let path = self.path(path);
        match path.to_str() {
            Some(text) if !text.chars().any(char::is_control) => {
                // A line that begins with `#` would be a comment.
                if text.starts_with('#') { format!(".{}{text}", std::path::MAIN_SEPARATOR) } else { text.to_owned() }
            }
            _ => uri(&path),
        }
    }

    /// Returns the path as a URI.
    pub(super) fn as_uri(&self, path: &Path) -> String {
        uri(&self.path(path))
    }

    fn path(&self, path: &Path) -> PathBuf {
        match self {
            Self::Absolute => path.to_path_buf(),
            Self::From(folder) => relative(path, folder).unwrap_or_else(|| path.to_path_buf()),
        }
    }
}

/// Returns the relative path from a folder to a file, both absolute; `None` if they have no root in common.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (to, from): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (path.components().collect(), folder.components().collect());
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let has_root = to.iter().take(common).any(|part| matches!(part, Component::RootDir));
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    has_root.then(|| up.chain(to[common..].iter().copied()).collect())
}

/// Returns a URI of an absolute path, or a reference of a relative one.
fn uri(path: &Path) -> String {
    if let Ok(url) = Url::from_file_path(path) {
        return url.into();
    }
    let segment = |part: Component<'_>| percent_encode(part.as_os_str().as_encoded_bytes(), SEGMENT).to_string();
    path.components().map(segment).collect::<Vec<_>>().join("/")
}
