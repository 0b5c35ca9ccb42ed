//! Names of recordings.

use std::path::{Path, PathBuf};

/// Returns the path of a WAV file in `folder` that does not exist yet: `STEM.wav`, or else `STEM 2.wav` and so on.
pub fn free_name(folder: &Path, stem: &str) -> PathBuf {
    free_names(folder, stem).next().unwrap_or_default()
}

/// Returns all paths that [`free_name`] may return, in order.
pub fn free_names(folder: &Path, stem: &str) -> impl Iterator<Item = PathBuf> {
    let first = folder.join(format!("{stem}.wav"));
    let (folder, stem) = (folder.to_path_buf(), stem.to_owned());
    let others = (2u64..).map(move |number| folder.join(format!("{stem} {number}.wav")));
    std::iter::once(first).chain(others).filter(|path| path.symlink_metadata().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_is_counted_on() {
        let folder = tempfile::tempdir().unwrap();
        let first = free_name(folder.path(), "Recording");
        assert_eq!(first, folder.path().join("Recording.wav"));
        std::fs::write(&first, "").unwrap();
        assert_eq!(free_name(folder.path(), "Recording"), folder.path().join("Recording 2.wav"));
    }
}
