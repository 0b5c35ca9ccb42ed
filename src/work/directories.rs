//! The folders for settings and data: the platform's folders, or those that the environment names.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The folders of this program. They exist once this value is created.
#[derive(Clone, Debug)]
pub struct Directories {
    config: PathBuf,
    data: PathBuf,
    music: Option<PathBuf>,
}

impl Directories {
    /// Uses the platform's folders, or `UNDERTONE_CONFIG_DIR` and `UNDERTONE_DATA_DIR` if set.
    ///
    /// # Errors
    /// [`Error::Stored`] if the platform names no folder and the variable is not set.
    pub fn of_this_user() -> Result<Self> {
        let platform = directories::ProjectDirs::from("", "", "undertone");
        let folder = |variable: &str, default: Option<&Path>| {
            std::env::var_os(variable)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .or_else(|| default.map(Path::to_path_buf))
                .ok_or_else(|| Error::Stored(format!("No home folder found. Set {variable}")))
        };
        let directories = Self::at(
            folder("UNDERTONE_CONFIG_DIR", platform.as_ref().map(directories::ProjectDirs::config_dir))?,
            folder("UNDERTONE_DATA_DIR", platform.as_ref().map(directories::ProjectDirs::data_dir))?,
        )?;
        let music = directories::UserDirs::new().and_then(|user| user.audio_dir().map(Path::to_path_buf));
        Ok(Self { music, ..directories })
    }

    /// Uses the given folders, for tests and for programs that embed the core. Creates those that are missing.
    pub fn at(config: PathBuf, data: PathBuf) -> Result<Self> {
        for folder in [&config, &data] {
            std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
        }
        Ok(Self { config, data, music: None })
    }

    /// Returns the folder for settings and measured device speeds.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// Returns the user's folder for music, if the platform names one.
    pub fn music(&self) -> Option<&Path> {
        self.music.as_deref()
    }

    /// Returns the folder for the session, presets, caches and the demo.
    pub fn data(&self) -> &Path {
        &self.data
    }
}
