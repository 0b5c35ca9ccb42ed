//! The output of each input, no two the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Tells outputs apart as the least careful file systems do: without case.
fn key(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// Refuses two inputs that would be written to one file.
///
/// # Errors
/// [`Error::Invalid`], naming both.
pub fn refuse(pairs: &[(&Path, &Path)]) -> Result<()> {
    let mut seen: HashMap<String, &Path> = HashMap::new();
    for (input, target) in pairs {
        if let Some(earlier) = seen.insert(key(target), input) {
            let got = format!("{} and {}", earlier.display(), input.display());
            let allowed = format!(
                "inputs of different names; both would be written to {}; --name and --collisions number tell them apart",
                target.display()
            );
            return Err(Error::invalid("inputs", got, allowed));
        }
    }
    Ok(())
}

/// Numbers outputs of one name: the second is ` (2)`.
pub fn number<'a>(targets: impl Iterator<Item = &'a mut PathBuf>) {
    let mut seen = std::collections::HashSet::new();
    for target in targets {
        let plain = target.clone();
        let mut count = 1;
        while !seen.insert(key(target)) {
            count += 1;
            let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            let ending = plain.extension().map(|_| format!(".{}", part(plain.extension()))).unwrap_or_default();
            *target = plain.with_file_name(format!("{} ({count}){ending}", part(plain.file_stem())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_one_name_are_numbered_in_order() {
        let mut targets: Vec<PathBuf> =
            ["o/a.wav", "o/A.wav", "o/a (2).wav", "o/a.wav", "o/b"].iter().map(PathBuf::from).collect();
        number(targets.iter_mut());
        let names: Vec<_> = targets.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["o/a.wav", "o/A (2).wav", "o/a (2) (2).wav", "o/a (3).wav", "o/b"]);
        let pairs = [(Path::new("x"), Path::new("o/a.wav")), (Path::new("y"), Path::new("o/A.wav"))];
        assert!(refuse(&pairs).is_err());
        assert!(refuse(&pairs[..1]).is_ok());
    }
}
