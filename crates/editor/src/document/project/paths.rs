//! Paths in a project file: relative to its folder where both lie below a common folder, else absolute.

use std::path::{Component, Path, PathBuf};

use base::error::Result;
use base::files::check_foreign;

/// Returns the path as it is written into a project in `folder`. Both are absolute. A relative path has `/` between its
/// parts on every system.
pub(super) fn written(path: &Path, folder: &Path) -> PathBuf {
    let (path_parts, folder_parts): (Vec<_>, Vec<_>) = (path.components().collect(), folder.components().collect());
    let common = path_parts.iter().zip(&folder_parts).take_while(|(left, right)| left == right).count();
    let shares_a_folder = path_parts[..common].iter().any(|part| matches!(part, Component::Normal(_)));
    if !shares_a_folder && common < folder_parts.len() {
        return path.to_path_buf();
    }
    let ups = std::iter::repeat_n(Component::ParentDir, folder_parts.len() - common);
    let relative: PathBuf = ups.chain(path_parts[common..].iter().copied()).collect();
    match relative.to_str() {
        Some(text) if cfg!(windows) => PathBuf::from(text.replace('\\', "/")),
        _ => relative,
    }
}

/// Returns the absolute form of a path from a project in `folder`.
///
/// # Errors
/// [`base::error::Error::Unsupported`] for a name on another computer, as for files that chains name.
pub(super) fn found(written: &Path, folder: &Path) -> Result<PathBuf> {
    check_foreign(written)?;
    let mut path = PathBuf::new();
    // Links are not followed, because none were when the path was written.
    for part in folder.join(written).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_where_both_can_move_together() {
        for (path, folder, expected) in [
            ("/home/ada/music/song.wav", "/home/ada/music", "song.wav"),
            ("/home/ada/music/in/song.wav", "/home/ada/music", "in/song.wav"),
            ("/home/ada/music/song.wav", "/home/ada/projects/new", "../../music/song.wav"),
            ("/media/stick/song.wav", "/home/ada", "/media/stick/song.wav"),
            ("/song.wav", "/", "song.wav"),
        ] {
            let (path, folder) = (Path::new(path), Path::new(folder));
            assert_eq!(written(path, folder), Path::new(expected));
            assert_eq!(found(Path::new(expected), folder).unwrap(), path);
        }
        assert_eq!(found(Path::new("../../../x"), Path::new("/a")).unwrap(), Path::new("/x"));
    }
}
