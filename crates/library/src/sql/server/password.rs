//! Passwords: from the user, from `PGPASSWORD`, from `PostgreSQL`'s password file, or from the system's keyring, in
//! this order. The keyring is asked only when the server wants a password, because it may in turn ask the user to
//! unlock it.

use std::path::PathBuf;

use crate::password::Password;

/// The largest password file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Where a password is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The user gave it to this program.
    User,
    /// `PGPASSWORD`.
    Environment,
    /// The password file.
    File,
    /// The system's keyring.
    Keyring,
}

impl Source {
    /// Returns the words that tell the user which password it was.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::User => "the password",
            Self::Environment => "the password in PGPASSWORD",
            Self::File => "the password in the password file",
            Self::Keyring => "the password in the keyring",
        }
    }
}

/// Returns the password for a connection, if the environment or the password file has one.
pub(super) fn of(host: &str, port: u16, database: &str, user: &str) -> Option<(Password, Source)> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some((Password::new(password), Source::Environment));
    }
    let file = password_file()?;
    let text = match read(&file) {
        Ok(text) => text?,
        Err(reason) => {
            tracing::warn!("the password file is not used: {reason}: {}", file.display());
            return None;
        }
    };
    find(&text, [host, &port.to_string(), database, user]).map(|password| (Password::new(password), Source::File))
}

fn password_file() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PGPASSFILE") {
        return Some(path.into());
    }
    let folders = directories::BaseDirs::new()?;
    Some(if cfg!(windows) {
        folders.config_dir().join("postgresql").join("pgpass.conf")
    } else {
        folders.home_dir().join(".pgpass")
    })
}

/// Reads the file; `None` if there is none.
fn read(path: &std::path::Path) -> Result<Option<String>, String> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err("it is not a text file of at most 1 MiB".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err("others may read it; allow it to yourself only (chmod 600)".to_owned());
        }
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| error.to_string())
}

/// Returns the password of the first line that fits: `host:port:database:user:password`, where `*` stands for anything
/// and a backslash precedes a colon or backslash that is meant.
fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut rest = line.chars();
        for wanted in wanted {
            let (field, escaped) = field(&mut rest, true);
            if field != wanted && (field != "*" || escaped) {
                return None;
            }
        }
        let (password, _) = field(&mut rest, false);
        Some(password)
    })
}

/// Reads up to the next colon, or to the end. Returns the text, and whether a character of it was escaped.
fn field(rest: &mut std::str::Chars<'_>, to_colon: bool) -> (String, bool) {
    let (mut text, mut escaped) = (String::new(), false);
    while let Some(character) = rest.next() {
        match character {
            ':' if to_colon => break,
            '\\' => {
                escaped = true;
                text.extend(rest.next());
            }
            other => text.push(other),
        }
    }
    (text, escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let file = "# h:1:d:u:no\nh:2:d:u:two\n\\*:1:d:u:no\nh:1:d:o\\:u:colon\n*:1:*:u:a\\\\b:c\\:d\nh:*:d:u:late";
        assert_eq!(find(file, ["h", "2", "d", "u"]).as_deref(), Some("two"));
        assert_eq!(find(file, ["h", "1", "d", "o:u"]).as_deref(), Some("colon"));
        assert_eq!(find(file, ["h", "1", "d", "u"]).as_deref(), Some("a\\b:c:d"));
        assert_eq!(find(file, ["h", "3", "d", "u"]).as_deref(), Some("late"));
        assert_eq!(find(file, ["g", "3", "d", "u"]), None);
        assert_eq!(find("h:1:d", ["h", "1", "d", "u"]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        std::fs::write(&path, "*:*:*:*:secret").unwrap();
        for (mode, allowed) in [(0o600, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), allowed, "{mode:o}");
        }
        assert_eq!(read(&folder.path().join("none")), Ok(None));
    }
}
