//! Settings on disk: one JSON file, replaced atomically, shared by the window and the command line.

use std::path::Path;

use serde_json::Value;

use super::api::{JoinSettings, ModelSettings, Settings, StemsSettings};
use super::{keys, library};
use crate::effects;
use crate::error::{Error, Result};
use crate::files;

const FILE: &str = "settings.json";
/// The largest accepted settings file, in bytes; a real one is a few kilobytes.
const MAX_BYTES: u64 = 4 << 20;

/// Reads the settings of a configuration folder. Returns the defaults if there is no file. A file that cannot be parsed
/// is kept under another name, and the second value is a notice about it. Keys that cannot be read are left out, and the
/// notice names them.
///
/// # Errors
/// Returns [`Error::Io`] if the file exists but cannot be read or renamed, and [`Error::Limit`] if it is too large.
pub fn load(config: &Path) -> Result<(Settings, Option<String>)> {
    let path = config.join(FILE);
    let bytes = match files::read(&path, "settings file", MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok((Settings::default(), None));
        }
        Err(error) => return Err(error),
    };
    match parse(&bytes) {
        Ok((settings, problems)) => Ok((checked(settings), keys::notice(&problems))),
        Err(error) => {
            let aside = path.with_extension("json.unreadable");
            std::fs::rename(&path, &aside).map_err(|source| Error::io("rename", &path, source))?;
            let notice = format!(
                "The settings could not be read ({error}); defaults are used. The old file is kept as {}",
                aside.display()
            );
            Ok((Settings::default(), Some(notice)))
        }
    }
}

/// Parses the settings. The keys are read entry by entry, so that one that was misspelt by hand costs none of the rest.
fn parse(bytes: &[u8]) -> serde_json::Result<(Settings, Vec<String>)> {
    let mut text: Value = serde_json::from_slice(bytes)?;
    let found = text.as_object_mut().and_then(|fields| fields.remove("keys"));
    let (keys, problems) = found.map(|found| keys::read(&found)).unwrap_or_default();
    let settings = serde_json::from_value(text)?;
    Ok((Settings { keys, ..settings }, problems))
}

/// Writes the settings. After a crash either the old or the new settings are on disk.
///
/// # Errors
/// Returns [`Error::Io`] if they cannot be written.
pub fn save(config: &Path, settings: &Settings) -> Result<()> {
    let text = serde_json::to_string_pretty(settings).map_err(|error| Error::Internal(error.to_string()))?;
    files::write(&config.join(FILE), true, text.as_bytes())
}

/// Returns the settings with every value clamped to its range.
pub fn checked(mut settings: Settings) -> Settings {
    settings.cache_mib = settings.cache_mib.clamp(64, 16_384);
    settings.stems.cache_mib = settings.stems.cache_mib.min(StemsSettings::MAX_CACHE_MIB);
    let crossfade_ms = settings.joins.crossfade_ms;
    let is_number = crossfade_ms.is_finite();
    let standard = JoinSettings::default().crossfade_ms;
    settings.joins.crossfade_ms = if is_number { crossfade_ms.clamp(0.0, JoinSettings::MAX_MS) } else { standard };
    settings.analyser = settings.analyser.checked();
    settings.loudness = settings.loudness.checked();
    settings.recording = settings.recording.checked();
    settings.keys = settings.keys.checked();
    settings.library = library::checked(settings.library);
    settings.models.folders.truncate(ModelSettings::MAX_FOLDERS);
    settings.panes.retain(|_, size| size.is_finite());
    settings.effect_uses.retain(|name, _| effects::find(name).is_some());
    // A range belongs to one document, so it is not stored.
    settings.export.range = None;
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::api::{Language, Theme};

    #[test]
    fn settings_survive_and_bad_ones_are_kept_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, notice) = load(folder.path()).expect("defaults");
        assert_eq!((settings.clone(), notice), (Settings::default(), None));

        settings.theme = Theme::Light;
        settings.language = Language::German;
        settings.output = Some("alsa:default".into());
        save(folder.path(), &settings).expect("written");
        assert_eq!(load(folder.path()).expect("read").0, settings);

        std::fs::write(folder.path().join(FILE), "{ not json").expect("spoiled");
        let (defaults, notice) = load(folder.path()).expect("defaults again");
        assert_eq!(defaults, Settings::default());
        assert!(notice.expect("a notice").contains("unreadable"));
        assert!(folder.path().join("settings.json.unreadable").exists());
        assert_eq!(load(folder.path()).expect("no loop").1, None);
    }

    #[test]
    fn what_is_looked_at_while_playing_keeps_within_its_ranges() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = r#"{"analyser":{"open":true,"window_frames":3000,"low_db":-20,"high_db":-90,"pair":9},
            "loudness":{"lane":true,"target_lufs":-900}}"#;
        std::fs::write(folder.path().join(FILE), text).expect("written");
        let (settings, notice) = load(folder.path()).expect("read");
        assert_eq!(notice, None);
        assert!(settings.analyser.open && settings.loudness.lane);
        assert_eq!((settings.analyser.window_frames, settings.loudness.target_lufs), (4096, -60.0));
        assert!(settings.analyser.low_db < settings.analyser.high_db);
    }

    #[test]
    fn a_bad_key_is_named_and_costs_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = r#"{"theme":"dark","keys":{"version":1,"commands":{"undo":["shift+ctrl+z","Hyper+Q"],"play":3,
            "of_the_future":["Alt+J"]}}}"#;
        std::fs::write(folder.path().join(FILE), text).expect("written");
        let (settings, notice) = load(folder.path()).expect("read");
        let notice = notice.expect("a notice");
        assert!(notice.contains("Hyper+Q") && notice.contains("play"), "{notice}");
        assert_eq!(settings.theme, Theme::Dark);
        assert_eq!(settings.keys.commands["undo"], ["Ctrl+Shift+Z"]);
        assert_eq!(settings.keys.commands["of_the_future"], ["Alt+J"]);
        assert!(!settings.keys.commands.contains_key("play"));
        save(folder.path(), &settings).expect("written");
        assert_eq!(load(folder.path()).expect("read"), (settings, None));
    }

    #[test]
    fn unknown_fields_and_missing_ones_do_not_lose_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(
            folder.path().join(FILE),
            r#"{"theme":"dark","cache_mib":1,"of_the_future":true,"effect_uses":{"gain":3,"gone":9}}"#,
        )
        .expect("written");
        let (settings, _) = load(folder.path()).expect("read");
        assert_eq!((settings.theme, settings.cache_mib), (Theme::Dark, 64));
        assert_eq!(settings.effect_uses, [("gain".to_owned(), 3)].into());
    }
}
