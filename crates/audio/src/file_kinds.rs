//! The kinds of files that can be opened: names, media types and extensions.
//!
//! A file is opened by its content. This table serves what has only a name to go by: dialogs, folder scans, the file
//! associations of the installers.

use std::sync::LazyLock;

/// A kind of file that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// The name that users know.
    pub name: &'static str,
    /// The media types, the registered one first. A system may know a file by any of them.
    pub media_types: &'static [&'static str],
    /// The extensions in lower case, without the dot, the usual one first.
    pub extensions: &'static [&'static str],
    /// Whether such a file usually holds moving pictures, of which only the sound is read.
    pub is_video: bool,
}

const fn audio(
    name: &'static str,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
) -> FileKind {
    FileKind { name, media_types, extensions, is_video: false }
}

const fn video(
    name: &'static str,
    media_types: &'static [&'static str],
    extensions: &'static [&'static str],
) -> FileKind {
    FileKind { name, media_types, extensions, is_video: true }
}

/// All kinds of files that can be opened.
pub const FILE_KINDS: &[FileKind] = &[
    audio("WAV audio", &["audio/vnd.wave", "audio/wav", "audio/x-wav"], &["wav", "wave", "bwf", "rf64", "bw64"]),
    audio("Wave64 audio", &["audio/x-w64"], &["w64"]),
    audio("AIFF audio", &["audio/aiff", "audio/x-aiff", "audio/x-aifc"], &["aiff", "aif", "aifc"]),
    audio("FLAC audio", &["audio/flac", "audio/x-flac"], &["flac"]),
    audio("MP3 audio", &["audio/mpeg", "audio/mp3"], &["mp3", "mpga"]),
    audio("MPEG audio", &["audio/mp2", "audio/x-mp2"], &["mp2", "mp1"]),
    audio("AAC audio", &["audio/aac", "audio/x-aac"], &["aac", "adts"]),
    audio("MPEG-4 audio", &["audio/mp4", "audio/x-m4a", "audio/x-m4b"], &["m4a", "m4b", "m4r", "alac"]),
    audio("Ogg audio", &["audio/ogg", "audio/x-vorbis+ogg"], &["ogg", "oga"]),
    audio("Opus audio", &["audio/opus", "audio/x-opus+ogg"], &["opus"]),
    audio("Core Audio", &["audio/x-caf"], &["caf"]),
    audio("Matroska audio", &["audio/x-matroska"], &["mka"]),
    audio("WebM audio", &["audio/webm"], &["weba"]),
    video("MPEG-4 video", &["video/mp4"], &["mp4", "m4v"]),
    video("QuickTime video", &["video/quicktime"], &["mov"]),
    video("Matroska video", &["video/x-matroska"], &["mkv"]),
    video("WebM video", &["video/webm"], &["webm"]),
];

/// The extensions of all [`FILE_KINDS`], those of audio first.
pub fn file_extensions() -> &'static [&'static str] {
    static ALL: LazyLock<Vec<&str>> =
        LazyLock::new(|| FILE_KINDS.iter().flat_map(|kind| kind.extensions.iter().copied()).collect());
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_and_media_type_stands_once() {
        let mut seen = std::collections::HashSet::new();
        for kind in FILE_KINDS {
            for word in kind.extensions.iter().chain(kind.media_types) {
                assert!(seen.insert(word), "{word} stands twice");
                assert_eq!(*word, word.to_lowercase());
            }
        }
    }
}
