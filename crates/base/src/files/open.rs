//! Opens files whose names come from outside: a command line, a chain, a preset, a folder.
//!
//! A pipe blocks until a program writes to it, a device may never end, and opening either may change it. The file type
//! is therefore checked first, the file is opened without blocking, and the type of the opened file is checked again,
//! because another program may have replaced it in between.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};

/// Opens a regular file for reading. Follows links.
///
/// # Errors
/// [`Error::Malformed`] for folders, pipes, sockets and devices.
pub fn open(path: &Path) -> Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Like [`open`], with the caller's options. Creates a missing file if the options say so.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let failed = |source| Error::io("open", path, source);
    if is_windows_device(path) && cfg!(windows) {
        return Err(irregular(path));
    }
    match fs::metadata(path) {
        Ok(found) => check_type(found.file_type(), path)?,
        // The options decide whether a missing file is an error.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(path).map_err(|source| {
        let is_link = source.kind() == std::io::ErrorKind::NotFound && path.is_symlink();
        Error::io(if is_link { "follow the link" } else { "open" }, path, source)
    })?;
    check_type(file.metadata().map_err(failed)?.file_type(), path)?;
    Ok(file)
}

/// Reads a whole regular file of at most `max_bytes`; `what` names it in the error. The limit applies to the bytes
/// read and not to the reported size, which is 0 for virtual files (`/proc`).
pub fn read(path: &Path, what: &str, max_bytes: u64) -> Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|source| Error::io("read", path, source))?;
    if bytes.len() as u64 > max_bytes {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        return Err(Error::Limit {
            what: format!("the size of the {what} {name}"),
            got: format!("more than {max_bytes} bytes"),
            limit: format!("{max_bytes} bytes"),
        });
    }
    Ok(bytes)
}

/// Like [`read`], for a file that a chain or a preset names.
pub fn read_foreign(path: &Path, what: &str, max_bytes: u64) -> Result<Vec<u8>> {
    check_foreign(path)?;
    read(path, what, max_bytes)
}

/// Refuses names that a chain or a preset must not use, before the file system is accessed. On Windows, accessing a
/// name on another computer (`\\server\share`) logs in there, which reveals the user's name and a hash of the password.
/// Files that the user opens may be on another computer. A drive letter mapped to a share is allowed too, because the
/// name does not reveal it.
///
/// # Errors
/// [`Error::Unsupported`] for a name on another computer.
pub fn check_foreign(path: &Path) -> Result<()> {
    if cfg!(windows) && is_windows_network(path) {
        return Err(Error::unsupported(
            "A file on another computer in a chain",
            format!("Copy {} to this computer, or give its drive a letter", path.display()),
        ));
    }
    Ok(())
}

fn check_type(kind: FileType, path: &Path) -> Result<()> {
    if kind.is_file() {
        Ok(())
    } else if kind.is_dir() {
        Err(Error::malformed("This is a folder. Choose a file", path))
    } else {
        Err(irregular(path))
    }
}

fn irregular(path: &Path) -> Error {
    Error::malformed("This is not a regular file, but a pipe, socket or device. Save the data to a file first", path)
}

/// Returns a Windows path with one kind of separator, in lower case.
fn windows_text(path: &Path) -> String {
    path.to_string_lossy().replace('/', "\\").to_lowercase()
}

/// Returns whether Windows looks up this name on another computer.
fn is_windows_network(path: &Path) -> bool {
    let text = windows_text(path);
    match text.strip_prefix(r"\\") {
        None => false,
        Some(rest) => match rest.strip_prefix(r"?\").or_else(|| rest.strip_prefix(r".\")) {
            // Local drives have a letter or are named by a volume.
            Some(local) => {
                let is_drive = local.as_bytes().get(1) == Some(&b':');
                !(is_drive || local.starts_with("volume{"))
            }
            None => true,
        },
    }
}

/// Returns whether Windows treats this name as a device, whatever its folder and extension.
pub(super) fn is_windows_device(path: &Path) -> bool {
    let text = windows_text(path);
    if text.starts_with(r"\\.\") {
        return true;
    }
    let name = text.rsplit('\\').next().unwrap_or_default();
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|number| {
            let mut digits = number.chars();
            matches!((digits.next(), digits.next()), (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None))
        })
    };
    matches!(stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_their_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, "file", 5).unwrap(), b"12345");
        let error = read(&path, "test file", 4).unwrap_err();
        assert!(matches!(error, Error::Limit { .. }), "{error}");
        assert!(matches!(read(folder.path(), "file", 5), Err(Error::Malformed { .. })));
        let missing = read(&folder.path().join("missing"), "file", 5).unwrap_err();
        assert!(matches!(missing, Error::Io { .. }), "{missing}");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [pipe.as_path(), link.as_path(), Path::new("/dev/zero"), Path::new("/dev/tty")] {
            for error in [open(path).unwrap_err(), open_with(OpenOptions::new().append(true), path).unwrap_err()] {
                assert!(
                    error.to_string().starts_with("This is not a regular file, but a pipe, socket or device."),
                    "{error}"
                );
            }
        }
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&link, "file", 9).unwrap(), b"text", "links to files are followed");
        fs::remove_file(&file).unwrap();
        let error = open(&link).unwrap_err().to_string();
        assert!(error.starts_with("This is a link to a file that does not exist"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_without_a_size_are_read_to_their_bound() {
        assert!(!read(Path::new("/proc/self/status"), "file", 1 << 20).unwrap().is_empty());
        assert!(matches!(read(Path::new("/proc/self/status"), "file", 10), Err(Error::Limit { .. })));
    }

    #[test]
    fn names_of_windows_that_lead_elsewhere_are_known() {
        for name in [
            r"\\server\share\ir.wav",
            "//server/share/ir.wav",
            r"\/server/share/ir.wav",
            r"\\?\UNC\server\share\ir.wav",
            r"\\.\UNC\server\share",
            r"\\?\GLOBALROOT\Device\Mup\server\share",
        ] {
            assert!(is_windows_network(Path::new(name)), "{name}");
        }
        for name in [r"C:\rooms\ir.wav", r"\\?\C:\rooms\ir.wav", r"\rooms\ir.wav", "ir.wav", r"\\?\Volume{1-2}\ir.wav"]
        {
            assert!(!is_windows_network(Path::new(name)), "{name}");
        }
        for name in ["CON", "nul", r"C:\x\COM1.wav", "lpt9 .txt", r"\\.\PhysicalDrive0", "aux.", "CONIN$", "nul:stream"]
        {
            assert!(is_windows_device(Path::new(name)), "{name}");
        }
        for name in ["console.wav", "com.wav", "com10.wav", "null.wav", r"C:\con\ir.wav"] {
            assert!(!is_windows_device(Path::new(name)), "{name}");
        }
    }
}
