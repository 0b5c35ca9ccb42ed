//! Which files count as recordings.
//!
//! The file extension decides; if it is unknown, the first bytes of the file decide. Formats that cannot be decoded are
//! included: they appear as failed with a reason instead of being left out.

use std::io::Read;
use std::path::Path;

use audio::FILE_KINDS;

/// Extensions of recordings in formats that cannot be decoded.
const UNREADABLE_AUDIO: &[&str] =
    &["wv", "ape", "mpc", "tta", "dsf", "dff", "wma", "au", "snd", "amr", "ac3", "dts", "spx", "tak", "shn"];

/// Extensions of video files in formats that cannot be decoded.
const UNREADABLE_VIDEO: &[&str] = &["avi", "wmv", "mpg", "mpeg", "ts", "ogv", "flv"];

/// Extensions of files that often lie beside music and are never opened.
const OTHER: &[&str] = &[
    "jpg",
    "jpeg",
    "png",
    "gif",
    "bmp",
    "webp",
    "tif",
    "tiff",
    "svg",
    "txt",
    "md",
    "nfo",
    "log",
    "cue",
    "m3u",
    "m3u8",
    "pls",
    "xspf",
    "pdf",
    "html",
    "htm",
    "xml",
    "json",
    "yaml",
    "toml",
    "csv",
    "ini",
    "db",
    "sqlite",
    "sqlite-wal",
    "sqlite-shm",
    "lock",
    "lrc",
    "srt",
    "ass",
    "sfv",
    "md5",
    "ffp",
    "accurip",
    "zip",
    "rar",
    "7z",
    "gz",
    "xz",
    "tar",
    "iso",
    "exe",
    "dll",
    "so",
    "py",
    "js",
    "mid",
    "midi",
    "asd",
    "reapeaks",
    "sfk",
    "part",
    "tmp",
    "crdownload",
    "doc",
    "docx",
    "rtf",
    "epub",
    "torrent",
    "url",
    "lnk",
];

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An audio file.
    Audio,
    /// A video file.
    Video,
    /// Neither.
    Other,
}

/// Returns the kind of the file at `path`. The file is opened only if its extension is unknown.
pub fn kind_of(path: &Path) -> Kind {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let among = |list: &[&str]| list.contains(&ending.as_str());
    let readable = FILE_KINDS.iter().find(|kind| among(kind.extensions));
    if readable.is_some_and(|kind| !kind.is_video) || among(UNREADABLE_AUDIO) {
        Kind::Audio
    } else if readable.is_some() || among(UNREADABLE_VIDEO) {
        Kind::Video
    } else if among(OTHER) {
        Kind::Other
    } else if begins_like_audio(path) {
        Kind::Audio
    } else {
        Kind::Other
    }
}

fn begins_like_audio(path: &Path) -> bool {
    let mut head = [0; 12];
    if !base::files::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok()) {
        return false;
    }
    matches!(
        &head,
        [b'R', b'I', b'F', b'F' | b'X', .., b'W', b'A', b'V', b'E']
            | [b'R', b'F', b'6', b'4', .., b'W', b'A', b'V', b'E']
            | [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C']
            | [b'r', b'i', b'f', b'f', 0x2e, 0x91, ..]
            | [b'I', b'D', b'3', ..]
            | [b'f', b'L', b'a', b'C', ..]
            | [b'O', b'g', b'g', b'S', ..]
            | [b'c', b'a', b'f', b'f', ..]
            | [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A' | b'B', _]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_and_first_bytes_where_they_do_not() {
        assert_eq!(kind_of(Path::new("/x/a.FLAC")), Kind::Audio);
        assert_eq!(kind_of(Path::new("/x/a.wv")), Kind::Audio);
        assert_eq!(kind_of(Path::new("/x/a.mkv")), Kind::Video);
        assert_eq!(kind_of(Path::new("/x/cover.jpg")), Kind::Other);
        assert_eq!(kind_of(Path::new("/x/not there")), Kind::Other);
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            kind_of(&path)
        };
        assert_eq!(file("nameless", b"RIFF\x24\0\0\0WAVEfmt "), Kind::Audio);
        assert_eq!(file("strange.ending", b"OggS\0\x02\0\0\0\0\0\0\0"), Kind::Audio);
        assert_eq!(file("short", b"OggS"), Kind::Other);
        assert_eq!(file("text", b"dear diary, today I"), Kind::Other);
    }
}
