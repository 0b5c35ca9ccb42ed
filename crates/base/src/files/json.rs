//! Paths in JSON for other programs. A path that is not Unicode appears as text with U+FFFD in place of the invalid
//! parts. A second field, `..._encoded`, then holds the exact path, percent-encoded as in a URL. `document` and the
//! library store paths for internal use in other forms.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serializer;
use serde::ser::SerializeMap;

/// Serialises a path as text, with U+FFFD for anything that is not Unicode.
pub fn lossy<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

/// Serialises paths as text, with U+FFFD for anything that is not Unicode.
pub fn lossy_all<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// Serialises the field `path` of a flattened structure, and `path_encoded` if the path is not Unicode.
pub fn as_path<S: Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    fields(["path", "path_encoded"], path.as_ref(), to)
}

/// Like [`as_path`], with the field `input`.
pub fn as_input<S: Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    fields(["input", "input_encoded"], path.as_ref(), to)
}

/// Like [`as_path`], with the field `output`.
pub fn as_output<S: Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    fields(["output", "output_encoded"], path.as_ref(), to)
}

/// Like [`as_path`], with the field `library`.
pub fn as_library<S: Serializer>(path: &impl AsRef<Path>, to: S) -> Result<S::Ok, S::Error> {
    fields(["library", "library_encoded"], path.as_ref(), to)
}

fn fields<S: Serializer>([name, encoded]: [&'static str; 2], path: &Path, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry(name, &path.to_string_lossy())?;
    if path.to_str().is_none() {
        map.serialize_entry(encoded, &percent_encoded(path))?;
    }
    map.end()
}

fn percent_encoded(path: &Path) -> String {
    let mut text = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            // Writing to a `String` cannot fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

/// Finds the file that a path with U+FFFD stands for, because desktops pass file names as text. Returns the path itself
/// if it exists, if it has no such character, or if not exactly one file matches.
pub fn from_lossy(path: &Path) -> PathBuf {
    if path.symlink_metadata().is_ok() || !path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER) {
        return path.to_path_buf();
    }
    let mut found = PathBuf::new();
    for part in path.components() {
        let next = found.join(part);
        if next.symlink_metadata().is_ok() || !part.as_os_str().to_string_lossy().contains(char::REPLACEMENT_CHARACTER)
        {
            found = next;
            continue;
        }
        let entries = std::fs::read_dir(&found).into_iter().flatten().flatten();
        let mut alike =
            entries.filter(|entry| entry.file_name().to_string_lossy() == part.as_os_str().to_string_lossy());
        match (alike.next(), alike.next()) {
            (Some(only), None) => found = only.path(),
            _ => return path.to_path_buf(),
        }
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use serde::Serialize;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[derive(Serialize)]
    struct Report<'a> {
        #[serde(flatten, serialize_with = "as_path")]
        path: &'a Path,
        frames: u32,
    }

    #[test]
    fn what_is_not_unicode_is_written_twice_once_exactly() {
        let json = |path: &Path| serde_json::to_string(&Report { path, frames: 1 }).unwrap();
        assert_eq!(json(Path::new("/a/b é.wav")), r#"{"path":"/a/b é.wav","frames":1}"#);
        let path = Path::new(OsStr::from_bytes(b"/a/caf\xe9 1.wav"));
        let expected = "{\"path\":\"/a/caf\u{fffd} 1.wav\",\"path_encoded\":\"/a/caf%E9%201.wav\",\"frames\":1}";
        assert_eq!(json(path), expected);
    }

    #[test]
    fn a_file_is_found_by_the_text_of_its_name_if_it_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join(OsStr::from_bytes(b"d\xe9"));
        std::fs::create_dir(&inner).unwrap();
        let file = inner.join(OsStr::from_bytes(b"caf\xe9.wav"));
        std::fs::write(&file, "").unwrap();
        let text = PathBuf::from(file.to_string_lossy().into_owned());
        assert_eq!(from_lossy(&text), file);
        std::fs::write(inner.join(OsStr::from_bytes(b"caf\xe8.wav")), "").unwrap();
        assert_eq!(from_lossy(&text), text, "either could be meant");
    }
}
