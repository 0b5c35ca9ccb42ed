//! Paths in stored JSON. Non-Unicode paths are also kept exactly: as bytes on Unix, as 16-bit units on Windows.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Unix { unix: Vec<u8> },
    Windows { windows: Vec<u16> },
}

/// Serialises a path.
pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    let stored = match path.to_str() {
        Some(text) => Stored::Text(text.to_owned()),
        None => exact(path),
    };
    stored.serialize(to)
}

#[cfg(unix)]
fn exact(path: &Path) -> Stored {
    use std::os::unix::ffi::OsStrExt;
    Stored::Unix { unix: path.as_os_str().as_bytes().to_vec() }
}

#[cfg(windows)]
fn exact(path: &Path) -> Stored {
    use std::os::windows::ffi::OsStrExt;
    Stored::Windows { windows: path.as_os_str().encode_wide().collect() }
}

/// Deserialises a path.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    match Stored::deserialize(from)? {
        Stored::Text(text) => Ok(text.into()),
        #[cfg(unix)]
        Stored::Unix { unix } => Ok(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(unix).into()),
        #[cfg(windows)]
        Stored::Windows { windows } => {
            Ok(<std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&windows).into())
        }
        #[allow(unreachable_patterns, reason = "the other system's")]
        _ => Err(serde::de::Error::custom("a path of another operating system")),
    }
}
