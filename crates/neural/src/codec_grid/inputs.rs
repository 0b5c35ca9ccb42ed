//! The recordings of a grid, and their categories.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use audio::file_extensions;
use base::error::{Error, Result};

/// A recording of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// Its category: its folder relative to the given folder.
    pub category: PathBuf,
}

/// Returns the recordings at the given paths: files, and all recordings in folders, recursively. Skips `output`, where
/// the grid writes. A file that is named twice is taken once; one that does not exist is kept, so that its failure is
/// reported.
///
/// # Errors
/// [`Error::Impossible`] if there is no recording.
pub fn inputs(words: &[PathBuf], output: &Path) -> Result<Vec<Input>> {
    let output = output.canonicalize().ok();
    let mut found = Vec::new();
    for word in words {
        if word.is_dir() {
            in_folder(word, output.as_deref(), &mut found)?;
        } else {
            let category = word.parent().map(own_name).unwrap_or_default();
            found.push(Input { path: word.clone(), category });
        }
    }
    let mut seen = HashSet::new();
    found.retain(|input| seen.insert(input.path.canonicalize().unwrap_or_else(|_| input.path.clone())));
    if found.is_empty() {
        return Err(Error::impossible(
            "There is no recording in what was given. Give audio files, or folders with some.",
        ));
    }
    Ok(found)
}

fn in_folder(folder: &Path, output: Option<&Path>, found: &mut Vec<Input>) -> Result<()> {
    let is_output = |path: &Path| output.is_some_and(|output| path.canonicalize().is_ok_and(|path| path == output));
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| !(entry.file_type().is_dir() && is_output(entry.path()))) {
        let entry = entry.map_err(|error| {
            let source = error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
            Error::io("read", folder, source)
        })?;
        let extension = entry.path().extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if !entry.file_type().is_file()
            || !extension.is_some_and(|extension| file_extensions().contains(&extension.as_str()))
        {
            continue;
        }
        let parent = entry.path().parent().unwrap_or(folder);
        let below = parent.strip_prefix(folder).unwrap_or(parent);
        let category = if below.as_os_str().is_empty() { own_name(folder) } else { below.to_path_buf() };
        found.push(Input { path: entry.path().to_path_buf(), category });
    }
    Ok(())
}

/// Returns the name of a folder, also of one that is given as `.` or by a relative path that ends in `..`.
fn own_name(folder: &Path) -> PathBuf {
    let given = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match given.file_name() {
        Some(name) => PathBuf::from(name),
        None => given.canonicalize().ok().and_then(|path| path.file_name().map(PathBuf::from)).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_the_folders() {
        let desk = tempfile::tempdir().unwrap();
        let at = |path: &str| desk.path().join(path);
        for path in
            ["set/speech/en/a.wav", "set/speech/b.WAV", "set/root.flac", "set/notes.txt", "set/out/c.wav", "x/d.wav"]
        {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            std::fs::write(at(path), "").unwrap();
        }
        let words = [at("set"), at("x/d.wav"), at("x/../x/d.wav"), at("missing.wav")];
        let found = inputs(&words, &at("set/out")).unwrap();
        let shown: Vec<(String, String)> = found
            .iter()
            .map(|input| {
                let name = input.path.file_name().unwrap().to_string_lossy().into_owned();
                (name, input.category.to_string_lossy().replace('\\', "/"))
            })
            .collect();
        let last = desk.path().file_name().unwrap().to_string_lossy().into_owned();
        let expected = [("root.flac", "set"), ("b.WAV", "speech"), ("a.wav", "speech/en"), ("d.wav", "x")];
        let mut expected: Vec<(String, String)> =
            expected.iter().map(|(name, category)| ((*name).to_owned(), (*category).to_owned())).collect();
        expected.push(("missing.wav".to_owned(), last));
        assert_eq!(shown, expected);
        assert!(matches!(inputs(&[at("set/out")], &at("set/out")), Err(Error::Impossible(_))));
    }
}
