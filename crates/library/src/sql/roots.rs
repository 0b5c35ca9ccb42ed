//! Where the folders of a library on a server are on this machine.

use std::path::{Path, PathBuf};

use crate::stored_path::StoredPath;
use base::error::{Error, Result};

/// The place of a folder on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootPlace {
    /// The folder's path in the library, or the last part of it.
    pub name: String,
    /// Its path on this machine.
    pub path: PathBuf,
    /// Whether a library without such a folder is refused. Otherwise the place then has no effect.
    pub required: bool,
}

impl RootPlace {
    /// Parses `NAME=PATH`.
    pub fn parse(text: &str) -> Result<Self> {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => {
                let path = std::path::absolute(path).map_err(|source| Error::io("find", Path::new(path), source))?;
                Ok(Self { name: name.to_owned(), path, required: true })
            }
            _ => Err(Error::invalid("folder", text, "of the form NAME=PATH, such as music=/mnt/music")),
        }
    }
}

/// Paths as the library has them, and as this machine has them.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<Mapped>);

#[derive(Clone, Debug)]
struct Mapped {
    stored: PathBuf,
    local: PathBuf,
}

impl Roots {
    /// Finds the folders of the library by their names.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a required name matches no folder, or more than one.
    pub fn new(places: &[RootPlace], stored: &[PathBuf]) -> Result<Self> {
        let named = |place: &RootPlace| {
            let is_named = |path: &&PathBuf| {
                path.as_os_str() == place.name.as_str()
                    || path.file_name().is_some_and(|name| name == place.name.as_str())
            };
            let mut found = stored.iter().filter(is_named);
            match (found.next(), found.next()) {
                (Some(stored), None) => Ok(Some(Mapped { stored: stored.clone(), local: place.path.clone() })),
                _ if !place.required => Ok(None),
                (Some(first), Some(second)) => {
                    let allowed = format!("the whole path of one: {} or {}", first.display(), second.display());
                    Err(Error::invalid("name of a folder", &place.name, allowed))
                }
                (None, _) => {
                    let names: Vec<String> = stored.iter().map(|path| path.display().to_string()).collect();
                    let allowed = if names.is_empty() {
                        "one of the library, which has no folders yet".to_owned()
                    } else {
                        format!("one of the library: {}", names.join(", "))
                    };
                    Err(Error::invalid("name of a folder", &place.name, allowed))
                }
            }
        };
        places.iter().filter_map(|place| named(place).transpose()).collect::<Result<_>>().map(Self)
    }

    /// Returns a path of the library as this machine has it.
    pub fn local(&self, path: PathBuf) -> PathBuf {
        moved(&path, self.0.iter().map(|root| (&root.stored, &root.local))).unwrap_or(path)
    }

    /// Returns a path of this machine as the library has it.
    pub fn stored(&self, path: &Path) -> StoredPath {
        match moved(path, self.0.iter().map(|root| (&root.local, &root.stored))) {
            Some(path) => StoredPath::from(path.as_path()),
            None => StoredPath::from(path),
        }
    }
}

/// Returns a path that lies in one of the folders `from` as it lies in `to`.
fn moved<'a>(path: &Path, mut roots: impl Iterator<Item = (&'a PathBuf, &'a PathBuf)>) -> Option<PathBuf> {
    roots.find_map(|(from, to)| {
        let rest = path.strip_prefix(from).ok()?;
        // A folder itself has nothing behind it, and must not end in a separator.
        Some(if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_to_this_machine_and_back() {
        let place = |text| RootPlace::parse(text).unwrap();
        let stored = ["/srv/music".into(), "/srv/more/music".into(), "/srv/talk".into()];
        let roots = Roots::new(&[place("talk=/mnt/t"), place("/srv/music=/mnt/m")], &stored).unwrap();
        for (stored, local) in [
            ("/srv/talk", "/mnt/t"),
            ("/srv/talk/a/b.wav", "/mnt/t/a/b.wav"),
            ("/srv/music/a.wav", "/mnt/m/a.wav"),
            ("/srv/musical/a.wav", "/srv/musical/a.wav"),
            ("/srv/more/music/a.wav", "/srv/more/music/a.wav"),
        ] {
            assert_eq!(roots.local(stored.into()), Path::new(local));
            assert_eq!(roots.stored(Path::new(local)), StoredPath::from(Path::new(stored)));
        }
    }

    #[test]
    fn names_must_be_of_one_folder() {
        let stored = ["/srv/music".into(), "/srv/more/music".into()];
        for text in ["music=/a", "other=/a"] {
            let refused = Roots::new(&[RootPlace::parse(text).unwrap()], &stored).unwrap_err();
            assert!(refused.to_string().contains("/srv/more/music"), "{refused}");
        }
        let mut place = RootPlace::parse("other=/a").unwrap();
        place.required = false;
        assert_eq!(Roots::new(&[place], &stored).unwrap().local("/srv/music".into()), Path::new("/srv/music"));
        assert!(RootPlace::parse("=/a").is_err() && RootPlace::parse("a").is_err() && RootPlace::parse("a=").is_err());
    }
}
