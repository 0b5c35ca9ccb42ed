//! Settings on disk: one JSON file, replaced atomically, shared by all windows and the command line.

mod analyser;
mod general;
pub mod keys;
pub mod library;
mod loudness;
pub mod models;
mod recording;
mod spectrogram;
mod stems;

pub use analyser::*;
pub use general::*;
pub use library::{LibraryFolderPlace, LibrarySettings};
pub use loudness::LoudnessSettings;
pub use models::ModelSettings;
pub use recording::*;
pub use spectrogram::*;
pub use stems::*;

use std::fs::File;
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::{effects, files};

const FILE: &str = "settings.json";
/// Locked by the process that writes the settings.
const LOCK: &str = "settings.lock";
/// The largest accepted settings file, in bytes; a real one is a few kilobytes.
const MAX_BYTES: u64 = 4 << 20;

/// Reads the settings of a configuration folder. Returns the defaults if there is no file. A file that cannot be parsed
/// is kept under another name, and the second value is a notice about it. Keys that cannot be read are left out, and
/// the notice names them.
pub fn load(config: &Path) -> Result<(Settings, Option<String>)> {
    let path = config.join(FILE);
    match read(&path)? {
        Some(Ok(found)) => return Ok(found),
        None => return Ok((Settings::default(), None)),
        Some(Err(_)) => {}
    }
    // Another process may be putting it aside, and write a new one.
    let _lock = hold(config)?;
    match read(&path)? {
        Some(Ok(found)) => Ok(found),
        None => Ok((Settings::default(), None)),
        Some(Err(error)) => {
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

/// Reads the settings file; `None` if there is none. The inner error says why it cannot be parsed.
fn read(path: &Path) -> Result<Option<serde_json::Result<(Settings, Option<String>)>>> {
    let bytes = match files::read(path, "settings file", MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(parse(&bytes).map(|(settings, problems)| (checked(settings), keys::notice(&problems)))))
}

/// Parses the settings. The keys are read entry by entry, so that a misspelt one does not discard the rest.
fn parse(bytes: &[u8]) -> serde_json::Result<(Settings, Vec<String>)> {
    let mut text: Value = serde_json::from_slice(bytes)?;
    let found = text.as_object_mut().and_then(|fields| fields.remove("keys"));
    let (keys, problems) = found.map(|found| keys::read(&found)).unwrap_or_default();
    let settings = serde_json::from_value(text)?;
    Ok((Settings { keys, ..settings }, problems))
}

/// Writes a change of the settings: the difference between `before` and `after`. All else on disk is kept, because
/// another process may have changed it. After a crash either the old or the new settings are on disk.
pub fn save(config: &Path, before: &Settings, after: &Settings) -> Result<()> {
    let path = config.join(FILE);
    let value = |settings: &Settings| {
        serde_json::to_value(settings).map_err(|error: serde_json::Error| Error::Internal(error.to_string()))
    };
    let (before, after) = (value(before)?, value(after)?);
    let _lock = hold(config)?;
    let mut kept = match read(&path) {
        Ok(Some(Ok((settings, _)))) => value(&settings)?,
        _ => before.clone(),
    };
    merge(&mut kept, &before, &after);
    // Parts of two changes may combine into settings that cannot be parsed.
    let settings = serde_json::to_vec(&kept).ok().filter(|bytes| parse(bytes).is_ok()).map_or(after, |_| kept);
    let text = serde_json::to_string_pretty(&settings).map_err(|error| Error::Internal(error.to_string()))?;
    files::write(&path, true, text.as_bytes())
}

/// Waits for the lock that is needed to write the settings. It is held until the file is closed.
fn hold(config: &Path) -> Result<File> {
    let path = config.join(LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|source| Error::io("open", &path, source))?;
    if let Err(error) = file.lock() {
        // Some network file systems do not support locks. There, one of two simultaneous changes may be lost.
        tracing::info!("the settings cannot be locked: {error}: {}", path.display());
    }
    Ok(file)
}

/// Applies to `kept` the changes from `before` to `after`, entry by entry.
fn merge(kept: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    match (kept, before, after) {
        (Value::Object(kept), Value::Object(before), Value::Object(after)) => {
            kept.retain(|name, _| after.contains_key(name) || !before.contains_key(name));
            for (name, value) in after {
                match (kept.get_mut(name), before.get(name)) {
                    (Some(kept), Some(before)) => merge(kept, before, value),
                    (None, Some(before)) if before == value => {}
                    _ => drop(kept.insert(name.clone(), value.clone())),
                }
            }
        }
        (kept, _, after) => *kept = after.clone(),
    }
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
    use super::general::{Language, Theme};
    use super::*;

    #[test]
    fn settings_survive_and_bad_ones_are_kept_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut settings, notice) = load(folder.path()).expect("defaults");
        assert_eq!((settings.clone(), notice), (Settings::default(), None));

        settings.theme = Theme::Light;
        settings.language = Language::German;
        settings.output = Some("alsa:default".into());
        save(folder.path(), &Settings::default(), &settings).expect("written");
        assert_eq!(load(folder.path()).expect("read").0, settings);

        std::fs::write(folder.path().join(FILE), "{ not json").expect("spoiled");
        let (defaults, notice) = load(folder.path()).expect("defaults again");
        assert_eq!(defaults, Settings::default());
        assert!(notice.expect("a notice").contains("unreadable"));
        assert!(folder.path().join("settings.json.unreadable").exists());
        assert_eq!(load(folder.path()).expect("no loop").1, None);
    }

    #[test]
    fn of_two_processes_each_changes_what_it_means_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let before = Settings::default();
        let dark = Settings { theme: Theme::Dark, ..before.clone() };
        save(folder.path(), &before, &dark).expect("written");
        let mut panes = before.clone();
        panes.panes.insert("rack".into(), 300.0);
        save(folder.path(), &before, &panes).expect("written");
        let mut others = before.clone();
        others.panes.insert("library".into(), 200.0);
        others.stems.cache_mib = 77;
        save(folder.path(), &before, &others).expect("written");
        save(folder.path(), &panes, &before).expect("written");
        let wanted = Settings { theme: Theme::Dark, ..others };
        assert_eq!(load(folder.path()).expect("read"), (wanted, None));
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
        save(folder.path(), &Settings::default(), &settings).expect("written");
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
